//! Objects of a repository, read out of its packs by several threads at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

use gix_hash::{Kind as HashKind, ObjectId, oid};
use gix_object::{Data, Kind};
use gix_pack::Bundle;
use gix_pack::cache::lru::MemoryCappedHashmap;
use gix_pack::data::decode::header::ResolvedBase;
use gix_zlib::Inflate;

/// Reads after which the packs are mapped anew: what was read stays resident as long as its
/// mapping, and a large pack is read from end to end.
const REMAP_EVERY: u32 = 2048;
/// Smaller packs stay as they are mapped.
const REMAP_BYTES: usize = 16 << 20;
/// Memory for the bases of deltas, per reading thread.
const DELTA_CACHE_BYTES: usize = 4 << 20;

/// The packs of a repository, newest first. They stay readable when the files are deleted.
pub(crate) struct Packs {
    folder: PathBuf,
    /// Oldest first.
    names: Vec<String>,
    object_limit: usize,
    reads: AtomicU32,
    bundles: RwLock<Vec<Bundle>>,
    /// What a reading thread needs; one is made for each thread that reads at the same time.
    idle: Mutex<Vec<Worker>>,
}

struct Worker {
    inflate: Inflate,
    cache: MemoryCappedHashmap,
}

/// An object that is not there or cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("object {object}: {reason}")]
pub(crate) struct ReadError {
    object: ObjectId,
    reason: String,
}

impl Packs {
    /// Opens the packs of these names in `folder`.
    pub(crate) fn open(
        folder: &Path,
        names: &[String],
        object_limit: usize,
    ) -> Result<Self, gix_error::Error> {
        Ok(Self {
            folder: folder.to_owned(),
            names: names.to_vec(),
            object_limit,
            reads: AtomicU32::new(0),
            bundles: RwLock::new(map(folder, names, object_limit)?),
            idle: Mutex::default(),
        })
    }

    /// Whether there are no packs at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.bundles().is_empty()
    }

    /// Gives the files and the memory back that reading takes; nothing is found any more.
    pub(crate) fn close(&self) {
        self.bundles.write().unwrap_or_else(PoisonError::into_inner).clear();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn bundles(&self) -> RwLockReadGuard<'_, Vec<Bundle>> {
        self.bundles.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kind and bytes of an object.
    pub(crate) fn read(&self, id: &oid) -> Result<(Kind, Vec<u8>), ReadError> {
        let mut out = Vec::new();
        let found = self.with_worker(|worker| {
            self.bundles().iter().find_map(|bundle| {
                let found = bundle.find(id, &mut out, &mut worker.inflate, &mut worker.cache);
                found.map(|found| found.map(|(data, _)| data.kind)).transpose()
            })
        });
        match found {
            Some(Ok(kind)) => Ok((kind, out)),
            Some(Err(error)) => Err(ReadError::new(id, error)),
            None => Err(ReadError::new(id, "missing")),
        }
    }

    /// Kind and size of an object.
    pub(crate) fn header(&self, id: &oid) -> Result<(Kind, u64), ReadError> {
        let found = self.with_worker(|worker| {
            self.bundles().iter().find_map(|bundle| {
                let at = bundle.index.lookup(id)?;
                Some(header(bundle, at, &mut worker.inflate))
            })
        });
        match found {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(ReadError::new(id, error)),
            None => Err(ReadError::new(id, "missing")),
        }
    }

    /// Now and then maps the packs anew. Where the files are gone, the present mapping stays.
    fn count_read(&self) {
        let reads = self.reads.fetch_add(1, Ordering::Relaxed) + 1;
        if !reads.is_multiple_of(REMAP_EVERY) {
            return;
        }
        let bytes: usize = self.bundles().iter().map(|bundle| bundle.pack.data_len()).sum();
        if bytes >= REMAP_BYTES
            && let Ok(bundles) = map(&self.folder, &self.names, self.object_limit)
        {
            let mut present = self.bundles.write().unwrap_or_else(PoisonError::into_inner);
            // A pack that was closed meanwhile stays closed.
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
        self.count_read();
        out
    }
}

fn map(
    folder: &Path,
    names: &[String],
    object_limit: usize,
) -> Result<Vec<Bundle>, gix_error::Error> {
    let mut bundles = Vec::with_capacity(names.len());
    for name in names.iter().rev() {
        let Bundle { pack, index } =
            Bundle::at(folder.join(format!("{name}.idx")), HashKind::Sha1)?;
        bundles.push(Bundle { pack: pack.with_alloc_limit_bytes(Some(object_limit)), index });
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

/// Gives the bases that a thin pack leaves out.
impl gix_object::Find for Packs {
    fn try_find<'a>(
        &self,
        id: &oid,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Option<Data<'a>>, gix_error::Error> {
        let Ok((kind, data)) = self.read(id) else {
            return Ok(None);
        };
        *buffer = data;
        Ok(Some(Data { kind, data: buffer, object_hash: HashKind::Sha1 }))
    }
}
