//! What is a key, what is none, and where a key ends.

use super::*;

fn told(text: &str) -> String {
    replace(text, |_| Some("<KEY>".to_owned())).into_owned()
}

const GITHUB: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

#[test]
fn r4_15_a_key_goes_and_what_stands_round_it_stays() {
    for (before, behind) in [
        ("", ""),
        ("token ", "."),
        ("`", "`"),
        ("GH_TOKEN=", "\n"),
        (r#"{"a":"x\n"#, r#"\nb"}"#),
        ("?access_token%3D", "&x=1"),
        ("\u{1b}[31m", "\u{1b}[0m"),
        ("\u{1b}[1;31m", "\u{1b}[m"),
        ("\u{1b}[2K", "\u{1b}[?25h"),
        ("\u{1b}[?25l", "\n"),
        ("https://x-access-token:", "@github.com/a/b"),
        ("钥匙是", "，记住"),
        ("my_", ", "),
    ] {
        assert_eq!(told(&format!("{before}{GITHUB}{behind}")), format!("{before}<KEY>{behind}"));
    }
}

#[test]
fn r4_15_what_only_looks_a_little_like_a_key_stays() {
    for plain in [
        "password=hunter2hunter2hunter2",
        "DB_PASSWORD: correct-horse-battery",
        "Authorization: Bearer abcdef123456abcdef123456",
        "sk_buff_head_init_class and pk_url_kwarg_name",
        "sk-learn-to-tensorflow-converter-for-everybody",
        "task-0123456789abcdefghijklmnopqrs",
        "thermostathf_0123456789abcdefghij",
        "C:\\backup\\shelf\\bookshf_0123456789abcdefghij",
        "C:\\xhf_0123456789abcdefghij",
        "systemhf_0123456789abcdefghij",
        "sk-0123456789abcdefghi",
        "sk-0123456789abcdefghi-0123456789abcdefghi",
        "<div class=\"sk-fading-circle sk-double-bounce-container\">",
        "ghp_short",
        "AKIAlowercaseisnothere",
        "xoxo-hugs-kisses",
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJhbGciOiJIUzI1NiJ9.json.bak",
        "eyJhbGciOiJIUzI1NiJ9.settings.bak",
        "eyJhbGciOiJIUzI1NiJ9.someWordOfAFileThatIsRatherLong",
        "2f1c7a9be0d34c5f8a6b7c8d9e0f1a2b3c4d5e6f",
        "re.compile('-----BEGIN RSA PRIVATE KEY-----')\nprint('no key here, only a test for one')",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END PUBLIC KEY-----",
        "［密钥 x，已抹去］",
    ] {
        assert_eq!(told(plain), plain);
    }
}

#[test]
fn r4_15_a_word_of_a_vendor_s_own_may_stand_in_a_key() {
    let piece = "0123456789abcdefghij";
    for key in [format!("sk-{piece}"), format!("sk-some-vendor_v1-{piece}"), format!("sk-{piece}-of-me")] {
        assert_eq!(told(&key), "<KEY>");
        assert_eq!(told(&format!("sk-learn {key} {key}")), "sk-learn <KEY> <KEY>");
    }
}

#[test]
fn r4_15_a_jwt_has_three_parts_or_five() {
    let (header, payload) = ("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0");
    let signature = "c2lnbmF0dXJlLW9mLXNvbWUtbGVuZ3Ro";
    for jwt in [
        format!("{header}.{payload}.{signature}"),
        format!("{header}.{payload}."),
        format!("{header}..{signature}"),
        format!("{header}.eyJhIjoxfQ.c2ln"),
        format!("{header}.{signature}.{signature}.{signature}.{signature}"),
    ] {
        let jwt = jwt.trim_end_matches('.');
        assert_eq!(told(jwt), "<KEY>", "{jwt}");
        assert_eq!(told(&format!("a {jwt} b")), "a <KEY> b", "{jwt}");
        assert_eq!(told(&format!("It is {jwt}.")), "It is <KEY>.", "{jwt}");
    }
}

/// A hash by the way: a line that could be one of a key.
const HASH: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

#[test]
fn r4_15_the_beginning_of_a_pem_block_alone_makes_no_key_of_what_follows() {
    for line in ["no key follows", "print('a key')", "if there is one: stop", "12: x"] {
        let plain = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n{HASH}\n");
        assert_eq!(told(&plain), plain);
    }
}

const BODY: [&str; 3] = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
    "NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ",
];

/// A block with these words before each line.
fn block(prefix: impl Fn(usize) -> String, line_end: &str) -> String {
    let mut lines = vec!["-----BEGIN PRIVATE KEY-----"];
    lines.extend(BODY);
    lines.extend([
        "qgtzJ6GR3eqoYSW9b9UMvkBpZODSctWSNGj3P7jRFDO5VoTwCQAWbFnOjDfH5Ulg",
        "p2PKSQnSJP3AJLQNFNe7br1XbrhV//eO",
    ]);
    lines.push("-----END PRIVATE KEY-----");
    let told = lines.iter().enumerate();
    told.map(|(n, line)| format!("{}{line}", prefix(n + 1))).collect::<Vec<_>>().join(line_end)
}

#[test]
fn r4_15_a_pem_block_goes_whole_however_it_is_printed() {
    let plain = block(|_| String::new(), "\n");
    let forms = [
        plain.clone(),
        block(|_| String::new(), "\\n"),
        block(|_| String::new(), "\r\n"),
        block(|_| String::new(), " "),
        block(|_| String::new(), ""),
        block(|n| format!("{n:>6}\t"), "\n"),
        block(|n| format!("{n:>6}→"), "\n"),
        block(|_| "+".to_owned(), "\n"),
        block(|_| "| ".to_owned(), "\n"),
        block(|n| format!("id_rsa:{n}:"), "\n"),
    ];
    for form in forms {
        let at = form.find("-----BEGIN").unwrap();
        let (before, block) = form.split_at(at);
        assert_eq!(told(&format!("a\n{before}{block}\nb")), format!("a\n{before}<KEY>\nb"), "{form}");
    }
    for headers in ["Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n", "Comment: x\n\n"] {
        let with = plain.replacen("KEY-----\n", &format!("KEY-----\n{headers}"), 1);
        assert_eq!(told(&format!("{with} rest")), "<KEY> rest", "{with}");
        for prefix in [|n| format!("{n:>6}\t"), |_| "+".to_owned()] {
            let lines = with.lines().enumerate().map(|(n, line)| format!("{}{line}", prefix(n + 1)));
            let printed = lines.collect::<Vec<String>>().join("\n");
            let (before, _) = printed.split_once("-----").unwrap();
            assert_eq!(told(&format!("{printed}\nrest")), format!("{before}<KEY>\nrest"), "{printed}");
        }
    }
}

#[test]
fn r4_15_the_longest_private_key_in_use_goes_whole() {
    // RSA of 16,384 bits: 9,300 bytes in DER, 12,400 characters in base64.
    let lines = BODY.repeat(65).join("\n");
    let long = format!("-----BEGIN PRIVATE KEY-----\n{lines}\n-----END PRIVATE KEY-----");
    assert_eq!(told(&format!("{long} rest")), "<KEY> rest");
}

#[test]
fn r4_15_a_pem_block_without_its_end_goes_as_far_as_it_is_there() {
    let plain = block(|_| String::new(), "\n");
    let cut = plain.split("\nqgtz").next().unwrap();
    assert_eq!(told(cut), "<KEY>");
    assert_eq!(told(&format!("{cut}\nexit code 0, so it is a key")), "<KEY>\nexit code 0, so it is a key");
    for line_end in ["\n", "\\n"] {
        let cut = cut.replace('\n', line_end);
        assert_eq!(told(&format!("{cut}{line_end}qgtzJ6GR")), "<KEY>", "torn in mid-line");
        let short = format!("{line_end}qgtzJ6G");
        assert_eq!(
            told(&format!("{cut}{short}")),
            format!("<KEY>{short}"),
            "too short to be told from a word"
        );
    }
    for after in ["Note: that was all of it", "12: x"] {
        let plain = format!("\n{after}\n{HASH}\n");
        assert_eq!(told(&format!("{cut}{plain}")), format!("<KEY>{plain}"));
    }
    assert_eq!(told(&format!("{cut}\n\nfn main() {{}}")), "<KEY>\n\nfn main() {}");
}

#[test]
fn r4_15_the_same_pem_block_is_the_same_key_with_line_numbers_and_without() {
    let plain = block(|_| String::new(), "\n");
    let identity = |text: &str| find(text).next().unwrap().identity.into_owned();
    assert_eq!(identity(&plain), identity(&block(|n| format!("{n:>6}\t"), "\n")));
    assert_eq!(identity(&plain), identity(&block(|_| String::new(), "\\n")));
    assert_ne!(identity(&plain), identity(&plain.replace("MIIEvQ", "MIIEvA")));
}

#[test]
fn r4_15_a_text_made_to_be_slow_takes_no_longer_than_its_length() {
    // Each was quadratic once: minutes for this megabyte.
    for unit in ["eyJ-", "sk-", "eyJ.", "eyJabcdefgh.x.", "-----BEGIN PRIVATE KEY-----", "ghs_.", "sk-ant-"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let started = std::time::Instant::now();
        let _ = find(&text).count();
        assert!(started.elapsed().as_secs() < 20, "{unit} took {:?}", started.elapsed());
    }
}

#[test]
fn two_bytes_that_no_key_begins_with_are_passed_over_at_once() {
    let begun: Vec<&[u8]> =
        SHAPES.iter().flat_map(|(begun, _)| *begun).filter_map(|begun| begun.as_bytes().get(..2)).collect();
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            let is_begun = begun.contains(&[first, second].as_slice());
            assert_eq!(!BEGINNINGS.of(first, second).is_empty(), is_begun, "{first} {second}");
        }
    }
}

#[test]
fn every_beginning_is_found_with_the_shortest_rest() {
    let mut n = 0;
    for (beginnings, rest) in SHAPES {
        let Run(_, at_least) = rest else { continue };
        for beginning in *beginnings {
            n += 1;
            let key = format!("{beginning}{}", "A1B2C3D4E5".repeat(10).get(..*at_least).unwrap());
            assert_eq!(told(&format!("({key})")), "(<KEY>)", "{key}");
            let short = key.get(..key.len() - 1).unwrap();
            assert_eq!(told(&format!("({short})")), format!("({short})"), "{short}");
        }
    }
    assert!(n > 70, "{n}");
}
