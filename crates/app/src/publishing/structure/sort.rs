//! The order of the items of a structure.

use bindery_model::{Error, FieldPath, Result, SiteSectionGroupId};
use bindery_store::{Event, Tx, site_spaces};

use super::groups::store_position;
use super::site_spaces::give_up_default;
use super::{Item, MAX_GROUP_DEPTH, SiteStructure, record};
use crate::Context;
use crate::access::Authorized;
use crate::publishing::sites::{Site, SiteTarget};

/// The requested neighbours of an item that is moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Neighbours {
    /// The item that is to follow.
    pub before: Option<Item>,
    /// The item that is to precede.
    pub after: Option<Item>,
}

/// Moves an item next to a neighbour. A site space joins the section of its neighbour; a section or
/// a group joins the group of its neighbour. Without a neighbour, the item stays.
///
/// # Errors
/// Returns 404 if an item does not exist, and 400 if the move is impossible.
pub fn sort(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    item: Item,
    neighbours: Neighbours,
) -> Result<()> {
    let site = &site.0;
    let mut structure = SiteStructure::lock(cx, site)?;
    require(&structure, item)?;
    let (anchor, offset, side) = match neighbours {
        Neighbours { before: Some(_), after: Some(_) } => {
            return Err(
                FieldPath::new("/position").invalid("found before and after, allowed: one of them")
            );
        }
        Neighbours { before: Some(anchor), after: None } => (anchor, 0, "before"),
        Neighbours { before: None, after: Some(anchor) } => (anchor, 1, "after"),
        Neighbours { before: None, after: None } => return Ok(()),
    };
    let at = FieldPath::new("/position").field(side);
    require(&structure, anchor)?;
    if anchor == item {
        return Err(at.invalid("found the item itself, allowed: another item"));
    }
    match (item, anchor) {
        (Item::SiteSpace(_), Item::SiteSpace(_)) => {
            move_site_space(cx, site, &mut structure, (item, anchor, offset))
        }
        (Item::SiteSpace(_), _) | (_, Item::SiteSpace(_)) => Err(at.invalid(
            "found an item of another kind, allowed: a site space beside a site space, a section, \
             a section group or an external link beside one of these",
        )),
        _ => {
            let parent = structure.parent(anchor);
            check_group(&structure, item, parent, &at)?;
            let mut siblings = structure.children(parent);
            insert_beside(&mut siblings, item, anchor, offset);
            place_children(cx.tx, &mut structure, parent, &siblings)?;
            record(cx, site, Event::SiteUpdated { fields: vec!["structure".to_owned()] })
        }
    }
}

/// Checks that a section or a group can be below `parent`.
fn check_group(
    structure: &SiteStructure,
    item: Item,
    parent: Option<SiteSectionGroupId>,
    at: &FieldPath,
) -> Result<()> {
    let Item::Group(group) = item else { return Ok(()) };
    let mut next = parent;
    while let Some(id) = next {
        if id == group {
            return Err(at.invalid("found an item inside the group, allowed: one outside of it"));
        }
        next = structure.group(id).and_then(|one| one.parent);
    }
    if structure.depth(parent) + structure.height(group) > MAX_GROUP_DEPTH {
        return Err(at.invalid(format!(
            "found a place that is too deep for this group, allowed: groups nested at most \
             {MAX_GROUP_DEPTH} deep"
        )));
    }
    Ok(())
}

fn insert_beside(siblings: &mut Vec<Item>, item: Item, anchor: Item, offset: usize) {
    siblings.retain(|one| *one != item);
    let at = siblings.iter().position(|one| *one == anchor).unwrap_or(siblings.len());
    siblings.insert((at + offset).min(siblings.len()), item);
}

/// Makes these items the children of a group, or of the top level, in this order.
pub(super) fn place_children(
    tx: &Tx<'_>,
    structure: &mut SiteStructure,
    parent: Option<SiteSectionGroupId>,
    items: &[Item],
) -> Result<()> {
    for (position, item) in (0..).zip(items) {
        store_position(tx, structure, *item, parent, position)?;
    }
    Ok(())
}

fn move_site_space(
    cx: &Context<'_>,
    site: &Site,
    structure: &mut SiteStructure,
    (item, anchor, offset): (Item, Item, usize),
) -> Result<()> {
    let (Item::SiteSpace(id), Item::SiteSpace(beside)) = (item, anchor) else { return Ok(()) };
    let (Some(moved), Some(beside)) =
        (structure.site_space(id).cloned(), structure.site_space(beside).cloned())
    else {
        return Ok(());
    };
    let mut moved = moved;
    if moved.section != beside.section {
        let is_taken = structure.variants(beside.section).any(|one| one.path == moved.path);
        if is_taken {
            return Err(Error::conflict(format!(
                "the section already has a space with the path {:?}",
                moved.path
            )));
        }
        give_up_default(cx.tx, structure, &moved)?;
        moved.section = beside.section;
        moved.is_default = false;
        site_spaces::update(cx.tx, &moved)?;
        *structure = SiteStructure::load(cx.tx, site.id)?;
    }
    let mut order: Vec<Item> =
        structure.variants(moved.section).map(|one| Item::SiteSpace(one.id)).collect();
    insert_beside(&mut order, item, anchor, offset);
    for (position, item) in (0..).zip(order) {
        let Item::SiteSpace(id) = item else { continue };
        if let Some(one) = structure.site_space(id).filter(|one| one.position != position) {
            let one = bindery_store::site_spaces::SiteSpace { position, ..one.clone() };
            site_spaces::update(cx.tx, &one)?;
        }
    }
    record(cx, site, Event::SiteUpdated { fields: vec!["structure".to_owned()] })
}

/// Checks that the site has an item.
fn require(structure: &SiteStructure, item: Item) -> Result<()> {
    let (found, noun) = match item {
        Item::SiteSpace(id) => (structure.site_space(id).is_some(), "site space"),
        Item::Section(id) => (structure.section(id).is_some(), "section"),
        Item::Group(id) => (structure.group(id).is_some(), "section group"),
        Item::ExternalLink(id) => (structure.external_link(id).is_some(), "external link"),
    };
    if found { Ok(()) } else { Err(Error::not_found(noun)) }
}

impl SiteStructure {
    /// Returns the group that contains a section, a group or a link.
    fn parent(&self, item: Item) -> Option<SiteSectionGroupId> {
        match item {
            Item::Section(id) => self.section(id).and_then(|one| one.section_group),
            Item::Group(id) => self.group(id).and_then(|one| one.parent),
            Item::ExternalLink(id) => self.external_link(id).and_then(|one| one.section_group),
            Item::SiteSpace(_) => None,
        }
    }
}
