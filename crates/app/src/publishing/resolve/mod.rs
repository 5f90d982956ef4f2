//! Resolution of addresses of published sites: the site, the visitor, the space and the page.
//!
//! The pages of the crate `site` and the API find content with the same functions.

mod addresses;
mod content;
mod hosts;
mod lookup;
mod reader;
pub mod site_tokens;

pub use content::{ContentAddress, content_at};
pub use hosts::HostSites;
pub use lookup::{Lookup, PublishedContent, RedirectTarget, Resolution, resolve};
pub use reader::SiteReader;
pub use site_tokens::SiteToken;

use super::audience::preview::PREVIEW_PATH;
use super::sites::SiteSpace;
use super::structure::SiteStructure;

/// The site that a path on the host of published sites leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SitePath<'a> {
    /// A path of a published site.
    Site {
        /// The first segment, which is the basename of the site.
        basename: &'a str,
        /// The path below it; `None` if there is no slash after the basename.
        below: Option<&'a str>,
    },
    /// A path of a preview: the id of the site and the path below it.
    Preview(&'a str),
}

impl<'a> SitePath<'a> {
    /// Divides the path of a request.
    pub fn parse(path: &'a str) -> Self {
        if let Some(rest) = path.strip_prefix(PREVIEW_PATH) {
            return Self::Preview(rest);
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        match path.split_once('/') {
            Some((basename, below)) => Self::Site { basename, below: Some(below) },
            None => Self::Site { basename: path, below: None },
        }
    }
}

/// Returns the site space that a path below the site belongs to, the rest of the path, and `true` if
/// no longer path that begins like this one belongs to another site space.
fn place<'s, 'p>(
    structure: &'s SiteStructure,
    path: &'p str,
) -> Option<(&'s SiteSpace, &'p str, bool)> {
    let (found, rest) = structure.resolve(path)?;
    let base = structure.site_space_path(found);
    let is_below = |other: &SiteSpace| {
        other.id != found.id && structure.site_space_path(other).starts_with(&base)
    };
    let is_final = !rest.is_empty() || !structure.site_spaces.iter().any(is_below);
    Some((found, rest, is_final))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_a_site_or_a_preview() {
        for (path, expect) in [
            ("/", SitePath::Site { basename: "", below: None }),
            ("/docs", SitePath::Site { basename: "docs", below: None }),
            ("/docs/", SitePath::Site { basename: "docs", below: Some("") }),
            ("/docs/a/b", SitePath::Site { basename: "docs", below: Some("a/b") }),
            ("/~preview/x/a", SitePath::Preview("x/a")),
        ] {
            assert_eq!(SitePath::parse(path), expect, "{path}");
        }
    }
}
