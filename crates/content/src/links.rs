//! Links from rendered documents: the addresses and names of the targets of references.

use std::sync::Arc;

use crate::document::{Document, OpenApiPart};
use crate::html::TagLabel;
use crate::labels::Labels;
use crate::reference::ContentRef;

/// The target of a link to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// The page's URL.
    pub href: String,
    /// The page's title.
    pub title: String,
}

/// A file that is shown or linked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileLink {
    /// The file's URL.
    pub href: String,
    /// The file's name.
    pub name: String,
    /// The size in bytes, if known.
    pub size: Option<u64>,
    /// The width and height in pixels, if the file is an image.
    pub dimensions: Option<(u32, u32)>,
}

/// The description of an embedded address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedCard {
    /// The title of the page at the address.
    pub title: String,
    /// The name of its site; empty if it is unknown.
    pub site: String,
    /// A sentence about the page; empty if there is none.
    pub description: String,
    /// A picture, as a copy that this server has.
    pub picture: Option<FileLink>,
}

/// A part of an OpenAPI specification as readers see it. The HTML is trusted.
#[derive(Debug, Clone, Default)]
pub struct OpenApiView {
    /// The title; empty if the part has none of its own.
    pub title: String,
    /// The HTML below the title, such as the method and the path.
    pub lead: String,
    /// The description.
    pub description: Option<Arc<Document>>,
    /// The HTML of the parameters, bodies and responses.
    pub details: String,
    /// The requests and responses beside them.
    pub samples: Option<Arc<Document>>,
}

/// Resolves references to URLs and provides the language of the interface.
pub trait Links {
    /// Returns the interface texts that occur within pages.
    fn labels(&self) -> &'static Labels {
        &Labels::ENGLISH
    }
    /// Returns a page of this space, or of another one if `space` is set.
    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink>;
    /// Returns the anchor on a page that a link means by `anchor`, if that can be told.
    fn anchor(&self, page: &str, anchor: &str) -> Option<String> {
        let _ = (page, anchor);
        None
    }
    /// Returns the text of the heading that has this anchor on a page, or the title of the tab or
    /// the section.
    fn anchor_title(&self, page: &str, anchor: &str) -> Option<String> {
        let _ = (page, anchor);
        None
    }
    /// Returns the page that shows the text of a file; `None` for files that are downloaded.
    fn file_page(&self, file: &str) -> Option<PageLink> {
        let _ = file;
        None
    }
    /// Returns a file.
    fn file(&self, file: &str) -> Option<FileLink>;
    /// Returns the document of a reusable content.
    fn reusable_content(&self, id: &str, space: Option<&str>) -> Option<Arc<Document>> {
        let _ = (id, space);
        None
    }
    /// Returns the first page of another space.
    fn space(&self, space: &str) -> Option<PageLink> {
        let _ = space;
        None
    }
    /// Returns `true` if links to pages of another space have the titles of the pages. Otherwise
    /// they have that of the space.
    fn knows_pages_of(&self, space: &str) -> bool {
        let _ = space;
        true
    }
    /// Returns the first page of a space in a collection.
    fn collection(&self, collection: &str) -> Option<PageLink> {
        let _ = collection;
        None
    }
    /// Returns the page or the space that an address of the application names, if it is known by
    /// that address. The link keeps the anchor of the address.
    fn application_url(&self, url: &str) -> Option<PageLink> {
        let _ = url;
        None
    }
    /// Returns the address of the player for a video or the like on another host. Nothing is loaded
    /// from there before the reader asks for it.
    fn player(&self, url: &str) -> Option<String> {
        let _ = url;
        None
    }
    /// Returns the description of an embedded address, if one is stored.
    fn embed(&self, url: &str) -> Option<EmbedCard> {
        let _ = url;
        None
    }
    /// Returns a part of an OpenAPI specification, named by its slug or the address of its source, if
    /// the specification has it.
    fn open_api(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<OpenApiView> {
        let _ = (spec, part);
        None
    }
    /// Returns a part of an OpenAPI specification as Markdown, if the specification has it.
    fn open_api_markdown(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<String> {
        let _ = (spec, part);
        None
    }
    /// Returns the name of a person.
    fn user(&self, user: &str) -> Option<String> {
        let _ = user;
        None
    }
    /// Returns a tag as the space defines it.
    fn tag(&self, tag: &str) -> Option<TagLabel> {
        let _ = tag;
        None
    }
    /// Returns `true` if a condition is true. If the result is unknown, the content is not shown.
    fn condition(&self, expression: &str) -> bool {
        let _ = expression;
        false
    }
    /// Returns the value of an expression as text.
    fn expression(&self, expression: &str) -> Option<String> {
        let _ = expression;
        None
    }
    /// Returns `true` if rendering must stop, either because the page has used up its budget for
    /// reads or because the request was cancelled. The document is then truncated.
    fn is_exhausted(&self) -> bool {
        false
    }
}

/// Resolves no references.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn page(&self, _page: &str, _space: Option<&str>) -> Option<PageLink> {
        None
    }
    fn file(&self, _file: &str) -> Option<FileLink> {
        None
    }
}
