//! Links to other websites among the sections of a site.

use std::collections::BTreeMap;

use bindery_model::{Error, FieldPath, Result, SiteExternalLinkId, SiteSectionGroupId};
use bindery_store::{Event, site_external_links};

use super::sort::place_children;
use super::{
    Item, MAX_EXTERNAL_LINKS, SiteExternalLink, SiteStructure, checked_condition, checked_icon,
    find_external_link, find_group, record,
};
use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;
use crate::{Context, text};

/// Maximum length of a title and of a description, in characters.
const MAX_TITLE: usize = 128;
const MAX_DESCRIPTION: usize = 256;
/// Maximum length of an address in bytes.
const MAX_ADDRESS: usize = 2_048;

/// Texts by language.
pub type Localized = BTreeMap<String, String>;

/// The values of a new link.
#[derive(Clone, Debug, Default)]
pub struct NewLink {
    /// The title.
    pub title: String,
    /// The address.
    pub url: String,
    /// The id of the group that is to contain it; `None` for the top level.
    pub parent: Option<String>,
    /// The other values.
    pub other: LinkPatch,
}

/// Changes of a link. `None` keeps a value, `Some(None)` removes it.
#[derive(Clone, Debug, Default)]
pub struct LinkPatch {
    /// The title.
    pub title: Option<String>,
    /// The titles for readers of some languages.
    pub localized_title: Option<Option<Localized>>,
    /// The description.
    pub description: Option<Option<String>>,
    /// The descriptions for readers of some languages.
    pub localized_description: Option<Option<Localized>>,
    /// The name of the icon.
    pub icon: Option<Option<String>>,
    /// The address.
    pub url: Option<String>,
    /// The id of the group that contains it.
    pub parent: Option<Option<String>>,
    /// `true` if readers do not see it yet.
    pub draft: Option<bool>,
    /// The condition under which readers see it.
    pub condition: Option<Option<String>>,
}

/// Adds a link at the end of a group, or of the top level.
///
/// # Errors
/// Returns 400 with the invalid field, 404 if the group does not exist, and 409 if there are too
/// many links.
pub fn add_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    new: NewLink,
) -> Result<SiteExternalLink> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    if structure.external_links.len() >= MAX_EXTERNAL_LINKS {
        return Err(Error::conflict(format!(
            "the site has {MAX_EXTERNAL_LINKS} external links, which is the maximum"
        )));
    }
    let NewLink { title, url, parent, other } = new;
    let parent = parent.as_deref().map(|id| find_group(&structure, id)).transpose()?;
    let mut link = SiteExternalLink {
        id: SiteExternalLinkId::random(&cx.app.entropy),
        site: site.id,
        section_group: parent.map(|group| group.id),
        title: String::new(),
        localized_title: None,
        description: None,
        localized_description: None,
        icon: None,
        url: String::new(),
        draft: false,
        condition: None,
        position: i64::MAX,
    };
    apply(&mut link, LinkPatch { title: Some(title), url: Some(url), ..other })?;
    site_external_links::create(cx.tx, &link)?;
    let link = place_last(cx, site.id, &link)?;
    let title = link.title.clone();
    record(cx, site, Event::SiteExternalLinkAdded { link: link.id, title })?;
    Ok(link)
}

/// Numbers the items of the group of a link, which becomes the last one.
fn place_last(
    cx: &Context<'_>,
    site: bindery_model::SiteId,
    link: &SiteExternalLink,
) -> Result<SiteExternalLink> {
    let mut structure = SiteStructure::load(cx.tx, site)?;
    let mut siblings = structure.children(link.section_group);
    siblings.retain(|item| *item != Item::ExternalLink(link.id));
    siblings.push(Item::ExternalLink(link.id));
    place_children(cx.tx, &mut structure, link.section_group, &siblings)?;
    find_external_link(&structure, link.id.as_str()).cloned()
}

/// Updates a link. In another group, it becomes the last item.
///
/// # Errors
/// Returns 404 if the link or the group does not exist, and 400 with the invalid field.
pub fn update_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    patch: LinkPatch,
) -> Result<SiteExternalLink> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let before = find_external_link(&structure, id)?;
    let mut after = before.clone();
    if let Some(parent) = &patch.parent {
        after.section_group = group_of(&structure, parent.as_deref())?;
    }
    apply(&mut after, patch)?;
    let fields: Vec<String> = [
        ("title", before.title != after.title),
        ("localizedTitle", before.localized_title != after.localized_title),
        ("description", before.description != after.description),
        ("localizedDescription", before.localized_description != after.localized_description),
        ("icon", before.icon != after.icon),
        ("url", before.url != after.url),
        ("parent", before.section_group != after.section_group),
        ("draft", before.draft != after.draft),
        ("condition", before.condition != after.condition),
    ]
    .into_iter()
    .filter(|(_, changed)| *changed)
    .map(|(name, _)| name.to_owned())
    .collect();
    if fields.is_empty() {
        return Ok(after);
    }
    site_external_links::update(cx.tx, &after)?;
    if before.section_group != after.section_group {
        after = place_last(cx, site.id, &after)?;
    }
    record(cx, site, Event::SiteExternalLinkUpdated { link: after.id, fields })?;
    Ok(after)
}

fn group_of(structure: &SiteStructure, id: Option<&str>) -> Result<Option<SiteSectionGroupId>> {
    let group = id.map(|id| find_group(structure, id)).transpose()?;
    Ok(group.map(|group| group.id))
}

/// Deletes a link. Returns `false` if there is no such link.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_external_link(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
) -> Result<bool> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let Ok(link) = find_external_link(&structure, id).cloned() else { return Ok(false) };
    site_external_links::delete(cx.tx, link.id)?;
    record(cx, site, Event::SiteExternalLinkRemoved { link: link.id, title: link.title })?;
    Ok(true)
}

/// Applies the checked values of a patch, except the group.
fn apply(link: &mut SiteExternalLink, patch: LinkPatch) -> Result<()> {
    let LinkPatch {
        title,
        localized_title,
        description,
        localized_description,
        icon,
        url,
        parent: _,
        draft,
        condition,
    } = patch;
    if let Some(title) = title {
        link.title = text::title("/title", &title, 1, MAX_TITLE)?;
    }
    if let Some(titles) = localized_title {
        link.localized_title = checked_texts("localizedTitle", titles, MAX_TITLE)?;
    }
    if let Some(description) = description {
        let checked = |text: String| text::title("/description", &text, 0, MAX_DESCRIPTION);
        link.description = description.map(checked).transpose()?.filter(|text| !text.is_empty());
    }
    if let Some(descriptions) = localized_description {
        link.localized_description =
            checked_texts("localizedDescription", descriptions, MAX_DESCRIPTION)?;
    }
    if let Some(icon) = icon {
        link.icon = checked_icon(icon)?;
    }
    if let Some(url) = url {
        link.url = checked_address(&url)?;
    }
    if let Some(draft) = draft {
        link.draft = draft;
    }
    if let Some(condition) = condition {
        let given = condition.filter(|condition| !condition.is_empty());
        link.condition = given.map(|condition| checked_condition(&condition)).transpose()?;
    }
    Ok(())
}

/// Returns texts by language as JSON; `None` if there are none.
fn checked_texts(field: &str, texts: Option<Localized>, max: usize) -> Result<Option<String>> {
    let mut checked = Localized::new();
    for (language, text) in texts.unwrap_or_default() {
        let at = FieldPath::new("").field(field).field(&language);
        checked.insert(language, text::title(at, &text, 1, max)?);
    }
    let json =
        || serde_json::to_string(&checked).map_err(|error| Error::internal(error.to_string()));
    (!checked.is_empty()).then(json).transpose()
}

fn checked_address(url: &str) -> Result<String> {
    let pointer = FieldPath::new("/url");
    let url = text::web_address(pointer.clone(), url)?;
    if url.len() > MAX_ADDRESS {
        let found = url.len();
        return Err(pointer.invalid(format!("found {found} bytes, allowed: {MAX_ADDRESS}")));
    }
    Ok(url)
}

/// Returns stored texts by language.
pub fn localized(stored: Option<&str>) -> Option<Localized> {
    stored.and_then(|stored| serde_json::from_str(stored).ok())
}
