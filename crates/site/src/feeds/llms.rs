//! The files `llms.txt` (<https://llmstxt.org>) of a site. Programs that read for language models cut
//! files after some length, so a long list of pages is divided into parts.

use std::fmt::Write as _;

use super::{FeedEntry, single_line};

/// Maximum length of a file in characters.
pub const MAX_CHARS: usize = 50_000;
/// Maximum number of parts that one file links to.
pub const MAX_LINKS: usize = 100;
/// The characters of a file that its title and its first paragraphs may have.
const HEAD_CHARS: usize = 3_000;
/// Maximum number of characters of the title of a page.
const TITLE_CHARS: usize = 200;
/// Maximum number of characters of the description of a page.
const DESCRIPTION_CHARS: usize = 500;

/// A list of pages with the address of each as Markdown.
#[derive(Debug)]
pub struct PageList {
    text: String,
    chars: usize,
    /// The section of the last page, if there is a page.
    section: Option<Option<String>>,
}

impl PageList {
    /// Creates a list without pages. `note` is the paragraph below the description.
    pub fn new(title: &str, description: Option<&str>, note: &str) -> Self {
        let text = head(title, description, note);
        Self { text, chars: HEAD_CHARS, section: None }
    }

    /// Adds a page. Returns `false` if the list is longer than [`MAX_CHARS`] with it.
    pub fn push(&mut self, entry: &FeedEntry) -> bool {
        if self.section.as_ref() != Some(&entry.section) {
            let heading = heading(entry);
            self.chars += heading.chars().count();
            self.text.push_str(&heading);
            self.section = Some(entry.section.clone());
        }
        let line = line(entry);
        self.chars += line.chars().count();
        self.text.push_str(&line);
        self.chars <= MAX_CHARS
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.text
    }
}

/// The division of a list of pages into parts.
#[derive(Debug, Default)]
pub struct Parts {
    parts: Vec<Part>,
    /// The length of the last part in characters.
    chars: usize,
    section: Option<String>,
}

/// A part of a list of pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The title of its first page.
    pub first: String,
    /// The title of its last page.
    pub last: String,
    /// The number of its pages.
    pub pages: usize,
}

impl Parts {
    /// Adds the next page and returns the number of its part, counted from 1. A part ends where a
    /// section begins, if it is half full, and otherwise where it is full.
    pub fn push(&mut self, entry: &FeedEntry) -> usize {
        let is_other = self.section != entry.section;
        let heading = heading(entry).chars().count();
        let added = line(entry).chars().count() + if is_other { heading } else { 0 };
        let room = MAX_CHARS - HEAD_CHARS;
        let title = cut(&single_line(&entry.title), TITLE_CHARS / 2);
        let is_full = self.chars + added > room || is_other && self.chars > room / 2;
        match self.parts.last_mut().filter(|_| !is_full) {
            Some(part) => {
                self.chars += added;
                part.last = title;
                part.pages += 1;
            }
            None => {
                self.chars = if is_other { added } else { added + heading };
                self.parts.push(Part { first: title.clone(), last: title, pages: 1 });
            }
        }
        self.section.clone_from(&entry.section);
        self.parts.len()
    }

    /// Returns the parts in order.
    pub fn list(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the number of pages of all parts.
    pub fn pages(&self) -> usize {
        self.parts.iter().map(|part| part.pages).sum()
    }
}

/// A list of further files.
#[derive(Debug)]
pub struct FileList(String);

impl FileList {
    /// Creates a list without files. `note` is the paragraph below the description.
    pub fn new(title: &str, description: Option<&str>, note: &str) -> Self {
        Self(head(title, description, note))
    }

    /// Begins the files of the space with this title.
    pub fn heading(&mut self, title: &str) {
        let _ = write!(self.0, "\n## {}\n\n", cut(&single_line(title), TITLE_CHARS));
    }

    /// Adds a file with this title, absolute address and number of pages.
    pub fn push(&mut self, title: &str, href: &str, pages: usize) {
        let title = link_text(&cut(&single_line(title), TITLE_CHARS + 3));
        let noun = if pages == 1 { "page" } else { "pages" };
        let _ = writeln!(self.0, "- [{title}]({}): {pages} {noun}", address(href));
    }

    /// Returns the text.
    pub fn finish(self) -> String {
        self.0
    }
}

impl Part {
    /// Returns the titles of its first and its last page.
    pub fn title(&self) -> String {
        match self.first == self.last {
            true => self.first.clone(),
            false => format!("{} – {}", self.first, self.last),
        }
    }
}

fn head(title: &str, description: Option<&str>, note: &str) -> String {
    let mut text = format!("# {}\n", cut(&single_line(title), TITLE_CHARS));
    let description = description.map(single_line).filter(|text| !text.is_empty());
    if let Some(description) = description {
        let _ = write!(text, "\n> {}\n", cut(&description, DESCRIPTION_CHARS));
    }
    let _ = write!(text, "\n{note}\n");
    text
}

/// Returns the heading of the section of a page with the blank lines around it.
fn heading(entry: &FeedEntry) -> String {
    let title = entry.section.as_deref().map_or_else(|| "Pages".to_owned(), single_line);
    format!("\n## {}\n\n", cut(&title, TITLE_CHARS))
}

fn line(entry: &FeedEntry) -> String {
    let href = entry.markdown_href.as_deref().unwrap_or(&entry.href);
    let title = cut(&single_line(&entry.title), TITLE_CHARS);
    let mut line = format!("- [{}]({})", link_text(&title), address(href));
    let description = entry.description.as_deref().map(single_line);
    if let Some(description) = description.filter(|text| !text.is_empty()) {
        let _ = write!(line, ": {}", cut(&description, DESCRIPTION_CHARS));
    }
    line.push('\n');
    line
}

/// Returns at most this number of characters of a text, with `…` in place of the rest.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some(_) => {
            let start: String = text.chars().take(chars - 1).collect();
            format!("{}…", start.trim_end())
        }
    }
}

fn address(href: &str) -> String {
    href.replace(')', "%29")
}

fn link_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}
