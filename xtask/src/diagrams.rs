//! `cargo xtask diagrams`: packs the library that draws diagrams into the data file of the site.
//!
//! The library is the package `mermaid` of the npm registry, unpacked with `npm pack` and `tar`. The
//! archive contains the module that the site loads and all modules that it can import.

use anyhow::{Context, Result, ensure};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The module that the site loads, in the folder `dist` of the package.
const ENTRY: &str = "mermaid.esm.min.mjs";

#[derive(Args)]
pub(crate) struct Options {
    /// The unpacked package `mermaid`
    #[arg(long)]
    mermaid: PathBuf,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let folder = options.mermaid.join("dist");
    let mut modules = BTreeMap::new();
    let mut waiting = vec![PathBuf::from(ENTRY)];
    while let Some(path) = waiting.pop() {
        if modules.contains_key(&path) {
            continue;
        }
        let file = folder.join(&path);
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        // Source maps are not part of the archive.
        let text = text.split_once("\n//# sourceMappingURL=").map_or(&*text, |(text, _)| text);
        for import in imports(text) {
            waiting.push(joined(path.parent().unwrap_or(Path::new("")), import)?);
        }
        modules.insert(path, format!("{text}\n"));
    }
    // The list of names and lengths, an empty line, and the modules.
    let mut archive = String::new();
    for (path, text) in &modules {
        archive.push_str(&format!("{} {}\n", path.display(), text.len()));
    }
    archive.push('\n');
    for text in modules.values() {
        archive.push_str(text);
    }
    let packed = zstd::encode_all(archive.as_bytes(), 22)?;
    let assets = crate::workspace::root().join("crates/site/assets/diagrams");
    std::fs::create_dir_all(&assets)?;
    std::fs::write(assets.join("mermaid.zst"), &packed)?;
    std::fs::copy(options.mermaid.join("LICENSE"), assets.join("LICENSE.txt"))?;
    println!("{} modules, {} bytes, {} packed", modules.len(), archive.len(), packed.len());
    Ok(true)
}

/// Returns the relative addresses of modules in a minified module.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    let strings = text.split('"').filter(|part| part.starts_with("./") || part.starts_with("../"));
    strings.filter(|part| part.ends_with(".mjs") && !part.contains([' ', '\n']))
}

/// Returns an address relative to a folder without its steps upwards.
fn joined(folder: &Path, import: &str) -> Result<PathBuf> {
    let mut path = folder.to_owned();
    for part in Path::new(import).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => ensure!(path.pop(), "{import} leaves the package"),
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => anyhow::bail!("{import} is absolute"),
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_relative_to_their_module() {
        let text = r#"import{a}from"./a.mjs";import("../b/c.mjs");f("x.mjs","./d.css")"#;
        let found: Vec<&str> = imports(text).collect();
        assert_eq!(found, ["./a.mjs", "../b/c.mjs"]);
        let check = |folder: &str, import: &str, expect: Option<&str>| {
            assert_eq!(joined(Path::new(folder), import).ok(), expect.map(PathBuf::from));
        };
        check("", "./a.mjs", Some("a.mjs"));
        check("x/y", "../b/c.mjs", Some("x/b/c.mjs"));
        check("x", "../../c.mjs", None);
        check("x", "/c.mjs", None);
    }
}
