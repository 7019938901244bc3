//! What the tables of the kit's README name is there: a table that nobody looks after soon praises what is gone.
use std::fs;
use std::path::Path;

const README: &str = include_str!("README.md");

/// The rows of the table below a heading, each as its cells.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = README.split_once(heading).expect("the heading is there");
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let rows = section.lines().filter(|line| line.starts_with("| "));
    rows.skip(1).map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The names in backticks of a cell that are tests or transcripts.
fn names(cell: &str) -> Vec<&str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|name| !name.starts_with("scripts/")).collect()
}

fn is_there(name: &str, sources: &str) -> bool {
    if name.contains('/') {
        let path = format!("conformance/transcripts/synthetic/{name}.jsonl");
        return Path::new(env!("CARGO_MANIFEST_DIR")).join(path).is_file();
    }
    sources.contains(&format!("fn {name}("))
}

/// All sources of the package.
fn sources() -> String {
    let mut all = String::new();
    let mut todo =
        ["conformance", "src"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).to_vec();
    while let Some(folder) = todo.pop() {
        for path in fs::read_dir(folder).expect("a folder of the package").flatten().map(|entry| entry.path())
        {
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                all.push_str(&fs::read_to_string(path).expect("a source is text"));
            }
        }
    }
    all
}

#[test]
fn every_case_that_the_tables_name_is_there() {
    let sources = sources();
    let reports = table("## Every fault keeps its case");
    let faults = table("## Faults");
    let cells = reports.iter().map(|row| row[3]).chain(faults.iter().map(|row| row[1]));
    let named: Vec<&str> = cells.flat_map(names).collect();
    let missing: Vec<&&str> = named.iter().filter(|name| !is_there(name, &sources)).collect();
    assert!(missing.is_empty(), "named, and not there: {missing:?}");
    assert!(
        named.len() > 100
            && !is_there("r0_0_nothing_of_this_name", &sources)
            && !is_there("reply/none", &sources)
    );
}

#[test]
fn every_report_has_its_row_and_every_row_a_case_or_a_reason() {
    let reports = table("## Every fault keeps its case");
    let numbers: Vec<&str> = reports.iter().map(|row| row[0]).collect();
    let wanted = (1..=52).map(|n| format!("B{n}")).chain((1..=9).map(|n| format!("C{n}")));
    assert_eq!(numbers, wanted.collect::<Vec<_>>());
    for row in &reports {
        assert!(row.len() == 4 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        assert!(!names(row[3]).is_empty() || row[3].starts_with("not ours: "), "{row:?}");
    }
}
