//! The types of nodes and marks, and where each may stand. It is the schema of the browser
//! application's editor.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};

use crate::node::{Attrs, Fragment, Marks, Node};

/// Defines an enum with the names of its values.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $all:ident { $($value:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum $name { $($value),* }

        /// All values.
        const $all: &[$name] = &[$($name::$value),*];

        impl $name {
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$value => $text),* }
            }

            pub(crate) fn of_name(name: &str) -> Option<Self> {
                $all.iter().copied().find(|found| found.name() == name)
            }
        }
    };
}

named!(
    /// The type of a node.
    NodeType, NODE_TYPES {
        Doc = "doc",
        Paragraph = "paragraph",
        Heading = "heading",
        BulletList = "bullet_list",
        OrderedList = "ordered_list",
        TaskList = "task_list",
        ListItem = "list_item",
        TaskItem = "task_item",
        Blockquote = "blockquote",
        Hint = "hint",
        Code = "code",
        Condition = "condition",
        Divider = "divider",
        Expandable = "expandable",
        ExpandableTitle = "expandable_title",
        ExpandableBody = "expandable_body",
        Tabs = "tabs",
        Tab = "tab",
        Stepper = "stepper",
        Step = "step",
        Columns = "columns",
        Column = "column",
        Atom = "atom",
        Text = "text",
        InlineAtom = "inline_atom",
        Table = "table",
        TableRow = "table_row",
        TableCell = "table_cell",
        TableHeader = "table_header",
        CellValue = "cell_value",
    }
);

named!(
    /// The type of a mark. The marks of a node are in this order.
    MarkType, MARK_TYPES {
        Link = "link",
        Annotation = "annotation",
        Bold = "bold",
        Italic = "italic",
        Strikethrough = "strikethrough",
        Superscript = "superscript",
        Subscript = "subscript",
        Keyboard = "keyboard",
        Color = "color",
        Code = "code_mark",
    }
);

impl NodeType {
    /// Returns `true` for nodes that stand between others in a text.
    pub(crate) fn is_inline(self) -> bool {
        matches!(self, Self::Text | Self::InlineAtom)
    }

    fn is_block(self) -> bool {
        matches!(
            self,
            Self::Paragraph
                | Self::Heading
                | Self::BulletList
                | Self::OrderedList
                | Self::TaskList
                | Self::Blockquote
                | Self::Hint
                | Self::Code
                | Self::Condition
                | Self::Divider
                | Self::Expandable
                | Self::Tabs
                | Self::Stepper
                | Self::Columns
                | Self::Atom
                | Self::Table
        )
    }

    /// Returns `true` for nodes that have no children.
    pub(crate) fn is_leaf(self) -> bool {
        matches!(self, Self::Text | Self::Atom | Self::InlineAtom | Self::Divider | Self::CellValue)
    }

    /// Returns `true` if children of the type may have marks.
    pub(crate) fn allows_marks(self) -> bool {
        matches!(self, Self::Paragraph | Self::Heading | Self::ExpandableTitle)
    }

    /// Returns `true` if a node of this type may have such a child behind `index` others.
    fn takes(self, child: Self, index: usize) -> bool {
        match self {
            Self::Paragraph | Self::Heading | Self::ExpandableTitle => child.is_inline(),
            Self::Code => child == Self::Text,
            Self::Doc
            | Self::Blockquote
            | Self::Hint
            | Self::Condition
            | Self::ExpandableBody
            | Self::Tab
            | Self::Step
            | Self::Column => child.is_block(),
            Self::TableCell => child.is_block() || child == Self::CellValue,
            Self::BulletList | Self::OrderedList => child == Self::ListItem,
            Self::TaskList => child == Self::TaskItem,
            Self::ListItem | Self::TaskItem if index == 0 => child == Self::Paragraph,
            Self::ListItem | Self::TaskItem => child.is_block(),
            Self::Expandable => match index {
                0 => child == Self::ExpandableTitle,
                _ => index == 1 && child == Self::ExpandableBody,
            },
            Self::Tabs => child == Self::Tab,
            Self::Stepper => child == Self::Step,
            Self::Columns => child == Self::Column,
            Self::Table => child == Self::TableRow,
            Self::TableRow => matches!(child, Self::TableCell | Self::TableHeader),
            Self::TableHeader => index == 0 && child == Self::Paragraph,
            Self::Divider | Self::Atom | Self::Text | Self::InlineAtom | Self::CellValue => false,
        }
    }

    /// Returns the number of children that a node needs at least.
    fn least(self) -> usize {
        match self {
            Self::Paragraph | Self::Heading | Self::ExpandableTitle | Self::Code => 0,
            Self::TableRow => 0,
            Self::Divider | Self::Atom | Self::Text | Self::InlineAtom | Self::CellValue => 0,
            Self::Expandable => 2,
            _ => 1,
        }
    }

    /// Returns `true` if a node of this type may have these children.
    pub(crate) fn allows(self, content: &Fragment) -> bool {
        self.allows_nodes(content.iter())
    }

    pub(crate) fn allows_nodes<'a>(self, nodes: impl Iterator<Item = &'a Node>) -> bool {
        let mut count = 0;
        for node in nodes {
            let has_marks = !node.marks().is_empty();
            if !self.takes(node.kind(), count) || (has_marks && !self.allows_marks()) {
                return false;
            }
            count += 1;
        }
        count >= self.least()
    }

    /// Returns `true` if the children of the other type may follow those of this one.
    pub(crate) fn joins(self, other: Self) -> bool {
        self == other
            || NODE_TYPES.iter().any(|child| self.takes(*child, 0) && other.takes(*child, 0))
    }

    /// Returns the attributes of a node: those that are given, and the defaults of others. `None`
    /// if a required one is missing.
    pub(crate) fn complete(self, given: Option<&Attrs>) -> Option<Arc<Attrs>> {
        complete(DECLARED.get(self as usize).map_or(&[], Vec::as_slice), given)
    }

    /// Returns a node of this type with these attributes, without checking its children.
    pub(crate) fn node(self, attrs: &Attrs, content: Fragment) -> Option<Node> {
        Some(Node::new(self, self.complete(Some(attrs))?, content, Marks::default()))
    }
}

impl MarkType {
    /// Returns `true` if a text with a mark of this type cannot have one of the other.
    pub(crate) fn excludes(self, other: Self) -> bool {
        match self {
            Self::Superscript => other == Self::Subscript,
            Self::Subscript => other == Self::Superscript,
            _ => self == other,
        }
    }

    /// Returns the attributes of a mark as [`NodeType::complete`] does.
    pub(crate) fn complete(self, given: Option<&Attrs>) -> Option<Arc<Attrs>> {
        let default = |name, value: Value| (name, Some(value));
        let declared = match self {
            Self::Link => vec![("ref", None), default("key", Value::Null)],
            Self::Annotation => vec![("fragments", None), default("key", Value::Null)],
            Self::Color => vec![
                default("text", json!("default")),
                default("background", json!("default")),
                default("textHex", Value::Null),
                default("backgroundHex", Value::Null),
            ],
            _ => Vec::new(),
        };
        complete(&declared, given)
    }
}

/// The attributes of a type with their defaults. `None` as a default means that the attribute is
/// required.
type Declared = Vec<(&'static str, Option<Value>)>;

/// The attributes of each type of nodes.
static DECLARED: LazyLock<Vec<Declared>> =
    LazyLock::new(|| NODE_TYPES.iter().copied().map(declared).collect());

fn declared(kind: NodeType) -> Declared {
    use NodeType as Of;

    let defaults = |attrs: &[(&'static str, Value)]| {
        attrs.iter().map(|(name, default)| (*name, Some(default.clone()))).collect::<Declared>()
    };
    let with = |mut first: Declared, more: &[(&'static str, Value)]| {
        first.extend(defaults(more));
        first
    };
    let null = || Value::Null;
    let kept = || defaults(&[("key", null()), ("rest", null())]);
    let extent = || defaults(&[("colspan", json!(1)), ("rowspan", json!(1)), ("colwidth", null())]);
    let definition = || ("definition", json!({ "type": "text", "textAlignment": "left" }));
    match kind {
        Of::Doc | Of::Text => Vec::new(),
        Of::Paragraph => with(kept(), &[("align", null())]),
        Of::Heading => with(kept(), &[("level", json!(1))]),
        Of::OrderedList => with(kept(), &[("start", null())]),
        Of::TaskItem => with(kept(), &[("checked", json!(false))]),
        Of::Hint => with(kept(), &[("style", json!("info"))]),
        Of::Code => {
            let texts = [("syntax", json!("")), ("title", json!(""))];
            let switches = [("lineNumbers", json!(false)), ("wraps", json!(false))];
            with(with(with(kept(), &texts), &switches), &[("lines", null())])
        }
        Of::Condition => with(kept(), &[("expression", json!(""))]),
        Of::Tab => with(kept(), &[("title", json!(""))]),
        Of::ExpandableTitle | Of::ExpandableBody => defaults(&[("json", null())]),
        Of::Atom | Of::InlineAtom => vec![("json", None)],
        Of::Table => with(kept(), &[("view", json!("grid")), ("hideHeader", json!(false))]),
        Of::TableRow => defaults(&[("record", null())]),
        Of::TableCell => with(extent(), &[("fragment", null())]),
        Of::TableHeader => {
            with(extent(), &[("column", null()), definition(), ("isHidden", json!(false))])
        }
        Of::CellValue => defaults(&[("value", null()), definition()]),
        Of::BulletList
        | Of::TaskList
        | Of::ListItem
        | Of::Blockquote
        | Of::Divider
        | Of::Expandable
        | Of::Tabs
        | Of::Stepper
        | Of::Step
        | Of::Columns
        | Of::Column => kept(),
    }
}

fn complete(declared: &[(&str, Option<Value>)], given: Option<&Attrs>) -> Option<Arc<Attrs>> {
    let mut attrs = Attrs::with_capacity(declared.len());
    for (name, default) in declared {
        let value = given.and_then(|given| given.get(*name)).or(default.as_ref())?;
        attrs.insert((*name).to_owned(), value.clone());
    }
    Some(Arc::new(attrs))
}
