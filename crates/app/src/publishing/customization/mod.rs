//! The looks of sites: the customization of a site, and what its site spaces override.

mod check;
mod fields;

use bindery_model::{CustomFontId, FieldPath, Result, SiteId, SiteSpaceId};
use bindery_store::sites::Site;
use bindery_store::{Event, NewEvent, Tx, custom_fonts, site_customizations, sites};
use serde_json::Value;

use super::published::ReadableSite;
use super::sites::SiteTarget;
use super::structure::{SiteStructure, find_site_space};
use crate::Context;
use crate::access::Authorized;

/// Returns the customization of a site, with defaults for what was never set.
///
/// # Errors
/// Returns an error if the store fails.
pub fn of_site(tx: &Tx<'_>, site: SiteId) -> Result<Value> {
    let stored = site_customizations::get(tx, site)?;
    // A release that knows more fields adds their defaults to what an earlier one stored.
    Ok(stored.map_or_else(fields::defaults, |json| fields::known(&parse(&json))))
}

/// Returns the customization of a site space: that of its site with what it overrides.
///
/// # Errors
/// Returns an error if the store fails.
pub fn of_site_space(tx: &Tx<'_>, site: SiteId, site_space: SiteSpaceId) -> Result<Value> {
    let overrides = site_customizations::get_override(tx, site_space)?;
    let site = of_site(tx, site)?;
    Ok(match overrides {
        Some(json) => fields::overlay(site, &parse(&json)),
        None => site,
    })
}

/// Returns the customization of a site space that overrides something; `None` if it looks like its
/// site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn overridden(tx: &Tx<'_>, site: SiteId, site_space: SiteSpaceId) -> Result<Option<Value>> {
    match site_customizations::get_override(tx, site_space)? {
        Some(json) => Ok(Some(fields::overlay(of_site(tx, site)?, &parse(&json)))),
        None => Ok(None),
    }
}

/// Returns the groups of words that find each other in the searches of a site.
#[must_use]
pub fn synonyms(settings: &Value) -> Vec<Vec<String>> {
    let groups = settings.pointer("/search/synonyms").and_then(Value::as_array);
    let words = |group: &Value| {
        let words = group.as_array().into_iter().flatten();
        words.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    groups.into_iter().flatten().map(words).collect()
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

/// Returns the customization of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(cx: &Context<'_>, site: &Authorized<ReadableSite>) -> Result<Value> {
    of_site(cx.tx, site.0.id)
}

/// Checks that the fonts which a change names are fonts of the organization. A font that is named
/// already may have been deleted since.
fn check_fonts(cx: &Context<'_>, site: &Site, before: &Value, after: &Value) -> Result<()> {
    for pointer in ["/styling/font/id", "/styling/monospaceFont/id"] {
        let id = |settings: &Value| settings.pointer(pointer).cloned();
        let Some(Value::String(named)) =
            id(after).filter(|named| Some(named) != id(before).as_ref())
        else {
            continue;
        };
        let font = match CustomFontId::parse(&named) {
            Some(id) => custom_fonts::get(cx.tx, site.organization, id)?,
            None => None,
        };
        if font.is_none() {
            return Err(FieldPath::new(pointer).invalid(format!(
                "found {named:?}, allowed: the id of a font of the organization"
            )));
        }
    }
    Ok(())
}

/// Replaces the customization of a site.
///
/// # Errors
/// Returns 400 with the invalid field.
pub fn update(cx: &Context<'_>, site: &Authorized<SiteTarget>, given: &Value) -> Result<Value> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let (before, after) = (of_site(cx.tx, site.id)?, fields::known(given));
    check::check(&after, &structure)?;
    check_fonts(cx, site, &before, &after)?;
    let json = check::encode(&after)?;
    let fields = fields::differences(&before, &after);
    if !fields.is_empty() {
        site_customizations::set(cx.tx, site.id, &json)?;
        record(cx, site, Event::SiteCustomizationUpdated { fields })?;
    }
    Ok(after)
}

/// Returns the customization of a site space.
///
/// # Errors
/// Returns 404 if the site space does not exist.
pub fn get_of_site_space(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    id: &str,
) -> Result<Value> {
    let structure = SiteStructure::load(cx.tx, site.0.id)?;
    let site_space = find_site_space(&structure, id)?;
    of_site_space(cx.tx, site.0.id, site_space.id)
}

/// Changes what a site space overrides, and returns its customization. `null` ends the override of
/// a field.
///
/// # Errors
/// Returns 404 if the site space does not exist, and 400 with the invalid field.
pub fn override_site_space(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    id: &str,
    change: &Value,
) -> Result<Value> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let site_space = find_site_space(&structure, id)?.id;
    check::check(change, &structure)?;
    if let Some(pointer) = fields::only_of_site(change, &of_site(cx.tx, site.id)?) {
        return Err(FieldPath::new(pointer).invalid(
            "only the customization of the site has this field, which all its spaces share",
        ));
    }
    let stored = site_customizations::get_override(cx.tx, site_space)?;
    let before = stored.as_deref().map_or_else(|| Value::Object(serde_json::Map::new()), parse);
    check_fonts(cx, site, &before, change)?;
    let mut after = before.clone();
    fields::patch(&mut after, change);
    let json = check::encode(&after)?;
    let fields = fields::differences(&before, &after);
    if !fields.is_empty() {
        site_customizations::set_override(cx.tx, site_space, &json)?;
        record(cx, site, Event::SiteSpaceCustomizationUpdated { site_space, fields })?;
    }
    of_site_space(cx.tx, site.id, site_space)
}

/// Deletes what a site space overrides. Returns `false` if it overrides nothing.
///
/// # Errors
/// Returns 404 if the site space does not exist.
pub fn delete_override(cx: &Context<'_>, site: &Authorized<SiteTarget>, id: &str) -> Result<bool> {
    let site = &site.0;
    let structure = SiteStructure::lock(cx, site)?;
    let site_space = find_site_space(&structure, id)?.id;
    let deleted = site_customizations::delete_override(cx.tx, site_space)?;
    if deleted {
        record(cx, site, Event::SiteSpaceCustomizationDeleted { site_space })?;
    }
    Ok(deleted)
}

/// Records an event, and makes all nodes load the site again.
fn record(cx: &Context<'_>, site: &Site, event: Event) -> Result<()> {
    sites::increment_version(cx.tx, site.id)?;
    let event = NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(())
}
