//! Adaptive content: the schema of the claims of a site's visitors, which conditions read, and the
//! conditions that the schema suggests.

mod claims;
mod questions;
mod schema;

use bindery_model::{Error, Result};
pub use bindery_store::site_adaptive_schemas::SiteAdaptiveSchema;
use bindery_store::sites::Site;
use bindery_store::{Event, NewEvent, Tx, site_adaptive_schemas, sites};
use serde_json::Value;

pub use self::claims::{MAX_UNSIGNED_BYTES, UnsignedClaims, stated_text};
pub use self::questions::{Answer, Answers, AnswersFor, ClaimsOf, Question};
pub use self::schema::{ClaimType, ClaimsSchema, TemplateCondition};
use crate::Context;
use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;

/// Returns the schema of a site.
///
/// # Errors
/// Returns 404 if the site has no schema.
pub fn get(cx: &Context<'_>, site: &Authorized<SiteTarget>) -> Result<SiteAdaptiveSchema> {
    let stored = site_adaptive_schemas::get(cx.tx, site.0.id)?;
    stored.ok_or_else(|| Error::not_found("adaptive schema of this site"))
}

/// Stores the schema of a site. A schema that equals the stored one changes nothing.
///
/// # Errors
/// Returns 400 with the invalid part of the schema.
pub fn update(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    json_schema: &Value,
) -> Result<SiteAdaptiveSchema> {
    let site = &site.0;
    schema::check(json_schema)?;
    let text = json_schema.to_string();
    let stored = site_adaptive_schemas::get(cx.tx, site.id)?;
    if let Some(stored) = stored.filter(|stored| stored.json_schema == text) {
        return Ok(stored);
    }
    let updated_at = cx.app.clock.now();
    let after = SiteAdaptiveSchema { site: site.id, json_schema: text, updated_at };
    sites::increment_version(cx.tx, site.id)?;
    site_adaptive_schemas::set(cx.tx, &after)?;
    let event = NewEvent::new(Event::SiteAdaptiveSchemaUpdated);
    let event = event.by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(after)
}

/// Returns conditions that compare the claims in the schema of a site with their values; none if
/// the site has no schema.
///
/// # Errors
/// Returns an error if the store fails.
pub fn template_conditions(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
) -> Result<Vec<TemplateCondition>> {
    let schema = load(cx.tx, &site.0)?;
    Ok(schema.map(|schema| schema.template_conditions()).unwrap_or_default())
}

/// Returns the schema of a site as types of claims; `None` if it has none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn load(tx: &Tx<'_>, site: &Site) -> Result<Option<ClaimsSchema>> {
    let Some(stored) = site_adaptive_schemas::get(tx, site.id)? else { return Ok(None) };
    let schema = serde_json::from_str(&stored.json_schema)
        .map_err(|error| Error::internal(format!("a stored schema is not JSON: {error}")))?;
    Ok(Some(ClaimsSchema::of(&schema)))
}
