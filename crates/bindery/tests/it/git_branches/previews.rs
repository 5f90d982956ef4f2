//! Addresses at which the content of a branch can be read.

use serde_json::json;

use super::Branches;
use crate::support::change_requests::Proposal;
use crate::support::content::publish;
use crate::support::{TestEnv, each_engine};

#[test]
fn everybody_with_the_address_reads_the_change_request_and_nothing_else() {
    each_engine(async |env: &mut TestEnv| {
        let branches = Branches::new(env, json!({ "export": "branch" })).await;
        let _site = publish(env, "Docs", &branches.space).await;
        let proposal = Proposal::new(&env.client, &branches.space).await;
        branches.edit(env, &proposal, "Guide", "* one\n* two\n\nFrom inside.\n").await;
        branches.settled(env).await;
        let shown = branches.followed(env).await;
        let address = shown[0]["previewUrl"].as_str().unwrap().to_owned();
        let path = |address: &str| {
            let after = address.split_once("://").unwrap().1;
            format!("/{}", after.split_once('/').unwrap().1)
        };
        let reader = env.client.anonymous();
        let entered = reader.get(&path(&address), &[]).await.expect(302);
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        let base = path(&address).split_once('?').unwrap().0.to_owned();
        let read = async |path: &str| reader.get(path, &[("cookie", &cookie)]).await;
        let page = read(&format!("{base}guide")).await.expect(200);
        assert!(page.text().contains("From inside."), "{page}");
        // The main content and other change requests stay closed.
        let site = base.split("~/changes/").next().unwrap().to_owned();
        let _closed = read(&site).await.expect(404);
        let other = Proposal::new(&env.client, &branches.space).await;
        let _closed = read(&format!("{site}~/changes/{}/", other.id())).await.expect(404);
        let _closed = read(&format!("{site}~/changes/2/")).await.expect(404);
        // A wrong address reads nothing, and neither does one of a closed change request.
        let _wrong = reader.get(&format!("{}x", path(&address)), &[]).await.expect(404);
        let patch = proposal.call("updateChangeRequestById").json(&json!({ "status": "archived" }));
        let _archived = patch.send().await.expect(200);
        let _closed = read(&format!("{base}guide")).await.expect(404);
    });
}
