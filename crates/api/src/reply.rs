//! What a handler answers, before it becomes an HTTP response.

use bindery_app::App;
use bindery_model::{Error, Result};
use bindery_revision::Objects;
use bytes::Bytes;
use serde::Serialize;

use crate::present::{PageList, Presented};

/// A body that is made while it is sent.
pub(crate) trait Pieces: Send {
    /// The next piece; `None` after the last.
    fn next(&mut self, app: &App) -> Result<Option<Bytes>>;
}

/// An answer: status, body, and the few headers that operations set.
pub struct Reply {
    /// The status.
    pub(crate) status: u16,
    /// JSON, if there is a body.
    pub(crate) body: Option<Bytes>,
    /// What follows the body, if it is not all.
    pub(crate) rest: Option<Box<dyn Pieces>>,
    /// The address of what was made.
    pub(crate) location: Option<String>,
    /// The value of the `Link` header: addresses that go with the answer.
    pub(crate) link: Option<String>,
    /// What stands for the state that was read: a revision, or the version of a comment.
    pub(crate) version: Option<String>,
    /// What a browser is to keep or to forget.
    pub(crate) cookies: Vec<String>,
    /// Set where the answer holds a secret, which is never stored: tells a caller who repeats the
    /// request what to do without it.
    pub(crate) secret: Option<String>,
    /// The media type of the body.
    pub(crate) content_type: &'static str,
    /// True if no cache may keep the answer, as it holds a secret.
    pub(crate) is_uncached: bool,
}

/// The media type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";
/// The media type of nearly all answers.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

impl Reply {
    /// A JSON answer.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, which is a defect.
    pub fn json(status: u16, value: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(value)
            .map_err(|error| Error::internal(format!("an answer is not JSON: {error}")))?;
        Ok(Self { body: Some(body.into()), ..Self::empty(status) })
    }

    /// An answer that is JSON already.
    pub fn raw_json(status: u16, json: String) -> Self {
        Self { body: Some(json.into()), ..Self::empty(status) }
    }

    /// A page.
    pub fn html(html: String) -> Self {
        Self { body: Some(html.into()), content_type: HTML, ..Self::empty(200) }
    }

    /// Text.
    pub fn text(text: String) -> Self {
        let content_type = "text/plain; charset=utf-8";
        Self { body: Some(text.into()), content_type, ..Self::empty(200) }
    }

    /// An answer without a body.
    pub const fn empty(status: u16) -> Self {
        Self {
            status,
            body: None,
            rest: None,
            location: None,
            link: None,
            version: None,
            cookies: Vec::new(),
            secret: None,
            content_type: JSON,
            is_uncached: false,
        }
    }

    /// The page tree of a revision, `whole` around it.
    ///
    /// # Errors
    /// When the content cannot be read.
    pub(crate) fn pages(
        app: &App,
        objects: &dyn Objects,
        of: Presented,
        whole: &impl Serialize,
    ) -> Result<Self> {
        let revision = of.snapshot.row.id;
        let mut list = PageList::new(of, whole)?;
        let body = list.piece(app, objects)?;
        let rest = (!list.is_done()).then(|| Box::new(list) as Box<dyn Pieces>);
        Ok(Self { body, rest, ..Self::empty(200) }.of_revision(revision))
    }

    /// Names the address of what was made.
    #[must_use]
    pub fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    /// Says that the answer holds a secret. `hint` completes the refusal of a repeated request.
    #[must_use]
    pub(crate) fn with_secret(mut self, hint: String) -> Self {
        self.secret = Some(hint);
        self.uncached()
    }

    /// Marks an answer that holds a secret, such as the address of a link: no cache on its way
    /// keeps it, and no `ETag` is made from it.
    #[must_use]
    pub(crate) fn uncached(mut self) -> Self {
        self.is_uncached = true;
        self
    }

    /// Names an address that goes with the answer, and its relation to it.
    #[must_use]
    pub(crate) fn linked(mut self, location: &str, relation: &str) -> Self {
        self.link = Some(format!("<{location}>; rel=\"{relation}\""));
        self
    }

    /// Makes a browser keep or forget a cookie.
    #[must_use]
    pub(crate) fn with_cookie(mut self, cookie: String) -> Self {
        self.cookies.push(cookie);
        self.uncached()
    }

    /// Makes the revision the `ETag`.
    #[must_use]
    pub fn of_revision(self, revision: impl std::fmt::Display) -> Self {
        self.of_version(revision.to_string())
    }

    /// Makes this version of what is shown the `ETag`.
    #[must_use]
    pub(crate) fn of_version(mut self, version: String) -> Self {
        self.version = Some(version);
        self
    }
}
