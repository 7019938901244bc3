//! Several hooks at one event, in the order of the configuration.
use super::Source::{Client, Facts, Study};
use super::{Channel, Effect, Event, GoesOn, Made, Run, Source, Status, says, specific, whole};

/// Several hooks, what each did, and the effect of them all.
#[derive(Debug, Clone)]
pub struct Several {
    /// Where they ran.
    pub event: Event,
    /// What they did, in a few words.
    pub form: &'static str,
    /// What each of them did.
    pub runs: Vec<Run>,
    /// What came of it.
    pub effect: Effect,
    /// Who says so.
    pub source: Source,
}

/// All rows about several hooks; the suite `clients` runs every one of them.
pub fn several() -> Vec<Several> {
    let mut rows = Vec::new();
    let mut add = |source, event, form, runs: &[Run], made| {
        rows.push(Several { event, form, runs: runs.to_vec(), effect: whole(event, made), source });
    };
    let block = |reason: &str| says(&format!(r#"{{"decision":"block","reason":"{reason}"}}"#));
    let stop = says(r#"{"continue":false,"stopReason":"S"}"#);
    let prompt = |reason: &str| format!("<hook_prompt hook_run_id=\"<id>\">{reason}</hook_prompt>");
    let by = |status, people: &[&str]| people.iter().fold(Made::new(status), |made, text| made.person(text));
    let blocked = |reason: &str, people: &[&str]| by(Status::Blocked { reason: reason.to_owned() }, people);

    let made = blocked("R1", &["R1", "R2"]).goes_on(GoesOn::TurnContinues);
    let made = made.model(Channel::User, &prompt("R1")).model(Channel::User, &prompt("R2"));
    add(Facts("8"), Event::Stop, "two blocks", &[block("R1"), block("R2")], made);
    let made = by(Status::Stopped { reason: Some("S".to_owned()) }, &["R", "S"]).goes_on(GoesOn::TurnEnds);
    add(Study("stop-beats-block"), Event::Stop, "block, then continue:false", &[block("R"), stop], made);
    let made = blocked("R", &["hook returned invalid stop hook JSON output", "R"]);
    let made = made.goes_on(GoesOn::TurnContinues).model(Channel::User, &prompt("R"));
    add(Client, Event::Stop, "a failure, then block", &[says("junk"), block("R")], made);

    let deny = |reason: &str| {
        let fields = format!(r#""permissionDecision":"deny","permissionDecisionReason":"{reason}""#);
        specific(Event::PreToolUse, &fields)
    };
    let change = r#""permissionDecision":"allow","updatedInput":{"command":"echo CHANGED"}"#;
    let change = specific(Event::PreToolUse, change);
    let text = |reason: &str| format!("Command blocked by PreToolUse hook: {reason}. Command: <command>");
    let refused = |reason: &str, people: &[&str]| {
        blocked(reason, people).goes_on(GoesOn::ToolRefused).model(Channel::ToolResult, &text(reason))
    };
    add(Client, Event::PreToolUse, "two denies", &[deny("R1"), deny("R2")], refused("R1", &["R1", "R2"]));
    add(Client, Event::PreToolUse, "updatedInput, then deny", &[change, deny("R")], refused("R", &["R"]));

    let leave = |fields: &str| specific(Event::PermissionRequest, &format!(r#""decision":{{{fields}}}"#));
    let allow = leave(r#""behavior":"allow""#);
    let deny = |reason: &str| leave(&format!(r#""behavior":"deny","message":"{reason}""#));
    let refused = |reason: &str, people: &[&str]| {
        let text = format!(r#"exec_command failed: CreateProcess {{ message: "Rejected(\"{reason}\")" }}"#);
        blocked(reason, people).goes_on(GoesOn::Refused).model(Channel::ToolResult, &text)
    };
    let event = Event::PermissionRequest;
    let source = Study("leave-deny-wins");
    add(source, event, "allow, then deny", &[allow.clone(), deny("R")], refused("R", &["R"]));
    add(source, event, "deny, then allow", &[deny("R"), allow.clone()], refused("R", &["R"]));
    add(Client, event, "two denies", &[deny("R1"), deny("R2")], refused("R1", &["R1", "R2"]));
    let allowed = |people: &[&str]| by(Status::Allowed, people).goes_on(GoesOn::AllowedOnce);
    add(source, event, "two allowances", &[allow.clone(), allow.clone()], allowed(&[]));
    let broken = "hook returned invalid permission-request JSON output";
    add(Client, event, "allow, then a failure", &[allow, says("{\"x")], allowed(&[broken]));
    rows
}
