//! A site with everything that its pages hang on, kept until its version moves.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bindery_app::App;
use bindery_app::access::Reader;
use bindery_app::content::Snapshot;
use bindery_model::{PageId, Result};
use bindery_revision::Facet;
use bindery_revision::tree::Tree;
use bindery_store::Tx;
use bindery_store::site_spaces::{self, SiteSpace};
use bindery_store::sites::{self, Site};
use bindery_store::spaces::{self, Space};

use super::kept::Changes;
use super::navigation::{entries, is_page};
use crate::view::navigation::{Extent, Limits};

/// Sites that are kept; unknown names are not.
const MOST: usize = 1_000;

/// A published site in one state.
#[derive(Debug)]
pub(super) struct LoadedSite {
    pub(super) site: Site,
    pub(super) places: Vec<Place>,
    /// What changed from one version of the site to the next.
    pub(super) changes: Arc<Changes>,
    /// The store's count of changes when this state was last found to hold.
    seen: AtomicU64,
}

/// A space on a site, at one revision.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) place: SiteSpace,
    pub(super) space: Space,
    pub(super) snapshot: Snapshot,
    /// The page at the space's root.
    pub(super) first: Option<PageId>,
}

impl Place {
    fn load(app: &App, tx: &Tx<'_>, place: SiteSpace, space: Space) -> Result<Self> {
        let snapshot = Snapshot::of(app, tx, &space, None)?;
        let objects = tx.objects();
        let tree = Tree::new(&snapshot.revision.content, &objects);
        let mut entries = entries(&tree, &snapshot.revision.content.variables);
        let first = entries.find(|child| child.as_ref().map_or(true, is_page));
        let first = first.transpose()?.map(|child| child.id);
        drop(entries);
        Ok(Self { place, space, snapshot, first })
    }

    /// How much of the space's tree each of its pages shows.
    fn extent(&self) -> Extent {
        let size = self.snapshot.revision.content.pages.len();
        Limits::default().extent(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Whether the same content would be presented in the same way.
    fn presents_like(&self, other: &Self) -> bool {
        let space = Space {
            head: other.space.head,
            updated_at: other.space.updated_at,
            counts: other.space.counts,
            icon: other.space.icon.clone(),
            merge_rules: other.space.merge_rules.clone(),
            template: other.space.template,
            ..self.space.clone()
        };
        self.place == other.place && space == other.space && self.extent() == other.extent()
    }

    /// Notes how it differs from an older state of the same place.
    fn note_changes(
        &self,
        older: &Self,
        version: i64,
        tx: &Tx<'_>,
        changes: &Changes,
    ) -> Result<()> {
        let (old, new) = (&older.snapshot.revision.content, &self.snapshot.revision.content);
        changes.note(version, self.space.id, (old, new), &tx.objects())?;
        if older.first != self.first {
            // Which page is first is in the addresses of the one that was and the one that is.
            let pages = [older.first, self.first].into_iter().flatten();
            let facets = pages.flat_map(|page| [Facet::Page(page), Facet::Entry(page)]);
            changes.note_facets(version, self.space.id, facets);
        }
        Ok(())
    }
}

impl LoadedSite {
    /// The path that all addresses of the site begin with.
    pub(super) fn base(&self) -> String {
        format!("/{}/", self.site.basename)
    }

    /// Whether search engines are invited.
    pub(super) fn is_indexed(&self) -> bool {
        self.site.visibility == "public"
    }

    /// Returns an upper bound of the pages that lists of the site name.
    pub(super) fn most_pages(&self) -> u64 {
        self.places.iter().map(|place| place.snapshot.revision.content.pages.len()).sum()
    }

    /// The path that the addresses of a space begin with.
    pub(super) fn base_of(&self, place: &Place) -> String {
        if place.place.is_default {
            self.base()
        } else {
            format!("{}{}/", self.base(), place.place.path)
        }
    }

    /// The space that a path leads to, and the rest of the path.
    pub(super) fn resolve<'a>(&self, path: &'a str) -> Option<(&Place, &'a str)> {
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let named =
            self.places.iter().find(|place| !place.place.is_default && place.place.path == first);
        match named {
            Some(place) => Some((place, rest)),
            None => self
                .places
                .iter()
                .find(|place| place.place.is_default)
                .or_else(|| self.places.first())
                .map(|place| (place, path)),
        }
    }
}

/// The sites that were asked for lately.
#[derive(Debug, Default)]
pub(super) struct SiteCache(RwLock<HashMap<String, Arc<LoadedSite>>>);

impl SiteCache {
    /// The published site of this name, in its present state.
    pub(super) async fn get(
        &self,
        app: &Arc<App>,
        basename: &str,
    ) -> Result<Option<Arc<LoadedSite>>> {
        let kept = {
            let sites = self.0.read().unwrap_or_else(PoisonError::into_inner);
            sites.get(basename).cloned()
        };
        // Taken before looking: what changes meanwhile is found at the next request.
        let now = app.store.changes();
        if let (Some(kept), Some(now)) = (&kept, now)
            && kept.seen.load(Ordering::Acquire) == now
        {
            return Ok(Some(Arc::clone(kept)));
        }
        let name = basename.to_owned();
        let site = app.store.read(move |tx| sites::get_by_basename(tx, &name)).await?;
        let site = site.filter(|site| Reader::Anybody.sees(&site.visibility, site.published));
        let Some(site) = site else {
            self.0.write().unwrap_or_else(PoisonError::into_inner).remove(basename);
            return Ok(None);
        };
        if let Some(kept) = kept.as_ref().filter(|kept| kept.site == site) {
            kept.seen.store(now.unwrap_or_default(), Ordering::Release);
            return Ok(Some(Arc::clone(kept)));
        }
        let held = Arc::clone(app);
        let loaded = app
            .store
            .read_blocking(move |tx| {
                load(&held, tx, &site, kept.as_deref(), now.unwrap_or_default())
            })
            .await?;
        let Some(loaded) = loaded.map(Arc::new) else { return Ok(None) };
        let mut sites = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MOST {
            sites.clear();
        }
        sites.insert(basename.to_owned(), Arc::clone(&loaded));
        Ok(Some(loaded))
    }
}

fn load(
    app: &App,
    tx: &Tx<'_>,
    site: &Site,
    older: Option<&LoadedSite>,
    seen: u64,
) -> Result<Option<LoadedSite>> {
    // Read again in this snapshot, so that version and content belong together.
    let Some(site) = sites::get(tx, site.id)? else { return Ok(None) };
    let mut places = Vec::new();
    for place in site_spaces::list(tx, site.id)? {
        let space = spaces::get(tx, place.space)?.filter(|space| space.deleted_at.is_none());
        if let Some(space) = space {
            places.push(Place::load(app, tx, place, space)?);
        }
    }
    let changes = changes(tx, &site, &places, older)?;
    Ok(Some(LoadedSite { site, places, changes, seen: AtomicU64::new(seen) }))
}

/// What is known to have changed on a site, up to its present state.
fn changes(
    tx: &Tx<'_>,
    site: &Site,
    places: &[Place],
    older: Option<&LoadedSite>,
) -> Result<Arc<Changes>> {
    let alike = |older: &&LoadedSite| {
        let same = Site { version: older.site.version, ..site.clone() };
        let mut pairs = older.places.iter().zip(places);
        same == older.site
            && older.places.len() == places.len()
            && pairs.all(|(old, new)| old.presents_like(new))
    };
    let Some(older) = older.filter(alike) else {
        return Ok(Arc::new(Changes::since(site.version)));
    };
    for (old, new) in older.places.iter().zip(places) {
        new.note_changes(old, site.version, tx, &older.changes)?;
    }
    Ok(Arc::clone(&older.changes))
}
