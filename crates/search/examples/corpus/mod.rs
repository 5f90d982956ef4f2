//! The pages of real repositories as entries of the index.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bindery_content::reference::NoLookup;
use bindery_content::summary::{self, Entry, EntryKind};
use bindery_content::{Page, ParseContext, markdown, source, text};
use bindery_model::{Entropy, PageId, SpaceId};
use bindery_search::{PageEntry, Section, sections};

/// The spaces with their languages, which the benchmark of the search reads, too.
const SPACES: &str = include_str!("../../../../xtask/data/search-spaces.tsv");

/// A space of the corpus.
pub(crate) struct CorpusSpace {
    /// The folder of the space in the corpus.
    pub(crate) name: String,
    pub(crate) id: SpaceId,
    pub(crate) pages: Vec<PageEntry>,
}

/// Reads the spaces of the corpus.
pub(crate) fn read(folder: &Path) -> Vec<CorpusSpace> {
    let entropy = Entropy::seeded(1);
    let mut spaces = Vec::new();
    for line in SPACES.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, language)) = line.split_once('\t') else { continue };
        let root = folder.join(name);
        let mut files = Vec::new();
        collect(&root, &mut files);
        files.sort();
        let mut pages = Vec::new();
        for file in files {
            let Ok(content) = std::fs::read(&file) else { continue };
            let path = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
            pages.push(entry(&path, &content, language, PageId::random(&entropy)));
        }
        add_titles(&root, &mut pages);
        if !pages.is_empty() {
            let name = name.to_owned();
            spaces.push(CorpusSpace { name, id: SpaceId::random(&entropy), pages });
        }
    }
    spaces
}

/// Returns the path of a page for a Markdown file: `a/README.md` becomes `a`.
fn page_path(file: &str) -> String {
    let path = file.strip_suffix(".md").unwrap_or(file);
    match path.strip_suffix("README") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
            folder.trim_end_matches('/').to_owned()
        }
        _ => path.to_owned(),
    }
}

fn entry(file: &str, content: &[u8], language: &str, id: PageId) -> PageEntry {
    let content = source::decode(content);
    let parts = Page::split(&content);
    let (metadata, _) = parts.metadata(&content);
    let document =
        markdown::parse(parts.body.of(&content), &ParseContext { path: file, lookup: &NoLookup });
    let mut found: Vec<Section> = sections(&document, &|_| None, &|_| None);
    if found.is_empty() {
        found.push(Section { text: text::plain(&document), ..Section::default() });
    }
    let path = page_path(file);
    let title = parts.title.map(|title| title.text).filter(|title| !title.is_empty());
    PageEntry {
        id,
        title: title.unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default().to_owned()),
        path,
        description: metadata.description.unwrap_or_default(),
        ancestors: Vec::new(),
        language: Some(language.to_owned()),
        boost: 1.0,
        conditions: Vec::new(),
        sections: found,
    }
}

/// Takes the titles and the ancestors of pages from the tables of contents, as an import does.
fn add_titles(root: &Path, pages: &mut [PageEntry]) {
    let Ok(content) = std::fs::read_to_string(root.join("SUMMARY.md")) else { return };
    let mut titles = HashMap::new();
    walk(&summary::parse(&content, "SUMMARY.md").entries, &mut Vec::new(), &mut titles);
    for page in pages {
        if let Some((title, ancestors)) = titles.remove(&page.path) {
            if !title.is_empty() {
                page.title = title;
            }
            page.ancestors = ancestors;
        }
    }
}

fn walk(
    entries: &[Entry],
    above: &mut Vec<String>,
    titles: &mut HashMap<String, (String, Vec<String>)>,
) {
    for entry in entries {
        if let EntryKind::Page { path } = &entry.kind {
            titles.insert(page_path(path), (entry.title.clone(), above.clone()));
        }
        above.push(entry.title.clone());
        walk(&entry.children, above, titles);
        above.pop();
    }
}

/// Collects the Markdown files that are pages.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if path.is_dir() {
            if name != ".gitbook" {
                collect(&path, files);
            }
        } else if name.ends_with(".md") && !matches!(name.as_ref(), "SUMMARY.md" | "LANGS.md") {
            files.push(path);
        }
    }
}
