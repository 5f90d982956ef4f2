//! Merges of texts that clients wrote while they were not connected.

use serde_json::json;

use super::{Writer, document, lines, written};
use crate::support::{TestEnv, each_engine};

#[test]
fn work_is_merged_with_what_others_wrote() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let mut others = Writer::join(&env.client, &proposal, &page, "others").await;
        let base = own.rejoin(&json!({})).await.expect(200).at("/document").clone();
        others.write(5, " Others.").await;
        let mut mine = base.clone();
        mine["content"][0]["content"][0]["text"] = json!("My one.");
        mine["content"][2]["content"][0]["text"] = json!("Three, mine.");
        let work = |number: u8, document| json!({ "work": { "client": "own", "number": number, "base": base, "document": document } });
        let joined = own.rejoin(&work(1, &mine)).await.expect(200);
        let text = "My one. Others.\nTwo.\nThree, mine.";
        assert_eq!(lines(joined.at("/document")), text);
        assert_eq!(joined.json.get("conflicts"), None);
        // The answer did not arrive, and the work comes again.
        let joined = own.rejoin(&work(1, &mine)).await.expect(200);
        assert_eq!(lines(joined.at("/document")), text);
        assert_eq!(joined.at("/version"), &json!(2));
        // More was written meanwhile.
        let mut more = mine.clone();
        more["content"][1]["content"][0]["text"] = json!("Two, mine.");
        let mut body = work(2, &more);
        body["work"]["sent"] = json!([{ "number": 1, "document": mine }]);
        let joined = own.rejoin(&body).await.expect(200);
        assert_eq!(lines(joined.at("/document")), "My one. Others.\nTwo, mine.\nThree, mine.");
    });
}

#[test]
fn both_texts_stay_where_they_cannot_be_merged() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let base = own.rejoin(&json!({})).await.expect(200).at("/document").clone();
        let mut theirs = Writer::join(&env.client, &proposal, &page, "theirs").await;
        theirs.write(9, "theirs").await;
        // The block is gone in the work.
        let mut mine = base.clone();
        let _removed = mine["content"].as_array_mut().unwrap().remove(1);
        let work =
            json!({ "work": { "client": "own", "number": 1, "base": base, "document": mine } });
        let joined = own.rejoin(&work).await.expect(200);
        assert_eq!(joined.at("/conflicts"), &json!(1));
        assert_eq!(lines(joined.at("/document")), "One.\nTwtheirso.\nThree.");
    });
}

#[test]
fn work_that_is_no_document_is_refused() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let unknown = json!({ "type": "doc", "content": [{ "type": "atom", "attrs": { "json": {
            "object": "block", "type": "nothing-known",
        } } }] });
        for (base, mine, expect) in [
            (json!({ "type": "doc" }), document(&["One."]), "body at /work/base: "),
            (document(&["One."]), json!({ "type": "paragraph" }), "body at /work/document: "),
            (document(&["One."]), unknown, "body at /work/document"),
        ] {
            let work =
                json!({ "work": { "client": "own", "number": 1, "base": base, "document": mine } });
            let refused = own.rejoin(&work).await.expect(400);
            assert!(refused.message().starts_with(expect), "{refused}");
        }
        assert_eq!(own.text().await, "One.\nTwo.\nThree.");
    });
}
