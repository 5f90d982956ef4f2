//! The state of the disk after a power failure: all synced bytes, and any part of the others.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::Step;

/// The unit in bytes that a disk writes completely or not at all.
const SECTOR: usize = 512;

/// The files after a number of recorded steps.
#[derive(Default, Debug)]
pub struct Replay {
    files: HashMap<PathBuf, File>,
    acknowledged: Vec<u64>,
}

#[derive(Default, Debug)]
struct File {
    synced: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Replay {
    /// Creates a state without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the next step.
    pub fn step(&mut self, step: Step) {
        match step {
            Step::Write { file, offset, bytes } => self.push(file, Change::Write(offset, bytes)),
            Step::Truncate { file, size } => self.push(file, Change::Truncate(size)),
            Step::Sync { file } => {
                let file = self.files.entry(file).or_default();
                for change in std::mem::take(&mut file.unsynced) {
                    change.apply(&mut file.synced, &mut || true);
                }
            }
            Step::Delete { file } => drop(self.files.remove(&file)),
            Step::Acknowledged(what) => self.acknowledged.push(what),
        }
    }

    fn push(&mut self, file: PathBuf, change: Change) {
        self.files.entry(file).or_default().unsynced.push(change);
    }

    /// Returns the numbers that were acknowledged so far.
    pub fn acknowledged(&self) -> &[u64] {
        &self.acknowledged
    }

    /// Returns the files after a power failure at this moment. `reached` decides for each sector
    /// that was not synced whether it reached the disk.
    pub fn after_power_failure(&self, mut reached: impl FnMut() -> bool) -> Vec<(&Path, Vec<u8>)> {
        self.files
            .iter()
            .map(|(path, file)| {
                let mut bytes = file.synced.clone();
                for change in &file.unsynced {
                    change.apply(&mut bytes, &mut reached);
                }
                (path.as_path(), bytes)
            })
            .collect()
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>, reached: &mut dyn FnMut() -> bool) {
        match self {
            Self::Truncate(size) => {
                if reached() {
                    bytes.resize(*size, 0);
                }
            }
            Self::Write(offset, written) => {
                let mut at = *offset;
                let mut rest = written.as_slice();
                while !rest.is_empty() {
                    let (sector, tail) = rest.split_at(rest.len().min(SECTOR - at % SECTOR));
                    if reached() {
                        let end = at + sector.len();
                        if bytes.len() < end {
                            bytes.resize(end, 0);
                        }
                        if let Some(target) = bytes.get_mut(at..end) {
                            target.copy_from_slice(sector);
                        }
                    }
                    at += sector.len();
                    rest = tail;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(offset: usize, byte: u8, count: usize) -> Step {
        Step::Write { file: "f".into(), offset, bytes: vec![byte; count] }
    }

    #[test]
    fn only_synced_bytes_are_guaranteed() {
        let mut replay = Replay::new();
        replay.step(write(0, 1, 600));
        replay.step(Step::Sync { file: "f".into() });
        replay.step(write(500, 2, 600));
        replay.step(Step::Acknowledged(7));
        let only = |reached: bool| replay.after_power_failure(|| reached)[0].1.clone();
        assert_eq!(only(false), [1; 600]);
        assert_eq!(only(true), [vec![1; 500], vec![2; 600]].concat());
        assert_eq!(replay.acknowledged(), [7]);
        // The write covers sectors 0, 1 and 2; the middle one alone reached the disk.
        let mut count = 0;
        let torn = replay.after_power_failure(|| {
            count += 1;
            count == 2
        })[0]
            .1
            .clone();
        assert_eq!(torn, [vec![1; 512], vec![2; 512]].concat());
    }
}
