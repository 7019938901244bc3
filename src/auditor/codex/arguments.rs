//! The default command's arguments: the spec's own (6.2), and one table of what is added, each with its reason.
//!
//! Everything added is `-c KEY=VALUE`: an unknown `--disable NAME` ends Codex, an unknown key only makes it warn (2.2).

/// Settings beside the spec's command. Figures are those of Codex 0.171.0 (facts, codex sections 2-4).
const SETTINGS: &[(&str, &str)] = &[
    // Tools: the auditor judges the text it gets (1.6). Without these it runs commands as the person, and reads
    // their files and keys; the sandbox only keeps it from writing.
    ("features.shell_tool=false", "runs commands, also when called directly"),
    ("features.unified_exec=false", "the same by another name"),
    ("features.view_image=false", "reads any file"),
    ("features.goals=false", "keeps goals between turns"),
    ("features.sleep_tool=false", "waits"),
    ("features.image_generation=false", "makes pictures"),
    ("features.browser_use=false", "drives a browser"),
    ("features.computer_use=false", "drives the desktop"),
    ("features.multi_agent=false", "starts other agents"),
    ("agents.enabled=false", "the tools for them, 9.8 kB"),
    ("web_search=\"disabled\"", "looks things up, 10.8 kB"),
    ("tools.experimental_request_user_input.enabled=false", "asks the person, who is not there"),
    (
        "features.code_mode.excluded_tool_namespaces=[\"functions\",\"mcp\",\"web\",\"clock\",\"image_gen\"]",
        "hides what is left of the nested tools, 19.5 kB",
    ),
    // Other people's code and words.
    ("features.apps=false", "30 s before the request where its backend is slow"),
    ("features.plugins=false", "fetches plugins by git at start"),
    ("features.remote_plugin=false", "the same from a service"),
    ("features.hooks=false", "runs hooks"),
    ("features.memories=false", "words from other sessions"),
    ("features.skill_search=false", "looks for skills"),
    ("features.tool_suggest=false", "suggests tools"),
    ("skills.include_instructions=false", "texts of skills, the person's among them"),
    ("skills.bundled.enabled=false", "half a megabyte written at each start"),
    ("project_doc_max_bytes=0", "AGENTS.md of the folder"),
    // Words of the client that say nothing about an audit, 25 kB together.
    (
        "instructions=\"You are a text auditor. Answer with one VERDICT line.\"",
        "stands for 21.5 kB of a coder's rules",
    ),
    ("include_permissions_instructions=false", "about a sandbox that is not used"),
    ("include_apps_instructions=false", "about apps"),
    ("include_collaboration_mode_instructions=false", "about other agents"),
    ("include_environment_context=false", "folder, date, time zone"),
    // Traces and time.
    (
        "features.shell_snapshot=false",
        "writes the environment, keys included, to a file that others can read",
    ),
    ("analytics.enabled=false", "5 to 10 s at the end where its host is not reached"),
    ("features.unbounded_connection_retries=false", "without this a refused connection is tried for ever"),
];

/// All arguments. `person_settings` come from the person's configuration; `extra` are their own arguments, before the
/// final `-`, so that they can override the rest.
pub fn list(model: &str, person_settings: Vec<String>, extra: &[String]) -> Vec<String> {
    let fixed = ["exec", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check"];
    let spec = ["-s", "read-only", "-m", model, "-c", "model_reasoning_effort=medium"];
    let mut arguments: Vec<String> = fixed.iter().chain(&spec).map(|word| (*word).to_owned()).collect();
    let settings = SETTINGS.iter().map(|(setting, _)| (*setting).to_owned()).chain(person_settings);
    arguments.extend(settings.flat_map(|setting| ["-c".to_owned(), setting]));
    arguments.push("--json".to_owned());
    arguments.extend_from_slice(extra);
    arguments.push("-".to_owned());
    arguments
}

/// Names of the features that are turned off, to be looked for in `codex features list` (2.2).
pub fn features_off() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().filter_map(|(setting, _)| setting.strip_prefix("features.")?.strip_suffix("=false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r6_2_the_command_is_the_spec_s_with_the_extra_words_before_the_dash() {
        let arguments = list("m", Vec::new(), &["--oss".to_owned()]).join(" ");
        let spec = "exec --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check -s read-only -m m -c model_reasoning_effort=medium ";
        assert!(arguments.starts_with(spec), "{arguments}");
        assert!(arguments.ends_with(" --json --oss -"), "{arguments}");
        assert!(features_off().any(|name| name == "shell_tool"));
    }
}
