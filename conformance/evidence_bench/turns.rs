//! Made-up sessions of a given length with facts planted in them.

use stop_auditor::transcript::session::Session;
use stop_auditor::transcript::turn::{
    Call, Entry, Field, Opener, OptionBox, Outcome, Output, Question, Said, Turn, Words,
};

use super::dice::Dice;
use super::facts::{Fact, World, chatter};

/// Where a fact is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Head,
    Middle,
    Tail,
    Edit,
    BackgroundHead,
    BackgroundMiddle,
    BackgroundTail,
    Previous,
    Person,
    Agreement,
    Contradiction,
}

/// What a session's calls are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 40 calls, nearly each with facts.
    Dozens,
    /// 200 calls, one in four with a fact.
    Hundreds,
}

pub(crate) struct Planted {
    pub(crate) place: Place,
    pub(crate) key: String,
}

pub(crate) struct Made {
    pub(crate) session: Session,
    pub(crate) planted: Vec<Planted>,
}

struct Maker {
    dice: Dice,
    world: World,
    planted: Vec<Planted>,
    /// What the final reply says, and what Claude said before it.
    reply: Vec<String>,
    entries: Vec<Entry>,
}

/// A session whose current turn holds about `n_chars` characters of outputs, edits and results.
pub(crate) fn make(seed: u64, shape: Shape, n_chars: usize) -> Made {
    let mut dice = Dice::new(seed);
    let world = World::new(&mut dice);
    let mut maker = Maker { dice, world, planted: Vec::new(), reply: Vec::new(), entries: Vec::new() };
    let (n_outputs, n_edits, n_results) = match shape {
        Shape::Dozens => (33, 4, 3),
        Shape::Hundreds => (190, 7, 3),
    };
    // Entries of very different lengths, together of the wanted one.
    let n_entries = n_outputs + n_edits + n_results;
    let shares: Vec<usize> = (0..n_entries).map(|_| maker.dice.from(20, 180)).collect();
    let all: usize = shares.iter().sum();
    let mut lengths = shares.into_iter().map(|share| n_chars * share / all);
    let mut kinds = [vec![0; n_outputs], vec![1; n_edits], vec![2; n_results]].concat();
    for index in (1..kinds.len()).rev() {
        let other = maker.dice.from(0, index);
        kinds.swap(index, other);
    }
    for (number, kind) in kinds.into_iter().enumerate() {
        let length = lengths.next().unwrap();
        match kind {
            0 => maker.output(number, shape, length),
            1 => maker.edit(number, length),
            _ => maker.result(length),
        }
    }
    let person = maker.person();
    let earlier = maker.earlier();
    let closing = maker.chatter(20);
    let mut reply = std::mem::take(&mut maker.reply);
    reply.push(closing);
    maker.entries.push(said(reply.join("\n")));
    let current = Turn {
        opener: Opener { words: person, ..Opener::default() },
        entries: maker.entries,
        prompt_ids: vec![],
    };
    let session = Session { current, earlier, is_whole: true, ..Session::default() };
    Made { session, planted: maker.planted }
}

impl Maker {
    fn fact(&mut self) -> Fact {
        let (is_chinese, is_exact) = (self.dice.chance(50), self.dice.chance(50));
        self.world.fact(&mut self.dice, is_chinese, is_exact)
    }

    /// Plants a fact; most are spoken of in the final reply, some before it.
    fn plant(&mut self, place: Place) -> String {
        let fact = self.fact();
        let sentence = format!("- {}，{}", fact.said, self.chatter(1));
        if self.dice.chance(15) {
            self.entries.push(said(sentence));
        } else {
            self.reply.push(sentence);
        }
        self.planted.push(Planted { place, key: fact.key });
        fact.line
    }

    fn chatter(&mut self, n: usize) -> String {
        let is_chinese = self.dice.chance(50);
        let parts: Vec<String> = (0..n).map(|_| chatter(&mut self.dice, is_chinese)).collect();
        parts.join(if is_chinese { "。" } else { ". " })
    }

    /// A text of about this length with facts at these of its three places.
    fn text(&mut self, n_chars: usize, places: [Option<Place>; 3]) -> String {
        let is_chinese = self.dice.chance(50);
        let mut lines = Vec::new();
        let mut n = 0;
        while n < n_chars {
            let line = self.world.filler(&mut self.dice, is_chinese);
            n += line.chars().count() + 1;
            lines.push(line);
        }
        let last = lines.len();
        let [head, middle, tail] = places;
        if let Some(place) = tail {
            let at = last - self.dice.from(0, 1).min(last);
            lines.insert(at, self.plant(place));
        }
        if let Some(place) = middle {
            let at = last * self.dice.from(30, 70) / 100;
            lines.insert(at, self.plant(place));
        }
        if let Some(place) = head {
            let at = self.dice.from(0, 1).min(last);
            lines.insert(at, self.plant(place));
        }
        // Some outputs are one long line.
        let end = if self.dice.chance(15) { "; " } else { "\n" };
        lines.join(end)
    }

    fn output(&mut self, number: usize, shape: Shape, n_chars: usize) {
        let wants = |dice: &mut Dice, place| {
            let percent = match shape {
                Shape::Dozens => 50,
                Shape::Hundreds => 9,
            };
            dice.chance(percent).then_some(place)
        };
        let places = [Place::Head, Place::Middle, Place::Tail].map(|place| wants(&mut self.dice, place));
        let is_quiet = places.iter().all(Option::is_none);
        let mut text = self.text(n_chars, places);
        if is_quiet && self.dice.chance(20) {
            // Nobody speaks of it, and it contradicts.
            let name = self.dice.name(3);
            let key = format!("FAILED tests/test_{name}.py");
            let at = text.match_indices('\n').map(|(at, _)| at).nth(text.matches('\n').count() / 2);
            if let Some(at) = at {
                text.insert_str(at, &format!("\n{key} - AssertionError"));
                self.planted.push(Planted { place: Place::Contradiction, key });
            }
        }
        let command = format!("./run.sh --step {number} {}", self.dice.name(3));
        self.call("Bash", vec![("command", command, false)], text);
    }

    fn edit(&mut self, number: usize, n_chars: usize) {
        let file = format!("/home/u/proj/src/file_{number}.py");
        let halves = [n_chars / 2, n_chars / 2];
        let [old, new] = halves.map(|n| {
            let place = *self.dice.one(&[0, 1, 2]);
            let mut places = [None; 3];
            places[place] = Some(Place::Edit);
            self.text(n, places)
        });
        let fields = vec![("file_path", file, false), ("old_string", old, true), ("new_string", new, true)];
        self.call("Edit", fields, "The file has been updated.".into());
    }

    fn result(&mut self, n_chars: usize) {
        let places = [Place::BackgroundHead, Place::BackgroundMiddle, Place::BackgroundTail].map(Some);
        let text = self.text(n_chars, places);
        self.entries.push(Entry::BackgroundResult(text));
    }

    fn call(&mut self, tool: &str, fields: Vec<(&str, String, bool)>, output: String) {
        let input = fields
            .into_iter()
            .map(|(name, text, is_change)| Field { name: name.into(), text, is_change })
            .collect();
        let outcome = Outcome::Ok(Output { text: output, images: 0 });
        self.entries.push(Entry::Call(Call { tool: tool.into(), input, outcome, background: false }));
        if self.dice.chance(20) {
            let text = self.chatter(2);
            self.entries.push(said(text));
        }
    }

    /// The person's message with a paste in it, and words sent while Claude worked. What the person asks for stands in an
    /// output that the reply does not name.
    fn person(&mut self) -> String {
        let pasted = self.text(3_000, [None, Some(Place::Person), None]);
        let steer = self.text(200, [None, Some(Place::Person), None]);
        let at = self.entries.len() / 2;
        self.entries.insert(at, Entry::Steer(Words { text: steer, images: 0 }));
        let asked = self.fact();
        let mut text = self.text(2_000, [None; 3]);
        let half = text.match_indices('\n').map(|(at, _)| at).nth(text.matches('\n').count() / 2);
        text.insert_str(half.unwrap_or(0), &format!("\n{}\n", asked.line));
        self.planted.push(Planted { place: Place::Middle, key: asked.key });
        self.call("Bash", vec![("command", "./look.sh".into(), false)], text);
        format!("{pasted}\n{}，查一下 {} 还对不对", self.chatter(2), asked.said)
    }

    /// Four turns before; agreements in the person's words and in an option box, evidence in the nearest one.
    fn earlier(&mut self) -> Vec<Turn> {
        let entries = std::mem::take(&mut self.entries);
        let mut turns = Vec::new();
        for distance in 1..=4 {
            let words = self.text(400, [None, Some(Place::Agreement), None]);
            let answer = self.text(60, [Some(Place::Agreement), None, None]);
            let question =
                Question { question: "用哪个？".into(), options: vec![], answer: Some(answer) };
            let asked = Entry::Asked(OptionBox { questions: vec![question], unanswered: None });
            let mut turn_entries = vec![asked];
            if distance == 1 {
                for number in 0..5 {
                    let text = self.text(4_000, [None, Some(Place::Previous), None]);
                    self.call("Bash", vec![("command", format!("./before.sh {number}"), false)], text);
                }
                turn_entries.append(&mut self.entries);
            }
            let reply = self.chatter(4);
            turn_entries.push(said(reply));
            self.entries.clear();
            turns.push(Turn {
                opener: Opener { words, ..Opener::default() },
                entries: turn_entries,
                prompt_ids: vec![],
            });
        }
        self.entries = entries;
        turns
    }
}

fn said(text: String) -> Entry {
    Entry::Said(Said { text, message_id: None, block_index: None })
}
