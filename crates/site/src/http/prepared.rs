//! A response that can be sent in each encoding.

use std::borrow::Cow;
use std::sync::OnceLock;

use bindery_http::{
    CompressionEffort, Encoding, MIN_COMPRESSED_BYTES, accepts_gzip, is_compressible,
    select_encoding,
};
use bindery_model::Timestamp;
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};

use super::CONTENT_SECURITY_POLICY;

/// Directives for caches of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheControl {
    /// May be cached for ever, because the address contains a hash of the content.
    Immutable,
    /// May be cached by any cache, which revalidates it before each use.
    Revalidate,
    /// May be cached by the reader's browser only, which revalidates it before each use.
    Private,
}

impl CacheControl {
    pub(crate) const fn value(self) -> &'static str {
        match self {
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Revalidate => "public, max-age=0, must-revalidate",
            Self::Private => "private, max-age=0, must-revalidate",
        }
    }
}

/// One encoding of a body with its response headers.
#[derive(Clone, Debug)]
struct Variant {
    body: Bytes,
    headers: HeaderMap,
}

/// A compressed body. The first reader gets one that takes little time, with gzip if possible; the
/// following ones get a smaller one, which is kept. Bodies in one encoding have the same entity tag,
/// because no part of them is sent alone.
#[derive(Clone, Debug, Default)]
struct Compressed {
    is_requested: OnceLock<()>,
    /// `None` if compression does not make the body smaller.
    kept: OnceLock<Option<Variant>>,
}

/// A response that is prepared once: body, compressed bodies (created on first use), strong
/// validators and all headers.
#[derive(Clone, Debug)]
pub struct PreparedResponse {
    status: StatusCode,
    hash: String,
    compressible: bool,
    effort: CompressionEffort,
    identity: Variant,
    gzip: Compressed,
    brotli: Compressed,
}

impl PreparedResponse {
    /// Creates a response with a status, a content type and a body. HTML gets the content security
    /// policy of published pages.
    pub fn new(
        status: u16,
        content_type: &'static str,
        cache: CacheControl,
        body: impl Into<Bytes>,
    ) -> Self {
        let body = body.into();
        let mut headers = HeaderMap::with_capacity(12);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache.value()));
        headers.insert(header::VARY, HeaderValue::from_static(vary(content_type)));
        insert_security_headers(&mut headers, content_type);
        let mut hash = blake3::hash(&body).to_hex().to_string();
        hash.truncate(32);
        let compressible = body.len() >= MIN_COMPRESSED_BYTES && is_compressible(content_type);
        let identity = Variant { body, headers };
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            identity: identity.with_encoding(Encoding::Identity, &hash),
            hash,
            compressible,
            effort: match (status, cache) {
                (_, CacheControl::Immutable) => CompressionEffort::Asset,
                (200, _) => CompressionEffort::Page,
                _ => CompressionEffort::Once,
            },
            gzip: Compressed::default(),
            brotli: Compressed::default(),
        }
    }

    /// Creates a successful HTML response.
    pub fn page(html: impl Into<Bytes>, cache: CacheControl) -> Self {
        Self::new(200, "text/html; charset=utf-8", cache, html)
    }

    /// Compresses the response with little effort, because it is not kept for other readers.
    #[must_use]
    pub fn sent_once(mut self) -> Self {
        self.effort = CompressionEffort::Once;
        self
    }

    /// Adds a header, such as `Link` or `X-Robots-Tag`. Ignores a value that is not a valid header
    /// value.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.identity.headers.insert(name, value);
            self.gzip = Compressed::default();
            self.brotli = Compressed::default();
        }
        self
    }

    /// Adds the time of the last change of the resource.
    #[must_use]
    pub fn modified_at(self, at: Timestamp) -> Self {
        let date = jiff::Timestamp::from_millisecond(at.millis()).ok().and_then(|at| {
            jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).ok()
        });
        match date {
            Some(date) => self.with_header(header::LAST_MODIFIED, &date),
            None => self,
        }
    }

    /// Makes search engines leave out the response, and with `private` all caches except that of
    /// the reader's browser.
    #[must_use]
    pub fn unlisted(self, private: bool) -> Self {
        let unlisted = self.with_header(HeaderName::from_static("x-robots-tag"), "noindex");
        if !private {
            return unlisted;
        }
        unlisted.personal()
    }

    /// Makes all caches except that of the reader's browser leave out the response, because other
    /// readers get another one at the same address.
    #[must_use]
    pub fn personal(self) -> Self {
        let vary = self.identity.headers.get(header::VARY).and_then(|vary| vary.to_str().ok());
        let vary = vary.unwrap_or("accept-encoding");
        let has_cookie = vary.split(',').any(|name| name.trim() == "cookie");
        let vary = if has_cookie { vary.to_owned() } else { format!("{vary}, cookie") };
        self.with_header(header::CACHE_CONTROL, CacheControl::Private.value())
            .with_header(header::VARY, &vary)
    }

    /// Creates a permanent redirect (308) to a path on the same host.
    pub fn redirect(location: &str) -> Self {
        Self::new(308, "text/plain; charset=utf-8", CacheControl::Revalidate, Bytes::new())
            .with_header(header::LOCATION, location)
            .with_header(header::VARY, NEGOTIATED)
    }

    /// Creates a temporary redirect (302) to a path on the same host.
    pub fn temporary_redirect(location: &str) -> Self {
        let mut prepared = Self::redirect(location);
        prepared.status = StatusCode::FOUND;
        prepared
    }

    /// Returns the status.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the text of a header.
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.identity.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the uncompressed body.
    pub fn body(&self) -> &Bytes {
        &self.identity.body
    }

    /// Returns the body in one encoding. Returns the uncompressed body if compression does not make
    /// it smaller.
    pub fn encoded(&self, encoding: Encoding) -> &Bytes {
        &self.variant(encoding).body
    }

    /// Returns the entity tag of one encoding, including its quotes.
    pub fn etag(&self, encoding: Encoding) -> Option<&HeaderValue> {
        self.variant(encoding).headers.get(header::ETAG)
    }

    /// Returns `true` if both send the same status, headers and body.
    pub fn is_identical(&self, other: &Self) -> bool {
        self.status == other.status
            && self.hash == other.hash
            && self.identity.headers == other.identity.headers
    }

    /// Returns the estimated memory use in bytes once both compressed bodies exist.
    pub fn memory_bytes(&self) -> usize {
        let variants = if self.compressible { self.identity.body.len() / 2 } else { 0 };
        self.identity.body.len() + variants + 2048
    }

    /// Returns the response to a request: in the best encoding that the client accepts, 304 if the
    /// client has a current copy, and without a body for HEAD (with the `Content-Length` of GET).
    pub fn to_response(&self, method: &Method, request: &HeaderMap) -> Response<Bytes> {
        let accept = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let encoding = select_encoding(accept);
        let variant = match *method == Method::HEAD {
            true => Cow::Borrowed(self.variant(encoding)),
            false => self.variant_for_reader(encoding, accept),
        };
        let mut response = if self.status == StatusCode::OK && variant.is_current(request) {
            variant.not_modified()
        } else {
            let body = if *method == Method::HEAD { Bytes::new() } else { variant.body.clone() };
            let mut response = Response::new(body);
            *response.status_mut() = self.status;
            *response.headers_mut() = variant.headers.clone();
            response
        };
        // Browsers would ask again at the click otherwise.
        if self.status == StatusCode::OK
            && is_ahead(request)
            && let Some(cache) = response.headers_mut().get_mut(header::CACHE_CONTROL)
            && *cache == CacheControl::Revalidate.value()
        {
            *cache = HeaderValue::from_static(AHEAD);
        }
        response
    }

    /// Returns the variant for a reader who waits for it. `accept` is the header that the encoding
    /// was selected by.
    fn variant_for_reader(&self, encoding: Encoding, accept: Option<&str>) -> Cow<'_, Variant> {
        let is_first = self.effort == CompressionEffort::Page
            && self.compressed(encoding).is_some_and(|compressed| {
                compressed.kept.get().is_none() && compressed.is_requested.set(()).is_ok()
            });
        if !is_first {
            return Cow::Borrowed(self.variant(encoding));
        }
        let fast = if accepts_gzip(accept) { Encoding::Gzip } else { encoding };
        let first = self.compress(fast, CompressionEffort::Fast);
        first.map_or(Cow::Borrowed(&self.identity), Cow::Owned)
    }

    /// Returns the variant that is kept.
    fn variant(&self, encoding: Encoding) -> &Variant {
        let compress = || self.compress(encoding, self.effort);
        let kept = self.compressed(encoding).map(|one| one.kept.get_or_init(compress).as_ref());
        kept.flatten().unwrap_or(&self.identity)
    }

    fn compressed(&self, encoding: Encoding) -> Option<&Compressed> {
        match encoding {
            Encoding::Gzip if self.compressible => Some(&self.gzip),
            Encoding::Brotli if self.compressible => Some(&self.brotli),
            _ => None,
        }
    }

    /// Returns a compressed variant; `None` if it is not smaller.
    fn compress(&self, encoding: Encoding, effort: CompressionEffort) -> Option<Variant> {
        let body = encoding.compress(&self.identity.body, effort)?;
        (body.len() < self.identity.body.len()).then(|| {
            Variant { body, headers: self.identity.headers.clone() }
                .with_encoding(encoding, &self.hash)
        })
    }
}

impl Variant {
    fn with_encoding(mut self, encoding: Encoding, hash: &str) -> Self {
        if let Ok(tag) = HeaderValue::from_str(&encoding.etag(hash)) {
            self.headers.insert(header::ETAG, tag);
        }
        if let Some(name) = encoding.name() {
            self.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        self.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        self
    }

    /// Returns `true` if the client has this variant. The date of its copy counts only if it names no
    /// entity tags (RFC 9110, section 13.1.3), and only if it is exactly that of this response.
    fn is_current(&self, request: &HeaderMap) -> bool {
        if request.contains_key(header::IF_NONE_MATCH) {
            return self.matches_if_none_match(request);
        }
        let modified = self.headers.get(header::LAST_MODIFIED);
        modified.is_some() && modified == request.get(header::IF_MODIFIED_SINCE)
    }

    /// Returns `true` if `If-None-Match` names this variant (RFC 9110, section 13.1.2).
    fn matches_if_none_match(&self, request: &HeaderMap) -> bool {
        self.headers.get(header::ETAG).is_some_and(|tag| has_copy(request, tag.as_bytes()))
    }

    fn not_modified(&self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        for name in [header::ETAG, header::LAST_MODIFIED, header::CACHE_CONTROL, header::VARY] {
            if let Some(value) = self.headers.get(&name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
        response
    }
}

/// Returns `true` if `If-None-Match` names a tag.
pub(crate) fn has_copy(request: &HeaderMap, tag: &[u8]) -> bool {
    request.get_all(header::IF_NONE_MATCH).iter().any(|value| {
        value.as_bytes() == b"*"
            || value.as_bytes().split(|b| *b == b',').any(|item| {
                let item = item.trim_ascii();
                item.strip_prefix(b"W/").unwrap_or(item) == tag
            })
    })
}

/// The directives for a public page that is loaded before the reader chooses its link. Other caches
/// must not give it to readers who did choose it.
const AHEAD: &str = "private, max-age=30";

/// Returns `true` for a request before the reader chooses the link.
fn is_ahead(request: &HeaderMap) -> bool {
    let purposes = [HeaderName::from_static("sec-purpose"), HeaderName::from_static("purpose")];
    purposes.iter().filter_map(|name| request.get(name)).any(|purpose| {
        purpose.to_str().is_ok_and(|purpose| purpose.split(';').any(|one| one.trim() == "prefetch"))
    })
}

/// The request headers on which pages depend: there is Markdown at the same address.
const NEGOTIATED: &str = "accept, accept-encoding";

/// The types of responses that browsers may show, but that load nothing.
const TEXTS_FOR_PROGRAMS: [&str; 5] = [
    "text/plain",
    "text/markdown",
    "application/xml",
    "application/atom+xml",
    "application/opensearchdescription+xml",
];

/// Returns the request headers that select a response of this type.
fn vary(content_type: &str) -> &'static str {
    let is_page = ["text/html", "text/markdown"].iter().any(|kind| content_type.starts_with(kind));
    if is_page { NEGOTIATED } else { "accept-encoding" }
}

fn insert_security_headers(headers: &mut HeaderMap, content_type: &str) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
    if TEXTS_FOR_PROGRAMS.iter().any(|kind| content_type.starts_with(kind)) {
        headers.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'"),
        );
    }
    if content_type.starts_with("text/html") {
        headers.insert(
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(CONTENT_SECURITY_POLICY),
        );
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
        headers.insert(
            HeaderName::from_static("cross-origin-opener-policy"),
            HeaderValue::from_static("same-origin"),
        );
        headers.insert(
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
        );
    }
}
