//! A server of OpenSSH for tests, on machines where one is installed.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Places of the program, which must be started by its full path.
const PROGRAMS: [&str; 3] = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"];
/// The folder that the program needs if it is started by root.
const EMPTY_FOLDER: &str = "/run/sshd";

/// The file with the key that the server accepts.
const KEYS: &str = "authorized_keys";

/// The folder with the commands that tests add.
const COMMANDS: &str = "commands";
/// The folders with the commands of the machine.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A server that runs commands for the holder of one key, as the user of the test. Each connection
/// has a process of its own, which ends with it.
#[derive(Debug)]
pub struct SshServer {
    address: SocketAddr,
    host_key: String,
    user: String,
    folder: tempfile::TempDir,
}

impl SshServer {
    /// Starts a server that accepts the key with this line in the format of `authorized_keys`.
    /// Returns `None` if the program is not installed.
    ///
    /// # Panics
    /// Panics if the server cannot be set up.
    pub fn start(public_line: &str) -> Option<Self> {
        let program = PROGRAMS.iter().map(Path::new).find(|path| path.exists())?.to_owned();
        let folder = tempfile::tempdir().expect("a folder for the server");
        let key = folder.path().join("host_key");
        let mut keygen = Command::new("ssh-keygen");
        keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f"]).arg(&key);
        assert!(keygen.status().expect("ssh-keygen").success(), "a key of the host");
        let public = fs::read_to_string(key.with_extension("pub")).expect("the key of the host");
        let keys = folder.path().join(KEYS);
        fs::write(&keys, format!("{public_line}\n")).expect("a file with the key");
        let config = folder.path().join("config");
        let settings = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             AcceptEnv GIT_PROTOCOL\nSetEnv PATH={}:{PATH}\n",
            key.display(),
            keys.display(),
            folder.path().join(COMMANDS).display()
        );
        fs::write(&config, settings).expect("a configuration");
        // Other users cannot create the folder, and their servers do not need it.
        drop(fs::create_dir_all(EMPTY_FOLDER));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its port");
        thread::spawn(move || serve(&listener, &program, &config));
        let user = Command::new("id").arg("-un").output().expect("the name of the user");
        let user = String::from_utf8(user.stdout).expect("a name").trim().to_owned();
        let host_key = public.trim().to_owned();
        Some(Self { address, host_key, user, folder })
    }

    /// Accepts another key instead.
    ///
    /// # Panics
    /// Panics if the file of keys cannot be written.
    pub fn accept(&self, public_line: &str) {
        let keys = self.folder.path().join(KEYS);
        fs::write(keys, format!("{public_line}\n")).expect("a file with the key");
    }

    /// Adds a command that is this script of the shell.
    ///
    /// # Panics
    /// Panics if the command cannot be written.
    pub fn add_command(&self, name: &str, script: &str) {
        let folder = self.folder.path().join(COMMANDS);
        fs::create_dir_all(&folder).expect("a folder for commands");
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a command");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a program");
    }

    /// Returns the address of a repository in this folder.
    pub fn url(&self, path: &Path) -> String {
        format!("ssh://{}@{}{}", self.user, self.address, path.display()).replace(' ', "%20")
    }

    /// Returns the line of the server's key, without its name.
    pub fn host_key(&self) -> &str {
        &self.host_key
    }
}

/// Starts the program for each connection, with the connection as its input and output.
fn serve(listener: &TcpListener, program: &PathBuf, config: &PathBuf) {
    for stream in listener.incoming() {
        let stream = OwnedFd::from(stream.expect("a connection"));
        let output = stream.try_clone().expect("a second handle");
        let mut command = Command::new(program);
        command.arg("-i").arg("-f").arg(config).stdin(stream).stdout(output);
        let mut child = command.stderr(Stdio::null()).spawn().expect("the SSH server");
        thread::spawn(move || child.wait());
    }
}
