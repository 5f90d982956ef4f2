//! Child processes that never outlive the task: each runs in a separate process group, which is
//! ended when the task is interrupted.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Handles SIGINT, SIGTERM and SIGHUP by ending the running child, so that the task can clean up.
pub(crate) fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst))
        .context("the interrupt handler could not be set")
}

/// Runs a command to its end. Returns `true` if it succeeded, and an error if it was interrupted.
pub(crate) fn run(command: &mut Command) -> Result<bool> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = Group::start(command.stdin(Stdio::null()))?;
    loop {
        if INTERRUPTED.load(Ordering::SeqCst) {
            drop(child);
            bail!("interrupted");
        }
        if let Some(status) =
            child.child.try_wait().with_context(|| format!("waiting for {program}"))?
        {
            return Ok(status.success());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns an error if the task has been interrupted. Long waits must call it.
pub(crate) fn check_interrupted() -> Result<()> {
    if INTERRUPTED.load(Ordering::SeqCst) {
        bail!("interrupted");
    }
    Ok(())
}

/// A child process with all of its descendants, which are ended when it is dropped.
pub(crate) struct Group {
    /// The child itself.
    pub(crate) child: Child,
    /// The signal that ends it; SIGTERM by default.
    pub(crate) stop_signal: Signal,
}

impl Group {
    /// Starts a command in a new process group.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("{program} could not be started"))?;
        Ok(Self { child, stop_signal: Signal::TERM })
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // The group may have ended already.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(self.stop_signal);
        let patience = Instant::now() + Duration::from_secs(10);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}
