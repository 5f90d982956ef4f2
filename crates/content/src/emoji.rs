//! Conversion between emoji, their shortcodes and the codes stored in documents.

use std::fmt::Write as _;

const VARIATION_SELECTOR: char = '\u{FE0F}';

/// Returns the code of an emoji: its code points in lower-case hexadecimal joined by `-`, without
/// the variation selector.
#[must_use]
pub fn code(emoji: &str) -> String {
    let mut code = String::new();
    for point in emoji.chars().filter(|&c| c != VARIATION_SELECTOR) {
        if !code.is_empty() {
            code.push('-');
        }
        let _ = write!(code, "{:x}", u32::from(point));
    }
    code
}

/// Returns the characters of a code, or `None` if it is invalid.
#[must_use]
pub fn characters(code: &str) -> Option<String> {
    code.split('-')
        .map(|point| u32::from_str_radix(point, 16).ok().and_then(char::from_u32))
        .collect()
}

/// Returns the emoji with this code as text, including its variation selector if it has one.
#[must_use]
pub fn text(code: &str) -> Option<String> {
    let characters = characters(code)?;
    Some(find(&characters).map_or(characters, |emoji| emoji.as_str().to_owned()))
}

/// Returns the emoji for a shortcode given without colons.
#[must_use]
pub fn by_shortcode(name: &str) -> Option<&'static str> {
    emojis::get_by_shortcode(name).map(emojis::Emoji::as_str)
}

/// Returns the shortcode of the emoji with this code, or its name if it has none.
#[must_use]
pub fn name(code: &str) -> Option<&'static str> {
    let emoji = find(&characters(code)?)?;
    Some(emoji.shortcode().unwrap_or_else(|| emoji.name()))
}

/// Splits off a leading emoji, given as a character or as a shortcode. Returns its code and the
/// remaining text.
#[must_use]
pub fn split_leading(text: &str) -> Option<(String, &str)> {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    if first.is_ascii() {
        let name = first.strip_prefix(':')?.strip_suffix(':')?;
        return Some((code(by_shortcode(name)?), rest.trim_start()));
    }
    // No emoji is nearly as long; the bound keeps the lookup cheap.
    if first.len() > 64 {
        return None;
    }
    find(first).map(|emoji| (code(emoji.as_str()), rest.trim_start()))
}

fn find(text: &str) -> Option<&'static emojis::Emoji> {
    emojis::get(text).or_else(|| {
        let bare: String = text.chars().filter(|&c| c != VARIATION_SELECTOR).collect();
        emojis::get(&bare).or_else(|| emojis::get(&format!("{bare}{VARIATION_SELECTOR}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        assert_eq!(code("🎉"), "1f389");
        assert_eq!(code("❤\u{FE0F}"), "2764");
        assert_eq!(characters("1f389").as_deref(), Some("🎉"));
        assert_eq!(characters("zz"), None);
        assert_eq!(text("2764").as_deref(), Some("❤\u{FE0F}"));
        assert_eq!(by_shortcode("tada"), Some("🎉"));
        assert_eq!(name("1f389"), Some("tada"));
    }

    #[test]
    fn leading_emoji_are_split_off() {
        assert_eq!(split_leading("🎉 Party"), Some(("1f389".to_owned(), "Party")));
        assert_eq!(split_leading(":tada: Party"), Some(("1f389".to_owned(), "Party")));
        assert_eq!(split_leading("Party 🎉"), None);
        assert_eq!(split_leading("été x"), None);
    }
}
