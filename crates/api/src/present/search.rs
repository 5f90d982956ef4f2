//! Results of searches.

use bindery_app::App;
use bindery_app::search::{Found, PageHit, SectionHit};
use bindery_model::{OrganizationId, SpaceId};
use bindery_wire::response::{
    SearchPageResult, SearchPageResultAncestor, SearchPageResultUrls, SearchSectionResult,
    SearchSectionResultUrls, SearchSpaceResult,
};

use super::content::display_title;

/// Returns a page that was found.
pub(crate) fn found_page(
    app: &App,
    organization: OrganizationId,
    hit: PageHit,
) -> SearchPageResult {
    let PageHit { space, page, path, title, ancestors, sections, .. } = hit;
    let id = page.to_string();
    let address = format!("{}/{id}", app.urls.app_space(organization, space));
    let sections = sections.into_iter().map(|section| {
        let SectionHit { anchor, heading, snippet, .. } = section;
        // The text before the first heading has no anchor and is at the beginning of the page.
        let fragment = anchor.as_ref().map(|anchor| format!("#{anchor}")).unwrap_or_default();
        SearchSectionResult {
            id: anchor.unwrap_or_else(|| id.clone()),
            title: heading,
            path: format!("{path}{fragment}"),
            body: snippet,
            urls: SearchSectionResultUrls { app: format!("{address}{fragment}") },
        }
    });
    let sections = Some(sections.collect());
    let ancestors = ancestors.into_iter().map(|title| SearchPageResultAncestor { title });
    SearchPageResult {
        title: display_title(title),
        path,
        sections,
        ancestors: Some(ancestors.collect()),
        urls: SearchPageResultUrls { app: address },
        id,
    }
}

/// Returns the pages that were found, grouped by their spaces in the order of the best page of each.
/// `title` returns the title of a space.
pub(crate) fn found_spaces(
    app: &App,
    organization: OrganizationId,
    found: Found,
    title: impl Fn(SpaceId) -> Option<String>,
) -> Vec<SearchSpaceResult> {
    let mut groups: Vec<(SpaceId, SearchSpaceResult)> = Vec::new();
    for hit in found.pages {
        let space = hit.space;
        let page = found_page(app, organization, hit);
        match groups.iter_mut().find(|(known, _)| *known == space) {
            Some((_, group)) => group.pages.push(page),
            None => {
                let title = title(space).unwrap_or_default();
                let pages = vec![page];
                groups.push((space, SearchSpaceResult { id: space.to_string(), title, pages }));
            }
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
