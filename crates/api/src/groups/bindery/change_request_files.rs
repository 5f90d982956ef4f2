//! `uploadChangeRequestFile`: adds a file to the content of a change request.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::content_changes::{
    self, ContentChange, FileSource, NewFile as File, PreparedFile,
};
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_app::review::editing::MadeFor;
use bindery_app::{App, Context};
use bindery_model::{Error, FieldPath, Result};
use bindery_wire::request::NewFile;
use bindery_wire::response::UploadedFile;

use crate::call::Call;
use crate::groups::space_content::LoadedRevision;
use crate::operation::{Operation, write_with_files};
use crate::pipeline::run::PrepareFuture;
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write_with_files("uploadChangeRequestFile", Action::EditChangeRequest, prepare, run)
}

fn prepare<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a, PreparedFile> {
    Box::pin(async move {
        let NewFile { name, content_type, base64 } = call.body()?;
        let source = FileSource::Upload(base64);
        let file = File { reference: None, name, content_type, source };
        content_changes::prepare(app, &FieldPath::new(""), file).await
    })
}

fn run(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
    file: &PreparedFile,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let change = ContentChange::InsertFiles(vec![file.clone()]);
    let (revision, changed) =
        change_requests::change_content(cx, target, vec![change], MadeFor::Head)?;
    let record = changed.files.into_iter().next();
    let record = record.ok_or_else(|| Error::internal("an inserted file is missing"))?;
    let loaded = LoadedRevision::at(cx, &target.space, call, revision)?;
    let file = present::file(&loaded.view(), record)?;
    let answer = UploadedFile { revision: revision.to_string(), file };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}
