//! The customization of a site whose owner has chosen nothing.

use serde_json::{Value, json};

/// Returns the default customization of a site with this title, complete with all settings.
pub(crate) fn default_customization(title: &str) -> Value {
    let color = |light: &str, dark: &str| json!({ "light": light, "dark": dark });
    json!({
        "title": title,
        "styling": {
            "theme": "clean",
            "primaryColor": color("#346DDB", "#7AA7FF"),
            "infoColor": color("#787878", "#787878"),
            "successColor": color("#007F61", "#00C995"),
            "warningColor": color("#FE9A00", "#FFB84D"),
            "dangerColor": color("#FB2C36", "#FF6B72"),
            "corners": "rounded",
            "depth": "subtle",
            "links": "default",
            "font": "Inter",
            "monospaceFont": "IBMPlexMono",
            "background": "plain",
            "icons": "regular",
            "sidebar": { "background": "default", "list": "default" },
            "search": "prominent",
        },
        "internationalization": { "locale": "en" },
        "favicon": {},
        "header": { "preset": "default", "links": [] },
        "footer": { "groups": [] },
        "themes": { "default": "light", "toggeable": true },
        "pdf": { "enabled": false },
        "feedback": { "enabled": false },
        "ai": { "mode": "none" },
        "advancedCustomization": { "enabled": true },
        "git": { "showEditLink": false },
        "pageActions": { "externalAI": true, "markdown": true, "mcp": false },
        "externalLinks": { "target": "self" },
        "pagination": { "enabled": true },
        "trademark": { "enabled": true },
        "privacyPolicy": {},
        "socialPreview": {},
        "insights": { "trackingCookie": true },
    })
}
