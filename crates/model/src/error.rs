//! The error type of the use cases, independent of any transport.

use std::borrow::Cow;

use crate::{Location, Problem};

/// The kind of an error. Only `bindery-api` maps it to an HTTP status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The input is malformed or out of range.
    Invalid,
    /// The credentials are missing or invalid.
    Unauthenticated,
    /// The caller may see the target but must not perform this operation.
    Forbidden,
    /// The target does not exist for the caller.
    NotFound,
    /// The request conflicts with the current state, or would change nothing.
    Conflict,
    /// A precondition of the request does not hold.
    PreconditionFailed,
    /// The idempotency key was used with a different request.
    KeyReused,
    /// The input exceeds a size limit.
    TooLarge,
    /// The media type of the body is not supported.
    WrongMediaType,
    /// Too many requests.
    RateLimited,
    /// The operation is not implemented.
    Pending,
    /// The server is shutting down, or a dependency is unavailable.
    Unavailable,
    /// A defect or a system failure. The details are logged and never sent.
    Internal,
}

/// An error with a message for the caller: what was wrong, where, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
    problems: Vec<Problem>,
    retry_after: Option<u32>,
    denial: bool,
}

/// The result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(message: impl Into<Cow<'static, str>>) -> Self {
            let kind = ErrorKind::$kind;
            let denial = matches!(kind, ErrorKind::Unauthenticated | ErrorKind::Forbidden);
            Self { kind, message: message.into(), problems: Vec::new(), retry_after: None, denial }
        }
    )*};
}

impl Error {
    constructors! {
        /// The input is malformed or out of range.
        invalid => Invalid;
        /// The credentials are missing or invalid.
        unauthenticated => Unauthenticated;
        /// The caller may see the target but must not perform this operation.
        forbidden => Forbidden;
        /// The request conflicts with the current state, or would change nothing.
        conflict => Conflict;
        /// A precondition of the request does not hold.
        precondition_failed => PreconditionFailed;
        /// The idempotency key was used with a different request.
        key_reused => KeyReused;
        /// The input exceeds a size limit.
        too_large => TooLarge;
        /// The media type of the body is not supported.
        wrong_media_type => WrongMediaType;
        /// Too many requests.
        rate_limited => RateLimited;
        /// The operation is not implemented.
        pending => Pending;
        /// The server is shutting down, or a dependency is unavailable.
        unavailable => Unavailable;
        /// A defect or a system failure. The message is only for the log.
        internal => Internal;
    }

    /// Reports that an object of this type (`space`, `page`) does not exist for the caller. The
    /// text is the same for missing objects and for objects that the caller may not see.
    pub fn not_found(what: &str) -> Self {
        Self {
            kind: ErrorKind::NotFound,
            message: format!("{what} not found").into(),
            problems: Vec::new(),
            retry_after: None,
            denial: false,
        }
    }

    /// Returns [`not_found`](Self::not_found) as the result of an access check: the caller may not
    /// see the object, or it no longer exists.
    pub fn not_visible(what: &str) -> Self {
        Self { denial: true, ..Self::not_found(what) }
    }

    /// Returns `true` if the error is the result of an access check: the caller is not signed in,
    /// or may not see or do what they requested.
    pub const fn is_denial(&self) -> bool {
        self.denial
    }

    /// Sets the location of the problem that the message describes.
    #[must_use]
    pub fn at(mut self, location: impl Into<Location>) -> Self {
        let location = location.into();
        let text = std::mem::take(&mut self.message);
        self.message = format!("{location}: {text}").into();
        self.problems = vec![Problem { location, text }];
        self
    }

    /// Adds the problems of another error to those of this one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.message = format!("{}; {}", self.message, other.message).into();
        self.problems.extend(other.problems);
        self
    }

    /// Sets the number of seconds after which the caller may retry.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Returns the number of seconds after which the caller may retry, if known.
    pub const fn retry_after_seconds(&self) -> Option<u32> {
        self.retry_after
    }

    /// Returns the kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the problems with their locations in the request; empty if the message is not about
    /// a value of the request.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the message. It begins with the location of the problem if there is one.
    pub fn message(&self) -> &str {
        &self.message
    }
}
