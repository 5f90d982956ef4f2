//! Destinations of redirects, which are always parts of the same site.

use bindery_model::{FieldPath, PageId, Result, SiteSectionId, SiteSpaceId};
use bindery_revision::tree::Tree;
use bindery_store::Tx;
use bindery_store::site_spaces::SiteSpace;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{Match, SiteRedirect};
use crate::access::{Caller, Loaded, Target};
use crate::content::snapshot::{Snapshot, broken_object, broken_tree};
use crate::content::spaces::Space;
use crate::publishing::adaptive::Answers;
use crate::publishing::published::{self, PublishedStructure, ReadableSpace};
use crate::publishing::sites::Site;
use crate::publishing::structure::SiteStructure;
use crate::{App, Context};

/// The characters that are encoded in an address: all except the unreserved ones and slashes.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The destination of a redirect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// The root of a section.
    Section(SiteSectionId),
    /// The root of a site space.
    SiteSpace(SiteSpaceId),
    /// A page of a site space.
    Page(SiteSpaceId, PageId),
}

impl Destination {
    /// Returns the destination of a stored redirect; `None` if the row names none.
    pub const fn of(redirect: &SiteRedirect) -> Option<Self> {
        match (redirect.section, redirect.site_space, redirect.page) {
            (Some(section), ..) => Some(Self::Section(section)),
            (None, Some(site_space), None) => Some(Self::SiteSpace(site_space)),
            (None, Some(site_space), Some(page)) => Some(Self::Page(site_space, page)),
            (None, None, _) => None,
        }
    }

    /// Writes the destination into a redirect.
    pub(super) const fn store_in(self, redirect: &mut SiteRedirect) {
        (redirect.section, redirect.site_space, redirect.page) = match self {
            Self::Section(section) => (Some(section), None, None),
            Self::SiteSpace(site_space) => (None, Some(site_space), None),
            Self::Page(site_space, page) => (None, Some(site_space), Some(page)),
        };
    }

    /// Returns the site space that the destination belongs to, and the page; `None` instead of the
    /// page for the root. Returns `None` if the site no longer has the destination.
    pub fn locate(self, structure: &SiteStructure) -> Option<(&SiteSpace, Option<PageId>)> {
        match self {
            Self::Section(section) => {
                let section = structure.section(section)?;
                Some((structure.default_variant(Some(section.id))?, None))
            }
            Self::SiteSpace(site_space) => Some((structure.site_space(site_space)?, None)),
            Self::Page(site_space, page) => Some((structure.site_space(site_space)?, Some(page))),
        }
    }

    /// Describes the destination in events.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Section(section) => format!("section {section}"),
            Self::SiteSpace(site_space) => format!("site space {site_space}"),
            Self::Page(site_space, page) => format!("page {page} of site space {site_space}"),
        }
    }
}

/// A destination as a request names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewDestination {
    /// The id of a section.
    Section(String),
    /// The id of a site space.
    SiteSpace(String),
    /// The ids of a site space and of a page of its space.
    Page(String, String),
    /// The id of a space of the site, and the path of a page in it.
    Path(String, String),
}

/// Returns the destination that a request names.
///
/// # Errors
/// Returns 404 if the site has no such section or space that the caller can read, or the space no
/// such page.
pub(super) fn checked(
    cx: &Context<'_>,
    structure: &SiteStructure,
    new: &NewDestination,
) -> Result<Destination> {
    let destination = FieldPath::new("/destination");
    let site_space = |id: &str| SiteSpaceId::parse(id).and_then(|id| structure.site_space(id));
    let no_space = || destination.field("siteSpaceId").not_found("site space");
    match new {
        NewDestination::Section(id) => {
            let section = SiteSectionId::parse(id).and_then(|id| structure.section(id));
            let section =
                section.ok_or_else(|| destination.field("siteSectionId").not_found("section"))?;
            Ok(Destination::Section(section.id))
        }
        NewDestination::SiteSpace(id) => {
            let site_space = site_space(id).ok_or_else(no_space)?;
            let _space = readable(cx, site_space)?.ok_or_else(no_space)?;
            Ok(Destination::SiteSpace(site_space.id))
        }
        NewDestination::Page(id, page) => {
            let site_space = site_space(id).ok_or_else(no_space)?;
            let space = readable(cx, site_space)?.ok_or_else(no_space)?;
            let snapshot = Snapshot::of(cx.app, cx.tx, &space, None)?;
            let content = &snapshot.revision.content;
            let objects = cx.tx.objects();
            let page = match PageId::parse(page) {
                Some(page) => content.page(&objects, page).map_err(broken_object)?,
                None => None,
            };
            let page = page.ok_or_else(|| destination.field("pageId").not_found("page"))?;
            Ok(Destination::Page(site_space.id, page.id))
        }
        NewDestination::Path(id, path) => {
            let no_space = || destination.field("spaceId").not_found("space");
            let mut site_spaces = structure.site_spaces.iter();
            let site_space = site_spaces.find(|one| one.space.as_str() == id);
            let site_space = site_space.ok_or_else(no_space)?;
            let space = readable(cx, site_space)?.ok_or_else(no_space)?;
            let path = path.trim_matches('/');
            if path.is_empty() {
                return Ok(Destination::SiteSpace(site_space.id));
            }
            let snapshot = Snapshot::of(cx.app, cx.tx, &space, None)?;
            let objects = cx.tx.objects();
            let tree = Tree::new(&snapshot.revision.content, &objects);
            let page = tree.by_path(path).map_err(broken_object)?;
            let page = page.ok_or_else(|| destination.field("path").not_found("page"))?;
            Ok(Destination::Page(site_space.id, page))
        }
    }
}

/// Returns the space of a site space if the caller can read it.
fn readable(cx: &Context<'_>, site_space: &SiteSpace) -> Result<Option<Space>> {
    let Caller::Person(person) = cx.caller else { return Ok(None) };
    let found = ReadableSpace::load(cx.tx, Some(person), &site_space.space)?;
    Ok(match found {
        Some(Loaded { target, role: Some(_) }) if !target.is_deleted() => Some(target.space),
        _ => None,
    })
}

/// Returns the decoded path of a destination below its site; `None` if it no longer exists.
pub(super) fn path(
    app: &App,
    tx: &Tx<'_>,
    structure: &SiteStructure,
    destination: Destination,
) -> Result<Option<String>> {
    let Some((site_space, page)) = destination.locate(structure) else { return Ok(None) };
    let base = structure.site_space_path(site_space);
    let Some(page) = page else { return Ok(Some(base)) };
    let Some(space) = bindery_store::spaces::get(tx, site_space.space)? else { return Ok(None) };
    let snapshot = Snapshot::of(app, tx, &space, None)?;
    let objects = tx.objects();
    let content = &snapshot.revision.content;
    if content.page(&objects, page).map_err(broken_object)?.is_none() {
        return Ok(None);
    }
    let below = Tree::new(content, &objects).path(page).map_err(broken_tree)?;
    Ok(Some(format!("{base}{below}")))
}

/// Returns the page that a redirect with paths below its source leads to: the page at `rest` below
/// the destination. Returns `None` if there is no such page.
///
/// # Errors
/// Returns an error if the content cannot be read.
pub fn page_below(tree: &Tree<'_>, page: Option<PageId>, rest: &str) -> Result<Option<PageId>> {
    if rest.is_empty() {
        return Ok(None);
    }
    let path = match page {
        Some(page) => format!("{}/{rest}", tree.path(page).map_err(broken_tree)?),
        None => rest.to_owned(),
    };
    tree.by_path(&path).map_err(broken_object)
}

/// Returns the address to which a redirect leads the readers of a site; `None` if its destination
/// does not exist for them.
pub(super) fn address(cx: &Context<'_>, site: &Site, found: &Match) -> Result<Option<String>> {
    let Some(destination) = Destination::of(&found.redirect) else { return Ok(None) };
    let answers = Answers::new(cx.visitor_claims()?);
    let Some(shown) = published::load_site_with(cx.tx, site.id, &answers)? else {
        return Ok(None);
    };
    let PublishedStructure { structure, spaces, .. } = &shown;
    let Some((site_space, page)) = destination.locate(structure) else { return Ok(None) };
    let Some((_, space)) = spaces.iter().find(|(one, _)| one.id == site_space.id) else {
        return Ok(None);
    };
    let base = structure.site_space_path(site_space);
    let snapshot = Snapshot::of(cx.app, cx.tx, space, None)?;
    let objects = cx.tx.objects();
    let content = &snapshot.revision.content;
    let tree = Tree::new(content, &objects);
    let is_present = |page: PageId| -> Result<bool> {
        let Some(record) = content.page(&objects, page).map_err(broken_object)? else {
            return Ok(false);
        };
        let above = tree.ancestors(page).map_err(broken_tree)?;
        Ok(above
            .iter()
            .chain([&record])
            .all(|one| published::admits(&answers, &content.variables, one)))
    };
    if let Some(page) = page
        && !is_present(page)?
    {
        return Ok(None);
    }
    let below = match page_below(&tree, page, &found.rest)? {
        Some(below) if is_present(below)? => Some(below),
        _ => page,
    };
    let below = below.map(|page| tree.path(page)).transpose().map_err(broken_tree)?;
    let path = format!("{base}{}", below.unwrap_or_default());
    let path = utf8_percent_encode(&path, ENCODED);
    Ok(Some(format!("{}{path}", cx.app.urls.site(site))))
}
