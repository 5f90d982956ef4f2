//! The targets of references as readers see them.

use super::{FileLink, Links, PageLink, safe_url, safe_web_url};
use crate::document::Reference;
use crate::reference::{ContentRef, Target, inlined, with_anchor};

/// The target of a link.
pub(crate) enum Destination {
    /// An address, and the title of what is there if it is known.
    Address { href: String, title: Option<String> },
    /// There is no address.
    Broken,
}

/// The anchors of the page that contains the references.
pub(crate) trait Anchors {
    /// Returns the anchor that a link within the page means.
    fn anchor<'a>(&'a self, written: &'a str) -> &'a str;
    /// Returns the text of the heading with this anchor.
    fn title(&self, anchor: &str) -> Option<&str>;
}

/// Returns the address of a reference. `raw` is its target as written.
pub(crate) fn destination(
    links: &dyn Links,
    own: &dyn Anchors,
    raw: &str,
    target: &ContentRef,
) -> Destination {
    let address = |link: PageLink, anchor: Option<&str>| {
        let href = match anchor {
            Some(anchor) => format!("{}#{anchor}", link.href),
            None => link.href,
        };
        Destination::Address { href, title: Some(link.title) }
    };
    let found = match target {
        ContentRef::Url { url } => {
            links.application_url(url).map(|link| address(link, None)).or_else(|| {
                let href = safe_url(url)?.to_owned();
                Some(Destination::Address { href, title: None })
            })
        }
        ContentRef::Page { page, space } => {
            links.page(page, space.as_deref()).map(|link| address(link, None))
        }
        ContentRef::Anchor { anchor, page: Some(page), space } => {
            links.page(page, space.as_deref()).map(|link| {
                let found = space.is_none().then(|| links.anchor(page, anchor)).flatten();
                address(link, Some(found.as_deref().unwrap_or(anchor)))
            })
        }
        ContentRef::Anchor { anchor, page: None, space: Some(space) } => {
            links.space(space).map(|link| address(link, Some(anchor)))
        }
        ContentRef::Anchor { anchor, page: None, space: None } => {
            Some(Destination::Address { href: format!("#{}", own.anchor(anchor)), title: None })
        }
        ContentRef::File { file } => {
            let page = links.file_page(file);
            let file = || links.file(file).map(|FileLink { href, name, .. }| (href, name));
            page.map(|PageLink { href, title }| (href, title)).or_else(file).map(|(href, title)| {
                // A file can have positions, too, such as the pages of a PDF.
                let href = match Target::parse(raw, "") {
                    Target::Path { anchor: Some(anchor), .. } => with_anchor(href, &anchor),
                    _ => href,
                };
                Destination::Address { href, title: Some(title) }
            })
        }
        ContentRef::Space { space } => links.space(space).map(|link| address(link, None)),
        ContentRef::Collection { collection } => {
            links.collection(collection).map(|link| address(link, None))
        }
        ContentRef::User { .. }
        | ContentRef::ReusableContent { .. }
        | ContentRef::OpenApi { .. } => None,
    };
    found.unwrap_or(Destination::Broken)
}

/// Returns the text for a reference that has no text of its own: the title of a page, the text of a
/// heading, or both if the heading is on another page.
pub(crate) fn name(links: &dyn Links, own: &dyn Anchors, reference: &Reference) -> String {
    let Reference { raw, target, name, .. } = reference;
    if let ContentRef::User { user } = target {
        let name = links.user(user).or_else(|| name.clone());
        return name.unwrap_or_else(|| links.labels().person.to_owned());
    }
    if let ContentRef::Anchor { anchor, page: None, space: None } = target {
        let anchor = own.anchor(anchor);
        return own.title(anchor).map_or_else(|| format!("#{anchor}"), str::to_owned);
    }
    let found = destination(links, own, raw, target);
    if let (Destination::Address { .. }, Some(name)) = (&found, name)
        && target.page_elsewhere().is_some_and(|space| !links.knows_pages_of(&space))
    {
        return name.clone();
    }
    match found {
        Destination::Address { href, title: Some(title) } => match target {
            ContentRef::Anchor { page: Some(page), space: None, .. } => {
                let anchor = href.rsplit_once('#').map_or("", |(_, anchor)| anchor);
                match links.anchor_title(page, anchor) {
                    Some(heading) => format!("{title} › {heading}"),
                    None => title,
                }
            }
            _ => title,
        },
        Destination::Address { href, title: None } => href,
        // The data of a picture says nothing to readers.
        Destination::Broken if inlined::is_data(raw) => String::new(),
        Destination::Broken => {
            let raw = raw.trim_end_matches('/');
            raw.rsplit('/').next().unwrap_or(raw).to_owned()
        }
    }
}

/// Returns the image that a reference shows.
pub(crate) fn image_file(links: &dyn Links, target: &ContentRef) -> Option<FileLink> {
    match target {
        ContentRef::File { file } => links.file(file),
        ContentRef::Url { url } => {
            safe_web_url(url).map(|href| FileLink { href: href.to_owned(), ..FileLink::default() })
        }
        _ => None,
    }
}
