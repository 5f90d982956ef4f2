//! Texts of other hosts, made safe to show beside our own.

/// Maximum length of a title in characters.
pub(super) const MAX_TITLE: usize = 200;
/// Maximum length of the name of a site in characters.
pub(super) const MAX_SITE: usize = 80;
/// Maximum length of a description in characters.
pub(super) const MAX_DESCRIPTION: usize = 300;

/// Returns a text in one line, at most `limit` characters long, without characters that are
/// invisible or change the direction of the text around them. Returns `None` if nothing is left, or
/// if the bytes were not in the stated encoding.
pub(super) fn clean(text: &str, limit: usize) -> Option<String> {
    let mut out = String::new();
    let mut length = 0;
    let mut needs_space = false;
    for char in text.chars() {
        if char == char::REPLACEMENT_CHARACTER {
            return None;
        }
        if char.is_whitespace() || char.is_control() {
            needs_space = length > 0;
            continue;
        }
        if is_invisible(char) {
            continue;
        }
        let added = 1 + usize::from(needs_space);
        if length + added > limit {
            // The last character makes room for the sign that the text continues.
            if length >= limit {
                out.pop();
            }
            out.push('…');
            break;
        }
        if std::mem::take(&mut needs_space) {
            out.push(' ');
        }
        out.push(char);
        length += added;
    }
    (!out.is_empty()).then_some(out)
}

/// Returns `true` for characters without a form of their own: overrides and isolates of the
/// direction, zero-width spaces, tags and noncharacters. Joiners and marks of the direction remain,
/// because words need them.
fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{e000}'..='\u{f8ff}')
        || u32::from(char) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_one_line_of_visible_characters() {
        for (text, expect) in [
            ("  A\n\tB\u{0}C  ", Some("A B C")),
            ("\u{202e}evil\u{202c} \u{2066}x\u{2069}", Some("evil x")),
            ("a\u{200b}\u{feff}b", Some("ab")),
            ("می\u{200c}خواهم", Some("می\u{200c}خواهم")),
            ("1234567890", Some("1234567890")),
            ("12345678901", Some("123456789…")),
            ("123456789 1", Some("123456789…")),
            (" \u{202e}\n", None),
            ("", None),
            ("caf\u{fffd}", None),
            ("\u{e0041}\u{ffff}", None),
        ] {
            assert_eq!(clean(text, 10).as_deref(), expect, "{text:?}");
        }
        assert_eq!(clean(&"é".repeat(1 << 20), 200).unwrap().chars().count(), 200);
        assert_eq!(clean(&" ".repeat(1 << 20), 200), None);
    }
}
