//! The permissions of the data folder: only the server's own user has access.

use std::path::Path;

use anyhow::{Context as _, Result};

/// Creates the data folder if it is missing, and restricts it to the server's own user.
///
/// Files and folders that this process and its children create from now on have no permissions for
/// other users, regardless of the umask. If an existing folder has wider permissions, they are
/// removed from it and from everything in it, and a warning is logged.
///
/// # Errors
/// Returns an error if the folder cannot be created, or if it is open to others and owned by
/// another user.
pub(crate) fn prepare(folder: &Path) -> Result<()> {
    private::restrict_new_files();
    private::create(folder)
        .with_context(|| format!("cannot create the data folder {}", folder.display()))?;
    let narrowed = private::narrow(folder).with_context(|| {
        format!(
            "the data folder {} is open to other users of this machine, and its permissions \
             cannot be changed: make the server's user its owner, or name a folder inside it \
             with --data",
            folder.display()
        )
    })?;
    if narrowed > 0 {
        tracing::warn!(
            folder = %folder.display(),
            narrowed,
            "the data folder was open to other users of this machine and is now restricted to \
             its owner; if others have accounts here, replace the sealing key and the tokens"
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

    /// The permissions of the group and of all other users.
    const OTHERS: u32 = 0o077;

    pub(super) fn restrict_new_files() {
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
    }

    pub(super) fn create(folder: &Path) -> Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }

    /// Removes the permissions of others from the folder and its contents, and returns the number
    /// of entries that were changed. If neither the folder nor its direct entries are open, deeper
    /// entries are not accessible and are not checked.
    pub(super) fn narrow(folder: &Path) -> Result<usize> {
        let mut narrowed = usize::from(close(folder, &std::fs::metadata(folder)?)?);
        let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
        let mut is_top = true;
        while let Some(folder) = folders.pop() {
            let entries = match std::fs::read_dir(&folder) {
                // A folder of another user inside the data folder, such as lost+found of a volume.
                Err(error) if !is_top && error.kind() == ErrorKind::PermissionDenied => continue,
                entries => entries?,
            };
            for entry in entries {
                let path = entry?.path();
                let found = match std::fs::symlink_metadata(&path) {
                    // Temporary files may have been removed since the folder was listed.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    found => found?,
                };
                if found.is_symlink() {
                    continue;
                }
                // An entry that cannot be changed is still protected by the folder around it.
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

    /// Returns `true` if the entry was open to others.
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
        fn an_existing_folder_and_its_contents_are_restricted() {
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
            // Targets of symbolic links are not changed.
            assert_eq!(mode(&outside), 0o644);
            assert_eq!(narrow(&data).unwrap(), 0);
        }

        #[test]
        fn a_new_folder_is_private() {
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
