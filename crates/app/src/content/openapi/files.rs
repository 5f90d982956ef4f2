//! The descriptions that blocks on pages name: specifications of the organization, and for older
//! blocks files of the space.

use std::cell::RefCell;
use std::collections::BTreeMap;
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

/// The descriptions that the pages of a content name.
pub(crate) struct BlockSpecs<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    specs: CurrentSpecs,
    /// The file with a description that was read last.
    file: RefCell<Option<(FileId, Option<Rc<FileSpec>>)>>,
}

impl<'a> BlockSpecs<'a> {
    pub(crate) fn new(content: &'a Content, objects: &'a dyn Objects, specs: CurrentSpecs) -> Self {
        Self { content, objects, specs, file: RefCell::default() }
    }

    /// Returns the specifications of the organization.
    pub(crate) const fn specs(&self) -> &CurrentSpecs {
        &self.specs
    }

    /// Returns a description of the part that a block shows; `None` if there is none.
    pub(crate) fn read(&self, target: &ContentRef, part: &OpenApiPart) -> Option<Description> {
        let (description, _) = match target {
            ContentRef::File { file } => self.file(FileId::parse(file)?)?.of_part(part)?,
            target => self.specs.get(target)?.of_part(self.objects, part).ok()??,
        };
        Some(description)
    }

    fn file(&self, id: FileId) -> Option<Rc<FileSpec>> {
        if let Some((known, found)) = &*self.file.borrow()
            && *known == id
        {
            return found.clone();
        }
        let found = FileSpec::read(self.content, self.objects, id).ok().flatten().map(Rc::new);
        *self.file.borrow_mut() = Some((id, found.clone()));
        found
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
