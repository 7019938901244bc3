//! The page of `stop-auditor report --html` in a real browser, headless Chromium: that it comes up without complaints,
//! that its filter works, and that nothing of a log becomes a part of it.
//!
//! Without a Chromium every test fails; `CHROMIUM` names one that is not on `PATH`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "all of this is test code: a broken assumption has to stop the test"
)]
#![allow(clippy::needless_pass_by_value, reason = "tests hand over literals, which read better without &")]

/// A browser with one page open.
mod browser;
/// Records that nobody made.
#[path = "../kit/made_up.rs"]
mod made_up;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use browser::Page;
use serde_json::{Value, json};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_stop-auditor");

/// A log and the page made of it.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn with(records: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        made_up::write_log(&folder.path().join("logs"), records).unwrap();
        Self { folder }
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = Command::new(BINARY)
            .env_clear()
            .env("STOP_AUDITOR_LOG_DIR", self.folder.path().join("logs"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn file(&self) -> PathBuf {
        let file = self.folder.path().join("report.html");
        self.run(&["report", "--since", "2020-01-01", "--html", file.to_str().unwrap()]);
        file
    }

    fn page(&self) -> Page {
        let page = Page::open(&self.file());
        page_is_sound(&page);
        page
    }
}

/// Nothing was complained of, and nothing but the file itself was asked for.
fn page_is_sound(page: &Page) {
    assert_eq!(page.complaints(), Vec::<String>::new());
    let foreign: Vec<String> =
        page.requests().into_iter().filter(|url| !url.starts_with("file:///")).collect();
    assert_eq!(foreign, Vec::<String>::new(), "the page asks the network");
    assert_eq!(page.requests().len(), 1, "{:?}", page.requests());
}

fn until() -> jiff::Timestamp {
    "2026-11-29T00:00:00Z".parse().unwrap()
}

/// How many records there are, and how many of them the table shows.
fn count(page: &Page) -> (usize, usize) {
    let told = page.value("document.getElementById('count').textContent");
    let told = told.as_str().unwrap();
    let (all, shown) = told.split_once(" 条，显示 ").unwrap();
    (all.parse().unwrap(), shown.strip_suffix(" 条").unwrap().parse().unwrap())
}

fn choose(page: &Page, select: &str, value: &str) {
    page.value(&format!(
        "(() => {{ const s = document.getElementById('{select}'); s.value = {}; s.dispatchEvent(new Event('input')); return s.value; }})()",
        json!(value)
    ));
}

fn cells(page: &Page, column: usize) -> Vec<String> {
    let all = page.value(&format!(
        "[...document.querySelectorAll('#table tr')].map((row) => row.cells[{column}].textContent)"
    ));
    all.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_empty_log_makes_a_page() {
    let desk = Desk::with(&[]);
    let page = desk.page();
    assert_eq!(count(&page), (0, 0));
    assert!(page.value("document.body.innerText").as_str().unwrap().contains("0 条记录"));
}

#[test]
fn one_record_makes_a_page() {
    let desk = Desk::with(&made_up::records(1, 1, until()));
    let page = desk.page();
    assert_eq!(count(&page), (1, 1));
    assert_eq!(page.value("document.querySelectorAll('svg').length"), json!(6));
    assert_eq!(page.value("document.querySelectorAll('svg rect.PASS').length"), json!(2), "a day and a sum");
}

#[test]
fn fifty_thousand_records_make_a_page_whose_filter_works() {
    let records = made_up::records(50_000, 90, until());
    assert_eq!(records.len(), 50_000);
    let desk = Desk::with(&records);
    let page = desk.page();
    assert_eq!(count(&page), (50_000, 200));
    page.value("document.getElementById('more').click()");
    assert_eq!(count(&page), (50_000, 400));
    assert_eq!(cells(&page, 0).len(), 400);

    let of = |holds: &dyn Fn(&Value) -> bool| records.iter().filter(|record| holds(record)).count();
    choose(&page, "verdict", "=FAIL");
    let fails = of(&|record| record["verdict"] == "FAIL");
    assert_eq!(count(&page), (fails, 200));
    assert!(cells(&page, 5).iter().all(|verdict| verdict == "FAIL"));
    choose(&page, "project", "=billing");
    let of_billing = of(&|record| record["verdict"] == "FAIL" && record["project"] == "billing");
    assert_eq!(count(&page).0, of_billing);
    assert!(cells(&page, 2).iter().all(|project| project == "billing"));
    page.value("document.getElementById('text').focus()");
    page.types("sqlite");
    let holds = |record: &Value| {
        let text = record["text"].as_str().unwrap();
        record["verdict"] == "FAIL" && record["project"] == "billing" && text.contains("SQLite")
    };
    let found = of(&holds);
    assert!(found > 0 && found < of_billing);
    assert_eq!(count(&page).0, found);
    assert!(cells(&page, 8).iter().all(|text| text.contains("SQLite")));
    choose(&page, "verdict", "");
    choose(&page, "project", "");
    page.types("no such words");
    assert_eq!(count(&page), (0, 0));
    page_is_sound(&page);
}

/// Texts that would run, if they were anything but text.
const HOSTILE: [&str; 4] = [
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script><!--",
    "<img src=x onerror=\"window.hacked = 3\">",
    "\"'><svg onload=window.hacked=4>{{rows}}",
];

#[test]
fn text_of_a_log_is_inert() {
    let mut records = made_up::records(8, 1, until());
    for (record, text) in records.iter_mut().zip(HOSTILE.into_iter().cycle()) {
        for field in ["text", "project", "session_id"] {
            record[field] = text.into();
        }
    }
    // What an error is counted by, and a wrong one that is listed.
    records[0]["verdict"] = "ERROR".into();
    records[1]["verdict"] = "FAIL".into();
    let desk = Desk::with(&records);
    let listed = desk.run(&["log", "--json", "--verdict", "fail", "-n", "0"]);
    let record: Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    desk.run(&["rate", record["id"].as_str().unwrap(), "wrong", "--why", HOSTILE[1]]);
    fs::write(desk.folder.path().join("logs/<img src=x onerror=alert(1)>.jsonl"), "broken\n").unwrap();

    let page = desk.page();
    assert_eq!(page.value("String(window.hacked)"), json!("undefined"));
    assert_eq!(page.value("document.scripts.length"), json!(2), "the rows, and the page's own script");
    assert_eq!(page.value("document.images.length"), json!(0));
    assert_eq!(
        page.value("[...document.querySelectorAll('*')].filter((e) => e.onload || e.onerror).length"),
        json!(0)
    );
    for column in [2, 8] {
        let cells = cells(&page, column);
        assert!(HOSTILE.iter().all(|text| cells.iter().any(|cell| cell == text)), "{cells:?}");
    }
    let shown = page.value("document.body.innerText");
    let shown = shown.as_str().unwrap();
    assert!(
        shown.contains(&format!("你说：{}", HOSTILE[1])),
        "the wrong one is told with its reason: {shown}"
    );
    assert!(shown.contains("onerror=alert(1)>.jsonl 第 1 行"), "the broken line is told");
    choose(&page, "project", &format!("={}", HOSTILE[0]));
    assert_eq!(count(&page).0, 2);
    assert_eq!(page.value("String(window.hacked)"), json!("undefined"));
}

#[test]
fn no_other_script_runs_on_the_page() {
    let desk = Desk::with(&made_up::records(3, 1, until()));
    let file = desk.file();
    let planted = "<script>window.hacked = 1</script></html>";
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.contains("</html>"));
    fs::write(&file, page.replace("</html>", planted)).unwrap();
    let page = Page::open(&file);
    assert_eq!(page.value("document.scripts.length"), json!(3), "it was planted");
    assert_eq!(page.value("String(window.hacked)"), json!("undefined"));
    assert_eq!(count(&page), (3, 3), "the page's own does");
    assert_eq!(page.complaints().len(), 1, "and the browser says why: {:?}", page.complaints());
}

#[test]
fn the_page_is_light_and_dark() {
    let desk = Desk::with(&made_up::records(30, 3, until()));
    let page = desk.page();
    let brightness = |scheme: &str| {
        page.prefers(scheme);
        let sum = |of: &str| {
            let colour = page.value(&format!(
                "getComputedStyle(document.body).{of}.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
            ));
            colour.as_u64().unwrap()
        };
        (sum("backgroundColor"), sum("color"))
    };
    let ((light_back, light_ink), (dark_back, dark_ink)) = (brightness("light"), brightness("dark"));
    assert!(light_back > 600 && light_ink < 200, "{light_back} {light_ink}");
    assert!(dark_back < 200 && dark_ink > 600, "{dark_back} {dark_ink}");
}

/// The page is the person's alone.
#[test]
fn the_file_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&Desk::with(&[]).file()), 0o600);
}
