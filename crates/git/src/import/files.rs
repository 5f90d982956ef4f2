//! Reads the files that belong to the content besides its pages. Large ones, and those in Git LFS,
//! are stored while they are read, so that memory use is independent of their size.

use std::collections::BTreeSet;
use std::io::{self, Read};

use bindery_content::source::Warning;
use bindery_model::FileId;
use bindery_revision::{Dimensions, FileRecord, Hash, ObjectError, PathEntry};
use bytes::Bytes;

use super::assemble::Importer;
use super::role_changes::RoleChanges;
use super::sources::{FILES_IN_FLIGHT, Source, read_all};
use super::state::GitItem;
use super::view::{Role, ViewFile, is_markdown};
use super::{ImportContext, ImportError};
use crate::error::GitError;
use crate::lfs::{self, Digesting, Download, LargeFiles, Pointer};
use crate::media;

/// Maximum bytes of a file that is held in memory. Larger ones are never compressed.
const MAX_HELD_FILE_BYTES: u64 = 8 << 20;
/// Bytes at the start of a file that show its type and the dimensions of an image.
const HEAD_BYTES: usize = 1 << 20;

/// The reason for a file in Git LFS without its content.
const NOT_GIVEN: &str = "The server of Git LFS does not give the content of the file.";

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

/// A file of which the repository has a pointer.
struct PointedFile<'a> {
    file: ViewFile<'a>,
    id: FileId,
    pointer: Pointer,
    /// The text of the pointer.
    text: Bytes,
}

/// A file that was passed to the sink.
struct StoredFile {
    hash: Hash,
    /// The bytes that were read, at most one more than expected.
    bytes: u64,
    head: Vec<u8>,
}

impl<'a> Importer<'a, '_> {
    /// Reads the new and changed files. Their bytes go to the output.
    pub(super) fn read_files(
        &mut self,
        role_changes: &RoleChanges,
    ) -> Result<Vec<FileRecord>, ImportError> {
        for path in &role_changes.unlisted {
            if self.belongs(path)? {
                self.resolver.file(path)?;
            }
        }
        for file in self.delta.affected_files(self.view, &|_| true)? {
            let belongs = match self.view.role(file.path) {
                Role::Asset => true,
                Role::Source | Role::Include => false,
                Role::Markdown | Role::Other => self.belongs(file.path)?,
            };
            if belongs {
                self.resolver.file(file.path)?;
            }
        }
        // Markdown files that are no pages can refer to further files.
        let mut records = Vec::new();
        let mut read = BTreeSet::new();
        loop {
            let mut jobs = Vec::new();
            for (path, id) in &self.resolver.files {
                if !read.insert(*id) {
                    continue;
                }
                if let Some(file) = self.view.get(path)?
                    && (self.delta.affects(path) || self.old.file(self.objects, *id)?.is_none())
                {
                    jobs.push((file, *id));
                }
            }
            if jobs.is_empty() {
                return Ok(records);
            }
            self.read_listed_files(&jobs, &mut records)?;
        }
    }

    /// Reads files, and resolves the targets of those that are Markdown.
    fn read_listed_files(
        &mut self,
        jobs: &[(ViewFile<'a>, FileId)],
        records: &mut Vec<FileRecord>,
    ) -> Result<(), ImportError> {
        let (large, jobs): (Vec<_>, Vec<_>) =
            jobs.iter().copied().partition(|(file, _)| file.entry.size > MAX_HELD_FILE_BYTES);
        for (file, id) in large {
            records.push(self.store_large_file(file, id)?);
        }
        let entries: Vec<_> = jobs.iter().map(|(file, _)| file.entry).collect();
        let page_bytes = self.options.limits.page_bytes;
        let has_large_files = self.context.large_files.is_some();
        let mut pointed = Vec::new();
        let look = |at: usize, bytes: Vec<u8>| {
            let path = jobs.get(at).map_or("", |(file, _)| file.path);
            if let Some(pointer) = Pointer::parse(&bytes).filter(|_| has_large_files) {
                return Err((pointer, bytes));
            }
            let content_type = media::content_type(path, &bytes);
            let (bytes, targets) = if is_markdown(path) && bytes.len() as u64 <= page_bytes {
                let source = Source::parse(bytes, None);
                (source.bytes, source.targets)
            } else {
                (bytes, Vec::new())
            };
            let dimensions = media::dimensions(content_type, &bytes);
            Ok((Hash::of(&bytes), content_type, dimensions, bytes, targets))
        };
        read_all(
            self.view,
            &entries,
            0..entries.len(),
            2,
            self.context,
            &look,
            &mut |at, found| {
                let Some((file, id)) = jobs.get(at).copied() else {
                    return Ok(());
                };
                let (hash, content_type, dimensions, bytes, targets) = match found {
                    Ok(found) => found,
                    Err((pointer, text)) => {
                        pointed.push(PointedFile { file, id, pointer, text: text.into() });
                        return Ok(());
                    }
                };
                let size = bytes.len() as u64;
                records.push(record(file, id, (hash, size), (content_type, dimensions)));
                self.output.staging.put_hashed(hash, bytes.into());
                self.output.flush_if_full()?;
                self.record_item(file, GitItem::File(id));
                self.resolver.references(targets, file.path)?;
                self.read += 1;
                Ok(())
            },
        )?;
        self.read_pointed_files(&pointed, records)
    }

    /// Receives files in Git LFS. One that cannot be received has the text of its pointer.
    fn read_pointed_files(
        &mut self,
        files: &[PointedFile<'a>],
        records: &mut Vec<FileRecord>,
    ) -> Result<(), ImportError> {
        let Some(server) = self.context.large_files else { return Ok(()) };
        let most = self.options.limits.file_bytes;
        let (files, too_large): (Vec<_>, Vec<_>) =
            files.iter().partition(|one| one.pointer.size <= most);
        for pointed in too_large {
            records.push(self.pointer_record(pointed, "The file in Git LFS is too large.")?);
        }
        for batch in files.chunks(lfs::BATCH) {
            let pointers: Vec<Pointer> = batch.iter().map(|one| one.pointer).collect();
            for (pointed, download) in batch.iter().zip(server.locate(&pointers)?) {
                let record = match download {
                    None => Err(NOT_GIVEN),
                    Some(download) => self.receive(pointed, server, download)?,
                };
                records.push(match record {
                    Ok(record) => record,
                    Err(reason) => self.pointer_record(pointed, reason)?,
                });
            }
        }
        Ok(())
    }

    /// Passes the content of a file in Git LFS to the sink. Returns its record, or a sentence about
    /// the reason why there is none.
    fn receive(
        &mut self,
        pointed: &PointedFile<'a>,
        server: &dyn LargeFiles,
        download: Download<'_>,
    ) -> Result<Result<FileRecord, &'static str>, ImportError> {
        let PointedFile { file, id, pointer, .. } = *pointed;
        let mut content = match download() {
            Err(GitError::LargeFiles { .. }) => return Ok(Err(NOT_GIVEN)),
            opened => Digesting::new(opened?),
        };
        let stored = self.store(pointer.size, Box::new(&mut content))?;
        let stored = stored.map_err(|error| server.failure(&error))?;
        if !content.is_complete(&pointer) {
            return Ok(Err("The content of the file in Git LFS is not that of its pointer."));
        }
        self.record_item(file, GitItem::File(id));
        self.read += 1;
        Ok(Ok(stored.record(file, id)))
    }

    /// Returns the record of a file in Git LFS that has the text of its pointer, and warns about it.
    fn pointer_record(
        &mut self,
        pointed: &PointedFile<'a>,
        reason: &str,
    ) -> Result<FileRecord, ImportError> {
        let PointedFile { file, id, ref text, .. } = *pointed;
        self.warn(file, [Warning::new(reason)]);
        let hash = Hash::of(text);
        self.output.staging.put_hashed(hash, text.clone());
        self.output.flush_if_full()?;
        self.record_item(file, GitItem::File(id));
        self.read += 1;
        let content_type = media::content_type(file.path, text);
        Ok(record(file, id, (hash, text.len() as u64), (content_type, None)))
    }

    /// Returns `true` if a file outside the assets folder belongs to the content: if it did before,
    /// or if a page refers to its path.
    fn belongs(&self, path: &str) -> Result<bool, ObjectError> {
        let Some(state) = self.state else {
            return Ok(false);
        };
        if self.resolver.page(path)?.is_some() {
            return Ok(false);
        }
        let known = matches!(self.old.at_path(self.objects, path)?, Some(PathEntry::File(_)));
        Ok(known || state.wanted.get(self.objects, path.as_bytes())?.is_some())
    }

    /// Passes a file to the sink in parts and returns its record.
    fn store_large_file(
        &mut self,
        file: ViewFile<'a>,
        id: FileId,
    ) -> Result<FileRecord, ImportError> {
        let size = file.entry.size;
        let from = self.view.open_file(file.entry)?;
        let unreadable = |source| ImportError::Read { path: file.entry.path.clone(), source };
        let stored = self.store(size, from)?.map_err(unreadable)?;
        if stored.bytes != size {
            return Err(unreadable(io::Error::other("its size differs from the listed one")));
        }
        self.record_item(file, GitItem::File(id));
        self.read += 1;
        Ok(stored.record(file, id))
    }

    /// Passes a file of a known size to the sink in parts. Returns the error of the reader as a
    /// value.
    fn store(
        &mut self,
        size: u64,
        from: Box<dyn Read + '_>,
    ) -> Result<Result<StoredFile, io::Error>, ImportError> {
        self.context.check()?;
        let _reservation = FILES_IN_FLIGHT.reserve(size);
        let mut reader = FileReader {
            from: from.take(size.saturating_add(1)),
            context: self.context,
            head: Vec::new(),
            bytes: 0,
            error: None,
        };
        let stored = self.output.sink.put_file(&mut reader);
        let FileReader { head, bytes, error, .. } = reader;
        self.context.check()?;
        if let Some(error) = error {
            return Ok(Err(error));
        }
        let hash = stored.map_err(|error: ObjectError| ImportError::from(error))?;
        Ok(Ok(StoredFile { hash, bytes, head }))
    }
}

impl StoredFile {
    fn record(&self, file: ViewFile<'_>, id: FileId) -> FileRecord {
        let content_type = media::content_type(file.path, &self.head);
        let dimensions = media::dimensions(content_type, &self.head);
        record(file, id, (self.hash, self.bytes), (content_type, dimensions))
    }
}

/// Returns the record of a file with its bytes and its type.
fn record(
    file: ViewFile<'_>,
    id: FileId,
    (hash, size): (Hash, u64),
    (content_type, dimensions): (&str, Option<Dimensions>),
) -> FileRecord {
    FileRecord {
        id,
        name: file.path.rsplit('/').next().unwrap_or(file.path).to_owned(),
        path: Some(file.path.to_owned()),
        content_type: content_type.to_owned(),
        size,
        hash,
        dimensions,
    }
}
