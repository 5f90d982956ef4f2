//! Mistakes in the pages that a change request adds or changes.

use bindery_content::problems::problems;
pub use bindery_content::problems::{Problem, ProblemKind};
use bindery_model::Result;
use bindery_revision::PageRecord;
use bindery_revision::tree::Tree;

use crate::Context;
use crate::content::differences::{self, Pair, Thing};
use crate::content::openapi::BlockChecks;
use crate::content::snapshot::{Snapshot, broken_tree};
use crate::content::{documents, expressions};
use crate::review::change_requests::ChangeRequestTarget;

/// Maximum number of pages that are checked.
const MAX_PAGES: usize = 500;
/// Maximum number of mistakes in a list.
const MAX_PROBLEMS: usize = 100;
/// Maximum size of the texts that are checked, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// A mistake in a page.
#[derive(Clone, Debug)]
pub struct PageProblem {
    /// The page.
    pub page: PageRecord,
    /// The path of the page.
    pub path: String,
    /// The kind of the mistake.
    pub kind: ProblemKind,
    /// The explanation.
    pub message: String,
    /// The key of the block; `None` for the condition of the page.
    pub node: Option<String>,
    /// The source of the mistake.
    pub source: String,
}

/// The mistakes in the pages of a change request.
#[derive(Clone, Debug)]
pub struct Problems {
    /// The first mistakes.
    pub items: Vec<PageProblem>,
    /// `true` if all pages were checked and all mistakes are listed.
    pub complete: bool,
}

/// Returns the mistakes in the pages that a change request adds or changes, in the order of the
/// pages.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_change_request(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<Problems> {
    let at = |revision| Snapshot::of(cx.app, cx.tx, &target.space, Some(revision));
    let before = at(target.change_request.merged_ancestor)?;
    let after = at(target.change_request.head)?;
    let (old, new) = (&before.revision.content, &after.revision.content);
    let objects = cx.tx.objects();
    let (found, more) = differences::between(old, new, &objects)?;
    let pages = found.into_iter().filter_map(|found| match found.thing {
        Thing::Page(pair, _) => changed(*pair),
        Thing::Reusable(_) | Thing::File(_) | Thing::Variable(..) => None,
    });
    let ChangeRequestTarget { space, change_request, .. } = target;
    let mut blocks = BlockChecks::new(cx, space.organization, change_request.created_at);
    let mut listed = Problems { items: Vec::new(), complete: more == 0 };
    let mut bytes = 0_usize;
    for (number, page) in pages.enumerate() {
        if number == MAX_PAGES || bytes > MAX_BYTES {
            listed.complete = false;
            break;
        }
        let path = Tree::new(new, &objects).path(page.id).map_err(broken_tree)?;
        let problem = |kind, message, node, source| {
            let (page, path) = (page.clone(), path.clone());
            PageProblem { page, path, kind, message, node, source }
        };
        if let Some((condition, message)) = condition_mistake(&page) {
            listed.items.push(problem(ProblemKind::InvalidCondition, message, None, condition));
        }
        let Some(body) = &page.body else { continue };
        let parsed = documents::parse(cx.app, &objects, Some(new), body)?;
        bytes = bytes.saturating_add(parsed.body.len());
        for Problem { kind, message, block, source } in
            problems(&parsed.document, MAX_PROBLEMS.saturating_add(1))
                .into_iter()
                .chain(blocks.problems(&parsed.document)?)
        {
            listed.items.push(problem(kind, message, Some(block.to_string()), source));
        }
        if listed.items.len() > MAX_PROBLEMS {
            listed.items.truncate(MAX_PROBLEMS);
            listed.complete = false;
            break;
        }
    }
    Ok(listed)
}

/// Returns the page after a change of its text or condition.
fn changed(pair: Pair<PageRecord>) -> Option<PageRecord> {
    let Pair { before, after } = pair;
    let after = after?;
    let is_changed = before
        .is_none_or(|before| before.body != after.body || before.condition != after.condition);
    is_changed.then_some(after)
}

/// Returns the condition of a page and the mistake in it.
fn condition_mistake(page: &PageRecord) -> Option<(String, String)> {
    let condition = page.condition.as_ref()?;
    let message = expressions::check_known(condition).err()?;
    Some((condition.clone(), message.to_string()))
}
