//! `listFiles`, `getFileById` and the same operations on a revision.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::snapshot::broken_object;
use bindery_app::publishing::published::ReadableSpace;
use bindery_model::{Error, FileId, Result};
use bindery_revision::{Direction, FileRecord, Record};

use super::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("listFiles", Action::ReadSpace, list::<ReadableSpace>),
        read_long("listFilesInRevisionById", Action::ReadSpace, list::<ReadableSpace>),
        read_long("getFileById", Action::ReadSpace, by_id::<ReadableSpace>),
        read_long("getFileInRevisionById", Action::ReadSpace, by_id::<ReadableSpace>),
    ]
}

pub(in crate::groups) fn list<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let page = Page::of(cx.app, call)?;
    let files = &loaded.snapshot().revision.content.files;
    let after = page.after().and_then(FileId::parse);
    let start = after.as_ref().map(|id| id.as_bytes().as_slice());
    let mut rows = Vec::new();
    for entry in files.range(&loaded.objects, start, Direction::Ascending) {
        let (_, bytes) = entry.map_err(broken_object)?;
        let record = FileRecord::decode(&bytes).map_err(broken_object)?;
        if after.is_some_and(|after| record.id <= after) {
            continue;
        }
        rows.push(record);
        if rows.len() >= usize::try_from(page.rows()).unwrap_or(usize::MAX) {
            break;
        }
    }
    let count = i64::try_from(files.len()).unwrap_or(i64::MAX);
    let view = loaded.view();
    let list =
        page.list(rows, count, |file| file.id.to_string(), |file| present::file(&view, file))?;
    Reply::json(200, &list)
}

pub(in crate::groups) fn by_id<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let missing = || Error::not_found("file");
    let file = FileId::parse(call.path("fileId")).ok_or_else(missing)?;
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let content = &loaded.snapshot().revision.content;
    let record = content.file(&loaded.objects, file).map_err(broken_object)?.ok_or_else(missing)?;
    Reply::json(200, &present::file(&loaded.view(), record)?)
}
