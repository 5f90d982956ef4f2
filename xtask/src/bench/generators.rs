//! The programs that an import is compared with: a plain clone, and static site generators.

use super::load::program;
use super::usage::Watch;
use crate::process::Group;
use crate::workspace::find_program;
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The maximum number of pages for mdBook. It renders the whole navigation into every page and
/// takes minutes for more.
pub(super) const MDBOOK_PAGES: usize = 1000;

/// The cost of one run of another program.
pub(super) struct Run {
    pub(super) took: Duration,
    /// The peak resident memory in bytes, if a single process does the work.
    pub(super) peak: Option<u64>,
}

/// Clones a repository with its work tree.
pub(super) fn clone(url: &str, folder: &Path) -> Result<Run> {
    let mut git = Command::new(program("git", "git")?);
    git.args(["clone", "--quiet", url]).arg(folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    Ok(Run { peak: None, ..measure(&mut git)? })
}

/// Builds a site with Hugo, with minimal layouts. Returns `None` if Hugo is not installed.
pub(super) fn hugo(content: &Path, folder: &Path) -> Result<Option<Run>> {
    let Some(hugo) = find_program("hugo") else { return Ok(None) };
    let layouts = folder.join("layouts/_default");
    fs::create_dir_all(&layouts)?;
    let page = "<!DOCTYPE html><title>{{ .Title }}</title><main>{{ .Content }}</main>\n";
    fs::write(layouts.join("single.html"), page)?;
    let list = "<!DOCTYPE html><title>{{ .Title }}</title>\
        {{ range .Pages }}<a href=\"{{ .RelPermalink }}\">{{ .RelPermalink }}</a>{{ end }}\n";
    fs::write(layouts.join("list.html"), list)?;
    fs::write(
        folder.join("config.toml"),
        "baseURL = \"http://localhost/\"\ntitle = \"Pages\"\n\
         disableKinds = [\"taxonomy\", \"term\", \"RSS\"]\n",
    )?;
    let mut command = Command::new(hugo);
    command.args(["--quiet", "--source"]).arg(folder).arg("--contentDir").arg(content);
    measure(&mut command).map(Some)
}

/// Builds a book with mdBook, with all pages in its table of contents. Returns `None` if mdBook is
/// not installed.
pub(super) fn mdbook(content: &Path, folder: &Path) -> Result<Option<Run>> {
    let Some(mdbook) = find_program("mdbook") else { return Ok(None) };
    fs::create_dir_all(folder)?;
    let mut summary = "# Summary\n\n".to_owned();
    for section in sorted(content)? {
        for page in sorted(&content.join(&section))? {
            writeln!(summary, "- [{page}]({section}/{page})")?;
        }
    }
    fs::write(content.join("SUMMARY.md"), summary)?;
    let source = content.to_str().context("a path that is not UTF-8")?;
    fs::write(folder.join("book.toml"), format!("[book]\ntitle = \"Pages\"\nsrc = '{source}'\n"))?;
    let run = measure(Command::new(mdbook).arg("build").arg(folder));
    fs::remove_file(content.join("SUMMARY.md"))?;
    run.map(Some)
}

/// Updates the work tree of a clone.
pub(super) fn pull(folder: &Path) -> Result<Run> {
    let mut git = Command::new(program("git", "git")?);
    git.args(["pull", "--quiet", "--ff-only"]).current_dir(folder);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    Ok(Run { peak: None, ..measure(&mut git)? })
}

/// Builds a book with mdBook from all Markdown files of a work tree, in a flat table of contents.
/// Returns `None` if mdBook is not installed.
pub(super) fn mdbook_of(content: &Path, folder: &Path) -> Result<Option<Run>> {
    let Some(mdbook) = find_program("mdbook") else { return Ok(None) };
    let mut pages = Vec::new();
    markdown_files(content, "", &mut pages)?;
    let mut summary = "# Summary\n\n".to_owned();
    for (index, page) in pages.iter().enumerate() {
        writeln!(summary, "- [Page {index}](<{page}>)")?;
    }
    let kept = fs::read(content.join("SUMMARY.md")).ok();
    fs::write(content.join("SUMMARY.md"), summary)?;
    let source = content.to_str().context("a path that is not UTF-8")?;
    fs::write(folder.join("book.toml"), format!("[book]\ntitle = \"Pages\"\nsrc = '{source}'\n"))?;
    let run = measure(Command::new(mdbook).arg("build").arg(folder).stderr(Stdio::null()));
    match kept {
        Some(kept) => fs::write(content.join("SUMMARY.md"), kept)?,
        None => fs::remove_file(content.join("SUMMARY.md"))?,
    }
    run.map(Some)
}

/// Builds a site with VitePress. Returns `None` if VitePress is not installed.
pub(super) fn vitepress(content: &Path, folder: &Path) -> Result<Option<Run>> {
    let Some(vitepress) = find_program("vitepress") else { return Ok(None) };
    let config = content.join(".vitepress");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.mjs"), "export default { ignoreDeadLinks: true }\n")?;
    // VitePress looks for its packages beside the content.
    let installed = fs::canonicalize(&vitepress)?;
    let packages = installed.ancestors().nth(3).context("the packages of VitePress")?;
    let link = content.join("node_modules");
    std::os::unix::fs::symlink(packages, &link)?;
    let mut command = Command::new(vitepress);
    command.arg("build").arg(content).arg("--outDir").arg(folder).stderr(Stdio::null());
    let run = measure(&mut command);
    fs::remove_file(link)?;
    fs::remove_dir_all(config)?;
    run.map(Some)
}

/// Appends the paths of all Markdown files below a folder, except the table of contents.
fn markdown_files(folder: &Path, prefix: &str, pages: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            markdown_files(&entry.path(), &format!("{path}/"), pages)?;
        } else if name.ends_with(".md") && path != "SUMMARY.md" {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(())
}

/// Returns the sorted names of the visible folders, or of the pages in a folder with pages only.
fn sorted(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with("section-") || name.starts_with("page-") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn measure(command: &mut Command) -> Result<Run> {
    let name = command.get_program().to_string_lossy().into_owned();
    let start = Instant::now();
    let mut child = Group::start(command.stdin(Stdio::null()).stdout(Stdio::null()))?;
    let watch = Watch::start(child.child.id());
    let status = child.child.wait().with_context(|| format!("waiting for {name}"))?;
    let took = start.elapsed();
    ensure!(status.success(), "{name} failed");
    crate::process::check_interrupted()?;
    Ok(Run { took, peak: Some(watch.finish().peak) })
}
