//! Reads objects from the packs of a repository on several threads.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use flate2::bufread::ZlibDecoder;
use gix_hash::{Kind as HashKind, ObjectId, oid};
use gix_object::Kind;
use gix_pack::Bundle;
use gix_pack::cache::lru::MemoryCappedHashmap;
use gix_pack::data::decode::header::ResolvedBase;
use gix_pack::data::entry::Header;
use gix_zlib::Inflate;

use crate::indexing::Bases;
use crate::spool::{Extent, ExtentReader};

/// Number of reads after which the packs are mapped again. Read pages stay resident as long as
/// their mapping, and a large pack is read completely.
const REMAP_INTERVAL: u32 = 2048;
/// Minimum bytes of all packs for mapping them again.
const MIN_REMAP_BYTES: usize = 16 << 20;
/// Bytes read that count as one read.
const BYTES_PER_READ: usize = 64 << 10;
/// Maximum bytes of cached delta bases per reading thread.
const DELTA_CACHE_BYTES: usize = 4 << 20;
/// Objects that take more bytes than this to read are read one at a time.
const LARGE_OBJECT_BYTES: usize = 16 << 20;
/// Bytes of a pack that a reader of one object reads at a time.
const READ_BUFFER: usize = 64 << 10;

/// Held while a large object is read, across all repositories.
static LARGE_READS: Mutex<()> = Mutex::new(());

/// The packs of a repository, newest first. They stay readable after their files were deleted.
pub(crate) struct Packs {
    folder: PathBuf,
    /// The names, oldest first.
    names: Vec<String>,
    /// Maximum bytes that reading one object may allocate.
    read_limit: usize,
    reads: AtomicU32,
    bundles: RwLock<Vec<MappedPack>>,
    /// Idle states of reading threads, one for each concurrent reader.
    idle: Mutex<Vec<Worker>>,
}

/// A pack, opened with a small and with a large allocation limit.
struct MappedPack {
    small: Bundle,
    large: Bundle,
    /// The file of the pack. Unlike the mapping, bytes that are read from it do not stay resident.
    file: Arc<File>,
}

/// A reader of one object that is stored whole.
pub(crate) type BlobReader = ZlibDecoder<BufReader<ExtentReader<Arc<File>>>>;

struct Worker {
    inflate: Inflate,
    cache: MemoryCappedHashmap,
}

/// An object is missing or cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("object {object}: {reason}")]
pub(crate) struct ReadError {
    object: ObjectId,
    reason: String,
}

impl Packs {
    /// Opens the packs with these names in `folder`. Reading an object allocates at most
    /// `read_limit` bytes.
    pub(crate) fn open(
        folder: &Path,
        names: &[String],
        read_limit: usize,
    ) -> Result<Self, gix_error::Error> {
        Ok(Self {
            folder: folder.to_owned(),
            names: names.to_vec(),
            read_limit,
            reads: AtomicU32::new(0),
            bundles: RwLock::new(map_packs(folder, names, read_limit)?),
            idle: Mutex::default(),
        })
    }

    /// Releases the files and the memory. No object is found afterwards.
    pub(crate) fn close(&self) {
        self.bundles.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn bundles(&self) -> RwLockReadGuard<'_, Vec<MappedPack>> {
        self.bundles.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the kind and the bytes of an object.
    pub(crate) fn read(&self, id: &oid) -> Result<(Kind, Vec<u8>), ReadError> {
        let mut out = Vec::new();
        let mut found = self.read_from(id, &mut out, |mapped| &mapped.small);
        if matches!(&found, Some(Err(error)) if error.is_resource_exhausted()) {
            let _guard = LARGE_READS.lock().unwrap_or_else(PoisonError::into_inner);
            out = Vec::new();
            found = self.read_from(id, &mut out, |mapped| &mapped.large);
            // The capacity includes buffers for the delta chain, which are no longer needed.
            out.shrink_to_fit();
        }
        self.count_read(out.len());
        match found {
            Some(Ok(kind)) => Ok((kind, out)),
            Some(Err(error)) => Err(ReadError::new(id, error)),
            None => Err(ReadError::new(id, "missing")),
        }
    }

    /// Returns a reader of a file that a pack stores whole; `None` if it is stored as a delta, or
    /// not present.
    pub(crate) fn open_blob(&self, id: &oid) -> Result<Option<BlobReader>, ReadError> {
        let bundles = self.bundles();
        let find = |mapped: &MappedPack| {
            let at = mapped.large.index.lookup(id)?;
            let entry = mapped.large.pack.entry(mapped.large.index.pack_offset_at_index(at));
            Some(entry.map(|entry| (entry, Arc::clone(&mapped.file), mapped.large.pack.data_len())))
        };
        let found = bundles.iter().find_map(find).transpose();
        let found = found.map_err(|error| ReadError::new(id, error))?;
        Ok(found.filter(|(entry, ..)| entry.header == Header::Blob).map(|(entry, file, end)| {
            let at = entry.data_offset;
            let extent = Extent { at, len: (end as u64).saturating_sub(at) };
            let file = ExtentReader::new(file, extent);
            ZlibDecoder::new(BufReader::with_capacity(READ_BUFFER, file))
        }))
    }

    fn read_from(
        &self,
        id: &oid,
        out: &mut Vec<u8>,
        bundle: impl Fn(&MappedPack) -> &Bundle,
    ) -> Option<Result<Kind, gix_error::Error>> {
        self.with_worker(|worker| {
            self.bundles().iter().find_map(|mapped| {
                let found = bundle(mapped).find(id, out, &mut worker.inflate, &mut worker.cache);
                found.map(|found| found.map(|(data, _)| data.kind)).transpose()
            })
        })
    }

    /// Returns the kind and the size of an object.
    pub(crate) fn header(&self, id: &oid) -> Result<(Kind, u64), ReadError> {
        let found = self.with_worker(|worker| {
            self.bundles().iter().find_map(|MappedPack { large, .. }| {
                let at = large.index.lookup(id)?;
                Some(header(large, at, &mut worker.inflate))
            })
        });
        self.count_read(0);
        match found {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(ReadError::new(id, error)),
            None => Err(ReadError::new(id, "missing")),
        }
    }

    /// Counts reads and periodically maps the packs again. If the files were deleted, the present
    /// mapping is kept.
    fn count_read(&self, bytes: usize) {
        let count = u32::try_from(1 + bytes / BYTES_PER_READ).unwrap_or(REMAP_INTERVAL);
        let before = self.reads.fetch_add(count, Ordering::Relaxed);
        if before / REMAP_INTERVAL == before.wrapping_add(count) / REMAP_INTERVAL {
            return;
        }
        let bytes: usize = self.bundles().iter().map(|mapped| mapped.small.pack.data_len()).sum();
        if bytes >= MIN_REMAP_BYTES
            && let Ok(bundles) = map_packs(&self.folder, &self.names, self.read_limit)
        {
            let mut present = self.bundles.write().unwrap_or_else(PoisonError::into_inner);
            // Packs that were closed meanwhile stay closed.
            if !present.is_empty() {
                *present = bundles;
            }
        }
    }

    fn with_worker<T>(&self, read: impl FnOnce(&mut Worker) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut worker = taken.unwrap_or_else(|| Worker {
            inflate: Inflate::default(),
            cache: MemoryCappedHashmap::new(DELTA_CACHE_BYTES),
        });
        let out = read(&mut worker);
        idle().push(worker);
        out
    }
}

fn map_packs(
    folder: &Path,
    names: &[String],
    read_limit: usize,
) -> Result<Vec<MappedPack>, gix_error::Error> {
    let mut bundles = Vec::with_capacity(names.len());
    for name in names.iter().rev() {
        let open = |limit: usize| {
            let path = folder.join(format!("{name}.idx"));
            let Bundle { pack, index } = Bundle::at(path, HashKind::Sha1)?;
            Ok::<_, gix_error::Error>(Bundle {
                pack: pack.with_alloc_limit_bytes(Some(limit)),
                index,
            })
        };
        let file = File::open(folder.join(format!("{name}.pack")));
        bundles.push(MappedPack {
            small: open(LARGE_OBJECT_BYTES.min(read_limit))?,
            large: open(read_limit)?,
            file: Arc::new(file.map_err(gix_error::Error::from_error)?),
        });
    }
    Ok(bundles)
}

impl ReadError {
    pub(crate) fn new(object: &oid, reason: impl ToString) -> Self {
        Self { object: object.to_owned(), reason: reason.to_string() }
    }
}

fn header(
    bundle: &Bundle,
    at: u32,
    inflate: &mut Inflate,
) -> Result<(Kind, u64), gix_error::Error> {
    let entry_at = |at| bundle.pack.entry(bundle.index.pack_offset_at_index(at));
    let resolve = |id: &oid| {
        let base = bundle.index.lookup(id).map(entry_at).transpose()?;
        Ok(base.map(ResolvedBase::InPack))
    };
    let found = bundle.pack.decode_header(entry_at(at)?, inflate, &resolve)?;
    Ok((found.kind, found.object_size))
}

impl Bases for Packs {
    fn base(&self, id: &oid) -> Option<(Kind, Vec<u8>)> {
        self.read(id).ok()
    }
}
