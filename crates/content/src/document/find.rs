//! Finds, replaces and reverts single blocks of a document by their keys.

use super::complete::child_lists;
use super::{Block, Document, Key, Visit};

impl Document {
    /// Returns the block with this key, at any depth.
    #[must_use]
    pub fn block(&self, key: Key) -> Option<&Block> {
        struct Find<'d>(Key, Option<&'d Block>);
        impl<'d> Visit<'d> for Find<'d> {
            fn block(&mut self, block: &'d Block) {
                if block.key == self.0 {
                    self.1.get_or_insert(block);
                }
            }
        }
        let mut find = Find(key, None);
        self.walk(&mut find);
        find.1
    }

    /// Replaces the block with this key, or removes it if `with` is `None`. Returns `true` if the
    /// block exists. In a container whose only block is removed, an empty paragraph takes its
    /// place.
    pub fn replace(&mut self, key: Key, with: Option<Block>) -> bool {
        replace(&mut self.nodes, key, &mut Some(with), true)
    }
}

impl Document {
    /// Restores a block to its state in the document `former`: restores changed content, reinserts
    /// a removed block beside its former neighbours, and removes a block that `former` does not
    /// contain. Returns `false` if neither document contains the block.
    pub fn revert(&mut self, key: Key, former: &Self) -> bool {
        let was = former.block(key);
        if self.block(key).is_some() {
            return self.replace(key, was.cloned());
        }
        let Some(was) = was else { return false };
        let (before, after) = former.neighbours(key);
        let mut new = Some(was.clone());
        let beside =
            |side: &[Key], behind: bool, new: &mut Option<Block>, nodes: &mut Vec<Block>| {
                side.iter().any(|neighbour| insert(nodes, *neighbour, behind, new))
            };
        if !beside(&before, true, &mut new, &mut self.nodes) {
            beside(&after, false, &mut new, &mut self.nodes);
        }
        self.nodes.extend(new);
        true
    }

    /// Returns the keys of the siblings of a block: those before it, nearest first, and those after
    /// it.
    fn neighbours(&self, key: Key) -> (Vec<Key>, Vec<Key>) {
        fn find(nodes: &mut Vec<Block>, key: Key) -> Option<(Vec<Key>, Vec<Key>)> {
            if let Some(at) = nodes.iter().position(|block| block.key == key) {
                let keys: Vec<Key> = nodes.iter().map(|block| block.key).collect();
                let (before, after) = keys.split_at(at);
                let after = after.iter().skip(1).copied().collect();
                return Some((before.iter().rev().copied().collect(), after));
            }
            let mut found = None;
            for block in nodes {
                child_lists(block, &mut |nodes| {
                    if found.is_none() {
                        found = find(nodes, key);
                    }
                });
            }
            found
        }
        find(&mut self.nodes.clone(), key).unwrap_or_default()
    }
}

/// Inserts a block before or after the one with the key `beside`. Returns `true` if that block
/// exists.
fn insert(nodes: &mut Vec<Block>, beside: Key, behind: bool, new: &mut Option<Block>) -> bool {
    if let Some(at) = nodes.iter().position(|block| block.key == beside) {
        let at = at + usize::from(behind);
        if let Some(block) = new.take() {
            nodes.insert(at, block);
        }
        return true;
    }
    let mut found = false;
    for block in nodes {
        child_lists(block, &mut |nodes| {
            found = found || insert(nodes, beside, behind, new);
        });
    }
    found
}

fn replace(
    nodes: &mut Vec<Block>,
    key: Key,
    with: &mut Option<Option<Block>>,
    at_top: bool,
) -> bool {
    if let Some(at) = nodes.iter().position(|block| block.key == key) {
        match with.take().flatten() {
            Some(block) => nodes.splice(at..=at, [block]).for_each(drop),
            None if nodes.len() > 1 || at_top => drop(nodes.remove(at)),
            None => nodes.iter_mut().for_each(empty),
        }
        return true;
    }
    let mut found = false;
    for block in nodes {
        child_lists(block, &mut |nodes| {
            found = found || replace(nodes, key, with, false);
        });
    }
    found
}

/// Turns a block into an empty paragraph.
fn empty(block: &mut Block) {
    block.kind = super::BlockKind::Paragraph(super::Paragraph { align: None, nodes: Vec::new() });
}

#[cfg(test)]
mod tests {
    use crate::arbitrary::parse;

    #[test]
    fn blocks_are_found_replaced_and_removed() {
        let mut document = parse("a\n\n> b\n>\n> c\n\n- d\n");
        let text = |document: &super::Document| crate::text::plain(document);
        let quote = document.nodes[1].clone();
        let crate::document::BlockKind::Quote { nodes } = &quote.kind else { panic!("a quote") };
        let (b, c) = (nodes[0].key, nodes[1].key);
        assert_eq!(document.block(b), Some(&nodes[0]));
        let other = parse("x").nodes.remove(0);
        assert!(document.replace(b, Some(other.clone())));
        assert_eq!(document.block(b), None);
        assert!(text(&document).contains('x'));
        assert!(document.replace(c, None));
        assert!(document.replace(other.key, None));
        let crate::document::BlockKind::Quote { nodes } = &document.nodes[1].kind else {
            panic!("a quote")
        };
        assert_eq!(nodes.len(), 1);
        assert!(document.replace(quote.key, None));
        assert_eq!(document.nodes.len(), 2);
        assert!(!document.replace(quote.key, None));
    }
}
