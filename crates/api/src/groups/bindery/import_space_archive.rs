//! `importSpaceArchive`: starts a job that imports the files of an archive into a space.

use std::sync::Arc;

use bindery_app::access::Action;
use bindery_app::content::spaces::Space;
use bindery_app::{App, content::imports};
use bindery_model::{Error, Location, Result};

use crate::bodies::Upload;
use crate::call::Call;
use crate::languages::parse_language;
use crate::operation::{Operation, receive};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    receive::<Space, _>("importSpaceArchive", Action::ImportContent, run)
}

async fn run(app: Arc<App>, call: Arc<Call>, upload: Upload) -> Result<Reply> {
    let directory = call.query().text("directory").unwrap_or_default();
    imports::check_directory(Location::Query("directory"), directory)?;
    let language = call.query().text("language");
    let language = language.map(|tag| parse_language(Location::Query("language"), tag));
    let language = language.transpose()?;
    let file = std::fs::File::open(upload.path())
        .map_err(|error| Error::internal(format!("an upload is missing: {error}")))?;
    let archive = app.store.put_blob_from(file).await?;
    let import = imports::ArchiveImport { archive, directory: directory.to_owned(), language };
    let shared_app = Arc::clone(&app);
    let job = app
        .store
        .write(move |tx| {
            let caller = call.caller(tx, &shared_app)?;
            let cx = bindery_app::Context { tx, app: &shared_app, caller: &caller };
            imports::start_archive(&cx, call.path("spaceId"), &import)
        })
        .await?;
    let location = app.urls.api(format_args!("/bindery/jobs/{}", job.id));
    Ok(Reply::json(202, &present::job(&app, job))?.with_location(location))
}
