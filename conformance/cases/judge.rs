//! The kinds of checks, each neutral to a hook's layout:
//! - `contains`, `absent`, `once`, `count` (`n`), `atleast` (`n`): `text` in `part`; `current`, `earlier`: in that part;
//! - `any` (`texts`): at least one of them; `order` (`texts`): one behind the other;
//! - `under` (`mark`, `text`): `mark` is the last mark before `text`, at most 800 characters and 12 lines before it;
//! - `near` (`mark`, `text`), `starts`, `ends`: at most 200 characters and three lines from the mark, from 【当前轮】, from the end;
//! - `images` (`text`, `n`): a line near `text` names images and the number; `lines` (`text`, `n`): at most `n` lines start so;
//! - `same`, `differs` (`case`): all behind the instruction, compared with another case of the file;
//! - `nowhere`: not in the prompt, the output, the log, the state; `silent`: no audit, no output.
use std::collections::BTreeMap;

use super::Seen;
use super::expectation::Spec;
use super::parts::{MARKS, Parts, is_short, lines_round, mark_before, n_line_starts, near, places};

/// What one check found.
pub(crate) struct Verdict {
    pub(crate) ok: bool,
    pub(crate) want: String,
    pub(crate) got: String,
}

/// Judges one check of a case. An error is a mistake in the expectation, not in the hook.
pub(crate) fn judge(spec: &Spec, seen: &Seen, all: &BTreeMap<&str, Seen>) -> Result<Verdict, String> {
    match spec.kind.as_str() {
        "silent" => Ok(silent(seen)),
        "nowhere" => nowhere(spec, seen),
        "same" | "differs" => compared(spec, seen, all),
        _ => {
            let text = part_of(spec, &Parts::of(&seen.prompt))?;
            let (ok, want) = of_text(spec, text)?;
            // Without a prompt nothing is absent from it: that would show nothing.
            let ok = ok && !seen.prompt.is_empty();
            let got = if seen.prompt.is_empty() {
                format!("no audit: {}", seen.run.seen())
            } else {
                text.to_owned()
            };
            Ok(Verdict { ok, want, got })
        }
    }
}

fn silent(seen: &Seen) -> Verdict {
    let ok = seen.prompt.is_empty() && seen.run.silent();
    let got = format!("{}, a prompt of {} characters", seen.run.seen(), seen.prompt.chars().count());
    Verdict { ok, want: "no audit, no output, exit 0".into(), got }
}

fn nowhere(spec: &Spec, seen: &Seen) -> Result<Verdict, String> {
    let wanted = text_of(spec)?;
    let everything = seen.left.clone() + &seen.prompt;
    let ok = !seen.prompt.is_empty() && !everything.contains(wanted);
    Ok(Verdict { ok, want: format!("no {wanted:?} anywhere"), got: everything })
}

fn compared(spec: &Spec, seen: &Seen, all: &BTreeMap<&str, Seen>) -> Result<Verdict, String> {
    let name = spec.case.as_deref().ok_or("it compares with no case")?;
    let other = all.get(name).ok_or(format!("there is no case {name:?}"))?;
    if std::ptr::eq(other, seen) {
        return Err("it compares a case with itself".into());
    }
    let own = Parts::of(&seen.prompt).all;
    let equal = Parts::of(&other.prompt).all == own;
    let ok = !seen.prompt.is_empty() && !other.prompt.is_empty() && equal == (spec.kind == "same");
    Ok(Verdict { ok, want: format!("{} as in the case {name:?}", spec.kind), got: own.to_owned() })
}

fn part_of<'a>(spec: &Spec, parts: &Parts<'a>) -> Result<&'a str, String> {
    let part = match spec.kind.as_str() {
        "current" | "starts" | "ends" | "images" => Some("current"),
        "earlier" => Some("earlier"),
        _ => spec.part.as_deref(),
    };
    match part {
        None => Ok(parts.all),
        Some("current") => Ok(parts.current),
        Some("earlier") => Ok(parts.earlier),
        Some(other) => Err(format!("there is no part {other:?}")),
    }
}

/// Whether the check holds in this part of the prompt, and what it wants.
fn of_text(spec: &Spec, text: &str) -> Result<(bool, String), String> {
    let n_places = || Ok::<_, String>(places(text, text_of(spec)?).len());
    Ok(match spec.kind.as_str() {
        "contains" | "current" | "earlier" => (n_places()? > 0, format!("contains {:?}", text_of(spec)?)),
        "absent" => (n_places()? == 0, format!("no {:?}", text_of(spec)?)),
        "once" => (n_places()? == 1, format!("{:?} once", text_of(spec)?)),
        "count" => (n_places()? == n_of(spec)?, format!("{:?} × {}", text_of(spec)?, n_of(spec)?)),
        "atleast" => (n_places()? >= n_of(spec)?, format!("{:?} × {} or more", text_of(spec)?, n_of(spec)?)),
        "any" => {
            let wanted = texts_of(spec)?;
            (wanted.iter().any(|one| text.contains(one)), format!("one of {wanted:?}"))
        }
        "order" => (in_order(text, texts_of(spec)?), format!("in this order: {:?}", texts_of(spec)?)),
        "near" => {
            let mark = spec.mark.as_deref().ok_or("near needs a mark")?;
            let (marks, texts) = (places(text, mark), places(text, text_of(spec)?));
            let ok = marks.iter().any(|one| texts.iter().any(|other| near(text, one, other)));
            (ok, format!("{mark} at most 200 characters and 3 lines from {:?}", text_of(spec)?))
        }
        "under" => {
            let mark = spec.mark.as_deref().filter(|mark| MARKS.contains(mark));
            let mark = mark.ok_or("under needs a mark of 4.30")?;
            let ok = places(text, text_of(spec)?)
                .iter()
                .any(|place| mark_before(&text[..place.start]) == Some(mark));
            (ok, format!("under {mark}: {:?}", text_of(spec)?))
        }
        "starts" => {
            let first = places(text, text_of(spec)?).into_iter().next();
            let ok = first.is_some_and(|place| is_short(&text[..place.start]));
            (ok, format!("the turn starts with {:?}", text_of(spec)?))
        }
        "ends" => {
            let last = places(text, text_of(spec)?).into_iter().next_back();
            let ok = last.is_some_and(|place| is_short(&text[place.end..]));
            (ok, format!("the turn ends with {:?}", text_of(spec)?))
        }
        "images" => {
            let n = n_of(spec)?;
            let mut lines =
                places(text, text_of(spec)?).into_iter().flat_map(|place| lines_round(text, &place));
            (lines.any(|line| counts_images(&line, n)), format!("{n} images near {:?}", text_of(spec)?))
        }
        "lines" => {
            let n_lines = n_line_starts(text, text_of(spec)?);
            let want = format!("at most {} lines that start with {:?}", n_of(spec)?, text_of(spec)?);
            (n_lines <= n_of(spec)?, want)
        }
        other => return Err(format!("there is no kind {other:?}")),
    })
}

fn text_of(spec: &Spec) -> Result<&str, String> {
    let text = spec.text.as_deref().filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("{} needs a text", spec.kind))
}

fn texts_of(spec: &Spec) -> Result<&[String], String> {
    let texts = spec.texts.as_deref().filter(|texts| texts.len() > 1);
    texts.ok_or_else(|| format!("{} needs two texts or more", spec.kind))
}

fn n_of(spec: &Spec) -> Result<usize, String> {
    spec.n.ok_or_else(|| format!("{} needs n", spec.kind))
}

fn in_order(text: &str, wanted: &[String]) -> bool {
    let mut from = 0;
    wanted.iter().all(|one| {
        let found = places(&text[from..], one).into_iter().next();
        from += found.as_ref().map_or(0, |place| place.end);
        found.is_some()
    })
}

/// Whether a line names images and this number of them, in digits or in Chinese.
fn counts_images(line: &str, n: usize) -> bool {
    let names = ["图", "image", "Image", "IMAGE"].iter().any(|word| line.contains(word));
    let digits = line.split(|c: char| !c.is_ascii_digit()).any(|number| number.parse() == Ok(n));
    let chinese = ["一", "二两", "三"].get(n.wrapping_sub(1));
    names && (digits || chinese.is_some_and(|signs| line.contains(|c| signs.contains(c))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parts::{CLOSING, CURRENT, EARLIER, INSTRUCTION};
    use super::*;
    use crate::kit::sandbox::Run;

    fn seen(earlier: &str, current: &str) -> Seen {
        let prompt = format!("{INSTRUCTION}\n\n{EARLIER}\n{earlier}\n{CURRENT}\n{current}\n\n{CLOSING}");
        let run = Run::ended("Stop", Some(0), "");
        Seen { prompt, run, left: "log".into() }
    }

    /// Each kind on a prompt that meets it and on one that does not: a kind that cannot fail shows nothing.
    #[test]
    fn every_kind_can_fail() {
        let good = "  the prompt\n  [图片 2 张]\n  first\n  〔后台结果〕 second\n  the end";
        let bad = "  x\n  x\n  x\n  x\n  x\n  second\n  x\n  x\n  x\n  x\n  first first\n  x\n  x\n  x\n  x";
        let far = format!("{bad}\n〔后台结果〕");
        let cases = [
            json!({"kind": "contains", "text": "the prompt"}),
            json!({"kind": "contains", "text": "first\n second"}),
            json!({"kind": "current", "text": "the prompt"}),
            json!({"kind": "earlier", "text": "before good"}),
            json!({"kind": "absent", "text": "x"}),
            json!({"kind": "nowhere", "text": "x"}),
            json!({"kind": "once", "text": "first"}),
            json!({"kind": "count", "text": "x", "n": 0}),
            json!({"kind": "atleast", "text": "prompt", "n": 1}),
            json!({"kind": "any", "texts": ["nothing", "the prompt"]}),
            json!({"kind": "order", "texts": ["first", "second"]}),
            json!({"kind": "near", "mark": "〔后台结果〕", "text": "second"}),
            json!({"kind": "under", "mark": "〔后台结果〕", "text": "second"}),
            json!({"kind": "starts", "text": "first"}),
            json!({"kind": "ends", "text": "second"}),
            json!({"kind": "images", "text": "the prompt", "n": 2}),
            json!({"kind": "lines", "text": "〔后台结果〕", "n": 0}),
            json!({"kind": "differs", "case": "twin"}),
        ];
        let mut all = BTreeMap::from([
            ("good", seen("before good", good)),
            ("bad", seen("before", &far)),
            ("twin", seen("before", &far)),
        ]);
        for mut case in cases {
            case["id"] = json!("4.1");
            case["what"] = json!("w");
            let spec: Spec = serde_json::from_value(case.clone()).unwrap();
            assert!(judge(&spec, &all["good"], &all).unwrap().ok, "{case} on the good one");
            assert!(!judge(&spec, &all["bad"], &all).unwrap().ok, "{case} on the bad one");
        }
        let same = json!({"id": "4.1", "what": "w", "kind": "same", "case": "twin"});
        let same: Spec = serde_json::from_value(same).unwrap();
        assert!(judge(&same, &all["bad"], &all).unwrap().ok && !judge(&same, &all["good"], &all).unwrap().ok);
        let silent: Spec =
            serde_json::from_value(json!({"id": "6.10", "what": "w", "kind": "silent"})).unwrap();
        assert!(!judge(&silent, &all["good"], &all).unwrap().ok);
        all.get_mut("bad").unwrap().prompt.clear();
        assert!(judge(&silent, &all["bad"], &all).unwrap().ok);
    }

    #[test]
    fn mistakes_are_errors() {
        let all = BTreeMap::from([("one", seen("a", "b"))]);
        for case in [
            json!({"kind": "contians", "text": "b"}),
            json!({"kind": "contains"}),
            json!({"kind": "contains", "text": ""}),
            json!({"kind": "contains", "text": "b", "part": "middle"}),
            json!({"kind": "count", "text": "b"}),
            json!({"kind": "order", "texts": ["b"]}),
            json!({"kind": "near", "text": "b"}),
            json!({"kind": "under", "mark": "〔后台〕", "text": "b"}),
            json!({"kind": "same", "case": "two"}),
            json!({"kind": "same", "case": "one"}),
        ] {
            let mut full = case.clone();
            full["id"] = json!("4.1");
            full["what"] = json!("w");
            let spec: Spec = serde_json::from_value(full).unwrap();
            assert!(judge(&spec, &all["one"], &all).is_err(), "{case}");
        }
    }
}
