//! Checks of the values of a customization that the contract cannot describe.

use bindery_content::html::safe_web_url;
use bindery_model::{FieldPath, PageId, Result, SpaceId};
use serde_json::Value;

use crate::content::expressions;
use crate::publishing::structure::SiteStructure;
use crate::search;

/// Maximum size of a customization, as JSON.
const MAX_BYTES: usize = 256 << 10;

/// The fields that hold addresses.
const ADDRESSES: &[&str] = &[
    "/favicon/icon/light",
    "/favicon/icon/dark",
    "/header/logo/light",
    "/header/logo/dark",
    "/footer/logo/light",
    "/footer/logo/dark",
    "/privacyPolicy/url",
    "/socialPreview/url",
];

/// Checks a customization, complete or partial.
///
/// # Errors
/// Returns 400 with the field, what was found and what is allowed.
pub(super) fn check(settings: &Value, structure: &SiteStructure) -> Result<()> {
    for pointer in ADDRESSES {
        if let Some(Value::String(url)) = settings.pointer(pointer) {
            address(&FieldPath::new(*pointer), url)?;
        }
    }
    for font in ["/styling/font/fontFaces", "/styling/monospaceFont/fontFaces"] {
        for (face, path) in items(settings, &FieldPath::new(font)) {
            for (source, path) in items_below(face, &path, "sources") {
                if let Some(Value::String(url)) = source.get("url") {
                    address(&path.field("url"), url)?;
                }
            }
        }
    }
    for (item, path) in items(settings, &FieldPath::new("/header/links")) {
        target(item, &path, structure)?;
        if let Some(Value::String(condition)) = item.get("condition") {
            let path = path.field("condition");
            expressions::check(condition).map_err(|error| path.invalid(error))?;
        }
        for (link, path) in items_below(item, &path, "links") {
            target(link, &path, structure)?;
        }
    }
    for (group, path) in items(settings, &FieldPath::new("/footer/groups")) {
        for (link, path) in items_below(group, &path, "links") {
            target(link, &path, structure)?;
        }
    }
    if let Some(link) = settings.pointer("/announcement/link") {
        target(link, &FieldPath::new("/announcement/link"), structure)?;
    }
    for (group, path) in items(settings, &FieldPath::new("/search/synonyms")) {
        for (at, phrase) in group.as_array().into_iter().flatten().enumerate() {
            let words = search::count_words(phrase.as_str().unwrap_or_default());
            if !(1..=search::MAX_SYNONYM_WORDS).contains(&words) {
                let most = search::MAX_SYNONYM_WORDS;
                let found = format!("found {words} words, allowed: 1 to {most}");
                return Err(path.field(at).invalid(found));
            }
        }
    }
    Ok(())
}

/// Returns a customization as JSON.
///
/// # Errors
/// Returns 400 if it is too large.
pub(super) fn encode(settings: &Value) -> Result<String> {
    let json = settings.to_string();
    if json.len() > MAX_BYTES {
        return Err(FieldPath::new("").invalid(format!(
            "found a customization of {} bytes, allowed: {MAX_BYTES}",
            json.len()
        )));
    }
    Ok(json)
}

/// Returns the items of an array with their paths.
fn items<'a>(settings: &'a Value, path: &FieldPath) -> Vec<(&'a Value, FieldPath)> {
    let array = settings.pointer(path.pointer()).and_then(Value::as_array);
    let numbered = array.into_iter().flatten().enumerate();
    numbered.map(|(at, item)| (item, path.field(at))).collect()
}

/// Returns the items of an array in a field of `value` with their paths.
fn items_below<'a>(value: &'a Value, path: &FieldPath, field: &str) -> Vec<(&'a Value, FieldPath)> {
    let path = path.field(field);
    let array = value.get(field).and_then(Value::as_array);
    let numbered = array.into_iter().flatten().enumerate();
    numbered.map(|(at, item)| (item, path.field(at))).collect()
}

fn address(path: &FieldPath, url: &str) -> Result<()> {
    match safe_web_url(url) {
        Some(_) => Ok(()),
        None => Err(path.invalid(format!(
            "found {url:?}, allowed: an address that begins with https:// or http://"
        ))),
    }
}

/// Checks the target of a link.
fn target(link: &Value, path: &FieldPath, structure: &SiteStructure) -> Result<()> {
    let Some(to) = link.get("to").filter(|to| !to.is_null()) else { return Ok(()) };
    let path = path.field("to");
    let text = |name: &str| to.get(name).and_then(Value::as_str);
    let is_valid_page = text("page").is_none_or(|page| PageId::parse(page).is_some());
    match text("kind").unwrap_or_default() {
        "url" => {
            let url = text("url").unwrap_or_default();
            if safe_web_url(url).is_none() && !is_mail(url) {
                return Err(path.field("url").invalid(format!(
                    "found {url:?}, allowed: an address that begins with https://, http:// or \
                     mailto:"
                )));
            }
        }
        "page" | "anchor" if is_valid_page => {
            if let Some(space) = text("space") {
                on_site(&path, space, structure)?;
            }
        }
        "page" | "anchor" => {
            let page = text("page").unwrap_or_default();
            return Err(path.field("page").invalid(format!("found {page:?}, allowed: a page id")));
        }
        "space" => on_site(&path, text("space").unwrap_or_default(), structure)?,
        kind => {
            return Err(path.field("kind").invalid(format!(
                "found {kind:?}, allowed: \"url\", \"page\", \"anchor\" or \"space\""
            )));
        }
    }
    Ok(())
}

/// Returns `true` if a URL is the address of a mailbox.
pub(super) fn is_mail(url: &str) -> bool {
    url.split_at_checked(7).is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("mailto:"))
        && url.chars().all(|char| !char.is_control() && !char.is_whitespace())
}

/// Checks that a space is on the site.
fn on_site(path: &FieldPath, space: &str, structure: &SiteStructure) -> Result<()> {
    let id = SpaceId::parse(space);
    let is_on_site = structure.site_spaces.iter().any(|one| Some(one.space) == id);
    if is_on_site {
        return Ok(());
    }
    Err(path.field("space").invalid(format!("found {space:?}, allowed: a space of this site")))
}
