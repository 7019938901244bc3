//! How long the person waits until a fault of the auditor is told: the default command beside the spec's bare one
//! (`scripts/fault-times`), and what each sends. One after the other, so that no run slows another down.
use std::env;
use std::time::Duration;

use super::codex::{bare, stop};
use super::codex_faults::{NO_HOST, broken_service, cut, too_many, wrong_key};
use super::codex_isolation::{prompt_of, tools_of};
use super::kit::event::Event;
use super::kit::sandbox::Sandbox;
use super::model::raw::{Manner, Raw, closed_port};
use super::model::responses::{Answer, Responses};

/// The variable for the hook's limit, in seconds, and what it is without it.
const LIMIT: &str = "FAULT_TIMES_LIMIT_S";
const LIMIT_S: u64 = 40;

/// Where the auditor's requests go.
enum Place {
    Nowhere(String),
    Model(Responses),
    Broken(Raw),
}

impl Place {
    fn url(&self) -> String {
        match self {
            Place::Nowhere(url) => url.clone(),
            Place::Model(model) => model.url(),
            Place::Broken(server) => server.url(),
        }
    }
}

fn answers(answer: Answer) -> Place {
    Place::Model(Responses::new(answer))
}

fn breaks(manner: Manner) -> Place {
    Place::Broken(Raw::new(manner))
}

/// A name, and what makes the place.
type Fault = (&'static str, fn() -> Place);

const FAULTS: &[Fault] = &[
    ("none: a PASS", || answers(Answer::Messages(&["VERDICT: PASS"]))),
    ("connection refused", || Place::Nowhere(format!("http://127.0.0.1:{}/v1", closed_port()))),
    ("host unknown", || Place::Nowhere(NO_HOST.to_owned())),
    ("401", || answers(wrong_key())),
    ("429", || answers(too_many(None))),
    ("429, retry-after 60", || answers(too_many(Some(60)))),
    ("500", || answers(broken_service())),
    ("stream cut", || breaks(cut())),
    ("silence after the headers", || breaks(Manner::HeadersThenSilence)),
    ("silence from the start", || breaks(Manner::Silence)),
];

#[test]
#[ignore = "scripts/fault-times runs it"]
fn table() {
    let limit_s = env::var(LIMIT).ok().and_then(|text| text.parse().ok()).unwrap_or(LIMIT_S);
    println!("{:26}{:>22}{:>22}", "fault", "default command", "bare command");
    for (name, place) in FAULTS {
        let default = time(&place(), None, limit_s);
        let place = place();
        let bare = time(&place, Some(&bare(&place.url())), limit_s);
        println!("{name:26}{default:>18}{bare:>18}");
    }
    println!("the hook from its start to its end, in seconds; its limit was {limit_s} s\n");
    let sandbox = Sandbox::with_two_turns();
    println!("request of the default command: {}", request(&sandbox, |url| stop(&sandbox, url)));
    println!(
        "request of the bare command: {}",
        request(&sandbox, |url| stop(&sandbox, url).auditor(&bare(url)))
    );
}

/// How large a request is, and what tools it offers.
fn request(sandbox: &Sandbox, event: impl FnOnce(&str) -> Event) -> String {
    let model = Responses::new(Answer::Messages(&["VERDICT: PASS"]));
    // A session of its own, or the second would be the same turn's second audit.
    let session_id = format!("{}-{}", sandbox.session_id(), model.url());
    event(&model.url()).set("session_id", session_id).run();
    let requests = model.requests();
    let n_bytes = requests.first().map_or(0, |request| request.body.len());
    let body = model.bodies().into_iter().next().unwrap_or_default();
    let n_of_prompt = prompt_of(&body).len();
    let tools = tools_of(&body);
    format!("{n_bytes} bytes, {n_of_prompt} of them our prompt; {} tools: {}", tools.len(), tools.join(", "))
}

/// What a Stop takes with this auditor, or with the default one.
fn time(place: &Place, command: Option<&str>, limit_s: u64) -> String {
    let sandbox = Sandbox::with_two_turns();
    let limit = limit_s.to_string();
    let mut event = stop(&sandbox, &place.url()).env("STOP_AUDITOR_TIMEOUT", &limit).patient();
    if let Some(command) = command {
        event = event.auditor(command);
    }
    let run = event.run();
    let is_at_the_limit = run.elapsed >= Duration::from_secs(limit_s);
    assert!(run.silent() || run.not_audited(), "a PASS, or the cause is told: {}", run.seen());
    format!("{}{:.2}", if is_at_the_limit { "at the limit, " } else { "" }, run.elapsed.as_secs_f64())
}
