//! Page trees that are sent in chunks equal those assembled from single pages.

use std::fmt::Write as _;

use bindery_testkit::archives::zip;
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

/// Returns an archive with `tops` × 30 pages on three levels, with links and groups between them.
fn folder(tops: usize) -> Vec<u8> {
    let mut summary = String::from("# Summary\n\n* [Home](README.md)\n");
    let mut files = vec![("README.md".to_owned(), "# Home\n".to_owned())];
    for top in 0..tops {
        let _ = writeln!(summary, "\n## Part \\\"pages\":[] {top}\n\n* [Top {top}](t{top}.md)");
        files.push((format!("t{top}.md"), format!("# Top {top}\n")));
        for middle in 0..5 {
            let path = format!("t{top}-{middle}.md");
            let _ = writeln!(summary, "  * [Middle {middle}]({path})");
            files.push((path, "Text.\n".to_owned()));
            for leaf in 0..5 {
                let path = format!("t{top}-{middle}-{leaf}.md");
                let _ = writeln!(summary, "    * [Leaf {leaf}]({path})");
                files.push((path, "Text.\n".to_owned()));
            }
            let _ = writeln!(summary, "  * [Away](https://example.com/{top}/{middle})");
        }
    }
    files.push(("SUMMARY.md".to_owned(), summary));
    zip(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[test]
fn large_trees_are_sent_in_chunks() {
    each_engine(async |env: &mut TestEnv| {
        let (large, small) = (env.space("Large").await, env.space("Small").await);
        for (space, tops) in [(&large, 12), (&small, 1)] {
            let job = env.import_archive(space, "application/zip", folder(tops)).await;
            assert_eq!(job.text_at("/status"), "done", "{job}");
            let list = env.of_space("listPages", space).await.expect(200);
            // Only responses of more than one chunk have no `Content-Length`.
            let known = list.headers.contains_key("content-length");
            assert_eq!((known, list.text().len() > 64 << 10), (tops == 1, tops > 1));
            let tree = list.at("/pages").as_array().unwrap().clone();
            assert_eq!(tree.len(), 1 + tops);
            let mut pages = 0;
            for listed in &tree {
                let call = env.client.call("getPageById").path("spaceId", space);
                let call = call.path("pageId", listed["id"].as_str().unwrap());
                let mut alone = call.query("format", "markdown").send().await.expect(200).json;
                alone.as_object_mut().unwrap().remove("markdown");
                assert_eq!(listed, &alone);
                pages += listed.to_string().matches("\"slug\"").count();
            }
            assert_eq!(pages, 1 + tops * 32);
            let revision = env.of_space("getCurrentRevision", space).await.expect(200);
            assert_eq!(revision.at("/pages"), &Value::Array(tree));
            assert_eq!(revision.header("etag"), list.header("etag"));
        }
        // The server stops producing a response when the client disconnects, and answers the next
        // request.
        let half = format!("GET /v1/spaces/{large}/content/pages HTTP/1.1\r\nhost: x\r\n");
        let (token, _) = env.token(&json!({ "name": "Half" })).await;
        for _ in 0..20 {
            use std::io::Write as _;
            let address = env.server().address().trim_start_matches("http://").to_owned();
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            let request = format!("{half}authorization: Bearer {token}\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
        }
        let empty = env.space("Empty").await;
        let list = env.of_space("listPages", &empty).await.expect(200);
        assert_eq!(list.json, json!({ "pages": [] }));
    });
}
