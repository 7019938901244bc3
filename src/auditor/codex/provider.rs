//! Where the auditor's requests go: the default service, or the relay that the person's own Codex uses.
//!
//! `--ignore-user-config` drops a relay that is common where the vendor is not reached directly; so the provider, and
//! only it, is read from the person's `config.toml` and passed on. Its retries are ours: a fault is told at once.

use toml::{Table, Value};

/// The name that the provider gets: a built-in one cannot be given other retries.
const ID: &str = "auditor";

/// Fields of a provider that say where and how to ask; anything else in its table stays where it is.
const FIELDS: [&str; 9] = [
    "name",
    "base_url",
    "env_key",
    "wire_api",
    "query_params",
    "http_headers",
    "env_http_headers",
    "requires_openai_auth",
    "experimental_bearer_token",
];

/// Silence of the service that is waited for, in milliseconds: no shorter than an audit may take.
const IDLE_MS: i64 = 150_000;

/// A variable that takes a secret out of the person's file to the auditor: arguments can be read by every user of the
/// machine.
const SECRET_VARIABLE: &str = "STOP_AUDITOR_SECRET_";

/// A provider as `-c` settings.
#[derive(Clone)]
pub struct Provider {
    /// The provider's table; `None`: one of Codex's built-in local ones, by its name.
    table: Result<Table, String>,
    /// Variables that hold its key.
    pub variables: Vec<String>,
    /// Variables to be set, and the secrets that they take to the auditor.
    pub secrets: Vec<(String, String)>,
    /// The relay's name in the person's file, where there is one.
    pub relay: Option<String>,
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider").field("relay", &self.relay).finish_non_exhaustive()
    }
}

impl Default for Provider {
    /// The default service, which takes any of Codex's logins.
    fn default() -> Self {
        let mut table = Table::new();
        table.insert("name".to_owned(), Value::from("OpenAI"));
        table.insert("requires_openai_auth".to_owned(), Value::from(true));
        Provider { table: Ok(table), variables: Vec::new(), secrets: Vec::new(), relay: None }
    }
}

impl Provider {
    /// The provider that a configuration names.
    pub fn of(config: &Table) -> Provider {
        let name = config.get("model_provider").and_then(Value::as_str).unwrap_or("openai");
        let own = config.get("model_providers").and_then(|all| all.get(name)).and_then(Value::as_table);
        match (own, config.get("openai_base_url")) {
            (Some(own), _) => {
                let mut table: Table = own
                    .iter()
                    .filter(|(field, _)| FIELDS.contains(&field.as_str()))
                    .map(|(field, value)| (field.clone(), value.clone()))
                    .collect();
                let secrets = take_secrets(&mut table);
                let variables = variables_of(&table);
                Provider { table: Ok(table), variables, secrets, relay: Some(name.to_owned()) }
            }
            (None, Some(url)) if name == "openai" => {
                let mut provider =
                    Provider { relay: Some("openai_base_url".to_owned()), ..Provider::default() };
                if let Ok(table) = &mut provider.table {
                    table.insert("base_url".to_owned(), url.clone());
                }
                provider
            }
            (None, _) if name == "openai" => Provider::default(),
            (None, _) => {
                Provider { table: Err(name.to_owned()), relay: Some(name.to_owned()), ..Provider::default() }
            }
        }
    }

    /// The `-c` settings.
    pub fn settings(&self) -> Vec<String> {
        let mut table = match &self.table {
            Ok(table) => table.clone(),
            Err(built_in) => return vec![format!("model_provider={}", Value::from(built_in.as_str()))],
        };
        let ours = [
            ("wire_api", Value::from("responses")),
            ("supports_websockets", Value::from(false)),
            // A `retry-after` of a minute would be slept through.
            ("request_max_retries", Value::from(0)),
            ("stream_max_retries", Value::from(0)),
            ("stream_idle_timeout_ms", Value::from(IDLE_MS)),
        ];
        for (field, value) in ours {
            table.insert(field.to_owned(), value);
        }
        vec![
            format!("model_provider={}", Value::from(ID)),
            format!("model_providers.{ID}={}", Value::Table(table)),
        ]
    }
}

/// Takes secrets out of the table and leaves the names of variables in their place.
fn take_secrets(table: &mut Table) -> Vec<(String, String)> {
    let mut secrets = Vec::new();
    let mut keep = |value: &Value| {
        let variable = format!("{SECRET_VARIABLE}{}", secrets.len());
        secrets.push((variable.clone(), value.as_str().unwrap_or_default().to_owned()));
        Value::from(variable)
    };
    if let Some(token) = table.remove("experimental_bearer_token") {
        let variable = keep(&token);
        table.insert("env_key".to_owned(), variable);
    }
    if let Some(Value::Table(headers)) = table.remove("http_headers") {
        let moved: Table = headers.iter().map(|(name, value)| (name.clone(), keep(value))).collect();
        match table.get_mut("env_http_headers") {
            Some(Value::Table(known)) => known.extend(moved),
            _ => drop(table.insert("env_http_headers".to_owned(), Value::Table(moved))),
        }
    }
    secrets
}

fn variables_of(table: &Table) -> Vec<String> {
    let key = table.get("env_key").and_then(Value::as_str).map(str::to_owned);
    let headers = table.get("env_http_headers").and_then(Value::as_table);
    let headers = headers.into_iter().flat_map(|headers| headers.values());
    key.into_iter().chain(headers.filter_map(|value| value.as_str().map(str::to_owned))).collect()
}

/// Variables for keys that one of the person's own arguments names: `env_key="NAME"`.
pub fn variables_named_in(argument: &str) -> Vec<String> {
    argument
        .split("env_key")
        .skip(1)
        .map(|rest| {
            let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\''));
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(config: &str) -> Provider {
        Provider::of(&config.parse().unwrap())
    }

    #[test]
    fn the_default_service_gets_our_retries() {
        let settings = of("").settings().join(" ");
        assert!(settings.contains("requires_openai_auth = true"), "{settings}");
        assert!(settings.contains("request_max_retries = 0"), "{settings}");
        assert!(!settings.contains("base_url"), "{settings}");
    }

    #[test]
    fn a_relay_is_passed_on_and_nothing_else_of_the_file() {
        let relay = of(r#"
            model_provider = "relay"
            developer_instructions = "be nice"
            [model_providers.relay]
            name = "Relay"
            base_url = "https://relay.example/v1"
            env_key = "RELAY_KEY"
            request_max_retries = 9
            [mcp_servers.x]
            command = "x"
        "#);
        let settings = relay.settings().join(" ");
        assert!(
            settings.contains("https://relay.example/v1") && settings.contains("request_max_retries = 0")
        );
        assert!(!settings.contains("be nice") && !settings.contains("mcp_servers"));
        assert_eq!((relay.variables, relay.relay.as_deref()), (vec!["RELAY_KEY".to_owned()], Some("relay")));
    }

    #[test]
    fn no_secret_of_the_file_is_an_argument() {
        let relay = of(r#"
            model_provider = "relay"
            [model_providers.relay]
            base_url = "https://relay.example/v1"
            experimental_bearer_token = "BEARER-SECRET"
            http_headers = { Authorization = "HEADER-SECRET" }
        "#);
        let settings = relay.settings().join(" ");
        assert!(!settings.contains("SECRET\"") && settings.contains("STOP_AUDITOR_SECRET_0"), "{settings}");
        let debug = format!("{relay:?}");
        assert!(debug.contains("\"relay\"") && !debug.contains("BEARER"), "{debug}");
        let secrets: Vec<&str> = relay.secrets.iter().map(|(_, secret)| secret.as_str()).collect();
        assert_eq!(secrets, ["BEARER-SECRET", "HEADER-SECRET"]);
    }

    #[test]
    fn a_secret_header_stands_beside_those_of_the_environment() {
        let relay = of(r#"
            model_provider = "relay"
            [model_providers.relay]
            http_headers = { A = "HEADER-SECRET" }
            env_http_headers = { B = "B_KEY" }
        "#);
        let mut variables = relay.variables;
        variables.sort();
        assert_eq!(variables, ["B_KEY", "STOP_AUDITOR_SECRET_0"]);
    }

    #[test]
    fn what_goes_elsewhere_than_to_the_default_service_is_named() {
        for (config, relay) in [
            ("", None),
            ("openai_base_url = \"http://h/v1\"", Some("openai_base_url")),
            ("model_provider = \"ollama\"", Some("ollama")),
            // The redirection is of the default service alone.
            ("model_provider = \"ollama\"\nopenai_base_url = \"http://h/v1\"", Some("ollama")),
        ] {
            assert_eq!(of(config).relay.as_deref(), relay, "{config}");
        }
    }

    #[test]
    fn a_redirected_service_and_a_local_one_are_passed_on() {
        assert!(
            of("openai_base_url = \"http://h/v1\"")
                .settings()
                .join(" ")
                .contains("base_url = \"http://h/v1\"")
        );
        assert_eq!(of("model_provider = \"ollama\"").settings(), ["model_provider=\"ollama\""]);
    }

    #[test]
    fn keys_of_own_arguments_are_found() {
        assert_eq!(variables_named_in("model_providers.m.env_key=\"MOCK_KEY\""), ["MOCK_KEY"]);
        assert_eq!(variables_named_in("model_providers.m={ env_key = 'K1', x = 1 }"), ["K1"]);
        assert!(variables_named_in("-c").is_empty());
    }
}
