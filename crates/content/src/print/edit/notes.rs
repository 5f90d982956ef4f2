//! Keeps the notes of a source in place and appends new ones.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::plan::Planner;
use super::source::prefixed;
use crate::document::equality::{ContentEq, digest};
use crate::document::{Annotation, Block, Document, Inline, InlineKind, Visit};
use crate::markdown;
use crate::print::PrintContext;
use crate::print::normal;
use crate::print::notes::Notes;
use crate::print::writer::Writer;
use crate::source::Span;

/// The changes to the notes of a source.
#[derive(Default)]
pub(super) struct NoteChanges {
    /// Labels of the notes whose text changed, with the new text.
    edited: Vec<(String, Arc<Vec<Block>>)>,
    /// Labels of the notes that are no longer referred to.
    unused: Vec<String>,
}

/// Registers the notes of the source with their text after the edit.
pub(super) fn register(
    before: &Document,
    after: &Document,
    notes: &Notes,
    context: &PrintContext<'_>,
) -> NoteChanges {
    let (old, new) = (annotations(before), annotations(after));
    let mut changed = NoteChanges::default();
    if old.is_empty() {
        return changed;
    }
    let remaining: HashSet<u64> = new.iter().map(|found| digest(&found.body)).collect();
    let mut seen = HashSet::new();
    let mut bodies: HashMap<u64, Vec<Arc<Vec<Block>>>> = HashMap::new();
    let mut kept = Vec::new();
    for found in old.iter().filter(|found| seen.insert(found.label.as_str())) {
        let body = Arc::new(normal::note_of(&found.body, &context.reader()));
        bodies.entry(digest(&body)).or_default().push(Arc::clone(&body));
        kept.push((found.label.as_str(), body));
    }
    let mut by_label: HashMap<&str, Vec<&Annotation>> = HashMap::new();
    for found in new {
        by_label.entry(found.label.as_str()).or_default().push(found);
    }
    for (label, body) in kept {
        notes.keep(label, &body);
        if remaining.contains(&digest(&body)) {
            continue;
        }
        let is_new = |found: &&&Annotation| {
            !bodies
                .get(&digest(&found.body))
                .is_some_and(|known| known.iter().any(|known| known.content_eq(&found.body)))
        };
        match by_label.get(label).and_then(|found| found.iter().find(is_new)) {
            Some(found) => {
                notes.keep(label, &found.body);
                changed.edited.push((label.to_owned(), Arc::clone(&found.body)));
            }
            None => changed.unused.push(label.to_owned()),
        }
    }
    changed
}

/// Returns all annotations of a document, in order.
fn annotations(document: &Document) -> Vec<&Annotation> {
    #[derive(Default)]
    struct Found<'d>(Vec<&'d Annotation>);
    impl<'d> Visit<'d> for Found<'d> {
        fn inline(&mut self, inline: &'d Inline) {
            if let InlineKind::Annotation(annotation) = &inline.kind {
                self.0.push(annotation);
            }
        }
    }
    let mut found = Found::default();
    document.walk(&mut found);
    found.0
}

/// Edits the changed notes in the source, removes the unused ones and appends new ones.
pub(super) fn write_changes(planner: &mut Planner<'_>, changed: &NoteChanges) {
    if !changed.edited.is_empty() || !changed.unused.is_empty() {
        let places: HashMap<String, Span> =
            markdown::note_places(planner.source).into_iter().collect();
        for (label, body) in &changed.edited {
            if let Some(place) = places.get(label) {
                let text = text(planner, label, body);
                let place = trimmed(planner.source, *place);
                let text = prefixed(&text, "", planner.line_end_at(place.start));
                planner.replace(place, text);
            }
        }
        for place in changed.unused.iter().filter_map(|label| places.get(label)) {
            let end = trimmed(planner.source, *place).end;
            let before = planner.source.get(..place.start).unwrap_or_default();
            let start = before.trim_end().len();
            planner.replace(Span::new(start, end), String::new());
        }
    }
    let mut added = String::new();
    while let Some(note) = planner.notes.next() {
        added.push_str("\n\n");
        added.push_str(&text(planner, &note.label, &note.body));
    }
    if !added.is_empty() {
        let end = planner.source.trim_end().len();
        let text = prefixed(&added, "", planner.line_end);
        planner.replace(Span::new(end, end), text);
    }
}

fn trimmed(source: &str, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(source).trim_end().len())
}

fn text(planner: &Planner<'_>, label: &str, body: &[Block]) -> String {
    let mut writer = Writer::default();
    planner.printer().note(label, body, &mut writer);
    writer.out.truncate(writer.out.trim_end_matches('\n').len());
    writer.out
}
