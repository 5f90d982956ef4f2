//! Spaces of sites.

use bindery_model::{Error, FieldPath, LanguageTag, Result, SiteSectionId, SiteSpaceId};
use bindery_store::site_spaces::{self, SiteSpace};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent, SiteSpaceSettings, Tx, site_customizations, sites};

use super::{
    MAX_SITE_SPACES, SiteStructure, checked_condition, checked_path, find_section, find_site_space,
    placeable, unused_path,
};
use crate::access::{Action, Authorized, authorize_target};
use crate::publishing::sites::{Site, SiteTarget};
use crate::{App, Context, content};

/// Adds a space to a section, or to the default section or the site if `section` is `None`.
///
/// # Errors
/// Returns 404 if the space or the section does not exist for the caller, and 409 if the site
/// already has the space.
pub fn add_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    space: &str,
    section: Option<&str>,
) -> Result<SiteSpace> {
    let space = placeable(cx, site.0.organization, space)?;
    let structure = SiteStructure::lock(cx, &site.0)?;
    let section = match section {
        Some(id) => Some(find_section(&structure, id)?),
        None => structure.default_section(),
    };
    place(cx, &site.0, &space, section.map(|one| one.id))
}

/// Adds a space to a site and records the event.
pub(crate) fn place(
    cx: &Context<'_>,
    site: &Site,
    space: &Space,
    section: Option<SiteSectionId>,
) -> Result<SiteSpace> {
    let placed = store_site_space(cx.tx, cx.app, site, space, section)?;
    record(cx, site, &placed, |settings| Event::SiteSpaceAdded {
        site_space: placed.id,
        after: Some(settings),
    })?;
    Ok(placed)
}

/// Adds a space at the end of a section, or of a site without sections. The first one is at the
/// root.
///
/// # Errors
/// Returns 409 if the site already has the space.
pub fn store_site_space(
    tx: &Tx<'_>,
    app: &App,
    site: &Site,
    space: &Space,
    section: Option<SiteSectionId>,
) -> Result<SiteSpace> {
    let structure = SiteStructure::load(tx, site.id)?;
    if structure.site_spaces.iter().any(|one| one.space == space.id) {
        return Err(Error::conflict("this space is on the site already"));
    }
    if structure.site_spaces.len() >= MAX_SITE_SPACES {
        return Err(Error::conflict(format!(
            "the site has {MAX_SITE_SPACES} spaces, which is the maximum"
        )));
    }
    let variants: Vec<&SiteSpace> = structure.variants(section).collect();
    let is_used = |path: &str| {
        variants.iter().any(|one| one.path == path)
            || (section
                .is_none_or(|id| structure.default_section().is_some_and(|one| one.id == id))
                && structure.sections.iter().any(|one| one.path == path))
    };
    let site_space = SiteSpace {
        id: SiteSpaceId::random(&app.entropy),
        site: site.id,
        section,
        space: space.id,
        path: unused_path(&space.title, is_used),
        title: space.title.clone(),
        condition: None,
        position: variants.last().map_or(0, |last| last.position + 1),
        is_default: variants.is_empty(),
        language: None,
    };
    if !site_spaces::create(tx, &site_space)? {
        return Err(Error::conflict("this space is on the site already"));
    }
    sites::increment_version(tx, site.id)?;
    Ok(site_space)
}

/// Changes of a site space. `None` keeps a value, `Some(None)` removes it.
#[derive(Clone, Debug, Default)]
pub struct SiteSpacePatch {
    /// The path in the section.
    pub path: Option<String>,
    /// The condition under which readers see it.
    pub condition: Option<Option<String>>,
    /// The space that it shows.
    pub space: Option<String>,
    /// The language that replaces that of the space on this site.
    pub language: Option<Option<LanguageTag>>,
}

/// Updates a site space.
///
/// # Errors
/// Returns 404 if the site space or the space does not exist, 400 with the invalid field, and 409
/// if the path or the space is in use.
pub fn update_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    patch: SiteSpacePatch,
) -> Result<SiteSpace> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let before = find_site_space(&structure, id)?;
    let mut after = before.clone();
    let SiteSpacePatch { path, condition, space, language } = patch;
    if let Some(path) = path {
        after.path = checked_path(&path)?;
        let taken = structure.variants(after.section).find(|one| one.path == after.path);
        if let Some(other) = taken.filter(|one| one.id != after.id) {
            return Err(FieldPath::new("/path").conflict(format!(
                "found {path:?}, which is the path of the site space {:?}",
                other.title
            )));
        }
    }
    if let Some(condition) = condition {
        after.condition = condition.as_deref().map(checked_condition).transpose()?;
    }
    if let Some(space) = space {
        let space = placeable(cx, site.organization, &space)?;
        if space.id != before.space {
            if structure.site_spaces.iter().any(|one| one.space == space.id) {
                return Err(
                    FieldPath::new("/spaceId").conflict("this space is on the site already")
                );
            }
            after.space = space.id;
            after.title = space.title;
        }
    }
    if let Some(language) = language {
        after.language = language.map(|tag| tag.to_string());
    }
    let pairs = [
        ("path", before.path != after.path),
        ("condition", before.condition != after.condition),
        ("spaceId", before.space != after.space),
        ("languageTag", before.language != after.language),
    ];
    let fields: Vec<String> =
        pairs.iter().filter(|(_, changed)| *changed).map(|(name, _)| (*name).to_owned()).collect();
    if !fields.is_empty() {
        site_spaces::update(cx.tx, &after)?;
        let event = Event::SiteSpaceUpdated { site_space: after.id, fields };
        cx.tx.record(
            &NewEvent::new(event)
                .by(cx.user())
                .organization(site.organization)
                .site(site.id)
                .space(after.space),
        )?;
    }
    Ok(after)
}

/// Removes a space from a site; the space itself remains. Returns `false` if there is no such site
/// space.
///
/// # Errors
/// Returns 409 for the last space of a section of a site with several sections.
pub fn delete_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
) -> Result<bool> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let Ok(removed) = find_site_space(&structure, id) else { return Ok(false) };
    give_up_default(cx.tx, &structure, removed)?;
    site_spaces::delete(cx.tx, removed.id)?;
    record_removed(cx, site, removed)?;
    Ok(true)
}

/// Passes the place at the root of a section on before a site space leaves the section.
pub(super) fn give_up_default(
    tx: &Tx<'_>,
    structure: &SiteStructure,
    leaving: &SiteSpace,
) -> Result<()> {
    let next = structure.variants(leaving.section).find(|one| one.id != leaving.id);
    match next {
        None if leaving.section.is_some() => Err(Error::conflict(
            "this is the only space of its section: delete the section, or add another space first",
        )),
        Some(next) if leaving.is_default => set_default(tx, structure, next),
        _ => Ok(()),
    }
}

pub(super) fn record_removed(cx: &Context<'_>, site: &Site, removed: &SiteSpace) -> Result<()> {
    record(cx, site, removed, |settings| Event::SiteSpaceRemoved {
        site_space: removed.id,
        before: Some(settings),
    })
}

fn record(
    cx: &Context<'_>,
    site: &Site,
    site_space: &SiteSpace,
    event: impl FnOnce(SiteSpaceSettings) -> Event,
) -> Result<()> {
    let settings = SiteSpaceSettings {
        title: site_space.title.clone(),
        path: site_space.path.clone(),
        default: site_space.is_default,
    };
    cx.tx.record(
        &NewEvent::new(event(settings))
            .by(cx.user())
            .organization(site.organization)
            .site(site.id)
            .space(site_space.space),
    )?;
    Ok(())
}

/// Makes a site space the one at the root of its section.
pub(super) fn set_default(
    tx: &Tx<'_>,
    structure: &SiteStructure,
    chosen: &SiteSpace,
) -> Result<()> {
    for variant in structure.variants(chosen.section) {
        let is_default = variant.id == chosen.id;
        if variant.is_default != is_default {
            site_spaces::update(tx, &SiteSpace { is_default, ..variant.clone() })?;
        }
    }
    Ok(())
}

/// Makes a site space the one at the root of the site, or of the default section.
///
/// # Errors
/// Returns 400 if the site, or its default section, has no site space with this id.
pub fn set_default_site_space(cx: &Context<'_>, site: &Site, id: &str) -> Result<()> {
    let structure = SiteStructure::lock(cx, site)?;
    let section = structure.default_section().map(|one| one.id);
    let chosen = find_site_space(&structure, id).ok().filter(|one| one.section == section);
    let Some(chosen) = chosen else {
        let owner = if section.is_some() { "its default section" } else { "this site" };
        return Err(FieldPath::new("/defaultSiteSpace")
            .invalid(format!("found {id:?}, allowed: the id of a site space of {owner}")));
    };
    set_default(cx.tx, &structure, chosen)
}

/// Copies a space and adds the copy to the site after the original. Readers do not see a draft: its
/// condition is `false` until the caller removes or replaces it.
///
/// # Errors
/// Returns 404 if the site space does not exist, or its space does not for the caller.
pub fn duplicate_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    draft: bool,
) -> Result<SiteSpace> {
    let structure = SiteStructure::lock(cx, &site.0)?;
    let original = find_site_space(&structure, id)?;
    let original_space =
        authorize_target::<Space>(cx.tx, cx.caller, Action::DuplicateSpace, Some(&original.space))?;
    let copy = content::spaces::duplicate(cx, &original_space)?;
    let mut placed = place(cx, &site.0, &copy, original.section)?;
    let following: Vec<SiteSpace> = structure
        .variants(original.section)
        .filter(|one| one.position > original.position)
        .cloned()
        .collect();
    for one in following {
        let position = one.position + 1;
        site_spaces::update(cx.tx, &SiteSpace { position, ..one })?;
    }
    placed.position = original.position + 1;
    placed.language = original.language.clone();
    placed.condition = draft.then(|| "false".to_owned()).or_else(|| original.condition.clone());
    site_spaces::update(cx.tx, &placed)?;
    if let Some(overrides) = site_customizations::get_override(cx.tx, original.id)? {
        site_customizations::set_override(cx.tx, placed.id, &overrides)?;
    }
    Ok(placed)
}
