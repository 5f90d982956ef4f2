//! Compares two states of a description and names what changed for those who use the interface.
//!
//! The ids of the rules and their levels are those of oasdiff, so that settings and habits carry over.
//! A schema that many operations share is compared once: [`graph`] holds the pairs of schemas,
//! [`facts`] says what differs in a pair, and [`report`] judges it for each place that leads there.

mod bodies;
mod endpoints;
mod facts;
mod graph;
mod keywords;
mod lifecycle;
mod operations;
mod parameters;
mod report;
mod rules;
mod security;
mod types;
mod variants;
mod version;
mod words;

use std::cmp::Reverse;
use std::rc::Rc;

use serde::Serialize;

use crate::load::Description;
use crate::resolve::Part;
use graph::Graph;
pub use lifecycle::Day;
use report::Place;

/// Maximum number of changes that are named.
pub const MAX_CHANGES: usize = 5_000;
/// Maximum number of changes among which the most important ones are chosen.
const MAX_FOUND: usize = 4 * MAX_CHANGES;
/// Maximum size of all changes in bytes.
const MAX_SIZE: usize = 32 << 20;
/// Cost of a part of an operation that is no schema.
const READ_COST: usize = 16;
/// Maximum number of schemas that are read at all places.
const MAX_STEPS: usize = 4_000_000;

/// A difference between two states of a description.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    /// The id of the rule, such as `request-parameter-removed`.
    pub rule: &'static str,
    /// The effect on those who use the interface.
    pub level: Level,
    /// The method, as in [`crate::Operation`]; empty for a change of the whole description.
    pub method: String,
    /// The path, or `webhook:` and the name of a webhook; empty for a change of the whole description.
    pub path: String,
    /// The id of the operation; empty if there is none.
    pub operation_id: String,
    /// A sentence that says what changed, where, and from what to what.
    pub text: String,
}

/// The effect of a change on those who use the interface.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nobody has to act.
    Info,
    /// Some programs can fail.
    Warning,
    /// Programs that follow the earlier state can fail.
    Breaking,
}

/// Returns what changed from one state of a description to a later one, at most [`MAX_CHANGES`]. If
/// there is more, the changes that break programs are kept first, and then those that can. The cost is
/// proportional to the size of both states: what references lead to again and again beyond that counts
/// as unchanged.
///
/// As the day is not known, sunset dates count as reached.
///
/// # Example
///
/// ```
/// use bindery_openapi::{Level, Loader, compare};
///
/// let described = |paths: &str| {
///     let mut loader = Loader::new(None);
///     loader.add(format!("openapi: 3.1.0\ninfo: {{title: Ships, version: '1'}}\npaths: {paths}\n"));
///     loader.finish()
/// };
/// let changes = compare(&described("{/ships: {get: {}, put: {}}}")?, &described("{/ships: {get: {}}}")?);
/// assert_eq!((changes[0].rule, changes[0].level), ("api-removed-without-deprecation", Level::Breaking));
/// # Ok::<(), Vec<bindery_openapi::Problem>>(())
/// ```
#[must_use]
pub fn compare(before: &Description, after: &Description) -> Vec<Change> {
    compare_on(before, after, None)
}

/// Returns what [`compare`] does, with sunset dates judged on a day.
#[must_use]
pub fn compare_on(before: &Description, after: &Description, today: Option<Day>) -> Vec<Change> {
    let mut comparison = Comparison {
        before,
        after,
        today,
        graph: Graph::new(before, after, today),
        found: Vec::new(),
        number: 0,
        size: 0,
    };
    comparison.compare_operations();
    comparison.compare_security();
    comparison.compare_components();
    let mut changes = comparison.finish();
    if let Some(change) = version::judged(before, after, &changes) {
        changes.truncate(MAX_CHANGES - 1);
        changes.push(change);
    }
    changes
}

/// A value in both states.
#[derive(Clone, Copy, Debug)]
struct Both<'d> {
    before: Part<'d>,
    after: Part<'d>,
}

impl<'d> Both<'d> {
    /// Returns a field that both states have.
    fn field(self, name: &str) -> Option<Self> {
        Some(Self { before: self.before.field(name)?, after: self.after.field(name)? })
    }

    /// Returns whether a field is `true` in each state.
    fn are(self, name: &str) -> (bool, bool) {
        (self.before.is(name), self.after.is(name))
    }
}

/// The name of an operation, which is empty for the whole description.
#[derive(Clone, Default, Debug)]
struct Subject {
    method: String,
    path: String,
    operation_id: String,
}

/// A change, or a pair of schemas whose changes come later, when all pairs are known.
enum Found<'d> {
    Change(Change),
    Schema { subject: Rc<Subject>, place: Place<'d>, pair: usize },
}

/// A comparison that is in progress.
struct Comparison<'d> {
    before: &'d Description,
    after: &'d Description,
    today: Option<Day>,
    graph: Graph<'d>,
    found: Vec<Found<'d>>,
    /// The number and the size of the changes that were found without schemas.
    number: usize,
    size: usize,
}

impl<'d> Comparison<'d> {
    /// Follows the references of both states.
    fn followed(&self, both: Both<'d>) -> Option<Both<'d>> {
        let before = self.before.followed(both.before)?;
        Some(Both { before, after: self.after.followed(both.after)? })
    }

    /// Takes what it costs to read parts from what is left. Returns `false` if it is more than that,
    /// which only happens if references lead to the same large parts again and again.
    fn spend(&mut self, parts: Both<'d>, fields: &[&str]) -> bool {
        let of = |part: Part<'d>| {
            let fields = fields.iter().filter_map(|field| part.value.get(field));
            READ_COST * (1 + fields.map(graph::width).sum::<usize>())
        };
        self.graph.spend(of(parts.before) + of(parts.after))
    }

    fn add(&mut self, subject: &Subject, rule: &'static str, level: Level, text: String) {
        if self.number >= MAX_FOUND || self.size >= MAX_SIZE {
            return;
        }
        let Subject { method, path, operation_id } = subject.clone();
        let change = Change { rule, level, method, path, operation_id, text };
        self.number += 1;
        self.size += change.size();
        self.found.push(Found::Change(change));
    }

    /// Notes a pair of schemas, whose changes belong to a place of an operation.
    fn add_schema(&mut self, subject: &Rc<Subject>, place: Place<'d>, schemas: Both<'d>) {
        if let Some(pair) = self.graph.pair(schemas) {
            self.found.push(Found::Schema { subject: Rc::clone(subject), place, pair });
        }
    }

    /// Returns the changes once all pairs of schemas are compared.
    fn finish(mut self) -> Vec<Change> {
        self.graph.complete();
        let mut changes = Changes { changes: Vec::new(), size: 0, steps: MAX_STEPS };
        for found in self.found {
            match found {
                Found::Change(change) => changes.push(change),
                Found::Schema { subject, place, pair } => {
                    report::report(&self.graph, pair, &place, &subject, &mut changes);
                }
            }
        }
        changes.most_important()
    }
}

impl Change {
    fn size(&self) -> usize {
        self.text.len() + self.path.len() + self.operation_id.len() + self.method.len()
    }
}

/// The changes that were found, which are bounded in number and in size.
struct Changes {
    changes: Vec<Change>,
    size: usize,
    /// The number of schemas that can still be read.
    steps: usize,
}

impl Changes {
    fn is_full(&self) -> bool {
        self.changes.len() >= MAX_FOUND || self.size >= MAX_SIZE || self.steps == 0
    }

    fn push(&mut self, change: Change) {
        if self.changes.len() < MAX_FOUND && self.size < MAX_SIZE {
            self.size += change.size();
            self.changes.push(change);
        }
    }

    /// Returns as many changes as are named, the most important ones in the order of the others.
    fn most_important(self) -> Vec<Change> {
        let mut chosen: Vec<_> = self.changes.into_iter().enumerate().collect();
        chosen.sort_by_key(|(at, change)| (Reverse(change.level), *at));
        chosen.truncate(MAX_CHANGES);
        chosen.sort_by_key(|(at, _)| *at);
        chosen.into_iter().map(|(_, change)| change).collect()
    }
}
