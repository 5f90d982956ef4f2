//! Says what differs in a pair of schemas, whether or not it matters.

use std::collections::HashSet;

use serde_json::Value;

use super::graph::{Sides, Step};
use super::lifecycle::{Deprecation, Stability};
use super::types::{Kinds, TypeChange};
use super::variants::{self, Variant, Variants};
use super::{Both, keywords, words};
use crate::resolve::Part;

/// Maximum number of variants in which properties are looked for that moved.
const MAX_WRAPPED: usize = 64;

/// Something that differs.
pub(super) enum Fact<'d> {
    /// A difference whose rule has an id with this end.
    Rule {
        rule: &'static str,
        text: String,
    },
    Type(TypeChange<'d>),
    /// The properties became those of variants.
    Wrapped(String),
    /// A difference of a property that its object decides.
    Property {
        name: &'d str,
        event: Event,
        flags: Flags,
    },
}

/// Statements of a property, and of its object about it.
#[derive(Clone, Copy)]
pub(super) struct Flags {
    /// `true` if the earlier state requires it.
    pub(super) was_required: bool,
    pub(super) is_read_only: bool,
    pub(super) is_write_only: bool,
    pub(super) has_default: bool,
}

impl Flags {
    fn of(schema: Option<Part<'_>>, was_required: bool) -> Self {
        let is = |field: &str| schema.is_some_and(|schema| schema.is(field));
        let default = schema.and_then(|schema| schema.value.get("default"));
        Self {
            was_required,
            is_read_only: is("readOnly"),
            is_write_only: is("writeOnly"),
            has_default: default.is_some_and(|value| !value.is_null()),
        }
    }
}

/// The event of a property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Added { is_required: bool },
    Removed,
    BecameRequired,
    BecameOptional,
    ReadOnly(bool),
    WriteOnly(bool),
}

/// The facts of a pair and the pairs below it.
#[derive(Default)]
pub(super) struct Findings<'d> {
    pub(super) facts: Vec<Fact<'d>>,
    pub(super) children: Vec<(Step<'d>, Both<'d>)>,
}

impl<'d> Findings<'d> {
    pub(super) fn add(&mut self, rule: &'static str, text: String) {
        self.facts.push(Fact::Rule { rule, text });
    }

    /// Adds the pair of a schema below a keyword, if both states have one.
    pub(super) fn descend(&mut self, keyword: &'static str, schemas: Both<'d>) {
        if let Some(inner) = schemas.field(keyword) {
            self.children.push((Step::Keyword(keyword), inner));
        }
    }
}

/// Returns what differs in a pair of schemas, and the pairs below it.
pub(super) fn facts<'d>(sides: &Sides<'d>, schemas: Both<'d>) -> Findings<'d> {
    let mut found = Findings::default();
    found.add_lifecycle(sides, schemas);
    if let Some(is_added) = variants::null_variant(&sides.meanings, sides.descriptions, schemas) {
        found.add_nullability(is_added);
        return found;
    }
    if let Some(is_added) = nullability(schemas) {
        found.add_nullability(is_added);
    }
    found.add_types(sides, schemas);
    found.add_values(schemas);
    found.add_properties(sides, schemas);
    keywords::add_limits(&mut found, schemas);
    for keyword in ["items", "additionalProperties", "not"] {
        found.descend(keyword, schemas);
    }
    found
}

/// Returns whether `null` became a value; `Some(false)` if it is none any more.
fn nullability(schemas: Both<'_>) -> Option<bool> {
    match schemas.are("nullable") {
        (false, true) => Some(true),
        (true, false) => Some(false),
        _ => TypeChange::nullability(schemas.before, schemas.after),
    }
}

impl<'d> Findings<'d> {
    fn add_nullability(&mut self, is_added: bool) {
        match is_added {
            true => self.add("became-nullable", "can be `null` now".to_owned()),
            false => self.add("became-not-nullable", "cannot be `null` any more".to_owned()),
        }
    }

    fn add_lifecycle(&mut self, sides: &Sides<'d>, schemas: Both<'d>) {
        match Deprecation::of(schemas.before, schemas.after, sides.today) {
            None => {}
            Some(Deprecation::Reactivated) => {
                self.add("reactivated", "is not deprecated any more".to_owned());
            }
            Some(Deprecation::Deprecated(None)) => {
                self.add("deprecated", "became deprecated".to_owned());
            }
            Some(Deprecation::Deprecated(Some(day))) => self.add(
                "deprecated-with-sunset",
                format!("became deprecated and can be gone from {day} on"),
            ),
            Some(Deprecation::Late(day)) => self.add(
                "sunset-date-too-small",
                format!("became deprecated with the sunset date {day}, which is past"),
            ),
            Some(Deprecation::InvalidSunset(text)) => self.add(
                "deprecated-sunset-invalid",
                format!("became deprecated with the sunset date {text}, which is no date"),
            ),
        }
        let stabilities = (Stability::of(schemas.before), Stability::of(schemas.after));
        if let (Ok(before), Ok(after)) = stabilities
            && before != after
            && before.is_reliable()
        {
            let rule = if after < before { "stability-decreased" } else { "stability-increased" };
            let (before, after) = (before.name(), after.name());
            self.add(rule, format!("changed its stability from {before} to {after}"));
        }
    }

    /// Adds the differences of types and variants. A list of variants that each are of a type counts
    /// as a list of types.
    fn add_types(&mut self, sides: &Sides<'d>, schemas: Both<'d>) {
        let lists = (types_of(sides, schemas.before, 0), types_of(sides, schemas.after, 1));
        let is_list = if let (Some(before), Some(after)) = lists
            && (before.is_list || after.is_list)
        {
            self.add_type_list(&before.names, &after.names)
        } else {
            false
        };
        let is_wrapped = self.add_wrapping(sides, schemas);
        let is_claimed = is_list || is_wrapped;
        if !is_claimed && let Some(change) = TypeChange::of(schemas.before, schemas.after) {
            self.facts.push(Fact::Type(change));
        }
        for (keyword, rules) in [
            ("allOf", ["all-of-added", "all-of-removed"]),
            ("anyOf", ["any-of-added", "any-of-removed"]),
            ("oneOf", ["one-of-added", "one-of-removed"]),
        ] {
            let descriptions = sides.descriptions;
            let mut variants = variants::variants(&sides.meanings, descriptions, schemas, keyword);
            for (name, inner) in std::mem::take(&mut variants.both) {
                self.children.push((Step::Inner(keyword, name), inner));
            }
            if !is_claimed {
                self.add_variants(sides, keyword, rules, variants);
            }
        }
        if !is_claimed {
            keywords::add_discriminator(self, schemas);
        }
        keywords::add_conditions(self, schemas, is_claimed);
    }

    fn add_variants(
        &mut self,
        sides: &Sides<'d>,
        keyword: &'static str,
        [added, removed]: [&'static str; 2],
        variants: Variants<'d>,
    ) {
        let event = |verb: &str, variants: &[Variant<'d>]| {
            let names = words::listed(variants.iter().map(|variant| &variant.name));
            format!("{verb} {names} in `{keyword}`")
        };
        let split = |side: usize, variants: Vec<Variant<'d>>| {
            let is_annotation = |variant: &Variant<'d>| {
                keyword == "allOf"
                    && variant.is_annotation(&sides.meanings, sides.descriptions[side])
            };
            variants.into_iter().partition::<Vec<_>, _>(is_annotation)
        };
        let (notes_added, now_added) = split(1, variants.added);
        let (notes_removed, now_removed) = split(0, variants.removed);
        for (rule, verb, variants) in [
            (added, "has the new", now_added),
            (removed, "lost", now_removed),
            ("all-of-added-annotation-only", "has the new annotation", notes_added),
            ("all-of-removed-annotation-only", "lost the annotation", notes_removed),
        ] {
            if !variants.is_empty() {
                self.add(rule, event(verb, &variants));
            }
        }
    }

    /// Adds the difference of two lists of types, and returns whether there is one.
    fn add_type_list(&mut self, before: &[&str], after: &[&str]) -> bool {
        let without = |names: &[&str], others: &[&str]| -> HashSet<String> {
            let other = names.iter().filter(|name| !others.contains(name));
            other.map(|name| (*name).to_owned()).collect()
        };
        let (added, removed) = (without(after, before), without(before, after));
        if added.is_empty() && removed.is_empty() {
            return false;
        }
        let text = format!(
            "changed its types from {} to {}",
            words::quoted(&before.join(" or ")),
            words::quoted(&after.join(" or "))
        );
        let rule = match (added.is_empty(), removed.is_empty()) {
            (false, false) => "list-of-types-changed",
            (false, true) => "list-of-types-widened",
            (true, _) => "list-of-types-narrowed",
        };
        self.add(rule, text);
        true
    }

    /// Adds that an object became a choice of objects that have its properties.
    fn add_wrapping(&mut self, sides: &Sides<'d>, schemas: Both<'d>) -> bool {
        let moved = moved_properties(sides, schemas);
        if !moved.is_empty() {
            let names = words::listed(&moved);
            self.facts.push(Fact::Wrapped(format!(
                "became a choice of several objects in `oneOf`, which have the properties {names}"
            )));
        }
        !moved.is_empty()
    }

    fn add_values(&mut self, schemas: Both<'d>) {
        for (keyword, name, [added, removed, changed]) in [
            (
                "default",
                "default",
                ["default-value-added", "default-value-removed", "default-value-changed"],
            ),
            ("const", "constant value", ["const-added", "const-removed", "const-changed"]),
        ] {
            let value = |part: Part<'d>| part.value.get(keyword).filter(|value| !value.is_null());
            match (value(schemas.before), value(schemas.after)) {
                (None, Some(new)) => {
                    self.add(added, format!("has the new {name} {}", words::shown(new)));
                }
                (Some(old), None) => {
                    self.add(removed, format!("lost its {name} {}", words::shown(old)));
                }
                (Some(old), Some(new)) if old != new => {
                    let (old, new) = (words::shown(old), words::shown(new));
                    self.add(changed, format!("changed its {name} from {old} to {new}"));
                }
                _ => {}
            }
        }
        self.add_enum(schemas);
    }

    /// Adds the values of lists that only one state has. A list that is new, or gone, is no change of
    /// each value.
    fn add_enum(&mut self, schemas: Both<'d>) {
        let values = |part: Part<'d>, keyword: &str| -> Option<Vec<&'d Value>> {
            Some(part.value.get(keyword)?.as_array()?.iter().collect())
        };
        match (values(schemas.before, "enum"), values(schemas.after, "enum")) {
            (None, Some(_)) => {
                self.add("became-enum", "can only have the values of a list now".to_owned());
            }
            (Some(_), None) => {
                let text = "can have other values than those of a list now".to_owned();
                self.add("enum-value-added", text);
            }
            (Some(before), Some(after)) => {
                self.add_removed_values("enum-value-removed", &before, &after);
                for value in without(&after, &before) {
                    let text = format!("can have the new value {}", words::shown(value));
                    self.add("enum-value-added", text);
                }
            }
            (None, None) => {}
        }
        let extensible = "x-extensible-enum";
        let lists = (values(schemas.before, extensible), values(schemas.after, extensible));
        if let (Some(before), Some(after)) = lists {
            self.add_removed_values("x-extensible-enum-value-removed", &before, &after);
        }
    }

    fn add_removed_values(
        &mut self,
        rule: &'static str,
        before: &[&'d Value],
        after: &[&'d Value],
    ) {
        for value in without(before, after) {
            let text = format!("cannot have the value {} any more", words::shown(value));
            self.add(rule, text);
        }
    }

    fn add_properties(&mut self, sides: &Sides<'d>, schemas: Both<'d>) {
        let fields = |part: Part<'d>| part.field("properties").into_iter().flat_map(Part::fields);
        let (was_required, is_required) = (required(schemas.before), required(schemas.after));
        let moved = moved_properties(sides, schemas);
        let property = |part: Part<'d>, name: &str| part.field("properties")?.field(name);
        let [old, new] = sides.descriptions;
        for (name, before) in fields(schemas.before) {
            let needs = (was_required.contains(name), is_required.contains(name));
            match property(schemas.after, name) {
                Some(after) => self.compare_property(sides, name, Both { before, after }, needs),
                None if moved.contains(name) => {}
                None => {
                    let flags = Flags::of(old.followed(before), needs.0);
                    self.facts.push(Fact::Property { name, event: Event::Removed, flags });
                }
            }
        }
        for (name, after) in fields(schemas.after) {
            if property(schemas.before, name).is_none() {
                let event = Event::Added { is_required: is_required.contains(name) };
                let flags = Flags::of(new.followed(after), false);
                self.facts.push(Fact::Property { name, event, flags });
            }
        }
    }

    /// Adds the differences of a property of both states that its object decides.
    fn compare_property(
        &mut self,
        sides: &Sides<'d>,
        name: &'d str,
        schemas: Both<'d>,
        (was_required, is_required): (bool, bool),
    ) {
        self.children.push((Step::Property(name), schemas));
        let [before, after] = sides.descriptions;
        let followed = (before.followed(schemas.before), after.followed(schemas.after));
        let (Some(before), Some(after)) = followed else { return };
        let mut flags = Flags::of(Some(after), was_required);
        let mut add = |was: bool, is: bool, event: Event| {
            if was != is {
                self.facts.push(Fact::Property { name, event, flags });
            }
        };
        add(before.is("readOnly"), after.is("readOnly"), Event::ReadOnly(after.is("readOnly")));
        add(before.is("writeOnly"), after.is("writeOnly"), Event::WriteOnly(after.is("writeOnly")));
        // A property that was never returned before cannot be missed.
        flags.is_write_only |= before.is("writeOnly");
        let event = if is_required { Event::BecameRequired } else { Event::BecameOptional };
        if was_required != is_required {
            self.facts.push(Fact::Property { name, event, flags });
        }
    }
}

/// Returns the values that are not among others, each once.
fn without<'d>(values: &[&'d Value], others: &[&'d Value]) -> Vec<&'d Value> {
    let mut known: HashSet<&Value> = others.iter().copied().collect();
    values.iter().copied().filter(|value| known.insert(value)).collect()
}

/// Returns the names of the properties that every value has.
fn required(schema: Part<'_>) -> HashSet<&str> {
    let names = schema.field("required").into_iter().flat_map(Part::items);
    names.filter_map(|name| name.value.as_str()).collect()
}

/// Returns the names of properties that became those of variants; none if the schema still has any.
fn moved_properties<'d>(sides: &Sides<'d>, schemas: Both<'d>) -> HashSet<&'d str> {
    let variants = |part: Part<'d>| part.field("oneOf").into_iter().flat_map(Part::items);
    let properties = |part: Part<'d>| part.field("properties").into_iter().flat_map(Part::fields);
    let is_object = properties(schemas.after).next().is_some();
    let has_type = !Kinds::of(schemas.after).names().is_empty();
    if variants(schemas.before).next().is_some() || is_object || has_type {
        return HashSet::new();
    }
    let variants = variants(schemas.after).take(MAX_WRAPPED);
    let variants = variants.filter_map(|part| sides.descriptions[1].followed(part));
    let names: Vec<&Value> = variants.filter_map(|part| part.value.get("properties")).collect();
    let moved = properties(schemas.before).map(|(name, _)| name);
    moved.filter(|name| names.iter().any(|known| known.get(name).is_some())).collect()
}

/// The types of a schema that names them, or that has variants which each name one.
struct TypeList<'d> {
    names: Vec<&'d str>,
    is_list: bool,
}

fn types_of<'d>(sides: &Sides<'d>, schema: Part<'d>, side: usize) -> Option<TypeList<'d>> {
    let has = |part: Part<'d>, name: &str| {
        let size = |value: &Value| {
            value.as_array().map(Vec::len).or(value.as_object().map(|map| map.len()))
        };
        part.value.get(name).and_then(size).is_some_and(|size| size > 0)
    };
    if schema.value.get("not").is_some() || has(schema, "allOf") || has(schema, "properties") {
        return None;
    }
    if let Some(name) = Kinds::of(schema).names().first() {
        return Some(TypeList { names: vec![name], is_list: false });
    }
    let keyword = ["oneOf", "anyOf"].into_iter().find(|keyword| has(schema, keyword))?;
    let mut names = Vec::new();
    for variant in schema.field(keyword)?.items() {
        let variant = sides.descriptions[side].followed(variant)?;
        let is_composed =
            ["properties", "oneOf", "anyOf", "allOf"].iter().any(|keyword| has(variant, keyword));
        match Kinds::of(variant).names() {
            [name] if !is_composed => names.push(*name),
            _ => return None,
        }
    }
    Some(TypeList { names, is_list: true })
}
