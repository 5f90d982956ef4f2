//! Runs the typesetter in a process of its own.
//!
//! The process is this program with a hidden subcommand. It limits its own memory before it reads
//! anything, and is killed when it takes too long or the job is cancelled. Whatever happens to it,
//! the server continues.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The hidden subcommand of the program.
const SUBCOMMAND: &str = "typeset";
/// Maximum memory of the process in bytes.
const MEMORY_LIMIT: u64 = 3 << 30;
/// Maximum time of the process.
const TIME_LIMIT: Duration = Duration::from_secs(600);
/// Interval between two looks at the cancellation of the job.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum number of bytes that are kept of the messages of the process.
const MESSAGE_LIMIT: u64 = 4_096;

/// The reason why no PDF was made.
#[derive(Debug)]
pub(super) enum Failure {
    /// The job was cancelled.
    Cancelled,
    /// The process took longer than [`TIME_LIMIT`].
    TimeLimit,
    /// The process ended without a PDF, most likely for lack of memory.
    Ended(String),
    /// The process could not be started or observed.
    Io(std::io::Error),
}

/// A process that is killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // Fails if the process has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes the PDF of the job in a folder. `progress` receives the number of finished pages and
/// returns `false` to cancel.
pub(super) fn run(folder: &Path, progress: &dyn Fn(usize) -> bool) -> Result<(), Failure> {
    let mut child = Command::new(program().map_err(Failure::Io)?)
        .arg(SUBCOMMAND)
        .arg(folder)
        .args(["--memory", &MEMORY_LIMIT.to_string()])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Failure::Io)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut process = Process(child);
    let messages = stderr.map(|stderr| std::thread::spawn(move || read_messages(stderr)));
    let lines = stdout.map(read_lines).ok_or_else(|| {
        Failure::Io(std::io::Error::other("the output of the typesetter is not connected"))
    })?;
    let deadline = Instant::now() + TIME_LIMIT;
    let mut done = 0;
    loop {
        match lines.recv_timeout(LOOK_INTERVAL) {
            Ok(line) => done = line.trim().parse().unwrap_or(done),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if !progress(done) {
            return Err(Failure::Cancelled);
        }
        if Instant::now() >= deadline {
            return Err(Failure::TimeLimit);
        }
    }
    let status = process.0.wait().map_err(Failure::Io)?;
    let messages = messages.and_then(|thread| thread.join().ok()).unwrap_or_default();
    if status.success() { Ok(()) } else { Err(Failure::Ended(format!("{status}: {messages}"))) }
}

/// Returns the program that is running, also if its file was replaced meanwhile.
fn program() -> std::io::Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

fn read_lines(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Reads all messages and keeps the first ones.
fn read_messages(stderr: ChildStderr) -> String {
    let mut stderr = stderr;
    let mut kept = Vec::new();
    let _ = stderr.by_ref().take(MESSAGE_LIMIT).read_to_end(&mut kept);
    let _ = std::io::copy(&mut stderr, &mut std::io::sink());
    String::from_utf8_lossy(&kept).trim().to_owned()
}
