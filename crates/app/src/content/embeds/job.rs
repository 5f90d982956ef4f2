//! The job that fetches the descriptions of an organization's embeds.
//!
//! It works in rounds: each takes some addresses that are due, at most [`PER_HOST`] of each host,
//! fetches them at the same time, and stores the results in one transaction. An address that is
//! taken is due again later, so a worker that dies is a failed attempt like any other.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use bindery_model::{EmbedPictureId, JobKind, OrganizationId, Result, Timestamp};
use bindery_outbound::Url;
use bindery_store::embeds::{self, Embed, EmbedPicture, EmbedStatus};
use bindery_store::{Job, NewJob, Store, StoreError, Tx};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tracing::Instrument as _;

use super::describe::{Description, Picture, describe};
use super::page::Failure;
use crate::App;
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};

/// Maximum number of requests of one job at the same time.
const AT_ONCE: u32 = 8;
/// Maximum number of those to one host.
const PER_HOST: u32 = 2;
/// Maximum time of a job. What is left then waits for [`PAUSE`].
const MAX_TIME: Duration = Duration::from_secs(15 * 60);
/// Maximum bytes of the pictures that one job fetches. What is left then waits for [`PAUSE`].
const MAX_BYTES: i64 = 256 << 20;
/// Maximum bytes of all pictures of an organization. Further descriptions have none.
const MAX_PICTURE_BYTES: i64 = 1 << 30;
/// Number of failures of a host after which its other addresses wait for [`PAUSE`].
const MAX_HOST_FAILURES: u32 = 4;
/// Number of organizations that get a job at once.
const ORGANIZATIONS_AT_ONCE: u32 = 20;

const MINUTE: i64 = 60 * 1_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// Time in milliseconds after which the addresses that a budget left over are due again.
const PAUSE: i64 = 60 * MINUTE;
/// Time in milliseconds after which a description is fetched again: 30 days. An address without one
/// is asked again then, too.
const LIFETIME: i64 = 30 * DAY;
/// Times in milliseconds from a failed attempt to the next one. After the last one the address has
/// no description.
const BACKOFF: [i64; 4] = [MINUTE, 10 * MINUTE, 60 * MINUTE, 6 * 60 * MINUTE];
/// Time in milliseconds for which addresses without a use are kept.
const UNUSED_RETENTION: i64 = DAY;

/// The job that fetches the descriptions of an organization's embeds.
pub(crate) struct EmbedDescriptionsJob;

/// The payload of the job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct EmbedDescriptionsPayload {
    organization: OrganizationId,
}

/// Enqueues a job for each organization with addresses that are due, unless it has one.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) async fn enqueue_due(store: &Store) -> Result<()> {
    let due = store.read(|tx| embeds::organizations_due(tx, ORGANIZATIONS_AT_ONCE)).await?;
    if due.is_empty() {
        return Ok(());
    }
    store
        .write(|tx| {
            for organization in embeds::organizations_due(tx, ORGANIZATIONS_AT_ONCE)? {
                let payload = EmbedDescriptionsPayload { organization };
                tx.enqueue(&NewJob {
                    organization: Some(organization),
                    ..jobs::new_job::<EmbedDescriptionsJob>(&payload)?
                })?;
            }
            Ok::<_, bindery_model::Error>(())
        })
        .await
}

/// Deletes the addresses that no page has embedded for some time. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn delete_unused(tx: &Tx<'_>) -> std::result::Result<u64, StoreError> {
    embeds::delete_unused(tx, tx.now().plus_millis(-UNUSED_RETENTION))
}

impl BackgroundJob for EmbedDescriptionsJob {
    const KIND: JobKind = JobKind::EmbedDescriptions;
    const MAX_ATTEMPTS: u32 = 3;
    type Payload = EmbedDescriptionsPayload;

    fn run(
        app: &App,
        _: &Job,
        EmbedDescriptionsPayload { organization }: EmbedDescriptionsPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let run = async {
            let mut work = Work::start(app, organization).await?;
            while work.round(running).await? {}
            let Counts { described, failed, none } = work.counts;
            tracing::info!(described, failed, none, "embeds were described");
            let lease = running.lease.clone();
            app.store.write(move |tx| tx.finish_job(&lease, None)).await?;
            Ok(())
        };
        Handle::current().block_on(run)
    }
}

/// The results of a job.
#[derive(Clone, Copy, Default)]
struct Counts {
    described: u64,
    failed: u64,
    none: u64,
}

struct Work<'a> {
    app: &'a App,
    organization: OrganizationId,
    started: Instant,
    /// The bytes that pictures may still have.
    bytes: i64,
    failures: HashMap<String, u32>,
    counts: Counts,
}

type Attempt = (Embed, std::result::Result<Description, Failure>);

impl<'a> Work<'a> {
    async fn start(app: &'a App, organization: OrganizationId) -> Result<Self, StoreError> {
        let stored = app.store.read(move |tx| embeds::picture_bytes(tx, organization)).await?;
        Ok(Self {
            app,
            organization,
            started: Instant::now(),
            bytes: MAX_BYTES.min(MAX_PICTURE_BYTES - stored).max(0),
            failures: HashMap::new(),
            counts: Counts::default(),
        })
    }

    /// Describes some addresses. Returns `false` if none are due.
    async fn round(&mut self, running: &RunningJob) -> std::result::Result<bool, JobFailure> {
        if running.cancel.is_cancelled() {
            return Err(JobFailure::Cancelled);
        }
        let organization = self.organization;
        let is_over = self.started.elapsed() >= MAX_TIME || !self.app.describes_embeds;
        let due = self.app.store.write(move |tx| {
            let later = tx.now().plus_millis(PAUSE);
            if is_over {
                embeds::postpone(tx, organization, None, later)?;
            }
            embeds::claim_due(tx, organization, PER_HOST, AT_ONCE, later)
        });
        let due = due.await?;
        if due.is_empty() {
            return Ok(false);
        }
        let attempts = tokio::select! {
            attempts = self.fetch(due) => attempts,
            () = running.cancel.cancelled() => return Err(JobFailure::Cancelled),
        };
        let mut results = Vec::with_capacity(attempts.len());
        for (embed, found) in attempts {
            results.push(self.conclude(embed, found).await?);
        }
        let busy = self.busy_hosts(&results);
        let done = results.len();
        self.app
            .store
            .write(move |tx| {
                for result in &results {
                    result.store(tx)?;
                }
                let later = tx.now().plus_millis(PAUSE);
                for host in &busy {
                    embeds::postpone(tx, organization, Some(host), later)?;
                }
                Ok::<_, StoreError>(())
            })
            .await?;
        let Counts { described, failed, none } = self.counts;
        tracing::debug!(addresses = done, "embeds were fetched");
        running.report(described + failed + none, None, "describing embeds");
        Ok(true)
    }

    async fn fetch(&self, due: Vec<Embed>) -> Vec<Attempt> {
        let mut tasks = JoinSet::new();
        for embed in due {
            let client = self.app.client.clone();
            let fetch = async move {
                let found = match Url::parse(&embed.url) {
                    Ok(url) => describe(&client, &url).await,
                    Err(_) => Err(Failure::Final),
                };
                (embed, found)
            };
            tasks.spawn(fetch.in_current_span());
        }
        let mut attempts = Vec::new();
        while let Some(ended) = tasks.join_next().await {
            match ended {
                Ok(attempt) => attempts.push(attempt),
                // Its next attempt is scheduled already.
                Err(error) => tracing::error!(%error, "the description of an embed failed"),
            }
        }
        attempts
    }

    /// Stores the picture of a description, and returns what the row of the address becomes.
    async fn conclude(
        &mut self,
        embed: Embed,
        found: std::result::Result<Description, Failure>,
    ) -> std::result::Result<Outcome, JobFailure> {
        let description = match found {
            Ok(description) => description,
            Err(failure) => {
                let retries = failure == Failure::Later;
                let backoff = BACKOFF.get(embed.failures as usize).filter(|_| retries).copied();
                match backoff {
                    Some(_) => self.counts.failed += 1,
                    None => self.counts.none += 1,
                }
                tracing::debug!(host = embed.host, ?failure, "an embed could not be described");
                return Ok(Outcome { embed, result: Err(backoff), is_busy: retries });
            }
        };
        self.counts.described += 1;
        let Description { title, site, description, picture } = description;
        let picture = match picture.filter(|picture| picture_size(picture) <= self.bytes) {
            Some(picture) => {
                self.bytes -= picture_size(&picture);
                Some(self.store_picture(&embed, picture).await?)
            }
            None => None,
        };
        let embed = Embed { title, site, description, ..embed };
        Ok(Outcome { embed, result: Ok(picture), is_busy: false })
    }

    async fn store_picture(
        &self,
        embed: &Embed,
        picture: Picture,
    ) -> std::result::Result<EmbedPicture, JobFailure> {
        let size = picture_size(&picture);
        let Picture { bytes, content_type, width, height } = picture;
        Ok(EmbedPicture {
            id: EmbedPictureId::random(&self.app.entropy),
            organization: embed.organization,
            address: embed.address,
            object: self.app.store.put_blob(bytes).await?,
            content_type: content_type.to_owned(),
            size,
            width,
            height,
        })
    }

    /// Counts the failures of hosts, and returns the hosts that must be left alone for a while.
    fn busy_hosts(&mut self, results: &[Outcome]) -> HashSet<String> {
        let mut busy = HashSet::new();
        for Outcome { embed, is_busy, .. } in results {
            if !is_busy {
                self.failures.remove(&embed.host);
                continue;
            }
            let failures = self.failures.entry(embed.host.clone()).or_default();
            *failures += 1;
            if *failures >= MAX_HOST_FAILURES {
                busy.insert(embed.host.clone());
            }
        }
        busy
    }
}

fn picture_size(picture: &Picture) -> i64 {
    i64::try_from(picture.bytes.len()).unwrap_or(i64::MAX)
}

/// The result of an attempt.
#[derive(Clone)]
struct Outcome {
    /// The address, with the description if one was found.
    embed: Embed,
    /// The picture of the description, or the delay until the next attempt; `None` if there is none
    /// before the description would be fetched again anyway.
    result: std::result::Result<Option<EmbedPicture>, Option<i64>>,
    /// `true` if the host is busy or cannot be reached.
    is_busy: bool,
}

impl Outcome {
    fn store(&self, tx: &Tx<'_>) -> std::result::Result<(), StoreError> {
        let (organization, address) = (self.embed.organization, &self.embed.address);
        // The address may have been deleted meanwhile.
        let Some(known) = embeds::get(tx, organization, address)? else { return Ok(()) };
        match &self.result {
            Ok(picture) => self.store_description(tx, known, picture.as_ref()),
            Err(backoff) => {
                let is_described = known.status == EmbedStatus::Described;
                let status = match backoff {
                    None if !is_described => EmbedStatus::Absent,
                    _ => known.status,
                };
                let failures = if backoff.is_some() { known.failures } else { 0 };
                let next_at = next(tx, backoff.unwrap_or(LIFETIME));
                embeds::update(tx, &Embed { status, failures, next_at, ..known })
            }
        }
    }

    fn store_description(
        &self,
        tx: &Tx<'_>,
        known: Embed,
        picture: Option<&EmbedPicture>,
    ) -> std::result::Result<(), StoreError> {
        let Embed { organization, address, title, site, description, .. } = &self.embed;
        let before = embeds::picture_of(tx, *organization, address)?;
        // A picture that cannot be fetched at the moment stays as it was.
        let picture = picture.or(before.as_ref());
        let object = |picture: Option<&EmbedPicture>| picture.map(|picture| picture.object);
        let has_other_picture = object(before.as_ref()) != object(picture);
        let changed = has_other_picture
            || known.status != EmbedStatus::Described
            || (&known.title, &known.site, &known.description) != (title, site, description);
        if has_other_picture {
            embeds::set_picture(tx, *organization, address, picture)?;
        }
        let after = Embed {
            status: EmbedStatus::Described,
            title: title.clone(),
            site: site.clone(),
            description: description.clone(),
            version: known.version + i64::from(changed),
            failures: 0,
            next_at: next(tx, LIFETIME),
            ..known
        };
        embeds::update(tx, &after)?;
        if changed { embeds::record_change(tx, *organization, address) } else { Ok(()) }
    }
}

/// Returns the time of the next attempt.
fn next(tx: &Tx<'_>, delay: i64) -> Timestamp {
    tx.now().plus_millis(delay)
}
