//! Applies deltas in the planned order and within the memory limit.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gix_hash::ObjectId;
use gix_object::Kind;

use super::entry::{Entry, EntryKind, Inflater};
use super::plan::{Plan, memory_limit_error};
use super::scan::{PendingDeltas, ScannedPack};
use super::{CHAIN_FACTOR, MAX_CHAIN_LENGTH, PackError, PackLimits, PackWriter, delta, object_id};

/// Bytes that each step of a chain counts in addition to its object.
const STEP_OVERHEAD: u64 = 256;
/// Maximum number of threads. More do not help on one disk.
const MAX_THREADS: usize = 4;
/// Number of ids that a thread collects before it hands them over.
const ID_BATCH_SIZE: usize = 512;
/// Packs that need more bytes than this run one at a time.
const LARGE_PACK_BYTES: u64 = 32 << 20;
/// Interval at which a waiting pack checks the stop flag.
const STOP_CHECK_PERIOD: Duration = Duration::from_millis(200);

/// Admits one pack with a large memory requirement at a time in this process.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    taken: Mutex<bool>,
    released: Condvar,
}

/// Admission by the gate, released when dropped.
pub(super) struct GatePermit<'a>(Option<&'a Gate>);

impl Gate {
    /// Waits until a pack that needs this number of bytes is admitted.
    pub(super) fn enter(&self, bytes: u64, stop: &AtomicBool) -> Result<GatePermit<'_>, PackError> {
        if bytes <= LARGE_PACK_BYTES {
            return Ok(GatePermit(None));
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            if stop.load(Ordering::Relaxed) {
                return Err(PackError::Stopped);
            }
            let waited = self.released.wait_timeout(taken, STOP_CHECK_PERIOD);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = true;
        Ok(GatePermit(Some(self)))
    }
}

impl Drop for GatePermit<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            *gate.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
            gate.released.notify_one();
        }
    }
}

/// The bytes of objects and deltas that are in memory.
struct Memory {
    limits: PackLimits,
    held: AtomicU64,
}

impl Memory {
    fn reserve(&self, bytes: u64) -> Result<MemoryReservation<'_>, PackError> {
        let before = self.held.fetch_add(bytes, Ordering::Relaxed);
        let reservation = MemoryReservation { memory: self, bytes };
        if before.saturating_add(bytes) > self.limits.memory {
            return Err(memory_limit_error(&self.limits));
        }
        Ok(reservation)
    }
}

struct MemoryReservation<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An object that is the base of pending deltas.
struct Base<'a> {
    bytes: Vec<u8>,
    _reservation: MemoryReservation<'a>,
    chain: Chain,
}

/// The delta chain from a complete object to this one.
#[derive(Clone, Copy)]
struct Chain {
    kind: Kind,
    depth: u16,
    /// Bytes of all objects of the chain.
    bytes: u64,
    /// Bytes of all deltas of the chain.
    deltas: u64,
    /// Size of the largest object of the chain in bytes.
    largest: u32,
}

/// An entry to process, with its base if it is a delta.
struct Task<'a> {
    at: u32,
    base: Option<Rc<Base<'a>>>,
}

/// The state that the threads share.
struct ResolverState<'a> {
    scanned: &'a ScannedPack,
    writer: &'a PackWriter<'a>,
    plan: Plan,
    memory: Memory,
    /// Bytes of the chains of all objects.
    chains: AtomicU64,
    pending: Mutex<PendingDeltas>,
    /// Entries with the ids of the objects that their deltas produce.
    ids: Mutex<Vec<(u32, ObjectId)>>,
}

/// Applies all deltas whose bases are in the pack. Returns those that wait for other objects.
pub(super) fn resolve(
    scanned: &mut ScannedPack,
    plan: Plan,
    writer: &PackWriter<'_>,
) -> Result<PendingDeltas, PackError> {
    let mut pending = std::mem::take(&mut scanned.pending);
    let mut roots = Vec::new();
    for (at, entry) in scanned.entries.iter().enumerate() {
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let whole = matches!(entry.kind, EntryKind::Whole(_));
        if whole && (plan.has_deltas(number) || pending.contains_key(&entry.id)) {
            roots.push(number);
        }
    }
    resolve_from(scanned, &roots, plan, &mut pending, writer)?;
    Ok(pending)
}

/// Applies all deltas that descend from these complete objects.
pub(super) fn resolve_from(
    scanned: &mut ScannedPack,
    roots: &[u32],
    plan: Plan,
    pending: &mut PendingDeltas,
    writer: &PackWriter<'_>,
) -> Result<(), PackError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(MAX_THREADS).min(roots.len() / 8).max(1);
    let fits = plan.peak.saturating_mul(threads as u64) <= writer.limits.memory;
    // The plan's peak does not include deltas that are found while the others are applied.
    let threads = if fits && pending.is_empty() { threads } else { 1 };
    let state = ResolverState {
        scanned,
        writer,
        plan,
        memory: Memory { limits: writer.limits, held: AtomicU64::new(0) },
        chains: AtomicU64::new(0),
        pending: Mutex::new(std::mem::take(pending)),
        ids: Mutex::default(),
    };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || {
        let outcome = state.run(roots, &next, &failed);
        if outcome.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        outcome
    };
    let outcome = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut outcome = run();
        for other in others {
            let ended = other.join().unwrap_or(Err(PackError::Malformed("reading it failed")));
            outcome = outcome.and(ended);
        }
        outcome
    });
    let ResolverState { pending: released, ids, .. } = state;
    outcome?;
    *pending = released.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (at, id) in ids.into_inner().unwrap_or_else(PoisonError::into_inner) {
        if let Some(entry) = scanned.entries.get_mut(at as usize) {
            entry.id = id;
        }
    }
    Ok(())
}

impl ResolverState<'_> {
    fn run(&self, roots: &[u32], next: &AtomicUsize, failed: &AtomicBool) -> Result<(), PackError> {
        let mut inflater = Inflater::new();
        let mut ids = Vec::with_capacity(ID_BATCH_SIZE);
        while let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut tasks = vec![Task { at: *root, base: None }];
            while let Some(task) = tasks.pop() {
                self.writer.check_stop()?;
                if failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                self.produce(task, &mut inflater, &mut ids, &mut tasks)?;
                if ids.len() >= ID_BATCH_SIZE {
                    lock(&self.ids).append(&mut ids);
                }
            }
        }
        lock(&self.ids).append(&mut ids);
        Ok(())
    }

    /// Produces one object, and adds a task for each delta on it.
    fn produce<'w>(
        &'w self,
        Task { at, base }: Task<'w>,
        inflater: &mut Inflater,
        ids: &mut Vec<(u32, ObjectId)>,
        tasks: &mut Vec<Task<'w>>,
    ) -> Result<(), PackError> {
        let Some(entry) = self.scanned.entries.get(at as usize) else { return Ok(()) };
        let end = self.scanned.end_of(at as usize);
        let file = self.scanned.file.as_file();
        let reservation = self.memory.reserve(entry.size.into())?;
        let chain = self.chain(entry, base.as_deref())?;
        let (bytes, id) = match base {
            None => (inflater.read(file, entry, end)?, entry.id),
            Some(base) => {
                let _delta_reservation = self.memory.reserve(entry.inflated.into())?;
                let delta = inflater.read(file, entry, end)?;
                let bytes = delta::apply(&base.bytes, &delta, entry.size as usize)?;
                drop((delta, base));
                let id = object_id(chain.kind, &bytes)?;
                ids.push((at, id));
                (bytes, id)
            }
        };
        let mut deltas = self.plan.deltas(at);
        let mut pending = lock(&self.pending);
        if !pending.is_empty() {
            deltas.extend(pending.remove(&id).unwrap_or_default());
        }
        drop(pending);
        if !deltas.is_empty() {
            let base = Rc::new(Base { bytes, _reservation: reservation, chain });
            // The last task in the list is processed first.
            tasks.extend(deltas.into_iter().map(|at| Task { at, base: Some(Rc::clone(&base)) }));
        }
        Ok(())
    }

    /// Extends the chain of the base by an entry, within the limits.
    fn chain(&self, entry: &Entry, base: Option<&Base<'_>>) -> Result<Chain, PackError> {
        let size = u64::from(entry.size);
        let limits = &self.memory.limits;
        let chain = match (base.map(|base| base.chain), entry.kind) {
            (None, EntryKind::Whole(kind)) => Chain {
                kind,
                depth: 0,
                bytes: size + STEP_OVERHEAD,
                deltas: 0,
                largest: entry.size,
            },
            (Some(base), _) => Chain {
                kind: base.kind,
                depth: base.depth.saturating_add(1),
                bytes: base.bytes.saturating_add(size + STEP_OVERHEAD),
                deltas: base.deltas.saturating_add(entry.inflated.into()),
                largest: base.largest.max(entry.size),
            },
            (None, EntryKind::Delta) => return Err(PackError::Malformed("a delta has no base")),
        };
        if chain.depth > MAX_CHAIN_LENGTH {
            return Err(PackError::Limit(format!(
                "a chain of more than {MAX_CHAIN_LENGTH} deltas"
            )));
        }
        let reading = chain.deltas.saturating_add(2 * u64::from(chain.largest));
        let most = PackLimits::read_bytes(limits.object_bytes) as u64;
        if base.is_some() && reading > most {
            return Err(PackError::Limit(format!(
                "an object that takes more than {most} bytes to read"
            )));
        }
        let chains = self.chains.fetch_add(chain.bytes, Ordering::Relaxed);
        if chains.saturating_add(chain.bytes) > limits.unpacked.saturating_mul(CHAIN_FACTOR) {
            return Err(PackError::Limit("its deltas are nested too deeply".to_owned()));
        }
        Ok(chain)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
