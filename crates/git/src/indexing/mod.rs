//! Writes a received pack and its index within a fixed amount of memory.
//!
//! A pack of 100 KB can unpack to any size: deltas produce large objects from a few bytes, and a
//! base must stay in memory until the last delta on it is applied. `gix-pack` limits each object
//! only, so packs are indexed here:
//!
//! 1. [`scan`] writes the pack to the disk while it arrives and inflates every entry once, without
//!    keeping it. The headers of entries and deltas declare all sizes, which are added up before
//!    anything of that size is allocated.
//! 2. [`plan`] orders the deltas so that the most expensive delta on each base comes last, when the
//!    base itself can be released. The memory for this order is known exactly before the first
//!    delta is applied.
//! 3. [`resolve`] applies them.
//!
//! `docs/decisions/0026-hostile-repositories.md` explains why this does not run in a separate
//! process.

mod delta;
mod entry;
mod index;
mod plan;
mod resolve;
mod scan;
#[cfg(test)]
mod tests;
mod thin;

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gix_hash::{ObjectId, oid};
use gix_object::Kind;

pub(crate) use self::resolve::Gate;

/// Maximum length of a delta chain, equal to that of Git itself.
pub(crate) const MAX_CHAIN_LENGTH: u16 = 4095;
/// Maximum bytes of objects and deltas that are in memory at once while deltas are applied.
const DEFAULT_MEMORY_BYTES: u64 = 320 << 20;
/// Maximum bytes that are produced by reading every object once, as a multiple of
/// [`PackLimits::unpacked`]. Reading an object produces every object of its delta chain.
const CHAIN_FACTOR: u64 = 64;

/// Limits of a pack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackLimits {
    /// Maximum number of objects.
    pub(crate) objects: u32,
    /// Maximum bytes of one object.
    pub(crate) object_bytes: usize,
    /// Maximum bytes of all unpacked objects and deltas.
    pub(crate) unpacked: u64,
    /// Maximum bytes in memory at once.
    pub(crate) memory: u64,
}

impl PackLimits {
    /// Creates limits for objects of these sizes with the default memory limit.
    pub(crate) fn new(objects: u32, object_bytes: usize, unpacked: u64) -> Self {
        Self { objects, object_bytes, unpacked, memory: DEFAULT_MEMORY_BYTES }
    }

    /// Returns the maximum bytes that reading one object from a pack may allocate: two buffers for
    /// the steps of a delta chain and one for its deltas.
    pub(crate) fn read_bytes(object_bytes: usize) -> usize {
        object_bytes.saturating_mul(3).saturating_add(1 << 20)
    }
}

/// A pack on the disk with its index next to it.
#[derive(Debug)]
pub(crate) struct WrittenPack {
    /// The path of the pack file.
    pub(crate) path: PathBuf,
}

/// The reason why a pack was not written.
#[derive(Debug)]
pub(crate) enum PackError {
    /// The pack could not be read to its end.
    Read(io::Error),
    /// The pack is malformed.
    Malformed(&'static str),
    /// The pack exceeds a limit, which the text names.
    Limit(String),
    /// The caller asked to stop.
    Stopped,
    /// Writing to the local disk failed.
    Disk(io::Error),
}

/// Objects that are already present: possible bases that a thin pack omits.
pub(crate) trait Bases {
    /// Returns the kind and the bytes of an object, or `None` if it is not present.
    fn base(&self, id: &oid) -> Option<(Kind, Vec<u8>)>;
}

/// The parameters for writing a pack.
pub(crate) struct PackWriter<'a> {
    /// The folder for the pack.
    pub(crate) folder: &'a Path,
    /// The limits of the pack.
    pub(crate) limits: PackLimits,
    /// The bases that the pack may omit.
    pub(crate) bases: &'a (dyn Bases + Sync),
    /// Admits one pack with a large memory requirement at a time.
    pub(crate) gate: &'a Gate,
    /// A flag that stops the work when it is set.
    pub(crate) stop: &'a AtomicBool,
    /// Called when the pack was received completely.
    pub(crate) on_received: &'a (dyn Fn() + Sync),
}

impl PackWriter<'_> {
    /// Writes the pack that `from` yields, and its index.
    ///
    /// # Errors
    /// See [`PackError`]. After an error, the temporary files are deleted.
    pub(crate) fn write(&self, from: &mut dyn BufRead) -> Result<WrittenPack, PackError> {
        let mut scanned = scan::scan(from, self)?;
        (self.on_received)();
        if scanned.has_deltas() {
            let plan = plan::plan(&scanned.entries, &self.limits)?;
            let _permit = self.gate.enter(plan.peak, self.stop)?;
            let pending = resolve::resolve(&mut scanned, plan, self)?;
            thin::complete(&mut scanned, pending, self)?;
        }
        index::finish(scanned, self.folder)
    }

    fn check_stop(&self) -> Result<(), PackError> {
        if self.stop.load(Ordering::Relaxed) { Err(PackError::Stopped) } else { Ok(()) }
    }
}

/// Computes the id of an object.
fn object_id(kind: Kind, bytes: &[u8]) -> Result<ObjectId, PackError> {
    gix_object::compute_hash(gix_hash::Kind::Sha1, kind, bytes).map_err(|_| COLLISION)
}

const COLLISION: PackError = PackError::Malformed("an object is part of a SHA-1 collision attack");
