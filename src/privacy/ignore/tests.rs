//! Which paths a pattern holds, which patterns are none, and what is left of a call.

use super::*;
use crate::transcript::turn::{Field, Output};

fn ignored(patterns: &str) -> Ignored {
    Ignored::parse(patterns, Some("/home/u".into()), Some("/home/u/proj".into())).unwrap()
}

#[test]
fn a_pattern_holds_what_gitignore_would() {
    for (patterns, path, holds) in [
        (".env", "/home/u/proj/.env", true),
        (".env", "/home/u/proj/sub/.ENV", true),
        (".env", "/home/u/proj/.env.example", false),
        (".env*", "/home/u/proj/.env.local", true),
        ("*.pem", "/srv/keys/a.pem", true),
        ("*.pem", "/srv/keys/a.pem.txt", false),
        ("secrets", "/home/u/proj/secrets/deep/a.txt", true),
        ("secrets/", "/home/u/proj/secrets/a.txt", true),
        ("secrets/**", "/home/u/proj/secrets/deep/a.txt", true),
        ("config/*.key", "/home/u/proj/config/a.key", true),
        ("config/*.key", "/home/u/proj/config/deep/a.key", false),
        ("**/config/*.key", "/home/u/proj/config/a.key", true),
        ("/srv/keys", "/srv/keys/a.txt", true),
        ("/srv/keys", "/mnt/srv/keys/a.txt", false),
        ("/srv/keys", "srv/keys/a.txt", false),
        ("/srv/**/a.txt", "/srv/keys/deep/a.txt", true),
        ("~/.ssh", "/home/u/.ssh/id_ed25519", true),
        ("~/.ssh", "~/.ssh/id_ed25519", true),
        ("~/.ssh", "/home/v/.ssh/id_ed25519", false),
        ("a:b", "/x/b", true),
        ("a\n b ", "/x/b", true),
        ("", "/x/b", false),
        // Paths that are written otherwise.
        ("/home/u/proj/.env", ".env", true),
        ("/home/u/proj/.env", "src/../.env", true),
        ("/home/u/proj/.env", "/home/u/./proj//.env", true),
        ("/home/u/proj/.env", "file:///home/u/proj/.env", true),
    ] {
        assert_eq!(ignored(patterns).holds(path), holds, "{patterns:?} {path}");
    }
}

#[test]
fn what_would_silently_keep_nothing_back_is_refused() {
    for (patterns, why) in [
        ("!.env", "!"),
        ("*.{pem,key}", "花括号"),
        ("*.pem,*.key", "冒号"),
        ("a\\*", "反斜杠"),
        ("[a", "第 1 个字符"),
        ("a/***/b", "第 5 个字符"),
        ("a/[b", "第 3 个字符"),
        ("~/[b", "第 3 个字符"),
        ("/", "整个磁盘"),
        (".env:[", "第 1 个字符"),
    ] {
        let told = Ignored::parse(patterns, Some("/home/u".into()), None).unwrap_err().to_string();
        assert!(told.contains(why) && told.contains("STOP_AUDITOR_IGNORE"), "{patterns}: {told}");
    }
    let told = Ignored::parse("~/.ssh", None, None).unwrap_err().to_string();
    assert!(told.contains("主目录"), "{told}");
}

fn call(tool: &str, fields: &[(&str, &str)], output: &str) -> Call {
    let field = |(name, text): &(&str, &str)| Field {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
        is_change: matches!(*name, "content" | "old_string" | "new_string"),
    };
    Call {
        tool: tool.to_owned(),
        input: fields.iter().map(field).collect(),
        outcome: Outcome::Ok(Output { text: output.to_owned(), images: 0 }),
        background: false,
    }
}

/// All that is left of a call, one text a line.
fn left(patterns: &str, tool: &str, fields: &[(&str, &str)], output: &str) -> String {
    let mut call = call(tool, fields, output);
    ignored(patterns).withhold_call(&mut call);
    let Outcome::Ok(output) = call.outcome else { return String::new() };
    let fields = call.input.into_iter().map(|field| field.text);
    fields.chain([output.text]).collect::<Vec<String>>().join("\n")
}

#[test]
fn of_a_call_that_names_such_a_file_paths_and_lengths_stay() {
    let path = "/home/u/proj/.env";
    let kept_back = |n: usize| format!("（{n} 字，用户设定不送内容）");
    for (tool, fields, output, want) in [
        ("Read", &[("file_path", path)][..], "秘密\nX", vec![path.to_owned(), kept_back(4)]),
        (
            "Write",
            &[("file_path", path), ("content", "abc")],
            "",
            vec![path.to_owned(), kept_back(3), String::new()],
        ),
        (
            "Edit",
            &[("file_path", path), ("old_string", "ab"), ("new_string", "")],
            "ok",
            vec![path.to_owned(), kept_back(2), kept_back(0), kept_back(2)],
        ),
        (
            "mcp__fs__read_multiple_files",
            &[("paths", r#"["a.txt",".env"]"#)],
            "abc",
            vec![r#"["a.txt",".env"]"#.to_owned(), kept_back(3)],
        ),
        (
            "Grep",
            &[("pattern", "KEY"), ("path", path)],
            "1:KEY=x",
            vec![kept_back(3), path.to_owned(), kept_back(7)],
        ),
        // The content of another file may be the name of this one.
        (
            "Write",
            &[("file_path", "/x"), ("content", ".env")],
            "ok",
            ["/x", ".env", "ok"].map(str::to_owned).to_vec(),
        ),
        // A text in which a path stands is no path.
        (
            "Agent",
            &[("prompt", "look at it\n/home/u/proj/.env")],
            "ok",
            ["look at it\n/home/u/proj/.env", "ok"].map(str::to_owned).to_vec(),
        ),
        // What a command reads is not known.
        ("Bash", &[("command", "cat .env")], "X=1", ["cat .env", "X=1"].map(str::to_owned).to_vec()),
    ] {
        assert_eq!(left(".env", tool, fields, output), want.join("\n"), "{tool}");
    }
}

#[test]
fn an_argument_is_no_path_where_no_file_could_have_it() {
    let path = |length: usize| format!("/{}/.env", "x".repeat(length - "//.env".len()));
    for (length, is_path) in [(4_096, true), (4_097, false)] {
        let left = left(".env", "Read", &[("file_path", &path(length))], "SECRET");
        assert_eq!(!left.contains("SECRET"), is_path, "{length}");
    }
}

#[test]
fn a_search_in_a_folder_shows_other_files_only() {
    let output = "/home/u/proj/.env:3:KEY=abc\n/home/u/proj/.env-4-NEXT=d\nsrc/my-app/main.rs:7:let key\n.env\n--\nno path";
    let want = "/home/u/proj/.env：（10 字，用户设定不送内容）\n/home/u/proj/.env：（9 字，用户设定不送内容）\nsrc/my-app/main.rs:7:let key\n.env\n--\nno path";
    assert_eq!(left(".env", "Grep", &[("pattern", "KEY")], output), format!("KEY\n{want}"));
}
