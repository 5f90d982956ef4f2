//! Compares what requests need to be permitted, and the parts that all operations share.

use std::collections::{BTreeMap, BTreeSet};

use super::{Both, Comparison, Level, Subject, words};
use crate::resolve::Part;

/// The ids of the rules for requirements of an operation or of all.
struct Rules {
    added: &'static str,
    removed: &'static str,
    scope_added: &'static str,
    scope_removed: &'static str,
}

const OF_OPERATION: Rules = Rules {
    added: "api-security-added",
    removed: "api-security-removed",
    scope_added: "api-security-scope-added",
    scope_removed: "api-security-scope-removed",
};

const OF_ALL: Rules = Rules {
    added: "api-global-security-added",
    removed: "api-global-security-removed",
    scope_added: "api-global-security-scope-added",
    scope_removed: "api-global-security-scope-removed",
};

/// The schemes that a request needs together, each with its scopes.
type Requirement<'d> = BTreeMap<&'d str, BTreeSet<&'d str>>;

/// Returns the requirements of which a request needs one. One without schemes is left out.
fn requirements<'d>(part: Part<'d>) -> Vec<Requirement<'d>> {
    let scopes = |scopes: Part<'d>| -> BTreeSet<&'d str> {
        scopes.items().filter_map(|scope| scope.value.as_str()).collect()
    };
    let requirements = part.field("security").into_iter().flat_map(Part::items);
    let requirements = requirements.map(|requirement| {
        requirement.fields().map(|(name, part)| (name, scopes(part))).collect::<Requirement<'d>>()
    });
    requirements.filter(|requirement| !requirement.is_empty()).collect()
}

/// Returns the requirements of one side that the other one does not have, by their schemes.
fn without<'d>(
    requirements: &[Requirement<'d>],
    others: &[Requirement<'d>],
) -> BTreeMap<Vec<&'d str>, Vec<Requirement<'d>>> {
    let others: BTreeSet<&Requirement<'d>> = others.iter().collect();
    let mut found: BTreeMap<Vec<&'d str>, Vec<Requirement<'d>>> = BTreeMap::new();
    for requirement in requirements.iter().filter(|known| !others.contains(known)) {
        let schemes = requirement.keys().copied().collect();
        found.entry(schemes).or_default().push(requirement.clone());
    }
    found
}

fn shown(requirement: &Requirement<'_>) -> String {
    let schemes = requirement.iter().map(|(name, scopes)| {
        let scopes = scopes.iter().copied().collect::<Vec<_>>().join(", ");
        if scopes.is_empty() { (*name).to_owned() } else { format!("{name} ({scopes})") }
    });
    words::quoted(&schemes.collect::<Vec<_>>().join(" and "))
}

impl<'d> Comparison<'d> {
    pub(super) fn compare_operation_security(&mut self, subject: &Subject, parts: Both<'d>) {
        self.compare_requirements(subject, parts, &OF_OPERATION);
    }

    pub(super) fn compare_security(&mut self) {
        let parts = Both { before: self.before.top(), after: self.after.top() };
        self.compare_requirements(&Subject::default(), parts, &OF_ALL);
    }

    fn compare_requirements(&mut self, subject: &Subject, parts: Both<'d>, rules: &Rules) {
        let (before, after) = (requirements(parts.before), requirements(parts.after));
        let (mut removed, mut added) = (without(&before, &after), without(&after, &before));
        let schemes: Vec<_> = removed.keys().cloned().collect();
        for schemes in schemes {
            let pair = (removed.get(&schemes), added.get(&schemes));
            if let (Some([old]), Some([new])) =
                (pair.0.map(Vec::as_slice), pair.1.map(Vec::as_slice))
            {
                let (old, new) = (old.clone(), new.clone());
                self.compare_scopes(subject, &old, &new, rules);
                removed.remove(&schemes);
                added.remove(&schemes);
            }
        }
        for requirement in removed.values().flatten() {
            let text = format!("The security requirement {} was removed.", shown(requirement));
            self.add(subject, rules.removed, Level::Info, text);
        }
        for requirement in added.values().flatten() {
            let text = format!("The security requirement {} is new.", shown(requirement));
            self.add(subject, rules.added, Level::Info, text);
        }
    }

    fn compare_scopes(
        &mut self,
        subject: &Subject,
        old: &Requirement<'d>,
        new: &Requirement<'d>,
        rules: &Rules,
    ) {
        for (scheme, scopes) in old {
            let Some(others) = new.get(scheme) else { continue };
            let scheme = words::quoted(scheme);
            for scope in scopes.difference(others) {
                let scope = words::quoted(scope);
                let text =
                    format!("The security scheme {scheme} no longer needs the scope {scope}.");
                self.add(subject, rules.scope_removed, Level::Info, text);
            }
            for scope in others.difference(scopes) {
                let scope = words::quoted(scope);
                let text = format!("The security scheme {scheme} needs the scope {scope} now.");
                self.add(subject, rules.scope_added, Level::Info, text);
            }
        }
    }

    /// Compares the security schemes and the models.
    pub(super) fn compare_components(&mut self) {
        let components = |part: Part<'d>, name: &str| part.field("components")?.field(name);
        let (before, after) = (self.before.top(), self.after.top());
        let [old, new] = [before, after].map(|part| components(part, "securitySchemes"));
        for (name, scheme) in old.into_iter().flat_map(Part::fields) {
            match new.and_then(|new| new.field(name)) {
                Some(after) => self.compare_scheme(name, Both { before: scheme, after }),
                None => self.name_component(
                    "api-security-component-removed",
                    "security scheme",
                    name,
                    "was removed",
                ),
            }
        }
        for (name, _) in new.into_iter().flat_map(Part::fields) {
            if old.and_then(|old| old.field(name)).is_none() {
                self.name_component(
                    "api-security-component-added",
                    "security scheme",
                    name,
                    "is new",
                );
            }
        }
        let [old, new] = [before, after].map(|part| components(part, "schemas"));
        for (name, _) in old.into_iter().flat_map(Part::fields) {
            if new.and_then(|new| new.field(name)).is_none() {
                self.name_component("api-schema-removed", "model", name, "was removed");
            }
        }
    }

    fn name_component(&mut self, rule: &'static str, kind: &str, name: &str, event: &str) {
        let text = format!("The {kind} {} {event}.", words::quoted(name));
        self.add(&Subject::default(), rule, Level::Info, text);
    }

    fn compare_scheme(&mut self, name: &str, schemes: Both<'d>) {
        let Some(schemes) = self.followed(schemes) else { return };
        let title = format!("The security scheme {}", words::quoted(name));
        self.compare_text(
            "api-security-component-type-changed",
            schemes,
            ("type", &format!("{title} changed its type")),
        );
        let Some(flows) = schemes.field("flows") else { return };
        for (flow, before) in flows.before.fields() {
            let Some(after) = flows.after.field(flow) else { continue };
            let (flow, both) = (words::quoted(flow), Both { before, after });
            let text = format!("{title} changed the authorization address of its flow {flow}");
            self.compare_text(
                "api-security-component-oauth-url-changed",
                both,
                ("authorizationUrl", &text),
            );
            let text = format!("{title} changed the token address of its flow {flow}");
            self.compare_text(
                "api-security-component-oauth-token-url-changed",
                both,
                ("tokenUrl", &text),
            );
            self.compare_flow_scopes(&format!("{title}, flow {flow},"), both);
        }
    }

    fn compare_text(&mut self, rule: &'static str, parts: Both<'d>, (field, text): (&str, &str)) {
        let value = |part: Part<'d>| part.text(field).unwrap_or_default();
        let (old, new) = (value(parts.before), value(parts.after));
        if old != new {
            let (old, new) = (words::quoted(old), words::quoted(new));
            self.add(
                &Subject::default(),
                rule,
                Level::Info,
                format!("{text} from {old} to {new}."),
            );
        }
    }

    fn compare_flow_scopes(&mut self, title: &str, flows: Both<'d>) {
        let whole = Subject::default();
        let scopes = |part: Part<'d>| part.field("scopes");
        let (old, new) = (scopes(flows.before), scopes(flows.after));
        for (name, before) in old.into_iter().flat_map(Part::fields) {
            let scope = words::quoted(name);
            match new.and_then(|new| new.field(name)) {
                None => {
                    let text = format!("{title} lost the scope {scope}.");
                    self.add(
                        &whole,
                        "api-security-component-oauth-scope-removed",
                        Level::Info,
                        text,
                    );
                }
                Some(after) if after.value != before.value => {
                    let (old, new) = (words::shown(before.value), words::shown(after.value));
                    let text =
                        format!("{title} describes the scope {scope} as {new} instead of {old}.");
                    self.add(
                        &whole,
                        "api-security-component-oauth-scope-changed",
                        Level::Info,
                        text,
                    );
                }
                Some(_) => {}
            }
        }
        for (name, _) in new.into_iter().flat_map(Part::fields) {
            if old.and_then(|old| old.field(name)).is_none() {
                let text = format!("{title} has the new scope {}.", words::quoted(name));
                self.add(&whole, "api-security-component-oauth-scope-added", Level::Info, text);
            }
        }
    }
}
