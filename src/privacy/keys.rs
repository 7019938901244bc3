//! Keys of well-known shape, found in a text (4.15): a vendor's prefix, a JWT, a private key in PEM.
//!
//! No guesses: `password=…` may be the very thing that is being judged. One pass over the text, whatever it holds.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use super::pem;

/// A key in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key<'a> {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What makes it the same key elsewhere: itself, save that a PEM block may be wrapped and set in otherwise.
    pub identity: Cow<'a, str>,
    /// Whether it is a marker that an earlier prompt or log has left of a key.
    pub is_marker: bool,
}

/// What follows a beginning.
#[derive(Debug, Clone, Copy)]
enum Rest {
    /// At least so many of these characters.
    Run(Alphabet, usize),
    /// [`Alphabet::Word`], with at least so many letters and digits in a row somewhere.
    Piece(usize),
    /// The rest of a JWT.
    Jwt,
    /// The rest of a PEM block.
    Pem,
    /// The rest of a marker that an earlier prompt or log has left, up to this.
    Until(&'static str),
}

/// The characters that a key is made of.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Letters and digits.
    Alnum,
    /// And `_`, `-`.
    Word,
    /// And `.`.
    Dotted,
    /// And `/`.
    Path,
    /// And `+`, `/`, `=`.
    Base64,
    /// Capital letters and digits.
    Upper,
}
use Alphabet::{Alnum, Base64, Dotted, Path, Upper, Word};
use Rest::{Jwt, Pem, Piece, Run, Until};

/// What keys begin with, by what their vendors publish (their own documents; most stand in GitHub's list of secret
/// scanning patterns). Of two that fit the first counts.
const SHAPES: &[(&[&str], Rest)] = &[
    (&["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-", "sk-lf-", "pk-lf-"], Run(Word, 16)),
    // The many that took over the shape, with a word of their own in between or without.
    (&["sk-"], Piece(20)),
    (&["sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_"], Run(Alnum, 10)),
    (&["whsec_"], Run(Base64, 24)),
    (&["ghp_", "gho_", "ghu_", "ghr_"], Run(Alnum, 16)),
    (&["ghs_"], Run(Dotted, 16)),
    (&["github_pat_"], Run(Word, 16)),
    (&["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glimt-"], Run(Dotted, 16)),
    (&["glagent-", "gloas-", "glsoat-", "glffct-"], Run(Dotted, 16)),
    (&["AKIA", "ASIA", "ABIA", "ACCA"], Run(Upper, 12)),
    (&["AIza", "GOCSPX-", "ya29."], Run(Word, 20)),
    (&["AQ.A"], Run(Word, 30)),
    (&["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"], Run(Word, 16)),
    (&["xoxe.xoxb-", "xoxe.xoxp-", "xapp-"], Run(Word, 16)),
    (&["hooks.slack.com/services/", "hooks.slack.com/workflows/"], Run(Path, 20)),
    (&["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Run(Path, 20)),
    (&["xai-", "npm_", "hf_", "gsk_"], Run(Alnum, 16)),
    (&["r8_", "pplx-", "csk-", "jina_"], Run(Alnum, 30)),
    (&["nvapi-"], Run(Word, 30)),
    (&["tvly-", "dckr_pat_", "dckr_oat_", "sb_secret_", "sq0atp-", "sq0csp-"], Run(Word, 20)),
    (&["lsv2_pt_", "lsv2_sk_", "glsa_", "figd_", "pscale_tkn_", "pscale_pw_"], Run(Word, 30)),
    (&["pypi-AgEI", "PMAK-", "CCIPAT_"], Run(Word, 40)),
    (&["dop_v1_", "doo_v1_", "dor_v1_", "rubygems_", "lin_api_", "ntn_", "sntryu_", "sbp_"], Run(Alnum, 32)),
    (&["shpat_", "shpca_", "shppa_", "shpss_", "dapi", "nfp_"], Run(Alnum, 32)),
    (&["hvs.", "hvb.", "hvr."], Run(Word, 24)),
    (&["SG."], Run(Dotted, 40)),
    (&["ATATT3x", "ATCTT3x", "sntrys_", "glc_eyJ", "ops_eyJ"], Run(Base64, 40)),
    (&["AGE-SECRET-KEY-1"], Run(Upper, 50)),
    (&["eyJ"], Jwt),
    (&[pem::BEGIN], Pem),
    // So that what an earlier prompt called its first key is not taken for the first of this one.
    (&[super::MARKER.0], Until(super::MARKER.1)),
];

type Shape = (&'static str, Rest);

/// What keys begin with, for a look at every byte of a text.
struct Beginnings {
    /// The shapes by their first byte.
    by_first: Vec<Vec<Shape>>,
    /// A bit for each first byte with each second one.
    pairs: Vec<u64>,
}

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| {
    let mut beginnings = Beginnings { by_first: vec![Vec::new(); 256], pairs: vec![0; 65_536 / 64] };
    for (begun, rest) in SHAPES {
        for beginning in *begun {
            let [first, second, ..] = beginning.as_bytes() else { continue };
            let (word, bit) = pair(*first, *second);
            if let Some(shapes) = beginnings.by_first.get_mut(usize::from(*first)) {
                shapes.push((*beginning, *rest));
            }
            if let Some(pairs) = beginnings.pairs.get_mut(word) {
                *pairs |= bit;
            }
        }
    }
    beginnings
});

impl Beginnings {
    /// The shapes that may begin with these two bytes.
    #[inline]
    fn of(&self, first: u8, second: u8) -> &[Shape] {
        let (word, bit) = pair(first, second);
        if self.pairs.get(word).is_none_or(|pairs| pairs & bit == 0) {
            return &[];
        }
        self.by_first.get(usize::from(first)).map(Vec::as_slice).unwrap_or_default()
    }
}

#[inline]
fn pair(first: u8, second: u8) -> (usize, u64) {
    let pair = usize::from(u16::from_be_bytes([first, second]));
    (pair / 64, 1 << (pair % 64))
}

/// The keys of a text, in order; none overlaps another.
pub fn find(text: &str) -> impl Iterator<Item = Key<'_>> {
    Finder { text, from: 0, no_piece_before: 0, no_jwt_before: 0 }
}

/// The text with each key replaced by what `told` makes of it, if anything.
pub fn replace(text: &str, mut told: impl FnMut(&Key<'_>) -> Option<String>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for key in find(text) {
        let Some(told) = told(&key) else { continue };
        out.push_str(text.get(copied..key.range.start).unwrap_or_default());
        out.push_str(&told);
        copied = key.range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Goes through a text once. What was looked at in vain is not looked at again from a place within it, so that no text
/// can be made to take longer than its length.
struct Finder<'t> {
    text: &'t str,
    from: usize,
    /// No [`Rest::Piece`] and no [`Rest::Jwt`] begins before these places.
    no_piece_before: usize,
    no_jwt_before: usize,
}

impl<'t> Iterator for Finder<'t> {
    type Item = Key<'t>;

    fn next(&mut self) -> Option<Key<'t>> {
        let bytes = self.text.as_bytes();
        let beginnings = &*BEGINNINGS;
        let pairs = bytes.get(self.from..)?.iter().zip(bytes.get(self.from + 1..).unwrap_or_default());
        for (offset, (first, second)) in pairs.enumerate() {
            let shapes = beginnings.of(*first, *second);
            if shapes.is_empty() {
                continue;
            }
            let (before, here) = bytes.split_at(self.from + offset);
            // Most bytes stand within a word; to see that costs less than to compare beginnings.
            if !begins_word(before) {
                continue;
            }
            let is_begun = |shape: &&Shape| here.starts_with(shape.0.as_bytes());
            let mut begun = shapes.iter().filter(is_begun);
            if let Some(key) = begun.find_map(|(beginning, rest)| self.key(before.len(), beginning, *rest)) {
                self.from = key.range.end;
                return Some(key);
            }
        }
        self.from = bytes.len();
        None
    }
}

impl<'t> Finder<'t> {
    fn key(&mut self, start: usize, beginning: &str, rest: Rest) -> Option<Key<'t>> {
        let behind_at = start + beginning.len();
        let behind = self.text.get(behind_at..)?;
        let length = match rest {
            Run(alphabet, at_least) => run(behind, alphabet).filter(|length| *length >= at_least),
            Piece(_) if start < self.no_piece_before => None,
            Piece(at_least) => {
                let length = n_of(Word, behind);
                let mut pieces = behind.get(..length)?.split(['-', '_']);
                let found = pieces.any(|piece| piece.len() >= at_least).then_some(length);
                self.no_piece_before = behind_at + length;
                found
            }
            Jwt if start < self.no_jwt_before => None,
            Jwt => {
                self.no_jwt_before = behind_at + n_of(Word, behind);
                jwt(behind)
            }
            Pem => pem::length(behind),
            Until(end) => {
                let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
                behind.get(digits..)?.starts_with(end).then_some(digits + end.len())
            }
        }?;
        let range = start..behind_at + length;
        let own = self.text.get(range.clone())?;
        let identity = match rest {
            Pem => Cow::Owned(pem::identity(own)),
            Run(..) | Piece(_) | Jwt | Until(_) => Cow::Borrowed(own),
        };
        Some(Key { range, identity, is_marker: matches!(rest, Until(_)) })
    }
}

/// Whether what follows these bytes begins a word. The letter of an escape (`\n`, `%3D`, `ESC [ 31 m`, `ESC [ 2 K`)
/// belongs to none.
fn begins_word(before: &[u8]) -> bool {
    let Some((last, rest)) = before.split_last() else { return true };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let is_escaped = matches!(last, b'n' | b'r' | b't') && rest.last() == Some(&b'\\');
    let is_percent = matches!(rest, [.., b'%', high] if high.is_ascii_hexdigit()) && last.is_ascii_hexdigit();
    is_escaped || is_percent || ends_in_codes(rest)
}

/// The numbers of a sequence that colours, moves or erases on a terminal; one letter more and it is whole.
fn ends_in_codes(before: &[u8]) -> bool {
    let codes = before.iter().rev().take_while(|byte| matches!(byte, b'0'..=b'?')).count();
    before.get(..before.len() - codes).is_some_and(|before| before.ends_with(b"\x1b["))
}

/// The characters of this kind at the beginning, where no other letter follows them. A full stop behind a key ends the
/// sentence.
fn run(text: &str, alphabet: Alphabet) -> Option<usize> {
    let length = n_of(alphabet, text);
    if text.as_bytes().get(length).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    Some(text.get(..length)?.trim_end_matches('.').len())
}

fn n_of(alphabet: Alphabet, text: &str) -> usize {
    text.bytes().take_while(|byte| alphabet.holds(*byte)).count()
}

/// Header, payload and signature behind the header's `eyJ`; five parts where it is encrypted. A payload begins like the
/// header, or there is a signature of some length.
fn jwt(text: &str) -> Option<usize> {
    let mut length = n_of(Word, text);
    let is_header = length >= 8;
    let mut is_jwt = false;
    for part in 1..5 {
        let Some(rest) = text.get(length..)?.strip_prefix('.') else { break };
        let n = n_of(Word, rest);
        is_jwt |= match part {
            1 => n >= 6 && rest.starts_with("eyJ"),
            _ => n >= 16,
        };
        length += 1 + n;
        // A full stop behind a key ends the sentence.
        if n == 0 && !text.get(length..)?.starts_with('.') {
            length -= 1;
            break;
        }
    }
    (is_header && is_jwt).then_some(length)
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        match self {
            Alnum => byte.is_ascii_alphanumeric(),
            Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Path => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/'),
            Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
            Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        }
    }
}

#[cfg(test)]
mod tests;
