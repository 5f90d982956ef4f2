//! Previews of sites and change requests.

use bindery_testkit::Answer;
use serde_json::json;

use super::{Site, cookies, expect_private, location, path_of};
use crate::sites::pdf;
use crate::support::pdf::Pdf;
use crate::support::people::id_of;
use crate::support::{TestEnv, each_engine, raw};

/// Opens the preview at the address in an answer. Returns its path and its cookie.
async fn enter(site: &Site<'_>, asked: &Answer) -> (String, String) {
    let base = format!("/~preview/{}/", site.id);
    let entered = site.get(&path_of(asked.text_at("/url")), "").await;
    let cookie = cookies(&entered, &base);
    (base, cookie)
}

/// Asks for a preview as the owner of the site, and opens it.
async fn preview(site: &Site<'_>) -> (String, String) {
    let asked = site.call("getSitePublishingPreviewById").send().await.expect(200);
    enter(site, &asked).await
}

/// Creates a change request that adds the page "Proposed" to the space of a site.
async fn propose(env: &TestEnv, site: &Site<'_>) -> Answer {
    let create = env.client.call("createChangeRequest").path("spaceId", &site.space);
    let proposed = create.json(&json!({ "subject": "New" })).send().await.expect(201);
    let change = env.client.call("updateChangeRequestContent").path("spaceId", &site.space);
    let change = change.path("changeRequestId", proposed.text_at("/id"));
    let page = json!({
        "operation": "insert_page", "title": "Proposed", "document": { "markdown": "New.\n" },
    });
    let _changed = change.json(&json!({ "changes": [page] })).send().await.expect(200);
    proposed
}

#[test]
fn members_preview_an_unpublished_site() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "public").await;
        site.expect_absent("/public/", "").await;
        let member = env.person("member@example.com", Some("read")).await;
        let asked = site.call_as(&member, "getSitePublishingPreviewById").send().await.expect(200);
        let address = path_of(asked.text_at("/url"));
        let base = format!("/~preview/{}/", site.id);
        assert!(address.starts_with(&base), "{address}");
        let entered = site.get(&address, "").await;
        assert_eq!(location(&entered), base);
        let cookie = cookies(&entered, &base);
        let page = site.get(&format!("{base}page"), &cookie).await.expect(200);
        expect_private(&page);
        let html = page.text();
        assert!(html.contains("preview-notice") && html.contains("noindex"), "{html}");
        assert!(html.contains(&format!("href=\"{base}\"")), "{html}");
        assert!(!html.contains("href=\"/public/"), "{html}");
        let robots = site.get(&format!("{base}robots.txt"), &cookie).await.expect(200);
        assert!(!robots.text().contains("Sitemap"), "{robots}");
        expect_private(&robots);
        let _none = site.get(&format!("{base}no-page"), &cookie).await.expect(404);
        // The preview opens nothing else, and nothing opens the preview.
        site.expect_absent("/public/", &cookie).await;
        site.expect_absent(&base, "").await;
        site.expect_absent(&base, "bindery-preview=x").await;
        let other = Site::unpublished(env, "unlisted").await;
        site.expect_absent(&format!("/~preview/{}/", other.id), &cookie).await;
    });
}

#[test]
fn a_preview_ends_with_the_access_of_its_creator() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "public").await;
        let (text, id) = env.token(&json!({ "name": "Preview" })).await;
        let member = env.client.with_token(&text);
        let asked = site.call_as(&member, "getSitePublishingPreviewById").send().await.expect(200);
        let (base, cookie) = enter(&site, &asked).await;
        let _read = site.get(&base, &cookie).await.expect(200);
        let _revoked = env.client.call("deleteToken").path("tokenId", id).send().await.expect(205);
        site.expect_absent(&base, &cookie).await;
    });
}

#[test]
fn guests_preview_a_site_while_they_have_a_role_on_it() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "public").await;
        let guest = env.person("guest@example.com", None).await;
        let id = id_of(&guest).await;
        let read = json!({ "role": "read" });
        let grant = site.call("updateUserPermissionInSite").path("userId", &id);
        let _granted = grant.json(&read).send().await.expect(204);
        let base = format!("/~preview/{}/", site.id);
        let preview = async || {
            let asked = site.call_as(&guest, "getSitePublishingPreviewById").send().await;
            let entered = site.get(&path_of(asked.expect(200).text_at("/url")), "").await;
            (entered.status != 404).then(|| cookies(&entered, &base))
        };
        // A role on the site gives no access to its space.
        if let Some(cookie) = preview().await {
            let _absent = site.get(&format!("{base}page"), &cookie).await.expect(404);
        }
        let grant = env.client.call("updateUserPermissionInSpace").path("spaceId", &site.space);
        let _granted = grant.path("userId", &id).json(&read).send().await.expect(204);
        let cookie = preview().await.expect("a preview");
        let _read = site.get(&format!("{base}page"), &cookie).await.expect(200);
        let remove = site.call("removeUserFromSite").path("userId", &id);
        let _removed = remove.send().await.expect(205);
        site.expect_absent(&base, &cookie).await;
    });
}

#[test]
fn a_change_request_is_previewed_on_its_site() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env, "public").await;
        let proposed = propose(env, &site).await;
        let (base, cookie) = preview(&site).await;
        let _none = site.get(&format!("{base}proposed"), &cookie).await.expect(404);
        for key in [proposed.text_at("/id").to_owned(), proposed.at("/number").to_string()] {
            let changes = format!("{base}~/changes/{key}/");
            let page = site.get(&format!("{changes}proposed"), &cookie).await.expect(200);
            expect_private(&page);
            assert!(page.text().contains(&format!("href=\"{changes}proposed\"")), "{page}");
            let subject = proposed.text_at("/subject");
            let notice = format!("Preview · <bdi dir=\"auto\">#1 {subject}</bdi>");
            assert!(!subject.is_empty() && page.text().contains(&notice), "{page}");
            let _absent = site.get(&format!("{changes}proposed"), "").await.expect(404);
        }
        for key in ["999", "00000000000000000000", "x", ""] {
            let path = format!("{base}~/changes/{key}/");
            let _none = site.get(&path, &cookie).await.expect(404);
        }
        let _published = site.get("/public/proposed", &cookie).await.expect(404);
    });
}

#[test]
fn previews_offer_pdfs() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "public").await;
        pdf::offer(env, &site.id, true).await;
        let proposed = propose(env, &site).await;
        let (base, cookie) = preview(&site).await;
        let changes = format!("{base}~/changes/{}/", proposed.text_at("/id"));
        for (base, shows) in [(&base, false), (&changes, true)] {
            let path = format!("{base}~pdf/page?part=all");
            let page = site.get(&format!("{base}page"), &cookie).await.expect(200).text();
            assert!(page.contains(&format!("href=\"{path}\"")), "{page}");
            let made = pdf::get(&site.reader, &path, &cookie).await.expect(200);
            let pdf = Pdf::of(&made);
            assert_eq!((pdf.names("Page"), pdf.names("Proposed")), (true, shows), "{path}");
            let _absent = site.get(&path, "").await.expect(404);
        }
    });
}

#[test]
fn previews_take_no_feedback_and_record_no_events() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "public").await;
        let (base, cookie) = preview(&site).await;
        let kind = "application/x-www-form-urlencoded";
        let headers = format!("cookie: {cookie}\r\ncontent-type: {kind}\r\n");
        for (path, status) in
            [("~search/events?type=open", 204), ("~feedback/page", 404), ("~mcp", 404)]
        {
            let path = format!("{base}{path}");
            let answer = raw(env.server(), "POST", &path, &headers, b"rating=good");
            assert_eq!(answer.status, status, "{path}");
        }
    });
}

#[test]
fn parameters_of_previews_are_checked() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::unpublished(env, "visitor-auth").await;
        let ask = || site.call("getSitePublishingPreviewById");
        let spaces = site.call("listSiteSpaces").send().await.expect(200);
        let with_space = ask().query("siteSpace", spaces.text_at("/items/0/id"));
        let with_claims = with_space.query("claims", "{\"plan\":\"pro\"}").send().await.expect(200);
        let entered = site.get(&path_of(with_claims.text_at("/url")), "").await;
        assert_eq!(location(&entered), format!("/~preview/{}/", site.id));
        let _none = ask().query("siteSpace", "0".repeat(20)).send().await.expect(404);
        let hidden = env.person("reader@example.com", Some("read")).await;
        let close = env.client.call("updateSpaceById").path("spaceId", &site.space);
        let _closed = close.json(&json!({ "defaultLevel": null })).send().await.expect(200);
        let by_reader = site.call_as(&hidden, "getSitePublishingPreviewById");
        let by_reader = by_reader.query("siteSpace", spaces.text_at("/items/0/id"));
        let _none = by_reader.send().await.expect(404);
        for claims in ["", "1", "[]", "{", &format!("{{\"a\":\"{}\"}}", "x".repeat(2_000))] {
            let refused = ask().query("claims", claims).send().await.expect(400);
            assert!(refused.message().contains("claims"), "{refused}");
        }
    });
}
