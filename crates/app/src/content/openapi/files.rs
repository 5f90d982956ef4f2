//! The descriptions that blocks on pages name: specifications of the organization, and for older
//! blocks files of the space.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use bindery_content::document::OpenApiPart;
use bindery_content::reference::ContentRef;
use bindery_content::source;
use bindery_model::FileId;
use bindery_openapi::{Description, Loader};
use bindery_outbound::Url;
use bindery_revision::{Content, FileRecord, ObjectError, Objects, PathEntry};
use serde_json::Value;

use super::{CurrentSpecs, pieces};

/// Maximum size of the files of a description in bytes. Larger descriptions are specifications of
/// the organization, of which a page reads only what it shows.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum number of files of a description.
const MAX_FILES: usize = 50;
/// Maximum size of the files of all descriptions that are kept in memory, in bytes.
const MAX_KEPT: usize = 2 << 20;

/// A description in the files of a space.
#[derive(Clone, Debug)]
pub struct FileSpec {
    pieces: BTreeMap<String, Value>,
    size: usize,
}

impl FileSpec {
    /// Reads a description from a file and the files of the space that it refers to; `None` if the
    /// file is none or if they are too large. Nothing is fetched: a file that the space does not
    /// have counts as empty, so what it would contain is left out.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn read(
        content: &Content,
        objects: &dyn Objects,
        file: FileId,
    ) -> Result<Option<Self>, ObjectError> {
        let Some(file) = content.file(objects, file)? else { return Ok(None) };
        let mut left = MAX_BYTES;
        let Some(text) = text_of(&file, objects, &mut left)? else { return Ok(None) };
        let base = file.path.and_then(|path| Url::from_file_path(format!("/{path}")).ok());
        let mut loader = Loader::new(base);
        loader.add(text);
        let mut files = 1;
        while let Some(wanted) = loader.wanted(1).pop() {
            files += 1;
            let path = wanted.url.to_file_path().ok();
            let path = path.as_deref().and_then(|path| path.to_str()?.strip_prefix('/'));
            let found = match path.filter(|_| files <= MAX_FILES) {
                Some(path) => content.at_path(objects, path)?,
                None => None,
            };
            let text = match found {
                Some(PathEntry::File(id)) => match content.file(objects, id)? {
                    Some(file) => text_of(&file, objects, &mut left)?,
                    None => None,
                },
                _ => None,
            };
            let url = wanted.url.clone();
            loader.found(&wanted, &url, text.unwrap_or_else(|| "{}".to_owned()));
        }
        let Ok(description) = loader.finish() else { return Ok(None) };
        let mut pieces = BTreeMap::new();
        description.pieces(|name, piece| {
            pieces.insert(name, piece);
        });
        let size = usize::try_from(MAX_BYTES - left).unwrap_or(usize::MAX);
        Ok(Some(Self { pieces, size }))
    }

    /// Returns the size of the files in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Returns a description of a part that a block shows, and its approximate size in bytes; `None`
    /// if there is no such part.
    #[must_use]
    pub fn of_part(&self, part: &OpenApiPart) -> Option<(Description, usize)> {
        let piece = |name: &str| {
            let Some(piece) = self.pieces.get(name) else { return Ok(None) };
            let size = serde_json::to_vec(piece).map_or(0, |bytes| bytes.len());
            Ok(Some((piece.clone(), size)))
        };
        pieces::around(piece, pieces::names_of(part)).ok()?
    }
}

/// Descriptions in files of a space that were read before, up to a size.
#[derive(Default, Debug)]
pub struct FileSpecs {
    known: RefCell<HashMap<FileId, Option<Rc<FileSpec>>>>,
    size: Cell<usize>,
}

impl FileSpecs {
    /// Returns the description in a file, which `read` reads unless it is known; `None` if the file has
    /// none.
    pub fn get(
        &self,
        file: FileId,
        read: impl FnOnce() -> Option<FileSpec>,
    ) -> Option<Rc<FileSpec>> {
        if let Some(known) = self.known.borrow().get(&file) {
            return known.clone();
        }
        let found = read().map(Rc::new);
        let size = found.as_ref().map_or(0, |found| found.size());
        let mut known = self.known.borrow_mut();
        if self.size.get() + size > MAX_KEPT {
            known.clear();
            self.size.set(0);
        }
        self.size.set(self.size.get() + size);
        known.insert(file, found.clone());
        found
    }
}

/// The descriptions that the pages of a content name.
pub(crate) struct BlockSpecs<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    specs: CurrentSpecs,
    files: FileSpecs,
}

impl<'a> BlockSpecs<'a> {
    pub(crate) fn new(content: &'a Content, objects: &'a dyn Objects, specs: CurrentSpecs) -> Self {
        Self { content, objects, specs, files: FileSpecs::default() }
    }

    /// Returns the specifications of the organization.
    pub(crate) const fn specs(&self) -> &CurrentSpecs {
        &self.specs
    }

    /// Returns a description of the part that a block shows; `None` if there is none.
    pub(crate) fn read(&self, target: &ContentRef, part: &OpenApiPart) -> Option<Description> {
        let (description, _) = match target {
            ContentRef::File { file } => {
                let file = FileId::parse(file)?;
                let read = || FileSpec::read(self.content, self.objects, file).ok().flatten();
                self.files.get(file, read)?.of_part(part)?
            }
            target => self.specs.get(target)?.of_part(self.objects, part).ok()??,
        };
        Some(description)
    }
}

/// Returns the text of a file, and takes its size from what is left; `None` if it is too large.
fn text_of(
    file: &FileRecord,
    objects: &dyn Objects,
    left: &mut u64,
) -> Result<Option<String>, ObjectError> {
    let Some(rest) = left.checked_sub(file.size) else { return Ok(None) };
    *left = rest;
    Ok(Some(source::decode(&objects.get(&file.hash)?).into_owned()))
}
