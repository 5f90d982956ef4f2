//! The images that link previews show for pages without an image of their own.

use bindery_model::Result;
use bindery_revision::{PageKind, PageRecord};
use serde_json::Value;

use super::page::PageContext;
use super::site_cache::LoadedSpace;
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest, page};
use crate::card::{Card, CardTexts, SystemFonts};
use crate::http::{CacheControl, PreparedResponse};
use crate::style::Color;
use crate::urls;

/// The part before the path of the page in the address of a card, below the base of the site.
const FOLDER: &str = "~card/";
/// The colour of cards of sites without one of their own.
const DEFAULT_ACCENT: Color = Color::new(52, 109, 219);

/// Returns the path of the page in the address of a card, given after `~`.
pub(super) fn page_path(reserved: &str) -> Option<&str> {
    let path = reserved.strip_prefix(FOLDER.trim_start_matches('~'))?.strip_suffix(".png")?;
    Some(if path == "index" { "" } else { path })
}

fn card<'a>(
    space: &'a LoadedSpace,
    site: &'a str,
    record: &'a PageRecord,
    system: &SystemFonts,
) -> Option<Card<'a>> {
    let settings = &space.customization;
    let accent = settings.pointer("/styling/primaryColor/light").and_then(Value::as_str);
    let accent = accent.and_then(Color::parse).unwrap_or(DEFAULT_ACCENT);
    let texts = CardTexts {
        site: settings.get("title").and_then(Value::as_str).unwrap_or(site),
        title: &record.title,
        description: record.description.as_deref(),
        language: space.language(),
    };
    Card::new(texts, accent, system)
}

/// Returns the address of the card of a page at a path of the site; `None` if it has none. The
/// address changes with the card.
pub(super) fn href(context: &PageContext<'_>, record: &PageRecord) -> Result<Option<String>> {
    // Nobody who is sent a link can show a preview of a restricted site.
    if context.site.is_private() {
        return Ok(None);
    }
    let title = &context.site.site.title;
    let system = SystemFonts::installed();
    let Some(card) = card(context.space, title, record, system) else { return Ok(None) };
    let base = context.site.base();
    let path = context.tree.href(record.id)?;
    let path = path.strip_prefix(&base).unwrap_or(&path).trim_end_matches('/');
    let path = if path.is_empty() { "index" } else { path };
    Ok(Some(format!("{base}{FOLDER}{path}.png?v={}", card.version(system))))
}

/// Responds with the card of the page at a path of the site.
pub(super) fn respond(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let address = urls::encode(path);
    let Some((space, rest)) = request.site.resolve(path) else {
        return page::not_found(request, &address);
    };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    let record = context.find(rest)?.map(|page| context.record(page)).transpose()?;
    let is_page =
        |record: &PageRecord| matches!(record.kind, PageKind::Document | PageKind::Computed);
    let system = SystemFonts::installed();
    let card = record
        .as_ref()
        .filter(|record| is_page(record))
        .and_then(|record| card(space, &request.site.site.title, record, system));
    let is_drawn = |card: &Card<'_>| !card.needs_system() || request.budget.is_large();
    match card.filter(is_drawn).and_then(|card| card.png(system)) {
        Some(png) => Ok(context.response(PreparedResponse::new(
            200,
            "image/png",
            CacheControl::Revalidate,
            png,
        ))),
        None => page::not_found(request, &address),
    }
}
