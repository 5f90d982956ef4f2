//! GitHub alerts: quotes that begin with a marker such as `[!NOTE]` and correspond to hints.

use crate::document::{Block, BlockKind, HintStyle, Inline, InlineKind, Node, Paragraph};

/// The markers and the styles of the corresponding hints.
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
    /// The blocks after that paragraph.
    pub(crate) rest: &'q [Block],
}

impl<'q> Alert<'q> {
    /// Returns the alert in the blocks of a quote, if they begin with a marker.
    pub(crate) fn of(nodes: &'q [Block]) -> Option<Self> {
        let (first, rest) = nodes.split_first()?;
        let BlockKind::Paragraph(paragraph) = &first.kind else { return None };
        let InlineKind::Text(leaves) = &paragraph.nodes.first()?.kind else { return None };
        let leaf = leaves.first().filter(|leaf| !leaf.is_markup && !leaf.marks.code)?;
        let (style, _) = marker(&leaf.text)?;
        Some(Self { style, first: paragraph, rest })
    }

    /// Returns the first paragraph without its marker, or `None` if it contains nothing else.
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

/// Returns the style and the length of the marker at the start of a text.
fn marker(text: &str) -> Option<(HintStyle, usize)> {
    MARKERS.iter().find_map(|(marker, style)| {
        let start = text.get(..marker.len())?;
        let after = text.get(marker.len()..)?;
        let ends = after.is_empty() || after.starts_with(char::is_whitespace);
        (start.eq_ignore_ascii_case(marker) && ends).then_some((*style, marker.len()))
    })
}

/// Removes the marker at the start of a text, if any.
pub(crate) fn without_marker(text: &str) -> &str {
    let rest = marker(text).and_then(|(_, length)| text.get(length..));
    rest.map_or(text, str::trim_start)
}
