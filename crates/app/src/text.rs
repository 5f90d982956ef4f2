//! Validation of texts that users see: normalisation, and rejection of deceptive characters.

use bindery_content::emoji;
use bindery_model::{Error, FieldPath, Result};
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;

/// Validates a title or name. Normalises it to NFC and trims white space. Rejects control
/// characters, characters that change the direction of text, and other lengths than `min` to `max`
/// characters. `pointer` is the location of the field.
///
/// # Errors
/// Returns 400 with the location, the found and the allowed values.
pub fn title(pointer: impl Into<FieldPath>, text: &str, min: usize, max: usize) -> Result<String> {
    let text: String = text.trim().nfc().collect();
    if let Some(bad) = text.chars().find(|char| is_refused(*char)) {
        return Err(Error::invalid(format!(
            "found the character U+{:04X}, allowed: text without control or \
             direction override characters",
            u32::from(bad)
        ))
        .at(pointer.into()));
    }
    let length = text.chars().count();
    if length < min || length > max {
        return Err(Error::invalid(format!("found {length} characters, allowed: {min} to {max}"))
            .at(pointer.into()));
    }
    Ok(text)
}

/// Maximum length of an emoji in a request, in characters.
const EMOJI: usize = 50;

/// Returns the code of an emoji: its code points in lower-case hexadecimal, joined by `-`, without
/// variation selectors. Accepts the code (`1f600`, `1F468-200D-1F4BB`), the emoji itself and its
/// short name (`:books:`).
///
/// # Errors
/// Returns 400 with the location, the found and the allowed values.
pub fn emoji(pointer: impl Into<FieldPath>, given: &str) -> Result<String> {
    let code = match emoji::split_leading(given) {
        Some((code, "")) => Some(code),
        _ => emoji::characters(given)
            .filter(|characters| characters.chars().any(|char| char > '\u{A0}'))
            .filter(|characters| !characters.chars().any(is_refused))
            .map(|characters| emoji::code(&characters)),
    };
    code.filter(|code| !code.is_empty() && given.chars().count() <= EMOJI).ok_or_else(|| {
        let given: String = given.chars().take(EMOJI).collect();
        Error::invalid(format!(
            "found {given:?}, allowed: one emoji or its code, such as \
             \"1f600\" or \"1f468-200d-1f4bb\""
        ))
        .at(pointer.into())
    })
}

/// Returns a text with its case folded, for comparisons that ignore case.
pub fn folded(text: &str) -> String {
    let text: String = text.nfc().collect();
    UniCase::new(text).to_folded_case().nfc().collect()
}

fn is_refused(char: char) -> bool {
    char.is_control() || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Validates the form of a mail address: one `@` with text on both sides, and no white space. Only
/// a mail to the address shows that it exists.
///
/// # Errors
/// Returns 400 with the location, the found and the allowed values.
pub fn email(pointer: impl Into<FieldPath>, text: &str) -> Result<String> {
    let text: String = text.trim().nfc().collect();
    let valid = text.len() <= 254
        && !text.chars().any(|char| char.is_whitespace() || is_refused(char) || char == ',')
        && matches!(text.rsplit_once('@'), Some((name, host))
            if !name.is_empty() && !host.is_empty() && !name.contains('@'));
    if valid {
        Ok(text)
    } else {
        Err(Error::invalid("allowed: an email address").at(pointer.into()))
    }
}

/// Returns a domain of mail addresses in the form for comparisons: lower case and IDNA. Returns
/// `None` unless it has two or more labels and is no IP address.
pub fn domain(text: &str) -> Option<String> {
    let ascii =
        idna::domain_to_ascii_cow(text.trim().as_bytes(), idna::AsciiDenyList::STD3).ok()?;
    let labels = |label: &str| (1..=63).contains(&label.len());
    let last = ascii.rsplit('.').next()?;
    let valid = ascii.len() <= 253
        && ascii.contains('.')
        && ascii.split('.').all(labels)
        && last.bytes().any(|byte| byte.is_ascii_alphabetic());
    valid.then(|| ascii.into_owned())
}

/// Validates an address that a browser can load. `pointer` is the location of the field.
///
/// # Errors
/// Returns 400 with the location, the found and the allowed values.
pub fn web_address(pointer: impl Into<FieldPath>, address: &str) -> Result<String> {
    let lower = address.to_ascii_lowercase();
    if lower.starts_with("https://") || lower.starts_with("http://") {
        return Ok(address.to_owned());
    }
    Err(Error::invalid(format!(
        "found {address:?}, allowed: an address that begins with https:// or \
         http://"
    ))
    .at(pointer.into()))
}

/// Maximum length of a basename that is derived from a title, in characters.
const BASENAME: usize = 60;

/// Returns the path of a site, a section or a site space for a title: lower-case letters, digits
/// and hyphens.
pub fn basename(title: &str) -> String {
    let slug = bindery_content::slug::page(title);
    let mut out = String::new();
    for char in slug.chars().take(BASENAME) {
        match char {
            'a'..='z' | '0'..='9' => out.push(char),
            _ if out.ends_with('-') => {}
            _ => out.push('-'),
        }
    }
    match out.trim_matches('-') {
        "" => "docs".to_owned(),
        out => out.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emoji_is_given_as_itself_or_by_its_code() {
        for (given, expect) in [
            ("1f600", Some("1f600")),
            ("1F600", Some("1f600")),
            ("1f468-200d-1f4bb", Some("1f468-200d-1f4bb")),
            ("2764-fe0f", Some("2764")),
            ("31-20e3", Some("31-20e3")),
            ("\u{1F4D8}", Some("1f4d8")),
            (":books:", Some("1f4da")),
            ("zz zz", None),
            ("", None),
            ("-", None),
            ("41", None),
            ("a", None),
            ("1f600 1f601", None),
            ("\u{1F4D8} x", None),
            ("d800", None),
            ("202e", None),
            ("fe0f", None),
            ("1f600-1f600-1f600-1f600-1f600-1f600-1f600-1f600-1f600", None),
        ] {
            assert_eq!(emoji("/emoji", given).ok().as_deref(), expect, "{given:?}");
        }
    }

    #[test]
    fn titles_are_normalised_or_refused() {
        for (text, expect) in [
            (" Docs ", Some("Docs")),
            ("e\u{301}", Some("é")),
            ("a\u{202E}b", None),
            ("a\nb", None),
            ("", None),
            ("12345678901", None),
        ] {
            assert_eq!(title("/title", text, 1, 10).ok().as_deref(), expect, "{text:?}");
        }
    }

    #[test]
    fn case_is_folded_in_every_script() {
        for (one, other) in
            [("STRASSE", "Straße"), ("ΌΣΟΣ", "όσος"), ("É", "e\u{301}"), ("Docs", "dOCS")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("e"), folded("é"));
    }

    #[test]
    fn mail_addresses_have_two_sides() {
        for (text, valid) in
            [("a@b", true), ("a b@c", false), ("@b", false), ("a@", false), ("a@b@c", false)]
        {
            assert_eq!(email("/email", text).is_ok(), valid, "{text}");
        }
    }

    #[test]
    fn basenames_are_plain() {
        for (title, expect) in [
            ("Product Docs", "product-docs"),
            ("v1.2 API", "v1-2-api"),
            ("Été", "ete"),
            ("!!!", "page"),
            ("a_b", "a-b"),
        ] {
            assert_eq!(basename(title), expect, "{title}");
        }
    }
}
