//! `cargo xtask icons`: copies the drawings of icons from two sets into the data file of the site.
//!
//! `crates/site/assets/icons/names.txt` assigns each name a drawing and is edited by hand. The
//! drawings come from the packages `@tabler/icons` and `simple-icons` of the npm registry, unpacked
//! with `npm pack` and `tar`.

use anyhow::{Context, Result, ensure};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The prefix of drawings from the set of brands.
const BRAND: &str = "brand:";

#[derive(Args)]
pub(crate) struct Options {
    /// The unpacked package `@tabler/icons`
    #[arg(long)]
    tabler: PathBuf,
    /// The unpacked package `simple-icons`
    #[arg(long)]
    simple_icons: PathBuf,
}

pub(crate) fn run(options: &Options) -> Result<bool> {
    let folder = crate::workspace::root().join("crates/site/assets/icons");
    let names = std::fs::read_to_string(folder.join("names.txt"))?;
    let wanted: BTreeSet<&str> =
        names.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
    let mut drawings = BTreeMap::new();
    for name in wanted {
        if let Some(brand) = name.strip_prefix(BRAND) {
            let paths = paths(&options.simple_icons.join("icons"), brand)?;
            drawings.insert(name.to_owned(), paths);
            continue;
        }
        let lines = paths(&options.tabler.join("icons/outline"), name)?;
        // Lines are not filled, so one element draws them all. Only `M` is absolute in its middle.
        ensure!(lines.iter().all(|line| line.starts_with('M')), "{name} begins with {lines:?}");
        drawings.insert(name.to_owned(), vec![lines.concat()]);
        let areas = options.tabler.join("icons/filled");
        if areas.join(format!("{name}.svg")).exists() {
            drawings.insert(format!("{name}:solid"), paths(&areas, name)?);
        }
    }
    let mut lines: Vec<String> =
        drawings.iter().map(|(name, paths)| format!("{name} {}\n", paths.join("|"))).collect();
    lines.sort();
    std::fs::write(folder.join("drawings.txt"), lines.concat())?;
    println!("{} drawings", lines.len());
    Ok(true)
}

/// Returns the shortened paths of a drawing of 24 × 24 units.
fn paths(folder: &Path, name: &str) -> Result<Vec<String>> {
    let file = folder.join(format!("{name}.svg"));
    let svg = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    ensure!(svg.contains("0 0 24 24"), "{name} has another size");
    let elements = svg.matches('<').count() - svg.matches("</").count();
    // Besides the paths, a file contains the root element, and a title if it is of a brand.
    let others = 1 + svg.matches("<title>").count();
    ensure!(elements == svg.matches("<path").count() + others, "{name} has other elements");
    let mut paths = Vec::new();
    for part in svg.split("<path").skip(1) {
        let element = part.split_once('>').context("an open element")?.0;
        // An empty square that only sets the size.
        if element.contains("M0 0h24v24H0z") {
            continue;
        }
        let path = element.split_once("d=\"").context("a path without a shape")?.1;
        let path = path.split_once('"').context("an open attribute")?.0;
        ensure!(path.bytes().all(is_path_byte), "{name} contains other characters than a path");
        paths.push(shortened(path));
    }
    ensure!(!paths.is_empty(), "{name} is empty");
    Ok(paths)
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" .,-+".contains(&byte)
}

/// Removes the separators that a path does not need. `M3 12 l0 -4` becomes `M3 12l0-4`.
fn shortened(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut characters = path.chars().peekable();
    while let Some(character) = characters.next() {
        let is_separator = character == ' ' || character == ',';
        if !is_separator {
            out.push(character);
            continue;
        }
        while characters.next_if(|next| *next == ' ' || *next == ',').is_some() {}
        let separates = |character: char| character.is_ascii_alphabetic();
        let before = out.chars().last().is_none_or(separates);
        let after = characters.peek().is_none_or(|next| separates(*next) || *next == '-');
        if !before && !after {
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_without_a_meaning_are_removed() {
        let check = |path: &str, expect: &str| assert_eq!(shortened(path), expect);
        check("M3 12 l0 -4", "M3 12l0-4");
        check("M 3,12 a9 9 0 1 0 18 0 z", "M3 12a9 9 0 1 0 18 0z");
        check("M1.5 .5 4 4", "M1.5 .5 4 4");
    }
}
