//! The files of the index, without waiting for the disk.
//!
//! A process that is killed loses nothing that it has written. After a power failure files may be
//! incomplete: they lack their footers, which is noticed when the index is opened. The index is
//! derived from the content, so it is built again then, and every change is visible sooner.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

/// A folder whose files are mapped into memory and not synchronised with the disk.
#[derive(Debug, Clone)]
pub(crate) struct UnsyncedDirectory {
    mapped: MmapDirectory,
    folder: PathBuf,
}

impl UnsyncedDirectory {
    pub(crate) fn open(folder: &Path) -> tantivy::Result<Self> {
        Ok(Self { mapped: MmapDirectory::open(folder)?, folder: folder.to_owned() })
    }
}

struct UnsyncedFile(File);

impl Write for UnsyncedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for UnsyncedFile {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.flush()
    }
}

impl Directory for UnsyncedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.mapped.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.mapped.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.mapped.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = OpenOptions::new().write(true).create_new(true).open(self.folder.join(path));
        match opened {
            Ok(file) => Ok(BufWriter::new(Box::new(UnsyncedFile(file)))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.mapped.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // A thread of an index that was dropped before may write the same file at the same time.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let path = self.folder.join(path);
        let mut temporary = path.clone().into_os_string();
        temporary.push(format!(".{}.new", NEXT.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&temporary, bytes)?;
        std::fs::rename(&temporary, &path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.mapped.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.mapped.watch(callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_be_written_by_two_threads_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let directory = UnsyncedDirectory::open(folder.path()).unwrap();
        let path = Path::new("meta.json");
        let write = || (0..500).try_for_each(|_| directory.atomic_write(path, &[b'x'; 100]));
        std::thread::scope(|scope| {
            let other = scope.spawn(write);
            write().unwrap();
            other.join().unwrap().unwrap();
        });
        assert_eq!(directory.atomic_read(path).unwrap(), [b'x'; 100]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
