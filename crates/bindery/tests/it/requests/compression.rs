//! Compressed answers of the API.

use std::fmt::Write as _;
use std::io::Read as _;

use bindery_testkit::archives::{file, gzip, tar};
use serde_json::{Value, json};

use crate::support::browser::Browser;
use crate::support::{Raw, TestEnv, each_engine, on_sqlite, raw};

const GZIP: &str = "Accept-Encoding: gzip\r\n";
const BROTLI: &str = "Accept-Encoding: gzip, br\r\n";

fn unzip(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(body).read_to_end(&mut out).unwrap();
    out
}

/// Creates enough spaces that a list of them is worth compressing, and returns the path of the list.
async fn list_of_spaces(env: &TestEnv) -> String {
    for number in 0..4 {
        env.space(&format!("Space {number}")).await;
    }
    format!("/v1/orgs/{}/spaces", env.organization)
}

#[test]
fn answers_are_compressed_when_asked() {
    on_sqlite(async |env: &mut TestEnv| {
        let list = list_of_spaces(env).await;
        for path in [list.as_str(), "/v1/openapi.json", "/v1/docs"] {
            let get = |headers: &str| env.ask("GET", path, headers, b"");
            // The first response of those that are kept is another one.
            let _first = [GZIP, BROTLI].map(get);
            let (plain, gzip, brotli) = (get(""), get(GZIP), get(BROTLI));
            assert_eq!(plain.header("content-encoding"), "", "{path}");
            assert_eq!(gzip.header("content-encoding"), "gzip", "{path}");
            assert_eq!(brotli.header("content-encoding"), "br", "{path}");
            assert_eq!(unzip(&gzip.body), plain.body, "{path}");
            assert!(brotli.body.len() < plain.body.len() / 2, "{path}");
            for answer in [&plain, &gzip, &brotli] {
                let vary = answer.header("vary").to_ascii_lowercase();
                assert!(vary.contains("accept-encoding"), "{path}: {vary}");
                let length = answer.body.len().to_string();
                assert_eq!(answer.header("content-length"), length, "{path}");
                assert_eq!(answer.header("content-type"), plain.header("content-type"));
            }
            let head = env.ask("HEAD", path, GZIP, b"");
            for name in ["content-encoding", "content-length", "etag", "vary"] {
                assert_eq!(head.header(name), gzip.header(name), "{path} {name}");
            }
            assert!(head.body.is_empty());
        }
    });
}

#[test]
fn each_encoding_has_a_tag_of_its_own() {
    on_sqlite(async |env: &mut TestEnv| {
        let list = list_of_spaces(env).await;
        for path in [list.as_str(), "/v1/openapi.json"] {
            let get = |encoding: &str, tag: &str| {
                let headers = format!("Accept-Encoding: {encoding}\r\nIf-None-Match: {tag}\r\n");
                env.ask("GET", path, &headers, b"")
            };
            let encodings = ["identity", "gzip", "br"];
            let tags = encodings.map(|encoding| get(encoding, "\"x\"").header("etag").to_owned());
            assert!(tags.iter().all(|tag| tag.starts_with('"')), "{tags:?}");
            for (encoding, own) in encodings.iter().zip(&tags) {
                for tag in &tags {
                    let answer = get(encoding, tag);
                    let expected = if tag == own { 304 } else { 200 };
                    assert_eq!(answer.status, expected, "{path} {encoding} {tag} {tags:?}");
                    assert_eq!(answer.header("etag"), own);
                }
                let current = get(encoding, &format!("\"x\", W/{own}"));
                assert_eq!((current.status, current.body.len()), (304, 0));
                assert_eq!(current.header("content-encoding"), "");
            }
        }
    });
}

#[test]
fn a_revision_is_the_tag_in_every_encoding() {
    each_engine(async |env: &mut TestEnv| {
        let path = format!("/v1/spaces/{}", env.space("Tagged").await);
        let compressed = env.ask("GET", &path, GZIP, b"");
        assert_eq!(compressed.header("content-encoding"), "gzip");
        let space: Value = serde_json::from_slice(&unzip(&compressed.body)).unwrap();
        let tag = format!("\"{}\"", space["revision"].as_str().unwrap());
        assert_eq!(compressed.header("etag"), tag);
        let known = env.ask("GET", &path, &format!("{GZIP}If-None-Match: {tag}\r\n"), b"");
        assert_eq!(known.status, 200);
    });
}

#[test]
fn secrets_and_short_answers_are_not_compressed() {
    on_sqlite(async |env: &mut TestEnv| {
        let is_plain = |answer: &Raw, what: &str| {
            assert_eq!(answer.header("content-encoding"), "", "{what}");
            assert!(serde_json::from_slice::<Value>(&answer.body).is_ok(), "{what}");
        };
        let body = json!({ "name": "n".repeat(100) }).to_string();
        let headers = format!("{GZIP}Content-Type: application/json\r\n");
        let token = env.ask("POST", "/v1/bindery/user/tokens", &headers, body.as_bytes());
        assert_eq!(token.status, 201, "{token:?}");
        assert!(token.body.len() > 256, "{token:?}");
        is_plain(&token, "a new token");
        is_plain(&env.ask("GET", "/v1/", GZIP, b""), "a short answer");
        let long = format!("/v1/orgs/{}/spaces?limit={}", env.organization, "9".repeat(600));
        is_plain(&env.ask("GET", &long, GZIP, b""), "an error that repeats the request");
    });
}

#[test]
fn sessions_of_other_origins_get_plain_answers() {
    on_sqlite(async |env: &mut TestEnv| {
        let list = list_of_spaces(env).await;
        let browser = Browser::signed_in(env, "reader@example.com").await;
        let get = |site: &str| {
            let headers = format!("{GZIP}Cookie: {}\r\nSec-Fetch-Site: {site}\r\n", browser.cookie);
            let answer = raw(env.server(), "GET", &list, &headers, b"");
            assert_eq!(answer.status, 200, "{answer:?}");
            answer.header("content-encoding").to_owned()
        };
        assert_eq!([get("same-origin"), get("cross-site")], ["gzip", ""]);
    });
}

#[test]
fn long_answers_are_compressed_while_they_are_sent() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Long").await;
        let mut summary = String::new();
        let mut entries = Vec::new();
        for number in 0..400 {
            let _written = writeln!(summary, "* [Page number {number}](page-{number}.md)");
            let text = format!("# Page number {number}\n");
            entries.push(file(&format!("page-{number}.md"), &text));
        }
        entries.push(file("SUMMARY.md", &summary));
        let archive = gzip(&tar(&entries));
        let imported = env.import_archive(&space, "application/gzip", archive).await;
        assert_eq!(imported.text_at("/status"), "done", "{imported}");
        let authorization = format!("Bearer {}", bindery_testkit::SETUP_TOKEN);
        let path = format!("/v1/spaces/{space}/content/pages");
        let get = async |encoding: &str| {
            let headers = [("authorization", &*authorization), ("accept-encoding", encoding)];
            env.client.get(&path, &headers).await.expect(200)
        };
        let (plain, gzip) = (get("identity").await, get("gzip").await);
        assert!(plain.body.len() > 100_000, "{}", plain.body.len());
        assert_eq!(gzip.header("content-encoding"), "gzip");
        assert_eq!(gzip.header("content-length"), "");
        assert_eq!(gzip.header("etag"), plain.header("etag"));
        assert!(gzip.body.len() < plain.body.len() / 5, "{}", gzip.body.len());
        assert_eq!(unzip(&gzip.body), plain.body);
    });
}
