//! Alerts: quotes that begin with a marker, which GitHub shows as what the dialect calls a hint.

use crate::document::{Block, BlockKind, HintStyle, Inline, InlineKind, Node, Paragraph};

/// The markers with the hints that they make.
const MARKERS: [(&str, HintStyle); 5] = [
    ("[!NOTE]", HintStyle::Info),
    ("[!TIP]", HintStyle::Success),
    ("[!IMPORTANT]", HintStyle::Info),
    ("[!WARNING]", HintStyle::Warning),
    ("[!CAUTION]", HintStyle::Danger),
];

/// A quote that is an alert.
pub(crate) struct Alert<'q> {
    pub(crate) style: HintStyle,
    /// The paragraph that begins with the marker.
    first: &'q Paragraph,
    /// The blocks after it.
    pub(crate) rest: &'q [Block],
}

impl<'q> Alert<'q> {
    /// What these blocks of a quote say, where they begin with a marker.
    pub(crate) fn of(nodes: &'q [Block]) -> Option<Self> {
        let (first, rest) = nodes.split_first()?;
        let BlockKind::Paragraph(paragraph) = &first.kind else { return None };
        let InlineKind::Text(leaves) = &paragraph.nodes.first()?.kind else { return None };
        let leaf = leaves.first().filter(|leaf| !leaf.is_markup && !leaf.marks.code)?;
        let (style, _) = marker(&leaf.text)?;
        Some(Self { style, first: paragraph, rest })
    }

    /// The first paragraph without its marker. `None` where that is all of it.
    pub(crate) fn first(&self) -> Option<Paragraph> {
        let mut paragraph = self.first.clone();
        if let Some(Node { kind: InlineKind::Text(leaves), .. }) = paragraph.nodes.first_mut()
            && let Some(leaf) = leaves.first_mut()
        {
            leaf.text = without_marker(&leaf.text).to_owned();
        }
        let is_empty = |node: &Inline| match &node.kind {
            InlineKind::Text(leaves) => leaves.iter().all(|leaf| leaf.text.is_empty()),
            _ => false,
        };
        (!paragraph.nodes.iter().all(is_empty)).then_some(paragraph)
    }
}

/// The hint that a text begins with the marker of, and the marker's length.
fn marker(text: &str) -> Option<(HintStyle, usize)> {
    MARKERS.iter().find_map(|(marker, style)| {
        let start = text.get(..marker.len())?;
        let after = text.get(marker.len()..)?;
        let ends = after.is_empty() || after.starts_with(char::is_whitespace);
        (start.eq_ignore_ascii_case(marker) && ends).then_some((*style, marker.len()))
    })
}

/// A text without the marker that it begins with.
pub(crate) fn without_marker(text: &str) -> &str {
    let rest = marker(text).and_then(|(_, length)| text.get(length..));
    rest.map_or(text, str::trim_start)
}
