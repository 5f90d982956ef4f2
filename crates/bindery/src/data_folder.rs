//! The rights of the data folder: its files belong to the server's own user and to nobody else.

use std::path::Path;

use anyhow::{Context as _, Result};

/// Opens the data folder for the server's own user alone, and creates it if it is missing.
///
/// Files and folders that this process and its children make from now on have no rights for other
/// users, whatever the umask was before. A folder that an earlier version or somebody else made
/// with wider rights is narrowed, with everything in it, and the log says so.
///
/// # Errors
/// When the folder cannot be made, or belongs to another user and is open to others.
pub(crate) fn prepare(folder: &Path) -> Result<()> {
    private::restrict_new_files();
    private::create(folder)
        .with_context(|| format!("cannot make the data folder {}", folder.display()))?;
    let narrowed = private::narrow(folder).with_context(|| {
        format!(
            "the data folder {} is open to other users of this machine, and its rights cannot be \
             changed: let the server's user own it, or name a folder inside it with --data",
            folder.display()
        )
    })?;
    if narrowed > 0 {
        tracing::warn!(
            folder = %folder.display(),
            narrowed,
            "other users of this machine could read the data folder: its rights are narrowed to \
             its owner; if others had accounts here, replace the sealing key and the tokens"
        );
    }
    Ok(())
}

#[cfg(unix)]
mod private {
    use std::fs::{DirBuilder, Metadata, Permissions};
    use std::io::{ErrorKind, Result};
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    use std::path::{Path, PathBuf};

    use rustix::fs::Mode;

    /// Rights of the group and of all others.
    const OTHERS: u32 = 0o077;

    pub(super) fn restrict_new_files() {
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }

    pub(super) fn create(folder: &Path) -> Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Takes the rights of others from the folder and what is in it; the number of entries that
    /// had some. In a folder that was closed, and whose own entries are closed, nothing is open.
    pub(super) fn narrow(folder: &Path) -> Result<usize> {
        let mut narrowed = usize::from(close(folder, &std::fs::metadata(folder)?)?);
        let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
        let mut is_top = true;
        while let Some(folder) = folders.pop() {
            let entries = match std::fs::read_dir(&folder) {
                // Another user's folder inside ours, such as a volume's lost+found.
                Err(error) if !is_top && error.kind() == ErrorKind::PermissionDenied => continue,
                entries => entries?,
            };
            for entry in entries {
                let path = entry?.path();
                let found = match std::fs::symlink_metadata(&path) {
                    // Temporary files come and go.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    found => found?,
                };
                if found.is_symlink() {
                    continue;
                }
                // Nobody else comes near what cannot be closed: the folder around it is.
                narrowed += usize::from(close(&path, &found).unwrap_or(false));
                if found.is_dir() {
                    folders.push(path);
                }
            }
            if is_top && narrowed == 0 {
                break;
            }
            is_top = false;
        }
        Ok(narrowed)
    }

    /// Returns whether the entry was open to others.
    fn close(path: &Path, found: &Metadata) -> Result<bool> {
        let mode = found.permissions().mode();
        if mode & OTHERS == 0 {
            return Ok(false);
        }
        std::fs::set_permissions(path, Permissions::from_mode(mode & 0o7777 & !OTHERS))?;
        Ok(true)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn mode(path: &Path) -> u32 {
            std::fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn an_open_folder_is_closed_with_all_that_is_in_it() {
            let folder = tempfile::tempdir().unwrap();
            let outside = folder.path().join("outside");
            let data = folder.path().join("data");
            std::fs::create_dir_all(data.join("objects/ab")).unwrap();
            for file in [outside.as_path(), &data.join("db"), &data.join("objects/ab/cd")] {
                std::fs::write(file, "x").unwrap();
                std::fs::set_permissions(file, Permissions::from_mode(0o644)).unwrap();
            }
            for dir in [data.as_path(), &data.join("objects"), &data.join("objects/ab")] {
                std::fs::set_permissions(dir, Permissions::from_mode(0o755)).unwrap();
            }
            std::os::unix::fs::symlink(&outside, data.join("link")).unwrap();
            assert_eq!(narrow(&data).unwrap(), 5);
            for (path, expect) in
                [("", 0o700), ("db", 0o600), ("objects/ab", 0o700), ("objects/ab/cd", 0o600)]
            {
                assert_eq!(mode(&data.join(path)), expect, "{path}");
            }
            // Nothing that a link leads to is touched.
            assert_eq!(mode(&outside), 0o644);
            assert_eq!(narrow(&data).unwrap(), 0);
        }

        #[test]
        fn a_new_folder_is_closed() {
            let folder = tempfile::tempdir().unwrap();
            let data = folder.path().join("a/b");
            create(&data).unwrap();
            create(&data).unwrap();
            assert_eq!(mode(&data), 0o700);
        }
    }
}

#[cfg(not(unix))]
mod private {
    use std::io::Result;
    use std::path::Path;

    pub(super) fn restrict_new_files() {}

    pub(super) fn create(folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)
    }

    pub(super) fn narrow(_: &Path) -> Result<usize> {
        Ok(0)
    }
}
