//! Merges two texts as documents.

use bindery_content::document::{Block, Key};
use bindery_content::json::JsonContext;
use bindery_content::print::{PrintContext, print_page_edited_as};
use bindery_content::{Document, Identity, Page, markdown, merge as documents};
use bindery_revision::merge::{MergeBodies, MergedBody, PartConflict, Sides};
use bindery_revision::{Hash, ObjectError, Objects, PageBody, Record, Staging};

use super::{Paths, parse, parse_as, path_of, store};

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
        let sides = [&base, &own, &other];
        let known = sides.map(|body| Identity::decode(&body.identity));
        let [in_base, in_ours, in_theirs] = known.each_ref().map(Identity::has_heading);
        // The three documents are comparable only if the first heading belongs to all or to none.
        let has_heading = if in_ours == in_base { in_theirs } else { in_ours };
        let known = known.map(|known| known.with_heading(has_heading));
        let [of_base, of_ours, of_theirs] = &known;
        let before = parse_as(&base, &paths, of_base);
        let mine = parse_as(&own, &paths, of_ours);
        let yours = parse_as(&other, &paths, of_theirs);
        let merged = documents::merge(&before, &mine, &yours);
        let source = merge_heads(sides, &known);
        let is_result = |document: &Document, body: &PageBody, had_heading: bool| {
            merged.document == *document
                && source.as_bytes() == body.source
                && had_heading == has_heading
        };
        let body = if is_result(&mine, &own, in_ours) {
            ours
        } else if is_result(&yours, &other, in_theirs) {
            theirs
        } else {
            let body = edited(&own, of_ours, &source, &mine, &merged.document, &paths);
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
        let known = Identity::decode(&own.identity);
        let chosen = edited(&own, &known, &source, &before, &after, &paths);
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
fn merge_heads(sides: [&PageBody; 3], known: &[Identity; 3]) -> String {
    let texts = sides.map(|body| String::from_utf8_lossy(&body.source));
    let [base, ours, theirs] = &texts;
    let start = |text: &str, known: &Identity| Page::split_as(text, known).body.start;
    let [of_base, of_ours, of_theirs] = known;
    let (before, own, other) =
        (start(base, of_base), start(ours, of_ours), start(theirs, of_theirs));
    let head = |text: &str, end: usize| text.get(..end).unwrap_or_default().to_owned();
    let (before, mine, yours) = (head(base, before), head(ours, own), head(theirs, other));
    let head = if mine == before { yours } else { mine };
    head + ours.get(own..).unwrap_or_default()
}

/// Returns the text `own`, whose current source is `source` and whose identity is `known`, with the
/// edits that lead from `before` to `after`.
fn edited(
    own: &PageBody,
    known: &Identity,
    source: &str,
    before: &Document,
    after: &Document,
    paths: &Paths,
) -> PageBody {
    let context = PrintContext { path: path_of(own), lookup: paths, names: paths };
    let source = print_page_edited_as(source, known, before, after, &context);
    store(source, own.path.clone(), paths, Some((after, known)))
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

#[cfg(test)]
mod tests {
    use bindery_revision::MemoryObjects;

    use super::*;

    fn body(source: &str, has_heading: bool) -> PageBody {
        PageBody {
            source: source.to_owned().into(),
            path: Some("a.md".to_owned()),
            references: Vec::new(),
            identity: Identity::default().with_heading(has_heading).encode().into(),
        }
    }

    /// Merges texts, each with `true` if its first heading belongs to its document.
    fn merged(base: (&str, bool), ours: (&str, bool), theirs: (&str, bool)) -> (String, bool) {
        let objects = MemoryObjects::new();
        let mut staging = Staging::new(&objects);
        let mut put = |(source, has_heading): (&str, bool)| {
            staging.put(body(source, has_heading).encode().unwrap())
        };
        let [base, ours, theirs] = [base, ours, theirs].map(&mut put);
        let merged = DocumentBodies.merge(&mut staging, Some(base), ours, theirs).unwrap();
        assert!(merged.conflicts.is_empty());
        let body = read(&staging, merged.body).unwrap();
        let has_heading = Identity::decode(&body.identity).has_heading();
        (String::from_utf8_lossy(&body.source).into_owned(), has_heading)
    }

    #[test]
    fn the_place_of_the_first_heading_is_merged() {
        const BASE: &str = "# A\n\nx\n\nz\n";
        const EDITED: &str = "# A\n\ny\n\nz\n";
        for (before, after) in [(false, true), (true, false)] {
            let base = (BASE, before);
            for (ours, theirs) in
                [((EDITED, before), (BASE, after)), ((BASE, after), (EDITED, before))]
            {
                assert_eq!(merged(base, ours, theirs), (EDITED.to_owned(), after));
            }
        }
        // A heading that belongs to the document is merged like any other block.
        let renamed = ("# B\n\nx\n\nz\n", true);
        let expected = ("# B\n\ny\n\nz\n".to_owned(), true);
        assert_eq!(merged((BASE, true), renamed, (EDITED, true)), expected);
    }
}
