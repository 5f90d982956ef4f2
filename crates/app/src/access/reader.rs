//! Readers of published sites who have no role in the site's organization.

use bindery_model::Role;

/// Whom a site is for, in the contract's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// Everybody; search engines too.
    Public,
    /// Everybody who knows the address.
    Unlisted,
    /// A reader with one of the site's share keys.
    ShareLink,
    /// A reader that the organization's own sign-in vouches for.
    VisitorAuth,
}

impl Audience {
    /// All audiences.
    pub const ALL: [Self; 4] = [Self::Public, Self::Unlisted, Self::ShareLink, Self::VisitorAuth];

    /// The contract's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::ShareLink => "share-link",
            Self::VisitorAuth => "visitor-auth",
        }
    }

    /// Reads the contract's word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|audience| audience.as_str() == text)
    }
}

/// A reader of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Any reader.
    Public,
    /// A reader with a valid share key of this site.
    ShareKey,
    /// A visitor that the site's organization vouches for, on this site.
    Visitor,
}

impl Reader {
    /// All readers.
    pub const ALL: [Self; 3] = [Self::Public, Self::ShareKey, Self::Visitor];

    /// The reader's level on a site, on what it shows and on nothing else; `None`: the site does
    /// not exist for them. What is not published does for nobody.
    pub const fn role(self, audience: Audience, published: bool) -> Option<Role> {
        let reads = match audience {
            Audience::Public | Audience::Unlisted => true,
            Audience::ShareLink => matches!(self, Self::ShareKey),
            Audience::VisitorAuth => matches!(self, Self::Visitor),
        };
        if published && reads { Some(Role::Read) } else { None }
    }

    /// Returns `true` if the reader can see a site with this audience. An unknown audience admits
    /// nobody.
    pub fn sees(self, visibility: &str, published: bool) -> bool {
        let audience = Audience::parse(visibility);
        let role = audience.and_then(|audience| self.role(audience, published));
        super::decide(role, super::Scopes::READ, super::Action::ReadSite)
            == super::Decision::Allowed
    }
}
