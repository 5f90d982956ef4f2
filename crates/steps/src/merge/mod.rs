//! The merge of two changed documents: what one side changed becomes steps for the other one.

mod align;
mod difference;
mod inline;

use std::collections::HashMap;
use std::hash::Hash;

use self::align::Pairs;
pub use self::difference::Difference;
use crate::node::{Fragment, Node};
use crate::replace::Slice;
use crate::schema::NodeType;
use crate::step::{Change, Step};

/// The changes of one side as steps for the document of the other one.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The steps.
    pub steps: Vec<Step>,
    /// The document after the steps.
    pub doc: Node,
    /// Number of places that both sides changed differently. The texts of both are kept there.
    pub conflicts: usize,
}

impl Node {
    /// Returns the changes from `base` to `theirs` as steps for this document, which is another
    /// change of `base`. What this side wrote is never removed: where the other one removed or
    /// replaced it, both texts stay and count as a conflict.
    #[must_use]
    pub fn merged(&self, base: &Self, theirs: &Self) -> Merged {
        let mut merge = Merge::default();
        merge.children(base.content(), self.content(), theirs.content(), 0);
        let Merge { heads, mut edits, mut conflicts, is_new: _ } = merge;
        edits.sort_by_key(|edit| (edit.from, edit.to));
        let edits = edits.into_iter().rev().map(Edit::into_step);
        let mut doc = self.clone();
        let mut steps = Vec::new();
        for step in heads.into_iter().chain(edits) {
            match step.apply(&doc) {
                Ok(next) => {
                    doc = next;
                    steps.push(step);
                }
                // The two sides have no common form here, such as a list without any item.
                Err(_) => conflicts += 1,
            }
        }
        Merged { steps, doc, conflicts }
    }
}

/// A replacement of a range of the document that is changed.
#[derive(Debug)]
struct Edit {
    from: usize,
    to: usize,
    nodes: Vec<Node>,
}

impl Edit {
    fn into_step(self) -> Step {
        let Self { from, to, nodes } = self;
        let slice = Slice { content: Fragment::joined(nodes), open_start: 0, open_end: 0 };
        Step(Change::Replace { from, to, slice, is_structure: false })
    }
}

/// Adds the edits of the children of one node, with neighbouring ones joined.
fn push_joined(edits: &mut Vec<Edit>, mut own: Vec<Edit>) {
    own.sort_by_key(|edit| (edit.from, edit.to));
    let first = edits.len();
    for edit in own {
        match edits.get_mut(first..).and_then(<[Edit]>::last_mut) {
            Some(last) if last.to == edit.from => {
                last.to = edit.to;
                last.nodes.extend(edit.nodes);
            }
            _ => edits.push(edit),
        }
    }
}

#[derive(Debug, Default)]
struct Merge {
    /// Changes of types and attributes, which move no position.
    heads: Vec<Step>,
    edits: Vec<Edit>,
    conflicts: usize,
    /// `true` within nodes that both sides inserted, from which nothing is removed.
    is_new: bool,
}

impl Merge {
    /// Merges the children of a node, which begin at a position of the document.
    fn children(&mut self, base: &Fragment, mine: &Fragment, theirs: &Fragment, start: usize) {
        let to_mine = Pairs::of(base.as_slice(), mine.as_slice());
        let to_theirs = Pairs::of(base.as_slice(), theirs.as_slice());
        let starts = starts_of(mine, start);
        let start_of = |index: usize| starts.get(index).copied().unwrap_or(start + mine.size());
        let mut new_keys = new_keys(mine, &to_mine);
        let mut own = Vec::new();
        // Nodes that stay although the other side has none in their place.
        let mut stayed = HashMap::new();
        // The index in `mine` behind the last node up to each node of the base.
        let mut places = Vec::with_capacity(base.len());
        let mut place = 0;
        for (index, before) in base.iter().enumerate() {
            let my_index = to_mine.right(index);
            place = my_index.map_or(place, |index| index + 1);
            places.push(place);
            let my_node = my_index.and_then(|index| mine.get(index));
            let their_node = to_theirs.right(index).and_then(|index| theirs.get(index));
            match (my_index.zip(my_node), their_node) {
                (Some((at, node)), Some(other)) => self.node(before, node, other, start_of(at)),
                (Some(_), None) if self.is_new => {}
                (Some((at, node)), None) if node == before => {
                    own.push(Edit { from: start_of(at), to: start_of(at + 1), nodes: Vec::new() });
                }
                (Some((_, node)), None) => {
                    self.conflicts += 1;
                    stayed.extend(node.key().map(|key| (key, before)));
                }
                (None, Some(other)) if other != before => {
                    self.conflicts += 1;
                    own.push(insertion(other, start_of(place)));
                }
                (None, _) => {}
            }
        }
        let mut at = 0;
        for (index, node) in theirs.iter().enumerate() {
            if let Some(anchor) = to_theirs.left(index) {
                at = places.get(anchor).copied().unwrap_or(at);
                continue;
            }
            // The other side moved the node and changed nothing in it.
            if node.key().is_some_and(|key| stayed.get(key) == Some(&node)) {
                continue;
            }
            // This side may have inserted the node as well.
            match node.key().and_then(|key| new_keys.remove(key)) {
                Some(index) => self.inserted(mine.get(index), node, start_of(index)),
                None if is_among(node, mine, &to_mine, at) => {}
                None => own.push(insertion(node, start_of(at))),
            }
        }
        push_joined(&mut self.edits, own);
    }

    /// Adds to a node that this side inserted what the other side has in the same one.
    fn inserted(&mut self, mine: Option<&Node>, theirs: &Node, at: usize) {
        let before = std::mem::replace(&mut self.is_new, true);
        if let Some(mine) = mine {
            self.node(mine, mine, theirs, at);
        }
        self.is_new = before;
    }

    /// Merges a node that all sides have. It begins at a position of the document.
    fn node(&mut self, base: &Node, mine: &Node, theirs: &Node, at: usize) {
        if base == theirs || mine == theirs {
            return;
        }
        let is_text = [base, mine, theirs].iter().all(|node| node.kind().is_textblock());
        if base.kind() != theirs.kind() && mine.kind() != theirs.kind() {
            if is_text && theirs.kind().allows(mine.content()) {
                self.heads.push(retyped(mine, theirs, at));
            } else if mine == base && !self.is_new {
                let nodes = vec![theirs.clone()];
                self.edits.push(Edit { from: at, to: at + mine.size(), nodes });
                return;
            } else {
                self.conflicts += 1;
                return;
            }
        } else if mine.kind() == theirs.kind() {
            self.attributes(base, mine, theirs, at);
        }
        let [base, mine, theirs] = [base, mine, theirs].map(Node::content);
        match is_text {
            true => self.inline(base, mine, theirs, at + 1),
            false => self.children(base, mine, theirs, at + 1),
        }
    }

    /// Merges the attributes of a node, each by itself.
    fn attributes(&mut self, base: &Node, mine: &Node, theirs: &Node, at: usize) {
        for (name, value) in theirs.attrs().iter() {
            let [before, own] = [base.attr(name), mine.attr(name)];
            if value == before || value == own {
                continue;
            }
            if own == before {
                let (name, value) = (name.clone(), value.clone());
                self.heads.push(Step(Change::SetAttr { at, name, value }));
            } else if name != "rest" {
                self.conflicts += 1;
            }
        }
    }
}

/// Returns the positions at which the children of a node begin, and the end of the last one.
fn starts_of(content: &Fragment, start: usize) -> Vec<usize> {
    let mut at = start;
    let begin = content.iter().map(|node| {
        let begin = at;
        at += node.size();
        begin
    });
    let mut starts: Vec<usize> = begin.collect();
    starts.push(at);
    starts
}

fn insertion(node: &Node, at: usize) -> Edit {
    Edit { from: at, to: at, nodes: vec![node.clone()] }
}

/// Returns the nodes that this side inserted, by their names.
fn new_keys<'a>(mine: &'a Fragment, to_mine: &Pairs) -> HashMap<&'a str, usize> {
    let nodes = mine.iter().enumerate().filter(|(index, _)| to_mine.left(*index).is_none());
    nodes.filter_map(|(index, node)| Some((node.key()?, index))).collect()
}

/// Maximum number of nodes that are compared with one that the other side inserted.
const MAX_COMPARED: usize = 100;

/// Returns `true` if this side inserted the same node at an index.
fn is_among(node: &Node, mine: &Fragment, to_mine: &Pairs, at: usize) -> bool {
    let new = (at..mine.len()).take_while(|index| to_mine.left(*index).is_none());
    new.take(MAX_COMPARED).filter_map(|index| mine.get(index)).any(|other| other == node)
}

/// Returns the number of a value: the same for equal ones.
fn number_of<T: Eq + Hash>(known: &mut HashMap<T, u32>, value: T) -> u32 {
    let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
    *known.entry(value).or_insert(next)
}

/// Returns how many items two lists have in common at their beginnings and, behind those, at their
/// ends.
fn common_ends<T: PartialEq>(left: &[T], right: &[T]) -> (usize, usize) {
    let most = left.len().min(right.len());
    let start = left.iter().zip(right).take_while(|(one, other)| one == other).count();
    let rest = left.iter().rev().zip(right.iter().rev()).take(most - start);
    (start, rest.take_while(|(one, other)| one == other).count())
}

/// Returns the step that gives a text the type and the attributes of another one.
fn retyped(mine: &Node, theirs: &Node, at: usize) -> Step {
    let head = theirs.with_content(Fragment::default());
    let slice = Slice { content: Fragment::of(vec![head]), open_start: 0, open_end: 0 };
    let to = at + mine.size();
    Step(Change::ReplaceAround {
        from: at,
        to,
        gap_from: at + 1,
        gap_to: to - 1,
        slice,
        insert: 1,
        is_structure: true,
    })
}

impl NodeType {
    /// Returns `true` for nodes whose children are texts.
    const fn is_textblock(self) -> bool {
        matches!(self, Self::Paragraph | Self::Heading | Self::ExpandableTitle | Self::Code)
    }
}
