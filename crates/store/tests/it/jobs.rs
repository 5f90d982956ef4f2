//! The rules of the job queue.

use std::sync::Arc;
use std::time::Duration;

use bindery_model::{Entropy, JobId, JobKind, OrganizationId, RevisionId, SpaceId, Timestamp};
use bindery_store::{
    Job, JobError, JobFilter, JobLease, JobSignal, JobStatus, LeaseRequest, LeasedJob, NewJob,
    Progress, Retry, Store, StoreError, StoredJobKind,
};

use crate::support::{Home, START, on_both};

on_both! {
    a_job_is_done_once,
    jobs_roll_back_with_their_cause,
    job_limits_are_enforced,
    content_jobs_of_one_space_take_turns,
    a_newer_job_replaces_a_waiting_one,
    failures_are_retried_with_growing_waits,
    permanent_failures_are_not_retried,
    jobs_of_dead_workers_are_reclaimed,
    a_job_that_kills_workers_fails,
    job_slots_are_shared_between_organizations,
    waiting_jobs_are_cancelled_at_once,
    running_jobs_receive_cancellation,
    released_jobs_come_back,
    lists_are_filtered_and_paged,
    jobs_of_unknown_kinds_wait,
    many_workers_share_the_queue,
}

const IMPORT: JobKind = JobKind::GitImport;
const MAIL: JobKind = JobKind::SignInMail;
const OTHER: JobKind = JobKind::ArchiveImport;
const HOLD: Duration = Duration::from_secs(60);

fn request(kinds: &[(JobKind, u32)], total: u32) -> LeaseRequest {
    LeaseRequest {
        worker: "worker".to_owned(),
        kinds: kinds.to_vec(),
        total,
        per_organization: total,
        lease: HOLD,
    }
}

async fn lease(store: &Store) -> Option<LeasedJob> {
    store.lease_job(request(&[(IMPORT, 9), (MAIL, 9)], 99)).await.unwrap()
}

async fn enqueue(store: &Store, job: NewJob) -> JobId {
    store.write(move |tx| tx.enqueue(&job)).await.unwrap()
}

async fn job(store: &Store, id: JobId) -> Job {
    store.read(move |tx| tx.job(id)).await.unwrap().unwrap()
}

async fn finish(store: &Store, lease: &JobLease) -> Result<(), StoreError> {
    let lease = lease.clone();
    store.write(move |tx| tx.finish_job(&lease, None)).await
}

async fn fail(store: &Store, lease: &JobLease, retry: Retry) -> Result<(), StoreError> {
    let lease = lease.clone();
    let error = JobError { code: "unreachable".to_owned(), message: "no answer".to_owned() };
    store.write(move |tx| tx.fail_job(&lease, &error, retry)).await
}

fn space(seed: u64) -> SpaceId {
    SpaceId::random(&Entropy::seeded(seed))
}

fn import(seed: u64) -> NewJob {
    NewJob { space: Some(space(seed)), changes_content: true, ..NewJob::new(IMPORT) }
}

async fn a_job_is_done_once(home: Arc<Home>) {
    let store = home.open().await;
    let mut signal = store.watch_jobs();
    let payload = serde_json::json!({"url": "https://example.org/é", "depth": [1, null]});
    let id = enqueue(&store, NewJob { payload: payload.clone(), ..import(1) }).await;
    signal.changed().await.unwrap();
    let queued = job(&store, id).await;
    assert_eq!((queued.status, queued.attempts, queued.started_at), (JobStatus::Queued, 0, None));
    assert_eq!((queued.created_at, queued.payload), (START, payload));

    home.clock.advance(5);
    let leased = lease(&store).await.unwrap();
    assert_eq!((leased.job.id, leased.job.attempts), (id, 1));
    assert_eq!(leased.job.started_at, Some(START.plus_millis(5)));
    assert_eq!(lease(&store).await, None);

    let progress = Progress { done: 3, total: Some(10), message: Some("pages".to_owned()) };
    let heard = store.report_job(&leased.lease, Some(progress.clone()), HOLD).await.unwrap();
    assert_eq!(heard, JobSignal::Continue);
    assert_eq!(job(&store, id).await.progress, Some(progress));

    home.clock.advance(5);
    let revision = RevisionId::random(&Entropy::seeded(5));
    let held = leased.lease.clone();
    store.write(move |tx| tx.finish_job(&held, Some(revision))).await.unwrap();
    let done = job(&store, id).await;
    assert_eq!((done.status, done.revision), (JobStatus::Done, Some(revision)));
    assert_eq!(done.finished_at, Some(START.plus_millis(10)));
    assert_eq!(finish(&store, &leased.lease).await, Err(StoreError::LeaseLost));
    assert_eq!(lease(&store).await, None);
    assert_eq!(store.next_job_at().await.unwrap(), None);
}

async fn jobs_roll_back_with_their_cause(home: Arc<Home>) {
    let store = home.open().await;
    let signal = store.watch_jobs();
    let result = store
        .write(|tx| {
            tx.enqueue(&import(1))?;
            Err::<(), _>(StoreError::NoRow)
        })
        .await;
    assert_eq!(result, Err(StoreError::NoRow));
    assert!(!signal.has_changed().unwrap());
    assert_eq!(lease(&store).await, None);
}

async fn job_limits_are_enforced(home: Arc<Home>) {
    let store = home.open().await;
    for kind in [IMPORT, IMPORT, IMPORT, MAIL, MAIL, OTHER] {
        enqueue(&store, NewJob::new(kind)).await;
    }
    let ask = request(&[(IMPORT, 2), (MAIL, 9)], 3);
    let mut leased = Vec::new();
    while let Some(job) = store.lease_job(ask.clone()).await.unwrap() {
        leased.push(job);
    }
    let kinds: Vec<_> = leased.iter().map(|leased| leased.job.kind.clone()).collect();
    assert_eq!(kinds, [IMPORT, IMPORT, MAIL]);
    finish(&store, &leased[2].lease).await.unwrap();
    assert_eq!(store.lease_job(ask.clone()).await.unwrap().unwrap().job.kind, MAIL);
    finish(&store, &leased[0].lease).await.unwrap();
    assert_eq!(store.lease_job(ask.clone()).await.unwrap().unwrap().job.kind, IMPORT);
    assert_eq!(store.lease_job(request(&[], 99)).await.unwrap(), None);
}

async fn content_jobs_of_one_space_take_turns(home: Arc<Home>) {
    let store = home.open().await;
    let mut ids = Vec::new();
    for job in [import(1), import(1), import(2), NewJob { changes_content: false, ..import(1) }] {
        ids.push(enqueue(&store, job).await);
    }
    let first = lease(&store).await.unwrap();
    assert_eq!(first.job.id, ids[0]);
    assert_eq!(lease(&store).await.unwrap().job.id, ids[2]);
    assert_eq!(lease(&store).await.unwrap().job.id, ids[3]);
    assert_eq!(lease(&store).await, None);
    let mut signal = store.watch_jobs();
    finish(&store, &first.lease).await.unwrap();
    signal.changed().await.unwrap();
    assert_eq!(lease(&store).await.unwrap().job.id, ids[1]);
}

async fn a_newer_job_replaces_a_waiting_one(home: Arc<Home>) {
    let store = home.open().await;
    let newer = |seed| NewJob { supersedes_queued: true, ..import(seed) };
    let running = enqueue(&store, newer(1)).await;
    assert_eq!(lease(&store).await.unwrap().job.id, running);
    let waiting = enqueue(&store, newer(1)).await;
    let elsewhere = enqueue(&store, newer(2)).await;
    let newest = enqueue(&store, newer(1)).await;
    assert_eq!(job(&store, running).await.status, JobStatus::Running);
    assert_eq!(job(&store, elsewhere).await.status, JobStatus::Queued);
    assert_eq!(job(&store, newest).await.status, JobStatus::Queued);
    let replaced = job(&store, waiting).await;
    assert_eq!(replaced.status, JobStatus::Cancelled);
    assert_eq!(replaced.error.unwrap().code, "superseded");
}

async fn failures_are_retried_with_growing_waits(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, NewJob { max_attempts: 3, ..import(1) }).await;
    for (attempt, longest) in [(1, 4000), (2, 8000)] {
        let leased = lease(&store).await.unwrap();
        assert_eq!(leased.job.attempts, attempt);
        fail(&store, &leased.lease, Retry::Later).await.unwrap();
        let failed = job(&store, id).await;
        assert_eq!(failed.status, JobStatus::Queued);
        assert_eq!(failed.error.unwrap().code, "unreachable");
        assert_eq!(lease(&store).await, None);
        let at = store.next_job_at().await.unwrap().unwrap();
        let now = bindery_model::Clock::now(&*home.clock).millis();
        let wait = at.millis() - now;
        assert!((longest / 2..=longest).contains(&wait), "{wait}");
        home.clock.advance(wait - 1);
        assert_eq!(lease(&store).await, None);
        home.clock.advance(1);
    }
    let last = lease(&store).await.unwrap();
    fail(&store, &last.lease, Retry::Later).await.unwrap();
    let failed = job(&store, id).await;
    assert_eq!((failed.status, failed.attempts), (JobStatus::Failed, 3));
    assert!(failed.finished_at.is_some());
}

async fn permanent_failures_are_not_retried(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, import(1)).await;
    let leased = lease(&store).await.unwrap();
    fail(&store, &leased.lease, Retry::Never).await.unwrap();
    assert_eq!(job(&store, id).await.status, JobStatus::Failed);
}

async fn jobs_of_dead_workers_are_reclaimed(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, import(1)).await;
    let dead = lease(&store).await.unwrap();
    home.clock.advance(50_000);
    assert_eq!(store.report_job(&dead.lease, None, HOLD).await, Ok(JobSignal::Continue));
    home.clock.advance(59_999);
    assert_eq!(lease(&store).await, None);
    home.clock.advance(1);
    let again = lease(&store).await.unwrap();
    assert_eq!((again.job.id, again.job.attempts), (id, 2));
    assert_eq!(store.report_job(&dead.lease, None, HOLD).await, Ok(JobSignal::Lost));
    assert_eq!(finish(&store, &dead.lease).await, Err(StoreError::LeaseLost));
    assert_eq!(fail(&store, &dead.lease, Retry::Never).await, Err(StoreError::LeaseLost));
    finish(&store, &again.lease).await.unwrap();
}

async fn a_job_that_kills_workers_fails(home: Arc<Home>) {
    let store = home.open().await;
    // A job that changes no content is assumed not to kill its worker, so it keeps all its
    // attempts.
    let mail = enqueue(&store, NewJob { max_attempts: 3, ..NewJob::new(MAIL) }).await;
    let import = enqueue(&store, NewJob { max_attempts: 9, ..import(1) }).await;
    for attempt in 1..=2 {
        for _ in 0..2 {
            assert_eq!(lease(&store).await.unwrap().job.attempts, attempt);
        }
        home.clock.advance(60_000);
    }
    assert_eq!(lease(&store).await.unwrap().job.id, mail);
    let failed = job(&store, import).await;
    assert_eq!((failed.status, failed.attempts), (JobStatus::Failed, 2));
    let error = failed.error.unwrap();
    assert_eq!(error.code, "worker_lost");
    assert!(error.message.ends_with("will not be tried again"), "{error:?}");
    home.clock.advance(60_000);
    assert_eq!(lease(&store).await, None);
    assert_eq!(job(&store, mail).await.status, JobStatus::Failed);
}

async fn job_slots_are_shared_between_organizations(home: Arc<Home>) {
    let store = home.open().await;
    let organization = |seed| Some(OrganizationId::random(&Entropy::seeded(seed)));
    let of = |seed| NewJob { organization: organization(seed), ..NewJob::new(IMPORT) };
    for seed in [1, 1, 1, 1, 2, 2] {
        enqueue(&store, of(seed)).await;
        home.clock.advance(1);
    }
    enqueue(&store, NewJob::new(IMPORT)).await;
    let ask = LeaseRequest { per_organization: 2, ..request(&[(IMPORT, 9)], 9) };
    let mut leased = Vec::new();
    while let Some(job) = store.lease_job(ask.clone()).await.unwrap() {
        leased.push(job);
    }
    // The organization with the fewest running jobs comes first, and none gets more than two.
    let order: Vec<_> = leased.iter().map(|leased| leased.job.organization).collect();
    let [one, two] = [organization(1), organization(2)];
    assert_eq!(order, [one, two, None, one, two]);
    // The limit is separate for each kind.
    enqueue(&store, NewJob { kind: MAIL, ..of(1) }).await;
    let mail = LeaseRequest { per_organization: 1, ..request(&[(MAIL, 1)], 1) };
    assert_eq!(store.lease_job(mail).await.unwrap().unwrap().job.kind, MAIL);
    finish(&store, &leased[0].lease).await.unwrap();
    let next = store.lease_job(ask.clone()).await.unwrap().unwrap();
    assert_eq!(next.job.organization, one);
    assert_eq!(store.lease_job(ask).await.unwrap(), None);
}

async fn waiting_jobs_are_cancelled_at_once(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, import(1)).await;
    let cancel = |id| store.write(move |tx| tx.cancel_job(id));
    assert_eq!(cancel(id).await, Ok(Some(JobStatus::Cancelled)));
    assert_eq!(cancel(id).await, Ok(Some(JobStatus::Cancelled)));
    assert_eq!(cancel(JobId::random(&Entropy::seeded(9))).await, Ok(None));
    assert_eq!(lease(&store).await, None);
    let forget = |at: Timestamp| store.write(move |tx| tx.delete_finished_jobs(at));
    assert_eq!(forget(START).await, Ok(0));
    assert_eq!(forget(START.plus_millis(1)).await, Ok(1));
}

async fn running_jobs_receive_cancellation(home: Arc<Home>) {
    let store = home.open().await;
    let cancel = |id| store.write(move |tx| tx.cancel_job(id));

    let id = enqueue(&store, import(1)).await;
    let leased = lease(&store).await.unwrap();
    assert_eq!(cancel(id).await, Ok(Some(JobStatus::Running)));
    assert_eq!(store.report_job(&leased.lease, None, HOLD).await, Ok(JobSignal::Cancel));
    let held = leased.lease.clone();
    store.write(move |tx| tx.confirm_job_cancelled(&held)).await.unwrap();
    assert_eq!(job(&store, id).await.status, JobStatus::Cancelled);

    let id = enqueue(&store, import(1)).await;
    let leased = lease(&store).await.unwrap();
    cancel(id).await.unwrap();
    fail(&store, &leased.lease, Retry::Later).await.unwrap();
    assert_eq!(job(&store, id).await.status, JobStatus::Cancelled);

    let id = enqueue(&store, import(1)).await;
    lease(&store).await.unwrap();
    cancel(id).await.unwrap();
    home.clock.advance(60_000);
    assert_eq!(lease(&store).await, None);
    assert_eq!(job(&store, id).await.status, JobStatus::Cancelled);
}

async fn released_jobs_come_back(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, NewJob { max_attempts: 1, ..import(1) }).await;
    let leased = lease(&store).await.unwrap();
    store.write(move |tx| tx.release_job(&leased.lease)).await.unwrap();
    let again = lease(&store).await.unwrap();
    assert_eq!((again.job.id, again.job.attempts), (id, 1));
}

async fn lists_are_filtered_and_paged(home: Arc<Home>) {
    let store = home.open().await;
    let organization = OrganizationId::random(&Entropy::seeded(3));
    let mut ids = Vec::new();
    for n in 0..10 {
        let job = NewJob { organization: Some(organization), ..import(n % 2) };
        ids.push(enqueue(&store, job).await);
        home.clock.advance(i64::try_from(n % 3).unwrap());
    }
    enqueue(&store, NewJob::new(MAIL)).await;
    let list = |filter: JobFilter, limit| {
        let store = store.clone();
        async move { store.read(move |tx| tx.list_jobs(&filter, limit)).await.unwrap() }
    };
    let count = |filter| async move { list(filter, 100).await.len() };
    assert_eq!(count(JobFilter::default()).await, 11);
    assert_eq!(count(JobFilter { kind: Some(MAIL), ..Default::default() }).await, 1);
    assert_eq!(count(JobFilter { space: Some(space(1)), ..Default::default() }).await, 5);
    let done = JobFilter { status: Some(JobStatus::Done), ..Default::default() };
    assert_eq!(count(done).await, 0);

    let mut seen = Vec::new();
    let mut filter = JobFilter { organization: Some(organization), ..Default::default() };
    loop {
        let page = list(filter.clone(), 3).await;
        let Some(last) = page.last() else { break };
        filter.after = Some(last.cursor());
        seen.extend(page.iter().map(|job| (job.created_at, job.id)));
        // Jobs enqueued during paging neither hide nor repeat other jobs.
        let job = NewJob { organization: Some(organization), ..import(7) };
        enqueue(&store, job).await;
    }
    let mut sorted = seen.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(seen, sorted);
    assert!(ids.iter().all(|id| seen.iter().any(|(_, seen)| seen == id)));
}

async fn jobs_of_unknown_kinds_wait(home: Arc<Home>) {
    let store = home.open().await;
    let id = enqueue(&store, NewJob::new(IMPORT)).await;
    let sql = "UPDATE jobs SET kind = 'of-a-newer-release' WHERE id = $1";
    store.write(move |tx| tx.execute(sql, &[id.into()])).await.unwrap();
    let known = enqueue(&store, NewJob::new(MAIL)).await;

    let listed = store.read(|tx| tx.list_jobs(&JobFilter::default(), 9)).await.unwrap();
    assert_eq!(listed.len(), 2);
    let unknown = StoredJobKind::Unknown("of-a-newer-release".to_owned());
    let counts = store.read(|tx| tx.count_unfinished_jobs()).await.unwrap();
    assert!(counts.iter().any(|count| count.kind == unknown && count.count == 1), "{counts:?}");

    let leased = lease(&store).await.unwrap();
    assert_eq!(leased.job.id, known);
    finish(&store, &leased.lease).await.unwrap();
    assert_eq!(lease(&store).await, None);
    assert_eq!(store.next_job_at().await.unwrap(), None);
    let waiting = job(&store, id).await;
    assert_eq!((waiting.kind, waiting.status), (unknown, JobStatus::Queued));
    let cancelled = store.write(move |tx| tx.cancel_job(id)).await.unwrap();
    assert_eq!(cancelled, Some(JobStatus::Cancelled));
}

async fn many_workers_share_the_queue(home: Arc<Home>) {
    let store = home.open().await;
    for seed in 0..20 {
        enqueue(&store, import(seed % 5)).await;
    }
    let workers: Vec<_> = (0..6)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut done = 0;
                while store.next_job_at().await.unwrap().is_some() {
                    let Some(leased) = lease(&store).await else {
                        tokio::task::yield_now().await;
                        continue;
                    };
                    finish(&store, &leased.lease).await.unwrap();
                    done += 1;
                }
                done
            })
        })
        .collect();
    let mut done = 0;
    for worker in workers {
        done += worker.await.unwrap();
    }
    assert_eq!(done, 20);
}
