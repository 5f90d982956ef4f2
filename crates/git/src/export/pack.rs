//! The new objects of a commit, and the pack that contains them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use bindery_revision::{Hash, Objects};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix_hash::{Kind as HashKind, ObjectId, hasher};
use gix_object::Kind;

use super::{ExportError, pages};
use crate::packs::Packs;

/// Opens the bytes of an object of a content.
pub type OpenObject<'a> = dyn Fn(&Hash) -> io::Result<Box<dyn Read>> + 'a;

/// A commit for a branch, with the objects that the repository lacks.
#[derive(Debug)]
pub struct WrittenCommit {
    /// The id in hexadecimal.
    pub oid: String,
    /// The message.
    pub message: String,
    /// The pack with the objects that the repository lacks.
    pub(crate) pack: File,
    /// The bytes of the pack.
    pub(crate) pack_bytes: u64,
}

/// Bytes of a pack without objects: a header and a hash.
const EMPTY_PACK: u64 = 32;

impl WrittenCommit {
    /// Returns `true` if the repository lacks objects of the commit.
    pub(crate) fn has_objects(&self) -> bool {
        self.pack_bytes > EMPTY_PACK
    }
}

/// The source of the bytes of an object.
enum Data {
    Bytes(Bytes),
    /// The source of a page or a reusable content, by the object of its text.
    Body(Hash),
    Object {
        hash: Hash,
        size: u64,
    },
    /// An object of another repository.
    Copied,
}

/// Objects that a repository lacks.
#[derive(Default)]
pub(super) struct NewObjects {
    objects: Vec<(Kind, ObjectId, Data)>,
    known: HashSet<ObjectId>,
}

impl NewObjects {
    fn add(&mut self, kind: Kind, id: ObjectId, data: Data) {
        if self.known.insert(id) {
            self.objects.push((kind, id, data));
        }
    }

    pub(super) fn text(&mut self, text: Bytes) -> Result<ObjectId, ExportError> {
        let id = id_of(Kind::Blob, &text)?;
        self.add(Kind::Blob, id, Data::Bytes(text));
        Ok(id)
    }

    pub(super) fn body(&mut self, id: ObjectId, body: Hash) {
        self.add(Kind::Blob, id, Data::Body(body));
    }

    pub(super) fn object(&mut self, id: ObjectId, hash: Hash, size: u64) {
        self.add(Kind::Blob, id, Data::Object { hash, size });
    }

    /// Adds a tree, unless it is the present one.
    pub(super) fn tree(
        &mut self,
        bytes: Vec<u8>,
        present: Option<ObjectId>,
    ) -> Result<ObjectId, ExportError> {
        let id = id_of(Kind::Tree, &bytes)?;
        if Some(id) != present {
            self.add(Kind::Tree, id, Data::Bytes(bytes.into()));
        }
        Ok(id)
    }

    pub(super) fn commit(&mut self, bytes: Vec<u8>) -> Result<ObjectId, ExportError> {
        let id = id_of(Kind::Commit, &bytes)?;
        self.add(Kind::Commit, id, Data::Bytes(bytes.into()));
        Ok(id)
    }

    /// Adds a tree of another repository with everything in it.
    pub(super) fn copy(&mut self, packs: &Packs, root: ObjectId) -> Result<(), ExportError> {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let (kind, bytes) = packs.read(&id)?;
            if kind != Kind::Tree || self.known.contains(&id) {
                continue;
            }
            for entry in gix_object::TreeRefIter::from_bytes(&bytes, HashKind::Sha1) {
                let entry =
                    entry.map_err(|_| ExportError::Repository("a tree is malformed".to_owned()))?;
                let child = entry.oid.to_owned();
                match entry.mode.kind() {
                    gix_object::tree::EntryKind::Tree => pending.push(child),
                    // The commit of a submodule belongs to another repository.
                    gix_object::tree::EntryKind::Commit => {}
                    _ => self.add(Kind::Blob, child, Data::Copied),
                }
            }
            self.add(Kind::Tree, id, Data::Bytes(bytes.into()));
        }
        Ok(())
    }

    /// Writes the pack to a temporary file in `folder`.
    pub(super) fn write(
        self,
        folder: &Path,
        objects: &dyn Objects,
        open: &OpenObject<'_>,
        packs: Option<&Packs>,
    ) -> Result<(File, u64), ExportError> {
        let file = tempfile::tempfile_in(folder)?;
        let mut out = Hashing {
            to: BufWriter::with_capacity(256 << 10, file),
            hasher: hasher(HashKind::Sha1),
            bytes: 0,
        };
        let count = u32::try_from(self.objects.len())
            .map_err(|_| ExportError::Repository("too many objects".to_owned()))?;
        out.write_all(b"PACK\0\0\0\x02")?;
        out.write_all(&count.to_be_bytes())?;
        for (kind, id, data) in self.objects {
            match data {
                Data::Bytes(bytes) => out.entry(kind, bytes.len() as u64, &mut bytes.as_ref())?,
                Data::Body(body) => {
                    let source = pages::source_of(objects, &body)?;
                    out.entry(kind, source.len() as u64, &mut source.as_ref())?;
                }
                Data::Object { hash, size } => out.entry(kind, size, &mut *open(&hash)?)?,
                Data::Copied => {
                    let missing = || ExportError::Repository(format!("object {id} is missing"));
                    let (kind, bytes) = packs.ok_or_else(missing)?.read(&id)?;
                    out.entry(kind, bytes.len() as u64, &mut bytes.as_slice())?;
                }
            }
        }
        let Hashing { mut to, hasher, bytes } = out;
        let id =
            hasher.try_finalize().map_err(|error| ExportError::Repository(error.to_string()))?;
        to.write_all(id.as_slice())?;
        let mut file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        Ok((file, bytes + id.as_slice().len() as u64))
    }
}

/// Returns the id of an object.
pub(super) fn id_of(kind: Kind, bytes: &[u8]) -> Result<ObjectId, ExportError> {
    gix_object::compute_hash(HashKind::Sha1, kind, bytes)
        .map_err(|error| ExportError::Repository(error.to_string()))
}

/// Returns the id of a file.
pub(super) fn id_of_file(from: &mut dyn Read, size: u64) -> Result<ObjectId, ExportError> {
    let mut hasher = hasher(HashKind::Sha1);
    hasher.update(format!("blob {size}\0").as_bytes());
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 => break,
            read => hasher.update(buffer.get(..read).unwrap_or_default()),
        }
    }
    hasher.try_finalize().map_err(|error| ExportError::Repository(error.to_string()))
}

/// Writes bytes and computes their hash.
struct Hashing<W> {
    to: W,
    hasher: gix_hash::Hasher,
    bytes: u64,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W: Write> Hashing<W> {
    /// Writes an entry of a pack: its kind and size, and the compressed bytes.
    fn entry(&mut self, kind: Kind, size: u64, from: &mut dyn Read) -> io::Result<()> {
        let kind: u8 = match kind {
            Kind::Commit => 1,
            Kind::Tree => 2,
            Kind::Blob => 3,
            Kind::Tag => 4,
        };
        let mut rest = size >> 4;
        let mut byte = (kind << 4) | (size & 0xf) as u8;
        while rest > 0 {
            self.write_all(&[byte | 0x80])?;
            byte = (rest & 0x7f) as u8;
            rest >>= 7;
        }
        self.write_all(&[byte])?;
        let mut encoder = ZlibEncoder::new(&mut *self, Compression::default());
        let copied = io::copy(from, &mut encoder)?;
        encoder.finish()?;
        if copied == size {
            return Ok(());
        }
        Err(io::Error::other(format!("an object has {copied} bytes instead of {size}")))
    }
}
