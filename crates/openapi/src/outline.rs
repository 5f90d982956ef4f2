//! The operations of a description in the order in which a reference shows them: by tags, which can
//! be in groups and within each other.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::load::{Description, MAX_TITLE};
use crate::request::shortened_text;
use crate::resolve::Part;

/// Maximum length of the text below a title in characters.
const MAX_SUMMARY: usize = 1_000;
/// Maximum length of the description of a tag in characters.
const MAX_DESCRIPTION: usize = 64 << 10;

/// The methods of a path in the order in which a reference shows them.
const METHODS: [&str; 9] =
    ["get", "post", "put", "patch", "delete", "head", "options", "trace", "query"];
/// The name of the tag of operations that have none.
const UNTAGGED: &str = "default";

/// The operations, webhooks and models of a description that a reference shows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Outline {
    /// The tags, in order. Those with a parent follow it.
    pub tags: Vec<Tag>,
    /// The groups of tags, in order; empty if the description has none.
    pub groups: Vec<TagGroup>,
    /// The webhooks, in order.
    pub webhooks: Vec<Operation>,
    /// The names of the models, in order.
    pub models: Vec<String>,
}

/// A tag with its operations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tag {
    /// The name that operations state.
    pub name: String,
    /// The title that people read.
    pub title: String,
    /// The description as Markdown; empty if there is none.
    pub description: String,
    /// A description of one or two sentences, which stands below the title; empty if there is none.
    #[serde(default)]
    pub summary: String,
    /// The name of an icon; empty if there is none.
    #[serde(default)]
    pub icon: String,
    /// The name of the tag above.
    pub parent: Option<String>,
    /// The operations, in order.
    pub operations: Vec<Operation>,
}

/// A group of tags.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TagGroup {
    /// The title.
    pub title: String,
    /// The names of the tags.
    pub tags: Vec<String>,
}

/// An operation or a webhook.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Operation {
    /// The path; for a webhook, its name.
    pub path: String,
    /// The method in small letters, or as written for one that the specification does not name.
    pub method: String,
    /// The id; empty if there is none.
    pub id: String,
    /// The title: the summary, else the id, else the method and the path.
    pub title: String,
    /// `true` if it should not be used any more.
    pub is_deprecated: bool,
    /// The stability, such as `experimental`; empty if none is stated.
    pub stability: String,
}

impl Description {
    /// Returns the operations, webhooks and models that a reference shows. What `x-internal` or
    /// `x-gitbook-ignore` marks is left out.
    #[must_use]
    pub fn outline(&self) -> Outline {
        let top = self.top();
        let mut tags = Tags::of(top);
        for (path, item) in top.field("paths").into_iter().flat_map(Part::fields) {
            for (operation, part) in self.operations(path, item) {
                let mut names = part.field("tags").into_iter().flat_map(Part::items);
                // A page for each tag shows an operation once: with its first tag.
                let name = names.find_map(|name| name.value.as_str()).unwrap_or(UNTAGGED);
                tags.add(name, operation);
            }
        }
        let webhooks = top.field("webhooks").into_iter().flat_map(Part::fields);
        let webhooks = webhooks.flat_map(|(name, item)| self.operations(name, item));
        let models = top.field("components").and_then(|parts| parts.field("schemas"));
        let models = models.into_iter().flat_map(Part::fields);
        Outline {
            groups: groups(top, &tags),
            webhooks: webhooks.map(|(webhook, _)| webhook).collect(),
            models: models
                .filter(|(_, schema)| !is_hidden(*schema))
                .map(|(name, _)| name.to_owned())
                .collect(),
            tags: tags.in_order(),
        }
    }

    /// Returns the requests that a server sends because of an operation, each with the name of its
    /// callback. The path is the expression from which the address is made.
    #[must_use]
    pub fn callbacks<'d>(&'d self, operation: Part<'d>) -> Vec<(&'d str, Operation, Part<'d>)> {
        let mut found = Vec::new();
        for (name, callback) in operation.field("callbacks").into_iter().flat_map(Part::fields) {
            let Some(callback) = self.followed(callback) else { continue };
            for (expression, item) in callback.fields() {
                let sent = self.operations(expression, item).into_iter();
                found.extend(sent.map(|(operation, part)| (name, operation, part)));
            }
        }
        found
    }

    /// Returns the operations of a path or a webhook that a reference shows.
    pub(crate) fn operations<'d>(
        &'d self,
        path: &str,
        item: Part<'d>,
    ) -> Vec<(Operation, Part<'d>)> {
        let Some(item) = self.followed(item) else { return Vec::new() };
        if path.starts_with("x-") || is_hidden(item) {
            return Vec::new();
        }
        let named = METHODS.iter().filter_map(|method| Some((*method, item.field(method)?)));
        let others = item.field("additionalOperations").into_iter().flat_map(Part::fields);
        let shown = named.chain(others).filter(|(_, part)| part.value.is_object());
        let shown = shown.filter(|(_, part)| !is_hidden(*part));
        shown.map(|(method, part)| (operation(path, method, part), part)).collect()
    }
}

fn is_hidden(part: Part<'_>) -> bool {
    part.is("x-internal") || part.is("x-gitbook-ignore")
}

fn operation(path: &str, method: &str, part: Part<'_>) -> Operation {
    let id = part.text("operationId").unwrap_or_default();
    let title = match (part.text("summary"), id) {
        (Some(summary), _) => shortened_text(summary, MAX_TITLE),
        (None, "") => shortened_text(&format!("{} {path}", method.to_uppercase()), MAX_TITLE),
        (None, id) => shortened_text(id, MAX_TITLE),
    };
    Operation {
        path: path.to_owned(),
        method: method.to_owned(),
        id: id.to_owned(),
        title,
        is_deprecated: part.is("deprecated"),
        stability: part.text("x-stability").unwrap_or_default().to_owned(),
    }
}

/// The tags of a description, those that it lists first.
#[derive(Default)]
struct Tags {
    tags: Vec<Tag>,
    places: HashMap<String, usize>,
    hidden: HashSet<String>,
}

impl Tags {
    fn of(top: Part<'_>) -> Self {
        let mut tags = Self::default();
        for part in top.field("tags").into_iter().flat_map(Part::items) {
            let Some(name) = part.text("name") else { continue };
            if is_hidden(part) {
                tags.hidden.insert(name.to_owned());
                continue;
            }
            let title = ["x-page-title", "x-displayName", "summary"]
                .iter()
                .find_map(|field| part.text(field))
                .unwrap_or(name);
            let parent = part.text("parent").or_else(|| part.text("x-parent"));
            let place = tags.place(name);
            if let Some(tag) = tags.tags.get_mut(place) {
                let text = |name, most| shortened_text(part.text(name).unwrap_or_default(), most);
                tag.title = shortened_text(title, MAX_TITLE);
                tag.description = text("description", MAX_DESCRIPTION);
                tag.summary = text("x-page-description", MAX_SUMMARY);
                tag.icon = text("x-page-icon", MAX_TITLE);
                tag.parent = parent.map(str::to_owned);
            }
        }
        tags
    }

    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let title = shortened_text(name, MAX_TITLE);
        let tag = Tag { name: name.to_owned(), title, ..Tag::default() };
        self.tags.push(tag);
        self.places.insert(name.to_owned(), self.tags.len() - 1);
        self.tags.len() - 1
    }

    fn add(&mut self, name: &str, operation: Operation) {
        if self.hidden.contains(name) {
            return;
        }
        let place = self.place(name);
        if let Some(tag) = self.tags.get_mut(place) {
            tag.operations.push(operation);
        }
    }

    /// Returns the tags, each followed by those below it. A parent that is unknown, or that is below
    /// its own tag, counts as none.
    fn in_order(mut self) -> Vec<Tag> {
        for at in 0..self.tags.len() {
            if self.is_circle(at) {
                self.tags[at].parent = None;
            }
        }
        let mut children: HashMap<Option<String>, Vec<usize>> = HashMap::new();
        for (at, tag) in self.tags.iter().enumerate() {
            children.entry(tag.parent.clone()).or_default().push(at);
        }
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = children.remove(&None).unwrap_or_default();
        waiting.reverse();
        while let Some(at) = waiting.pop() {
            order.push(at);
            let below = children.remove(&Some(self.tags[at].name.clone())).unwrap_or_default();
            waiting.extend(below.into_iter().rev());
        }
        order.into_iter().map(|at| std::mem::take(&mut self.tags[at])).collect()
    }

    /// Returns whether the parents of a tag end at an unknown one, or come back to it.
    fn is_circle(&self, at: usize) -> bool {
        let mut seen = HashSet::from([at]);
        let mut parent = self.tags[at].parent.as_ref();
        while let Some(name) = parent {
            match self.places.get(name) {
                Some(place) if seen.insert(*place) => parent = self.tags[*place].parent.as_ref(),
                _ => return true,
            }
        }
        false
    }
}

/// Returns the groups of tags. Those that no group names are in the last one, without a title.
fn groups(top: Part<'_>, tags: &Tags) -> Vec<TagGroup> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut groups: Vec<TagGroup> = Vec::new();
    for part in top.field("x-tagGroups").into_iter().flat_map(Part::items) {
        let names = part.field("tags").into_iter().flat_map(Part::items);
        let names = names.filter_map(|name| name.value.as_str());
        let known = names.filter(|name| tags.places.contains_key(*name) && seen.insert(name));
        let names: Vec<String> = known.map(str::to_owned).collect();
        if !names.is_empty() {
            groups.push(TagGroup {
                title: shortened_text(part.text("name").unwrap_or_default(), MAX_TITLE),
                tags: names,
            });
        }
    }
    let left = tags.tags.iter().filter(|tag| !seen.contains(tag.name.as_str()));
    let left: Vec<String> = left.map(|tag| tag.name.clone()).collect();
    if !groups.is_empty() && !left.is_empty() {
        groups.push(TagGroup { title: String::new(), tags: left });
    }
    groups
}
