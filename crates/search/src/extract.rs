//! Divides a document into the sections of the index.

use std::sync::Arc;

use bindery_content::Document;
use bindery_content::document::{
    Block, BlockKind, Inline, InlineKind, Leaf, OpenApi, Reference, Visit, plain_text,
};
use bindery_content::text;

use crate::entry::{Condition, Section};

/// Maximum depth of reusable contents within each other.
const INCLUDE_DEPTH: usize = 8;
/// Maximum number of reusable contents in one document.
const INCLUDE_LIMIT: usize = 200;

/// Returns the document of a reusable content, if the reader of the page that includes it sees it.
pub type Includes<'i> = &'i dyn Fn(&Reference) -> Option<Arc<Document>>;

/// Returns the title and the text of a part of an OpenAPI specification, if the specification has
/// it.
pub type Operations<'o> = &'o dyn Fn(&OpenApi) -> Option<(String, String)>;

/// Returns the sections of a document, with the text of the reusable contents and of the parts of
/// OpenAPI specifications in it.
///
/// Conditional blocks become sections with conditions. Evaluate the expressions that do not depend
/// on the visitor before, with a mode of [`Mode`](bindery_content::evaluation::Mode).
#[must_use]
pub fn sections(
    document: &Document,
    includes: Includes<'_>,
    operations: Operations<'_>,
) -> Vec<Section> {
    let mut out = Vec::new();
    let mut state = State::new(includes, operations);
    blocks(&document.nodes, &mut state, &mut out);
    blocks(&document.unused_notes, &mut state, &mut out);
    state.end(&mut out);
    out
}

/// The heading that applies and the text that was read since.
struct State<'i> {
    next: Section,
    conditions: Vec<Condition>,
    includes: Includes<'i>,
    operations: Operations<'i>,
    /// The number of reusable contents around the next block.
    depth: usize,
    /// The number of reusable contents that were read.
    included: usize,
}

impl<'i> State<'i> {
    fn new(includes: Includes<'i>, operations: Operations<'i>) -> Self {
        Self {
            next: Section::default(),
            conditions: Vec::new(),
            includes,
            operations,
            depth: 0,
            included: 0,
        }
    }

    /// Ends the section. The next one continues it.
    fn end(&mut self, out: &mut Vec<Section>) {
        let next = Section {
            is_continuation: true,
            conditions: self.conditions.clone(),
            ..heading_of(&self.next)
        };
        let done = std::mem::replace(&mut self.next, next);
        let has_heading = !done.is_continuation && !done.heading.is_empty();
        if has_heading || !done.text.is_empty() || !done.code.is_empty() {
            out.push(done);
        } else {
            self.next.is_continuation = done.is_continuation;
        }
    }
}

fn heading_of(section: &Section) -> Section {
    Section {
        anchor: section.anchor.clone(),
        heading: section.heading.clone(),
        level: section.level,
        ..Section::default()
    }
}

/// Reads blocks that can contain headings and conditions.
fn blocks(nodes: &[Block], state: &mut State<'_>, out: &mut Vec<Section>) {
    for node in nodes {
        match &node.kind {
            BlockKind::Heading(heading) => {
                let title = plain_text(&heading.nodes).trim().to_owned();
                state.end(out);
                state.next = Section {
                    anchor: Some(heading.anchor.clone()),
                    heading: title,
                    level: heading.level,
                    conditions: state.conditions.clone(),
                    ..Section::default()
                };
            }
            BlockKind::OpenApi(part) => match (state.operations)(part) {
                Some((title, text)) => {
                    state.end(out);
                    state.next = Section {
                        anchor: Some(part.anchor.clone()),
                        heading: title,
                        level: 1,
                        text,
                        conditions: state.conditions.clone(),
                        ..Section::default()
                    };
                }
                None => leaf_block(node, state, out),
            },
            BlockKind::ReusableContent(reference) => include(reference, state, out),
            BlockKind::If { expression, nodes } => conditional(expression, nodes, state, out),
            BlockKind::Code(code) => {
                for line in &code.lines {
                    state.next.code.push_str(&line.kind.text);
                    state.next.code.push('\n');
                }
                if let Some(title) = &code.title {
                    add_line(&mut state.next.text, title);
                }
            }
            BlockKind::Quote { nodes } => blocks(nodes, state, out),
            BlockKind::Hint(hint) => blocks(&hint.nodes, state, out),
            BlockKind::Columns { columns, .. } => {
                columns.iter().for_each(|column| blocks(&column.kind.nodes, state, out));
            }
            BlockKind::Stepper { steps } => {
                steps.iter().for_each(|step| blocks(&step.kind.nodes, state, out));
            }
            BlockKind::OrderedList { items, .. }
            | BlockKind::UnorderedList { items }
            | BlockKind::TaskList { items } => {
                items.iter().for_each(|item| blocks(&item.kind.nodes, state, out));
            }
            BlockKind::Tabs { items, .. } => {
                for tab in items {
                    let title = tab.kind.title.as_deref().unwrap_or_default();
                    add_line(&mut state.next.text, title);
                    add_line(&mut state.next.emphasis, title);
                    blocks(&tab.kind.nodes, state, out);
                }
            }
            BlockKind::Expandable(expandable) => {
                let title = plain_text(&expandable.title);
                with_heading(&expandable.anchor, title, &expandable.nodes, state, out);
            }
            BlockKind::Opaque(opaque) if !opaque.nodes.is_empty() => {
                if let Some(line) = text::method_line(opaque) {
                    add_line(&mut state.next.text, &line);
                }
                blocks(&opaque.nodes, state, out);
            }
            _ => leaf_block(node, state, out),
        }
    }
}

fn include(reference: &Reference, state: &mut State<'_>, out: &mut Vec<Section>) {
    if state.depth >= INCLUDE_DEPTH || state.included >= INCLUDE_LIMIT {
        return;
    }
    let Some(document) = (state.includes)(reference) else { return };
    state.included += 1;
    state.depth += 1;
    blocks(&document.nodes, state, out);
    blocks(&document.unused_notes, state, out);
    state.depth -= 1;
}

/// Reads a block as one piece of text. If it contains conditional blocks, such as in a note or in a
/// cell, all their conditions must hold for seeing it.
fn leaf_block(node: &Block, state: &mut State<'_>, out: &mut Vec<Section>) {
    let (text, mut emphasised) = (plain(node), String::new());
    emphasis(node, &mut emphasised);
    let inner = inner_conditions(node);
    if inner.is_empty() {
        add_line(&mut state.next.text, &text);
        add_line(&mut state.next.emphasis, &emphasised);
        return;
    }
    state.end(out);
    let outer = state.next.clone();
    state.next.conditions.extend(inner);
    state.next.is_continuation = true;
    state.next.text = text;
    state.next.emphasis = emphasised;
    state.end(out);
    state.next = outer;
}

fn inner_conditions(node: &Block) -> Vec<Condition> {
    struct Conditions(Vec<Condition>);
    impl<'d> Visit<'d> for Conditions {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::If { expression, .. } = &block.kind {
                self.0.push(Condition::Expression(expression.trim().to_owned()));
            }
        }
    }
    let document = Document { nodes: vec![node.clone()], ..Document::default() };
    let mut found = Conditions(Vec::new());
    document.walk(&mut found);
    found.0
}

/// Reads blocks below a title of their own. The text after them belongs to the heading before.
fn with_heading(
    anchor: &str,
    heading: String,
    nodes: &[Block],
    state: &mut State<'_>,
    out: &mut Vec<Section>,
) {
    let level = state.next.level.saturating_add(1);
    state.end(out);
    let outer = std::mem::replace(
        &mut state.next,
        Section {
            anchor: Some(anchor.to_owned()),
            heading,
            level,
            conditions: state.conditions.clone(),
            ..Section::default()
        },
    );
    blocks(nodes, state, out);
    state.end(out);
    state.next = outer;
}

fn conditional(expression: &str, nodes: &[Block], state: &mut State<'_>, out: &mut Vec<Section>) {
    state.end(out);
    let outer = state.next.clone();
    let condition = Condition::Expression(expression.trim().to_owned());
    let is_new = !expression.trim().is_empty() && !state.conditions.contains(&condition);
    if is_new {
        state.conditions.push(condition);
    }
    state.next.conditions = state.conditions.clone();
    // The heading is that of the text around, which has been indexed under fewer conditions.
    state.next.is_continuation = true;
    blocks(nodes, state, out);
    state.end(out);
    if is_new {
        state.conditions.pop();
    }
    // A heading within the condition does not apply to the text after it.
    state.next = outer;
}

fn add_line(text: &mut String, line: &str) {
    let line = line.trim();
    if !line.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(line);
    }
}

/// Returns the text of a block.
fn plain(block: &Block) -> String {
    let document = Document { nodes: vec![block.clone()], ..Document::default() };
    text::plain(&document)
}

fn emphasis(block: &Block, out: &mut String) {
    struct Emphasis<'o>(&'o mut String);
    impl<'d> Visit<'d> for Emphasis<'_> {
        fn leaf(&mut self, leaf: &'d Leaf) {
            if !leaf.is_markup && (leaf.marks.bold || leaf.marks.code || leaf.marks.keyboard) {
                add_line(self.0, &leaf.text);
            }
        }
        fn inline(&mut self, inline: &'d Inline) {
            if let InlineKind::Button(button) = &inline.kind {
                add_line(self.0, &button.label);
            }
        }
    }
    let document = Document { nodes: vec![block.clone()], ..Document::default() };
    document.walk(&mut Emphasis(out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindery_content::ParseContext;
    use bindery_content::markdown;
    use bindery_content::reference::NoLookup;

    /// Shows each section as `anchor: text <emphasis> [conditions]`.
    fn check(source: &str, expect: &[&str]) {
        let context = ParseContext { path: "page.md", lookup: &NoLookup };
        let found: Vec<String> = sections(&markdown::parse(source, &context), &|_| None, &|_| None)
            .into_iter()
            .map(|section| {
                let anchor = section.anchor.as_deref().unwrap_or("-");
                let more = if section.is_continuation { "+" } else { "" };
                let mut shown = format!("{anchor}{more}: {}", section.text.replace('\n', "/"));
                if !section.emphasis.is_empty() {
                    shown += &format!(" <{}>", section.emphasis);
                }
                if !section.code.is_empty() {
                    shown += &format!(" `{}`", section.code.trim_end());
                }
                for condition in section.conditions {
                    let Condition::Expression(text) = condition else { continue };
                    shown += &format!(" [{text}]");
                }
                shown
            })
            .collect();
        assert_eq!(found, expect, "{source}");
    }

    #[test]
    fn headings_begin_sections() {
        check(
            "a **b** c\n\n## One\n\nd\n\n```\ne\n```\n\n### Two\n\n## Three\n",
            &["-: a b c <b>", "one: d `e`", "two: ", "three: "],
        );
    }

    #[test]
    fn conditional_parts_are_sections_of_their_own() {
        let part = "{% if visitor.claims.a %}\nx\n{% if visitor.claims.b %}\ny\n\n## In\n\nz\n{% endif %}\nw\n{% endif %}\n";
        check(
            &format!("## One\n\nq\n\n{part}\nr\n"),
            &[
                "one: q",
                "one+: x [visitor.claims.a]",
                "one+: y [visitor.claims.a] [visitor.claims.b]",
                "in: z [visitor.claims.a] [visitor.claims.b]",
                "one+: w [visitor.claims.a]",
                "one+: r",
            ],
        );
    }

    #[test]
    fn unused_notes_and_attributes_of_methods_are_read() {
        check("a[^1]\n\n[^1]: One\n\n[^2]: Two\n", &["-: a/One/2 Two"]);
        let method = "{% swagger method=\"get\" path=\"/x\" baseUrl=\"https://a.b\" summary=\"S\" %}\n\
             {% swagger-description %}\nd\n{% endswagger-description %}\n{% endswagger %}\n";
        check(method, &["-: GET https://a.b/x S/d"]);
    }

    #[test]
    fn expandable_parts_have_headings() {
        check(
            "## One\n\n<details>\n\n<summary>More</summary>\n\nx\n\n</details>\n\ny\n",
            &["one: ", "more: x", "one+: y"],
        );
    }
}
