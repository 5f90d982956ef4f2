//! Addresses of spaces that other sites show.
//!
//! A page that links to such a space names it by its id. The site and the path of the space are
//! found when a reader follows the link, because pages do not depend on other sites.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::published;
use bindery_content::html::PageLink;
use bindery_model::{Error, PageId, Result, SpaceId};

use super::page::{self, PageContext};
use super::structure::OtherPage;
use super::validity::ReadTracker;
use super::{Answer, RenderedResponse, SiteRequest, root};
use crate::http::PreparedResponse;
use crate::urls;

/// The beginning of these addresses on the host of the sites.
pub(super) const PATH: &str = "/~spaces/";
/// The beginning of these addresses below a site, as a decoded path after `~`.
const RESERVED: &str = "spaces/";
/// The segment that precedes a path below the space.
const BELOW: &str = "-/";

/// Maximum number of spaces of other sites to which one page links.
const MAX_SPACES: usize = 100;

/// The spaces of other sites to which a page links.
#[derive(Default)]
pub(super) struct OtherSpaces(RefCell<HashMap<SpaceId, Option<String>>>);

impl OtherSpaces {
    /// Returns a link to a space that a public site shows; `None` if there is no such site.
    pub(super) fn link(
        &self,
        context: &PageContext<'_>,
        space: SpaceId,
        page: OtherPage<'_>,
    ) -> Result<Option<PageLink>> {
        let known = self.0.borrow().get(&space).cloned();
        let title = match known {
            Some(title) => title,
            None if self.0.borrow().len() >= MAX_SPACES => None,
            None => {
                let found = published::open_space(context.app, context.tx, space)?;
                let title = found.map(|(title, _)| title);
                self.0.borrow_mut().insert(space, title.clone());
                title
            }
        };
        // On the host of all sites, the address is relative to that.
        let host = if context.site.is_on_main_host() { "" } else { context.app.urls.sites() };
        let href = || format!("{host}{PATH}{}", write(space, page));
        Ok(title.map(|title| PageLink { href: href(), title }))
    }
}

fn write(space: SpaceId, page: OtherPage<'_>) -> String {
    match page {
        OtherPage::First => space.to_string(),
        OtherPage::Id(page) => format!("{space}/{page}"),
        OtherPage::Path(path) => format!("{space}/{BELOW}{}", urls::encode(path)),
    }
}

/// Parses what [`write()`] wrote, from a decoded path.
fn parse(rest: &str) -> Option<(SpaceId, OtherPage<'_>)> {
    let Some((space, page)) = rest.split_once('/') else {
        return Some((SpaceId::parse(rest)?, OtherPage::First));
    };
    let page = match page.strip_prefix(BELOW) {
        Some(path) => OtherPage::Path(path),
        None => OtherPage::Id(PageId::parse(page)?),
    };
    Some((SpaceId::parse(space)?, page))
}

/// Redirects to the site that shows a space to the public. `path` is that of the request.
pub(super) async fn to_site(app: &Arc<App>, path: &str) -> Result<Answer> {
    let urls::Route::Reserved(reserved) = urls::route(path.strip_prefix('/').unwrap_or(path))
    else {
        return Ok(root::unknown_site(app).into());
    };
    let Some((space, page)) = named(&reserved) else { return Ok(root::unknown_site(app).into()) };
    let held = Arc::clone(app);
    let read = app.store.read_blocking(move |tx| {
        Ok::<_, Error>(published::open_space(&held, tx, space)?.map(|(_, address)| address))
    });
    Ok(match read.await? {
        Some(site) => {
            let target = format!("{site}~{RESERVED}{}", write(space, page));
            PreparedResponse::temporary_redirect(&target).into()
        }
        None => root::unknown_site(app).into(),
    })
}

/// Returns the space and the page that a reserved address of a site names, as a decoded path after
/// `~`.
pub(super) fn named(reserved: &str) -> Option<(SpaceId, OtherPage<'_>)> {
    reserved.strip_prefix(RESERVED).and_then(parse)
}

/// Redirects to the page of a space of this site.
pub(super) fn respond(
    request: &SiteRequest<'_>,
    (space, named): (SpaceId, OtherPage<'_>),
    path: &str,
) -> Result<RenderedResponse> {
    if let Some(space) = request.site.spaces.iter().find(|one| one.space.id == space) {
        let objects = request.tx.objects();
        let objects = ReadTracker::new(&objects, space.space.id);
        if let Some(found) = PageContext::new(request, space, &objects)?.link_to(named)? {
            return Ok(PreparedResponse::temporary_redirect(&found.href).into());
        }
    }
    page::not_found(request, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_addresses_are_read() {
        let space = "0123456789abcdefghij";
        let page = "abcdefghij0123456789";
        let address = |rest: String| {
            let (space, page) = parse(&rest).unwrap();
            write(space, page)
        };
        for rest in [space.to_owned(), format!("{space}/{page}"), format!("{space}/-/a/b")] {
            assert_eq!(address(rest.clone()), rest);
        }
        assert_eq!(address(format!("{space}/-/a b\u{e9}")), format!("{space}/-/a%20b%C3%A9"));
        for bad in ["", "x", "x/y", &format!("{space}/x"), &format!("{space}/")] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
