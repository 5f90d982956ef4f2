//! The groups of the contract and their implemented operations.

mod audit_events;
mod bindery;
mod change_request_comments;
mod change_request_content;
mod change_request_contributors;
mod change_request_reviewers;
mod change_requests;
mod change_requests_reviews;
mod collections;
mod custom_fonts;
mod custom_hostnames;
mod git_installations;
mod integrations;
mod links;
mod openapi;
mod openapi_versions;
mod organization_invites;
mod organization_members;
mod organizations;
mod permissions;
mod search;
mod site_ads;
mod site_customization;
mod site_external_links;
mod site_insights;
mod site_page_feedback;
mod site_preview;
mod site_publishing_auth;
mod site_redirects;
mod site_section_groups;
mod site_sections;
mod site_share_links;
mod site_spaces;
mod site_structure;
mod sites;
mod space_comment;
mod space_comments;
mod space_content;
mod space_git;
mod spaces;
mod storage;
mod subdomains;
mod system;
mod team_members;
mod teams;
mod urls;
mod users;

use crate::operation::Operation;

/// Returns all implemented operations.
pub(crate) fn operations() -> Vec<Operation> {
    [
        system::operations(),
        users::operations(),
        organizations::operations(),
        organization_members::operations(),
        collections::operations(),
        permissions::operations(),
        teams::operations(),
        audit_events::operations(),
        team_members::operations(),
        organization_invites::operations(),
        subdomains::operations(),
        spaces::operations(),
        space_content::operations(),
        search::operations(),
        change_requests::operations(),
        change_request_content::operations(),
        change_requests_reviews::operations(),
        change_request_reviewers::operations(),
        change_request_contributors::operations(),
        change_request_comments::operations(),
        space_comments::operations(),
        space_comment::operations(),
        links::operations(),
        space_git::operations(),
        sites::operations(),
        site_structure::operations(),
        site_sections::operations(),
        site_section_groups::operations(),
        site_spaces::operations(),
        site_customization::operations(),
        site_redirects::operations(),
        site_share_links::operations(),
        site_publishing_auth::operations(),
        site_preview::operations(),
        site_ads::operations(),
        site_external_links::operations(),
        site_insights::operations(),
        site_page_feedback::operations(),
        custom_fonts::operations(),
        custom_hostnames::operations(),
        git_installations::operations(),
        storage::operations(),
        urls::operations(),
        urls::of_spaces(),
        integrations::operations(),
        openapi::operations(),
        openapi_versions::operations(),
        bindery::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
