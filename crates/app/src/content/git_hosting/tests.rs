//! The client with a server that has the interfaces of all services.

use bindery_model::{FixedClock, HostingService, Timestamp};
use bindery_outbound::{Client, Guard, Limits, Method};
use bindery_testkit::git_hosting::{GitHosting, PullState};
use serde_json::json;

use super::exchange::Outbound;
use super::*;

const TOKEN: &str = "the-token";
/// The number of the repository.
const NUMBER: u64 = 7;
const MAIN: &str = "0123456789abcdef0123456789abcdef01234567";
const TOPIC: &str = "89abcdef0123456789abcdef0123456789abcdef";
const MERGE: &str = "fedcba9876543210fedcba9876543210fedcba98";

const SERVICES: [HostingService; 3] =
    [HostingService::Github, HostingService::Gitlab, HostingService::Gitea];

static CLOCK: FixedClock = FixedClock::new(Timestamp::from_millis(1_800_000_000_000));

/// A service with a repository that has the branches `main`, `topic` and `same`.
struct Service {
    hosting: GitHosting,
    place: HostedPlace,
    http: Client,
    token: &'static str,
}

impl Service {
    fn start(service: HostingService) -> Self {
        let hosting = GitHosting::start();
        hosting.add(NUMBER, "team/docs", "https://git.example/team/docs.git", Some("main"));
        hosting.allow(TOKEN);
        hosting.set_tips(NUMBER, |branch| match branch {
            "main" | "same" | "release" => Some(MAIN.to_owned()),
            "topic" | "bindery/cr-1" => Some(TOPIC.to_owned()),
            _ => None,
        });
        let url = format!("{}/team/docs.git", hosting.address());
        let place = HostedPlace::of(service, &url, None).unwrap();
        let guard = Guard::parse("127.0.0.0/8").unwrap();
        let http = Client::new(guard, Limits::default()).unwrap();
        Self { hosting, place, http, token: TOKEN }
    }

    fn client(&self) -> HostingClient<'_> {
        let outbound = Outbound { client: &self.http, clock: &CLOCK };
        HostingClient::new(outbound, &self.place, self.token)
    }
}

/// Runs an example with each service.
fn each_service(run: impl AsyncFn(Service)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for service in SERVICES {
        runtime.block_on(run(Service::start(service)));
    }
}

fn new(head: &str, draft: bool) -> NewPullRequest {
    NewPullRequest {
        title: "Add a page".to_owned(),
        body: "The text.".to_owned(),
        head: head.to_owned(),
        base: "main".to_owned(),
        draft,
    }
}

#[test]
fn pull_requests_are_opened_and_found() {
    each_service(async |service| {
        let client = service.client();
        assert_eq!(client.find_pull_request("bindery/cr-1").await.unwrap(), None);
        let opened = client.open_pull_request(&new("bindery/cr-1", false)).await.unwrap();
        assert_eq!((opened.number, opened.state), (1, PullRequestState::Open));
        assert_eq!((opened.title.as_str(), opened.base.as_str()), ("Add a page", "main"));
        assert_eq!(opened.head, "bindery/cr-1");
        assert_eq!((opened.head_oid.as_deref(), &opened.merge_oid), (Some(TOPIC), &None));
        let page = format!("{}/team/docs/", service.hosting.address());
        assert!(opened.url.starts_with(&page), "{}", opened.url);
        assert_eq!(service.hosting.pulls(NUMBER)[0].body, "The text.");
        let found = client.find_pull_request("bindery/cr-1").await.unwrap();
        assert_eq!(found.as_ref(), Some(&opened));
        let found = client.get_pull_request(1).await.unwrap();
        assert_eq!(found.as_ref(), Some(&opened));
        assert_eq!(client.get_pull_request(2).await.unwrap(), None);
    });
}

#[test]
fn a_second_request_returns_the_open_pull_request() {
    each_service(async |service| {
        let client = service.client();
        let _other_base = service.hosting.open_pull(NUMBER, "topic", "release");
        let first = client.open_pull_request(&new("topic", false)).await.unwrap();
        let _newer = service.hosting.open_pull(NUMBER, "topic", "release-2");
        let again = client.open_pull_request(&new("topic", true)).await.unwrap();
        assert_eq!(again, first);
        assert_eq!(service.hosting.pulls(NUMBER).len(), 3);
        // A closed one is not opened again.
        service.hosting.close_pull(NUMBER, first.number);
        let next = client.open_pull_request(&new("topic", false)).await.unwrap();
        assert_eq!(next.number, 4);
    });
}

#[test]
fn drafts_stay_drafts() {
    each_service(async |service| {
        let client = service.client();
        let opened = client.open_pull_request(&new("topic", true)).await.unwrap();
        assert_eq!((opened.state, opened.title.as_str()), (PullRequestState::Draft, "Add a page"));
        let title = Some("Add two pages".to_owned());
        let body = Some("Other text.".to_owned());
        let change = PullRequestChange { title, body, is_ready: false };
        let changed = client.update_pull_request(1, &change).await.unwrap();
        assert_eq!(changed.state, PullRequestState::Draft);
        assert_eq!(changed.title, "Add two pages");
        assert_eq!(service.hosting.pulls(NUMBER)[0].body, "Other text.");
        let body = Some("Only the text.".to_owned());
        let change = PullRequestChange { title: None, body, is_ready: false };
        let changed = client.update_pull_request(1, &change).await.unwrap();
        assert_eq!(changed.title, "Add two pages");
        assert_eq!(service.hosting.pulls(NUMBER)[0].body, "Only the text.");
    });
}

#[test]
fn drafts_become_ready() {
    each_service(async |service| {
        let client = service.client();
        let _opened = client.open_pull_request(&new("topic", true)).await.unwrap();
        let title = Some("Add two pages".to_owned());
        let ready = PullRequestChange { title, body: None, is_ready: true };
        let changed = client.update_pull_request(1, &ready).await.unwrap();
        assert_eq!(
            (changed.state, changed.title.as_str()),
            (PullRequestState::Open, "Add two pages")
        );
        assert_eq!(client.get_pull_request(1).await.unwrap().as_ref(), Some(&changed));
        // Once more, only to be ready.
        let ready = PullRequestChange { is_ready: true, ..PullRequestChange::default() };
        assert_eq!(client.update_pull_request(1, &ready).await.unwrap(), changed);
        let requests = service.hosting.requests();
        let queries = requests.iter().filter(|request| *request == "POST /api/graphql").count();
        let expect = usize::from(service.place.service == HostingService::Github);
        assert_eq!(queries, expect, "{requests:?}");
    });
}

#[test]
fn refused_queries_are_errors() {
    let service = Service::start(HostingService::Github);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = service.client();
    let _opened = runtime.block_on(client.open_pull_request(&new("topic", true))).unwrap();
    let ready = PullRequestChange { is_ready: true, ..PullRequestChange::default() };
    for (status, body, expect) in [
        (200, json!({ "data": null, "errors": [{ "message": "No access." }] }), "No access."),
        (200, json!({ "data": { "markPullRequestReadyForReview": null } }), "200"),
        (200, json!([]), "200"),
        (403, json!({}), "403"),
    ] {
        service.hosting.set_fault(None);
        service.hosting.fail("POST /api/graphql", status, &[], body);
        let failed = runtime.block_on(client.update_pull_request(1, &ready)).unwrap_err();
        assert!(failed.to_string().contains(expect), "{failed}");
    }
}

#[test]
fn repositories_without_drafts_get_others() {
    let service = Service::start(HostingService::Github);
    let message = "Draft pull requests are not supported in this repository.";
    let error = json!({ "message": "Validation Failed", "errors": [{ "message": message }] });
    service.hosting.fail("POST /api/v3/repos/team/docs/pulls", 422, &[], error);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let failed = runtime.block_on(service.client().open_pull_request(&new("topic", true)));
    assert!(failed.unwrap_err().to_string().contains(message));
    let requests = service.hosting.requests();
    let opened = requests.iter().filter(|request| request.starts_with("POST ")).count();
    assert_eq!(opened, 2, "{requests:?}");
}

#[test]
fn ended_pull_requests_are_found() {
    each_service(async |service| {
        let client = service.client();
        let first = client.open_pull_request(&new("topic", false)).await.unwrap();
        service.hosting.merge_pull(NUMBER, first.number, MERGE);
        let merged = client.find_pull_request("topic").await.unwrap().unwrap();
        assert_eq!((merged.number, merged.state), (1, PullRequestState::Merged));
        assert_eq!(merged.merge_oid.as_deref(), Some(MERGE));
        // One that was merged stays so.
        assert_eq!(client.close_pull_request(1).await.unwrap(), merged);
        let second = client.open_pull_request(&new("topic", false)).await.unwrap();
        assert_eq!(client.find_pull_request("topic").await.unwrap(), Some(second.clone()));
        let closed = client.close_pull_request(second.number).await.unwrap();
        assert_eq!((closed.state, closed.merge_oid), (PullRequestState::Closed, None));
        assert_eq!(service.hosting.pulls(NUMBER)[1].state, PullState::Closed);
        let newest = client.find_pull_request("topic").await.unwrap().unwrap();
        assert_eq!((newest.number, newest.state), (2, PullRequestState::Closed));
    });
}

#[test]
fn branches_of_forks_are_ignored() {
    each_service(async |service| {
        let client = service.client();
        let _fork = service.hosting.open_pull_from_fork(NUMBER, "topic", "main");
        assert_eq!(client.find_pull_request("topic").await.unwrap(), None);
        let opened = client.open_pull_request(&new("topic", false)).await.unwrap();
        assert_eq!(opened.number, 2);
    });
}

#[test]
fn all_pages_are_searched() {
    each_service(async |service| {
        let first = service.hosting.open_pull(NUMBER, "bindery/cr-1", "main");
        for _ in 0..70 {
            let _number = service.hosting.open_pull(NUMBER, "topic", "main");
        }
        let found = service.client().find_pull_request("bindery/cr-1").await.unwrap().unwrap();
        assert_eq!(found.number, first);
        // The open one is preferred, although it is on the last page.
        for number in 3..=71 {
            service.hosting.close_pull(NUMBER, number);
        }
        let found = service.client().find_pull_request("topic").await.unwrap().unwrap();
        assert_eq!((found.number, found.state), (2, PullRequestState::Open));
    });
}

#[test]
fn states_of_commits_are_set() {
    each_service(async |service| {
        let client = service.client();
        let status = |state| CommitStatus {
            state,
            context: "bindery/preview".to_owned(),
            description: "x".repeat(200),
            target_url: Some("https://docs.example/preview".to_owned()),
        };
        let failure = match service.place.service {
            HostingService::Gitlab => "failed",
            HostingService::Github | HostingService::Gitea => "failure",
        };
        for (state, expect) in [
            (CommitState::Success, "success"),
            (CommitState::Success, "success"),
            (CommitState::Failure, failure),
        ] {
            client.set_status(TOPIC, &status(state)).await.unwrap();
            let [set] = service.hosting.statuses(NUMBER).try_into().unwrap();
            assert_eq!((set.commit.as_str(), set.state.as_str()), (TOPIC, expect));
            assert_eq!((set.context.as_str(), set.description.len()), ("bindery/preview", 140));
            assert_eq!(set.target_url.as_deref(), Some("https://docs.example/preview"));
        }
        let failed = client.set_status("../hooks", &status(CommitState::Success)).await;
        assert!(failed.is_err());
    });
}

#[test]
fn refusals_of_the_service_are_reported() {
    each_service(async |mut service| {
        let opened = service.client().open_pull_request(&new("absent", false)).await;
        let error = opened.unwrap_err();
        assert_eq!(error.code(), "remote", "{error}");
        if service.place.service == HostingService::Github {
            let error = service.client().open_pull_request(&new("same", false)).await.unwrap_err();
            assert!(error.to_string().contains("No commits between main and same"), "{error}");
        }
        service.token = "wrong";
        let error = service.client().find_pull_request("topic").await.unwrap_err();
        assert_eq!(error.code(), "needs-credentials");
        assert!(!error.to_string().contains("wrong"), "{error}");
        service.token = "not\na header";
        let error = service.client().find_pull_request("topic").await.unwrap_err();
        assert_eq!(error.code(), "needs-credentials");
        service.token = TOKEN;
        let missing = service.client().close_pull_request(9).await.unwrap_err();
        assert_eq!(missing, HostingError::Missing { host: "127.0.0.1".to_owned() });
        let headers = [("Retry-After", "60")];
        service.hosting.fail("", 429, &headers, json!({}));
        let limited = service.client().get_pull_request(1).await.unwrap_err();
        let host = "127.0.0.1".to_owned();
        assert_eq!(limited, HostingError::RateLimited { host, retry_after: Some(60) });
    });
}

#[test]
fn answers_of_other_kinds_are_refused() {
    each_service(async |service| {
        for body in [json!({ "number": 1 }), json!([]), json!("x"), json!(null)] {
            service.hosting.set_fault(None);
            service.hosting.fail("", 200, &[], body.clone());
            let error = service.client().get_pull_request(1).await.unwrap_err();
            assert_eq!(error.code(), "remote", "{body}");
        }
        service.hosting.set_fault(None);
        let elsewhere = [("Location", "http://127.0.0.2:1/steal")];
        service.hosting.fail("POST ", 307, &elsewhere, json!({}));
        let error = service.client().open_pull_request(&new("topic", false)).await.unwrap_err();
        assert_eq!(error.code(), "unreachable", "{error}");
    });
}

#[test]
fn webhooks_are_known_by_the_end_of_their_address() {
    let service = Service::start(HostingService::Gitlab);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = service.client();
    let set = |url: &'static str, path: &'static str, secret: &'static str| {
        runtime.block_on(client.set_webhook(&Webhook { url, path, secret })).unwrap();
    };
    for _ in 0..40 {
        // Somebody else's webhooks fill the first page.
        runtime
            .block_on(client.call(
                Method::POST,
                service.place.at(&["hooks"]),
                Some(json!({ "url": "https://other.example/hooks/2" })),
            ))
            .unwrap();
    }
    set("https://docs.example/hooks/1", "/hooks/1", "first");
    set("https://moved.example/hooks/1", "/hooks/1", "second");
    let hooks = service.hosting.hooks(NUMBER);
    assert_eq!(hooks.len(), 41);
    let hook = &hooks[40];
    assert_eq!(
        (hook.url.as_str(), hook.token.as_str()),
        ("https://moved.example/hooks/1", "second")
    );
    assert!(hook.verifies && hook.events.len() == 2, "{hook:?}");
    runtime.block_on(client.delete_webhooks("/hooks/1")).unwrap();
    assert_eq!(service.hosting.hooks(NUMBER), hooks[..40]);
    runtime.block_on(client.delete_webhooks("/hooks/1")).unwrap();
}
