//! `bindery content print`: reads every Markdown file of a folder and prints it again, so that
//! anyone can compare.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use bindery_content::document::{Block, BlockKind, Document, OpaqueKind, Visit};
use bindery_content::print::trial::{Chance, any_edit};
use bindery_content::print::{PrintContext, print_page, print_page_edited};
use bindery_content::reference::{Lookup, Names};
use bindery_content::source::{decode, restore};
use bindery_content::{Page, markdown};
use clap::Args;
use serde::Serialize;

use crate::serve::say;

/// What `bindery content print` takes.
#[derive(Debug, Args)]
pub(crate) struct PrintArgs {
    /// The folder.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The folder for the printed files and `report.json`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Prints in the canonical style.
    #[arg(long)]
    canonical: bool,
    /// Makes one edit in each file, chosen by this number.
    #[arg(long, value_name = "SEED")]
    edits: Option<u64>,
}

/// What was printed.
#[derive(Debug, Default, Serialize)]
struct Report {
    files: usize,
    bytes: usize,
    opaque: usize,
    edits: Vec<EditReport>,
}

/// An edit that was made.
#[derive(Debug, Serialize)]
struct EditReport {
    file: String,
    kind: &'static str,
    lines: [usize; 2],
}

pub(crate) fn run(args: &PrintArgs) -> Result<()> {
    ensure!(args.folder.is_dir(), "{} is not a folder", args.folder.display());
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let out = fs::canonicalize(&args.out)?;
    let mut folder = Folder::default();
    collect(&args.folder, &args.folder, &out, &mut folder);
    let mut report = Report::default();
    for (name, path) in &folder.files {
        if !is_markdown(name) {
            continue;
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                say(&format!("left out: {name}: {error}"));
                continue;
            }
        };
        let printed = print(args, &folder, name, &bytes, &mut report);
        let relative = path.strip_prefix(&args.folder).unwrap_or(path);
        let target = out.join(relative);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot make the folder {}", parent.display()))?;
        }
        fs::write(&target, printed)
            .with_context(|| format!("cannot write {}", target.display()))?;
    }
    let text = serde_json::to_string_pretty(&report)? + "\n";
    let path = out.join("report.json");
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let Report { files, bytes, opaque, edits } = &report;
    say(&format!(
        "{files} files, {bytes} bytes, {opaque} opaque blocks, {} edits: {}",
        edits.len(),
        path.display()
    ));
    Ok(())
}

/// One file printed, as the arguments ask for it.
fn print(
    args: &PrintArgs,
    folder: &Folder,
    name: &str,
    bytes: &[u8],
    report: &mut Report,
) -> Vec<u8> {
    let source = decode(bytes);
    let body = Page::split(&source).body;
    let context = PrintContext { path: name, lookup: folder, names: folder };
    let before = markdown::parse(body.of(&source), &context.reader());
    report.files += 1;
    report.bytes += bytes.len();
    report.opaque += opaque(&before);
    let trial = args.edits.and_then(|seed| any_edit(&before, &mut Chance::new(seed, name)));
    if let Some(trial) = &trial {
        let line = |at: usize| source.get(..at).unwrap_or_default().matches('\n').count() + 1;
        let place = trial.reach.shifted(body.start);
        let end = place.start + place.of(&source).trim_end().len();
        report.edits.push(EditReport {
            file: name.to_owned(),
            kind: trial.kind.name(),
            lines: [line(place.start), line(end)],
        });
    }
    let after = trial.as_ref().map_or(&before, |trial| &trial.document);
    let printed = if args.canonical {
        print_page(&source, after, &context)
    } else {
        print_page_edited(&source, &before, after, &context)
    };
    restore(bytes, &source, &printed)
}

/// How many blocks were not understood.
fn opaque(document: &Document) -> usize {
    struct Count(usize);
    impl<'d> Visit<'d> for Count {
        fn block(&mut self, block: &'d Block) {
            if let BlockKind::Opaque(opaque) = &block.kind {
                self.0 += usize::from(opaque.block == OpaqueKind::Unknown);
            }
        }
    }
    let mut count = Count(0);
    document.walk(&mut count);
    count.0
}

fn is_markdown(name: &str) -> bool {
    bindery_content::reference::is_markdown(&name.to_ascii_lowercase())
}

/// The files of a folder by their paths in it, which are their ids too.
#[derive(Debug, Default)]
struct Folder {
    files: BTreeMap<String, PathBuf>,
}

/// Finds files, but for those of `out`, of Git, and behind links.
fn collect(root: &Path, folder: &Path, out: &Path, found: &mut Folder) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return say(&format!("left out: {}: {error}", folder.display())),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                let is_own = fs::canonicalize(&path).is_ok_and(|path| path == out);
                if !is_own && entry.file_name() != ".git" {
                    collect(root, &path, out, found);
                }
            }
            Ok(kind) if kind.is_file() => {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                let parts = relative.components().map(|part| part.as_os_str().to_string_lossy());
                let name = parts.collect::<Vec<_>>().join("/");
                found.files.insert(name, path);
            }
            _ => {}
        }
    }
}

impl Folder {
    fn known(&self, path: &str, is_wanted: bool) -> Option<String> {
        (is_wanted && self.files.contains_key(path)).then(|| path.to_owned())
    }
}

impl Lookup for Folder {
    fn page(&self, path: &str) -> Option<String> {
        self.known(path, is_markdown(path) && !path.contains(".gitbook/includes/"))
    }
    fn file(&self, path: &str) -> Option<String> {
        self.known(path, !is_markdown(path))
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        self.known(path, is_markdown(path) && path.contains(".gitbook/includes/"))
    }
}

impl Names for Folder {
    fn page_path(&self, page: &str) -> Option<String> {
        self.known(page, true)
    }
    fn file_path(&self, file: &str) -> Option<String> {
        self.known(file, true)
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.known(reusable_content, true)
    }
}
