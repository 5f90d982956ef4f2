//! The part of a folder that holds the content: paths relative to its root, with links resolved.

use std::io::Read;

use bindery_content::config::{self, Config};
use bindery_content::source::{self, Warning};
use bindery_content::summary::LanguageFolder;
use bindery_content::{reference, summary};
use bindery_model::Timestamp;

use super::{ImportError, ImportOptions, ImportWarning};
use crate::folder::{BlobId, Folder, FolderEntry, FolderEntryKind};

/// The name of the configuration file in the project directory.
pub(crate) const CONFIG: &str = ".gitbook.yaml";
/// Another name of the configuration file, which is read if there is none of the usual name.
const OTHER_CONFIG: &str = ".gitbook.yml";
/// The path of the variables file from the root.
pub(crate) const VARIABLES: &str = ".gitbook/vars.yaml";
/// The path of the tags file from the root.
pub(crate) const TAGS: &str = ".gitbook/tags.yaml";
const INCLUDES: &str = ".gitbook/includes/";
const ASSETS: &str = ".gitbook/assets/";
/// Files of older tools. They are pages only if the table of contents lists them.
const LEGACY: [&str; 2] = [LANGUAGES, "GLOSSARY.md"];
/// A list of folders, each of which holds one language.
pub(crate) const LANGUAGES: &str = "LANGS.md";
/// Maximum number of links that are followed to a file.
const MAX_LINKS: usize = 8;
/// Maximum bytes of a link's target.
const MAX_TARGET_BYTES: u64 = 4096;

/// A folder below the content's root. It is listed if all of it is needed, otherwise queried path
/// by path.
pub(crate) struct View<'a> {
    folder: &'a dyn Folder,
    /// The root, with a trailing slash unless it is the whole folder.
    pub(crate) prefix: String,
    project: String,
    pub(crate) config: Config,
    listing: Option<Listing<'a>>,
    pub(crate) warnings: Vec<ImportWarning>,
    /// The folders of languages, from the root of the repository.
    pub(crate) languages: Vec<LanguageFolder>,
}

struct Listing<'a> {
    /// Files by path from the root, sorted.
    files: Vec<ViewFile<'a>>,
    /// Paths of all links from the root, sorted.
    links: Vec<&'a str>,
}

/// A file of the view.
#[derive(Clone, Copy)]
pub(crate) struct ViewFile<'a> {
    /// The path from the root.
    pub(crate) path: &'a str,
    /// The entry. For a link, the entry of its target.
    pub(crate) entry: &'a FolderEntry,
}

/// The role of a file, determined by its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The configuration, the table of contents, variables or tags.
    Source,
    /// A reusable content.
    Include,
    /// A file that belongs to the content even without a reference.
    Asset,
    /// A page if the plan lists it.
    Markdown,
    /// A file if a page refers to it.
    Other,
}

impl<'a> View<'a> {
    /// Finds the content's root by the configuration, if there is one.
    pub(crate) fn open(
        folder: &'a dyn Folder,
        options: &ImportOptions,
    ) -> Result<Self, ImportError> {
        let directory = &options.project_directory;
        let project = if directory.starts_with('/') || directory.contains(['\\', '\0']) {
            None
        } else {
            reference::join("", directory)
        };
        let project = project.ok_or_else(|| ImportError::OutsideRepository(directory.clone()))?;
        let project = with_slash(&project);
        let mut view = Self {
            folder,
            prefix: project.clone(),
            project,
            config: Config::default(),
            listing: None,
            warnings: Vec::new(),
            languages: Vec::new(),
        };
        view.configure()?;
        Ok(view)
    }

    /// Lists all files.
    pub(crate) fn list(&mut self, options: &ImportOptions) -> Result<(), ImportError> {
        let entries = self.folder.entries()?;
        if entries.len() > options.limits.entries {
            return Err(ImportError::TooMany(options.limits.entries));
        }
        if !self.project.is_empty() && !has_folder(entries, &self.project) {
            return Err(ImportError::NoSuchFolder(options.project_directory.clone()));
        }
        let mut listing = Listing { files: Vec::new(), links: Vec::new() };
        let from = entries.partition_point(|entry| entry.path < self.prefix);
        for entry in entries.iter().skip(from) {
            let Some(path) = entry.path.strip_prefix(&self.prefix) else { break };
            // The configuration has a fixed path, independent of the root.
            if path.is_empty() || path == CONFIG {
                continue;
            }
            if entry.kind == FolderEntryKind::Symlink {
                listing.links.push(entry.path.get(self.prefix.len()..).unwrap_or_default());
            }
            match self.follow(entry)? {
                Ok(file) => {
                    let path = entry.path.get(self.prefix.len()..).unwrap_or_default();
                    listing.files.push(ViewFile { path, entry: file });
                }
                Err(problem) => {
                    self.warn_at(&entry.path, Warning::new(problem.message(entries)));
                }
            }
        }
        if let Some(entry) = self.config_entry()? {
            let at = listing.files.partition_point(|file| file.path < CONFIG);
            listing.files.insert(at, ViewFile { path: CONFIG, entry });
        }
        if !listing.files.iter().any(|file| is_markdown(file.path)) {
            let location = match self.prefix.trim_end_matches('/') {
                "" => "the repository".to_owned(),
                folder => format!("the folder `{folder}`"),
            };
            return Err(ImportError::Empty(location));
        }
        self.listing = Some(listing);
        Ok(())
    }

    /// Returns the paths from the root whose entries differ from those in a commit, except the
    /// configuration. Returns `None` if that commit is not available.
    pub(crate) fn changed_since(&self, commit: &str) -> Result<Option<Vec<String>>, ImportError> {
        let Some(mut paths) = self.folder.changed_since(commit)? else {
            return Ok(None);
        };
        paths.retain_mut(|path| match path.strip_prefix(&self.prefix) {
            Some(rest) if !rest.is_empty() && rest != CONFIG => {
                *path = rest.to_owned();
                true
            }
            _ => false,
        });
        Ok(Some(paths))
    }

    fn configure(&mut self) -> Result<(), ImportError> {
        let Some(entry) = self.config_entry()? else {
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

    /// Returns the entry of the configuration file. All its other users know it by its usual name.
    pub(crate) fn config_entry(&self) -> Result<Option<&'a FolderEntry>, ImportError> {
        for name in [CONFIG, OTHER_CONFIG] {
            let entry = self.folder.get(&format!("{}{name}", self.project))?;
            if let Some(entry) = entry.filter(|entry| entry.kind == FolderEntryKind::File) {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Returns all files. Empty before they are listed.
    pub(crate) fn files(&self) -> &[ViewFile<'a>] {
        self.listing.as_ref().map_or(&[], |listing| &listing.files)
    }

    /// Returns the paths of all links from the root, or `None` before they are listed.
    pub(crate) fn links(&self) -> Option<&[&'a str]> {
        self.listing.as_ref().map(|listing| &listing.links[..])
    }

    /// Returns `true` if there is a link at a path from the root.
    pub(crate) fn is_link(&self, path: &str) -> Result<bool, ImportError> {
        let entry = self.folder.get(&format!("{}{path}", self.prefix))?;
        Ok(entry.is_some_and(|entry| entry.kind == FolderEntryKind::Symlink))
    }

    /// Returns the file at a path from the root. Returns `None` before the files are listed.
    pub(crate) fn listed(&self, path: &str) -> Option<ViewFile<'a>> {
        let files = self.files();
        let at = files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        files.get(at).copied()
    }

    /// Returns the file at a path from the root.
    pub(crate) fn get(&self, path: &str) -> Result<Option<ViewFile<'a>>, ImportError> {
        if self.listing.is_some() {
            return Ok(self.listed(path));
        }
        if path == CONFIG {
            return Ok(self.config_entry()?.map(|entry| ViewFile { path: CONFIG, entry }));
        }
        let Some(entry) = self.folder.get(&format!("{}{path}", self.prefix))? else {
            return Ok(None);
        };
        let path = entry.path.get(self.prefix.len()..).unwrap_or_default();
        Ok(self.follow(entry)?.ok().map(|entry| ViewFile { path, entry }))
    }

    pub(crate) fn role(&self, path: &str) -> Role {
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

    /// Returns the paths of possible pages without a table of contents, in reading order.
    pub(crate) fn inferred_pages(&self) -> Vec<String> {
        let paths = self.files().iter().map(|file| file.path);
        let is_page = |path: &str| self.role(path) == Role::Markdown && !LEGACY.contains(&path);
        summary::infer(paths.filter(|path| is_page(path)))
    }

    /// Returns the time of the last change of a file, given by its path in the repository.
    pub(crate) fn changed_at(&self, path: &str) -> Option<Timestamp> {
        self.folder.changed_at(path)
    }

    pub(crate) fn read(&self, entry: &FolderEntry) -> Result<Vec<u8>, ImportError> {
        self.folder
            .read(entry)
            .map_err(|source| ImportError::Read { path: entry.path.clone(), source })
    }

    /// Returns the path in the repository of a new file at a path from the root.
    pub(crate) fn place_of(&self, path: &str) -> String {
        let folder = if path == CONFIG { &self.project } else { &self.prefix };
        format!("{folder}{path}")
    }

    /// Returns the content of a blob, which need not be a file of the folder. Returns `None` if the
    /// folder does not have it.
    pub(crate) fn blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        let (path, kind) = (String::new(), FolderEntryKind::File);
        self.folder.read(&FolderEntry { path, kind, blob: Some(*id), size: 0 }).ok()
    }

    /// Opens a large file.
    pub(crate) fn open_file(
        &self,
        entry: &'a FolderEntry,
    ) -> Result<Box<dyn Read + 'a>, ImportError> {
        self.folder
            .open(entry)
            .map_err(|source| ImportError::Read { path: entry.path.clone(), source })
    }

    /// Releases the resources for reading, after everything was listed and read.
    pub(crate) fn close(&self) {
        if self.listing.is_some() {
            self.folder.close();
        }
    }

    /// Adds a warning about a file, given by its path in the repository.
    pub(crate) fn warn_at(&mut self, path: &str, warning: Warning) {
        self.warnings.push(ImportWarning {
            path: path.to_owned(),
            line: warning.line,
            message: warning.message,
        });
    }

    /// Follows links to a file within the folder, or returns the reason why not.
    fn follow(
        &self,
        start: &'a FolderEntry,
    ) -> Result<Result<&'a FolderEntry, LinkProblem>, ImportError> {
        let mut entry = start;
        for _ in 0..MAX_LINKS {
            match entry.kind {
                FolderEntryKind::File => return Ok(Ok(entry)),
                FolderEntryKind::Submodule => return Ok(Err(LinkProblem::Submodule)),
                FolderEntryKind::Other => return Ok(Err(LinkProblem::Other)),
                FolderEntryKind::Symlink => match self.target(entry)? {
                    Ok(target) => entry = target,
                    Err(problem) => return Ok(Err(problem)),
                },
            }
        }
        Ok(Err(LinkProblem::Circle))
    }

    /// Returns the target of a link, or the reason why it is not followed.
    fn target(
        &self,
        link: &FolderEntry,
    ) -> Result<Result<&'a FolderEntry, LinkProblem>, ImportError> {
        if link.size > MAX_TARGET_BYTES {
            return Ok(Err(LinkProblem::Long));
        }
        let bytes = self.read(link)?;
        let Some(target) = std::str::from_utf8(&bytes).ok().filter(|t| !t.starts_with('/')) else {
            return Ok(Err(LinkProblem::Outside));
        };
        let folder = link.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let Some(path) = reference::join(folder, target) else {
            return Ok(Err(LinkProblem::Outside));
        };
        let path = path.trim_end_matches('/');
        Ok(match self.folder.get(path)? {
            Some(entry) => Ok(entry),
            None => Err(LinkProblem::Missing(path.to_owned())),
        })
    }
}

/// The reason why an entry cannot be followed to a file.
enum LinkProblem {
    Submodule,
    Other,
    Circle,
    Long,
    Outside,
    /// There is no file at this path, but possibly a folder.
    Missing(String),
}

impl LinkProblem {
    fn message(&self, entries: &[FolderEntry]) -> &'static str {
        match self {
            Self::Submodule => "The entry is a submodule; it is not followed.",
            Self::Other => "The entry is neither a file nor a folder.",
            Self::Circle => "The link is circular.",
            Self::Long => "The link's target is too long.",
            Self::Outside => "The link leads out of the repository; it is not followed.",
            Self::Missing(path) if has_folder(entries, &with_slash(path)) => {
                "The link leads to a folder; it is not followed."
            }
            Self::Missing(_) => "The link's target does not exist.",
        }
    }
}

/// Returns `true` if there are entries below a folder. `folder` has a trailing slash.
fn has_folder(entries: &[FolderEntry], folder: &str) -> bool {
    let at = entries.partition_point(|entry| entry.path.as_str() < folder);
    entries.get(at).is_some_and(|entry| entry.path.starts_with(folder))
}

fn with_slash(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" => String::new(),
        path => format!("{path}/"),
    }
}

pub(crate) fn is_markdown(path: &str) -> bool {
    reference::is_markdown(&path.to_ascii_lowercase())
}
