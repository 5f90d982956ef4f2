//! Pull requests at hosting services.

use bindery_testkit::git_hosting::{GitHosting, HostedPull, PullState};
use serde_json::json;

use super::Branches;
use crate::support::change_requests::Proposal;
use crate::support::{TestEnv, each_engine};

const BRANCH: &str = "bindery/1-a-change";
/// The number of the repository at the service.
const NUMBER: u64 = 7;
/// The services with the paths of their interfaces.
pub(super) const SERVICES: [(&str, &str); 3] =
    [("github", "/api/v3"), ("gitlab", "/api/v4"), ("gitea", "/api/v1")];

/// Sets up a synchronisation with pull requests at a service.
pub(super) async fn hosted(env: &TestEnv, (service, path): (&str, &str)) -> (Branches, GitHosting) {
    let hosting = GitHosting::start();
    hosting.allow("token-1");
    let branches = Branches::new(
        env,
        json!({
            "import": ["*"], "export": "pull-request", "service": service,
            "apiUrl": format!("{}{path}", hosting.address()),
        }),
    )
    .await;
    hosting.add(NUMBER, "team/docs", &branches.git.url(super::REPOSITORY), Some("main"));
    let repository = branches.repository.clone();
    hosting.set_tips(NUMBER, move |branch| repository.find(branch));
    (branches, hosting)
}

/// Returns a change request with an edit that its pull request has.
async fn edited<'e>(
    env: &'e TestEnv,
    service: (&str, &str),
) -> (Branches, GitHosting, Proposal<'e>) {
    let (branches, hosting) = hosted(env, service).await;
    let proposal = Proposal::new(&env.client, &branches.space).await;
    branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
    branches.settled(env).await;
    (branches, hosting, proposal)
}

#[test]
fn a_change_request_is_a_pull_request() {
    each_engine(async |env: &mut TestEnv| {
        for service in SERVICES {
            let (branches, hosting, proposal) = edited(env, service).await;
            let [pull] = &hosting.pulls(NUMBER)[..] else {
                panic!("{service:?}: one pull request")
            };
            assert!(pull.title.ends_with("A change"), "{pull:?}");
            assert!(pull.draft || service.0 != "github", "{pull:?}");
            assert_eq!((pull.head.as_str(), pull.base.as_str()), (BRANCH, "main"));
            assert!(pull.body.contains("/~/changes/1"), "{pull:?}");
            let shown = branches.followed(env).await;
            assert_eq!(shown[0]["pullRequest"]["number"], 1, "{shown:?}");
            // The state of the commit leads to the change request.
            let tip = branches.repository.find(BRANCH).unwrap();
            let statuses = hosting.statuses(NUMBER);
            assert_eq!(statuses.len(), 1, "{statuses:?}");
            assert_eq!(
                (statuses[0].commit.as_str(), statuses[0].state.as_str()),
                (tip.as_str(), "success")
            );
            assert_eq!(statuses[0].context, "bindery/preview");
            // A further change updates both, and a new subject the title.
            branches.edit(env, &proposal, "Home", "Changed.\n").await;
            let patch = json!({ "subject": "Better words" });
            let _named =
                proposal.call("updateChangeRequestById").json(&patch).send().await.expect(200);
            branches.settled(env).await;
            let pulls = hosting.pulls(NUMBER);
            assert_eq!(pulls.len(), 1);
            assert!(pulls[0].title.ends_with("Better words"), "{pulls:?}");
            assert_eq!(hosting.statuses(NUMBER).len(), 2);
            // The service sees the merge in the commit, so it is not closed.
            let _merged = proposal.merge().await.expect(200);
            branches.settled(env).await;
            assert_eq!(branches.repository.find(BRANCH), None);
            assert!(
                !hosting
                    .requests()
                    .iter()
                    .any(|request| request.contains("PUT") && request.ends_with("/merge"))
            );
        }
    });
}

#[test]
fn a_change_request_and_its_pull_request_become_ready_together() {
    each_engine(async |env: &mut TestEnv| {
        for service in SERVICES {
            // The change request is opened for review.
            let (branches, hosting, proposal) = edited(env, service).await;
            assert!(is_draft(&hosting.pulls(NUMBER)[0]));
            let patch = json!({ "status": "open", "subject": "Better words" });
            let _open = proposal.call("updateChangeRequestById").json(&patch).send().await;
            branches.settled(env).await;
            let pulls = hosting.pulls(NUMBER);
            assert!(!is_draft(&pulls[0]), "{service:?}: {pulls:?}");
            assert_eq!(pulls[0].title, "Better words");

            // The pull request is marked as ready for review.
            let (branches, hosting) = hosted(env, service).await;
            branches.branch("topic");
            let text = "# Guide\n\n* one\n* two\n\nProposed.\n";
            let _tip = branches.commit("topic", "Propose", "guide.md", text);
            hosting.open_pull(NUMBER, "topic", "main");
            hosting.edit_pull(NUMBER, 1, |pull| {
                (pull.draft, pull.title) = (true, "Draft: Propose".to_owned());
                if service.0 == "gitea" {
                    pull.title = "WIP: Propose".to_owned();
                }
            });
            branches.run(env).await;
            assert_eq!(branches.proposal(env).await["status"], "draft", "{service:?}");
            hosting.edit_pull(NUMBER, 1, |pull| {
                (pull.draft, pull.title) = (false, "Propose".to_owned());
            });
            branches.run(env).await;
            let proposal = branches.proposal(env).await;
            assert_eq!(proposal["status"], "open", "{service:?}");
            // It stays a draft if people make it one afterwards.
            let id = proposal["id"].as_str().unwrap();
            let call = env.client.call("updateChangeRequestById").path("spaceId", &branches.space);
            let call = call.path("changeRequestId", id).json(&json!({ "status": "draft" }));
            let _draft = call.send().await.expect(200);
            branches.run(env).await;
            assert_eq!(branches.proposal(env).await["status"], "draft", "{service:?}");
        }
    });
}

fn is_draft(pull: &HostedPull) -> bool {
    pull.draft || pull.title.starts_with("Draft: ") || pull.title.starts_with("WIP: ")
}

#[test]
fn a_pull_request_that_ends_closes_the_change_request() {
    each_engine(async |env: &mut TestEnv| {
        for service in SERVICES {
            for is_merged in [true, false] {
                let (branches, hosting) = hosted(env, service).await;
                branches.branch("topic");
                let text = "# Guide\n\n* one\n* two\n\nProposed.\n";
                let tip = branches.commit("topic", "Propose", "guide.md", text);
                hosting.open_pull(NUMBER, "topic", "main");
                hosting
                    .edit_pull(NUMBER, 1, |pull| pull.title = "A title at the service".to_owned());
                branches.run(env).await;
                let proposal = branches.proposal(env).await;
                assert_eq!(proposal["subject"], "A title at the service");
                let statuses = hosting.statuses(NUMBER);
                assert_eq!(statuses[0].commit, tip, "{statuses:?}");
                if is_merged {
                    // A squash, after which main has further changes of the same lines.
                    let other = text.replace("Proposed.", "Proposed and changed.");
                    let merge = branches.commit("main", "Squashed", "guide.md", &other);
                    hosting.merge_pull(NUMBER, 1, &merge);
                } else {
                    hosting.close_pull(NUMBER, 1);
                }
                branches.run(env).await;
                let expect = if is_merged { "merged" } else { "archived" };
                assert_eq!(branches.proposal(env).await["status"], expect, "{service:?}");
            }
        }
    });
}

#[test]
fn an_archived_change_request_closes_the_pull_request() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, hosting, proposal) = edited(env, SERVICES[0]).await;
        let patch = proposal.call("updateChangeRequestById").json(&json!({ "status": "archived" }));
        let _archived = patch.send().await.expect(200);
        branches.settled(env).await;
        assert_eq!(hosting.pulls(NUMBER)[0].state, PullState::Closed);
        assert_eq!(branches.repository.find(BRANCH), None);
    });
}

#[test]
fn a_closed_pull_request_archives_a_change_request_that_began_here() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, hosting, _proposal) = edited(env, SERVICES[2]).await;
        hosting.close_pull(NUMBER, 1);
        branches.run(env).await;
        assert_eq!(branches.proposal(env).await["status"], "archived");
        assert_eq!(branches.repository.find(BRANCH), None);
    });
}

#[test]
fn a_service_that_fails_stops_nothing_else() {
    each_engine(async |env: &mut TestEnv| {
        let (branches, hosting) = hosted(env, SERVICES[1]).await;
        hosting.fail("POST ", 403, &[], json!({ "message": "forbidden" }));
        let proposal = Proposal::new(&env.client, &branches.space).await;
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        branches.settled(env).await;
        assert!(branches.file(BRANCH, "guide.md").contains("From inside."));
        let shown = branches.followed(env).await;
        assert!(shown[0]["error"]["message"].as_str().unwrap().contains("403"), "{shown:?}");
        let sync = env.of_space("getGitSync", &branches.space).await.expect(200);
        assert_eq!(sync.at("/state"), "active");
        // Afterwards a run makes up for it.
        hosting.set_fault(None);
        branches.run(env).await;
        assert_eq!(hosting.pulls(NUMBER).len(), 1);
        let shown = branches.followed(env).await;
        assert!(shown[0].get("error").is_none(), "{shown:?}");
    });
}
