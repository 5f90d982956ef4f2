//! Fetches the files of a description.
//!
//! A file that the last version has from the same address is asked for with the headers that came
//! with it, so that a server sends it only if it has changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bindery_model::OpenApiFailure;
use bindery_openapi::{Description, Loader, MAX_BYTES, Overlay, Problem, Wanted};
use bindery_outbound::header::{ACCEPT, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use bindery_outbound::{
    Client, Error, HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Url,
};
use bindery_revision::Hash;
use bindery_store::openapi::{OpenApiFile, OpenApiOverlay};
use bindery_store::{Store, StoreError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;

use super::messages::Failed;

/// Maximum time in which all files of a description must arrive.
const MAX_TIME: Duration = Duration::from_secs(60);
/// Maximum number of requests for files of a description at the same time.
const AT_ONCE: usize = 8;
/// Maximum length of a header that is kept for conditional requests, in bytes.
const MAX_HEADER: usize = 500;
/// The media types of descriptions, preferred to others.
const MEDIA_TYPES: &str = "application/vnd.oai.openapi+json, application/vnd.oai.openapi, \
                           application/json, application/yaml, text/yaml, */*;q=0.5";

/// Limits the number of descriptions in memory, each of which can take hundreds of megabytes.
static IN_MEMORY: Semaphore = Semaphore::const_new(2);
/// Size of the files of a description in bytes up to which it leaves its place in memory to others
/// while it waits for further files, so that slow servers delay no other description.
const SMALL: usize = 4 << 20;

/// A file with the headers of the response that it came with.
#[derive(Clone, Debug, Default)]
pub(super) struct Validators {
    pub(super) url: Option<String>,
    pub(super) etag: Option<String>,
    pub(super) modified: Option<String>,
}

/// A description with the headers of its files, by their names.
pub(super) struct Fetched {
    pub(super) description: Description,
    /// The names and the texts of the overlays, in order.
    pub(super) overlays: Vec<(String, String)>,
    pub(super) validators: BTreeMap<String, Validators>,
    /// Ends when the description leaves the memory.
    _place: Option<SemaphorePermit<'static>>,
}

/// The failure of a run, or of the server.
pub(super) enum Stopped {
    Failed(Failed),
    Store(StoreError),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

struct Answer {
    /// The address that answered.
    url: Url,
    text: String,
    validators: Validators,
}

/// Fetches files.
#[derive(Clone)]
pub(super) struct Fetch {
    store: Store,
    client: Client,
    deadline: Instant,
    /// The files of the last version, by address.
    known: Arc<HashMap<String, OpenApiFile>>,
}

impl Fetch {
    pub(super) fn new(store: &Store, client: &Client, known: Vec<OpenApiFile>) -> Self {
        let known = known.into_iter().filter_map(|file| Some((file.url.clone()?, file)));
        Self {
            store: store.clone(),
            client: client.clone(),
            deadline: Instant::now() + MAX_TIME,
            known: Arc::new(known.collect()),
        }
    }

    /// Fetches the description at an address, and changes it by overlays.
    pub(super) async fn at(
        &self,
        address: &str,
        overlays: Vec<OpenApiOverlay>,
    ) -> Result<Fetched, Stopped> {
        let overlays = self.overlays(overlays).await?;
        let Answer { url, text, validators } = self.read(&parsed(address)?).await?;
        self.complete(Loader::new(Some(url)), overlays, text, validators).await
    }

    /// Reads an uploaded text, fetches the files that it refers to, and changes it by overlays.
    pub(super) async fn of_text(
        &self,
        text: String,
        overlays: Vec<OpenApiOverlay>,
    ) -> Result<Fetched, Stopped> {
        let overlays = self.overlays(overlays).await?;
        self.complete(Loader::new(None), overlays, text, Validators::default()).await
    }

    /// Returns the names and the texts of overlays.
    async fn overlays(
        &self,
        overlays: Vec<OpenApiOverlay>,
    ) -> Result<Vec<(String, String)>, Stopped> {
        let mut texts = Vec::new();
        for OpenApiOverlay { position, url, upload, .. } in overlays {
            let number = position + 1;
            match (url, upload) {
                (Some(url), _) => {
                    let url = parsed(&url)?;
                    texts.push((shown(&url), self.read(&url).await?.text));
                }
                (None, Some(upload)) => {
                    let text = text_of_object(&self.store, &upload).await?;
                    texts.push((format!("overlay {number}"), text));
                }
                (None, None) => {
                    let message = format!("overlay {number} has no source");
                    return Err(Stopped::Store(StoreError::Corrupt(message)));
                }
            }
        }
        Ok(texts)
    }

    async fn complete(
        &self,
        loader: Loader,
        overlays: Vec<(String, String)>,
        text: String,
        validators: Validators,
    ) -> Result<Fetched, Stopped> {
        let read = overlays.iter().map(|(name, text)| Overlay::read(name, text));
        let read: Result<Vec<Overlay>, Vec<Problem>> = read.collect();
        let mut loader = loader.overlaid(read.map_err(unusable)?);
        let mut place = Some(place_in_memory().await?);
        let mut all = BTreeMap::from([(loader.root().to_owned(), validators)]);
        loader.add(text);
        let mut failure = OpenApiFailure::ParseError;
        loop {
            let wanted = loader.wanted(AT_ONCE);
            if wanted.is_empty() {
                break;
            }
            if loader.size() <= SMALL {
                drop(place.take());
            }
            let answers = self.read_all(wanted).await?;
            if place.is_none() {
                place = Some(place_in_memory().await?);
            }
            for (wanted, answer) in answers {
                match answer {
                    Ok(Answer { url, text, validators }) => {
                        all.insert(wanted.name.clone(), validators);
                        loader.found(&wanted, &url, text);
                    }
                    Err(Failed { code, messages }) => {
                        failure = code;
                        loader.lost(&wanted, &messages.join("; "));
                    }
                }
            }
        }
        match loader.finish() {
            Ok(description) => {
                Ok(Fetched { description, overlays, validators: all, _place: place })
            }
            Err(problems) => Err(Stopped::Failed(Failed {
                code: failure,
                messages: problems.iter().map(ToString::to_string).collect(),
            })),
        }
    }

    /// Fetches files at the same time. Returns them in the order of their names.
    async fn read_all(
        &self,
        wanted: Vec<Wanted>,
    ) -> Result<Vec<(Wanted, Result<Answer, Failed>)>, StoreError> {
        let mut tasks = JoinSet::new();
        for wanted in wanted {
            let fetch = self.clone();
            tasks.spawn(async move {
                let answer = fetch.read(&wanted.url).await;
                (wanted, answer)
            });
        }
        let mut answers = Vec::new();
        while let Some(ended) = tasks.join_next().await {
            let (wanted, answer) =
                ended.map_err(|panic| StoreError::Panicked(panic.to_string()))?;
            match answer {
                Ok(answer) => answers.push((wanted, Ok(answer))),
                Err(Stopped::Failed(failed)) => answers.push((wanted, Err(failed))),
                Err(Stopped::Store(error)) => return Err(error),
            }
        }
        answers.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        Ok(answers)
    }

    async fn read(&self, url: &Url) -> Result<Answer, Stopped> {
        let known = self.known.get(url.as_str());
        let time = self.deadline.saturating_duration_since(Instant::now());
        let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        let mut request = Request::get(url.clone()).total(time).body_limit(limit);
        request = request.header(ACCEPT, HeaderValue::from_static(MEDIA_TYPES));
        for (name, value) in known.map(conditions).into_iter().flatten() {
            request = request.header(name, value);
        }
        let failed = |code, message: String| Stopped::Failed(Failed::new(code, message));
        let of_error = |error: Error| {
            let code = match error {
                Error::Timeout { .. } => OpenApiFailure::FetchTimeout,
                _ => OpenApiFailure::FetchError,
            };
            failed(code, error.to_string())
        };
        let response = self.client.send(request).await.map_err(of_error)?;
        let (url_of_answer, status) = (response.url.clone(), response.status);
        if let Some(known) = known.filter(|_| status == StatusCode::NOT_MODIFIED) {
            let text = text_of(&self.store, known).await?;
            let validators = Validators {
                url: known.url.clone(),
                etag: known.etag.clone(),
                modified: known.modified.clone(),
            };
            return Ok(Answer { url: url_of_answer, text, validators });
        }
        if !status.is_success() {
            let message = format!("{} answered with the status {}", shown(url), status.as_u16());
            return Err(failed(OpenApiFailure::FetchError, message));
        }
        let validators = Validators {
            url: Some(url.to_string()),
            etag: header(&response.headers, &ETAG),
            modified: header(&response.headers, &LAST_MODIFIED),
        };
        let bytes = response.body.bytes().await.map_err(of_error)?;
        let text = String::from_utf8(bytes.into()).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message =
                format!("{}: found bytes that are not UTF-8, from byte {at} on", shown(url));
            failed(OpenApiFailure::ParseError, message)
        })?;
        Ok(Answer { url: url_of_answer, text, validators })
    }
}

async fn place_in_memory() -> Result<SemaphorePermit<'static>, StoreError> {
    let place = IN_MEMORY.acquire().await;
    place.map_err(|error| StoreError::Panicked(error.to_string()))
}

fn parsed(address: &str) -> Result<Url, Stopped> {
    Url::parse(address).map_err(|error| {
        let message = format!("{address}: {error}");
        Stopped::Failed(Failed::new(OpenApiFailure::FetchError, message))
    })
}

/// Returns the failure of a run with an overlay that has problems.
fn unusable(problems: Vec<Problem>) -> Stopped {
    let messages = problems.iter().map(ToString::to_string).collect();
    Stopped::Failed(Failed { code: OpenApiFailure::ParseError, messages })
}

/// Returns an address without its query, which may contain a secret.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// Returns the text of a stored file.
async fn text_of(store: &Store, file: &OpenApiFile) -> Result<String, StoreError> {
    text_of_object(store, &file.object).await
}

/// Returns a stored text.
pub(super) async fn text_of_object(store: &Store, object: &Hash) -> Result<String, StoreError> {
    let bytes = store.object(object).await?;
    String::from_utf8(bytes.into())
        .map_err(|error| StoreError::Corrupt(format!("a file of a specification: {error}")))
}

fn conditions(known: &OpenApiFile) -> Vec<(HeaderName, HeaderValue)> {
    let etag = known.etag.as_deref().map(|value| (IF_NONE_MATCH, value));
    let modified = known.modified.as_deref().map(|value| (IF_MODIFIED_SINCE, value));
    let both = etag.into_iter().chain(modified);
    both.filter_map(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?))).collect()
}

fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    (value.len() <= MAX_HEADER).then(|| value.to_owned())
}
