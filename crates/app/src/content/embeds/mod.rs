//! Descriptions of addresses that pages embed: their title, site and picture, and for some services
//! a player.
//!
//! Descriptions for published pages are stored: `scan` finds the addresses, `job` fetches what
//! they name, and `stored` reads it. The operations of the API describe an address at once, from
//! memory.

mod describe;
mod job;
mod page;
mod providers;
pub(crate) mod scan;
mod stored;
mod text;

use std::sync::Arc;

use bindery_model::{OrganizationId, Result, SpaceId, Timestamp, UserId};
use bindery_outbound::Url;
use bindery_revision::Hash;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;

use crate::access::{Caller, Loaded, load_target};
use crate::content::snapshot::{Snapshot, broken_object};
use crate::publishing::adaptive::Answers;
use crate::publishing::published::{ReadableSpace, admits};
use crate::publishing::resolve::{ContentAddress, content_at};
use crate::{App, Context};

pub(crate) use self::job::{EmbedDescriptionsJob, delete_unused, enqueue_due};
pub use self::providers::{PLAYER_ORIGINS, Player, player};
pub use self::stored::{
    DescribedEmbeds, EmbedDescription, EmbedPicture, described, descriptions, picture,
};
use self::text::MAX_TITLE;

/// Maximum number of requests to other hosts at once.
const MAX_REQUESTS: usize = 4;
/// Number of addresses whose descriptions are kept.
const CACHED: usize = 1_000;
/// Time in milliseconds for which a description is kept.
const LIFETIME: i64 = 60 * 60 * 1_000;

/// The description of an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Embed {
    /// The title of the page.
    pub title: String,
    /// The name of the site.
    pub site: String,
    /// The address of an icon.
    pub icon: Option<String>,
    /// The HTML of a player, which this server makes from the address.
    pub html: Option<String>,
}

/// Descriptions of pages of other hosts that were read recently, and the limit of requests.
///
/// Only readers of the spaces of an organization share descriptions, so that nobody learns which
/// addresses others have asked for.
#[derive(Debug)]
pub struct EmbedCache {
    known: Cache<(EmbedOwner, String), (Timestamp, Arc<Embed>)>,
    requests: Semaphore,
}

/// Those to whom a description is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EmbedOwner {
    /// The readers of the spaces of an organization.
    Organization(OrganizationId),
    /// A person who asked without a space.
    Person(UserId),
}

impl EmbedOwner {
    /// Returns the owner for a request of the caller, who may read the space if there is one.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of(cx: &Context<'_>, space: Option<SpaceId>) -> Result<Option<Self>> {
        let Some(space) = space else {
            return Ok(match cx.caller {
                Caller::Person(person) => Some(Self::Person(person.user)),
                _ => None,
            });
        };
        let space = bindery_store::spaces::get(cx.tx, space)?;
        Ok(space.map(|space| Self::Organization(space.organization)))
    }
}

impl Default for EmbedCache {
    fn default() -> Self {
        Self { known: Cache::new(CACHED), requests: Semaphore::new(MAX_REQUESTS) }
    }
}

/// Parses an address that can be embedded: one with the scheme `http` or `https` and without a user
/// name.
pub fn address(url: &str) -> Option<Url> {
    let url = Url::parse(url).ok()?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && is_plain && url.host().is_some()).then_some(url)
}

/// Returns the hash by which descriptions of an address are stored. The fragment of an address does
/// not count, because requests do not contain it.
pub fn address_hash(url: &Url) -> Hash {
    let text = url.as_str();
    Hash::of(text.split('#').next().unwrap_or(text).as_bytes())
}

/// Returns the description of a page of this server, if the caller may read it.
///
/// # Errors
/// Returns an error if the content cannot be read.
pub fn of_own_page(cx: &Context<'_>, url: &Url) -> Result<Option<Embed>> {
    let Some(ContentAddress::Space { space, change_request: None, path }) =
        content_at(cx, url.as_str())?
    else {
        return Ok(None);
    };
    let space = match cx.caller {
        Caller::Anonymous => {
            let space = bindery_store::spaces::get(cx.tx, space)?;
            let space = space.filter(|space| space.deleted_at.is_none());
            match space {
                Some(space) if crate::content::snapshot::is_public(cx.tx, space.id)? => space,
                _ => return Ok(None),
            }
        }
        _ => match load_target::<ReadableSpace>(cx.tx, cx.caller, &space)? {
            Some(Loaded { target, role: Some(_) }) => target.space,
            _ => return Ok(None),
        },
    };
    let snapshot = Snapshot::of(cx.app, cx.tx, &space, None)?;
    let objects = cx.tx.objects();
    let content = &snapshot.revision.content;
    let tree = bindery_revision::tree::Tree::new(content, &objects);
    let title = match path.as_str() {
        "" => space.title.clone(),
        path => {
            let Some(page) = tree.by_path(path).map_err(broken_object)? else { return Ok(None) };
            let record = tree.page(page).map_err(crate::content::snapshot::broken_tree)?;
            let answers = Answers::new(cx.visitor_claims()?);
            if !admits(&answers, &content.variables, &record) {
                return Ok(None);
            }
            record.title
        }
    };
    Ok(Some(Embed { title, site: space.title, icon: None, html: None }))
}

/// Returns the description of a page of another host. `reads` permits requests to that host;
/// otherwise only what the owner knows is returned. A page that cannot be read is described by its
/// address.
pub async fn of_foreign_page(
    app: &App,
    url: &Url,
    owner: Option<EmbedOwner>,
    reads: bool,
) -> Arc<Embed> {
    if let Some(embed) = providers::description(url) {
        return Arc::new(embed);
    }
    let Some(owner) = owner else { return Arc::new(by_address(url)) };
    let key = (owner, url.to_string());
    let now = app.clock.now();
    if let Some((until, known)) = app.embeds.known.get(&key)
        && now < until
    {
        return known;
    }
    if !reads {
        return Arc::new(by_address(url));
    }
    let embed = Arc::new(read(app, url).await.unwrap_or_else(|| by_address(url)));
    let until = now.plus_millis(LIFETIME);
    app.embeds.known.insert(key, (until, Arc::clone(&embed)));
    embed
}

/// Reads the description from the page; `None` if there is no page that can be read.
async fn read(app: &App, url: &Url) -> Option<Embed> {
    if !app.describes_embeds {
        return None;
    }
    let _permit = app.embeds.requests.acquire().await.ok()?;
    let found = page::read_page(&app.client, url).await.ok()?;
    let plain = by_address(url);
    Some(Embed {
        title: found.title.or(found.window_title).unwrap_or(plain.title),
        site: found.site.unwrap_or(plain.site),
        icon: found.icon.map(String::from),
        html: None,
    })
}

/// Describes an address without its page.
fn by_address(url: &Url) -> Embed {
    let host = url.host_str().unwrap_or_default();
    let site = host.strip_prefix("www.").unwrap_or(host).to_owned();
    let path = url.path().trim_end_matches('/');
    let title: String = format!("{site}{path}").chars().take(MAX_TITLE).collect();
    Embed { title, site, icon: None, html: None }
}
