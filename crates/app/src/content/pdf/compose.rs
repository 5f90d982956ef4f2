//! Writes the folder from which the typesetter makes a PDF.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use bindery_content::evaluation::{Mode, evaluate_document_with};
use bindery_content::html::{self, Labels, RenderContext};
use bindery_expression::Evaluator;
use bindery_model::{Error, FileId, PageId, Result};
use bindery_paper::PageInput;
use bindery_paper::folder::{Folder, ImageFile, Job, PageText};
use bindery_revision::tree::{Child, Tree};
use bindery_revision::{Content, Hash, NavigationKind, Objects, PageKind, PageRecord};

use super::links::{PdfContent, PdfLinks};
use super::{PdfAudience, PdfPart, PdfPayload};
use crate::App;
use crate::content::openapi::{BlockSpecs, CurrentSpecs};
use crate::content::snapshot::{broken_object, broken_tree};
use crate::content::{content_type, documents, expressions};
use crate::publishing::adaptive::Answers;
use crate::publishing::published;

/// Maximum number of pages of a PDF.
pub(super) const PAGE_LIMIT: usize = 20_000;
/// Maximum size in bytes of the source of all pages.
const SOURCE_LIMIT: usize = 512 << 20;
/// Maximum number of bytes of a page's text that are shown.
const MAX_PAGE_SOURCE: usize = 4 << 20;
/// Maximum size of an image in bytes.
const IMAGE_LIMIT: u64 = 32 << 20;
/// Maximum size of all images in bytes.
const IMAGES_LIMIT: u64 = 384 << 20;
/// Number of sheets up to which a PDF has tags for screen readers.
const TAGGED_SHEETS: usize = 500;

/// The content of a PDF and its readers.
pub(super) struct Composition<'a> {
    pub(super) app: &'a App,
    pub(super) objects: &'a dyn Objects,
    pub(super) content: &'a Content,
    pub(super) answers: &'a Answers,
    /// The OpenAPI specifications of the organization.
    pub(super) specs: CurrentSpecs,
    pub(super) payload: &'a PdfPayload,
}

/// The reason why no folder was written.
pub(super) enum Stop {
    /// The job was cancelled.
    Cancelled,
    /// There are no pages for these readers.
    Empty,
    /// A limit is exceeded. The text is for people.
    TooLarge(String),
    /// The content cannot be read, or the folder cannot be written.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(Error::internal(format!("the folder of a PDF: {error}")))
    }
}

/// A page of a PDF with its level, 1 or more.
struct Listed {
    id: PageId,
    level: u8,
}

impl Composition<'_> {
    /// Writes the folder. Returns a digest of everything in it, and the number of pages. `progress`
    /// receives the numbers of finished and of all pages and returns `false` to cancel.
    pub(super) fn write(
        &self,
        folder: &Path,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> std::result::Result<(Hash, usize), Stop> {
        let pages = self.pages()?;
        if pages.is_empty() {
            return Err(Stop::Empty);
        }
        let payload = self.payload;
        let language = payload.language.as_deref().unwrap_or("en");
        let of = PdfContent {
            app: self.app,
            objects: self.objects,
            space: payload.space,
            content: self.content,
            answers: self.answers,
            is_restricted: payload.audience.is_restricted(),
            is_on_site: matches!(payload.audience, PdfAudience::Site(_)),
            pages: pages.iter().map(|page| page.id).collect(),
            base: &payload.base,
            labels: (self.app.labels)(language),
            reusable: RefCell::new(HashMap::new()),
            specs: BlockSpecs::new(self.content, self.objects, self.specs.clone()),
        };
        let folder = Folder::at(folder);
        let mut to = folder.page_writer()?;
        let mut digests = Vec::new();
        let mut images = BTreeSet::new();
        let mut bytes = 0_usize;
        let tree = Tree::new(self.content, self.objects);
        for (at, listed) in pages.iter().enumerate() {
            if !progress(at, pages.len()) {
                return Err(Stop::Cancelled);
            }
            let record = tree.page(listed.id).map_err(broken_tree)?;
            let (page, shown) = self.page(&of, &record, listed.level, language)?;
            images.extend(shown);
            bytes = bytes.saturating_add(page.source.len());
            if bytes > SOURCE_LIMIT {
                let text = format!("the text has more than {} MB", SOURCE_LIMIT >> 20);
                return Err(Stop::TooLarge(text));
            }
            digests.extend_from_slice(Hash::of(page.source.as_bytes()).as_bytes());
            digests.extend_from_slice(page.title.as_bytes());
            digests.push(page.level);
            Folder::write_page(&mut to, &page)?;
        }
        std::io::Write::flush(&mut to)?;
        let job = Job {
            title: payload.title.clone(),
            subtitle: payload.subtitle.clone(),
            language: language.to_owned(),
            has_front: pages.len() > 1,
            tagged_sheets: TAGGED_SHEETS,
            images: self.images(&folder, &images, &mut digests)?,
        };
        let described = serde_json::to_vec(&(bindery_paper::VERSION, &job))
            .map_err(|error| Error::internal(format!("the description of a PDF: {error}")))?;
        digests.extend_from_slice(&described);
        folder.write_job(&job)?;
        Ok((Hash::of(&digests), pages.len()))
    }

    /// Returns the pages in reading order.
    fn pages(&self) -> std::result::Result<Vec<Listed>, Stop> {
        let tree = Tree::new(self.content, self.objects);
        let top = match self.payload.part {
            PdfPart::Page(id) => {
                let level = 1;
                return Ok(vec![Listed { id, level }]);
            }
            PdfPart::Section(id) => Some(id),
            PdfPart::Everything => None,
        };
        let is_restricted = self.payload.audience.is_restricted();
        let mut pages: Vec<Listed> = Vec::new();
        let depth_of_top = match top {
            Some(id) => {
                pages.push(Listed { id, level: 1 });
                Some(tree.ancestors(id).map_err(broken_tree)?.len())
            }
            None => None,
        };
        let walk = match top {
            Some(id) => tree.walk_after(id).map_err(broken_tree)?,
            None => tree.walk(),
        };
        let mut walk = if is_restricted { walk.visible() } else { walk };
        while let Some(child) = walk.next() {
            let child = child.map_err(broken_object)?;
            let depth = walk.depth();
            if depth_of_top.is_some_and(|top| depth <= top) {
                break;
            }
            if is_restricted && !self.is_admitted(&tree, &child)? {
                walk.skip_children();
                continue;
            }
            if matches!(child.entry.kind, NavigationKind::Link { .. }) {
                continue;
            }
            if pages.len() >= PAGE_LIMIT {
                return Err(Stop::TooLarge(format!("there are more than {PAGE_LIMIT} pages")));
            }
            let level = u8::try_from(depth - depth_of_top.unwrap_or(0) + 1).unwrap_or(u8::MAX);
            pages.push(Listed { id: child.id, level });
        }
        Ok(pages)
    }

    fn is_admitted(&self, tree: &Tree<'_>, child: &Child) -> Result<bool> {
        if child.entry.condition.is_none() {
            return Ok(true);
        }
        let record = tree.page(child.id).map_err(broken_tree)?;
        Ok(published::admits(self.answers, &self.content.variables, &record))
    }

    /// Returns a page with the ids of the files that it shows as images.
    fn page(
        &self,
        of: &PdfContent<'_>,
        record: &PageRecord,
        level: u8,
        language: &str,
    ) -> Result<(PageText, BTreeSet<String>)> {
        let html = match &record.body {
            Some(body) if record.kind == PageKind::Document => self.html(of, record, body)?,
            _ => String::new(),
        };
        let title = if record.title.is_empty() { "–" } else { record.title.as_str() };
        let key = record.id.to_string();
        let input = PageInput {
            key: &key,
            level,
            title,
            description: record.description.as_deref().filter(|_| record.layout.description),
            html: &html,
            is_rtl: bindery_paper::is_right_to_left_language(language),
            files: self.payload.files.as_deref(),
        };
        let written = bindery_paper::page(&input);
        let title = title.to_owned();
        Ok((PageText { key, level, title, source: written.source }, written.images))
    }

    fn html(&self, of: &PdfContent<'_>, record: &PageRecord, body: &Hash) -> Result<String> {
        let content = self.content;
        let parsed =
            documents::parse_start(self.app, self.objects, Some(content), body, MAX_PAGE_SOURCE)?;
        let known = expressions::context(&content.variables, &record.variables);
        let answers = self.answers.of_page(&content.variables, &record.variables);
        let evaluator = Evaluator::new(&known).with_visitor(&answers);
        let document = evaluate_document_with(&parsed.document, &evaluator, Mode::Everything);
        let links = PdfLinks { of, evaluator: Evaluator::new(&known).with_visitor(&answers) };
        let rendered = html::render(&document, &RenderContext { links: &links, highlight: true });
        let mut body = rendered.body;
        if parsed.is_cut && !rendered.is_truncated {
            let labels: &Labels = of.labels;
            html::write_notice(labels, &mut body);
        }
        Ok(body)
    }

    /// Writes the files that pages show as images.
    fn images(
        &self,
        folder: &Folder,
        ids: &BTreeSet<String>,
        digests: &mut Vec<u8>,
    ) -> std::result::Result<Vec<ImageFile>, Stop> {
        let mut images = Vec::new();
        let mut room = IMAGES_LIMIT;
        for id in ids {
            let Some(file) = FileId::parse(id) else { continue };
            let found = self.content.file(self.objects, file).map_err(broken_object)?;
            let Some(record) = found.filter(|record| record.size <= IMAGE_LIMIT.min(room)) else {
                continue;
            };
            let bytes = self.objects.get(&record.hash).map_err(broken_object)?;
            room = room.saturating_sub(record.size);
            std::fs::write(folder.image(id), &bytes)?;
            digests.extend_from_slice(record.hash.as_bytes());
            let is_svg = content_type::essence(&record.content_type) == "image/svg+xml";
            images.push(ImageFile { id: id.clone(), is_svg });
        }
        Ok(images)
    }
}
