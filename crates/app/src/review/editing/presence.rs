//! The people in a session and the ranges that they have selected, in the memory of a node.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bindery_model::UserId;

/// A range of the text, from where a selection began to its moving end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// The version of the text that the positions are in.
    pub version: i64,
    /// The position where it began.
    pub anchor: i64,
    /// The position of the cursor.
    pub head: i64,
}

/// A window of a person in a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Present {
    /// The name of the window, under which it sends steps.
    pub client: String,
    /// The person.
    pub user: UserId,
    /// The name of the person.
    pub name: String,
    /// The selected range; `None` until the person selects one.
    pub selection: Option<Selection>,
}

/// Windows that joined a session, left it, or selected another range.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PeopleChange {
    /// Those who came or selected something.
    pub present: Vec<Present>,
    /// The windows that left.
    pub left: Vec<String>,
}

impl PeopleChange {
    /// Returns `true` if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.present.is_empty() && self.left.is_empty()
    }
}

/// The people of one session.
#[derive(Debug, Default)]
pub(super) struct People(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    windows: HashMap<String, Window>,
    left: Vec<String>,
}

#[derive(Debug)]
struct Window {
    present: Present,
    /// Number of connections. A window that connects again has two for a moment.
    connections: usize,
    is_changed: bool,
}

impl People {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a window. Returns `false` if another person has its name.
    pub(super) fn enter(&self, client: &str, user: UserId, name: &str) -> bool {
        let mut inner = self.inner();
        if let Some(window) = inner.windows.get_mut(client) {
            if window.present.user != user {
                return false;
            }
            window.connections += 1;
            return true;
        }
        inner.left.retain(|left| left != client);
        let (client, name) = (client.to_owned(), name.to_owned());
        let present = Present { client: client.clone(), user, name, selection: None };
        inner.windows.insert(client, Window { present, connections: 1, is_changed: true });
        true
    }

    /// Removes a connection of a window, and the window with the last one.
    pub(super) fn leave(&self, client: &str) {
        let mut inner = self.inner();
        let Some(window) = inner.windows.get_mut(client) else { return };
        window.connections -= 1;
        if window.connections == 0 {
            inner.windows.remove(client);
            inner.left.push(client.to_owned());
        }
    }

    /// Sets the range that a window has selected. Returns `false` if the person has no such window.
    pub(super) fn select(&self, client: &str, user: UserId, selection: Selection) -> bool {
        let mut inner = self.inner();
        let window = inner.windows.get_mut(client).filter(|window| window.present.user == user);
        let Some(window) = window else { return false };
        window.present.selection = Some(selection);
        window.is_changed = true;
        true
    }

    /// Returns everybody.
    pub(super) fn all(&self) -> PeopleChange {
        let inner = self.inner();
        let present = inner.windows.values().map(|window| window.present.clone());
        PeopleChange { present: present.collect(), left: Vec::new() }
    }

    /// Returns the changes since the last call.
    pub(super) fn take_changes(&self) -> PeopleChange {
        let mut inner = self.inner();
        let left = std::mem::take(&mut inner.left);
        let changed = inner.windows.values_mut().filter(|window| window.is_changed);
        let present = changed.map(|window| {
            window.is_changed = false;
            window.present.clone()
        });
        PeopleChange { present: present.collect(), left }
    }
}

#[cfg(test)]
mod tests {
    use bindery_model::Entropy;

    use super::*;

    #[test]
    fn windows_come_select_and_leave() {
        let entropy = Entropy::seeded(1);
        let (ann, ben) = (UserId::random(&entropy), UserId::random(&entropy));
        let people = People::default();
        assert!(people.enter("a", ann, "Ann"));
        assert!(!people.enter("a", ben, "Ben"));
        assert!(people.enter("b", ben, "Ben"));
        assert_eq!(people.take_changes().present.len(), 2);
        assert!(people.take_changes().is_empty());
        let selection = Selection { version: 3, anchor: 1, head: 5 };
        assert!(!people.select("a", ben, selection));
        assert!(people.select("a", ann, selection));
        assert_eq!(people.take_changes().present[0].selection, Some(selection));
        // A second connection of the same window.
        assert!(people.enter("a", ann, "Ann"));
        people.leave("a");
        assert!(people.take_changes().is_empty());
        people.leave("a");
        assert_eq!(people.take_changes().left, ["a"]);
        assert_eq!(people.all().present.len(), 1);
    }
}
