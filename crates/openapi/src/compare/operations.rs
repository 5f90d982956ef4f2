//! Compares operations: which there are, and what they state besides parameters and bodies.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::endpoints::{Endpoint, endpoints};
use super::lifecycle::{Deprecation, Removal, Stability, SunsetChange};
use super::parameters::Parameters;
use super::{Both, Comparison, Level, Subject, words};
use crate::outline::Operation;
use crate::resolve::Part;

impl<'d> Comparison<'d> {
    pub(super) fn compare_operations(&mut self) {
        self.compare_endpoints("paths", "");
        self.compare_endpoints("webhooks", "webhook:");
    }

    fn compare_endpoints(&mut self, field: &str, start: &str) {
        let found = endpoints(self.before, self.after, field, start);
        for endpoint in &found.removed {
            match start {
                "" => self.remove_path(endpoint),
                start => self.name_webhook(endpoint, start, false),
            }
        }
        for (before, after) in &found.both {
            self.compare_endpoint(before, after);
        }
        for endpoint in &found.added {
            match start {
                "" => self.add_path(endpoint),
                start => self.name_webhook(endpoint, start, true),
            }
        }
    }

    fn name_webhook(&mut self, endpoint: &Endpoint<'d>, start: &str, is_added: bool) {
        let name = words::quoted(endpoint.path.trim_start_matches(start));
        let whole = Subject::default();
        match is_added {
            true => self.add(
                &whole,
                "webhook-added",
                Level::Info,
                format!("The webhook {name} is new."),
            ),
            false => self.add(
                &whole,
                "webhook-removed",
                Level::Breaking,
                format!("The webhook {name} was removed."),
            ),
        }
    }

    fn add_path(&mut self, endpoint: &Endpoint<'d>) {
        for (operation, _) in &endpoint.operations {
            self.add_operation(&endpoint.path, operation);
        }
    }

    fn add_operation(&mut self, path: &str, operation: &Operation) {
        let subject = subject(path, operation);
        let text = format!("The operation {} is new.", name(&subject));
        self.add(&subject, "endpoint-added", Level::Info, text);
    }

    fn remove_path(&mut self, endpoint: &Endpoint<'d>) {
        for (operation, part) in &endpoint.operations {
            self.remove_operation(&endpoint.path, (operation, *part), true);
        }
    }

    /// Names the removal of an operation, which may be that of its path. Nobody may rely on one that is
    /// a draft or an alpha state.
    fn remove_operation(
        &mut self,
        path: &str,
        (operation, part): (&Operation, Part<'d>),
        is_path: bool,
    ) {
        let subject = subject(path, operation);
        if !self.is_reliable(&subject, part) {
            return;
        }
        let name = name(&subject);
        let rules = match is_path {
            true => [
                "api-path-removed-without-deprecation",
                "api-path-removed-with-deprecation",
                "api-path-removed-before-sunset",
            ],
            false => [
                "api-removed-without-deprecation",
                "api-removed-with-deprecation",
                "api-removed-before-sunset",
            ],
        };
        let [without, with, early] = rules;
        let removed = format!("The operation {name} was removed");
        let (rule, level, text) = match Removal::of(part, self.today) {
            Removal::NotDeprecated => {
                (without, Level::Breaking, format!("{removed} without being deprecated before."))
            }
            Removal::Announced(None) => {
                (with, Level::Info, format!("{removed} after it was deprecated."))
            }
            Removal::Announced(Some(day)) => {
                (with, Level::Info, format!("{removed} after it was deprecated until {day}."))
            }
            Removal::Early(day) => {
                (early, Level::Breaking, format!("{removed} before its sunset date {day}."))
            }
            Removal::InvalidSunset(found) => (
                "api-path-sunset-parse",
                Level::Breaking,
                format!("{removed}, and its sunset date {found} is no date."),
            ),
        };
        self.add(&subject, rule, level, text);
    }

    /// Returns whether others may rely on an operation. Names a stability that is none.
    fn is_reliable(&mut self, subject: &Subject, part: Part<'d>) -> bool {
        match Stability::of(part) {
            Ok(stability) => stability.is_reliable(),
            Err(found) => {
                let name = name(subject);
                let allowed = "`draft`, `alpha`, `beta` or `stable`";
                let text = format!(
                    "The operation {name} states the stability {found}; allowed: {allowed}."
                );
                self.add(subject, "api-invalid-stability-level", Level::Breaking, text);
                false
            }
        }
    }

    fn compare_endpoint(&mut self, before: &Endpoint<'d>, after: &Endpoint<'d>) {
        let new = after.operations.iter().map(|(new, part)| (new.method.as_str(), (new, *part)));
        let new: HashMap<&str, _> = new.collect();
        for (operation, part) in &before.operations {
            match new.get(operation.method.as_str()) {
                Some((new, new_part)) => {
                    let both = Both { before: *part, after: *new_part };
                    self.compare_operation((before, after), (operation, new), both);
                }
                None => self.remove_operation(&before.path, (operation, *part), false),
            }
        }
        let known: HashSet<&str> =
            before.operations.iter().map(|(old, _)| old.method.as_str()).collect();
        for (operation, _) in &after.operations {
            if !known.contains(operation.method.as_str()) {
                self.add_operation(&after.path, operation);
            }
        }
    }

    fn compare_operation(
        &mut self,
        (before, after): (&Endpoint<'d>, &Endpoint<'d>),
        (old, new): (&Operation, &Operation),
        parts: Both<'d>,
    ) {
        let shared = Both { before: before.item, after: after.item };
        if !self.spend(shared, &["parameters"])
            || !self.spend(parts, &["parameters", "tags", "security"])
        {
            return;
        }
        let subject = Rc::new(subject(&after.path, new));
        if !self.compare_stability(&subject, parts) {
            return;
        }
        self.compare_id(&self::subject(&after.path, old), new);
        self.compare_tags(&subject, parts);
        self.compare_deprecation(&subject, parts);
        self.compare_operation_security(&subject, parts);
        let parameters = Parameters::of(self, (before, after), parts);
        self.compare_parameters(&subject, &parameters);
        self.compare_request(&subject, parts);
        self.compare_responses(&subject, parts);
    }

    /// Names a change of the stability. Returns `false` if nobody may rely on the later state.
    fn compare_stability(&mut self, subject: &Subject, parts: Both<'d>) -> bool {
        let (Ok(before), Ok(after)) = (Stability::of(parts.before), Stability::of(parts.after))
        else {
            let _is_invalid = self.is_reliable(subject, parts.before);
            let _is_invalid = self.is_reliable(subject, parts.after);
            return false;
        };
        if before != after && before.is_reliable() {
            let (rule, level) = match after < before {
                true => ("api-stability-decreased", Level::Breaking),
                false => ("api-stability-increased", Level::Info),
            };
            let (old, new) = (before.name(), after.name());
            let name = name(subject);
            let text = format!("The operation {name} changed its stability from {old} to {new}.");
            self.add(subject, rule, level, text);
        }
        after.is_reliable()
    }

    fn compare_id(&mut self, subject: &Subject, new: &Operation) {
        let old_id = words::quoted(&subject.operation_id);
        let new_id = words::quoted(&new.id);
        let name = name(subject);
        if subject.operation_id == new.id {
            return;
        }
        if subject.operation_id.is_empty() {
            let subject = Subject { operation_id: new.id.clone(), ..subject.clone() };
            let text = format!("The operation {name} has the new id {new_id}.");
            return self.add(&subject, "api-operation-id-added", Level::Info, text);
        }
        let text = match new.id.as_str() {
            "" => format!("The operation {name} lost its id {old_id}."),
            _ => format!("The operation {name} changed its id from {old_id} to {new_id}."),
        };
        self.add(subject, "api-operation-id-removed", Level::Info, text);
    }

    fn compare_tags(&mut self, subject: &Subject, parts: Both<'d>) {
        let tags = |part: Part<'d>| -> Vec<&'d str> {
            let tags = part.field("tags").into_iter().flat_map(Part::items);
            tags.filter_map(|tag| tag.value.as_str()).collect()
        };
        let (before, after) = (tags(parts.before), tags(parts.after));
        let name = name(subject);
        let (old, new): (HashSet<_>, HashSet<_>) =
            (before.iter().copied().collect(), after.iter().copied().collect());
        for tag in before.iter().filter(|tag| !new.contains(*tag)) {
            let text = format!("The operation {name} lost its tag {}.", words::quoted(tag));
            self.add(subject, "api-tag-removed", Level::Info, text);
        }
        for tag in after.iter().filter(|tag| !old.contains(*tag)) {
            let text = format!("The operation {name} has the new tag {}.", words::quoted(tag));
            self.add(subject, "api-tag-added", Level::Info, text);
        }
    }

    fn compare_deprecation(&mut self, subject: &Subject, parts: Both<'d>) {
        let operation = format!("The operation {}", name(subject));
        let (rule, level, text) = match Deprecation::of(parts.before, parts.after, self.today) {
            None => return self.compare_sunset(subject, parts),
            Some(Deprecation::Reactivated) => (
                "endpoint-reactivated",
                Level::Info,
                format!("{operation} is not deprecated any more."),
            ),
            Some(Deprecation::Deprecated(None)) => {
                ("endpoint-deprecated", Level::Info, format!("{operation} became deprecated."))
            }
            Some(Deprecation::Deprecated(Some(day))) => (
                "endpoint-deprecated-with-sunset",
                Level::Info,
                format!("{operation} became deprecated and can be gone from {day} on."),
            ),
            Some(Deprecation::Late(day)) => (
                "api-sunset-date-too-small",
                Level::Breaking,
                format!("{operation} became deprecated with the sunset date {day}, which is past."),
            ),
            Some(Deprecation::InvalidSunset(found)) => (
                "api-deprecated-sunset-parse",
                Level::Breaking,
                format!("{operation} became deprecated, and its sunset date {found} is no date."),
            ),
        };
        self.add(subject, rule, level, text);
    }

    fn compare_sunset(&mut self, subject: &Subject, parts: Both<'d>) {
        let operation = format!("The operation {}", name(subject));
        let (rule, text) = match SunsetChange::of(parts.before, parts.after, self.today) {
            None => return,
            Some(SunsetChange::Removed) => (
                "sunset-deleted",
                format!("{operation} lost its sunset date, although it is still deprecated."),
            ),
            Some(SunsetChange::TooEarly(old, new)) => (
                "api-sunset-date-changed-too-small",
                format!(
                    "{operation} moved its sunset date from {old} back to {new}, which is past."
                ),
            ),
            Some(SunsetChange::Invalid(found)) => (
                "api-path-sunset-parse",
                format!("{operation} changed its sunset date, of which {found} is no date."),
            ),
        };
        self.add(subject, rule, Level::Breaking, text);
    }
}

fn subject(path: &str, operation: &Operation) -> Subject {
    Subject {
        method: operation.method.clone(),
        path: path.to_owned(),
        operation_id: operation.id.clone(),
    }
}

/// Returns the method and the path of an operation as they stand in a sentence.
fn name(subject: &Subject) -> String {
    words::quoted(&format!("{} {}", subject.method.to_uppercase(), subject.path))
}
