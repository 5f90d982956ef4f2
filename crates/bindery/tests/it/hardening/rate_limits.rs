//! Rate limits per user, and per address for requests without a token.
//!
//! The servers in these tests reject after two requests and grant another one after half a minute,
//! so that the speed of a test has no effect. They are set up without limits and then restarted.

use bindery_testkit::{Engine, Installation};
use serde_json::{Value, json};

use crate::support::content::publish;
use crate::support::{Configured, Raw, TestEnv, each_engine_with, on_sqlite, parse, raw, send};

const TWO: &str = "[limits]\nrequests_per_user = 2\nrequests_per_address = 2\n";

fn get(env: &TestEnv, path: &str, token: &str, headers: &str) -> Raw {
    let authorization = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    raw(env.server(), "GET", path, &format!("{authorization}{headers}"), b"")
}

/// Checks that the rate limit headers of a response are consistent.
#[track_caller]
fn check_headers(answer: &Raw, limit: &str, remaining: u32) {
    let seconds: u32 = answer.header("ratelimit-reset").parse().unwrap();
    assert!((1..=30).contains(&seconds), "{answer:?}");
    assert_eq!(answer.header("ratelimit-policy"), format!("\"{limit}\";q=2;w=60"));
    assert_eq!(answer.header("ratelimit"), format!("\"{limit}\";r={remaining};t={seconds}"));
    assert_eq!(answer.header("ratelimit-limit"), "2");
    assert_eq!(answer.header("ratelimit-remaining"), remaining.to_string());
    let again = if answer.status == 429 { seconds.to_string() } else { String::new() };
    assert_eq!(answer.header("retry-after"), again);
    let exposed = answer.header("access-control-expose-headers").to_ascii_lowercase();
    for (name, _) in &answer.headers {
        let name = name.to_ascii_lowercase();
        if name.starts_with("ratelimit") || name == "retry-after" {
            assert!(exposed.split(", ").any(|one| one == name), "{name}: {exposed}");
        }
    }
}

/// Uses up a limit, checking the remaining number of each response, and then exceeds it.
#[track_caller]
fn check_used_up(limit: &str, status: u16, mut ask: impl FnMut() -> Raw) {
    for remaining in [1, 0] {
        let answer = ask();
        assert_eq!(answer.status, status, "{answer:?}");
        check_headers(&answer, limit, remaining);
    }
    check_refused(limit, &ask());
}

#[track_caller]
fn check_refused(limit: &str, answer: &Raw) {
    check_headers(answer, limit, 0);
    let seconds = answer.header("retry-after");
    let whose = match limit {
        "user" => "with the tokens and sessions of one user",
        _ => "from one address without a token or session that is accepted",
    };
    let unit = if seconds == "1" { "second" } else { "seconds" };
    let expect =
        format!("the limit of 2 requests a minute {whose} is used up: retry in {seconds} {unit}");
    assert_eq!(answer.error(429), expect);
}

#[track_caller]
fn check_unlimited(answer: &Raw, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    let told = |name: &str| name.to_ascii_lowercase().starts_with("ratelimit");
    assert!(!answer.headers.iter().any(|(name, _)| told(name)), "{answer:?}");
}

#[test]
fn the_tokens_of_a_user_have_one_limit() {
    let configured = Configured::new("");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        let (one, _) = env.token(&json!({ "name": "One" })).await;
        let (other, _) = env.token(&json!({ "name": "Other" })).await;
        let ann = json!({
            "email": "ann@example.com", "displayName": "Ann", "organization": env.organization,
            "role": "read", "token": true,
        });
        let ann = env.client.call("createUser").json(&ann).send().await.expect(201);
        let ann = ann.text_at("/token").to_owned();
        let space = env.space("Docs").await;
        configured.restart(env, TWO).await;
        check_used_up("user", 200, || get(env, "/v1/user", &one, ""));
        // The limit applies to all paths and all requests with the token.
        for path in ["/v1/user", "/v1/nothing", &format!("/v1/spaces/{space}")] {
            check_refused("user", &get(env, path, &one, ""));
        }
        // The request is rejected before its body arrives.
        let host = env.server().address().strip_prefix("http://").unwrap();
        let head = format!(
            "POST /v1/orgs/{}/spaces HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Authorization: Bearer {one}\r\nContent-Type: application/json\r\n\
             Content-Length: 1000\r\n\r\n",
            env.organization
        );
        check_refused("user", &parse(&send(env.server(), head.as_bytes())));
        // The first request with another token of the same user is accepted, since the server does
        // not know its user before. Then it counts for the same limit.
        check_headers(&get(env, "/v1/user", &other, ""), "user", 0);
        check_refused("user", &get(env, "/v1/user", &other, ""));
        // Another user has a separate limit, for which requests with errors count as well.
        let answer = get(env, "/v1/spaces/nothing", &ann, "");
        assert_eq!(answer.status, 404);
        check_headers(&answer, "user", 1);
        check_headers(&get(env, "/v1/user", &ann, ""), "user", 0);
        // So has the address, for requests without a valid token.
        check_headers(&get(env, "/v1/user", "", ""), "address", 1);
        configured.write("");
    });
}

#[test]
fn requests_without_a_valid_token_count_for_the_address() {
    let configured = Configured::new("");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        let (accepted, _) = env.token(&json!({ "name": "One" })).await;
        let (known, _) = env.token(&json!({ "name": "Other" })).await;
        configured.restart(env, TWO).await;
        assert_eq!(get(env, "/v1/user", &known, "").status, 200);
        let mut guesses = ["bnd_guess", ""].iter().cycle();
        let mut guess = || get(env, "/v1/user", guesses.next().unwrap(), "");
        check_used_up("address", 401, &mut guess);
        let malformed = "Authorization: Basic eDp5\r\n";
        check_refused("address", &get(env, "/v1/user", "", malformed));
        // Unknown tokens are not looked up any more; a token that was accepted before is still
        // accepted.
        check_refused("address", &get(env, "/v1/user", &accepted, ""));
        check_headers(&get(env, "/v1/user", &known, ""), "user", 0);
        configured.write("");
    });
}

#[test]
fn a_session_counts_with_the_tokens_of_its_user() {
    let configured = Configured::new("");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        configured.restart(env, TWO).await;
        let body = json!({ "token": bindery_testkit::SETUP_TOKEN }).to_string();
        let json = "Content-Type: application/json\r\n";
        let path = "/v1/bindery/sign-in";
        let begun = raw(env.server(), "POST", path, json, body.as_bytes());
        assert_eq!(begun.status, 201, "{begun:?}");
        check_headers(&begun, "address", 1);
        let cookie = begun.header("set-cookie").split(';').next().unwrap().to_owned();
        let cookie = format!("Cookie: {cookie}\r\n");
        check_used_up("user", 200, || get(env, "/v1/user", "", &cookie));
        // The token that the session was started with counts for the same user.
        check_headers(&env.ask("GET", "/v1/user", "", b""), "user", 0);
        check_refused("user", &env.ask("GET", "/v1/user", "", b""));
        // An invalid cookie counts for the address, also for operations that need no
        // authentication.
        let made_up = "Cookie: bindery-session=aaaaaaaaaaaaaaaaaaaaaaaa\r\n";
        check_headers(&get(env, "/v1/user", "", made_up), "address", 0);
        check_refused("address", &get(env, "/v1/", "", made_up));
        configured.write("");
    });
}

#[test]
fn other_paths_have_no_limit() {
    let configured = Configured::new("");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let _site = publish(env, "Docs", &space).await;
        configured.restart(env, TWO).await;
        check_used_up("address", 401, || get(env, "/v1/user", "", ""));
        for path in ["/healthz", "/readyz", "/v1/openapi.json", "/v1/docs", "/docs/robots.txt"] {
            check_unlimited(&get(env, path, "", ""), 200);
        }
        check_unlimited(&get(env, "/metrics", "", ""), 404);
        // Preflight requests are not limited: without them a browser could not read the error.
        check_unlimited(&raw(env.server(), "OPTIONS", "/v1/user", "", b""), 204);
        configured.write("");
    });
}

#[test]
fn clients_behind_a_trusted_proxy_are_distinguished() {
    let configured = Configured::new("");
    let proxied = format!("trusted_proxy = \"127.0.0.1\"\n{TWO}");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        configured.restart(env, &proxied).await;
        let from = |address: &str| {
            get(env, "/v1/user", "", &format!("X-Forwarded-For: 192.0.2.99, {address}\r\n"))
        };
        check_used_up("address", 401, || from("203.0.113.5"));
        check_headers(&from("203.0.113.6"), "address", 1);
        // A network of 64 bits counts as one caller.
        let mut number = 0;
        check_used_up("address", 401, || {
            number += 1;
            from(&format!("2001:db8::{number}"))
        });
        check_headers(&from("2001:db8:0:1::1"), "address", 1);
        configured.write("");
    });
}

#[test]
fn forged_client_addresses_are_ignored() {
    on_configured(TWO, async |env: &TestEnv| {
        let mut number = 0;
        check_used_up("address", 401, || {
            number += 1;
            let made_up = format!("203.0.113.{number}");
            let headers = format!(
                "X-Forwarded-For: {made_up}\r\nForwarded: for={made_up}\r\nX-Real-IP: {made_up}\r\n"
            );
            get(env, "/v1/user", "", &headers)
        });
    });
}

#[test]
fn limits_can_be_disabled() {
    let off = "[limits]\nrequests_per_user = 0\nrequests_per_address = 0\n";
    on_configured(off, async |env: &TestEnv| {
        for _several in 0..5 {
            check_unlimited(&env.ask("GET", "/v1/user", "", b""), 200);
            check_unlimited(&get(env, "/v1/user", "", ""), 401);
            check_unlimited(&get(env, "/v1/user", "bnd_guess", ""), 401);
        }
        check_described(env, 0, 0);
    });
    let one = "[limits]\nrequests_per_user = 0\nrequests_per_address = 7\n";
    on_configured(one, async |env: &TestEnv| {
        check_unlimited(&env.ask("GET", "/v1/user", "", b""), 200);
        assert_eq!(get(env, "/v1/user", "", "").header("ratelimit-remaining"), "6");
        check_described(env, 0, 7);
    });
}

#[test]
fn the_default_limit_is_high() {
    on_sqlite(async |env: &mut TestEnv| {
        let answer = env.ask("GET", "/v1/user", "", b"");
        assert_eq!(answer.header("ratelimit-policy"), "\"user\";q=60000;w=60");
        let answer = get(env, "/v1/user", "", "");
        assert_eq!(answer.header("ratelimit"), "\"address\";r=59999;t=1");
        check_described(env, 60_000, 60_000);
    });
}

/// Checks the limits in the description of the API.
fn check_described(env: &TestEnv, per_user: u32, per_address: u32) {
    let described = get(env, "/v1/openapi.json", "", "");
    let described: Value = serde_json::from_slice(&described.body).unwrap();
    let limits = &described["info"]["x-limits"];
    assert_eq!(limits["requestsPerUser"], per_user);
    assert_eq!(limits["requestsPerAddress"], per_address);
}

#[test]
fn invalid_limits_are_rejected() {
    let allowed = "requests a minute, a whole number of 0 (no limit) to 1000000000";
    for (value, found) in [
        ("-1", "integer `-1`"),
        ("1_000_000_001", "integer `1000000001`"),
        ("2.5", "floating point `2.5`"),
        ("\"many\"", "string \"many\""),
    ] {
        for key in ["requests_per_user", "requests_per_address"] {
            let configured = Configured::new(&format!("[limits]\n{key} = {value}\n"));
            let installation = Installation::new(env!("CARGO_BIN_EXE_bindery"), Engine::Sqlite);
            let refused = configured.apply()(installation).try_start().unwrap_err();
            assert_eq!(refused.status.code(), Some(1));
            for expect in [allowed, found, key, "bindery.toml"] {
                assert!(refused.log.contains(expect), "{value}: {}", refused.log);
            }
        }
    }
}

/// Runs a test on a server that had this configuration from the start and received no request
/// without a token.
fn on_configured(text: &str, test: impl AsyncFn(&TestEnv)) {
    let configured = Configured::new("");
    each_engine_with(configured.apply(), async |env: &mut TestEnv| {
        configured.restart(env, text).await;
        test(env).await;
        configured.write("");
    });
}
