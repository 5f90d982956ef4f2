//! An organization with what the caller may do in it.

use bindery_app::App;
use bindery_app::merge_rules::MergeRules;
use bindery_app::organizations::Permissions;
use bindery_model::{Result, Role};
use bindery_store::organizations::Organization;
use bindery_wire::response::{self, OrganizationPermissions};
use bindery_wire::values::{
    BillingProduct, BillingTrialStatus, MemberRole, OrganizationType, OrganizationUseCase,
};

use super::merge_rules;

pub(crate) fn member_role(role: Role) -> MemberRole {
    match role {
        Role::Admin => MemberRole::Admin,
        Role::Create => MemberRole::Create,
        Role::Review => MemberRole::Review,
        Role::Edit => MemberRole::Edit,
        Role::Comment => MemberRole::Comment,
        Role::Read => MemberRole::Read,
    }
}

pub(crate) fn organization(
    app: &App,
    organization: Organization,
    permissions: Permissions,
) -> Result<response::Organization> {
    let Organization { id, title, default_role, merge_rules, created_at } = organization;
    let Permissions { role, guest } = permissions;
    let admin = role == Role::Admin;
    let member = !guest;
    Ok(response::Organization {
        id: id.to_string(),
        title,
        created_at,
        email_domains: Vec::new(),
        hostname: None,
        r#type: OrganizationType::Business,
        use_case: Some(OrganizationUseCase::InternalDocs),
        community_type: None,
        default_role: Some(default_role.map(member_role)),
        default_content: None,
        sso: Some(false),
        ai: Some(false),
        invite_links: false,
        plan: BillingProduct::Internal,
        billing: None,
        merge_rules: merge_rules::standalone(MergeRules::parse(merge_rules.as_deref())?),
        urls: response::OrganizationUrls {
            location: app.urls.api(format_args!("/orgs/{id}")),
            app: app.urls.app_organization(id),
            logo: None,
        },
        trial: response::OrganizationTrial {
            status: BillingTrialStatus::None,
            count: 0,
            end_date: None,
            decision: None,
        },
        custom_hostname: None,
        blocked: None,
        internal_is_on_new_trial: None,
        internal_billing_migration: None,
        permissions: OrganizationPermissions {
            view: true,
            admin,
            own_team: admin,
            create_content: member && role >= Role::Create,
            create_open_api_spec: member && role >= Role::Create,
            ingest_conversations: admin,
            view_billing: admin,
            list_members: member,
            list_teams: member,
            list_integrations: member,
            list_installations: member,
            install_integration: admin,
        },
    })
}
