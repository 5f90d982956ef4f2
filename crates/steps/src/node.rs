//! Nodes, marks and fragments: the immutable tree that steps change.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::schema::{MarkType, NodeType};
use crate::text::Text;

/// The attributes of a node or a mark: each one that its type declares.
pub(crate) type Attrs = Map<String, Value>;

/// A mark of a text, such as bold or a link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub(crate) kind: MarkType,
    pub(crate) attrs: Arc<Attrs>,
}

/// The marks of a node, in the order of their types.
pub(crate) type Marks = Arc<[Mark]>;

impl Mark {
    /// Returns a set of marks with this one added. Marks that it excludes are removed.
    #[must_use]
    pub(crate) fn add_to(&self, set: &Marks) -> Marks {
        if set.contains(self) {
            return Arc::clone(set);
        }
        let mut found = Vec::with_capacity(set.len() + 1);
        let mut is_placed = false;
        for other in set.iter() {
            if self.kind.excludes(other.kind) {
                continue;
            }
            if other.kind.excludes(self.kind) {
                return Arc::clone(set);
            }
            if !is_placed && other.kind > self.kind {
                found.push(self.clone());
                is_placed = true;
            }
            found.push(other.clone());
        }
        if !is_placed {
            found.push(self.clone());
        }
        found.into()
    }

    /// Returns a set of marks without this one.
    #[must_use]
    pub(crate) fn remove_from(&self, set: &Marks) -> Marks {
        if !set.contains(self) {
            return Arc::clone(set);
        }
        set.iter().filter(|other| *other != self).cloned().collect()
    }
}

/// A node of a document. It never changes; a step makes other nodes.
#[derive(Clone, Debug)]
pub struct Node(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    kind: NodeType,
    attrs: Arc<Attrs>,
    marks: Marks,
    content: Fragment,
    text: Option<Text>,
    /// Number of bytes of the attributes of the node and its marks.
    attrs_size: usize,
    source: OnceLock<Arc<Value>>,
}

impl Node {
    pub(crate) fn new(kind: NodeType, attrs: Arc<Attrs>, content: Fragment, marks: Marks) -> Self {
        let attrs_size = attrs_size(&attrs, &marks);
        let source = OnceLock::new();
        Self(Arc::new(Inner { kind, attrs, marks, content, text: None, attrs_size, source }))
    }

    pub(crate) fn text(text: Text, marks: Marks) -> Self {
        Self(Arc::new(Inner {
            kind: NodeType::Text,
            attrs: Arc::default(),
            attrs_size: attrs_size(&Attrs::default(), &marks),
            marks,
            content: Fragment::default(),
            text: Some(text),
            source: OnceLock::new(),
        }))
    }

    pub(crate) fn kind(&self) -> NodeType {
        self.0.kind
    }

    pub(crate) fn attrs(&self) -> &Arc<Attrs> {
        &self.0.attrs
    }

    /// Returns an attribute, or `null` if there is none of this name.
    pub(crate) fn attr(&self, name: &str) -> &Value {
        self.0.attrs.get(name).unwrap_or(&Value::Null)
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.0.marks
    }

    /// Returns the children of the node.
    pub(crate) fn content(&self) -> &Fragment {
        &self.0.content
    }

    /// Returns the text of a text node.
    pub(crate) fn as_text(&self) -> Option<&Text> {
        self.0.text.as_ref()
    }

    /// Returns the JSON of the document model that the node was read from, or that was written for
    /// it.
    pub(crate) fn source(&self) -> Option<&Arc<Value>> {
        self.0.source.get()
    }

    /// Remembers the JSON of the document model for the node, unless it has one.
    pub(crate) fn set_source(&self, json: Arc<Value>) {
        let _already = self.0.source.set(json);
    }

    /// Returns the number of positions that the node takes in its parent.
    pub(crate) fn size(&self) -> usize {
        match &self.0.text {
            Some(text) => text.units(),
            None if self.0.kind.is_leaf() => 1,
            None => self.0.content.size + 2,
        }
    }

    /// Returns the number of positions in the node.
    #[must_use]
    pub fn content_size(&self) -> usize {
        self.0.content.size
    }

    /// Returns the number of bytes of the attributes of the node and of those in it.
    #[must_use]
    pub fn attrs_size(&self) -> usize {
        self.0.attrs_size + self.0.content.attrs_size
    }

    /// Returns the number of nodes within each other in the node.
    pub(crate) fn depth(&self) -> usize {
        self.0.content.depth
    }

    #[must_use]
    pub(crate) fn with_content(&self, content: Fragment) -> Self {
        Self::new(self.0.kind, Arc::clone(&self.0.attrs), content, Arc::clone(&self.0.marks))
    }

    #[must_use]
    pub(crate) fn with_marks(&self, marks: Marks) -> Self {
        if *marks == *self.0.marks {
            return self.clone();
        }
        match &self.0.text {
            Some(text) => Self::text(text.clone(), marks),
            None => {
                let Inner { kind, attrs, content, .. } = &*self.0;
                Self::new(*kind, Arc::clone(attrs), content.clone(), marks)
            }
        }
    }

    #[must_use]
    pub(crate) fn with_text(&self, text: Text) -> Self {
        Self::text(text, Arc::clone(&self.0.marks))
    }

    /// Returns the part of the node between two positions in it. `None` if one of them is inside of
    /// a character.
    pub(crate) fn cut(&self, from: usize, to: usize) -> Option<Self> {
        if let Some(text) = &self.0.text {
            let is_whole = from == 0 && to == text.units();
            return if is_whole {
                Some(self.clone())
            } else {
                Some(self.with_text(text.cut(from, to)?))
            };
        }
        if from == 0 && to == self.0.content.size {
            return Some(self.clone());
        }
        Some(self.with_content(self.0.content.cut(from, to)?))
    }

    /// Returns `true` if both are the same node, and not only equal ones.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the name of the node, by which it is known in other versions of the document.
    pub(crate) fn key(&self) -> Option<&str> {
        let name = match self.kind() {
            NodeType::TableRow => "record",
            NodeType::TableHeader => "column",
            _ => "key",
        };
        let of_atom = || self.attr("json").get(name).and_then(Value::as_str);
        self.attr(name).as_str().or_else(of_atom).filter(|key| !key.is_empty())
    }

    /// Returns `true` if the other node has the same type, attributes and marks.
    pub(crate) fn has_same_markup(&self, other: &Self) -> bool {
        let (one, other) = (&*self.0, &*other.0);
        one.kind == other.kind && one.attrs == other.attrs && one.marks == other.marks
    }

    /// Returns the node after a position, if there is one.
    pub(crate) fn at(&self, mut position: usize) -> Option<&Self> {
        let mut node = self;
        loop {
            let (index, offset) = node.0.content.find(position)?;
            node = node.0.content.get(index)?;
            if offset == position || node.0.text.is_some() {
                return Some(node);
            }
            position -= offset + 1;
        }
    }

    /// Returns `true` for a whole document, and `false` for a part of one.
    #[must_use]
    pub fn is_document(&self) -> bool {
        self.kind() == NodeType::Doc
    }

    /// Returns the text of the node and of all nodes in it.
    #[must_use]
    pub fn text_content(&self) -> String {
        let mut found = String::new();
        self.add_text(&mut found);
        found
    }

    fn add_text(&self, found: &mut String) {
        if let Some(text) = &self.0.text {
            found.push_str(text.as_str());
        }
        for child in self.0.content.iter() {
            child.add_text(found);
        }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.has_same_markup(other)
                && self.0.text == other.0.text
                && self.0.content == other.0.content)
    }
}

/// A sequence of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fragment {
    nodes: Arc<[Node]>,
    size: usize,
    /// Number of nodes within each other.
    depth: usize,
    /// Number of bytes of the attributes of the nodes.
    attrs_size: usize,
}

impl Fragment {
    /// Returns nodes as they are.
    pub(crate) fn of(nodes: Vec<Node>) -> Self {
        let size = nodes.iter().map(Node::size).sum();
        let depth = nodes.iter().map(|node| node.depth() + 1).max().unwrap_or(0);
        let attrs_size = nodes.iter().map(Node::attrs_size).sum();
        Self { nodes: nodes.into(), size, depth, attrs_size }
    }

    /// Returns nodes with neighbouring texts of the same marks joined.
    pub(crate) fn joined(nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut found = Vec::new();
        for node in nodes {
            push_joined(&mut found, node);
        }
        Self::of(found)
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    pub(crate) fn first(&self) -> Option<&Node> {
        self.nodes.first()
    }

    pub(crate) fn last(&self) -> Option<&Node> {
        self.nodes.last()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Node> {
        self.nodes.iter()
    }

    pub(crate) fn as_slice(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the index of the child at a position, and the position at which that child begins.
    /// A position between two children belongs to the second one. `None` if the position is behind
    /// the end.
    pub(crate) fn find(&self, position: usize) -> Option<(usize, usize)> {
        if position > self.size {
            return None;
        }
        if position == self.size {
            return Some((self.nodes.len(), position));
        }
        let mut start = 0;
        for (index, node) in self.nodes.iter().enumerate() {
            let end = start + node.size();
            if position < end {
                return Some((index, start));
            }
            start = end;
        }
        None
    }

    /// Returns the part between two positions. Nodes that reach beyond it are cut. `None` if a
    /// position is inside of a character.
    pub(crate) fn cut(&self, from: usize, to: usize) -> Option<Self> {
        if from == 0 && to == self.size {
            return Some(self.clone());
        }
        let mut found = Vec::new();
        let mut start = 0;
        for node in self.nodes.iter() {
            if start >= to || from >= to {
                break;
            }
            let end = start + node.size();
            if end > from {
                let is_inside = start >= from && end <= to;
                found.push(if is_inside {
                    node.clone()
                } else if node.as_text().is_some() {
                    node.cut(from.saturating_sub(start), node.size().min(to - start))?
                } else {
                    let size = node.content_size();
                    let first = from.saturating_sub(start + 1);
                    node.cut(first, size.min((to - start).saturating_sub(1)))?
                });
            }
            start = end;
        }
        Some(Self::of(found))
    }

    /// Returns this fragment with another one behind it.
    #[must_use]
    pub(crate) fn append(&self, other: &Self) -> Self {
        if self.is_empty() {
            return other.clone();
        }
        let mut found = self.nodes.to_vec();
        let mut rest = other.nodes.iter().cloned();
        if let Some(first) = rest.next() {
            push_joined(&mut found, first);
        }
        found.extend(rest);
        Self::of(found)
    }

    /// Returns the fragment with another node at an index.
    #[must_use]
    pub(crate) fn with(&self, index: usize, node: Node) -> Self {
        let mut nodes = self.nodes.to_vec();
        if let Some(place) = nodes.get_mut(index) {
            *place = node;
        }
        Self::of(nodes)
    }
}

impl PartialEq for Fragment {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.nodes, &other.nodes) || self.nodes == other.nodes
    }
}

/// Adds a node. A text is joined to one with the same marks before it.
pub(crate) fn push_joined(nodes: &mut Vec<Node>, node: Node) {
    if let (Some(text), Some(last)) = (node.as_text(), nodes.last_mut())
        && let Some(before) = last.as_text()
        && last.has_same_markup(&node)
    {
        *last = last.with_text(before.followed_by(text));
        return;
    }
    nodes.push(node);
}

/// Returns the number of bytes of attributes, approximately.
fn attrs_size(attrs: &Attrs, marks: &Marks) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len(),
            Value::Array(list) => list.iter().map(|value| size_of::<Value>() + of(value)).sum(),
            Value::Object(fields) => of_fields(fields),
            _ => 0,
        }
    }
    fn of_fields(fields: &Attrs) -> usize {
        fields.iter().map(|(name, value)| name.len() + size_of::<Value>() + of(value)).sum()
    }
    of_fields(attrs) + marks.iter().map(|mark| of_fields(&mark.attrs)).sum::<usize>()
}
