//! Sections of sites.

use bindery_model::{Error, FieldPath, Result, SiteSectionId};
use bindery_store::{Event, site_sections, site_spaces};

use super::{
    MAX_SECTIONS, SiteSection, SiteStructure, checked_condition, checked_icon, checked_path,
    find_section, find_site_space, placeable, record, site_spaces::set_default, store_site_space,
    unused_path,
};
use crate::access::Authorized;
use crate::publishing::sites::{Site, SiteTarget};
use crate::{Context, text};

/// The values of a new section.
#[derive(Clone, Debug)]
pub struct NewSection {
    /// The space that the section shows first.
    pub space: String,
    /// The title; `None` for the title of the space.
    pub title: Option<String>,
    /// The name of the icon.
    pub icon: Option<String>,
}

/// Adds a section at the end of a site. If the site has no sections yet, its spaces become the
/// first section.
///
/// # Errors
/// Returns 404 if the space does not exist for the caller, and 409 if the site already has it or
/// has too many sections.
pub fn add_section(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    new: NewSection,
) -> Result<SiteSection> {
    let site = &site.0;
    let space = placeable(cx, site.organization, &new.space)?;
    let title = match new.title {
        Some(title) => text::title("/title", &title, 2, 128)?,
        None => section_title(&space.title),
    };
    let icon = checked_icon(new.icon)?;
    let mut structure = SiteStructure::lock(cx, site)?;
    if structure.site_spaces.iter().any(|one| one.space == space.id) {
        return Err(Error::conflict("this space is on the site already"));
    }
    if structure.sections.is_empty()
        && let Some(first) = structure.default_variant(None)
    {
        let title = section_title(&first.title);
        let first = create(cx, site, &structure, title, None)?;
        for variant in structure.variants(None) {
            let section = Some(first.id);
            site_spaces::update(
                cx.tx,
                &bindery_store::site_spaces::SiteSpace { section, ..variant.clone() },
            )?;
        }
        structure = SiteStructure::load(cx.tx, site.id)?;
    }
    let section = create(cx, site, &structure, title, icon)?;
    store_site_space(cx.tx, cx.app, site, &space, Some(section.id))?;
    Ok(section)
}

/// Returns a title of a section for the title of a space.
fn section_title(title: &str) -> String {
    match title.trim() {
        title if title.chars().count() >= 2 => title.chars().take(128).collect(),
        _ => "Docs".to_owned(),
    }
}

fn create(
    cx: &Context<'_>,
    site: &Site,
    structure: &SiteStructure,
    title: String,
    icon: Option<String>,
) -> Result<SiteSection> {
    if structure.sections.len() >= MAX_SECTIONS {
        return Err(Error::conflict(format!(
            "the site has {MAX_SECTIONS} sections, which is the maximum"
        )));
    }
    let path = unused_path(&title, |path| structure.sections.iter().any(|one| one.path == path));
    let section = SiteSection {
        id: SiteSectionId::random(&cx.app.entropy),
        site: site.id,
        section_group: None,
        title,
        description: String::new(),
        path,
        condition: None,
        icon,
        position: structure.next_position(),
        is_default: structure.sections.is_empty(),
    };
    if !site_sections::create(cx.tx, &section)? {
        return Err(Error::conflict("the site already has a section with this path"));
    }
    record(
        cx,
        site,
        Event::SiteSectionAdded { section: section.id, title: section.title.clone() },
    )?;
    Ok(section)
}

/// Changes of a section. `None` keeps a value, `Some(None)` removes it.
#[derive(Clone, Debug, Default)]
pub struct SectionPatch {
    /// The title.
    pub title: Option<String>,
    /// The path in the site.
    pub path: Option<String>,
    /// The space at the root of the section.
    pub default_site_space: Option<String>,
    /// The condition under which readers see the section.
    pub condition: Option<Option<String>>,
    /// The name of the icon.
    pub icon: Option<Option<String>>,
    /// The description.
    pub description: Option<Option<String>>,
}

/// Updates a section.
///
/// # Errors
/// Returns 404 if the section does not exist, 400 with the invalid field, and 409 if another
/// section has the path.
pub fn update_section(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    patch: SectionPatch,
) -> Result<SiteSection> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let before = find_section(&structure, id)?;
    let mut after = before.clone();
    let SectionPatch { title, path, default_site_space, condition, icon, description } = patch;
    if let Some(title) = title {
        after.title = text::title("/title", &title, 2, 128)?;
    }
    if let Some(path) = path {
        after.path = checked_path(&path)?;
        let taken = structure.sections.iter().find(|one| one.path == after.path);
        if let Some(other) = taken.filter(|one| one.id != after.id) {
            return Err(FieldPath::new("/path").conflict(format!(
                "found {path:?}, which is the path of the section {:?}",
                other.title
            )));
        }
    }
    if let Some(condition) = condition {
        after.condition = condition.as_deref().map(checked_condition).transpose()?;
    }
    if let Some(icon) = icon {
        after.icon = checked_icon(icon)?;
    }
    if let Some(description) = description {
        let text = description.unwrap_or_default();
        after.description = text::title("/description", &text, 0, 256)?;
    }
    let mut fields = changed_fields(before, &after);
    if let Some(default) = default_site_space {
        let chosen = find_site_space(&structure, &default)
            .ok()
            .filter(|one| one.section == Some(before.id))
            .ok_or_else(|| {
                FieldPath::new("/defaultSiteSpace").invalid(format!(
                    "found {default:?}, allowed: the id of a site space of this section"
                ))
            })?;
        if !chosen.is_default {
            set_default(cx.tx, &structure, chosen)?;
            fields.push("defaultSiteSpace".to_owned());
        }
    }
    if !fields.is_empty() {
        site_sections::update(cx.tx, &after)?;
        record(cx, site, Event::SiteSectionUpdated { section: after.id, fields })?;
    }
    Ok(after)
}

fn changed_fields(before: &SiteSection, after: &SiteSection) -> Vec<String> {
    let pairs = [
        ("title", before.title != after.title),
        ("path", before.path != after.path),
        ("condition", before.condition != after.condition),
        ("icon", before.icon != after.icon),
        ("description", before.description != after.description),
    ];
    pairs.iter().filter(|(_, changed)| *changed).map(|(name, _)| (*name).to_owned()).collect()
}

/// Removes a section with its site spaces from a site; the spaces remain. The first of the other
/// sections takes the place of the default one. Returns `false` if there is no such section.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_section(cx: &Context<'_>, site: &Authorized<SiteTarget>, id: &str) -> Result<bool> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let Ok(section) = find_section(&structure, id) else { return Ok(false) };
    site_sections::delete(cx.tx, section.id)?;
    for variant in structure.variants(Some(section.id)) {
        super::site_spaces::record_removed(cx, site, variant)?;
    }
    if section.is_default
        && let Some(next) = structure.first_section_except(section.id)
    {
        site_sections::update(cx.tx, &SiteSection { is_default: true, ..next.clone() })?;
    }
    let title = section.title.clone();
    record(cx, site, Event::SiteSectionRemoved { section: section.id, title })?;
    Ok(true)
}

/// Makes a section the one at the site's root.
///
/// # Errors
/// Returns 400 if the site has no section with this id.
pub fn set_default_section(cx: &Context<'_>, site: &Site, id: &str) -> Result<()> {
    let structure = SiteStructure::lock(cx, site)?;
    let Ok(chosen) = find_section(&structure, id) else {
        return Err(FieldPath::new("/defaultSiteSection")
            .invalid(format!("found {id:?}, allowed: the id of a section of this site")));
    };
    for section in &structure.sections {
        let is_default = section.id == chosen.id;
        if section.is_default != is_default {
            site_sections::update(cx.tx, &SiteSection { is_default, ..section.clone() })?;
        }
    }
    Ok(())
}

impl SiteStructure {
    /// Returns a position after all sections and groups of the top level.
    pub(super) fn next_position(&self) -> i64 {
        let sections = self.sections.iter().filter(|one| one.section_group.is_none());
        let groups = self.groups.iter().filter(|one| one.parent.is_none());
        let positions = sections.map(|one| one.position).chain(groups.map(|one| one.position));
        positions.max().map_or(0, |last| last + 1)
    }

    /// Returns the first section in the order of a reader that is not this one.
    fn first_section_except(&self, id: SiteSectionId) -> Option<&SiteSection> {
        self.in_order().into_iter().find_map(|item| match item {
            super::Item::Section(other) if other != id => self.section(other),
            _ => None,
        })
    }
}
