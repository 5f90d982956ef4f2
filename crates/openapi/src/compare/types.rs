//! Types and formats of schemas, and what a change of them means.

use serde_json::Value;

use super::words;
use crate::resolve::Part;

/// The types that a schema names, and its format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Kinds<'d> {
    names: Vec<&'d str>,
    format: &'d str,
}

/// The types of a schema in both states, which differ.
#[derive(Clone, Debug)]
pub(super) struct TypeChange<'d> {
    before: Kinds<'d>,
    after: Kinds<'d>,
}

impl<'d> Kinds<'d> {
    pub(super) fn of(schema: Part<'d>) -> Self {
        let names = match schema.value.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        Self { names, format: schema.text("format").unwrap_or_default() }
    }

    pub(super) fn names(&self) -> &[&'d str] {
        &self.names
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Returns the types that another one does not name.
    fn without(&self, other: &Self) -> Vec<&'d str> {
        self.names.iter().copied().filter(|name| !other.has(name)).collect()
    }

    /// Returns whether every value of these types is one of others. No type covers nothing.
    fn are_within(&self, others: &Self) -> bool {
        let is_within = |name: &&str| others.names.iter().any(|other| is_subtype(name, other));
        !self.names.is_empty() && self.names.iter().all(is_within)
    }

    fn shown(&self) -> String {
        let names = if self.names.is_empty() { "any".to_owned() } else { self.names.join(" or ") };
        match self.format {
            "" => words::quoted(&names),
            format => words::quoted(&format!("{names} ({format})")),
        }
    }
}

impl<'d> TypeChange<'d> {
    /// Returns the change from one schema to another; `None` if the types are the same. That a type
    /// also permits `null`, or no longer does, is no change of it.
    pub(super) fn of(before: Part<'d>, after: Part<'d>) -> Option<Self> {
        let change = Self { before: Kinds::of(before), after: Kinds::of(after) };
        let has_format = change.before.format != change.after.format;
        let (added, removed) = (change.added(), change.removed());
        let is_other = added.iter().chain(&removed).any(|name| *name != "null");
        (is_other || has_format).then_some(change)
    }

    /// Returns whether the change adds or removes `null`; `Some(true)` if it adds it. Without any
    /// type, `null` is permitted as well.
    pub(super) fn nullability(before: Part<'d>, after: Part<'d>) -> Option<bool> {
        let change = Self { before: Kinds::of(before), after: Kinds::of(after) };
        let has_both = !change.before.names.is_empty() && !change.after.names.is_empty();
        match (change.before.has("null"), change.after.has("null")) {
            (false, true) if has_both => Some(true),
            (true, false) if has_both => Some(false),
            _ => None,
        }
    }

    fn added(&self) -> Vec<&'d str> {
        self.after.without(&self.before)
    }

    fn removed(&self) -> Vec<&'d str> {
        self.before.without(&self.after)
    }

    fn reversed(&self) -> Self {
        Self { before: self.after.clone(), after: self.before.clone() }
    }

    fn has_types(&self) -> bool {
        !self.added().is_empty() || !self.removed().is_empty()
    }

    fn is_swap(&self) -> bool {
        self.has_types() && !self.before.names.is_empty() && !self.after.names.is_empty()
    }

    /// Returns whether a value of the earlier type can be wrong for the later one. Text formats write
    /// a number as they write a text, so that a text takes everything there.
    fn breaks(&self, is_strict: bool, has_types: bool) -> bool {
        let has_format = self.before.format != self.after.format;
        has_types && !self.takes_types(is_strict) || has_format && !self.takes_format()
    }

    fn takes_types(&self, is_strict: bool) -> bool {
        match (self.removed().as_slice(), self.added().as_slice()) {
            ([removed], [added]) if is_subtype(removed, added) => true,
            (_, []) => !is_strict,
            (_, [added]) => !is_strict && *added == "string",
            _ => false,
        }
    }

    fn takes_format(&self) -> bool {
        let pair = (self.before.format, self.after.format);
        match (pair.1, self.after.names.as_slice()) {
            ("", _) => true,
            (_, ["number"]) => pair == ("float", "double"),
            (_, ["integer"]) => {
                matches!(pair, ("int32", "int64" | "bigint") | ("int64", "bigint"))
            }
            (_, ["string"]) => matches!(pair, ("date" | "time", "date-time")),
            _ => false,
        }
    }

    /// Returns whether a later state fails on what the earlier one took.
    fn breaks_requests(&self, is_strict: bool) -> bool {
        let has_types = self.has_types() && !self.before.are_within(&self.after);
        if has_types && self.after.names.is_empty() {
            return false;
        }
        self.breaks(is_strict, has_types)
    }

    /// Returns the end of the id of the rule for requests.
    pub(super) fn in_request(&self, is_strict: bool) -> &'static str {
        if self.breaks_requests(is_strict) {
            return "type-changed";
        }
        let is_swap = self.is_swap() && !self.before.are_within(&self.after);
        if is_swap { "type-compatible" } else { "type-generalized" }
    }

    /// Returns the end of the id of the rule for responses.
    pub(super) fn in_response(&self, is_strict: bool) -> &'static str {
        let reversed = self.reversed();
        if reversed.breaks_requests(is_strict) {
            let is_wider = self.has_types() && self.before.are_within(&self.after);
            return if is_wider { "type-generalized" } else { "type-changed" };
        }
        let is_swap = self.is_swap() && !self.after.are_within(&self.before);
        if is_swap { "type-compatible" } else { "type-specialized" }
    }

    /// Returns the end of the id of the rule for parameters, whose values are texts.
    pub(super) fn in_parameter(&self) -> &'static str {
        if self.breaks_requests(false) { "type-changed" } else { "type-generalized" }
    }

    /// Returns the end of the id of the rule for properties of parameters, of which it is not known
    /// how they are written.
    pub(super) fn in_parameter_property(&self) -> &'static str {
        match (self.breaks(true, self.has_types()), self.breaks(false, self.has_types())) {
            (true, true) => "type-specialized",
            (false, false) => "type-generalized",
            _ => "type-changed",
        }
    }

    /// Returns whether a list of values replaces a single one.
    pub(super) fn is_list_of_one(&self) -> bool {
        let added = self.added();
        let added: Vec<&&str> = added.iter().filter(|name| **name != "null").collect();
        let has_type = self.before.names.iter().any(|name| *name != "null");
        matches!(added.as_slice(), [name] if **name == "array") && has_type
    }

    /// Returns whether the items of a list take the values of the earlier type.
    pub(super) fn items_take(&self, items: Part<'d>) -> bool {
        let without_null = |kinds: &Kinds<'d>| Kinds {
            names: kinds.names.iter().copied().filter(|name| *name != "null").collect(),
            format: "",
        };
        let change =
            Self { before: without_null(&self.before), after: without_null(&Kinds::of(items)) };
        matches!(change.after.names(), [] | ["string"]) || change.before.are_within(&change.after)
    }

    /// Returns the change as a part of a sentence.
    pub(super) fn text(&self) -> String {
        format!("changed its type from {} to {}", self.before.shown(), self.after.shown())
    }
}

/// Returns whether every value of a type is one of another type.
fn is_subtype(name: &str, other: &str) -> bool {
    name == other || (name == "integer" && other == "number")
}
