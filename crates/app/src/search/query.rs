//! Queries within the spaces that a caller may read.

use bindery_model::{Result, RevisionId, SpaceId};
use bindery_revision::Variables;
use bindery_search::{Condition, Query, Scope, Snapshot};

use super::conditions;
use super::pages::IndexedSpace;
use crate::App;
use crate::publishing::adaptive::Answers;

pub use bindery_search::{Hits as Found, Mode, NameHit, PageKey};

/// The part of a space that a caller sees.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// All pages and all of their parts: the caller has a role on the space.
    Everything,
    /// The pages and parts whose conditions hold for the caller, a visitor of a site.
    AsVisitor,
}

/// A space to search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchedSpace {
    /// The space. The caller must be allowed to read it.
    pub id: SpaceId,
    /// The part of it that the caller sees.
    pub sight: Sight,
    /// A factor of the scores.
    pub weight: f32,
}

/// A search within spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted<'q> {
    /// The text as typed.
    pub text: &'q str,
    /// The interpretation of the last word.
    pub mode: Mode,
    /// Groups of words and phrases that find each other.
    pub synonyms: &'q [Vec<String>],
    /// The number of pages to skip.
    pub offset: usize,
    /// Maximum number of pages to return.
    pub limit: usize,
}

/// Searches the main content of spaces. Conditions are answered by `answers`.
///
/// # Errors
/// Returns 503 if the index is damaged, until it is built anew, and an error if it cannot be opened.
pub fn search(
    app: &App,
    answers: &Answers,
    spaces: &[SearchedSpace],
    wanted: Wanted<'_>,
) -> Result<Found> {
    app.search.query(&app.cache_dir, |snapshot| {
        with_scopes(snapshot, answers, spaces, |scopes| {
            let Wanted { text, mode, synonyms, offset, limit } = wanted;
            snapshot.search(&Query { text, mode, scopes, synonyms, offset, limit })
        })
    })
}

/// Returns the pages of spaces whose paths and titles resemble the path of an address most.
///
/// # Errors
/// Returns 503 if the index is damaged, until it is built anew, and an error if it cannot be opened.
pub fn nearest(
    app: &App,
    answers: &Answers,
    spaces: &[SearchedSpace],
    path: &str,
    limit: usize,
) -> Result<Vec<NameHit>> {
    app.search.query(&app.cache_dir, |snapshot| {
        with_scopes(snapshot, answers, spaces, |scopes| snapshot.nearest(scopes, path, limit))
    })
}

/// Returns the pages of spaces that are most similar to a page of one of them. `revision` is the one
/// of its space that the caller shows. Returns `None` if the index has another one.
///
/// # Errors
/// Returns 503 if the index is damaged, until it is built anew, and an error if it cannot be opened.
pub fn related(
    app: &App,
    answers: &Answers,
    spaces: &[SearchedSpace],
    page: PageKey,
    revision: RevisionId,
    limit: usize,
) -> Result<Option<Vec<NameHit>>> {
    app.search.query(&app.cache_dir, |snapshot| {
        let indexed = snapshot.payload(page.space).and_then(IndexedSpace::decode);
        if indexed.is_none_or(|indexed| indexed.revision != revision) {
            return Ok(None);
        }
        with_scopes(snapshot, answers, spaces, |scopes| {
            snapshot.related(scopes, page, limit).map(Some)
        })
    })
}

/// Runs a query with the parts of spaces that the caller sees.
fn with_scopes<T>(
    snapshot: &Snapshot,
    answers: &Answers,
    spaces: &[SearchedSpace],
    run: impl FnOnce(&[Scope<'_>]) -> T,
) -> T {
    let variables: Vec<Variables> = spaces
        .iter()
        .map(|space| {
            let state = snapshot.payload(space.id).filter(|_| space.sight == Sight::AsVisitor);
            state.and_then(IndexedSpace::decode).map(|state| state.variables).unwrap_or_default()
        })
        .collect();
    let holds: Vec<_> = spaces
        .iter()
        .zip(&variables)
        .map(|(space, variables)| {
            move |condition: &Condition| match space.sight {
                Sight::Everything => *condition != Condition::Hidden,
                Sight::AsVisitor => conditions::holds(condition, variables, answers),
            }
        })
        .collect();
    let scopes: Vec<Scope<'_>> = spaces
        .iter()
        .zip(&holds)
        .map(|(space, holds)| Scope { weight: space.weight, ..Scope::new(space.id, holds) })
        .collect();
    run(&scopes)
}
