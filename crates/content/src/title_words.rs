//! Compares the words of a heading with those of a title.

use std::collections::HashMap;

use crate::emoji;
use crate::text::{is_ideograph, is_unspaced};

/// Returns `true` if `title` says every word of `heading`. Letter case, punctuation, emoji and a
/// leading number such as `1.2` do not matter, nor does the order of the words.
///
/// For example, `API guide` says every word of `1. Guide: API`, but `Guide` does not.
pub(crate) fn says(title: &str, heading: &str) -> bool {
    let heading = without_id(heading);
    let heading = without_emoji(without_number(without_emoji(heading).trim()));
    let title = without_emoji(title);
    let letters = |text: &str| -> String { text.chars().flat_map(letter).collect() };
    is_covered(&words(&title), &words(&heading))
        || is_covered(&joined_words(&title), &joined_words(&heading))
        || letters(&title) == letters(&heading)
}

/// The words of a text.
#[derive(Default)]
struct Words {
    /// The number of times that each word occurs.
    counts: HashMap<String, usize>,
    /// Runs of letters of scripts that do not separate words by spaces, each followed by a space.
    unspaced: String,
}

fn is_covered(title: &Words, heading: &Words) -> bool {
    let said = |(word, count): (&String, &usize)| title.counts.get(word) >= Some(count);
    heading.counts.iter().all(said)
        && heading.unspaced.split_whitespace().all(|run| title.unspaced.contains(run))
}

/// Returns the words of a text, which any other character than a letter separates.
fn words(text: &str) -> Words {
    let mut words = Words::default();
    for word in text.split(|c: char| letter(c).next().is_none() && !is_within_word(c)) {
        words.add(word);
    }
    words
}

/// Returns the words of a text, which only spaces separate: `Node.js` is one word.
fn joined_words(text: &str) -> Words {
    let mut words = Words::default();
    text.split_whitespace().for_each(|word| words.add(word));
    words
}

impl Words {
    fn add(&mut self, word: &str) {
        let mut spaced = String::new();
        let mut in_run = false;
        for c in word.chars().flat_map(letter) {
            if is_ideograph(c) || is_unspaced(c) {
                self.unspaced.push(c);
                in_run = true;
            } else {
                if std::mem::take(&mut in_run) {
                    self.unspaced.push(' ');
                }
                spaced.push(c);
            }
        }
        if !spaced.is_empty() {
            *self.counts.entry(spaced).or_default() += 1;
        }
    }
}

/// Returns a letter or digit in lower case, and nothing for another character.
fn letter(c: char) -> impl Iterator<Item = char> {
    let is_letter = c.is_alphanumeric() && !is_emoji(c);
    is_letter.then(|| c.to_lowercase()).into_iter().flatten()
}

/// Returns `true` for characters that join the letters around them to one word.
fn is_within_word(c: char) -> bool {
    matches!(c, '\'' | '’' | '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{300}'..='\u{36F}')
}

/// Returns `true` for emoji that are letters in Unicode, such as squared capitals.
fn is_emoji(c: char) -> bool {
    matches!(u32::from(c), 0x1_F000..=0x1_FAFF)
}

/// Removes the explicit anchor at the end of a heading: `Title {#id}`.
fn without_id(heading: &str) -> &str {
    let before = heading.trim_end().strip_suffix('}').and_then(|text| text.rsplit_once("{#"));
    match before {
        Some((text, id)) if !id.is_empty() && !id.contains(char::is_whitespace) => text,
        _ => heading,
    }
}

/// Removes known shortcodes, and digits that are part of an emoji.
fn without_emoji(text: &str) -> String {
    const KEYCAP: [char; 2] = ['\u{FE0F}', '\u{20E3}'];
    let mut kept = String::with_capacity(text.len());
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 {
            kept.push(' ');
        }
        let name = word.strip_prefix(':').and_then(|word| word.strip_suffix(':'));
        if name.is_some_and(|name| emoji::by_shortcode(name).is_some()) {
            continue;
        }
        let mut characters = word.chars().peekable();
        while let Some(c) = characters.next() {
            let is_keycap = characters.peek().is_some_and(|next| KEYCAP.contains(next));
            if !(is_keycap && c.is_ascii_digit()) {
                kept.push(c);
            }
        }
    }
    kept
}

/// Removes the number of a chapter at the start of a text: `1.`, `2)`, `1.2`, `3 -` or `§ 4`. A
/// number without a mark is a word, as in `404 not found` and `7-Zip`.
fn without_number(text: &str) -> &str {
    const MARKS: [char; 4] = [')', '、', '．', '）'];
    const SPACED: [&str; 5] = [": ", "：", " - ", " – ", " — "];
    let start = text.trim_start_matches(['§', '(', '（', ' ']);
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let number = start.split(|c| !is_number(c)).next().unwrap_or_default();
    let rest = start.get(number.len()..).unwrap_or_default();
    let ends = rest.starts_with(MARKS) || SPACED.iter().any(|mark| rest.starts_with(mark));
    let has_mark = number.contains('.') || start.len() < text.trim_start().len() || ends;
    let is_short = number.split('.').all(|part| part.len() <= 3);
    let is_apart = ends || rest.starts_with(' ') || number.ends_with('.');
    let is_numbering = number.starts_with(|c: char| c.is_ascii_digit()) && has_mark && is_short;
    // A number alone is the title itself.
    if is_numbering && is_apart && rest.contains(char::is_alphabetic) { rest } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_the_words_of_its_heading() {
        for (title, heading) in [
            ("Install", "Install"),
            ("install", "INSTALL!"),
            ("Install on Linux", "Install"),
            ("API: users", "Users API"),
            ("Introduction", "1. Introduction"),
            ("Introduction", "1.2 Introduction"),
            ("Introduction", "2) Introduction"),
            ("Introduction", "01 - Introduction"),
            ("Introduction", "1: Introduction"),
            ("Introduction", "(3) Introduction"),
            ("Introduction", "1.Introduction"),
            ("Introduction", "🎉 Introduction"),
            ("Introduction", ":tada: Introduction"),
            ("Introduction", "1️⃣ Introduction"),
            ("Introduction", "🅰️ Introduction"),
            ("1. Introduction", "Introduction"),
            ("Setup", "Set-up"),
            ("Nodejs guide", "Node.js"),
            ("API / SDK", "API/SDK"),
            ("Don't", "Don’t"),
            ("Intro", "Intro {#start}"),
            ("安装指南", "安装（指南）"),
            ("安装指南 2", "指南"),
            ("Party", "🎉"),
            ("Anything", ""),
            ("404", "404."),
        ] {
            assert!(says(title, heading), "{title:?} {heading:?}");
        }
    }

    #[test]
    fn a_title_does_not_say_other_words() {
        for (title, heading) in [
            ("Welcome", "Install"),
            ("Install", "Install on Linux"),
            ("Bora", "Bora Bora"),
            ("Not found", "404 not found"),
            ("Review", "2024. Review"),
            ("Version", "Version 2.0"),
            ("工人", "人工"),
            ("指南", "安装指南"),
            ("Install", "安装 Install"),
            ("Strasse", "Straße"),
            ("", "x"),
            ("List", "List<String>"),
            ("Page", "1st page"),
            ("Zip guide", "7-Zip guide"),
            ("Beta notes", "2.0-beta notes"),
            ("Schedule", "10:30 schedule"),
        ] {
            assert!(!says(title, heading), "{title:?} {heading:?}");
        }
    }
}
