//! Test support: spaces and edits described as short texts.

use std::collections::BTreeMap;

use bindery_model::{FileId, Id, PageId, ReusableContentId, Timestamp};

use crate::content::{Content, Redirect};
use crate::edit;
use crate::map::{Direction, Salt};
use crate::merge::{
    Conflict, FileSubject, MergeResult, PageSubject, ReusableSubject, Subject, WholeBodies,
    conflicts, merge,
};
use crate::object::{Hash, MemoryObjects, Staging};
use crate::record::{FileRecord, PageKind, PageRecord, PageTag, Record, ReusableRecord, Variable};
use crate::tree::tests::invariants;
use crate::tree::{self, Position, Tree};

/// The objects of all contents of a test, with the names of their pages.
#[derive(Default)]
pub(crate) struct Fixture {
    pub(crate) objects: MemoryObjects,
    /// The time of the last edit in milliseconds; later pages are younger.
    clock: i64,
    /// The names of the pages.
    names: BTreeMap<PageId, String>,
    /// The operations of the test, printed if it fails.
    log: Vec<String>,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", self.log.join("\n"));
        }
    }
}

fn id(name: &str) -> Id {
    Id::derived(Hash::of(name.as_bytes()).as_bytes())
}

pub(crate) fn page(name: &str) -> PageId {
    PageId::new(id(name))
}

impl Fixture {
    pub(crate) fn with_staging<T>(&mut self, merger: impl FnOnce(&mut Staging<'_>) -> T) -> T {
        let base = std::mem::take(&mut self.objects);
        let mut staging = Staging::new(&base);
        let result = merger(&mut staging);
        let new = staging.drain();
        self.objects = base;
        self.objects.extend(new);
        result
    }

    pub(crate) fn empty() -> Content {
        Content::empty(Salt::new(*b"sixteen of bytes"))
    }

    /// Adds a line to the log that a failing test prints.
    pub(crate) fn note(&mut self, line: impl Into<String>) {
        self.log.push(line.into());
    }

    /// Merges, and checks the invariants of the result.
    pub(crate) fn merge(
        &mut self,
        base: &Content,
        ours: &Content,
        theirs: &Content,
    ) -> MergeResult {
        self.log.push("merge".to_owned());
        let merged = self
            .with_staging(|staging| merge(base, ours, theirs, staging, &mut WholeBodies).unwrap());
        invariants(&merged.content, &self.objects);
        merged
    }

    pub(crate) fn conflicts(&self, content: &Content) -> Vec<Conflict> {
        conflicts(content, &self.objects).map(Result::unwrap).collect()
    }

    /// Creates pages by name from a text such as `a(b c(d)) e`.
    pub(crate) fn tree(&mut self, text: &str) -> Content {
        let mut content = Self::empty();
        let mut parents = vec![None];
        let mut last = None;
        for word in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match word {
                "(" => parents.push(last),
                ")" => drop(parents.pop()),
                name => {
                    let parent = *parents.last().unwrap();
                    content = self.add(&content, name, parent, Position::Last);
                    last = Some(page(name));
                }
            }
        }
        content
    }

    fn add(
        &mut self,
        content: &Content,
        name: &str,
        parent: Option<PageId>,
        position: Position,
    ) -> Content {
        self.clock += 1;
        self.names.insert(page(name), name.to_owned());
        let at = Timestamp::from_millis(self.clock);
        let mut record = PageRecord::new(page(name), PageKind::Document, name, name, at);
        record.parent = parent;
        record.source_path = Some(format!("{name}.md"));
        record.body = Some(self.text(name));
        self.with_staging(|staging| tree::insert(content, staging, record, position).unwrap().0)
    }

    fn text(&mut self, text: &str) -> Hash {
        let text = text.as_bytes().to_vec();
        self.with_staging(|staging| staging.put(text))
    }

    /// Applies edits that are separated by semicolons.
    pub(crate) fn edit(&mut self, content: &Content, edits: &str) -> Content {
        self.log.push(edits.to_owned());
        let mut content = content.clone();
        for edit in edits.split(';').filter(|edit| !edit.trim().is_empty()) {
            let words: Vec<&str> = edit.split_whitespace().collect();
            content = self.apply_edit(&content, &words);
        }
        content
    }

    fn apply_edit(&mut self, content: &Content, words: &[&str]) -> Content {
        let parent = |name: &str| (name != "/").then(|| page(name));
        match words {
            ["add", name, "under", under] => self.add(content, name, parent(under), Position::Last),
            ["add", name, side @ ("before" | "after"), other] => {
                let position = beside(side, other);
                let under = content.page(&self.objects, page(other)).unwrap().unwrap().parent;
                self.add(content, name, under, position)
            }
            ["move", name, "under", under] => {
                self.relocate(content, name, parent(under), Position::Last)
            }
            ["move", name, side @ ("before" | "after"), other] => {
                let position = beside(side, other);
                let under = content.page(&self.objects, page(other)).unwrap().unwrap().parent;
                self.relocate(content, name, under, position)
            }
            ["delete", name] => {
                self.with_staging(|staging| tree::delete(content, staging, page(name)).unwrap().0)
            }
            ["file", name, path, bytes] => {
                let hash = self.text(bytes);
                let file = FileRecord {
                    id: FileId::new(id(name)),
                    name: (*name).to_owned(),
                    path: (*path != "-").then(|| (*path).to_owned()),
                    content_type: "text/plain".to_owned(),
                    size: bytes.len() as u64,
                    hash,
                    dimensions: None,
                };
                self.with_staging(|staging| edit::put_file(content, staging, &file).unwrap())
            }
            ["rename-file", name, to] => {
                let mut file = self.file(content, name).unwrap();
                file.name = (*to).to_owned();
                self.with_staging(|staging| edit::put_file(content, staging, &file).unwrap())
            }
            ["delete-file", name] => self.with_staging(|staging| {
                edit::delete_file(content, staging, FileId::new(id(name))).unwrap().0
            }),
            ["reusable", name, title, text] => {
                let body = Some(self.text(text));
                let record = ReusableRecord {
                    id: ReusableContentId::new(id(name)),
                    title: (*title).to_owned(),
                    path: Some(format!("{name}.md")),
                    body,
                    computed: None,
                };
                self.with_staging(|staging| edit::put_reusable(content, staging, &record).unwrap())
            }
            ["delete-reusable", name] => self.with_staging(|staging| {
                let id = ReusableContentId::new(id(name));
                edit::delete_reusable(content, staging, id).unwrap().0
            }),
            ["variable", name, value] => {
                let mut next = content.clone();
                let value = (*value != "-").then(|| Variable::Text((*value).to_owned()));
                edit::set_variable(&mut next, name, value);
                next
            }
            ["redirect", path, to] => {
                let value =
                    (*to != "-").then(|| Redirect::Path((*to).to_owned()).encode().unwrap());
                let edit = ((*path).to_owned().into(), value);
                let mut next = content.clone();
                next.redirects =
                    self.with_staging(|staging| content.redirects.apply(staging, [edit]).unwrap());
                next
            }
            ["source", path, text] => {
                let mut next = content.clone();
                next.sources.retain(|(one, _)| one != path);
                if *text != "-" {
                    next.sources.push(((*path).to_owned(), self.text(text)));
                }
                next.sources.sort_unstable();
                next
            }
            [attribute, name, value] => {
                let body = self.text(value);
                self.clock += 1;
                let now = Timestamp::from_millis(self.clock);
                let value = (*value).to_owned();
                self.with_staging(|staging| {
                    let change = |record: &mut PageRecord| {
                        record.updated_at = now;
                        match *attribute {
                            "title" => record.title = value,
                            "slug" => record.slug = value,
                            "emoji" => record.emoji = Some(value),
                            "path" => record.source_path = Some(value),
                            "tag" => record.tags.push(PageTag { tag: value, primary: None }),
                            "body" => record.body = Some(body),
                            other => panic!("no edit `{other}`"),
                        }
                    };
                    tree::update(content, staging, page(name), change).unwrap().0
                })
            }
            other => panic!("no edit `{other:?}`"),
        }
    }

    fn relocate(
        &mut self,
        content: &Content,
        name: &str,
        parent: Option<PageId>,
        position: Position,
    ) -> Content {
        self.with_staging(|staging| {
            tree::relocate(content, staging, page(name), parent, position).unwrap().0
        })
    }

    pub(crate) fn name(&self, id: PageId) -> String {
        self.names[&id].clone()
    }

    pub(crate) fn file(&self, content: &Content, name: &str) -> Option<FileRecord> {
        content.file(&self.objects, FileId::new(id(name))).unwrap()
    }

    pub(crate) fn reusable(&self, content: &Content, name: &str) -> Option<ReusableRecord> {
        content.reusable(&self.objects, ReusableContentId::new(id(name))).unwrap()
    }

    pub(crate) fn record(&self, content: &Content, name: &str) -> Option<PageRecord> {
        content.page(&self.objects, page(name)).unwrap()
    }

    /// Formats the tree like the text that [`Fixture::tree`] reads, using these names. A slug that
    /// differs from the name follows after a slash.
    pub(crate) fn show(&self, content: &Content, names: &Names) -> String {
        let tree = Tree::new(content, &self.objects);
        let mut out = String::new();
        let (mut walk, mut depth) = (tree.walk(), 0);
        while let Some(child) = walk.next() {
            let child = child.unwrap();
            match (walk.depth(), out.is_empty()) {
                (_, true) => {}
                (now, _) if now > depth => out.push('('),
                (now, _) => {
                    out.push_str(&")".repeat(depth - now));
                    out.push(' ');
                }
            }
            depth = walk.depth();
            let name = names.name(child.id.id());
            out.push_str(&name);
            if child.entry.slug != name {
                out.push('/');
                out.push_str(&child.entry.slug);
            }
        }
        out.push_str(&")".repeat(depth));
        out
    }
}

fn beside(side: &str, other: &str) -> Position {
    if side == "before" { Position::Before(page(other)) } else { Position::After(page(other)) }
}

/// Maps ids back to the names that they were derived from.
pub(crate) struct Names(BTreeMap<Id, String>);

impl Names {
    /// Collects every word of these texts as a name.
    pub(crate) fn of(texts: &[&str]) -> Self {
        let words = texts.iter().flat_map(|text| text.split([' ', '(', ')', ';']));
        Self(words.map(|word| (id(word), word.to_owned())).collect())
    }

    fn name(&self, id: Id) -> String {
        self.0.get(&id).cloned().unwrap_or_else(|| "?".to_owned())
    }

    /// Formats the subjects of conflicts as text, sorted.
    pub(crate) fn show(&self, conflicts: &[Conflict]) -> String {
        let about = |conflict: &Conflict| {
            let lower = |of: &dyn std::fmt::Debug| format!("{of:?}").to_lowercase();
            let (what, id) = match &conflict.subject {
                Subject::Page(id, PageSubject::Existence) => ("page".to_owned(), id.id()),
                Subject::Page(id, PageSubject::Position) => ("place".to_owned(), id.id()),
                Subject::Page(id, PageSubject::Attribute(one)) => (lower(one), id.id()),
                Subject::Page(id, PageSubject::Part(_)) => ("body".to_owned(), id.id()),
                Subject::File(id, FileSubject::Existence) => ("file".to_owned(), id.id()),
                Subject::File(id, FileSubject::Bytes) => ("bytes".to_owned(), id.id()),
                Subject::File(id, FileSubject::Attribute(one)) => (lower(one), id.id()),
                Subject::Reusable(id, ReusableSubject::Existence) => {
                    ("reusable".to_owned(), id.id())
                }
                Subject::Reusable(id, ReusableSubject::Attribute(one)) => (lower(one), id.id()),
                Subject::Reusable(id, ReusableSubject::Part(_)) => ("body".to_owned(), id.id()),
                Subject::Variable(name) => return format!("variable {name}"),
                Subject::Redirect(path) => return format!("redirect {path}"),
                Subject::Source(path) => return format!("source {path}"),
            };
            format!("{what} {}", self.name(id))
        };
        let mut all: Vec<String> = conflicts.iter().map(about).collect();
        all.sort_unstable();
        all.join(", ")
    }
}

/// Returns all pages of a content by id.
pub(crate) fn pages(fixture: &Fixture, content: &Content) -> BTreeMap<PageId, PageRecord> {
    let all = content.pages.range(&fixture.objects, None, Direction::Ascending);
    all.map(|entry| PageRecord::decode(&entry.unwrap().1).unwrap())
        .map(|one| (one.id, one))
        .collect()
}
