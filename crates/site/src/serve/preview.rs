//! Serves previews: sites as their members see them before they are published.

use std::sync::Arc;

use bindery_app::publishing::adaptive::{ClaimsOf, UnsignedClaims};
use bindery_app::publishing::audience::preview::{self, CHANGES, PREVIEW_PARAMETER, PREVIEW_PATH};
use bindery_app::publishing::audience::{PreviewRight, PreviewVisitor, Visitor};
use bindery_app::publishing::published;
use bindery_app::publishing::sites::Site;
use bindery_app::{App, Tx};
use bindery_model::{Result, SiteId};
use http::HeaderMap;

use super::site_cache::LoadedSite;
use super::visitors::{CookieJar, address, redirect, stated_claims, value_of};
use super::{Answer, root};

/// The cookie with the token of a preview.
const COOKIE: &str = "bindery-preview";

/// A preview that is to be rendered.
pub(super) struct Preview {
    /// The site as the preview shows it.
    pub(super) site: LoadedSite,
    /// The path below the base of the preview.
    pub(super) path: String,
    /// The visitor whom the preview imitates.
    pub(super) visitor: Visitor,
    /// The claims of the visitor; `None` if there are none, or if the site has no adaptive content.
    /// Conditions on sections and spaces apply only to visitors with claims, so that members can
    /// preview drafts.
    pub(super) claims: Option<ClaimsOf>,
}

/// The result of the search for a preview.
pub(super) enum Found {
    /// The preview.
    Preview(Box<Preview>),
    /// The answer to the request instead of a preview.
    Answer(Answer),
}

/// Finds the preview for a path below [`PREVIEW_PATH`]. A token in the address moves to a cookie.
pub(super) async fn find(
    app: &Arc<App>,
    rest: &str,
    query: &str,
    headers: &HeaderMap,
) -> Result<Found> {
    let absent = || Found::Answer(root::unknown_site(app).into());
    let Some((id, path)) = rest.split_once('/') else { return Ok(absent()) };
    let Some(id) = SiteId::parse(id) else { return Ok(absent()) };
    let base = format!("{PREVIEW_PATH}{id}/");
    let jar = CookieJar::new(app, &base);
    let given = value_of(query, PREVIEW_PARAMETER);
    let is_entered = given.is_none();
    let Some(token) = given.or_else(|| jar.find(COOKIE, headers).map(str::to_owned)) else {
        return Ok(absent());
    };
    let request = PreviewRequest {
        id,
        token: token.clone(),
        base: base.clone(),
        path: path.to_owned(),
        is_entered,
        stated: stated_claims(jar, query, headers),
    };
    let held = Arc::clone(app);
    let found = app.store.read_blocking(move |tx| load(&held, tx, &request)).await?;
    Ok(match found {
        None => absent(),
        Some(Loaded::Entered(preview)) => Found::Preview(preview),
        Some(Loaded::Visitor(visitor)) => {
            let target = address(&base, path, query, &[PREVIEW_PARAMETER]);
            let cookie = jar.set(COOKIE, &token, visitor.signed_in_until, app.clock.now());
            Found::Answer(redirect(&target, [cookie]).into())
        }
    })
}

struct PreviewRequest {
    id: SiteId,
    token: String,
    base: String,
    path: String,
    /// `true` if the token is in a cookie already.
    is_entered: bool,
    /// The claims that the visitor states in cookies and in the address.
    stated: UnsignedClaims,
}

enum Loaded {
    Visitor(Box<Visitor>),
    Entered(Box<Preview>),
}

fn load(app: &App, tx: &Tx<'_>, request: &PreviewRequest) -> Result<Option<Loaded>> {
    let PreviewRequest { id, token, base, path, is_entered, stated } = request;
    let Some(site) = published::get(tx, *id)? else { return Ok(None) };
    let Some(mut visitor) = preview::open(app, tx, &site, token)? else { return Ok(None) };
    if !is_entered {
        return Ok(Some(Loaded::Visitor(Box::new(visitor))));
    }
    let Some(reader) = visitor.preview.take() else { return Ok(None) };
    let content = PreviewedContent { site, base, path };
    let Some((site, path)) = content.load(app, tx, &reader)? else { return Ok(None) };
    if let Some(schema) = &site.claims {
        visitor.unsigned_claims = stated.allowed(schema);
    }
    let has_claims = !visitor.claims.is_empty() || !visitor.unsigned_claims.is_empty();
    let is_adaptive = site.claims.is_some() && has_claims;
    let claims = is_adaptive.then(|| ClaimsOf::visitor(&visitor)).transpose()?;
    Ok(Some(Loaded::Entered(Box::new(Preview { site, path, visitor, claims }))))
}

struct PreviewedContent<'a> {
    site: Site,
    base: &'a str,
    path: &'a str,
}

impl PreviewedContent<'_> {
    /// Loads the site, with the content of a change request if the path names one, and returns the
    /// rest of the path.
    fn load(
        self,
        app: &App,
        tx: &Tx<'_>,
        reader: &PreviewVisitor,
    ) -> Result<Option<(LoadedSite, String)>> {
        let Self { site, base, path } = self;
        let Some(named) = path.strip_prefix(CHANGES) else {
            if let PreviewRight::Branch(_) = reader.right {
                return Ok(None);
            }
            let site = LoadedSite::load_preview(app, tx, site, reader, None, base.to_owned())?;
            return Ok(Some((site, path.to_owned())));
        };
        let (key, rest) = named.split_once('/').unwrap_or((named, ""));
        let Some(proposed) = preview::change_request(tx, reader, key)? else { return Ok(None) };
        let base = format!("{base}{CHANGES}{key}/");
        let site = LoadedSite::load_preview(app, tx, site, reader, Some(&proposed), base)?;
        Ok(Some((site, rest.to_owned())))
    }
}
