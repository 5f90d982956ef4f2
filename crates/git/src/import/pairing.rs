//! Which page of the plan is which page of before.
//!
//! By path, then by equal blob, then by likeness of the text, then by parent and title. What is
//! left over gets a new id.

use std::collections::{HashMap, HashSet};

use bindery_model::{Entropy, PageId};
use bindery_revision::{Hash, ObjectError, Objects, PageBody, PageRecord, Record};

use super::plan::{Planned, PlannedKind};
use super::state::GitState;
use super::view::View;
use super::{ImportError, ImportLimits};
use crate::folder::BlobId;

/// At least this much of two texts is the same if they are one page.
const LIKE: f64 = 0.6;
/// More texts than this on either side are not compared.
const MOST_TEXTS: usize = 2_000;
/// A line that more texts than this share tells nothing.
const COMMON: usize = 64;

/// Gives every page of the plan its id.
pub(super) fn pair(
    plan: &mut [Planned],
    view: &View<'_>,
    old: &HashMap<PageId, PageRecord>,
    state: Option<&GitState>,
    objects: &dyn Objects,
    limits: &ImportLimits,
    entropy: &Entropy,
) -> Result<(), ImportError> {
    let mut pairs = Pairs { taken: HashSet::new(), old };
    pairs.by_path(plan);
    if !old.is_empty() && plan.iter().any(|page| page.id.is_none()) {
        pairs.by_blob(plan, view, state, objects)?;
        pairs.by_likeness(plan, view, objects, limits)?;
        pairs.by_title(plan, entropy);
    }
    for page in plan {
        page.id.get_or_insert_with(|| PageId::random(entropy));
    }
    Ok(())
}

struct Pairs<'o> {
    taken: HashSet<PageId>,
    old: &'o HashMap<PageId, PageRecord>,
}

impl<'o> Pairs<'o> {
    fn free(&self) -> impl Iterator<Item = &'o PageRecord> + '_ {
        self.old.values().filter(|page| !self.taken.contains(&page.id))
    }

    fn take(&mut self, page: &mut Planned, id: PageId) {
        if page.id.is_none() && self.taken.insert(id) {
            page.id = Some(id);
        }
    }

    fn by_path(&mut self, plan: &mut [Planned]) {
        let known: HashMap<&str, PageId> = self
            .old
            .values()
            .filter_map(|page| Some((page.source_path.as_deref()?, page.id)))
            .collect();
        for page in plan {
            if let Some(id) = page.kind.path().and_then(|path| known.get(path)) {
                self.take(page, *id);
            }
        }
    }

    fn by_blob(
        &mut self,
        plan: &mut [Planned],
        view: &View<'_>,
        state: Option<&GitState>,
        objects: &dyn Objects,
    ) -> Result<(), ObjectError> {
        let Some(state) = state else { return Ok(()) };
        let new = |page: &Planned| -> Option<BlobId> {
            let path = page.kind.path().filter(|_| page.id.is_none())?;
            view.listed(path)?.entry.blob
        };
        if !plan.iter().any(|page| new(page).is_some()) {
            return Ok(());
        }
        let mut known = HashMap::<BlobId, PageId>::new();
        for page in self.free() {
            if let Some(path) = &page.source_path
                && let Some(blob) = state.get(objects, path)?.and_then(|entry| entry.blob())
            {
                // Of pages with the same bytes always the same one.
                let id = known.entry(blob).or_insert(page.id);
                *id = page.id.min(*id);
            }
        }
        for page in plan {
            if let Some(id) = new(page).and_then(|blob| known.remove(&blob)) {
                self.take(page, id);
            }
        }
        Ok(())
    }

    fn by_likeness(
        &mut self,
        plan: &mut [Planned],
        view: &View<'_>,
        objects: &dyn Objects,
        limits: &ImportLimits,
    ) -> Result<(), ImportError> {
        let new: Vec<usize> = (0..plan.len())
            .filter(|at| plan.get(*at).is_some_and(|p| p.id.is_none() && p.kind.path().is_some()))
            .take(MOST_TEXTS + 1)
            .collect();
        let old: Vec<&PageRecord> =
            self.free().filter(|page| page.body.is_some()).take(MOST_TEXTS + 1).collect();
        if new.is_empty() || old.is_empty() || new.len().max(old.len()) > MOST_TEXTS {
            return Ok(());
        }
        let mut before = Vec::new();
        for page in old {
            if let Some(body) = &page.body {
                let body = PageBody::decode(&bindery_revision::Objects::get(&objects, body)?)?;
                before.push((page.id, Text::of(&body.source)));
            }
        }
        let index = Index::of(&before);
        let mut found = Vec::new();
        for at in new {
            let file = plan.get(at).and_then(|page| page.kind.path()).and_then(|p| view.listed(p));
            let Some(file) = file.filter(|file| file.entry.size <= limits.page_bytes) else {
                continue;
            };
            let text = Text::of(&view.read(file.entry)?);
            for (like, id) in index.alike(&text, &before) {
                found.push((like, at, id));
            }
        }
        // The most alike first; equal ones in an order that does not depend on chance.
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (_, at, id) in found {
            if let Some(page) = plan.get_mut(at) {
                self.take(page, id);
            }
        }
        Ok(())
    }

    /// Parents come before their children, so that theirs are known.
    fn by_title(&mut self, plan: &mut [Planned], entropy: &Entropy) {
        let mut known: HashMap<(Option<PageId>, String), Vec<&PageRecord>> = HashMap::new();
        for page in self.free() {
            known.entry((page.parent, page.title.clone())).or_default().push(page);
        }
        for same in known.values_mut() {
            same.sort_by(|a, b| (&b.order, b.id).cmp(&(&a.order, a.id)));
        }
        for at in 0..plan.len() {
            let parent = match plan.get(at).and_then(|page| page.parent) {
                Some(parent) => plan.get(parent).and_then(|parent| parent.id),
                None => None,
            };
            let Some(page) = plan.get_mut(at).filter(|page| page.id.is_none()) else {
                continue;
            };
            let title = page.title.clone().unwrap_or_default();
            let same = known.get_mut(&(parent, title));
            let fits = |old: &&PageRecord| page.kind.is(&old.navigation(false).kind);
            let found = same.and_then(|same| {
                let at = same.iter().rposition(fits)?;
                Some(same.remove(at).id)
            });
            match found {
                Some(id) => self.take(page, id),
                None => page.id = Some(PageId::random(entropy)),
            }
        }
    }
}

/// A text as the sizes of its distinct lines.
struct Text {
    lines: HashMap<u64, usize>,
    bytes: usize,
}

impl Text {
    fn of(source: &[u8]) -> Self {
        let mut lines = HashMap::new();
        let mut bytes = 0;
        for line in source.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            if !line.is_empty() {
                let mut key = [0; 8];
                key.iter_mut().zip(Hash::of(line).as_bytes()).for_each(|(to, from)| *to = *from);
                *lines.entry(u64::from_le_bytes(key)).or_insert(0) += line.len();
                bytes += line.len();
            }
        }
        Self { lines, bytes }
    }

    /// How much of both is the same, from 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let shared = |(line, bytes): (&u64, &usize)| {
            other.lines.get(line).map_or(0, |others| *bytes.min(others))
        };
        let same: usize = self.lines.iter().map(shared).sum();
        let all = self.bytes + other.bytes;
        // Sizes of texts are far below what a float counts exactly.
        if all == 0 { 0.0 } else { (2 * same) as f64 / all as f64 }
    }
}

/// Which of the old texts have a line.
struct Index(HashMap<u64, Vec<usize>>);

impl Index {
    fn of(texts: &[(PageId, Text)]) -> Self {
        let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, (_, text)) in texts.iter().enumerate() {
            for line in text.lines.keys() {
                index.entry(*line).or_default().push(at);
            }
        }
        Self(index)
    }

    /// The old texts that are like this one.
    fn alike(&self, text: &Text, texts: &[(PageId, Text)]) -> Vec<(f64, PageId)> {
        let telling = text.lines.keys().filter_map(|line| self.0.get(line));
        let candidates: HashSet<usize> =
            telling.filter(|texts| texts.len() <= COMMON).flatten().copied().collect();
        candidates
            .into_iter()
            .filter_map(|at| texts.get(at))
            .map(|(id, old)| (text.likeness(old), *id))
            .filter(|(like, _)| *like >= LIKE)
            .collect()
    }
}

/// Pages of the plan by the path of their file.
pub(super) fn by_path(plan: &[Planned]) -> HashMap<String, PageId> {
    plan.iter()
        .filter_map(|page| match &page.kind {
            PlannedKind::Document { path: Some(path) } => Some((path.clone(), page.id?)),
            _ => None,
        })
        .collect()
}
