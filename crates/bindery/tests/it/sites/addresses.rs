//! The addresses of sites: hostnames, subdomains of organizations, proxies and earlier basenames.

use bindery_testkit::{Answer, Client};
use serde_json::{Value, json};

use crate::sites::audience::path_of;
use crate::support::content::{change, insert};
use crate::support::{TestEnv, each_engine_with};

const MAIN: &str = "docs.example.com";
const OWN: &str = "help.acme.example";

/// Runs a test on servers whose public address is that of [`MAIN`].
fn with_public_address(test: impl AsyncFn(&mut TestEnv)) {
    let configure = |installation: bindery_testkit::Installation| {
        installation.argument("--public-url").argument(format!("http://{MAIN}"))
    };
    each_engine_with(configure, test);
}

/// A published site with the pages `home` and `setup`.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
    space: String,
}

impl<'a> Site<'a> {
    async fn published(env: &'a TestEnv, title: &str, visibility: &str) -> Self {
        let space = env.space("Content").await;
        for page in ["Home", "Setup"] {
            let _page = insert(&env.client, &space, page, "For readers.\n").await;
        }
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let body = json!({ "title": title, "visibility": visibility, "spaces": [space] });
        let id = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        let site = Self { env, id, space };
        let _published = site.call("publishSite").send().await.expect(200);
        site
    }

    fn call(&self, operation: &str) -> bindery_testkit::Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    async fn update(&self, body: Value) -> Answer {
        self.call("updateSiteById").json(&body).send().await
    }
}

async fn get(client: &Client, host: &str, path: &str) -> Answer {
    client.anonymous().get(path, &[("host", host)]).await
}

async fn set_subdomain(env: &TestEnv, name: &str) {
    let update = env.client.call("updateOrganizationById");
    let update = update.path("organizationId", &env.organization);
    let _set = update.json(&json!({ "hostname": name })).send().await.expect(200);
}

#[test]
fn a_site_answers_on_its_own_hostname() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let set = site.update(json!({ "hostname": "help.acme.example" })).await.expect(200);
        assert_eq!(set.text_at("/hostname"), OWN);
        assert_eq!(set.text_at("/urls/published"), "http://help.acme.example/");

        let page = get(&env.client, OWN, "/setup").await.expect(200).text();
        for part in [
            "<link rel=\"canonical\" href=\"http://help.acme.example/setup\">",
            "href=\"/~assets/site-",
            "href=\"/setup.md\"",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("/help/"), "{page}");
        for (path, part) in [
            ("/", "For readers"),
            ("/setup.md", "For readers"),
            ("/sitemap.xml", "<loc>http://help.acme.example/setup</loc>"),
            ("/robots.txt", "http://help.acme.example/sitemap.xml"),
            ("/llms.txt", "http://help.acme.example/setup.md"),
        ] {
            let answer = get(&env.client, OWN, path).await.expect(200);
            assert!(answer.text().contains(part), "{path}: {answer}");
        }
        let asset = page.split("href=\"").find(|part| part.starts_with("/~assets/")).unwrap();
        let asset = asset.split('"').next().unwrap();
        let _stylesheet = get(&env.client, OWN, asset).await.expect(200);

        let moved = get(&env.client, MAIN, "/help/setup?a=b").await.expect(308);
        assert_eq!(moved.header("location"), "http://help.acme.example/setup?a=b");
        let index = get(&env.client, "HELP.acme.example:8080", "/setup").await.expect(200);
        assert_eq!(index.text(), page);

        let of_name = |operation| env.client.call(operation).path("hostname", OWN).send();
        let found = of_name("getCustomHostname").await.expect(200);
        assert_eq!(found.text_at("/target/site"), site.id);
        assert_eq!(found.at("/isActive"), true);
        for status in [205, 204] {
            let _removed = of_name("removeCustomHostname").await.expect(status);
        }
        let _none = of_name("getCustomHostname").await.expect(404);
        let _page = get(&env.client, MAIN, "/help/setup").await.expect(200);
        let _none = get(&env.client, OWN, "/setup").await.expect(404);
    });
}

#[test]
fn the_host_of_a_site_has_no_application() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let _set = site.update(json!({ "hostname": OWN })).await.expect(200);
        set_subdomain(env, "acme").await;
        for host in [OWN, "acme.docs.example.com"] {
            for path in ["/app", "/app/sign-in", "/v1", "/v1/user"] {
                let answer = get(&env.client, host, path).await.expect(404);
                assert!(answer.header("content-type").starts_with("text/html"), "{host} {answer}");
            }
        }
        let _page = get(&env.client, "unknown.example.com", "/app/sign-in").await.expect(200);
    });
}

#[test]
fn hostnames_belong_to_one_site() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let other = Site::published(env, "Other", "public").await;
        let _set = site.update(json!({ "hostname": OWN })).await.expect(200);
        let _same = site.update(json!({ "hostname": OWN, "title": "New" })).await.expect(200);
        for (body, status, words) in [
            (json!({ "hostname": OWN }), 409, "/hostname"),
            (json!({ "hostname": MAIN }), 409, "belongs to this server"),
            (json!({ "hostname": "x.docs.example.com" }), 409, "belongs to this server"),
            (json!({ "hostname": "acme.example" }), 400, "hostname"),
            (json!({ "hostname": "Help.Other.Example" }), 400, "hostname"),
            (json!({ "hostname": "a.b.example/x" }), 400, "hostname"),
            (json!({ "proxy": "docs.example.com/x" }), 409, "belongs to this server"),
            (json!({ "proxy": "www.acme.example" }), 400, "proxy"),
        ] {
            let refused = other.update(body.clone()).await.expect(status);
            assert!(refused.message().contains(words), "{body}: {refused}");
        }
        let _set = site.update(json!({ "proxy": "www.acme.example/Docs" })).await.expect(200);
        let taken = other.update(json!({ "proxy": "WWW.acme.example/Docs" })).await.expect(409);
        assert!(taken.message().contains("/proxy"), "{taken}");
        let _deleted = site.call("deleteSiteById").send().await.expect(205);
        let _set = other.update(json!({ "hostname": OWN })).await.expect(200);
    });
}

#[test]
fn a_restricted_site_is_absent_on_other_hosts_without_a_key() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "share-link").await;
        let _set = site.update(json!({ "hostname": OWN })).await.expect(200);
        let made = site.call("createSiteShareLink").json(&json!({ "name": "Partners" }));
        let made = made.send().await.expect(201);
        let address = made.text_at("/urls/published");
        let key = address.strip_prefix("http://help.acme.example/").unwrap().trim_end_matches('/');
        let unknown = get(&env.client, MAIN, "/no-such-site/").await.expect(404);
        for (host, path) in [(MAIN, "/help/"), (MAIN, "/help/setup"), (OWN, "/"), (OWN, "/setup")] {
            let absent = get(&env.client, host, path).await.expect(404);
            assert_eq!(absent.text(), unknown.text(), "{host}{path}");
        }
        for path in [format!("/help/{key}/setup"), format!("/help/setup?shareKey={key}")] {
            let moved = get(&env.client, MAIN, &path).await.expect(302);
            let expect = format!("http://help.acme.example{}", path.strip_prefix("/help").unwrap());
            assert_eq!(moved.header("location"), expect);
        }
        let entered = get(&env.client, OWN, &format!("/{key}/setup")).await.expect(302);
        assert_eq!(entered.header("location"), "/setup");
        let cookie = entered.header("set-cookie");
        assert!(cookie.contains("; Path=/; "), "{cookie}");
        let cookie = cookie.split(';').next().unwrap();
        let reader = env.client.anonymous();
        let page = reader.get("/setup", &[("host", OWN), ("cookie", cookie)]).await.expect(200);
        assert!(page.header("cache-control").starts_with("private"), "{page}");
    });
}

#[test]
fn an_organization_has_a_subdomain() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let name = "acme.docs.example.com";
        let _none = get(&env.client, name, "/no-such-site/").await.expect(404);
        set_subdomain(env, "acme").await;
        let body = json!({ "title": "Second" });
        let second = env.client.call("createOrganization").json(&body).send().await;
        let second = second.expect(201).text_at("/id").to_owned();
        let page = get(&env.client, name, "/help/setup").await.expect(200);
        let canonical = "<link rel=\"canonical\" href=\"http://docs.example.com/help/setup\">";
        assert!(page.text().contains(canonical), "{page}");
        let found = env.client.call("getSubdomain").path("subdomain", "acme").send().await;
        assert_eq!(found.expect(200).text_at("/target/organization"), env.organization);
        let update = env.client.call("updateOrganizationById").path("organizationId", &second);
        let _set = update.json(&json!({ "hostname": "second" })).send().await.expect(200);
        let _other = get(&env.client, "second.docs.example.com", "/help/").await.expect(404);
        let _set = site.update(json!({ "hostname": OWN })).await.expect(200);
        let moved = get(&env.client, name, "/help/setup").await.expect(308);
        assert_eq!(moved.header("location"), "http://help.acme.example/setup");
    });
}

#[test]
fn a_subdomain_has_no_sites_of_other_organizations() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let _set = site.update(json!({ "proxy": "www.acme.example/help" })).await.expect(200);
        let preview = site.call("getSitePublishingPreviewById").send().await.expect(200);
        let preview = path_of(preview.text_at("/url"));
        let proxied = format!("/~proxied/{}/setup", site.id);
        let body = json!({ "title": "Second" });
        let second = env.client.call("createOrganization").json(&body).send().await.expect(201);
        let update = env.client.call("updateOrganizationById");
        let update = update.path("organizationId", second.text_at("/id"));
        let _set = update.json(&json!({ "hostname": "second" })).send().await.expect(200);
        set_subdomain(env, "acme").await;
        for (host, statuses) in [
            (MAIN, [200, 302]),
            ("acme.docs.example.com", [200, 404]),
            ("second.docs.example.com", [404, 404]),
        ] {
            for (path, status) in [&proxied, &preview].into_iter().zip(statuses) {
                let _answer = get(&env.client, host, path).await.expect(status);
            }
        }
    });
}

#[test]
fn another_server_passes_a_site_on() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        let set = site.update(json!({ "proxy": "WWW.Acme.Example/Docs/help" })).await.expect(200);
        assert_eq!(set.text_at("/proxy/origin"), "www.acme.example/Docs/help");
        assert_eq!(set.text_at("/urls/published"), "http://www.acme.example/Docs/help/");
        let target = set.text_at("/proxy/target");
        let target = target.strip_prefix("http://docs.example.com").unwrap();
        assert_eq!(target, format!("/~proxied/{}", site.id));

        let file = json!({ "name": "a.txt", "base64": "YQ==", "contentType": "text/plain" });
        let insertion = json!([{ "operation": "insert_files", "files": [file] }]);
        let _changed = change(&env.client, &site.space, insertion).await;
        let files = env.of_space("listFiles", &site.space).await.expect(200);
        let file = format!("~files/{}/{}", site.space, files.text_at("/items/0/id"));

        let page = get(&env.client, MAIN, &format!("{target}/setup")).await.expect(200).text();
        let canonical = "<link rel=\"canonical\" href=\"http://www.acme.example/Docs/help/setup\">";
        assert!(page.contains(canonical), "{page}");
        for (at, _) in page.match_indices("href=\"/").chain(page.match_indices("src=\"/")) {
            let address = page[at..].split('"').nth(1).unwrap();
            assert!(address.starts_with("/Docs/help/"), "{address} in {page}");
        }
        let asset = page.split("href=\"/Docs/help").find(|part| part.starts_with("/~assets/"));
        let asset = asset.unwrap().split('"').next().unwrap();
        for path in [asset, "", "/", "/setup.md", &format!("/{file}")] {
            let answer = get(&env.client, MAIN, &format!("{target}{path}")).await;
            let expect = if path.is_empty() { 308 } else { 200 };
            let _answer = answer.expect(expect);
        }
        let moved = get(&env.client, MAIN, "/help/setup").await.expect(308);
        assert_eq!(moved.header("location"), "http://www.acme.example/Docs/help/setup");
        let _removed = site.update(json!({ "proxy": null })).await.expect(200);
        let _none = get(&env.client, MAIN, &format!("{target}/setup")).await.expect(404);
    });
}

#[test]
fn an_earlier_basename_leads_to_the_site() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        for basename in ["guide", "manual"] {
            let _set = site.update(json!({ "basename": basename })).await.expect(200);
        }
        for old in ["help", "guide"] {
            let moved = get(&env.client, MAIN, &format!("/{old}/setup")).await.expect(308);
            assert_eq!(moved.header("location"), "http://docs.example.com/manual/setup");
        }
        // A site that takes the name has it.
        let other = Site::published(env, "Guide", "public").await;
        let _page = get(&env.client, MAIN, "/guide/setup").await.expect(200);
        let _back = site.update(json!({ "basename": "help" })).await.expect(200);
        let _page = get(&env.client, MAIN, "/help/setup").await.expect(200);
        let _moved = get(&env.client, MAIN, "/manual/setup").await.expect(308);
        let _hidden = other.update(json!({ "visibility": "share-link", "basename": "x" })).await;
        let _absent = get(&env.client, MAIN, "/guide/setup").await.expect(404);
        let _deleted = site.call("deleteSiteById").send().await.expect(205);
        let _none = get(&env.client, MAIN, "/manual/setup").await.expect(404);
    });
}

#[test]
fn every_address_of_a_site_resolves() {
    with_public_address(async |env: &mut TestEnv| {
        let site = Site::published(env, "Help", "public").await;
        set_subdomain(env, "acme").await;
        let resolve = async |url: &str| {
            let call = env.client.anonymous().call("resolvePublishedContentByUrl");
            call.json(&json!({ "url": url })).send().await.expect(200)
        };
        let at = |answer: &Answer, name: &str| {
            let value = answer.json.get(name).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let found = resolve("http://acme.docs.example.com/help/setup").await;
        assert_eq!(at(&found, "canonicalUrl"), "http://docs.example.com/help/setup");
        let application = resolve("http://docs.example.com/app/o/x").await;
        assert_eq!(at(&application, "target"), "application");

        let _set = site.update(json!({ "hostname": OWN })).await.expect(200);
        let found = resolve("http://help.acme.example/setup").await;
        assert_eq!(at(&found, "canonicalUrl"), "http://help.acme.example/setup");
        assert_eq!((at(&found, "basePath"), at(&found, "pathname")), ("/".into(), "/setup".into()));
        for old in ["http://docs.example.com/help/setup?a=b", "http://docs.example.com/help/setup"]
        {
            let moved = resolve(old).await;
            assert_eq!(at(&moved, "target"), "content");
            let expect = old.replace("docs.example.com/help", OWN);
            assert_eq!(at(&moved, "redirect"), expect);
        }
        let _set = site.update(json!({ "proxy": "www.acme.example/docs/help" })).await.expect(200);
        for (url, base) in [
            ("http://www.acme.example/docs/help/setup", "/docs/help/"),
            (&format!("http://docs.example.com/~proxied/{}/setup", site.id), "/~proxied/"),
        ] {
            let found = resolve(url).await;
            assert!(at(&found, "basePath").starts_with(base), "{found}");
            assert_eq!(at(&found, "pathname"), "/setup");
            assert_eq!(at(&found, "canonicalUrl"), "http://www.acme.example/docs/help/setup");
        }
        let moved = resolve("http://help.acme.example/setup").await;
        assert_eq!(at(&moved, "redirect"), "http://www.acme.example/docs/help/setup");
        for url in ["http://www.acme.example/docs", "http://other.acme.example/", "http://x/help"] {
            let call = env.client.anonymous().call("resolvePublishedContentByUrl");
            let _none = call.json(&json!({ "url": url })).send().await.expect(404);
        }
        let content = env.client.call("getContentByUrl");
        let content = content.query("url", "http://www.acme.example/docs/help/setup");
        assert_eq!(content.send().await.expect(200).text_at("/space/id"), site.space);
    });
}
