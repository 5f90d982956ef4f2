//! Finds the addresses that spaces on sites embed, a moment after their main content has changed.
//!
//! A save only marks the space. The scan compares the main content with the one whose addresses are
//! stored, so its cost depends on the change and not on the size of the space.

use bindery_content::Document;
use bindery_model::{Error, Result, RevisionId, SpaceId, Timestamp};
use bindery_outbound::CancellationToken;
use bindery_revision::{
    Content, Difference, Hash, Objects, PageBody, PageRecord, Record, ReusableRecord,
};
use bindery_store::embeds::{self, Embed, EmbedStatus};
use bindery_store::outdated::{self, Derived};
use bindery_store::spaces::Space;
use bindery_store::{Store, StoreError, Tx, revisions, site_spaces, spaces};
use memchr::memmem;
use tokio::runtime::Handle;

use super::{address, address_hash};
use crate::content::derived::derive_next;
use crate::content::snapshot::{self, broken_object};
use crate::content::texts::{self, Paths};

/// Delay between a change and the scan, in milliseconds. Changes within the delay share one scan.
const DELAY: i64 = 1_000;
/// Maximum number of addresses of one text. Only generated texts have more; the rest has no
/// description.
pub(super) const MAX_OF_TEXT: usize = 200;
/// Maximum number of addresses of one organization.
const MAX_OF_ORGANIZATION: i64 = 20_000;
/// Maximum length of an address in bytes.
const MAX_ADDRESS: usize = 2_048;
/// Number of texts whose addresses one transaction stores.
const TEXTS_AT_ONCE: usize = 100;

/// Scans the space that has been marked for longest, if that is longer than [`DELAY`]. Returns
/// `true` if there was one. A space that cannot be scanned is tried again later.
///
/// # Errors
/// Returns an error if the store fails, or if `stop` is cancelled.
pub(crate) async fn scan_next(
    store: &Store,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<bool, StoreError> {
    let cancel = stop.clone();
    let make = move |store: &Store, space| Scan::run(store, space, &cancel);
    derive_next(store, (Derived::Embeds, DELAY), now, stop, make, settle).await
}

/// Ends the claim of a space. If its head has moved meanwhile, the space is marked again.
fn settle(
    tx: &Tx<'_>,
    space: SpaceId,
    head: &Option<RevisionId>,
    until: Timestamp,
) -> Result<(), StoreError> {
    let moved = spaces::get(tx, space)?.is_some_and(|row| Some(row.head) != *head);
    let again = (moved && head.is_some()).then_some(tx.now());
    outdated::change(tx, Derived::Embeds, space, until, again)?;
    Ok(())
}

/// A text with the addresses that it embeds.
#[derive(Clone)]
struct TextEmbeds {
    holder: Vec<u8>,
    found: Vec<Embed>,
}

struct Scan<'a> {
    store: &'a Store,
    space: &'a Space,
    stop: &'a CancellationToken,
    texts: Vec<TextEmbeds>,
}

impl Scan<'_> {
    /// Stores the addresses of a space. Returns the head that they belong to; `None` if no site
    /// shows the space.
    fn run(store: &Store, space: SpaceId, stop: &CancellationToken) -> Result<Option<RevisionId>> {
        let loaded = store.read_sync(|tx| {
            let row = spaces::get(tx, space)?.filter(|row| row.deleted_at.is_none());
            let is_shown = site_spaces::includes(tx, space)?;
            let Some(row) = row.filter(|_| is_shown) else { return Ok(None) };
            let Some(head) = revisions::get(tx, space, row.head)? else { return Ok(None) };
            Ok::<_, StoreError>(Some((row, head, embeds::scan(tx, space)?)))
        });
        let Some((row, head, known)) = loaded? else {
            write(store, move |tx| embeds::forget_space(tx, space))?;
            return Ok(None);
        };
        let objects = store.objects();
        let now = snapshot::content(&objects, &head.object)?;
        let base = known.base.map(|base| snapshot::content(&objects, &base)).transpose()?;
        let base = base.filter(|base| base.salt() == now.salt());
        let nothing = Content::empty(now.salt());
        if base.is_none() {
            write(store, move |tx| embeds::forget_space(tx, space))?;
        }
        let mut scan = Scan { store, space: &row, stop, texts: Vec::new() };
        scan.compare(base.as_ref().unwrap_or(&nothing), &now, &objects)?;
        scan.flush()?;
        write(store, move |tx| embeds::set_base(tx, space, Some(&head.object)))?;
        Ok(Some(head.id))
    }

    fn compare(&mut self, base: &Content, now: &Content, objects: &dyn Objects) -> Result<()> {
        let page = |bytes: bytes::Bytes| PageRecord::decode(&bytes).map(|page| page.body);
        let reusable = |bytes: bytes::Bytes| ReusableRecord::decode(&bytes).map(|one| one.body);
        for one in base.pages.diff(&now.pages, objects) {
            let Difference { key, old, new } = one.map_err(broken_object)?;
            let old = old.map(page).transpose().map_err(broken_object)?.flatten();
            let new = new.map(page).transpose().map_err(broken_object)?.flatten();
            self.text([&[0], &*key].concat(), (old, new), objects)?;
        }
        for one in base.reusable.diff(&now.reusable, objects) {
            let Difference { key, old, new } = one.map_err(broken_object)?;
            let old = old.map(reusable).transpose().map_err(broken_object)?.flatten();
            let new = new.map(reusable).transpose().map_err(broken_object)?.flatten();
            self.text([&[1], &*key].concat(), (old, new), objects)?;
        }
        Ok(())
    }

    /// Compares a text with its previous version. Texts without embeds before and after cost
    /// neither parsing nor a statement.
    fn text(
        &mut self,
        holder: Vec<u8>,
        (old, new): (Option<Hash>, Option<Hash>),
        objects: &dyn Objects,
    ) -> Result<()> {
        if self.stop.is_cancelled() {
            return Err(Error::internal("the server is stopping"));
        }
        if old == new {
            return Ok(());
        }
        let read = |hash: Option<Hash>| -> Result<Option<PageBody>> {
            let Some(hash) = hash else { return Ok(None) };
            let bytes = objects.get(&hash).map_err(broken_object)?;
            let body = PageBody::decode(&bytes).map_err(broken_object)?;
            Ok(Some(body).filter(|body| may_embed(&body.source)))
        };
        let (old, new) = (read(old)?, read(new)?);
        if old.is_none() && new.is_none() {
            return Ok(());
        }
        let found = new.map(|body| self.embeds(&body)).unwrap_or_default();
        self.texts.push(TextEmbeds { holder, found });
        if self.texts.len() >= TEXTS_AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn embeds(&self, body: &PageBody) -> Vec<Embed> {
        let document = texts::parse(body, &Paths::of([body]));
        addresses(&document)
            .map(|(address, url)| Embed {
                organization: self.space.organization,
                address,
                host: host(&url),
                url: url.into(),
                status: EmbedStatus::Waiting,
                title: String::new(),
                site: String::new(),
                description: String::new(),
                version: 0,
                failures: 0,
                next_at: Timestamp::from_millis(0),
                created_at: Timestamp::from_millis(0),
            })
            .collect()
    }

    fn flush(&mut self) -> Result<()> {
        let texts = std::mem::take(&mut self.texts);
        if texts.is_empty() {
            return Ok(());
        }
        let space = self.space.id;
        let organization = self.space.organization;
        write(self.store, move |tx| {
            let mut count = embeds::count(tx, organization)?;
            let mut shows_more = false;
            for TextEmbeds { holder, found } in &texts {
                let addresses: Vec<Hash> = found.iter().map(|embed| embed.address).collect();
                let added = embeds::set_uses(tx, space, holder, &addresses)?;
                for embed in found.iter().filter(|embed| added.contains(&embed.address)) {
                    match embeds::get(tx, organization, &embed.address)? {
                        Some(known) => shows_more |= known.status == EmbedStatus::Described,
                        None if count >= MAX_OF_ORGANIZATION => {}
                        None => {
                            let now = tx.now();
                            let new = Embed { next_at: now, created_at: now, ..embed.clone() };
                            count += i64::from(embeds::create(tx, &new)?);
                        }
                    }
                }
            }
            if shows_more {
                embeds::record_change_in(tx, space)?;
            }
            Ok(())
        })
    }
}

fn write<T: Send + 'static>(
    store: &Store,
    work: impl FnMut(&Tx<'_>) -> Result<T, StoreError> + Send + 'static,
) -> Result<T> {
    Ok(Handle::current().block_on(store.write(work))?)
}

/// Returns `true` unless a source certainly embeds nothing.
fn may_embed(source: &[u8]) -> bool {
    // A file block whose source is no file is an embed too, and so is a block of an integration.
    [&b"{%"[..], b"iframe", b"IFRAME", b"Iframe", b"<embed", b"<EMBED"]
        .iter()
        .any(|part| memmem::find(source, part).is_some())
}

/// Returns the addresses that a document embeds, with their hashes.
pub(super) fn addresses(
    document: &Document,
) -> impl Iterator<Item = (Hash, bindery_outbound::Url)> {
    document.embeds(MAX_OF_TEXT).into_iter().filter_map(|url| {
        let url = address(&url).filter(|url| url.as_str().len() <= MAX_ADDRESS)?;
        Some((address_hash(&url), url))
    })
}

/// Returns the host and the port of an address.
pub(super) fn host(url: &bindery_outbound::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
