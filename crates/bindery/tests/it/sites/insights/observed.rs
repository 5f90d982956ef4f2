//! Events that the pages of a site observe.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::insights::SiteWithEvents;
use crate::support::{Raw, TestEnv, each_engine, raw, until};

const FIREFOX: &str = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Firefox/131.0\r\n";

/// Sends a request of a reader to a path of the site.
fn request(site: &SiteWithEvents<'_>, method: &str, path: &str, headers: &str) -> Raw {
    raw(site.env.server(), method, &format!("/guide/{path}"), headers, b"")
}

/// Waits until the index has the page of the site.
async fn indexed(site: &SiteWithEvents<'_>) {
    let search = || {
        let call = site.env.client.call("searchSpaceContent").path("spaceId", &site.space);
        call.query("query", "zebras").send()
    };
    until(async || (search().await.expect(200).at("/count") == 1).then_some(())).await;
}

/// Waits until the site has a number of events, and returns the values of columns.
async fn recorded(site: &SiteWithEvents<'_>, count: u64, columns: &[&str]) -> Vec<Value> {
    until(async || {
        let counted = site.values(&json!({})).await;
        assert!(counted[0][0].as_u64().unwrap() <= count, "{counted:?}");
        (counted[0][0] == count).then_some(())
    })
    .await;
    let select: Vec<Value> = columns.iter().map(|name| json!({ "column": name })).collect();
    site.values(&json!({ "select": select })).await
}

async fn set_cookies(site: &SiteWithEvents<'_>) {
    let call = |operation: &str| site.call_as(&site.env.client, operation);
    let mut settings = call("getSiteCustomizationById").send().await.expect(200).json.clone();
    settings["insights"] = json!({ "trackingCookie": true });
    settings["feedback"] = json!({ "enabled": true });
    let updated: Answer = call("updateSiteCustomizationById").json(&settings).send().await;
    let _updated = updated.expect(200);
}

#[test]
fn searches_without_scripts_are_recorded_with_their_results() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        indexed(&site).await;
        let bot = "User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1)\r\n";
        for (path, headers, status) in [
            ("~search", FIREFOX, 200),
            ("~search?q=zebras", FIREFOX, 200),
            ("~search?q=unicorns", FIREFOX, 200),
            ("~search?q=dragons", bot, 200),
            // Nothing of these is an own search.
            ("~search?q=zebras&page=2", FIREFOX, 200),
            ("~search?q=zebras&part=related", &format!("{FIREFOX}Sec-Purpose: prefetch\r\n"), 200),
            ("nowhere/~search?q=zebras", FIREFOX, 404),
        ] {
            let answer = request(&site, "GET", path, headers);
            assert_eq!(answer.status, status, "{path}");
            assert!(answer.header("set-cookie").is_empty(), "{path}");
        }
        let head = request(&site, "HEAD", "~search?q=mermaids", FIREFOX);
        assert_eq!(head.status, 200);
        let columns = ["eventSearchQuery", "eventSearchResults", "visitorBot", "eventsCount"];
        let found = recorded(&site, 4, &columns).await;
        let expected = [
            json!(["dragons", "unicorns", "zebras"]),
            json!([0, 0, 1]),
            json!(["googlebot", null, null]),
            json!([1, 1, 1]),
        ];
        assert_eq!(found, expected);
        let filter = json!({ "column": "eventType", "values": ["search_open"] });
        let select =
            ["eventsCount", "url", "visitorBrowser", "page"].map(|name| json!({ "column": name }));
        let opened = site.values(&json!({ "select": select, "where": [filter] })).await;
        let url = format!("{}/guide/~search", env.server().address());
        let page = json!({ "space": site.space, "page": null });
        assert_eq!(opened, [json!([1]), json!([url]), json!(["firefox"]), json!([page])]);
    });
}

#[test]
fn scripts_tell_of_opened_searches_and_results() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        indexed(&site).await;
        let page = format!("{}%2F{}", site.space, site.page);
        let results = request(&site, "GET", "~search?q=zebras", FIREFOX);
        let ping =
            format!("ping=\"/guide/~search/events?type=result&amp;q=zebras&amp;page={page}\"");
        assert!(results.text().contains(&ping), "{}", results.text());
        let part = request(&site, "GET", "~search?q=zebras&part=results", FIREFOX);
        let part = part.text();
        assert!(!part.contains("ping="), "{part}");
        assert!(part.contains(&format!("data-page=\"{}/{}\"", site.space, site.page)), "{part}");
        // The letters of a query are recorded together, once the reader pauses.
        for typed in ["u", "un", "uni"] {
            let path = format!("~search?q={typed}&part=results");
            assert_eq!(request(&site, "GET", &path, FIREFOX).status, 200);
        }
        let opened = format!("~search/events?type=result&q=zebras&page={page}");
        for (path, headers, status) in [
            ("~search/events?type=open", "Sec-Fetch-Site: same-origin\r\n", 204),
            (&opened, "", 204),
            ("~search/events?type=open", "Sec-Fetch-Site: cross-site\r\n", 403),
            ("~search/events?type=print", "", 400),
            ("~search/events?type=result&q=a", "", 400),
            (
                "~search/events?type=result&q=a&page=00000000000000000000%2F00000000000000000000",
                "",
                400,
            ),
            ("nowhere/~search/events?type=open", "", 404),
        ] {
            let told = request(&site, "POST", path, &format!("{FIREFOX}{headers}"));
            assert_eq!(told.status, status, "{path} {}", told.text());
        }
        let found = recorded(&site, 4, &["eventSearchQuery", "eventSearchResultPage"]).await;
        let page = json!({ "space": site.space, "page": site.page });
        assert_eq!(found, [json!(["zebras"]), json!([page])]);
        let queries = site.counts(&json!({ "column": "eventSearchQuery" })).await;
        assert_eq!(queries, [json!(["uni", "zebras"]), json!([1, 2])]);
    });
}

#[test]
fn scripts_tell_of_shown_pages() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let page = format!("{}%2F{}", site.space, site.page);
        let html = request(&site, "GET", "", FIREFOX).text().to_string();
        let (_, from) = html.split_once("data-view=\"").unwrap();
        let address = from.split('"').next().unwrap().replace("&amp;", "&");
        assert_eq!(address, format!("/guide/~search/events?type=view&page={page}"));
        let address = address.strip_prefix("/guide/").unwrap();
        let here =
            format!("Referer: {}/guide/?utm_source=mail&shareKey=x\r\n", env.server().address());
        for (path, headers, status) in [
            (format!("{address}&from=https%3A%2F%2Fa.example%2F%3Fq%3D1"), here.as_str(), 204),
            (address.to_owned(), "Sec-GPC: 1\r\n", 204),
            (address.to_owned(), "Sec-Purpose: prefetch\r\n", 204),
            (address.to_owned(), "Origin: https://evil.example\r\n", 403),
            ("~search/events?type=view&page=a".to_owned(), "", 400),
        ] {
            let told = request(&site, "POST", &path, &format!("{FIREFOX}{headers}"));
            assert_eq!(told.status, status, "{path} {headers} {}", told.text());
        }
        let columns = ["eventType", "page", "referrerDomain", "utmSource", "visitorsCount"];
        let found = recorded(&site, 2, &columns).await;
        let page = json!({ "space": site.space, "page": site.page });
        let expected = [
            json!(["page_view", "page_view"]),
            json!([page, page]),
            json!(["", "a.example"]),
            json!(["", "mail"]),
            json!([0, 1]),
        ];
        assert_eq!(found, expected);
    });
}

#[test]
fn visitors_are_recognised_as_far_as_the_site_and_they_permit() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let search = |headers: &str| request(&site, "GET", "~search", headers);
        let visitors = async |count: u64| {
            let found = recorded(&site, count, &["visitorsCount", "sessionsCount"]).await;
            (found[0][0].as_u64().unwrap(), found[1][0].as_u64().unwrap())
        };
        let other = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537\r\n";
        for headers in [FIREFOX, FIREFOX, other] {
            assert!(search(headers).header("set-cookie").is_empty());
        }
        assert_eq!(visitors(3).await.0, 2);
        set_cookies(&site).await;
        let made = search(FIREFOX);
        let cookie = made.header("set-cookie").to_owned();
        assert!(cookie.contains("Path=/guide;") && cookie.contains("HttpOnly"), "{cookie}");
        let value = cookie.split(';').next().unwrap();
        let again = search(&format!("{other}Cookie: {value}\r\n"));
        assert!(again.header("set-cookie").is_empty());
        assert_eq!(visitors(5).await.0, 3);
        for unwanted in ["Sec-GPC: 1\r\n", "DNT: 1\r\n"] {
            let answer = search(&format!("{FIREFOX}{unwanted}Cookie: {value}\r\n"));
            assert!(answer.header("set-cookie").is_empty(), "{unwanted}");
        }
        assert_eq!(visitors(7).await.0, 3);
    });
}

#[test]
fn feedback_is_recorded() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        set_cookies(&site).await;
        let form = |body: &str| {
            let headers = format!("{FIREFOX}Content-Type: application/x-www-form-urlencoded\r\n");
            let path = "/guide/~feedback/index";
            let answer = raw(env.server(), "POST", path, &headers, body.as_bytes());
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer
        };
        let rated = form("rating=bad");
        let rated = rated.text();
        let (_, id) = rated.split_once("name=\"feedback\" value=\"").unwrap();
        let _commented =
            form(&format!("feedback={}&comment=Unclear", id.split('"').next().unwrap()));
        let columns = ["eventType", "page", "eventPageFeedbackRating"];
        let found = recorded(&site, 2, &columns).await;
        let page = json!({ "space": site.space, "page": site.page });
        let expected = [
            json!(["page_post_feedback", "page_post_feedback_comment"]),
            json!([page, page]),
            json!(["bad", "bad"]),
        ];
        assert_eq!(found, expected);
        let comments = site.counts(&json!({ "column": "eventPageFeedbackComment" })).await;
        assert_eq!(comments, [json!(["Unclear"]), json!([1])]);
    });
}

#[test]
fn previews_and_strangers_record_nothing() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithEvents::published(env, "Guide").await;
        let made = site.call_as(&env.client, "getSitePublishingPreviewById").send().await;
        let made = made.expect(200);
        let (_, path) = made.text_at("/url").split_once("/~preview/").unwrap();
        let get = |method: &str, path: &str, headers: &str| {
            raw(env.server(), method, &format!("/~preview/{path}"), headers, b"")
        };
        let entered = get("GET", path, FIREFOX);
        let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        let headers = format!("{FIREFOX}Cookie: {cookie}\r\n");
        let searched = get("GET", &format!("{}/~search?q=zebras", site.id), &headers);
        assert_eq!(searched.status, 200);
        assert!(!searched.text().contains("ping="), "{}", searched.text());
        let page = get("GET", &format!("{}/", site.id), &headers);
        let page = page.text();
        assert!(page.contains("page-foot") && !page.contains("data-view"), "{page}");
        let told = get("POST", &format!("{}/~search/events?type=open", site.id), &headers);
        assert_eq!(told.status, 204);
        let body = json!({ "visibility": "visitor-auth" });
        let call = site.call_as(&env.client, "updateSiteById").json(&body);
        let _updated = call.send().await.expect(200);
        for (method, path) in [("POST", "~search/events?type=open"), ("GET", "~search?q=a")] {
            assert_eq!(request(&site, method, path, FIREFOX).status, 404, "{path}");
        }
        let id = bindery_model::SiteId::parse(&site.id).unwrap();
        drop(site);
        // The server writes all events that wait before it stops.
        let days = env.edit_store(move |tx| bindery_store::site_insights::list_days(tx, id)).await;
        assert_eq!(days, []);
    });
}
