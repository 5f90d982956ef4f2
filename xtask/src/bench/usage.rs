//! Resource usage of a process as counted by the kernel: CPU time, memory and bytes written.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The interval between readings of memory usage.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Memory of a process in bytes.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    /// Current resident memory.
    pub(super) resident: u64,
    /// Peak resident memory.
    pub(super) peak: u64,
    /// Current resident memory that is not backed by a file.
    pub(super) anonymous: u64,
}

impl Memory {
    pub(super) fn of(process: u32) -> Result<Self> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))
            .context("the memory of a process: it ended, or this is not Linux")?;
        Ok(Self {
            resident: kibibytes(&status, "VmRSS:"),
            peak: kibibytes(&status, "VmHWM:"),
            anonymous: kibibytes(&status, "RssAnon:"),
        })
    }
}

/// Monitors a process's memory until it is stopped or the process ends.
pub(super) struct Watch {
    stop: Arc<AtomicBool>,
    looking: JoinHandle<Memory>,
}

impl Watch {
    pub(super) fn start(process: u32) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let looking = std::thread::spawn(move || {
            let mut most = Memory::default();
            while let Ok(now) = Memory::of(process) {
                most.resident = most.resident.max(now.resident);
                most.peak = most.peak.max(now.peak);
                most.anonymous = most.anonymous.max(now.anonymous);
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            most
        });
        Self { stop, looking }
    }

    /// Returns the maximum of each reading.
    pub(super) fn finish(self) -> Memory {
        self.stop.store(true, Ordering::Relaxed);
        self.looking.join().unwrap_or_default()
    }
}

/// Returns the value of a line of `/proc/PID/status` in bytes; 0 if it is missing.
fn kibibytes(status: &str, name: &str) -> u64 {
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    let number = value.and_then(|value| value.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

/// Returns the number of bytes that a process caused to be written to disk.
pub(super) fn written_bytes(process: u32) -> Result<u64> {
    let counters = std::fs::read_to_string(format!("/proc/{process}/io"))
        .context("the input and output of a process")?;
    let written = counters.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    written.and_then(|bytes| bytes.parse().ok()).context("the kernel does not count bytes written")
}

/// Returns the CPU time of a process and its children in seconds.
pub(super) fn cpu_seconds(server: u32) -> Result<f64> {
    let mut ticks = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").context("/proc: this needs Linux")? {
        let path = entry?.path().join("stat");
        // Processes can end while the folder is read.
        let Ok(stat) = std::fs::read_to_string(path) else {
            continue;
        };
        if let Some((pid, parent, used)) = read_stat(&stat)
            && (pid == server || parent == server)
        {
            ticks.insert(pid, used);
        }
    }
    ensure!(ticks.contains_key(&server), "the server ended");
    let total: u32 = ticks.values().sum();
    let per_second = u32::try_from(rustix::param::clock_ticks_per_second())?;
    Ok(f64::from(total) / f64::from(per_second))
}

/// Reads process id, parent id, and user plus system ticks from `/proc/PID/stat` (proc(5)).
fn read_stat(stat: &str) -> Option<(u32, u32, u32)> {
    // The name in parentheses can contain any character, so the fields are counted from its end.
    let (head, tail) = stat.rsplit_once(')')?;
    let pid = head.split(' ').next()?.parse().ok()?;
    let fields: Vec<&str> = tail.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u32>().ok();
    Some((pid, number(1)?, number(11)? + number(12)?))
}

/// Returns the bytes of all files below a folder.
pub(crate) fn folder_size(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        size += if about.is_dir() { folder_size(&entry.path())? } else { about.len() };
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_found_behind_any_name() {
        let stat = "77 (a) b) S 5 77 77 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 1 0 9 1 2";
        assert_eq!(read_stat(stat), Some((77, 5, 42)));
    }

    #[test]
    fn memory_is_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 12 kB\n";
        assert_eq!(kibibytes(status, "VmHWM:"), 2 << 20);
        assert_eq!(kibibytes(status, "RssAnon:"), 0);
    }
}
