//! Slugs of pages and anchors of headings.

use std::collections::HashMap;

use deunicode::deunicode_char;

/// Maximum length of a page slug, in characters.
const PAGE_SLUG_LIMIT: usize = 100;

/// Returns the anchor of a heading with this text; empty if no character is usable.
///
/// The text is lowercased, accents are dropped, other scripts are transliterated, and `&`, `|`, `<`
/// and `>` become words. Any other character outside `[a-z0-9._+]` becomes `-`. An anchor must not
/// begin with a digit, so such a slug is prefixed with `id-`.
#[must_use]
pub fn anchor(text: &str) -> String {
    let slug = slugify(text);
    if slug.starts_with(|c: char| c.is_ascii_digit()) { format!("id-{slug}") } else { slug }
}

/// Returns the slug of a page with this title.
#[must_use]
pub fn page(title: &str) -> String {
    let mut slug = slugify(title);
    slug.truncate(PAGE_SLUG_LIMIT);
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() { "page".to_owned() } else { slug }
}

/// Returns the slug of a page's file: its stem, or the name of its directory for a `README.md`. The
/// `README.md` at the root gives `readme`.
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
    /// `true` if a `-` precedes the next character.
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
        // Combining accents belong to the preceding letter.
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

/// Assigns ids that are unique within a page. Duplicates get a suffix: `-1`, `-2` and so on.
#[derive(Debug, Default)]
pub struct Anchors {
    /// The assigned ids, each with the next suffix to try.
    taken: HashMap<String, usize>,
}

impl Anchors {
    /// Returns `true` if the id is assigned.
    pub(crate) fn is_taken(&self, id: &str) -> bool {
        self.taken.contains_key(id)
    }

    /// Assigns `id`, with a numeric suffix if it is already assigned.
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
