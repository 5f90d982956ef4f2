//! Descriptions of embedded addresses on pages, and their pictures.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::content::embeds::{self, EmbedDescription};
use bindery_content::Document;
use bindery_content::html::{EmbedCard, FileLink};
use bindery_http::Response;
use bindery_model::{EmbedPictureId, FileId};
use bindery_revision::{FileRecord, Hash};
use http::header::{self, HeaderValue};

use super::files::{self, FoundFile};
use super::page::PageContext;
use super::site_cache::LoadedSite;
use super::{PageRequest, plain};

/// The part before the id of a picture in its address, below the base of the site.
pub(super) const FOLDER: &str = "~embeds/";
/// Maximum number of addresses of a page whose descriptions are shown.
const MAX_DESCRIBED: usize = 500;

/// The descriptions of the embeds of a page.
pub(super) struct EmbedCards<'a> {
    context: &'a PageContext<'a>,
    /// The addresses that were looked up, each with its description if there is one.
    known: RefCell<HashMap<Hash, Option<EmbedDescription>>>,
}

impl<'a> EmbedCards<'a> {
    /// Returns descriptions that are read when they are needed.
    pub(super) fn new(context: &'a PageContext<'a>) -> Self {
        Self { context, known: RefCell::default() }
    }

    /// Reads the descriptions of all addresses that a document embeds at once. Those in included
    /// contents are read when they are needed.
    pub(super) fn of(context: &'a PageContext<'a>, document: &Document) -> Self {
        let cards = Self::new(context);
        // A page of a space without descriptions is not searched for addresses.
        if !context.space.embeds.is_empty() {
            let addresses = document.embeds(MAX_DESCRIBED);
            let addresses = addresses.iter().filter_map(|url| embeds::address(url));
            cards.read(addresses.map(|url| embeds::address_hash(&url)).collect());
        }
        cards
    }

    /// Reads descriptions that are not known yet.
    fn read(&self, addresses: Vec<Hash>) {
        let PageContext { tx, space, .. } = *self.context;
        let mut known = self.known.borrow_mut();
        let mut wanted = addresses;
        wanted.retain(|address| {
            known.len() < MAX_DESCRIBED && known.insert(*address, None).is_none()
        });
        wanted.retain(|address| space.embeds.contains(address));
        // An error of the store ends the transaction, and with it the rendering.
        let found = embeds::descriptions(tx, space.space.organization, &wanted);
        let found = found.unwrap_or_default().into_iter();
        known.extend(found.map(|one| (one.address, Some(one))));
    }

    /// Returns the description of an address. `origin` precedes the address of its picture.
    pub(super) fn card(&self, url: &str, origin: &str) -> Option<EmbedCard> {
        let address = embeds::address_hash(&embeds::address(url)?);
        self.context.objects.record_embed(&address);
        if !self.known.borrow().contains_key(&address) {
            self.read(vec![address]);
        }
        let known = self.known.borrow();
        let EmbedDescription { title, site, description, picture, width, height, .. } =
            known.get(&address)?.clone()?;
        let picture = picture.map(|id| FileLink {
            href: format!("{origin}{}{FOLDER}{id}", self.context.site.base()),
            dimensions: width.zip(height),
            ..FileLink::default()
        });
        Some(EmbedCard { title, site, description, picture })
    }
}

/// Responds with the picture of an address that a space of the site embeds, to a visitor who may
/// read the site.
pub(super) async fn serve(
    app: &Arc<App>,
    site: &LoadedSite,
    id: &str,
    request: PageRequest<'_>,
) -> Response {
    let Some(id) = EmbedPictureId::parse(id) else { return absent() };
    let spaces: Vec<_> = site.spaces.iter().map(|space| space.space.id).collect();
    let found = app.store.read(move |tx| {
        for space in spaces {
            if let Some(picture) = embeds::picture(tx, space, id)? {
                return Ok(Some(picture));
            }
        }
        Ok::<_, bindery_model::Error>(None)
    });
    let picture = match found.await {
        Ok(Some(picture)) => picture,
        Ok(None) => return absent(),
        Err(error) => {
            tracing::error!(%error, "the picture of an embed cannot be read");
            return plain(500, "This picture could not be read. The server's log says why.\n");
        }
    };
    let record = FileRecord {
        id: FileId::random(&app.entropy),
        name: "picture".to_owned(),
        path: None,
        content_type: picture.content_type,
        size: u64::try_from(picture.size).unwrap_or_default(),
        hash: picture.object,
        dimensions: None,
    };
    let PageRequest { method, headers, .. } = request;
    let mut response = files::send(app, FoundFile { record, public: false }, method, headers);
    // Another picture has another id.
    let caching = match site.is_private() || site.claims.is_some() {
        true => "private, max-age=31536000, immutable",
        false => "public, max-age=31536000, immutable",
    };
    let robots = http::HeaderName::from_static("x-robots-tag");
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    response.headers_mut().insert(robots, HeaderValue::from_static("noindex"));
    response
}

fn absent() -> Response {
    plain(404, "not found\n")
}
