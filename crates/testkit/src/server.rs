//! The real program on a separate store: started, stopped, killed and restarted.

use crate::{Database, SmtpServer};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The administrator's token of every installation.
pub const SETUP_TOKEN: &str = "setup-token-of-a-test-server";

/// The time limit for starting and stopping a server, far longer than needed.
const TIMEOUT: Duration = Duration::from_secs(180);

/// The supported database engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The embedded database.
    Sqlite,
    /// A separate database on the PostgreSQL server of the test run.
    Postgres,
}

impl Engine {
    /// Returns the engines of this run. PostgreSQL is included only if `BINDERY_TEST_POSTGRES`
    /// names a server.
    pub fn all() -> Vec<Self> {
        let mut engines = vec![Self::Sqlite];
        if std::env::var_os(crate::postgres::VARIABLE).is_some() {
            engines.push(Self::Postgres);
        }
        engines
    }
}

/// A store with the configuration of the server that uses it. The store outlives the servers, and
/// is deleted when this value is dropped.
#[derive(Debug)]
pub struct Installation {
    binary: PathBuf,
    folder: TempDir,
    database: Option<Database>,
    arguments: Vec<OsString>,
    environment: Vec<(String, String)>,
    descriptors: Option<u32>,
    umask: Option<&'static str>,
}

impl Installation {
    /// Creates an empty store for this program, which integration tests of the `bindery` crate find
    /// as `env!("CARGO_BIN_EXE_bindery")`. The sample site is disabled to save time, and
    /// descriptions of embeds are, so that tests send no requests to other hosts.
    ///
    /// # Panics
    /// Panics if the folder or the database cannot be created.
    pub fn new(binary: impl Into<PathBuf>, engine: Engine) -> Self {
        let database = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Database::create().expect("a PostgreSQL server for tests")),
        };
        let folder =
            tempfile::Builder::new().prefix("bindery-test-").tempdir().expect("a temporary folder");
        let mut made = Self {
            binary: binary.into(),
            folder,
            database,
            arguments: Vec::new(),
            environment: Vec::new(),
            descriptors: None,
            umask: None,
        };
        made.set("BINDERY_SETUP_TOKEN", SETUP_TOKEN);
        made.set("BINDERY_SETUP_SAMPLE", "false");
        made.set("BINDERY_OUTBOUND_ALLOW", "127.0.0.0/8,::1/128");
        made.set("BINDERY_EMBED_DESCRIPTIONS", "false");
        made
    }

    /// Adds an argument to `bindery serve`.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable of the server's environment, replacing an earlier value.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// Configures this mail server, and `https://docs.example.org` as the public address.
    #[must_use]
    pub fn mailing_through(self, smtp: &SmtpServer) -> Self {
        self.variable("BINDERY_MAIL_SERVER", &smtp.url())
            .variable("BINDERY_MAIL_FROM", "Docs <docs@example.org>")
            .variable("BINDERY_PUBLIC_URL", "https://docs.example.org")
    }

    /// Sets the hard limit of open descriptors, and a soft limit of a quarter of it.
    #[must_use]
    pub fn descriptors(mut self, most: u32) -> Self {
        self.descriptors = Some(most);
        self
    }

    /// Sets the file creation mask of the server, in octal digits.
    #[must_use]
    pub fn umask(mut self, mask: &'static str) -> Self {
        self.umask = Some(mask);
        self
    }

    /// Removes a variable from the server's environment.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self
    }

    fn set(&mut self, name: &str, value: &str) {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// Returns the path of the data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the database; `None` on SQLite.
    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// Starts the program and waits until it listens.
    ///
    /// # Panics
    /// Panics with the log of the server if it ends or does not start to listen in time.
    pub fn start(&self) -> Server {
        self.try_start().unwrap_or_else(|failure| {
            panic!("the server did not start ({}):\n{}", failure.status, failure.log)
        })
    }

    /// Starts the program. Returns its exit status and log if it ends instead of listening.
    ///
    /// # Errors
    /// Returns an error if the program ends by itself.
    ///
    /// # Panics
    /// Panics if the program neither listens nor ends in time.
    pub fn try_start(&self) -> Result<Server, StartFailure> {
        self.try_start_in(self.folder.path())
    }

    /// Starts another server on the database, with a copy of the data folder without its caches.
    /// Returns `None` on SQLite, which serves one process.
    ///
    /// # Panics
    /// Panics if the server does not start to listen in time.
    pub fn start_another(&self) -> Option<Server> {
        self.database.as_ref()?;
        let folder = self.folder.path().join("another");
        copy_folder(&self.data(), &folder.join("data"), &["cache"]);
        Some(self.try_start_in(&folder).unwrap_or_else(|failure| {
            panic!("the server did not start ({}):\n{}", failure.status, failure.log)
        }))
    }

    fn try_start_in(&self, folder: &Path) -> Result<Server, StartFailure> {
        let log = folder.join("log");
        let mut child = self.command(&folder.join("data"), &log).spawn().unwrap_or_else(|error| {
            panic!("{} could not be started: {error}", self.binary.display())
        });
        let output = child.stdout.take().expect("its output is piped");
        let lines = read_lines(BufReader::new(output));
        let mut server = Server { child, address: String::new(), output: Vec::new(), log, lines };
        match server.wait_for_address() {
            Some(address) => {
                server.address = address;
                Ok(server)
            }
            None => Err(StartFailure { status: server.wait(), log: server.log() }),
        }
    }

    fn command(&self, data: &Path, log: &Path) -> Command {
        let mut before = Vec::new();
        if let Some(most) = self.descriptors {
            before.push(format!("ulimit -Sn {} && ulimit -Hn {most}", most / 4));
        }
        if let Some(mask) = self.umask {
            before.push(format!("umask {mask}"));
        }
        let mut command = match before.as_slice() {
            [] => Command::new(&self.binary),
            before => {
                let script = format!("{} && exec \"$0\" \"$@\"", before.join(" && "));
                let mut shell = Command::new("sh");
                shell.args(["-c", &script]).arg(&self.binary);
                shell
            }
        };
        // The developer's own configuration must not affect the server.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("BINDERY_") {
                command.env_remove(name);
            }
        }
        command.arg("serve").arg("--data").arg(data).args(["--listen", "127.0.0.1:0"]);
        if let Some(database) = &self.database {
            command.args(["--database-url", database.url()]);
        }
        let log = File::options().create(true).append(true).open(log).expect("the server's log");
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        command
    }
}

/// Copies a folder, except for entries with these names.
///
/// # Panics
/// Panics if a file cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path, except: &[&str]) {
    std::fs::create_dir_all(to).expect("a new folder");
    for entry in std::fs::read_dir(from).expect("a folder to copy").map(Result::unwrap) {
        let (name, target) = (entry.file_name(), to.join(entry.file_name()));
        if except.iter().any(|except| name == *except) {
            continue;
        }
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target, except);
        } else {
            let copied = std::fs::copy(entry.path(), target);
            let _bytes = copied.expect("a file to copy");
        }
    }
}

/// The exit status and the log of a server that ended instead of listening.
#[derive(Debug)]
pub struct StartFailure {
    /// The exit status.
    pub status: ExitStatus,
    /// The output to standard error.
    pub log: String,
}

/// A running server, which is killed when it is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    output: Vec<String>,
    log: PathBuf,
    lines: Receiver<String>,
}

impl Server {
    /// Returns its address, `http://127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the lines that it printed to standard output before it listened.
    pub fn output(&self) -> &[String] {
        &self.output
    }

    /// Returns its output to standard error so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Returns its process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Returns a client with the administrator's token.
    pub fn client(&self) -> crate::Client {
        crate::Client::new(&self.address, Some(SETUP_TOKEN))
    }

    /// Kills it at once, like `kill -9`.
    pub fn kill(mut self) {
        self.end();
    }

    /// Requests a graceful shutdown and waits for its end.
    ///
    /// # Panics
    /// Panics if the server does not end in time.
    pub fn stop(mut self) -> ExitStatus {
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(process.expect("a process id"), Signal::TERM).expect("SIGTERM");
        self.wait()
    }

    fn wait_for_address(&mut self) -> Option<String> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => match line.strip_prefix("bindery listening on ") {
                    Some(address) => return Some(address.trim_end_matches('/').to_owned()),
                    None => self.output.push(line),
                },
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the server does not listen: {:?}\n{}", self.output, self.log())
                }
            }
        }
    }

    fn wait(&mut self) -> ExitStatus {
        // The channel is closed when the process closes its output, at the latest when it ends.
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end: {}", self.log()),
            }
        }
        self.child.wait().expect("the server's exit status")
    }

    fn end(&mut self) {
        // The process may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Reads lines on a separate thread, so that the server is never blocked by a full pipe.
fn read_lines(output: impl BufRead + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Writes a shell script that stands in for the program.
    fn program(folder: &TempDir, script: &str) -> PathBuf {
        let path = folder.path().join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn address_and_earlier_lines_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let script = "echo $BINDERY_SETUP_TOKEN; echo bindery listening on http://127.0.0.1:9/; \
            exec sleep 60";
        let installation = Installation::new(program(&folder, script), Engine::Sqlite);
        let server = installation.start();
        assert_eq!(server.address(), "http://127.0.0.1:9");
        assert_eq!(server.output(), [SETUP_TOKEN]);
        server.kill();
    }

    #[test]
    fn a_failed_start_returns_status_and_log() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(&folder, "echo a newer store >&2; exit 3");
        let failure = Installation::new(program, Engine::Sqlite).try_start().unwrap_err();
        assert_eq!((failure.status.code(), failure.log.as_str()), (Some(3), "a newer store\n"));
    }
}
