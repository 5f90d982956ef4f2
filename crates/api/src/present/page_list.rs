//! The page tree of a revision as JSON, produced piece by piece while it is sent, so that a long
//! list of pages is never held in memory as a whole.

use bindery_app::App;
use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_model::{Error, PageId, Result};
use bindery_revision::Objects;
use bindery_revision::tree::Tree;
use bytes::Bytes;
use serde::Serialize;

use super::content::{ContentView, PresentedRevision, page_at_path};
use crate::reply::BodyStream;

/// Approximate size of a piece in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// The field of an object without pages. Inside a JSON string its quotes would be escaped, so the
/// text is unambiguous.
const EMPTY_PAGES: &str = "\"pages\":[]";

/// The page tree of a revision while it is being sent.
pub(crate) struct PageList {
    presented: PresentedRevision,
    /// The output that has not been taken yet.
    out: String,
    /// The open arrays, outermost first.
    open: Vec<OpenArray>,
    /// The previous page, and `true` if its descendants follow.
    last: Option<(PageId, bool)>,
}

/// An unfinished array of pages.
struct OpenArray {
    /// The rest of the object that contains the array.
    rest: String,
    /// The path of the page that contains the array.
    path: String,
    /// `true` if the array has an element already.
    has_element: bool,
}

impl PageList {
    /// Creates the list of the pages of `of`, which replaces the first empty list of pages in
    /// `whole`.
    pub(crate) fn new(presented: PresentedRevision, whole: &impl Serialize) -> Result<Self> {
        let (out, rest) = split(&json(whole)?)?.ok_or_else(|| broken("it has no list of pages"))?;
        let open = vec![OpenArray { rest, path: String::new(), has_element: false }];
        Ok(Self { presented, out, open, last: None })
    }

    /// Returns the next piece; `None` after the last.
    pub(crate) fn piece(&mut self, app: &App, objects: &dyn Objects) -> Result<Option<Bytes>> {
        let view = ContentView { app, objects, presented: &self.presented };
        let tree = Tree::new(&self.presented.snapshot.revision.content, objects);
        let mut walk = match self.last {
            None => tree.walk(),
            Some((page, _)) => tree.walk_after(page).map_err(broken_tree)?,
        };
        if matches!(self.last, Some((_, false))) {
            walk.skip_children();
        }
        while self.out.len() < PIECE_BYTES && !self.open.is_empty() {
            let child = walk.next().transpose().map_err(broken_object)?;
            let depth = child.as_ref().map_or(0, |_| walk.depth() + 1);
            while self.open.len() > depth {
                self.out.extend(self.open.pop().map(|open| open.rest));
            }
            let (Some(child), Some(above)) = (child, self.open.last_mut()) else { break };
            let record = tree.page(child.id).map_err(broken_tree)?;
            if !view.lists(&record) {
                self.last = Some((child.id, false));
                walk.skip_children();
                continue;
            }
            if std::mem::replace(&mut above.has_element, true) {
                self.out.push(',');
            }
            let path = match above.path.as_str() {
                "" => record.slug.clone(),
                above => format!("{above}/{}", record.slug),
            };
            let page = json(&page_at_path(&view, record, path.clone())?)?;
            let below = split(&page)?;
            self.last = Some((child.id, below.is_some()));
            match below {
                Some((page, rest)) => {
                    self.out.push_str(&page);
                    self.open.push(OpenArray { rest, path, has_element: false });
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

    /// Returns `true` if all pieces have been produced.
    pub(crate) fn is_done(&self) -> bool {
        self.open.is_empty()
    }
}

impl BodyStream for PageList {
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

/// Splits JSON inside the brackets of the first empty list of pages.
fn split(json: &str) -> Result<Option<(String, String)>> {
    let Some(at) = json.find(EMPTY_PAGES) else { return Ok(None) };
    let (front, rest) = json
        .split_at_checked(at + EMPTY_PAGES.len() - 1)
        .ok_or_else(|| broken("cut in the middle"))?;
    Ok(Some((front.to_owned(), rest.to_owned())))
}
