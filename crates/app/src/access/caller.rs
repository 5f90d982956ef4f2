//! The caller of an operation: a person with a token or a session, or an anonymous caller.

use bindery_model::{
    Error, OrganizationId, Result, Scope, SessionId, SpaceId, Timestamp, TokenId, UserId,
};

use crate::publishing::audience::Visitor;
use crate::publishing::resolve::SiteReader;

/// The set of scopes of a credential.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scopes(u8);

impl Scopes {
    /// The set of all scopes.
    pub const ALL: Self = Self(0b111);
    /// The set with the scope `read` alone.
    pub const READ: Self = Self(0b001);

    /// Returns the set of these scopes and of the scopes that they include.
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, scope| set | ((2 << *scope as u8) - 1)))
    }

    /// Returns the set for a number from the store.
    pub const fn from_bits(bits: i64) -> Self {
        Self((bits & 0b111) as u8)
    }

    /// Returns the number to store.
    pub const fn bits(self) -> i64 {
        self.0 as i64
    }

    /// Returns `true` if the set includes `scope`.
    pub const fn allows(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// Returns the scopes in the set, lowest first.
    pub fn list(self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.allows(*scope)).collect()
    }
}

/// The kind of credential that a person presents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Credential {
    /// A personal token.
    Token(TokenId),
    /// A session of a browser.
    Session(SessionId),
}

impl Credential {
    /// Returns the id of the token; `None` for a session.
    pub const fn token(self) -> Option<TokenId> {
        match self {
            Self::Token(token) => Some(token),
            Self::Session(_) => None,
        }
    }
}

/// The bounds that a credential passes on to each credential made with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lineage {
    /// The token whose revocation ends the credential.
    pub token: Option<TokenId>,
    /// The time at which the credential expires.
    pub expires_at: Option<Timestamp>,
}

impl Lineage {
    /// Returns the earlier one of a time and the time at which this lineage expires.
    pub fn bound(&self, time: Timestamp) -> Timestamp {
        self.expires_at.map_or(time, |end| end.min(time))
    }
}

/// A caller with credentials, and the limits of the credential.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The person.
    pub user: UserId,
    /// The presented credential.
    pub credential: Credential,
    /// The scopes of the credential.
    pub scopes: Scopes,
    /// The organizations to which the credential is limited; empty if it has no such limit.
    pub organizations: Vec<OrganizationId>,
    /// The spaces to which the credential is limited; empty if it has no such limit.
    pub spaces: Vec<SpaceId>,
    /// The bounds of credentials that are created with this one.
    pub lineage: Lineage,
}

impl Person {
    /// Refuses credentials that are limited or expire. Changes of the ways to sign in call it,
    /// because such a change would outlive the credential.
    ///
    /// # Errors
    /// Returns a `forbidden` error that names the limit. `what` completes "this token may not".
    pub fn require_lasting(&self, what: &str) -> Result<()> {
        let limit = if self.is_limited() {
            "it is limited in what it may do"
        } else if self.lineage.expires_at.is_some() {
            "it expires, and the change would not"
        } else {
            return Ok(());
        };
        Err(Error::forbidden(format!(
            "this token may not {what}: {limit}; sign in with a link or a password, or use a \
             token without limits"
        )))
    }

    /// Returns `true` if the credential has fewer permissions than its owner.
    pub fn is_limited(&self) -> bool {
        self.scopes != Scopes::ALL || !self.organizations.is_empty() || !self.spaces.is_empty()
    }

    /// Returns `true` if the limits of the credential include this organization.
    pub fn reaches_organization(&self, organization: OrganizationId) -> bool {
        self.organizations.is_empty() || self.organizations.contains(&organization)
    }

    /// Returns `true` if the limits of the credential include this space.
    pub fn reaches_space(&self, space: SpaceId) -> bool {
        self.spaces.is_empty() || self.spaces.contains(&space)
    }
}

/// The caller of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Caller {
    /// The request has no valid credentials.
    Anonymous,
    /// The request has the credentials of this person.
    Person(Person),
    /// The request proves that it may read a published site, and nothing else.
    Visitor(Box<SiteReader>),
}

impl Caller {
    /// Returns the person; `None` for an anonymous caller and for the reader of a site.
    pub const fn person(&self) -> Option<&Person> {
        match self {
            Self::Anonymous | Self::Visitor(_) => None,
            Self::Person(person) => Some(person),
        }
    }

    /// Returns the visitor of a site with adaptive content; `None` for all other callers.
    pub fn adaptive_visitor(&self) -> Option<&Visitor> {
        match self {
            Self::Visitor(reader) => reader.adaptive_visitor(),
            Self::Anonymous | Self::Person(_) => None,
        }
    }
}
