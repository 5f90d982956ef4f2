//! The contract's files, compiled into the binary.

macro_rules! files {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../contract/", $folder, "/", $name, ".json")))),*]
    };
}

/// Operations by group: the group's name and the text of its file.
#[rustfmt::skip]
pub(crate) const OPERATIONS: &[(&str, &str)] = files!("operations":
    "agents"
    "audit-events"
    "bindery"
    "change-request-comments"
    "change-request-content"
    "change-request-contributors"
    "change-request-reviewers"
    "change-requests"
    "change-requests-links"
    "change-requests-reviews"
    "collection-teams"
    "collection-users"
    "collections"
    "conversations"
    "custom-fonts"
    "custom-hostnames"
    "git-installations"
    "glossary"
    "imports"
    "integrations"
    "openapi"
    "openapi-versions"
    "organization-ask"
    "organization-invites"
    "organization-members"
    "organizations"
    "site-ads"
    "site-ask"
    "site-customization"
    "site-external-links"
    "site-insights"
    "site-mcp-servers"
    "site-preview"
    "site-publishing-auth"
    "site-redirects"
    "site-section-groups"
    "site-sections"
    "site-share-links"
    "site-spaces"
    "site-structure"
    "site-teams"
    "site-users"
    "sites"
    "space-comment"
    "space-comments"
    "space-content"
    "space-embeds"
    "space-git"
    "space-integrations"
    "space-teams"
    "space-users"
    "spaces"
    "sso"
    "storage"
    "subdomains"
    "system"
    "team-members"
    "teams"
    "translations"
    "urls"
    "users"
);

/// Schemas by area: the area's name and the text of its file.
#[rustfmt::skip]
pub(crate) const SCHEMAS: &[(&str, &str)] = files!("schemas":
    "ai"
    "audit-events"
    "bindery"
    "change-requests"
    "comments"
    "common"
    "computed-content"
    "content-kit"
    "content-references"
    "conversations"
    "document-blocks"
    "document-inlines"
    "document-tables"
    "editing"
    "git-sync"
    "git"
    "hostnames"
    "integration-events"
    "integrations"
    "notifications"
    "openapi-specs"
    "organizations"
    "people"
    "revision-changes"
    "revisions"
    "site-adaptive-content"
    "site-customization"
    "site-insights"
    "site-structure"
    "sites"
    "spaces"
    "storage-and-imports"
    "translations"
);

/// Parameters shared by several operations.
pub(crate) const PARAMETERS: &str = include_str!("../contract/parameters.json");
/// Responses shared by several operations.
pub(crate) const RESPONSES: &str = include_str!("../contract/responses.json");
/// Headers shared by several responses.
pub(crate) const HEADERS: &str = include_str!("../contract/headers.json");
/// Changes to the base contract, each with its reason.
pub(crate) const WIDENINGS: &str = include_str!("../contract/widenings.json");
/// Descriptions of groups, parameters and fields by name.
pub(crate) const DESCRIPTIONS: &str = include_str!("../contract/descriptions.json");
/// Ids of the operations that are not implemented yet, one per line.
pub(crate) const PENDING: &str = include_str!("../contract/pending.txt");
