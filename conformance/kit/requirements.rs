//! The sentences of the spec that this release delivers, by number. A requirement without a check fails the report,
//! and so does a check that cites none of these.

/// Who can show that a requirement is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Testable {
    /// Any hook, through stdin, stdout and its log.
    ByAnyone,
    /// Only ours, for this reason.
    OursOnly(&'static str),
    /// Only the real clients, in the target `clients`.
    WithClients,
}
use Testable::{ByAnyone, OursOnly, WithClients};

/// One sentence of the spec.
#[derive(Debug)]
pub(crate) struct Requirement {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) testable: Testable,
}

const fn anyone(id: &'static str, title: &'static str) -> Requirement {
    Requirement { id, title, testable: ByAnyone }
}

const fn ours(id: &'static str, title: &'static str, reason: &'static str) -> Requirement {
    Requirement { id, title, testable: OursOnly(reason) }
}

const fn clients(id: &'static str, title: &'static str) -> Requirement {
    Requirement { id, title, testable: WithClients }
}

const INSTALLER: &str = "a foreign hook has its own installer";
const OWN_VARIABLES: &str = "a foreign hook has its own variables";
const OWN_COMMANDS: &str = "a foreign hook has its own commands";

/// All of them, in the spec's order.
pub(crate) const REQUIREMENTS: &[Requirement] = &[
    anyone("1.1", "every Stop is audited by another vendor's model, which answers one line"),
    anyone("1.2", "thinking reaches nobody"),
    anyone("1.3", "FAIL sends Claude back; a turn is audited at most twice"),
    anyone("1.4", "NOTE holds nobody up and goes with the next message"),
    anyone("1.5", "when the auditor fails the turn goes through and the person is told"),
    clients("1.6", "the auditor gets text and gives text, nothing else"),
    anyone("1.7", "the auditor is never Claude's own vendor, and never audits itself"),
    clients("2.1", "check knows the flags of this Codex"),
    clients("2.2", "check knows its features; what it ignores is logged"),
    ours("2.3", "install looks at the auditor first", INSTALLER),
    clients("2.4", "check knows the rows of this client"),
    ours("2.5", "settings.json is backed up and only added to", INSTALLER),
    ours("3.1", "one file is installed and registered twice", INSTALLER),
    ours("3.2", "a second install changes nothing; other hooks stay", INSTALLER),
    ours("3.3", "a broken settings.json is refused and left alone", INSTALLER),
    ours("3.4", "the auditor gets at most 150 s, the hook is done before 180 s", INSTALLER),
    ours("3.5", "uninstall takes away what install added", INSTALLER),
    anyone("4.1", "where the current turn starts"),
    anyone("4.2", "slash commands that the model carries out are starts"),
    anyone("4.3", "provenance fields decide before the text does"),
    anyone("4.4", "the person's message is whole"),
    anyone("4.5", "every text that Claude said"),
    anyone("4.6", "every tool call's input, output and outcome"),
    anyone("4.7", "images as a count"),
    anyone("4.8", "what runs in the background is marked"),
    anyone("4.9", "notifications, mid-turn messages, other sessions, interrupts"),
    anyone("4.10", "option boxes with question, options and answer"),
    anyone("4.11", "the earlier block, then the response"),
    anyone("4.12", "a late last_assistant_message is added, once"),
    anyone("4.13", "main session only, live branch only, each row once"),
    anyone("4.14", "running background tasks of stdin are listed"),
    anyone("4.15", "keys of well-known shape are neither sent nor logged"),
    anyone("4.20", "earlier turns come first, oldest first"),
    anyone("4.21", "the previous turn as a short timeline"),
    anyone("4.22", "two more turns with a line an action and background results"),
    anyone("4.23", "older turns: words, counts, final reply"),
    anyone("4.30", "the marks are those of the instruction"),
    anyone("4.31", "about 60,000 characters, cut in the given order"),
    anyone("4.32", "the message and every tool call of this turn stay"),
    anyone("4.33", "a cut keeps head and tail and says exactly how much is gone"),
    anyone("4.34", "the final reply keeps 8,000; edits are cut least"),
    anyone("4.35", "no character is split, no mark forged"),
    anyone("4.36", "what goes first when not all fits"),
    anyone("4.37", "a cut keeps what the reply leans on, each gap with its own mark"),
    anyone("5.1", "the instruction is verbatim and first"),
    anyone("5.2", "the closing line is last"),
    anyone("5.3", "the second audit's block, after a first FAIL only"),
    anyone("6.1", "STOP_AUDITOR_CMD replaces the default"),
    anyone("6.2", "the default is codex exec in an empty directory"),
    anyone("6.3", "the last VERDICT line counts"),
    anyone("6.4", "what is the same turn"),
    anyone("6.5", "two audits a turn, one state file a session"),
    anyone("6.6", "PASS is silent"),
    anyone("6.7", "FAIL is the given JSON"),
    anyone("6.8", "NOTE is the given systemMessage, and is stored"),
    anyone("6.9", "errors are told and never block"),
    anyone("6.10", "nothing to audit: silence"),
    anyone("6.11", "exit code 2 never happens; any fault lets the turn through"),
    anyone("6.12", "keys are blotted out of error text"),
    anyone("6.13", "no text for the client reaches 10,000 characters"),
    anyone("6.14", "at the limit the auditor's whole group is ended"),
    anyone("6.15", "SIGTERM ends the auditor too"),
    anyone("7.1", "the newest five notes are kept"),
    anyone("7.2", "the person's next message gets them, once"),
    anyone("7.3", "a wake-up hands nothing on"),
    anyone("7.4", "no note is lost between two hooks"),
    anyone("8.1", "one line a Stop with all of its fields"),
    anyone("8.2", "the log can be moved and may fail"),
    anyone("8.3", "private files, whole lines"),
    anyone("9.1", "self-test: PASS"),
    anyone("9.2", "self-test: FAIL"),
    anyone("9.3", "self-test: three Stops of one turn"),
    anyone("9.4", "self-test: exit code, no verdict, time-out"),
    anyone("9.5", "self-test: NOTE and its hand-over"),
    anyone("9.6", "self-test: the prompt"),
    clients("9.7", "the real auditor is asked once and must fail the made-up turn"),
    clients("9.8", "a real session after the install is in the log"),
    anyone("9.9", "all in temporary directories"),
    ours("10.1", "install's hand-over", INSTALLER),
    ours("10.2", "the self-test command", INSTALLER),
    clients("H.4", "Codex makes of a hook's output what the tables of its contract say"),
    ours(
        "H.5",
        "registered with Codex the hook is silent and keeps nothing",
        "another hook may well audit Codex",
    ),
    ours("P.1", "contents of files that STOP_AUDITOR_IGNORE names are kept back", OWN_VARIABLES),
    ours("P.2", "old days of the log go on demand only", OWN_COMMANDS),
    clients("P.3", "the plugin is valid and runs, and check tells of two registrations"),
    ours("P.4", "version, completions and manual pages", OWN_COMMANDS),
];
