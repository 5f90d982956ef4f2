//! Readers of published sites who have no role in the site's organization.

use bindery_model::{Role, SiteVisibility};

/// A reader of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Any reader.
    Public,
    /// A reader with a valid share key of this site.
    ShareKey,
    /// A visitor who is signed in to this site through its organization.
    Visitor,
    /// A reader with a valid preview of this site, which a member created.
    Preview,
}

impl Reader {
    /// All readers.
    pub const ALL: [Self; 4] = [Self::Public, Self::ShareKey, Self::Visitor, Self::Preview];

    /// Returns the reader's role on a site and on the content that it shows; `None` if the site does
    /// not exist for the reader. A site that is not published exists for previews only.
    pub const fn role(self, visibility: SiteVisibility, published: bool) -> Option<Role> {
        let reads = match (self, visibility) {
            (Self::Preview, _) => true,
            (_, SiteVisibility::Public | SiteVisibility::Unlisted) => published,
            (_, SiteVisibility::ShareLink) => published && matches!(self, Self::ShareKey),
            (_, SiteVisibility::VisitorAuth) => published && matches!(self, Self::Visitor),
        };
        if reads { Some(Role::Read) } else { None }
    }

    /// Returns `true` if the reader can see a site with this audience.
    pub fn sees(self, visibility: SiteVisibility, published: bool) -> bool {
        let role = self.role(visibility, published);
        super::decide(role, super::Scopes::READ, super::Action::ReadSite)
            == super::Decision::Allowed
    }
}
