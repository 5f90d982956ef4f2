//! Links to spaces that other sites show.

use serde_json::json;

use crate::support::containers::{collection, space_in};
use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine};

/// Returns the address of a link, without its anchor.
fn address_of<'h>(html: &'h str, text: &str) -> Option<&'h str> {
    let (before, _) = html.split_once(&format!("\">{text}</a>"))?;
    before.rsplit("href=\"").next()?.split('#').next()
}

#[test]
fn links_lead_to_the_public_site_of_a_space() {
    each_engine(async |env: &mut TestEnv| {
        let other = env.space("Other").await;
        let _home = insert(&env.client, &other, "Start", "x").await;
        let guide = insert(&env.client, &other, "Guide", "x").await;
        let hidden = env.space("Private").await;
        let _home = insert(&env.client, &hidden, "Secret", "x").await;
        let space = env.space("Handbook").await;
        let app = "https://app.gitbook.com/s";
        let text = format!(
            "[first]({app}/{other}) [path]({app}/{other}/guide#part) [id]({app}/{other}/{guide}) \
             [private]({app}/{hidden}) [unknown]({app}/00000000000000000000)\n"
        );
        let _page = insert(&env.client, &space, "Home", &text).await;
        let site = publish(env, "Other site", &other).await;
        let _site = publish(env, "Handbook", &space).await;

        let reader = env.client.anonymous();
        let html = reader.get("/handbook/", &[]).await.expect(200).text();
        for (text, expect) in
            [("first", "/other-site/"), ("path", "/other-site/guide"), ("id", "/other-site/guide")]
        {
            let path = address_of(&html, text).unwrap_or_else(|| panic!("{text}: {html}"));
            let to_site = reader.get(path, &[]).await.expect(302);
            let address = to_site.header("location").to_owned();
            let below = address.split_once("/other-site/").unwrap().1;
            let to_page = reader.get(&format!("/other-site/{below}"), &[]).await.expect(302);
            assert_eq!(to_page.header("location"), expect, "{text}");
        }
        assert!(html.contains("/-/guide#part\">path</a>"), "{html}");
        // Nothing tells that a private space exists.
        for (text, space) in [("private", hidden.as_str()), ("unknown", "00000000000000000000")] {
            assert!(html.contains(&format!("{app}/{space}\" rel=")), "{text}: {html}");
            let _absent = reader.get(&format!("/~spaces/{space}"), &[]).await.expect(404);
        }
        for bad in ["/~spaces/", "/~spaces/x", "/~spaces/%0d%0a", "/~spaces/../x"] {
            let _absent = reader.get(bad, &[]).await.expect(404);
        }

        let unpublish = env.client.call("unpublishSite").path("siteId", site.text_at("/id"));
        let unpublish = unpublish.path("organizationId", &env.organization);
        let _gone = unpublish.json(&json!({})).send().await;
        let _absent = reader.get(&format!("/~spaces/{other}"), &[]).await.expect(404);
    });
}

#[test]
fn pages_of_other_sites_have_the_names_in_the_source() {
    each_engine(async |env: &mut TestEnv| {
        let other = env.space("Other").await;
        let _guide = insert(&env.client, &other, "Guide", "x").await;
        let space = env.space("Handbook").await;
        let url = format!("https://app.gitbook.com/s/{other}/guide");
        let text = format!(
            "{{% content-ref url=\"{url}\" %}}\n[The guide]({url})\n{{% endcontent-ref %}}\n\n\
             {{% content-ref url=\"{url}\" %}}\n[guide]({url})\n{{% endcontent-ref %}}\n\n\
             [A guide]({url} \"mention\")\n"
        );
        let _page = insert(&env.client, &space, "Home", &text).await;
        let _site = publish(env, "Other site", &other).await;
        let site = publish(env, "Handbook", &space).await;
        let reader = env.client.anonymous();
        let html = reader.get("/handbook/", &[]).await.expect(200).text();
        for text in ["The guide", "Other", "A guide"] {
            let address = format!("/~spaces/{other}/-/guide");
            assert_eq!(address_of(&html, text), Some(&*address), "{text}: {html}");
        }

        // On the same site, the titles of the pages are known.
        let add = env.client.call("addSpaceToSite").path("siteId", site.text_at("/id"));
        let add = add.path("organizationId", &env.organization);
        let _added = add.json(&json!({ "spaceId": other })).send().await.expect(201);
        let html = reader.get("/handbook/", &[]).await.expect(200).text();
        assert_eq!(html.matches("/other/\">Guide</a>").count(), 3, "{html}");
    });
}

#[test]
fn links_to_collections_lead_to_a_space() {
    each_engine(async |env: &mut TestEnv| {
        let open = collection(env, "Guides", None).await;
        let closed = collection(env, "Secrets", None).await;
        let other = space_in(env, "Other", &open).await;
        let _home = insert(&env.client, &other, "Start", "x").await;
        let _closed = space_in(env, "Private", &closed).await;
        let space = env.space("Handbook").await;
        let app = "https://app.gitbook.com/c";
        let text = format!("[named]({app}/{open}) [private]({app}/{closed}) [x]({app}/none)\n");
        let _page = insert(&env.client, &space, "Home", &text).await;
        let site = publish(env, "Handbook", &space).await;
        let reader = env.client.anonymous();
        let html = reader.get("/handbook/", &[]).await.expect(200).text();
        assert_eq!(address_of(&html, "named"), None, "{html}");

        let _site = publish(env, "Other site", &other).await;
        // Equal texts are rendered once.
        let text = format!("{text}\nOther.\n");
        let _edited = insert(&env.client, &space, "Second", &text).await;
        let html = reader.get("/handbook/second", &[]).await.expect(200).text();
        let address = format!("/~spaces/{other}");
        assert_eq!(address_of(&html, "named"), Some(&*address), "{html}");
        for text in ["private", "x"] {
            assert_eq!(address_of(&html, text), None, "{html}");
        }
        assert!(!html.contains("Secrets"), "{html}");

        let add = env.client.call("addSpaceToSite").path("siteId", site.text_at("/id"));
        let add = add.path("organizationId", &env.organization);
        let added = add.json(&json!({ "spaceId": other })).send().await.expect(201);
        let html = reader.get("/handbook/second", &[]).await.expect(200).text();
        let base = format!("/handbook/{}/", added.text_at("/path"));
        assert_eq!(address_of(&html, "named"), Some(&*base), "{html}");
    });
}
