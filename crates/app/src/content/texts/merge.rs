//! Merges two texts as documents.

use bindery_content::document::{Block, Key};
use bindery_content::json::JsonContext;
use bindery_content::print::{PrintContext, print_page_edited};
use bindery_content::{Document, Identity, Page, markdown, merge as documents};
use bindery_revision::merge::{MergeBodies, MergedBody, PartConflict, Sides};
use bindery_revision::{Hash, ObjectError, Objects, PageBody, Record, Staging};

use super::{Paths, parse, path_of, store};

/// Merges texts block by block and word by word. A part is a block, identified by its key.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentBodies;

const PART: &str = "a block";

impl MergeBodies for DocumentBodies {
    fn merge(
        &mut self,
        staging: &mut Staging<'_>,
        base: Option<Hash>,
        ours: Hash,
        theirs: Hash,
    ) -> Result<MergedBody, ObjectError> {
        let base = base.map(|base| read(staging, base)).transpose()?.unwrap_or_default();
        let (own, other) = (read(staging, ours)?, read(staging, theirs)?);
        let paths = Paths::of([&own, &other, &base]);
        let documents = [&base, &own, &other].map(|body| parse(body, &paths));
        let [before, mine, yours] = &documents;
        let merged = documents::merge(before, mine, yours);
        let source = merge_heads(&base, &own, &other);
        let body = if merged.document == *mine && source.as_bytes() == own.source {
            ours
        } else if merged.document == *yours && source.as_bytes() == other.source {
            theirs
        } else {
            let body = edited(&own, &source, mine, &merged.document, &paths);
            staging.put(body.encode()?)
        };
        let mut conflicts = Vec::with_capacity(merged.conflicts.len());
        for conflict in merged.conflicts {
            let documents::Conflict { key, base, ours, theirs } = conflict;
            let mut part =
                |block: Option<Block>| block.map(|block| put(staging, block)).transpose();
            let sides = Sides { base: part(base)?, ours: part(ours)?, theirs: part(theirs)? };
            conflicts.push(PartConflict { part: key.to_string(), sides });
        }
        Ok(MergedBody { body, conflicts })
    }

    fn choose(
        &mut self,
        staging: &mut Staging<'_>,
        body: Hash,
        part: &str,
        choice: Option<Hash>,
    ) -> Result<Option<Hash>, ObjectError> {
        let own = read(staging, body)?;
        let paths = Paths::of([&own]);
        let before = parse(&own, &paths);
        let key = Key::of_name(part);
        let block = match choice {
            Some(hash) => Some(get(staging, hash, &own, &paths, key)?),
            None => None,
        };
        let mut after = before.clone();
        if !after.replace(key, block.clone()) {
            after.nodes.extend(block);
        }
        let source = String::from_utf8_lossy(&own.source).into_owned();
        let chosen = edited(&own, &source, &before, &after, &paths);
        Ok(Some(staging.put(chosen.encode()?)))
    }

    fn differs(
        &mut self,
        staging: &mut Staging<'_>,
        before: Hash,
        after: Hash,
        part: &str,
    ) -> Result<bool, ObjectError> {
        let (before, after) = (read(staging, before)?, read(staging, after)?);
        let paths = Paths::of([&after, &before]);
        let key = Key::of_name(part);
        let only = |body: &PageBody| {
            let nodes = parse(body, &paths).block(key).cloned().into_iter().collect();
            Document { nodes, ..Document::default() }
        };
        Ok(!only(&before).has_same_content_as(&only(&after)))
    }
}

fn read(objects: &dyn Objects, hash: Hash) -> Result<PageBody, ObjectError> {
    PageBody::decode(&objects.get(&hash)?)
}

/// Returns our source with the front matter and title of the side that changed them, or ours if
/// both did. Their values are merged separately, as attributes of the page.
fn merge_heads(base: &PageBody, ours: &PageBody, theirs: &PageBody) -> String {
    let texts = [base, ours, theirs].map(|body| String::from_utf8_lossy(&body.source));
    let starts = texts.each_ref().map(|text| Page::split(text).body.start);
    let [base, ours, theirs] = &texts;
    let [before, own, other] = starts;
    let head = |text: &str, end: usize| text.get(..end).unwrap_or_default().to_owned();
    let (before, mine, yours) = (head(base, before), head(ours, own), head(theirs, other));
    let head = if mine == before { yours } else { mine };
    head + ours.get(own..).unwrap_or_default()
}

/// Returns the text `own`, whose current source is `source`, with the edits that lead from `before`
/// to `after`.
fn edited(
    own: &PageBody,
    source: &str,
    before: &Document,
    after: &Document,
    paths: &Paths,
) -> PageBody {
    let context = PrintContext { path: path_of(own), lookup: paths, names: paths };
    let source = print_page_edited(source, before, after, &context);
    let known = Identity::decode(&own.identity);
    store(source, own.path.clone(), paths, Some((after, &known)))
}

/// Stores a block as a document of its own.
fn put(staging: &mut Staging<'_>, block: Block) -> Result<Hash, ObjectError> {
    let document = Document { nodes: vec![block], ..Document::default() };
    let json = serde_json::to_vec(&document).map_err(|_| ObjectError::Corrupt(PART))?;
    Ok(staging.put(json))
}

fn get(
    objects: &dyn Objects,
    hash: Hash,
    body: &PageBody,
    paths: &Paths,
    key: Key,
) -> Result<Block, ObjectError> {
    let broken = || ObjectError::Corrupt(PART);
    let value = serde_json::from_slice(&objects.get(&hash)?).map_err(|_| broken())?;
    let context =
        JsonContext { path: path_of(body), lookup: paths, names: paths, parse: markdown::parse };
    let mut document = Document::from_json(&value, &context).map_err(|_| broken())?;
    let mut block = document.nodes.pop().ok_or_else(broken)?;
    block.key = key;
    Ok(block)
}
