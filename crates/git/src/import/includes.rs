//! Reusable contents: pairs them with the previous ones by path or title, and reads the changed
//! ones.

use std::collections::HashMap;

use bindery_model::ReusableContentId;
use bindery_revision::{Direction, ObjectError, PageBody, PathEntry, Record, ReusableRecord};

use super::ImportError;
use super::assemble::Work;
use super::plan::{clean, title_of_path};
use super::sources::{Former, Source, read_all};
use super::state::GitItem;
use super::turned::Turned;
use super::view::{Role, ViewFile};

/// A new or changed reusable content.
pub(super) struct Include<'a> {
    pub(super) file: ViewFile<'a>,
    pub(super) id: ReusableContentId,
    title: String,
    source: Source,
}

impl<'a> Work<'a, '_> {
    /// Reads the new and changed reusable contents and pairs them with the previous ones.
    pub(super) fn includes(&mut self, turned: &Turned) -> Result<Vec<Include<'a>>, ImportError> {
        let include = |path: &str| self.view.role(path) == Role::Include;
        let mut files = self.delta.touched(self.view, &include)?;
        if !turned.is_empty() {
            for file in self.view.files().iter().filter(|file| include(file.path)) {
                if !self.delta.touches(file.path) && self.concerned(file.path, turned)? {
                    files.push(*file);
                }
            }
        }
        files.retain(|file| file.entry.size <= self.options.limits.page_bytes);
        let entries: Vec<_> = files.iter().map(|file| file.entry).collect();
        let mut read: Vec<(usize, Source)> = Vec::new();
        let parse = |_: usize, bytes| Source::parse(bytes);
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
        let mut gone = self.gone_includes()?;
        let mut includes = Vec::new();
        for (at, source) in read {
            let Some(file) = files.get(at).copied() else {
                continue;
            };
            let said = source.front.title.as_deref().map(clean).filter(|title| !title.is_empty());
            let title = said.unwrap_or_else(|| title_of_path(file.path));
            let id = match self.old.at_path(self.objects, file.path)? {
                Some(PathEntry::Reusable(id)) => id,
                _ => gone
                    .remove(&title)
                    .unwrap_or_else(|| ReusableContentId::random(self.context.entropy)),
            };
            includes.push(Include { file, id, title, source });
        }
        self.removed_reusable = gone.into_values().collect();
        self.removed_reusable.sort_unstable();
        Ok(includes)
    }

    fn concerned(&self, path: &str, turned: &Turned) -> Result<bool, ObjectError> {
        let Some(PathEntry::Reusable(id)) = self.old.at_path(self.objects, path)? else {
            return Ok(false);
        };
        let reusable = self.old.reusable(self.objects, id)?;
        turned.concern(reusable.and_then(|reusable| reusable.body), self.objects)
    }

    /// Returns the reusable contents whose file no longer exists, by title.
    fn gone_includes(&self) -> Result<HashMap<String, ReusableContentId>, ObjectError> {
        let mut gone = HashMap::new();
        let mut note = |reusable: ReusableRecord| gone.insert(reusable.title, reusable.id);
        if self.state.is_some() {
            for (_, entry) in &self.delta.gone {
                if let GitItem::Reusable(id) = entry.item
                    && let Some(reusable) = self.old.reusable(self.objects, id)?
                {
                    note(reusable);
                }
            }
            return Ok(gone);
        }
        for entry in self.old.reusable.range(self.objects, None, Direction::Ascending) {
            let reusable = ReusableRecord::decode(&entry?.1)?;
            if reusable.path.as_ref().is_some_and(|path| self.view.listed(path).is_none()) {
                note(reusable);
            }
        }
        Ok(gone)
    }

    /// Returns the records of new and changed reusable contents. Their texts go to the output.
    pub(super) fn include_records(
        &mut self,
        includes: Vec<Include<'a>>,
    ) -> Result<Vec<ReusableRecord>, ImportError> {
        let mut records = Vec::new();
        for Include { file, id, title, source } in includes {
            let Source { bytes, targets, warnings, front: _, title: _ } = source;
            self.warn(file, warnings);
            let old = self.old.reusable(self.objects, id)?;
            let former = Former::of(old.and_then(|old| old.body), self.objects)?;
            let identity = former.map(|former| former.carry(&bytes, file.path));
            let body = PageBody {
                source: bytes.into(),
                path: Some(file.path.to_owned()),
                references: self.resolver.references(targets, file.path)?,
                identity: identity.unwrap_or_default().into(),
            };
            let body = self.output.staging.put(body.encode()?);
            self.output.ease()?;
            self.note(file, GitItem::Reusable(id));
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
