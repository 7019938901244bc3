//! The base of an API as the person gives it, without a URL parser: what is not plainly an address is refused.

use std::net::Ipv4Addr;

/// The address without a slash or the endpoint at its end.
///
/// # Errors
/// Why it cannot be used, in the person's words.
pub fn checked(url: &str) -> Result<String, &'static str> {
    let url = url.trim();
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let rest = rest.ok_or("要以 https:// 或 http:// 开头")?;
    if host(rest).is_empty() {
        return Err("没有主机名");
    }
    if authority(rest).contains('@') {
        return Err("地址里不要写用户名和密码，密钥放在环境变量里");
    }
    if rest.contains(['?', '#']) {
        return Err("不要带 ? 或 #，密钥放在环境变量里");
    }
    if rest.contains(|c: char| !c.is_ascii_graphic() || matches!(c, '"' | '\'' | '\\' | '<' | '>' | '`')) {
        return Err("有不该出现的字符");
    }
    let url = url.trim_end_matches('/');
    Ok(url.strip_suffix("/chat/completions").unwrap_or(url).trim_end_matches('/').to_owned())
}

/// The address for a message: neither a password before the host nor a key behind the path is repeated.
pub fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (login, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("…@", rest));
    format!("{scheme}://{login}{}", rest.split(['?', '#']).next().unwrap_or_default())
}

/// Whether the service is on this machine.
pub fn is_of_this_machine(url: &str) -> bool {
    let host = host(url.split_once("://").map_or(url, |(_, rest)| rest));
    host == "localhost" || host == "[::1]" || host.parse::<Ipv4Addr>().is_ok_and(|host| host.is_loopback())
}

/// Whether the key would go over the network in the clear.
pub fn is_in_the_clear(url: &str) -> bool {
    url.starts_with("http://") && !is_of_this_machine(url)
}

/// Whether the host is Anthropic's, or names itself after Claude (1.7).
pub fn is_anthropic(url: &str) -> bool {
    let host = host(url.split_once("://").map_or(url, |(_, rest)| rest)).to_ascii_lowercase();
    host.contains("anthropic") || host.contains("claude")
}

fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn host(rest: &str) -> &str {
    let authority = authority(rest);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.rsplit_once(':') {
        // A colon inside brackets is a part of the host.
        Some((host, port)) if !port.contains(']') => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_taken_as_people_write_it() {
        for url in
            ["https://h.example/v1", "https://h.example/v1/", " https://h.example/v1/chat/completions "]
        {
            assert_eq!(checked(url).unwrap(), "https://h.example/v1");
        }
        assert_eq!(checked("http://[::1]:8000").unwrap(), "http://[::1]:8000");
        for url in [
            "h.example/v1",
            "ftp://h.example",
            "https://",
            "https:///v1",
            "https://u:p@h.example/v1",
            "https://h.example/v1?key=x",
            "https://h.example/v1#key=x",
            "https://:8000/v1",
            "https://h.example/a b",
            "https://h.example/a\"b",
            "https://h.example/审",
        ] {
            assert!(checked(url).is_err(), "{url}");
        }
        for (url, told) in [
            ("https://u:p@h.example/v1", "https://…@h.example/v1"),
            ("https://h.example/v1?key=x", "https://h.example/v1"),
            ("https://u:p@h.example/v1?key=x", "https://…@h.example/v1"),
            ("https://h.example/v1#key=x", "https://h.example/v1"),
        ] {
            assert_eq!(without_secrets(url), told);
        }
    }

    #[test]
    fn r1_7_a_host_that_names_itself_after_claude_is_refused() {
        for url in
            ["https://api.anthropic.com", "https://Claude.example:443/v1", "https://x@my-claude.example"]
        {
            assert!(is_anthropic(url), "{url}");
        }
        for url in ["https://h.example/claude", "https://claude@h.example"] {
            assert!(!is_anthropic(url), "{url}");
        }
    }

    #[test]
    fn this_machine_is_told_from_others() {
        for url in
            ["http://127.0.0.1:11434", "http://localhost/v1", "http://[::1]:8000/v1", "http://[::1]/v1"]
        {
            assert!(is_of_this_machine(url) && !is_in_the_clear(url), "{url}");
        }
        for url in ["http://127.0.0.1@h.example/v1", "http://h.example:80", "http://127.h.example"] {
            assert!(!is_of_this_machine(url) && is_in_the_clear(url), "{url}");
        }
        assert!(!is_in_the_clear("https://h.example"));
    }
}
