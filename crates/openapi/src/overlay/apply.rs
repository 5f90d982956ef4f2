//! Applies the actions of an overlay to a document.

use serde_json::Value;

use super::merge::{Merger, Obstacle, fits};
use super::{Action, Change, Kind, MAX_PROBLEMS, Overlay, Selection, problem};
use crate::jsonpath::{Budget, Exhausted, Node};
use crate::positions::place;
use crate::{MAX_BYTES, MAX_DEPTH, Pointer, Problem};

/// Position of each value in the one around it, from the root on.
type Place = Box<[u32]>;

impl Overlay {
    /// Applies the actions to a document in their order. An action whose target selects values within
    /// each other changes the outer ones first. Returns the actions whose target selects nothing.
    ///
    /// # Errors
    /// Returns the same problems, and the actions that do not fit the document or exceed a limit. The
    /// document then has a part of the changes.
    pub fn apply(&self, document: &mut Value) -> Result<Vec<Problem>, Vec<Problem>> {
        let mut merger = Merger::new();
        let (mut problems, mut has_failed) = (Vec::new(), false);
        for (index, action) in self.actions.iter().enumerate() {
            let Err(fault) = merger.action(action, document) else { continue };
            if problems.len() < MAX_PROBLEMS {
                let at = Pointer::default().child("actions").child(index.to_string());
                let at = at.child(fault.field);
                problems.push(problem(&self.file, at, fault.message));
            }
            has_failed |= fault.effect != Effect::None;
            if fault.effect == Effect::Ends {
                break;
            }
        }
        place(&self.text, &mut problems);
        if has_failed { Err(problems) } else { Ok(problems) }
    }
}

/// Reason for an action that has no effect, or not all of it.
struct Fault {
    field: &'static str,
    message: String,
    effect: Effect,
}

/// Effect of a fault on the application.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The application succeeds.
    None,
    Fails,
    /// The application fails, and no action comes after this one.
    Ends,
}

impl Fault {
    fn new(field: &'static str, message: String) -> Self {
        Self { field, message, effect: Effect::Fails }
    }

    fn exhausted(field: &'static str, exhausted: Exhausted) -> Self {
        let effect = match exhausted {
            Exhausted::Steps => Effect::Ends,
            Exhausted::Nodes => Effect::Fails,
        };
        Self { field, message: exhausted.to_string(), effect }
    }
}

impl Merger {
    fn action(&mut self, action: &Action, document: &mut Value) -> Result<(), Fault> {
        let nodes = self.select(&action.target, "target", document)?;
        if nodes.is_empty() {
            let message = format!("{} selects nothing", action.target.text);
            return Err(Fault { effect: Effect::None, ..Fault::new("target", message) });
        }
        match &action.change {
            Change::Nothing => Ok(()),
            Change::Remove => {
                let places = places_of(nodes);
                if places.first().is_some_and(|place| place.is_empty()) {
                    let message = format!(
                        "{} selects the whole document, allowed: values within it",
                        action.target.text
                    );
                    return Err(Fault::new("target", message));
                }
                let removed = remove(document, &places, 0, &mut self.budget);
                removed.map_err(|exhausted| Fault::exhausted("remove", exhausted))
            }
            Change::Update(update) => {
                check_kinds(&nodes, Kind::of(update), "update", document)?;
                let places = places_of(nodes);
                self.merge_all(document, &places, update, "update")
            }
            Change::Copy(source) => {
                let copied = self.copied(source, document)?;
                check_kinds(&nodes, Kind::of(&copied), "copy", document)?;
                let places = places_of(nodes);
                self.merge_all(document, &places, &copied, "copy")
            }
        }
    }

    fn select<'v>(
        &mut self,
        selection: &'v Selection,
        field: &'static str,
        document: &'v Value,
    ) -> Result<Vec<Node<'v>>, Fault> {
        let nodes = selection.path.select(document, &mut self.budget);
        nodes.map_err(|exhausted| Fault::exhausted(field, exhausted))
    }

    /// Returns a copy of the only value that a path selects.
    fn copied(&mut self, source: &Selection, document: &Value) -> Result<Value, Fault> {
        let nodes = self.select(source, "copy", document)?;
        let [node] = nodes.as_slice() else {
            let found = match nodes.len() {
                0 => "nothing".to_owned(),
                count => format!("{count} values"),
            };
            let message = format!("{} selects {found}, allowed: one value", source.text);
            return Err(Fault::new("copy", message));
        };
        let added = self.add(node.value, 0);
        added.map_err(|obstacle| fault_of(obstacle, "copy", &[], document))?;
        Ok(node.value.clone())
    }

    fn merge_all(
        &mut self,
        document: &mut Value,
        places: &[Place],
        update: &Value,
        field: &'static str,
    ) -> Result<(), Fault> {
        let merged = self.merge_at(document, places, 0, update);
        merged.map_err(|(obstacle, place)| fault_of(obstacle, field, &place, document))
    }

    /// Merges an update into the values at sorted places, which begin alike up to a depth. Merging
    /// moves no value that is there already, so the places stay right.
    fn merge_at(
        &mut self,
        value: &mut Value,
        places: &[Place],
        depth: usize,
        update: &Value,
    ) -> Result<(), (Obstacle, Place)> {
        let mut rest = places;
        if let Some((first, others)) = places.split_first()
            && first.len() == depth
        {
            let merged = self.apply(value, update, depth);
            merged.map_err(|obstacle| (obstacle, first.clone()))?;
            rest = others;
        }
        for (index, child) in (0..).zip(children(value)) {
            let Some(first) = rest.first() else { break };
            self.budget.take(1).map_err(|exhausted| (exhausted.into(), first.clone()))?;
            let (here, later) = split(rest, depth, index);
            if !here.is_empty() {
                self.merge_at(child, here, depth + 1, update)?;
            }
            rest = later;
        }
        Ok(())
    }
}

/// Removes the values at sorted places, which begin alike up to a depth and are longer.
fn remove(
    value: &mut Value,
    places: &[Place],
    depth: usize,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let (mut rest, mut removed) = (places, Vec::new());
    for (index, child) in (0..).zip(children(value)) {
        if rest.is_empty() {
            break;
        }
        budget.take(1)?;
        let (here, later) = split(rest, depth, index);
        match here.first() {
            Some(first) if first.len() == depth + 1 => removed.push(index),
            Some(_) => remove(child, here, depth + 1, budget)?,
            None => {}
        }
        rest = later;
    }
    if removed.is_empty() {
        return Ok(());
    }
    let mut removed = removed.into_iter().peekable();
    let mut next = 0_u32;
    let mut is_kept = || {
        let index = next;
        next = next.saturating_add(1);
        removed.next_if_eq(&index).is_none()
    };
    match value {
        Value::Array(items) => {
            budget.take(items.len())?;
            items.retain(|_| is_kept());
        }
        Value::Object(fields) => {
            budget.take(fields.len())?;
            fields.retain(|_, _| is_kept());
        }
        _ => {}
    }
    Ok(())
}

/// Splits sorted places into those up to an index at a depth, and those after it.
fn split(places: &[Place], depth: usize, index: u32) -> (&[Place], &[Place]) {
    let count = places.partition_point(|place| place.get(depth).is_some_and(|at| *at <= index));
    places.split_at(count)
}

fn children(value: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(fields) => Box::new(fields.values_mut()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns the places of nodes, sorted, each once.
fn places_of(nodes: Vec<Node<'_>>) -> Vec<Place> {
    let mut places: Vec<Place> = nodes.into_iter().map(|node| node.place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Rejects nodes of several kinds, and those that a value does not fit.
fn check_kinds(
    nodes: &[Node<'_>],
    new: Kind,
    field: &'static str,
    document: &Value,
) -> Result<(), Fault> {
    let Some(first) = nodes.first() else { return Ok(()) };
    let kind = Kind::of(first.value);
    if let Some(other) = nodes.iter().find(|node| Kind::of(node.value) != kind) {
        let message = format!(
            "found {} at {}, and {} at {}, allowed: values of one kind",
            kind.name(),
            shown(&pointer_of(&first.place, document)),
            Kind::of(other.value).name(),
            shown(&pointer_of(&other.place, document)),
        );
        return Err(Fault::new("target", message));
    }
    match fits(new, kind) {
        true => Ok(()),
        false => {
            let pointer = pointer_of(&first.place, document);
            Err(Fault::new(field, misfit(new, kind, &pointer)))
        }
    }
}

fn fault_of(obstacle: Obstacle, field: &'static str, place: &[u32], document: &Value) -> Fault {
    let message = match obstacle {
        Obstacle::Exhausted(exhausted) => return Fault::exhausted(field, exhausted),
        Obstacle::Misfit { steps, found, present } => {
            let above = pointer_of(place, document);
            let pointer = steps.into_iter().rev().fold(above, |above, step| above.child(step));
            return Fault::new(field, misfit(found, present, &pointer));
        }
        Obstacle::TooBig => {
            format!("the actions up to this one add more than {} MiB", MAX_BYTES >> 20)
        }
        Obstacle::TooDeep => {
            format!("the document has more than {MAX_DEPTH} arrays and objects within each other")
        }
    };
    Fault { effect: Effect::Ends, ..Fault::new(field, message) }
}

fn misfit(found: Kind, present: Kind, pointer: &Pointer) -> String {
    let (found, present) = (found.name(), present.name());
    format!("found {found} for {present} at {}, allowed: {present}", shown(pointer))
}

/// Returns the text of a pointer in a sentence.
fn shown(pointer: &Pointer) -> String {
    if pointer.is_root() { "the root".to_owned() } else { pointer.to_string() }
}

fn pointer_of(place: &[u32], document: &Value) -> Pointer {
    let mut value = Some(document);
    let step = |index: &u32| {
        let index = usize::try_from(*index).ok()?;
        match value? {
            Value::Object(fields) => {
                let (name, field) = fields.iter().nth(index)?;
                value = Some(field);
                Some(name.clone())
            }
            Value::Array(items) => {
                value = items.get(index);
                Some(index.to_string())
            }
            _ => None,
        }
    };
    place.iter().map_while(step).collect()
}
