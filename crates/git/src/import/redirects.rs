//! Redirects from old paths: those of the configuration, and those from previous paths of pages.

use std::collections::BTreeMap;

use bindery_content::reference::page_candidates;
use bindery_content::{Warning, config, source};
use bindery_model::PageId;
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Direction, PageKind, Record, Redirect};

use super::ImportError;
use super::assemble::Importer;
use super::view::CONFIG;

/// Targets of redirects by old path.
pub(super) type Redirects = BTreeMap<String, Redirect>;

impl Importer<'_, '_> {
    /// Returns the redirects of the configuration, each resolved to the page of its file.
    pub(super) fn redirects(&mut self) -> Result<Redirects, ImportError> {
        let mut redirects = Redirects::new();
        for (from, to) in &self.view.config.redirects {
            let mut page = None;
            for candidate in page_candidates(to) {
                page = match page {
                    Some(page) => Some(page),
                    None => self.resolver.page(&candidate)?,
                };
            }
            if page.is_none()
                && let Some(file) = self.view.get(CONFIG)?
            {
                let message = format!("The redirect from `{from}` leads to no page: `{to}`.");
                self.warn(file, [Warning::new(message)]);
            }
            let target = page.map_or_else(|| Redirect::Path(to.clone()), Redirect::Page);
            redirects.insert(from.clone(), target);
        }
        Ok(redirects)
    }

    /// Adds redirects from previous paths, of this and earlier imports, to the pages that still
    /// exist. Redirects of the configuration take precedence over these, and a page takes
    /// precedence over any redirect from its path.
    pub(super) fn add_old_paths(
        &self,
        content: &Content,
        redirects: &mut Redirects,
    ) -> Result<(), ImportError> {
        let objects = &self.output.staging;
        let configured = self.previously_configured()?;
        for entry in self.old.redirects.range(self.objects, None, Direction::Ascending) {
            let (from, to) = entry?;
            let from = String::from_utf8_lossy(&from).into_owned();
            if let Redirect::Page(page) = Redirect::decode(&to)?
                && !configured.contains_key(&from)
                && content.page(objects, page)?.is_some()
            {
                redirects.entry(from).or_insert(Redirect::Page(page));
            }
        }
        let (before, now) = (Tree::new(self.old, self.objects), Tree::new(content, objects));
        // The pages below a moved page move with it.
        let mut pending: Vec<PageId> = self.moved.clone();
        while let Some(id) = pending.pop() {
            for child in now.children(Some(id)) {
                pending.push(child?.id);
            }
            let Some(page) = self.old.page(self.objects, id)? else { continue };
            if matches!(page.kind, PageKind::Link { .. }) {
                continue;
            }
            let path = before.path(id)?;
            if path != now.path(id)? {
                redirects.entry(path).or_insert(Redirect::Page(id));
            }
        }
        Ok(())
    }

    /// Returns the redirects of the previous configuration.
    fn previously_configured(&self) -> Result<BTreeMap<String, String>, ImportError> {
        let Some((_, hash)) = self.old.sources.iter().find(|(path, _)| path == CONFIG) else {
            return Ok(BTreeMap::new());
        };
        let bytes = self.objects.get(hash)?;
        let (config, _) = config::parse(&source::decode(&bytes));
        Ok(config.redirects.into_iter().collect())
    }
}
