//! Large objects in a local folder. A file gets its name only after its bytes are on disk, and the
//! row that refers to it is written only after the name is on disk.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bindery_model::{Entropy, Timestamp};
use bindery_revision::Hash;
use bytes::Bytes;
use tempfile::TempPath;

use super::storage::{COPY_BUFFER, file_name};
use crate::StoreError;

/// The steps of writing a file, so that a test can simulate a power cut after each.
pub(crate) trait Disk: Send + Sync {
    /// Creates a folder unless it exists.
    fn create_dir(&self, path: &Path) -> std::io::Result<()>;

    /// Creates a file with everything `from` yields.
    fn write(&self, path: &Path, from: &mut dyn Read) -> std::io::Result<()>;

    /// Syncs a file's bytes to disk.
    fn sync(&self, path: &Path) -> std::io::Result<()>;

    /// Renames a file.
    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()>;

    /// Syncs a folder's entries to disk.
    fn sync_dir(&self, path: &Path) -> std::io::Result<()>;
}

/// The operating system's disk.
struct System;

impl Disk for System {
    fn create_dir(&self, path: &Path) -> std::io::Result<()> {
        match fs::create_dir(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    fn write(&self, path: &Path, from: &mut dyn Read) -> std::io::Result<()> {
        let mut file = BufWriter::with_capacity(COPY_BUFFER, File::create_new(path)?);
        std::io::copy(from, &mut file)?;
        file.into_inner().map_err(std::io::IntoInnerError::into_error).map(drop)
    }

    fn sync(&self, path: &Path) -> std::io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_dir(&self, path: &Path) -> std::io::Result<()> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        File::open(path)?.sync_all()
    }
}

/// A local folder.
pub(crate) struct Folder {
    root: PathBuf,
    temporary: PathBuf,
    entropy: Arc<Entropy>,
    disk: Box<dyn Disk>,
}

impl Folder {
    /// Opens or creates a folder.
    pub(crate) fn open(root: &Path, entropy: &Arc<Entropy>) -> Result<Self, StoreError> {
        let temporary = root.join("temporary");
        fs::create_dir_all(&temporary)
            .and_then(|()| System.sync_dir(root))
            .and_then(|()| root.parent().map_or(Ok(()), |parent| System.sync_dir(parent)))
            .map_err(|error| failed("create", root, &error))?;
        Ok(Self::with_disk(Box::new(System), root, entropy))
    }

    fn with_disk(disk: Box<dyn Disk>, root: &Path, entropy: &Arc<Entropy>) -> Self {
        let (root, temporary) = (root.to_owned(), root.join("temporary"));
        Self { root, temporary, entropy: Arc::clone(entropy), disk }
    }

    pub(crate) fn sweep_temporary(&self, before: Timestamp) -> Result<(), StoreError> {
        let limit = u64::try_from(before.millis()).unwrap_or(0);
        let limit = SystemTime::UNIX_EPOCH + Duration::from_millis(limit);
        let sweep = || {
            for entry in fs::read_dir(&self.temporary)? {
                let entry = entry?;
                // A write that ends meanwhile removes its own file.
                let Ok(about) = entry.metadata() else { continue };
                if about.is_file() && about.modified()? < limit {
                    match fs::remove_file(entry.path()) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(error);
                        }
                        _ => {}
                    }
                }
            }
            Ok(())
        };
        sweep().map_err(|error| failed("clean up", &self.temporary, &error))
    }

    /// Returns the names of the files in a subfolder.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let path = self.root.join(folder);
        let list = || match fs::read_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            entries => entries?
                .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                .collect(),
        };
        list().map_err(|error| failed("list", &path, &error))
    }

    fn path(&self, hash: &Hash) -> PathBuf {
        let (folder, file) = file_name(hash);
        self.root.join(folder).join(file)
    }

    /// Writes an object. It is durable when this method returns.
    pub(crate) fn write(&self, hash: &Hash, from: &mut dyn Read) -> Result<(), StoreError> {
        let file = self.receive(from)?;
        self.keep(hash, &file)
    }

    /// Writes bytes whose hash is not known yet to a temporary file, which is deleted when the
    /// returned path is dropped. After a crash, [`Self::sweep_temporary`] deletes it.
    pub(crate) fn receive(&self, from: &mut dyn Read) -> Result<TempPath, StoreError> {
        let unique: String =
            self.entropy.bytes::<16>().iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.temporary.join(unique);
        let error = |error| failed("write", &path, &error);
        let file = TempPath::try_from_path(&path).map_err(error)?;
        self.disk.write(&path, from).map_err(error)?;
        Ok(file)
    }

    /// Makes a received file the object with this hash. It is durable when this method returns.
    pub(crate) fn keep(&self, hash: &Hash, received: &Path) -> Result<(), StoreError> {
        self.keep_through(hash, received).map_err(|error| failed("write", &self.path(hash), &error))
    }

    fn keep_through(&self, hash: &Hash, received: &Path) -> std::io::Result<()> {
        self.disk.sync(received)?;
        let (folder, name) = file_name(hash);
        let folder = self.root.join(folder);
        self.disk.create_dir(&folder)?;
        // Always sync: another thread may have created the folder without having synced it yet.
        self.disk.sync_dir(&self.root)?;
        self.disk.rename(received, &folder.join(name))?;
        self.disk.sync_dir(&folder)
    }

    /// Opens the file of an object. It stays readable after the object was deleted.
    pub(crate) fn open_object(&self, hash: &Hash) -> Result<File, StoreError> {
        let path = self.path(hash);
        File::open(&path).map_err(|error| failed("read", &path, &error))
    }

    pub(crate) fn read(&self, hash: &Hash) -> Result<Bytes, StoreError> {
        let path = self.path(hash);
        fs::read(&path).map(Bytes::from).map_err(|error| failed("read", &path, &error))
    }

    pub(crate) fn read_range(&self, hash: &Hash, range: Range<u64>) -> Result<Bytes, StoreError> {
        let path = self.path(hash);
        let read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(range.start))?;
            let length = range.end.saturating_sub(range.start);
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
            file.take(length).read_to_end(&mut bytes)?;
            Ok(bytes.into())
        };
        read().map_err(|error| failed("read", &path, &error))
    }

    pub(crate) fn delete(&self, hash: &Hash) -> Result<(), StoreError> {
        let path = self.path(hash);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(failed("delete", &path, &error))
            }
            _ => Ok(()),
        }
    }
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unavailable(format!("{what} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};
    use std::sync::Mutex;

    use super::*;

    /// A disk that forgets everything that was not synced. A file's bytes stay with the file when
    /// it is renamed, and are lost unless the file was synced. Names belong to their folder and are
    /// on disk once the folder is synced.
    #[derive(Clone, Default)]
    struct UnsyncedDisk(Arc<Mutex<State>>);

    #[derive(Clone, Default)]
    struct State {
        names: HashMap<PathBuf, Vec<u8>>,
        /// The files whose bytes are not on disk, by their names.
        unsynced: HashSet<PathBuf>,
        synced: HashMap<PathBuf, Vec<u8>>,
        steps_left: Option<usize>,
    }

    impl UnsyncedDisk {
        /// Performs one step. Fails if no step is left, as after a power cut.
        fn step(&self, step: impl FnOnce(&mut State)) -> std::io::Result<()> {
            let mut state = self.0.lock().unwrap();
            match &mut state.steps_left {
                Some(0) => return Err(std::io::Error::other("no power")),
                Some(left) => *left -= 1,
                None => {}
            }
            step(&mut state);
            Ok(())
        }

        /// Returns the file found at a path after the power cut. Every folder above it must exist.
        fn read_after_power_cut(&self, root: &Path, path: &Path) -> Option<Vec<u8>> {
            let state = self.0.lock().unwrap();
            let mut above = path.parent();
            while let Some(folder) = above.filter(|folder| *folder != root) {
                state.synced.get(folder)?;
                above = folder.parent();
            }
            state.synced.get(path).cloned()
        }
    }

    impl Disk for UnsyncedDisk {
        fn create_dir(&self, path: &Path) -> std::io::Result<()> {
            self.step(|state| {
                state.names.entry(path.to_owned()).or_default();
            })
        }

        fn write(&self, path: &Path, from: &mut dyn Read) -> std::io::Result<()> {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes)?;
            self.step(|state| {
                state.names.insert(path.to_owned(), bytes);
                state.unsynced.insert(path.to_owned());
            })
        }

        fn sync(&self, path: &Path) -> std::io::Result<()> {
            self.step(|state| {
                state.unsynced.remove(path);
            })
        }

        fn rename(&self, from: &Path, to: &Path) -> std::io::Result<()> {
            self.step(|state| {
                if state.unsynced.remove(from) {
                    state.unsynced.insert(to.to_owned());
                }
                let bytes = state.names.remove(from).unwrap();
                state.names.insert(to.to_owned(), bytes);
            })
        }

        fn sync_dir(&self, path: &Path) -> std::io::Result<()> {
            self.step(|state| {
                state.synced.retain(|name, _| name.parent() != Some(path));
                let names = state.names.iter().filter(|(name, _)| name.parent() == Some(path));
                let is_lost = |name: &PathBuf| state.unsynced.contains(name);
                let names = names.map(|(name, bytes)| {
                    (name.clone(), if is_lost(name) { Vec::new() } else { bytes.clone() })
                });
                state.synced.extend(names.collect::<Vec<_>>());
            })
        }
    }

    #[test]
    fn acknowledged_writes_survive_a_power_cut() {
        let entropy = Arc::new(Entropy::seeded(1));
        let root = Path::new("/objects");
        let mut acknowledged = 0;
        for steps in 0..9 {
            let disk = UnsyncedDisk::default();
            disk.0.lock().unwrap().steps_left = Some(steps);
            let folder = Folder::with_disk(Box::new(disk.clone()), root, &entropy);
            let hash = Hash::of(b"object");
            let written = folder.write(&hash, &mut &b"object"[..]);
            let found = disk.read_after_power_cut(root, &folder.path(&hash));
            if written.is_ok() {
                acknowledged += 1;
                assert_eq!(found.as_deref(), Some(&b"object"[..]), "after {steps} steps");
            } else {
                assert!(found.is_none_or(|bytes| bytes == b"object"), "after {steps} steps");
            }
        }
        assert_eq!(acknowledged, 3);
    }
}
