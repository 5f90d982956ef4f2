//! An organization with the caller's permissions in it.

use bindery_app::App;
use bindery_app::people::organizations::{
    DefaultContent, Organization, OrganizationView, Permissions,
};
use bindery_app::review::merge_rules::MergeRules;
use bindery_model::{Error, Result, Role};
use bindery_wire::request;
use bindery_wire::response::{
    self, CollectionPointer, OrganizationDefaultContent, OrganizationPermissions, SitePointer,
    SpacePointer,
};
use bindery_wire::values::{
    BillingProduct, BillingTrialStatus, OrganizationType, OrganizationUseCase,
};

use super::merge_rules;
use crate::closed_sets::member_role;

pub(crate) fn organization(app: &App, view: OrganizationView) -> Result<response::Organization> {
    let OrganizationView { organization, email_domains, permissions } = view;
    let Organization {
        id,
        title,
        default_role,
        merge_rules,
        hostname,
        default_content,
        logo,
        ai,
        invite_links,
        onboarding,
        created_at,
    } = organization;
    let onboarding = onboarding.as_deref().map(onboarding_preferences).transpose()?;
    let seen = permissions.is_some();
    Ok(response::Organization {
        id: id.to_string(),
        title,
        created_at,
        email_domains,
        hostname,
        r#type: OrganizationType::Business,
        use_case: Some(OrganizationUseCase::InternalDocs),
        community_type: None,
        default_role: seen.then(|| default_role.map(member_role)),
        default_content: default_content.map(pointer),
        // Single sign-on is not implemented yet.
        sso: Some(false),
        ai: Some(ai),
        invite_links,
        plan: BillingProduct::Internal,
        billing: None,
        merge_rules: merge_rules::standalone(MergeRules::parse(merge_rules.as_deref())?),
        urls: response::OrganizationUrls {
            location: app.urls.api(format_args!("/orgs/{id}")),
            app: app.urls.app_organization(id),
            logo,
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
        permissions: organization_permissions(permissions),
        onboarding_preferences: onboarding,
    })
}

fn onboarding_preferences(stored: &str) -> Result<response::SiteOnboardingPreferences> {
    let request::SiteOnboardingPreferences { source, audience, interests } =
        serde_json::from_str(stored)
            .map_err(|error| Error::internal(format!("stored onboarding preferences: {error}")))?;
    Ok(response::SiteOnboardingPreferences { source, audience, interests })
}

fn organization_permissions(permissions: Option<Permissions>) -> OrganizationPermissions {
    let (role, guest, own_team) = match permissions {
        Some(Permissions { role, guest, owns_team }) => (Some(role), guest, owns_team),
        None => (None, false, false),
    };
    let admin = role == Some(Role::Admin);
    let member = role.is_some() && !guest;
    let creates = member && role >= Some(Role::Create);
    OrganizationPermissions {
        view: role.is_some(),
        admin,
        own_team,
        create_content: creates,
        create_open_api_spec: creates,
        ingest_conversations: admin,
        view_billing: admin,
        list_members: member,
        list_teams: member,
        list_integrations: member,
        list_installations: member,
        install_integration: admin,
    }
}

fn pointer(content: DefaultContent) -> OrganizationDefaultContent {
    match content {
        DefaultContent::Site(site) => {
            OrganizationDefaultContent::SitePointer(SitePointer { site: site.to_string() })
        }
        DefaultContent::Space(space) => {
            OrganizationDefaultContent::SpacePointer(SpacePointer { space: space.to_string() })
        }
        DefaultContent::Collection(collection) => {
            OrganizationDefaultContent::CollectionPointer(CollectionPointer {
                collection: collection.to_string(),
            })
        }
    }
}
