//! The cache of a repository between fetches: an ordinary bare repository, written so that a crash
//! at any moment leaves its previous state.
//!
//! A cache belongs to one organization and one address, and either to one pair of credentials or to
//! one name that the caller chose. Organizations never share a cache. The state file is
//! authoritative: it is replaced last, after the packs that it names are on the disk, and files
//! that it does not name are deleted.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use bindery_model::OrganizationId;
use bindery_outbound::{CancellationToken, wait_until};
use gix_hash::ObjectId;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::remote::Remote;

const STATE: &str = "bindery.json";
const STATE_VERSION: u32 = 1;
/// Maximum number of commits that serve as a base for the next fetch.
const MAX_TIPS: usize = 8;
/// Number of packs at which the cache is replaced by a new clone: `BASE_PACK_LIMIT`, plus one for
/// each `BYTES_PER_EXTRA_PACK` bytes that the clone would transfer.
const BASE_PACK_LIMIT: u64 = 32;
const BYTES_PER_EXTRA_PACK: u64 = 1 << 20;

/// The contents of a cache.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    version: u32,
    /// The packs, oldest first.
    packs: Vec<PackFile>,
    /// Fetched refs with the objects they pointed to, newest first.
    tips: Vec<Tip>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct PackFile {
    name: String,
    pack_bytes: u64,
    index_bytes: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Tip {
    name: String,
    object: String,
    commit: String,
}

/// A cache that this thread has locked.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    pub(crate) state: State,
    /// Releases the lock when it is closed.
    _lock: File,
}

/// The reason why a cache could not be locked.
#[derive(Debug)]
pub(crate) enum LockError {
    Io(io::Error),
    /// Another fetch holds the lock, and the deadline passed or the fetch was cancelled.
    Stopped,
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Cache {
    /// Waits for the cache with this [`key`], locks it and opens it. Empties a damaged cache.
    pub(crate) fn lock(
        root: &Path,
        organization: OrganizationId,
        key: &str,
        cancel: &CancellationToken,
        deadline: Instant,
    ) -> Result<Self, LockError> {
        let parent = root.join(organization.as_str());
        fs::create_dir_all(&parent)?;
        let lock = File::create(parent.join(format!("{key}.lock")))?;
        let lock = match lock.try_lock() {
            Ok(()) => lock,
            Err(TryLockError::WouldBlock) => wait_for_lock(lock, cancel, deadline)?,
            Err(TryLockError::Error(error)) => return Err(error.into()),
        };
        let mut cache = Self { folder: parent.join(key), state: State::default(), _lock: lock };
        cache.state = cache.read_state().unwrap_or_default();
        if cache.state.version != STATE_VERSION || cache.has_many_packs() {
            cache.clear()?;
        } else {
            cache.remove_stray_files()?;
        }
        Ok(cache)
    }

    /// Returns the folder of the packs.
    pub(crate) fn packs_folder(&self) -> PathBuf {
        self.folder.join("objects").join("pack")
    }

    /// Returns the names of the packs, oldest first.
    pub(crate) fn pack_names(&self) -> Vec<String> {
        self.state.packs.iter().map(|pack| pack.name.clone()).collect()
    }

    /// Returns the size of the packs and indexes in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.state.packs.iter().map(|pack| pack.pack_bytes + pack.index_bytes).sum()
    }

    fn has_many_packs(&self) -> bool {
        let first = self.state.packs.first().map_or(0, |pack| pack.pack_bytes);
        let most = BASE_PACK_LIMIT + (first / BYTES_PER_EXTRA_PACK).min(8 * BASE_PACK_LIMIT);
        self.state.packs.len() as u64 >= most
    }

    /// Returns `true` if this object was fetched as the tip of a ref.
    pub(crate) fn has_tip(&self, object: &ObjectId) -> bool {
        let object = object.to_string();
        self.state.tips.iter().any(|tip| tip.object == object)
    }

    /// Returns the commits that are present without their parents.
    pub(crate) fn commits(&self) -> Vec<ObjectId> {
        let mut commits: Vec<_> =
            self.state.tips.iter().filter_map(|tip| tip.commit.parse().ok()).collect();
        commits.sort_unstable();
        commits.dedup();
        commits
    }

    /// Empties the cache.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        match fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(self.packs_folder())?;
        fs::create_dir_all(self.folder.join("refs"))?;
        fs::write(self.folder.join("HEAD"), "ref: refs/heads/main\n")?;
        fs::write(
            self.folder.join("config"),
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
        )?;
        self.state = State { version: STATE_VERSION, ..State::default() };
        Ok(())
    }

    /// Adds a written pack. The addition is durable after [`Cache::save`].
    pub(crate) fn add_pack(&mut self, data: &Path) -> io::Result<()> {
        let index = data.with_extension("idx");
        let (pack_bytes, index_bytes) = (sync(data)?, sync(&index)?);
        let name = data.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // The server may send the same pack again.
        self.state.packs.retain(|pack| pack.name != name);
        self.state.packs.push(PackFile { name, pack_bytes, index_bytes });
        Ok(())
    }

    /// Records the object and the commit of a ref.
    pub(crate) fn set_tip(&mut self, name: &str, object: &ObjectId, commit: &str) {
        let tip =
            Tip { name: name.to_owned(), object: object.to_string(), commit: commit.to_owned() };
        self.state.tips.retain(|other| other.name != tip.name && other.object != tip.object);
        self.state.tips.insert(0, tip);
        self.state.tips.truncate(MAX_TIPS);
    }

    /// Makes the additions durable.
    pub(crate) fn save(&self) -> io::Result<()> {
        File::open(self.packs_folder())?.sync_all()?;
        let shallow = self.commits().iter().map(|id| format!("{id}\n")).collect::<String>();
        self.replace_file("shallow", shallow.as_bytes())?;
        let state = serde_json::to_vec_pretty(&self.state)?;
        self.replace_file(STATE, &state)?;
        File::open(&self.folder)?.sync_all()
    }

    fn replace_file(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(content)?;
        file.as_file().sync_all()?;
        file.persist(self.folder.join(name))?;
        Ok(())
    }

    /// Returns the recorded state if all files that it names are complete.
    fn read_state(&self) -> Option<State> {
        let state: State = serde_json::from_slice(&fs::read(self.folder.join(STATE)).ok()?).ok()?;
        let folder = self.packs_folder();
        let whole = state.packs.iter().all(|pack| {
            let length = |extension: &str| {
                fs::metadata(folder.join(format!("{}.{extension}", pack.name)))
                    .map(|m| m.len())
                    .ok()
            };
            length("pack") == Some(pack.pack_bytes) && length("idx") == Some(pack.index_bytes)
        });
        whole.then_some(state)
    }

    /// Deletes files that an interrupted fetch left.
    fn remove_stray_files(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.packs_folder())? {
            let path = entry?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let extension = path.extension().unwrap_or_default();
            let named = self.state.packs.iter().any(|pack| pack.name == stem);
            if !named || !(extension == "pack" || extension == "idx") {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

/// Waits for a lock that another fetch holds. A blocking lock cannot be interrupted, so a separate
/// thread waits for it. If the caller has left by then, the thread releases the lock at once.
fn wait_for_lock(
    lock: File,
    cancel: &CancellationToken,
    deadline: Instant,
) -> Result<File, LockError> {
    let (sender, locked) = oneshot::channel();
    thread::spawn(move || drop(sender.send(lock.lock().map(|()| lock))));
    match wait_until(cancel.run_until_cancelled(locked), deadline).flatten() {
        Some(Ok(locked)) => Ok(locked?),
        Some(Err(_)) | None => Err(LockError::Stopped),
    }
}

/// Deletes caches below `root` until they take at most `limit` bytes in total, starting with the
/// least recently fetched. Never deletes a cache that is in use.
pub(crate) fn shrink(root: &Path, limit: u64) -> io::Result<()> {
    let mut caches = Vec::new();
    for organization in folders(root)? {
        for folder in folders(&organization)? {
            // Each fetch rewrites the state file. A folder without one holds nothing of value.
            let used = fs::metadata(folder.join(STATE)).and_then(|about| about.modified()).ok();
            caches.push((used, bytes_below(&folder)?, folder));
        }
    }
    caches.sort();
    let mut bytes: u64 = caches.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, size, folder) in caches {
        if bytes <= limit {
            break;
        }
        let lock = File::create(folder.with_extension("lock"))?;
        match lock.try_lock() {
            Ok(()) => fs::remove_dir_all(&folder)?,
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => return Err(error),
        }
        bytes -= size;
    }
    Ok(())
}

fn folders(within: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(within)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another fetch may delete files at the same time.
        let Ok(about) = entry.metadata() else { continue };
        bytes += if about.is_dir() { bytes_below(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}

/// Returns the name of a repository's cache: a hash of its owner, so that the name does not reveal
/// credentials and a caller's name cannot refer to another folder. The address is always part of
/// the hash, so that objects of one server never serve as a base for those of another.
pub(crate) fn key(remote: &Remote, name: Option<&str>) -> String {
    if let Some(name) = name {
        return hash("bindery git cache by name 1", &[remote.url.as_str(), name], &[]);
    }
    if let Some(access) = &remote.ssh {
        let key = access.key.public_line();
        return hash("bindery git cache by SSH key 1", &[remote.url.as_str(), &key], &[]);
    }
    let (user, password) = remote.credentials.as_ref().map(|c| c.expose()).unwrap_or_default();
    let parts = [remote.url.as_str(), user, password];
    hash("bindery git cache 1", &parts, &[u8::from(remote.credentials.is_some())])
}

fn hash(context: &str, parts: &[&str], last: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(context);
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(last);
    let hash = hasher.finalize().to_hex();
    hash.as_str().chars().take(40).collect()
}

fn sync(path: &Path) -> io::Result<u64> {
    let file = File::open(path)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_cache_outlives_credentials_and_belongs_to_one_address() {
        let remote = |text: &str| Remote::parse(text).unwrap();
        let (one, other) =
            (remote("https://a:b@example.org/docs"), remote("https://c:d@example.org/docs"));
        let elsewhere = remote("https://a:b@example.com/docs");
        assert_ne!(key(&one, None), key(&other, None));
        assert_eq!(key(&one, Some("docs")), key(&other, Some("docs")));
        assert_ne!(key(&one, Some("docs")), key(&elsewhere, Some("docs")));
        assert_ne!(key(&one, Some("docs")), key(&one, Some("other")));
        for name in ["../../x", "/etc", "a\0b", ""] {
            let key = key(&one, Some(name));
            assert!(key.len() == 40 && key.bytes().all(|b| b.is_ascii_hexdigit()), "{key}");
        }
    }
}
