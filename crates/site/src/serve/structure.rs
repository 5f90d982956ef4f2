//! The sections and the variants of a site, as a page of one of its spaces shows them.

use std::collections::HashSet;

use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_app::publishing::structure::{Item, SiteExternalLink, SiteSection, localized};
use bindery_content::html::PageLink;
use bindery_model::{PageId, Result, SiteSectionGroupId, SpaceId};
use bindery_revision::NavigationKind;

use super::page::{PageContext, emoji};
use super::site_cache::LoadedSpace;
use crate::view::{Choice, ExternalLink, Link, SectionEntry, SectionMenu};

/// Maximum number of nested groups of sections that pages show.
const MAX_DEPTH: usize = 8;
/// Maximum number of variants in which a page is looked up. Links to further variants lead to
/// their first page.
const MAX_LOOKUPS: usize = 100;

/// The variants of the content, of which at most one list has entries.
#[derive(Debug, Default)]
pub(super) struct Variants {
    /// Variants such as versions.
    pub(super) versions: Vec<Choice>,
    /// Variants that differ in their language.
    pub(super) translations: Vec<Choice>,
}

/// A page of another space of the site, as a link names it.
#[derive(Clone, Copy, Debug)]
pub(super) enum OtherPage<'a> {
    /// The first page of the space.
    First,
    /// A page by its id.
    Id(PageId),
    /// A page by its path below the space.
    Path(&'a str),
}

impl PageContext<'_> {
    /// Returns the sections, their groups and the links, in order, for readers of a language. Groups
    /// without contents are left out.
    pub(super) fn sections(&self, language: &str) -> Vec<SectionEntry> {
        self.section_entries(None, language, MAX_DEPTH)
    }

    fn section_entries(
        &self,
        group: Option<SiteSectionGroupId>,
        language: &str,
        depth: usize,
    ) -> Vec<SectionEntry> {
        let structure = &self.site.structure;
        let entry = |item| match item {
            Item::Section(id) => structure.section(id).map(|section| self.section(section)),
            Item::Group(id) => {
                let group = structure.group(id)?;
                let entries = self.section_entries(Some(id), language, depth.checked_sub(1)?);
                (!entries.is_empty()).then(|| {
                    SectionEntry::Menu(SectionMenu {
                        title: group.title.clone(),
                        icon: group.icon.clone(),
                        entries,
                    })
                })
            }
            Item::ExternalLink(id) => {
                structure.external_link(id).map(|link| external_link(link, language))
            }
            Item::SiteSpace(_) => None,
        };
        structure.children(group).into_iter().filter_map(entry).collect()
    }

    fn section(&self, section: &SiteSection) -> SectionEntry {
        SectionEntry::Section(Choice {
            title: section.title.clone(),
            href: format!("{}{}", self.site.base(), self.site.structure.section_path(section)),
            icon: section.icon.clone(),
            current: self.space.site_space.section == Some(section.id),
            ..Choice::default()
        })
    }

    /// Returns the variants of this space's section. A variant that has a page at the path of
    /// `page` is linked at that page, any other at its first page.
    pub(super) fn variants(&self, page: Option<PageId>) -> Result<Variants> {
        let section = self.space.site_space.section;
        let in_section = |space: &&LoadedSpace| space.site_space.section == section;
        let spaces: Vec<_> = self.site.spaces.iter().filter(in_section).collect();
        if spaces.len() < 2 {
            return Ok(Variants::default());
        }
        let path = page.map(|page| self.tree.path(page)).transpose()?;
        let mut choices = Vec::with_capacity(spaces.len());
        for (position, space) in spaces.iter().enumerate() {
            let path = path.as_deref().filter(|_| position < MAX_LOOKUPS);
            choices.push(self.variant(space, path)?);
        }
        match are_translations(&choices) {
            true => Ok(Variants { translations: choices, ..Variants::default() }),
            false => Ok(Variants { versions: choices, ..Variants::default() }),
        }
    }

    /// Returns the choice of a variant for the readers of the page at `path`.
    fn variant(&self, space: &LoadedSpace, path: Option<&str>) -> Result<Choice> {
        let current = space.site_space.id == self.space.site_space.id;
        let same_page = match path {
            Some(path) if !current => self.page_of(space, path)?,
            _ => None,
        };
        Ok(Choice {
            title: space.site_space.title.clone(),
            is_same_page: current || same_page.is_some(),
            href: same_page.unwrap_or_else(|| self.site.space_base(space)),
            emoji: emoji(&space.space.emoji),
            icon: None,
            language: space.language().map(str::to_owned),
            current,
            is_default: self
                .site
                .structure
                .default_variant(space.site_space.section)
                .is_some_and(|default| default.id == space.site_space.id),
        })
    }

    /// Returns the address of the page at a path of another space; `None` if readers find no page
    /// there. The response then also depends on the content of that space.
    fn page_of(&self, space: &LoadedSpace, path: &str) -> Result<Option<String>> {
        if path.is_empty() {
            return Ok(Some(self.site.space_base(space)));
        }
        let objects = self.objects.of_space(space.space.id);
        let found = self.of_space(space, &objects)?.href_at(path);
        self.objects.add_reads(&objects.hashes());
        found
    }

    /// Returns the address of a page of this space, or of another space of the site; `None` if
    /// readers do not see it. The response then also depends on the content of that space.
    pub(super) fn page_of_site(
        &self,
        space: Option<SpaceId>,
        page: PageId,
    ) -> Result<Option<String>> {
        if space.is_none_or(|space| space == self.space.space.id) {
            return Ok(self.tree.href_of_present(page));
        }
        let Some(space) = self.site.spaces.iter().find(|one| Some(one.space.id) == space) else {
            return Ok(None);
        };
        let objects = self.objects.of_space(space.space.id);
        let found = self.of_space(space, &objects)?.tree.href_of_present(page);
        self.objects.add_reads(&objects.hashes());
        Ok(found)
    }

    /// Returns a link to a page of a space of the site; `None` if readers do not see the page, or if
    /// the site does not show the space. The response then also depends on the content of that space.
    pub(super) fn link_to_space(
        &self,
        space: SpaceId,
        page: OtherPage<'_>,
    ) -> Result<Option<PageLink>> {
        let Some(space) = self.site.spaces.iter().find(|one| one.space.id == space) else {
            return Ok(None);
        };
        let objects = self.objects.of_space(space.space.id);
        let found = self.of_space(space, &objects)?.link_to(page);
        self.objects.add_reads(&objects.hashes());
        found
    }

    /// Returns a link to a page of this space; `None` if readers do not see it.
    pub(super) fn link_to(&self, page: OtherPage<'_>) -> Result<Option<PageLink>> {
        let id = match page {
            OtherPage::First => {
                let title = self.space.site_space.title.clone();
                return Ok(Some(PageLink { href: self.tree.base.clone(), title }));
            }
            OtherPage::Id(id) => Some(id),
            // An address can name the page by its id, too.
            OtherPage::Path(path) => self.page_at(path)?.or_else(|| PageId::parse(path)),
        };
        let Some(id) = id else { return Ok(None) };
        // A reader who may not see a page does not see its title either.
        let Some(href) = self.tree.href_of_present(id) else { return Ok(None) };
        let title = self.tree.tree.page(id).map_err(broken_tree)?.title;
        Ok(Some(PageLink { href, title }))
    }

    fn href_at(&self, path: &str) -> Result<Option<String>> {
        self.page_at(path)?.map(|page| self.tree.href(page)).transpose()
    }

    /// Returns the page at a path of the space, if readers see it.
    fn page_at(&self, path: &str) -> Result<Option<PageId>> {
        let tree = &self.tree;
        let Some(page) = tree.tree.by_path(path).map_err(broken_object)? else { return Ok(None) };
        let child = tree.tree.child(page).map_err(broken_tree)?;
        let is_page =
            matches!(child.entry.kind, NavigationKind::Document | NavigationKind::Computed);
        Ok((is_page && tree.is_present(page)?).then_some(page))
    }
}

/// Returns the entry of a link, with the title for readers of a language.
fn external_link(link: &SiteExternalLink, language: &str) -> SectionEntry {
    let titles = localized(link.localized_title.as_deref()).unwrap_or_default();
    // The languages of titles are those of the contract, in lower case.
    let language = language.to_ascii_lowercase();
    let main = language.split('-').next().unwrap_or_default();
    let title = titles.get(&language).or_else(|| titles.get(main)).unwrap_or(&link.title);
    let to = Link { title: title.clone(), href: link.url.clone() };
    SectionEntry::Link(ExternalLink { link: to, icon: link.icon.clone() })
}

/// Returns `true` if each variant has a language of its own.
fn are_translations(choices: &[Choice]) -> bool {
    let languages: HashSet<&str> =
        choices.iter().filter_map(|choice| choice.language.as_deref()).collect();
    languages.len() == choices.len()
}
