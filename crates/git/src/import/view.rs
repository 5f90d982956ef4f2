//! The part of a folder that holds the content: paths from its root, links resolved.

use bindery_content::config::{self, Config};
use bindery_content::source::{self, Warning};
use bindery_content::{reference, summary};

use super::{ImportError, ImportOptions, ImportWarning};
use crate::folder::{Folder, FolderEntry, FolderEntryKind};

/// The configuration's name in the project directory.
pub(super) const CONFIG: &str = ".gitbook.yaml";
/// The file of variables, from the root.
pub(super) const VARIABLES: &str = ".gitbook/vars.yaml";
/// The file of tags, from the root.
pub(super) const TAGS: &str = ".gitbook/tags.yaml";
const INCLUDES: &str = ".gitbook/includes/";
const ASSETS: &str = ".gitbook/assets/";
/// How many links one may lead through.
const LINKS: usize = 8;
/// The longest target of a link, in bytes.
const LINK_BYTES: u64 = 4096;

/// A folder below its root.
pub(super) struct View<'a> {
    folder: &'a dyn Folder,
    /// The root, ending in a slash unless it is the whole folder.
    pub(super) prefix: String,
    project: String,
    pub(super) config: Config,
    /// Files by path from the root, sorted.
    pub(super) files: Vec<ViewFile<'a>>,
    pub(super) warnings: Vec<ImportWarning>,
}

/// A file of the view.
#[derive(Clone, Copy)]
pub(super) struct ViewFile<'a> {
    /// Path from the root.
    pub(super) path: &'a str,
    /// Its bytes; of a link, those of the file that it leads to.
    pub(super) entry: &'a FolderEntry,
}

/// What a path says about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The configuration, the table of contents, variables or tags.
    Source,
    /// A reusable content.
    Include,
    /// Belongs to the content even if no page refers to it.
    Asset,
    /// A page, if the plan lists it.
    Markdown,
    /// A file, if a page refers to it.
    Other,
}

impl<'a> View<'a> {
    pub(super) fn open(
        folder: &'a dyn Folder,
        options: &ImportOptions,
    ) -> Result<Self, ImportError> {
        let named = &options.project_directory;
        let project = if named.starts_with('/') || named.contains(['\\', '\0']) {
            None
        } else {
            reference::join("", named)
        };
        let project = project.ok_or_else(|| ImportError::Climbs(named.clone()))?;
        let project = with_slash(&project);
        let entries = folder.entries();
        if entries.len() > options.limits.entries {
            return Err(ImportError::TooMany(options.limits.entries));
        }
        let mut view = Self {
            folder,
            prefix: project.clone(),
            project,
            config: Config::default(),
            files: Vec::new(),
            warnings: Vec::new(),
        };
        if !view.project.is_empty() && !entries.iter().any(|e| e.path.starts_with(&view.project)) {
            return Err(ImportError::NoSuchFolder(named.clone()));
        }
        view.configure()?;
        for entry in entries {
            let prefix = view.prefix.len();
            if entry.path.starts_with(&view.prefix)
                && let Some(path) = entry.path.get(prefix..).filter(|path| !path.is_empty())
                && let Some(entry) = view.resolve(entry)?
            {
                view.files.push(ViewFile { path, entry });
            }
        }
        // The configuration counts under its own name, wherever the root is.
        view.files.retain(|file| file.path != CONFIG);
        view.files.extend(view.config_entry().map(|entry| ViewFile { path: CONFIG, entry }));
        view.files.sort_unstable_by_key(|file| file.path);
        view.files.dedup_by_key(|file| file.path);
        if !view.files.iter().any(|file| is_markdown(file.path)) {
            let place = match view.prefix.trim_end_matches('/') {
                "" => "the repository".to_owned(),
                folder => format!("the folder `{folder}`"),
            };
            return Err(ImportError::Empty(place));
        }
        Ok(view)
    }

    fn configure(&mut self) -> Result<(), ImportError> {
        let Some(entry) = self.config_entry() else {
            return Ok(());
        };
        let bytes = self.read(entry)?;
        let (config, warnings) = config::parse(&source::decode(&bytes));
        let path = entry.path.clone();
        for warning in warnings {
            self.warn_at(&path, warning);
        }
        self.prefix = with_slash(&format!("{}{}", self.project, config.root));
        self.config = config;
        Ok(())
    }

    /// The configuration, if there is one.
    pub(super) fn config_entry(&self) -> Option<&'a FolderEntry> {
        let path = format!("{}{CONFIG}", self.project);
        let entry = find(self.folder.entries(), &path)?;
        (entry.kind == FolderEntryKind::File).then_some(entry)
    }

    /// The file of this path from the root.
    pub(super) fn get(&self, path: &str) -> Option<ViewFile<'a>> {
        let at = self.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        self.files.get(at).copied()
    }

    pub(super) fn role(&self, path: &str) -> Role {
        if path == self.config.summary || matches!(path, CONFIG | VARIABLES | TAGS) {
            Role::Source
        } else if path.starts_with(ASSETS) {
            Role::Asset
        } else if !is_markdown(path) {
            Role::Other
        } else if path.starts_with(INCLUDES) {
            Role::Include
        } else {
            Role::Markdown
        }
    }

    /// Paths of what may be a page without a table of contents, in reading order.
    pub(super) fn inferred(&self) -> Vec<String> {
        let paths = self.files.iter().map(|file| file.path);
        summary::infer(paths.filter(|path| self.role(path) == Role::Markdown))
    }

    pub(super) fn read(&self, entry: &FolderEntry) -> Result<Vec<u8>, ImportError> {
        self.folder
            .read(entry)
            .map_err(|source| ImportError::Read { path: entry.path.clone(), source })
    }

    /// Adds a warning about a file, given by its path in the repository.
    pub(super) fn warn_at(&mut self, path: &str, warning: Warning) {
        self.warnings.push(ImportWarning {
            path: path.to_owned(),
            line: warning.line,
            message: warning.message,
        });
    }

    /// Follows links to a file within the folder.
    fn resolve(&mut self, named: &'a FolderEntry) -> Result<Option<&'a FolderEntry>, ImportError> {
        let mut entry = named;
        for _ in 0..LINKS {
            let problem = match entry.kind {
                FolderEntryKind::File => return Ok(Some(entry)),
                FolderEntryKind::Submodule => "Another repository; it is not followed.",
                FolderEntryKind::Other => "Neither a file nor a folder.",
                FolderEntryKind::Symlink => match self.target(entry)? {
                    Ok(target) => {
                        entry = target;
                        continue;
                    }
                    Err(problem) => problem,
                },
            };
            self.warn_at(&named.path, Warning::new(problem));
            return Ok(None);
        }
        self.warn_at(&named.path, Warning::new("A link that leads in circles."));
        Ok(None)
    }

    /// Where a link leads, or why that is not followed.
    fn target(
        &self,
        link: &FolderEntry,
    ) -> Result<Result<&'a FolderEntry, &'static str>, ImportError> {
        if link.size > LINK_BYTES {
            return Ok(Err("A link whose target is too long."));
        }
        let bytes = self.read(link)?;
        let Some(target) = std::str::from_utf8(&bytes).ok().filter(|t| !t.starts_with('/')) else {
            return Ok(Err("A link that leads out of the repository; it is not followed."));
        };
        let folder = link.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(path) = reference::join(folder, target) else {
            return Ok(Err("A link that leads out of the repository; it is not followed."));
        };
        let entries = self.folder.entries();
        let path = path.trim_end_matches('/');
        if let Some(entry) = find(entries, path) {
            return Ok(Ok(entry));
        }
        let inside = with_slash(path);
        let at = entries.partition_point(|entry| entry.path < inside);
        let is_folder = entries.get(at).is_some_and(|entry| entry.path.starts_with(&inside));
        Ok(Err(if is_folder {
            "A link to a folder; it is not followed."
        } else {
            "A link to something that is not there."
        }))
    }
}

fn find<'a>(entries: &'a [FolderEntry], path: &str) -> Option<&'a FolderEntry> {
    let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
    entries.get(at)
}

fn with_slash(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" => String::new(),
        path => format!("{path}/"),
    }
}

pub(super) fn is_markdown(path: &str) -> bool {
    reference::is_markdown(&path.to_ascii_lowercase())
}
