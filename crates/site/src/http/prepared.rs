//! One answer, ready to be sent in each encoding.

use std::sync::OnceLock;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};

use super::CONTENT_SECURITY_POLICY;
use super::encoding::{self, Effort, Encoding, accepted};

/// How long a client may use an answer without asking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheControl {
    /// For ever: the address names the content.
    Immutable,
    /// Kept by anybody, asked about each time.
    Revalidate,
    /// Kept by the reader alone, asked about each time.
    Private,
}

impl CacheControl {
    const fn value(self) -> &'static str {
        match self {
            Self::Immutable => "public, max-age=31536000, immutable",
            Self::Revalidate => "public, max-age=0, must-revalidate",
            Self::Private => "private, max-age=0, must-revalidate",
        }
    }
}

/// One encoding of a body with the headers it is sent with.
#[derive(Clone, Debug)]
struct Variant {
    body: Bytes,
    headers: HeaderMap,
}

/// An answer that is made once: body, compressed bodies (made when first asked for), strong
/// validators and all headers.
#[derive(Clone, Debug)]
pub struct Prepared {
    status: StatusCode,
    hash: String,
    compressible: bool,
    effort: Effort,
    identity: Variant,
    gzip: OnceLock<Option<Variant>>,
    brotli: OnceLock<Option<Variant>>,
}

/// Bodies below this are sent as they are: compressing them saves no packet.
const WORTH_COMPRESSING: usize = 256;

impl Prepared {
    /// An answer with a status, a type and a body. HTML gets the published pages' policy.
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
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        secure(&mut headers, content_type);
        let mut hash = blake3::hash(&body).to_hex().to_string();
        hash.truncate(32);
        let compressible = body.len() >= WORTH_COMPRESSING && is_text(content_type);
        let identity = Variant { body, headers };
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            identity: identity.with_encoding(Encoding::Identity, &hash),
            hash,
            compressible,
            effort: match (status, cache) {
                (_, CacheControl::Immutable) => Effort::Asset,
                (200, _) => Effort::Page,
                _ => Effort::Once,
            },
            gzip: OnceLock::new(),
            brotli: OnceLock::new(),
        }
    }

    /// A published page.
    pub fn page(html: impl Into<Bytes>, cache: CacheControl) -> Self {
        Self::new(200, "text/html; charset=utf-8", cache, html)
    }

    /// The same with one more header, such as `Link` or `X-Robots-Tag`. A value that no header
    /// can have is left out.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.identity.headers.insert(name, value);
            self.gzip = OnceLock::new();
            self.brotli = OnceLock::new();
        }
        self
    }

    /// A permanent redirect (308) to a path on the same host.
    pub fn redirect(location: &str) -> Self {
        Self::new(308, "text/plain; charset=utf-8", CacheControl::Revalidate, Bytes::new())
            .with_header(header::LOCATION, location)
    }

    /// A temporary redirect (302) to a path on the same host.
    pub fn found(location: &str) -> Self {
        let mut prepared = Self::redirect(location);
        prepared.status = StatusCode::FOUND;
        prepared
    }

    /// The status.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The bytes before any compression.
    pub fn body(&self) -> &Bytes {
        &self.identity.body
    }

    /// The body in one encoding; the identity where compression is not worth it.
    pub fn encoded(&self, encoding: Encoding) -> &Bytes {
        &self.variant(encoding).body
    }

    /// The entity tag of one encoding, with its quotes.
    pub fn etag(&self, encoding: Encoding) -> Option<&HeaderValue> {
        self.variant(encoding).headers.get(header::ETAG)
    }

    /// Whether both are the same to whoever asks.
    pub fn is_same(&self, other: &Self) -> bool {
        self.status == other.status
            && self.hash == other.hash
            && self.identity.headers == other.identity.headers
    }

    /// What it takes in memory, in bytes, once both compressed bodies exist.
    pub fn weight(&self) -> usize {
        let variants = if self.compressible { self.identity.body.len() / 2 } else { 0 };
        self.identity.body.len() + variants + 2048
    }

    /// The answer to a request: the right encoding, 304 where the client has it already, and no
    /// body for HEAD (with the length that GET would have).
    pub fn answer(&self, method: &Method, request: &HeaderMap) -> Response<Bytes> {
        let accept = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let variant =
            if self.compressible { self.variant(accepted(accept)) } else { &self.identity };
        if self.status == StatusCode::OK && variant.is_known_to(request) {
            return variant.not_modified();
        }
        let body = if *method == Method::HEAD { Bytes::new() } else { variant.body.clone() };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = variant.headers.clone();
        response
    }

    fn variant(&self, encoding: Encoding) -> &Variant {
        if !self.compressible {
            return &self.identity;
        }
        let made = |compress: fn(&[u8], Effort) -> Option<Bytes>| {
            let body = compress(&self.identity.body, self.effort)?;
            (body.len() < self.identity.body.len()).then(|| {
                Variant { body, headers: self.identity.headers.clone() }
                    .with_encoding(encoding, &self.hash)
            })
        };
        let variant = match encoding {
            Encoding::Identity => None,
            Encoding::Gzip => self.gzip.get_or_init(|| made(encoding::gzip)).as_ref(),
            Encoding::Brotli => self.brotli.get_or_init(|| made(encoding::brotli)).as_ref(),
        };
        variant.unwrap_or(&self.identity)
    }
}

impl Variant {
    fn with_encoding(mut self, encoding: Encoding, hash: &str) -> Self {
        let suffix = match encoding {
            Encoding::Identity => "",
            Encoding::Gzip => "-g",
            Encoding::Brotli => "-b",
        };
        if let Ok(tag) = HeaderValue::from_str(&format!("\"{hash}{suffix}\"")) {
            self.headers.insert(header::ETAG, tag);
        }
        if let Some(name) = encoding.name() {
            self.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        self.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(self.body.len()));
        self
    }

    /// Whether `If-None-Match` names this variant (RFC 9110, section 13.1.2).
    fn is_known_to(&self, request: &HeaderMap) -> bool {
        let Some(tag) = self.headers.get(header::ETAG) else {
            return false;
        };
        request.get_all(header::IF_NONE_MATCH).iter().any(|value| {
            value.as_bytes() == b"*"
                || value.as_bytes().split(|b| *b == b',').any(|item| {
                    let item = item.trim_ascii();
                    item.strip_prefix(b"W/").unwrap_or(item) == tag.as_bytes()
                })
        })
    }

    fn not_modified(&self) -> Response<Bytes> {
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        for name in [header::ETAG, header::CACHE_CONTROL, header::VARY] {
            if let Some(value) = self.headers.get(&name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
        response
    }
}

fn is_text(content_type: &str) -> bool {
    content_type.starts_with("text/")
        || content_type.starts_with("application/json")
        || content_type.starts_with("application/xml")
        || content_type.starts_with("image/svg+xml")
}

fn secure(headers: &mut HeaderMap, content_type: &str) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("strict-origin-when-cross-origin"),
    );
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
