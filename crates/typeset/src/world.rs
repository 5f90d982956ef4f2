//! The world of the typesetter: the sources, the images and the fonts of one job. It has no access
//! to other files, to the network or to the time.

use std::path::PathBuf;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt as _, World};

use crate::Error;
use crate::fonts::Fonts;
use crate::images::Images;

pub(crate) struct PaperWorld {
    library: LazyHash<Library>,
    fonts: Fonts,
    images: Images,
    template: Source,
    facts: Source,
    pub(crate) main: Source,
}

/// Returns the id of the source or image at a path.
pub(crate) fn file_id(path: &str) -> Result<FileId, Error> {
    let path = VirtualPath::new(path).map_err(|_| Error::Typst("a path is invalid".to_owned()))?;
    Ok(RootedPath::new(VirtualRoot::Project, path).intern())
}

impl PaperWorld {
    pub(crate) fn new(fonts: Fonts, images: Images, facts: String) -> Result<Self, Error> {
        Ok(Self {
            library: LazyHash::new(Library::default()),
            fonts,
            images,
            template: Source::new(file_id("/template.typ")?, bindery_paper::TEMPLATE.to_owned()),
            facts: Source::new(file_id("/facts.typ")?, facts),
            main: Source::new(file_id("/main.typ")?, String::new()),
        })
    }

    /// Replaces the source that is typeset next.
    pub(crate) fn set_main(&mut self, text: String) {
        self.main = Source::new(self.main.id(), text);
    }
}

fn absent() -> FileError {
    FileError::NotFound(PathBuf::new())
}

impl World for PaperWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        self.fonts.book()
    }

    fn main(&self) -> FileId {
        self.main.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        [&self.main, &self.template, &self.facts]
            .into_iter()
            .find(|source| source.id() == id)
            .cloned()
            .ok_or_else(absent)
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.images.read(id).ok_or_else(absent)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.font(index)
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
