//! The structure of a site: its spaces, or sections with spaces, and groups of sections.
//!
//! Readers see a section as a tab or a menu entry, and the spaces of a section as its variants,
//! such as versions or languages. A site without sections has one list of variants.

mod external_links;
mod groups;
mod search_scope;
mod sections;
mod site_spaces;
mod sort;

use std::collections::HashSet;

use bindery_model::{
    Error, FieldPath, OrganizationId, Result, SiteExternalLinkId, SiteId, SiteSectionGroupId,
    SiteSectionId, SiteSpaceId, SpaceId,
};
pub use bindery_store::site_external_links::SiteExternalLink;
pub use bindery_store::site_section_groups::SiteSectionGroup;
pub use bindery_store::site_sections::SiteSection;
use bindery_store::site_spaces::SiteSpace;
use bindery_store::spaces::Space;
use bindery_store::{
    Event, NewEvent, Tx, site_external_links, site_section_groups, site_sections, sites,
};

pub use self::external_links::{
    LinkPatch, Localized, NewLink, add_external_link, delete_external_link, localized,
    update_external_link,
};
pub use self::groups::{
    GroupPatch, NewGroup, add_group, add_section_to_group, delete_group, remove_section_from_group,
    update_group,
};
pub use self::search_scope::SearchScope;
pub use self::sections::{
    NewSection, SectionPatch, add_section, delete_section, set_default_section, update_section,
};
pub(crate) use self::site_spaces::place;
pub use self::site_spaces::{
    SiteSpacePatch, add_space, delete_site_space, duplicate_site_space, set_default_site_space,
    store_site_space, update_site_space,
};
pub use self::sort::{Neighbours, sort};
use crate::Context;
use crate::access::{Action, authorize_target};
use crate::content::expressions;
use crate::publishing::sites::Site;
use crate::text::basename;

/// Maximum number of sections of a site.
pub const MAX_SECTIONS: usize = 100;
/// Maximum number of section groups of a site.
pub const MAX_GROUPS: usize = 100;
/// Maximum number of external links of a site.
pub const MAX_EXTERNAL_LINKS: usize = 100;
/// Maximum number of nested groups.
pub const MAX_GROUP_DEPTH: usize = 3;
/// Maximum number of spaces of a site.
pub const MAX_SITE_SPACES: usize = 500;
/// Maximum length of the path of a section or a site space, in characters.
const MAX_PATH: usize = 100;
/// Maximum length of a condition in bytes.
const MAX_CONDITION: usize = 1_024;

/// An item of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Item {
    /// A space of a site.
    SiteSpace(SiteSpaceId),
    /// A section.
    Section(SiteSectionId),
    /// A group of sections.
    Group(SiteSectionGroupId),
    /// A link to another website.
    ExternalLink(SiteExternalLinkId),
}

/// The whole structure of a site. Each list is in the order of the positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteStructure {
    /// The section groups.
    pub groups: Vec<SiteSectionGroup>,
    /// The sections; empty for a site without sections.
    pub sections: Vec<SiteSection>,
    /// The links to other websites.
    pub external_links: Vec<SiteExternalLink>,
    /// The spaces of all sections.
    pub site_spaces: Vec<SiteSpace>,
}

impl SiteStructure {
    /// Loads the structure of a site.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn load(tx: &Tx<'_>, site: SiteId) -> Result<Self> {
        Ok(Self {
            groups: site_section_groups::list(tx, site)?,
            sections: site_sections::list(tx, site)?,
            external_links: site_external_links::list(tx, site)?,
            site_spaces: bindery_store::site_spaces::list(tx, site)?,
        })
    }

    /// Loads the structure for a change. Changes of one site wait for each other.
    pub(crate) fn lock(cx: &Context<'_>, site: &Site) -> Result<Self> {
        sites::increment_version(cx.tx, site.id)?;
        Self::load(cx.tx, site.id)
    }

    /// Returns the sections, groups and links directly below a group, or at the top level, in order.
    pub fn children(&self, parent: Option<SiteSectionGroupId>) -> Vec<Item> {
        let sections = self.sections.iter().filter(|section| section.section_group == parent);
        let sections = sections.map(|one| ((one.position, one.id.to_string()), one.id));
        let groups = self.groups.iter().filter(|group| group.parent == parent);
        let groups = groups.map(|one| ((one.position, one.id.to_string()), one.id));
        let mut items: Vec<_> = sections.map(|(key, id)| (key, Item::Section(id))).collect();
        items.extend(groups.map(|(key, id)| (key, Item::Group(id))));
        let links = self.external_links.iter().filter(|link| link.section_group == parent);
        items.extend(
            links.map(|one| ((one.position, one.id.to_string()), Item::ExternalLink(one.id))),
        );
        items.sort_by(|(a, _), (b, _)| a.cmp(b));
        items.into_iter().map(|(_, item)| item).collect()
    }

    /// Returns all sections, groups and links in the order of a reader: a group before its contents.
    pub fn in_order(&self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        self.append_children(None, &mut items, &mut seen);
        items
    }

    fn append_children(
        &self,
        parent: Option<SiteSectionGroupId>,
        items: &mut Vec<Item>,
        seen: &mut HashSet<Item>,
    ) {
        for item in self.children(parent) {
            if seen.insert(item) {
                items.push(item);
                if let Item::Group(group) = item {
                    self.append_children(Some(group), items, seen);
                }
            }
        }
    }

    /// Returns a group.
    pub fn group(&self, id: SiteSectionGroupId) -> Option<&SiteSectionGroup> {
        self.groups.iter().find(|group| group.id == id)
    }

    /// Returns a link to another website.
    pub fn external_link(&self, id: SiteExternalLinkId) -> Option<&SiteExternalLink> {
        self.external_links.iter().find(|link| link.id == id)
    }

    /// Returns a section.
    pub fn section(&self, id: SiteSectionId) -> Option<&SiteSection> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// Returns a site space.
    pub fn site_space(&self, id: SiteSpaceId) -> Option<&SiteSpace> {
        self.site_spaces.iter().find(|site_space| site_space.id == id)
    }

    /// Returns the section at the site's root; `None` if the site has no sections.
    pub fn default_section(&self) -> Option<&SiteSection> {
        self.sections.iter().find(|section| section.is_default).or_else(|| self.sections.first())
    }

    /// Returns the spaces of a section, or of a site without sections, in order.
    pub fn variants(&self, section: Option<SiteSectionId>) -> impl Iterator<Item = &SiteSpace> {
        self.site_spaces.iter().filter(move |site_space| site_space.section == section)
    }

    /// Returns the space at the root of a section, or of a site without sections.
    pub fn default_variant(&self, section: Option<SiteSectionId>) -> Option<&SiteSpace> {
        let mut variants = self.variants(section);
        variants.find(|one| one.is_default).or_else(|| self.variants(section).next())
    }

    /// Returns the path of a section below the site: empty for the default section, else with a
    /// trailing slash.
    pub fn section_path(&self, section: &SiteSection) -> String {
        match self.default_section() {
            Some(default) if default.id == section.id => String::new(),
            _ => format!("{}/", section.path),
        }
    }

    /// Returns the path of a site space below the site: empty, or with a trailing slash.
    pub fn site_space_path(&self, site_space: &SiteSpace) -> String {
        let section = site_space.section.and_then(|id| self.section(id));
        let mut path = section.map(|one| self.section_path(one)).unwrap_or_default();
        let default = self.default_variant(site_space.section);
        if default.is_none_or(|default| default.id != site_space.id) {
            path.push_str(&site_space.path);
            path.push('/');
        }
        path
    }

    /// Returns a path below the site without the names of the default section and of the default
    /// variant, which addresses leave out; `None` if it has neither.
    pub fn without_default_names(&self, path: &str) -> Option<String> {
        let mut names: Vec<&str> = path.split('/').collect();
        let default = self.default_section();
        let is_section = default.is_some_and(|one| names.first() == Some(&one.path.as_str()));
        if is_section {
            names.remove(0);
        }
        let (section, kept) =
            match self.sections.iter().find(|one| names.first() == Some(&&*one.path)) {
                Some(section) if !is_section => (Some(section.id), 1),
                _ => (default.map(|one| one.id), 0),
            };
        let variant = self.default_variant(section);
        let is_variant = variant.is_some_and(|one| names.get(kept) == Some(&one.path.as_str()));
        if is_variant {
            names.remove(kept);
        }
        (is_section || is_variant).then(|| names.join("/"))
    }

    /// Returns the site space that a path below the site belongs to, and the rest of the path. The
    /// path of a section comes before that of a space of the default section.
    pub fn resolve<'a>(&self, path: &'a str) -> Option<(&SiteSpace, &'a str)> {
        let split = |path: &'a str| path.split_once('/').unwrap_or((path, ""));
        let default = self.default_section().map(|one| one.id);
        let (first, below) = split(path);
        let named = self.sections.iter().find(|one| one.path == first && Some(one.id) != default);
        let (section, rest) = match named {
            Some(section) => (Some(section.id), below),
            None => (default, path),
        };
        let root = self.default_variant(section)?;
        let (first, below) = split(rest);
        let variant = self.variants(section).find(|one| one.path == first && one.id != root.id);
        Some(variant.map_or((root, rest), |variant| (variant, below)))
    }

    /// Returns the number of groups that contain the contents of `group`, including itself.
    fn depth(&self, group: Option<SiteSectionGroupId>) -> usize {
        let mut depth = 0;
        let mut next = group;
        while let Some(group) = next.and_then(|id| self.group(id)) {
            depth += 1;
            if depth > self.groups.len() {
                break;
            }
            next = group.parent;
        }
        depth
    }

    /// Returns the number of nested groups from `group` downwards, including itself.
    fn height(&self, group: SiteSectionGroupId) -> usize {
        let below = self.groups.iter().filter(|one| one.parent == Some(group));
        1 + below.map(|one| self.height(one.id)).max().unwrap_or(0)
    }
}

/// Returns the section of the site with this id, or the error that it does not exist.
fn find_section<'a>(structure: &'a SiteStructure, id: &str) -> Result<&'a SiteSection> {
    let section = SiteSectionId::parse(id).and_then(|id| structure.section(id));
    section.ok_or_else(|| Error::not_found("section"))
}

/// Returns the group of the site with this id, or the error that it does not exist.
fn find_group<'a>(structure: &'a SiteStructure, id: &str) -> Result<&'a SiteSectionGroup> {
    let group = SiteSectionGroupId::parse(id).and_then(|id| structure.group(id));
    group.ok_or_else(|| Error::not_found("section group"))
}

/// Returns the link of the site with this id, or the error that it does not exist.
fn find_external_link<'a>(structure: &'a SiteStructure, id: &str) -> Result<&'a SiteExternalLink> {
    let link = SiteExternalLinkId::parse(id).and_then(|id| structure.external_link(id));
    link.ok_or_else(|| Error::not_found("external link"))
}

/// Returns the site space of the site with this id, or the error that it does not exist.
pub(crate) fn find_site_space<'a>(structure: &'a SiteStructure, id: &str) -> Result<&'a SiteSpace> {
    let site_space = SiteSpaceId::parse(id).and_then(|id| structure.site_space(id));
    site_space.ok_or_else(|| Error::not_found("site space"))
}

/// Returns a space of the organization that the caller can add to a site.
pub(crate) fn placeable(cx: &Context<'_>, organization: OrganizationId, id: &str) -> Result<Space> {
    let key = SpaceId::parse(id);
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::PublishSpace, key.as_ref())?;
    if space.organization != organization {
        return Err(Error::not_found("space"));
    }
    Ok(space.into_inner())
}

/// Checks a path that a caller chose: lower-case letters, digits and hyphens.
fn checked_path(path: &str) -> Result<String> {
    let valid = (1..=MAX_PATH).contains(&path.len())
        && !path.starts_with('-')
        && !path.ends_with('-')
        && path.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_'))
        && path.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if !valid {
        return Err(FieldPath::new("/path").invalid(format!(
            "found {path:?}, allowed: 1 to {MAX_PATH} lower-case letters, digits, dots, hyphens \
             and underscores, with a letter or a digit, without a hyphen at either end"
        )));
    }
    Ok(path.to_owned())
}

/// Returns a path for a title that is not in use yet.
fn unused_path(title: &str, is_used: impl Fn(&str) -> bool) -> String {
    let wanted = basename(title);
    let mut path = wanted.clone();
    let mut number = 0;
    while is_used(&path) {
        number += 1;
        path = format!("{wanted}-{number}");
    }
    path
}

/// Checks a condition that a caller chose.
pub(crate) fn checked_condition(condition: &str) -> Result<String> {
    let field = FieldPath::new("/condition");
    if condition.len() > MAX_CONDITION {
        let found = condition.len();
        return Err(field.invalid(format!("found {found} bytes, allowed: {MAX_CONDITION}")));
    }
    expressions::check(condition).map_err(|error| field.invalid(error))?;
    Ok(condition.to_owned())
}

/// Checks the name of an icon.
fn checked_icon(icon: Option<String>) -> Result<Option<String>> {
    match icon {
        Some(icon) if icon.is_empty() => Ok(None),
        Some(icon) => Ok(Some(crate::text::title("/icon", &icon, 1, 50)?)),
        None => Ok(None),
    }
}

/// Records a change of the structure.
fn record(cx: &Context<'_>, site: &Site, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(())
}
