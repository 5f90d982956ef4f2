//! Plans the edits that turn one document's source into another's.

use super::sibling::Sibling;
use super::siblings::SiblingLayout;
use super::source::{self, LineEnds, extent};
use super::{Edit, Level, NeighborPolicy, leaf, notes, siblings, table};
use crate::document::equality::ContentEq;
use crate::document::{Block, BlockKind, Document, ListItem, Node};
use crate::print::block::{self, Markers, Printer};
use crate::print::escaping_levels::EscapingLevels;
use crate::print::notes::Notes;
use crate::print::{PrintContext, writer::Writer};
use crate::source::Span;

/// Signals that something cannot be edited in place. The caller reprints the container.
#[derive(Debug, Clone, Copy)]
pub(super) struct CannotEdit;

pub(super) type EditResult = Result<(), CannotEdit>;

/// Collects the edits of a document.
pub(super) struct Planner<'p> {
    pub(super) source: &'p str,
    pub(super) context: &'p PrintContext<'p>,
    pub(super) notes: &'p Notes,
    /// The escaping levels. Empty, because no block has been misread yet.
    pub(super) escaping_levels: EscapingLevels,
    pub(super) edits: Vec<Edit>,
    /// The line ending of new lines where the source has none.
    pub(super) line_end: &'static str,
    line_ends: LineEnds<'p>,
    pub(super) level: Level,
    /// The number of open containers.
    pub(super) depth: u8,
    pub(super) neighbors: NeighborPolicy,
}

/// Returns the edits of a whole document, or `None` if the document must be reprinted.
pub(super) fn plan(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
    neighbors: NeighborPolicy,
    line_end: &'static str,
    level_of: &dyn Fn(usize) -> Level,
) -> Option<Vec<Edit>> {
    let notes = Notes::default();
    let changed = notes::register(before, after, &notes, context);
    let mut planner = Planner::new(source, context, &notes, neighbors, line_end);
    if before.nodes.is_empty() {
        planner.fill(after);
    } else {
        let layout = SiblingLayout::default();
        siblings::edit(&mut planner, &before.nodes, &after.nodes, &layout, &|planner, pair, at| {
            planner.level = level_of(at);
            planner.block(pair.0, pair.1)
        })
        .ok()?;
    }
    notes::write_changes(&mut planner, &changed);
    Some(planner.edits)
}

impl<'p> Planner<'p> {
    pub(super) fn new(
        source: &'p str,
        context: &'p PrintContext<'p>,
        notes: &'p Notes,
        neighbors: NeighborPolicy,
        line_end: &'static str,
    ) -> Self {
        let level = Level::FINEST;
        let escaping_levels = EscapingLevels::default();
        let edits = Vec::new();
        let line_ends = LineEnds::of(source);
        Self {
            source,
            context,
            notes,
            escaping_levels,
            edits,
            line_end,
            line_ends,
            level,
            depth: 0,
            neighbors,
        }
    }

    pub(super) fn printer(&self) -> Printer<'_> {
        Printer {
            context: self.context,
            notes: self.notes,
            escaping_levels: &self.escaping_levels,
            escaping: None,
        }
    }

    /// Replaces `span` with `text`, which must use the line endings of that place.
    pub(super) fn replace(&mut self, span: Span, text: String) {
        if span.of(self.source) != text {
            self.edits.push(Edit { span, text });
        }
    }

    /// Returns the line ending used at an offset.
    pub(super) fn line_end_at(&self, at: usize) -> &'static str {
        self.line_ends.at(at).unwrap_or(self.line_end)
    }

    /// Inserts the first blocks of an empty document.
    fn fill(&mut self, after: &Document) {
        let mut writer = Writer::default();
        self.printer().sequence(&after.nodes, &mut writer);
        let text = source::prefixed(&writer.out, "", self.line_end);
        let end = self.source.trim_end().len();
        if end == 0 {
            let at = self.source.len();
            return self.replace(Span::new(at, at), text);
        }
        let text = format!("{0}{0}{1}", self.line_end, text.trim_end());
        self.replace(Span::new(end, end), text);
    }

    /// Edits a block in place.
    pub(super) fn block(&mut self, before: &Block, after: &Block) -> EditResult {
        if before.content_eq(after) {
            return Ok(());
        }
        let may_descend = match self.level {
            Level::Words(_) | Level::CheckedWords | Level::Blocks => true,
            Level::Within(depth) => self.depth < depth,
        };
        let mark = self.edits.len();
        if may_descend {
            self.depth += 1;
            let outcome = self.within(before, after);
            self.depth -= 1;
            if outcome.is_ok() {
                return outcome;
            }
            self.edits.truncate(mark);
        }
        leaf::reprint(self, before, after)
    }

    /// Edits only the differences within a block.
    fn within(&mut self, before: &Block, after: &Block) -> EditResult {
        match (&before.kind, &after.kind) {
            (
                BlockKind::UnorderedList { items: old } | BlockKind::TaskList { items: old },
                BlockKind::UnorderedList { items: new } | BlockKind::TaskList { items: new },
            ) if same_kind(before, after) => self.list(old, new, None),
            (
                BlockKind::OrderedList { items: old, .. },
                BlockKind::OrderedList { items: new, start },
            ) => self.list(old, new, Some(*start)),
            (BlockKind::Quote { nodes: old }, BlockKind::Quote { nodes: new }) => {
                self.children(old, new)
            }
            (BlockKind::If { nodes: old, .. }, BlockKind::If { nodes: new, .. }) => {
                self.tag(before, after)?;
                self.children(old, new)
            }
            (BlockKind::Hint(old), BlockKind::Hint(new)) => {
                self.tag(before, after)?;
                self.children(&old.nodes, &new.nodes)
            }
            (BlockKind::Expandable(old), BlockKind::Expandable(new)) => {
                leaf::summary(self, before, after)?;
                self.children(&old.nodes, &new.nodes)
            }
            (BlockKind::Tabs { items: old, .. }, BlockKind::Tabs { items: new, .. }) => {
                self.tag(before, after)?;
                self.items(
                    old,
                    new,
                    |tab| &tab.nodes,
                    |tab, writer, printer| {
                        printer.tab(tab, writer);
                    },
                )
            }
            (BlockKind::Stepper { steps: old }, BlockKind::Stepper { steps: new }) => self.items(
                old,
                new,
                |step| &step.nodes,
                |step, writer, printer| {
                    printer.step(step, writer);
                },
            ),
            (BlockKind::Columns { columns: old, .. }, BlockKind::Columns { columns: new, .. }) => {
                self.tag(before, after)?;
                self.items(
                    old,
                    new,
                    |column| &column.nodes,
                    |column, writer, printer| {
                        printer.column(column, writer);
                    },
                )
            }
            (BlockKind::Table(old), BlockKind::Table(new)) if self.level.edits_words() => {
                table::edit(self, before, (old, new), after)
            }
            _ if self.level.edits_words() && same_kind(before, after) => {
                leaf::merged(self, before, after)
            }
            _ => Err(CannotEdit),
        }
    }

    /// Edits the opening tag of a container.
    fn tag(&mut self, before: &Block, after: &Block) -> EditResult {
        let (old, new) = (self.print(before), self.print(after));
        leaf::tag(self, before.span.start, &old, &new)
    }

    /// Prints a block in the canonical style, without a trailing line ending.
    pub(super) fn print(&self, block: &Block) -> String {
        self.print_with(block, block::MARKERS)
    }

    /// Prints a block for a comparison with another version of it. On the finest levels, both have
    /// the same escaping, so that only their texts differ.
    pub(super) fn print_for_comparison(&self, block: &Block) -> String {
        let escaping = match self.level {
            Level::Words(escaping) => Some(escaping),
            _ => None,
        };
        let mut writer = Writer::default();
        Printer { escaping, ..self.printer() }.block(block, block::MARKERS, &mut writer);
        writer.out.truncate(writer.out.trim_end_matches('\n').len());
        writer.out
    }

    pub(super) fn print_with(&self, block: &Block, markers: Markers) -> String {
        let mut writer = Writer::default();
        self.printer().block(block, markers, &mut writer);
        writer.out.truncate(writer.out.trim_end_matches('\n').len());
        writer.out
    }

    /// Edits the blocks of a container.
    fn children(&mut self, before: &[Block], after: &[Block]) -> EditResult {
        self.children_in(before, after, false)
    }

    fn children_in(&mut self, before: &[Block], after: &[Block], in_item: bool) -> EditResult {
        if before.len() == after.len() && before.iter().zip(after).all(|(l, r)| l.content_eq(r)) {
            return Ok(());
        }
        if block::is_blank_content(before) {
            return Err(CannotEdit);
        }
        let layout = SiblingLayout { in_item, ..SiblingLayout::default() };
        let after = if block::is_blank_content(after) { &[] } else { after };
        siblings::edit(self, before, after, &layout, &|planner, pair, _| {
            planner.block(pair.0, pair.1)
        })
    }

    /// Edits the parts of a container: tabs, steps or columns.
    fn items<T: Sibling>(
        &mut self,
        before: &[Node<T>],
        after: &[Node<T>],
        nodes: fn(&T) -> &Vec<Block>,
        print: fn(&T, &mut Writer, &Printer<'_>),
    ) -> EditResult {
        let text = |planner: &Planner<'_>, item: &Node<T>| {
            let mut writer = Writer::default();
            print(&item.kind, &mut writer, &planner.printer());
            writer.out.truncate(writer.out.trim_end_matches('\n').len());
            writer.out
        };
        let layout = SiblingLayout {
            print: Some(&|planner, item| text(planner, item)),
            ..SiblingLayout::default()
        };
        siblings::edit(self, before, after, &layout, &|planner, (old, new), _| {
            let (from, to) = (text(planner, old), text(planner, new));
            leaf::tag(planner, old.span.start, &from, &to)?;
            planner.children(nodes(&old.kind), nodes(&new.kind))
        })
    }

    /// Edits the items of a list. `start` is the first number of an ordered list.
    fn list(
        &mut self,
        before: &[Node<ListItem>],
        after: &[Node<ListItem>],
        start: Option<u64>,
    ) -> EditResult {
        let first = before.first().ok_or(CannotEdit)?;
        let first_extent = extent(self.source, first.span, false);
        let source = self.source;
        let marker = source::marker(first_extent.of(source));
        let marker =
            first_extent.of(source).get(..marker).filter(|m| !m.is_empty()).ok_or(CannotEdit)?;
        let text = |planner: &Planner<'_>, item: &Node<ListItem>| {
            let mut writer = Writer::default();
            let number = marker.trim_end_matches(['.', ')']);
            let marker = match (start, number.parse::<u64>()) {
                (Some(_), Ok(_)) => {
                    let at = after.iter().position(|other| std::ptr::eq(other, item)).unwrap_or(0);
                    let number = start.unwrap_or(1).saturating_add(at as u64);
                    format!("{number}{}", marker.get(number_length(marker)..).unwrap_or("."))
                }
                _ => marker.to_owned(),
            };
            planner.printer().item(item, &marker, &mut writer);
            writer.out.truncate(writer.out.trim_end_matches('\n').len());
            writer.out
        };
        let layout = SiblingLayout {
            print: Some(&|planner, item| text(planner, item)),
            is_tight: true,
            ..SiblingLayout::default()
        };
        siblings::edit(self, before, after, &layout, &|planner, (old, new), _| {
            planner.checkbox(old, new)?;
            planner.children_in(&old.kind.nodes, &new.kind.nodes, true)
        })?;
        self.first_number(before, after, start)
    }

    /// Edits the checkbox of an item.
    fn checkbox(&mut self, before: &Node<ListItem>, after: &Node<ListItem>) -> EditResult {
        let (Some(old), Some(new)) = (before.kind.checked, after.kind.checked) else {
            return if before.kind.checked == after.kind.checked {
                Ok(())
            } else {
                Err(CannotEdit)
            };
        };
        if old != new {
            let item = extent(self.source, before.span, false);
            let at = item.of(self.source).find('[').ok_or(CannotEdit)? + item.start + 1;
            self.replace(Span::new(at, at + 1), if new { "x" } else { " " }.to_owned());
        }
        Ok(())
    }

    /// Updates the number of the first item, which is the first number of the list.
    fn first_number(
        &mut self,
        before: &[Node<ListItem>],
        after: &[Node<ListItem>],
        start: Option<u64>,
    ) -> EditResult {
        let Some(start) = start else {
            return Ok(());
        };
        let kept = crate::pairing::pair(before, after);
        let index = match kept.first() {
            Some(crate::pairing::Partner::Stays { index, .. }) => *index,
            _ => return Ok(()),
        };
        let item = before.get(index).ok_or(CannotEdit)?;
        let place = extent(self.source, item.span, false);
        let length = number_length(place.of(self.source));
        let number = Span::new(place.start, place.start + length);
        if number.of(self.source).parse::<u64>() != Ok(start) {
            self.replace(number, start.to_string());
        }
        Ok(())
    }
}

fn number_length(marker: &str) -> usize {
    marker.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns `true` if two blocks are of the same kind.
pub(super) fn same_kind(left: &Block, right: &Block) -> bool {
    std::mem::discriminant(&left.kind) == std::mem::discriminant(&right.kind)
}
