//! Writes the references of Markdown source as readers of the page see them: with the addresses of
//! the page's links and the names of their targets, and as words where a link leads nowhere.

mod blocks;
mod construct;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::HashMap;

use crate::anchor_index::AnchorIndex;
use crate::document::{Document, Reference, ReferenceRole};
use crate::html::target::{self, Anchors, Destination};
use crate::html::{FileLink, Links};
use crate::markdown;
use crate::rebase::{RoleIndex, enclosed_span, encode_target, escape_label};
use crate::reference::{ParseContext, ScannedTarget, Syntax, destination, resolve, scan};
use crate::source::Span;

use construct::Construct;

/// The page whose source is written.
#[derive(Clone, Copy)]
pub struct Shown<'s> {
    /// Resolves references. Addresses begin with their scheme.
    pub links: &'s dyn Links,
    /// The address of the page, which precedes the anchors of links within it.
    pub address: &'s str,
    /// `true` if the source is that of a reusable content. Its links within the page are taken as
    /// written.
    pub is_included: bool,
    /// The number of bytes that further addresses and names may have. Further references stay
    /// unchanged.
    pub room: &'s Cell<usize>,
}

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shown").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Returns the source as its readers see it: references have the addresses and names that the page
/// shows, and a link without an address becomes its words. Returns `None` if nothing changes.
///
/// For example, `[b.md](b.md "mention")` becomes `[Title](https://docs.example/b)`.
#[must_use]
pub fn write(source: &str, context: &ParseContext<'_>, shown: &Shown<'_>) -> Option<String> {
    let places: Vec<ScannedTarget<'_>> = scan(source).collect();
    if places.is_empty() && !source.contains([':', '%']) {
        return None;
    }
    let document = markdown::parse(source, context);
    let index = if shown.is_included { AnchorIndex::default() } else { AnchorIndex::of(&document) };
    let own = OwnAnchors { index };
    let writer = Writer { source, context, shown, own };
    let mut edits = writer.blocks(&document);
    writer.places(&document, &places, &mut edits);
    writer.apply(edits)
}

/// The anchors of the page.
struct OwnAnchors {
    index: AnchorIndex,
}

impl Anchors for OwnAnchors {
    fn anchor<'a>(&'a self, written: &'a str) -> &'a str {
        self.index.resolve(written).unwrap_or(written)
    }

    fn title(&self, anchor: &str) -> Option<&str> {
        self.index.title(anchor)
    }
}

/// Spans of the source with what replaces them.
type Edits = Vec<(Span, String)>;

struct Writer<'w> {
    source: &'w str,
    context: &'w ParseContext<'w>,
    shown: &'w Shown<'w>,
    own: OwnAnchors,
}

/// The address and the name by which readers see a reference.
#[derive(Clone)]
struct Seen {
    /// The address; `None` if there is no link.
    href: Option<String>,
    /// The name of the target.
    name: String,
}

impl Writer<'_> {
    fn see(&self, reference: &Reference) -> Seen {
        let Shown { links, address, .. } = *self.shown;
        let href = match target::destination(links, &self.own, &reference.raw, &reference.target) {
            Destination::Address { href, .. } if href.starts_with('#') && href.len() > 1 => {
                Some(format!("{address}{href}"))
            }
            Destination::Address { href, .. } => Some(href),
            Destination::Broken => None,
        };
        Seen { href, name: target::name(links, &self.own, reference) }
    }

    fn file(&self, reference: &Reference) -> Option<FileLink> {
        target::image_file(self.shown.links, &reference.target)
    }

    /// Returns a link with the name of its target, or the name alone.
    fn named(&self, reference: &Reference) -> String {
        let Seen { href, name } = self.see(reference);
        markdown_link(href.as_deref(), &name)
    }

    /// Adds the edits for the targets in links, images and attributes.
    fn places(&self, document: &Document, places: &[ScannedTarget<'_>], edits: &mut Edits) {
        let roles = RoleIndex::of(document, places.iter());
        let mut names = HashMap::new();
        for used in document.references() {
            if let Some(name) = &used.reference.name {
                names.entry(used.reference.raw.as_str()).or_insert(name);
            }
        }
        let mut known: HashMap<&str, Seen> = HashMap::new();
        for place in places {
            let Some(role) = roles.role_at(place) else { continue };
            if role == ReferenceRole::ReusableContent {
                continue;
            }
            let reference = Reference {
                raw: place.raw.clone().into_owned(),
                span: place.span,
                target: resolve(&place.raw, self.context.path, self.context.lookup),
                name: names.get(place.raw.as_ref()).map(|name| (*name).clone()),
            };
            let construct = Construct::at(self.source, place);
            if construct.as_ref().is_some_and(Construct::is_image) {
                self.image(place, &reference, construct, edits);
                continue;
            }
            let seen = known.entry(place.raw.as_ref()).or_insert_with(|| self.see(&reference));
            self.link(place, role, seen, construct, edits);
        }
    }

    fn link(
        &self,
        place: &ScannedTarget<'_>,
        role: ReferenceRole,
        seen: &Seen,
        construct: Option<Construct>,
        edits: &mut Edits,
    ) {
        let Seen { href, name } = seen;
        let is_named = matches!(
            role,
            ReferenceRole::Mention | ReferenceRole::ContentRef | ReferenceRole::Cell
        );
        let is_element = matches!(place.syntax, Syntax::Attribute { .. });
        match (construct, href) {
            (Some(Construct { span, .. }), None) if is_named => {
                edits.push((span, escape_label(name, place.syntax)));
            }
            (Some(construct), Some(href)) if is_named && is_element => {
                edits.push((construct.label, escape_label(name, place.syntax)));
                edits.push((place.span, encode_target(href, place.syntax)));
            }
            (Some(Construct { span, .. }), Some(href)) if is_named => {
                edits.push((span, markdown_link(Some(href), name)));
            }
            // A link without a text cannot be seen, and an address that only a script follows is
            // none.
            (Some(Construct { span, label, .. }), href)
                if href.as_deref().is_none_or(|href| href == "#")
                    || (role == ReferenceRole::Link && label.of(self.source).trim().is_empty()) =>
            {
                edits.push((Span::new(span.start, label.start), String::new()));
                edits.push((Span::new(label.end, span.end), String::new()));
            }
            (_, Some(href)) => {
                edits.push((enclosed_span(place), encode_target(href, place.syntax)));
            }
            (_, None) => {}
        }
    }

    fn image(
        &self,
        place: &ScannedTarget<'_>,
        reference: &Reference,
        construct: Option<Construct>,
        edits: &mut Edits,
    ) {
        let Some(construct) = construct else { return };
        if let Some(FileLink { href, .. }) = self.file(reference) {
            edits.push((enclosed_span(place), encode_target(&href, place.syntax)));
            return;
        }
        let words = match construct.alt(self.source) {
            _ if construct.is_variant() => String::new(),
            Some(alt) if construct.is_captioned(self.source, &alt) => String::new(),
            Some(alt) => escape_label(&alt, place.syntax),
            None => escape_label(&self.see(reference).name, place.syntax),
        };
        edits.push((construct.span, words));
    }

    /// Applies the edits. Those within the span of another are ignored.
    fn apply(&self, mut edits: Edits) -> Option<String> {
        if edits.is_empty() {
            return None;
        }
        edits.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let room = self.shown.room;
        let mut written = String::with_capacity(self.source.len() + 64);
        let mut at = 0;
        for (span, new) in edits {
            if span.start < at || (room.get() == 0 && !new.is_empty()) {
                continue;
            }
            room.set(room.get().saturating_sub(new.len()));
            written.push_str(Span::new(at, span.start).of(self.source));
            written.push_str(&new);
            at = span.end;
        }
        written.push_str(self.source.get(at..).unwrap_or_default());
        Some(written)
    }
}

/// Writes a link in Markdown, or only its name if there is no address.
fn markdown_link(href: Option<&str>, name: &str) -> String {
    let name = escape_label(name, Syntax::Link { enclosed: false });
    match href {
        Some(href) => format!("[{name}]({})", destination(href)),
        None => name,
    }
}
