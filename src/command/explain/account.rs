//! The account of a whole file: every handler with its standing, and what only shows when two are seen together.
//! Pure: file, host and machine are given.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::host::Host;
use super::mistakes::{self, Machine};
use super::program;
use super::registration::{Entry, Place, Registered, entries};
use super::standing::{self, Standing};
use super::words;
use crate::command::check::Finding;
use crate::hosts::life_cycle::Matcher;

/// One entry of the file, explained.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Account {
    /// Where it stands.
    pub(super) place: String,
    /// Its type and what it runs.
    pub(super) handler: String,
    /// How far it gets with the host.
    pub(super) reached: Reached,
    /// What it can change and what its failures do; empty for one that is not run.
    pub(super) contract: Vec<(&'static str, String)>,
    /// What is wrong with it.
    pub(super) findings: Vec<Finding>,
    /// Whether the host's parser stops here, and with it everything else in the file.
    #[serde(skip)]
    stops_the_parser: bool,
}

/// How far an entry gets with the host: three tables, each narrower than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reached {
    /// Its names are not known, or it is no handler at all.
    Nothing,
    /// Its names are known.
    Recognised,
    /// Its shape is taken too.
    Parsed,
    /// It is run.
    Run,
}

impl Account {
    fn not_run(place: &Place, handler: String, reached: Reached, finding: Finding) -> Self {
        Account {
            place: place.to_string(),
            handler,
            reached,
            contract: Vec::new(),
            findings: vec![finding],
            stops_the_parser: false,
        }
    }

    /// Codex drops the whole file for one entry that it cannot parse; Claude Code drops the entry.
    fn at_the_parser(self, host: Host) -> Self {
        Account { stops_the_parser: host == Host::Codex, ..self }
    }

    /// Whether it would not do what its shape promises.
    pub(super) fn is_broken(&self) -> bool {
        self.findings.iter().any(Finding::is_problem)
    }
}

/// Explains every entry, in the file's order.
pub(super) fn of(host: Host, settings: &Value, machine: &dyn Machine) -> Vec<Account> {
    let switched_off =
        host == Host::ClaudeCode && settings.get("disableAllHooks") == Some(&Value::Bool(true));
    let entries = entries(settings);
    let mut accounts: Vec<Account> =
        entries.iter().map(|entry| explain(host, entry, switched_off, machine)).collect();
    for (n, finding) in repeated(host, &entries) {
        if let Some(account) = accounts.get_mut(n).filter(|account| account.reached == Reached::Run) {
            account.findings.push(finding);
        }
    }
    accounts.extend(strange_at_the_top(host, settings));
    drop_the_rest(&mut accounts);
    accounts
}

fn explain(host: Host, entry: &Entry<'_>, switched_off: bool, machine: &dyn Machine) -> Account {
    let handler = match entry {
        Entry::Handler(handler) => handler,
        Entry::Misshapen { place, wanted, is_empty_group } => {
            let finding = Finding::problem("形状", format!("这里要{wanted}，这一段被丢掉"), "照这个形状写");
            let account = Account::not_run(place, String::new(), Reached::Nothing, finding);
            // What stands at an event that Codex does not know is not looked at.
            let is_read = host.point(&place.event).is_some() || place.event == "hooks";
            return if *is_empty_group || !is_read { account } else { account.at_the_parser(host) };
        }
    };
    let not_run = |reached, about, why, advice| {
        Account::not_run(&handler.place, handler.summary(), reached, Finding::problem(about, why, advice))
    };
    match standing::of(host, handler, switched_off) {
        Standing::UnknownEvent(why) => not_run(Reached::Nothing, "认不得", why, "改对名字"),
        Standing::UnknownType(why) => {
            not_run(Reached::Nothing, "认不得", why, "改对名字").at_the_parser(host)
        }
        Standing::NotParsed(why) => {
            not_run(Reached::Recognised, "解析不过", why, "补上或改对这一项").at_the_parser(host)
        }
        Standing::NotRun(why) => {
            not_run(Reached::Parsed, "不会跑", why, "换成这个宿主在这里会跑的写法，或者删掉")
        }
        Standing::Runs { point, kind } => Account {
            place: handler.place.to_string(),
            handler: handler.summary(),
            reached: Reached::Run,
            contract: vec![
                ("能改", words::can_change(point, kind).to_owned()),
                ("崩溃", words::on_crash(host, point, kind)),
                ("超时", words::on_time_out(host, point, mistakes::limit_s(handler, point, kind))),
                ("沉默", words::on_silence(point).to_owned()),
            ],
            findings: mistakes::of(host, handler, point, kind, machine),
            stops_the_parser: false,
        },
    }
}

/// The second and later places of a command that stands at one event, for the same occurrences, more than once.
fn repeated(host: Host, entries: &[Entry<'_>]) -> Vec<(usize, Finding)> {
    let mut first: BTreeMap<(&str, String, Vec<String>), (&Registered<'_>, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (n, entry) in entries.iter().enumerate() {
        let Entry::Handler(handler) = entry else { continue };
        let (Some(command), Some(point)) = (handler.command(), host.point(&handler.place.event)) else {
            continue;
        };
        let matcher = match point.matcher {
            Matcher::Ignored => String::new(),
            Matcher::Tools | Matcher::Values => handler.matcher.map(Value::to_string).unwrap_or_default(),
        };
        let words = program::split(command).unwrap_or_else(|| vec![command.to_owned()]);
        let key = (handler.place.event.as_str(), matcher, words);
        match first.get(&key) {
            None => {
                first.insert(key, (handler, command));
            }
            Some((earlier, same)) => {
                // Claude Code 2.1.332 runs one of several handlers with the same command text, whatever their limits.
                let said = if host == Host::ClaudeCode && *same == command {
                    format!("和{}是同一条命令：宿主只跑一次", earlier.place)
                } else {
                    format!("和{}是同一个程序：每次跑两遍", earlier.place)
                };
                found.push((n, Finding::problem("重复", said, "删掉一条")));
            }
        }
    }
    found
}

/// Codex reads a file with these two keys and no other: a `settings.json` of Claude Code is dropped whole.
fn strange_at_the_top(host: Host, settings: &Value) -> Option<Account> {
    let mut keys = settings.as_object().filter(|_| host == Host::Codex)?.keys();
    let key = keys.find(|key| !matches!(key.as_str(), "description" | "hooks"))?;
    let place = Place { event: key.clone(), group: None, handler: None };
    let said = "最外层只能有 description 和 hooks";
    let finding = Finding::problem("形状", said, "把它挪走");
    Some(Account::not_run(&place, String::new(), Reached::Nothing, finding).at_the_parser(host))
}

/// What runs in a file that the host's parser gives up on: nothing.
fn drop_the_rest(accounts: &mut [Account]) {
    let Some(place) =
        accounts.iter().find(|account| account.stops_the_parser).map(|account| account.place.clone())
    else {
        return;
    };
    for account in accounts.iter_mut().filter(|account| account.reached == Reached::Run) {
        account.reached = Reached::Parsed;
        account.contract.clear();
        let said = format!("{place} 解析不过，这个宿主就把整份文件都丢掉");
        account.findings.push(Finding::problem("不会跑", said, "先改好那一处"));
    }
}
