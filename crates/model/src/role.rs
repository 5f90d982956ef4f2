//! The six roles of the API contract and the default levels that refer to them.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

crate::closed_set! {
    /// A role, lowest first. Each role includes the rights of the roles before it.
    Role {
        /// Can read content.
        Read = "read",
        /// Can also comment and react.
        Comment = "comment",
        /// Can also create and edit change requests, and edit live content.
        Edit = "edit",
        /// Can also approve, request changes and merge.
        Review = "review",
        /// Can also create, move and duplicate content, publish sites, and run Git synchronisation.
        Create = "create",
        /// Can also manage settings and permissions, and delete.
        Admin = "admin",
    }
}

crate::closed_set! {
    /// A person's role in a team.
    TeamRole {
        /// Can manage the team.
        Owner = "owner",
        /// Has the access granted to the team.
        Member = "member",
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
