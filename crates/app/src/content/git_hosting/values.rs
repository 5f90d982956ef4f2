//! Values in answers of hosting services. Services are not trusted: each value is checked or
//! cleaned before it is used.

use bindery_outbound::Url;

/// Maximum size of an address in bytes.
const MAX_ADDRESS: usize = 2_000;
/// Maximum length of a title in characters.
const MAX_TITLE: usize = 500;
/// Maximum size of the name of a branch in bytes.
const MAX_BRANCH: usize = 1_000;

/// Returns a text as one line of at most `max` characters, without control characters and
/// characters that change the direction of text.
///
/// `a⏎b` becomes `a b`.
pub(super) fn shown(text: &str, max: usize) -> String {
    let is_odd = |char: char| {
        char.is_control()
            || matches!(char, '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{2028}' | '\u{2029}')
            || ('\u{202A}'..='\u{202E}').contains(&char)
            || ('\u{2066}'..='\u{2069}').contains(&char)
    };
    let clean = text.chars().map(|char| if is_odd(char) { ' ' } else { char });
    let words: String = clean.take(max.saturating_mul(4)).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    words.join(" ").chars().take(max).collect()
}

/// Returns the title of a pull request.
pub(super) fn title(text: &str) -> String {
    shown(text, MAX_TITLE)
}

/// Returns an address at which people see something; `None` unless it is one of the web without
/// credentials.
pub(super) fn address(text: &str) -> Option<String> {
    let is_plain = text.len() <= MAX_ADDRESS && !text.chars().any(char::is_control);
    let url = Url::parse(text).ok().filter(|_| is_plain)?;
    let is_web = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some_and(|host| !host.is_empty())
        && url.username().is_empty()
        && url.password().is_none();
    (is_web && url.as_str().len() <= MAX_ADDRESS).then(|| url.as_str().to_owned())
}

/// Returns the id of a commit in lower case; `None` unless it is a full one of SHA-1 or SHA-256.
pub(super) fn commit(text: &str) -> Option<String> {
    let is_full = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_full.then(|| text.to_ascii_lowercase())
}

/// Returns the short name of a branch; `None` if a branch cannot have this name.
pub(super) fn branch(text: &str) -> Option<String> {
    let is_odd = |char: char| char.is_control() || matches!(char, ' ' | '~' | '^' | ':' | '\\');
    let is_name =
        (1..=MAX_BRANCH).contains(&text.len()) && !text.starts_with('-') && !text.contains(is_odd);
    is_name.then(|| text.to_owned())
}

/// Returns the number of something; `None` unless it is positive and fits into the store.
pub(super) fn number(number: u64) -> Option<u64> {
    (number > 0 && i64::try_from(number).is_ok()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line() {
        for (text, max, expect) in [
            ("Add a page", 20, "Add a page"),
            (" a\r\n\tb ", 20, "a b"),
            ("a\u{0}b\u{1b}[31m\u{7f}", 20, "a b [31m"),
            ("a\u{202e}b\u{2066}c\u{200f}", 20, "a b c"),
            ("äöü", 2, "äö"),
            ("\n\n", 5, ""),
        ] {
            assert_eq!(shown(text, max), expect, "{text:?}");
        }
        assert_eq!(title(&"x".repeat(9_000)).len(), MAX_TITLE);
    }

    #[test]
    fn addresses_are_those_of_the_web() {
        let long = format!("https://git.example/{}", "x".repeat(MAX_ADDRESS));
        for (text, expect) in [
            ("https://git.example/a/b/pull/1", Some("https://git.example/a/b/pull/1")),
            ("http://127.0.0.1:80/x", Some("http://127.0.0.1/x")),
            ("https://git.example/\"><script>", Some("https://git.example/%22%3E%3Cscript%3E")),
            ("ftp://git.example/x", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("//git.example/x", None),
            ("https://user:word@git.example/x", None),
            ("https://git.example/a\nb", None),
            ("", None),
            (&long, None),
        ] {
            assert_eq!(address(text).as_deref(), expect, "{text:?}");
        }
    }

    #[test]
    fn commits_branches_and_numbers_are_checked() {
        let sha1 = "0123456789abcdef0123456789ABCDEF01234567";
        assert_eq!(commit(sha1).as_deref(), Some(sha1.to_ascii_lowercase().as_str()));
        assert!(commit(&"a".repeat(64)).is_some());
        for text in [
            "",
            "abc",
            &"g".repeat(40),
            &"a".repeat(41),
            "../../../../../../../../../../../../../x",
        ] {
            assert_eq!(commit(text), None, "{text}");
        }
        for (text, expect) in [
            ("main", true),
            ("bindery/cr-1", true),
            ("größe", true),
            ("", false),
            ("-x", false),
            ("a b", false),
            ("a\nb", false),
            ("owner:main", false),
            (&"x".repeat(MAX_BRANCH + 1), false),
        ] {
            assert_eq!(branch(text).is_some(), expect, "{text:?}");
        }
        assert_eq!([number(0), number(1), number(u64::MAX)], [None, Some(1), None]);
    }
}
