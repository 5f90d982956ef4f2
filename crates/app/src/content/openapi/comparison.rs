//! Compares each version of a specification with the one that was read before it.
//!
//! A job of its own does it, so that readers see a new version before it is compared, and so that
//! only one comparison is in memory at a time.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use bindery_content::print::plain;

use bindery_model::{
    Error, JobKind, OpenApiComparison, OpenApiSpecId, OpenApiVersionId, OpenApiVisibility, Result,
};
use bindery_openapi::{Change, Day, Level, MAX_CHANGES, compare_on};
use bindery_store::openapi::{self, OpenApiSpec, OpenApiVersion};
use bindery_store::organizations::Organization;
use bindery_store::{Event, Job, JobLease, NewEvent, NewJob, StoreError, Tx, sites};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::Pieces;
use crate::access::Authorized;
use crate::content::computed::{self, Prepared};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};
use crate::{App, Context};

/// Lets one comparison be in memory at a time. It can take a gigabyte.
static IN_MEMORY: Mutex<()> = Mutex::new(());

/// The job that compares a version with the one before it.
pub(crate) struct OpenApiComparisonJob;

/// The payload of the job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct OpenApiComparisonPayload {
    spec: OpenApiSpecId,
    version: OpenApiVersionId,
}

/// The effect of a change on those who use the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeLevel {
    /// Programs that follow the earlier state can fail.
    Breaking,
    /// Some programs can fail.
    Warning,
    /// Nobody has to act.
    Info,
}

/// A stored change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredChange {
    /// The id of the rule.
    pub rule: String,
    /// The effect on those who use the interface.
    pub level: ChangeLevel,
    /// The method; empty for a change of the whole description.
    pub method: String,
    /// The path, or `webhook:` and the name of a webhook; empty for a change of the whole description.
    pub path: String,
    /// The id of the operation; empty if there is none.
    pub operation_id: String,
    /// A sentence.
    pub text: String,
}

impl From<Change> for StoredChange {
    fn from(change: Change) -> Self {
        let Change { rule, level, method, path, operation_id, text } = change;
        let level = match level {
            Level::Breaking => ChangeLevel::Breaking,
            Level::Warning => ChangeLevel::Warning,
            Level::Info => ChangeLevel::Info,
        };
        Self { rule: rule.to_owned(), level, method, path, operation_id, text }
    }
}

/// Requests the comparison of a version.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn request(
    tx: &Tx<'_>,
    spec: &OpenApiSpec,
    version: OpenApiVersionId,
) -> Result<(), StoreError> {
    let payload = OpenApiComparisonPayload { spec: spec.id, version };
    let job = jobs::new_job::<OpenApiComparisonJob>(&payload)
        .map_err(|error| StoreError::Corrupt(error.to_string()))?;
    tx.enqueue(&NewJob { organization: Some(spec.organization), ..job })?;
    Ok(())
}

impl BackgroundJob for OpenApiComparisonJob {
    const KIND: JobKind = JobKind::OpenApiComparison;
    const MAX_ATTEMPTS: u32 = 3;
    type Payload = OpenApiComparisonPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: OpenApiComparisonPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let lease = running.lease.clone();
        let is_last = job.attempts >= Self::MAX_ATTEMPTS;
        let begun = app.store.write(move |tx| begin(tx, payload, is_last, &lease));
        let Some((spec, earlier, later)) = Handle::current().block_on(begun)? else {
            return Ok(());
        };
        if later.comparison != OpenApiComparison::Complete {
            running.report(0, None, "comparing with the version before");
            compare(app, &spec, &earlier, later)?;
        }
        // Pages with the changes are made before the transaction that shows them.
        let current = app.store.read_sync(|tx| openapi::get_current(tx, &spec))?;
        let prepared = match current {
            Some(version) => computed::prepare(&app.store, &spec, &version)?,
            None => Prepared::default(),
        };
        let lease = running.lease.clone();
        let ended = app.store.write(move |tx| {
            if !prepared.is_empty() {
                computed::refresh(tx, spec.organization, &prepared)?;
                sites::increment_versions_of_organization(tx, spec.organization)?;
            }
            tx.finish_job(&lease, None)?;
            Ok::<_, JobFailure>(())
        });
        Handle::current().block_on(ended)
    }
}

/// Compares a version with the one before it, and stores the changes.
fn compare(
    app: &App,
    spec: &OpenApiSpec,
    earlier: &OpenApiVersion,
    later: OpenApiVersion,
) -> Result<(), StoreError> {
    let changes = changes_between(app, earlier, &later)?;
    let levels = [ChangeLevel::Breaking, ChangeLevel::Warning, ChangeLevel::Info];
    let [breaking, warnings, infos] = levels.map(|level| {
        let count = changes.iter().filter(|change| change.level == level).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    });
    let text = serde_json::to_vec(&changes)
        .map_err(|error| StoreError::Corrupt(format!("changes of a version: {error}")))?;
    let object = Handle::current().block_on(app.store.put_blob(text.into()))?;
    let comparison = OpenApiComparison::Complete;
    let later =
        OpenApiVersion { comparison, changes: Some(object), breaking, warnings, infos, ..later };
    let (organization, slug) = (spec.organization, spec.slug.clone());
    let event = Event::OpenApiVersionCompared {
        spec: spec.id,
        slug,
        version: later.id,
        breaking,
        warnings,
        infos,
    };
    let stored = app.store.write(move |tx| {
        openapi::set_changes(tx, &later)?;
        tx.record(&NewEvent::new(event.clone()).organization(organization))?;
        Ok::<_, StoreError>(())
    });
    Handle::current().block_on(stored)
}

/// Returns the specification and both versions. Returns `None`, and ends the job, if there is nothing
/// to do. The last attempt counts as failed until it has ended.
fn begin(
    tx: &Tx<'_>,
    payload: OpenApiComparisonPayload,
    is_last: bool,
    lease: &JobLease,
) -> std::result::Result<Option<(OpenApiSpec, OpenApiVersion, OpenApiVersion)>, StoreError> {
    let OpenApiComparisonPayload { spec, version } = payload;
    let later = openapi::get_version(tx, spec, version)?;
    let earlier = match later.as_ref().and_then(|later| later.earlier) {
        Some(earlier) => openapi::get_version(tx, spec, earlier)?,
        None => None,
    };
    let spec = openapi::get(tx, spec)?;
    let (Some(spec), Some(earlier), Some(mut later)) = (spec, earlier, later) else {
        tx.finish_job(lease, None)?;
        return Ok(None);
    };
    if is_last && later.comparison != OpenApiComparison::Complete {
        later.comparison = OpenApiComparison::Failed;
        openapi::set_changes(tx, &later)?;
    }
    Ok(Some((spec, earlier, later)))
}

/// Returns the changes between two versions, the most serious ones first.
fn changes_between(
    app: &App,
    earlier: &OpenApiVersion,
    later: &OpenApiVersion,
) -> Result<Vec<StoredChange>, StoreError> {
    let _alone = IN_MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let read = |version: &OpenApiVersion| {
        app.store.read_sync(|tx| {
            let pieces = Pieces::of(version).and_then(|pieces| pieces.whole(&tx.objects()));
            pieces.map_err(|error| StoreError::Corrupt(error.to_string()))
        })
    };
    let (earlier, later) = (read(earlier)?, read(later)?);
    let today = Day::parse(&app.clock.now().to_string());
    let mut changes = compare_on(&earlier, &later, today);
    changes.sort_by_key(|change| Reverse(change.level));
    Ok(changes.into_iter().map(StoredChange::from).collect())
}

/// The changes of a version since the one before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionChanges {
    /// The version.
    pub version: OpenApiVersion,
    /// The changes, the most serious ones first; empty unless it was compared.
    pub changes: Vec<StoredChange>,
    /// `true` if there can be more changes than are kept.
    pub is_cut: bool,
}

impl VersionChanges {
    /// Reads the changes of a version.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of(tx: &Tx<'_>, version: OpenApiVersion) -> Result<Self> {
        let changes: Vec<StoredChange> = match &version.changes {
            Some(object) => {
                let stored = tx.object_uncached(object)?;
                serde_json::from_slice(&stored).map_err(|error| {
                    Error::internal(format!("the changes of a version: {error}"))
                })?
            }
            None => Vec::new(),
        };
        let is_cut = changes.len() >= MAX_CHANGES;
        Ok(Self { version, changes, is_cut })
    }
}

/// Returns the changes of a version, found by its id; `latest` names the one that was read last.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification or version.
pub fn changes(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    version: &str,
) -> Result<VersionChanges> {
    let (_, version) = match version {
        "latest" => super::latest(cx, organization, slug)?,
        id => super::version(cx, organization, slug, id)?,
    };
    VersionChanges::of(cx.tx, version)
}

/// Maximum number of versions whose changes are on a page.
const MAX_VERSIONS: u32 = 50;
/// Maximum number of changes of a version on a page.
const MAX_SHOWN: usize = 200;
/// Size in bytes of the Markdown of a page after which further versions are left out.
const MAX_TEXT: usize = 300 << 10;

/// Returns the changes of a specification as Markdown: a list of updates, newest first.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn change_log(tx: &Tx<'_>, spec: OpenApiSpecId) -> Result<String, StoreError> {
    let mut updates = String::new();
    for version in openapi::list_versions(tx, spec, None, MAX_VERSIONS)? {
        if version.comparison != OpenApiComparison::Complete || updates.len() > MAX_TEXT {
            continue;
        }
        let VersionChanges { version, changes, .. } = VersionChanges::of(tx, version)
            .map_err(|error| StoreError::Corrupt(error.to_string()))?;
        if changes.is_empty() {
            continue;
        }
        let date = version.created_at.to_string();
        let date = date.get(..10).unwrap_or_default();
        let tags = if version.breaking > 0 { " tags=\"breaking\"" } else { "" };
        let _ = writeln!(updates, "{{% update date=\"{date}\"{tags} %}}");
        let _ = writeln!(updates, "### {}\n", summary(&version));
        updates.push_str(&by_place(changes.get(..MAX_SHOWN).unwrap_or(&changes)));
        if changes.len() > MAX_SHOWN {
            let _ = writeln!(updates, "\nFurther changes: {}", changes.len() - MAX_SHOWN);
        }
        updates.push_str("{% endupdate %}\n");
    }
    Ok(match updates.is_empty() {
        true => "There is no change yet.\n".to_owned(),
        false => format!("{{% updates format=\"full\" %}}\n{updates}{{% endupdates %}}\n"),
    })
}

/// Returns a specification that everybody may read, with the versions that differ from the one before
/// them, newest first; `None` if there is none with this id, or if it is private.
///
/// # Errors
/// Returns an error if the store fails.
pub fn public_changes(
    tx: &Tx<'_>,
    id: OpenApiSpecId,
    limit: usize,
) -> Result<Option<(OpenApiSpec, Vec<VersionChanges>)>> {
    let spec = openapi::get(tx, id)?;
    let spec = spec.filter(|spec| spec.visibility == OpenApiVisibility::Public);
    let Some(spec) = spec else { return Ok(None) };
    let mut changed = Vec::new();
    for version in openapi::list_versions(tx, id, None, MAX_VERSIONS)? {
        if version.comparison == OpenApiComparison::Complete && changed.len() < limit {
            changed.push(VersionChanges::of(tx, version)?);
        }
    }
    changed.retain(|version| !version.changes.is_empty());
    Ok(Some((spec, changed)))
}

/// Returns the numbers of changes as words.
#[must_use]
pub fn summary(version: &OpenApiVersion) -> String {
    let counts = [
        (version.breaking, "breaking change", "breaking changes"),
        (version.warnings, "change that may break programs", "changes that may break programs"),
        (version.infos, "other change", "other changes"),
    ];
    let parts = counts
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "No change".to_owned() } else { parts.join(", ") }
}

/// Returns changes as a Markdown list by operations, those with the most serious changes first.
fn by_place(changes: &[StoredChange]) -> String {
    let mut places: Vec<(String, Vec<&StoredChange>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for change in changes {
        let place = format!("{} {}", change.method.to_uppercase(), change.path);
        let at = *known.entry(place.clone()).or_insert(places.len());
        match places.get_mut(at) {
            Some((_, own)) => own.push(change),
            None => places.push((place, vec![change])),
        }
    }
    let mut list = String::new();
    for (place, changes) in places {
        let indent = match place.trim() {
            "" => "",
            place => {
                let _ = writeln!(list, "* {}", code(place));
                "  "
            }
        };
        for StoredChange { level, text, .. } in changes {
            let mark = match level {
                ChangeLevel::Breaking => "**Breaking:** ",
                ChangeLevel::Warning => "**Warning:** ",
                ChangeLevel::Info => "",
            };
            let _ = writeln!(list, "{indent}* {mark}{}", text_of(text));
        }
    }
    list
}

/// Returns the sentence of a change as Markdown. Names and values are between backticks; they quote
/// the description, whose author must not use tags and expressions of the dialect.
fn text_of(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { code(part) } else { spaced(part) }).collect()
}

/// Returns a text as code, or as plain text if it could be more than that.
fn code(text: &str) -> String {
    let is_plain = |c: char| !c.is_control() && c != '`';
    match text.contains("{{") || text.contains("{%") || !text.chars().all(is_plain) {
        true => spaced(text),
        false if text.is_empty() => String::new(),
        false => format!("`{text}`"),
    }
}

/// Returns a text without marks, with the spaces at its ends.
fn spaced(text: &str) -> String {
    let [start, end] =
        [text.starts_with(' '), text.ends_with(' ')].map(|is| if is { " " } else { "" });
    format!("{start}{}{end}", plain(text))
}
