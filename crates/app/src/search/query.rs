//! Queries within the spaces that a caller may read.

use bindery_model::{Result, SpaceId};
use bindery_revision::Variables;
use bindery_search::{Condition, Mode, Query, Scope};

use super::conditions;
use super::pages::IndexedSpace;
use crate::Context;
use crate::publishing::adaptive::Answers;

pub use bindery_search::Hits as Found;

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

/// Searches the main content of spaces. Skips `offset` pages and returns at most `limit`.
///
/// # Errors
/// Returns 503 if the index is damaged, until it is built anew, and an error if it cannot be opened.
pub fn search(
    cx: &Context<'_>,
    spaces: &[SearchedSpace],
    text: &str,
    offset: usize,
    limit: usize,
) -> Result<Found> {
    let answers = Answers::new(cx.visitor_claims()?);
    cx.app.search.query(&cx.app.cache_dir, |snapshot| {
        let variables: Vec<Variables> = spaces
            .iter()
            .map(|space| {
                let state = snapshot.payload(space.id).filter(|_| space.sight == Sight::AsVisitor);
                state
                    .and_then(IndexedSpace::decode)
                    .map(|state| state.variables)
                    .unwrap_or_default()
            })
            .collect();
        let holds: Vec<_> = spaces
            .iter()
            .zip(&variables)
            .map(|(space, variables)| {
                let answers = &answers;
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
        let query = Query { text, mode: Mode::Full, scopes: &scopes, synonyms: &[], offset, limit };
        snapshot.search(&query)
    })
}
