//! Published content for callers without a role on it: through the API, signed-in users can read
//! exactly the content that a site shows to the public, and readers of a site the content of that
//! site.

use bindery_expression::Expression;
use bindery_model::{CollectionId, OrganizationId, Result, RevisionId, Role, SiteId, SpaceId};
use bindery_revision::{PageRecord, Variables};
use bindery_store::site_spaces::SiteSpace;
use bindery_store::sites::{self, PublishedSpace, Site};
use bindery_store::spaces::Space;
use bindery_store::{Tx, collections, spaces};

use crate::access::{Loaded, Person, Reader, Target, TargetKind, space_access};
use crate::content::snapshot;
use crate::publishing::adaptive::{Answers, ClaimsOf};
use crate::publishing::audience::{PreviewVisitor, Visitor};
use crate::publishing::resolve::SiteReader;
use crate::publishing::sites::SiteTarget;
use crate::publishing::structure::{Item, SiteExternalLink, SiteStructure};
use crate::review::change_requests::{ChangeRequestKey, ChangeRequestTarget};
use crate::{App, Context};

/// Maximum number of spaces of a collection among which one is looked for.
const MAX_SPACES: usize = 1_000;

/// A space whose content the caller may read: with a role on the space, or as a visitor if a
/// published site shows the space to the public.
#[derive(Clone, Debug)]
pub struct ReadableSpace {
    /// The space.
    pub space: Space,
    /// `true` if the caller sees only the public content.
    pub visitor: bool,
    /// The revision of a change request that the caller reads in a preview of a site.
    pub previewed: Option<RevisionId>,
}

impl Target for ReadableSpace {
    const KIND: TargetKind = TargetKind::Space;
    type Key = SpaceId;

    fn is_deleted(&self) -> bool {
        self.space.deleted_at.is_some()
    }

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &SpaceId) -> Result<Option<Loaded<Self>>> {
        let (Some(person), Some(space)) = (person, spaces::get(tx, *key)?) else {
            return Ok(None);
        };
        let role = space_access(tx, person, &space)?.role();
        let visitor = role.is_none() && is_open(tx, person, &space)?;
        let role = role.or(visitor.then_some(Role::Read));
        Ok(Some(Loaded { target: Self { space, visitor, previewed: None }, role }))
    }

    fn load_for_reader(
        tx: &Tx<'_>,
        reader: &SiteReader,
        key: &SpaceId,
    ) -> Result<Option<Loaded<Self>>> {
        let space = spaces::get(tx, *key)?.filter(|space| space.deleted_at.is_none());
        let Some(space) = space else { return Ok(None) };
        if !reader.reads_space(tx, &space)? {
            return Ok(None);
        }
        let previewed = reader.previewed(&space).map(|change_request| change_request.head);
        let target = Self { space, visitor: true, previewed };
        Ok(Some(Loaded { target, role: Some(Role::Read) }))
    }
}

/// A change request that the caller may see: with a role on its space, or because a preview of a
/// site shows its content.
#[derive(Clone, Debug)]
pub struct ReadableChangeRequest(pub ChangeRequestTarget);

impl Target for ReadableChangeRequest {
    const KIND: TargetKind = TargetKind::ChangeRequest;
    type Key = <ChangeRequestTarget as Target>::Key;

    fn is_deleted(&self) -> bool {
        self.0.is_deleted()
    }

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let found = ChangeRequestTarget::load(tx, person, key)?;
        Ok(found.map(|Loaded { target, role }| Loaded { target: Self(target), role }))
    }

    fn load_for_reader(
        tx: &Tx<'_>,
        reader: &SiteReader,
        (space, key): &Self::Key,
    ) -> Result<Option<Loaded<Self>>> {
        let space = spaces::get(tx, *space)?.filter(|space| space.deleted_at.is_none());
        let Some(space) = space else { return Ok(None) };
        let Some(change_request) = reader.previewed(&space) else { return Ok(None) };
        let is_named = match key {
            ChangeRequestKey::Id(id) => *id == change_request.id,
            ChangeRequestKey::Number(number) => *number == change_request.number,
        };
        if !is_named || !reader.reads_space(tx, &space)? {
            return Ok(None);
        }
        let target = ChangeRequestTarget { change_request: change_request.clone(), space };
        Ok(Some(Loaded { target: Self(target), role: Some(Role::Read) }))
    }
}

/// A site that the caller may read: as a member of its organization, or as a visitor if it is
/// published to the public.
#[derive(Clone, Debug)]
pub struct ReadableSite(pub Site);

impl Target for ReadableSite {
    const KIND: TargetKind = TargetKind::Site;
    type Key = <SiteTarget as Target>::Key;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let (Some(person), Some(found)) = (person, SiteTarget::load(tx, person, key)?) else {
            return Ok(None);
        };
        let Loaded { target: SiteTarget(site), role } = found;
        let is_open = person.spaces.is_empty()
            && person.reaches_organization(site.organization)
            && Reader::Public.sees(site.visibility, site.published);
        Ok(Some(Loaded { target: Self(site), role: role.or(is_open.then_some(Role::Read)) }))
    }

    fn load_for_reader(
        tx: &Tx<'_>,
        reader: &SiteReader,
        (organization, site): &Self::Key,
    ) -> Result<Option<Loaded<Self>>> {
        let site = sites::get(tx, *site)?.filter(|site| site.organization == *organization);
        let Some(site) = site else { return Ok(None) };
        let reads = reader.reads_site(tx, &site)?;
        Ok(reads.then_some(Loaded { target: Self(site), role: Some(Role::Read) }))
    }
}

/// Returns the published sites with a public audience, oldest first: those of an organization, or of
/// all.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_public(
    tx: &Tx<'_>,
    organization: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<Site>> {
    Ok(sites::list_public(tx, organization, limit)?)
}

/// Returns the site with this id, published or not. The caller must check the audience.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: SiteId) -> Result<Option<Site>> {
    Ok(sites::get(tx, id)?)
}

/// Returns the published site at a path of the main host, whatever its audience. A path that no site
/// has leads to the site that had it last.
///
/// # Errors
/// Returns an error if the store fails.
pub fn find_by_basename(tx: &Tx<'_>, basename: &str) -> Result<Option<Site>> {
    let site = match sites::get_by_basename(tx, basename)? {
        Some(site) => Some(site),
        None => sites::get_by_former_basename(tx, basename)?,
    };
    Ok(site.filter(|site| site.published))
}

/// A site with its structure and the spaces that readers see.
#[derive(Clone, Debug)]
pub struct PublishedStructure {
    /// The site.
    pub site: Site,
    /// Its structure, without the site spaces that readers do not see and without sections that
    /// have none.
    pub structure: SiteStructure,
    /// The site spaces in the order of their sections with their spaces.
    pub spaces: Vec<(SiteSpace, Space)>,
}

/// Returns a site as a visitor sees it; `None` if the site no longer exists. Without adaptive
/// content, conditions do not see the claims of the visitor.
///
/// # Errors
/// Returns an error if the store fails.
pub fn load_site(tx: &Tx<'_>, id: SiteId, visitor: &Visitor) -> Result<Option<PublishedStructure>> {
    let Some(site) = sites::get(tx, id)? else { return Ok(None) };
    let claims = site.adaptive.then(|| ClaimsOf::visitor(visitor)).transpose()?;
    let answers = Answers::new(claims);
    shown_structure(tx, site, |condition| answers.holds_for_site(condition), |_| true).map(Some)
}

/// Returns a site as the visitor with these answers sees it; `None` if the site no longer exists.
///
/// # Errors
/// Returns an error if the store fails.
pub fn load_site_with(
    tx: &Tx<'_>,
    id: SiteId,
    answers: &Answers,
) -> Result<Option<PublishedStructure>> {
    let Some(site) = sites::get(tx, id)? else { return Ok(None) };
    shown_structure(tx, site, |condition| answers.holds_for_site(condition), |_| true).map(Some)
}

/// Returns a site as its visitors together see it; `None` if the site no longer exists. A site with
/// adaptive content keeps the items whose condition depends on the visitor, see [`for_visitor`].
///
/// # Errors
/// Returns an error if the store fails.
pub fn load_whole_site(tx: &Tx<'_>, id: SiteId) -> Result<Option<PublishedStructure>> {
    let Some(site) = sites::get(tx, id)? else { return Ok(None) };
    let adaptive = site.adaptive;
    let nobody = Answers::new(None);
    let can_be_shown = |condition: Option<&str>| {
        adaptive && depends_on_visitor(condition) || nobody.holds_for_site(condition)
    };
    shown_structure(tx, site, can_be_shown, |_| true).map(Some)
}

/// Returns a site with the spaces that a person who previews it can read, whatever their
/// conditions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn load_preview(
    tx: &Tx<'_>,
    site: Site,
    visitor: &PreviewVisitor,
) -> Result<PublishedStructure> {
    shown_structure(tx, site, |_| true, |space| visitor.spaces.contains(&space))
}

/// Returns the structure of a site without the items whose condition or space is not shown.
fn shown_structure(
    tx: &Tx<'_>,
    site: Site,
    is_shown: impl Fn(Option<&str>) -> bool,
    is_readable: impl Fn(SpaceId) -> bool,
) -> Result<PublishedStructure> {
    let mut structure = SiteStructure::load(tx, site.id)?;
    structure.sections.retain(|section| is_shown(section.condition.as_deref()));
    structure.external_links.retain(|link| is_shown(condition_of(link)));
    let sections: Vec<_> = structure.sections.iter().map(|section| section.id).collect();
    let mut shown = Vec::new();
    for site_space in &structure.site_spaces {
        if site_space.section.is_some_and(|section| !sections.contains(&section))
            || !is_shown(site_space.condition.as_deref())
            || !is_readable(site_space.space)
        {
            continue;
        }
        let space = spaces::get(tx, site_space.space)?;
        if let Some(space) = space.filter(|space| space.deleted_at.is_none()) {
            shown.push((site_space.clone(), space));
        }
    }
    let order = structure.in_order();
    shown.sort_by_cached_key(|(site_space, _)| {
        let section = site_space.section.map(Item::Section);
        order.iter().position(|item| Some(*item) == section)
    });
    structure.site_spaces = shown.iter().map(|(site_space, _)| site_space.clone()).collect();
    let site_spaces = &structure.site_spaces;
    structure
        .sections
        .retain(|section| site_spaces.iter().any(|one| one.section == Some(section.id)));
    Ok(PublishedStructure { site, structure, spaces: shown })
}

/// Returns the condition under which readers see a link. Nobody but members who preview the site
/// sees a draft.
fn condition_of(link: &SiteExternalLink) -> Option<&str> {
    if link.draft { Some("false") } else { link.condition.as_deref() }
}

/// Returns the part of a structure that a visitor sees; `None` if it is the whole structure.
pub fn for_visitor(structure: &SiteStructure, answers: &Answers) -> Option<SiteStructure> {
    let mut shown = structure.clone();
    shown.sections.retain(|section| answers.holds_for_site(section.condition.as_deref()));
    shown.external_links.retain(|link| answers.holds_for_site(condition_of(link)));
    let sections: Vec<_> = shown.sections.iter().map(|section| section.id).collect();
    shown.site_spaces.retain(|site_space| {
        site_space.section.is_none_or(|section| sections.contains(&section))
            && answers.holds_for_site(site_space.condition.as_deref())
    });
    let SiteStructure { sections, site_spaces, .. } = &mut shown;
    sections.retain(|section| site_spaces.iter().any(|one| one.section == Some(section.id)));
    (shown != *structure).then_some(shown)
}

/// Returns `true` if a condition can have different results for different visitors.
fn depends_on_visitor(condition: Option<&str>) -> bool {
    let condition = condition.and_then(|condition| Expression::parse(condition).ok());
    condition.is_some_and(|condition| condition.depends_on_visitor())
}

/// Returns the site on which readers find a space; `None` if the space is not published.
///
/// # Errors
/// Returns an error if the store fails.
pub fn site_of(cx: &Context<'_>, space: &Space) -> Result<Option<PublishedSpace>> {
    Ok(sites::published_sites(cx.tx, &[space.id])?.remove(&space.id))
}

/// Returns the title of a space that a site shows to the public, and the address of the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn open_space(app: &App, tx: &Tx<'_>, space: SpaceId) -> Result<Option<(String, String)>> {
    let sites = sites::published_sites(tx, &[space])?;
    let Some(site) = sites.get(&space).filter(|site| snapshot::is_open(Some(site))) else {
        return Ok(None);
    };
    let found = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none());
    Ok(found.map(|space| (space.title, app.urls.space(site))))
}

/// Returns the title of a collection and its first space that readers find: one of the spaces `here`,
/// else one that a site shows to the public. `None` if it has no such space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn space_of_collection(
    tx: &Tx<'_>,
    id: CollectionId,
    here: &[SpaceId],
) -> Result<Option<(String, SpaceId)>> {
    let Some(collection) = collections::get(tx, id)? else { return Ok(None) };
    let mut spaces = collections::list_space_ids(tx, id)?;
    spaces.truncate(MAX_SPACES);
    let sites = sites::published_sites(tx, &spaces)?;
    let is_found = |space: &Space| {
        space.deleted_at.is_none()
            && (here.contains(&space.id) || snapshot::is_open(sites.get(&space.id)))
    };
    // The order in which the application lists them.
    let first = spaces::with_ids(tx, &spaces)?
        .into_iter()
        .filter(is_found)
        .min_by_key(|space| (!here.contains(&space.id), space.position.clone(), space.id));
    Ok(first.map(|space| (collection.title, space.id)))
}

/// Returns `true` if a site shows a space to the public and the caller's token reaches the space:
/// the limits of a token to organizations or spaces also apply to public content.
fn is_open(tx: &Tx<'_>, person: &Person, space: &Space) -> Result<bool> {
    if space.deleted_at.is_some()
        || !person.reaches_space(space.id)
        || !person.reaches_organization(space.organization)
    {
        return Ok(false);
    }
    snapshot::is_public(tx, space.id)
}

/// Returns `true` if a page's condition holds for a visitor. `variables` are those of the space.
pub fn admits(answers: &Answers, variables: &Variables, page: &PageRecord) -> bool {
    let Some(condition) = &page.condition else { return true };
    answers.holds(condition, variables, || Ok(page.variables.clone())).unwrap_or(false)
}
