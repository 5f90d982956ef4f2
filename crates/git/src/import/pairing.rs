//! Pairs the pages of the plan with the previous pages.
//!
//! Pages are paired by path, then by equal blob, then by the similarity of their texts, then with
//! equal pages that are new in the space, then by parent and title. The remaining pages get new ids.

use std::collections::{BTreeMap, HashMap, HashSet};

use bindery_content::{Identity, Page, source};
use bindery_model::{Entropy, PageId};
use bindery_revision::{Content, ObjectError, Objects, PageBody, PageRecord, PathEntry, Record};

use super::plan::{PlannedKind, PlannedPage};
use super::similarity::{Sample, SampleIndex};
use super::sources::read_all;
use super::state::GitState;
use super::view::{View, ViewFile};
use super::{ImportContext, ImportError, ImportLimits};
use crate::folder::BlobId;

/// Minimum similarity of two texts of one page.
const MIN_SIMILARITY: f64 = 0.6;
/// Maximum number of texts on either side that are compared. Each takes some hundred bytes.
const MAX_TEXTS: usize = 200_000;
/// Maximum number of previous texts that are candidates for one page.
const MAX_CANDIDATES: usize = 8;
/// Maximum number of pages with one file name, such as `README.md`, for which the name suggests
/// candidates.
const MAX_NAMESAKES: usize = 64;
/// Weight of the common path in the choice between similar texts.
const PATH_WEIGHT: f64 = 0.1;

/// The pages of the space with which those of the plan are paired.
#[derive(Clone, Copy)]
pub(super) struct Old<'o> {
    /// The pages of the previous content.
    pub(super) pages: &'o HashMap<PageId, PageRecord>,
    pub(super) state: Option<&'o GitState>,
    /// The present content, if it differs from the previous one.
    pub(super) present: Option<&'o Content>,
    /// Proposed contents.
    pub(super) proposed: &'o [Content],
}

/// Assigns an id to every page of the plan.
pub(super) fn pair(
    plan: &mut [PlannedPage],
    view: &View<'_>,
    old: &Old<'_>,
    objects: &dyn Objects,
    limits: &ImportLimits,
    context: &ImportContext<'_>,
) -> Result<(), ImportError> {
    let entropy = context.entropy;
    let Old { pages: old, state, present, proposed } = *old;
    let mut pairs = Pairs { taken: HashSet::new(), old };
    pairs.by_path(plan);
    if !old.is_empty() && plan.iter().any(|page| page.id.is_none()) {
        pairs.by_blob(plan, view, state, objects)?;
        pairs.by_similarity(plan, view, objects, limits, context)?;
        for content in present.into_iter().chain(proposed) {
            pairs.with_new_pages(plan, view, content, objects)?;
        }
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

    fn take(&mut self, page: &mut PlannedPage, id: PageId) {
        if page.id.is_none() && self.taken.insert(id) {
            page.id = Some(id);
        }
    }

    fn by_path(&mut self, plan: &mut [PlannedPage]) {
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
        plan: &mut [PlannedPage],
        view: &View<'_>,
        state: Option<&GitState>,
        objects: &dyn Objects,
    ) -> Result<(), ObjectError> {
        let Some(state) = state else { return Ok(()) };
        let new = |page: &PlannedPage| -> Option<BlobId> {
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
                // Of several pages with the same bytes, always the same one is chosen.
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

    fn by_similarity(
        &mut self,
        plan: &mut [PlannedPage],
        view: &View<'_>,
        objects: &dyn Objects,
        limits: &ImportLimits,
        context: &ImportContext<'_>,
    ) -> Result<(), ImportError> {
        let new: Vec<(usize, ViewFile<'_>)> = plan
            .iter()
            .enumerate()
            .filter(|(_, page)| page.id.is_none())
            .filter_map(|(at, page)| Some((at, view.listed(page.kind.path()?)?)))
            .filter(|(_, file)| file.entry.size <= limits.page_bytes)
            .take(MAX_TEXTS)
            .collect();
        let mut old: Vec<&PageRecord> = self.free().filter(|page| page.body.is_some()).collect();
        if new.is_empty() || old.is_empty() {
            return Ok(());
        }
        old.sort_unstable_by_key(|page| page.id);
        old.truncate(MAX_TEXTS);
        let mut before = Vec::with_capacity(old.len());
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, page) in old.iter().enumerate() {
            context.check()?;
            if let Some(body) = &page.body {
                before.push(Sample::of(&PageBody::decode(&objects.get(body)?)?.source));
            }
            if let Some(path) = &page.source_path {
                named.entry(name_of(path)).or_default().push(at);
            }
        }
        let index = SampleIndex::of(&before);
        let entries: Vec<_> = new.iter().map(|(_, file)| file.entry).collect();
        let compare = |at: usize, text: Vec<u8>| {
            let sample = Sample::of(&text);
            drop(text);
            // A file that moved usually keeps its name.
            let path = new.get(at).map_or("", |(_, file)| file.path);
            let namesakes = named.get(name_of(path)).filter(|pages| pages.len() <= MAX_NAMESAKES);
            index.find_similar(
                &sample,
                namesakes.map_or(&[], Vec::as_slice),
                MIN_SIMILARITY,
                MAX_CANDIDATES,
            )
        };
        let mut found = Vec::new();
        read_all(view, &entries, 0..entries.len(), 64, context, &compare, &mut |at, alike| {
            if let Some((at, file)) = new.get(at) {
                for (like, page) in alike {
                    let Some(page) = old.get(page) else { continue };
                    let path = page.source_path.as_deref().unwrap_or_default();
                    let value = like + PATH_WEIGHT * path_similarity(path, file.path);
                    found.push((value, *at, page.id));
                }
            }
            Ok(())
        })?;
        // The most similar pairs first, and equally similar ones in a deterministic order.
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (_, at, id) in found {
            if let Some(page) = plan.get_mut(at) {
                self.take(page, id);
            }
        }
        Ok(())
    }

    /// Pairs with pages that are new in the present content of the space and have the same path and
    /// text. Pages with another text stay apart.
    fn with_new_pages(
        &mut self,
        plan: &mut [PlannedPage],
        view: &View<'_>,
        present: &Content,
        objects: &dyn Objects,
    ) -> Result<(), ImportError> {
        for page in plan.iter_mut().filter(|page| page.id.is_none()) {
            let Some(file) = page.kind.path().and_then(|path| view.listed(path)) else { continue };
            let Some(PathEntry::Page(id)) = present.at_path(objects, file.path)? else { continue };
            if !self.old.contains_key(&id)
                && let Some(body) = present.page(objects, id)?.and_then(|page| page.body)
                && has_same_text(&view.read(file.entry)?, &PageBody::decode(&objects.get(&body)?)?)
            {
                self.take(page, id);
            }
        }
        Ok(())
    }

    /// Pairs by parent and title. Parents precede their children, so their ids are known.
    fn by_title(&mut self, plan: &mut [PlannedPage], entropy: &Entropy) {
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

/// Returns `true` if a file and a stored text differ in nothing but their titles and front matters.
pub(super) fn has_same_text(file: &[u8], stored: &PageBody) -> bool {
    let (file, text) = (source::decode(file), source::decode(&stored.source));
    let split = Page::split_as(&text, &Identity::decode(&stored.identity));
    Page::split(&file).body.of(&file).trim() == split.body.of(&text).trim()
}

/// Returns the common part of two paths, counted from the end, as a value from 0 to 1.
fn path_similarity(left: &str, right: &str) -> f64 {
    let (left, right) = (left.rsplit('/'), right.rsplit('/'));
    let shared = left.zip(right).take_while(|(left, right)| left == right).count();
    1.0 - 0.5_f64.powi(i32::try_from(shared).unwrap_or(i32::MAX))
}

/// Returns the name of a file.
fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the ids of the plan's documents by the path of their file.
pub(super) fn by_path(plan: &[PlannedPage]) -> BTreeMap<String, PageId> {
    plan.iter()
        .filter_map(|page| match &page.kind {
            PlannedKind::Document { path: Some(path) } => Some((path.clone(), page.id?)),
            _ => None,
        })
        .collect()
}
