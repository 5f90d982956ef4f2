//! A small set of line icons under the names that content uses for them. They are part of the
//! stylesheet as masks, so that they take the colour of the text.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Names of icons and the path of each icon's 24 × 24 drawing. Several names may share one drawing.
const ICONS: &[(&[&str], &str)] = &[
    // Shown in lists for a name without a drawing.
    (&["dot"], "M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z"),
    (
        &["book", "book-open", "book-open-cover"],
        "M12 6c-2-1.6-5-2-9-2v14c4 0 7 .4 9 2 2-1.6 5-2 9-2V4c-4 0-7 .4-9 2zv14",
    ),
    (
        &["rocket", "rocket-launch"],
        "M5 15c-2 1-2 5-2 5s4 0 5-2m1-7c2-5 6-8 12-8 0 6-3 10-8 12l-4-4zm0 0H5l-2 3 4 1m6 0v5l3-2v-4m-1-7h.01",
    ),
    (&["bolt", "bolt-lightning", "zap"], "M13 2 4 14h7l-1 8 9-12h-7z"),
    (&["gear", "gears", "cog", "sliders"], "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5v5M8.5 14.5v5"),
    (&["key"], "M14.5 9.5 21 3m-3 3 2 2m-5 1a5 5 0 1 1-3 1"),
    (
        &["lock", "shield", "shield-halved", "shield-check"],
        "M12 3 4.5 6v5.5c0 4.5 3 8 7.5 9.5 4.5-1.5 7.5-5 7.5-9.5V6z",
    ),
    (&["code", "code-simple", "brackets-curly"], "m8 7-5 5 5 5m8-10 5 5-5 5"),
    (&["terminal", "rectangle-terminal", "square-terminal"], "M3 4h18v16H3zm4 5 3 3-3 3m6 0h4"),
    (
        &["file", "file-lines", "page", "memo", "note-sticky"],
        "M6 3h8l4 4v14H6zm8 0v4h4M9 12h6m-6 4h6",
    ),
    (&["folder", "folder-open", "folder-tree"], "M3 6h6l2 2h10v11H3z"),
    (&["house", "home", "house-chimney"], "m3 11 9-8 9 8m-15-2v12h12V9m-8 12v-6h4v6"),
    (
        &["user", "circle-user", "user-large"],
        "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-8 9c0-4 3-6 8-6s8 2 8 6",
    ),
    (
        &["users", "user-group", "people-group"],
        "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zm-7 9c0-4 2.5-6 7-6s7 2 7 6m0-15.5a3.5 3.5 0 0 1 0 6M19 14.5c2 .8 3 2.5 3 5.5",
    ),
    (
        &["star", "sparkles", "wand-magic-sparkles", "wand-magic"],
        "M12 3c.8 5.5 3.5 8.2 9 9-5.5.8-8.2 3.5-9 9-.8-5.5-3.5-8.2-9-9 5.5-.8 8.2-3.5 9-9z",
    ),
    (
        &["heart"],
        "M12 20C5 15.5 3 12 3 8.8A4.7 4.7 0 0 1 12 7a4.7 4.7 0 0 1 9 1.8c0 3.2-2 6.7-9 11.2z",
    ),
    (&["magnifying-glass", "search"], "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zm5-2 5 5"),
    (
        &["globe", "earth-americas", "earth-europe", "language"],
        "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c-5 5-5 13 0 18m0-18c5 5 5 13 0 18",
    ),
    (
        &["cloud", "cloud-arrow-up"],
        "M7 19a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 9.5 4.8 4.8 0 0 1 17.5 19z",
    ),
    (
        &["database", "server", "hard-drive"],
        "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zc0 4 16 4 16 0M4 12c0 4 16 4 16 0",
    ),
    (
        &["cube", "cubes", "box", "boxes-stacked", "layer-group"],
        "m12 3 8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9",
    ),
    (
        &["plug", "puzzle-piece", "plug-circle-bolt"],
        "M9 3v5m6-5v5M6 8h12v3c0 4-2 6-6 6s-6-2-6-6zm6 9v4",
    ),
    (
        &["link", "chain"],
        "M10 14a4 4 0 0 0 6 .5l3-3A4.2 4.2 0 0 0 13 5.5l-1.5 1.5M14 10a4 4 0 0 0-6-.5l-3 3a4.2 4.2 0 0 0 6 6l1.5-1.5",
    ),
    (&["envelope", "mail", "inbox"], "M3 5h18v14H3zl9 8 9-8"),
    (&["bell", "megaphone", "bullhorn"], "M6 17V11a6 6 0 0 1 12 0v6l2 1.5H4zm4 4.5h4"),
    (
        &["calendar", "calendar-days", "clock", "clock-rotate-left", "timer"],
        "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-14v5l3.5 2",
    ),
    (
        &["chart-line", "chart-simple", "chart-mixed", "chart-bar", "gauge"],
        "M4 3v18h17M8 15l4-5 3 3 5-7",
    ),
    (
        &["list", "list-check", "list-ul", "table-list", "bars"],
        "M9 6h12M9 12h12M9 18h12M4 6h.01M4 12h.01M4 18h.01",
    ),
    (&["table", "table-cells", "grid", "grid-2", "table-columns"], "M3 4h18v16H3zm0 6h18M9 4v16"),
    (
        &["image", "images", "photo-film", "camera"],
        "M3 4h18v16H3zm0 12 5-5 5 5 3-3 5 5M15.5 8.5h.01",
    ),
    (&["play", "circle-play", "video"], "M7 4v16l13-8z"),
    (&["download", "file-arrow-down", "arrow-down-to-line"], "M12 3v12m-5-5 5 5 5-5M4 21h16"),
    (&["upload", "file-arrow-up", "arrow-up-from-line"], "M12 16V4M7 9l5-5 5 5M4 21h16"),
    (&["pen", "pencil", "pen-to-square", "edit"], "M4 20l1-5L16 4l4 4L9 19z"),
    (&["trash", "trash-can"], "M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14"),
    (&["check", "circle-check", "badge-check", "square-check"], "m4 13 5 5L20 6"),
    (&["xmark", "circle-xmark", "ban"], "M5 5l14 14M19 5 5 19"),
    (&["plus", "circle-plus", "square-plus"], "M12 4v16M4 12h16"),
    (&["circle-info", "info"], "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-10v6m0-9.5h.01"),
    (
        &["circle-question", "question", "life-ring", "circle-help"],
        "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9 9.5a3 3 0 1 1 3.8 2.9c-.5.2-.8.6-.8 1.6m0 3h.01",
    ),
    (&["triangle-exclamation", "circle-exclamation"], "m12 3 10 17.5H2zm0 7v5m0 2.5h.01"),
    (&["lightbulb", "lightbulb-on"], "M9 18c0-3-3-4-3-8a6 6 0 0 1 12 0c0 4-3 5-3 8zm1 3h4"),
    (&["flag", "bookmark", "tag", "tags"], "M5 21V4h14l-3.5 5L19 14H5"),
    (
        &["robot", "microchip", "brain", "brain-circuit"],
        "M4 8h16v12H4zm8 0V4m-3 8.5v2m6-2v2M1.5 13v3m21-3v3",
    ),
    (&["comment", "comments", "message", "messages"], "M4 4h16v13h-9l-5 4v-4H4z"),
    (&["graduation-cap", "school"], "m12 5 10 5-10 5-10-5zM6 12.5V17c3 2.5 9 2.5 12 0v-4.5"),
    (
        &["wrench", "screwdriver-wrench", "hammer", "toolbox"],
        "M20 6.5l-3.5 3.5-2.5-2.5L17.5 4A5.5 5.5 0 0 0 10 10.5L3.5 17a2.5 2.5 0 0 0 3.5 3.5l6.5-6.5A5.5 5.5 0 0 0 20 6.5z",
    ),
    (
        &["code-branch", "git", "git-alt", "github", "code-pull-request", "code-merge"],
        "M6 8v8m12-8c0 5-12 3-12 8M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm12 0a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 21a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
    ),
    (&["mobile", "mobile-screen", "mobile-screen-button"], "M7 2h10v20H7zm4 16.5h2"),
    (&["desktop", "laptop", "display", "computer"], "M3 4h18v12H3zm9 12v5m-4 0h8"),
    (&["credit-card", "wallet", "money-bill", "coins"], "M2.5 5h19v14h-19zm0 5h19M6 15h4"),
    (&["arrow-right", "circle-arrow-right", "right-to-bracket"], "M4 12h16m-6-6 6 6-6 6"),
    (
        &["arrow-up-right-from-square", "external-link", "share", "up-right-from-square"],
        "M13 4h7v7m0-7-9 9M9 5H4v15h15v-5",
    ),
    (&["copy", "clipboard", "paste"], "M9 9h11v12H9zM5 15H4V3h11v2"),
    (
        &["eye", "binoculars"],
        "M2 12c5-8.5 15-8.5 20 0-5 8.5-15 8.5-20 0zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
    ),
    (&["leaf", "seedling", "tree"], "M5 20c0-9 4-14 15-16 1 11-3 15-11 14M5 20c2-5 5-8 9-10"),
    (
        &["hand-wave", "hand", "face-smile", "smile"],
        "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm-4-7c2 3 6 3 8 0M9 9.5h.01M15 9.5h.01",
    ),
];

/// Returns `true` if there is a drawing for this name.
pub fn is_known(name: &str) -> bool {
    ICONS.iter().any(|(names, _)| names.contains(&name))
}

/// Returns the CSS rules that assign each name its drawing.
pub(crate) fn stylesheet(style: IconStyle) -> String {
    // An element whose name has no drawing takes no space.
    let mut css = String::from(".icon{display:none}");
    for (names, path) in ICONS {
        for (i, name) in names.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(css, "{comma}[data-icon={name}]");
        }
        let _ = write!(css, "{{display:inline-block;--icon:url(\"{}\")}}", drawing(path, style));
    }
    css
}

/// Returns a drawing as a `data:` address.
fn drawing(path: &str, style: IconStyle) -> String {
    let (fill, width) = match style {
        IconStyle::Thin => ("none", "1"),
        IconStyle::Light => ("none", "1.4"),
        IconStyle::Regular => ("none", "1.8"),
        IconStyle::Solid => ("none", "2.6"),
        IconStyle::Duotone => ("%230004", "1.8"),
    };
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='{fill}' stroke='%23000' stroke-width='{width}' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='{path}'/%3E%3C/svg%3E"
    )
}

/// The style of drawings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum IconStyle {
    /// Lines of normal width.
    #[default]
    Regular,
    /// Thick lines.
    Solid,
    /// Lines around a translucent area.
    Duotone,
    /// Narrow lines.
    Light,
    /// The narrowest lines.
    Thin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_with_a_drawing_is_shown() {
        let css = crate::style::stylesheet().prepared();
        let css = String::from_utf8_lossy(css.body());
        let shown = css.rfind("[data-icon=key]{display:inline-block;").unwrap();
        assert!(css.rfind(".icon{display:none}").unwrap() < shown);
    }

    #[test]
    fn a_name_has_one_drawing_and_is_safe_in_a_selector() {
        let mut seen = std::collections::HashSet::new();
        for name in ICONS.iter().flat_map(|(names, _)| *names) {
            assert!(seen.insert(name), "{name} twice");
            assert!(
                name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit())
            );
        }
    }
}
