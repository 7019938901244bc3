//! Who wrote a user row, and whether it may start a turn (4.1-4.3).
//!
//! The client's provenance fields decide first; what the text begins with counts only where they are missing, so
//! that a person may type anything, `<div>` included. Order: facts, 1.3.

use super::tags;

/// The fields of a user row that tell who wrote it.
#[derive(Debug, Default)]
pub struct Provenance {
    /// `turnOrigin` (since 2.1.277).
    pub turn_origin: Option<String>,
    /// `origin.kind` (since about 2.1.16x).
    pub origin: Option<String>,
    /// `promptSource`; never decides alone, the desktop app writes `sdk` for typed text.
    pub prompt_source: Option<String>,
    /// The client made this row itself.
    pub is_meta: bool,
}

/// What a user row without tool results is.
#[derive(Debug, PartialEq, Eq)]
pub enum Author {
    /// The person wrote this.
    Person,
    /// A program sent it in the person's place.
    Program,
    /// A slash command.
    Command {
        /// Its name with the slash, and its arguments.
        words: String,
        /// Whether the client says that a person or program sent it to the model. Without that, it is a turn only
        /// if the model answers it.
        is_sent: bool,
    },
    /// What a local command printed.
    LocalOutput,
    /// `!` input: the command.
    BangCommand(String),
    /// `!` output, and whether the client says that it goes to the model.
    BangOutput {
        /// Standard output, then standard error.
        text: String,
        /// `turnOrigin: human`.
        is_sent: bool,
    },
    /// Background work has ended.
    Notification,
    /// Another session, a teammate, a channel.
    Peer,
    /// A timer, or the client going on by itself.
    Scheduled,
    /// A Stop hook sent Claude back with this reason.
    Feedback(String),
    /// Esc.
    Interrupt,
    /// The client's own text.
    Machinery,
}

/// Commands of the client that change settings or show something, as far as rows without provenance need them.
pub(crate) const LOCAL_COMMANDS: &str = "add-dir agents bug clear color compact config context copy cost doctor effort exit export fast \
    feedback help hooks ide keybindings login logout mcp memory model output-style permissions \
    plugin privacy-settings quit release-notes rename resume rewind sandbox stats status statusline \
    tasks terminal-setup theme todos upgrade usage vim";

const PEER_TAGS: [&str; 4] = ["cross-session-message", "teammate-message", "agent-message", "channel"];

const PEER_PREFIXES: [&str; 2] = ["Another Claude session sent a message:", "[Message from session"];

/// What the client's own texts begin with; facts, 1.3.
pub(crate) const MACHINERY_PREFIXES: [&str; 11] = [
    "Caveat: The messages below",
    "[Image: source:",
    "[Image: original",
    "TeammateIdle hook feedback:",
    "Base directory for this skill",
    "This session is being continued from",
    "# Autonomous loop tick",
    "Operation stopped by hook:",
    "UserPromptSubmit operation blocked by hook:",
    "<tick",
    "<goal",
];

/// What the client's interrupt marks begin with (4.1).
const INTERRUPT: &str = "[Request interrupted by user";

/// Says what a user row is from its provenance and its text (without the blocks that the client adds).
pub fn author(provenance: &Provenance, text: &str) -> Author {
    let text = text.trim();
    match provenance.kind() {
        Kind::Human if !provenance.is_meta => sent(text, Author::Person),
        Kind::Typed if !provenance.is_meta && !is_peer(text) => sent(text, Author::Person),
        Kind::Program if !provenance.is_meta => match machine(text) {
            Author::Scheduled => sent(text, Author::Program),
            from_elsewhere => from_elsewhere,
        },
        Kind::Notification => Author::Notification,
        Kind::Peer => Author::Peer,
        Kind::Machine => machine(text),
        Kind::Human | Kind::Typed | Kind::Program | Kind::Unknown => by_text(provenance, text),
    }
}

/// Whether a prompt is a wake-up or another session's message rather than the person's (7.3).
pub fn is_wake_up(prompt: &str) -> bool {
    let text = tags::without_added_blocks(prompt);
    is_notification(text)
        || is_peer(text)
        || tags::opens_with(text, "tick")
        || text.starts_with("# Autonomous loop tick")
}

/// Whether the text is a notification of finished background work.
pub fn is_notification(text: &str) -> bool {
    tags::opens_with(text, "task-notification") || text.starts_with("[SYSTEM NOTIFICATION")
}

/// Whether the text is another session's message.
pub fn is_peer(text: &str) -> bool {
    PEER_TAGS.iter().any(|tag| tags::opens_with(text, tag))
        || PEER_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// The reason in a Stop hook's feedback; old clients wrote a list of `- [command]: reason`.
pub fn feedback_reason(text: &str) -> Option<&str> {
    ["Stop hook feedback:", "Stop hook additional context:"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .map(|reason| {
            let reason = reason.trim();
            let listed = reason.strip_prefix("- ").unwrap_or(reason);
            match listed.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
                Some((_, bare)) => bare,
                None => reason,
            }
        })
}

enum Kind {
    Human,
    /// Typed as far as the client says, which for some versions includes other sessions' messages (facts, 1.3).
    Typed,
    Program,
    Notification,
    Peer,
    Machine,
    Unknown,
}

impl Provenance {
    fn kind(&self) -> Kind {
        let named = match self.turn_origin.as_deref() {
            Some("human") => Some(Kind::Human),
            Some("sdk") => Some(Kind::Program),
            Some("task_notification") => Some(Kind::Notification),
            Some("peer") => Some(Kind::Peer),
            Some(_) => Some(Kind::Machine),
            None => None,
        };
        let named = named.or(match self.origin.as_deref() {
            Some("human") => Some(Kind::Human),
            Some("task-notification") => Some(Kind::Notification),
            Some("peer" | "channel" | "coordinator") => Some(Kind::Peer),
            Some("unclassified") | None => None,
            Some(_) => Some(Kind::Machine),
        });
        named.unwrap_or(match self.prompt_source.as_deref() {
            Some("typed" | "queued" | "suggestion_accepted") => Kind::Typed,
            Some("sdk") => Kind::Program,
            Some("system") => Kind::Machine,
            _ => Kind::Unknown,
        })
    }
}

/// A text that the client says was sent to the model: plain words unless it is a command or `!`.
fn sent(text: &str, plain: Author) -> Author {
    if let Some(words) = command_words(text) {
        return Author::Command { words, is_sent: true };
    }
    bang(text, true).unwrap_or(plain)
}

/// A text that the client says no person sent.
fn machine(text: &str) -> Author {
    if let Some(reason) = feedback_reason(text) {
        Author::Feedback(reason.to_owned())
    } else if text.is_empty() {
        Author::Machinery
    } else if is_notification(text) {
        Author::Notification
    } else if is_peer(text) {
        Author::Peer
    } else {
        Author::Scheduled
    }
}

fn by_text(provenance: &Provenance, text: &str) -> Author {
    if text.starts_with(INTERRUPT) {
        return Author::Interrupt;
    }
    if let Some(reason) = feedback_reason(text) {
        return Author::Feedback(reason.to_owned());
    }
    if is_notification(text) {
        return Author::Notification;
    }
    if is_peer(text) {
        return Author::Peer;
    }
    if provenance.is_meta || text.is_empty() {
        return Author::Machinery;
    }
    if let Some(words) = command_words(text) {
        let name = words.split_whitespace().next().unwrap_or_default().trim_start_matches('/');
        if LOCAL_COMMANDS.split(' ').any(|known| known == name) {
            return Author::Machinery;
        }
        return Author::Command { words, is_sent: false };
    }
    if let Some(bang) = bang(text, false) {
        return bang;
    }
    if text.starts_with("<local-command-std") {
        return Author::LocalOutput;
    }
    if MACHINERY_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) || is_system_tag(text) {
        return Author::Machinery;
    }
    Author::Person
}

/// The client's own rows are tags from end to end; a person may type one of them.
fn bang(text: &str, is_sent: bool) -> Option<Author> {
    if !text.ends_with("</bash-input>")
        && !text.ends_with("</bash-stdout>")
        && !text.ends_with("</bash-stderr>")
    {
        return None;
    }
    if tags::opens_with(text, "bash-input") {
        let command = tags::inner(text, "bash-input").unwrap_or_default().trim().to_owned();
        return Some(Author::BangCommand(command));
    }
    if tags::opens_with(text, "bash-stdout") || tags::opens_with(text, "bash-stderr") {
        let parts =
            ["bash-stdout", "bash-stderr"].map(|tag| tags::inner(text, tag).unwrap_or_default().trim_end());
        // Only line ends go at the beginning: the first column may mean something, as in `git status --short`.
        let parts = parts.map(|part| part.trim_start_matches(['\r', '\n']));
        let text = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n");
        return Some(Author::BangOutput { text, is_sent });
    }
    None
}

/// `/name arguments` of a command row, whichever order its tags are in.
fn command_words(text: &str) -> Option<String> {
    let opens = tags::opens_with(text, "command-name") || tags::opens_with(text, "command-message");
    if !opens || !text.ends_with('>') {
        return None;
    }
    let name = tags::inner(text, "command-name")?.trim();
    let arguments = tags::inner(text, "command-args").unwrap_or_default().trim();
    let slash = if name.starts_with('/') { "" } else { "/" };
    Some(format!("{slash}{name} {arguments}").trim_end().to_owned())
}

/// Old rows have no provenance; the client's tags have a hyphen or an underscore in their name, HTML's have not.
/// A paste is the person's.
fn is_system_tag(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('<') else { return false };
    let name: String =
        rest.chars().take_while(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_')).collect();
    let whole = rest.get(name.len()..).is_some_and(|after| after.starts_with(['>', ' ']));
    whole && name.contains(['-', '_']) && name != "pasted_content"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> Provenance {
        Provenance { turn_origin: Some("human".into()), ..Provenance::default() }
    }

    #[test]
    fn provenance_beats_text() {
        assert_eq!(author(&typed(), "<div>why</div>"), Author::Person);
        assert_eq!(author(&typed(), "Stop hook feedback: why is it there?"), Author::Person);
        let origin = Provenance { origin: Some("peer".into()), is_meta: true, ..Provenance::default() };
        assert_eq!(author(&origin, "plain"), Author::Peer);
    }

    #[test]
    fn without_provenance_the_text_decides() {
        let bare = Provenance::default();
        assert_eq!(author(&bare, "hello"), Author::Person);
        assert_eq!(author(&bare, "<task-notification>x"), Author::Notification);
        assert_eq!(author(&bare, "<user-memory-input>tabs</user-memory-input>"), Author::Machinery);
        assert_eq!(author(&bare, "<pasted_content id=\"1\">x</pasted_content>"), Author::Person);
        assert_eq!(author(&bare, "[Request interrupted by user]"), Author::Interrupt);
        assert_eq!(author(&bare, "why [Request interrupted by user]?"), Author::Person);
    }

    #[test]
    fn r4_3_what_the_client_made_itself_is_nobody_s_whatever_the_provenance_says() {
        let human =
            |is_meta| Provenance { turn_origin: Some("human".into()), is_meta, ..Provenance::default() };
        let source = |source: &str, is_meta| Provenance {
            prompt_source: Some(source.into()),
            is_meta,
            ..Provenance::default()
        };
        let peer = "<channel source=\"x\">hi</channel>";
        for (provenance, text, wanted) in [
            (human(false), "hi", Author::Person),
            (human(true), "hi", Author::Machinery),
            (source("typed", false), "hi", Author::Person),
            (source("queued", false), "<tick>", Author::Person),
            (source("suggestion_accepted", false), "<tick>", Author::Person),
            (source("typed", true), "hi", Author::Machinery),
            (source("typed", false), peer, Author::Peer),
            (source("typed", true), peer, Author::Peer),
            (source("sdk", false), "hi", Author::Program),
            (source("sdk", true), "hi", Author::Machinery),
            (source("sdk", false), peer, Author::Peer),
            (source("sdk", false), "", Author::Machinery),
            (source("system", false), "hi", Author::Scheduled),
            (source("of tomorrow", false), "hi", Author::Person),
        ] {
            assert_eq!(author(&provenance, text), wanted, "{provenance:?} {text:?}");
        }
    }

    #[test]
    fn r7_3_each_kind_of_wake_up_is_known() {
        for prompt in [
            "<task-notification>x</task-notification>",
            "[SYSTEM NOTIFICATION: x",
            "<teammate-message teammate_id=\"a\">x</teammate-message>",
            "[Message from session x",
            "<tick>",
            "# Autonomous loop tick",
            "<system-reminder>x</system-reminder>\n<tick>",
        ] {
            assert!(is_wake_up(prompt), "{prompt}");
        }
        for prompt in ["", "hi", "<ticket>", "a <tick>", "Autonomous loop tick"] {
            assert!(!is_wake_up(prompt), "{prompt}");
        }
    }

    #[test]
    fn r4_2_commands_and_bang_input_are_tags_from_end_to_end() {
        let bare = Provenance::default();
        let command = |words: &str, is_sent| Author::Command { words: words.into(), is_sent };
        let output = |text: &str, is_sent| Author::BangOutput { text: text.into(), is_sent };
        for (text, typed_as, bare_as) in [
            (
                "<bash-input> ls </bash-input>",
                Author::BangCommand("ls".into()),
                Author::BangCommand("ls".into()),
            ),
            ("<bash-input>ls</bash-input> why?", Author::Person, Author::Machinery),
            ("why <bash-input>ls</bash-input>", Author::Person, Author::Person),
            ("<bash-stdout>\n a\n</bash-stdout>", output(" a", true), output(" a", false)),
            ("<bash-stderr>b</bash-stderr>", output("b", true), output("b", false)),
            (
                "<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>",
                output("a\nb", true),
                output("a\nb", false),
            ),
            ("<bash-stdout>a</bash-stdout> why?", Author::Person, Author::Machinery),
            ("<bash-stderr>a</bash-stderr> why?", Author::Person, Author::Machinery),
            (
                "<command-name>/fix</command-name><command-args> a b </command-args>",
                command("/fix a b", true),
                command("/fix a b", false),
            ),
            (
                "<command-message>fix</command-message><command-name>fix</command-name>",
                command("/fix", true),
                command("/fix", false),
            ),
            ("<command-name>/fix</command-name> why?", Author::Person, Author::Machinery),
            ("why <command-name>/fix</command-name>", Author::Person, Author::Person),
            ("<command-name>/model</command-name>", command("/model", true), Author::Machinery),
            ("<local-command-stdout>x</local-command-stdout>", Author::Person, Author::LocalOutput),
            ("<user_x y>", Author::Person, Author::Machinery),
            ("<user-x", Author::Person, Author::Person),
            ("<user-xY>", Author::Person, Author::Person),
            ("<div>", Author::Person, Author::Person),
            ("", Author::Person, Author::Machinery),
        ] {
            assert_eq!(author(&typed(), text), typed_as, "{text:?}, typed");
            assert_eq!(author(&bare, text), bare_as, "{text:?}, no provenance");
        }
    }

    #[test]
    fn feedback_of_old_clients_loses_its_list_mark() {
        assert_eq!(feedback_reason("Stop hook feedback:\n- [audit]: why"), Some("why"));
        assert_eq!(feedback_reason("Stop hook feedback:\nplain"), Some("plain"));
    }
}
