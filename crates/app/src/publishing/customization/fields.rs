//! The fields of a customization as JSON: defaults, overrides and their merging.

use std::sync::LazyLock;

use serde_json::{Map, Value};

/// The fields that a site space can override, by their JSON pointers. Each one is replaced as a
/// whole.
const OVERRIDABLE: &[&str] = &[
    "/title",
    "/styling/theme",
    "/styling/primaryColor",
    "/styling/infoColor",
    "/styling/successColor",
    "/styling/warningColor",
    "/styling/dangerColor",
    "/styling/tint",
    "/styling/corners",
    "/styling/depth",
    "/styling/links",
    "/styling/icons",
    "/styling/sidebar/background",
    "/styling/sidebar/list",
    "/styling/search",
    "/styling/background",
    "/internationalization/locale",
    "/favicon",
    "/announcement",
    "/header/preset",
    "/header/logo",
    "/header/backgroundColor",
    "/header/linkColor",
    "/header/links",
    "/footer/logo",
    "/footer/groups",
    "/footer/copyright",
    "/themes/default",
    "/themes/toggeable",
    "/pdf/enabled",
    "/feedback/enabled",
    "/git/showEditLink",
    "/externalLinks/target",
    "/pagination/enabled",
    "/unlistedPages/enabled",
    "/trademark/enabled",
    "/privacyPolicy/url",
    "/socialPreview/url",
];

/// The fields of a site that a site space cannot override.
const OF_SITE: &[&str] = &[
    "/styling/font",
    "/styling/monospaceFont",
    "/ai/mode",
    "/advancedCustomization/enabled",
    "/pageActions/externalAI",
    "/pageActions/markdown",
    "/pageActions/mcp",
    "/insights/trackingCookie",
    "/search/synonyms",
];

/// The customization of a site that was never changed.
static DEFAULTS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("defaults.json")).unwrap_or_default());

fn all() -> impl Iterator<Item = &'static str> {
    OVERRIDABLE.iter().chain(OF_SITE).copied()
}

/// Sets a field, and creates the objects that contain it.
fn set(target: &mut Value, pointer: &str, value: Value) {
    let mut place = target;
    for name in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Some(object) = place.as_object_mut() else { return };
        place = object.entry(name).or_insert(Value::Null);
    }
    *place = value;
}

/// Removes a field.
fn remove(target: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else { return };
    if let Some(object) = target.pointer_mut(parent).and_then(Value::as_object_mut) {
        object.remove(name);
    }
}

/// Returns the defaults of all fields.
pub(super) fn defaults() -> Value {
    DEFAULTS.clone()
}

/// Returns the known fields of a complete customization, without fields that the contract does not
/// describe.
pub(super) fn known(given: &Value) -> Value {
    let mut settings = defaults();
    for pointer in all() {
        if let Some(value) = given.pointer(pointer).filter(|value| !value.is_null()) {
            set(&mut settings, pointer, value.clone());
        }
    }
    settings
}

/// Returns the first field of a change for a site space that only its site has, unless the change
/// states the value of the site.
pub(super) fn only_of_site(change: &Value, site: &Value) -> Option<&'static str> {
    let differs = |pointer: &&&str| {
        let given = change.pointer(pointer).filter(|value| !value.is_null());
        given.is_some_and(|value| site.pointer(pointer) != Some(value))
    };
    OF_SITE.iter().find(differs).copied()
}

/// Applies a partial change to what a site space overrides. `null` ends the override of a field.
pub(super) fn patch(overrides: &mut Value, change: &Value) {
    for pointer in OVERRIDABLE {
        match change.pointer(pointer) {
            None => {}
            Some(Value::Null) => remove(overrides, pointer),
            Some(value) => set(overrides, pointer, value.clone()),
        }
    }
}

/// Returns the customization of a site with what a site space overrides.
pub(super) fn overlay(mut site: Value, overrides: &Value) -> Value {
    for pointer in OVERRIDABLE {
        if let Some(value) = overrides.pointer(pointer).filter(|value| !value.is_null()) {
            set(&mut site, pointer, value.clone());
        }
    }
    site
}

/// Returns the names of the fields that differ.
pub(super) fn differences(before: &Value, after: &Value) -> Vec<String> {
    let changed = all().filter(|pointer| before.pointer(pointer) != after.pointer(pointer));
    changed.map(|pointer| pointer.trim_start_matches('/').replace('/', ".")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn overrides_merge_field_by_field() {
        let mut overrides = json!({});
        patch(&mut overrides, &json!({ "styling": { "corners": "straight", "font": "Lato" } }));
        patch(&mut overrides, &json!({ "pagination": { "enabled": false } }));
        let merged = overlay(defaults(), &overrides);
        assert_eq!(merged["styling"]["corners"], "straight");
        assert_eq!(merged["styling"]["font"], "Inter");
        assert_eq!(merged["pagination"]["enabled"], false);
        assert_eq!(differences(&defaults(), &merged), ["styling.corners", "pagination.enabled"]);
        patch(&mut overrides, &json!({ "styling": { "corners": null } }));
        assert_eq!(overlay(defaults(), &overrides)["styling"]["corners"], "rounded");
    }

    #[test]
    fn unknown_fields_are_left_out() {
        let mut given = defaults();
        given["styling"]["unknown"] = json!(1);
        given["other"] = json!({});
        assert_eq!(known(&given), defaults());
    }
}
