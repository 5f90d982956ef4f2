//! Ratings and comments of readers.

use bindery_testkit::Answer;
use serde_json::{Value, json};

use crate::support::content::insert;
use crate::support::page_feedback::SiteWithFeedback;
use crate::support::{Raw, TestEnv, each_engine, items, pages};

/// Returns the id in the form for a comment.
fn commentable(answer: &Raw) -> Option<String> {
    let text = answer.text();
    let (_, rest) = text.split_once("name=\"feedback\" value=\"")?;
    Some(rest.split('"').next().unwrap().to_owned())
}

async fn page(site: &SiteWithFeedback<'_>) -> Answer {
    site.env.client.anonymous().get(&site.base, &[]).await.expect(200)
}

#[test]
fn readers_rate_a_page_and_comment_on_it() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithFeedback::published(env, "Guide").await;
        let form = "<form class=\"feedback\" method=\"post\" action=\"/guide/~feedback/index\">";
        assert!(page(&site).await.text().contains(form));

        let rated = site.send("index", "", "rating=bad");
        assert_eq!(rated.status, 200, "{}", rated.text());
        assert!(rated.header("cache-control").contains("private"), "{:?}", rated.headers);
        assert_eq!(rated.header("x-robots-tag"), "noindex");
        let id = commentable(&rated).expect("a form for a comment");
        let [item] = &site.list().await[..] else { panic!("one item") };
        let site_space = site.call("listSiteSpaces").send().await.expect(200);
        let expected = json!({
            "object": "page-feedback",
            "id": id,
            "siteSpace": site_space.at("/items/0/id"),
            "space": site.space,
            "page": site.page,
            "rating": "bad",
            "url": "/guide/",
            "createdAt": item["createdAt"],
        });
        assert_eq!(*item, expected);

        let comment = format!("feedback={id}&comment=+No+example%0D%0A%3Cb%3E+");
        let thanked = site.send("index", "", &comment);
        assert_eq!((thanked.status, commentable(&thanked)), (200, None));
        assert_eq!(site.list().await[0]["comment"], "No example\n<b>");
        // A comment is final.
        let second = site.send("index", "", &format!("feedback={id}&comment=Other"));
        assert_eq!(second.status, 200);
        assert_eq!(site.list().await[0]["comment"], "No example\n<b>");

        // The same reader has changed their mind, and another browser is another reader.
        let again = site.send("index", "", "rating=good");
        assert_eq!(again.status, 200);
        let [item] = &site.list().await[..] else { panic!("one item") };
        assert_eq!((&item["rating"], item.get("comment")), (&json!("good"), None));
        let other = site.send("index", "User-Agent: Other\r\n", "rating=ok&comment=Fine");
        assert_eq!((other.status, commentable(&other)), (200, None));
        assert_eq!(site.list().await.len(), 2);
    });
}

#[test]
fn feedback_is_filtered_paged_and_deleted() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithFeedback::published(env, "Guide").await;
        let second = insert(&env.client, &site.space, "Second", "Text.\n").await;
        for (path, form) in [("index", "rating=good"), ("second", "rating=bad&comment=One")] {
            for agent in ["A", "B"] {
                let agent = format!("User-Agent: {agent}\r\n");
                assert_eq!(site.send(path, &agent, form).status, 200);
            }
        }
        let count = async |filters: &[(&str, &str)]| {
            let call = site.call("listSitePageFeedback");
            let call = filters.iter().fold(call, |call, (name, value)| call.query(name, value));
            call.send().await.expect(200).at("/count").as_u64().unwrap()
        };
        assert_eq!(count(&[]).await, 4);
        assert_eq!(count(&[("rating", "bad")]).await, 2);
        assert_eq!(count(&[("rating", "ok")]).await, 0);
        assert_eq!(count(&[("pageId", &second)]).await, 2);
        assert_eq!(count(&[("pageId", "nonsense")]).await, 0);
        assert_eq!(count(&[("commented", "false"), ("rating", "good")]).await, 2);
        assert_eq!(count(&[("commented", "true"), ("rating", "good")]).await, 0);
        let _refused =
            site.call("listSitePageFeedback").query("rating", "great").send().await.expect(400);

        let list = pages(|| site.call("listSitePageFeedback").query("limit", 1)).await;
        let listed: Vec<&Value> = list.iter().flat_map(items).collect();
        assert_eq!(listed.len(), 4);
        assert!(listed.is_sorted_by(|a, b| a["createdAt"].as_str() >= b["createdAt"].as_str()));

        let id = listed[0]["id"].as_str().unwrap();
        let delete = || site.call("deleteSitePageFeedbackById").path("pageFeedbackId", id).send();
        let _gone = delete().await.expect(205);
        let _gone = delete().await.expect(204);
        assert_eq!(count(&[]).await, 3);
        let _gone = site.call("deleteSiteById").send().await.expect(205);
    });
}

#[test]
fn forms_are_refused_with_a_reason() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithFeedback::published(env, "Guide").await;
        let long = format!("rating=ok&comment={}", "x".repeat(513));
        let huge = format!("rating=ok&comment={}", "x".repeat(9_000));
        for (path, form, status, reason) in [
            ("index", "", 400, "`rating`"),
            ("index", "rating=great", 400, "`good`, `ok` or `bad`"),
            ("index", "rating=%FF", 400, "UTF-8"),
            ("index", "feedback=nonsense&comment=x", 400, "`feedback`"),
            ("index", long.as_str(), 400, "513 characters"),
            ("index", huge.as_str(), 413, "8192"),
            ("nowhere", "rating=ok", 404, "no page"),
            ("~feedback/index", "rating=ok", 404, "no page"),
        ] {
            let answer = site.send(path, "", form);
            assert_eq!(answer.status, status, "{path} {}", answer.text());
            assert!(answer.text().contains(reason), "{path}: {}", answer.text());
        }
        for header in ["Sec-Fetch-Site: cross-site\r\n", "Origin: https://evil.example\r\n"] {
            assert_eq!(site.send("index", header, "rating=ok").status, 403, "{header}");
        }
        let json = crate::support::raw(
            env.server(),
            "POST",
            "/guide/~feedback/index",
            "Content-Type: application/json\r\n",
            b"{}",
        );
        assert_eq!(json.status, 415);
        let opened = env.client.anonymous().get("/guide/~feedback/index", &[]).await;
        assert_eq!(opened.expect(308).header("location"), "/guide/");
        assert_eq!(site.list().await, Vec::<Value>::new());

        site.ask(false).await;
        assert!(!page(&site).await.text().contains("~feedback"));
        assert_eq!(site.send("index", "", "rating=ok").status, 404);
    });
}

#[test]
fn one_network_gives_a_limited_amount_of_feedback() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithFeedback::published(env, "Guide").await;
        for reader in 0..100 {
            let agent = format!("User-Agent: {reader}\r\n");
            assert_eq!(site.send("index", &agent, "rating=ok").status, 200);
        }
        let refused = site.send("index", "User-Agent: more\r\n", "rating=ok");
        assert_eq!((refused.status, refused.header("retry-after")), (429, "3600"));
        assert_eq!(site.call("listSitePageFeedback").send().await.expect(200).at("/count"), 100);
    });
}

#[test]
fn readers_and_members_without_the_role_do_not_list_feedback() {
    each_engine(async |env: &mut TestEnv| {
        let site = SiteWithFeedback::published(env, "Guide").await;
        let _feedback = site.give().await;
        let shown = site.call("getSiteById").send().await.expect(200);
        let body = json!({ "url": shown.text_at("/urls/published"), "visitor": {} });
        let resolved = env.client.anonymous().call("resolvePublishedContentByUrl").json(&body);
        let resolved = resolved.send().await.expect(200);
        let reader = env.client.with_token(resolved.text_at("/apiToken"));
        let member = env.person("member@example.com", Some("read")).await;
        let editor = env.person("editor@example.com", Some("edit")).await;
        for (client, settings, feedback) in
            [(&reader, 200, 404), (&member, 200, 403), (&editor, 200, 200)]
        {
            for (operation, status) in
                [("getSiteCustomizationById", settings), ("listSitePageFeedback", feedback)]
            {
                let call = client.call(operation);
                let call = call.path("organizationId", &env.organization).path("siteId", &site.id);
                let _answer = call.send().await.expect(status);
            }
        }
    });
}
