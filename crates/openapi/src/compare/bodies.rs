//! Compares the bodies of requests and responses, their media types and the headers of responses.

use std::collections::HashMap;
use std::rc::Rc;

use super::report::Place;
use super::{Both, Comparison, Level, Subject, words};
use crate::resolve::Part;

/// A media type in both states, which may have been renamed.
#[derive(Clone, Copy)]
struct Media<'d> {
    old: &'d str,
    new: &'d str,
    parts: Both<'d>,
}

/// The media types of a body in both states.
#[derive(Default)]
struct Content<'d> {
    both: Vec<Media<'d>>,
    added: Vec<&'d str>,
    removed: Vec<&'d str>,
}

impl<'d> Content<'d> {
    /// Pairs the media types of the same name, then those of which one contains the other.
    fn of(parts: Both<'d>) -> Self {
        let fields = |part: Part<'d>| part.field("content").into_iter().flat_map(Part::fields);
        let before: Vec<_> = fields(parts.before).collect();
        let mut after: Vec<_> = fields(parts.after).map(Some).collect();
        let mut found = Self::default();
        let mut left = Vec::new();
        let places: HashMap<&str, usize> =
            after.iter().flatten().enumerate().map(|(at, (name, _))| (*name, at)).collect();
        for (old, before) in before {
            match places.get(old).and_then(|at| after[*at].take()) {
                Some((new, after)) => {
                    found.both.push(Media { old, new, parts: Both { before, after } });
                }
                None => left.push((old, before)),
            }
        }
        let mut new: Vec<_> = after.into_iter().flatten().collect();
        for (old, before) in left {
            let is_same = |(name, _): &(&str, Part<'d>)| {
                contains_media(old, name) || contains_media(name, old)
            };
            match new.iter().take(MAX_MEDIA).position(is_same) {
                Some(at) => {
                    let (new, after) = new.remove(at);
                    found.both.push(Media { old, new, parts: Both { before, after } });
                }
                None => found.removed.push(old),
            }
        }
        found.added = new.into_iter().map(|(name, _)| name).collect();
        found
    }

    /// Returns the media type to name in sentences, if the body has several.
    fn named(&self, media: &Media<'d>) -> Option<&'d str> {
        (self.both.len() > 1).then_some(media.new)
    }
}

/// Maximum number of media types among which another name is looked for.
const MAX_MEDIA: usize = 64;

/// Returns whether a media type contains another one: it has the same names, or it is what the other
/// one is written in.
fn contains_media(general: &str, special: &str) -> bool {
    let (general, special) = (parts_of(general), parts_of(special));
    let (Some((kind, name, suffix)), Some((other_kind, other_name, other_suffix))) =
        (general, special)
    else {
        return false;
    };
    let is_base = suffix.is_empty() && other_suffix == name;
    kind == other_kind && (is_base || (name, suffix) == (other_name, other_suffix))
}

/// Returns the type, the name and the suffix of a media type.
fn parts_of(media: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = without_parameters(media).split_once('/')?;
    let (name, suffix) = rest.split_once('+').unwrap_or((rest, ""));
    (!suffix.contains('+') && !rest.contains('/')).then_some((kind, name, suffix))
}

fn without_parameters(media: &str) -> &str {
    media.split(';').next().unwrap_or_default().trim()
}

/// Returns whether numbers and texts differ in a media type.
fn is_strict(media: &str) -> bool {
    let media = without_parameters(media);
    media == "application/json" || media.ends_with("+json")
}

impl<'d> Comparison<'d> {
    pub(super) fn compare_request(&mut self, subject: &Rc<Subject>, parts: Both<'d>) {
        let before = parts.before.field("requestBody").and_then(|part| self.before.followed(part));
        let after = parts.after.field("requestBody").and_then(|part| self.after.followed(part));
        let is_required = |part: Part<'d>| part.is("required");
        match (before, after) {
            (None, None) => {}
            (None, Some(after)) if is_required(after) => self.add(
                subject,
                "request-body-added-required",
                Level::Breaking,
                "A request body is new and required.".to_owned(),
            ),
            (None, Some(_)) => self.add(
                subject,
                "request-body-added-optional",
                Level::Info,
                "A request body is new and optional.".to_owned(),
            ),
            (Some(_), None) => self.add(
                subject,
                "request-body-removed",
                Level::Breaking,
                "The request body was removed.".to_owned(),
            ),
            (Some(before), Some(after)) => self.compare_body(subject, Both { before, after }),
        }
    }

    fn compare_body(&mut self, subject: &Rc<Subject>, parts: Both<'d>) {
        if !self.spend(parts, &["content"]) {
            return;
        }
        match parts.are("required") {
            (false, true) => self.add(
                subject,
                "request-body-became-required",
                Level::Breaking,
                "The request body became required.".to_owned(),
            ),
            (true, false) => self.add(
                subject,
                "request-body-became-optional",
                Level::Info,
                "The request body became optional.".to_owned(),
            ),
            _ => {}
        }
        let content = Content::of(parts);
        for media in &content.removed {
            let text = format!("The request body cannot be {} any more.", words::quoted(media));
            self.add(subject, "request-body-media-type-removed", Level::Breaking, text);
        }
        for media in &content.added {
            let text = format!("The request body can be {} now.", words::quoted(media));
            self.add(subject, "request-body-media-type-added", Level::Info, text);
        }
        for media in &content.both {
            let rules = [
                ("request-body-media-type-schema-added", Level::Breaking),
                ("request-body-media-type-schema-removed", Level::Info),
            ];
            let is_strict = is_strict(media.old);
            let place = Place::Request { media: content.named(media), is_strict };
            self.compare_media(subject, *media, place, ("the request body", rules));
        }
    }

    /// Compares the schemas of a media type, which either state can be without.
    fn compare_media(
        &mut self,
        subject: &Rc<Subject>,
        media: Media<'d>,
        place: Place<'d>,
        (owner, [added, removed]): (&str, [(&'static str, Level); 2]),
    ) {
        let schema = |part: Part<'d>| part.field("schema");
        let name = words::quoted(media.new);
        match (schema(media.parts.before), schema(media.parts.after)) {
            (Some(before), Some(after)) => {
                self.add_schema(subject, place, Both { before, after });
            }
            (None, Some(_)) => {
                let text = format!("The media type {name} of {owner} has a new schema.");
                self.add(subject, added.0, added.1, text);
            }
            (Some(_), None) => {
                let text = format!("The media type {name} of {owner} lost its schema.");
                self.add(subject, removed.0, removed.1, text);
            }
            (None, None) => {}
        }
    }

    pub(super) fn compare_responses(&mut self, subject: &Rc<Subject>, parts: Both<'d>) {
        let (before, after) = (parts.before.field("responses"), parts.after.field("responses"));
        let fields = |part: Option<Part<'d>>| part.into_iter().flat_map(Part::fields);
        for (status, old) in fields(before) {
            match after.and_then(|part| part.field(status)) {
                Some(new) => {
                    let both = self.followed(Both { before: old, after: new });
                    if let Some(both) = both {
                        self.compare_response(subject, status, both);
                    }
                }
                None => self.name_status(subject, status, false),
            }
        }
        for (status, _) in fields(after) {
            if before.and_then(|part| part.field(status)).is_none() {
                self.name_status(subject, status, true);
            }
        }
    }

    /// Names a response that only one state has. The rules are for numbers only.
    fn name_status(&mut self, subject: &Subject, status: &str, is_added: bool) {
        let Ok(number) = status.parse::<u16>() else { return };
        let (rule, level, event) = match ((200..300).contains(&number), is_added) {
            (true, true) => ("response-success-status-added", Level::Info, "is new"),
            (true, false) => ("response-success-status-removed", Level::Breaking, "was removed"),
            (false, true) => ("response-non-success-status-added", Level::Info, "is new"),
            (false, false) => ("response-non-success-status-removed", Level::Info, "was removed"),
        };
        self.add(subject, rule, level, format!("The response {number} {event}."));
    }

    fn compare_response(&mut self, subject: &Rc<Subject>, status: &'d str, parts: Both<'d>) {
        if !self.spend(parts, &["headers", "content"]) {
            return;
        }
        self.compare_headers(subject, status, parts);
        let content = Content::of(parts);
        let owner = format!("the response {}", words::short(status));
        for media in &content.removed {
            let text = format!("The media type {} of {owner} was removed.", words::quoted(media));
            self.add(subject, "response-media-type-removed", Level::Breaking, text);
        }
        for media in &content.added {
            let text = format!("The media type {} of {owner} is new.", words::quoted(media));
            self.add(subject, "response-media-type-added", Level::Info, text);
        }
        for media in &content.both {
            self.name_media(subject, &owner, media);
            let rules = [
                ("response-body-media-type-schema-added", Level::Info),
                ("response-body-media-type-schema-removed", Level::Warning),
            ];
            let is_strict = is_strict(media.new);
            let place = Place::Response { status, media: content.named(media), is_strict };
            self.compare_media(subject, *media, place, (&owner, rules));
        }
    }

    /// Names another name of a media type.
    fn name_media(&mut self, subject: &Subject, owner: &str, media: &Media<'d>) {
        if media.old == media.new {
            return;
        }
        let (rule, level) = if without_parameters(media.old) != media.old
            || without_parameters(media.new) != media.new
        {
            ("response-media-type-name-changed", Level::Info)
        } else if contains_media(media.old, media.new) {
            ("response-media-type-name-specialized", Level::Info)
        } else {
            ("response-media-type-name-generalized", Level::Breaking)
        };
        let (old, new) = (words::quoted(media.old), words::quoted(media.new));
        let text = format!("The media type {old} of {owner} became {new}.");
        self.add(subject, rule, level, text);
    }

    fn compare_headers(&mut self, subject: &Rc<Subject>, status: &'d str, parts: Both<'d>) {
        let fields = |part: Part<'d>| part.field("headers").into_iter().flat_map(Part::fields);
        let lower = |name: &str| name.to_lowercase();
        let new: HashMap<String, Part<'d>> =
            fields(parts.after).map(|(name, part)| (lower(name), part)).collect();
        let mut known = HashMap::new();
        for (name, before) in fields(parts.before) {
            known.insert(lower(name), ());
            match new.get(&lower(name)) {
                Some(after) => {
                    if let Some(both) = self.followed(Both { before, after: *after }) {
                        self.compare_header(subject, (status, name), both);
                    }
                }
                None => self.remove_header(subject, (status, name), before),
            }
        }
        for (name, _) in fields(parts.after) {
            if !known.contains_key(&lower(name)) {
                let text = format!("{} is new.", header(status, name));
                self.add(subject, "response-header-added", Level::Info, text);
            }
        }
    }

    fn remove_header(&mut self, subject: &Subject, (status, name): (&str, &str), header: Part<'d>) {
        let header = self.before.followed(header);
        let (rule, level) = match header.is_some_and(|header| header.is("required")) {
            true => ("required-response-header-removed", Level::Breaking),
            false => ("optional-response-header-removed", Level::Warning),
        };
        self.add(subject, rule, level, format!("{} was removed.", self::header(status, name)));
    }

    fn compare_header(
        &mut self,
        subject: &Rc<Subject>,
        (status, name): (&'d str, &'d str),
        parts: Both<'d>,
    ) {
        if parts.are("required") == (true, false) {
            let text = format!("{} became optional.", header(status, name));
            self.add(subject, "response-header-became-optional", Level::Breaking, text);
        }
        if let Some(schemas) = parts.field("schema") {
            self.add_schema(subject, Place::Header { status, name }, schemas);
        }
    }
}

fn header(status: &str, name: &str) -> String {
    format!("The header {} of the response {}", words::quoted(name), words::short(status))
}
