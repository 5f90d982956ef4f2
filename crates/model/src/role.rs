//! The six levels of the specification and the default levels that refer to them.

use serde::{Deserialize, Serialize};

/// What a person may do, lowest first; each level includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees the content.
    Read,
    /// Also comments and reacts.
    Comment,
    /// Also makes and edits change requests, and edits live content.
    Edit,
    /// Also approves, requests changes and merges.
    Review,
    /// Also makes, moves and duplicates content, publishes sites, runs Git synchronisation.
    Create,
    /// Also manages settings, permissions and deletion.
    Admin,
}

impl Role {
    /// All levels, lowest first.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Comment, Self::Edit, Self::Review, Self::Create, Self::Admin];

    /// The contract's word.
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

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// What somebody is in a team.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TeamRole {
    /// Manages the team.
    Owner,
    /// Has what the team was granted.
    Member,
}

impl TeamRole {
    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
        }
    }

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Owner, Self::Member].into_iter().find(|role| role.as_str() == text)
    }
}

/// The level that a place gives to members who have no grant of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Level {
    /// What the place above gives.
    #[default]
    Inherit,
    /// Nothing.
    None,
    /// This role.
    Role(Role),
}

impl Level {
    /// The contract's word; `None` where the contract has null.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Inherit => Some("inherit"),
            Self::None => None,
            Self::Role(role) => Some(role.as_str()),
        }
    }

    /// Reads the contract's word, null included; outer `None` for any other word.
    pub fn parse(text: Option<&str>) -> Option<Self> {
        match text {
            None => Some(Self::None),
            Some("inherit") => Some(Self::Inherit),
            Some(other) => Role::parse(other).map(Self::Role),
        }
    }
}
