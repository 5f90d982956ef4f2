//! Divides identifiers at changes of case and between letters and digits, and words at the joiners
//! that Persian writes inside of them.

use std::ops::Range;

/// Maximum number of parts of an identifier.
const MAX_PARTS: usize = 12;
/// Minimum length of a part in bytes; shorter ones, such as the `2` of `OAuth2`, are left out.
const MIN_PART_BYTES: usize = 2;

/// The sign that separates parts of a word, for which readers often type a space: `می‌توانند`.
const NON_JOINER: char = '\u{200C}';

/// Returns the parts of an identifier: `getUserById` has the parts `get`, `User`, `By` and `Id`.
/// Returns nothing for a word that is not divided.
pub(crate) fn parts(word: &str, out: &mut Vec<Range<usize>>) {
    out.clear();
    // Lower case words and numbers are by far the most frequent ones.
    let rest = word.as_bytes().get(1..).unwrap_or_default();
    if rest.iter().all(u8::is_ascii_lowercase)
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        || word.bytes().all(|byte| byte.is_ascii_digit())
    {
        return;
    }
    let mut start = 0;
    let mut push = |range: Range<usize>| {
        if range.len() >= MIN_PART_BYTES && out.len() < MAX_PARTS {
            out.push(range);
        }
    };
    let mut chars = word.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        if c == NON_JOINER {
            push(start..at);
            start = at + c.len_utf8();
            before = None;
            continue;
        }
        let after = chars.peek().map(|(_, after)| *after);
        if before.is_some_and(|before| is_boundary(before, c, after)) {
            push(start..at);
            start = at;
        }
        before = Some(c);
    }
    if start > 0 {
        push(start..word.len());
        // `OAuth2` is searched as `oauth` more often than as `auth`.
        let letters = word.trim_end_matches(char::is_numeric).len();
        if letters < word.len() && start == letters {
            push(0..letters);
        }
    }
}

fn is_boundary(before: char, c: char, after: Option<char>) -> bool {
    if before.is_numeric() != c.is_numeric() && before.is_alphanumeric() && c.is_alphanumeric() {
        return true;
    }
    // `userId` is divided before the `I`, `HTTPServer` before the `S`.
    c.is_uppercase()
        && (before.is_lowercase() || before.is_uppercase() && after.is_some_and(char::is_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_parts() {
        for (word, expect) in [
            ("getUserById", "get User By Id"),
            ("HTTPServer", "HTTP Server"),
            ("HTTP404", "HTTP 404 HTTP"),
            ("OAuth2", "Auth OAuth"),
            ("IPv6", "Pv IPv"),
            ("iPhone", "Phone"),
            ("Überschrift", ""),
            ("naïveSearch", "naïve Search"),
            ("word", ""),
            ("Word", ""),
            ("API", ""),
            ("1234", ""),
            ("می\u{200C}توانند", "می توانند"),
        ] {
            let mut found = Vec::new();
            parts(word, &mut found);
            let found: Vec<&str> = found.into_iter().map(|part| &word[part]).collect();
            assert_eq!(found.join(" "), expect, "{word}");
        }
    }
}
