//! The one error of use cases, without any transport in it.

use std::borrow::Cow;

/// What kind of refusal or failure it is. `bindery-api` alone turns it into a status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The input is malformed or out of range.
    Invalid,
    /// Nobody said who is calling, or what they said is not true.
    Unauthenticated,
    /// The caller may see the target but not do this.
    Forbidden,
    /// It does not exist for the caller.
    NotFound,
    /// It conflicts with the present state, or would change nothing.
    Conflict,
    /// A stated precondition does not hold.
    PreconditionFailed,
    /// An idempotency key was used before with another body.
    KeyReused,
    /// Larger than a limit.
    TooLarge,
    /// A body of a kind that is not taken.
    WrongMediaType,
    /// Too many requests.
    RateLimited,
    /// Not built yet.
    Pending,
    /// Draining, or something it needs is away.
    Unavailable,
    /// A defect or a failure of the machine; its detail is logged, never sent.
    Internal,
}

/// An error with a message for the caller: what was wrong, where, and what would be right.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
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
            Self { kind, message: message.into(), retry_after: None, denial }
        }
    )*};
}

impl Error {
    constructors! {
        /// The input is malformed or out of range.
        invalid => Invalid;
        /// Nobody said who is calling, or what they said is not true.
        unauthenticated => Unauthenticated;
        /// The caller may see the target but not do this.
        forbidden => Forbidden;
        /// It conflicts with the present state, or would change nothing.
        conflict => Conflict;
        /// A stated precondition does not hold.
        precondition_failed => PreconditionFailed;
        /// An idempotency key was used before with another body.
        key_reused => KeyReused;
        /// Larger than a limit.
        too_large => TooLarge;
        /// A body of a kind that is not taken.
        wrong_media_type => WrongMediaType;
        /// Too many requests.
        rate_limited => RateLimited;
        /// Not built yet.
        pending => Pending;
        /// Draining, or something it needs is away.
        unavailable => Unavailable;
        /// A defect or a failure of the machine. The text is for the log alone.
        internal => Internal;
    }

    /// A thing of this kind (`space`, `page`) does not exist for the caller: one text for what
    /// was never there and for what the caller may not see.
    pub fn not_found(what: &str) -> Self {
        Self {
            kind: ErrorKind::NotFound,
            message: format!("{what} not found").into(),
            retry_after: None,
            denial: false,
        }
    }

    /// Returns [`not_found`](Self::not_found) as the outcome of an access decision: the caller may
    /// not see the thing, or it is gone.
    pub fn unseen(what: &str) -> Self {
        Self { denial: true, ..Self::not_found(what) }
    }

    /// Returns true for the outcome of an access decision: nobody is signed in, or the caller may
    /// not see or do what they asked for.
    pub const fn is_denial(&self) -> bool {
        self.denial
    }

    /// The same, with the seconds after which it may go well.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The seconds after which it may go well, where that is known.
    pub const fn seconds_to_wait(&self) -> Option<u32> {
        self.retry_after
    }

    /// The kind.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}
