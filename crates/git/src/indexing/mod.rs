//! Writing a pack that arrives, and its index, within a fixed amount of memory.
//!
//! A pack of 100 KB can unpack to any size: deltas make large objects of a few bytes, and a base
//! has to stay in memory until the last delta on it is applied. So packs are indexed here and not
//! by `gix-pack`, whose limit is one for each object:
//!
//! 1. [`scan`] writes the pack to the disk while it arrives and inflates every entry once, without
//!    keeping it. Sizes are known from the heads of entries and deltas, and are summed before
//!    anything of that size is made.
//! 2. [`plan`] arranges the deltas so that of the deltas on one base the most expensive comes
//!    last, when the base itself can go. The memory that this order needs is known exactly, before
//!    the first delta is applied.
//! 3. [`resolve`] applies them.
//!
//! Why this is not a process of its own is told in `docs/decisions/0026-hostile-repositories.md`.

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

/// Longest chain of deltas, the most that Git itself makes.
pub(crate) const DEPTH: u16 = 4095;
/// Bytes of objects and deltas that are held at once while deltas are applied.
const MEMORY: u64 = 320 << 20;
/// Bytes of objects that may have to be made to read every object once, for each byte of the
/// limit of [`PackLimits::unpacked`]: chains of deltas are gone through again for each object.
const CHAIN_FACTOR: u64 = 64;

/// Most that a pack may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackLimits {
    /// Objects.
    pub(crate) objects: u32,
    /// Bytes of one object.
    pub(crate) object_bytes: usize,
    /// Bytes of all objects and deltas, unpacked.
    pub(crate) unpacked: u64,
    /// Bytes that are held at once.
    pub(crate) memory: u64,
}

impl PackLimits {
    /// The limits for objects of these sizes, with the usual memory.
    pub(crate) fn new(objects: u32, object_bytes: usize, unpacked: u64) -> Self {
        Self { objects, object_bytes, unpacked, memory: MEMORY }
    }

    /// Bytes that reading one object from a pack may take: two buffers for the steps of a chain
    /// and one for its deltas.
    pub(crate) fn read_bytes(object_bytes: usize) -> usize {
        object_bytes.saturating_mul(3).saturating_add(1 << 20)
    }
}

/// A pack on the disk, with its index beside it.
#[derive(Debug)]
pub(crate) struct WrittenPack {
    /// The file of the pack.
    pub(crate) path: PathBuf,
}

/// Why a pack was not written.
#[derive(Debug)]
pub(crate) enum PackError {
    /// The pack could not be read to its end.
    Read(io::Error),
    /// The pack is wrong.
    Malformed(&'static str),
    /// It holds more than is taken; the text names the limit.
    Limit(String),
    /// Somebody asked to stop.
    Stopped,
    /// The disk of this machine.
    Disk(io::Error),
}

/// Objects that are here already: the bases that a thin pack leaves out.
pub(crate) trait Bases {
    /// Kind and bytes of an object; `None` when it is not here.
    fn base(&self, id: &oid) -> Option<(Kind, Vec<u8>)>;
}

/// What a pack is written with.
pub(crate) struct Writing<'a> {
    /// Where the pack goes.
    pub(crate) folder: &'a Path,
    /// Most that it may hold.
    pub(crate) limits: PackLimits,
    /// The bases that it may leave out.
    pub(crate) bases: &'a (dyn Bases + Sync),
    /// Lets one pack at a time take much memory.
    pub(crate) gate: &'a Gate,
    /// Set to stop.
    pub(crate) stop: &'a AtomicBool,
    /// Called when everything has arrived.
    pub(crate) arrived: &'a (dyn Fn() + Sync),
}

impl Writing<'_> {
    /// Writes the pack that `from` gives, and its index.
    ///
    /// # Errors
    /// See [`PackError`]. What was written then is a temporary file, and removed.
    pub(crate) fn write(&self, from: &mut dyn BufRead) -> Result<WrittenPack, PackError> {
        let mut scanned = scan::scan(from, self)?;
        (self.arrived)();
        if scanned.has_deltas() {
            let plan = plan::plan(&scanned.entries, &self.limits)?;
            let _turn = self.gate.enter(plan.peak, self.stop)?;
            let waiting = resolve::resolve(&mut scanned, plan, self)?;
            thin::complete(&mut scanned, waiting, self)?;
        }
        index::finish(scanned, self.folder)
    }

    fn check_stop(&self) -> Result<(), PackError> {
        if self.stop.load(Ordering::Relaxed) { Err(PackError::Stopped) } else { Ok(()) }
    }
}

/// The id of an object.
fn id_of(kind: Kind, bytes: &[u8]) -> Result<ObjectId, PackError> {
    gix_object::compute_hash(gix_hash::Kind::Sha1, kind, bytes).map_err(|_| COLLISION)
}

const COLLISION: PackError =
    PackError::Malformed("an object that was made to collide with another");
