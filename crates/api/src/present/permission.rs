//! The permissions of a person on a resource, and their sources.

use bindery_app::App;
use bindery_app::access::permissions::{Grantee, Resource};
use bindery_app::access::{Source, SourceKind};
use bindery_app::people::users::User;
use bindery_model::{CollectionId, OrganizationId, Role, SpaceId};
use bindery_wire::response::{
    AccessExplanation, AccessExplanationResource, PermissionSource, UserContentPermission,
};
use bindery_wire::values::{AccessExplanationResourceType, PermissionSourceType};

use super::user;
use crate::closed_sets::member_role;

pub(crate) fn user_permission(
    app: &App,
    who: User,
    role: Role,
    sources: Option<Vec<Source>>,
) -> UserContentPermission {
    let sources = sources.map(|sources| {
        sources.into_iter().map(|source| permission_source(source, Some(role), None)).collect()
    });
    UserContentPermission { permission: member_role(role), user: user(app, who), sources }
}

/// Presents a source of a role. `decided` is the role that results from all sources together.
fn permission_source(
    source: Source,
    decided: Option<Role>,
    organization: Option<OrganizationId>,
) -> PermissionSource {
    let Source { kind, role } = source;
    let (kind, resource, team) = match kind {
        SourceKind::Member => (PermissionSourceType::MemberRole, None, None),
        SourceKind::OrganizationDefault => (PermissionSourceType::OrganizationDefault, None, None),
        SourceKind::Default(resource) => (PermissionSourceType::DefaultLevel, Some(resource), None),
        SourceKind::Grant(resource, Grantee::User(_)) => {
            (PermissionSourceType::User, Some(resource), None)
        }
        SourceKind::Grant(resource, Grantee::Team(team)) => {
            (PermissionSourceType::Team, Some(resource), Some(team))
        }
    };
    let (space, collection) = match resource {
        Some(Resource::Space(id)) => (Some(id.to_string()), None),
        Some(Resource::Collection(id)) => (None, Some(id.to_string())),
        // Responses do not explain roles on sites.
        Some(Resource::Site(_)) | None => (None, None),
    };
    PermissionSource {
        r#type: kind,
        role: role.map(member_role),
        organization: organization.filter(|_| resource.is_none()).map(|id| id.to_string()),
        collection,
        space,
        team: team.map(|id| id.to_string()),
        decides: role.is_some() && role == decided,
    }
}

/// The subject of an explanation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExplanationSubject {
    /// The organization itself.
    Organization,
    /// A space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
}

pub(crate) fn explanation(
    app: &App,
    who: User,
    organization: OrganizationId,
    about: ExplanationSubject,
    role: Option<Role>,
    sources: Vec<Source>,
) -> AccessExplanation {
    let (kind, noun, id) = match about {
        ExplanationSubject::Organization => {
            (AccessExplanationResourceType::Organization, "organization", organization.to_string())
        }
        ExplanationSubject::Collection(id) => {
            (AccessExplanationResourceType::Collection, "collection", id.to_string())
        }
        ExplanationSubject::Space(id) => {
            (AccessExplanationResourceType::Space, "space", id.to_string())
        }
    };
    AccessExplanation {
        summary: summary(&who.display_name, noun, role, &sources),
        user: user(app, who),
        resource: AccessExplanationResource { r#type: kind, id },
        permission: role.map(member_role),
        sources: sources
            .into_iter()
            .map(|source| permission_source(source, role, Some(organization)))
            .collect(),
    }
}

/// Summarizes the explanation in one sentence.
fn summary(name: &str, noun: &str, role: Option<Role>, sources: &[Source]) -> String {
    let Some(role) = role else {
        return format!("{name} cannot see this {noun}: they have no role on it.");
    };
    let resource = |resource: Resource| match resource {
        Resource::Space(_) => "the space".to_owned(),
        Resource::Collection(id) => format!("the collection {id}"),
        Resource::Site(_) => "the site".to_owned(),
    };
    let reasons: Vec<String> = sources
        .iter()
        .filter(|source| source.role == Some(role))
        .map(|source| match source.kind {
            SourceKind::Member => "it is their role in the organization".to_owned(),
            SourceKind::OrganizationDefault => {
                "the organization gives it to all members".to_owned()
            }
            SourceKind::Default(at) => format!("{} gives it to all members", resource(at)),
            SourceKind::Grant(at, Grantee::User(_)) => {
                format!("they were granted it on {}", resource(at))
            }
            SourceKind::Grant(at, Grantee::Team(team)) => {
                format!("their team {team} was granted it on {}", resource(at))
            }
        })
        .collect();
    let role = role.as_str();
    match reasons.is_empty() {
        true => format!("{name} has the role {role} on this {noun}."),
        false => format!("{name} has the role {role} on this {noun}: {}.", reasons.join("; ")),
    }
}
