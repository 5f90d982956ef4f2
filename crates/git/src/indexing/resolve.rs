//! Applies deltas in the planned order and within the memory limit.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gix_hash::ObjectId;
use gix_object::Kind;

use super::entry::{Entry, EntryKind, Inflater};
use super::plan::{Plan, too_much};
use super::scan::{Scanned, Waiting};
use super::{CHAIN_FACTOR, DEPTH, PackError, PackLimits, Writing, delta, id_of};

/// Bytes that each step of a chain counts in addition to its object.
const STEP: u64 = 256;
/// Maximum number of threads. More do not help on one disk.
const THREADS: usize = 4;
/// Number of ids that a thread collects before it hands them over.
const BATCH: usize = 512;
/// Packs that need more bytes than this run one at a time.
const LARGE: u64 = 32 << 20;
/// Interval at which a waiting pack checks the stop flag.
const LOOK: Duration = Duration::from_millis(200);

/// Admits one pack with a large memory requirement at a time in this process.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    taken: Mutex<bool>,
    left: Condvar,
}

/// Admission by the gate, released when dropped.
pub(super) struct Turn<'a>(Option<&'a Gate>);

impl Gate {
    /// Waits until a pack that needs this number of bytes is admitted.
    pub(super) fn enter(&self, bytes: u64, stop: &AtomicBool) -> Result<Turn<'_>, PackError> {
        if bytes <= LARGE {
            return Ok(Turn(None));
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken {
            if stop.load(Ordering::Relaxed) {
                return Err(PackError::Stopped);
            }
            let waited = self.left.wait_timeout(taken, LOOK);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = true;
        Ok(Turn(Some(self)))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if let Some(gate) = self.0 {
            *gate.taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
            gate.left.notify_one();
        }
    }
}

/// The bytes of objects and deltas that are in memory.
struct Memory {
    limits: PackLimits,
    held: AtomicU64,
}

impl Memory {
    fn take(&self, bytes: u64) -> Result<Hold<'_>, PackError> {
        let before = self.held.fetch_add(bytes, Ordering::Relaxed);
        let hold = Hold { memory: self, bytes };
        if before.saturating_add(bytes) > self.limits.memory {
            return Err(too_much(&self.limits));
        }
        Ok(hold)
    }
}

struct Hold<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.memory.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An object that is the base of pending deltas.
struct Base<'a> {
    bytes: Vec<u8>,
    _hold: Hold<'a>,
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
struct Work<'a> {
    scanned: &'a Scanned,
    writing: &'a Writing<'a>,
    plan: Plan,
    memory: Memory,
    /// Bytes of the chains of all objects.
    chains: AtomicU64,
    waiting: Mutex<Waiting>,
    /// Entries with the ids of the objects that their deltas produce.
    ids: Mutex<Vec<(u32, ObjectId)>>,
}

/// Applies all deltas whose bases are in the pack. Returns those that wait for other objects.
pub(super) fn resolve(
    scanned: &mut Scanned,
    plan: Plan,
    writing: &Writing<'_>,
) -> Result<Waiting, PackError> {
    let mut waiting = std::mem::take(&mut scanned.waiting);
    let mut roots = Vec::new();
    for (at, entry) in scanned.entries.iter().enumerate() {
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let whole = matches!(entry.kind, EntryKind::Whole(_));
        if whole && (plan.has_deltas(number) || waiting.contains_key(&entry.id)) {
            roots.push(number);
        }
    }
    resolve_from(scanned, &roots, plan, &mut waiting, writing)?;
    Ok(waiting)
}

/// Applies all deltas that descend from these complete objects.
pub(super) fn resolve_from(
    scanned: &mut Scanned,
    roots: &[u32],
    plan: Plan,
    waiting: &mut Waiting,
    writing: &Writing<'_>,
) -> Result<(), PackError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(THREADS).min(roots.len() / 8).max(1);
    let fits = plan.peak.saturating_mul(threads as u64) <= writing.limits.memory;
    // The plan's peak does not include deltas that are found while the others are applied.
    let threads = if fits && waiting.is_empty() { threads } else { 1 };
    let work = Work {
        scanned,
        writing,
        plan,
        memory: Memory { limits: writing.limits, held: AtomicU64::new(0) },
        chains: AtomicU64::new(0),
        waiting: Mutex::new(std::mem::take(waiting)),
        ids: Mutex::default(),
    };
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let run = || {
        let outcome = work.run(roots, &next, &failed);
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
    let Work { waiting: left, ids, .. } = work;
    outcome?;
    *waiting = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (at, id) in ids.into_inner().unwrap_or_else(PoisonError::into_inner) {
        if let Some(entry) = scanned.entries.get_mut(at as usize) {
            entry.id = id;
        }
    }
    Ok(())
}

impl Work<'_> {
    fn run(&self, roots: &[u32], next: &AtomicUsize, failed: &AtomicBool) -> Result<(), PackError> {
        let mut inflater = Inflater::new();
        let mut ids = Vec::with_capacity(BATCH);
        while let Some(root) = roots.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut tasks = vec![Task { at: *root, base: None }];
            while let Some(task) = tasks.pop() {
                self.writing.check_stop()?;
                if failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                self.make(task, &mut inflater, &mut ids, &mut tasks)?;
                if ids.len() >= BATCH {
                    lock(&self.ids).append(&mut ids);
                }
            }
        }
        lock(&self.ids).append(&mut ids);
        Ok(())
    }

    /// Produces one object, and adds a task for each delta on it.
    fn make<'w>(
        &'w self,
        Task { at, base }: Task<'w>,
        inflater: &mut Inflater,
        ids: &mut Vec<(u32, ObjectId)>,
        tasks: &mut Vec<Task<'w>>,
    ) -> Result<(), PackError> {
        let Some(entry) = self.scanned.entries.get(at as usize) else { return Ok(()) };
        let end = self.scanned.end_of(at as usize);
        let file = self.scanned.file.as_file();
        let hold = self.memory.take(entry.size.into())?;
        let chain = self.chain(entry, base.as_deref())?;
        let (bytes, id) = match base {
            None => (inflater.read(file, entry, end)?, entry.id),
            Some(base) => {
                let _delta_hold = self.memory.take(entry.inflated.into())?;
                let delta = inflater.read(file, entry, end)?;
                let bytes = delta::apply(&base.bytes, &delta, entry.size as usize)?;
                drop((delta, base));
                let id = id_of(chain.kind, &bytes)?;
                ids.push((at, id));
                (bytes, id)
            }
        };
        let mut deltas = self.plan.deltas(at);
        let mut waiting = lock(&self.waiting);
        if !waiting.is_empty() {
            deltas.extend(waiting.remove(&id).unwrap_or_default());
        }
        drop(waiting);
        if !deltas.is_empty() {
            let base = Rc::new(Base { bytes, _hold: hold, chain });
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
            (None, EntryKind::Whole(kind)) => {
                Chain { kind, depth: 0, bytes: size + STEP, deltas: 0, largest: entry.size }
            }
            (Some(base), _) => Chain {
                kind: base.kind,
                depth: base.depth.saturating_add(1),
                bytes: base.bytes.saturating_add(size + STEP),
                deltas: base.deltas.saturating_add(entry.inflated.into()),
                largest: base.largest.max(entry.size),
            },
            (None, EntryKind::Delta) => return Err(PackError::Malformed("a delta has no base")),
        };
        if chain.depth > DEPTH {
            return Err(PackError::Limit(format!("a chain of more than {DEPTH} deltas")));
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
