//! `bindery content print`: reads and prints every Markdown file of a folder, to verify that files
//! are preserved.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use bindery_content::document::{Block, BlockKind, Document, OpaqueKind, Visit};
use bindery_content::print::random_edit::{Rng, any_edit};
use bindery_content::print::{PrintContext, print_page, print_page_edited};
use bindery_content::reference::{Lookup, Names};
use bindery_content::source::{decode, restore};
use bindery_content::{Page, markdown};
use clap::Args;
use serde::Serialize;

use crate::output::{Output, OutputArgs};

/// Arguments of `bindery content print`.
#[derive(Debug, Args)]
pub(crate) struct PrintArgs {
    /// Folder with the Markdown files.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Folder for the printed files and `report.json`.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Prints in the canonical style.
    #[arg(long)]
    canonical: bool,
    /// Makes one edit in each file, selected by this number.
    #[arg(long, value_name = "SEED")]
    edits: Option<u64>,
    #[command(flatten)]
    output: OutputArgs,
}

/// The content of `report.json`.
#[derive(Debug, Default, Serialize)]
struct Report {
    files: usize,
    bytes: usize,
    opaque: usize,
    edits: Vec<EditReport>,
}

/// An edit in the report.
#[derive(Debug, Serialize)]
struct EditReport {
    file: String,
    kind: &'static str,
    lines: [usize; 2],
}

pub(crate) fn run(args: &PrintArgs) -> Result<()> {
    let root = fs::canonicalize(&args.folder)
        .with_context(|| format!("cannot read the folder {}", args.folder.display()))?;
    ensure!(root.is_dir(), "{} is not a folder", args.folder.display());
    fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create the folder {}", args.out.display()))?;
    let out = fs::canonicalize(&args.out)
        .with_context(|| format!("cannot read the folder {}", args.out.display()))?;
    ensure!(
        !root.starts_with(&out),
        "printed files would overwrite those in {}: choose another output folder than {}",
        args.folder.display(),
        args.out.display()
    );
    let mut folder = Folder::default();
    collect(&root, &root, &out, &mut folder);
    let mut report = Report::default();
    let mut skipped = std::mem::take(&mut folder.skipped);
    for (name, path) in &folder.files {
        if !is_markdown(name) {
            continue;
        }
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                skipped.push(format!("{name}: {error}"));
                continue;
            }
        };
        let printed = print(args, &folder, name, &bytes, &mut report);
        let relative = path.strip_prefix(&root).unwrap_or(path);
        let target = out.join(relative);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create the folder {}", parent.display()))?;
        }
        fs::write(&target, printed)
            .with_context(|| format!("cannot write {}", target.display()))?;
    }
    let text = serde_json::to_string_pretty(&report)? + "\n";
    let path = out.join("report.json");
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let Report { files, bytes, opaque, edits } = &report;
    let mut output = Output::new(args.output);
    for file in &skipped {
        output.line(format!("skipped: {file}"));
    }
    output.line(format!(
        "{files} files, {bytes} bytes, {opaque} opaque blocks, {} edits: {}",
        edits.len(),
        path.display()
    ));
    output.member("files", *files).member("bytes", *bytes).member("opaque", *opaque);
    output.member("edits", edits.len()).member("skipped", skipped);
    output.member("report", path.to_string_lossy());
    output.print();
    Ok(())
}

/// Prints one file as the arguments specify.
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
    let edit = |seed| any_edit(body.of(&source), &before, &mut Rng::new(seed, name));
    let trial = args.edits.and_then(edit);
    if let Some(trial) = &trial {
        let lines = trial.lines(&source, body.start);
        report.edits.push(EditReport { file: name.to_owned(), kind: trial.kind.name(), lines });
    }
    let after = trial.as_ref().map_or(&before, |trial| &trial.document);
    let printed = if args.canonical {
        print_page(&source, after, &context)
    } else {
        print_page_edited(&source, &before, after, &context)
    };
    restore(bytes, &source, &printed)
}

/// Returns the number of blocks with unknown syntax.
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

/// The files of a folder by their relative paths, which also serve as their ids.
#[derive(Debug, Default)]
struct Folder {
    files: BTreeMap<String, PathBuf>,
    /// Files and folders that are not read, each with the reason.
    skipped: Vec<String>,
}

/// Collects the files below a folder, except those in `out` and `.git` and behind symbolic links.
fn collect(root: &Path, folder: &Path, out: &Path, found: &mut Folder) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return found.skipped.push(format!("{}: {error}", folder.display())),
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
            _ if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md")) => {
                found.skipped.push(format!("{}: it is not a regular file", path.display()));
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
        // Assets may be missing: the folder can be one that contains only printed Markdown files.
        let is_asset = !is_markdown(path) && path.contains(".gitbook/assets/");
        is_asset.then(|| path.to_owned()).or_else(|| self.known(path, !is_markdown(path)))
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
        Some(file.to_owned())
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        self.known(reusable_content, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder with these files, and arguments that print it to another folder.
    fn folders(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PrintArgs) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join("in").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let args = PrintArgs {
            folder: folder.path().join("in"),
            out: folder.path().join("out"),
            canonical: false,
            edits: None,
            output: OutputArgs::default(),
        };
        (folder, args)
    }

    fn report(args: &PrintArgs) -> serde_json::Value {
        run(args).unwrap();
        serde_json::from_slice(&fs::read(args.out.join("report.json")).unwrap()).unwrap()
    }

    #[test]
    fn files_are_preserved() {
        let files: [(&str, &[u8]); 5] = [
            ("README.md", b"\xEF\xBB\xBF# T\r\n\r\n__a__"),
            ("a b/c.MD", b"x \xFF\n"),
            ("d.markdown", b"{% own %}\n"),
            ("empty.md", b""),
            ("picture.png", b"x"),
        ];
        let (_folder, args) = folders(&files);
        let report = report(&args);
        for (name, bytes) in &files[..4] {
            assert_eq!(fs::read(args.out.join(name)).unwrap(), *bytes, "{name}");
        }
        assert!(!args.out.join("picture.png").exists());
        let expected = serde_json::json!({ "files": 4, "bytes": 29, "opaque": 1, "edits": [] });
        assert_eq!(report, expected);
    }

    #[test]
    fn an_edit_is_reported_with_its_lines() {
        let (_folder, mut args) = folders(&[("a.md", b"---\nicon: x\n---\n\n# T\n\n__a__ b\n")]);
        let mut kinds = Vec::new();
        for seed in 0..20 {
            args.edits = Some(seed);
            let report = report(&args);
            let edit = &report["edits"][0];
            assert_eq!(
                (&edit["file"], &edit["lines"]),
                (&"a.md".into(), &[7, 7].as_slice().into())
            );
            let printed = fs::read_to_string(args.out.join("a.md")).unwrap();
            assert!(printed.starts_with("---\nicon: x\n---\n\n# T\n\n__"), "{printed}");
            kinds.push(edit["kind"].as_str().unwrap().to_owned());
        }
        kinds.sort();
        kinds.dedup();
        assert_eq!(kinds, ["insert", "word"]);
    }

    #[test]
    fn source_files_are_not_overwritten() {
        let (folder, args) = folders(&[("a.md", b"__a__\n")]);
        for out in [args.folder.clone(), folder.path().to_owned()] {
            let args = PrintArgs { folder: args.folder.clone(), out, canonical: true, ..args };
            let refused = run(&args).unwrap_err().to_string();
            assert!(refused.contains("would overwrite"), "{refused}");
        }
        let within = PrintArgs { out: args.folder.join("out"), canonical: true, ..args };
        assert_eq!(
            (report(&within)["files"].clone(), report(&within)["files"].clone()),
            (1.into(), 1.into())
        );
        assert_eq!(fs::read(within.folder.join("a.md")).unwrap(), b"__a__\n");
        let missing = PrintArgs { folder: folder.path().join("none"), ..within };
        assert!(run(&missing).unwrap_err().to_string().contains("cannot read the folder"));
    }
}
