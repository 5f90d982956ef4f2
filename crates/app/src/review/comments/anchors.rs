//! The targets of comments: pages, blocks and cells of the content, past and present.
//!
//! A comment keeps its target as it was posted. Keys of blocks survive edits, so the target is
//! usually found again. Otherwise the response names the missing part (`target.gone`, an addition
//! to the contract). A revert can restore a missing target, and lists that are filtered by a page
//! include comments on missing parts of it.

use std::collections::{HashMap, HashSet};

use bindery_model::{Error, FieldPath, PageId, Result};
use bindery_revision::{Direction, PageRecord, Record};
use bindery_store::TxObjects;
use bindery_store::comments::{Comment, TableCell};
use serde_json::Value;

use super::Discussion;
use crate::content::documents::{self, Evaluation};
use crate::content::snapshot::{Snapshot, broken_object};
use crate::publishing::adaptive::Answers;
use crate::{App, Context};

/// Maximum number of pages that are searched for a block if the target names no page.
const SEARCHED: usize = 200;

/// The requested target of a new comment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewTarget {
    /// The id of a page.
    pub page: Option<String>,
    /// The key of a block of the page. Without a page, exactly one page must contain the block.
    pub node: Option<String>,
    /// A cell of the table with the key `node`; without `node`, of any table of the page.
    pub table_cell: Option<TableCell>,
}

/// The part of a target that is no longer in the content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingTarget {
    /// The page.
    Page,
    /// The block.
    Node,
    /// The cell.
    TableCell,
}

/// The possible targets of comments in a page.
#[derive(Default)]
struct Blocks {
    keys: HashSet<String>,
    /// The ids of rows and columns of tables, by the keys of the tables.
    tables: HashMap<String, (HashSet<String>, HashSet<String>)>,
}

impl Blocks {
    fn of(document: &Value) -> Self {
        let mut blocks = Self::default();
        blocks.gather(document);
        blocks
    }

    fn gather(&mut self, node: &Value) {
        let key = node.get("key").and_then(Value::as_str);
        if let Some(key) = key.filter(|_| node.get("object") == Some(&Value::from("block"))) {
            self.keys.insert(key.to_owned());
            if node.get("type") == Some(&Value::from("table")) {
                let names = |pointer| -> HashSet<String> {
                    let map = node.pointer(pointer).and_then(Value::as_object);
                    map.into_iter().flatten().map(|(name, _)| name.clone()).collect()
                };
                let table = (names("/data/records"), names("/data/definition"));
                self.tables.insert(key.to_owned(), table);
            }
        }
        for list in ["nodes", "fragments"] {
            let children = node.get(list).and_then(Value::as_array);
            children.into_iter().flatten().for_each(|child| self.gather(child));
        }
    }

    fn has_cell(&self, node: Option<&str>, cell: &TableCell) -> bool {
        let mut tables =
            self.tables.iter().filter(|(key, _)| node.is_none_or(|node| node == key.as_str()));
        tables.any(|(_, (records, definitions))| {
            records.contains(&cell.record) && definitions.contains(&cell.definition)
        })
    }
}

/// The current content of a discussion. Each page is read once.
pub(super) struct Anchors<'a> {
    app: &'a App,
    snapshot: Snapshot,
    objects: TxObjects<'a>,
    pages: HashMap<PageId, Option<Blocks>>,
}

impl<'a> Anchors<'a> {
    pub(super) fn of(cx: &Context<'a>, about: &Discussion<'_>) -> Result<Self> {
        let snapshot = Snapshot::of(cx.app, cx.tx, about.space, Some(about.head()))?;
        let objects = cx.tx.objects();
        Ok(Self { app: cx.app, snapshot, objects, pages: HashMap::new() })
    }

    /// Returns the blocks of a page; `None` if the page does not exist.
    fn page(&mut self, id: PageId) -> Result<Option<&Blocks>> {
        if !self.pages.contains_key(&id) {
            let content = &self.snapshot.revision.content;
            let record = content.page(&self.objects, id).map_err(broken_object)?;
            let blocks = match record {
                None => None,
                Some(record) => {
                    let json = documents::of_page(
                        self.app,
                        &self.objects,
                        &self.snapshot,
                        &record,
                        Evaluation::No,
                        &Answers::new(None),
                    )?;
                    let document = serde_json::from_str(&json).map_err(|error| {
                        Error::internal(format!("a document is not JSON: {error}"))
                    })?;
                    Some(Blocks::of(&document))
                }
            };
            self.pages.insert(id, blocks);
        }
        Ok(self.pages.get(&id).and_then(Option::as_ref))
    }

    /// Returns `true` if a page exists. This is cheaper than reading its blocks.
    fn has_page(&self, id: PageId) -> Result<bool> {
        let record = self.snapshot.revision.content.page(&self.objects, id);
        Ok(record.map_err(broken_object)?.is_some())
    }

    /// Returns the missing part of a comment's target, or `None` if the target exists.
    pub(super) fn gone(&mut self, comment: &Comment) -> Result<Option<MissingTarget>> {
        let Comment { page, node, table_cell, .. } = comment;
        let Some(page) = *page else { return Ok(None) };
        if node.is_none() && table_cell.is_none() {
            return Ok((!self.has_page(page)?).then_some(MissingTarget::Page));
        }
        let Some(blocks) = self.page(page)? else { return Ok(Some(MissingTarget::Page)) };
        if node.as_ref().is_some_and(|node| !blocks.keys.contains(node)) {
            return Ok(Some(MissingTarget::Node));
        }
        let cell_is_there =
            table_cell.as_ref().is_none_or(|cell| blocks.has_cell(node.as_deref(), cell));
        Ok((!cell_is_there).then_some(MissingTarget::TableCell))
    }

    /// Validates the target of a new comment and returns its page.
    ///
    /// # Errors
    /// Returns 400 with the location of a part that is not in the content.
    pub(super) fn check(&mut self, target: &NewTarget) -> Result<Option<PageId>> {
        let NewTarget { page, node, table_cell } = target;
        let Some(page) = page else {
            return match (node, table_cell) {
                (None, None) => Ok(None),
                _ => self.find(target).map(Some),
            };
        };
        let id = PageId::parse(page);
        let missing = || {
            Error::invalid(format!("the content that is commented on has no page \"{page}\""))
                .at(FieldPath::new("/page"))
        };
        let Some(id) = id else { return Err(missing()) };
        if node.is_none() && table_cell.is_none() {
            return if self.has_page(id)? { Ok(Some(id)) } else { Err(missing()) };
        }
        let Some(blocks) = self.page(id)? else { return Err(missing()) };
        if let Some(node) = node.as_ref().filter(|node| !blocks.keys.contains(*node)) {
            return Err(Error::invalid(format!(
                "the page \"{page}\" has no block with the key \"{node}\""
            ))
            .at(FieldPath::new("/node")));
        }
        if let Some(cell) = table_cell.as_ref().filter(|c| !blocks.has_cell(node.as_deref(), c)) {
            let TableCell { record, definition } = cell;
            let place = match node {
                Some(node) => format!("the block \"{node}\""),
                None => format!("the page \"{page}\""),
            };
            return Err(Error::invalid(format!(
                "{place} has no table with a row \"{record}\" and a column \
                 \"{definition}\""
            ))
            .at(FieldPath::new("/tableCell")));
        }
        Ok(Some(id))
    }
    /// Returns the only page that contains the block or cell of a target without a page. Blocks
    /// with the same text have the same key, so several pages may match.
    ///
    /// # Errors
    /// Returns 400 unless exactly one page matches, or if the content has more than [`SEARCHED`]
    /// pages.
    fn find(&mut self, target: &NewTarget) -> Result<PageId> {
        let NewTarget { page: _, node, table_cell } = target;
        let (place, what) = match node {
            Some(_) => (FieldPath::new("/node"), "block"),
            None => (FieldPath::new("/tableCell"), "cell"),
        };
        let refused = |why: &str| {
            Err(Error::invalid(format!(
                "found a {what} {why}, allowed: with the id of its page at /page"
            ))
            .at(&place))
        };
        let pages = &self.snapshot.revision.content.pages;
        let mut ids = Vec::new();
        for entry in pages.range(&self.objects, None, Direction::Ascending).take(SEARCHED + 1) {
            let (_, bytes) = entry.map_err(broken_object)?;
            ids.push(PageRecord::decode(&bytes).map_err(broken_object)?.id);
        }
        if ids.len() > SEARCHED {
            return refused(&format!("in a content of more than {SEARCHED} pages"));
        }
        let mut found = Vec::new();
        for id in ids {
            let has = self.page(id)?.is_some_and(|blocks| {
                node.as_ref().is_none_or(|node| blocks.keys.contains(node))
                    && table_cell.as_ref().is_none_or(|c| blocks.has_cell(node.as_deref(), c))
            });
            found.extend(has.then_some(id));
        }
        match found.as_slice() {
            [id] => Ok(*id),
            [] => refused("that no page has"),
            _ => refused("that several pages have"),
        }
    }
}
