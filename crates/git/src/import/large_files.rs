//! Stores large files while they are read, so that memory use is independent of their size.

use std::io::{self, Read};

use bindery_model::FileId;
use bindery_revision::{FileRecord, ObjectError};

use super::assemble::Importer;
use super::sources::FILES_IN_FLIGHT;
use super::state::GitItem;
use super::view::ViewFile;
use super::{ImportContext, ImportError};
use crate::media;

/// Maximum bytes of a file that is held in memory. Larger ones are never compressed.
pub(super) const MAX_HELD_FILE_BYTES: u64 = 8 << 20;
/// Bytes at the start of a file that show its type and the dimensions of an image.
const HEAD_BYTES: usize = 1 << 20;

/// Reads a file of a known size, and keeps its start and the first error.
struct FileReader<'r> {
    from: io::Take<Box<dyn Read + 'r>>,
    context: &'r ImportContext<'r>,
    head: Vec<u8>,
    bytes: u64,
    error: Option<io::Error>,
}

impl Read for FileReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.context.cancel.is_cancelled() {
            return Err(io::Error::other("the import was cancelled"));
        }
        match self.from.read(into) {
            Ok(read) => {
                let new = into.get(..read).unwrap_or_default();
                let wanted = (HEAD_BYTES - self.head.len()).min(new.len());
                self.head.extend_from_slice(new.get(..wanted).unwrap_or_default());
                self.bytes += read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let copy = io::Error::new(error.kind(), error.to_string());
                self.error = Some(error);
                Err(copy)
            }
        }
    }
}

impl<'a> Importer<'a, '_> {
    /// Passes a file to the sink in parts and returns its record.
    pub(super) fn store_large_file(
        &mut self,
        file: ViewFile<'a>,
        id: FileId,
    ) -> Result<FileRecord, ImportError> {
        self.context.check()?;
        let size = file.entry.size;
        let _reservation = FILES_IN_FLIGHT.reserve(size);
        let mut reader = FileReader {
            from: self.view.open_file(file.entry)?.take(size.saturating_add(1)),
            context: self.context,
            head: Vec::new(),
            bytes: 0,
            error: None,
        };
        let stored = self.output.sink.put_file(&mut reader);
        let FileReader { head, bytes, error, .. } = reader;
        self.context.check()?;
        let unreadable = |source| ImportError::Read { path: file.entry.path.clone(), source };
        if let Some(error) = error {
            return Err(unreadable(error));
        }
        let hash = stored.map_err(|error: ObjectError| ImportError::from(error))?;
        if bytes != size {
            return Err(unreadable(io::Error::other("its size differs from the listed one")));
        }
        let content_type = media::content_type(file.path, &head);
        self.record_item(file, GitItem::File(id));
        self.read += 1;
        Ok(FileRecord {
            id,
            name: file.path.rsplit('/').next().unwrap_or(file.path).to_owned(),
            path: Some(file.path.to_owned()),
            content_type: content_type.to_owned(),
            size,
            hash,
            dimensions: media::dimensions(content_type, &head),
        })
    }
}
