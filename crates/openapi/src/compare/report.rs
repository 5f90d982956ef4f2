//! Judges the differences of schemas at the places where operations use them.

use std::collections::HashMap;

use super::facts::{Event, Fact, Flags};
use super::graph::{Graph, Pair, Step};
use super::rules::{Column, Rule, rule};
use super::types::TypeChange;
use super::{Change, Changes, Level, Subject, words};

/// Maximum number of schemas within each other that are read at a place.
const MAX_DEPTH: usize = 48;
/// Maximum number of schemas that are read at a place.
const MAX_STEPS: usize = 20_000;
/// Maximum number of times that a schema is read at a place, which is found there by many ways if
/// schemas contain each other.
const MAX_READS: usize = 128;
/// Maximum number of changes of a place.
const MAX_AT_PLACE: usize = 500;

/// A place of an operation that has a schema.
#[derive(Clone, Debug)]
pub(super) enum Place<'d> {
    Request {
        /// The media type, if the body has several.
        media: Option<&'d str>,
        /// `true` if a number is not a text in this media type.
        is_strict: bool,
    },
    Response {
        status: &'d str,
        media: Option<&'d str>,
        is_strict: bool,
    },
    Parameter {
        kind: &'d str,
        name: &'d str,
        /// `true` if neither state needs it, so that a default counts.
        is_optional: bool,
        /// `true` if a single value is written as a list of one is.
        takes_one: bool,
    },
    Header {
        status: &'d str,
        name: &'d str,
    },
}

impl Place<'_> {
    /// Returns the place as the end of a sentence's subject.
    fn name(&self) -> String {
        let of_media = |media: &Option<&str>| {
            media.map_or(String::new(), |media| format!(" ({})", words::short(media)))
        };
        match self {
            Self::Request { media, .. } => format!("the request body{}", of_media(media)),
            Self::Response { status, media, .. } => {
                format!("the response {}{}", words::short(status), of_media(media))
            }
            Self::Parameter { kind, name, .. } => {
                format!("the {} parameter {}", words::short(kind), words::quoted(name))
            }
            Self::Header { status, name } => {
                let status = words::short(status);
                format!("the header {} of the response {status}", words::quoted(name))
            }
        }
    }

    fn column(&self, is_root: bool, pair: &Pair<'_>) -> Option<Column> {
        Some(match (self, is_root) {
            (Self::Request { .. }, true) => Column::RequestBody,
            (Self::Request { .. }, false) if pair.is_read_only() => Column::ReadOnlyRequestProperty,
            (Self::Request { .. }, false) => Column::RequestProperty,
            (Self::Response { .. }, true) => Column::ResponseBody,
            (Self::Response { .. }, false) if pair.is_write_only() => {
                Column::WriteOnlyResponseProperty
            }
            (Self::Response { .. }, false) => Column::ResponseProperty,
            (Self::Parameter { .. }, true) => Column::Parameter,
            (Self::Parameter { .. }, false) => Column::ParameterProperty,
            (Self::Header { .. }, true) => Column::Header,
            (Self::Header { .. }, false) => return None,
        })
    }

    fn is_header_parameter(&self) -> bool {
        matches!(self, Self::Parameter { kind: "header", .. })
    }
}

/// Adds the changes of a pair of schemas, and of those below it, at a place of an operation.
pub(super) fn report<'d>(
    graph: &Graph<'d>,
    pair: usize,
    place: &Place<'d>,
    subject: &Subject,
    changes: &mut Changes,
) {
    let mut reader = Reader {
        graph,
        place,
        name: place.name(),
        subject,
        changes,
        path: Vec::new(),
        open: Vec::new(),
        reads: HashMap::new(),
        steps: MAX_STEPS,
        left: MAX_AT_PLACE,
    };
    reader.read(pair);
}

/// Reads the pairs of a place.
struct Reader<'a, 'd> {
    graph: &'a Graph<'d>,
    place: &'a Place<'d>,
    name: String,
    subject: &'a Subject,
    changes: &'a mut Changes,
    path: Vec<&'a Step<'d>>,
    /// The pairs that are being read, which are not read again within themselves.
    open: Vec<usize>,
    /// The number of times that each pair was read.
    reads: HashMap<usize, usize>,
    steps: usize,
    left: usize,
}

impl<'a, 'd> Reader<'a, 'd> {
    fn read(&mut self, at: usize) {
        let is_over = self.steps == 0 || self.left == 0 || self.changes.is_full();
        let pair = self.graph.get(at);
        if is_over || !pair.has_changes {
            return;
        }
        self.steps -= 1;
        self.changes.steps -= 1;
        let reads = self.reads.entry(at).or_default();
        if self.open.len() >= MAX_DEPTH || *reads >= MAX_READS || self.open.contains(&at) {
            return;
        }
        *reads += 1;
        self.open.push(at);
        for fact in &pair.facts {
            self.judge(pair, fact);
        }
        for (step, child) in &pair.children {
            self.path.push(step);
            self.read(*child);
            self.path.pop();
        }
        self.open.pop();
    }

    fn judge(&mut self, pair: &Pair<'d>, fact: &Fact<'d>) {
        match fact {
            Fact::Rule { rule, text } => self.judge_rule(pair, rule, text),
            Fact::Type(change) => self.judge_type(pair, change),
            Fact::Wrapped(text) => {
                let is_root = self.path.is_empty();
                let end = if is_root { "wrapped-in-one-of" } else { "one-of-added" };
                self.judge_rule(pair, end, text);
            }
            Fact::Property { name, event, flags } => self.judge_property(name, *event, *flags),
        }
    }

    fn judge_rule(&mut self, pair: &Pair<'d>, end: &str, text: &str) {
        let has_default = matches!(self.place, Place::Parameter { is_optional: true, .. });
        let is_parameter = matches!(self.place, Place::Parameter { .. });
        if end.starts_with("default-value") && is_parameter && !has_default {
            return;
        }
        // The limit of a list that consists of lists counts as that of the parameter.
        let is_list = matches!(self.path.as_slice(), [Step::Keyword("items")]);
        let is_root =
            self.path.is_empty() || is_parameter && is_list && end.starts_with("max-items");
        let Some(column) = self.place.column(is_root, pair) else { return };
        if let Some(rule) = rule(end, column) {
            self.add(rule, None, text);
        }
        if end == "became-enum" && self.place.is_header_parameter() {
            self.add(("request-header-property-became-enum", Level::Breaking), None, text);
        }
    }

    fn judge_type(&mut self, pair: &Pair<'d>, change: &TypeChange<'d>) {
        let is_root = self.path.is_empty();
        let Some(column) = self.place.column(is_root, pair) else { return };
        let end = match self.place {
            Place::Request { is_strict, .. } => change.in_request(*is_strict),
            Place::Response { is_strict, .. } => change.in_response(*is_strict),
            Place::Header { .. } => change.in_response(false),
            Place::Parameter { takes_one: true, .. } if is_root && pair.became_list_of(change) => {
                "type-generalized"
            }
            Place::Parameter { .. } if is_root => change.in_parameter(),
            Place::Parameter { .. } => change.in_parameter_property(),
        };
        if let Some(rule) = rule(end, column) {
            self.add(rule, None, &change.text());
        }
    }

    fn judge_property(&mut self, name: &str, event: Event, flags: Flags) {
        let judged = match self.place {
            Place::Request { .. } => in_request(event, flags),
            Place::Response { .. } => in_response(event, flags),
            _ if self.place.is_header_parameter() => in_header(event, flags),
            _ => None,
        };
        if let Some(rule) = judged {
            self.add(rule, Some(name), event_text(event));
        }
    }

    /// Adds a change of the schema that is being read, or of one of its properties.
    fn add(&mut self, (rule, level): Rule, property: Option<&str>, text: &str) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let name = &self.name;
        let mut path = self.path.iter().map(|step| shown(step)).collect::<Vec<_>>();
        path.extend(property.map(words::short));
        let text = match path.is_empty() {
            true => format!("{name} {text}."),
            false => format!("the property `/{}` of {name} {text}.", path.join("/")),
        };
        let Subject { method, path, operation_id } = self.subject.clone();
        let text = words::sentence(&text);
        self.changes.push(Change { rule, level, method, path, operation_id, text });
    }
}

fn shown(step: &Step<'_>) -> String {
    match step {
        Step::Property(name) => words::short(name),
        Step::Keyword(keyword) => (*keyword).to_owned(),
        Step::Inner(keyword, name) => format!("{keyword}[{}]", words::short(name)),
    }
}

fn in_request(event: Event, flags: Flags) -> Option<Rule> {
    let is_read_only = flags.is_read_only;
    Some(match event {
        Event::ReadOnly(is) => match (flags.was_required, is) {
            (true, true) => ("request-required-property-became-read-only", Level::Info),
            (true, false) => ("request-required-property-became-not-read-only", Level::Info),
            (false, true) => ("request-optional-property-became-read-only", Level::Info),
            (false, false) => ("request-optional-property-became-not-read-only", Level::Info),
        },
        Event::WriteOnly(is) => match (flags.was_required, is) {
            (true, true) => ("request-required-property-became-write-only", Level::Info),
            (true, false) => ("request-required-property-became-not-write-only", Level::Info),
            (false, true) => ("request-optional-property-became-write-only", Level::Info),
            (false, false) => ("request-optional-property-became-not-write-only", Level::Info),
        },
        _ if is_read_only => return None,
        Event::Removed => ("request-property-removed", Level::Warning),
        Event::Added { is_required: false } => ("new-optional-request-property", Level::Info),
        Event::Added { .. } if flags.has_default => {
            ("new-required-request-property-with-default", Level::Breaking)
        }
        Event::Added { .. } => ("new-required-request-property", Level::Breaking),
        Event::BecameRequired if flags.has_default => {
            return rule("became-required-with-default", Column::RequestProperty);
        }
        Event::BecameRequired => return rule("became-required", Column::RequestProperty),
        Event::BecameOptional => return rule("became-optional", Column::RequestProperty),
    })
}

fn in_response(event: Event, flags: Flags) -> Option<Rule> {
    let column = match flags.is_write_only {
        true => Column::WriteOnlyResponseProperty,
        false => Column::ResponseProperty,
    };
    let is_required = match event {
        Event::Added { is_required } => is_required,
        _ => flags.was_required,
    };
    Some(match (event, is_required, flags.is_write_only) {
        (Event::BecameRequired, ..) => return rule("became-required", column),
        (Event::BecameOptional, ..) => return rule("became-optional", column),
        (Event::Removed, true, true) => {
            ("response-required-write-only-property-removed", Level::Info)
        }
        (Event::Removed, true, false) => ("response-required-property-removed", Level::Breaking),
        (Event::Removed, false, true) => {
            ("response-optional-write-only-property-removed", Level::Info)
        }
        (Event::Removed, false, false) => ("response-optional-property-removed", Level::Warning),
        (Event::Added { .. }, true, true) => {
            ("response-required-write-only-property-added", Level::Info)
        }
        (Event::Added { .. }, true, false) => ("response-required-property-added", Level::Info),
        (Event::Added { .. }, false, true) => {
            ("response-optional-write-only-property-added", Level::Info)
        }
        (Event::Added { .. }, false, false) => ("response-optional-property-added", Level::Info),
        (Event::ReadOnly(true), true, _) => {
            ("response-required-property-became-read-only", Level::Info)
        }
        (Event::ReadOnly(false), true, _) => {
            ("response-required-property-became-not-read-only", Level::Info)
        }
        (Event::ReadOnly(true), false, _) => {
            ("response-optional-property-became-read-only", Level::Info)
        }
        (Event::ReadOnly(false), false, _) => {
            ("response-optional-property-became-not-read-only", Level::Info)
        }
        (Event::WriteOnly(true), true, _) => {
            ("response-required-property-became-write-only", Level::Info)
        }
        (Event::WriteOnly(false), true, _) => {
            ("response-required-property-became-not-write-only", Level::Warning)
        }
        (Event::WriteOnly(true), false, _) => {
            ("response-optional-property-became-write-only", Level::Info)
        }
        (Event::WriteOnly(false), false, _) => {
            ("response-optional-property-became-not-write-only", Level::Info)
        }
    })
}

fn in_header(event: Event, flags: Flags) -> Option<Rule> {
    match event {
        _ if flags.is_read_only => None,
        Event::Added { is_required: true } => {
            Some(("new-required-request-header-property", Level::Breaking))
        }
        Event::BecameRequired => Some(("request-header-property-became-required", Level::Breaking)),
        _ => None,
    }
}

fn event_text(event: Event) -> &'static str {
    match event {
        Event::Added { is_required: true } => "is new and required",
        Event::Added { is_required: false } => "is new and optional",
        Event::Removed => "was removed",
        Event::BecameRequired => "became required",
        Event::BecameOptional => "became optional",
        Event::ReadOnly(true) => "became read-only",
        Event::ReadOnly(false) => "is not read-only any more",
        Event::WriteOnly(true) => "became write-only",
        Event::WriteOnly(false) => "is not write-only any more",
    }
}
