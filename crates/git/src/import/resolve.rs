//! Resolves the targets that sources contain.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bindery_content::reference::{Target, page_candidates};
use bindery_content::{FrontMatter, front_matter};
use bindery_model::{Entropy, FileId, PageId, ReusableContentId};
use bindery_revision::{
    Content, ContentRef, Cover, MetaLinks, ObjectError, Objects, PageRecord, PageTag, PathEntry,
    Record as _, Reference, Variable, Variables,
};
use serde_json::{Map, Value};

use super::plan::clean_text;
use super::view::{Role, View, is_markdown};
use super::{ImportError, repository_links};
use crate::folder::BlobId;

/// Maximum entries of a folder that are searched for its only page.
const MAX_FOLDER_ENTRIES: usize = 1_000;

/// Resolves paths to pages, files and reusable contents of the new content.
pub(super) struct Resolver<'r> {
    pub(super) view: &'r View<'r>,
    /// The web address of the repository's files.
    pub(super) tree_url: Option<&'r str>,
    pub(super) old: &'r Content,
    /// The present content of the space, if it differs from `old`.
    pub(super) present: Option<&'r Content>,
    /// Proposed contents.
    pub(super) proposed: &'r [Content],
    pub(super) objects: &'r dyn Objects,
    pub(super) entropy: &'r Entropy,
    /// Pages by path, or `None` if the tree is unchanged.
    pub(super) pages: Option<BTreeMap<String, PageId>>,
    /// New and changed reusable contents by path.
    pub(super) reusable: HashMap<String, ReusableContentId>,
    /// Ids of deleted files by blob. A new file with the same bytes takes over the id.
    pub(super) renamed: HashMap<BlobId, FileId>,
    /// Files that are referenced or that belong to the content in any case.
    pub(super) files: BTreeMap<String, FileId>,
    /// Maximum bytes of a file.
    pub(super) file_bytes: u64,
    /// Files that were omitted because they are too large.
    pub(super) too_large: BTreeSet<String>,
    /// Referenced paths at which there is no file.
    pub(super) wanted: BTreeSet<String>,
}

impl Resolver<'_> {
    pub(super) fn page(&self, path: &str) -> Result<Option<PageId>, ObjectError> {
        match &self.pages {
            Some(pages) => Ok(pages.get(path).copied()),
            None => Ok(match self.old.at_path(self.objects, path)? {
                Some(PathEntry::Page(id)) => Some(id),
                _ => None,
            }),
        }
    }

    fn reusable(&self, path: &str) -> Result<Option<ReusableContentId>, ImportError> {
        if let Some(id) = self.reusable.get(path) {
            return Ok(Some(*id));
        }
        if self.view.role(path) != Role::Include || self.view.get(path)?.is_none() {
            return Ok(None);
        }
        Ok(match self.old.at_path(self.objects, path)? {
            Some(PathEntry::Reusable(id)) => Some(id),
            _ => None,
        })
    }

    /// Returns the id of an existing file and adds the file to the content.
    pub(super) fn file(&mut self, path: &str) -> Result<Option<FileId>, ImportError> {
        if let Some(id) = self.files.get(path) {
            return Ok(Some(*id));
        }
        let Some(file) = self.view.get(path)? else {
            return Ok(None);
        };
        if matches!(self.view.role(path), Role::Include | Role::Source) {
            return Ok(None);
        }
        if file.entry.size > self.file_bytes {
            self.too_large.insert(path.to_owned());
            return Ok(None);
        }
        let id = match self.old.at_path(self.objects, path)? {
            Some(PathEntry::File(id)) => id,
            _ => {
                let same = file.entry.blob.and_then(|blob| self.renamed.remove(&blob));
                let known = if same.is_none() { self.new_file(path)? } else { same };
                known.unwrap_or_else(|| FileId::random(self.entropy))
            }
        };
        self.files.insert(path.to_owned(), id);
        Ok(Some(id))
    }

    /// Returns the file at a path that is new in the present content. If the bytes differ, a merge
    /// reports a conflict about the file.
    fn new_file(&self, path: &str) -> Result<Option<FileId>, ObjectError> {
        for content in self.others() {
            if let Some(PathEntry::File(id)) = content.at_path(self.objects, path)?
                && self.old.file(self.objects, id)?.is_none()
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Returns the present content and the proposed ones.
    pub(super) fn others(&self) -> impl Iterator<Item = &Content> {
        self.present.into_iter().chain(self.proposed)
    }

    /// Returns the page of a folder that has one page only. A folder with too many entries yields
    /// none.
    fn only_page_below(&self, folder: &str) -> Result<Option<PageId>, ImportError> {
        let folder = folder.trim_end_matches('/');
        if folder.is_empty() {
            return Ok(None);
        }
        let prefix = format!("{folder}/");
        let mut found = None;
        if let Some(pages) = &self.pages {
            let below = pages.range(prefix.clone()..);
            for (_, page) in below.take_while(|(path, _)| path.starts_with(&prefix)) {
                if found.replace(*page).is_some() {
                    return Ok(None);
                }
            }
            return Ok(found);
        }
        let below = self.old.paths.prefix(self.objects, prefix.as_bytes());
        for (at, entry) in below.enumerate() {
            let is_second = match PathEntry::decode(&entry?.1)? {
                PathEntry::Page(page) => found.replace(page).is_some(),
                _ => false,
            };
            if is_second || at == MAX_FOLDER_ENTRIES {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// Resolves a target. Returns `None` if it is not a path or if there is nothing at that path.
    pub(super) fn target(
        &mut self,
        raw: &str,
        holder: &str,
    ) -> Result<Option<ContentRef>, ImportError> {
        let Target::Path { path, anchor } = Target::parse(raw, holder) else {
            let base = self.tree_url;
            let address = base
                .and_then(|base| repository_links::address(base, &self.view.prefix, raw, holder));
            return Ok(address.map(ContentRef::Url));
        };
        for candidate in page_candidates(&path) {
            if let Some(page) = self.page(&candidate)? {
                return Ok(Some(match anchor {
                    Some(anchor) => ContentRef::Anchor { page: Some(page), space: None, anchor },
                    None => ContentRef::Page { page, space: None },
                }));
            }
        }
        if let Some(reusable) = self.reusable(&path)? {
            return Ok(Some(ContentRef::Reusable { reusable, space: None }));
        }
        // A Markdown file that is no page can be named like a page.
        let named = page_candidates(&path).filter(|candidate| is_markdown(candidate));
        for candidate in std::iter::once(path.clone()).chain(named) {
            if let Some(file) = self.file(&candidate)? {
                return Ok(Some(ContentRef::File { file, space: None }));
            }
        }
        if let Some(page) = self.only_page_below(&path)? {
            return Ok(Some(match anchor {
                Some(anchor) => ContentRef::Anchor { page: Some(page), space: None, anchor },
                None => ContentRef::Page { page, space: None },
            }));
        }
        if !path.is_empty() {
            self.wanted.insert(path);
        }
        Ok(None)
    }

    /// Resolves a target where a reference is required. An unresolvable target becomes a broken
    /// reference.
    pub(super) fn reference(&mut self, raw: &str, holder: &str) -> Result<ContentRef, ImportError> {
        Ok(match (self.target(raw, holder)?, Target::parse(raw, holder)) {
            (Some(found), _) => found,
            (None, Target::Url(url)) => ContentRef::Url(url),
            (None, Target::Anchor(anchor)) => {
                ContentRef::Anchor { page: None, space: None, anchor }
            }
            (
                None,
                Target::Space { .. }
                | Target::WholeSpace { .. }
                | Target::PageOfSpace { .. }
                | Target::OpenApi(_)
                | Target::Reusable { .. },
            ) => ContentRef::Url(raw.to_owned()),
            (None, _) => ContentRef::Broken(raw.to_owned()),
        })
    }

    pub(super) fn references(
        &mut self,
        targets: Vec<String>,
        holder: &str,
    ) -> Result<Vec<Reference>, ImportError> {
        let mut found = Vec::new();
        for raw in targets {
            if let Some(target) = self.target(&raw, holder)? {
                found.push(Reference { raw, target });
            }
        }
        Ok(found)
    }

    /// Applies a front matter to a page.
    pub(super) fn apply(
        &mut self,
        front: FrontMatter,
        page: &mut PageRecord,
        holder: &str,
    ) -> Result<(), ImportError> {
        let FrontMatter {
            title: _,
            description,
            hidden,
            no_index,
            no_robots_index,
            icon,
            condition,
            variables: page_variables,
            cover,
            layout,
            tags,
            meta_links,
        } = front;
        page.description = description.map(|text| text.replace('\0', ""));
        page.hidden = hidden;
        page.no_index = no_index;
        page.no_robots_index = no_robots_index;
        page.icon = icon.map(|icon| clean_text(&icon)).filter(|icon| !icon.is_empty());
        page.condition = condition;
        page.variables = variables(&page_variables);
        page.cover = match cover {
            Some(cover) => Some(self.cover(cover, holder)?),
            None => None,
        };
        page.layout = layout;
        page.tags = tags
            .into_iter()
            .map(|front_matter::Tag { tag, primary }| PageTag { tag, primary })
            .collect();
        let front_matter::MetaLinks { canonical, alternates } = meta_links;
        page.meta_links = MetaLinks {
            canonical: canonical.map(|raw| self.reference(&raw, holder)).transpose()?,
            alternates: alternates
                .iter()
                .map(|raw| self.reference(raw, holder))
                .collect::<Result<_, _>>()?,
        };
        Ok(())
    }

    fn cover(&mut self, cover: front_matter::Cover, holder: &str) -> Result<Cover, ImportError> {
        let front_matter::Cover { light, dark, y_position, height } = cover;
        let mut image = |raw: String| -> Result<Option<ContentRef>, ImportError> {
            let found = self.reference(&raw, holder)?;
            Ok(matches!(found, ContentRef::File { .. } | ContentRef::Url(_)).then_some(found))
        };
        let image_dark = match dark {
            Some(raw) => image(raw)?,
            None => None,
        };
        Ok(Cover { image: image(light)?, image_dark, y_pos: y_position, height })
    }
}

/// Converts variables to their form in the content.
pub fn variables(from: &Map<String, Value>) -> Variables {
    let value = |value: &Value| match value {
        Value::String(text) => Some(Variable::Text(text.clone())),
        Value::Number(number) => number.as_f64().map(Variable::Number),
        Value::Bool(yes) => Some(Variable::Boolean(*yes)),
        _ => None,
    };
    from.iter().filter_map(|(name, from)| Some((name.clone(), value(from)?))).collect()
}
