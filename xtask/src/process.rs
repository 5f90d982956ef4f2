//! Children that never outlive the task: each runs in a process group of its own, which is ended
//! when the task is interrupted.

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes SIGINT, SIGTERM and SIGHUP end the running child, so that the task can clean up.
pub(crate) fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::SeqCst))
        .context("the interrupt handler could not be set")
}

/// Runs a command to its end and says whether it succeeded. An interrupt ends it and is an error.
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

/// Fails once the task has been interrupted; long waits call it.
pub(crate) fn check_interrupted() -> Result<()> {
    if INTERRUPTED.load(Ordering::SeqCst) {
        bail!("interrupted");
    }
    Ok(())
}

/// A child with all its descendants; dropping it ends them.
pub(crate) struct Group {
    /// The child itself.
    pub(crate) child: Child,
    /// What asks it to end: SIGTERM unless said otherwise.
    pub(crate) farewell: Signal,
}

impl Group {
    /// Starts a command in a process group of its own.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("{program} could not be started"))?;
        Ok(Self { child, farewell: Signal::TERM })
    }

    fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // The group may have ended by itself a moment ago; that is what was wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(self.farewell);
        let patience = Instant::now() + Duration::from_secs(10);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}
