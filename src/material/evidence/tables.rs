//! What counts as distinctive and what looks like a result: all the words and numbers of the selection.
//!
//! Weights are in thousandths of one vote.

/// One whole vote: a figure of three digits or more, an identifier, a word between quotation marks.
pub(super) const WHOLE: u32 = 1_000;

/// Figures of one and of two digits stand everywhere.
pub(super) const ONE_DIGIT: u32 = 150;
pub(super) const TWO_DIGITS: u32 = 400;

/// A figure with what it counts: `12 passed`, `3 个失败`, `exit code 1`.
pub(super) const COUNT: u32 = 900;
/// The most bytes from the figure to the end of the word behind it, and from the word to the figure behind it.
pub(super) const COUNT_AHEAD: usize = 24;
pub(super) const COUNT_BEHIND: usize = 8;
/// What does not stand between the two.
pub(super) const PHRASE_ENDS: [char; 12] =
    ['\n', ',', ';', '.', '!', '?', '，', '；', '、', '。', '！', '？'];

/// A word without a digit, an underscore or a capital inside, of at least [`PLAIN_MIN`] letters; shorter ones are too
/// common. One alone never earns a window.
pub(super) const PLAIN: u32 = 150;
pub(super) const PLAIN_MIN: usize = 5;

/// Two words side by side: joined by one of [`JOINTS`] or one of them a figure; both plain and not too short.
pub(super) const JOINED: u32 = 800;
pub(super) const SIDE_BY_SIDE: u32 = 250;
pub(super) const SIDE_MIN: usize = 4;

/// What joins words to a path, a file name, a version, a code, a place in a file.
pub(super) const JOINTS: [&str; 7] = [".", "/", "-", ":", "::", "@", "#"];

/// Three signs of a script without spaces; the same and two signs between quotation marks. A distinctive run holds several
/// of them.
pub(super) const THREE_SIGNS: u32 = 390;
pub(super) const QUOTED_TWO_SIGNS: u32 = 300;
pub(super) const QUOTED_THREE_SIGNS: u32 = 600;

/// Quotation marks, and the longest quotation in bytes.
pub(super) const QUOTES: [(char, char); 6] =
    [('`', '`'), ('"', '"'), ('“', '”'), ('「', '」'), ('『', '』'), ('《', '》')];
pub(super) const QUOTED_MAX: usize = 120;

/// What the person asked, beside what Claude says last: so many characters at the end of their message, where new
/// instructions stand (4.4). Before them there may be a paste, which asks nothing.
pub(super) const ASKED: u32 = 600;
pub(super) const ASKED_CHARS: usize = 1_000;

/// What each text of Claude's loses to the one behind it, and what none falls below.
pub(super) const FADE: usize = 20;
pub(super) const FADED: u32 = 800;

/// How many sentences that claim a token are remembered.
pub(super) const SENTENCES: usize = 6;

/// A weak token (see [`WEAK`]) in more sentences than this is common where it is claimed already.
pub(super) const CLAIMED_OFTEN: usize = 3;

/// A token that weighs less is not looked for.
pub(super) const LEAST: u32 = 100;

/// How many bytes of claims are looked at, the last said first.
pub(super) const CLAIMED_MAX: usize = 65_536;

/// A token in more places than this is common in this turn: it earns nothing, it only tells two places apart.
pub(super) const COMMON: u8 = 64;

/// Tokens that weigh less than this are weak: words and runs of signs that anybody may use. They count only where they are
/// rare, and all of a place together for no more than this much.
pub(super) const WEAK: u32 = 400;
pub(super) const WEAK_RARE: u8 = 8;
pub(super) const WEAK_MAX: u32 = 600;

/// For lighter tokens it is not asked which of several places is the best.
pub(super) const COMPANY_MIN: u32 = 300;

/// The least a place needs for a window, and for its entry to count as referred to.
pub(super) const ENOUGH: u32 = 310;

/// How often a token votes that stands in one place of the turn only. A plain word earns no window all the same.
pub(super) const ONCE: u32 = 2;
const _: () = assert!(PLAIN * ONCE < ENOUGH);

/// The least a place in what Claude did needs for a window: what was changed is cut last (4.34), so less is enough.
pub(super) const ENOUGH_DONE: u32 = 120;

/// Such a place whose tokens all went elsewhere weighs its company divided by this, and less than enough: it has a window
/// only where its text would have none.
pub(super) const MISSED: u32 = 64;

/// Windows of one entry at most.
pub(super) const WINDOWS: usize = 8;

/// A line of at most this many characters is shown whole; of a longer one, so much.
pub(super) const LINE: usize = 100;
pub(super) const STRETCH: usize = 80;

/// How many bytes before and behind a place on a longer line count as near it.
pub(super) const NEAR: usize = 96;

/// What one place on a longer line may span, in characters.
pub(super) const SPAN: usize = 48;

/// Results of one kind in no more texts than this make their entries count as referred to: one failure among many
/// successes is what a claim of success leans on.
pub(super) const RARE_RESULTS: usize = 8;

/// What a result looks like (words, two words side by side, two signs), and what it weighs: enough for a
/// window, less than what is claimed. Failures come first: a contradiction is told by them, and the first one of a text
/// counts beside the last.
pub(super) const FAILURE: usize = 0;
pub(super) const RESULTS: [(&[&str], u32); 3] = [
    (
        &[
            "error",
            "errors",
            "failed",
            "failure",
            "failures",
            "fatal",
            "panicked",
            "exception",
            "traceback",
            "denied",
            "aborted",
            "not found",
            "失败",
            "错误",
            "报错",
            "异常",
        ],
        360,
    ),
    (&["exit code", "exit status", "exited with", "退出码"], 355),
    (&["passed", "succeeded", "success", "通过", "成功"], 350),
];
