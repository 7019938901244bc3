//! JSON read in place: a value stays bytes until somebody asks for a part of it.
//!
//! Rows are long, most of them do not matter, and those that do matter in a few fields; so values are skipped by
//! their quotes and brackets, and only strings that are asked for are decoded. Fields change type between client
//! versions and files get damaged, so nothing here is an error: what is missing or of another type is `None`.

use std::borrow::Cow;

/// One JSON value as it stands in the file.
#[derive(Clone, Copy)]
pub struct Json<'a>(&'a [u8]);

/// The fields of an object, in order; of two fields with one name the later counts, as in JavaScript.
pub struct Object<'a>(Vec<(Json<'a>, Json<'a>)>);

impl<'a> Json<'a> {
    /// The fields, where this is an object.
    pub fn object(self) -> Option<Object<'a>> {
        parse_object(self.0)
    }

    /// The elements, where this is an array.
    pub fn array(self) -> Option<Vec<Json<'a>>> {
        let mut reader = Reader { bytes: self.0, at: 0 };
        reader.expect(b'[')?;
        let mut elements = Vec::new();
        while reader.peek()? != b']' {
            elements.push(reader.value()?);
            reader.comma();
        }
        Some(elements)
    }

    /// The text, where this is a string. What cannot be decoded is mended first: bytes that are not UTF-8, raw
    /// control characters, escaped halves of surrogate pairs (facts, rule 3).
    pub fn text(self) -> Option<String> {
        if self.0.first() != Some(&b'"') {
            return None;
        }
        serde_json::from_slice(self.0).or_else(|_| serde_json::from_str(&mended(self.0))).ok()
    }

    /// At least the first `max` bytes of the text, where this is a string: for long texts of which only the
    /// beginning tells something.
    pub fn beginning(self, max: usize) -> Option<String> {
        let Some(head) = self.0.get(..max).filter(|head| head.first() == Some(&b'"') && max < self.0.len())
        else {
            return self.text();
        };
        // Neither an escape nor a character is cut in two: a pair of escaped surrogates is twelve bytes long, and
        // of a run of backslashes an even number stays.
        let late = head.len().saturating_sub(12).max(1);
        let end = head.iter().skip(late).position(|byte| *byte == b'\\').map_or(head.len(), |at| late + at);
        let head = head.get(..end)?;
        let backslashes = head.iter().rev().take_while(|byte| **byte == b'\\').count();
        let head = String::from_utf8_lossy(head.get(..end - backslashes % 2)?);
        Json(format!("{}\"", head.trim_end_matches('\u{fffd}')).as_bytes()).text()
    }

    /// The value's own JSON, strings among it undecoded.
    pub fn raw(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.0)
    }

    /// Whether this is the string `name`; names have no escapes unless somebody means harm.
    fn is_name(self, name: &str) -> bool {
        matches!(self.0, [b'"', inner @ .., b'"'] if inner == name.as_bytes())
    }

    /// Whether this is `true`.
    pub fn is_true(self) -> bool {
        self.0 == b"true"
    }
}

impl<'a> Object<'a> {
    /// The field's value; `null` counts as missing.
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        let (_, value) = self.0.iter().rev().find(|(key, _)| key.is_name(name))?;
        (value.0 != b"null").then_some(*value)
    }

    /// The field's text, where it is a string.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.text()
    }

    /// Whether the field is `true`.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(Json::is_true)
    }

    /// The field's own fields, where it is an object.
    pub fn object(&self, name: &str) -> Option<Object<'a>> {
        self.get(name)?.object()
    }

    /// The field's elements, where it is an array; else none.
    pub fn array(&self, name: &str) -> Vec<Json<'a>> {
        self.get(name).and_then(Json::array).unwrap_or_default()
    }

    /// All fields in the order of the text.
    pub fn fields(&self) -> impl Iterator<Item = (String, Json<'a>)> {
        self.0.iter().filter_map(|(name, value)| Some((name.text()?, *value)))
    }
}

/// Reads an object; `None` when it is not a whole one. A byte order mark, NULs and white space round it are passed
/// over.
pub fn parse_object(bytes: &[u8]) -> Option<Object<'_>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader = Reader { bytes, at: 0 };
    reader.expect(b'{')?;
    let mut fields = Vec::with_capacity(24);
    while reader.peek()? != b'}' {
        let name = reader.value().filter(|name| name.0.first() == Some(&b'"'))?;
        reader.expect(b':')?;
        fields.push((name, reader.value()?));
        reader.comma();
    }
    Some(Object(fields))
}

/// Walks over values without decoding them.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next byte that is no white space. NULs count as such: a crash leaves runs of them.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' | b'\0' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn comma(&mut self) {
        let _ = self.expect(b',');
    }

    fn value(&mut self) -> Option<Json<'a>> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_nested()?,
            _ => {
                let rest = self.bytes.get(start..)?;
                let ends = |byte: &u8| {
                    matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\r' | b'\n' | b'\0')
                };
                self.at = start + rest.iter().position(ends).filter(|length| *length > 0)?;
            }
        }
        self.bytes.get(start..self.at).map(Json)
    }

    /// Steps over a string, from its first quote to behind its last: the first one that no odd number of backslashes
    /// stands before.
    fn skip_string(&mut self) -> Option<()> {
        let start = self.at + 1;
        let mut from = start;
        loop {
            let quote = from + memchr::memchr(b'"', self.bytes.get(from..)?)?;
            let before = self.bytes.get(start..quote)?;
            let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
            from = quote + 1;
            if backslashes % 2 == 0 {
                self.at = from;
                return Some(());
            }
        }
    }

    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// The bytes of a string such that they can be decoded.
fn mended(string: &[u8]) -> String {
    let text = String::from_utf8_lossy(string);
    let text: String = text.chars().map(|c| if c.is_ascii_control() { ' ' } else { c }).collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = match escape(from) {
            Escape::Half => {
                out.push('\u{fffd}');
                6
            }
            Escape::Whole(length) => {
                out.push_str(from.get(..length).unwrap_or(from));
                length
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

enum Escape {
    /// An escaped surrogate without its other half: six bytes.
    Half,
    /// Anything else that begins with a backslash, and its length in bytes.
    Whole(usize),
}

fn escape(text: &str) -> Escape {
    let Some(unit) = unit(text) else {
        // A backslash and the character it escapes, which may be of more than one byte.
        return Escape::Whole(text.chars().take(2).map(char::len_utf8).sum());
    };
    match unit {
        0xD800..=0xDBFF => match text.get(6..).and_then(self::unit) {
            Some(0xDC00..=0xDFFF) => Escape::Whole(12),
            _ => Escape::Half,
        },
        0xDC00..=0xDFFF => Escape::Half,
        _ => Escape::Whole(6),
    }
}

fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::FileFailurePersistence;
    use serde_json::Value;

    fn value(json: Json<'_>) -> Value {
        if let Some(object) = json.object() {
            return object.fields().map(|(key, inner)| (key, value(inner))).collect();
        }
        if let Some(array) = json.array() {
            return array.into_iter().map(value).collect();
        }
        json.text().map_or_else(|| serde_json::from_str(&json.raw()).unwrap(), Value::String)
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::from),
            r#"["\\\\{}\[\],: a-z字😀\n\u{0}]{0,12}"#.prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                prop::collection::btree_map(r#"["\\a-c字]{0,3}"#, inner, 0..5)
                    .prop_map(|map| map.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        // Found cases become tests by name.
        #![proptest_config(ProptestConfig::with_failure_persistence(FileFailurePersistence::Off))]

        #[test]
        fn what_is_read_in_place_is_what_a_parser_reads(wanted in any_value(), pretty: bool) {
            let object = serde_json::json!({ "x": wanted });
            let text = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
            let text = text.unwrap();
            let read = parse_object(text.as_bytes()).unwrap();
            prop_assert_eq!(value(read.fields().next().unwrap().1), wanted);
            // A row that is cut off is no row.
            for end in text.char_indices().map(|(at, _)| at) {
                prop_assert!(parse_object(&text.as_bytes()[..end]).is_none());
            }
        }

        #[test]
        fn a_beginning_is_the_beginning(text in r#"["\\a字😀\n]{0,60}"#, max in 2_usize..80) {
            let json = serde_json::to_string(&text).unwrap();
            let beginning = Json(json.as_bytes()).beginning(max).unwrap();
            prop_assert!(text.starts_with(&beginning), "{beginning:?}");
        }
    }

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_and_a_pair_stays() {
        let row = br#"{"a":"x \ud83d y","b":"\ud83d\ude00","c":"\\ud83d","d":"\udc00","e":"\ud83d\ude00\ud83d\u0041"}"#;
        let object = parse_object(row).unwrap();
        assert_eq!(object.text("a").unwrap(), "x \u{fffd} y");
        assert_eq!(object.text("b").unwrap(), "😀");
        assert_eq!(object.text("c").unwrap(), "\\ud83d");
        assert_eq!(object.text("d").unwrap(), "\u{fffd}");
        assert_eq!(object.text("e").unwrap(), "😀\u{fffd}A");
    }

    #[test]
    fn a_beginning_ends_before_an_escape_that_it_would_cut() {
        let plain = |n: usize| "x".repeat(n);
        for (json, max, wanted) in [
            // With its quote the beginning is as long as it may be.
            (format!("\"{}\"", plain(50)), 30, plain(29)),
            (format!("\"{}\"", plain(50)), 51, plain(50)),
            (format!("\"{}\"", plain(50)), 52, plain(50)),
            (format!("\"{}\"", plain(50)), 53, plain(50)),
            // An escape in the last twelve bytes may be the first half of a pair.
            (format!(r#""{}\n{}""#, plain(16), plain(50)), 30, format!("{}\n{}", plain(16), plain(11))),
            (format!(r#""{}\n{}""#, plain(17), plain(50)), 30, plain(17)),
            (format!(r#""{}\n{}""#, plain(28), plain(50)), 30, plain(28)),
            (format!(r#""{}\ud83d\ude00{}""#, plain(20), plain(50)), 30, plain(20)),
            // Of a run of backslashes an even number stays: five, and eleven, stand before the last twelve bytes.
            (format!(r#""{}""#, r"\\".repeat(20)), 18, r"\".repeat(2)),
            (format!(r#""{}""#, r"\\".repeat(20)), 24, r"\".repeat(5)),
            (format!("\"{}\"", "字".repeat(20)), 30, "字".repeat(9)),
        ] {
            assert_eq!(Json(json.as_bytes()).beginning(max), Some(wanted), "{json}, {max}");
        }
        assert_eq!(Json(b"12345678901234567890").beginning(15), None);
    }

    #[test]
    fn a_field_without_a_value_is_no_whole_row_and_a_value_ends_with_its_line() {
        assert!(parse_object(br#"{"a":,"b":1}"#).is_none());
        assert!(parse_object(br#"{"a":[,1]}"#).unwrap().get("a").unwrap().array().is_none());
        let object = parse_object(b"{\n\"a\": true,\n\"b\": null,\n\"c\": [\n1\n],\n\"d\": true\n}").unwrap();
        assert!(object.flag("a") && object.flag("d") && object.get("b").is_none());
        assert!(parse_object(b"{\"a\": null\n}").unwrap().get("a").is_none());
        assert_eq!(object.array("c").iter().map(|element| element.raw()).collect::<Vec<_>>(), ["1"]);
    }

    #[test]
    fn damage_costs_what_it_hits_and_no_more() {
        let row = b"\xef\xbb\xbf\0\0{\"a\":\"x\xff\0y\",\0\"b\":1}\r";
        let object = parse_object(row).unwrap();
        assert_eq!(object.text("a").unwrap(), "x\u{fffd} y");
        assert_eq!(object.get("b").unwrap().raw(), "1");
    }

    #[test]
    fn of_two_fields_with_one_name_the_later_counts() {
        assert_eq!(parse_object(br#"{"a":"1","a":"2"}"#).unwrap().text("a").unwrap(), "2");
    }
}
