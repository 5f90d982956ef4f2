//! The folder in which a PDF is made: the input files and the results.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A folder with a job.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

/// The description of a PDF apart from its pages.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Job {
    /// The title of the PDF.
    pub title: String,
    /// The line below the title on the title page.
    pub subtitle: String,
    /// The language as a tag of BCP 47.
    pub language: String,
    /// `true` if the PDF begins with a title page and a table of contents.
    pub has_front: bool,
    /// Maximum number of sheets up to which the PDF has tags for screen readers, which take memory
    /// in proportion to the text.
    pub tagged_sheets: usize,
    /// The images.
    pub images: Vec<ImageFile>,
}

/// A file of the folder that pages show as an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageFile {
    /// The id by which pages name it. It consists of letters, digits, `-` and `_`.
    pub id: String,
    /// `true` if it is an SVG image.
    pub is_svg: bool,
}

/// A page with its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// The key by which links name the page.
    pub key: String,
    /// The level in the table of contents, 1 or more.
    pub level: u8,
    /// The title.
    pub title: String,
    /// The source.
    pub source: String,
}

/// The result of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of sheets of the PDF.
    pub sheets: usize,
    /// The number of sheets before the first page.
    pub first_sheet: usize,
    /// The size of the PDF in bytes.
    pub bytes: usize,
    /// The number of pages that could not be typeset. A notice stands in their place.
    pub failed_pages: usize,
    /// The number of pages that were left out because the PDF is too long.
    pub omitted_pages: usize,
    /// The number of images that could not be shown. Their texts stand in their place.
    pub refused_images: usize,
}

impl Folder {
    /// Returns the folder at this path.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Returns the path of the image with this id.
    #[must_use]
    pub fn image(&self, id: &str) -> PathBuf {
        self.path.join(format!("image-{id}"))
    }

    /// Returns the path of the finished PDF.
    #[must_use]
    pub fn output(&self) -> PathBuf {
        self.path.join("out.pdf")
    }

    /// Returns a writer for the pages.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn page_writer(&self) -> std::io::Result<BufWriter<File>> {
        Ok(BufWriter::new(File::create(self.path.join("pages.jsonl"))?))
    }

    /// Writes a page.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_page(to: &mut impl Write, page: &PageText) -> std::io::Result<()> {
        serde_json::to_writer(&mut *to, page)?;
        to.write_all(b"\n")
    }

    /// Writes the description.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_job(&self, job: &Job) -> std::io::Result<()> {
        std::fs::write(self.path.join("job.json"), serde_json::to_vec(job)?)
    }

    /// Returns the result of a finished job.
    ///
    /// # Errors
    /// Returns an error if the file is absent or malformed.
    pub fn summary(&self) -> std::io::Result<Summary> {
        Ok(serde_json::from_slice(&std::fs::read(self.path.join("summary.json"))?)?)
    }

    /// Writes the result.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_summary(&self, summary: &Summary) -> std::io::Result<()> {
        std::fs::write(self.path.join("summary.json"), serde_json::to_vec(summary)?)
    }

    /// Returns the description.
    ///
    /// # Errors
    /// Returns an error if the file is absent or malformed.
    pub fn job(&self) -> std::io::Result<Job> {
        Ok(serde_json::from_slice(&std::fs::read(self.path.join("job.json"))?)?)
    }

    /// Returns the pages.
    ///
    /// # Errors
    /// Returns an error if the file is absent or malformed.
    pub fn pages(&self) -> std::io::Result<Vec<PageText>> {
        let file = BufReader::new(File::open(self.path.join("pages.jsonl"))?);
        file.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
    }
}
