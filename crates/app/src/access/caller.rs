//! The caller of an operation: a person with a token or a session, or an anonymous caller.

use bindery_model::{
    Error, OrganizationId, Result, SessionId, SpaceId, Timestamp, TokenId, UserId,
};
use serde::{Deserialize, Serialize};

/// The scopes of a token; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Reading.
    Read,
    /// Changing content.
    Write,
    /// Members, permissions, settings.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }
}

/// The set of scopes that a token was given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope.
    pub const ALL: Self = Self(0b111);
    /// Reading alone.
    pub const READ: Self = Self(0b001);

    /// The set with these and what they include.
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |set, scope| set | ((2 << *scope as u8) - 1)))
    }

    /// From the stored number.
    pub const fn from_bits(bits: i64) -> Self {
        Self((bits & 0b111) as u8)
    }

    /// The number to store.
    pub const fn bits(self) -> i64 {
        self.0 as i64
    }

    /// Returns `true` if the set includes `scope`.
    pub const fn allows(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// The scopes in the set, lowest first.
    pub fn list(self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|scope| self.allows(*scope)).collect()
    }
}

/// The kind of credential that a person presents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Credential {
    /// A personal token.
    Token(TokenId),
    /// A browser's session.
    Session(SessionId),
}

impl Credential {
    /// The token, if it is one.
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
    /// The token whose revocation ends it.
    pub token: Option<TokenId>,
    /// The time at which it ends by itself.
    pub expires_at: Option<Timestamp>,
}

impl Lineage {
    /// Returns the earlier of a time and the end of this lineage.
    pub fn bound(&self, time: Timestamp) -> Timestamp {
        self.expires_at.map_or(time, |end| end.min(time))
    }
}

/// A signed-in person, with the limits of what was shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The person.
    pub user: UserId,
    /// The presented credential.
    pub credential: Credential,
    /// The scopes of the credential.
    pub scopes: Scopes,
    /// The organizations it is limited to; empty: no limit.
    pub organizations: Vec<OrganizationId>,
    /// The spaces it is limited to; empty: no limit.
    pub spaces: Vec<SpaceId>,
    /// The bounds of credentials that are made with it.
    pub lineage: Lineage,
}

impl Person {
    /// Refuses credentials that are limited or expire. Asked for before a change to the ways in
    /// which the person signs in, which would outlive the credential.
    ///
    /// # Errors
    /// 403, naming the limit. `what` completes "this token may not".
    pub fn require_lasting(&self, what: &str) -> Result<()> {
        let limit = if self.is_limited() {
            "it is limited in what it may do"
        } else if self.lineage.expires_at.is_some() {
            "it expires, and the change would not"
        } else {
            return Ok(());
        };
        Err(Error::forbidden(format!(
            "this token may not {what}: {limit}; sign in with a link or a password, or show a \
             token without limits"
        )))
    }

    /// Returns `true` if the token reaches less than its owner.
    pub fn is_limited(&self) -> bool {
        self.scopes != Scopes::ALL || !self.organizations.is_empty() || !self.spaces.is_empty()
    }

    /// Returns `true` if the token reaches this organization.
    pub fn reaches_organization(&self, organization: OrganizationId) -> bool {
        self.organizations.is_empty() || self.organizations.contains(&organization)
    }

    /// Returns `true` if the token reaches this space.
    pub fn reaches_space(&self, space: SpaceId) -> bool {
        self.spaces.is_empty() || self.spaces.contains(&space)
    }
}

/// The caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Caller {
    /// The request has no valid credentials.
    Anonymous,
    /// A person.
    Person(Person),
}

impl Caller {
    /// The person, if it is one.
    pub const fn person(&self) -> Option<&Person> {
        match self {
            Self::Anonymous => None,
            Self::Person(person) => Some(person),
        }
    }
}
