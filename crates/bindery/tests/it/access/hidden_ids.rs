//! Items that a caller does not see are treated as nonexistent, for every id in a path or a query.

use bindery_contract::{Operation, ParameterLocation};
use bindery_testkit::Call;

use crate::support::every_operation::{Ids, about, built, queries_of, with_body};
use crate::support::two_organizations::{Comparison, Observer, TestIds, TwoOrganizations};
use crate::support::{TestEnv, each_engine};

/// The query parameters that contain ids, with the possible kinds. `from` and `to` are times in
/// other operations.
const NAMING: [(&str, &[&str]); 19] = [
    ("actor", &["userId"]),
    ("authors", &["userId"]),
    ("contributor", &["userId"]),
    ("creator", &["userId"]),
    ("from", &["revisionId"]),
    ("organization", &["organizationId"]),
    ("owner", &["userId"]),
    ("pageId", &["pageId"]),
    ("query", &["title"]),
    ("requestedReviewer", &["userId"]),
    ("resource", &["spaceId", "collectionId", "organizationId"]),
    ("search", &["title"]),
    ("siteSpace", &["siteSpaceId"]),
    ("space", &["spaceId"]),
    (
        "target",
        &["spaceId", "collectionId", "teamId", "userId", "siteId", "changeRequestId", "pageId"],
    ),
    ("targetPage", &["pageId"]),
    ("title", &["title"]),
    ("to", &["revisionId"]),
    ("user", &["userId"]),
];

/// The query parameters that contain no ids.
const PLAIN: &str = "level unmasked url visitorAuthToken redirectOnError source action brokenContext claims commented compat computed conversationsIssuesCluster default \
    directory evaluated format kind language limit metadata nested only openapiUrl order outdated page published rating read role \
    schema shareKey sort source status type withDefaultSite follow version client";

/// Returns all non-empty subsets.
fn parts<'a>(of: &[&'a str]) -> Vec<Vec<&'a str>> {
    let chosen = |bits: u32| {
        let names = of.iter().enumerate();
        names.filter(|(at, _)| bits & (1 << at) != 0).map(|(_, name)| *name).collect()
    };
    (1..1 << of.len()).map(chosen).collect()
}

/// Returns the ids with the named ones replaced by those of `others`.
fn mixed(base: &Ids, others: &Ids, names: &[&str]) -> Ids {
    let mut ids = base.clone();
    for (name, id) in &mut ids {
        if names.contains(name) {
            id.clone_from(&others[name]);
        }
    }
    ids
}

/// Returns the path parameters that refer to items which the observer does not see.
fn unseen<'a>(operation: &'a Operation, observer: &Observer) -> Vec<&'a str> {
    operation
        .parameters_in(ParameterLocation::Path)
        .map(|parameter| parameter.name.as_str())
        // Paths of pages and slugs of specifications are no ids by themselves: they are resolved
        // within a space or an organization. Integrations belong to nobody.
        .filter(|name| !["pagePath", "integrationName", "specSlug"].contains(name))
        .filter(|name| !observer.sees.contains(name))
        .collect()
}

fn with_queries(call: Call, operation: &Operation, ids: &Ids) -> Call {
    let queries = queries_of(operation, ids).into_iter();
    queries.fold(call, |call, (name, value)| call.query(name, value))
}

/// Calls an operation with ids of hidden items, and with ids that do not exist.
async fn in_path(
    operation: &Operation,
    observer: &Observer,
    base: &Ids,
    [hidden, never]: [&Ids; 2],
    names: &[&str],
) -> Comparison {
    let attempt = async |others: &Ids| {
        let ids = mixed(base, others, names);
        let call = with_queries(about(&observer.client, operation, &ids), operation, base);
        with_body(call, operation, base).send().await
    };
    let answers = [attempt(hidden).await, attempt(never).await];
    let sent = [hidden, never]
        .map(|ids| names.iter().map(|name| ((*name).to_owned(), ids[name].clone())).collect());
    Comparison::new(format!("{} {names:?} for {}", operation.id, observer.name), answers, sent)
}

#[test]
fn hidden_ids_in_paths_look_nonexistent() {
    each_engine(async |env: &mut TestEnv| {
        let organizations = TwoOrganizations::create(env).await;
        let TwoOrganizations { own, beside, hidden, never, .. } = &organizations;
        let before = organizations.hidden_state().await;
        let mut leaks = Vec::new();
        for operation in built() {
            let [own, beside, theirs, never] =
                [own, beside, hidden, never].map(|known: &TestIds| known.of(operation));
            for observer in &organizations.observers {
                let base = mixed(own, theirs, observer.sees);
                for names in parts(&unseen(operation, observer)) {
                    // Knowing a link is sufficient to follow it.
                    if operation.id == "joinOrganizationWithInvite" && names.contains(&"inviteId") {
                        continue;
                    }
                    // The ids of synchronisations and specifications are random, and secrets admit.
                    if ["receiveGitEvent", "receiveOpenAPIHook"].contains(&operation.id.as_str()) {
                        continue;
                    }
                    let pair = [theirs, never];
                    let compared = in_path(operation, observer, &base, pair, &names).await;
                    leaks.extend(compared.leak(hidden, observer.sees));
                    let about_all = !observer.sees.is_empty() || names == ["emailDomain"];
                    if !compared.is_missing() && !about_all {
                        leaks.push(format!("it is there: {compared}"));
                    }
                }
            }
            // Items of another space in the same organization are not found in this one.
            let ada = &organizations.observers[0];
            let names = unseen(operation, ada);
            if let Some(rest) = names.strip_prefix(&["spaceId"]) {
                for names in parts(rest) {
                    // Users and teams belong to the organization, not to a space.
                    if names.iter().any(|name| ["userId", "teamId"].contains(name)) {
                        continue;
                    }
                    let compared = in_path(operation, ada, own, [beside, never], &names).await;
                    leaks.extend(compared.leak(hidden, &[]));
                }
            }
        }
        assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
        organizations.check_untouched(&before).await;
    });
}

#[test]
fn hidden_ids_in_queries_look_nonexistent() {
    each_engine(async |env: &mut TestEnv| {
        let organizations = TwoOrganizations::create(env).await;
        let TwoOrganizations { own, hidden, never, .. } = &organizations;
        let mut leaks = Vec::new();
        for operation in built() {
            let [own, theirs, never] =
                [own, hidden, never].map(|known: &TestIds| known.of(operation));
            for parameter in operation.parameters_in(ParameterLocation::Query) {
                let name = parameter.name.as_str();
                let naming = NAMING.iter().find(|(known, _)| *known == name);
                let Some((_, kinds)) = naming else {
                    let plain = PLAIN.split_ascii_whitespace().any(|plain| plain == name);
                    assert!(
                        plain,
                        "{} has {name} in its query: does it name anything?",
                        operation.id
                    );
                    continue;
                };
                if ["from", "to"].contains(&name) && !operation.path.contains("/compare") {
                    continue;
                }
                for observer in &organizations.observers {
                    for kind in kinds.iter().filter(|kind| !observer.sees.contains(kind)) {
                        let base = mixed(own, theirs, observer.sees);
                        let attempt = async |id: &str| {
                            let call = about(&observer.client, operation, own);
                            let queries = queries_of(operation, &base).into_iter();
                            let call = queries
                                .filter(|(known, _)| *known != name)
                                .fold(call, |call, (name, value)| call.query(name, value))
                                .query(name, id);
                            with_body(call, operation, own).send().await
                        };
                        let [theirs, never] = [&theirs[kind], &never[kind]];
                        let answers = [attempt(theirs).await, attempt(never).await];
                        let sent = [theirs, never].map(|id| vec![((*kind).to_owned(), id.clone())]);
                        let what = format!("{}?{name}={kind} for {}", operation.id, observer.name);
                        leaks.extend(
                            Comparison::new(what, answers, sent).leak(hidden, observer.sees),
                        );
                    }
                }
            }
        }
        assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    });
}
