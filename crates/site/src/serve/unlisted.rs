//! Pages that show Markdown files outside of the navigation, to which pages link.

use bindery_app::content::expressions;
use bindery_app::content::snapshot::broken_object;
use bindery_app::content::unlisted;
use bindery_content::evaluation::{Mode, evaluate_source_with};
use bindery_content::text;
use bindery_expression::Evaluator;
use bindery_model::{FileId, Result};
use bindery_revision::FileRecord;

use super::RenderedResponse;
use super::document::{DESCRIPTION_CHARS, outline_entries, render_parsed};
use super::looks;
use super::page::{PageContext, noindexed};
use crate::http::{CacheControl, PreparedResponse};
use crate::urls;
use crate::view::navigation::{Limits, navigation};
use crate::view::{Layout, Link, PageView, render_page};

/// Returns `true` if the site shows such files as pages.
fn is_enabled(context: &PageContext<'_>) -> bool {
    looks::is_on(&context.space.customization, "/unlistedPages/enabled")
}

/// Returns a link to the page that shows a file; `None` if the file is only downloaded.
pub(super) fn link(context: &PageContext<'_>, file: FileId) -> Result<Option<Link>> {
    if !is_enabled(context) {
        return Ok(None);
    }
    let content = &context.space.snapshot.revision.content;
    let Some(file) = content.file(context.objects, file).map_err(broken_object)? else {
        return Ok(None);
    };
    let Some(path) = unlisted::path_of(&file) else { return Ok(None) };
    // Pages and their previous addresses take precedence.
    let is_taken = context.tree.tree.by_path(path).map_err(broken_object)?.is_some()
        || content.redirect(context.objects, path).map_err(broken_object)?.is_some();
    if is_taken {
        return Ok(None);
    }
    let href = urls::href(&context.tree.base, path);
    Ok(Some(Link { href, title: file.name }))
}

/// Returns the file that is shown at a path without a page.
fn find(context: &PageContext<'_>, path: &str) -> Result<Option<FileRecord>> {
    if !is_enabled(context) || path.is_empty() {
        return Ok(None);
    }
    unlisted::find(&context.space.snapshot.revision.content, context.objects, path)
}

/// Reads the file that is shown at a path without a page. Files whose condition is not met for the
/// visitor do not exist.
fn read(context: &PageContext<'_>, path: &str) -> Result<Option<unlisted::UnlistedPage>> {
    let Some(file) = find(context, path)? else { return Ok(None) };
    let size = usize::try_from(file.size).unwrap_or(usize::MAX);
    if !context.budget.read(size) {
        return Ok(None);
    }
    let content = &context.space.snapshot.revision.content;
    let page = unlisted::read(content, context.objects, &file)?;
    if let Some(condition) = &page.front.condition {
        let known = expressions::context(&content.variables, &page.variables);
        let answers = context.answers.of_page(&content.variables, &page.variables);
        if !Evaluator::new(&known).with_visitor(&answers).condition(condition) {
            return Ok(None);
        }
    }
    Ok(Some(page))
}

/// Renders the file at a path as HTML; `None` if there is none.
pub(super) fn render_html(
    context: &PageContext<'_>,
    path: &str,
) -> Result<Option<RenderedResponse>> {
    let Some(page) = read(context, path)? else { return Ok(None) };
    let (html, document) =
        render_parsed(context, None, &page.document, &page.variables, String::new());
    let view = context.view(None)?;
    let markdown_href = urls::markdown_href(&context.tree.base, path);
    let page = PageView {
        title: page.title,
        title_ids: html.title_ids,
        description: page.front.description.or(text::description(&document, DESCRIPTION_CHARS)),
        layout: Layout { description: false, ..Layout::default() },
        href: urls::href(&context.tree.base, path),
        markdown_href: looks::is_on(&context.space.customization, "/pageActions/markdown")
            .then_some(markdown_href),
        navigation: navigation(&context.tree, &[], &Limits::default())?,
        outline: outline_entries(html.outline),
        body: html.body,
        noindex: true,
        is_unlisted: true,
        ..PageView::default()
    };
    let html = PreparedResponse::page(render_page(&view, &page), CacheControl::Revalidate);
    Ok(Some(context.response(noindexed(html))))
}

/// Returns the text of the file at a path as Markdown; `None` if there is none.
pub(super) fn render_markdown(
    context: &PageContext<'_>,
    path: &str,
) -> Result<Option<RenderedResponse>> {
    let Some(page) = read(context, path)? else { return Ok(None) };
    let content = &context.space.snapshot.revision.content;
    let known = expressions::context(&content.variables, &page.variables);
    let answers = context.answers.of_page(&content.variables, &page.variables);
    let evaluator = Evaluator::new(&known).with_visitor(&answers);
    let body = evaluate_source_with(&page.body, &page.document, &evaluator, Mode::Everything);
    let (title, description) = (&page.title, page.front.description.as_deref());
    let text =
        bindery_content::markdown::print(title, description, &body.replace('\0', "\u{FFFD}"));
    let response =
        PreparedResponse::new(200, "text/markdown; charset=utf-8", CacheControl::Revalidate, text);
    Ok(Some(context.response(noindexed(response))))
}
