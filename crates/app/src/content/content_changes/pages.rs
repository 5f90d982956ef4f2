//! Inserts, moves, renames and deletes pages.

use bindery_content::{Page, emoji, slug};
use bindery_expression::Expression;
use bindery_model::{FieldPath, PageId, Result};
use bindery_revision::tree::{self, Position, Tree};
use bindery_revision::{PageKind, PageRecord, PageTag, PathEntry};
use unicode_normalization::UnicodeNormalization;

use super::decided::Decided;
use super::texts::Pending;
use super::{NewDocument, PageChange, Work, refused};
use crate::content::snapshot::{broken_object, broken_tree};
use crate::text;

/// Maximum length of titles and slugs, in characters.
pub(super) const TITLE: usize = 256;
const SLUG: usize = tree::MAX_SLUG;
/// Maximum length of a description, in characters.
const DESCRIPTION: usize = 5_000;

/// Maximum length of a tag, in characters.
const TAG: usize = 128;

const DEFAULT_TITLE: &str = "Untitled";

/// The metadata of a page; absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    /// The title.
    pub title: Option<String>,
    /// The title in the navigation; empty for the title itself.
    pub link_title: Option<String>,
    /// The segment of the path; empty to derive it from the title.
    pub slug: Option<String>,
    /// The emoji in front of the title; empty for none.
    pub emoji: Option<String>,
    /// The name of the icon in front of the title; empty for none.
    pub icon: Option<String>,
    /// The description; empty for none.
    pub description: Option<String>,
    /// `true` if the page is not in the navigation.
    pub hidden: Option<bool>,
    /// `true` if the page is excluded from search.
    pub no_index: Option<bool>,
    /// `true` if search engines are asked not to index the page.
    pub no_robots_index: Option<bool>,
    /// The expression that decides which visitors see the page; empty for all visitors.
    pub condition: Option<String>,
    /// The tags.
    pub tags: Option<Vec<PageTag>>,
}

impl Metadata {
    /// Returns the metadata with the values that a Markdown text sets for its page. These take
    /// precedence.
    fn of_text(mut self, document: Option<&NewDocument>) -> Self {
        let Some(NewDocument::Markdown(source)) = document else { return self };
        let page = Page::split(source);
        let heading = page.title.as_ref().map(|title| title.text.trim().to_owned());
        let (front, _) = page.metadata(source);
        let title = heading.or(front.title).filter(|title| !title.is_empty());
        self.title = title.or(self.title);
        self.description = front.description.or(self.description);
        self.icon = front.icon.or(self.icon);
        self.condition = front.condition.or(self.condition);
        self.hidden = front.hidden.then_some(true).or(self.hidden);
        self.no_index = front.no_index.then_some(true).or(self.no_index);
        self.no_robots_index = front.no_robots_index.then_some(true).or(self.no_robots_index);
        self
    }
}

impl Work<'_, '_> {
    pub(super) fn insert(
        &mut self,
        at: &FieldPath,
        into: Option<PageId>,
        position: Option<u64>,
        reference: Option<String>,
        metadata: Metadata,
        document: NewDocument,
    ) -> Result<()> {
        let parent = match into {
            Some(parent) => Some(self.parent(&at.field("into"), parent)?),
            None => None,
        };
        let metadata = metadata.of_text(Some(&document));
        let tags = metadata.tags.is_some();
        let id = PageId::random(&self.app.entropy);
        let mut page = PageRecord::new(id, PageKind::Document, DEFAULT_TITLE, "", self.now);
        page.parent = into;
        let wanted = metadata.slug.clone().filter(|slug| !slug.is_empty());
        set(at, &mut page, metadata)?;
        page.slug = match wanted {
            Some(wanted) => self.explicit_slug(at, into, &wanted, id)?,
            None => slug::page(&page.title),
        };
        let position = position.map_or(Position::Last, Position::At);
        let (content, mut page) = tree::insert(&self.content, self.staging, page, position)
            .map_err(|error| refused(at, error))?;
        self.content = content;
        let folder = self.folder_of(parent.as_ref())?;
        page.source_path = Some(self.free_path(&format!("{folder}{}.md", page.slug))?);
        self.put(at, page)?;
        self.name(at, reference, PathEntry::Page(id))?;
        self.touch(id, PageChange::Inserted(self.name_of(id)));
        self.texts.push(Pending::new(at, id, document, tags));
        Ok(())
    }

    pub(super) fn update(
        &mut self,
        at: &FieldPath,
        id: PageId,
        into: Option<Option<PageId>>,
        position: Option<u64>,
        metadata: Metadata,
        document: Option<NewDocument>,
    ) -> Result<()> {
        let mut page = self.page(&at.field("page"), id)?;
        if document.is_some() && !matches!(page.kind, PageKind::Document) {
            return Err(at
                .field("document")
                .invalid("this page is a group or a link: it has none"));
        }
        let (attributes, place) = (metadata.attributes(), into.is_some() || position.is_some());
        self.decided.push(Decided { page: id, attributes, place, text: false });
        let parent = into.unwrap_or(page.parent);
        if parent != page.parent || position.is_some() {
            let at = at.field("into");
            if let Some(parent) = parent {
                self.parent(&at, parent)?;
                if page.kind == PageKind::Group {
                    return Err(at.invalid("this page is a group: groups stand at the top level"));
                }
            }
            let position = position.map_or(Position::Last, Position::At);
            let (content, moved) =
                tree::relocate(&self.content, self.staging, id, parent, position)
                    .map_err(|error| refused(&at, error))?;
            (self.content, page) = (content, moved);
        }
        let before = page.clone();
        let metadata = metadata.of_text(document.as_ref());
        let tags = metadata.tags.is_some();
        let wanted = metadata.slug.clone();
        let follows_title = wanted.as_deref() == Some("");
        set(at, &mut page, metadata)?;
        match wanted {
            Some(wanted) if wanted.is_empty() => page.slug = slug::page(&page.title),
            Some(wanted) => page.slug = self.explicit_slug(at, page.parent, &wanted, id)?,
            None => {}
        }
        if page != before {
            page.updated_at = self.now;
            self.put(at, page)?;
        }
        if follows_title {
            self.rename_file(at, &before)?;
        }
        self.touch(id, PageChange::Updated);
        if let Some(document) = document {
            self.texts.push(Pending::new(at, id, document, tags));
        }
        Ok(())
    }

    /// Gives the file of a page that is not in the base the name of the page's new slug.
    fn rename_file(&mut self, at: &FieldPath, before: &PageRecord) -> Result<()> {
        if self.base.page(&*self.staging, before.id).map_err(broken_object)?.is_some() {
            return Ok(());
        }
        let mut page = self.page(at, before.id)?;
        let path = page.source_path.as_deref().unwrap_or_default();
        let folder = match path.strip_suffix(&format!("{}.md", before.slug)) {
            Some(folder) if page.slug != before.slug => folder.to_owned(),
            _ => return Ok(()),
        };
        page.source_path = Some(self.free_path(&format!("{folder}{}.md", page.slug))?);
        self.put(at, page)
    }

    pub(super) fn delete(&mut self, at: &FieldPath, id: PageId) -> Result<()> {
        let at = at.field("page");
        let (content, gone) =
            tree::delete(&self.content, self.staging, id).map_err(|error| refused(&at, error))?;
        self.content = content;
        for id in gone {
            self.touch(id, PageChange::Deleted);
            self.texts.retain(|text| text.page != id);
            self.references.retain(|_, entry| *entry != PathEntry::Page(id));
        }
        Ok(())
    }

    /// Stores the record of a page in the content.
    pub(super) fn put(&mut self, at: &FieldPath, page: PageRecord) -> Result<()> {
        let id = page.id;
        let (content, _) = tree::update(&self.content, self.staging, id, |record| *record = page)
            .map_err(|error| refused(at, error))?;
        self.content = content;
        Ok(())
    }

    /// Returns a page that can have child pages, or an error.
    pub(super) fn parent(&self, at: &FieldPath, id: PageId) -> Result<PageRecord> {
        let parent = self.page(at, id)?;
        if matches!(parent.kind, PageKind::Link { .. }) {
            return Err(at.invalid("this page is a link: nothing can stand under it"));
        }
        Ok(parent)
    }

    fn explicit_slug(
        &self,
        at: &FieldPath,
        parent: Option<PageId>,
        wanted: &str,
        own: PageId,
    ) -> Result<String> {
        let at = at.field("slug");
        let wanted: String = wanted.nfc().collect();
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '+');
        if wanted.chars().count() > SLUG
            || !wanted.chars().all(plain)
            || wanted.chars().all(|c| c == '.')
        {
            return Err(at.invalid(format_args!(
                "found {wanted:?}, allowed: at most {SLUG} letters, digits, `-`, `_`, `.`, `~`, `+`"
            )));
        }
        let tree = Tree::new(&self.content, &*self.staging);
        let holder = tree.by_slug(parent, &wanted).map_err(broken_object)?;
        if holder.is_some_and(|holder| holder != own) {
            return Err(at.conflict(format_args!(
                "found {wanted:?}, which another page of the same parent has already"
            )));
        }
        Ok(wanted)
    }

    /// Returns the folder for the files of the children of a page, with a trailing slash.
    fn folder_of(&self, parent: Option<&PageRecord>) -> Result<String> {
        let Some(parent) = parent else { return Ok(String::new()) };
        if let Some(path) = &parent.source_path {
            return Ok(match path.strip_suffix("README.md") {
                Some(folder) => folder.to_owned(),
                None => format!("{}/", path.strip_suffix(".md").unwrap_or(path)),
            });
        }
        let tree = Tree::new(&self.content, &*self.staging);
        Ok(format!("{}/", tree.path(parent.id).map_err(broken_tree)?))
    }

    /// Returns the name of a page in this request.
    fn name_of(&self, id: PageId) -> Option<String> {
        let entry = PathEntry::Page(id);
        self.references.iter().find(|(_, known)| **known == entry).map(|(name, _)| name.clone())
    }
}

/// Sets the fields of a page's record from the metadata, except for the slug.
fn set(at: &FieldPath, page: &mut PageRecord, metadata: Metadata) -> Result<()> {
    let Metadata {
        title,
        link_title,
        slug: _,
        emoji: code,
        icon,
        description,
        hidden,
        no_index,
        no_robots_index,
        condition,
        tags,
    } = metadata;
    if let Some(title) = title {
        page.title = text::title(at.field("title"), &title, 1, TITLE)?;
    }
    if let Some(title) = link_title {
        let title = text::title(at.field("linkTitle"), &title, 0, TITLE)?;
        page.link_title = Some(title).filter(|title| !title.is_empty());
    }
    if let Some(tags) = tags {
        page.tags = self::tags(&at.field("tags"), tags)?;
    }
    if let Some(code) = code {
        page.emoji = emoji_code(at, &code)?;
    }
    if let Some(icon) = icon {
        let icon = text::title(at.field("icon"), &icon, 0, 50)?;
        page.icon = Some(icon).filter(|icon| !icon.is_empty());
    }
    if let Some(description) = description {
        let description: String = description.trim().nfc().collect();
        let length = description.chars().count();
        if length > DESCRIPTION {
            return Err(at.field("description").invalid(format_args!(
                "found {length} characters, allowed: at most {DESCRIPTION}"
            )));
        }
        page.description = Some(description).filter(|text| !text.is_empty());
    }
    page.hidden = hidden.unwrap_or(page.hidden);
    page.no_index = no_index.unwrap_or(page.no_index);
    page.no_robots_index = no_robots_index.unwrap_or(page.no_robots_index);
    if let Some(condition) = condition {
        if !condition.is_empty() {
            Expression::parse(&condition).map_err(|error| at.field("condition").invalid(error))?;
        }
        page.condition = Some(condition).filter(|condition| !condition.is_empty());
    }
    Ok(())
}

/// Validates and normalises tags. Removes control characters, and rejects duplicates and a second
/// primary tag.
fn tags(at: &FieldPath, given: Vec<PageTag>) -> Result<Vec<PageTag>> {
    let mut tags: Vec<PageTag> = Vec::with_capacity(given.len());
    for (index, PageTag { tag, primary }) in given.into_iter().enumerate() {
        let at = at.field(index);
        let tag = text::title(at.field("tag"), &tag, 1, TAG)?;
        if tags.iter().any(|known| known.tag == tag) {
            return Err(at.field("tag").invalid(format_args!("found {tag:?} twice")));
        }
        if primary == Some(true) && tags.iter().any(|known| known.primary == Some(true)) {
            return Err(at.field("primary").invalid("another tag is the main one already"));
        }
        tags.push(PageTag { tag, primary });
    }
    Ok(tags)
}

/// Returns the code of an emoji that is given as a character or as its code; `None` for an empty
/// text.
fn emoji_code(at: &FieldPath, given: &str) -> Result<Option<String>> {
    if given.is_empty() {
        return Ok(None);
    }
    let code = match emoji::split_leading(given) {
        Some((code, "")) => Some(code),
        _ => emoji::characters(given).map(|characters| emoji::code(&characters)),
    };
    code.map(Some).ok_or_else(|| {
        at.field("emoji").invalid(format_args!("found {given:?}, allowed: one emoji or its code"))
    })
}
