//! Adds one content to another.

use std::collections::{BTreeSet, HashMap};

use bindery_content::reference::{self, ContentRef as Target};
use bindery_content::slug;
use bindery_model::{Error, FieldPath, FileId, PageId, Result, ReusableContentId};
use bindery_revision::merge::settle;
use bindery_revision::tree::{self, Position, Tree};
use bindery_revision::{
    Content, ContentRef, Direction, FileRecord, Hash, Objects, PageBody, PageKind, PageRecord,
    Record, ReusableRecord, Staging, edit,
};

use super::places;
use crate::Context;
use crate::content::content_changes::links::InContent;
use crate::content::snapshot::{broken_object, broken_tree};
use crate::content::texts::{DocumentBodies, store};

/// Maximum number of pages, files and reusable contents in a template.
const MAX_ENTRIES: u64 = 5_000;
/// The slug of a page whose source is the README of a repository.
const README: &str = "readme";

/// The template that is added to a content.
pub(super) struct Template<'a> {
    pub(super) content: &'a Content,
    pub(super) objects: &'a dyn Objects,
    /// The folder for its sources if their paths are already in use.
    pub(super) name: &'a str,
}

/// The targets for a template's placeholders, and the path of the template in the request.
type Given<'a> = (&'a [(String, Target)], &'a FieldPath);

/// Returns the content with the template added.
pub(super) fn graft(
    cx: &Context<'_>,
    before: &Content,
    staging: &mut Staging<'_>,
    template: &Template<'_>,
    given: Given<'_>,
) -> Result<Content> {
    let read = Parts::read(template)?;
    let folder = free_folder(before, staging, &read, template.name)?;
    let ids = Ids::of(cx, &read);
    let mut graft = Graft { cx, content: before.clone(), staging, folder, ids, open: Vec::new() };
    let mut names = BTreeSet::new();
    for (name, value) in &template.content.variables {
        if !before.variables.contains_key(name) {
            edit::set_variable(&mut graft.content, name, Some(value.clone()));
        }
    }
    for file in read.files {
        graft.file(file)?;
    }
    for text in read.reusable {
        graft.reusable(text, template, &mut names)?;
    }
    for page in read.pages {
        graft.page(page, template, &mut names)?;
    }
    graft.fill(&names, given)?;
    let Graft { content, staging, .. } = graft;
    settle(before, &content, staging, &mut DocumentBodies).map_err(broken_object)
}

/// All items of a template.
struct Parts {
    pages: Vec<PageRecord>,
    files: Vec<FileRecord>,
    reusable: Vec<ReusableRecord>,
}

impl Parts {
    fn read(Template { content, objects, .. }: &Template<'_>) -> Result<Self> {
        let count = content.pages.len() + content.files.len() + content.reusable.len();
        if count > MAX_ENTRIES {
            return Err(Error::conflict(format!(
                "the template has {count} pages, files and reusable contents; at most \
                 {MAX_ENTRIES} can \
                 be applied"
            )));
        }
        let tree = Tree::new(content, *objects);
        let pages = tree.walk().map(|child| {
            let child = child.map_err(broken_object)?;
            tree.page(child.id).map_err(broken_tree)
        });
        let files = content.files.range(*objects, None, Direction::Ascending).map(|entry| {
            let (_, bytes) = entry.map_err(broken_object)?;
            FileRecord::decode(&bytes).map_err(broken_object)
        });
        let reusable = content.reusable.range(*objects, None, Direction::Ascending).map(|entry| {
            let (_, bytes) = entry.map_err(broken_object)?;
            ReusableRecord::decode(&bytes).map_err(broken_object)
        });
        Ok(Self {
            pages: pages.collect::<Result<_>>()?,
            files: files.collect::<Result<_>>()?,
            reusable: reusable.collect::<Result<_>>()?,
        })
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        let pages = self.pages.iter().filter_map(|page| page.source_path.as_deref());
        let files = self.files.iter().filter_map(|file| file.path.as_deref());
        pages.chain(files).chain(self.reusable.iter().filter_map(|text| text.path.as_deref()))
    }
}

/// Returns a folder, with a trailing slash, in which all paths of the template are free; an empty
/// folder if they are free without one. All sources move together, so links between them stay
/// valid.
fn free_folder(
    before: &Content,
    staging: &Staging<'_>,
    parts: &Parts,
    name: &str,
) -> Result<String> {
    let is_free = |folder: &str| -> Result<bool> {
        for path in parts.paths() {
            let path = format!("{folder}{path}");
            if before.at_path(staging, &path).map_err(broken_object)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut folder = String::new();
    let mut number = 1_u32;
    while !is_free(&folder)? {
        folder = if number == 1 { format!("{name}/") } else { format!("{name}-{number}/") };
        number += 1;
    }
    Ok(folder)
}

/// The new ids of all items, by their ids in the template.
struct Ids {
    pages: HashMap<PageId, PageId>,
    files: HashMap<FileId, FileId>,
    reusable: HashMap<ReusableContentId, ReusableContentId>,
}

impl Ids {
    fn of(cx: &Context<'_>, parts: &Parts) -> Self {
        let entropy = &cx.app.entropy;
        Self {
            pages: parts.pages.iter().map(|page| (page.id, PageId::random(entropy))).collect(),
            files: parts.files.iter().map(|file| (file.id, FileId::random(entropy))).collect(),
            reusable: parts
                .reusable
                .iter()
                .map(|text| (text.id, ReusableContentId::random(entropy)))
                .collect(),
        }
    }

    /// Returns a reference of the template with the new ids.
    fn reference(&self, target: &ContentRef) -> ContentRef {
        let page = |id: &PageId| self.pages.get(id).copied().unwrap_or(*id);
        match target {
            ContentRef::Page { page: id, space: None } => {
                ContentRef::Page { page: page(id), space: None }
            }
            ContentRef::Anchor { page: id, space: None, anchor } => ContentRef::Anchor {
                page: id.as_ref().map(page),
                space: None,
                anchor: anchor.clone(),
            },
            ContentRef::File { file, space: None } => {
                let file = self.files.get(file).copied().unwrap_or(*file);
                ContentRef::File { file, space: None }
            }
            ContentRef::Reusable { reusable, space: None } => {
                let reusable = self.reusable.get(reusable).copied().unwrap_or(*reusable);
                ContentRef::Reusable { reusable, space: None }
            }
            other => other.clone(),
        }
    }
}

/// The owner of a text.
enum Holder {
    Page(PageId),
    Reusable(ReusableRecord),
}

/// The state while a template is added to a content.
struct Graft<'a, 's> {
    cx: &'a Context<'a>,
    content: Content,
    staging: &'a mut Staging<'s>,
    folder: String,
    ids: Ids,
    /// Texts with placeholders, which are filled after all items have been added.
    open: Vec<(Holder, PageBody)>,
}

impl Graft<'_, '_> {
    fn path(&self, path: Option<String>) -> Option<String> {
        path.map(|path| format!("{}{path}", self.folder))
    }

    fn file(&mut self, mut file: FileRecord) -> Result<()> {
        file.id = self.ids.files.get(&file.id).copied().unwrap_or(file.id);
        file.path = self.path(file.path);
        self.content = edit::put_file(&self.content, self.staging, &file).map_err(broken_object)?;
        Ok(())
    }

    fn reusable(
        &mut self,
        mut text: ReusableRecord,
        template: &Template<'_>,
        names: &mut BTreeSet<String>,
    ) -> Result<()> {
        text.id = self.ids.reusable.get(&text.id).copied().unwrap_or(text.id);
        text.path = self.path(text.path);
        let body = text.body.map(|body| self.body(body, template)).transpose()?;
        text.body = body.as_ref().map(|body| self.put(body)).transpose()?;
        if let Some(body) = body
            && has_places(&body, names)
        {
            self.open.push((Holder::Reusable(text.clone()), body));
        }
        self.content =
            edit::put_reusable(&self.content, self.staging, &text).map_err(broken_object)?;
        Ok(())
    }

    fn page(
        &mut self,
        mut page: PageRecord,
        template: &Template<'_>,
        names: &mut BTreeSet<String>,
    ) -> Result<()> {
        page.id = self.ids.pages.get(&page.id).copied().unwrap_or(page.id);
        page.parent = page.parent.and_then(|parent| self.ids.pages.get(&parent).copied());
        page.source_path = self.path(page.source_path);
        if page.slug == README {
            // A title is clearer than `readme` among other pages.
            page.slug = slug::page(&page.title);
        }
        if let PageKind::Link { target } = &page.kind {
            page.kind = PageKind::Link { target: self.ids.reference(target) };
        }
        if let Some(cover) = &mut page.cover {
            cover.image = cover.image.as_ref().map(|image| self.ids.reference(image));
            cover.image_dark = cover.image_dark.as_ref().map(|image| self.ids.reference(image));
        }
        let links = &mut page.meta_links;
        links.canonical = links.canonical.as_ref().map(|target| self.ids.reference(target));
        links.alternates = links.alternates.iter().map(|to| self.ids.reference(to)).collect();
        (page.created_at, page.updated_at) = (self.cx.now(), self.cx.now());
        let body = page.body.map(|body| self.body(body, template)).transpose()?;
        page.body = body.as_ref().map(|body| self.put(body)).transpose()?;
        if let Some(body) = body
            && has_places(&body, names)
        {
            self.open.push((Holder::Page(page.id), body));
        }
        let (content, _) =
            tree::insert(&self.content, self.staging, page, Position::Last).map_err(broken_tree)?;
        self.content = content;
        Ok(())
    }

    /// Returns a text of the template with its path and references in the content.
    fn body(&self, body: Hash, template: &Template<'_>) -> Result<PageBody> {
        let bytes = template.objects.get(&body).map_err(broken_object)?;
        let mut body = PageBody::decode(&bytes).map_err(broken_object)?;
        body.path = self.path(body.path);
        for reference in &mut body.references {
            reference.target = self.ids.reference(&reference.target);
        }
        Ok(body)
    }

    fn put(&mut self, body: &PageBody) -> Result<Hash> {
        Ok(self.staging.put(body.encode().map_err(broken_object)?))
    }

    /// Fills the placeholders of the texts.
    fn fill(&mut self, names: &BTreeSet<String>, (given, pointer): Given<'_>) -> Result<()> {
        let at = |name: &str| pointer.field("params").field("contentRefs").field(name);
        if let Some((name, _)) = given.iter().find(|(name, _)| !names.contains(name)) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let text = format!("the template has no such placeholder, allowed: {known}");
            return Err(at(name).invalid(text));
        }
        for (holder, body) in std::mem::take(&mut self.open) {
            let around = InContent { content: &self.content, objects: &*self.staging };
            let path = body.path.as_deref().unwrap_or_default();
            let mut written = HashMap::new();
            for (name, target) in given {
                let raw =
                    around.leads_somewhere(target).then(|| reference::write(target, path, &around));
                let raw = raw
                    .flatten()
                    .ok_or_else(|| at(name).invalid("the target does not exist in the space"))?;
                written.insert(name.as_str(), raw);
            }
            let source = String::from_utf8_lossy(&body.source);
            let source = places::fill(&source, &|name| written.get(name).cloned());
            let body = store(source, body.path.clone(), &around, None);
            let hash = self.put(&body)?;
            match holder {
                Holder::Page(page) => {
                    let update = |page: &mut PageRecord| page.body = Some(hash);
                    let (content, _) = tree::update(&self.content, self.staging, page, update)
                        .map_err(broken_tree)?;
                    self.content = content;
                }
                Holder::Reusable(text) => {
                    let text = ReusableRecord { body: Some(hash), ..text };
                    self.content = edit::put_reusable(&self.content, self.staging, &text)
                        .map_err(broken_object)?;
                }
            }
        }
        Ok(())
    }
}

fn has_places(body: &PageBody, names: &mut BTreeSet<String>) -> bool {
    let before = names.len();
    let mut own = BTreeSet::new();
    places::names(&String::from_utf8_lossy(&body.source), &mut own);
    let has = !own.is_empty();
    names.extend(own);
    has || names.len() > before
}
