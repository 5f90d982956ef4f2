//! Differences as plain text: a line for each block, deleted words in `[-…-]`, inserted words in
//! `{+…+}`.

use serde_json::Value;

use super::{Attribute, Change, Difference, Entry, Part, Run};
use crate::document::{BlockKind, Cell, Inline, InlineKind, Leaf, Reference};
use crate::links::{Links, NoLinks};
use crate::reference::ContentRef;

/// Number of unchanged blocks shown before and after a change.
const CONTEXT: usize = 1;
/// Number of characters shown of an unchanged block.
const PREVIEW_LENGTH: usize = 96;

/// Renders a difference as text for a terminal.
#[must_use]
pub fn text(difference: &Difference<'_>, links: &dyn Links) -> String {
    let mut writer = Writer { text: String::new(), links };
    writer.list(&difference.entries, 0);
    writer.text
}

/// Formats a value as text.
#[must_use]
pub fn value_text(value: &Value, links: &dyn Links) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().map(|value| value_text(value, links)).collect::<Vec<_>>().join(", ")
        }
        Value::Object(object) => {
            let text = |name: &str| object.get(name).and_then(Value::as_str);
            let space = text("space");
            let page = || Some(links.page(text("page")?, space)?.title);
            let named = match text("kind") {
                Some("url") => text("url").map(ToOwned::to_owned),
                Some("page") => page(),
                Some("anchor") => {
                    let anchor = text("anchor").unwrap_or_default();
                    page().or(Some(String::new())).map(|page| format!("{page}#{anchor}"))
                }
                Some("file") => text("file").and_then(|file| Some(links.file(file)?.name)),
                Some("user") => text("user").and_then(|user| links.user(user)),
                _ => None,
            };
            named.unwrap_or_else(|| value.to_string())
        }
        Value::Number(number) => number.to_string(),
    }
}

/// Formats a changed attribute as a line.
#[must_use]
pub fn changed_value(attribute: &Attribute, links: &dyn Links) -> String {
    let Attribute { name, before, after } = attribute;
    let [before, after] = [before, after].map(|value| value_text(value, links));
    format!("{name}: [-{before}-] {{+{after}+}}")
}

/// Returns the text of inlines, with a word in place of those that are not text.
pub(crate) fn inline_text(nodes: &[Inline]) -> String {
    let mut text = String::new();
    nodes.iter().for_each(|node| push_inline(node, &mut text));
    text
}

fn push_inline(node: &Inline, text: &mut String) {
    let leaves = |leaves: &[Leaf], text: &mut String| {
        leaves.iter().for_each(|leaf| text.push_str(&leaf.text));
    };
    match &node.kind {
        InlineKind::Text(found) => leaves(found, text),
        InlineKind::Annotation(annotation) => leaves(&annotation.leaves, text),
        InlineKind::Link(link) => link.nodes.iter().for_each(|node| push_inline(node, text)),
        InlineKind::Emoji { code } => match crate::emoji::characters(code) {
            Some(characters) => text.push_str(&characters),
            None => text.push_str(&format!(":{code}:")),
        },
        InlineKind::Icon(icon) => text.push_str(&format!(":{}:", icon.icon)),
        InlineKind::Expression { expression } => text.push_str(&format!("{{{{ {expression} }}}}")),
        InlineKind::Math { formula } => text.push_str(&format!("${formula}$")),
        InlineKind::Image(image) => {
            let content = image.alt.as_deref().or(image.caption.as_deref());
            text.push_str(&format!(
                "[{}]",
                content.unwrap_or_else(|| target_text(&image.reference))
            ));
        }
        InlineKind::Mention(reference) => text.push_str(&format!("@{}", target_text(reference))),
        InlineKind::Button(button) => text.push_str(&format!("[{}]", button.label)),
    }
}

/// Returns the target of a reference, regardless of its spelling.
fn target_text(reference: &Reference) -> &str {
    match &reference.target {
        ContentRef::Url { url } => url,
        ContentRef::Page { page, .. } => page,
        ContentRef::Anchor { anchor, .. } => anchor,
        ContentRef::File { file } => file,
        ContentRef::User { user } => user,
        ContentRef::Collection { collection } => collection,
        ContentRef::Space { space } => space,
        ContentRef::ReusableContent { reusable_content, .. } => reusable_content,
        ContentRef::OpenApi { spec } => spec,
    }
}

/// Formats a text with its changes marked.
fn format_changes(runs: &[Run<'_>]) -> String {
    let mut text = String::new();
    for run in runs {
        match run.change {
            Change::Inserted => text.push_str(&format!("{{+{}+}}", inline_text(&run.after))),
            Change::Deleted => text.push_str(&format!("[-{}-]", inline_text(&run.before))),
            _ if run.text.is_empty() => text.push_str(&inline_text(&run.after)),
            _ => text.push_str(&format_changes(&run.text)),
        }
    }
    text
}

/// Formats a text that has the same change throughout.
fn format_text(runs: &[Run<'_>]) -> String {
    let nodes = |run: &Run<'_>| {
        inline_text(if run.change == Change::Deleted { &run.before } else { &run.after })
    };
    runs.iter().map(nodes).collect()
}

impl Part<'_> {
    /// Returns the text of the part in one line.
    #[must_use]
    pub fn words(&self) -> String {
        one_line(&Entry::whole(*self, Change::Same), &NoLinks)
    }
}

/// Formats a part and its content in one line.
fn one_line(entry: &Entry<'_>, links: &dyn Links) -> String {
    let entry = entry.expanded();
    let mut content: Vec<String> = Vec::new();
    let own = match entry.change {
        Change::Same | Change::Moved => format_text(&entry.text()),
        Change::Edited => format_changes(&entry.text()),
        Change::Inserted | Change::Deleted => format_text(&entry.text()),
        Change::MovedAway => return String::new(),
    };
    content.extend((!own.is_empty()).then_some(own));
    content.extend(
        entry.parts.iter().map(|part| one_line(part, links)).filter(|text| !text.is_empty()),
    );
    if let (Some(Part::Cell(cell, _)), []) = (entry.part(), content.as_slice()) {
        content.extend(cell_value(cell, links));
    }
    let is_whole = content.len() == 1 && !entry.parts.is_empty();
    let text = content.join(" ");
    match entry.change {
        // Changed content is marked itself.
        Change::Inserted if !is_whole && entry.parts.is_empty() => format!("{{+{text}+}}"),
        Change::Deleted if !is_whole && entry.parts.is_empty() => format!("[-{text}-]"),
        _ => text,
    }
}

fn cell_value(cell: &Cell, links: &dyn Links) -> Option<String> {
    let name = |reference: &Reference| {
        let target = serde_json::to_value(&reference.target).unwrap_or_default();
        value_text(&target, links)
    };
    match cell {
        Cell::Empty | Cell::Text { .. } => None,
        Cell::Number(number) => Some(number.to_string()),
        Cell::Unusable(text) => Some(text.clone()),
        Cell::Checkbox(checked) => Some(if *checked { "[x]" } else { "[ ]" }.to_owned()),
        Cell::Values(values) => Some(values.join(", ")),
        Cell::References(found) => Some(found.iter().map(name).collect::<Vec<_>>().join(", ")),
        Cell::Reference(reference) | Cell::Image { reference, .. } => Some(name(reference)),
    }
}

struct Writer<'l> {
    text: String,
    links: &'l dyn Links,
}

impl Writer<'_> {
    fn list(&mut self, entries: &[Entry<'_>], depth: usize) {
        let is_same = |at: usize| entries.get(at).is_none_or(|e| e.change == Change::Same);
        let mut omitted = 0_usize;
        for (at, entry) in entries.iter().enumerate() {
            let near = at.saturating_sub(CONTEXT)..=at + CONTEXT;
            if near.clone().all(is_same) {
                omitted += 1;
                continue;
            }
            self.write_omitted(&mut omitted, depth);
            if entry.change == Change::Same {
                self.unchanged(entry, depth);
            } else {
                self.entry(entry, depth);
            }
        }
        self.write_omitted(&mut omitted, depth);
    }

    fn write_omitted(&mut self, count: &mut usize, depth: usize) {
        if *count > 0 {
            self.line(' ', depth, &format!("… {count} unchanged"));
        }
        *count = 0;
    }

    fn unchanged(&mut self, entry: &Entry<'_>, depth: usize) {
        let content = one_line(entry, self.links);
        let mut line = self.label(entry);
        line.extend(content.chars().map(|c| if c == '\n' { ' ' } else { c }).take(PREVIEW_LENGTH));
        if content.chars().count() > PREVIEW_LENGTH {
            line.push('…');
        }
        self.line(' ', depth, &line);
    }

    fn entry(&mut self, entry: &Entry<'_>, depth: usize) {
        let sign = match entry.change {
            Change::Same => ' ',
            Change::Inserted => '+',
            Change::Deleted => '-',
            Change::Edited => '~',
            Change::Moved => '>',
            Change::MovedAway => '<',
        };
        let label = self.label(entry);
        if entry.change == Change::MovedAway {
            let part = entry.before.map(|part| Entry::whole(part, Change::Same));
            let content = part.map(|part| one_line(&part, self.links)).unwrap_or_default();
            let content: String = content.chars().take(PREVIEW_LENGTH).collect();
            return self.line(sign, depth, &format!("{label}{content} (moved away)"));
        }
        let entry = entry.expanded();
        if let Some(Part::Row(..)) = entry.part() {
            let cells: Vec<String> =
                entry.parts.iter().map(|cell| self.cell(cell, entry.change)).collect();
            return self.line(sign, depth, &format!("| {} |", cells.join(" | ")));
        }
        let content = match entry.change {
            Change::Inserted | Change::Deleted => format_text(&entry.text()),
            _ => format_changes(&entry.text()),
        };
        let moved = if entry.change == Change::Moved { " (moved)" } else { "" };
        self.line(sign, depth, &format!("{label}{content}{moved}"));
        let text = entry.text();
        let marks = text.iter().flat_map(|run| &run.attributes);
        for attribute in entry.attributes.iter().chain(marks) {
            let line = changed_value(attribute, self.links);
            self.line(sign, depth + 1, &line);
        }
        let notes: Vec<&Entry<'_>> = text.iter().flat_map(|run| &run.parts).collect();
        for note in notes.into_iter().filter(|note| note.change != Change::Same) {
            self.entry(note, depth + 1);
        }
        if entry.change == Change::Moved && !entry.is_edited() {
            return;
        }
        self.list(&entry.parts, depth + 1);
    }

    /// Formats a cell. In a row that was inserted or deleted, nothing is marked.
    fn cell(&self, cell: &Entry<'_>, row: Change) -> String {
        match (row, cell.part()) {
            (Change::Inserted | Change::Deleted, Some(part)) => {
                one_line(&Entry::whole(part, Change::Same), self.links)
            }
            _ => {
                let values = cell.attributes.iter().filter(|attribute| attribute.name == "value");
                let values = values.map(|a| changed_value(a, self.links));
                values.chain([one_line(cell, self.links)]).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Returns the label before the text of a part.
    fn label(&self, entry: &Entry<'_>) -> String {
        match entry.part() {
            None => String::new(),
            Some(Part::Block(block)) => match &block.kind {
                BlockKind::Paragraph(_) => String::new(),
                BlockKind::Heading(heading) => {
                    format!("{} ", "#".repeat(usize::from(heading.level.clamp(1, 3)) + 1))
                }
                BlockKind::Hint(hint) => format!("[hint {}] ", hint.style.name()),
                BlockKind::If { expression, .. } => format!("[if {expression}] "),
                BlockKind::Embed(embed) => format!("[embed {}] ", embed.url),
                BlockKind::Code(code) => match &code.syntax {
                    Some(syntax) => format!("[code {syntax}] "),
                    None => "[code] ".to_owned(),
                },
                BlockKind::File(file) => format!("[file {}] ", file.reference.raw),
                BlockKind::Drawing(reference)
                | BlockKind::ContentRef(reference)
                | BlockKind::ReusableContent(reference) => {
                    let name = entry.part().map_or("", |part| part.name());
                    format!("[{name} {}] ", reference.raw)
                }
                _ => format!("[{}] ", entry.part().map_or("", |part| part.name())),
            },
            Some(Part::Item(item)) => match item.kind.checked {
                None => "* ".to_owned(),
                Some(checked) => if checked { "* [x] " } else { "* [ ] " }.to_owned(),
            },
            Some(Part::Image(image)) => format!("[image {}] ", image.kind.reference.raw),
            Some(Part::Line(_) | Part::Source(_)) => "| ".to_owned(),
            Some(Part::Tab(_)) => "[tab] ".to_owned(),
            Some(Part::Step(_)) => "[step] ".to_owned(),
            Some(part) => format!("[{}] ", part.name()),
        }
    }

    /// Writes a line, or several if the text has breaks. Removes control characters.
    fn line(&mut self, sign: char, depth: usize, text: &str) {
        for line in text.trim_end().split('\n') {
            let start = self.text.len();
            self.text.push(sign);
            self.text.push(' ');
            (0..depth.min(12)).for_each(|_| self.text.push_str("  "));
            self.text.extend(line.chars().map(sanitize_char));
            self.text.truncate(start + self.text.get(start..).map_or(0, |l| l.trim_end().len()));
            self.text.push('\n');
        }
    }
}

/// Replaces the characters of a text that would control a terminal.
#[must_use]
pub fn sanitize_for_terminal(text: &str) -> String {
    text.chars().map(sanitize_char).collect()
}

/// Replaces control characters and those that change the direction of text.
fn sanitize_char(c: char) -> char {
    let turns = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if c != '\t' && c.is_control() || turns { char::REPLACEMENT_CHARACTER } else { c }
}
