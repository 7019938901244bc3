//! The page's charts. Their colours are classes, which the page's style fills in for light and dark.
//!
//! The crate does not quote attributes, so text of the log stands in text nodes only.

use svg::Document;
use svg::node::element::{Group, Rectangle, Text, Title};

use super::figures::{Day, bars, percentile};
use crate::command::screen::{fitted, grouped};
use crate::record::Word;

/// Of the charts that are as wide as the page, in the units of the picture.
const WIDTH: usize = 960;

/// Of the others.
const HALF: usize = 340;

/// Bars of the chart of days, at most.
const MOST_DAYS: usize = 62;

/// Columns of a histogram.
const COLUMNS: usize = 24;

/// A line of a chart of lines: its name, its number, its class.
pub(super) type Line<'a> = (String, usize, &'a str);

/// Audits a day, the verdicts upon each other.
pub(super) fn days(days: &[Day]) -> String {
    const HEIGHT: usize = 190;
    const BASE: usize = 165;
    const TOP: usize = 18;
    let (per_bar, bars) = bars(days, MOST_DAYS);
    let most = bars.iter().map(Day::audits).max().unwrap_or(0).max(1);
    let step = WIDTH / bars.len().max(1);
    let wide = (step * 4 / 5).clamp(1, 60);
    let mut picture = document(WIDTH, HEIGHT)
        .add(label(0, 12, "start", &format!("最多 {}", grouped(most as u64))))
        .add(rectangle(0, BASE, WIDTH, 1, "axis"));
    for (index, day) in bars.iter().enumerate() {
        let left = index * step;
        let mut group = Group::new().set("class", "bar").add(Title::new(told(day, per_bar)));
        let mut below = 0;
        for word in [Word::Pass, Word::Note, Word::Fail, Word::Error] {
            let height = |sum: usize| sum * (BASE - TOP) / most;
            let above = below + day.of(word);
            let (from, to) = (height(below), height(above));
            if to > from {
                group = group.add(rectangle(left, BASE - to, wide, to - from, word.name()));
            }
            below = above;
        }
        picture = picture.add(group);
        // A date is 70 wide.
        if index.is_multiple_of(90_usize.div_ceil(step.max(1))) {
            picture = picture.add(label(left, BASE + 18, "start", day.day.get(5..).unwrap_or_default()));
        }
    }
    picture.to_string()
}

fn told(day: &Day, per_bar: usize) -> String {
    let counts: Vec<String> =
        Word::ALL.into_iter().map(|word| format!("{} {}", word.name(), day.of(word))).collect();
    let days = if per_bar == 1 { String::new() } else { format!(" 起 {per_bar} 天") };
    format!("{}{days}：{}", day.day, counts.join("，"))
}

/// A bar for each line, as long as its number.
pub(super) fn lines(lines: &[Line<'_>]) -> String {
    const EACH: usize = 26;
    const NAMES: usize = 110;
    const NUMBERS: usize = 50;
    let most = lines.iter().map(|(_, count, _)| *count).max().unwrap_or(0).max(1);
    let mut picture = document(HALF, EACH * lines.len().max(1));
    if lines.is_empty() {
        picture = picture.add(label(0, 17, "start", "没有"));
    }
    for (index, (name, count, class)) in lines.iter().enumerate() {
        let top = index * EACH;
        let long = count * (HALF - NAMES - NUMBERS) / most;
        let group = Group::new()
            .add(Title::new(format!("{name}：{count}")))
            .add(label(0, top + 17, "start", &fitted(name, 16)))
            .add(rectangle(NAMES, top + 5, long.max(1), 15, class))
            .add(label(NAMES + long + 6, top + 17, "start", &grouped(*count as u64)));
        picture = picture.add(group);
    }
    picture.to_string()
}

/// How often values are how large. The last column holds all from the 99th percentile on, so that one of them does not
/// press the others into the first.
pub(super) fn histogram(ascending: &[u64], per_unit: u64, unit: &str) -> String {
    const HEIGHT: usize = 150;
    const BASE: usize = 125;
    let end = percentile(ascending, 99).unwrap_or(0).max(COLUMNS as u64);
    let wide = end.div_ceil(COLUMNS as u64);
    let mut counts = [0_usize; COLUMNS];
    for value in ascending {
        let column = usize::try_from(value / wide).unwrap_or(usize::MAX).min(counts.len() - 1);
        if let Some(count) = counts.get_mut(column) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let step = HALF / counts.len();
    let mut picture = document(HALF, HEIGHT)
        .add(label(0, 12, "start", &format!("最多 {}", grouped(most as u64))))
        .add(rectangle(0, BASE, HALF, 1, "axis"))
        .add(label(0, BASE + 18, "start", "0"))
        .add(label(HALF, BASE + 18, "end", &format!("{} {unit}", grouped(end / per_unit))));
    for (index, count) in counts.iter().enumerate() {
        let height = count * (BASE - 20) / most;
        // What is there at all can be seen.
        let height = if *count > 0 { height.max(1) } else { 0 };
        let from = wide * index as u64 / per_unit;
        let group = Group::new()
            .add(Title::new(format!("{} {unit}起：{}", grouped(from), grouped(*count as u64))))
            .add(rectangle(index * step, BASE - height, step - 2, height, "plain"));
        picture = picture.add(group);
    }
    picture.to_string()
}

fn document(width: usize, height: usize) -> Document {
    Document::new().set("viewBox", (0, 0, width, height)).set("role", "img")
}

fn rectangle(x: usize, y: usize, width: usize, height: usize, class: &str) -> Rectangle {
    Rectangle::new().set("x", x).set("y", y).set("width", width).set("height", height).set("class", class)
}

fn label(x: usize, y: usize, anchor: &str, text: &str) -> Text {
    Text::new(text).set("x", x).set("y", y).set("text-anchor", anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(picture: &str, class: &str) -> Vec<usize> {
        let of = |element: &str| element.split_once("height=\"")?.1.split('"').next()?.parse().ok();
        picture
            .split('<')
            .filter(|element| element.contains(&format!("class=\"{class}\"")))
            .filter_map(of)
            .collect()
    }

    #[test]
    fn a_bar_is_as_high_as_its_number() {
        let day = |counts| Day { day: "2026-11-29".to_owned(), counts };
        let picture = days(&[day([10, 0, 10, 0, 7]), day([5, 0, 0, 0, 0])]);
        assert_eq!(heights(&picture, "PASS"), [73, 36]);
        assert_eq!(heights(&picture, "FAIL"), [74]);
        assert!(heights(&picture, "SKIP").is_empty() && picture.contains("SKIP 7"));
    }

    #[test]
    fn bars_of_many_days_and_their_dates_stand_beside_each_other() {
        let day = |n: usize| Day { day: format!("2026-10-{n:02}"), counts: [1, 0, 0, 0, 0] };
        let picture = days(&(1..=70).map(day).collect::<Vec<_>>());
        let numbers = |element: &str, attribute: &str| -> Vec<usize> {
            let of = |found: &str| found.split_once(attribute)?.1.split('"').nth(1)?.parse().ok();
            picture.split('<').filter(|found| found.starts_with(element)).filter_map(of).collect()
        };
        assert_eq!(picture.matches(" 起 2 天：PASS 2，").count(), 35, "two days a bar");
        // A fifth of each day's 27 units is a gap. The first rectangle is the axis.
        assert_eq!(numbers("rect", " width=")[1..], [21; 35]);
        assert_eq!(numbers("rect", " x=")[1..], (0..35).map(|n| n * 27).collect::<Vec<_>>());
        // A date takes 70 units. The first text says how many there are.
        assert_eq!(numbers("text", " x=")[1..], (0..9).map(|n| n * 4 * 27).collect::<Vec<_>>());
    }

    #[test]
    fn a_value_that_is_there_at_all_can_be_seen() {
        let mut values = vec![0; 1_000];
        values.push(23);
        let heights = heights(&histogram(&values, 1, "字"), "plain");
        assert_eq!((heights[0], heights[1], heights[23]), (105, 0, 1));
    }

    #[test]
    fn every_value_is_in_one_column_also_the_far_one() {
        let values: Vec<u64> = (0..200).map(|n| n * 1_000).chain([100_000_000]).collect();
        let picture = histogram(&values, 1_000, "秒");
        let of =
            |title: &str| title.rsplit_once('：')?.1.split("</title>").next()?.trim().parse::<usize>().ok();
        let sum: usize = picture.split("<title>").skip(1).filter_map(of).sum();
        assert_eq!(sum, 201);
    }

    #[test]
    fn nothing_to_draw_is_drawn() {
        for picture in [days(&[]), lines(&[]), histogram(&[], 1, "字"), histogram(&[0], 1, "字")] {
            assert!(picture.starts_with("<svg") && picture.ends_with("</svg>"), "{picture}");
        }
    }

    #[test]
    fn text_of_the_log_is_text_in_a_picture() {
        let picture = lines(&[("<script>\"&".to_owned(), 1, "ERROR")]);
        assert!(!picture.contains("<script") && picture.contains("&lt;script&gt;"), "{picture}");
    }
}
