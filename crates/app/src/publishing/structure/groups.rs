//! Groups of sections.

use bindery_model::{Error, FieldPath, Result, SiteSectionGroupId};
use bindery_store::{Event, site_external_links, site_section_groups, site_sections};

use super::sort::place_children;
use super::{
    Item, MAX_GROUP_DEPTH, MAX_GROUPS, SiteSection, SiteSectionGroup, SiteStructure, checked_icon,
    find_group, find_section, record,
};
use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;
use crate::{Context, text};

/// The values of a new group.
#[derive(Clone, Debug)]
pub struct NewGroup {
    /// The title.
    pub title: String,
    /// The name of the icon.
    pub icon: Option<String>,
    /// Ids of sections to move into the group, in order.
    pub sections: Vec<String>,
    /// The id of the group that is to contain it; `None` for the top level.
    pub parent: Option<String>,
}

/// Adds a group at the end of its parent.
///
/// # Errors
/// Returns 404 if a section or the parent does not exist, and 409 if there are too many groups.
pub fn add_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    new: NewGroup,
) -> Result<SiteSectionGroup> {
    let site = &site.0;
    let title = text::title("/title", &new.title, 1, 100)?;
    let icon = checked_icon(new.icon)?;
    let structure = SiteStructure::lock(cx, site)?;
    if structure.groups.len() >= MAX_GROUPS {
        return Err(Error::conflict(format!(
            "the site has {MAX_GROUPS} section groups, which is the maximum"
        )));
    }
    let parent = new.parent.as_deref().map(|id| find_group(&structure, id)).transpose()?;
    let parent = parent.map(|group| group.id);
    if structure.depth(parent) >= MAX_GROUP_DEPTH {
        return Err(FieldPath::new("/parent").invalid(format!(
            "found a group at the depth {MAX_GROUP_DEPTH}, allowed: groups nested at most \
             {MAX_GROUP_DEPTH} deep"
        )));
    }
    let mut moved = Vec::new();
    for id in &new.sections {
        let section = find_section(&structure, id)?;
        if !moved.contains(&Item::Section(section.id)) {
            moved.push(Item::Section(section.id));
        }
    }
    let group = SiteSectionGroup {
        id: SiteSectionGroupId::random(&cx.app.entropy),
        site: site.id,
        parent,
        title,
        icon,
        position: i64::MAX,
    };
    site_section_groups::create(cx.tx, &group)?;
    let mut structure = SiteStructure::load(cx.tx, site.id)?;
    let siblings = structure.children(parent);
    place_children(cx.tx, &mut structure, parent, &siblings)?;
    place_children(cx.tx, &mut structure, Some(group.id), &moved)?;
    record(cx, site, Event::SiteSectionGroupAdded { group: group.id, title: group.title.clone() })?;
    Ok(group)
}

/// Changes of a group. `None` keeps a value, `Some(None)` removes it.
#[derive(Clone, Debug, Default)]
pub struct GroupPatch {
    /// The title.
    pub title: Option<String>,
    /// The name of the icon.
    pub icon: Option<Option<String>>,
}

/// Updates a group.
///
/// # Errors
/// Returns 404 if the group does not exist, and 400 with the invalid field.
pub fn update_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    patch: GroupPatch,
) -> Result<SiteSectionGroup> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let before = find_group(&structure, id)?;
    let mut after = before.clone();
    let GroupPatch { title, icon } = patch;
    if let Some(title) = title {
        after.title = text::title("/title", &title, 1, 100)?;
    }
    if let Some(icon) = icon {
        after.icon = checked_icon(icon)?;
    }
    let pairs = [("title", before.title != after.title), ("icon", before.icon != after.icon)];
    let fields: Vec<String> =
        pairs.iter().filter(|(_, changed)| *changed).map(|(name, _)| (*name).to_owned()).collect();
    if !fields.is_empty() {
        site_section_groups::update(cx.tx, &after)?;
        record(cx, site, Event::SiteSectionGroupUpdated { group: after.id, fields })?;
    }
    Ok(after)
}

/// Deletes a group. Its sections and groups take its place in its parent. Returns `false` if there
/// is no such group.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_group(cx: &Context<'_>, site: &Authorized<SiteTarget>, id: &str) -> Result<bool> {
    let site = &site.0;
    let mut structure = SiteStructure::lock(cx, site)?;
    let Ok(group) = find_group(&structure, id).cloned() else { return Ok(false) };
    let mut siblings = Vec::new();
    for item in structure.children(group.parent) {
        if item == Item::Group(group.id) {
            siblings.extend(structure.children(Some(group.id)));
        } else {
            siblings.push(item);
        }
    }
    place_children(cx.tx, &mut structure, group.parent, &siblings)?;
    site_section_groups::delete(cx.tx, group.id)?;
    record(cx, site, Event::SiteSectionGroupRemoved { group: group.id, title: group.title })?;
    Ok(true)
}

/// Moves a section to the end of a group.
///
/// # Errors
/// Returns 404 if the group or the section does not exist.
pub fn add_section_to_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    group: &str,
    section: &str,
) -> Result<SiteSectionGroup> {
    let site = &site.0;
    let mut structure = SiteStructure::lock(cx, site)?;
    let group = find_group(&structure, group)?.clone();
    let section = find_section(&structure, section)?.clone();
    if section.section_group != Some(group.id) {
        let mut items = structure.children(Some(group.id));
        items.push(Item::Section(section.id));
        place_children(cx.tx, &mut structure, Some(group.id), &items)?;
        record_moved(cx, site, &section)?;
    }
    Ok(group)
}

/// Moves a section out of a group, to the place after the group. Returns `false` if the group does
/// not contain the section.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove_section_from_group(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    group: &str,
    section: &str,
) -> Result<bool> {
    let site = &site.0;
    let mut structure = SiteStructure::lock(cx, site)?;
    let (Ok(group), Ok(section)) =
        (find_group(&structure, group).cloned(), find_section(&structure, section).cloned())
    else {
        return Ok(false);
    };
    if section.section_group != Some(group.id) {
        return Ok(false);
    }
    let mut siblings = structure.children(group.parent);
    let at = siblings.iter().position(|item| *item == Item::Group(group.id));
    siblings.insert(at.map_or(siblings.len(), |at| at + 1), Item::Section(section.id));
    place_children(cx.tx, &mut structure, group.parent, &siblings)?;
    record_moved(cx, site, &section)?;
    Ok(true)
}

fn record_moved(
    cx: &Context<'_>,
    site: &crate::publishing::sites::Site,
    section: &SiteSection,
) -> Result<()> {
    let fields = vec!["sectionGroup".to_owned()];
    record(cx, site, Event::SiteSectionUpdated { section: section.id, fields })
}

/// Stores the group and the position of a section, a group or a link.
pub(super) fn store_position(
    tx: &bindery_store::Tx<'_>,
    structure: &mut SiteStructure,
    item: Item,
    parent: Option<SiteSectionGroupId>,
    position: i64,
) -> Result<()> {
    match item {
        Item::Section(id) => {
            let Some(section) = structure.sections.iter_mut().find(|one| one.id == id) else {
                return Ok(());
            };
            if (section.section_group, section.position) != (parent, position) {
                (section.section_group, section.position) = (parent, position);
                site_sections::update(tx, section)?;
            }
        }
        Item::Group(id) => {
            let Some(group) = structure.groups.iter_mut().find(|one| one.id == id) else {
                return Ok(());
            };
            if (group.parent, group.position) != (parent, position) {
                (group.parent, group.position) = (parent, position);
                site_section_groups::update(tx, group)?;
            }
        }
        Item::ExternalLink(id) => {
            let Some(link) = structure.external_links.iter_mut().find(|one| one.id == id) else {
                return Ok(());
            };
            if (link.section_group, link.position) != (parent, position) {
                (link.section_group, link.position) = (parent, position);
                site_external_links::update(tx, link)?;
            }
        }
        Item::SiteSpace(_) => {}
    }
    Ok(())
}
