//! The pages of an OpenAPI specification, in order, and their texts.

use std::collections::HashMap;

use bindery_content::document::OpenApiPart;
use bindery_content::print::{open_api, plain};
use bindery_content::slug;
use bindery_openapi::{Operation, Outline, Tag};
use bindery_revision::PageOperation;

use super::source::{DocumentPart, PageSource};
use crate::content::openapi::undialected;

/// The name of the page with the webhooks.
const WEBHOOKS: &str = "webhooks";
/// Maximum number of pages of a specification. Further ones are left out.
const MAX_PAGES: usize = 5_000;
/// Maximum number of operations on the page of a tag. If a tag has more, each has a page of its own
/// below it.
const MAX_OPERATIONS: usize = 15;
/// Maximum number of models on a page.
pub const MAX_MODELS: usize = 50;
/// Minimum number of operations on a page for which the page begins with a list of them.
const MIN_LISTED: usize = 3;

/// A page to be made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlannedPage {
    /// The title.
    pub title: String,
    /// The index of the page above.
    pub parent: Option<usize>,
    /// The part of the specification that it shows; `None` for a group of pages without a document.
    pub part: Option<DocumentPart>,
    /// The operation, if it shows only one.
    pub operation: Option<PageOperation>,
    /// The text below the title; empty if there is none.
    pub summary: String,
    /// The name of an icon; empty if there is none.
    pub icon: String,
}

/// Returns the pages of a specification. Groups of tags are groups of pages if `has_groups`, which
/// is possible at the top of a space only; else they are pages.
#[must_use]
pub fn plan(outline: &Outline, source: &PageSource, has_groups: bool) -> Vec<PlannedPage> {
    let mut plan = Plan { source, pages: Vec::new(), tags: HashMap::new() };
    if source.overview {
        plan.add("Overview", None, Some(DocumentPart::Overview));
    }
    let of_name: HashMap<&str, &Tag> =
        outline.tags.iter().map(|tag| (tag.name.as_str(), tag)).collect();
    for group in &outline.groups {
        let parent = (!group.title.is_empty()).then(|| {
            let info = DocumentPart::Info(group.title.clone());
            plan.add(&group.title, None, Some(info).filter(|_| !has_groups))
        });
        for tag in group.tags.iter().filter_map(|name| of_name.get(name.as_str())) {
            plan.tag(tag, parent);
        }
    }
    if outline.groups.is_empty() {
        for tag in &outline.tags {
            plan.tag(tag, None);
        }
    }
    if !outline.webhooks.is_empty() {
        plan.add("Webhooks", None, Some(DocumentPart::Operations(WEBHOOKS.to_owned())));
    }
    if source.models && !outline.models.is_empty() {
        plan.models(&outline.models);
    }
    plan.pages.truncate(MAX_PAGES);
    if source.changes {
        plan.add("Changes", None, Some(DocumentPart::Changes));
    }
    plan.pages
}

struct Plan<'p> {
    source: &'p PageSource,
    pages: Vec<PlannedPage>,
    /// The pages of the tags.
    tags: HashMap<&'p str, usize>,
}

impl<'p> Plan<'p> {
    fn add(&mut self, title: &str, parent: Option<usize>, part: Option<DocumentPart>) -> usize {
        let title = title.to_owned();
        self.pages.push(PlannedPage { title, parent, part, ..PlannedPage::default() });
        self.pages.len() - 1
    }

    /// Adds the pages of the models.
    fn models(&mut self, names: &[String]) {
        let page = self.add("Models", None, Some(DocumentPart::Models(None)));
        if names.len() <= MAX_MODELS {
            return;
        }
        for (index, names) in names.chunks(MAX_MODELS).enumerate() {
            if let (Some(first), Some(last)) = (names.first(), names.last()) {
                let part = DocumentPart::Models(Some(index));
                self.add(&format!("{first} – {last}"), Some(page), Some(part));
            }
        }
    }

    /// Adds the page of a tag, below that of its parent if it has one. A tag without operations and
    /// without a description has a page only if it has tags below it.
    fn tag(&mut self, tag: &'p Tag, group: Option<usize>) {
        let above = tag.parent.as_deref().and_then(|parent| self.tags.get(parent)).copied();
        let parent = above.or(group);
        let is_divided = self.source.by_operation || tag.operations.len() > MAX_OPERATIONS;
        let has_own = !tag.operations.is_empty() && !is_divided;
        let part = match has_own {
            true => DocumentPart::Operations(tag.name.clone()),
            false => DocumentPart::Info(tag.name.clone()),
        };
        let page = self.add(&tag.title, parent, Some(part));
        self.pages[page].summary.clone_from(&tag.summary);
        self.pages[page].icon.clone_from(&tag.icon);
        self.tags.insert(&tag.name, page);
        if is_divided {
            for operation in &tag.operations {
                let part = DocumentPart::Operations(name_of(operation));
                let own = self.add(&operation.title, Some(page), Some(part));
                self.pages[own].operation = Some(PageOperation {
                    method: operation.method.to_uppercase(),
                    is_deprecated: operation.is_deprecated,
                });
            }
        }
    }
}

/// Returns the name of the page of an operation.
fn name_of(operation: &Operation) -> String {
    match operation.id.as_str() {
        "" => format!("{} {}", operation.method, operation.path),
        id => id.to_owned(),
    }
}

/// Returns the Markdown of a part of a specification; `None` if the specification has no such part, or
/// if its outline does not contain the text.
pub(super) fn markdown_of(outline: &Outline, spec: &str, part: &DocumentPart) -> Option<String> {
    let tag = |name: &str| outline.tags.iter().find(|tag| tag.name == name);
    match part {
        DocumentPart::Changes | DocumentPart::Overview => None,
        DocumentPart::Models(None) if outline.models.len() > MAX_MODELS => Some(String::new()),
        DocumentPart::Models(page) => {
            let schemas = outline.models.chunks(MAX_MODELS).nth(page.unwrap_or_default())?.to_vec();
            let part = OpenApiPart::Schemas { schemas, grouped: Some(true) };
            Some(open_api(spec, &part))
        }
        DocumentPart::Info(name) => match tag(name) {
            Some(tag) => Some(description(tag)),
            None => outline.groups.iter().any(|group| group.title == *name).then(String::new),
        },
        DocumentPart::Operations(name) => {
            if let Some(tag) = tag(name).filter(|tag| !tag.operations.is_empty()) {
                let blocks = tag.operations.iter().map(|one| operation_block(spec, one));
                let head = [description(tag), index(&tag.operations)];
                return Some(joined(head.into_iter().chain(blocks)));
            }
            let operations = outline.tags.iter().flat_map(|tag| &tag.operations);
            if let Some(found) = operations.into_iter().find(|one| name_of(one) == *name) {
                return Some(operation_block(spec, found));
            }
            let blocks = outline.webhooks.iter().map(|webhook| {
                let (name, method) = (webhook.path.clone(), webhook.method.clone());
                open_api(spec, &OpenApiPart::Webhook { name, method })
            });
            (name == WEBHOOKS && !outline.webhooks.is_empty()).then(|| joined(blocks))
        }
    }
}

fn operation_block(spec: &str, operation: &Operation) -> String {
    let Operation { path, method, .. } = operation;
    open_api(spec, &OpenApiPart::Operation { path: path.clone(), method: method.clone() })
}

/// Returns a list of the operations of a page, whose outline is not shown.
fn index(operations: &[Operation]) -> String {
    if operations.len() < MIN_LISTED {
        return String::new();
    }
    let line = |Operation { path, method, title, .. }: &Operation| {
        let anchor = slug::anchor(&format!("{method} {path}"));
        format!("* `{}` [{}](#{anchor})\n", method.to_uppercase(), plain(title))
    };
    operations.iter().map(line).collect()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn description(tag: &Tag) -> String {
    let text = undialected(&tag.description);
    if text.is_empty() { text } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use bindery_openapi::TagGroup;

    use super::*;

    fn operation(path: &str, id: &str) -> Operation {
        Operation {
            path: path.to_owned(),
            method: "get".to_owned(),
            id: id.to_owned(),
            title: format!("Get {path}"),
            ..Operation::default()
        }
    }

    fn outline() -> Outline {
        let tag = |name: &str, parent: Option<&str>, operations: Vec<Operation>| Tag {
            name: name.to_owned(),
            title: name.to_uppercase(),
            description: format!("About {{% include \"{name}\" %}}"),
            parent: parent.map(str::to_owned),
            operations,
            ..Tag::default()
        };
        Outline {
            tags: vec![
                tag("ships", None, Vec::new()),
                tag("crew", Some("ships"), vec![operation("/crew", "listCrew")]),
                tag("ports", None, vec![operation("/ports", "")]),
            ],
            groups: Vec::new(),
            webhooks: vec![operation("sunk", "")],
            models: vec!["Ship".to_owned(), "A,B".to_owned()],
        }
    }

    fn source(by_operation: bool) -> PageSource {
        let spec = "api".to_owned();
        PageSource {
            spec,
            models: true,
            by_operation,
            download: false,
            changes: false,
            overview: false,
        }
    }

    fn shown(pages: &[PlannedPage]) -> Vec<(&str, Option<usize>)> {
        pages.iter().map(|page| (page.title.as_str(), page.parent)).collect()
    }

    #[test]
    fn there_is_a_page_for_each_tag() {
        let pages = plan(&outline(), &source(false), true);
        let expect = [
            ("SHIPS", None),
            ("CREW", Some(0)),
            ("PORTS", None),
            ("Webhooks", None),
            ("Models", None),
        ];
        assert_eq!(shown(&pages), expect);
        for page in pages {
            let text = markdown_of(&outline(), "api", &page.part.unwrap()).unwrap();
            assert!(!text.contains(" {% include") && !text.is_empty(), "{text}");
        }
    }

    #[test]
    fn there_can_be_a_page_for_each_operation() {
        let pages = plan(&outline(), &source(true), true);
        let expect = [
            ("SHIPS", None),
            ("CREW", Some(0)),
            ("Get /crew", Some(1)),
            ("PORTS", None),
            ("Get /ports", Some(3)),
            ("Webhooks", None),
            ("Models", None),
        ];
        assert_eq!(shown(&pages), expect);
        let part = DocumentPart::Operations("get /ports".to_owned());
        assert_eq!(pages[4].part, Some(part.clone()));
        let text = markdown_of(&outline(), "api", &part).unwrap();
        let tag = "{% openapi-operation spec=\"api\" path=\"/ports\" method=\"get\" %}\n";
        assert!(text.starts_with(tag), "{text}");
    }

    #[test]
    fn groups_of_tags_are_pages_above_them() {
        let group = |title: &str, tag: &str| TagGroup {
            title: title.to_owned(),
            tags: vec![tag.to_owned()],
        };
        let groups = vec![group("Sea", "ships"), group("", "ports"), group("Land", "absent")];
        let outline = Outline { groups, webhooks: Vec::new(), ..outline() };
        for has_groups in [true, false] {
            let pages = plan(&outline, &source(false), has_groups);
            let expect = [
                ("Sea", None),
                ("SHIPS", Some(0)),
                ("PORTS", None),
                ("Land", None),
                ("Models", None),
            ];
            assert_eq!(shown(&pages), expect);
            assert_eq!(pages[0].part.is_none(), has_groups);
        }
    }
}
