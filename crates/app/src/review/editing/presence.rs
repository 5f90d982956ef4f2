//! The people in a session and the ranges that they have selected, in the memory of a node. Those who
//! are connected to other nodes are told by them.

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
    /// The windows that are connected to other nodes.
    others: HashMap<String, Present>,
    /// The names of those among them that changed since the last message.
    changed_others: Vec<String>,
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

    /// Returns the windows that are connected to this node.
    pub(super) fn own(&self) -> Vec<Present> {
        self.inner().windows.values().map(|window| window.present.clone()).collect()
    }

    /// Takes over the windows that are connected to other nodes. Returns `true` if something
    /// changed.
    pub(super) fn set_others(&self, others: Vec<Present>) -> bool {
        let mut inner = self.inner();
        let Inner { windows, others: known, changed_others, left } = &mut *inner;
        let new: HashMap<String, Present> = others
            .into_iter()
            // A window that connects to another node is known to both for a moment.
            .filter(|present| !windows.contains_key(&present.client))
            .map(|present| (present.client.clone(), present))
            .collect();
        let before = (changed_others.len(), left.len());
        let gone = known.keys().filter(|client| !new.contains_key(*client));
        left.extend(gone.filter(|client| !windows.contains_key(*client)).cloned());
        let changed = new.iter().filter(|(client, present)| known.get(*client) != Some(*present));
        changed_others.extend(changed.map(|(client, _)| client.clone()));
        let has_changed = before != (changed_others.len(), left.len());
        *known = new;
        has_changed
    }

    /// Returns everybody.
    pub(super) fn all(&self) -> PeopleChange {
        let inner = self.inner();
        let own = inner.windows.values().map(|window| window.present.clone());
        let present = own.chain(inner.others.values().cloned()).collect();
        PeopleChange { present, left: Vec::new() }
    }

    /// Returns the changes since the last call.
    pub(super) fn take_changes(&self) -> PeopleChange {
        let mut inner = self.inner();
        let mut left = std::mem::take(&mut inner.left);
        let changed_others = std::mem::take(&mut inner.changed_others);
        let mut present: Vec<Present> =
            changed_others.iter().filter_map(|client| inner.others.get(client).cloned()).collect();
        left.retain(|client| !inner.others.contains_key(client));
        for window in inner.windows.values_mut().filter(|window| window.is_changed) {
            window.is_changed = false;
            present.push(window.present.clone());
        }
        PeopleChange { present, left }
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

    #[test]
    fn windows_of_other_nodes_come_and_go() {
        let user = UserId::random(&Entropy::seeded(1));
        let window = |client: &str, head| Present {
            client: client.to_owned(),
            user,
            name: "Ann".to_owned(),
            selection: Some(Selection { version: 1, anchor: head, head }),
        };
        let people = People::default();
        assert!(people.set_others(vec![window("a", 1), window("b", 1)]));
        assert_eq!(people.take_changes().present.len(), 2);
        assert!(!people.set_others(vec![window("a", 1), window("b", 1)]));
        assert!(people.set_others(vec![window("a", 2)]));
        let changes = people.take_changes();
        assert_eq!((changes.present, changes.left), (vec![window("a", 2)], vec!["b".to_owned()]));
        // It connects to this node, which knows more.
        assert!(people.enter("a", user, "Ann"));
        assert!(!people.set_others(vec![window("a", 3)]));
        assert!(people.take_changes().left.is_empty());
        assert_eq!(people.all().present.len(), 1);
        assert!(people.own()[0].selection.is_none());
    }
}
