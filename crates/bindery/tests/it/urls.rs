//! Content and embeds by their address.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bindery_testkit::{Answer, Client, Installation};
use serde_json::json;

use crate::support::content::{insert, publish};
use crate::support::{TestEnv, each_engine, each_engine_with};

async fn content(client: &Client, url: &str) -> Answer {
    client.call("getContentByUrl").query("url", url).send().await
}

async fn embed(client: &Client, url: &str) -> Answer {
    client.call("getEmbedByUrl").query("url", url).send().await
}

/// Starts a server that answers every request with this page. Returns its address and the number of
/// requests. The thread ends with the process.
fn page_server(page: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let _read = stream.read(&mut [0; 8192]).unwrap();
            let length = page.len();
            let _sent = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\
                 Content-Length: {length}\r\nConnection: close\r\n\r\n{page}"
            );
        }
    });
    (address, requests)
}

#[test]
fn addresses_lead_to_content() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", "Text.\n").await;
        let page = insert(&env.client, &space, "Setup", "Text.\n").await;
        let site = publish(env, "Docs", &space).await;
        let shown = env.client.call("getSpaceById").path("spaceId", &space).send().await;
        let shown = shown.expect(200);
        let (app, api) = (shown.text_at("/urls/app"), shown.text_at("/urls/location"));
        let published = site.text_at("/urls/published");
        for url in [app, api, published, &format!("{published}nowhere/../")] {
            let found = content(&env.client, url).await.expect(200);
            assert_eq!(found.at("/space"), &shown.json, "{url}");
            assert!(found.json.get("page").is_none(), "{url}");
        }
        for url in
            [format!("{app}/setup"), format!("{published}setup"), format!("{published}setup/")]
        {
            let found = content(&env.client, &url).await.expect(200);
            assert_eq!(found.text_at("/page/id"), page, "{url}");
        }
        let open = env.client.call("createChangeRequest").path("spaceId", &space);
        let open = open.json(&json!({ "subject": "Change" })).send().await.expect(201);
        for url in [open.text_at("/urls/app"), open.text_at("/urls/location")] {
            let found = content(&env.client, url).await.expect(200);
            assert_eq!(found.at("/changeRequest/id"), open.at("/id"), "{url}");
        }
        let collection =
            env.client.call("createCollection").path("organizationId", &env.organization);
        let collection = collection.json(&json!({ "title": "All" })).send().await.expect(201);
        for url in [collection.text_at("/urls/app"), collection.text_at("/urls/location")] {
            let found = content(&env.client, url).await.expect(200);
            assert_eq!(found.at("/collection/id"), collection.at("/id"), "{url}");
        }
        let other_host = app.replacen("127.0.0.1", "127.0.0.2", 1);
        for url in [&format!("{app}/nowhere"), &other_host, "x", "", "https://example.com/a"] {
            let _none = content(&env.client, url).await.expect(404);
        }
        let _none = content(&env.client, &"a".repeat(9_000)).await.expect(404);
        // A person without a role on the space finds nothing, though its site is public.
        let stranger = crate::support::people::stranger(env, "stranger@example.com").await;
        for url in [app, published] {
            let _none = content(&stranger, url).await.expect(404);
        }
        let _refused = content(&env.client.anonymous(), app).await.expect(401);
    });
}

#[test]
fn addresses_are_described_for_embeds() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Guide").await;
        for title in ["Home", "Setup"] {
            let _page = insert(&env.client, &space, title, "Text.\n").await;
        }
        let hidden = env.space("Hidden").await;
        let site = publish(env, "Docs", &space).await;
        let setup = format!("{}setup", site.text_at("/urls/published"));
        let nobody = env.client.anonymous();
        for client in [&env.client, &nobody] {
            let found = embed(client, &setup).await.expect(200);
            assert_eq!(found.json, json!({ "type": "link", "title": "Setup", "site": "Guide" }));
            let found = embed(client, "https://youtu.be/a_b-1").await.expect(200);
            assert_eq!(found.text_at("/type"), "rich");
            assert!(found.text_at("/html").contains("youtube-nocookie.com/embed/a_b-1\""));
        }
        let shown = env.client.call("getSpaceById").path("spaceId", &hidden).send().await;
        let shown = shown.expect(200);
        let found = embed(&env.client, shown.text_at("/urls/app")).await.expect(200);
        assert_eq!(found.text_at("/title"), "Hidden");
        let found = embed(&nobody, shown.text_at("/urls/app")).await.expect(200);
        assert!(!found.text().contains("Hidden"), "{found}");
        for url in ["", "x", "javascript:alert(1)", "ftp://a.example/", "https://me:pw@a.example/"]
        {
            let refused = embed(&env.client, url).await.expect(400);
            assert!(refused.message().contains("allowed: an address"), "{refused}");
        }
    });
}

#[test]
fn only_persons_make_the_server_read_other_hosts() {
    let describing =
        |installation: Installation| installation.variable("BINDERY_EMBED_DESCRIPTIONS", "true");
    each_engine_with(describing, async |env: &mut TestEnv| {
        let (address, requests) = page_server(
            "<title>Part</title><meta property=\"og:site_name\" content=\"Other &amp; Co\">\
             <link rel=icon href=\"/icon.png\"><body>",
        );
        let url = format!("{address}/part");
        let space = env.space("Guide").await;
        let _home = insert(&env.client, &space, "Home", "Text.\n").await;
        let site = publish(env, "Docs", &space).await;
        let nobody = env.client.anonymous();
        let body = json!({ "url": site.text_at("/urls/published"), "visitor": {} });
        let resolved = nobody.call("resolvePublishedContentByUrl").json(&body).send().await;
        let reader = nobody.with_token(resolved.expect(200).text_at("/apiToken"));
        let in_space = |client: &Client| {
            let call = client.call("getEmbedByUrlInSpace").path("spaceId", &space);
            call.query("url", &url).send()
        };
        let unread = in_space(&reader).await.expect(200);
        assert_eq!(unread.text_at("/title"), "127.0.0.1/part");
        let _unread = embed(&nobody, &url).await.expect(200);
        assert_eq!(requests.load(Ordering::SeqCst), 0);

        let read = in_space(&env.client).await.expect(200);
        let expected = json!({
            "type": "link", "title": "Part", "site": "Other & Co",
            "icon": format!("{address}/icon.png"),
        });
        assert_eq!(read.json, expected);
        // What is known is told to the readers of the space, without another request.
        let known = in_space(&reader).await.expect(200);
        assert_eq!(known.json, expected);
        assert_eq!(requests.load(Ordering::SeqCst), 1);
        // Others do not learn that somebody has asked.
        let unknown = embed(&nobody, &url).await.expect(200);
        assert_eq!(unknown.text_at("/title"), "127.0.0.1/part");
        let own = embed(&env.client, &url).await.expect(200);
        assert_eq!(own.json, expected);
        assert_eq!(requests.load(Ordering::SeqCst), 2);
        let _refused = in_space(&nobody).await.expect(401);
        let missing = env.client.call("getEmbedByUrlInSpace").path("spaceId", "none");
        let _missing = missing.query("url", &url).send().await.expect(404);
    });
}
