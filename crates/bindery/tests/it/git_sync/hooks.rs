//! Events of Git servers.

use bindery_model::Clock as _;
use bindery_testkit::Answer;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

use super::Synced;
use crate::support::{SystemClock, TestEnv, each_engine};

const PUSH: &str = r#"{"ref":"refs/heads/main"}"#;

fn signature(secret: &str, message: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sends an event without credentials.
async fn send(env: &TestEnv, id: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let call = env.client.anonymous().call("receiveGitEvent").path("syncId", id);
    let call = headers.iter().fold(call, |call, (name, value)| call.header(name, value));
    call.body("application/json", body.to_owned()).send().await
}

#[test]
fn a_push_becomes_a_revision() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let signed = format!("sha256={}", signature(&synced.secret, PUSH));
        let other = r#"{"ref":"refs/heads/main","gitea":1}"#;
        let gitea = signature(&synced.secret, other);
        let now = (SystemClock.now().millis() / 1_000).to_string();
        let plain = format!("sha256={}", signature(&synced.secret, &format!("{now}.{PUSH}")));
        let events: [(&[(&str, &str)], &str); 4] = [
            (
                &[
                    ("x-hub-signature-256", &signed),
                    ("x-github-event", "push"),
                    ("x-github-delivery", "d1"),
                ],
                PUSH,
            ),
            (&[("x-gitlab-token", &synced.secret), ("x-gitlab-event", "Push Hook")], PUSH),
            (
                &[
                    ("x-gitea-signature", &gitea),
                    ("x-gitea-event", "push"),
                    ("x-gitea-delivery", "d1"),
                ],
                other,
            ),
            (&[("x-bindery-signature", &plain), ("x-bindery-timestamp", &now)], PUSH),
        ];
        for (index, (headers, body)) in events.into_iter().enumerate() {
            let text = format!("# Guide\n\nEvent {index}.\n");
            synced.commit("guide.md", &text);
            let _accepted = send(env, &synced.id, headers, body).await.expect(204);
            synced.settled(env).await;
            let guide = synced.markdown(env, "Guide").await;
            assert!(guide.contains(&format!("Event {index}.")), "{guide}");
            assert_eq!(synced.runs(env).await[0]["trigger"], "webhook");
            let _replayed = send(env, &synced.id, headers, body).await.expect(409);
        }
        // The id of a delivery is not signed.
        let again = [("x-hub-signature-256", signed.as_str()), ("x-github-delivery", "d2")];
        let _replayed = send(env, &synced.id, &again, PUSH).await.expect(409);
        assert_eq!(synced.runs(env).await.len(), 5);
    });
}

#[test]
fn unsigned_and_wrongly_signed_events_are_refused() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let now = SystemClock.now().millis() / 1_000;
        let wrong = format!("sha256={}", signature("wrong", PUSH));
        let right = format!("sha256={}", signature(&synced.secret, PUSH));
        let old = (now - 3_600).to_string();
        let late = format!("sha256={}", signature(&synced.secret, &format!("{old}.{PUSH}")));
        let now = now.to_string();
        let refused: [&[(&str, &str)]; 8] = [
            &[],
            &[("x-hub-signature-256", &wrong)],
            &[("x-gitea-signature", &wrong)],
            &[("x-gitlab-token", "wrong")],
            &[("x-gitlab-token", "")],
            &[("x-bindery-signature", &right), ("x-bindery-timestamp", &now)],
            &[("x-bindery-signature", &late), ("x-bindery-timestamp", &old)],
            // A right signature of one service does not help beside a wrong one of another.
            &[("x-gitea-signature", &wrong), ("x-hub-signature-256", &right)],
        ];
        for headers in refused {
            let answer = send(env, &synced.id, headers, PUSH).await.expect(401);
            assert!(!answer.text().contains(&synced.secret));
        }
        let body = r#"{"ref":"refs/heads/main" }"#;
        let headers = [("x-hub-signature-256", right.as_str())];
        let _changed = send(env, &synced.id, &headers, body).await.expect(401);
        for unknown in ["00000000000000000000", "x", "%00"] {
            let _unknown = send(env, unknown, &headers, PUSH).await.expect(404);
        }
        let large = format!("\"{}\"", "x".repeat(1 << 20));
        let signed = format!("sha256={}", signature(&synced.secret, &large));
        let headers = [("x-hub-signature-256", signed.as_str())];
        let _large = send(env, &synced.id, &headers, &large).await.expect(413);
        let signed = format!("sha256={}", signature(&synced.secret, "ref=main"));
        let headers = [("x-hub-signature-256", signed.as_str())];
        let _form = send(env, &synced.id, &headers, "ref=main").await.expect(400);
        assert_eq!(synced.runs(env).await.len(), 1);
    });
}

#[test]
fn other_events_are_accepted_and_ignored() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        synced.commit("guide.md", "# Guide\n\nFrom outside.\n");
        let events: [(&[(&str, &str)], &str); 4] = [
            (&[], r#"{"ref":"refs/heads/other"}"#),
            (&[("x-gitlab-event", "Tag Push Hook")], r#"{"ref":"refs/heads/main"}"#),
            (&[("x-gitlab-event", "Issue Hook")], "{}"),
            // The addresses in an event are not used.
            (&[], r#"{"ref":"refs/heads/other","repository":{"url":"http://127.0.0.1:1/x"}}"#),
        ];
        for (headers, body) in events {
            let mut headers = headers.to_vec();
            headers.push(("x-gitlab-token", synced.secret.as_str()));
            // They are not remembered either.
            for _ in 0..2 {
                let _ignored = send(env, &synced.id, &headers, body).await.expect(204);
            }
        }
        let ping = r#"{"zen":"Design for failure."}"#;
        let signed = format!("sha256={}", signature(&synced.secret, ping));
        let headers = [("x-hub-signature-256", signed.as_str()), ("x-github-event", "ping")];
        let _pong = send(env, &synced.id, &headers, ping).await.expect(204);
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        let token = [("x-gitlab-token", synced.secret.as_str())];
        let _paused = send(env, &synced.id, &token, PUSH).await.expect(204);
        synced.settled(env).await;
        assert_eq!(synced.runs(env).await.len(), 1);
    });
}

#[test]
fn events_of_one_synchronisation_are_limited() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let _paused = env.of_space("pauseGitSync", &synced.space).await.expect(200);
        let mut statuses = Vec::new();
        for number in 0..70 {
            let id = format!("event-{number}");
            let headers =
                [("x-gitlab-token", synced.secret.as_str()), ("x-gitlab-event-uuid", &id)];
            statuses.push(send(env, &synced.id, &headers, PUSH).await.status);
        }
        let accepted = statuses.iter().take_while(|status| **status == 204).count();
        assert_eq!(accepted, 60, "{statuses:?}");
        assert!(statuses[accepted..].iter().all(|status| *status == 429), "{statuses:?}");
    });
}

#[test]
fn a_rotated_secret_ends_the_previous_one() {
    each_engine(async |env: &mut TestEnv| {
        let synced = Synced::new(env, json!({})).await;
        let rotated = synced.set(env, json!({ "rotateWebhookSecret": true })).await.expect(200);
        let headers = [("x-gitlab-token", synced.secret.as_str())];
        let _refused = send(env, &synced.id, &headers, PUSH).await.expect(401);
        let headers = [("x-gitlab-token", rotated.text_at("/webhookSecret"))];
        let _accepted = send(env, &synced.id, &headers, PUSH).await.expect(204);
    });
}
