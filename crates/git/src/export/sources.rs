//! The files that belong to no page: the table of contents, the configuration and the variables.

use bindery_content::{config, source};
use bindery_revision::{Hash, Record, Redirect};
use bytes::Bytes;

use super::front::{Paths, variables};
use super::table::{self, Table};
use super::{After, Export, ExportError, FileEdit};
use crate::folder::BlobId;
use crate::import::GitItem;
use crate::import::view::{CONFIG, VARIABLES};

/// A text that an export starts from.
struct Start {
    /// The text; `None` if there is no file.
    text: Option<Bytes>,
    /// `true` if the text is the one that was synchronised last.
    is_known: bool,
}

impl Export<'_> {
    pub(super) fn sources(&mut self) -> Result<(), ExportError> {
        let table = self.view.config.summary.clone();
        for (path, hash) in &self.now.sources {
            let is_same = source_hash(&self.before.sources, path) == Some(*hash);
            if !is_same || self.complete {
                let bytes = self.objects.get(hash)?;
                self.put_source(path, bytes)?;
            }
        }
        self.table_of_contents(&table)?;
        self.variables()?;
        self.redirects()
    }

    fn table_of_contents(&mut self, path: &str) -> Result<(), ExportError> {
        let now = self.now;
        let is_same = now.children == self.before.children && !self.is_first;
        if is_same && self.moved.is_empty() {
            return Ok(());
        }
        let start = self.start(path)?;
        if is_same && start.text.is_none() {
            return Ok(());
        }
        let text = start.text.clone().unwrap_or_default();
        let decoded = source::decode(&text);
        let table = Table {
            before: self.before,
            now,
            moved: &self.moved,
            objects: self.objects,
            path,
            source: &decoded,
        };
        let written = table::write(&table)?;
        if start.text.is_some() && written == *decoded {
            return Ok(());
        }
        let written = source::restore(&text, &decoded, &written);
        self.put_edited(path, start, written.into())
    }

    fn variables(&mut self) -> Result<(), ExportError> {
        if self.now.variables == self.before.variables {
            return Ok(());
        }
        let start = self.start(VARIABLES)?;
        let text = start.text.clone().unwrap_or_default();
        let decoded = source::decode(&text);
        let written = config::update_variables(&decoded, &variables(&self.now.variables))
            .map_err(|source| ExportError::Yaml { path: VARIABLES.to_owned(), source })?;
        if written == *decoded {
            return Ok(());
        }
        self.put_edited(VARIABLES, start, written.into())
    }

    /// Writes the redirects that changed to the configuration.
    fn redirects(&mut self) -> Result<(), ExportError> {
        let names = Paths { content: self.now, objects: self.objects };
        let mut changed = Vec::new();
        for difference in self.before.redirects.diff(&self.now.redirects, self.objects) {
            let difference = difference?;
            let from = String::from_utf8_lossy(&difference.key).into_owned();
            let to = match difference.new.map(|new| Redirect::decode(&new)).transpose()? {
                None => None,
                Some(Redirect::Path(path)) => Some(path),
                Some(Redirect::Page(page)) => {
                    let path = names.content.page(self.objects, page)?;
                    path.and_then(|page| page.source_path)
                }
            };
            changed.push((from, to));
        }
        if changed.is_empty() {
            return Ok(());
        }
        let start = self.start(CONFIG)?;
        let text = start.text.clone().unwrap_or_default();
        let decoded = source::decode(&text);
        let (mut config, warnings) = config::parse(&decoded);
        // A configuration that cannot be read stays as it is.
        if !warnings.is_empty() {
            return Ok(());
        }
        for (from, to) in changed {
            let known = config.redirects.iter().position(|(known, _)| *known == from);
            match (known, to) {
                (Some(at), None) => drop(config.redirects.remove(at)),
                (Some(at), Some(to)) => {
                    config.redirects.remove(at);
                    config.redirects.insert(at, (from, to));
                }
                (None, Some(to)) => config.redirects.push((from, to)),
                (None, None) => {}
            }
        }
        let written = config::update(&decoded, &config)
            .map_err(|source| ExportError::Yaml { path: CONFIG.to_owned(), source })?;
        if written == *decoded {
            return Ok(());
        }
        self.put_edited(CONFIG, start, written.into())
    }

    /// Returns the text that an edit of a file starts from: the one that was synchronised last,
    /// otherwise the one in the content.
    fn start(&self, path: &str) -> Result<Start, ExportError> {
        let known = self.state.map(|state| state.get(self.objects, path)).transpose()?.flatten();
        let known = known.and_then(|known| known.blob());
        if let Some(known) = known {
            let text = match source_hash(&self.before.sources, path) {
                Some(hash) => Some(self.objects.get(&hash)?),
                None => None,
            };
            if let Some(text) = text.filter(|text| BlobId::of(text) == Some(known)) {
                return Ok(Start { text: Some(text), is_known: true });
            }
            if let Some(text) = self.view.blob(&known) {
                return Ok(Start { text: Some(text.into()), is_known: true });
            }
        }
        let hash = source_hash(&self.now.sources, path);
        let text = hash.map(|hash| self.objects.get(&hash)).transpose()?;
        Ok(Start { text, is_known: false })
    }

    /// Records an edited text, unless the content contains another version of the file.
    fn put_edited(&mut self, path: &str, start: Start, text: Bytes) -> Result<(), ExportError> {
        let before = start.text.filter(|_| start.is_known);
        let known = before.as_deref().and_then(BlobId::of);
        let after = After::Text(text);
        let edit = FileEdit { at: self.at(path)?, item: GitItem::Source, known, before, after };
        self.files.insert(path.to_owned(), edit);
        Ok(())
    }

    /// Records the content of a file. If the repository has a version that this server edited while
    /// it exported, that version is the content.
    fn put_source(&mut self, path: &str, now: Bytes) -> Result<(), ExportError> {
        let known = self.known(path)?.map(|(known, _)| known);
        let before = match source_hash(&self.before.sources, path) {
            Some(hash) => Some(self.objects.get(&hash)?),
            None => None,
        };
        let is_unchanged = before.as_ref() == Some(&now);
        let before = before.filter(|before| known.is_some() && BlobId::of(before) == known);
        let (before, now) = match known.filter(|_| is_unchanged && before.is_none()) {
            None => (before, now),
            Some(known) => match self.view.blob(&known) {
                None => return Ok(()),
                Some(text) => (Some(text.clone().into()), text.into()),
            },
        };
        let after = After::Text(now);
        let edit = FileEdit { at: self.at(path)?, item: GitItem::Source, known, before, after };
        self.files.insert(path.to_owned(), edit);
        Ok(())
    }
}

fn source_hash(sources: &[(String, Hash)], path: &str) -> Option<Hash> {
    sources.iter().find(|(one, _)| one == path).map(|(_, hash)| *hash)
}
