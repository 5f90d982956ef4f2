//! Icons under the names that content uses for them, which are those of Font Awesome. A page
//! contains each drawing that it shows once, at its end. Inline drawings appear with the text, take
//! its colour, and are printed, which masks and background images do not.
//!
//! The names and the drawings are sorted lines of text, so that a look-up needs no index. The
//! command `cargo xtask icons` writes the drawings.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Lines of a name and the name of its drawing.
const NAMES: &str = include_str!("../../assets/icons/names.txt");

/// Lines of a drawing's name and its paths, which are separated by `|`. The areas of a drawing
/// whose lines are in another line of the file have the suffix [`SOLID`]. Drawings of brands, with
/// the prefix [`BRAND`], consist of areas only.
const DRAWINGS: &str = include_str!("../../assets/icons/drawings.txt");

const SOLID: &str = ":solid";
const BRAND: &str = "brand:";

/// Elements with an icon, in the documents of `bindery-content` and in the views of this crate.
/// Quotes in texts and attributes are escaped, so that only markup matches.
const BEFORE_NAME: &str = "\" data-icon=\"";
const AFTER_NAME: &str = " aria-hidden=\"true\"></span>";
const ELEMENT: &str = "<span class=\"";

/// Maximum length of a name in bytes.
const MAX_NAME: usize = 100;

/// The style of drawings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum IconStyle {
    /// Lines of normal width.
    #[default]
    Regular,
    /// Areas, or thick lines where a drawing has none.
    Solid,
    /// Lines around translucent areas.
    Duotone,
    /// Narrow lines.
    Light,
    /// The narrowest lines.
    Thin,
}

/// Returns `true` if there is a drawing for this name.
pub fn is_known(name: &str) -> bool {
    drawing(name).is_some()
}

/// Returns the names of all icons, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.lines().filter_map(|line| line.split_once(' ').map(|(name, _)| name))
}

/// Returns the drawing of an icon as an SVG file of 24 by 24 pixels, in black.
pub fn svg(name: &str) -> Option<String> {
    let drawing = drawing(name)?;
    let mut out = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 24 24\"");
    out.push_str(match drawing.starts_with(BRAND) {
        true => ">",
        false => {
            " fill=\"none\" stroke=\"#000\" stroke-width=\"1.7\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\">"
        }
    });
    push_paths(&mut out, value(DRAWINGS, drawing)?);
    out.push_str("</svg>");
    Some(out)
}

/// Returns the CSS rules of a style that differ from those of [`IconStyle::Regular`].
pub(crate) const fn rules(style: IconStyle) -> &'static str {
    match style {
        IconStyle::Regular | IconStyle::Duotone => "",
        IconStyle::Solid => ".icon{stroke-width:2.3}",
        IconStyle::Light => ".icon{stroke-width:1.3}",
        IconStyle::Thin => ".icon{stroke-width:1}",
    }
}

/// Replaces the elements with icons of a complete HTML document by drawings. Elements whose name
/// has no drawing stay, and the stylesheet hides them.
pub(crate) fn draw(html: String, style: IconStyle) -> String {
    if !html.contains(BEFORE_NAME) {
        return html;
    }
    let mut out = String::with_capacity(html.len() + html.len() / 4);
    let mut shown = Vec::new();
    let mut rest = html.as_str();
    while let Some((before, after)) = rest.split_once(BEFORE_NAME) {
        let element = before.rsplit_once(ELEMENT).filter(|(_, classes)| !classes.contains('>'));
        let name = after.split_once('"');
        let found = element.zip(name).and_then(|((before, classes), (name, after))| {
            Some((before, classes, drawing(name)?, after.strip_prefix(AFTER_NAME)?))
        });
        match found {
            Some((before, classes, drawing, after)) => {
                // Writing to a string cannot fail.
                let _ = write!(
                    out,
                    "{before}<svg class=\"{classes}\" aria-hidden=\"true\"><use href=\"#{}\"/></svg>",
                    id(drawing)
                );
                shown.push(drawing);
                rest = after;
            }
            None => {
                out.push_str(before);
                out.push_str(BEFORE_NAME);
                rest = after;
            }
        }
    }
    shown.sort_unstable();
    shown.dedup();
    let (text, end) = rest.rsplit_once("</body>").unwrap_or((rest, ""));
    out.push_str(text);
    push_drawings(&mut out, &shown, style);
    if text.len() < rest.len() {
        out.push_str("</body>");
        out.push_str(end);
    }
    out
}

/// Writes the drawings to which the elements of a page refer.
fn push_drawings(out: &mut String, drawings: &[&str], style: IconStyle) {
    if drawings.is_empty() {
        return;
    }
    out.push_str("<svg class=\"icons\" aria-hidden=\"true\">");
    for drawing in drawings {
        let _ = write!(out, "<symbol id=\"{}\" viewBox=\"0 0 24 24\"", id(drawing));
        let lines = value(DRAWINGS, drawing).unwrap_or_default();
        let areas = value(DRAWINGS, &format!("{drawing}{SOLID}"));
        let is_solid = drawing.starts_with(BRAND) || style == IconStyle::Solid && areas.is_some();
        if is_solid {
            out.push_str(" fill=\"currentColor\" stroke=\"none\">");
            push_paths(out, areas.unwrap_or(lines));
        } else {
            out.push('>');
            if let Some(areas) = areas.filter(|_| style == IconStyle::Duotone) {
                out.push_str("<g fill=\"currentColor\" stroke=\"none\" opacity=\".25\">");
                push_paths(out, areas);
                out.push_str("</g>");
            }
            push_paths(out, lines);
        }
        out.push_str("</symbol>");
    }
    out.push_str("</svg>");
}

/// Returns the id of a drawing's element.
fn id(drawing: &str) -> String {
    match drawing.strip_prefix(BRAND) {
        Some(brand) => format!("B--i-b-{brand}"),
        None => format!("B--i-{drawing}"),
    }
}

fn push_paths(out: &mut String, paths: &str) {
    for path in paths.split('|') {
        let _ = write!(out, "<path d=\"{path}\"/>");
    }
}

/// Returns the name of the drawing for an icon's name, without or with the prefixes that content
/// uses, such as `rocket`, `fa-rocket` and `fa-solid fa-rocket`. An unknown name has the drawing of
/// its longest known part: `rocket-with-flag` that of `rocket`.
fn drawing(name: &str) -> Option<&'static str> {
    if name.len() > MAX_NAME {
        return None;
    }
    let name = name.trim_end().rsplit([' ', '/', ':']).next()?;
    let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    };
    let name = name.strip_prefix("fa-").unwrap_or(&name);
    let first = |name: &str| value(NAMES, name);
    if let Some(drawing) = first(name) {
        return Some(drawing);
    }
    let mut start = name;
    while let Some((shorter, _)) = start.rsplit_once('-') {
        start = shorter;
        if let Some(drawing) = first(start) {
            return Some(drawing);
        }
    }
    let mut end = name;
    while let Some((_, shorter)) = end.split_once('-') {
        end = shorter;
        if let Some(drawing) = first(end) {
            return Some(drawing);
        }
    }
    None
}

/// Returns the rest of the line that begins with the key. The lines are sorted by their keys.
fn value(lines: &'static str, key: &str) -> Option<&'static str> {
    let mut lines = lines;
    while !lines.is_empty() {
        // The line around the middle.
        let middle = lines.floor_char_boundary(lines.len() / 2);
        let start = lines.get(..middle)?.rfind('\n').map_or(0, |at| at + 1);
        let end = lines.get(middle..)?.find('\n').map_or(lines.len(), |at| middle + at);
        let (found, value) = lines.get(start..end)?.split_once(' ')?;
        match key.cmp(found) {
            std::cmp::Ordering::Equal => return Some(value),
            std::cmp::Ordering::Less => lines = lines.get(..start)?,
            std::cmp::Ordering::Greater => lines = lines.get(end + 1..).unwrap_or_default(),
        }
    }
    None
}

#[cfg(test)]
mod tests;
