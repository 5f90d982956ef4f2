//! Slugs: the names that headings and pages have in addresses.

use std::collections::HashMap;

use deunicode::deunicode_char;

/// The longest slug of a page, in characters.
const PAGE_SLUG_LIMIT: usize = 100;

/// The anchor that a heading with this text has. Empty where no character can be used.
///
/// Lower case, accents dropped, other scripts transliterated; `&`, `|`, `<` and `>` become
/// words; whatever else is outside `[a-z0-9._+]` becomes `-`. A leading digit gets `id-` in
/// front, as an anchor must not begin with one.
#[must_use]
pub fn anchor(text: &str) -> String {
    let slug = slugify(text);
    if slug.starts_with(|c: char| c.is_ascii_digit()) { format!("id-{slug}") } else { slug }
}

/// The slug of a page with this title.
#[must_use]
pub fn page(title: &str) -> String {
    let mut slug = slugify(title);
    slug.truncate(PAGE_SLUG_LIMIT);
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() { "page".to_owned() } else { slug }
}

/// The slug that a page's file gives it: its stem, or its folder's name for a `README.md`;
/// `readme` for the one at the root.
#[must_use]
pub fn from_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = stem(name);
    if stem.eq_ignore_ascii_case("readme") {
        let folder = folder.rsplit('/').next().unwrap_or_default();
        return if folder.is_empty() { "readme".to_owned() } else { page(folder) };
    }
    page(stem)
}

fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() && is_page_extension(extension) => stem,
        _ => name,
    }
}

fn is_page_extension(extension: &str) -> bool {
    extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
}

fn slugify(text: &str) -> String {
    let mut slug = Slug { text: String::with_capacity(text.len()), separator: false };
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' | '_' | '+' => slug.push(c),
            'A'..='Z' => slug.push(c.to_ascii_lowercase()),
            '\'' => {}
            '&' => slug.word("and"),
            '|' => slug.word("or"),
            '>' => slug.word("greater-than"),
            '<' => slug.word("less-than"),
            _ if c.is_ascii() => slug.separator = true,
            _ => slug.transliterate(c),
        }
    }
    slug.text
}

struct Slug {
    text: String,
    /// Whether a `-` goes before the next character.
    separator: bool,
}

impl Slug {
    fn push(&mut self, c: char) {
        if self.separator && !self.text.is_empty() {
            self.text.push('-');
        }
        self.separator = false;
        self.text.push(c);
    }

    fn word(&mut self, word: &str) {
        self.separator = true;
        word.chars().for_each(|c| if c == '-' { self.separator = true } else { self.push(c) });
        self.separator = true;
    }

    fn transliterate(&mut self, c: char) {
        // Combining accents belong to the letter before them.
        if matches!(c, '\u{300}'..='\u{36F}' | '\u{FE0F}' | '\u{200B}'..='\u{200D}') {
            return;
        }
        if !c.is_alphanumeric() {
            self.separator = true;
            return;
        }
        for ascii in deunicode_char(c).unwrap_or_default().chars() {
            match ascii.to_ascii_lowercase() {
                letter @ ('a'..='z' | '0'..='9') => self.push(letter),
                '\'' => {}
                _ => self.separator = true,
            }
        }
    }
}

/// Hands out ids that are unique on one page: repeats get `-1`, `-2` and so on.
#[derive(Debug, Default)]
pub struct Anchors {
    /// The ids given out, each with the number to try next.
    taken: HashMap<String, usize>,
}

impl Anchors {
    /// Whether something has this id.
    pub(crate) fn is_taken(&self, id: &str) -> bool {
        self.taken.contains_key(id)
    }

    /// Takes `id` as it is, or with a number where it is taken.
    pub fn take(&mut self, id: &str) -> String {
        let id = if id.is_empty() { "section" } else { id };
        let Some(next) = self.taken.get(id).copied() else {
            self.taken.insert(id.to_owned(), 1);
            return id.to_owned();
        };
        let mut number = next;
        let unique = loop {
            let candidate = format!("{id}-{number}");
            number += 1;
            if !self.taken.contains_key(&candidate) {
                break candidate;
            }
        };
        self.taken.insert(id.to_owned(), number);
        self.taken.insert(unique.clone(), 1);
        unique
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_readable_anchors() {
        for (text, expected) in [
            ("Hello World", "hello-world"),
            ("1. Go!", "id-1.-go"),
            ("Été & d'or", "ete-and-dor"),
            ("User’s guide", "user-s-guide"),
            ("a | b > c", "a-or-b-greater-than-c"),
            ("snake_case v1.2+x", "snake_case-v1.2+x"),
            ("  -- x --  ", "x"),
            ("Привет мир", "privet-mir"),
            ("🎉 Party", "party"),
            ("🎉", ""),
        ] {
            assert_eq!(anchor(text), expected, "{text}");
        }
    }

    #[test]
    fn repeated_anchors_are_numbered() {
        let mut anchors = Anchors::default();
        let taken = ["a", "a", "a-1", "a", ""].map(|id| anchors.take(id));
        assert_eq!(taken, ["a", "a-1", "a-1-1", "a-2", "section"]);
    }

    #[test]
    fn page_slugs_come_from_files() {
        for (path, expected) in [
            ("README.md", "readme"),
            ("guides/README.md", "guides"),
            ("guides/1. Set up.md", "1.-set-up"),
            ("a/b.c.md", "b.c"),
            ("日本語.md", "ri-ben-yu"),
        ] {
            assert_eq!(from_path(path), expected, "{path}");
        }
        assert_eq!(page(&"abc ".repeat(100)).len(), 99);
    }
}
