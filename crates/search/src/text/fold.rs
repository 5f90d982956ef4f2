//! Folding: the form in which words are compared, without case, accents and variants of characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// Returns `true` for invisible characters that do not change a word.
pub(crate) fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{640}'
    )
}

/// Appends a word in lower case and normal form, with its accents.
pub(crate) fn lower(word: &str, out: &mut String) {
    if word.is_ascii() {
        let start = out.len();
        out.push_str(word);
        if let Some(added) = out.get_mut(start..) {
            added.make_ascii_lowercase();
        }
        return;
    }
    for c in word.nfkc().filter(|c| !is_ignored(*c)) {
        out.extend(c.to_lowercase());
    }
}

/// Appends a word that [`lower`] returned, without accents.
pub(crate) fn strip(lower: &str, out: &mut String) {
    if lower.is_ascii() {
        out.push_str(lower);
        return;
    }
    for c in lower.chars() {
        strip_char(c, out);
    }
}

fn strip_char(c: char, out: &mut String) {
    match c {
        'ß' => out.push_str("ss"),
        'æ' => out.push_str("ae"),
        'œ' => out.push_str("oe"),
        'ø' => out.push('o'),
        'đ' | 'ð' => out.push('d'),
        'ł' => out.push('l'),
        'ı' => out.push('i'),
        'þ' => out.push_str("th"),
        'ς' => out.push('σ'),
        'ё' => out.push('е'),
        'أ' | 'إ' | 'آ' | 'ٱ' => out.push('ا'),
        'ى' | 'ی' => out.push('ي'),
        'ک' => out.push('ك'),
        'ة' => out.push('ه'),
        // Accents that have no combined form, vowel signs of Hebrew and Arabic.
        '\u{300}'..='\u{36F}'
        | '\u{591}'..='\u{5BD}'
        | '\u{5BF}'
        | '\u{5C1}'..='\u{5C7}'
        | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}'
        | '\u{670}' => {}
        '\u{C0}'..='\u{24F}' | '\u{370}'..='\u{3FF}' | '\u{1E00}'..='\u{1FFF}' => {
            let mut is_first = true;
            decompose_canonical(c, |part| {
                if std::mem::take(&mut is_first) {
                    out.push(part);
                }
            });
        }
        _ => out.push(c),
    }
}

/// Appends the folded form of a word: lower case, normal form, without accents.
pub(crate) fn fold(word: &str, out: &mut String) {
    if word.is_ascii() {
        lower(word, out);
        return;
    }
    for c in word.nfkc().filter(|c| !is_ignored(*c)) {
        for c in c.to_lowercase() {
            strip_char(c, out);
        }
    }
}

/// Returns the folded form of a word.
pub(crate) fn folded(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    fold(word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_of_characters_are_equal() {
        for (word, expect) in [
            ("GetUser", "getuser"),
            ("Café", "cafe"),
            ("CAFE\u{301}", "cafe"),
            ("Straße", "strasse"),
            ("ＡＰＩ", "api"),
            ("ｶﾞｲﾄﾞ", "ガイド"),
            ("co\u{AD}op", "coop"),
            ("Ёлка", "елка"),
            ("йод", "йод"),
            ("İstanbul", "istanbul"),
            ("Đường", "duong"),
            ("مُحَمَّد", "محمد"),
            ("أهلا", "اهلا"),
            ("שָׁלוֹם", "שלום"),
            ("ΟΔΟΣ", "οδοσ"),
            ("ﬁle²", "file2"),
            ("\u{1112}\u{1161}\u{11AB}", "한"),
            ("हिन्दी", "हिन्दी"),
        ] {
            assert_eq!(folded(word), expect, "{word}");
            let (mut lowered, mut stripped) = (String::new(), String::new());
            lower(word, &mut lowered);
            strip(&lowered, &mut stripped);
            assert_eq!(stripped, expect, "{word}");
        }
    }
}
