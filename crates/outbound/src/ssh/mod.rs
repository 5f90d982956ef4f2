//! Runs commands of other hosts over SSH, with the OpenSSH client of the machine.
//!
//! The guard checks the addresses of the host, and the program gets one that it permits. It reads
//! no configuration, no keys and no known hosts of the machine, asks nothing, and ends at the
//! deadline.

mod key;
#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub use self::key::{SshKey, SshKeyError};
use crate::blocking::{wait, wait_until};
use crate::client::{Client, RateMeter};
use crate::error::{Error, Phase};

/// Maximum bytes of the program's messages that are kept.
const MAX_MESSAGE_BYTES: u64 = 4 << 10;
/// Bytes of an output that are read at a time.
const PIECE_BYTES: usize = 4 << 10;
/// Characters of a message that an error repeats.
const MESSAGE_LENGTH: usize = 200;
/// Maximum time for which the program may run after it has closed its output.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time between two looks at the program.
const STEP: Duration = Duration::from_millis(5);
/// The status of the program if it could not run the command.
const NOT_RUN: i32 = 255;

/// A command of another host.
#[derive(Clone, Copy, Debug)]
pub struct SshCommand<'a> {
    /// The name or the address of the host.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// The name of the user on the host.
    pub user: &'a str,
    /// The private key.
    pub key: &'a SshKey,
    /// The lines of the host's keys, as in `known_hosts` but without the names of hosts. If they
    /// are empty, the key that the host presents is accepted; see [`SshSession::host_keys`].
    pub host_keys: &'a str,
    /// The command, for the shell of the host.
    pub command: &'a str,
    /// An environment variable for the command, which the host may ignore.
    pub variable: Option<(&'a str, &'a str)>,
    /// Maximum bytes of the command's output.
    pub limit: u64,
    /// The time at which the command must have ended.
    pub deadline: Instant,
}

/// A running command. Reading returns its output; errors contain an [`Error`].
#[derive(Debug)]
pub struct SshSession {
    host: String,
    input: Option<ChildStdin>,
    output: ChildStdout,
    program: Arc<Program>,
    messages: Option<JoinHandle<String>>,
    watch: Option<JoinHandle<()>>,
    ended: CancellationToken,
    folder: TempDir,
    left: u64,
    limit: u64,
    has_output: bool,
    meter: RateMeter,
}

/// The process, shared with the thread that ends it.
#[derive(Debug)]
struct Program {
    child: Mutex<Child>,
    /// The reason for which the process was ended.
    reason: Mutex<Option<Error>>,
    /// The time since which the reader waits.
    waiting: Mutex<Option<Instant>>,
}

impl Client {
    /// Runs a command of another host over SSH.
    ///
    /// # Errors
    /// Fails if the guard refuses the host or the program cannot be started. Later failures are
    /// errors of reading.
    pub fn run_over_ssh(
        &self,
        command: &SshCommand<'_>,
        cancel: &CancellationToken,
    ) -> Result<SshSession, Error> {
        let host = format!("{}:{}", command.host, command.port);
        let internal = |error: io::Error| Error::Protocol {
            host: host.clone(),
            reason: format!("the SSH client cannot be prepared: {}", error.kind()),
        };
        let address = self.address_of(command.host, cancel)?;
        let folder = tempfile::Builder::new().prefix("bindery-ssh-").tempdir().map_err(internal)?;
        let (key, known) = (folder.path().join("key"), folder.path().join("known_hosts"));
        write_private(&key, command.key.expose()).map_err(internal)?;
        let lines = command.host_keys.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: String = lines.map(|line| format!("{ALIAS} {line}\n")).collect();
        write_private(&known, &lines).map_err(internal)?;
        let limits = self.limits();
        let mut program = Command::new(self.ssh_program());
        program.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        program.env("HOME", folder.path());
        program.args(["-F", "none", "-T", "-x", "-a"]);
        for option in options(&key, &known, command, limits.connect) {
            program.arg("-o").arg(option);
        }
        program.args(["-p", &command.port.to_string(), "-l", command.user, "--"]);
        program.arg(address).arg(command.command);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn().map_err(|error| Error::Protocol {
            host: host.clone(),
            reason: match error.kind() {
                io::ErrorKind::NotFound => {
                    "the server needs the OpenSSH client, whose program is ssh".to_owned()
                }
                kind => format!("the OpenSSH client cannot be started: {kind}"),
            },
        })?;
        let (Some(input), Some(output), Some(messages)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(internal(io::ErrorKind::BrokenPipe.into()));
        };
        let program = Arc::new(Program {
            child: Mutex::new(child),
            reason: Mutex::default(),
            waiting: Mutex::default(),
        });
        let ended = cancel.child_token();
        let meter = RateMeter::of(limits);
        let watch = Watch {
            host: host.clone(),
            program: program.clone(),
            cancel: cancel.clone(),
            ended: ended.clone(),
            deadline: command.deadline,
            idle: meter.interval(),
        };
        Ok(SshSession {
            host,
            input: Some(input),
            output,
            program,
            messages: Some(thread::spawn(move || read_messages(messages))),
            watch: Some(thread::spawn(move || watch.run())),
            ended,
            folder,
            left: command.limit,
            limit: command.limit,
            has_output: false,
            meter,
        })
    }

    /// Returns an address of a host that the guard permits.
    fn address_of(&self, host: &str, cancel: &CancellationToken) -> Result<String, Error> {
        let resolver = self.resolver().clone();
        let host = host.trim_matches(['[', ']']).to_owned();
        let (sent, found) = tokio::sync::oneshot::channel();
        self.background()?.spawn(async move {
            // The receiver is gone if the caller was cancelled.
            drop(sent.send(resolver.addresses(host).await));
        });
        let addresses = wait(found, cancel).ok_or(Error::Cancelled)?;
        let addresses = addresses.map_err(|_| Error::Cancelled)??;
        let first = addresses.first().ok_or(Error::Cancelled)?;
        Ok(first.ip().to_string())
    }
}

/// The name under which the program looks the keys of the host up.
const ALIAS: &str = "host";

/// Returns the options of the program.
fn options(key: &Path, known: &Path, command: &SshCommand<'_>, connect: Duration) -> Vec<String> {
    // The program expands `%` in paths and divides them at spaces.
    let path = |path: &Path| format!("\"{}\"", path.display().to_string().replace('%', "%%"));
    let strict = if command.host_keys.trim().is_empty() { "accept-new" } else { "yes" };
    let mut options: Vec<String> = [
        "BatchMode=yes",
        "IdentitiesOnly=yes",
        "IdentityAgent=none",
        "PreferredAuthentications=publickey",
        "GlobalKnownHostsFile=none",
        "UpdateHostKeys=no",
        "CheckHostIP=no",
        "HashKnownHosts=no",
        "ClearAllForwardings=yes",
        "PermitLocalCommand=no",
        "ControlMaster=no",
        "ControlPath=none",
        "CanonicalizeHostname=no",
        "ServerAliveInterval=30",
        "ServerAliveCountMax=3",
        "LogLevel=ERROR",
    ]
    .map(str::to_owned)
    .into();
    options.push(format!("HostKeyAlias={ALIAS}"));
    options.push(format!("StrictHostKeyChecking={strict}"));
    options.push(format!("ConnectTimeout={}", connect.as_secs().max(1)));
    options.push(format!("IdentityFile={}", path(key)));
    options.push(format!("UserKnownHostsFile={}", path(known)));
    options.extend(command.variable.map(|(name, value)| format!("SetEnv={name}={value}")));
    options
}

/// Writes a file that only its owner reads.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// Reads the messages of the program to their end and keeps their start.
fn read_messages(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    // A failed read ends the messages.
    drop(from.by_ref().take(MAX_MESSAGE_BYTES).read_to_end(&mut kept));
    drop(io::copy(&mut from, &mut io::sink()));
    String::from_utf8_lossy(&kept).into_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Program {
    /// Waits for the end of the program, which has closed its output, and ends it if it stays.
    fn wait(&self) -> Option<ExitStatus> {
        let patience = Instant::now() + PATIENCE;
        loop {
            // The lock is free between the attempts, so that the program can be ended meanwhile.
            match lock(&self.child).try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < patience => {}
                _ => break,
            }
            thread::park_timeout(STEP);
        }
        let mut child = lock(&self.child);
        drop(child.kill());
        child.wait().ok()
    }

    fn stop(&self, reason: Error) {
        lock(&self.reason).get_or_insert(reason);
        // The program may have ended already.
        drop(lock(&self.child).kill());
    }
}

/// Ends the program if the caller cancels, at the deadline, or if it is silent for too long.
struct Watch {
    host: String,
    program: Arc<Program>,
    cancel: CancellationToken,
    ended: CancellationToken,
    deadline: Instant,
    idle: Duration,
}

impl Watch {
    fn run(self) {
        let timeout = |phase| Error::Timeout { host: self.host.clone(), phase };
        loop {
            let since = *lock(&self.program.waiting);
            let silent = since.unwrap_or_else(Instant::now) + self.idle;
            if wait_until(self.ended.cancelled(), silent.min(self.deadline)).is_some() {
                if self.cancel.is_cancelled() {
                    self.program.stop(Error::Cancelled);
                }
                return;
            }
            if Instant::now() >= self.deadline {
                return self.program.stop(timeout(Phase::Total));
            }
            if since.is_some() && *lock(&self.program.waiting) == since {
                return self.program.stop(timeout(Phase::Read));
            }
        }
    }
}

impl SshSession {
    /// Sends the whole input of the command.
    ///
    /// # Errors
    /// Fails if the command does not take its input.
    pub fn send(&mut self, head: &[u8], file: Option<&File>) -> Result<(), Error> {
        let Some(mut input) = self.input.take() else { return Ok(()) };
        let sent = input.write_all(head).and_then(|()| match file {
            Some(mut file) => io::copy(&mut file, &mut input).map(drop),
            None => Ok(()),
        });
        sent.map_err(|_| self.failure().unwrap_or_else(|| self.cut()))
    }

    /// Reads the whole output of a command without an input. Returns `None` if the command failed
    /// by itself, for example because the host does not have it.
    ///
    /// # Errors
    /// Fails if the command was not run, was ended, or writes too much.
    pub fn output(mut self) -> Result<Option<Vec<u8>>, Error> {
        self.input = None;
        let mut output = Vec::new();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let read = self.read_some(&mut piece).unwrap_or(0);
            if read == 0 {
                break;
            }
            self.count(read)?;
            output.extend_from_slice(piece.get(..read).unwrap_or_default());
        }
        let (status, messages) = self.end();
        if let Some(reason) = lock(&self.program.reason).clone() {
            return Err(reason);
        }
        match status.and_then(|status| status.code()) {
            Some(0) => Ok(Some(output)),
            Some(NOT_RUN) | None => Err(translate(&self.host, &messages)),
            Some(_) => Ok(None),
        }
    }

    /// Sets the maximum bytes of the output that follows.
    pub fn set_limit(&mut self, bytes: u64) {
        (self.left, self.limit) = (bytes, bytes);
    }

    /// Returns the lines of the keys that the host presented, without its name.
    pub fn host_keys(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder.path().join("known_hosts")).ok()?;
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let lines = lines.map(|(_, key)| key.to_owned()).collect::<Vec<_>>().join("\n");
        Some(lines).filter(|lines| !lines.is_empty())
    }

    fn cut(&self) -> Error {
        Error::Cut { host: self.host.clone() }
    }

    /// Waits for the end of the program. Returns its status and its messages.
    fn end(&mut self) -> (Option<ExitStatus>, String) {
        self.input = None;
        let status = self.program.wait();
        let messages = self.messages.take().and_then(|thread| thread.join().ok());
        (status, messages.unwrap_or_default())
    }

    /// Waits for the end of the program. Returns the reason if it failed by itself or was ended.
    fn failure(&mut self) -> Option<Error> {
        let (status, messages) = self.end();
        if let Some(reason) = lock(&self.program.reason).clone() {
            return Some(reason);
        }
        // The command may fail in its own way, about which its output tells.
        let is_run = status.is_some_and(|status| status.code() != Some(NOT_RUN));
        if is_run && self.has_output {
            return None;
        }
        Some(translate(&self.host, &messages))
    }

    /// Counts bytes of the output.
    fn count(&mut self, read: usize) -> Result<(), Error> {
        let too_large = || Error::TooLarge { host: self.host.clone(), limit: self.limit };
        self.left = self.left.checked_sub(read as u64).ok_or_else(too_large)?;
        Ok(())
    }

    fn read_some(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let began = Instant::now();
        *lock(&self.program.waiting) = Some(began);
        let read = self.output.read(into);
        *lock(&self.program.waiting) = None;
        let received = read.as_ref().map_or(0, |read| *read as u64);
        if !self.meter.add(began.elapsed(), received) && received > 0 {
            let host = self.host.clone();
            self.program.stop(Error::Timeout { host, phase: Phase::Rate });
        }
        read
    }
}

impl Read for SshSession {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.read_some(into).unwrap_or(0);
        if read == 0 && !into.is_empty() {
            return self.failure().map_or(Ok(0), |error| Err(error.into()));
        }
        self.has_output |= read > 0;
        self.count(read)?;
        Ok(read)
    }
}

impl Drop for SshSession {
    fn drop(&mut self) {
        self.input = None;
        self.ended.cancel();
        let mut child = lock(&self.program.child);
        // The program may have ended already.
        drop(child.kill());
        drop(child.wait());
        drop(child);
        if let Some(watch) = self.watch.take() {
            drop(watch.join());
        }
    }
}

/// Returns an error for the messages of a program that did not run its command.
fn translate(host: &str, messages: &str) -> Error {
    let host = host.to_owned();
    let has = |text: &str| messages.contains(text);
    if has("Permission denied") || has("Too many authentication failures") {
        return Error::Denied { host };
    }
    if has("Host key verification failed") || has("REMOTE HOST IDENTIFICATION HAS CHANGED") {
        let reason = "its host key is not the expected one".to_owned();
        return Error::HostKey { host, reason };
    }
    let last = messages.lines().map(str::trim).rfind(|line| !line.is_empty());
    let plain = last.unwrap_or("the connection ended").chars().filter(|c| !c.is_control());
    let reason: String = plain.take(MESSAGE_LENGTH).collect();
    if has("Connection refused") || has("timed out") || has("No route to host") {
        return Error::Connect { host, reason };
    }
    Error::Protocol { host, reason }
}
