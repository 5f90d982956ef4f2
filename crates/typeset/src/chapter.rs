//! The layout of chapters.

use bindery_paper::chapter_start;
use bindery_paper::folder::PageText;
use typst::World;
use typst::comemo::{self, Track as _};
use typst::diag::SourceResult;
use typst::engine::{Engine, Route, Sink, Traced};
use typst::foundations::{StyleChain, Target, TargetElem};
use typst::introspection::{EmptyIntrospector, Introspector, Locator};
use typst::utils::Protected;
use typst_layout::{Page, PagedDocument, layout_document_for_bundle};

use crate::Error;
use crate::world::PaperWorld;

/// Maximum number of layouts of a chapter until the numbers of its notes are final.
const LAYOUT_LIMIT: usize = 4;
/// The text of a page that cannot be typeset.
const NOTICE: &str = "par(emph(\"This page could not be typeset.\"))";

/// Lays out chapters. Each has locations of its own, so that their pages can be joined.
pub(crate) struct Chapters {
    start: String,
    next: u64,
}

/// A chapter that is laid out.
pub(crate) struct Made {
    pub(crate) sheets: Vec<Page>,
    /// The number of pages that could not be typeset.
    pub(crate) failed: usize,
}

impl Chapters {
    pub(crate) fn new(language: &str) -> Self {
        Self { start: chapter_start(language), next: 0 }
    }

    /// Lays out pages. Pages that the typesetter rejects are replaced by a notice.
    pub(crate) fn lay_out(
        &mut self,
        world: &mut PaperWorld,
        pages: &[PageText],
    ) -> Result<Made, Error> {
        let source: Vec<&str> = pages.iter().map(|page| page.source.as_str()).collect();
        match self.lay_out_source(world, &source.join("#pagebreak(weak:true)\n")) {
            Ok(sheets) => Ok(Made { sheets, failed: 0 }),
            Err(_) if pages.len() > 1 => {
                let mut made = Made { sheets: Vec::new(), failed: 0 };
                for page in pages {
                    let one = self.lay_out(world, std::slice::from_ref(page))?;
                    made.sheets.extend(one.sheets);
                    made.failed += one.failed;
                }
                Ok(made)
            }
            Err(error) => {
                let Some(page) = pages.first() else { return Err(error) };
                let input = bindery_paper::PageInput {
                    key: &page.key,
                    level: page.level,
                    title: &page.title,
                    ..bindery_paper::PageInput::default()
                };
                let mut source = bindery_paper::page(&input).source;
                source.push_str("#{");
                source.push_str(NOTICE);
                source.push('}');
                let sheets = self.lay_out_source(world, &source)?;
                Ok(Made { sheets, failed: 1 })
            }
        }
    }

    /// Lays out source.
    pub(crate) fn lay_out_source(
        &mut self,
        world: &mut PaperWorld,
        source: &str,
    ) -> Result<Vec<Page>, Error> {
        world.set_main(format!("{}{source}", self.start));
        self.next += 1;
        let document = compile(world, self.next)?;
        Ok(document.pages().to_vec())
    }
}

/// Typesets the main source, as `typst::compile` does, with locations that differ from those of
/// other chapters.
fn compile(world: &PaperWorld, chapter: u64) -> SourceResult<PagedDocument> {
    let world: &dyn World = world;
    let tracked = world.track();
    let traced = Traced::default();
    let mut sink = Sink::new();
    let library = world.library();
    let main = world.source(world.main()).map_err(|_| typst::ecow::EcoVec::new())?;
    let route = Route::default();
    let content =
        typst_eval::eval(tracked, library, traced.track(), sink.track_mut(), route.track(), &main)?
            .content();
    let base = StyleChain::new(&library.styles);
    let target = TargetElem::target.set(Target::Paged).wrap();
    let styles = base.chain(&target);
    let mut previous: Option<PagedDocument> = None;
    for _ in 0..LAYOUT_LIMIT {
        let mut sink = Sink::new();
        let introspector: &dyn Introspector = match &previous {
            Some(document) => document.introspector().as_ref(),
            None => &EmptyIntrospector,
        };
        let constraint = comemo::Constraint::new();
        let mut engine = Engine {
            library,
            world: tracked,
            introspector: Protected::new(introspector.track_with(&constraint)),
            traced: traced.track(),
            sink: sink.track_mut(),
            route: Route::default(),
        };
        let mut locators = Locator::root().split();
        let locator = locators.next(&chapter);
        let document = layout_document_for_bundle(&mut engine, &content, locator, styles)?;
        let introspector: &dyn Introspector = document.introspector().as_ref();
        if constraint.validate(introspector) {
            let delayed = sink.delayed();
            return if delayed.is_empty() { Ok(document) } else { Err(delayed) };
        }
        previous = Some(document);
    }
    // Numbers that never become final do not make a chapter unreadable.
    previous.ok_or_else(typst::ecow::EcoVec::new)
}
