//! What a cut keeps, on generated turns (4.37): the same every time, exact, at most eight windows a text, and never less
//! with more room.
use std::collections::BTreeSet;
use std::io::Write as _;

use proptest::prelude::*;
use serde_json::json;
use stop_auditor::material::fit::{self, Between};
use stop_auditor::prompt;
use stop_auditor::transcript::session::{self, Session};

use crate::kit::check::checks;
use crate::kit::generated;
use crate::kit::rows::Rows;
use crate::prompt::cuts::follow_from;

/// Some characters at the beginning of a text tell which it is.
const HEAD: usize = 12;

/// Windows of one text at most; each stands behind a mark, and the tail behind one more.
const MARKS: usize = 8 + 1;

/// What a turn is made of: texts with facts at some of their places, by kind, length in pieces, and places in per mille;
/// and every how manieth fact the reply names.
type Made = (Vec<(u8, usize, Vec<usize>)>, usize);

fn made() -> impl Strategy<Value = Made> {
    let length = prop_oneof![2 => 1..40_usize, 3 => 40..900_usize];
    let text = (0..5_u8, length, prop::collection::vec(0..1_000_usize, 0..14));
    let texts = prop_oneof![4 => prop::collection::vec(text.clone(), 1..24), 1 => prop::collection::vec(text, 60..140)];
    (texts, 1..5_usize)
}

/// What is said of a fact, and how it stands in a text.
fn fact(n: usize) -> (String, String) {
    match n % 5 {
        0 => (format!("ERR_{n:05}"), format!("ERR_{n:05}")),
        1 => {
            (format!("{},{:03}", 100 + n / 1_000, n % 1_000), format!("{}{:03}", 100 + n / 1_000, n % 1_000))
        }
        2 => (format!("fn_{n}_run"), format!("fn_{n}_run")),
        3 => (format!("第{n}号仓库"), format!("第{n}号仓库")),
        _ => (format!("{n} 个失败"), format!("{n} failed")),
    }
}

/// A turn and the texts in it.
struct Turn {
    session: Session,
    texts: Vec<String>,
}

/// Texts are one line without white space, so that a cut can be followed; every third one is in characters of three bytes.
fn turn((texts, every): &Made) -> Turn {
    let (mut rows, mut all, mut said, mut n_facts) = (Rows::new(), Vec::new(), Vec::new(), 0_usize);
    rows.person("早先的话").says("早先的回复").person("全部跑一遍");
    for (n, (kind, length, places)) in texts.iter().enumerate() {
        let filler = |i: usize| {
            if n % 3 == 2 { format!("、等待队列{}、", i % 7) } else { format!(";still_{};", i % 7) }
        };
        let mut pieces: Vec<String> = (0..*length).map(filler).collect();
        for place in places {
            let (claim, written) = fact(n_facts * 7 + 11);
            pieces.insert(pieces.len() * place / 1_000, format!(";{};", written.replace(' ', "·")));
            if n_facts.is_multiple_of(*every) {
                said.push(claim);
            }
            n_facts += 1;
        }
        let text = format!("t{n:04}_head_{}", pieces.concat());
        let id = format!("toolu_{n}");
        match kind {
            0 => rows.says(&text),
            1 => rows.queued(text.clone()),
            2 => {
                let edit =
                    json!({"file_path": format!("/home/u/{n}.rs"), "old_string": "a", "new_string": text});
                rows.call(&id, "Edit", edit).result(&id, "updated")
            }
            _ => rows.call(&id, "Bash", json!({"command": format!("run-{n}")})).result(&id, text.clone()),
        };
        all.push(text);
    }
    rows.says(&said.join("。"));
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for row in rows.rows() {
        writeln!(file, "{row}").unwrap();
    }
    let session = session::read(file.path(), &prompt::extent(0)).unwrap().expect("it has a turn");
    Turn { session, texts: all }
}

fn material(session: &Session, room: usize) -> String {
    fit::fit(&session.current, &session.earlier, session.is_whole, room, Between::Evidence).text
}

/// The characters of a text that are shown; `None` where it cannot be followed: it is not there, or was cut as a part of a
/// longer one.
fn shown(material: &str, text: &str) -> Option<BTreeSet<usize>> {
    let pieces = follow_from(material, text, HEAD.min(text.chars().count())).ok()?;
    Some(pieces.into_iter().flat_map(|(from, to)| from..to).collect())
}

checks! {
    #[own]
    fn r4_37_generated_turns_keep_exact_windows(c: &mut Checks) {
        generated::check(c, "4.37", "windows", (60, "conformance/seeds/evidence.txt"), &made(), |made| {
            let Turn { session, texts, .. } = turn(&made);
            let prompt = prompt::build(&session, None).text;
            prop_assert_eq!(&prompt, &prompt::build(&session, None).text);
            prop_assert!(prompt.starts_with(prompt::INSTRUCTION), "the instruction is changed");
            prop_assert!(!prompt.contains('\u{fffd}'), "a character was split");
            for text in texts {
                let head: String = text.chars().take(HEAD).collect();
                let Some(at) = prompt.find(&head) else { continue };
                let pieces = follow_from(&prompt[at..], &text, HEAD.min(text.chars().count()));
                prop_assert!(pieces.is_ok(), "{head}: {pieces:?}");
                let pieces = pieces.unwrap_or_default();
                prop_assert!(pieces.len() <= MARKS + 1, "{head} has {} windows", pieces.len() - 2);
                prop_assert!(pieces.windows(2).all(|two| two[0].1 < two[1].0), "{head}: {pieces:?} overlap");
            }
            Ok(())
        });
    }

    /// Character by character, whatever it is that a character belongs to.
    #[own]
    fn r4_37_more_room_never_loses_what_less_room_kept(c: &mut Checks) {
        let rooms = (made(), 3_000..60_000_usize, 1..20_000_usize);
        generated::check(
            c,
            "4.37",
            "two rooms",
            (60, "conformance/seeds/evidence-rooms.txt"),
            &rooms,
            |(made, room, more)| {
                let Turn { session, texts } = turn(&made);
                let [less, more] = [room, room + more].map(|room| material(&session, room));
                for text in &texts {
                    let Some(kept) = shown(&less, text) else { continue };
                    let kept_then = shown(&more, text).unwrap_or_default();
                    let lost: Vec<&usize> = kept.difference(&kept_then).collect();
                    prop_assert!(lost.is_empty(), "{}: {lost:?} are gone with more room", &text[..HEAD]);
                }
                Ok(())
            },
        );
    }
}
