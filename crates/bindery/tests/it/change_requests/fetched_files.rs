//! Files that a change request fetches from other servers.

use serde_json::{Value, json};

use crate::support::change_requests::Proposal;
use crate::support::foreign_host::{ForeignHost, Reply, gif};
use crate::support::{TestEnv, each_engine};

/// Returns the changes that insert the file at an address.
fn insertion(name: &str, url: &str, content_type: &str) -> Value {
    let file = json!({ "name": name, "url": url, "contentType": content_type });
    json!([{ "operation": "insert_files", "files": [file] }])
}

#[test]
fn a_range_of_types_takes_pictures_only() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Pictures").await;
        let proposal = Proposal::new(&env.client, &space).await;
        let host = ForeignHost::start();
        host.set("/shown", gif(3, 2));
        host.set("/wrong.png", gif(3, 2));
        let drawing = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec();
        host.set("/drawing?v=1", Reply::Page(200, "image/svg+xml; charset=utf-8", drawing));
        host.set("/sign-in.png", Reply::html("<p>Sign in"));
        let cases = [
            ("/shown", "shown", "shown.gif", "image/gif"),
            ("/wrong.png", "wrong.png", "wrong.png", "image/gif"),
            ("/drawing?v=1", "a.b", "a.b.svg", "image/svg+xml"),
        ];
        for (path, name, stored, content_type) in cases {
            let changes = insertion(name, &format!("{}{path}", host.address), "image/*");
            let made = proposal.change(changes).await.expect(200);
            assert_eq!(made.text_at("/insertedFiles/0/name"), stored);
            assert_eq!(made.text_at("/insertedFiles/0/contentType"), content_type);
        }

        let before = proposal.get("getChangeRequestById").await.text_at("/revision").to_owned();
        let page = format!("{}/sign-in.png", host.address);
        let refused = proposal.change(insertion("a.png", &page, "image/*")).await.expect(400);
        assert!(refused.message().contains("/changes/0/files/0/contentType"), "{refused}");
        assert!(refused.message().contains("the file is text/html"), "{refused}");
        for range in ["*/*", "/*", "video/*"] {
            let changes = insertion("a", &format!("{}/shown", host.address), range);
            let refused = proposal.change(changes).await.expect(400);
            assert!(refused.message().contains("image/gif"), "{refused}");
        }
        let long: &'static str = format!("image/{}", "x".repeat(128)).leak();
        host.set("/long", Reply::Page(200, long, b"?".to_vec()));
        let changes = insertion("a", &format!("{}/long", host.address), "image/*");
        let refused = proposal.change(changes).await.expect(400);
        assert!(refused.message().contains("allowed: a media type"), "{refused}");
        let after = proposal.get("getChangeRequestById").await;
        assert_eq!(after.text_at("/revision"), before);
    });
}
