//! A site with its spaces and their content, cached until the site's version changes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use bindery_app::content::edit_pages::EditPages;
use bindery_app::content::embeds::{self, DescribedEmbeds};
use bindery_app::content::openapi::CurrentSpecs;
use bindery_app::content::snapshot::Snapshot;
use bindery_app::content::spaces::Space;
use bindery_app::publishing::adaptive::{self, Answers, ClaimsSchema};
use bindery_app::publishing::audience::{Audience, PreviewVisitor};
use bindery_app::publishing::customization;
use bindery_app::publishing::published::{self, PublishedStructure};
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_app::publishing::structure::SiteStructure;
use bindery_app::publishing::urls::{SiteAddress, Urls};
use bindery_app::review::change_requests::ChangeRequest;
use bindery_app::{App, Tx};
use bindery_model::{PageId, Result, RevisionId, SiteId, SiteVisibility};
use bindery_revision::Facet;
use bindery_revision::tree::Tree;
use serde_json::Value;

use super::navigation::first_page;
use super::validity::Changes;
use super::{looks, storage};
use crate::view::navigation::{Extent, Limits};

/// Maximum number of cached sites. Unknown names are not cached.
const MAX_SITES: usize = 1_000;

/// A published site at one version.
#[derive(Debug)]
pub(super) struct LoadedSite {
    pub(super) site: Site,
    pub(super) spaces: Vec<LoadedSpace>,
    /// Its sections and spaces.
    pub(super) structure: SiteStructure,
    /// The changes from one version of the site to the next.
    pub(super) changes: Arc<Changes>,
    /// The readers of the site.
    pub(super) audience: Audience,
    /// The claims that visitors can state; `None` if the site has no adaptive content.
    pub(super) claims: Option<ClaimsSchema>,
    /// The path with which all addresses of the site begin.
    base: String,
    /// The path of the files that all sites have in common.
    root: String,
    /// `true` if a member reads the site before it is published.
    pub(super) is_preview: bool,
    /// The number and the subject of the change request whose content a preview shows.
    pub(super) proposed: Option<(i64, String)>,
    /// The store's change counter when this state was last found to be current.
    checked_at: AtomicU64,
}

/// A space of a site at one revision.
#[derive(Clone, Debug)]
pub(super) struct LoadedSpace {
    pub(super) site_space: SiteSpace,
    pub(super) space: Space,
    pub(super) snapshot: Snapshot,
    /// The page at the space's root.
    pub(super) first_page: Option<PageId>,
    /// Its customization as JSON: that of the site with what it overrides.
    pub(super) customization: Arc<Value>,
    /// The paths of the stylesheets of its custom fonts.
    pub(super) font_stylesheets: Vec<String>,
    /// The addresses at which people edit the source of pages, if pages link there.
    pub(super) edit_pages: Option<EditPages>,
    /// The embedded addresses with a description.
    pub(super) embeds: Arc<DescribedEmbeds>,
    /// The OpenAPI specifications of its organization.
    pub(super) specs: Arc<CurrentSpecs>,
}

impl LoadedSpace {
    /// Loads a space at a revision, or at its head if `revision` is `None`. `embeds` are those of an
    /// earlier state.
    fn load(
        app: &App,
        tx: &Tx<'_>,
        site_space: SiteSpace,
        space: Space,
        revision: Option<RevisionId>,
        embeds: Option<&DescribedEmbeds>,
    ) -> Result<Self> {
        let snapshot = Snapshot::of(app, tx, &space, revision)?.as_shown(app, tx)?;
        let objects = tx.objects();
        let tree = Tree::new(&snapshot.revision.content, &objects);
        let nothing = Answers::new(None);
        let variables = &snapshot.revision.content.variables;
        let first_page = first_page(&tree, variables, &nothing)?;
        let customization = customization::of_site_space(tx, site_space.site, site_space.id)?;
        let customization = Arc::new(customization);
        let fonts = storage::font_stylesheets(tx, space.organization, &customization)?;
        let has_edit_links = customization.pointer("/git/showEditLink") == Some(&Value::Bool(true));
        let edit_pages = has_edit_links.then(|| EditPages::of(tx, space.id)).transpose()?.flatten();
        let embeds = Arc::new(embeds::described(tx, space.id, embeds)?);
        let specs = Arc::new(CurrentSpecs::of(tx, space.organization)?);
        Ok(Self {
            embeds,
            specs,
            site_space,
            space,
            snapshot,
            first_page,
            customization,
            font_stylesheets: fonts,
            edit_pages,
        })
    }

    /// Returns the language of the content for readers of this site: that of the site space, else
    /// that of the space.
    pub(super) fn language(&self) -> Option<&str> {
        self.site_space.language.as_deref().or(self.space.language.as_deref())
    }

    /// Returns the language in which the parts of pages that are not content are shown: that of the
    /// content, else that of the customization.
    pub(super) fn interface_language(&self) -> &str {
        self.language().or_else(|| looks::locale(&self.customization)).unwrap_or("en")
    }

    /// Returns the extent of the space's tree that each of its pages shows.
    fn extent(&self) -> Extent {
        let size = self.snapshot.revision.content.pages.len();
        Limits::default().extent(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// Returns `true` if the same content would be presented identically.
    fn is_presented_like(&self, other: &Self) -> bool {
        let space = Space {
            head: other.space.head,
            updated_at: other.space.updated_at,
            counts: other.space.counts,
            icon: other.space.icon.clone(),
            merge_rules: other.space.merge_rules.clone(),
            template: other.space.template,
            ..self.space.clone()
        };
        self.site_space == other.site_space
            && self.customization == other.customization
            && self.font_stylesheets == other.font_stylesheets
            && self.edit_pages == other.edit_pages
            && space == other.space
            && self.extent() == other.extent()
    }

    /// Records the differences from an older state of the same site space.
    fn record_changes(
        &self,
        previous: &Self,
        version: i64,
        tx: &Tx<'_>,
        changes: &Changes,
    ) -> Result<()> {
        let (old, new) = (&previous.snapshot.revision.content, &self.snapshot.revision.content);
        changes.record_differences(version, self.space.id, (old, new), &tx.objects())?;
        let described = previous.embeds.differences(&self.embeds);
        changes.record_embeds(version, self.space.id, described);
        changes.record_specs(version, self.space.id, previous.specs.differences(&self.specs));
        if previous.first_page != self.first_page {
            // The address of a page depends on whether it is the first one.
            let pages = [previous.first_page, self.first_page].into_iter().flatten();
            let facets = pages.flat_map(|page| [Facet::Page(page), Facet::Entry(page)]);
            changes.record_facets(version, self.space.id, facets);
        }
        Ok(())
    }
}

impl LoadedSite {
    /// Returns the path with which all addresses of the site begin.
    pub(super) fn base(&self) -> String {
        self.base.clone()
    }

    /// Returns the path of the files that all sites have in common. It begins and ends with `/`.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// Returns the scheme and the host of the site's addresses, without a slash at the end.
    pub(super) fn origin(&self, urls: &Urls) -> String {
        match self.is_preview {
            true => urls.sites().to_owned(),
            false => urls.site_origin(&self.site),
        }
    }

    /// Returns `true` if the site has no host of its own.
    pub(super) fn is_on_main_host(&self) -> bool {
        SiteAddress::from(&self.site).is_on_main_host()
    }

    /// Returns `true` if search engines may index the site.
    pub(super) fn is_indexed(&self) -> bool {
        self.site.visibility == SiteVisibility::Public && !self.is_preview
    }

    /// Returns `true` if only some visitors may read the site, so that shared caches must not store
    /// its responses.
    pub(super) fn is_private(&self) -> bool {
        self.is_preview || self.audience.is_restricted()
    }

    /// Loads the preview of a site: the spaces that the visitor can read, and of one of them the
    /// content of a change request. `base` is the path with which the addresses of the preview
    /// begin.
    pub(super) fn load_preview(
        app: &App,
        tx: &Tx<'_>,
        site: Site,
        visitor: &PreviewVisitor,
        change_request: Option<&ChangeRequest>,
        base: String,
    ) -> Result<Self> {
        let PublishedStructure { site, structure, spaces } =
            published::load_preview(tx, site, visitor)?;
        let mut loaded = Vec::with_capacity(spaces.len());
        for (site_space, space) in spaces {
            let proposed = change_request.filter(|proposed| proposed.space == space.id);
            let revision = proposed.map(|proposed| proposed.head);
            loaded.push(LoadedSpace::load(app, tx, site_space, space, revision, None)?);
        }
        Ok(Self {
            audience: Audience::load(app, tx, &site)?,
            changes: Arc::new(Changes::starting_at(site.version)),
            claims: claims_schema(tx, &site)?,
            site,
            spaces: loaded,
            structure,
            base,
            root: "/".to_owned(),
            is_preview: true,
            proposed: change_request.map(|change| (change.number, change.subject.clone())),
            checked_at: AtomicU64::default(),
        })
    }

    /// Returns the site as a visitor sees it, without the sections and spaces whose condition does
    /// not hold; `None` if the visitor sees the whole site, as all visitors do without adaptive content,
    /// and members in a preview.
    pub(super) fn for_visitor(&self, answers: &Answers) -> Option<Self> {
        if !answers.is_adaptive() {
            return None;
        }
        let shown = published::for_visitor(&self.structure, answers)?;
        let is_shown = |space: &&LoadedSpace| shown.site_space(space.site_space.id).is_some();
        Some(Self {
            site: self.site.clone(),
            spaces: self.spaces.iter().filter(is_shown).cloned().collect(),
            structure: shown,
            changes: Arc::clone(&self.changes),
            audience: self.audience.clone(),
            claims: self.claims.clone(),
            base: self.base.clone(),
            root: self.root.clone(),
            is_preview: self.is_preview,
            proposed: self.proposed.clone(),
            checked_at: AtomicU64::default(),
        })
    }

    /// Returns an upper bound for the number of pages that the site's feeds list.
    pub(super) fn max_listed_pages(&self) -> u64 {
        self.spaces.iter().map(|space| space.snapshot.revision.content.pages.len()).sum()
    }

    /// Returns the path with which the addresses of a space begin.
    pub(super) fn space_base(&self, space: &LoadedSpace) -> String {
        format!("{}{}", self.base(), self.structure.site_space_path(&space.site_space))
    }

    /// Returns `true` if a path below the site is that of a space other than the one at the root of
    /// the site. The addresses of such paths end with a slash, like that of the site.
    pub(super) fn is_space_root(&self, path: &str) -> bool {
        !path.is_empty() && self.resolve(path).is_some_and(|(_, rest)| rest.is_empty())
    }

    /// Returns the space that a path belongs to and the rest of the path.
    pub(super) fn resolve<'a>(&self, path: &'a str) -> Option<(&LoadedSpace, &'a str)> {
        let (site_space, rest) = self.structure.resolve(path)?;
        let space = self.spaces.iter().find(|space| space.site_space.id == site_space.id);
        space.map(|space| (space, rest))
    }
}

/// Identifies a published site in a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SiteKey<'a> {
    /// The path on the main host, or an earlier one.
    Basename(&'a str),
    /// The id, for sites that another server passes on.
    Id(SiteId),
}

/// A cache of recently requested sites.
#[derive(Debug, Default)]
pub(super) struct SiteCache(RwLock<HashMap<String, Arc<LoadedSite>>>);

impl SiteCache {
    /// Returns the current state of a published site.
    pub(super) async fn get(
        &self,
        app: &Arc<App>,
        key: SiteKey<'_>,
    ) -> Result<Option<Arc<LoadedSite>>> {
        let (name, id) = match key {
            SiteKey::Basename(basename) => (Cow::Borrowed(basename), None),
            // No request contains a basename with this character.
            SiteKey::Id(id) => (Cow::Owned(format!("\0{id}")), Some(id)),
        };
        let cached = {
            let sites = self.0.read().unwrap_or_else(PoisonError::into_inner);
            sites.get(&*name).cloned()
        };
        // The counter is read before the site, so that a concurrent change is found at the next
        // request.
        let now = app.store.changes();
        if let (Some(cached), Some(now)) = (&cached, now)
            && cached.checked_at.load(Ordering::Acquire) == now
        {
            return Ok(Some(Arc::clone(cached)));
        }
        // The futures of cached sites stay small this way.
        Box::pin(self.read(app, name.into_owned(), id, cached, now.unwrap_or_default())).await
    }

    /// Reads a site, and caches it as of a value of the store's counter.
    async fn read(
        &self,
        app: &Arc<App>,
        name: String,
        id: Option<SiteId>,
        cached: Option<Arc<LoadedSite>>,
        now: u64,
    ) -> Result<Option<Arc<LoadedSite>>> {
        let wanted = name.clone();
        let site = app.store.read(move |tx| match id {
            Some(id) => Ok(published::get(tx, id)?.filter(|site| site.published)),
            None => published::find_by_basename(tx, &wanted),
        });
        let Some(site) = site.await? else {
            self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&name);
            return Ok(None);
        };
        if let Some(cached) = cached.as_ref().filter(|cached| cached.site == site) {
            cached.checked_at.store(now, Ordering::Release);
            return Ok(Some(Arc::clone(cached)));
        }
        let held = Arc::clone(app);
        let loaded = app
            .store
            .read_blocking(move |tx| load(&held, tx, &site, cached.as_deref(), now))
            .await?;
        let Some(loaded) = loaded.map(Arc::new) else { return Ok(None) };
        let mut sites = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MAX_SITES {
            sites.clear();
        }
        sites.insert(name, Arc::clone(&loaded));
        Ok(Some(loaded))
    }
}

fn load(
    app: &App,
    tx: &Tx<'_>,
    site: &Site,
    previous: Option<&LoadedSite>,
    checked_at: u64,
) -> Result<Option<LoadedSite>> {
    // The site is read again in this snapshot, so that its version and its content match.
    let Some(loaded) = published::load_whole_site(tx, site.id)? else { return Ok(None) };
    let PublishedStructure { site, structure, spaces: shown } = loaded;
    let mut spaces = Vec::with_capacity(shown.len());
    for (site_space, space) in shown {
        let mut known = previous.iter().flat_map(|site| &site.spaces);
        let known = known.find(|known| known.space.id == space.id);
        let known = known.map(|known| &*known.embeds);
        spaces.push(LoadedSpace::load(app, tx, site_space, space, None, known)?);
    }
    Ok(Some(LoadedSite {
        changes: changes(tx, &site, &structure, &spaces, previous)?,
        claims: claims_schema(tx, &site)?,
        audience: Audience::load(app, tx, &site)?,
        base: SiteAddress::from(&site).base(),
        root: SiteAddress::from(&site).root(),
        site,
        spaces,
        structure,
        is_preview: false,
        proposed: None,
        checked_at: AtomicU64::new(checked_at),
    }))
}

/// Returns the claims that visitors can state; `None` if the site has no adaptive content.
fn claims_schema(tx: &Tx<'_>, site: &Site) -> Result<Option<ClaimsSchema>> {
    Ok(match site.adaptive {
        true => Some(adaptive::load(tx, site)?.unwrap_or_default()),
        false => None,
    })
}

/// Returns the known changes of a site up to its present state.
fn changes(
    tx: &Tx<'_>,
    site: &Site,
    structure: &SiteStructure,
    spaces: &[LoadedSpace],
    previous: Option<&LoadedSite>,
) -> Result<Arc<Changes>> {
    let alike = |previous: &&LoadedSite| {
        let same = Site { version: previous.site.version, ..site.clone() };
        let mut pairs = previous.spaces.iter().zip(spaces);
        same == previous.site
            && *structure == previous.structure
            && previous.spaces.len() == spaces.len()
            && pairs.all(|(old, new)| old.is_presented_like(new))
    };
    let Some(previous) = previous.filter(alike) else {
        return Ok(Arc::new(Changes::starting_at(site.version)));
    };
    for (old, new) in previous.spaces.iter().zip(spaces) {
        new.record_changes(old, site.version, tx, &previous.changes)?;
    }
    Ok(Arc::clone(&previous.changes))
}
