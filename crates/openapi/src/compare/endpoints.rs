//! The paths and webhooks of both states, and which of them belong together.

use std::collections::{HashMap, HashSet};

use crate::load::Description;
use crate::outline::Operation;
use crate::resolve::Part;

/// Maximum number of operations that are compared.
const MAX_OPERATIONS: usize = 100_000;

/// A path or a webhook with its operations.
#[derive(Clone, Debug)]
pub(super) struct Endpoint<'d> {
    /// The path, or `webhook:` and the name of the webhook.
    pub(super) path: String,
    /// The part that holds for all operations.
    pub(super) item: Part<'d>,
    pub(super) operations: Vec<(Operation, Part<'d>)>,
}

/// The endpoints of two states.
pub(super) struct Endpoints<'d> {
    pub(super) both: Vec<(Endpoint<'d>, Endpoint<'d>)>,
    pub(super) added: Vec<Endpoint<'d>>,
    pub(super) removed: Vec<Endpoint<'d>>,
}

/// Returns the endpoints that a field of descriptions lists, with a start of their paths.
pub(super) fn endpoints<'d>(
    before: &'d Description,
    after: &'d Description,
    field: &str,
    start: &str,
) -> Endpoints<'d> {
    let mut new: Vec<Option<Endpoint<'d>>> =
        all(after, field, start).into_iter().map(Some).collect();
    let places: HashMap<String, usize> = places(&new, |endpoint| endpoint.path.clone());
    let mut found = Endpoints { both: Vec::new(), added: Vec::new(), removed: Vec::new() };
    for old in all(before, field, start) {
        match places.get(&old.path).and_then(|at| new[*at].take()) {
            Some(new) => found.both.push((old, new)),
            None => found.removed.push(old),
        }
    }
    let shapes = places_of_shapes(&new);
    for old in std::mem::take(&mut found.removed) {
        match shapes.get(&shape(&old.path)).and_then(|at| new[*at].take()) {
            Some(new) => found.both.push((old, new)),
            None => found.removed.push(old),
        }
    }
    found.added = new.into_iter().flatten().collect();
    found
}

fn places_of_shapes(endpoints: &[Option<Endpoint<'_>>]) -> HashMap<String, usize> {
    places(endpoints, |endpoint| shape(&endpoint.path))
}

fn places(
    endpoints: &[Option<Endpoint<'_>>],
    key: impl Fn(&Endpoint<'_>) -> String,
) -> HashMap<String, usize> {
    let endpoints = endpoints.iter().enumerate();
    endpoints.filter_map(|(at, endpoint)| Some((key(endpoint.as_ref()?), at))).collect()
}

fn all<'d>(description: &'d Description, field: &str, start: &str) -> Vec<Endpoint<'d>> {
    let items = description.top().field(field).into_iter().flat_map(Part::fields);
    let mut found = Vec::new();
    let mut left = MAX_OPERATIONS;
    for (path, item) in items {
        let mut operations = description.operations(path, item);
        operations.truncate(left);
        left -= operations.len();
        if !operations.is_empty() {
            let item = description.followed(item).unwrap_or(item);
            found.push(Endpoint { path: format!("{start}{path}"), item, operations });
        } else if left == 0 {
            break;
        }
    }
    found
}

/// Returns a path without the names of its parameters.
fn shape(path: &str) -> String {
    let mut parts = path.split('{');
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shape.push_str("{}");
        shape.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    shape
}

/// Returns the new names of the parameters in a path, by their old ones.
pub(super) fn renamed<'p>(old: &'p str, new: &'p str) -> HashMap<&'p str, &'p str> {
    let names =
        |path: &'p str| path.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
    let mut seen = HashSet::new();
    names(old).zip(names(new)).filter(|(name, _)| seen.insert(*name)).collect()
}
