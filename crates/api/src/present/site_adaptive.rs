//! The schema of the claims of a site's visitors.

use bindery_app::publishing::adaptive::{SiteAdaptiveSchema, TemplateCondition};
use bindery_model::{Error, Result};
use bindery_wire::response::{self, SiteAdaptiveTemplateCondition};
use serde_json::value::RawValue;

pub(crate) fn adaptive_schema(schema: SiteAdaptiveSchema) -> Result<response::SiteAdaptiveSchema> {
    let SiteAdaptiveSchema { site: _, json_schema, updated_at } = schema;
    let json_schema = RawValue::from_string(json_schema)
        .map_err(|error| Error::internal(format!("a stored schema is not JSON: {error}")))?;
    Ok(response::SiteAdaptiveSchema { json_schema, updated_at })
}

pub(crate) fn template_condition(template: TemplateCondition) -> SiteAdaptiveTemplateCondition {
    let TemplateCondition { description, condition } = template;
    SiteAdaptiveTemplateCondition { description, condition }
}
