//! Access to jobs, the filter of their list, and cancellation.

use bindery_model::{Error, JobId, JobKind, OrganizationId, Result, SpaceId, Timestamp};
use bindery_store::organizations::Organization;
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, Job, JobCursor, JobFilter, JobStatus, NewEvent, Tx, members};

use crate::Context;
use crate::access::{
    self, Action, Authorized, Loaded, Person, SignedIn, Target, TargetKind, authorize_target,
    organization_role, space_access,
};

/// A job, visible to callers who may see the jobs of its space or organization.
#[derive(Clone, Debug)]
pub struct JobTarget(pub Job);

impl Target for JobTarget {
    const KIND: TargetKind = TargetKind::Job;
    type Key = JobId;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &JobId) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else {
            return Ok(None);
        };
        let Some(job) = tx.job(*key)? else {
            return Ok(None);
        };
        let space = job.space.map(|space| spaces::get(tx, space)).transpose()?.flatten();
        let role = match (&space, job.organization) {
            (Some(space), _) => space_access(tx, person, space)?.role(),
            (None, Some(organization)) => organization_role(tx, person, organization)?,
            (None, None) => None,
        };
        // Callers who may not see jobs must not learn that the job exists.
        let role = role.filter(|role| *role >= Action::ViewJobs.requirements().role);
        Ok(Some(Loaded { target: Self(job), role }))
    }
}

/// The requested filter of a list of jobs.
#[derive(Clone, Debug, Default)]
pub struct JobQuery {
    /// Jobs of this organization.
    pub organization: Option<String>,
    /// Jobs of this space.
    pub space: Option<String>,
    /// Jobs of this kind.
    pub kind: Option<JobKind>,
    /// Jobs with this status.
    pub status: Option<JobStatus>,
}

/// Lists the requested jobs that the caller may see, after the given position, and returns their
/// total number.
///
/// # Errors
/// Returns 404 if the caller may not see the organization or space; 403 if the caller may not see
/// its jobs.
pub fn list(
    cx: &Context<'_>,
    caller: &Authorized<SignedIn>,
    asked: &JobQuery,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Job>, i64)> {
    let mut filter = filter(cx, caller, asked)?;
    let count = cx.tx.count_jobs(&filter)?;
    filter.after =
        after.and_then(|(created_at, id)| Some(JobCursor { created_at, id: JobId::parse(id)? }));
    Ok((cx.tx.list_jobs(&filter, rows)?, count))
}

/// Returns the filter that selects the requested jobs that the caller may see.
fn filter(cx: &Context<'_>, _: &Authorized<SignedIn>, asked: &JobQuery) -> Result<JobFilter> {
    let mut filter = JobFilter { kind: asked.kind, status: asked.status, ..JobFilter::default() };
    if let Some(space) = &asked.space {
        let key = SpaceId::parse(space);
        let found = authorize_target::<Space>(cx.tx, cx.caller, Action::ViewJobs, key.as_ref())?;
        filter.space = Some(found.id);
    }
    if let Some(organization) = &asked.organization {
        let key = OrganizationId::parse(organization);
        if asked.space.is_none() {
            authorize_target::<Organization>(cx.tx, cx.caller, Action::ViewJobs, key.as_ref())?;
        }
        filter.organization = key;
    }
    if filter.space.is_none() && filter.organization.is_none() {
        let person = cx.caller.person().ok_or_else(|| Error::internal("jobs of nobody"))?;
        let mut within = Vec::new();
        for organization in members::list_organizations(cx.tx, person.user)? {
            let role = access::organization_role(cx.tx, person, organization)?;
            if role.is_some_and(|role| role >= Action::ViewJobs.requirements().role) {
                within.push(organization);
            }
        }
        filter.within = Some(within);
    }
    Ok(filter)
}

/// Cancels a job. A queued job ends immediately, a running one after its worker's next report.
///
/// # Errors
/// Returns 409 if the job has ended.
pub fn cancel(cx: &Context<'_>, job: &Authorized<JobTarget>) -> Result<()> {
    let job = &job.0;
    if job.status.is_final() {
        return Err(Error::conflict(format!("the job is {} already", job.status.as_str())));
    }
    cx.tx.cancel_job(job.id)?;
    if !job.kind.known().is_some_and(JobKind::is_import) {
        return Ok(());
    }
    cx.tx.record(
        &NewEvent::new(Event::ImportFailed {
            job: job.id.to_string(),
            code: "cancelled".to_owned(),
        })
        .by(cx.user())
        .organization(job.organization)
        .space(job.space),
    )?;
    Ok(())
}
