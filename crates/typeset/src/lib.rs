//! The typesetter: turns the source that `bindery_paper` writes into a PDF.
//!
//! Typesetting a large content takes much memory and time, and its input is written by users.
//! Therefore it runs in a process of its own, which reads a folder ([`Folder`]) and writes the PDF
//! there; the caller limits the memory and the time of that process and can end it.
//!
//! The pages are divided into chapters, which are laid out one after the other. Only the finished
//! pages of a chapter are kept, so that the memory is proportional to these and not to the work. In
//! the end, links between pages get their positions, and all pages are written as one PDF.

mod chapter;
mod filters;
mod fonts;
mod images;
mod links;
#[cfg(test)]
mod tests;
mod world;

use std::path::Path;

use bindery_paper::folder::{Folder, Job, PageText, Summary};
use bindery_paper::{ContentsEntry, Facts};
use typst::comemo;
use typst::diag::SourceDiagnostic;
use typst::ecow::{EcoString, EcoVec};
use typst::layout::{Abs, Point};
use typst_layout::{Page, PagedDocument};
use typst_pdf::PdfOptions;

use chapter::Chapters;
use links::Targets;
use world::PaperWorld;

/// Maximum number of sheets of a PDF. Content that does not fit is left out, and the summary says
/// so.
pub const SHEET_LIMIT: usize = 20_000;
/// Size of the source of a chapter in bytes from which on the next page begins a new one.
const CHAPTER_BYTES: usize = 256 * 1024;
/// Number of sheets whose feet are laid out at once.
const FEET_AT_ONCE: usize = 500;
/// Distance of the foot from the bottom of a sheet in points.
const FOOT_HEIGHT: f64 = 44.0;

/// The failure to make a PDF.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be read or written.
    #[error("the folder of the job: {0}")]
    Io(#[from] std::io::Error),
    /// The typesetter rejects source that contains no text of authors.
    #[error("the typesetter: {0}")]
    Typst(String),
}

impl From<EcoVec<SourceDiagnostic>> for Error {
    fn from(errors: EcoVec<SourceDiagnostic>) -> Self {
        let first = errors.first().map(|error| error.message.to_string());
        Self::Typst(first.unwrap_or_else(|| "an unknown error".to_owned()))
    }
}

/// Makes the PDF of the job in a folder. `progress` receives the number of finished pages.
///
/// # Errors
/// Returns an error if the folder cannot be read or written. Pages that cannot be typeset are
/// replaced by a notice and counted in the summary.
pub fn run(folder: &Path, progress: &mut dyn FnMut(usize)) -> Result<Summary, Error> {
    let folder = Folder::at(folder);
    let job = folder.job()?;
    let pages = folder.pages()?;
    let (mut world, refused_images) = world_of(&folder, &job, &pages)?;
    let mut chapters = Chapters::new(&job.language);
    let mut sheets: Vec<Page> = Vec::new();
    let mut failed = 0;
    let mut done = 0;
    let mut omitted = 0;
    for chapter in division(&pages) {
        if sheets.len() >= SHEET_LIMIT {
            omitted += chapter.len();
            continue;
        }
        let made = chapters.lay_out(&mut world, chapter)?;
        failed += made.failed;
        sheets.extend(made.sheets);
        comemo::evict(0);
        done += chapter.len();
        progress(done);
    }
    let front = front(&mut world, &mut chapters, &job, &pages, &sheets)?;
    let first = front.len();
    let mut all = EcoVec::from(front);
    all.extend(sheets);
    add_feet(&mut world, &mut chapters, &job, &mut all)?;
    links::resolve(&mut all);
    comemo::evict(0);
    let count = all.len();
    let mut document = PagedDocument::new(all, typst::model::DocumentInfo::default());
    let info = document.info_mut();
    info.title = Some(EcoString::from(job.title.as_str()));
    let options = PdfOptions {
        creator: typst::foundations::Smart::Custom(Some("Bindery".to_owned())),
        tagged: count <= job.tagged_sheets,
        ..PdfOptions::default()
    };
    let pdf = typst_pdf::pdf(&document, &options)?;
    drop(document);
    std::fs::write(folder.output(), &pdf)?;
    let summary = Summary {
        sheets: count,
        first_sheet: first,
        bytes: pdf.len(),
        failed_pages: failed,
        omitted_pages: omitted,
        refused_images,
    };
    folder.write_summary(&summary)?;
    Ok(summary)
}

/// Makes the PDF of the job in a folder with Typst's own functions: all pages in one piece, without
/// links between pages, a table of contents and feet. Serves as a comparison for benchmarks.
///
/// # Errors
/// Returns an error if the folder cannot be read or written, or if the typesetter rejects a page.
pub fn run_whole(folder: &Path) -> Result<(), Error> {
    let folder = Folder::at(folder);
    let job = folder.job()?;
    let pages = folder.pages()?;
    let (mut world, _) = world_of(&folder, &job, &pages)?;
    let mut source = bindery_paper::chapter_start(&job.language);
    for page in &pages {
        source.push_str("#pagebreak(weak:true)\n");
        source.push_str(&page.source);
    }
    world.set_main(source);
    let document = typst::compile::<PagedDocument>(&world).output?;
    std::fs::write(folder.output(), typst_pdf::pdf(&document, &PdfOptions::default())?)?;
    Ok(())
}

/// Returns the world of a job, and its images that cannot be shown.
fn world_of(folder: &Folder, job: &Job, pages: &[PageText]) -> Result<(PaperWorld, usize), Error> {
    let images = images::usable(folder, &job.images);
    let refused = job.images.len().saturating_sub(images.facts().len());
    let texts = pages.iter().flat_map(|page| [page.source.as_str(), page.title.as_str()]);
    let fonts = fonts::Fonts::for_text(&job.language, texts.chain([job.title.as_str()]));
    let facts = Facts {
        images: images.facts(),
        has_emoji: fonts.has_emoji(),
        body_fonts: fonts.body_families(),
        code_fonts: fonts.code_families(),
    };
    Ok((PaperWorld::new(fonts, images, bindery_paper::facts(&facts))?, refused))
}

/// Divides pages into chapters by the size of their source.
fn division(pages: &[PageText]) -> Vec<&[PageText]> {
    let mut chapters = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, page) in pages.iter().enumerate() {
        bytes += page.source.len();
        if bytes >= CHAPTER_BYTES || at + 1 == pages.len() {
            chapters.push(pages.get(start..=at).unwrap_or_default());
            (start, bytes) = (at + 1, 0);
        }
    }
    chapters
}

/// Lays out the title page and the table of contents. The numbers in the table depend on its own
/// length, so it is laid out until that stays the same.
fn front(
    world: &mut PaperWorld,
    chapters: &mut Chapters,
    job: &Job,
    pages: &[PageText],
    sheets: &[Page],
) -> Result<Vec<Page>, Error> {
    if !job.has_front {
        return Ok(Vec::new());
    }
    let targets = Targets::of(sheets);
    let mut length = 2;
    let mut laid_out = Vec::new();
    for _ in 0..3 {
        let contents: Vec<ContentsEntry<'_>> = pages
            .iter()
            .filter_map(|page| {
                let number = targets.sheet(&page.key)? + length;
                Some(ContentsEntry {
                    level: page.level,
                    title: &page.title,
                    key: &page.key,
                    number,
                })
            })
            .collect();
        let source = bindery_paper::front(&job.title, &job.subtitle, &contents);
        laid_out = chapters.lay_out_source(world, &source)?;
        comemo::evict(0);
        if laid_out.len() == length {
            break;
        }
        length = laid_out.len();
    }
    Ok(laid_out)
}

/// Adds the lines at the foot of sheets: the title and the number.
fn add_feet(
    world: &mut PaperWorld,
    chapters: &mut Chapters,
    job: &Job,
    sheets: &mut EcoVec<Page>,
) -> Result<(), Error> {
    let Some(width) = sheets.first().map(|sheet| sheet.frame.width()) else { return Ok(()) };
    let sheets = sheets.make_mut();
    for (at, part) in sheets.chunks_mut(FEET_AT_ONCE).enumerate() {
        let first = at * FEET_AT_ONCE + 1;
        let source = bindery_paper::feet(&job.title, first, part.len(), width.to_pt());
        let feet = chapters.lay_out_source(world, &source)?;
        for ((below, sheet), foot) in part.iter_mut().enumerate().zip(feet) {
            sheet.number = u64::try_from(first + below).unwrap_or(u64::MAX);
            // The title page has no foot.
            if job.has_front && first + below == 1 {
                continue;
            }
            let y = sheet.frame.height() - Abs::pt(FOOT_HEIGHT);
            sheet.frame.push_frame(Point::with_y(y), foot.frame);
        }
        comemo::evict(0);
    }
    Ok(())
}
