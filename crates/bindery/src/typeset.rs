//! The hidden subcommand that makes a PDF from the folder of a job.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

/// Maximum processor time in seconds, for a process whose server no longer exists.
#[cfg(unix)]
const MAX_PROCESSOR_SECONDS: u64 = 3_600;
/// Address space beyond the memory, for memory that is reserved and not used.
#[cfg(unix)]
const RESERVED_BYTES: u64 = 3 << 30;
/// The priority of the process compared to the server, which answers requests meanwhile.
#[cfg(unix)]
const NICENESS: i32 = 5;

#[derive(Debug, Args)]
pub(crate) struct TypesetArgs {
    /// The folder of the job.
    folder: PathBuf,
    /// Maximum memory in bytes.
    #[arg(long)]
    memory: Option<u64>,
    /// Sets all pages in one piece, as Typst does, for comparison.
    #[arg(long)]
    whole: bool,
}

pub(crate) fn run(args: TypesetArgs) -> Result<()> {
    if let Some(memory) = args.memory {
        limit(memory).context("the memory of the process cannot be limited")?;
    }
    if args.whole {
        return Ok(bindery_typeset::run_whole(&args.folder)?);
    }
    let mut output = std::io::stdout();
    let mut progress = |done: usize| {
        // The server may have stopped; then it makes the PDF again later.
        let _closed = writeln!(output, "{done}").and_then(|()| output.flush());
    };
    bindery_typeset::run(&args.folder, &mut progress)?;
    Ok(())
}

/// Limits the resources of this process.
#[cfg(unix)]
fn limit(memory: u64) -> Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limits = [
        (Resource::Data, memory),
        (Resource::As, memory.saturating_add(RESERVED_BYTES)),
        (Resource::Cpu, MAX_PROCESSOR_SECONDS),
        (Resource::Core, 0),
    ];
    for (resource, value) in limits {
        let present = rustix::process::getrlimit(resource).maximum;
        let value = present.map_or(value, |present| present.min(value));
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?;
    }
    // The kernel ends this process before the server if the machine runs out of memory.
    let _unsupported = std::fs::write("/proc/self/oom_score_adj", "1000");
    let _refused = rustix::process::nice(NICENESS);
    Ok(())
}

#[cfg(not(unix))]
fn limit(_: u64) -> Result<()> {
    Ok(())
}
