//! The job that reads the source of a specification, and the schedule by which sources are read
//! again.

use bindery_model::{
    Error, JobKind, OpenApiComparison, OpenApiSpecId, OpenApiState, OpenApiVersionId, Result,
    UserId,
};
use bindery_openapi::Description;
use bindery_revision::Hash;
use bindery_store::openapi::{
    self, OpenApiFile, OpenApiOverlay, OpenApiSpec, OpenApiVersion, OpenApiVersionOverlay,
};
use bindery_store::{Event, Job, JobLease, NewEvent, NewJob, Store, StoreError, Tx, sites};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::comparison;
use super::fetch::{Fetch, Fetched, Stopped, Validators, text_of_object};
use super::messages::{self, Failed, Message};
use super::pieces;
use crate::App;
use crate::content::computed::{self, Prepared};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};

const MINUTE: i64 = 60 * 1_000;
/// Time in milliseconds after which the source at an address is read again: 6 hours.
const INTERVAL: i64 = 6 * 60 * MINUTE;
/// Time in milliseconds after which a run is requested again because its job was lost.
const LOST: i64 = 15 * MINUTE;
/// Number of specifications whose runs one transaction requests.
const REQUESTED_AT_ONCE: u32 = 32;

/// The job that reads the source of a specification.
pub(crate) struct OpenApiJob;

/// The payload of the job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct OpenApiPayload {
    spec: OpenApiSpecId,
    /// The number of the run. A job does nothing if a later run was requested.
    run: i64,
}

/// Requests a run for a specification that is stored already, and stores its changes.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn request(tx: &Tx<'_>, spec: &mut OpenApiSpec, actor: Option<UserId>) -> Result<()> {
    spec.run += 1;
    spec.state = OpenApiState::Pending;
    spec.again = false;
    spec.next_at = Some(tx.now().plus_millis(LOST));
    openapi::update(tx, spec)?;
    let payload = OpenApiPayload { spec: spec.id, run: spec.run };
    let job = jobs::new_job::<OpenApiJob>(&payload)?;
    tx.enqueue(&NewJob { organization: Some(spec.organization), actor, ..job })?;
    Ok(())
}

/// Requests a run for each specification whose source must be read again.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) async fn read_due(store: &Store) -> Result<()> {
    while store.read(openapi::is_any_due).await? {
        store
            .write(|tx| {
                for mut spec in openapi::list_due(tx, REQUESTED_AT_ONCE)? {
                    request(tx, &mut spec, None)?;
                }
                Ok::<_, Error>(())
            })
            .await?;
    }
    Ok(())
}

/// The input of a run.
struct Input {
    spec: OpenApiSpec,
    last: Option<OpenApiVersion>,
    /// The files of the last version.
    known: Vec<OpenApiFile>,
    overlays: Vec<OpenApiOverlay>,
}

impl BackgroundJob for OpenApiJob {
    const KIND: JobKind = JobKind::OpenApi;
    const MAX_ATTEMPTS: u32 = 3;
    type Payload = OpenApiPayload;

    fn run(
        app: &App,
        _: &Job,
        payload: OpenApiPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let lease = running.lease.clone();
        let begun = app.store.write(move |tx| begin(tx, payload, &lease));
        let Some(input) = Handle::current().block_on(begun)? else { return Ok(()) };
        running.report(0, None, "reading the files");
        let read = async {
            tokio::select! {
                read = read(app, &input) => Ok(read),
                () = running.cancel.cancelled() => Err(JobFailure::Cancelled),
            }
        };
        let read = match Handle::current().block_on(read)? {
            Ok(fetched) => Ok(fetched),
            Err(Stopped::Failed(failed)) => Err(failed),
            Err(Stopped::Store(error)) => return Err(error.into()),
        };
        let result = match read {
            Ok(fetched) => Handle::current().block_on(store_read(app, fetched, &input))?,
            Err(failed) => Outcome::Failed(failed),
        };
        let prepared = match &result {
            Outcome::Read(read) => computed::prepare(&app.store, &input.spec, &read.version)?,
            Outcome::Failed(_) => Prepared::default(),
        };
        let lease = running.lease.clone();
        let ended = app.store.write(move |tx| {
            end(tx, payload, &result, &prepared)?;
            tx.finish_job(&lease, None)?;
            Ok::<_, JobFailure>(())
        });
        Handle::current().block_on(ended)
    }
}

/// Begins a run. Returns `None`, and ends the job, if there is nothing to do.
fn begin(
    tx: &Tx<'_>,
    payload: OpenApiPayload,
    lease: &JobLease,
) -> std::result::Result<Option<Input>, StoreError> {
    let spec = openapi::get(tx, payload.spec)?.filter(|spec| spec.run == payload.run);
    let Some(mut spec) = spec else {
        tx.finish_job(lease, None)?;
        return Ok(None);
    };
    spec.state = OpenApiState::Progress;
    openapi::update(tx, &spec)?;
    let overlays = openapi::list_overlays(tx, spec.id)?;
    let Some(version) = spec.version else {
        return Ok(Some(Input { spec, last: None, known: Vec::new(), overlays }));
    };
    let last = openapi::get_version(tx, spec.id, version)?;
    let known = openapi::list_files(tx, version)?;
    Ok(Some(Input { spec, last, known, overlays }))
}

async fn read(app: &App, input: &Input) -> std::result::Result<Fetched, Stopped> {
    let fetch = Fetch::new(&app.store, &app.client, input.known.clone());
    match (&input.spec.url, &input.spec.upload) {
        (Some(url), _) => fetch.at(url, input.overlays.clone()).await,
        (None, Some(upload)) => {
            let text = text_of_object(&app.store, upload).await?;
            fetch.of_text(text, input.overlays.clone()).await
        }
        (None, None) => Err(Stopped::Store(StoreError::Corrupt("a source is missing".to_owned()))),
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
enum Outcome {
    Read(Box<Read>),
    Failed(Failed),
}

/// A description whose texts are stored.
#[derive(Clone, Debug)]
struct Read {
    /// The version with these texts, which may be an older one.
    version: OpenApiVersion,
    files: Vec<ReadFile>,
    /// The names and the texts of the overlays.
    overlays: Vec<(String, Hash)>,
    warnings: Vec<Message>,
}

/// A file of a description whose text is stored.
#[derive(Clone, Debug)]
struct ReadFile {
    name: String,
    object: Hash,
    size: i64,
    validators: Validators,
}

/// Stores the texts and the pieces of a description.
async fn store_read(
    app: &App,
    fetched: Fetched,
    input: &Input,
) -> std::result::Result<Outcome, StoreError> {
    let store = &app.store;
    let Fetched { description, overlays, mut validators, .. } = fetched;
    let pieces = pieces::write(store, &app.entropy, &description, input.last.as_ref()).await?;
    let Description { root, mut texts, problems, .. } = description;
    let first = texts.remove_entry(&root);
    let (mut files, mut digest) = (Vec::new(), Vec::new());
    for (name, text) in first.into_iter().chain(texts) {
        let size = i64::try_from(text.len()).unwrap_or(i64::MAX);
        let object = store.put_blob(text.into()).await?;
        digest.extend_from_slice(Hash::of(name.as_bytes()).as_bytes());
        digest.extend_from_slice(object.as_bytes());
        let validators = validators.remove(&name).unwrap_or_default();
        files.push(ReadFile { name, object, size, validators });
    }
    let mut stored_overlays = Vec::new();
    for (name, text) in overlays {
        let object = store.put_blob(text.into()).await?;
        digest.extend_from_slice(object.as_bytes());
        stored_overlays.push((name, object));
    }
    let warnings = messages::warnings(&problems);
    let (spec, digest) = (input.spec.id, Hash::of(&digest));
    let known = store.read(move |tx| openapi::find_version(tx, spec, &digest)).await?;
    let version = known.unwrap_or_else(|| OpenApiVersion {
        id: OpenApiVersionId::random(&app.entropy),
        spec,
        digest,
        pieces,
        created_at: app.clock.now(),
        earlier: None,
        comparison: OpenApiComparison::First,
        changes: None,
        breaking: 0,
        warnings: 0,
        infos: 0,
    });
    Ok(Outcome::Read(Box::new(Read { version, files, overlays: stored_overlays, warnings })))
}

/// Stores the result of a run, unless a later run was requested meanwhile.
fn end(
    tx: &Tx<'_>,
    payload: OpenApiPayload,
    outcome: &Outcome,
    prepared: &Prepared,
) -> std::result::Result<(), StoreError> {
    let spec = openapi::get(tx, payload.spec)?.filter(|spec| spec.run == payload.run);
    let Some(mut spec) = spec else { return Ok(()) };
    let before = spec.version;
    match outcome {
        Outcome::Failed(failed) => {
            spec.error = Some(failed.code);
            spec.messages = messages::write(&failed.messages())?;
        }
        Outcome::Read(read) => {
            spec.version = Some(version_of(tx, &spec, read)?);
            spec.error = None;
            spec.messages = messages::write(&read.warnings)?;
        }
    }
    spec.state = OpenApiState::Complete;
    // Two runs within a millisecond have different times, too.
    let last = spec.processed_at.map(|last| last.plus_millis(1));
    spec.processed_at = last.max(Some(tx.now()));
    spec.next_at = spec.url.as_ref().map(|_| tx.now().plus_millis(INTERVAL));
    if spec.version != before {
        spec.updated_at = tx.now();
        openapi::update(tx, &spec)?;
        computed::refresh(tx, spec.organization, prepared)?;
        let event = Event::OpenApiCurrentVersionChanged { spec: spec.id };
        tx.record(&NewEvent::new(event).organization(spec.organization))?;
        sites::increment_versions_of_organization(tx, spec.organization)?;
    }
    if spec.again {
        let requested = request(tx, &mut spec, None);
        return requested.map_err(|error| StoreError::Corrupt(error.to_string()));
    }
    openapi::update(tx, &spec)?;
    Ok(())
}

/// Stores the version that was read, unless it is an older one. Returns its id.
fn version_of(
    tx: &Tx<'_>,
    spec: &OpenApiSpec,
    read: &Read,
) -> std::result::Result<OpenApiVersionId, StoreError> {
    let version = &read.version;
    let known = openapi::find_version(tx, spec.id, &version.digest)?;
    let id = known.as_ref().unwrap_or(version).id;
    let files: Vec<OpenApiFile> =
        (0..).zip(&read.files).map(|(position, file)| file.of(id, position)).collect();
    if known.is_some() {
        for file in &files {
            openapi::set_validators(tx, file)?;
        }
        return Ok(id);
    }
    let comparison = match spec.version {
        Some(_) => OpenApiComparison::Pending,
        None => OpenApiComparison::First,
    };
    let version = OpenApiVersion { earlier: spec.version, comparison, ..version.clone() };
    let overlays = (0..).zip(read.overlays.iter().cloned());
    let overlays: Vec<OpenApiVersionOverlay> = overlays
        .map(|(position, (name, object))| OpenApiVersionOverlay {
            version: id,
            position,
            name,
            object,
        })
        .collect();
    openapi::create_version(tx, &version, &files, &overlays)?;
    if comparison == OpenApiComparison::Pending {
        comparison::request(tx, spec, id)?;
    }
    let event = Event::OpenApiVersionCreated { spec: spec.id, version: id };
    tx.record(&NewEvent::new(event).organization(spec.organization))?;
    Ok(id)
}

impl ReadFile {
    fn of(&self, version: OpenApiVersionId, position: u32) -> OpenApiFile {
        let Self { name, object, size, validators } = self.clone();
        let Validators { url, etag, modified } = validators;
        OpenApiFile { version, position, name, url, object, size, etag, modified }
    }
}
