//! `updateOrganizationById`: updates settings of an organization.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::{self, ContentPointer, Organization, OrganizationPatch};
use bindery_app::review::merge_rules::MergeRules;
use bindery_model::{Error, Result};
use bindery_wire::request::{
    CollectionPointer, MergeRulesConfigurationRules, MergeRulesStandaloneConfiguration,
    OrganizationDefaultContent, SitePointer, SpacePointer, UpdateOrganizationByIdBody,
};
use serde_json::json;

use super::organization_response;
use crate::call::Call;
use crate::closed_sets::role_of;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateOrganizationById", Action::ManageOrganization, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let UpdateOrganizationByIdBody {
        title,
        email_domains,
        hostname,
        default_role,
        default_content,
        logo,
        sso,
        ai,
        invite_links,
        merge_rules,
    } = call.body()?;
    let patch = OrganizationPatch {
        title,
        email_domains,
        hostname,
        default_role: default_role.change().map(|role| role.map(role_of)),
        default_content: default_content.change().map(|content| content.map(pointer)),
        logo: logo.change(),
        sso,
        ai,
        invite_links,
        merge_rules: merge_rules.map(rules).transpose()?,
    };
    let after = organizations::update(cx, organization, patch)?;
    Reply::json(200, &organization_response(cx, after)?)
}

fn pointer(content: OrganizationDefaultContent) -> ContentPointer {
    match content {
        OrganizationDefaultContent::SitePointer(SitePointer { site }) => ContentPointer::Site(site),
        OrganizationDefaultContent::SpacePointer(SpacePointer { space }) => {
            ContentPointer::Space(space)
        }
        OrganizationDefaultContent::CollectionPointer(CollectionPointer { collection }) => {
            ContentPointer::Collection(collection)
        }
    }
}

fn rules(rules: MergeRulesStandaloneConfiguration) -> Result<MergeRules> {
    match rules {
        MergeRulesStandaloneConfiguration::MergeRulesConfigurationNone(_) => Ok(MergeRules::None),
        MergeRulesStandaloneConfiguration::MergeRulesConfigurationRules(
            MergeRulesConfigurationRules { rules },
        ) => serde_json::from_value(json!({ "type": "rules", "rules": rules }))
            .map_err(|error| Error::invalid(format!("body at /mergeRules: {error}"))),
    }
}
