//! Broken links of single pages, to report them to the author after a change.

use std::collections::HashMap;

use bindery_content::document::{Inline, InlineKind, Key, Reference, Visit, plain_text};
use bindery_model::{PageId, Result};
use bindery_revision::Content;
use bindery_store::spaces::Space;

use super::context::{LinkContext, Status};
use super::resolve::{Group, Resolver};
use super::written::{Text, written_in};
use crate::Context;
use crate::content::snapshot::broken_object;
use crate::content::texts::{self, Paths};

/// Maximum bytes of other texts that are read to find the anchors that links name. Beyond this
/// limit, anchors are assumed to exist, because other writers wait meanwhile.
const MAX_READ: usize = 4 << 20;
/// Maximum number of references of one text that are checked.
const MAX_REFERENCES: usize = 5_000;

/// A link whose target does not exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenLink {
    /// The page that holds it.
    pub page: PageId,
    /// The innermost block that holds it.
    pub block: Key,
    /// The link text that readers see; empty for images, files and blocks.
    pub text: String,
    /// The target as it is written.
    pub url: String,
}

/// Returns the broken links in the texts of these pages, in order, at most `limit`. Skips pages
/// that do not exist.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn broken_links(
    cx: &Context<'_>,
    space: &Space,
    content: &Content,
    pages: &[PageId],
    limit: usize,
) -> Result<Vec<BrokenLink>> {
    let objects = cx.tx.objects();
    let context = LinkContext::new(cx, space);
    let resolver = Resolver::new(content, &objects);
    let mut found = Vec::new();
    for page in pages {
        let record = content.page(&objects, *page).map_err(broken_object)?;
        let Some(record) = record else { continue };
        let text = Text::of_page(&objects, record)?;
        let Some(body) = text.body() else { continue };
        let known = Paths::of([body]);
        let document = texts::parse(body, &known);
        let mut labels = Labels::default();
        document.walk(&mut labels);
        let mut resolved = HashMap::new();
        for held in document.references().into_iter().take(MAX_REFERENCES) {
            if found.len() >= limit {
                return Ok(found);
            }
            let Some(written) = written_in(text.holder, body, &known, &held) else { continue };
            let name = written.name().map_err(broken_object)?;
            let is_broken = match resolved.get(&name) {
                Some(known) => *known,
                None if written.has_anchor() && resolver.bytes_read() > MAX_READ => false,
                None => {
                    let (target, _) = resolver.resolve(&written)?;
                    let is_broken = match target.group {
                        Group::Broken => true,
                        Group::Sound => false,
                        Group::Elsewhere => context.resolve(&target.found)?.0 == Status::Broken,
                    };
                    resolved.insert(name, is_broken);
                    is_broken
                }
            };
            if is_broken {
                found.push(BrokenLink {
                    page: *page,
                    block: held.block.key,
                    text: labels.of(held.reference),
                    url: held.reference.raw.clone(),
                });
            }
        }
    }
    Ok(found)
}

/// Collects the texts of links by reference.
#[derive(Default)]
struct Labels<'d>(HashMap<*const Reference, &'d [Inline]>);

impl Labels<'_> {
    fn of(&self, reference: &Reference) -> String {
        let nodes = self.0.get(&std::ptr::from_ref(reference));
        nodes.map(|nodes| plain_text(nodes)).unwrap_or_default()
    }
}

impl<'d> Visit<'d> for Labels<'d> {
    fn inline(&mut self, inline: &'d Inline) {
        if let InlineKind::Link(link) = &inline.kind {
            self.0.insert(std::ptr::from_ref(&link.reference), &link.nodes);
        }
    }
}
