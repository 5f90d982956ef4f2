//! Texts of pages as objects: parsed as documents, stored with their references, and merged.

mod merge;
mod paths;

pub use merge::DocumentBodies;
pub use paths::Paths;
pub(crate) use paths::{file_id, page_id, reusable_id};

use bindery_content::markdown;
use bindery_content::reference::{self, ContentRef as Reference, Lookup, ParseContext};
use bindery_content::{Document, Identity, Page, identity};
use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::{ContentRef, PageBody};

/// The base of relative links in a text without a file. It is deep enough for any number of `../`.
pub(crate) const NOWHERE: &str = "~/~/~/~/~/~/~/~/~/~/~/~/~/~/~/~/page.md";

/// Returns the path that relative targets of a text are resolved against.
pub(crate) fn path_of(body: &PageBody) -> &str {
    body.path.as_deref().unwrap_or(NOWHERE)
}

/// Returns the document of a text.
pub(crate) fn parse(body: &PageBody, lookup: &dyn Lookup) -> Document {
    parse_as(body, lookup, &Identity::decode(&body.identity))
}

/// Returns the document of a text with another identity than its own.
pub(crate) fn parse_as(body: &PageBody, lookup: &dyn Lookup, identity: &Identity) -> Document {
    let source = String::from_utf8_lossy(&body.source);
    let page = Page::split_as(&source, identity);
    let context = ParseContext { path: path_of(body), lookup };
    page.parse(&source, page.body.of(&source), &context, identity)
}

/// Returns a text in its stored form: with the targets of its references, and with the identity of
/// its nodes. Nodes keep the identity that they have in `before`, the previous document.
pub(crate) fn store(
    source: String,
    path: Option<String>,
    lookup: &dyn Lookup,
    before: Option<(&Document, &Identity)>,
) -> PageBody {
    let holder = path.as_deref().unwrap_or(NOWHERE);
    let identity = match before {
        None => Vec::new(),
        Some((document, known)) => {
            let text = Page::split_as(&source, known).body.of(&source);
            let after = markdown::parse(text, &ParseContext { path: holder, lookup });
            identity::transfer(document, known, &after).encode()
        }
    };
    let references = reference::targets(&source)
        .into_iter()
        .filter_map(|raw| {
            let target = match lookup.outside_url(&raw) {
                Some(address) => ContentRef::Url(address),
                None => inside(reference::resolve(&raw, holder, lookup))?,
            };
            Some(bindery_revision::Reference { raw, target })
        })
        .collect();
    PageBody { source: source.into(), path, references, identity: identity.into() }
}

/// Returns the target of a reference, if it is in the space.
fn inside(reference: Reference) -> Option<ContentRef> {
    match reference {
        Reference::Page { page, space: None } => {
            Some(ContentRef::Page { page: PageId::parse(&page)?, space: None })
        }
        Reference::Anchor { anchor, page: Some(page), space: None } => {
            Some(ContentRef::Anchor { page: Some(PageId::parse(&page)?), space: None, anchor })
        }
        Reference::File { file } => {
            Some(ContentRef::File { file: FileId::parse(&file)?, space: None })
        }
        Reference::ReusableContent { reusable_content, space: None } => {
            let reusable = ReusableContentId::parse(&reusable_content)?;
            Some(ContentRef::Reusable { reusable, space: None })
        }
        _ => None,
    }
}
