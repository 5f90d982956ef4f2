//! `/metrics`: the counters and the latency of requests.

use std::net::TcpListener;

use bindery_testkit::Installation;
use serde_json::json;

use crate::support::{TestEnv, each_engine_with, raw, until};

const TOKEN: &str = "metrics-token-of-a-test";

fn metrics(env: &TestEnv) -> String {
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    raw(env.server(), "GET", "/metrics", &token, b"").text().into_owned()
}

/// Returns the value of a metric; 0 if the text does not contain it.
fn value(text: &str, metric: &str) -> f64 {
    let value = text.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '));
    value.map_or(0.0, |value| value.parse().unwrap())
}

#[test]
fn requests_are_measured_by_operation() {
    let configure =
        |installation: Installation| installation.variable("BINDERY_METRICS_TOKEN", TOKEN);
    each_engine_with(configure, async |env: &mut TestEnv| {
        let before = metrics(env);
        for _ in 0..3 {
            let _user = env.client.call("getAuthenticatedUser").send().await.expect(200);
        }
        let _refused = env.client.anonymous().call("getAuthenticatedUser").send().await.expect(401);
        let _unknown = raw(env.server(), "GET", "/v1/no-such-path", "", b"").error(404);
        let _unknown = raw(env.server(), "GET", "/no-such-site/", "", b"");
        let after = metrics(env);
        let name = "bindery_http_request_duration_seconds";
        let grown = |metric: &str| value(&after, metric) - value(&before, metric);
        for (labels, count) in [
            ("operation=\"getAuthenticatedUser\",status=\"2xx\"", 3.0),
            ("operation=\"getAuthenticatedUser\",status=\"4xx\"", 1.0),
            ("operation=\"api_other\",status=\"4xx\"", 1.0),
            ("operation=\"site_page\",status=\"4xx\"", 1.0),
            ("operation=\"health\",status=\"2xx\"", 1.0),
        ] {
            assert_eq!(grown(&format!("{name}_count{{{labels}}}")), count, "{after}");
            let last = format!("{name}_bucket{{{labels},le=\"+Inf\"}}");
            assert_eq!(grown(&last), count, "{after}");
            assert!(grown(&format!("{name}_sum{{{labels}}}")) > 0.0, "{after}");
        }
        assert!(!after.contains("no-such"), "{after}");
    });
}

#[test]
fn committed_changes_are_counted_on_each_engine() {
    let configure =
        |installation: Installation| installation.variable("BINDERY_METRICS_TOKEN", TOKEN);
    each_engine_with(configure, async |env: &mut TestEnv| {
        let changes = |env: &TestEnv| value(&metrics(env), "bindery_store_changes_total");
        let before = changes(env);
        assert!(before > 0.0, "the first start writes");
        let (_token, _) = env.token(&json!({ "name": "t" })).await;
        assert!(changes(env) > before);
    });
}

#[test]
fn connections_and_jobs_are_counted() {
    let configure =
        |installation: Installation| installation.variable("BINDERY_METRICS_TOKEN", TOKEN);
    each_engine_with(configure, async |env: &mut TestEnv| {
        // A server that does not answer keeps the job running.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let space = env.space("Docs").await;
        let url = format!("http://{}/docs.git", silent.local_addr().unwrap());
        let job = env.start_import(&space, &json!({ "url": url })).await;
        let running = "bindery_jobs{kind=\"git-import\",status=\"running\"}";
        // The workers may use all connections for a moment.
        let idle = "bindery_database_connections{state=\"idle\"}";
        let text = until(async || {
            let text = metrics(env);
            (value(&text, running) == 1.0 && value(&text, idle) >= 1.0).then_some(text)
        })
        .await;
        assert_eq!(value(&text, "bindery_jobs{kind=\"git-import\",status=\"queued\"}"), 0.0);
        assert!(text.contains("bindery_jobs{kind=\"archive-import\",status=\"queued\"} 0\n"));
        assert!(text.contains("bindery_database_connections{state=\"in_use\"} "), "{text}");
        assert!(text.contains("bindery_database_waiting "), "{text}");
        for state in ["running", "waiting"] {
            let metric = format!("bindery_database_long_reads{{state=\"{state}\"}} ");
            assert!(text.contains(&metric), "{text}");
        }
        let _cancelled = env.client.call("cancelJob").path("jobId", &job).send().await;

        // Every metric is documented by the conventions of Prometheus.
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        for name in names.map(|rest| rest.split(' ').next().unwrap()) {
            assert!(text.contains(&format!("# HELP {name} ")), "{name}");
        }
    });
}
