//! The access matrix as a manual page: the permissions of each role and the requirements of each
//! operation. It is generated from the policy and the registered operations.

use std::fmt::Write as _;

use bindery_app::access::{Action, Decision, Facts, Membership, Reader, Scopes, decide};
use bindery_model::{Level, Role, SiteVisibility};

use crate::groups;

const OPENING: &str = "\
---
description: Roles, actions, and the role and scope that each operation needs
---

# Permissions

This page is generated from the server's access policy. Tests compare it with the policy and call
every operation with every role.

The role of a person on a space or a collection is the highest of:

* grants to the person or to one of their teams, on it or on a collection around it;
* for members, the nearest default level that is not `inherit`: first its own level, then the levels
  of the collections around it. If all of them are `inherit`, the member's role in the organization,
  or the organization's default role if that is higher.

The role on a site is the highest of the grants on it and, for members, the role in the organization
or the organization's default role.

Administrators of the organization have the role `admin` on everything in it. Guests have grants
only. Disabled members and people outside the organization have no role.

An operation on something on which the caller has no role answers 404, or 204 if it is a deletion. An
operation that the caller's role does not permit answers 403. The scopes and limits of a token
restrict the permissions of its owner and never extend them. A browser session has all permissions
of its owner.

## Roles on a space

";

const READERS: &str = "
## Readers of a published site

Readers outside the organization can read the site and its published content, and nothing else.

";

const ACTIONS: &str = "
## Actions

";

const OPERATIONS: &str = "
## Operations

The action is checked on the target, which the path of the operation names. An additional action is
checked on something that the request names, such as the collection of a new space. The role is the
one that both actions together need.

| operation | target | action | additional action | role | scope |
|---|---|---|---|---|---|
";

/// Returns the possible memberships of a caller in an organization.
fn memberships() -> Vec<(String, Membership)> {
    let member =
        |role: Role| (format!("member with `{}`", role.as_str()), Membership::Member(role));
    let others =
        [("outsider or disabled member", Membership::Stranger), ("guest", Membership::Guest)];
    let others = others.map(|(who, membership)| (who.to_owned(), membership));
    others.into_iter().chain(Role::ALL.map(member)).collect()
}

/// Returns examples of access settings of a space. Grants go to the caller or to a team of theirs.
fn example_settings() -> [(&'static str, Facts); 6] {
    let facts = Facts::default();
    let edit = Some(Role::Edit);
    [
        ("all inherit", facts),
        ("all inherit, organization's default `edit`", Facts { default_role: edit, ..facts }),
        ("nearest level `edit`", Facts { level: Level::Role(Role::Edit), ..facts }),
        ("nearest level none", Facts { level: Level::None, ..facts }),
        ("none, `edit` granted", Facts { level: Level::None, granted: edit, ..facts }),
        ("deleted, `edit` granted", Facts { granted: edit, deleted: true, ..facts }),
    ]
}

/// Returns the matrix as Markdown.
pub fn access_matrix() -> String {
    let mut page = OPENING.to_owned();
    let roles: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    let line = |page: &mut String, cells: &[String]| {
        let _infallible = writeln!(page, "| {} |", cells.join(" | "));
    };
    let row = |page: &mut String, first: &str, rest: &[String]| {
        line(page, &[&[first.to_owned()], rest].concat());
    };
    let table_head = |page: &mut String, first: &str, columns: &[String]| {
        row(page, first, columns);
        page.push_str(&"|---".repeat(columns.len() + 1));
        page.push_str("|\n");
    };
    let words =
        |role: Option<Role>| role.map_or("none".to_owned(), |role| format!("`{}`", role.as_str()));

    table_head(&mut page, "person", &example_settings().map(|(words, _)| words.to_owned()));
    for (who, membership) in memberships() {
        let roles = example_settings()
            .map(|(_, situation)| words(Facts { membership, ..situation }.role()));
        row(&mut page, &who, &roles);
    }
    page.push_str(READERS);
    table_head(
        &mut page,
        "reader",
        &SiteVisibility::ALL.map(|visibility| format!("`{}`", visibility.as_str())),
    );
    for (who, reader) in [
        ("any visitor", Reader::Public),
        ("visitor with a share key of the site", Reader::ShareKey),
        ("visitor who is signed in through the organization", Reader::Visitor),
        ("holder of a preview of the site", Reader::Preview),
    ] {
        row(
            &mut page,
            who,
            &SiteVisibility::ALL.map(|visibility| words(reader.role(visibility, true))),
        );
    }
    page.push_str(ACTIONS);

    let mut head = vec!["action".to_owned(), "no role".to_owned()];
    head.extend(roles.iter().map(|role| format!("`{role}`")));
    head.push("scope".to_owned());
    line(&mut page, &head);
    page.push_str(&"|---".repeat(head.len()));
    page.push_str("|\n");
    for action in Action::ALL {
        let mut cells = vec![action.requirements().description.to_owned()];
        for role in std::iter::once(None).chain(Role::ALL.map(Some)) {
            cells.push(
                match decide(role, Scopes::ALL, action) {
                    Decision::Allowed => "yes",
                    Decision::Unseen => "404",
                    Decision::Lacks(_) | Decision::OutOfScope(_) => "403",
                }
                .to_owned(),
            );
        }
        cells.push(action.requirements().scope.as_str().to_owned());
        line(&mut page, &cells);
    }
    page.push_str(OPERATIONS);
    let mut operations = groups::operations();
    operations.sort_by_key(|operation| operation.id);
    for operation in operations {
        let needed = operation.action.requirements();
        let additional = operation.additional_action.map(Action::requirements);
        let strictest = additional.unwrap_or(needed);
        line(
            &mut page,
            &[
                format!("`{}`", operation.id),
                operation.target.noun().to_owned(),
                needed.description.to_owned(),
                additional.map_or("", |additional| additional.description).to_owned(),
                format!("`{}`", needed.role.max(strictest.role).as_str()),
                needed.scope.max(strictest.scope).as_str().to_owned(),
            ],
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use bindery_app::access::Scope;
    use bindery_contract::{Contract, Method};

    use super::{access_matrix, groups};

    #[test]
    fn the_action_of_an_operation_applies_to_its_target() {
        for operation in groups::operations() {
            let targets = operation.action.requirements().targets;
            assert!(targets.contains(&operation.target), "{}: {targets:?}", operation.id);
        }
    }

    /// Writes that a token with the scope `read` may call, with the reason.
    const WRITES_WITH_READ_SCOPE: [(&str, &str); 15] = [
        ("acceptInvitation", "an invited person has no token; `JoinOrganization` is checked later"),
        ("aggregateSiteEvents", "POST carries the query in its body and changes nothing"),
        ("checkExpression", "POST carries the expression in its body and changes nothing"),
        ("getComputedDocument", "POST carries the source in its body and changes nothing"),
        ("getComputedRevision", "POST carries the source in its body and changes nothing"),
        ("receiveGitEvent", "the event is signed, and its sender has no token"),
        ("receiveOpenAPIHook", "the request has the token of the hook, and no other"),
        ("renderIntegrationUIWithPost", "POST carries the block in its body and changes nothing"),
        (
            "resolvePublishedContentByUrl",
            "POST carries the address in its body and changes nothing",
        ),
        ("searchSiteContent", "POST carries the query in its body and changes nothing"),
        ("sendSignInLink", "the caller has no token"),
        ("signIn", "the caller has no token"),
        ("signOut", "ends only the session that calls it"),
        ("trackEventsInSiteById", "readers of a site have no token"),
        ("updateOrganizationMemberLastSeenAt", "records that the caller was active"),
    ];

    /// Reads that need more than the scope `read`, with the reason.
    const READS_WITH_HIGHER_SCOPE: [(&str, &str); 11] = [
        ("getAccess", "explains the access of other people to administrators"),
        ("getOrganizationInviteLink", "contains a link, which is a secret"),
        ("getSitePublishingAuthById", "contains the key that signs visitors in"),
        ("listEditingPeople", "people who write the pages see each other"),
        ("listEditingSteps", "people who write the page together follow each other"),
        ("listInvitations", "contains the links that accept invitations"),
        ("listOrganizationInviteLinks", "contains links, which are secrets"),
        ("listSiteShareLinks", "contains links, which are secrets"),
        ("listSpaceEditingPeople", "people who write the pages see each other"),
        ("listSpaceEditingSteps", "people who write the page together follow each other"),
        ("listSpacesForOrganizationMember", "shows the access of other people to administrators"),
    ];

    /// Compares the scope of each operation with its method, as the matrix states it: an operation
    /// needs the higher scope of its two actions.
    #[test]
    fn writes_need_a_writing_scope_and_reads_a_reading_scope() {
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for operation in groups::operations() {
            let additional = operation.additional_action.map(|action| action.requirements().scope);
            let scope = Some(operation.action.requirements().scope).max(additional);
            let method = Contract::embedded().operation(operation.id).unwrap().method;
            match (method, scope == Some(Scope::Read)) {
                (Method::Get, false) => reads.push(operation.id),
                (Method::Post | Method::Put | Method::Patch | Method::Delete, true) => {
                    writes.push(operation.id);
                }
                _ => {}
            }
        }
        writes.sort_unstable();
        reads.sort_unstable();
        assert_eq!(writes, WRITES_WITH_READ_SCOPE.map(|(id, _)| id), "writes with `read`");
        assert_eq!(reads, READS_WITH_HIGHER_SCOPE.map(|(id, _)| id), "reads above `read`");
    }

    /// With `BINDERY_WRITE=1` the test writes the page instead of comparing it.
    #[test]
    fn the_page_matches_the_policy() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/access-matrix.md");
        let now = access_matrix();
        if env::var_os("BINDERY_WRITE").is_some() {
            fs::write(path, &now).unwrap();
        }
        let page = fs::read_to_string(path).unwrap_or_default();
        assert!(
            page == now,
            "{path} is out of date: run the test with BINDERY_WRITE=1, and review the change"
        );
    }
}
