//! Numbers the notes that annotations refer to.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::document::Block;
use crate::document::equality::{ContentEq, digest};

/// Assigns each note its label. Annotations with the same note share one.
#[derive(Default)]
pub(super) struct Notes(RefCell<State>);

#[derive(Default)]
struct State {
    /// Indices of notes by the digest of their body.
    known: HashMap<u64, Vec<usize>>,
    notes: Vec<Note>,
    taken: HashSet<String>,
    next: usize,
    /// The number of notes that have been written.
    written: usize,
}

/// A note and its label.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) label: String,
    pub(super) body: Arc<Vec<Block>>,
}

impl Notes {
    /// Registers a note that the source already contains, under its label there.
    pub(super) fn keep(&self, label: &str, body: &Arc<Vec<Block>>) {
        let mut state = self.0.borrow_mut();
        state.taken.insert(label.to_owned());
        state.add(label.to_owned(), Arc::clone(body));
        state.written = state.notes.len();
    }

    /// Returns the label of a note.
    pub(super) fn label(&self, body: &Arc<Vec<Block>>) -> String {
        let mut state = self.0.borrow_mut();
        let digest = digest(body);
        let known = state.known.get(&digest).into_iter().flatten();
        let found = known.filter_map(|&index| state.notes.get(index));
        if let Some(note) = found.into_iter().find(|note| note.body.content_eq(body)) {
            return note.label.clone();
        }
        loop {
            state.next += 1;
            let label = state.next.to_string();
            if state.taken.insert(label.clone()) {
                state.add(label.clone(), Arc::clone(body));
                return label;
            }
        }
    }

    /// Returns the next note whose body has to be written.
    pub(super) fn next(&self) -> Option<Note> {
        let mut state = self.0.borrow_mut();
        let note = state.notes.get(state.written).cloned()?;
        state.written += 1;
        Some(note)
    }
}

impl State {
    fn add(&mut self, label: String, body: Arc<Vec<Block>>) {
        let index = self.notes.len();
        self.known.entry(digest(&body)).or_default().push(index);
        self.notes.push(Note { label, body });
    }
}
