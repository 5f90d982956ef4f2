//! Positions in a document, with the nodes around them.

use crate::error::{Error, Result};
use crate::node::Node;

/// A node around a position.
#[derive(Clone, Debug)]
struct Level {
    node: Node,
    /// The index of the child at or behind the position.
    index: usize,
    /// The position at which the content of the node begins.
    start: usize,
}

/// A position with the nodes around it, the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    at: usize,
    levels: Vec<Level>,
    /// Number of units of the text around the position that are before it.
    text_offset: usize,
}

impl Position {
    /// Finds a position in a document.
    pub(crate) fn resolve(doc: &Node, at: usize) -> Result<Self> {
        let mut levels = Vec::new();
        let (mut node, mut start, mut rest) = (doc, 0, at);
        let text_offset = loop {
            let (index, offset) = node.content().find(rest).ok_or(Error::Position(at))?;
            levels.push(Level { node: node.clone(), index, start });
            let inner = rest - offset;
            if inner == 0 {
                break 0;
            }
            let child = node.content().get(index).ok_or(Error::Position(at))?;
            if child.as_text().is_some() {
                break inner;
            }
            node = child;
            start += offset + 1;
            rest = inner - 1;
        };
        Ok(Self { at, levels, text_offset })
    }

    /// Returns the number of nodes around the position, without the document.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Returns the node around the position at a depth of at most [`Position::depth`].
    pub(crate) fn node(&self, depth: usize) -> &Node {
        &self.levels[depth].node
    }

    /// Returns the index of the child that the position is in or before, at a depth.
    pub(crate) fn index(&self, depth: usize) -> usize {
        self.levels[depth].index
    }

    /// Returns the index of the child behind the position, at a depth.
    pub(crate) fn index_after(&self, depth: usize) -> usize {
        let is_between = depth == self.depth() && self.text_offset == 0;
        self.levels[depth].index + usize::from(!is_between)
    }

    /// Returns the position at which the content of the node at a depth begins.
    pub(crate) fn start(&self, depth: usize) -> usize {
        self.levels[depth].start
    }

    /// Returns the position at which the content of the node at a depth ends.
    pub(crate) fn end(&self, depth: usize) -> usize {
        self.levels[depth].start + self.levels[depth].node.content_size()
    }

    /// Returns the offset of the position in the innermost node.
    pub(crate) fn parent_offset(&self) -> usize {
        self.at - self.start(self.depth())
    }

    /// Returns the depth of the innermost node that also contains another position.
    pub(crate) fn shared_depth(&self, other: usize) -> usize {
        (1..=self.depth())
            .rev()
            .find(|depth| self.start(*depth) <= other && other <= self.end(*depth))
            .unwrap_or(0)
    }

    /// Returns the parts of the text around the position, before and behind it. `None` outside of a
    /// text.
    pub(crate) fn split_text(&self) -> Result<Option<(Node, Node)>> {
        if self.text_offset == 0 {
            return Ok(None);
        }
        let depth = self.depth();
        let text = self.node(depth).content().get(self.index(depth));
        let text = text.ok_or(Error::Position(self.at))?;
        let parts = text.cut(0, self.text_offset).zip(text.cut(self.text_offset, text.size()));
        parts.map(Some).ok_or(Error::InsideCharacter(self.at))
    }
}
