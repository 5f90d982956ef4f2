//! The six roles of the API contract and the default levels that refer to them.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A role, lowest first. Each role includes the rights of the roles before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Can read content.
    Read,
    /// Can also comment and react.
    Comment,
    /// Can also create and edit change requests, and edit live content.
    Edit,
    /// Can also approve, request changes and merge.
    Review,
    /// Can also create, move and duplicate content, publish sites, and run Git synchronisation.
    Create,
    /// Can also manage settings and permissions, and delete.
    Admin,
}

impl Role {
    /// All roles, lowest first.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Comment, Self::Edit, Self::Review, Self::Create, Self::Admin];

    /// Returns the role's name in the API contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Comment => "comment",
            Self::Edit => "edit",
            Self::Review => "review",
            Self::Create => "create",
            Self::Admin => "admin",
        }
    }

    /// Parses the role's name in the API contract.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A person's role in a team.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TeamRole {
    /// Can manage the team.
    Owner,
    /// Has the access granted to the team.
    Member,
}

impl TeamRole {
    /// Returns the role's name in the API contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
        }
    }

    /// Parses the role's name in the API contract.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Owner, Self::Member].into_iter().find(|role| role.as_str() == text)
    }
}

/// The access that a resource gives to members without a grant of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Level {
    /// The level of the containing collection.
    #[default]
    Inherit,
    /// No access.
    None,
    /// This role.
    Role(Role),
}

impl Level {
    /// Returns the level's name in the API contract; `None` where the contract uses null.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Inherit => Some("inherit"),
            Self::None => None,
            Self::Role(role) => Some(role.as_str()),
        }
    }

    /// Parses the level's name in the API contract, where `None` stands for null. Returns `None`
    /// for an unknown name.
    pub fn parse(text: Option<&str>) -> Option<Self> {
        match text {
            None => Some(Self::None),
            Some("inherit") => Some(Self::Inherit),
            Some(other) => Role::parse(other).map(Self::Role),
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_str().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Option::<Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(text.as_deref()).ok_or_else(|| D::Error::custom("not a default level"))
    }
}
