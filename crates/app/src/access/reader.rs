//! Readers of published sites who have no role in the site's organization.

use bindery_model::Role;

/// The audience of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    /// All readers, including search engines.
    Public,
    /// All readers who know the address.
    Unlisted,
    /// Readers with one of the site's share keys.
    ShareLink,
    /// Readers who are signed in through the organization.
    VisitorAuth,
}

impl Audience {
    /// All audiences.
    pub const ALL: [Self; 4] = [Self::Public, Self::Unlisted, Self::ShareLink, Self::VisitorAuth];

    /// Returns the audience's name in the API contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
            Self::ShareLink => "share-link",
            Self::VisitorAuth => "visitor-auth",
        }
    }

    /// Parses the audience's name in the API contract.
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
    /// A visitor who is signed in to this site through its organization.
    Visitor,
}

impl Reader {
    /// All readers.
    pub const ALL: [Self; 3] = [Self::Public, Self::ShareKey, Self::Visitor];

    /// Returns the reader's role on a site and on the content that it shows; `None` if the site does
    /// not exist for the reader. A site that is not published exists for no reader.
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
