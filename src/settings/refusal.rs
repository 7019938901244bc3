//! Why a settings file is left as it is. Whoever reads this wants to know where, what, and what to do now.

use jsonc_parser::errors::ParseErrorKind;
use std::fmt;

/// A line and a column, both counted from 1; a column is a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place just behind these bytes, which are all that comes before it.
    pub(super) fn after(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let last = text.rsplit('\n').next().unwrap_or_default();
        Self { line: text.matches('\n').count() + 1, column: last.chars().count() + 1 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "第 {} 行第 {} 列", self.line, self.column)
    }
}

/// A fate of a settings file that ends without a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing but white space.
    Empty,
    /// Bytes that are no UTF-8.
    NotUtf8(Place),
    /// Not strict JSON (3.3); `what` says it in words.
    NotJson {
        /// Where.
        place: Place,
        /// What is there.
        what: String,
    },
    /// The same name twice in one object on the way to our entries: which of them counts is a guess.
    Duplicate {
        /// The name.
        name: String,
        /// Where it stands the second time.
        place: Place,
    },
    /// A value on the way to our entries that is no object or no array.
    WrongKind {
        /// The value, as `hooks.Stop`; empty for the whole file.
        path: String,
        /// What it must be: `对象` or `数组`.
        wants: &'static str,
        /// Where it begins.
        place: Place,
    },
    /// `env` holds another value under this name, and it is the person's.
    Taken {
        /// The variable.
        name: &'static str,
        /// The value as it is written there.
        value: String,
        /// Where.
        place: Place,
    },
    /// A fault of our own; nothing was written.
    Internal(&'static str),
}

impl Refusal {
    pub(super) fn not_json(place: Place, kind: &ParseErrorKind) -> Self {
        let what = match kind {
            ParseErrorKind::CommentsNotAllowed => "这里有注释".to_owned(),
            ParseErrorKind::TrailingCommasNotAllowed => "这里多一个逗号".to_owned(),
            ParseErrorKind::ExpectedComma => "这里少一个逗号".to_owned(),
            ParseErrorKind::SingleQuotedStringsNotAllowed => "这里用了单引号".to_owned(),
            ParseErrorKind::UnterminatedObject | ParseErrorKind::UnterminatedArray => {
                "这里的括号没有收尾".to_owned()
            }
            ParseErrorKind::MultipleRootJsonValues => "这里开始是第二个值".to_owned(),
            other => other.to_string(),
        };
        Self::NotJson { place, what }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                write!(f, "第 1 行第 1 列：文件是空的，不是合法 JSON。写成 {{}} 或删掉它，再来一次")
            }
            Self::NotUtf8(place) => write!(f, "{place}：不是 UTF-8"),
            Self::NotJson { place, what } => write!(
                f,
                "{place}：不是合法 JSON（{what}）。Claude Code 遇到这样的文件会整个不认，里面的 hook 一个都不跑；先改好它"
            ),
            Self::Duplicate { name, place } => {
                write!(f, "{place}：{name:?} 在同一个对象里出现了两次，说不准哪个算数；先留一个")
            }
            Self::WrongKind { path, wants, place } if path.is_empty() => {
                write!(f, "{place}：整个文件应当是一个{wants}")
            }
            Self::WrongKind { path, wants, place } => write!(f, "{place}：{path} 应当是{wants}"),
            Self::Taken { name, value, place } => {
                write!(f, "{place}：env.{name} 已经有值 {value}，不是安装程序写的；要换掉它，加 --force")
            }
            Self::Internal(what) => write!(f, "程序自己的错（{what}），请报告"),
        }
    }
}
