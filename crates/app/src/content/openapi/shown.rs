//! Specifications that the readers of a site may read, because a page that they see shows them.

use bindery_model::Result;
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects, PageRecord};
use bindery_store::openapi::OpenApiSpec;
use bindery_store::spaces;
use serde_json::Value;

use crate::Context;
use crate::access::Caller;
use crate::content::computed::PageSource;
use crate::content::documents::{self, Evaluation};
use crate::content::links::{Holder, LinkContext, holders_of_spec};
use crate::content::snapshot::{Snapshot, broken_object, broken_tree};
use crate::publishing::adaptive::Answers;
use crate::publishing::published::admits;
use crate::publishing::resolve::SiteReader;

/// Maximum number of pages and reusable contents that are looked at.
const MAX_HOLDERS: usize = 50;

/// Returns `true` if the caller reads a site with a token, and a page that the caller sees shows the
/// specification.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn is_shown(cx: &Context<'_>, spec: &OpenApiSpec) -> Result<bool> {
    let Caller::Visitor(reader) = cx.caller else { return Ok(false) };
    let SiteReader::Token(token) = &**reader else { return Ok(false) };
    if token.site.organization != spec.organization {
        return Ok(false);
    }
    let answers = Answers::new(cx.visitor_claims()?);
    for space in &token.spaces {
        let space = spaces::get(cx.tx, *space)?.filter(|space| space.deleted_at.is_none());
        let Some(space) = space else { continue };
        let head = token.change_request.as_ref().filter(|proposed| proposed.space == space.id);
        let head = head.map(|proposed| proposed.head);
        let snapshot = Snapshot::of(cx.app, cx.tx, &space, head)?;
        let look = Look { cx, snapshot: &snapshot, slug: &spec.slug, answers: &answers };
        let context = LinkContext::new(cx, &space);
        if look.has_source()? || look.has_block(&context)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A search for a specification on the pages of a space that a visitor sees.
struct Look<'a> {
    cx: &'a Context<'a>,
    snapshot: &'a Snapshot,
    slug: &'a str,
    answers: &'a Answers,
}

impl Look<'_> {
    fn content(&self) -> &Content {
        &self.snapshot.revision.content
    }

    /// Returns `true` if a page that the visitor sees stands for the pages of the specification.
    fn has_source(&self) -> Result<bool> {
        let objects = self.cx.tx.objects();
        for id in &self.content().computed {
            let page = self.content().page(&objects, *id).map_err(broken_object)?;
            let Some(page) = page else { continue };
            if PageSource::of(&page).is_some_and(|source| source.spec == self.slug)
                && self.sees(&page, &objects)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns `true` if a page or a reusable content has a block of the specification, also after
    /// its conditions were evaluated for the visitor.
    fn has_block(&self, context: &LinkContext<'_>) -> Result<bool> {
        let objects = self.cx.tx.objects();
        let holders = holders_of_spec(context, self.content(), self.slug, MAX_HOLDERS)?;
        for holder in holders {
            let (app, snapshot) = (self.cx.app, self.snapshot);
            let all = Evaluation::All;
            let document = match holder {
                Holder::Page(id) => {
                    let page = self.content().page(&objects, id).map_err(broken_object)?;
                    let Some(page) = page else { continue };
                    if !self.sees(&page, &objects)? {
                        continue;
                    }
                    documents::of_page(app, &objects, snapshot, &page, all, self.answers)?
                }
                Holder::Reusable(id) => {
                    let found = self.content().reusable(&objects, id).map_err(broken_object)?;
                    let Some(found) = found else { continue };
                    documents::of_reusable(app, &objects, snapshot, &found, all, self.answers)?
                }
            };
            if refers_to(&document, self.slug) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns `true` if the visitor sees a page and all pages above it.
    fn sees(&self, page: &PageRecord, objects: &dyn Objects) -> Result<bool> {
        let above = Tree::new(self.content(), objects).ancestors(page.id).map_err(broken_tree)?;
        let variables = &self.content().variables;
        Ok(above.iter().chain([page]).all(|page| admits(self.answers, variables, page)))
    }
}

/// Returns `true` if a document refers to the specification with a slug.
fn refers_to(document: &str, slug: &str) -> bool {
    fn has(value: &Value, slug: &str) -> bool {
        match value {
            Value::Object(fields) => {
                let is =
                    |name: &str, text: &str| fields.get(name).is_some_and(|found| found == text);
                is("kind", "openapi") && is("spec", slug)
                    || fields.values().any(|value| has(value, slug))
            }
            Value::Array(items) => items.iter().any(|value| has(value, slug)),
            _ => false,
        }
    }
    serde_json::from_str(document).is_ok_and(|document| has(&document, slug))
}
