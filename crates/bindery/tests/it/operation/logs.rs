//! Secrets in addresses are not logged, for all kinds of addresses.

use bindery_testkit::archives::{file, gzip, tar};
use bindery_testkit::{Installation, SmtpServer};
use serde_json::{Value, json};

use crate::support::people::sign_in_link;
use crate::support::{TestEnv, each_engine_with, raw, until};

#[test]
fn secrets_in_addresses_are_not_logged() {
    let smtp = SmtpServer::start();
    let configure = |installation: Installation| {
        installation.mailing_through(&smtp).variable("BINDERY_LOG", "info")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let secrets = secrets(env).await;

        for secret in &secrets {
            for path in [
                format!("/app/sign-in/{secret}"),
                format!("/app/sign-in/{secret}/"),
                format!("/app/sign-in/{secret}/more"),
                format!("/app//sign-in/{secret}"),
                format!("/App/sign-in/{secret}"),
                format!("/docs/app/sign-in/{secret}"),
                format!("/app/invitations/{secret}"),
                format!("/app/{secret}"),
                format!("/{secret}"),
                format!("/v1/{secret}"),
                format!("/v1/spaces/{secret}"),
                format!("/v1/user?access_token={secret}"),
                format!("/app/sign-in?next=%2Fapp%2Finvitations%2F{secret}"),
                format!("/v1/orgs/{}/invites/{secret}", env.organization),
                format!("/v1/orgs/{}/link-invites/{secret}", env.organization),
            ] {
                for method in ["GET", "POST", "PUT"] {
                    let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
                    let _any = raw(env.server(), method, &path, headers, b"");
                }
            }
            let body = json!({ "link": secret });
            let _any = env.client.anonymous().call("signIn").json(&body).send().await;
            let body = json!({ "token": secret });
            let _any = env.client.anonymous().call("signIn").json(&body).send().await;
        }
        raw(env.server(), "GET", "/v1/last-of-all", "", b"").error(404);
        let log = until(async || {
            let log = env.server().log();
            let count = 15 * 3 * secrets.len();
            (log.matches("answered").count() >= count).then_some(log)
        })
        .await;
        for secret in &secrets {
            let line = log.lines().find(|line| line.contains(secret.as_str()));
            assert_eq!(line, None);
        }
        for path in ["/app/sign-in/{link}", "/app/invitations/{invitation}", "/v1/spaces/{spaceId}"]
        {
            assert!(log.contains(path), "{path}: {log}");
        }
    });
}

/// Creates a secret of each kind, and asks for a sign-in link.
async fn secrets(env: &TestEnv) -> Vec<String> {
    let mut secrets = Vec::new();
    secrets.push(sign_in_link(env, "ann@example.com", "read").await);
    let of = |operation: &str| env.client.call(operation).path("organizationId", &env.organization);
    let invite = json!({ "emails": ["bob@example.com"] });
    let _invited = of("inviteUsersToOrganization").json(&invite).send().await.expect(200);
    let list = of("listInvitations").send().await.expect(200);
    secrets.push(list.text_at("/items/0/urls/accept").rsplit('/').next().unwrap().to_owned());
    let link = of("createOrganizationInvite").json(&json!({ "role": "read" }));
    secrets.push(link.send().await.expect(201).text_at("/id").to_owned());
    let (token, _) = env.token(&json!({ "name": "t" })).await;
    secrets.push(token);
    let mail = json!({ "email": "ann@example.com" });
    let call = env.client.anonymous().call("sendSignInLink").json(&mail);
    let _sent = call.send().await.expect(202);
    secrets
}

#[test]
fn the_log_can_be_written_as_json() {
    let configure = |installation: Installation| {
        installation.variable("BINDERY_LOG", "info").variable("BINDERY_LOG_FORMAT", "json")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let last = raw(env.server(), "GET", "/v1/last-of-all", "", b"");
        let id = last.header("x-request-id");
        let log = until(async || {
            let log = env.server().log();
            log.lines().any(|line| line.contains(id)).then_some(log)
        })
        .await;
        let line = log.lines().find(|line| line.contains(id)).unwrap();
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["level"], "INFO");
        assert_eq!(line["target"], "bindery::server");
        assert_eq!(line["message"], "answered");
        assert!(line["timestamp"].is_string(), "{line}");
        let fields = json!({
            "client": "127.0.0.1", "method": "GET", "path": "/v1 (no such path)", "status": 404,
            "request": id,
        });
        assert_eq!(line["fields"], fields);
        let span = json!({
            "name": "request", "operation": "api_other", "request": id, "status": 404,
        });
        assert_eq!(line["spans"], json!([span]));
    });
}

#[test]
fn slow_requests_and_transactions_are_logged_with_their_operation() {
    let configure = |installation: Installation| {
        installation
            .variable("BINDERY_LOG", "info")
            .variable("BINDERY_LOG_FORMAT", "json")
            .argument("--log-slow-request-ms=1")
            .argument("--log-slow-transaction-ms=1")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let [request, transaction] = until(async || {
            let _space = env.space("Docs").await;
            let log = env.server().log();
            let lines = log.lines().filter_map(|line| serde_json::from_str(line).ok());
            let lines: Vec<Value> = lines.collect();
            let of = |message: &str, kind: Option<&str>| {
                let mut lines = lines.iter();
                let found = lines.find(|line| {
                    line["message"] == message
                        && line["spans"][0]["operation"] == "createSpace"
                        && line["fields"]["kind"].as_str() == kind
                });
                found.cloned()
            };
            Some([of("slow request", None)?, of("slow transaction", Some("write"))?])
        })
        .await;
        for line in [&request, &transaction] {
            assert_eq!(line["level"], "WARN");
            assert!(line["fields"]["seconds"].as_f64().unwrap() >= 0.001, "{line}");
            assert_eq!(line["spans"][0]["caller"], "token");
        }
        assert_eq!(request["fields"]["operation"], "createSpace");
        assert_eq!(request["fields"]["request"], request["spans"][0]["request"]);
        let code = transaction["fields"]["code"].as_str().unwrap();
        assert!(code.starts_with("bindery_"), "{transaction}");
    });
}

#[test]
fn jobs_are_logged_with_their_kind_and_outcome() {
    let configure = |installation: Installation| {
        installation.variable("BINDERY_LOG", "info").variable("BINDERY_LOG_FORMAT", "json")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let archive = gzip(&tar(&[file("README.md", "# Docs\n")]));
        let job = env.import_archive(&space, "application/gzip", archive).await;
        let id = job.text_at("/id");
        let line = until(async || {
            let log = env.server().log();
            let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            lines
                .into_iter()
                .find(|line| line["message"] == "job ended" && line["spans"][0]["id"] == id)
        })
        .await;
        let span = json!({ "name": "job", "kind": "archive-import", "id": id, "attempt": 1 });
        assert_eq!(line["spans"], json!([span]));
        assert_eq!(line["fields"]["outcome"], "done");
    });
}
