//! Password guessing: attempts are limited and reported to administrators, and do not lock out the
//! owner.

use bindery_testkit::{Answer, Installation, SmtpServer};
use serde_json::{Value, json};

use crate::support::browser::PASSWORD;
use crate::support::mail::secret_after;
use crate::support::people::sign_in_link;
use crate::support::{TestEnv, each_engine_with, until};

const ANN: &str = "ann@example.com";

/// Configures a server to trust the client address in a request's headers.
fn proxied(installation: Installation) -> Installation {
    installation.variable("BINDERY_TRUSTED_PROXY", "127.0.0.1")
}

async fn post(env: &TestEnv, operation: &str, from: &str, device: &str, body: &Value) -> Answer {
    let call = env.client.anonymous().call(operation).json(body);
    call.header("x-forwarded-for", from).header("cookie", device).send().await
}

/// Tries a password from an address.
async fn attempt(env: &TestEnv, from: &str, email: &str, password: &str) -> Answer {
    let body = json!({ "email": email, "password": password });
    post(env, "signIn", from, "", &body).await
}

/// Creates an account with a password and signs in from an address. Returns the cookie of the
/// device.
async fn with_password(env: &TestEnv, email: &str, from: &str) -> String {
    let link = sign_in_link(env, email, "read").await;
    let signed = post(env, "signIn", from, "", &json!({ "link": link })).await.expect(201);
    let cookie = signed.header("set-cookie").split(';').next().unwrap().to_owned();
    let device = signed.headers.get_all("set-cookie").iter().find_map(|value| {
        let value = value.to_str().unwrap();
        value.starts_with("bindery-device=").then(|| value.split(';').next().unwrap().to_owned())
    });
    let call = env.client.anonymous().call("setPassword").header("cookie", &cookie);
    let call = call.header("x-csrf-token", signed.text_at("/csrfToken"));
    let _set = call.json(&json!({ "password": PASSWORD })).send().await.expect(204);
    device.unwrap()
}

#[test]
fn guesses_from_one_address_do_not_lock_out_others() {
    each_engine_with(proxied, async |env: &mut TestEnv| {
        let _device = with_password(env, ANN, "203.0.113.1").await;
        let mut statuses = Vec::new();
        for _ in 0..130 {
            statuses.push(attempt(env, "198.51.100.7", ANN, "wrong").await.status);
        }
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 10);
        assert!(statuses[10..].iter().all(|status| *status == 429), "{statuses:?}");
        let _late = attempt(env, "198.51.100.7", ANN, PASSWORD).await.expect(429);
        for from in ["203.0.113.1", "203.0.113.99"] {
            let _owner = attempt(env, from, ANN, PASSWORD).await.expect(201);
        }
        // Guesses for many accounts from the same address do not lock out the owner either.
        for n in 0..100 {
            let email = format!("nobody{n}@example.com");
            let _any = attempt(env, "198.51.100.8", &email, "wrong").await;
        }
        let _late = attempt(env, "198.51.100.8", "new@example.com", "wrong").await.expect(429);
        let _owner = attempt(env, "203.0.113.98", ANN, PASSWORD).await.expect(201);
    });
}

#[test]
fn known_devices_can_sign_in_during_an_attack() {
    let smtp = SmtpServer::start();
    let configure = |installation: Installation| {
        proxied(installation)
            .variable("BINDERY_MAIL_SERVER", &smtp.url())
            .variable("BINDERY_MAIL_FROM", "Docs <docs@example.org>")
            .variable("BINDERY_PUBLIC_URL", "http://docs.example.org")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let device = with_password(env, ANN, "203.0.113.1").await;
        attack(env).await;
        let known = attempt(env, "198.51.100.20", ANN, PASSWORD).await.expect(429);
        let nobody = attempt(env, "198.51.100.20", "nobody@example.com", PASSWORD).await;
        let nobody = nobody.expect(429);
        let without_time = |answer: &Answer| answer.message().split(';').next().unwrap().to_owned();
        assert_eq!(without_time(&known), without_time(&nobody));
        // The account's known network and known device have limits of their own.
        let wrong = attempt(env, "203.0.113.1", ANN, "wrong").await.expect(429);
        assert_eq!(without_time(&wrong), without_time(&nobody));
        let _owner = attempt(env, "203.0.113.1", ANN, PASSWORD).await.expect(201);
        let right = json!({ "email": ANN, "password": PASSWORD });
        let _owner = post(env, "signIn", "192.0.2.9", &device, &right).await.expect(201);
        // A device has an allowance only for its own account, and only for a number of attempts.
        let other = json!({ "email": "nobody@example.com", "password": PASSWORD });
        let _other = post(env, "signIn", "192.0.2.9", &device, &other).await.expect(429);
        let forged = format!("{}x", &device[..device.len() - 1]);
        let _forged = post(env, "signIn", "192.0.2.10", &forged, &right).await.expect(429);
        let wrong = json!({ "email": ANN, "password": "wrong" });
        for _ in 0..10 {
            let _wrong = post(env, "signIn", "192.0.2.9", &device, &wrong).await.expect(401);
        }
        let _late = post(env, "signIn", "192.0.2.9", &device, &right).await.expect(429);

        // Sign-in links are still sent, and repeated requests by strangers do not flood a mailbox.
        let mail = json!({ "email": ANN });
        let before = smtp.received().len();
        for from in 0..10 {
            for _ in 0..5 {
                let from = format!("198.51.100.{from}");
                let _asked = post(env, "sendSignInLink", &from, "", &mail).await.expect(202);
            }
        }
        let asked = post(env, "sendSignInLink", "198.51.100.1", "", &mail).await.expect(429);
        assert!(!asked.header("retry-after").is_empty());
        let _asked = post(env, "sendSignInLink", "203.0.113.1", "", &mail).await.expect(202);
        let _asked = post(env, "sendSignInLink", "192.0.2.9", &device, &mail).await.expect(202);
        until(async || (smtp.received().len() >= before + 9).then_some(())).await;
        assert_eq!(smtp.received().len(), before + 9);
        let text = smtp.received().last().unwrap().decoded();
        let link = json!({ "link": secret_after("/app/sign-in/", &text) });
        let _in = post(env, "signIn", "198.51.100.1", "", &link).await.expect(201);
    });
}

/// Guesses passwords of an existing and of an unknown account from ten addresses.
async fn attack(env: &TestEnv) {
    // Existing and unknown accounts receive the same responses.
    for email in [ANN, "nobody@example.com"] {
        for from in 0..10 {
            for _ in 0..10 {
                let from = format!("198.51.100.{from}");
                let _wrong = attempt(env, &from, email, "wrong").await.expect(401);
            }
        }
    }
}

/// Returns the total number of rows in the tables.
async fn rows(env: &mut TestEnv) -> i64 {
    const TABLES: [&str; 6] =
        ["sign_in_attempts", "events", "audit_events", "sign_in_links", "jobs", "known_networks"];
    env.edit_store(|tx| {
        let mut sum = 0;
        for table in TABLES {
            let sql = format!("SELECT COUNT(*) FROM {table}");
            sum += tx.query_one(&sql, &[], |row| row.get::<i64>(0))?;
        }
        Ok(sum)
    })
    .await
}

#[test]
fn failed_sign_ins_write_little_and_are_audited() {
    each_engine_with(proxied, async |env: &mut TestEnv| {
        let _device = with_password(env, ANN, "203.0.113.1").await;
        let before = rows(env).await;
        for n in 0..1_600 {
            let email = if n % 2 == 0 { ANN.to_owned() } else { format!("x{n}@example.com") };
            let answer = attempt(env, "198.51.100.7", &email, "wrong").await;
            assert!(matches!(answer.status, 401 | 429), "{answer}");
        }
        let written = rows(env).await - before;
        assert!(written < 250, "{written}");

        let list = env.client.call("listOrganizationAuditEvents");
        let list = list.path("organizationId", &env.organization);
        let list = list.query("action", "user.sign_in_failed").send().await.expect(200);
        assert_eq!(list.at("/items").as_array().unwrap().len(), 2, "{list}");
        let event = env.client.call("getOrganizationAuditEvent");
        let event = event.path("organizationId", &env.organization);
        let event = event.path("auditEventId", list.text_at("/items/0/id"));
        let event = event.send().await.expect(200);
        assert_eq!(event.at("/payload/origin/address"), "198.51.100.7", "{event}");
        assert_eq!(event.at("/payload/attempts"), 10, "{event}");
        let log = env.server().log();
        assert!((3..300).contains(&log.matches("sign_in_failed").count()), "{log}");
        assert!(!log.contains(ANN) && !log.contains("x1@example.com"), "{log}");
    });
}
