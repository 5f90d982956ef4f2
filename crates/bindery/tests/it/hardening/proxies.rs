//! Forwarded headers of trusted and untrusted proxies, as visible in the log and in addresses.

use serde_json::Value;

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine_with, on_sqlite, until};

const SAID: &str = "X-Forwarded-For: 1.1.1.1, 203.0.113.5, 127.0.0.9\r\n\
    X-Forwarded-Proto: https\r\nX-Forwarded-Host: docs.example.com\r\n";

fn addresses(env: &TestEnv) -> (String, String, String) {
    let answer = env.ask("GET", "/v1/user", SAID, b"");
    let user: Value = serde_json::from_slice(&answer.body).unwrap();
    let made = format!("/v1/orgs/{}/spaces", env.organization);
    let headers = format!("{SAID}Content-Type: application/json\r\n");
    let made = env.ask("POST", &made, &headers, b"{\"title\":\"Space\"}");
    let home = env.ask("GET", "/robots.txt", SAID, b"");
    (
        user["urls"]["location"].as_str().unwrap().to_owned(),
        made.header("location").to_owned(),
        String::from_utf8(home.body).unwrap(),
    )
}

async fn publish_docs(env: &TestEnv) {
    let space = env.space("Docs").await;
    let _site = publish(env, "Docs", &space).await;
}

/// Waits for a log line with this path, and returns the client of the last one.
async fn logged(env: &TestEnv, path: &str) -> String {
    until(async || {
        let log = env.server().log();
        let line = log.lines().rfind(|line| line.contains(path))?;
        let client = line.split("client=").nth(1)?.split(' ').next()?;
        Some(client.to_owned())
    })
    .await
}

#[test]
fn headers_of_trusted_proxies_are_used() {
    let configure = |installation: bindery_testkit::Installation| {
        installation
            .argument("--trusted-proxy")
            .argument("192.0.2.1,127.0.0.0/8")
            .variable("BINDERY_LOG", "info")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        publish_docs(env).await;
        let (user, made, robots) = addresses(env);
        assert!(user.starts_with("https://docs.example.com/v1/users/"), "{user}");
        assert!(made.starts_with("https://docs.example.com/v1/spaces/"), "{made}");
        assert!(robots.contains("Sitemap: https://docs.example.com/docs/"), "{robots}");
        assert_eq!(logged(env, "/v1/user").await, "203.0.113.5");
        // A cached response contains the addresses of the reader's own host only.
        let page = |headers: &str| {
            let answer = env.ask("GET", "/docs/robots.txt", headers, b"");
            assert_eq!(answer.status, 200);
            String::from_utf8(answer.body).unwrap()
        };
        for _again in 0..2 {
            assert!(page(SAID).contains("https://docs.example.com/docs/sitemap.xml"));
            assert!(!page("").contains("docs.example.com"));
        }
        // Without forwarded headers, responses contain the server's own address.
        let own = env.ask("GET", "/v1/user", "", b"");
        let own: Value = serde_json::from_slice(&own.body).unwrap();
        let address = own["urls"]["location"].as_str().unwrap();
        assert!(address.starts_with(env.server().address()), "{address}");
    });
}

#[test]
fn headers_of_other_clients_are_ignored() {
    let untrusted = |installation: bindery_testkit::Installation| {
        installation
            .argument("--trusted-proxy")
            .argument("10.0.0.0/8")
            .variable("BINDERY_LOG", "info")
    };
    each_engine_with(untrusted, async |env: &mut TestEnv| {
        publish_docs(env).await;
        let (user, made, robots) = addresses(env);
        let server = env.server().address().to_owned();
        for text in [&user, &made] {
            assert!(text.starts_with(&server), "{text}");
        }
        assert!(robots.contains(&format!("Sitemap: {server}/docs/")), "{robots}");
        assert_eq!(logged(env, "/v1/user").await, "127.0.0.1");
    });
}

#[test]
fn the_configured_public_address_is_used() {
    let configure = |installation: bindery_testkit::Installation| {
        installation
            .variable("BINDERY_TRUSTED_PROXY", "127.0.0.1")
            .variable("BINDERY_PUBLIC_URL", "https://told.example.com")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let (user, made, _) = addresses(env);
        for text in [user, made] {
            assert!(text.starts_with("https://told.example.com/v1/"), "{text}");
        }
    });
}

#[test]
fn headers_are_ignored_by_default() {
    on_sqlite(async |env: &mut TestEnv| {
        let (user, _, _) = addresses(env);
        assert!(user.starts_with(env.server().address()), "{user}");
    });
}
