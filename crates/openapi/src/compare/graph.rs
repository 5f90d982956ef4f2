//! The pairs of schemas that are compared, each once, with the pairs below them.
//!
//! A pair is found again by the places of its schemas in memory, so that schemas which many
//! operations share, or which contain themselves, cost no more than others.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::facts::{Fact, Findings, facts};
use super::types::TypeChange;
use super::variants::{Meanings, permit_the_same};
use super::{Both, Day};
use crate::load::Description;
use crate::resolve::Part;

/// Cost that is permitted for descriptions of any size.
const MIN_BUDGET: usize = 4 << 20;
/// Cost that is permitted for each byte of both descriptions.
const COST_OF_BYTE: usize = 4;
/// Cost of a pair without fields.
const BASE_COST: usize = 8;
/// Maximum number of pairs.
const MAX_PAIRS: usize = 500_000;
/// Maximum number of facts of all pairs.
const MAX_FACTS: usize = 50_000;

/// A step from a schema to one below it.
#[derive(Clone, Debug)]
pub(super) enum Step<'d> {
    Property(&'d str),
    Keyword(&'static str),
    /// A schema of a list or of a map, such as `oneOf`, and its name there.
    Inner(&'static str, String),
}

/// Two states of a schema.
pub(super) struct Pair<'d> {
    schemas: Both<'d>,
    pub(super) facts: Vec<Fact<'d>>,
    pub(super) children: Vec<(Step<'d>, usize)>,
    /// `true` if something differs in the pair or below it.
    pub(super) has_changes: bool,
}

impl<'d> Pair<'d> {
    /// Returns whether the schema became a list whose items permit what it permitted.
    pub(super) fn became_list_of(&self, change: &TypeChange<'d>) -> bool {
        let items = self.schemas.after.field("items").filter(|_| change.is_list_of_one());
        items.is_some_and(|items| {
            change.items_take(items) && permit_the_same(self.schemas.before, items)
        })
    }

    /// Returns whether values are left out of requests.
    pub(super) fn is_read_only(&self) -> bool {
        self.schemas.after.is("readOnly")
    }

    /// Returns whether values are left out of responses.
    pub(super) fn is_write_only(&self) -> bool {
        self.schemas.after.is("writeOnly")
    }
}

/// Both descriptions, and the facts that hold for all pairs.
pub(super) struct Sides<'d> {
    /// The earlier and the later description.
    pub(super) descriptions: [&'d Description; 2],
    pub(super) today: Option<Day>,
    pub(super) meanings: Meanings,
}

/// All pairs of schemas.
pub(super) struct Graph<'d> {
    sides: Sides<'d>,
    pairs: Vec<Pair<'d>>,
    places: HashMap<(usize, usize), usize>,
    /// The cost that is left. All pairs of all places of two files could be far more than both files.
    budget: usize,
    facts_left: usize,
}

impl<'d> Graph<'d> {
    pub(super) fn new(before: &'d Description, after: &'d Description, today: Option<Day>) -> Self {
        Self {
            sides: Sides { descriptions: [before, after], today, meanings: Meanings::default() },
            pairs: Vec::new(),
            places: HashMap::new(),
            budget: (before.size + after.size) * COST_OF_BYTE + MIN_BUDGET,
            facts_left: MAX_FACTS,
        }
    }

    pub(super) fn get(&self, pair: usize) -> &Pair<'d> {
        &self.pairs[pair]
    }

    /// Takes a cost from what is left. Returns `false` if it is more than that.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        let left = self.budget.checked_sub(cost);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Returns the number of a pair, which is compared when [`Self::complete`] is called; `None` if a
    /// reference leads to nothing or no cost is left.
    pub(super) fn pair(&mut self, schemas: Both<'d>) -> Option<usize> {
        if !self.spend(1 + reference_cost(schemas.before) + reference_cost(schemas.after)) {
            return None;
        }
        let before = self.sides.descriptions[0].followed(schemas.before)?;
        let after = self.sides.descriptions[1].followed(schemas.after)?;
        if !before.value.is_object() || !after.value.is_object() {
            return None;
        }
        let place = (place_of(before), place_of(after));
        if let Some(pair) = self.places.get(&place) {
            return Some(*pair);
        }
        let is_full = self.pairs.len() >= MAX_PAIRS;
        if is_full || !self.spend(cost(before.value) + cost(after.value)) {
            return None;
        }
        let schemas = Both { before, after };
        let pair = Pair { schemas, facts: Vec::new(), children: Vec::new(), has_changes: false };
        self.pairs.push(pair);
        self.places.insert(place, self.pairs.len() - 1);
        Some(self.pairs.len() - 1)
    }

    /// Compares all pairs and those below them.
    pub(super) fn complete(&mut self) {
        let mut at = 0;
        while at < self.pairs.len() {
            let Findings { mut facts, children } = facts(&self.sides, self.pairs[at].schemas);
            facts.truncate(self.facts_left);
            self.facts_left -= facts.len();
            self.pairs[at].facts = facts;
            for (step, schemas) in children {
                if let Some(child) = self.pair(schemas) {
                    self.pairs[at].children.push((step, child));
                }
            }
            at += 1;
        }
        self.mark_changes();
    }

    /// Marks the pairs from which a path leads to a fact, and puts those first that are near to one.
    fn mark_changes(&mut self) {
        let mut parents: Vec<Vec<usize>> = vec![Vec::new(); self.pairs.len()];
        for (at, pair) in self.pairs.iter().enumerate() {
            for (_, child) in &pair.children {
                parents[*child].push(at);
            }
        }
        let mut distances: Vec<Option<usize>> = vec![None; self.pairs.len()];
        let with_facts = |at: &usize| !self.pairs[*at].facts.is_empty();
        let mut waiting: VecDeque<(usize, usize)> =
            (0..self.pairs.len()).filter(with_facts).map(|at| (at, 0)).collect();
        while let Some((at, distance)) = waiting.pop_front() {
            if distances[at].is_none() {
                distances[at] = Some(distance);
                let parents = std::mem::take(&mut parents[at]);
                waiting.extend(parents.into_iter().map(|parent| (parent, distance + 1)));
            }
        }
        for (at, pair) in self.pairs.iter_mut().enumerate() {
            pair.has_changes = distances[at].is_some();
            pair.children.retain(|(_, child)| distances[*child].is_some());
            pair.children.sort_by_key(|(_, child)| distances[*child]);
        }
    }
}

/// Returns the place of a value in memory, which is the same as long as its description lives.
fn place_of(part: Part<'_>) -> usize {
    std::ptr::from_ref(part.value).addr()
}

/// Returns about as much as it costs to compare a schema without those below it. What has no schemas
/// counts fully.
fn cost(schema: &Value) -> usize {
    let fields = schema.as_object().into_iter().flatten();
    let costs = fields.map(|(name, value)| match name.as_str() {
        "default" | "const" | "enum" | "oneOf" | "anyOf" | "allOf" | "discriminator"
        | "dependentRequired" => size(value),
        _ => width(value),
    });
    BASE_COST + costs.sum::<usize>()
}

/// Returns about as much as it costs to follow a reference.
fn reference_cost(part: Part<'_>) -> usize {
    part.value.get("$ref").map_or(0, width)
}

/// Returns about as much as it costs to read the fields of a value.
pub(super) fn width(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.len(),
        Value::Object(fields) => 1 + fields.len(),
        Value::String(text) => 1 + text.len() / 16,
        _ => 1,
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        value => width(value),
    }
}
