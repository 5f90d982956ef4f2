//! Titles and pictures of embedded addresses on published pages.

use bindery_testkit::{Answer, Client, Installation};
use serde_json::{Value, json};

use super::audience::path_of;
use crate::support::content::{change, insert, publish};
use crate::support::foreign_host::{ForeignHost, Reply, gif};
use crate::support::{TestEnv, each_engine, each_engine_with, items, on_sqlite_with, until};

fn describing(installation: Installation) -> Installation {
    installation.variable("BINDERY_EMBED_DESCRIPTIONS", "true")
}

fn embed(url: &str) -> String {
    format!("{{% embed url=\"{url}\" %}}\n\n")
}

/// Requests a page until it contains a text.
async fn page_with(client: &Client, path: &str, text: &str) -> String {
    until(async || {
        let page = client.get(path, &[]).await.expect(200).text();
        page.contains(text).then_some(page)
    })
    .await
}

/// Returns the address of the first picture of an embed on a page.
fn picture(page: &str) -> &str {
    let (_, rest) = page.split_once("<img class=\"embed-picture\" src=\"").unwrap();
    rest.split('"').next().unwrap()
}

/// Waits until no job that describes embeds is left, after one has ended.
async fn described(env: &TestEnv) -> Vec<Value> {
    until(async || {
        let call = env.client.call("listJobs").query("organization", &env.organization);
        let jobs = call.send().await.expect(200);
        let of_embeds = items(&jobs).iter().filter(|job| job["kind"] == "embed-descriptions");
        let of_embeds: Vec<Value> = of_embeds.cloned().collect();
        let all_ended = of_embeds.iter().all(|job| job["status"] == "done");
        (all_ended && !of_embeds.is_empty()).then_some(of_embeds)
    })
    .await
}

/// A page of another host with a title, a description, a site and a picture.
fn describe(host: &ForeignHost, path: &str) {
    let page = "<head><title>Window</title><meta property=og:title content='The &lt;title&gt;'>\
        <meta property=og:site_name content='The site'>\
        <meta name=description content='A sentence.'>\
        <meta property=og:image content=/picture.gif></head><body>";
    host.set(path, Reply::html(page));
    host.set("/picture.gif", gif(640, 360));
}

#[test]
fn published_pages_describe_their_embeds() {
    each_engine_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        describe(&host, "/part?a=1");
        let url = format!("{}/part?a=1", host.address);
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", "Text.\n").await;
        let _page = insert(&env.client, &space, "Film", &embed(&url)).await;
        let other = format!("<iframe src=\"{url}#t=5\"></iframe>\n");
        let _page = insert(&env.client, &space, "Frame", &other).await;
        let _site = publish(env, "Docs", &space).await;
        let reader = env.client.anonymous();
        // The page is cached without the description.
        let before = reader.get("/docs/film", &[]).await.expect(200);
        assert!(before.text().contains("embed-host"), "{before}");

        for path in ["/docs/film", "/docs/frame"] {
            let page = page_with(&reader, path, "embed-title").await;
            for text in [
                "class=\"embed-title\">The &lt;title&gt;</span>",
                "class=\"embed-text\">A sentence.</span>",
                "<bdi>The site</bdi> · <bdi>127.0.0.1:",
                "width=\"640\" height=\"360\"",
            ] {
                assert!(page.contains(text), "{text} in {page}");
            }
            let picture = reader.get(picture(&page), &[]).await.expect(200);
            assert_eq!(picture.header("content-type"), "image/gif");
            assert_eq!(picture.header("cache-control"), "public, max-age=31536000, immutable");
            assert_eq!(picture.header("x-content-type-options"), "nosniff");
            assert!(picture.body.starts_with(b"GIF89a"));
        }
        // Both pages embed one address, which was fetched once.
        assert_eq!((host.requests("/part?a=1"), host.requests("/picture.gif")), (1, 1));
        let document = env.client.call("getPageByPath").path("spaceId", &space);
        let document = document.path("pagePath", "film").query("format", "document").send().await;
        assert!(!document.expect(200).text().contains("The site"));
        let page = reader.get("/docs/film", &[]).await.expect(200);
        assert_ne!(page.header("etag"), before.header("etag"));
    });
}

#[test]
fn changes_of_content_and_of_descriptions_show_at_the_next_request() {
    each_engine_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        for name in ["a", "b"] {
            host.set(&format!("/{name}"), Reply::html(format!("<title>Title {name}</title>")));
        }
        let [a, b] = ["a", "b"].map(|name| embed(&format!("{}/{name}", host.address)));
        let space = env.space("Guide").await;
        let page = insert(&env.client, &space, "Home", &a).await;
        let _site = publish(env, "Docs", &space).await;
        let _page = page_with(&env.client.anonymous(), "/docs/", "Title a").await;
        let update = json!([{ "operation": "update_page", "page": page,
            "document": { "markdown": b } }]);
        let _changed = change(&env.client, &space, update).await;
        let page = page_with(&env.client.anonymous(), "/docs/", "Title b").await;
        assert!(!page.contains("Title a"), "{page}");

        // After thirty days the description is fetched again.
        host.set("/b", Reply::html("<title>Later</title>"));
        let due = |tx: &bindery_store::Tx<'_>| tx.execute("UPDATE embeds SET next_at = 0", &[]);
        let _count = env.edit_store(due).await;
        let _page = page_with(&env.client.anonymous(), "/docs/", "Later").await;
        // A host that no longer answers takes nothing away.
        host.set("/b", Reply::Page(500, "text/html", Vec::new()));
        let _count = env.edit_store(due).await;
        let asked = host.requests("/b");
        until(async || (host.requests("/b") > asked).then_some(())).await;
        let _jobs = described(env).await;
        let _page = page_with(&env.client.anonymous(), "/docs/", "Later").await;
    });
}

#[test]
fn endpoints_of_pages_and_failures() {
    each_engine_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        let discovery = "<title>Window</title><link rel=alternate \
            type=application/json+oembed href='/oembed?u=1'>";
        host.set("/discovered", Reply::html(discovery));
        let answer = json!({ "type": "video", "title": "By oEmbed", "provider_name": "Provider",
            "thumbnail_url": "/thumbnail", "html": "<script>alert(1)</script>" });
        let answer = answer.to_string().into_bytes();
        host.set("/oembed?u=1", Reply::Page(200, "application/json", answer));
        host.set("/thumbnail", gif(100, 100));
        host.set("/moved", Reply::Redirect("/discovered".to_owned()));
        host.set("/busy", Reply::Page(503, "text/html", Vec::new()));
        let names = ["discovered", "moved", "busy", "missing"];
        let text: String =
            names.iter().map(|name| embed(&format!("{}/{name}", host.address))).collect();
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", &text).await;
        let _site = publish(env, "Docs", &space).await;
        // Addresses of one host are fetched one after the other.
        let reader = env.client.anonymous();
        let page = until(async || {
            let page = reader.get("/docs/", &[]).await.expect(200).text();
            (page.matches("By oEmbed").count() == 2).then_some(page)
        })
        .await;
        assert_eq!(page.matches("embed-host").count(), 2, "{page}");
        assert!(!page.contains("<script>alert") && !page.contains("Window"), "{page}");
        let expected = [
            ("busy", "waiting", 1),
            ("discovered", "described", 0),
            ("missing", "none", 0),
            ("moved", "described", 0),
        ];
        let expected = expected.map(|(name, status, failures)| {
            (name.to_owned(), status.to_owned(), i64::from(failures))
        });
        let _jobs = described(env).await;
        let statuses = env
            .edit_store(|tx| {
                let sql = "SELECT url, status, failures FROM embeds ORDER BY url";
                tx.query(sql, &[], |row| {
                    let url: String = row.get(0)?;
                    let name = url.rsplit('/').next().unwrap_or_default().to_owned();
                    Ok((name, row.get::<String>(1)?, row.get::<i64>(2)?))
                })
            })
            .await;
        assert_eq!(statuses, expected);
    });
}

/// Names of hostile pages, and the title that readers see; `None` for none.
const HOSTILE: [(&str, Option<&str>); 12] = [
    ("private", None),
    ("endless", Some("Endless")),
    ("drip", Some("Drip")),
    ("tags", Some("Tags")),
    ("megabyte", Some("xxxxxxxxxx")),
    ("override", Some("safe title")),
    ("script", Some("&lt;script&gt;alert(1)&lt;/script&gt;")),
    ("pdf", None),
    ("loop", None),
    ("bomb", Some("Bomb")),
    ("svg", Some("Svg")),
    ("deep", Some("Deep")),
];

fn set_hostile(host: &ForeignHost) {
    let title = |title: &str, more: &str| Reply::html(format!("<title>{title}</title>{more}"));
    // The guard permits this machine in tests, but no other private network.
    host.set("/private", Reply::Redirect("http://10.0.0.1/".to_owned()));
    let first = b"<title>Endless</title>".to_vec();
    host.set("/endless", Reply::Endless(first, vec![b' '; 64 << 10], 0));
    host.set("/drip", Reply::Endless(b"<title>Drip</title>".to_vec(), b" ".to_vec(), 100));
    host.set("/tags", title("Tags", &"<b><meta name=a content=b>".repeat(1_000_000)));
    host.set("/megabyte", title(&"x".repeat(1 << 20), ""));
    host.set("/override", title("\u{202e}safe\u{7}\n\u{2066}title", ""));
    host.set("/script", title("&lt;script&gt;alert(1)&lt;/script&gt;", ""));
    host.set("/pdf", Reply::Page(200, "application/pdf", b"<title>Pdf</title>".to_vec()));
    host.set("/loop", Reply::Redirect("/loop".to_owned()));
    host.set("/bomb", title("Bomb", "<meta property=og:image content=/huge.gif>"));
    host.set("/huge.gif", gif(60_000, 60_000));
    host.set("/svg", title("Svg", "<meta property=og:image content=/picture.svg>"));
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='99' height='99'/>";
    host.set("/picture.svg", Reply::Page(200, "image/png", svg.as_bytes().to_vec()));
    let link = "<link rel=alternate type=application/json+oembed href=/nested>";
    host.set("/deep", title("Deep", link));
    host.set("/nested", Reply::Page(200, "application/json", "[".repeat(100_000).into_bytes()));
}

#[test]
fn hostile_hosts_are_bounded_and_show_no_markup() {
    on_sqlite_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        set_hostile(&host);
        let space = env.space("Guide").await;
        let text: String =
            HOSTILE.iter().map(|(name, _)| embed(&format!("{}/{name}", host.address))).collect();
        let text = text + &embed("javascript:alert(1)") + &embed("http://10.0.0.1/");
        let _home = insert(&env.client, &space, "Home", &text).await;
        let _site = publish(env, "Docs", &space).await;
        let jobs = described(env).await;
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        let page = page_with(&env.client.anonymous(), "/docs/", "Deep").await;
        for (name, title) in HOSTILE {
            let card = page
                .split("<a class=\"embed")
                .find(|card| card.contains(&format!("href=\"{}/{name}\"", host.address)));
            let card = card.unwrap().split("</a>").next().unwrap();
            match title {
                Some(title) => assert!(card.contains(title), "{name}: {card}"),
                None => assert!(card.contains("embed-url"), "{name}: {card}"),
            }
            assert!(!card.contains("<img") && !card.contains('\u{202e}'), "{name}: {card}");
            assert!(card.len() < 2_000, "{name}: {} bytes", card.len());
        }
    });
}

#[test]
fn pictures_have_the_access_of_their_site() {
    each_engine_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        describe(&host, "/part");
        let url = embed(&format!("{}/part", host.address));
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", &url).await;
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let body = json!({ "title": "Secret", "visibility": "share-link", "spaces": [space] });
        let site = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let of_site = |operation: &str| {
            let call = env.client.call(operation).path("organizationId", &env.organization);
            call.path("siteId", &site)
        };
        let _published = of_site("publishSite").send().await.expect(200);
        let link = of_site("createSiteShareLink").json(&json!({ "name": "All" }));
        let link = link.send().await.expect(201);
        let reader = env.client.anonymous();
        let entered = reader.get(&path_of(link.text_at("/urls/published")), &[]).await;
        let cookie = super::audience::cookies(&entered, "/secret/");
        let page = until(async || {
            let page = reader.get("/secret/", &[("cookie", &cookie)]).await.expect(200).text();
            page.contains("embed-picture").then_some(page)
        })
        .await;
        let path = picture(&page);
        let shown = reader.get(path, &[("cookie", &cookie)]).await.expect(200);
        assert_eq!(shown.header("cache-control"), "private, max-age=31536000, immutable");
        let _hidden = reader.get(path, &[]).await.expect(404);
        // Another site whose spaces do not embed the address does not have the picture.
        let other = env.space("Other").await;
        let _home = insert(&env.client, &other, "Home", "Text.\n").await;
        let _site = publish(env, "Open", &other).await;
        let name = path.rsplit('/').next().unwrap();
        let _absent = reader.get(&format!("/open/~embeds/{name}"), &[]).await.expect(404);
        for name in ["", "x", "00000000000000000000"] {
            let _absent = reader.get(&format!("/open/~embeds/{name}"), &[]).await.expect(404);
        }
    });
}

#[test]
fn a_page_with_very_many_embeds_costs_little() {
    on_sqlite_with(describing, async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        host.set("/0", Reply::html("<title>First</title>"));
        let text: String =
            (0..10_000).map(|number| embed(&format!("{}/{number}", host.address))).collect();
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", &text).await;
        let _site = publish(env, "Docs", &space).await;
        let _jobs = described(env).await;
        let _page = page_with(&env.client.anonymous(), "/docs/", "First").await;
        assert_eq!((host.requests("/199"), host.requests("/200")), (1, 0));
    });
}

#[test]
fn nothing_is_fetched_unless_the_operator_permits_it() {
    each_engine(async |env: &mut TestEnv| {
        let host = ForeignHost::start();
        describe(&host, "/part");
        let url = format!("{}/part", host.address);
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", &embed(&url)).await;
        let _site = publish(env, "Docs", &space).await;
        let found = env.client.call("getEmbedByUrl").query("url", &url).send().await.expect(200);
        assert!(found.text_at("/title").starts_with("127.0.0.1"), "{found}");
        // The mark of the space stays, for the case that the operator changes the setting.
        let marked = env.edit_store(|tx| {
            let sql = "SELECT id FROM spaces WHERE embeds_behind IS NOT NULL";
            Ok(tx.query(sql, &[], |_| Ok(()))?.len())
        });
        assert_eq!(marked.await, 1);
        let page: Answer = env.client.anonymous().get("/docs/", &[]).await.expect(200);
        assert!(page.text().contains("embed-host"), "{page}");
        assert_eq!(host.requests("/part"), 0);
    });
}
