//! The answer of a handler, before it becomes an HTTP response.

use std::cell::RefCell;

use bindery_app::{App, ObjectPieces};
use bindery_http::Body;
use bindery_model::{Error, Result};
use bindery_revision::Objects;
use bytes::Bytes;
use serde::Serialize;
use tokio::runtime::Handle;

use crate::present::{PageList, PresentedRevision};

/// A body that is produced while it is sent.
pub(crate) trait BodyStream: Send {
    /// Returns the next piece; `None` after the last.
    fn next(&mut self, app: &App) -> Result<Option<Bytes>>;
}

impl BodyStream for ObjectPieces {
    fn next(&mut self, app: &App) -> Result<Option<Bytes>> {
        Ok(Handle::current().block_on(ObjectPieces::next(self, &app.store))?)
    }
}

/// An answer: status, body, and the few headers that operations set.
pub struct Reply {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body, or its first piece.
    pub(crate) body: Option<Bytes>,
    /// The pieces after `body`, if it is not the whole.
    pub(crate) remaining: Option<Box<dyn BodyStream>>,
    /// The body of an answer that goes on as long as the caller listens. `body` is absent then.
    pub(crate) events: Option<Body>,
    /// The value of the `Location` header: the address of the created resource.
    pub(crate) location: Option<String>,
    /// The value of the `Link` header.
    pub(crate) link: Option<String>,
    /// The state that was read, for the `ETag`: a revision, or the version of a comment.
    pub(crate) version: Option<String>,
    /// The name of the body, for the `ETag` of one that is produced while it is sent.
    pub(crate) content_tag: Option<String>,
    /// The values of the `Set-Cookie` headers.
    pub(crate) cookies: Vec<String>,
    /// Set if the answer holds a secret and is therefore never stored. The text tells a caller who
    /// repeats the request how to proceed without the answer.
    pub(crate) secret: Option<String>,
    /// The media type of the body.
    pub(crate) content_type: &'static str,
    /// The value of the `Content-Disposition` header.
    pub(crate) disposition: Option<String>,
    /// The value of the `Retry-After` header, in seconds.
    pub(crate) retry_after: Option<u32>,
    /// `true` if no cache may store the answer, as it holds a secret.
    pub(crate) is_uncached: bool,
    /// `true` if the body is left out because the caller prefers that.
    pub(crate) is_minimal: bool,
}

/// The media type of HTML pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// The media type of most answers.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// Maximum capacity in bytes of a buffer that a thread keeps for its next answer.
const MAX_BUFFER: usize = 64 * 1024;

thread_local! {
    /// Receives the JSON of an answer, so that a body is allocated once, in its final size.
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Reply {
    /// Builds a JSON answer.
    ///
    /// # Errors
    /// Fails if the value cannot be serialized, which is a defect.
    pub fn json(status: u16, value: &impl Serialize) -> Result<Self> {
        let body = BUFFER.with_borrow_mut(|buffer| {
            buffer.clear();
            serde_json::to_writer(&mut *buffer, value)
                .map_err(|error| Error::internal(format!("an answer is not JSON: {error}")))?;
            let body = Bytes::copy_from_slice(buffer);
            if buffer.capacity() > MAX_BUFFER {
                *buffer = Vec::new();
            }
            Ok::<_, Error>(body)
        })?;
        Ok(Self { body: Some(body), ..Self::empty(status) })
    }

    /// Builds an answer from serialized JSON.
    pub fn raw_json(status: u16, json: String) -> Self {
        Self { body: Some(json.into()), ..Self::empty(status) }
    }

    /// Builds an HTML answer.
    pub fn html(html: String) -> Self {
        Self { body: Some(html.into()), content_type: HTML, ..Self::empty(200) }
    }

    /// Builds a plain text answer.
    pub fn text(text: String) -> Self {
        let content_type = "text/plain; charset=utf-8";
        Self { body: Some(text.into()), content_type, ..Self::empty(200) }
    }

    /// Builds an answer whose body is read while it is sent. `first` is the start of the body.
    pub(crate) fn stream(
        content_type: &'static str,
        first: Bytes,
        remaining: Box<dyn BodyStream>,
    ) -> Self {
        Self {
            body: Some(first),
            remaining: Some(remaining),
            content_type,
            is_uncached: true,
            ..Self::empty(200)
        }
    }

    /// Builds a JSON answer whose body is read while it is sent. `first` is the start of the body.
    pub(crate) fn json_stream(first: Bytes, remaining: Box<dyn BodyStream>) -> Self {
        Self { body: Some(first), remaining: Some(remaining), ..Self::empty(200) }
    }

    /// Uses a name of the body as the `ETag`. Two bodies with the same name are the same.
    #[must_use]
    pub(crate) fn with_content_tag(self, tag: String) -> Self {
        Self { content_tag: Some(tag), ..self }
    }

    /// Builds an answer of server-sent events.
    pub(crate) fn events(events: Body) -> Self {
        let content_type = "text/event-stream";
        Self { events: Some(events), content_type, is_uncached: true, ..Self::empty(200) }
    }

    /// Builds an answer without a body.
    pub const fn empty(status: u16) -> Self {
        Self {
            status,
            body: None,
            remaining: None,
            events: None,
            location: None,
            link: None,
            version: None,
            content_tag: None,
            cookies: Vec::new(),
            secret: None,
            content_type: JSON,
            disposition: None,
            retry_after: None,
            is_uncached: false,
            is_minimal: false,
        }
    }

    /// Builds the answer to a caller who prefers none with a body.
    pub(crate) fn minimal() -> Self {
        Self { is_minimal: true, ..Self::empty(204) }
    }

    /// Builds the answer with the page tree of a revision inside `whole`, in its first empty list
    /// of pages.
    ///
    /// # Errors
    /// Fails if the content cannot be read.
    pub(crate) fn pages(
        app: &App,
        objects: &dyn Objects,
        presented: PresentedRevision,
        whole: &impl Serialize,
    ) -> Result<Self> {
        let revision = presented.snapshot.row.id;
        let mut list = PageList::new(presented, whole)?;
        let body = list.piece(app, objects)?;
        let remaining = (!list.is_done()).then(|| Box::new(list) as Box<dyn BodyStream>);
        Ok(Self { body, remaining, ..Self::empty(200) }.with_revision_etag(revision))
    }

    /// Sets the `Content-Disposition` header.
    #[must_use]
    pub(crate) fn with_disposition(mut self, disposition: String) -> Self {
        self.disposition = Some(disposition);
        self
    }

    /// Sets the number of seconds after which the caller may repeat the request.
    #[must_use]
    pub(crate) fn with_retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Sets the `Location` header.
    #[must_use]
    pub fn with_location(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    /// Marks the answer as holding a secret. `hint` completes the refusal of a repeated request.
    #[must_use]
    pub(crate) fn with_secret(mut self, hint: String) -> Self {
        self.secret = Some(hint);
        self.without_caching()
    }

    /// Marks an answer that holds a secret, such as the address of a link: caches do not store it,
    /// and it gets no `ETag` from its body.
    #[must_use]
    pub(crate) fn without_caching(mut self) -> Self {
        self.is_uncached = true;
        self
    }

    /// Sets the `Link` header to an address and its relation.
    #[must_use]
    pub(crate) fn with_link(mut self, location: &str, relation: &str) -> Self {
        self.link = Some(format!("<{location}>; rel=\"{relation}\""));
        self
    }

    /// Adds a `Set-Cookie` header.
    #[must_use]
    pub(crate) fn with_cookie(mut self, cookie: String) -> Self {
        self.cookies.push(cookie);
        self.without_caching()
    }

    /// Uses the revision as the `ETag`.
    #[must_use]
    pub fn with_revision_etag(self, revision: impl std::fmt::Display) -> Self {
        self.with_version_etag(revision.to_string())
    }

    /// Uses this version as the `ETag`.
    #[must_use]
    pub(crate) fn with_version_etag(mut self, version: String) -> Self {
        self.version = Some(version);
        self
    }
}
