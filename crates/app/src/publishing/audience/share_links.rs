//! Share links: secret addresses that open a site for their holders.

use bindery_model::{Error, OrganizationId, Result, SiteId, SiteShareLinkId, Timestamp};
pub use bindery_store::site_share_links::SiteShareLink;
use bindery_store::sites::Site;
use bindery_store::{Event, FieldChange, NewEvent, Tx, site_share_links, sites};

use crate::access::{Action, Authorized, Loaded, Person, Target, TargetKind};
use crate::publishing::sites::SiteTarget;
use crate::{App, Context, text};

/// Maximum number of share links of a site.
const MAX_LINKS: i64 = 100;
/// Maximum length of a name, in characters.
const NAME: usize = 50;

/// A share link of the site in the request's path.
#[derive(Clone, Debug)]
pub struct ShareLinkTarget {
    /// The site.
    pub site: Site,
    /// The share link.
    pub link: SiteShareLink,
}

impl Target for ShareLinkTarget {
    const KIND: TargetKind = TargetKind::ShareLink;
    type Key = (OrganizationId, SiteId, SiteShareLinkId);

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let (organization, site, link) = *key;
        let Some(Loaded { target: SiteTarget(site), role }) =
            SiteTarget::load(tx, person, &(organization, site))?
        else {
            return Ok(None);
        };
        let link = site_share_links::get(tx, site.id, link)?;
        // Callers who cannot list the share links do not learn which ones exist.
        let role = role.filter(|role| *role >= Action::ManageSite.requirements().role);
        Ok(link.map(|link| Loaded { target: Self { site, link }, role }))
    }
}

/// A share link with its key, as shown to callers who manage the site.
#[derive(Clone, Debug)]
pub struct ShareLinkView {
    /// The share link.
    pub link: SiteShareLink,
    /// The address that opens the site; `None` if the link is revoked or its key was sealed with
    /// another sealing key.
    pub address: Option<String>,
}

impl ShareLinkView {
    fn of(app: &App, site: &Site, link: SiteShareLink) -> Self {
        let key = app.secrets.open(&link.sealed_key).filter(|_| link.active);
        let address = key.map(|key| format!("{}{key}/", app.urls.site(site)));
        Self { link, address }
    }
}

/// Lists the share links of a site after the given position, oldest first, and returns their total
/// number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<ShareLinkView>, i64)> {
    let mut links = site_share_links::list(cx.tx, site.0.id)?;
    let count = i64::try_from(links.len()).unwrap_or(i64::MAX);
    links.retain(|link| after.is_none_or(|after| (link.created_at, link.id.as_str()) > after));
    links.truncate(usize::try_from(rows).unwrap_or(usize::MAX));
    let views = links.into_iter().map(|link| ShareLinkView::of(cx.app, &site.0, link));
    Ok((views.collect(), count))
}

/// Creates a share link with a new key.
///
/// # Errors
/// Returns 400 if the name is invalid, and 409 if the site has the maximum number of share links.
pub fn create(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    name: &str,
) -> Result<ShareLinkView> {
    let name = text::title("/name", name, 0, NAME)?;
    if site_share_links::count(cx.tx, site.0.id)? >= MAX_LINKS {
        return Err(Error::conflict(format!(
            "this site has {MAX_LINKS} share links, the maximum: delete some first"
        )));
    }
    let (key_digest, sealed_key) = new_key(cx.app)?;
    let link = SiteShareLink {
        id: SiteShareLinkId::random(&cx.app.entropy),
        site: site.0.id,
        name,
        active: true,
        key_digest,
        sealed_key,
        created_at: cx.now(),
    };
    site_share_links::create(cx.tx, &link)?;
    let event = Event::SiteShareLinkCreated { share_link: link.id, name: link.name.clone() };
    record(cx, &site.0, event)?;
    Ok(ShareLinkView::of(cx.app, &site.0, link))
}

/// Changes the name of a share link, or if it opens the site.
///
/// # Errors
/// Returns 400 if the name is invalid.
pub fn update(
    cx: &Context<'_>,
    target: &Authorized<ShareLinkTarget>,
    name: Option<&str>,
    active: Option<bool>,
) -> Result<ShareLinkView> {
    let ShareLinkTarget { site, link: before } = &**target;
    let name = name.map(|name| text::title("/name", name, 0, NAME)).transpose()?;
    let mut after = SiteShareLink {
        name: name.unwrap_or_else(|| before.name.clone()),
        active: active.unwrap_or(before.active),
        ..before.clone()
    };
    // A key that was sealed with a replaced sealing key opens nothing.
    let is_lost = active == Some(true) && cx.app.secrets.open(&before.sealed_key).is_none();
    if is_lost {
        (after.key_digest, after.sealed_key) = new_key(cx.app)?;
    }
    let changes = [
        FieldChange::of("name", &before.name, &after.name)?,
        FieldChange::of("active", &before.active, &after.active)?,
    ];
    let changes: Vec<FieldChange> = changes.into_iter().flatten().collect();
    if is_lost || !changes.is_empty() {
        site_share_links::update(cx.tx, &after)?;
        let name = after.name.clone();
        record(cx, site, Event::SiteShareLinkUpdated { share_link: after.id, name, changes })?;
    }
    Ok(ShareLinkView::of(cx.app, site, after))
}

/// Deletes a share link. Its key never opens the site again.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, target: &Authorized<ShareLinkTarget>) -> Result<()> {
    let ShareLinkTarget { site, link } = &**target;
    site_share_links::delete(cx.tx, link.id)?;
    let name = link.name.clone();
    record(cx, site, Event::SiteShareLinkDeleted { share_link: link.id, name })
}

/// Returns the digest of a new random key, and the key encrypted.
fn new_key(app: &App) -> Result<([u8; 32], String)> {
    let key = bindery_model::Id::random(&app.entropy).to_string();
    Ok((app.secrets.share_key_digest(&key), app.secrets.seal(&app.entropy, &key)?))
}

/// Records an event, and makes all nodes load the audience of the site again.
fn record(cx: &Context<'_>, site: &Site, event: Event) -> Result<()> {
    sites::increment_version(cx.tx, site.id)?;
    let event = NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(())
}
