//! JSON read in place: a value stays text until somebody asks for a part of it.
//!
//! Rows are long and mostly uninteresting, and their fields change type between client versions, so nothing here
//! is an error: a part that is missing or of another type is simply `None`.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// One JSON value as it stands in the text.
#[derive(Clone, Copy)]
pub struct Json<'a>(&'a str);

/// The fields of an object, in order; of two fields with one name the later counts, as in JavaScript.
pub struct Object<'a>(Vec<(Cow<'a, str>, Json<'a>)>);

impl<'a> Json<'a> {
    /// The value's text, unparsed.
    pub fn raw(self) -> &'a str {
        self.0
    }

    /// The fields, where this is an object.
    pub fn object(self) -> Option<Object<'a>> {
        if self.0.starts_with('{') { parse_object(self.0) } else { None }
    }

    /// The elements, where this is an array.
    pub fn array(self) -> Option<Vec<Json<'a>>> {
        if !self.0.starts_with('[') {
            return None;
        }
        serde_json::from_str::<Elements<'a>>(self.0).ok().map(|elements| elements.0)
    }

    /// The text, where this is a string.
    pub fn text(self) -> Option<String> {
        if self.0.starts_with('"') { serde_json::from_str(self.0).ok() } else { None }
    }

    /// Whether this is `true`.
    pub fn is_true(self) -> bool {
        self.0 == "true"
    }

    fn is_null(self) -> bool {
        self.0 == "null"
    }
}

impl<'a> Object<'a> {
    /// The field's value; `null` counts as missing.
    pub fn get(&self, name: &str) -> Option<Json<'a>> {
        let (_, value) = self.0.iter().rev().find(|(key, _)| key == name)?;
        if value.is_null() { None } else { Some(*value) }
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
    pub fn fields(&self) -> impl Iterator<Item = (&str, Json<'a>)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

/// Parses an object from text; `None` when it is not one whole object.
pub fn parse_object(text: &str) -> Option<Object<'_>> {
    serde_json::from_str::<Object<'_>>(text).ok()
}

/// Text made of bytes that may be damaged, such that most of it can still be parsed.
///
/// Bytes that are not UTF-8 and escaped halves of a surrogate pair become U+FFFD (facts, rule 3); a byte order
/// mark, NULs and carriage returns round the value are dropped.
pub fn mend(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_matches(['\u{feff}', '\0', '\r', '\n', ' ', '\t']).replace('\0', "");
    mend_surrogates(&text)
}

fn mend_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = match escape(from) {
            Escape::Half => {
                out.push_str("\\ufffd");
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
    /// An escaped surrogate without its other half.
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

struct Elements<'a>(Vec<Json<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementsVisitor;
        impl<'de> Visitor<'de> for ElementsVisitor {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(value) = seq.next_element::<&'de RawValue>()? {
                    elements.push(Json(value.get()));
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(ElementsVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(24);
                while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((key, Json(value.get())));
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// A field's name, borrowed unless it holds escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(name)))
            }
            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_and_a_pair_stays() {
        let mended = mend(br#"{"a":"x \ud83d y","b":"\ud83d\ude00","c":"\\ud83d","d":"\udc00"}"#);
        let object = parse_object(&mended).unwrap();
        assert_eq!(object.text("a").unwrap(), "x \u{fffd} y");
        assert_eq!(object.text("b").unwrap(), "😀");
        assert_eq!(object.text("c").unwrap(), "\\ud83d");
        assert_eq!(object.text("d").unwrap(), "\u{fffd}");
    }

    #[test]
    fn a_bom_nuls_and_carriage_returns_are_dropped() {
        let mended = mend(b"\xef\xbb\xbf\0\0{\"a\":1}\r");
        assert_eq!(parse_object(&mended).unwrap().get("a").unwrap().raw(), "1");
    }

    #[test]
    fn of_two_fields_with_one_name_the_later_counts() {
        assert_eq!(parse_object(r#"{"a":"1","a":"2"}"#).unwrap().text("a").unwrap(), "2");
    }
}
