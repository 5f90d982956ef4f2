//! Renders a page's document as HTML with the addresses of the site that shows it.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use bindery_app::content::{documents, embeds, expressions, snapshot};
use bindery_app::publishing::published;
use bindery_content::config::parse_tags;
use bindery_content::document::OpenApiPart;
use bindery_content::evaluation::{Mode, evaluate_document_with};
use bindery_content::html::{self, FileLink, Links, PageLink, RenderContext, TagLabel};
use bindery_content::reference::{ContentRef, Target};
use bindery_content::{AnchorIndex, Document, source, text};
use bindery_expression::Evaluator;
use bindery_model::{CollectionId, FileId, PageId, Result, ReusableContentId, SpaceId};
use bindery_revision::{Facet, Hash, Objects as _, PageRecord, Variables};

use super::budget::MAX_PAGE_SOURCE;
use super::embeds::EmbedCards;
use super::openapi::SpecViews;
use super::other_sites::OtherSpaces;
use super::page::{PageContext, emoji};
use super::site_cache::LoadedSite;
use super::structure::OtherPage;
use super::texts::{CompressedText, RenderedText, TextKey};
use super::unlisted;
use super::validity::{CacheEntry, Dependencies};
use crate::i18n::messages;
use crate::view::OutlineEntry;

/// The path of the file with the tags of a space.
const TAGS: &str = ".gitbook/tags.yaml";
/// Maximum bytes of this file. A larger one defines no tags.
const MAX_TAGS_BYTES: usize = 64 << 10;
/// Bytes of source from which a description is derived if the page is not shown.
const SUMMARY_SOURCE: usize = 4 << 10;
/// Maximum characters of a description that is derived from the text.
pub(super) const DESCRIPTION_CHARS: usize = 160;

/// Returns a page's text as HTML, from the cache if the cached one is valid. A page without a text
/// yields an empty result.
pub(super) fn render_document(
    context: &PageContext<'_>,
    record: &PageRecord,
) -> Result<RenderedText> {
    let Some(body) = record.body else { return Ok(RenderedText::default()) };
    let LoadedSite { site, changes, .. } = context.site;
    let variables = expressions::digest(&record.variables)?;
    let key = TextKey { site: site.id, space: context.space.space.id, body, variables };
    if let Some(cached) = context.texts.get(&key, site.version, changes) {
        if let Dependencies::Facets(hashes) = &cached.dependencies {
            context.objects.add_reads(hashes);
        }
        return cached.value.decompress();
    }
    // The reads are recorded separately, so that the text can be cached independently of the page
    // around it.
    let objects = context.objects.with_empty_record();
    let asked_before = context.answers.times_asked();
    let rendered = render(&context.with_objects(&objects), &body, &record.variables)?;
    let hashes = objects.hashes();
    context.objects.add_reads(&hashes);
    // A text that differs between visitors is cached with the page around it.
    let is_adaptive = context.answers.times_asked() != asked_before;
    if context.budget.is_discarded() || is_adaptive {
        return Ok(rendered);
    }
    context.texts.insert(
        key,
        CacheEntry::new(
            CompressedText::compress(&rendered)?,
            Dependencies::Facets(hashes),
            site.version,
        ),
    );
    Ok(rendered)
}

fn render(context: &PageContext<'_>, body: &Hash, variables: &Variables) -> Result<RenderedText> {
    let Some((html, document)) = render_parts(context, body, variables, String::new())? else {
        return Ok(RenderedText::default());
    };
    let html::Html { body, outline, title_ids, updates, .. } = html;
    let outline = outline_entries(outline);
    let summary = text::description(&document, DESCRIPTION_CHARS);
    let changelogs = updates.iter().map(|update| update.list + 1).max().unwrap_or(0);
    Ok(RenderedText { body, outline, title_ids, summary, changelogs })
}

/// Converts the headings of a rendered text.
pub(super) fn outline_entries(outline: Vec<html::OutlineEntry>) -> Vec<OutlineEntry> {
    let entry = |heading: html::OutlineEntry| OutlineEntry {
        level: heading.level,
        anchor: heading.id,
        title: heading.text,
    };
    outline.into_iter().map(entry).collect()
}

/// Returns a page's text as HTML whose links begin with the scheme and the host; `None` if it has
/// none or is too large.
pub(super) fn render_for_feed(
    context: &PageContext<'_>,
    record: &PageRecord,
) -> Result<Option<html::Html>> {
    let Some(body) = record.body else { return Ok(None) };
    let origin = context.site.origin(&context.app.urls);
    let rendered = render_parts(context, &body, &record.variables, origin)?;
    Ok(rendered.map(|(html, _)| html))
}

/// Renders a text. `origin` precedes the addresses of pages and files.
fn render_parts(
    context: &PageContext<'_>,
    body: &Hash,
    variables: &Variables,
    origin: String,
) -> Result<Option<(html::Html, Document)>> {
    let content = &context.space.snapshot.revision.content;
    let source = snapshot::body(context.app, context.objects, body)?.source.len();
    if !context.budget.read(source.min(MAX_PAGE_SOURCE)) {
        return Ok(None);
    }
    let parsed =
        documents::parse_start(context.app, context.objects, Some(content), body, MAX_PAGE_SOURCE)?;
    let (mut html, document) =
        render_parsed(context, Some(body), &parsed.document, variables, origin);
    if parsed.is_cut && !html.is_truncated {
        let labels = messages(context.space.interface_language()).text;
        html::write_notice(labels, &mut html.body);
    }
    Ok(Some((html, document)))
}

/// Renders a document, and returns it as the visitor sees it, too. `body` is the text that it was
/// parsed from, if pages can have it.
pub(super) fn render_parsed(
    context: &PageContext<'_>,
    body: Option<&Hash>,
    parsed: &Document,
    variables: &Variables,
    origin: String,
) -> (html::Html, Document) {
    let content = &context.space.snapshot.revision.content;
    let known = expressions::context(&content.variables, variables);
    // Evaluated before the summary is derived, so that the summary contains nothing that readers
    // may not see.
    let answers = context.answers.of_page(&content.variables, variables);
    let evaluator = Evaluator::new(&known).with_visitor(&answers);
    let document = evaluate_document_with(parsed, &evaluator, Mode::Everything);
    let links = PageLinks {
        own: body.map(|body| (*body, parsed)),
        embeds: EmbedCards::of(context, &document),
        ..PageLinks::new(context, origin, Evaluator::new(&known).with_visitor(&answers))
    };
    let html = html::render(&document, &RenderContext { links: &links, highlight: true });
    (html, document)
}

/// Returns the first sentences of a page's text as a description, with the values that the visitor
/// sees. Reads the beginning of a long text only.
pub(super) fn summary(context: &PageContext<'_>, record: &PageRecord) -> Result<Option<String>> {
    let Some(body) = record.body else { return Ok(None) };
    if !context.budget.read(SUMMARY_SOURCE) {
        return Ok(None);
    }
    let content = &context.space.snapshot.revision.content;
    let objects = context.objects;
    let parsed =
        documents::parse_start(context.app, objects, Some(content), &body, SUMMARY_SOURCE)?;
    let known = expressions::context(&content.variables, &record.variables);
    let answers = context.answers.of_page(&content.variables, &record.variables);
    let evaluator = Evaluator::new(&known).with_visitor(&answers);
    let document = evaluate_document_with(&parsed.document, &evaluator, Mode::Everything);
    Ok(text::description(&document, DESCRIPTION_CHARS))
}

/// Resolves references of a page to addresses of the site that shows it. References to absent or
/// unreadable targets resolve to nothing.
pub(super) struct PageLinks<'a> {
    context: &'a PageContext<'a>,
    /// The text of the page with the document that was parsed from it.
    own: Option<(Hash, &'a Document)>,
    /// The scheme and the host in front of addresses; empty on pages.
    origin: String,
    /// Evaluates expressions of reusable contents, which are included unevaluated.
    evaluator: Evaluator<'a>,
    /// Pages that were resolved before.
    pages: RefCell<HashMap<PageId, Option<PageLink>>>,
    /// Reusable contents that were resolved before.
    reusable: RefCell<HashMap<ReusableContentId, Option<Arc<Document>>>>,
    /// The tags of the space, read when first needed.
    tags: OnceCell<HashMap<String, TagLabel>>,
    /// The anchors of pages that links to them named.
    anchors: RefCell<HashMap<PageId, Option<Rc<LinkedAnchors>>>>,
    /// The spaces of other sites that links named.
    other_spaces: OtherSpaces,
    /// The descriptions of embeds.
    embeds: EmbedCards<'a>,
    /// The parts of OpenAPI specifications.
    specs: SpecViews<'a>,
}

/// The anchors of a page that links name.
struct LinkedAnchors {
    body: Hash,
    /// Those of headings that are found without parsing the page.
    of_headings: HashSet<String>,
    /// All anchors, read for the first link that means none of the others; `None` if they cannot be
    /// read.
    all: OnceCell<Option<AnchorIndex>>,
}

impl<'a> PageLinks<'a> {
    /// Returns links that look for the anchors and the embeds of the page when they are needed.
    pub(super) fn new(
        context: &'a PageContext<'a>,
        origin: String,
        evaluator: Evaluator<'a>,
    ) -> Self {
        Self {
            context,
            own: None,
            origin,
            evaluator,
            pages: RefCell::default(),
            reusable: RefCell::default(),
            tags: OnceCell::new(),
            anchors: RefCell::default(),
            other_spaces: OtherSpaces::default(),
            embeds: EmbedCards::new(context),
            specs: SpecViews::new(context),
        }
    }

    /// Returns `true` if a source of this size may be read.
    pub(super) fn may_read(&self, bytes: usize) -> bool {
        self.context.budget.read(bytes)
    }

    fn find_page(&self, id: PageId) -> Option<PageLink> {
        // A reader who may not see a page does not see its title either.
        let href = self.context.tree.href_of_present(id)?;
        let record = self.context.tree.tree.page(id).ok()?;
        Some(PageLink { href: format!("{}{href}", self.origin), title: record.title })
    }

    /// Returns a link to a page of another space: of the site, or of one that is public.
    fn other_space(&self, space: &str, page: OtherPage<'_>) -> Option<PageLink> {
        let (context, space) = (self.context, SpaceId::parse(space)?);
        let is_here = context.site.spaces.iter().any(|one| one.space.id == space);
        let found = match is_here {
            true => context.link_to_space(space, page),
            false => self.other_spaces.link(context, space, page),
        };
        let PageLink { href, title } = found.ok()??;
        if !href.starts_with('/') {
            return Some(PageLink { href, title });
        }
        Some(PageLink { href: format!("{}{href}", self.origin), title })
    }

    fn read_tags(&self) -> HashMap<String, TagLabel> {
        let PageContext { objects, budget, space, .. } = *self.context;
        objects.record_read(Facet::Source(TAGS.as_bytes()));
        let sources = &space.snapshot.revision.content.sources;
        let source = sources.iter().find(|(path, _)| path == TAGS);
        let bytes = source.and_then(|(_, hash)| objects.get(hash).ok()).unwrap_or_default();
        if bytes.len() > MAX_TAGS_BYTES || !budget.read(bytes.len()) {
            return HashMap::new();
        }
        let mut tags = parse_tags(&source::decode(&bytes));
        for tag in tags.values_mut() {
            tag.emoji = tag.emoji.as_deref().and_then(emoji);
        }
        tags
    }

    /// Reads the anchors of a page that the reader may see.
    fn read_anchors(&self, page: PageId) -> Option<LinkedAnchors> {
        let PageContext { app, objects, budget, .. } = *self.context;
        self.context.tree.href_of_present(page)?;
        let content = &self.context.space.snapshot.revision.content;
        objects.record_read(Facet::Text(page));
        let body = content.page(objects, page).ok()??.body?;
        if let Some((_, document)) = self.own.filter(|(own, _)| *own == body) {
            let all = OnceCell::from(Some(AnchorIndex::of(document)));
            return Some(LinkedAnchors { body, of_headings: HashSet::new(), all });
        }
        let source = snapshot::body(app, objects, &body).ok()?.source.len();
        if !budget.read_linked(source.min(MAX_PAGE_SOURCE)) {
            return None;
        }
        let of_headings = documents::heading_anchors(app, objects, &body).ok()?;
        Some(LinkedAnchors { body, of_headings, all: OnceCell::new() })
    }

    fn anchors(&self, page: &str) -> Option<Rc<LinkedAnchors>> {
        let id = PageId::parse(page)?;
        if let Some(known) = self.anchors.borrow().get(&id) {
            return known.clone();
        }
        let anchors = self.read_anchors(id).map(Rc::new);
        self.anchors.borrow_mut().insert(id, anchors.clone());
        anchors
    }

    /// Reads all anchors of a page, which takes as long as parsing it.
    fn all_anchors<'p>(&self, page: &'p LinkedAnchors) -> Option<&'p AnchorIndex> {
        let PageContext { app, objects, .. } = *self.context;
        // The anchors do not depend on the targets of the page's own links.
        let parse = || documents::parse_start(app, objects, None, &page.body, MAX_PAGE_SOURCE);
        let read = || Some(AnchorIndex::of(&parse().ok()?.document));
        page.all.get_or_init(read).as_ref()
    }

    fn read_reusable(&self, id: ReusableContentId) -> Option<Arc<Document>> {
        let PageContext { app, objects, budget, .. } = *self.context;
        let content = &self.context.space.snapshot.revision.content;
        let body = content.reusable(objects, id).ok()??.body?;
        let source = snapshot::body(app, objects, &body).ok()?.source.len();
        if !budget.read(source) {
            return None;
        }
        Some(Arc::new(documents::parse(app, objects, Some(content), &body).ok()?.document))
    }
}

impl Links for PageLinks<'_> {
    fn labels(&self) -> &'static html::Labels {
        messages(self.context.space.interface_language()).text
    }

    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        let id = PageId::parse(page)?;
        if let Some(space) = space.filter(|space| *space != self.context.space.space.id.as_str()) {
            return self.other_space(space, OtherPage::Id(id));
        }
        if let Some(known) = self.pages.borrow().get(&id) {
            return known.clone();
        }
        let found = self.find_page(id);
        self.pages.borrow_mut().insert(id, found.clone());
        found
    }

    fn anchor(&self, page: &str, anchor: &str) -> Option<String> {
        let anchors = self.anchors(page)?;
        if anchors.of_headings.contains(anchor) {
            return Some(anchor.to_owned());
        }
        self.all_anchors(&anchors)?.resolve(anchor).map(str::to_owned)
    }

    fn anchor_title(&self, page: &str, anchor: &str) -> Option<String> {
        let anchors = self.anchors(page)?;
        self.all_anchors(&anchors)?.title(anchor).map(str::to_owned)
    }

    fn file_page(&self, file: &str) -> Option<PageLink> {
        let link = unlisted::link(self.context, FileId::parse(file)?).ok()??;
        Some(PageLink { href: format!("{}{}", self.origin, link.href), title: link.title })
    }

    fn file(&self, file: &str) -> Option<FileLink> {
        let id = FileId::parse(file)?;
        let content = &self.context.space.snapshot.revision.content;
        let record = content.file(self.context.objects, id).ok()??;
        Some(FileLink {
            href: format!("{}{}", self.origin, self.context.file_href(id)),
            name: record.name,
            size: Some(record.size),
            dimensions: record.dimensions.map(|size| (size.width, size.height)),
        })
    }

    fn reusable_content(&self, id: &str, space: Option<&str>) -> Option<Arc<Document>> {
        if space.is_some() {
            return None;
        }
        let id = ReusableContentId::parse(id)?;
        if let Some(known) = self.reusable.borrow().get(&id) {
            return known.clone();
        }
        let found = self.read_reusable(id);
        self.reusable.borrow_mut().insert(id, found.clone());
        found
    }

    fn space(&self, space: &str) -> Option<PageLink> {
        self.other_space(space, OtherPage::First)
    }

    fn knows_pages_of(&self, space: &str) -> bool {
        self.context.site.spaces.iter().any(|one| one.space.id.as_str() == space)
    }

    fn collection(&self, collection: &str) -> Option<PageLink> {
        let (context, id) = (self.context, CollectionId::parse(collection)?);
        let here: Vec<_> = context.site.spaces.iter().map(|one| one.space.id).collect();
        let (title, space) = published::space_of_collection(context.tx, id, &here).ok()??;
        let PageLink { href, .. } = self.other_space(space.as_str(), OtherPage::First)?;
        Some(PageLink { href, title })
    }

    fn application_url(&self, url: &str) -> Option<PageLink> {
        let Target::Space { space, path, anchor } = Target::parse(url, "") else { return None };
        let page = if path.is_empty() { OtherPage::First } else { OtherPage::Path(&path) };
        let mut link = self.other_space(&space, page)?;
        if let Some(anchor) = anchor {
            link.href.push('#');
            link.href.push_str(&anchor);
        }
        Some(link)
    }

    fn player(&self, url: &str) -> Option<String> {
        embeds::player(&embeds::address(url)?).map(|player| player.address)
    }

    fn embed(&self, url: &str) -> Option<html::EmbedCard> {
        self.embeds.card(url, &self.origin)
    }

    fn open_api(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<html::OpenApiView> {
        self.specs.view(spec, part)
    }

    fn open_api_markdown(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<String> {
        self.specs.markdown(spec, part)
    }

    fn tag(&self, tag: &str) -> Option<TagLabel> {
        self.tags.get_or_init(|| self.read_tags()).get(tag).cloned()
    }

    fn condition(&self, expression: &str) -> bool {
        self.evaluator.condition(expression)
    }

    fn expression(&self, expression: &str) -> Option<String> {
        self.evaluator.text(expression)
    }
    fn is_exhausted(&self) -> bool {
        self.context.budget.is_exhausted()
    }
}
