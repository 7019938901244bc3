//! A strict JSON text that is edited by splicing: what is not edited keeps its bytes, and removing what was
//! added last gives the old text back. `jsonc-parser`'s own editing reflows a one-line file, so only its ranges
//! are used here.

use super::refusal::{Place, Refusal};
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter};
use std::collections::HashSet;
use std::io;
use std::ops::Range;

const BOM: &str = "\u{feff}";
/// Nothing but what JSON has: the client drops a file with anything more.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// One step on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into the property of an object.
    Key(&'a str),
    /// Into the element of an array, counted from 0.
    At(usize),
}

/// A value and the bytes that it takes in the text.
#[derive(Debug, Clone)]
pub struct Node {
    range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// What a value is, as far as settings need it.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are JSON's own")]
pub enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    Number(String),
    Bool(bool),
    Null,
}

/// A property: its name, the bytes from name to value, and the value.
#[derive(Debug, Clone)]
pub struct Member {
    /// The name, escapes undone.
    pub name: String,
    range: Range<usize>,
    /// The value.
    pub value: Node,
}

/// The text and its tree, which always belong together.
#[derive(Debug, Clone)]
pub struct Document {
    has_bom: bool,
    text: String,
    root: Node,
}

impl Document {
    /// Reads a file's bytes. Refused with line and column: what is not UTF-8, and whatever strict JSON has not.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Refusal::NotUtf8(Place::after(bytes.get(..error.valid_up_to()).unwrap_or(bytes)))
        })?;
        let stripped = text.strip_prefix(BOM);
        let text = stripped.unwrap_or(text).to_owned();
        let root = tree(&text)?;
        Ok(Self { has_bom: stripped.is_some(), text, root })
    }

    /// The bytes to write.
    pub fn to_bytes(&self) -> Vec<u8> {
        let bom = if self.has_bom { BOM } else { "" };
        format!("{bom}{}", self.text).into_bytes()
    }

    /// The outermost value.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The value at a path. Of a name that stands twice the last counts, as it does for the client.
    pub fn get(&self, path: &[Step]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, step| match (step, &node.kind) {
            (Step::Key(name), Kind::Object(members)) => {
                members.iter().rfind(|member| member.name == *name).map(|member| &member.value)
            }
            (Step::At(index), Kind::Array(elements)) => elements.get(*index),
            _ => None,
        })
    }

    /// The string at a path.
    pub fn string(&self, path: &[Step]) -> Option<&str> {
        match &self.get(path)?.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// A value as it is written.
    pub fn raw(&self, node: &Node) -> &str {
        self.text.get(node.range.clone()).unwrap_or_default()
    }

    /// Line and column where a value begins.
    pub fn place(&self, node: &Node) -> Place {
        Place::after(self.text.get(..node.range.start).unwrap_or_default().as_bytes())
    }

    /// The first name that stands twice in the object at the path, and where the second one is.
    pub fn duplicate(&self, path: &[Step]) -> Option<(String, Place)> {
        let Kind::Object(members) = &self.get(path)?.kind else { return None };
        let mut seen = HashSet::new();
        let twice = members.iter().find(|member| !seen.insert(member.name.as_str()))?;
        let before = self.text.get(..twice.range.start).unwrap_or_default();
        Some((twice.name.clone(), Place::after(before.as_bytes())))
    }

    /// Adds a property at the end of the object at the path, laid out as its neighbours are.
    pub fn add(&mut self, path: &[Step], name: &str, value: &Value) -> Result<(), Refusal> {
        self.append(path, Some(name), value)
    }

    /// Adds an element at the end of the array at the path.
    pub fn push(&mut self, path: &[Step], value: &Value) -> Result<(), Refusal> {
        self.append(path, None, value)
    }

    fn append(&mut self, path: &[Step], name: Option<&str>, value: &Value) -> Result<(), Refusal> {
        let node = self.get(path).ok_or(Refusal::Internal("no container at the path"))?;
        let (at, item) = match children(node).last() {
            Some(last) => (last.end..last.end, self.next_item(node, name, value)?),
            None => (node.range.start + 1..node.range.end - 1, self.first_item(node, name, value)?),
        };
        self.splice(at, &item)
    }

    /// `,` and an item that looks like the ones before it.
    fn next_item(&self, node: &Node, name: Option<&str>, value: &Value) -> Result<String, Refusal> {
        let between = self.separator(node);
        let is_multiline = self.raw(node).contains('\n');
        let indent = match between.rsplit_once('\n') {
            Some((_, indent)) => indent,
            None => self.line_indent(node.range.start),
        };
        Ok(format!(",{between}{}", self.item(name, value, is_multiline.then_some(indent))?))
    }

    /// The white space that neighbours have before them.
    fn separator(&self, node: &Node) -> String {
        let children = children(node);
        let slice = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let [first, rest @ ..] = children.as_slice() else { return String::new() };
        let lead = slice(node.range.start..first.start);
        if let Some((_, indent)) = lead.rsplit_once('\n') {
            return format!("{}{indent}", self.newline());
        }
        match rest.split_last() {
            Some((last, before)) => {
                let previous = before.last().unwrap_or(first);
                slice(previous.end..last.start).trim_start().trim_start_matches(',').to_owned()
            }
            None if self.is_spaced() => " ".to_owned(),
            None => String::new(),
        }
    }

    /// The only item of a container that was empty, with the white space round it.
    fn first_item(&self, node: &Node, name: Option<&str>, value: &Value) -> Result<String, Refusal> {
        let is_root = node.range == self.root.range;
        if !is_root && !self.raw(&self.root).contains('\n') {
            return self.item(name, value, None);
        }
        let outer = self.line_indent(node.range.start);
        let inner = format!("{outer}{}", self.unit());
        let newline = self.newline();
        Ok(format!("{newline}{inner}{}{newline}{outer}", self.item(name, value, Some(&inner))?))
    }

    /// A property or an element: over several lines at the given indent, or on one line.
    fn item(&self, name: Option<&str>, value: &Value, indent: Option<&str>) -> Result<String, Refusal> {
        let written = match indent {
            Some(indent) => {
                let unit = self.unit();
                let pretty = written(value, PrettyFormatter::with_indent(unit.as_bytes()))?;
                pretty.replace('\n', &format!("{}{indent}", self.newline()))
            }
            None if self.is_spaced() => spaced(value)?,
            None => value.to_string(),
        };
        let colon = if indent.is_some() || self.is_spaced() { ": " } else { ":" };
        Ok(match name {
            Some(name) => format!("{}{colon}{written}", Value::from(name)),
            None => written,
        })
    }

    /// Takes out the value at the path, with its comma and the white space before it.
    pub fn remove(&mut self, path: &[Step]) -> Result<(), Refusal> {
        let missing = Refusal::Internal("nothing to remove at the path");
        let Some((step, parent)) = path.split_last() else { return Err(missing) };
        let Some(parent) = self.get(parent) else { return Err(missing) };
        let index = match (step, &parent.kind) {
            (Step::Key(name), Kind::Object(members)) => {
                members.iter().rposition(|member| member.name == *name)
            }
            (Step::At(index), Kind::Array(_)) => Some(*index),
            _ => None,
        };
        let children = children(parent);
        let Some((index, own)) = index.and_then(|index| Some((index, children.get(index)?))) else {
            return Err(missing);
        };
        let before = index.checked_sub(1).and_then(|at| children.get(at));
        let range = match (before, children.get(index + 1)) {
            (Some(before), _) => before.end..own.end,
            (None, Some(after)) => own.start..after.start,
            (None, None) => parent.range.start + 1..parent.range.end - 1,
        };
        self.splice(range, "")
    }

    /// Puts other JSON in the place of the value at the path.
    pub fn replace(&mut self, path: &[Step], json: &str) -> Result<(), Refusal> {
        let node = self.get(path).ok_or(Refusal::Internal("nothing to replace at the path"))?;
        self.splice(node.range.clone(), json)
    }

    fn splice(&mut self, range: Range<usize>, new: &str) -> Result<(), Refusal> {
        let (Some(head), Some(tail)) = (self.text.get(..range.start), self.text.get(range.end..)) else {
            return Err(Refusal::Internal("an edit outside the text"));
        };
        let text = format!("{head}{new}{tail}");
        self.root = tree(&text).map_err(|_| Refusal::Internal("the edited text is no JSON"))?;
        self.text = text;
        Ok(())
    }

    /// Whether one-line values have a space behind `:` and `,` here.
    fn is_spaced(&self) -> bool {
        self.text.contains("\": ")
    }

    fn newline(&self) -> &'static str {
        let first = self.text.split_inclusive('\n').next().unwrap_or_default();
        if first.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// One level of indent, as the outermost object has it.
    fn unit(&self) -> String {
        let lead = children(&self.root)
            .first()
            .and_then(|first| self.text.get(self.root.range.start..first.start))
            .and_then(|lead| lead.rsplit_once('\n'));
        lead.map_or("  ", |(_, indent)| indent).to_owned()
    }

    /// The white space at the start of the line that holds this byte.
    fn line_indent(&self, at: usize) -> &str {
        let line = self.text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
    }
}

/// One line with a space behind each `:` and `,`.
fn spaced(value: &Value) -> Result<String, Refusal> {
    struct Spaced;
    impl Formatter for Spaced {
        fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
            if first { Ok(()) } else { out.write_all(b", ") }
        }
        fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
            if first { Ok(()) } else { out.write_all(b", ") }
        }
        fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
            out.write_all(b": ")
        }
    }
    written(value, Spaced)
}

fn written(value: &Value, formatter: impl Formatter) -> Result<String, Refusal> {
    let mut out = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut out, formatter))
        .map_err(|_| Refusal::Internal("a value that cannot be written"))?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn children(node: &Node) -> Vec<Range<usize>> {
    match &node.kind {
        Kind::Object(members) => members.iter().map(|member| member.range.clone()).collect(),
        Kind::Array(elements) => elements.iter().map(|element| element.range.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Two parsers must agree: `jsonc-parser` gives the ranges and says what is wrong, `serde_json` is the stricter.
fn tree(text: &str) -> Result<Node, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|error| {
        Refusal::not_json(Place { line: error.line_display(), column: error.column_display() }, error.kind())
    })?;
    serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| {
        let place = Place { line: error.line(), column: error.column() };
        Refusal::NotJson { place, what: error.to_string() }
    })?;
    parsed.value.as_ref().map(node).ok_or(Refusal::Empty)
}

fn node(value: &Ast) -> Node {
    let span = |ranged: &dyn Ranged| ranged.start()..ranged.end();
    let kind = match value {
        Ast::Object(object) => Kind::Object(
            object
                .properties
                .iter()
                .map(|property| Member {
                    name: property.name.as_str().to_owned(),
                    range: span(property),
                    value: node(&property.value),
                })
                .collect(),
        ),
        Ast::Array(array) => Kind::Array(array.elements.iter().map(node).collect()),
        Ast::StringLit(string) => Kind::String(string.value.clone().into_owned()),
        Ast::NumberLit(number) => Kind::Number(number.value.to_owned()),
        Ast::BooleanLit(boolean) => Kind::Bool(boolean.value),
        Ast::NullKeyword(_) => Kind::Null,
    };
    Node { range: span(value), kind }
}
