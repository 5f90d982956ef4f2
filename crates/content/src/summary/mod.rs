//! `SUMMARY.md`: the table of contents of a space.

mod edit;
mod pair;
mod print;

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;

use crate::reference::{self, Target};
use crate::source::{Span, Warning};
use crate::{emoji, markdown, yaml};

pub use edit::{edit, set_title};

/// Maximum nesting depth. Deeper entries become siblings of the deepest ones allowed.
const MAX_DEPTH: usize = 64;

/// Number of entries that every table of contents may have, regardless of its length.
const MIN_ENTRY_LIMIT: usize = 10_000;

/// Bytes of text for each further entry. The shortest entry that lists a page, `* [a](b.md)`, has
/// this length, so that only tables of empty entries exceed the limit.
const BYTES_PER_ENTRY: usize = 12;

/// A table of contents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// The top-level entries, in order.
    pub entries: Vec<Entry>,
    /// Problems found while parsing.
    pub warnings: Vec<Warning>,
}

/// An entry of a table of contents, with its children.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The title without markup and leading emoji. May be empty.
    pub title: String,
    /// The shorter title that navigation shows.
    pub link_title: Option<String>,
    /// The code of a leading emoji.
    pub emoji: Option<String>,
    /// The location in the source: whole lines, including those of the children.
    pub span: Span,
    /// The lines, counted from 0, including those of the children.
    pub lines: Range<usize>,
    /// The children, in order.
    pub children: Vec<Entry>,
}

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// A second-level heading: a top-level group.
    Group {
        /// The slug that an anchor on the heading specifies.
        slug: Option<String>,
    },
    /// A page.
    Page {
        /// The path of the page's file from the content root. The file may not exist.
        path: String,
    },
    /// A URL, an anchor on a page, or a page that is already listed.
    Link {
        /// The target as written, with escapes resolved.
        target: String,
    },
    /// Text without a link.
    Text,
    /// A page generated from another source, described in YAML.
    Computed {
        /// The description.
        source: Value,
    },
}

/// The desired contents of an entry: an [`Entry`] without its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The kind of the entry. Groups are allowed at the top level only.
    pub kind: EntryKind,
    /// The title without markup and leading emoji.
    pub title: String,
    /// The shorter title that navigation shows.
    pub link_title: Option<String>,
    /// The code of a leading emoji.
    pub emoji: Option<String>,
    /// The children, in order.
    pub children: Vec<Item>,
}

impl From<&Entry> for Item {
    fn from(entry: &Entry) -> Self {
        Self {
            kind: entry.kind.clone(),
            title: entry.title.clone(),
            link_title: entry.link_title.clone(),
            emoji: entry.emoji.clone(),
            children: entry.children.iter().map(Self::from).collect(),
        }
    }
}

impl Summary {
    /// Returns the entries without their locations.
    #[must_use]
    pub fn items(&self) -> Vec<Item> {
        self.entries.iter().map(Item::from).collect()
    }

    /// Returns all entries, each before its children.
    pub fn walk(&self) -> impl Iterator<Item = &Entry> {
        let mut stack: Vec<&Entry> = self.entries.iter().rev().collect();
        std::iter::from_fn(move || {
            let entry = stack.pop()?;
            stack.extend(entry.children.iter().rev());
            Some(entry)
        })
    }
}

/// Parses a table of contents. `path` is its own path from the content root, to which targets are
/// relative.
///
/// Parses at most 10,000 entries and one more for every 12 bytes of `source`. A warning names the
/// line of the first omitted entry.
#[must_use]
pub fn parse(source: &str, path: &str) -> Summary {
    let options = Options::ENABLE_STRIKETHROUGH;
    let mut reader = Reader::new(source, path);
    let limit = MIN_ENTRY_LIMIT + source.len() / BYTES_PER_ENTRY;
    let seen = markdown::adapted(source);
    for (event, range) in Parser::new_ext(&seen, options).into_offset_iter() {
        if reader.entries >= limit && matches!(event, Event::Start(Tag::Item | Tag::Heading { .. }))
        {
            let line = reader.index.line(range.start) + 1;
            let message = format!(
                "The table has too many entries: {limit} are read, this one and those after it are omitted."
            );
            reader.warnings.push(Warning::at(line, message));
            break;
        }
        if let Event::Text(text) = &event {
            reader.text(markdown::original(source, &seen, range, text));
        } else {
            reader.event(event, range);
        }
    }
    reader.finish()
}

/// A folder with the content in one language, as a list of languages names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LanguageFolder {
    /// The name of the language, for readers.
    pub title: String,
    /// The code of the emoji before the name.
    pub emoji: Option<String>,
    /// The folder from that of the list, without a slash at the end.
    pub folder: String,
}

/// Parses a list of languages, which older tools keep in `LANGS.md`. Leaves out entries without a
/// folder and repeated folders.
///
/// `* [Deutsch](de/)` becomes the title `Deutsch` with the folder `de`.
#[must_use]
pub fn languages(source: &str) -> Vec<LanguageFolder> {
    let summary = parse(source, "LANGS.md");
    let mut known = std::collections::HashSet::new();
    let mut folders = Vec::new();
    for entry in summary.walk() {
        let EntryKind::Page { path } = &entry.kind else { continue };
        let path = path.trim_end_matches('/');
        let folder = match path.rsplit_once('/') {
            Some((folder, file)) if file.contains('.') => folder,
            _ => path,
        };
        let is_file = folder.to_ascii_lowercase().ends_with(".md");
        if folder.is_empty() || is_file || !known.insert(folder.to_owned()) {
            continue;
        }
        let title = entry.link_title.as_ref().unwrap_or(&entry.title);
        folders.push(LanguageFolder {
            title: if title.is_empty() { folder } else { title }.to_owned(),
            emoji: entry.emoji.clone(),
            folder: folder.to_owned(),
        });
    }
    folders
}

/// An index of line starts that maps an offset to its line in logarithmic time.
struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    fn new(source: &str) -> Self {
        let breaks = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self { starts: std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect() }
    }

    /// Returns the line of an offset, counted from 0.
    fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// An entry that is still open.
#[derive(Default)]
struct Draft {
    start: usize,
    text: String,
    /// The target, title and text of the first link.
    link: Option<(String, String, String)>,
    link_text_from: Option<usize>,
    slug: Option<String>,
    code: Option<String>,
    children: Vec<Entry>,
}

struct Reader<'s> {
    source: &'s str,
    path: &'s str,
    index: LineIndex,
    top: Vec<Entry>,
    /// `true` while a group, the last entry of `top`, is open.
    in_group: bool,
    /// The open entries, outermost first. An open heading is always the only one.
    open: Vec<Draft>,
    /// The number of entries begun so far.
    entries: usize,
    /// The number of open list items beyond the depth limit.
    items_beyond_limit: usize,
    heading: Option<HeadingLevel>,
    first_heading: bool,
    in_code: bool,
    listed: HashSet<String>,
    warnings: Vec<Warning>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, path: &'s str) -> Self {
        Self {
            source,
            path,
            index: LineIndex::new(source),
            top: Vec::new(),
            in_group: false,
            open: Vec::new(),
            entries: 0,
            items_beyond_limit: 0,
            heading: None,
            first_heading: true,
            in_code: false,
            listed: HashSet::new(),
            warnings: Vec::new(),
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if self.open.is_empty() => {
                self.heading = Some(level);
                self.entries += 1;
                self.open.push(Draft { start: range.start, ..Draft::default() });
            }
            Event::End(TagEnd::Heading(_)) => self.end_heading(range.end),
            Event::Start(Tag::Item) => {
                // After a tab, the range may begin at the preceding line ending.
                let item = self.source.get(range.clone()).unwrap_or_default();
                self.start_item(range.end - item.trim_start().len());
            }
            Event::End(TagEnd::Item) => self.end_item(range.end),
            Event::Start(Tag::Link { dest_url, title, .. }) => {
                if let Some(draft) = self.open.last_mut().filter(|draft| draft.link.is_none()) {
                    draft.link_text_from = Some(draft.text.len());
                    draft.link = Some((dest_url.into_string(), title.into_string(), String::new()));
                }
            }
            Event::End(TagEnd::Link) => {
                if let Some(draft) = self.open.last_mut()
                    && let (Some(from), Some(link)) = (draft.link_text_from.take(), &mut draft.link)
                {
                    draft.text.get(from..).unwrap_or_default().clone_into(&mut link.2);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => self.in_code = true,
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::Code(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::InlineHtml(html) => {
                if let Some(draft) = self.open.last_mut()
                    && draft.slug.is_none()
                {
                    draft.slug = anchor_of(&html);
                }
            }
            Event::Rule if self.open.is_empty() => self.in_group = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let in_code = self.in_code;
        if let Some(draft) = self.open.last_mut() {
            if in_code {
                draft.code.get_or_insert_default().push_str(text);
            } else {
                draft.text.push_str(text);
            }
        }
    }

    fn start_item(&mut self, start: usize) {
        self.entries += 1;
        if self.open.len() >= MAX_DEPTH {
            // Close the open entry, so that the depth stays bounded.
            self.items_beyond_limit += 1;
            if self.items_beyond_limit == 1 {
                let line = self.index.line(start) + 1;
                self.warnings.push(Warning::at(line, "Entries are nested too deeply."));
            }
            let parent = self.open.pop();
            self.close(parent, start);
        }
        self.open.push(Draft { start, ..Draft::default() });
    }

    fn end_item(&mut self, end: usize) {
        let draft = self.open.pop();
        self.close(draft, end);
    }

    fn close(&mut self, draft: Option<Draft>, end: usize) {
        let Some(draft) = draft else { return };
        let entry = self.entry(draft, end);
        let siblings = match (self.open.last_mut(), self.top.last_mut()) {
            (Some(parent), _) => &mut parent.children,
            (None, Some(group)) if self.in_group => {
                group.span.end = group.span.end.max(entry.span.end);
                group.lines.end = group.lines.end.max(entry.lines.end);
                &mut group.children
            }
            _ => &mut self.top,
        };
        siblings.push(entry);
    }

    fn end_heading(&mut self, end: usize) {
        let Some(level) = self.heading.take() else {
            return;
        };
        let Some(draft) = self.open.pop() else { return };
        let is_title = self.first_heading && level == HeadingLevel::H1;
        self.first_heading = false;
        if is_title {
            return;
        }
        let span = Span::new(draft.start, end);
        let title = draft.text.trim().to_owned();
        let (emoji, title) = split_emoji(title);
        self.in_group = true;
        self.top.push(Entry {
            kind: EntryKind::Group { slug: draft.slug },
            title,
            link_title: None,
            emoji,
            lines: self.lines(span),
            span,
            children: Vec::new(),
        });
    }

    fn entry(&mut self, draft: Draft, end: usize) -> Entry {
        let span = Span::new(draft.start, end);
        let line = self.index.line(draft.start) + 1;
        let (title, link_title, kind) = match (draft.link, draft.code) {
            (Some((target, link_title, text)), _) => {
                let kind = self.link(target, line);
                (text, Some(link_title).filter(|title| !title.is_empty()), kind)
            }
            (None, Some(code)) if draft.text.trim().is_empty() => match yaml::parse(&code) {
                Ok(source) => (String::new(), None, EntryKind::Computed { source }),
                Err(message) => {
                    let message =
                        format!("The description of a computed page is not valid YAML: {message}");
                    self.warnings.push(Warning::at(line, message));
                    (String::new(), None, EntryKind::Text)
                }
            },
            (None, _) => (draft.text, None, EntryKind::Text),
        };
        let (emoji, title) = split_emoji(title.trim().to_owned());
        let mut children = draft.children;
        children.shrink_to_fit();
        Entry { kind, title, link_title, emoji, lines: self.lines(span), span, children }
    }

    fn link(&mut self, target: String, line: usize) -> EntryKind {
        match Target::parse(&target, self.path) {
            Target::Path { path, anchor: None } => {
                let path = page_path(&path);
                if self.listed.insert(path.clone()) {
                    return EntryKind::Page { path };
                }
                let message =
                    format!("`{path}` is listed already; this entry becomes a link to it.");
                self.warnings.push(Warning::at(line, message));
                EntryKind::Link { target }
            }
            Target::Broken(text) => {
                if text.is_empty() {
                    return EntryKind::Text;
                }
                self.warnings.push(Warning::at(
                    line,
                    format!("`{text}` does not refer to a file of this space."),
                ));
                EntryKind::Link { target }
            }
            _ => EntryKind::Link { target },
        }
    }

    fn lines(&self, span: Span) -> Range<usize> {
        let last = span.of(self.source).trim_end().len() + span.start;
        let first = self.index.line(span.start);
        first..self.index.line(last.saturating_sub(1).max(span.start)) + 1
    }

    fn finish(mut self) -> Summary {
        while let Some(draft) = self.open.pop() {
            self.close(Some(draft), self.source.len());
        }
        Summary { entries: self.top, warnings: self.warnings }
    }
}

/// Returns the path of the page that an entry's target lists in the table of contents at `path`, or
/// `None` for a target of another kind.
#[must_use]
pub fn listed_page(target: &str, path: &str) -> Option<String> {
    match Target::parse(target, path) {
        Target::Path { path, anchor: None } => Some(page_path(&path)),
        _ => None,
    }
}

/// Returns the target of a page for an entry of the table of contents at `path`.
#[must_use]
pub fn target(page: &str, path: &str) -> String {
    reference::relative(path, page, false)
}

/// Returns the file of a listed path: a folder stands for its `README.md`.
fn page_path(path: &str) -> String {
    if path.is_empty() || path.ends_with('/') {
        format!("{path}README.md")
    } else {
        path.to_owned()
    }
}

fn split_emoji(title: String) -> (Option<String>, String) {
    match emoji::split_leading(&title) {
        Some((code, rest)) if !rest.is_empty() => (Some(code), rest.to_owned()),
        _ => (None, title),
    }
}

/// Returns the id of an anchor such as `<a href="#s" id="s">`.
fn anchor_of(html: &str) -> Option<String> {
    if !html.starts_with("<a ") {
        return None;
    }
    let (_, rest) = html.split_once(" id=\"").or_else(|| html.split_once(" name=\""))?;
    rest.split_once('"').map(|(id, _)| id.to_owned()).filter(|id| !id.is_empty())
}

/// Infers the order of pages in a folder without a table of contents: `README.md` first, then by
/// name in byte order, with the contents of folders below them.
#[must_use]
pub fn infer<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut pages: Vec<&str> = paths
        .into_iter()
        .filter(|path| {
            let hidden = path.split('/').any(|part| part.starts_with('.'));
            let lower = path.to_ascii_lowercase();
            !hidden && reference::is_markdown(&lower) && lower != "summary.md"
        })
        .collect();
    pages.sort_by_cached_key(|path| {
        path.split('/')
            .map(|part| (!part.eq_ignore_ascii_case("readme.md"), part))
            .collect::<Vec<_>>()
    });
    pages.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
