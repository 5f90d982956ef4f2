//! A private PostgreSQL server for a test run. It is found or installed, started in a temporary
//! folder on a free port, and removed at the end. A server that already runs on the machine is
//! never used.

use crate::process::Group;
use crate::workspace::{find_program, install_packages, may_install_packages, temporary_folder};
use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use std::cmp::Reverse;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The advice if nothing can be installed by this process.
pub(crate) const HOW_TO_INSTALL: &str = "install the PostgreSQL server programs (Debian and \
    Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew \
    install postgresql), or name their folder in BINDERY_POSTGRES_BIN";

/// Settings for disposable data: nothing is synced to disk.
const SETTINGS: [&str; 11] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_wal_size=256MB",
    "max_connections=200",
    "shared_buffers=128MB",
    "listen_addresses=127.0.0.1",
    "log_min_messages=warning",
    // Most tests use unencrypted connections, but some need TLS.
    "ssl=on",
    "ssl_cert_file=../server.pem",
    "ssl_key_file=../server.key",
];

/// The number of attempts to start.
const ATTEMPTS: u32 = 5;

/// The certificate of the authority, in the server's folder.
const AUTHORITY: &str = "authority.pem";

/// A running private server.
pub(crate) struct Cluster {
    // Before the folder in drop order: the server must stop before its files are deleted.
    server: Group,
    folder: TempDir,
    url: String,
}

/// Returns the folder with `initdb` and `postgres`, installing the Debian package if permitted.
/// Returns `None` if there is none and none can be installed.
pub(crate) fn find_or_install() -> Result<Option<PathBuf>> {
    if let Some(found) = find() {
        return Ok(Some(found));
    }
    if !may_install_packages() {
        return Ok(None);
    }
    println!("PostgreSQL is not installed: installing Debian's package");
    install()?;
    Ok(Some(find().context("Debian's postgresql package contains no server programs")?))
}

fn find() -> Option<PathBuf> {
    let named = std::env::var_os("BINDERY_POSTGRES_BIN").map(PathBuf::from);
    // Symbolic links are resolved, because the server finds its other files relative to the
    // program.
    let on_path = find_program("initdb")
        .and_then(|program| Some(program.canonicalize().ok()?.parent()?.to_path_buf()));
    let parents = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/usr"];
    let installed = parents.into_iter().flat_map(|parent| versions(Path::new(parent)));
    named
        .into_iter()
        .chain(on_path)
        .chain(installed)
        .find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

/// Returns the `bin` folders of the versions installed below a folder, newest first.
fn versions(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let digits = ["postgresql@", "pgsql-", ""]
                .into_iter()
                .find_map(|prefix| name.strip_prefix(prefix))?;
            Some((digits.parse().ok()?, entry.path().join("bin")))
        })
        .collect();
    found.sort_by_key(|(version, _)| Reverse(*version));
    found.into_iter().map(|(_, folder)| folder).collect()
}

/// Installs the package without the cluster that it would create and start by default.
fn install() -> Result<()> {
    install_packages(&["postgresql-common"])?;
    let settings = Path::new("/etc/postgresql-common/createcluster.d/bindery-test.conf");
    let added = settings.parent().is_some_and(Path::is_dir);
    if added {
        std::fs::write(settings, "create_main_cluster = false\n")?;
    }
    let installed = install_packages(&["postgresql"]);
    if added {
        std::fs::remove_file(settings)?;
    }
    installed
}

impl Cluster {
    /// Creates a cluster with the programs in `programs` and waits until it accepts connections.
    pub(crate) fn start(programs: &Path) -> Result<Self> {
        let user = User::for_server()?;
        let mut folder = tempfile::Builder::new()
            .prefix("bindery-postgres-")
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir_in(temporary_folder())?;
        let data = folder.path().join("data");
        let password = random_password()?;
        let password_file = folder.path().join("password");
        std::fs::write(&password_file, &password)?;
        if let Some(user) = &user {
            for path in [folder.path(), &password_file] {
                chown(path, Some(user.id), Some(user.group))?;
            }
        }

        let mut initdb = as_user(Command::new(programs.join("initdb")), user.as_ref());
        initdb
            .args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"])
            .args(["--locale=C", "--no-instructions"])
            .arg(format!("--pwfile={}", password_file.display()))
            .arg("--pgdata")
            .arg(&data)
            .current_dir(folder.path());
        let made = initdb.stdin(Stdio::null()).output().context("initdb could not be started")?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));

        make_certificates(folder.path(), user.as_ref())?;

        let mut attempts = 0;
        loop {
            attempts += 1;
            // Another program can take the port before the server starts.
            let port = free_port()?;
            let log = folder.path().join("log");
            let server = start_server(programs, user.as_ref(), folder.path(), port, &log)?;
            let url =
                format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres?sslmode=disable");
            let mut cluster = Self { server, folder, url };
            match cluster.wait_until_ready(&log) {
                Ok(()) => return Ok(cluster),
                Err(error) if attempts < ATTEMPTS && error.to_string().contains("in use") => {
                    folder = cluster.folder;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the certificate file of the authority that signed the server's certificate for
    /// `localhost`.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.path().join(AUTHORITY)
    }

    /// Returns the address for tests, with a role that can create and drop databases.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn wait_until_ready(&mut self, log: &Path) -> Result<()> {
        let status = self.folder.path().join("data/postmaster.pid");
        let patience = Instant::now() + Duration::from_secs(60);
        while !is_ready(&std::fs::read_to_string(&status).unwrap_or_default()) {
            crate::process::check_interrupted()?;
            let ended = self.server.child.try_wait()?.is_some();
            if ended || Instant::now() > patience {
                bail!("PostgreSQL did not start:\n{}", std::fs::read_to_string(log)?);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

/// Returns `true` if the status file of the server, which `pg_ctl` reads too, reports that it
/// accepts connections.
fn is_ready(status: &str) -> bool {
    status.lines().nth(7).is_some_and(|line| line.trim() == "ready")
}

fn start_server(
    programs: &Path,
    user: Option<&User>,
    folder: &Path,
    port: u16,
    log: &Path,
) -> Result<Group> {
    // `setpriv` makes the kernel stop the server even if this task is killed.
    let program = programs.join("postgres");
    let command = match find_program("setpriv") {
        Some(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "INT"]).arg(program);
            command
        }
        None => Command::new(program),
    };
    let mut command = as_user(command, user);
    command.arg("-D").arg(folder.join("data")).arg("-p").arg(port.to_string());
    command.arg("-k").arg(folder);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    let log = std::fs::File::create(log)?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).current_dir(folder);
    let mut server = Group::start(&mut command)?;
    // SIGINT requests a fast shutdown, which ends sessions instead of waiting for them.
    server.stop_signal = Signal::INT;
    Ok(server)
}

/// The account that runs the server if this process is root, which `initdb` rejects.
struct User {
    id: u32,
    group: u32,
}

impl User {
    fn for_server() -> Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let accounts = std::fs::read_to_string("/etc/passwd").context("/etc/passwd")?;
        let user = ["postgres", "nobody"].into_iter().find_map(|name| Self::named(name, &accounts));
        Ok(Some(user.context("initdb refuses root, and there is no user postgres or nobody")?))
    }

    fn named(name: &str, accounts: &str) -> Option<Self> {
        accounts.lines().find_map(|line| {
            let mut fields = line.split(':');
            if fields.next()? != name {
                return None;
            }
            let id = fields.nth(1)?.parse().ok()?;
            Some(Self { id, group: fields.next()?.parse().ok()? })
        })
    }
}

fn as_user(mut command: Command, user: Option<&User>) -> Command {
    if let Some(user) = user {
        command.uid(user.id).gid(user.group);
    }
    command
}

/// Creates an authority, and a key and a certificate for the server.
fn make_certificates(folder: &Path, user: Option<&User>) -> Result<()> {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

    let authority_key = KeyPair::generate()?;
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    std::fs::write(folder.join(AUTHORITY), authority.self_signed(&authority_key)?.pem())?;
    let key = KeyPair::generate()?;
    let issuer = Issuer::new(authority, authority_key);
    let server = CertificateParams::new(vec!["localhost".to_owned()])?.signed_by(&key, &issuer)?;
    std::fs::write(folder.join("server.pem"), server.pem())?;
    let key_file = folder.join("server.key");
    std::fs::write(&key_file, key.serialize_pem())?;
    std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o600))?;
    if let Some(user) = user {
        chown(&key_file, Some(user.id), Some(user.group))?;
    }
    Ok(())
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Returns a random password. Other users of the machine can connect to the port, so the role needs
/// one.
fn random_password() -> Result<String> {
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_is_found_by_its_whole_name() {
        let accounts = "root:x:0:0::/:/bin/sh\npostgres2:x:7:8::/:\npostgres:x:101:104::/:\n";
        let user = User::named("postgres", accounts).unwrap();
        assert_eq!((user.id, user.group), (101, 104));
        assert!(User::named("nobody", accounts).is_none());
    }

    #[test]
    fn readiness_is_the_eighth_line() {
        let status = "1\n/data\n2\n5432\n/tmp\n127.0.0.1\n3 4\nready   \n";
        assert!(is_ready(status));
        assert!(!is_ready(&status.replace("ready", "starting")));
        assert!(!is_ready(""));
    }

    #[test]
    fn newest_version_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["9", "15", "pgsql-17", "postgresql@16", "postgresql", "local"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let names: Vec<_> = versions(folder.path())
            .iter()
            .map(|bin| bin.parent().unwrap().file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["pgsql-17", "postgresql@16", "15", "9"]);
    }
}
