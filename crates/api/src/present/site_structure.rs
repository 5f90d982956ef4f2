//! The structure of a site: site spaces, sections and section groups.

use std::collections::HashMap;

use bindery_app::App;
use bindery_app::publishing::sites::{Site, SiteSpace};
use bindery_app::publishing::structure::{Item, SiteSection, SiteSectionGroup, SiteStructure};
use bindery_model::{SiteSectionGroupId, SiteSectionId, SiteSpaceId};
use bindery_wire::response;

use super::site_external_link;

/// The structure of a site as a caller sees it.
pub(crate) struct StructureView<'a> {
    app: &'a App,
    site: &'a Site,
    structure: SiteStructure,
    /// The spaces that the caller sees.
    spaces: HashMap<SiteSpaceId, response::Space>,
}

impl<'a> StructureView<'a> {
    pub(crate) const fn new(
        app: &'a App,
        site: &'a Site,
        structure: SiteStructure,
        spaces: HashMap<SiteSpaceId, response::Space>,
    ) -> Self {
        Self { app, site, structure, spaces }
    }

    /// Returns the whole structure.
    pub(crate) fn structure(&self) -> response::SiteStructure {
        if self.structure.sections.is_empty() && self.structure.groups.is_empty() {
            let structure = self.variants(None);
            return response::SiteStructure::SiteSpaces(response::SiteStructureSiteSpaces {
                structure,
            });
        }
        let structure = self.children(None);
        response::SiteStructure::Sections(response::SiteStructureSections { structure })
    }

    /// Returns all site spaces in order, section by section.
    pub(crate) fn site_spaces(&self) -> Vec<(&SiteSpace, response::SiteSpace)> {
        let sections = self.structure.in_order().into_iter().filter_map(|item| match item {
            Item::Section(id) => Some(Some(id)),
            _ => None,
        });
        let owners = sections.chain([None]);
        let variants = owners.flat_map(|owner| self.structure.variants(owner));
        variants.filter_map(|one| Some((one, self.site_space(one.id)?))).collect()
    }

    /// Returns all sections in order.
    pub(crate) fn sections(&self) -> Vec<response::SiteSection> {
        let items = self.structure.in_order().into_iter();
        items
            .filter_map(|item| match item {
                Item::Section(id) => self.section(id),
                _ => None,
            })
            .collect()
    }

    /// Returns all groups in order.
    pub(crate) fn groups(&self) -> Vec<response::SiteSectionGroup> {
        let items = self.structure.in_order().into_iter();
        items
            .filter_map(|item| match item {
                Item::Group(id) => self.group(id),
                _ => None,
            })
            .collect()
    }

    /// Returns one item.
    pub(crate) fn item(&self, item: Item) -> Option<response::SiteStructureItem> {
        Some(match item {
            Item::SiteSpace(id) => {
                response::SiteStructureItem::SiteSpace(Box::new(self.site_space(id)?))
            }
            Item::Section(id) => {
                response::SiteStructureItem::SiteSection(Box::new(self.section(id)?))
            }
            Item::Group(id) => response::SiteStructureItem::SiteSectionGroup(self.group(id)?),
            Item::ExternalLink(id) => {
                let link = self.structure.external_link(id)?.clone();
                response::SiteStructureItem::SiteExternalLink(Box::new(site_external_link(link)))
            }
        })
    }

    /// Returns a site space; `None` if the caller does not see its space.
    pub(crate) fn site_space(&self, id: SiteSpaceId) -> Option<response::SiteSpace> {
        let site_space = self.structure.site_space(id)?;
        let default = self.structure.default_variant(site_space.section);
        let SiteSpace {
            id,
            site: _,
            section,
            space: _,
            path,
            title,
            condition,
            position: _,
            is_default: _,
            language,
        } = site_space.clone();
        Some(response::SiteSpace {
            id: id.to_string(),
            path,
            section: section.map(|section| section.to_string()),
            space: self.spaces.get(&id)?.clone(),
            title,
            default: Some(default.is_some_and(|default| default.id == id)),
            condition,
            language_tag: language,
            has_advanced_customization_feature: Some(true),
            urls: response::SiteSpaceUrls {
                published: self.published(&self.structure.site_space_path(site_space)),
            },
        })
    }

    /// Returns a section with the site spaces that the caller sees; `None` if it has site spaces
    /// and the caller sees none of them.
    pub(crate) fn section(&self, id: SiteSectionId) -> Option<response::SiteSection> {
        let section = self.structure.section(id)?;
        let site_spaces = self.variants(Some(id));
        if site_spaces.is_empty() && self.structure.variants(Some(id)).next().is_some() {
            return None;
        }
        let path = self.structure.section_path(section);
        let SiteSection {
            id,
            site: _,
            section_group,
            title,
            description,
            path: own_path,
            condition,
            icon,
            position: _,
            is_default: _,
        } = section.clone();
        let default = self.structure.default_section();
        Some(response::SiteSection {
            id: id.to_string(),
            title,
            description: Some(description).filter(|text| !text.is_empty()),
            default: Some(default.is_some_and(|default| default.id == id)),
            path: own_path,
            condition,
            section_group: section_group.map(|group| group.to_string()),
            site_spaces,
            urls: response::SiteSectionUrls { published: self.published(&path) },
            icon,
        })
    }

    /// Returns a group with the sections that the caller sees; `None` if it has contents and the
    /// caller sees none of them.
    pub(crate) fn group(&self, id: SiteSectionGroupId) -> Option<response::SiteSectionGroup> {
        let group = self.structure.group(id)?;
        let children = self.children(Some(id));
        let is_shown_with_children =
            |item: &Item| matches!(item, Item::Section(_) | Item::Group(_));
        if children.is_empty()
            && self.structure.children(Some(id)).iter().any(is_shown_with_children)
        {
            return None;
        }
        let sections = children.iter().filter_map(|child| match child {
            response::SiteSectionGroupChildren::SiteSection(section) => Some((**section).clone()),
            response::SiteSectionGroupChildren::SiteSectionGroup(_) => None,
        });
        let SiteSectionGroup { id, site: _, parent, title, icon, position: _ } = group.clone();
        Some(response::SiteSectionGroup {
            id: id.to_string(),
            title,
            sections: sections.collect(),
            section_group: parent.map(|parent| parent.to_string()),
            children,
            icon,
        })
    }

    fn children(
        &self,
        parent: Option<SiteSectionGroupId>,
    ) -> Vec<response::SiteSectionGroupChildren> {
        let items = self.structure.children(parent).into_iter();
        items
            .filter_map(|item| match item {
                Item::Section(id) => Some(response::SiteSectionGroupChildren::SiteSection(
                    Box::new(self.section(id)?),
                )),
                Item::Group(id) => {
                    Some(response::SiteSectionGroupChildren::SiteSectionGroup(self.group(id)?))
                }
                Item::ExternalLink(_) | Item::SiteSpace(_) => None,
            })
            .collect()
    }

    fn variants(&self, section: Option<SiteSectionId>) -> Vec<response::SiteSpace> {
        self.structure.variants(section).filter_map(|one| self.site_space(one.id)).collect()
    }

    /// Returns the address of a path of the site; `None` if the site is not published.
    fn published(&self, path: &str) -> Option<String> {
        let base = self.app.urls.site(self.site);
        self.site.published.then(|| format!("{base}{path}"))
    }
}
