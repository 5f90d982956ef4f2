//! Pages of a site: finds a page by its path and renders it with its navigation.

use bindery_app::content::documents::Evaluation;
use bindery_app::content::expressions;
use bindery_app::content::former_paths::{self, FormerTarget, PresentPages};
use bindery_app::content::markdown::{self, EvaluationFor};
use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_app::publishing::adaptive::Answers;
use bindery_app::{App, Tx};
use bindery_content::html::safe_web_url;
use bindery_expression::Evaluator;
use bindery_model::{PageId, Result};
use bindery_revision::tree::{Child, Tree};
use bindery_revision::{ContentRef, Cover, Facet, Objects, PageKind, PageRecord};
use http::header::{HeaderName, LINK};
use serde_json::Value;

use super::budget::{MAX_PAGE_SOURCE, RenderBudget};
use super::document::{PageLinks, render_document};
use super::markdown_reader::MarkdownReader;
use super::navigation::{SpaceTree, first_page};
use super::not_found::NotFoundCache;
use super::redirects::{self, Form};
use super::site_cache::{LoadedSite, LoadedSpace};
use super::structure::Variants;
use super::texts::{RenderedText, TextCache};
use super::validity::{Dependencies, ReadTracker};
use super::{
    RenderedResponse, SiteRequest, cards, changes, feedback, insights, llms, looks, mcp, pdf,
    search, unlisted, updates,
};
use crate::http::{CacheControl, PreparedResponse};
use crate::i18n::Messages;
use crate::urls;
use crate::view::navigation::{Limits, navigation};
use crate::view::{
    CoverView, Direction, Layout, Link, PageView, PdfLinks, SiteView, Suggestion, ThemedImage,
    render_empty_space, render_not_found, render_page,
};

/// The beginning of the Markdown of a page, before the address of the index of all pages.
pub(super) const INDEX_LINE: &str = "> Index of all pages: <";
/// Maximum number of pages that a 404 response suggests.
const MAX_SUGGESTIONS: usize = 5;

/// The context in which a page of one space is rendered.
pub(super) struct PageContext<'a> {
    pub(super) app: &'a App,
    pub(super) tx: &'a Tx<'a>,
    pub(super) site: &'a LoadedSite,
    pub(super) space: &'a LoadedSpace,
    pub(super) texts: &'a TextCache,
    pub(super) not_found: &'a NotFoundCache,
    pub(super) budget: &'a RenderBudget,
    pub(super) objects: &'a ReadTracker<'a>,
    pub(super) answers: &'a Answers,
    pub(super) tree: SpaceTree<'a>,
}

impl<'a> PageContext<'a> {
    pub(super) fn new(
        request: &SiteRequest<'a>,
        space: &'a LoadedSpace,
        objects: &'a ReadTracker<'a>,
    ) -> Result<Self> {
        let SiteRequest { app, tx, site, texts, not_found, budget, answers, .. } = *request;
        let content = &space.snapshot.revision.content;
        let first_page = match answers.is_adaptive() {
            true => first_page(&Tree::new(content, objects), &content.variables, answers)?,
            false => space.first_page,
        };
        let tree = SpaceTree::new(content, objects, site.space_base(space), first_page, answers);
        Ok(Self { app, tx, site, space, texts, not_found, budget, objects, answers, tree })
    }

    /// Returns the same context with its reads going through `objects`.
    pub(super) fn with_objects<'b>(&'b self, objects: &'b ReadTracker<'b>) -> PageContext<'b> {
        let Self { app, tx, site, space, texts, not_found, budget, objects: _, answers, tree } =
            self;
        let content = &space.snapshot.revision.content;
        let tree = SpaceTree::new(content, objects, tree.base.clone(), tree.first_page, answers);
        PageContext { app, tx, site, space, texts, not_found, budget, objects, answers, tree }
    }

    /// Returns the context of another space of the same site, whose reads go through `objects`.
    pub(super) fn of_space<'b>(
        &'b self,
        space: &'b LoadedSpace,
        objects: &'b ReadTracker<'b>,
    ) -> Result<PageContext<'b>> {
        let Self { app, tx, site, texts, not_found, budget, answers, .. } = self;
        let content = &space.snapshot.revision.content;
        let first_page = match answers.is_adaptive() {
            true => first_page(&Tree::new(content, objects), &content.variables, answers)?,
            false => space.first_page,
        };
        let tree = SpaceTree::new(content, objects, site.space_base(space), first_page, answers);
        Ok(PageContext { app, tx, site, space, texts, not_found, budget, objects, answers, tree })
    }

    /// Returns a response that is valid until any content that this context has read changes.
    pub(super) fn response(&self, prepared: PreparedResponse) -> RenderedResponse {
        RenderedResponse { prepared, dependencies: Dependencies::Facets(self.objects.hashes()) }
    }

    /// Returns the view of the site for readers of a page, or of no page of the space.
    pub(super) fn view(&self, page: Option<PageId>) -> Result<SiteView> {
        let Variants { versions, translations } = self.variants(page)?;
        let own = self.space.language();
        let language = self.space.interface_language();
        let view = SiteView {
            direction: own.map_or(Direction::ByText, Direction::of_language),
            sections: self.sections(language),
            language: language.to_owned(),
            search: Some(search::address(self.site, self.space)),
            noindex: !self.site.is_indexed(),
            is_preview: self.site.is_preview,
            proposed: self.site.proposed.clone(),
            variants: versions,
            translations,
            root: self.site.root().to_owned(),
            ..SiteView::new(
                self.site.site.title.clone(),
                self.site.origin(&self.app.urls),
                self.site.base(),
            )
        };
        looks::apply(view, self)
    }

    /// Returns the page at a path.
    pub(super) fn find(&self, path: &str) -> Result<Option<PageId>> {
        if path.is_empty() {
            return Ok(self.tree.first_page);
        }
        let Some(page) = self.tree.tree.by_path(path).map_err(broken_object)? else {
            return Ok(None);
        };
        Ok(self.tree.is_present(page)?.then_some(page))
    }

    /// Returns the complete record of a page.
    pub(super) fn record(&self, id: PageId) -> Result<PageRecord> {
        self.objects.record_read(Facet::Text(id));
        self.tree.tree.page(id).map_err(broken_tree)
    }

    /// Returns the current address for a path that the page had earlier.
    fn redirect_target(&self, path: &str) -> Result<Option<String>> {
        let content = &self.space.snapshot.revision.content;
        Ok(match former_paths::target(content, self.objects, self, path)? {
            Some(FormerTarget::Page(page)) => self.tree.href_of_present(page),
            Some(FormerTarget::Path(path)) => Some(urls::href(&self.tree.base, &path)),
            None => None,
        })
    }
}

impl PresentPages for PageContext<'_> {
    fn at(&self, path: &str) -> Result<Option<PageId>> {
        self.find(path)
    }

    fn is_present(&self, page: PageId) -> Result<bool> {
        Ok(self.tree.href_of_present(page).is_some())
    }
}

/// Renders the page at a path as HTML.
pub(super) fn render_html(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let Some((space, rest)) = request.site.resolve(path) else {
        if !path.trim_matches('/').is_empty() {
            return not_found(request, path);
        }
        let empty = render_empty_space(&request.view());
        return Ok(PreparedResponse::page(empty, CacheControl::Revalidate).into());
    };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    if rest.is_empty() && context.tree.first_page.is_none() {
        let empty = render_empty_space(&context.view(None)?);
        return Ok(PreparedResponse::page(empty, CacheControl::Revalidate).into());
    }
    let Some(id) = context.find(rest)? else {
        return missing_page(&context, request, path, rest);
    };
    let record = context.record(id)?;
    let redirect = match &record.kind {
        PageKind::Link { target } => context.tree.target(target)?,
        PageKind::Group => context.tree.first_below(id)?,
        PageKind::Document | PageKind::Computed => {
            // The first page is served at the space's root only.
            (!rest.is_empty() && context.tree.first_page == Some(id))
                .then(|| context.tree.base.clone())
        }
    };
    match (redirect, &record.kind) {
        (Some(href), _) => Ok(PreparedResponse::redirect(&href).into()),
        (None, PageKind::Link { .. } | PageKind::Group) => render_not_found_page(&context, rest),
        (None, _) => Ok(context.response(page(&context, &record)?)),
    }
}

/// Responds to a path without a page: with the redirect of the site for this path, the redirect
/// that the page left there, the redirect of the site for a path above, a redirect to the address
/// without the names of defaults, or 404.
fn missing_page(
    context: &PageContext<'_>,
    request: &SiteRequest<'_>,
    path: &str,
    rest: &str,
) -> Result<RenderedResponse> {
    let found = redirects::find(request, path)?;
    if let Some(found) = found.as_ref().filter(|found| redirects::is_exact(found))
        && let Some(response) = redirects::respond(request, found, Form::Html)?
    {
        return Ok(response);
    }
    if let Some(href) = context.redirect_target(rest)? {
        return Ok(PreparedResponse::redirect(&href).into());
    }
    if let Some(response) = unlisted::render_html(context, rest)? {
        return Ok(response);
    }
    if let Some(found) = found.filter(|found| !redirects::is_exact(found))
        && let Some(response) = redirects::respond(request, &found, Form::Html)?
    {
        return Ok(response);
    }
    if let Some(short) = context.site.structure.without_default_names(path) {
        let href = format!("{}{}", context.site.base(), urls::encode(&short));
        return Ok(PreparedResponse::temporary_redirect(&href).into());
    }
    render_not_found_page(context, rest)
}

/// Responds to a path without a page whose Markdown was requested, as for the page itself.
fn missing_markdown(
    context: &PageContext<'_>,
    request: &SiteRequest<'_>,
    path: &str,
    rest: &str,
) -> Result<RenderedResponse> {
    let named = redirects::find(request, &format!("{path}.md"))?;
    if let Some(found) = named.filter(redirects::is_exact)
        && let Some(response) = redirects::respond(request, &found, Form::Html)?
    {
        return Ok(response);
    }
    let found = redirects::find(request, path)?;
    if let Some(found) = found.as_ref().filter(|found| redirects::is_exact(found))
        && let Some(response) = redirects::respond(request, found, Form::Markdown)?
    {
        return Ok(response);
    }
    // An old link to `/guide.md` refers to the page, wherever the page is now.
    if let Some(href) = context.redirect_target(rest)? {
        return Ok(PreparedResponse::redirect(&as_markdown(&href)).into());
    }
    if let Some(response) = unlisted::render_markdown(context, rest)? {
        return Ok(response);
    }
    if let Some(found) = found.filter(|found| !redirects::is_exact(found))
        && let Some(response) = redirects::respond(request, &found, Form::Markdown)?
    {
        return Ok(response);
    }
    render_not_found_page(context, rest)
}

fn page(context: &PageContext<'_>, record: &PageRecord) -> Result<PreparedResponse> {
    let tree = &context.tree;
    let ancestors = tree.tree.ancestors(record.id).map_err(broken_tree)?;
    let steps = tree.steps(&ancestors, record)?;
    let RenderedText { body, outline, title_ids, summary, changelogs } =
        render_document(context, record)?;
    let link = |child: Option<Child>| -> Result<Option<Link>> {
        child
            .map(|child| Ok(Link { title: child.entry.title.clone(), href: tree.href(child.id)? }))
            .transpose()
    };
    let breadcrumbs = ancestors
        .iter()
        .map(|page| {
            let href = match page.kind {
                PageKind::Group | PageKind::Link { .. } => String::new(),
                _ => tree.href(page.id)?,
            };
            Ok(Link { title: page.title.clone(), href })
        })
        .collect::<Result<_>>()?;
    let path = tree.path(record.id)?;
    let view = context.view(Some(record.id))?;
    let customization = &*context.space.customization;
    let address = format!("{}{}", view.origin, urls::markdown_href(&tree.base, &path));
    let page = PageView {
        title: title(record, view.messages()),
        title_ids,
        window_title: None,
        description: record.description.clone().or(summary),
        emoji: record.emoji.as_deref().and_then(emoji),
        icon: record.icon.clone(),
        cover: match &record.cover {
            Some(cover) => self::cover(context, cover)?,
            None => None,
        },
        layout: layout(record, customization),
        href: tree.href(record.id)?,
        feedback: feedback::address(context, &tree.href(record.id)?),
        related: Some(search::related_address(context.site, &tree.href(record.id)?)),
        view: insights::view_address(context, record.id),
        pdf: pdf::address(context, &tree.href(record.id)?).map(|href| PdfLinks {
            everything: Link {
                title: format!("PDF: {}", view.title),
                href: format!("{href}?{}", pdf::EVERYTHING),
            },
            page: Link { title: "PDF".to_owned(), href },
        }),
        canonical: None,
        markdown_href: looks::is_on(customization, "/pageActions/markdown")
            .then(|| urls::markdown_href(&tree.base, &path)),
        feeds: [changes::links(context), updates::links(context, record, changelogs)?].concat(),
        // Assistants are no visitors of a restricted site.
        assistants: match context.site.is_private() {
            true => Vec::new(),
            false => looks::assistants(customization, &address, view.messages()),
        },
        mcp: mcp::links(context.app, context.site, view.messages()),
        edit_href: context
            .space
            .edit_pages
            .as_ref()
            .and_then(|pages| Some(pages.address(record.source_path.as_deref()?))),
        card: match record.cover.is_some() || view.social_image.is_some() {
            true => None,
            false => cards::href(context, record)?,
        },
        navigation: navigation(tree, &steps, &Limits::default())?,
        breadcrumbs,
        outline,
        body,
        previous: link(tree.previous(record.id)?)?,
        next: link(tree.next(record.id)?)?,
        published: Some(record.created_at),
        updated: Some(record.updated_at),
        author: None,
        // The pages below a hidden one are in no list either.
        is_unlisted: false,
        noindex: !record.is_for_crawlers()
            || record.hidden
            || ancestors.iter().any(|above| above.hidden),
    };
    let markdown = format!(
        "<{}>; rel=\"alternate\"; type=\"text/markdown\"",
        urls::markdown_href(&tree.base, &path)
    );
    let mut prepared = PreparedResponse::page(render_page(&view, &page), CacheControl::Revalidate)
        .with_header(LINK, &markdown);
    if page.noindex || view.noindex {
        prepared = noindexed(prepared);
    }
    Ok(prepared)
}

/// Returns a response that tells search engines not to index it.
pub(super) fn noindexed(response: PreparedResponse) -> PreparedResponse {
    const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
    response.with_header(X_ROBOTS_TAG, "noindex")
}

/// Returns the title of a page as readers see it.
pub(super) fn title(record: &PageRecord, messages: &Messages) -> String {
    if record.title.is_empty() { messages.untitled.to_owned() } else { record.title.clone() }
}

/// Returns an emoji as characters. Accepts hexadecimal code points (`1f680`), as the contract
/// stores them, and literal characters, as repositories write them.
pub(super) fn emoji(text: &str) -> Option<String> {
    let by_code: Option<String> = text
        .split('-')
        .map(|code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32))
        .collect();
    by_code.or_else(|| (!text.is_ascii()).then(|| text.to_owned()))
}

fn layout(record: &PageRecord, customization: &Value) -> Layout {
    let layout = &record.layout;
    Layout {
        wide: layout.width == bindery_revision::LayoutWidth::Wide,
        cover: layout.cover,
        cover_full: layout.cover_size == bindery_revision::CoverSize::Full,
        title: layout.title,
        description: layout.description && record.description.is_some(),
        table_of_contents: layout.table_of_contents,
        outline: layout.outline,
        pagination: layout.pagination && looks::is_on(customization, "/pagination/enabled"),
        metadata: layout.metadata,
    }
}

/// The assumed width and height of a displayed cover in pixels.
const COVER_SIZE: (f64, f64) = (736.0, 240.0);

fn cover(context: &PageContext<'_>, cover: &Cover) -> Result<Option<CoverView>> {
    let address = |image: &ContentRef| match image {
        // Front matter may name any address, including one that runs a script.
        ContentRef::Url(url) => safe_web_url(url).map(str::to_owned),
        ContentRef::File { file, space: None } => Some(context.file_href(*file)),
        _ => None,
    };
    let Some(src) = cover.image.as_ref().and_then(address) else { return Ok(None) };
    let dark = cover.image_dark.as_ref().and_then(address);
    let size = match cover.image {
        Some(ContentRef::File { file, space: None }) => {
            let content = &context.space.snapshot.revision.content;
            let record = content.file(context.objects, file).map_err(broken_object)?;
            record.and_then(|record| record.dimensions)
        }
        _ => None,
    };
    let size = size.map(|size| (f64::from(size.width), f64::from(size.height)));
    Ok(Some(CoverView {
        image: ThemedImage { src, dark, ..ThemedImage::default() },
        height: cover.height.map(pixels),
        focus: focus(cover.y_pos, cover.height.unwrap_or(COVER_SIZE.1), size),
    }))
}

/// Returns the visible part of a cover in twentieths from its top: the middle, moved by `y` pixels
/// of the image within the image's bounds.
fn focus(y: f64, height: f64, size: Option<(f64, f64)>) -> u8 {
    let (scale, beyond) = match size {
        Some((width, high)) if width > 0.0 && high > 0.0 => {
            let scale = (COVER_SIZE.0 / width).max(height / high);
            (scale, high * scale - height)
        }
        _ => (1.0, height),
    };
    let part = if beyond < 1.0 { 0.5 } else { 0.5 - y * scale / beyond };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 20; NaN becomes 0"
    )]
    let steps = (part.clamp(0.0, 1.0) * 20.0).round() as u8;
    steps
}

/// Returns a cover height clamped to 10 to 700 pixels.
fn pixels(height: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 10 and 700; NaN becomes 0"
    )]
    let pixels = height.clamp(10.0, 700.0).round() as u32;
    pixels
}

impl PageContext<'_> {
    /// Returns the address of a file on this site.
    pub(super) fn file_href(&self, file: bindery_model::FileId) -> String {
        // Files of restricted sites are below the site, where visitors send their cookies.
        let base = if self.site.is_private() || self.answers.is_adaptive() {
            self.site.base()
        } else {
            self.site.root().to_owned()
        };
        format!("{base}~files/{}/{file}", self.space.space.id)
    }
}

/// Renders the page at a path as Markdown.
pub(super) fn render_markdown(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let Some((space, rest)) = request.site.resolve(path) else { return not_found(request, path) };
    // The first page of every space is `index.md`, as that of the site is.
    let rest = if rest == "index" { "" } else { rest };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    let Some(id) = context.find(rest)? else {
        // A page whose own slug ends in `.md` has no other address.
        if context.find(&format!("{rest}.md"))?.is_some() {
            return render_html(request, &format!("{path}.md"));
        }
        return missing_markdown(&context, request, path, rest);
    };
    let record = context.record(id)?;
    let redirect = match &record.kind {
        PageKind::Document | PageKind::Computed => None,
        PageKind::Link { target } => Some(context.tree.target(target)?),
        PageKind::Group => Some(context.tree.first_below(id)?.map(|href| as_markdown(&href))),
    };
    if let Some(target) = redirect {
        return match target {
            Some(href) => Ok(PreparedResponse::redirect(&href).into()),
            None => render_not_found_page(&context, rest),
        };
    }
    let Some(text) = markdown(&context, &record)? else {
        return Ok(RenderedResponse::discarded());
    };
    // Programs that read one page find the others this way.
    let text = match request.site.is_preview {
        true => text,
        false => format!("{INDEX_LINE}{}>\n\n{text}", llms::address(request)),
    };
    let canonical = format!("<{}>; rel=\"canonical\"", context.tree.href(id)?);
    let response =
        PreparedResponse::new(200, "text/markdown; charset=utf-8", CacheControl::Revalidate, text);
    Ok(context.response(response.with_header(LINK, &canonical)))
}

/// Returns the address of a page as Markdown from that of the page.
fn as_markdown(href: &str) -> String {
    // An address with a slash at its end is that of a first page.
    let first = if href.ends_with('/') { "index" } else { "" };
    format!("{href}{first}.md")
}

/// Returns a page as Markdown; `None` if the budget is exceeded.
pub(super) fn markdown(context: &PageContext<'_>, record: &PageRecord) -> Result<Option<String>> {
    let PageContext { app, space, objects, answers, .. } = *context;
    let content = &space.snapshot.revision.content;
    if let Some(body) = &record.body {
        let source = bindery_app::content::snapshot::body(app, objects, body)?.source.len();
        if !context.budget.read(source.min(MAX_PAGE_SOURCE)) {
            return Ok(None);
        }
    }
    let answers = answers.of_page(&content.variables, &record.variables);
    let evaluated = EvaluationFor { evaluated: Evaluation::All, visitor: Some(&answers) };
    let known = expressions::context(&content.variables, &record.variables);
    let evaluator = Evaluator::new(&known).with_visitor(&answers);
    let origin = context.site.origin(&app.urls);
    let address = format!("{origin}{}", context.tree.href(record.id)?);
    let reader = MarkdownReader { links: PageLinks::new(context, origin, evaluator), address };
    let text = markdown::of_page(app, objects, content, record, evaluated, &reader)?;
    if context.budget.is_discarded() {
        return Ok(None);
    }
    Ok(Some(text))
}

/// Responds that no page has this path.
pub(super) fn not_found(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let Some((space, rest)) = request.site.resolve(path) else {
        return Ok(not_found_response(&request.view(), &[], &[], "").into());
    };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    render_not_found_page(&PageContext::new(request, space, &objects)?, rest)
}

fn render_not_found_page(context: &PageContext<'_>, path: &str) -> Result<RenderedResponse> {
    let index = context.not_found.get(context)?;
    // Pages with similar addresses in this space come first, then those of the whole site with the
    // words of the address.
    let similar = index.pages.nearest(path, MAX_SUGGESTIONS).into_iter().map(|near| Suggestion {
        href: urls::href(&context.tree.base, &near.path),
        title: near.title.clone(),
        ancestors: None,
    });
    let mut suggestions: Vec<Suggestion> = similar.collect();
    if suggestions.len() < MAX_SUGGESTIONS {
        for found in search::nearest(context, path, MAX_SUGGESTIONS)? {
            if suggestions.iter().all(|known| known.href != found.href) {
                suggestions.push(found);
            }
        }
        suggestions.truncate(MAX_SUGGESTIONS);
    }
    let words = urls::words(path);
    let view = context.view(None)?;
    let response = not_found_response(&view, &index.navigation, &suggestions, &words);
    // A cached index asks no questions, so that the response would not be marked otherwise.
    let response = match index.is_personal {
        true => response.personal(),
        false => response,
    };
    Ok(response.into())
}

fn not_found_response(
    view: &SiteView,
    tree: &[crate::view::NavNode],
    suggestions: &[Suggestion],
    words: &str,
) -> PreparedResponse {
    let html = render_not_found(view, tree, suggestions, words);
    PreparedResponse::new(404, "text/html; charset=utf-8", CacheControl::Revalidate, html)
}
