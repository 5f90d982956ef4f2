//! The order in which deltas are applied, and the memory that it needs.
//!
//! A base is in memory until the last delta on it is applied, and is not needed for the descendants
//! of that last delta. The delta whose descendants need the most memory is therefore applied last.
//! A comb (each object the base of a leaf and of the next object) then needs memory for two objects
//! instead of all of them.

use super::entry::{Entry, EntryKind, NO_BASE};
use super::{PackError, PackLimits};

/// The deltas of each base.
pub(super) struct Plan {
    /// Maximum bytes in memory at once.
    pub(super) peak: u64,
    /// The first delta on each entry.
    first: Vec<u32>,
    /// The next delta on the same base.
    next: Vec<u32>,
    /// Maximum bytes in memory at once for an entry and all its descendants.
    peaks: Vec<u32>,
}

impl Plan {
    /// Returns `true` if there are deltas on an entry.
    pub(super) fn has_deltas(&self, at: u32) -> bool {
        self.first.get(at as usize).is_some_and(|first| *first != NO_BASE)
    }

    /// Returns the deltas on an entry, the most expensive first.
    pub(super) fn deltas(&self, at: u32) -> Vec<u32> {
        let get = |list: &[u32], at: u32| list.get(at as usize).copied().unwrap_or(NO_BASE);
        let mut deltas = Vec::new();
        let mut delta = get(&self.first, at);
        while delta != NO_BASE {
            deltas.push(delta);
            delta = get(&self.next, delta);
        }
        deltas.sort_by_key(|delta| std::cmp::Reverse(get(&self.peaks, *delta)));
        deltas
    }
}

/// Plans the deltas of a pack. Deltas that refer to their base by id are not part of the plan: they
/// are found while the others are applied.
pub(super) fn plan(entries: &[Entry], limits: &PackLimits) -> Result<Plan, PackError> {
    let count = entries.len();
    let mut plan = Plan {
        peak: 0,
        first: vec![NO_BASE; count],
        next: vec![NO_BASE; count],
        peaks: vec![0; count],
    };
    // For each entry, the two largest requirements of the deltas on it, and the memory for applying
    // the delta with the largest one.
    let mut needs = vec![Needs::default(); count];
    // A base precedes its deltas, so in reverse order all descendants of an entry are known.
    for (at, entry) in entries.iter().enumerate().rev() {
        let own = match entry.kind {
            EntryKind::Whole(_) => entry.size,
            EntryKind::Delta => entry.size.saturating_add(entry.inflated),
        };
        let Needs { most, applying, second } = needs.get(at).copied().unwrap_or_default();
        let here = entry.size.saturating_add(second.max(applying));
        let peak = if most == 0 { own } else { own.max(here).max(most) };
        let number = u32::try_from(at).unwrap_or(NO_BASE);
        if let Some(slot) = plan.peaks.get_mut(at) {
            *slot = peak;
        }
        if let Some(needs) = needs.get_mut(entry.base as usize) {
            needs.add(peak, own);
            let first = plan.first.get_mut(entry.base as usize);
            let next = plan.next.get_mut(at);
            if let (Some(first), Some(next)) = (first, next) {
                *next = std::mem::replace(first, number);
            }
        }
        if entry.base != NO_BASE || most > 0 {
            plan.peak = plan.peak.max(peak.into());
        }
    }
    if plan.peak > limits.memory {
        return Err(memory_limit_error(limits));
    }
    Ok(plan)
}

/// Creates the error for deltas that need too much memory.
pub(super) fn memory_limit_error(limits: &PackLimits) -> PackError {
    PackError::Limit(format!("its deltas take more than {} bytes of memory", limits.memory))
}

#[derive(Clone, Copy, Default)]
struct Needs {
    most: u32,
    applying: u32,
    second: u32,
}

impl Needs {
    fn add(&mut self, peak: u32, applying: u32) {
        // An empty object counts as one byte, to distinguish it from no object.
        let peak = peak.max(1);
        if peak > self.most {
            self.second = self.most;
            (self.most, self.applying) = (peak, applying);
        } else {
            self.second = self.second.max(peak);
        }
    }
}
