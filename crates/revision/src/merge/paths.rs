//! Distinct paths in the repository: a number is appended to the path of the younger of two
//! sources.

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::{Id, PageId, Timestamp};

use super::Merger;
use super::items::{Item, ItemRecord, Items};
use crate::content::{Content, PathEntry};
use crate::object::{ObjectError, Objects};

/// A claim to a path. Claims sort by precedence: items that had the path before, then those of our
/// side if its paths have precedence, then pages, files and reusable contents, each ordered by age.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Claim {
    new: bool,
    yields: bool,
    kind: Kind,
    created_at: Option<Timestamp>,
    id: Id,
    /// `true` if our side has the item at this path; likewise `theirs`.
    ours: bool,
    theirs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Page,
    File,
    Reusable,
}

type Claims = BTreeMap<String, Vec<Claim>>;

impl Merger<'_, '_> {
    /// Appends numbers to paths that the two sides gave to different sources. Sources that share a
    /// path on one side are left unchanged.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub(super) fn number_paths(&mut self) -> Result<(), ObjectError> {
        let mut claims = Claims::new();
        for (id, entry) in &self.pages {
            let path = |page: &Option<crate::PageRecord>| page.as_ref()?.source_path.clone();
            let created_at = entry.merged.as_ref().map(|page| page.created_at);
            let paths = [&entry.merged, &entry.base, &entry.ours, &entry.theirs].map(path);
            claim(&mut claims, Kind::Page, created_at, id.id(), paths);
        }
        claim_all(&mut claims, Kind::File, &self.files);
        claim_all(&mut claims, Kind::Reusable, &self.reusable);
        if self.keeps_our_paths {
            claims.values_mut().flatten().for_each(|claim| claim.yields = !claim.ours);
        }
        let mut taken: BTreeSet<String> = claims.keys().cloned().collect();
        for (path, mut all) in claims {
            all.sort_unstable();
            let mut kept: Vec<Claim> = Vec::new();
            for one in all {
                let shared = |other: &Claim| one.ours && other.ours || one.theirs && other.theirs;
                if kept.is_empty() || kept.iter().any(shared) {
                    kept.push(one);
                    continue;
                }
                let mut number = 1;
                let mut free = numbered(&path, number);
                while taken.contains(&free) || self.base.at_path(&*self.staging, &free)?.is_some() {
                    number += 1;
                    free = numbered(&path, number);
                }
                taken.insert(free.clone());
                self.set_path(&one, free);
            }
        }
        Ok(())
    }

    fn set_path(&mut self, claim: &Claim, path: String) {
        match claim.kind {
            Kind::Page => {
                let entry = self.pages.get_mut(&PageId::new(claim.id));
                if let Some(page) = entry.and_then(|entry| entry.merged.as_mut()) {
                    page.source_path = Some(path);
                }
            }
            Kind::File => set(&mut self.files, claim.id, path),
            Kind::Reusable => set(&mut self.reusable, claim.id, path),
        }
    }
}

fn set<R: ItemRecord>(items: &mut Items<R>, id: Id, path: String) {
    if let Some(item) = items.get_mut(&id).and_then(|item| item.merged.as_mut()) {
        item.set_path(path);
    }
}

fn claim_all<R: ItemRecord>(claims: &mut Claims, kind: Kind, items: &Items<R>) {
    for (id, Item { base, ours, theirs, merged }) in items {
        let path = |item: &Option<R>| item.as_ref().and_then(R::path).cloned();
        claim(claims, kind, None, *id, [merged, base, ours, theirs].map(path));
    }
}

fn claim(
    claims: &mut Claims,
    kind: Kind,
    created_at: Option<Timestamp>,
    id: Id,
    [merged, base, ours, theirs]: [Option<String>; 4],
) {
    if let Some(path) = merged {
        let at = |side: Option<String>| side.as_ref() == Some(&path);
        let (new, ours, theirs) = (!at(base), at(ours), at(theirs));
        let claim = Claim { new, yields: false, kind, created_at, id, ours, theirs };
        claims.entry(path).or_default().push(claim);
    }
}

/// Returns a path that no other item has: the wanted one, or with a number appended.
pub(super) fn free_path(
    content: &Content,
    on: &dyn Objects,
    wanted: String,
    own: PathEntry,
) -> Result<String, ObjectError> {
    let mut path = wanted.clone();
    let mut number = 0;
    while content.at_path(on, &path)?.is_some_and(|entry| entry != own) {
        number += 1;
        path = numbered(&wanted, number);
    }
    Ok(path)
}

/// Appends a number to a path, before its extension.
fn numbered(path: &str, number: u64) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}{stem}-{number}{extension}")
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn numbers_stand_before_the_extension() {
        for (path, expect) in [
            ("a.md", "a-1.md"),
            ("x.y/a", "x.y/a-1"),
            ("x/.hidden", "x/.hidden-1"),
            ("x/a.b.png", "x/a.b-1.png"),
        ] {
            assert_eq!(numbered(path, 1), expect);
        }
    }
}
