//! Header injection: user-defined names in headers are escaped. Tokens in addresses are ignored and
//! not logged.

use std::collections::BTreeSet;

use bindery_testkit::SETUP_TOKEN;
use bindery_testkit::git_server::{Change, GitServer};
use serde_json::json;

use crate::support::content::publish;
use crate::support::{Raw, TestEnv, each_engine, each_engine_with, raw, until};

/// Text that would start a new header.
const BREAK: &str = "\r\nX-Injected: 1\r\nA: ";

/// Checks that a response has exactly the headers that the server sent.
#[track_caller]
fn check_whole(answer: &Raw) {
    for (name, value) in &answer.headers {
        assert!(!name.eq_ignore_ascii_case("x-injected"), "{answer:?}");
        assert!(!value.contains(char::is_control), "{answer:?}");
    }
}

/// Checks that the file name of a response ends with its quotes.
#[track_caller]
fn check_disposition(answer: &Raw) {
    check_whole(answer);
    let value = answer.header("content-disposition");
    let parts: Vec<&str> = value.split('"').collect();
    let &[kind, name, rest] = parts.as_slice() else { panic!("{value}") };
    assert!(matches!(kind, "inline; filename=" | "attachment; filename="), "{value}");
    assert!(!name.contains('\\'), "{value}");
    let rest = rest.strip_prefix("; filename*=UTF-8''").unwrap();
    assert!(!rest.contains([';', '=', ' ', '\'']), "{value}");
}

/// Returns the path of an address of this server.
fn path_of<'a>(env: &TestEnv, address: &'a str) -> &'a str {
    address.strip_prefix(env.server().address()).unwrap_or(address)
}

#[test]
fn names_cannot_inject_headers() {
    each_engine(async |env: &mut TestEnv| {
        let space = site_with_odd_names(env).await;

        let files = env.of_space("listFiles", &space).await.expect(200);
        let files = files.at("/items").as_array().unwrap();
        assert!(!files.is_empty());
        for file in files {
            let address = file["downloadURL"].as_str().unwrap();
            let answer = raw(env.server(), "GET", path_of(env, address), "", b"");
            assert_eq!(answer.status, 200, "{answer:?}");
            check_disposition(&answer);
        }
        let mut paths: BTreeSet<String> = BTreeSet::new();
        let revision = env.of_space("getCurrentRevision", &space).await.expect(200);
        for page in revision.at("/pages").as_array().unwrap() {
            let path = page["path"].as_str().unwrap();
            assert!(!path.contains(char::is_control), "{path:?}");
            paths.extend([format!("/{path}"), format!("/{path}.md"), format!("/{path}/")]);
        }
        for path in [
            "/old",
            "/older",
            "/%0d%0aX-Injected:%201",
            "//b%0d%0aX-Injected:%201/",
            "/b%0d%0aX-Injected:%201.html",
            "/b%0aX-Injected:%201/README.md",
            "/b/?x=%0d%0aX-Injected:%201",
            "/~/%0d%0aX-Injected:%201",
        ] {
            paths.insert(path.to_owned());
        }
        let mut moved = 0;
        for path in &paths {
            let path = format!("/odd{}", path.replace(' ', "%20"));
            let answer = raw(env.server(), "GET", &path, "", b"");
            assert!(answer.status < 500, "{path} {answer:?}");
            check_whole(&answer);
            if answer.status == 308 {
                assert!(answer.header("location").starts_with("/odd/"), "{path} {answer:?}");
                moved += 1;
            }
        }
        assert!(moved >= 2, "{paths:?}");
    });
}

/// Publishes a site with line breaks in the names of pages, files and redirects. Returns its
/// space.
async fn site_with_odd_names(env: &TestEnv) -> String {
    let git = GitServer::start();
    let config = "redirects:\n  old: \"gone\\r\\nX-Injected: 1\"\n  \"\\r\\nX-Injected: 1\": b.md\n  \
                  older: b.md\n";
    let odd = [
        format!("b{BREAK}.md"),
        format!(".gitbook/assets/c\"{BREAK}.bin"),
        ".gitbook/assets/d\u{85}\u{2028}é\"; x=\"y.bin".to_owned(),
    ];
    let mut changes = vec![
        Change::file(b"README.md", b"# Home\n"),
        Change::file(b"b.md", b"# B\n"),
        Change::file(b".gitbook.yaml", config.as_bytes()),
    ];
    changes.extend(odd.iter().map(|path| Change::file(path.as_bytes(), b"# Odd\n")));
    git.repository("odd.git").commit("main", "odd", changes);
    let space = env.space("Odd").await;
    let body = json!({ "url": git.url("odd.git"), "ref": "refs/heads/main" });
    let job = env.import(&space, &body).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let _site = publish(env, "Odd", &space).await;
    space
}

#[test]
fn request_values_cannot_inject_headers() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let call = env.client.call("createChangeRequest").path("spaceId", &space);
        let made = call.json(&json!({ "subject": BREAK })).send().await;
        assert!(matches!(made.status, 201 | 400), "{made}");
        let call = env.client.call("createChangeRequest").path("spaceId", &space);
        let proposal = call.json(&json!({ "subject": "A change" })).send().await.expect(201);
        let insert = async |name: &str, content_type: &str| {
            let call = env.client.call("updateChangeRequestContent").path("spaceId", &space);
            let call = call.path("changeRequestId", proposal.text_at("/id"));
            let file = json!({
                "ref": "file", "name": name, "contentType": content_type, "base64": "YQ==",
            });
            let changes = json!([{ "operation": "insert_files", "files": [file] }]);
            call.query("compat", "false").json(&json!({ "changes": changes })).send().await
        };
        let refused = insert("a.bin", &format!("text/x{BREAK}")).await.expect(400);
        assert!(refused.message().contains("media type"), "{refused}");
        for name in [format!("a{BREAK}.bin"), "a\u{7f}\u{85}\".bin".into(), "é\"; x=\"y".into()] {
            let answer = insert(&name, "text/x").await;
            if answer.status == 400 {
                continue;
            }
            let answer = answer.expect(200);
            let address = answer.text_at("/insertedFiles/0/downloadURL");
            let answer = raw(env.server(), "GET", path_of(env, address), "", b"");
            assert_eq!(answer.status, 200, "{answer:?}");
            check_disposition(&answer);
        }
        // Values of request headers and of the path are not echoed in headers.
        for header in ["Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id", "Origin"] {
            let answer = env.ask("GET", "/v1/user", &format!("{header}: echo\techo\r\n"), b"");
            check_whole(&answer);
            let sent_back = answer.headers.iter().find(|(_, value)| value.contains("echo"));
            assert_eq!(sent_back, None, "{header}");
        }
        for path in ["/v1/%0d%0aX-Injected:%201", "/v1/spaces/%0d%0aX-Injected:%201"] {
            check_whole(&env.ask("GET", path, "", b""));
        }
    });
}

#[test]
fn tokens_in_addresses_are_ignored_and_not_logged() {
    let configure =
        |installation: bindery_testkit::Installation| installation.variable("BINDERY_LOG", "trace");
    each_engine_with(configure, async |env: &mut TestEnv| {
        let server = env.server();
        for name in ["access_token", "token", "authorization", "Authorization", "api_key", "bearer"]
        {
            for path in [
                format!("/v1/user?{name}={SETUP_TOKEN}"),
                format!("/v1/user?{name}=Bearer%20{SETUP_TOKEN}"),
                format!("/v1/orgs?x=y&{name}={SETUP_TOKEN}#{name}={SETUP_TOKEN}"),
            ] {
                raw(server, "GET", &path, "", b"").error(401);
            }
            let form = format!("{name}={SETUP_TOKEN}");
            let headers = "Content-Type: application/x-www-form-urlencoded\r\n";
            let path = format!("/v1/orgs/{}/spaces", env.organization);
            raw(server, "POST", &path, headers, form.as_bytes()).error(401);
            let cookie = format!("Cookie: {name}={SETUP_TOKEN}\r\n");
            raw(server, "GET", "/v1/user", &cookie, b"").error(401);
            // Such a parameter is ignored if a valid token is sent as well.
            let path = format!("/v1/user?{name}={SETUP_TOKEN}x");
            assert_eq!(env.ask("GET", &path, "", b"").status, 200);
        }
        // Errors do not contain the token either: a rejected token, a malformed header, a published
        // page.
        let wrong = format!("Authorization: Bearer {SETUP_TOKEN}x\r\n");
        let _refused = raw(server, "GET", "/v1/user", &wrong, b"").error(401);
        let wrong = format!("Authorization: Basic {SETUP_TOKEN}\r\n");
        let _refused = raw(server, "GET", "/v1/user", &wrong, b"").error(401);
        let _page = raw(server, "GET", &format!("/docs/?token={SETUP_TOKEN}"), "", b"");
        let _health = raw(server, "GET", &format!("/metrics?token={SETUP_TOKEN}"), "", b"");
        let last = raw(server, "GET", "/v1/the-last-of-all", "", b"");
        let last = last.header("x-request-id");
        let log = until(async || {
            let log = server.log();
            log.contains(last).then_some(log)
        })
        .await;
        let line = log.lines().find(|line| line.contains(SETUP_TOKEN));
        assert_eq!(line, None);
    });
}
