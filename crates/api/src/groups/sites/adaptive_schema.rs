//! `getSiteAdaptiveSchema`, `updateSiteAdaptiveSchema`, `listSiteAdaptiveTemplateConditions`: the
//! claims of visitors that conditions on a site read.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::adaptive;
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::request::UpdateSiteAdaptiveSchemaBody;
use bindery_wire::response::ListSiteAdaptiveTemplateConditionsResponse;

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getSiteAdaptiveSchema", Action::ReadSite, get_site_adaptive_schema),
        write("updateSiteAdaptiveSchema", Action::ManageSite, update_site_adaptive_schema),
        read(
            "listSiteAdaptiveTemplateConditions",
            Action::ReadSite,
            list_site_adaptive_template_conditions,
        ),
    ]
}

fn get_site_adaptive_schema(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    _: &Call,
) -> Result<Reply> {
    Reply::json(200, &present::adaptive_schema(adaptive::get(cx, site)?)?)
}

fn update_site_adaptive_schema(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let UpdateSiteAdaptiveSchemaBody { json_schema } = call.body()?;
    Reply::json(200, &present::adaptive_schema(adaptive::update(cx, site, &json_schema)?)?)
}

fn list_site_adaptive_template_conditions(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    _: &Call,
) -> Result<Reply> {
    let templates = adaptive::template_conditions(cx, site)?;
    let items = templates.into_iter().map(present::template_condition).collect();
    Reply::json(200, &ListSiteAdaptiveTemplateConditionsResponse { items })
}
