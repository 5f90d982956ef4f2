//! Removal of expired records.

use bindery_testkit::archives::{file, gzip, tar};
use serde_json::json;

use crate::support::{TestEnv, each_engine, until};

#[test]
fn finished_jobs_and_kept_responses_expire() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        let archive = gzip(&tar(&[file("README.md", "# Docs\n")]));
        let [old, recent] = [
            env.import_archive(&space, "application/gzip", archive.clone()).await,
            env.import_archive(&space, "application/gzip", archive).await,
        ];
        let create = env.client.call("createSpace").path("organizationId", &env.organization);
        let create = create.header("Idempotency-Key", "a-key-of-a-test");
        let _created = create.json(&json!({ "title": "Once" })).send().await.expect(201);

        let id = old.text_at("/id").to_owned();
        env.edit_store(move |tx| {
            tx.execute("UPDATE idempotency SET expires_at = 0", &[])?;
            tx.execute("UPDATE jobs SET finished_at = 0 WHERE id = $1", &[id.as_str().into()])
        })
        .await;
        until(async || {
            let job = env.client.call("getJob").path("jobId", old.text_at("/id")).send().await;
            (job.status == 404).then_some(())
        })
        .await;
        let job = env.client.call("getJob").path("jobId", recent.text_at("/id")).send().await;
        assert_eq!(job.expect(200).text_at("/status"), "done");
        let kept = env.edit_store(|tx| tx.delete_expired_responses()).await;
        assert_eq!(kept, 0, "expired responses are deleted already");
    });
}
