//! Compares the parameters of operations.

use std::collections::HashMap;
use std::rc::Rc;

use super::endpoints::{Endpoint, renamed};
use super::lifecycle::{Deprecation, Removal, SunsetChange};
use super::report::Place;
use super::types::Kinds;
use super::{Both, Comparison, Level, Subject, words};
use crate::load::Description;
use crate::resolve::Part;

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter<'d> {
    kind: &'d str,
    name: &'d str,
    part: Part<'d>,
    /// The schema, or that of the only media type.
    schema: Option<Part<'d>>,
    /// `true` if it holds for all operations of the path.
    is_shared: bool,
}

impl<'d> Parameter<'d> {
    fn title(&self) -> String {
        format!("{} parameter {}", words::short(self.kind), words::quoted(self.name))
    }

    /// Returns whether a single value is written as a list of one is.
    fn takes_one(&self) -> bool {
        let style = self.part.text("style").unwrap_or("form");
        let is_exploded = self.part.value.get("explode").is_none_or(|value| value == true);
        matches!(self.kind, "query" | "cookie") && style == "form" && is_exploded
    }

    /// Returns the properties if they are written as parameters of their own are.
    fn properties(&self, description: &'d Description) -> Option<Part<'d>> {
        let is_exploded = self.takes_one() && self.part.is("explode");
        let schema = description.followed(self.schema.filter(|_| is_exploded)?)?;
        schema.field("properties").filter(|_| Kinds::of(schema).names() == ["object"])
    }
}

/// The parameters of an operation in both states.
#[derive(Default)]
pub(super) struct Parameters<'d> {
    both: Vec<(Parameter<'d>, Parameter<'d>)>,
    added: Vec<Parameter<'d>>,
    removed: Vec<Parameter<'d>>,
}

impl<'d> Parameters<'d> {
    /// Pairs the parameters of an operation, with those of its path. A parameter of the path may have
    /// another name.
    pub(super) fn of(
        comparison: &Comparison<'d>,
        (before, after): (&Endpoint<'d>, &Endpoint<'d>),
        parts: Both<'d>,
    ) -> Self {
        let old = parameters(comparison.before, before.item, parts.before);
        let new = parameters(comparison.after, after.item, parts.after);
        let renamed = renamed(&before.path, &after.path);
        let mut places: HashMap<(&str, String), usize> = HashMap::new();
        for (at, parameter) in new.iter().enumerate() {
            places.insert(key(parameter, parameter.name), at);
        }
        let mut found = Self::default();
        let mut is_known = vec![false; new.len()];
        for parameter in old {
            let name = match parameter.kind {
                "path" => renamed.get(parameter.name).copied().unwrap_or(parameter.name),
                _ => parameter.name,
            };
            match places.get(&key(&parameter, name)) {
                Some(at) => {
                    is_known[*at] = true;
                    found.both.push((parameter, new[*at]));
                }
                None => found.removed.push(parameter),
            }
        }
        let unknown = new.into_iter().zip(is_known).filter(|(_, is_known)| !is_known);
        found.added = unknown.map(|(parameter, _)| parameter).collect();
        let Self { both, added, removed } = &mut found;
        both.extend(match_properties(removed, added, comparison.after));
        let pairs = match_properties(added, removed, comparison.before);
        both.extend(pairs.into_iter().map(|(new, old)| (old, new)));
        found
    }
}

/// Maximum number of parameters among whose properties others are looked for.
const MAX_OBJECTS: usize = 16;

/// Pairs parameters with properties of objects of the other state that are written alike, and takes
/// both away.
fn match_properties<'d>(
    parameters: &mut Vec<Parameter<'d>>,
    objects: &mut Vec<Parameter<'d>>,
    description: &'d Description,
) -> Vec<(Parameter<'d>, Parameter<'d>)> {
    let mut pairs = Vec::new();
    let mut left = MAX_OBJECTS;
    objects.retain(|object| {
        let Some(properties) = object.properties(description).filter(|_| left > 0) else {
            return true;
        };
        left -= 1;
        let known = pairs.len();
        parameters.retain(|parameter| {
            let is_alike = parameter.kind == object.kind;
            let schema = properties.field(parameter.name).filter(|_| is_alike);
            let property = Parameter { name: parameter.name, schema, ..*object };
            pairs.extend(schema.map(|_| (*parameter, property)));
            schema.is_none()
        });
        pairs.len() == known
    });
    pairs
}

/// Returns what tells a parameter from others. The names of headers are the same in capital letters.
fn key<'d>(parameter: &Parameter<'d>, name: &str) -> (&'d str, String) {
    let name = if parameter.kind == "header" { name.to_lowercase() } else { name.to_owned() };
    (parameter.kind, name)
}

/// Returns the parameters of an operation. One of its own replaces one of its path.
fn parameters<'d>(
    description: &'d Description,
    item: Part<'d>,
    operation: Part<'d>,
) -> Vec<Parameter<'d>> {
    let mut found: Vec<Parameter<'d>> = Vec::new();
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    for (owner, is_shared) in [(item, true), (operation, false)] {
        for part in owner.field("parameters").into_iter().flat_map(Part::items) {
            let Some(part) = description.followed(part) else { continue };
            let (Some(kind), Some(name)) = (part.text("in"), part.text("name")) else { continue };
            let content = || part.field("content")?.fields().next()?.1.field("schema");
            let schema = part.field("schema").or_else(content);
            let parameter = Parameter { kind, name, part, schema, is_shared };
            let at = *places.entry(key(&parameter, name)).or_insert(found.len());
            match found.get_mut(at) {
                Some(known) => *known = parameter,
                None => found.push(parameter),
            }
        }
    }
    found
}

impl<'d> Comparison<'d> {
    pub(super) fn compare_parameters(
        &mut self,
        subject: &Rc<Subject>,
        parameters: &Parameters<'d>,
    ) {
        for parameter in &parameters.removed {
            self.remove_parameter(subject, parameter);
        }
        for (before, after) in &parameters.both {
            self.compare_parameter(subject, before, after);
        }
        for parameter in &parameters.added {
            self.add_parameter(subject, parameter);
        }
    }

    fn add_parameter(&mut self, subject: &Subject, parameter: &Parameter<'d>) {
        let is_required = parameter.part.is("required");
        let (rule, level) = match (parameter.kind, parameter.is_shared, is_required) {
            ("path", ..) => ("new-request-path-parameter", Level::Breaking),
            (_, false, true) => ("new-required-request-parameter", Level::Breaking),
            (_, false, false) => ("new-optional-request-parameter", Level::Info),
            (_, true, true) => {
                ("new-required-request-default-parameter-to-existing-path", Level::Breaking)
            }
            (_, true, false) => {
                ("new-optional-request-default-parameter-to-existing-path", Level::Info)
            }
        };
        let need = if level == Level::Breaking { "required" } else { "optional" };
        let text = format!("The {} is new and {need}.", parameter.title());
        self.add(subject, rule, level, text);
    }

    fn remove_parameter(&mut self, subject: &Subject, parameter: &Parameter<'d>) {
        let removed = format!("The {} was removed", parameter.title());
        let (rule, level, text) = match Removal::of(parameter.part, self.today) {
            Removal::NotDeprecated => {
                ("request-parameter-removed", Level::Warning, format!("{removed}."))
            }
            Removal::Announced(_) => (
                "request-parameter-removed-with-deprecation",
                Level::Info,
                format!("{removed} after it was deprecated."),
            ),
            Removal::Early(day) => (
                "request-parameter-removed-before-sunset",
                Level::Breaking,
                format!("{removed} before its sunset date {day}."),
            ),
            Removal::InvalidSunset(found) => (
                "request-parameter-sunset-parse",
                Level::Breaking,
                format!("{removed}, and its sunset date {found} is no date."),
            ),
        };
        self.add(subject, rule, level, text);
    }

    fn compare_parameter(
        &mut self,
        subject: &Rc<Subject>,
        before: &Parameter<'d>,
        after: &Parameter<'d>,
    ) {
        let title = before.title();
        let (was_required, is_required) = (before.part.is("required"), after.part.is("required"));
        match (was_required, is_required) {
            (false, true) => self.add(
                subject,
                "request-parameter-became-required",
                Level::Breaking,
                format!("The {title} became required."),
            ),
            (true, false) => self.add(
                subject,
                "request-parameter-became-optional",
                Level::Info,
                format!("The {title} became optional."),
            ),
            _ => {}
        }
        self.compare_parameter_deprecation(subject, before, after);
        let place = Place::Parameter {
            kind: before.kind,
            name: before.name,
            is_optional: !was_required && !is_required,
            takes_one: before.takes_one() && after.takes_one(),
        };
        if let (Some(before), Some(after)) = (before.schema, after.schema) {
            self.add_schema(subject, place, Both { before, after });
        }
    }

    fn compare_parameter_deprecation(
        &mut self,
        subject: &Subject,
        before: &Parameter<'d>,
        after: &Parameter<'d>,
    ) {
        let title = before.title();
        let (rule, level, text) = match Deprecation::of(before.part, after.part, self.today) {
            None => return self.compare_parameter_sunset(subject, before, after),
            Some(Deprecation::Reactivated) => (
                "request-parameter-reactivated",
                Level::Info,
                format!("The {title} is not deprecated any more."),
            ),
            Some(Deprecation::Deprecated(None)) => (
                "request-parameter-deprecated",
                Level::Info,
                format!("The {title} became deprecated."),
            ),
            Some(Deprecation::Deprecated(Some(day))) => (
                "request-parameter-deprecated",
                Level::Info,
                format!("The {title} became deprecated and can be gone from {day} on."),
            ),
            Some(Deprecation::Late(day)) => (
                "request-parameter-sunset-date-too-small",
                Level::Breaking,
                format!("The {title} became deprecated with the sunset date {day}, which is past."),
            ),
            Some(Deprecation::InvalidSunset(found)) => (
                "request-parameter-sunset-parse",
                Level::Breaking,
                format!("The {title} became deprecated, and its sunset date {found} is no date."),
            ),
        };
        self.add(subject, rule, level, text);
    }

    fn compare_parameter_sunset(
        &mut self,
        subject: &Subject,
        before: &Parameter<'d>,
        after: &Parameter<'d>,
    ) {
        let title = before.title();
        let (rule, text) = match SunsetChange::of(before.part, after.part, self.today) {
            None => return,
            Some(SunsetChange::Removed) => (
                "request-parameter-sunset-deleted",
                format!("The {title} lost its sunset date, although it is still deprecated."),
            ),
            Some(SunsetChange::TooEarly(old, new)) => (
                "request-parameter-sunset-date-changed-too-small",
                format!(
                    "The {title} moved its sunset date from {old} back to {new}, which is past."
                ),
            ),
            Some(SunsetChange::Invalid(found)) => (
                "request-parameter-sunset-parse",
                format!("The {title} changed its sunset date, of which {found} is no date."),
            ),
        };
        self.add(subject, rule, Level::Breaking, text);
    }
}
