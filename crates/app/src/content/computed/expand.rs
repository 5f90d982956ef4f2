//! Puts the pages of sources in the place of the pages that name the sources.

use std::collections::HashSet;
use std::fmt::Write as _;

use bindery_content::print::plain;
use bindery_content::slug;
use bindery_model::{Entropy, OpenApiVersionId, PageId};
use bindery_revision::tree::{self, Change, Tree, numbered};
use bindery_revision::{
    Content, ContentRef, Direction, Hash, Layout, LayoutWidth, Objects, OrderKey, PageBody,
    PageKind, PageRecord, Record, Reference, Staging,
};
use bindery_store::StoreError;

use super::corrupt;
use super::plan::{PlannedPage, markdown_of, plan};
use super::source::{Dependency, DocumentPart, DocumentSource, PageSource};
use super::specifications::{Found, Specifications};
use crate::content::openapi::Pieces;

/// The version of the way in which pages are made. Contents of another version are made anew.
const VERSION: u32 = 4;

/// Returns a content with the pages of all sources. A source of another type, or one whose
/// specification does not exist or was never read, has none, and its page stays.
pub(super) fn expand(
    content: &Content,
    staging: &mut Staging<'_>,
    specs: &Specifications<'_>,
) -> Result<Content, StoreError> {
    let mut shown = content.clone();
    for id in &content.computed {
        let Some(page) = shown.page(staging, *id).map_err(corrupt)? else { continue };
        let Some(source) = PageSource::of(&page) else { continue };
        let Some(Found { dependency, pieces }) = specs.find(&source.spec)? else { continue };
        let made = Made { page: &page, source: &source, dependency: &dependency, specs };
        shown = made.insert(&shown, staging, &pieces)?;
    }
    Ok(shown)
}

/// Returns a hash of what the pages of the sources of a content are made of.
pub(super) fn basis(
    content: &Content,
    objects: &dyn Objects,
    specs: &Specifications<'_>,
) -> Result<Hash, StoreError> {
    let mut named = String::new();
    for id in &content.computed {
        let Some(page) = content.page(objects, *id).map_err(corrupt)? else { continue };
        let (mut version, mut compared, mut download) = (None, 0, None);
        if let Some(source) = PageSource::of(&page)
            && let Some(Found { dependency, .. }) = specs.find(&source.spec)?
        {
            version = Some(dependency.version);
            if source.changes {
                compared = specs.compared(dependency.id)?;
            }
            if source.download {
                download = specs.download(&source.spec)?;
            }
        }
        let source = page.computed.unwrap_or_default();
        let version = version.as_ref().map_or("", OpenApiVersionId::as_str);
        let is_public = download.is_some();
        let _ = writeln!(named, "{VERSION} {id} {version} {compared} {is_public} {source}");
    }
    Ok(Hash::of(named.as_bytes()))
}

/// The pages of a source.
struct Made<'m> {
    /// The page that names the source.
    page: &'m PageRecord,
    source: &'m PageSource,
    dependency: &'m Dependency,
    specs: &'m Specifications<'m>,
}

impl Made<'_> {
    fn insert(
        &self,
        content: &Content,
        staging: &mut Staging<'_>,
        pieces: &Pieces,
    ) -> Result<Content, StoreError> {
        let outline = pieces.outline(staging).map_err(corrupt)?;
        let planned = plan(&outline, self.source, self.page.parent.is_none());
        let mut changes = Vec::with_capacity(planned.len() + 1);
        let tree = Tree::new(content, staging);
        let next = tree.siblings(self.page, Direction::Ascending).next();
        let next = next.transpose().map_err(corrupt)?.map(|child| child.order);
        let download = match self.source.download {
            true => self.specs.download(&self.source.spec)?,
            false => None,
        };
        let top = planned.iter().filter(|page| page.parent.is_none()).count();
        let top = top + usize::from(download.is_some());
        let mut top = OrderKey::spread(Some(&self.page.order), next.as_ref(), top).into_iter();
        let mut taken = self.slugs(&tree)?;
        let mut below: Vec<Option<OrderKey>> = vec![None; planned.len()];
        for (index, page) in planned.iter().enumerate() {
            let (parent, order) = match page.parent {
                None => (self.page.parent, top.next().unwrap_or_default()),
                Some(parent) => {
                    let last = below
                        .get_mut(parent)
                        .ok_or_else(|| corrupt("a page without its parent"))?;
                    let order = OrderKey::between(last.as_ref(), None);
                    *last = Some(order.clone());
                    (planned.get(parent).map(|page| self.id(page)), order)
                }
            };
            let mut record = self.record(page);
            record.slug = free(&mut taken, parent, &record.slug);
            (record.parent, record.order) = (parent, order);
            let text = match &page.part {
                Some(DocumentPart::Changes) => Some(self.specs.change_log(self.dependency.id)?),
                Some(DocumentPart::Overview) => {
                    let (title, text) = pieces.overview(staging).map_err(corrupt)?;
                    if !title.is_empty() {
                        record.link_title = Some(std::mem::replace(&mut record.title, title));
                    }
                    Some(text)
                }
                part => {
                    part.as_ref().and_then(|part| markdown_of(&outline, &self.source.spec, part))
                }
            };
            if let Some(mut text) = text {
                let references = match page.part {
                    Some(DocumentPart::Info(_) | DocumentPart::Models(None)) => {
                        self.list_below(&planned, index, &mut text)
                    }
                    _ => Vec::new(),
                };
                let body = PageBody { source: text.into(), references, ..PageBody::default() };
                record.body = Some(staging.put(body.encode().map_err(corrupt)?));
            }
            changes.push(Change::Put(Box::new(record)));
        }
        if let Some(target) = download {
            let order = top.next().unwrap_or_default();
            changes.push(Change::Put(Box::new(self.link(target, &mut taken, order))));
        }
        if changes.is_empty() {
            return Ok(content.clone());
        }
        changes.push(Change::Delete(self.page.id));
        tree::write(content, staging, changes).map_err(corrupt)
    }

    /// Adds a list of the pages below a page to its text. Returns the references in it.
    fn list_below(
        &self,
        planned: &[PlannedPage],
        index: usize,
        text: &mut String,
    ) -> Vec<Reference> {
        let mut references = Vec::new();
        let below = planned.iter().enumerate().filter(|(_, page)| page.parent == Some(index));
        for (at, page) in below {
            let raw = format!("page-{at}.md");
            if references.is_empty() && !text.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "* [{}]({raw})", plain(&page.title));
            let target = ContentRef::Page { page: self.id(page), space: None };
            references.push(Reference { raw, target });
        }
        references.sort_by(|a, b| a.raw.cmp(&b.raw));
        references
    }

    /// Returns the slugs of the pages beside the source, each with its parent.
    fn slugs(&self, tree: &Tree<'_>) -> Result<HashSet<(Option<PageId>, String)>, StoreError> {
        let mut taken = HashSet::new();
        for child in tree.children(self.page.parent) {
            let child = child.map_err(corrupt)?;
            if child.id != self.page.id {
                taken.insert((self.page.parent, child.entry.slug));
            }
        }
        Ok(taken)
    }

    /// Returns the id of a page, which is the same for the same part of the same source.
    fn id(&self, page: &PlannedPage) -> PageId {
        // Ids are in addresses and records, so these names must stay as they are.
        let name = match &page.part {
            Some(DocumentPart::Operations(name)) => format!("operations {name}"),
            Some(DocumentPart::Info(name)) => format!("info {name}"),
            Some(DocumentPart::Models(None)) => "models".to_owned(),
            Some(DocumentPart::Models(Some(page))) => format!("models {page}"),
            Some(DocumentPart::Changes) => "changes".to_owned(),
            Some(DocumentPart::Overview) => "overview".to_owned(),
            None => format!("group {}", page.title),
        };
        self.id_of(&name)
    }

    fn id_of(&self, name: &str) -> PageId {
        PageId::random(&Entropy::seeded(seed(format!("{} {name}", self.page.id).as_bytes())))
    }

    /// Returns a link to the description, which stands after the pages.
    fn link(
        &self,
        target: String,
        taken: &mut HashSet<(Option<PageId>, String)>,
        order: OrderKey,
    ) -> PageRecord {
        let title = "OpenAPI description";
        let kind = PageKind::Link { target: ContentRef::Url(target) };
        let parent = self.page.parent;
        let slug = free(taken, parent, &slug::page(title));
        PageRecord {
            parent,
            order,
            hidden: self.page.hidden,
            condition: self.page.condition.clone(),
            ..PageRecord::new(self.id_of("download"), kind, title, &slug, self.dependency.at)
        }
    }

    fn record(&self, page: &PlannedPage) -> PageRecord {
        let PlannedPage { title, parent: _, part, operation, summary, icon } = page;
        let stated = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let kind = if part.is_some() { PageKind::Document } else { PageKind::Group };
        let at = self.dependency.at;
        let part = part.clone();
        let source = part.map(|part| DocumentSource { spec: self.source.spec.clone(), part });
        // Operations have their samples beside them, where the outline would be.
        let wide = Layout { width: LayoutWidth::Wide, outline: false, ..Layout::default() };
        let layout = match &source {
            Some(DocumentSource {
                part: DocumentPart::Changes | DocumentPart::Overview, ..
            }) => Layout::default(),
            _ => wide,
        };
        PageRecord {
            layout,
            computed: source.map(|source| source.to_json(self.dependency).to_string()),
            hidden: self.page.hidden,
            no_index: self.page.no_index,
            no_robots_index: self.page.no_robots_index,
            condition: self.page.condition.clone(),
            operation: operation.clone(),
            description: stated(summary),
            icon: stated(icon).filter(|icon| is_icon(icon)),
            ..PageRecord::new(self.id(page), kind, title, &slug::page(title), at)
        }
    }
}

/// Returns the seed of an id that is the same for the same text.
pub(super) fn seed(text: &[u8]) -> u64 {
    Hash::of(text).as_bytes().iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

/// Returns `true` if a text can be the name of an icon.
fn is_icon(name: &str) -> bool {
    name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns a slug that no page beside it has.
fn free(
    taken: &mut HashSet<(Option<PageId>, String)>,
    parent: Option<PageId>,
    wanted: &str,
) -> String {
    let mut slug = wanted.to_owned();
    let mut number = 0;
    while !taken.insert((parent, slug.clone())) {
        number += 1;
        slug = numbered(wanted, number);
    }
    slug
}
