//! The page tree of a revision as JSON, made piece by piece while it is sent: a list of very many
//! pages is never held whole.

use bindery_app::App;
use bindery_app::content::{broken_object, broken_tree};
use bindery_model::{Error, PageId, Result};
use bindery_revision::Objects;
use bindery_revision::tree::Tree;
use bytes::Bytes;
use serde::Serialize;

use super::content::{Presented, Shown, listed};
use crate::reply::Pieces;

/// Bytes of a piece, more or less.
const PIECE: usize = 64 << 10;
/// Where the pages of an object without pages belong. In a text its quotes would be escaped.
const PAGES: &str = "\"pages\":[]";

/// The tree of a revision on its way to a client.
pub(crate) struct PageList {
    of: Presented,
    /// What was made and not yet taken.
    out: String,
    /// Arrays that are still open, the one of the whole tree first.
    open: Vec<Open>,
    /// The page that came last, and whether the pages below it follow.
    last: Option<(PageId, bool)>,
}

/// An array of pages under way.
struct Open {
    /// The rest of the object that it is in.
    rest: String,
    /// The path of the page that it is of.
    path: String,
    /// Whether it has a page already.
    begun: bool,
}

impl PageList {
    /// The pages of `of` in the place of the first empty list of pages in `whole`.
    pub(crate) fn new(of: Presented, whole: &impl Serialize) -> Result<Self> {
        let (out, rest) =
            split(&json(whole)?)?.ok_or_else(|| broken("without a place for pages"))?;
        let open = vec![Open { rest, path: String::new(), begun: false }];
        Ok(Self { of, out, open, last: None })
    }

    /// The next piece; `None` after the last.
    pub(crate) fn piece(&mut self, app: &App, objects: &dyn Objects) -> Result<Option<Bytes>> {
        let shown = Shown { app, objects, of: &self.of };
        let tree = Tree::new(&self.of.snapshot.revision.content, objects);
        let mut walk = match self.last {
            None => tree.walk(),
            Some((page, _)) => tree.walk_after(page).map_err(broken_tree)?,
        };
        if matches!(self.last, Some((_, false))) {
            walk.skip_children();
        }
        while self.out.len() < PIECE && !self.open.is_empty() {
            let child = walk.next().transpose().map_err(broken_object)?;
            let depth = child.as_ref().map_or(0, |_| walk.depth() + 1);
            while self.open.len() > depth {
                self.out.extend(self.open.pop().map(|open| open.rest));
            }
            let (Some(child), Some(above)) = (child, self.open.last_mut()) else { break };
            let record = tree.page(child.id).map_err(broken_tree)?;
            if !shown.lists(&record) {
                self.last = Some((child.id, false));
                walk.skip_children();
                continue;
            }
            if std::mem::replace(&mut above.begun, true) {
                self.out.push(',');
            }
            let path = match above.path.as_str() {
                "" => record.slug.clone(),
                above => format!("{above}/{}", record.slug),
            };
            let page = json(&listed(&shown, record, path.clone())?)?;
            let below = split(&page)?;
            self.last = Some((child.id, below.is_some()));
            match below {
                Some((page, rest)) => {
                    self.out.push_str(&page);
                    self.open.push(Open { rest, path, begun: false });
                }
                None => {
                    self.out.push_str(&page);
                    walk.skip_children();
                }
            }
        }
        let out = std::mem::take(&mut self.out);
        Ok((!out.is_empty()).then(|| out.into()))
    }

    /// Whether every piece was made.
    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty()
    }
}

impl Pieces for PageList {
    fn next(&mut self, app: &App) -> Result<Option<Bytes>> {
        self.piece(app, &app.store.objects())
    }
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| broken(&error.to_string()))
}

fn broken(why: &str) -> Error {
    Error::internal(format!("a list of pages is not JSON: {why}"))
}

/// What stands in front of the elements of the first empty list of pages, and what behind.
fn split(json: &str) -> Result<Option<(String, String)>> {
    let Some(at) = json.find(PAGES) else { return Ok(None) };
    let (front, rest) =
        json.split_at_checked(at + PAGES.len() - 1).ok_or_else(|| broken("cut in the middle"))?;
    Ok(Some((front.to_owned(), rest.to_owned())))
}
