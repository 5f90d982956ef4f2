//! Parts of OpenAPI specifications on pages, and the files of those that everybody may read.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use bindery_app::content::computed::{DocumentPart, DocumentSource, MAX_MODELS};
use bindery_app::content::openapi::{
    self, ChangeLevel, CurrentSpecs, FileSpec, FileSpecs, Format, OpenApiFile, StoredChange,
    VersionChanges,
};
use bindery_app::content::snapshot::{broken_object, broken_tree};
use bindery_app::{App, Tx};
use bindery_content::document::OpenApiPart;
use bindery_content::html::OpenApiView;
use bindery_content::reference::ContentRef;
use bindery_http::{Body, Compressor, Request, Response, select_encoding};
use bindery_model::{Error, FileId, OpenApiSpecId, PageId, Result};
use bindery_openapi::Description;
use bindery_revision::NavigationKind;
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use maud::{Markup, html};

use super::files::stream_body;
use super::page::PageContext;
use super::storage::SANDBOX;
use super::{api_console, changes, plain, send};
use crate::feeds::atom::{Entry, Feed, MAX_ENTRIES};
use crate::http::{CacheControl, has_copy};
use crate::i18n::messages;
use crate::view::openapi::{
    ApiLabels, ConsoleKey, ConsoleLabels, Surroundings, model_anchor, view as openapi_view,
};

/// The end of the path of the feed of a specification.
const FEED: &str = "/changes.atom";
/// Maximum number of changes of a version in a feed.
const MAX_CHANGES: usize = 200;
/// Maximum size of the HTML of all parts of specifications on a page, in bytes. Further parts have a
/// title only.
const MAX_HTML: usize = 900 << 10;
/// Maximum size of the Markdown of all parts of specifications on a page, in bytes.
const MAX_MARKDOWN: usize = 1 << 20;

/// Maximum number of pages that are looked at to find the page of the models.
const MAX_LOOKED_AT: usize = 500;

/// Approximate size of the HTML of a group of samples, in bytes.
const SAMPLES_HTML: usize = 12 << 10;

/// The parts of OpenAPI specifications on a page.
pub(super) struct SpecViews<'a> {
    context: &'a PageContext<'a>,
    /// The size of the HTML that parts may still have.
    left: Cell<usize>,
    /// The size of the Markdown that parts may still have.
    left_markdown: Cell<usize>,
    /// The pages of models, by the names of specifications.
    models: RefCell<HashMap<String, Option<Rc<ModelPages>>>>,
    files: FileSpecs,
}

/// The pages of the models of a specification.
struct ModelPages {
    /// The addresses of the pages, in order.
    pages: Vec<String>,
    /// The positions of the models.
    positions: HashMap<String, usize>,
}

impl ModelPages {
    fn href(&self, name: &str) -> Option<String> {
        let position = *self.positions.get(name)?;
        let page = match self.pages.as_slice() {
            [page] => page,
            pages => pages.get(position / MAX_MODELS)?,
        };
        Some(format!("{page}#{}", model_anchor(name)))
    }
}

impl<'a> SpecViews<'a> {
    pub(super) fn new(context: &'a PageContext<'a>) -> Self {
        let (left, left_markdown) = (Cell::new(MAX_HTML), Cell::new(MAX_MARKDOWN));
        let (models, files) = (RefCell::default(), FileSpecs::default());
        Self { context, left, left_markdown, models, files }
    }

    /// Returns the pages of the models of a specification, if the space has some.
    fn models(&self, spec: &ContentRef) -> Option<Rc<ModelPages>> {
        let ContentRef::OpenApi { spec: name } = spec else { return None };
        if let Some(known) = self.models.borrow().get(name) {
            return known.clone();
        }
        // An object that cannot be read ends the transaction, and with it the rendering.
        let found = self.find_models(spec, name).ok().flatten().map(Rc::new);
        self.models.borrow_mut().insert(name.clone(), found.clone());
        found
    }

    fn find_models(&self, spec: &ContentRef, name: &str) -> Result<Option<ModelPages>> {
        let PageContext { objects, space, tree, .. } = self.context;
        let Some(page) = self.models_page(name)? else { return Ok(None) };
        let Some(pieces) = space.specs.get(spec) else { return Ok(None) };
        let names = pieces.models(*objects).map_err(broken_object)?;
        let mut pages = vec![tree.href(page)?];
        if names.len() > MAX_MODELS {
            let most = names.len().div_ceil(MAX_MODELS);
            let below = tree.tree.children(Some(page)).take(most);
            let below = below.map(|child| tree.href(child.map_err(broken_object)?.id));
            pages = below.collect::<Result<_>>()?;
        }
        let positions = names.into_iter().enumerate().map(|(at, name)| (name, at));
        Ok(Some(ModelPages { pages, positions: positions.collect() }))
    }

    /// Returns the page of the models of a specification: at the top of the space, or in a group there.
    fn models_page(&self, spec: &str) -> Result<Option<PageId>> {
        let tree = &self.context.tree;
        let mut groups = vec![None];
        let mut left = MAX_LOOKED_AT;
        for depth in 0..2 {
            for group in std::mem::take(&mut groups) {
                for child in tree.tree.children(group).take(left) {
                    let child = child.map_err(broken_object)?;
                    left = left.saturating_sub(1);
                    if child.entry.slug.starts_with("models") {
                        let record = tree.tree.page(child.id).map_err(broken_tree)?;
                        let source = record.computed.as_deref();
                        let source = source.and_then(|text| serde_json::from_str(text).ok());
                        let source = source.and_then(|json| DocumentSource::read(&json));
                        let is_models = |source: DocumentSource| {
                            source.spec == spec && source.part == DocumentPart::Models(None)
                        };
                        if source.is_some_and(is_models) {
                            return Ok(tree.href_of_present(child.id).map(|_| child.id));
                        }
                    } else if depth == 0 && child.entry.kind == NavigationKind::Group {
                        groups.push(Some(child.id));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns a part of a specification; `None` if there is none.
    pub(super) fn view(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<OpenApiView> {
        let description = self.read(spec, part)?;
        let language = messages(self.context.space.interface_language()).language;
        let labels = ApiLabels::of(language);
        let key = self.key(spec, part);
        let around = Surroundings {
            labels,
            links: &|name| self.models(spec)?.href(name),
            console: key.as_ref(),
        };
        let view = openapi_view(&description, part, around, self.left.get())?;
        let samples = view.samples.as_ref().map_or(0, |samples| samples.nodes.len() * SAMPLES_HTML);
        let size = view.lead.len() + view.details.len() + samples;
        self.left.set(self.left.get().saturating_sub(size));
        Some(view)
    }

    /// Returns the key with which readers call an operation. Previews take no requests.
    fn key(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<ConsoleKey> {
        let PageContext { app, site, space, .. } = self.context;
        let (OpenApiPart::Operation { path, method } | OpenApiPart::Swagger { path, method, .. }) =
            part
        else {
            return None;
        };
        let spec = match spec {
            _ if site.is_preview => return None,
            ContentRef::File { file } => api_console::name_of_file(file),
            spec => CurrentSpecs::name_in(spec)?.to_owned(),
        };
        let language = messages(space.interface_language()).language;
        Some(ConsoleKey {
            key: api_console::key(app, site.site.id, &spec, method, path),
            spec,
            label: ConsoleLabels::of(language).try_it,
        })
    }

    /// Returns a part of a specification as Markdown; `None` if there is none.
    pub(super) fn markdown(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<String> {
        let left = self.left_markdown.get();
        let text = openapi::markdown(&self.read(spec, part)?, part, left)?;
        self.left_markdown.set(left.saturating_sub(text.len()));
        Some(text)
    }

    fn read(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<Description> {
        let PageContext { objects, space, budget, .. } = self.context;
        if let ContentRef::File { file } = spec {
            let file = FileId::parse(file)?;
            let content = &space.snapshot.revision.content;
            let found = self.files.get(file, || {
                let is_large = budget.is_large();
                // An object that cannot be read ends the transaction, and with it the rendering.
                let read = is_large.then(|| FileSpec::read(content, *objects, file).ok().flatten());
                read.flatten().filter(|found| budget.read(found.size()))
            });
            return found?.of_part(part).map(|(description, _)| description);
        }
        objects.record_spec(CurrentSpecs::name_in(spec)?);
        let pieces = space.specs.get(spec)?;
        // An object that cannot be read ends the transaction, and with it the rendering.
        let (description, read) = pieces.of_part(*objects, part).ok()??;
        budget.read(read).then_some(description)
    }
}

/// Responds to a request below [`openapi::PUBLIC_PATH`], given without that prefix.
pub(super) async fn handle(app: &Arc<App>, rest: String, request: &Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return plain(405, "GET and HEAD are allowed\n");
    }
    let mut response = serve(app, rest, request).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a file of an OpenAPI specification could not be read");
        plain(500, "This file could not be read. The server's log says why.\n")
    });
    // Tools on other sites read specifications. No cookie is read.
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, SANDBOX),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn serve(app: &Arc<App>, rest: String, request: &Request) -> Result<Response> {
    if let Some(id) = rest.strip_suffix(FEED).and_then(OpenApiSpecId::parse) {
        return serve_feed(app, id, request).await;
    }
    let file = app.store.read_blocking(move |tx| openapi::public_file(tx, &rest)).await?;
    let Some(file) = file else { return Ok(plain(404, "not found\n")) };
    send_file(app, &file, request).await
}

/// Responds with a file, which is read and compressed while it is sent: it can have many megabytes.
async fn send_file(app: &Arc<App>, file: &OpenApiFile, request: &Request) -> Result<Response> {
    let accepted = request.headers().get(header::ACCEPT_ENCODING);
    let encoding = select_encoding(accepted.and_then(|value| value.to_str().ok()));
    let tag = encoding.etag(&format!("{}-{}", file.version, file.position));
    let known = has_copy(request.headers(), tag.as_bytes());
    let mut response = Response::new(Body::empty());
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::ETAG, &tag);
    set(header::CACHE_CONTROL, CacheControl::Revalidate.value());
    set(header::VARY, "accept-encoding");
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    let kind = match openapi::format_of(&app.store, file).await? {
        Format::Json => "application/json",
        Format::Yaml => "application/yaml",
    };
    set(header::CONTENT_TYPE, kind);
    if let Some(name) = encoding.name() {
        set(header::CONTENT_ENCODING, name);
    }
    if *request.method() == Method::GET {
        let body = stream_body(app, openapi::text_of(file));
        let compressed = Compressor::default().compress(body, encoding).await;
        *response.body_mut() = compressed.map_err(|error| Error::internal(error.to_string()))?;
    }
    Ok(response)
}

/// Responds with the feed of the changes of a specification that everybody may read.
async fn serve_feed(app: &Arc<App>, id: OpenApiSpecId, request: &Request) -> Result<Response> {
    let read = move |tx: &Tx<'_>| openapi::public_changes(tx, id, MAX_ENTRIES);
    let Some((spec, versions)) = app.store.read_blocking(read).await? else {
        return Ok(plain(404, "not found\n"));
    };
    let home = format!("{}{}{id}", app.urls.sites(), openapi::PUBLIC_PATH);
    let entries = versions.into_iter().map(|VersionChanges { version, changes, .. }| Entry {
        id: vec!["openapi-version".to_owned(), version.id.to_string()],
        title: openapi::summary(&version),
        href: format!("{home}{FEED}"),
        updated: version.created_at,
        published: Some(version.created_at),
        summary: None,
        content: Some(list_of(&changes).into_string()),
        categories: Vec::new(),
    });
    let feed = Feed {
        id: vec!["openapi".to_owned(), id.to_string()],
        title: spec.slug.clone(),
        href: format!("{home}{FEED}"),
        self_href: format!("{home}{FEED}"),
        author: spec.slug,
        language: "en".to_owned(),
        created: spec.created_at,
        entries: entries.collect(),
    };
    let prepared = changes::prepare(&feed, feed.updated());
    Ok(send(&prepared, request.method(), request.headers()))
}

/// Returns the changes of a version as a list.
fn list_of(changes: &[StoredChange]) -> Markup {
    html! {
        ul {
            @for change in changes.iter().take(MAX_CHANGES) {
                li {
                    @match change.level {
                        ChangeLevel::Breaking => strong { "Breaking " },
                        ChangeLevel::Warning => strong { "Warning " },
                        ChangeLevel::Info => {},
                    }
                    @if !change.path.is_empty() {
                        code { (change.method.to_uppercase()) " " (change.path) }
                        ": "
                    }
                    @for (at, part) in change.text.split('`').enumerate() {
                        @if at % 2 == 1 { code { (part) } } @else { (part) }
                    }
                }
            }
        }
    }
}
