//! Share links.

use serde_json::json;

use super::{Site, cookies, expect_private, location, path_of};
use crate::sites::{mcp, pdf};
use crate::support::content::change;
use crate::support::pdf::Pdf;
use crate::support::{TestEnv, each_engine, items, pages, raw};

#[test]
fn a_share_link_opens_the_site_until_it_is_revoked() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        site.expect_absent("/share-link/", "").await;
        let made = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let made = made.send().await.expect(201);
        let path = path_of(made.text_at("/urls/published"));
        let key = path.trim_end_matches('/').rsplit('/').next().unwrap();
        let link = made.text_at("/id");
        site.expect_absent("/share-link/", "").await;

        let entered = site.get(&format!("{path}page?a=b"), "").await;
        assert_eq!(location(&entered), "/share-link/page?a=b");
        let cookie = cookies(&entered, "/share-link/");
        let by_query = site.get(&format!("/share-link/page?shareKey={key}"), "").await;
        assert_eq!(location(&by_query), "/share-link/page");
        assert_eq!(cookies(&by_query, "/share-link/"), cookie);
        for path in ["", "page", "page.md", "llms.txt", "robots.txt"] {
            let read = site.get(&format!("/share-link/{path}"), &cookie).await;
            expect_private(&read.expect(200));
        }
        // The key opens no other site.
        let public = site.get("/no-such-site/", &cookie).await;
        let _absent = public.expect(404);

        let update = |body| {
            let call = site.call("updateSiteShareLinkById").path("shareLinkId", link);
            call.json(&body).send()
        };
        let revoked = update(json!({ "active": false })).await.expect(200);
        assert_eq!(revoked.at("/active"), false);
        assert!(revoked.json.pointer("/urls/published").is_none());
        site.expect_absent("/share-link/", &cookie).await;
        let again = update(json!({ "active": true, "name": "All" })).await.expect(200);
        assert_eq!(again.at("/urls"), made.at("/urls"));
        let _read = site.get("/share-link/page", &cookie).await.expect(200);
        let delete = site.call("deleteSiteShareLinkById").path("shareLinkId", link);
        let _gone = delete.send().await.expect(205);
        site.expect_absent("/share-link/", &cookie).await;
        site.expect_absent(&path, "").await;
    });
}

#[test]
fn programs_have_the_share_key_in_the_address() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        mcp::offer(env, &site.id, true).await;
        let made = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let made = made.send().await.expect(201);
        let path = path_of(made.text_at("/urls/published"));
        let key = path.trim_end_matches('/').rsplit('/').next().unwrap();
        let ask = |query: &str, headers: &str| {
            let read = json!({ "name": "read_page", "arguments": { "url": "page" } });
            let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": read });
            let headers = format!("Content-Type: application/json\r\n{headers}");
            let path = format!("/share-link/~mcp{query}");
            raw(env.server(), "POST", &path, &headers, body.to_string().as_bytes())
        };
        let read = ask(&format!("?shareKey={key}"), "");
        assert_eq!(read.status, 200, "{}", read.text());
        assert!(read.text().contains("For readers."), "{}", read.text());
        assert!(read.header("set-cookie").is_empty() && read.header("location").is_empty());
        for (query, headers) in [
            ("", ""),
            ("?shareKey=00000000000000000000", ""),
            ("?jwt_token=x", ""),
            ("", "Authorization: Bearer x\r\n"),
        ] {
            assert_eq!(ask(query, headers).status, 404, "{query} {headers}");
        }
        let revoke = site.call("updateSiteShareLinkById").path("shareLinkId", made.text_at("/id"));
        let _revoked = revoke.json(&json!({ "active": false })).send().await.expect(200);
        assert_eq!(ask(&format!("?shareKey={key}"), "").status, 404);
    });
}

#[test]
fn guessed_keys_open_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        let made = site.call("createSiteShareLink").json(&json!({ "name": "" }));
        let made = made.send().await.expect(201);
        let path = path_of(made.text_at("/urls/published"));
        let key = path.trim_end_matches('/').rsplit('/').next().unwrap();
        assert_eq!(key.len(), 20);
        for guess in [&key[1..], &key[..19], "00000000000000000000", &key.to_lowercase(), ""] {
            site.expect_absent(&format!("/share-link/{guess}/"), "").await;
            site.expect_absent("/share-link/", &format!("bindery-share-key={guess}")).await;
        }
        // The database contains neither the key nor a hash that can be tested without the server.
        let listed = site.call("listSiteShareLinks").send().await.expect(200);
        assert_eq!(listed.header("cache-control"), "no-store");
        let other = Site::published(env, "share-link").await;
        let shifted = path.replacen("/share-link/", "/share-link-1/", 1);
        other.expect_absent(&shifted, "").await;
    });
}

#[test]
fn share_links_are_listed_and_limited() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        let create = |name: &str| site.call("createSiteShareLink").json(&json!({ "name": name }));
        let first = create("First").send().await.expect(201);
        for number in 1..100 {
            let _made = create(&format!("Link {number}")).send().await.expect(201);
        }
        let full = create("One too many").send().await.expect(409);
        assert!(full.message().contains("100 share links"), "{full}");
        let all = pages(|| site.call("listSiteShareLinks").query("limit", "30")).await;
        let all: Vec<_> = all.iter().flat_map(items).collect();
        assert_eq!(all.len(), 100);
        assert_eq!(all[0]["id"], first.json["id"]);
        assert_eq!(all[0]["name"], "First");
        let long = create(&"x".repeat(51)).send().await.expect(400);
        assert!(long.message().contains("/name"), "{long}");
        let unknown = site.call("updateSiteShareLinkById").path("shareLinkId", "x");
        let _none = unknown.json(&json!({ "name": "x" })).send().await.expect(404);
        let unknown = site.call("deleteSiteShareLinkById").path("shareLinkId", "0".repeat(20));
        let _none = unknown.send().await.expect(204);
    });
}

#[test]
fn files_of_a_restricted_site_need_the_key() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        let file = json!({ "name": "a.txt", "base64": "YQ==", "contentType": "text/plain" });
        let insertion = json!([{ "operation": "insert_files", "files": [file] }]);
        let _changed = change(&env.client, &site.space, insertion).await;
        let files = env.of_space("listFiles", &site.space).await.expect(200);
        let file = format!("~files/{}/{}", site.space, files.text_at("/items/0/id"));
        let made = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let path = path_of(made.send().await.expect(201).text_at("/urls/published"));
        let cookie = cookies(&site.get(&path, "").await, "/share-link/");
        let read = site.get(&format!("/share-link/{file}"), &cookie).await.expect(200);
        assert_eq!(read.text(), "a");
        assert!(read.header("cache-control").starts_with("private"), "{read}");
        let _absent = site.get(&format!("/share-link/{file}"), "").await.expect(404);
        let _absent = site.get(&format!("/{file}"), &cookie).await.expect(404);
        // The site gives access to its own spaces only.
        let space = env.space("Elsewhere").await;
        let elsewhere = file.replace(&site.space, &space);
        let _absent = site.get(&format!("/share-link/{elsewhere}"), &cookie).await.expect(404);
    });
}

#[test]
fn pdfs_of_restricted_sites_are_for_admitted_visitors() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "share-link").await;
        pdf::offer(env, &site.id, true).await;
        let path = "/share-link/~pdf/index?part=all";
        let _absent = site.get(path, "").await.expect(404);
        let made = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let made = made.send().await.expect(201);
        let entered = site.get(&path_of(made.text_at("/urls/published")), "").await;
        let cookie = cookies(&entered, "/share-link/");
        let answer = pdf::get(&env.client.anonymous(), path, &cookie).await.expect(200);
        assert!(answer.header("cache-control").starts_with("private"), "{answer:?}");
        let _pdf = Pdf::of(&answer);
    });
}
