//! Reusable contents: pairs them with the previous ones by path or title, and reads the changed
//! ones.

use std::collections::HashMap;

use bindery_model::ReusableContentId;
use bindery_revision::{Direction, ObjectError, PageBody, PathEntry, Record, ReusableRecord};

use super::ImportError;
use super::assemble::Importer;
use super::pairing::has_same_text;
use super::plan::{clean_text, title_of_path};
use super::role_changes::RoleChanges;
use super::sources::{self, PreviousText, Source, read_all};
use super::state::GitItem;
use super::view::{Role, ViewFile};

/// A new or changed reusable content.
pub(super) struct ChangedInclude<'a> {
    pub(super) file: ViewFile<'a>,
    pub(super) id: ReusableContentId,
    title: String,
    source: Source,
}

impl<'a> Importer<'a, '_> {
    /// Reads the new and changed reusable contents and pairs them with the previous ones.
    pub(super) fn includes(
        &mut self,
        role_changes: &RoleChanges,
    ) -> Result<Vec<ChangedInclude<'a>>, ImportError> {
        let include = |path: &str| self.view.role(path) == Role::Include;
        let mut files = self.delta.affected_files(self.view, &include)?;
        if !role_changes.is_empty() {
            for file in self.view.files().iter().filter(|file| include(file.path)) {
                if !self.delta.affects(file.path) && self.is_affected(file.path, role_changes)? {
                    files.push(*file);
                }
            }
        }
        files.retain(|file| file.entry.size <= self.options.limits.page_bytes);
        let entries: Vec<_> = files.iter().map(|file| file.entry).collect();
        let mut read: Vec<(usize, Source)> = Vec::new();
        // The title of a reusable content is not shown with it.
        let parse = |_: usize, bytes| Source::parse(bytes, Some(""));
        read_all(
            self.view,
            &entries,
            0..entries.len(),
            16,
            self.context,
            &parse,
            &mut |at, source| {
                read.push((at, source));
                Ok(())
            },
        )?;
        read.sort_unstable_by_key(|(at, _)| *at);
        let mut gone = self.removed_includes()?;
        let mut includes = Vec::new();
        for (at, source) in read {
            let Some(file) = files.get(at).copied() else {
                continue;
            };
            let front_title =
                source.front.title.as_deref().map(clean_text).filter(|title| !title.is_empty());
            let title = front_title.unwrap_or_else(|| title_of_path(file.path));
            let id = match self.old.at_path(self.objects, file.path)? {
                Some(PathEntry::Reusable(id)) => id,
                _ => {
                    let renamed = gone.remove(&title);
                    let known = match renamed {
                        Some(id) => Some(id),
                        None => self.new_reusable(file.path, &source.bytes)?,
                    };
                    known.unwrap_or_else(|| ReusableContentId::random(self.context.entropy))
                }
            };
            includes.push(ChangedInclude { file, id, title, source });
        }
        self.removed_reusable = gone.into_values().collect();
        self.removed_reusable.sort_unstable();
        Ok(includes)
    }

    /// Returns the reusable content that is new in the present content of the space and has the same
    /// path and text.
    fn new_reusable(
        &self,
        path: &str,
        text: &[u8],
    ) -> Result<Option<ReusableContentId>, ObjectError> {
        for content in self.resolver.others() {
            let Some(PathEntry::Reusable(id)) = content.at_path(self.objects, path)? else {
                continue;
            };
            if self.old.reusable(self.objects, id)?.is_some() {
                continue;
            }
            let body = content.reusable(self.objects, id)?.and_then(|reusable| reusable.body);
            let Some(body) = body else { continue };
            let stored = PageBody::decode(&self.objects.get(&body)?)?;
            if has_same_text(text, &stored) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn is_affected(&self, path: &str, role_changes: &RoleChanges) -> Result<bool, ObjectError> {
        let Some(PathEntry::Reusable(id)) = self.old.at_path(self.objects, path)? else {
            return Ok(false);
        };
        let reusable = self.old.reusable(self.objects, id)?;
        role_changes.affect(reusable.and_then(|reusable| reusable.body), self.objects)
    }

    /// Returns the reusable contents whose file no longer exists, by title.
    fn removed_includes(&self) -> Result<HashMap<String, ReusableContentId>, ObjectError> {
        let mut gone = HashMap::new();
        let mut add = |reusable: ReusableRecord| gone.insert(reusable.title, reusable.id);
        if self.state.is_some() {
            for (_, entry) in &self.delta.removed {
                if let GitItem::Reusable(id) = entry.item
                    && let Some(reusable) = self.old.reusable(self.objects, id)?
                {
                    add(reusable);
                }
            }
            return Ok(gone);
        }
        for entry in self.old.reusable.range(self.objects, None, Direction::Ascending) {
            let reusable = ReusableRecord::decode(&entry?.1)?;
            if reusable.path.as_ref().is_some_and(|path| self.view.listed(path).is_none()) {
                add(reusable);
            }
        }
        Ok(gone)
    }

    /// Returns the records of new and changed reusable contents. Their texts go to the output.
    pub(super) fn include_records(
        &mut self,
        includes: Vec<ChangedInclude<'a>>,
    ) -> Result<Vec<ReusableRecord>, ImportError> {
        let mut records = Vec::new();
        for ChangedInclude { file, id, title, source } in includes {
            let old = self.old.reusable(self.objects, id)?;
            let previous_text = PreviousText::of(old.and_then(|old| old.body), self.objects)?;
            let identity = sources::identity(&source, previous_text.as_ref(), file.path);
            let Source { bytes, targets, pictures, warnings, .. } = source;
            self.warn(file, warnings);
            self.store_pictures(pictures)?;
            let body = PageBody {
                source: bytes.into(),
                path: Some(file.path.to_owned()),
                references: self.resolver.references(targets, file.path)?,
                identity: identity.into(),
            };
            let body = self.output.staging.put(body.encode()?);
            self.output.flush_if_full()?;
            self.record_item(file, GitItem::Reusable(id));
            self.read += 1;
            records.push(ReusableRecord {
                id,
                title,
                path: Some(file.path.to_owned()),
                body: Some(body),
                computed: None,
            });
        }
        Ok(records)
    }
}
