//! The audience of sites: share links, visitor authentication and previews.

mod preview;
mod share_links;
mod visitor_auth;

pub(super) use visitor_auth::signed_token;

use bindery_testkit::{Answer, Call, Client};
use serde_json::json;

use crate::support::TestEnv;
use crate::support::content::insert;

/// A published site with the pages `home` and `page`, and a reader of it.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
    space: String,
    reader: Client,
}

impl<'a> Site<'a> {
    /// Publishes a site with this visibility, whose basename is the visibility.
    async fn published(env: &'a TestEnv, visibility: &str) -> Self {
        let site = Self::unpublished(env, visibility).await;
        let _published = site.call("publishSite").send().await.expect(200);
        site
    }

    async fn unpublished(env: &'a TestEnv, visibility: &str) -> Self {
        let space = env.space("Content").await;
        for title in ["Home", "Page"] {
            let _page = insert(&env.client, &space, title, "For readers.\n").await;
        }
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let body = json!({ "title": visibility, "visibility": visibility, "spaces": [space] });
        let id = create.json(&body).send().await.expect(201).text_at("/id").to_owned();
        Self { env, id, space, reader: env.client.anonymous() }
    }

    fn call(&self, operation: &str) -> Call {
        self.call_as(&self.env.client, operation)
    }

    fn call_as(&self, client: &Client, operation: &str) -> Call {
        client
            .call(operation)
            .path("organizationId", &self.env.organization)
            .path("siteId", &self.id)
    }

    /// Requests a path with a cookie.
    async fn get(&self, path: &str, cookie: &str) -> Answer {
        self.reader.get(path, &[("cookie", cookie)]).await
    }

    /// Asserts that every address of the site is answered as that of an unknown site.
    async fn expect_absent(&self, base: &str, cookie: &str) {
        let unknown = self.get("/no-such-site/", cookie).await.expect(404);
        for path in [
            "",
            "page",
            "page.md",
            "index.md",
            "robots.txt",
            "sitemap.xml",
            "llms.txt",
            "llms-1.txt",
        ] {
            let answer = self.get(&format!("{base}{path}"), cookie).await.expect(404);
            assert_eq!(answer.text(), unknown.text(), "{path}");
        }
        let bare = self.get(base.trim_end_matches('/'), cookie).await.expect(404);
        assert_eq!(bare.text(), unknown.text());
    }
}

/// Asserts that a response leads elsewhere and is not stored, and returns the address.
#[track_caller]
fn location(answer: &Answer) -> &str {
    assert_eq!(answer.status, 302, "{answer}");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    answer.header("location")
}

/// Returns the value of the `Cookie` header after a response that sets cookies for this site.
#[track_caller]
pub(super) fn cookies(answer: &Answer, base: &str) -> String {
    let path = base.trim_end_matches('/');
    let set = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let pairs: Vec<&str> = set
        .map(|cookie| {
            assert!(cookie.contains(&format!("; Path={path}; ")), "{cookie}");
            assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
            assert!(cookie.starts_with("bindery-"), "{cookie}");
            cookie.split(';').next().unwrap()
        })
        .collect();
    assert!(!pairs.is_empty(), "{answer}");
    pairs.join("; ")
}

/// Returns the path and query of an absolute address.
pub(super) fn path_of(address: &str) -> String {
    let (_, rest) = address.split_once("://").unwrap();
    rest[rest.find('/').unwrap()..].to_owned()
}

/// Asserts that only the browser of the reader stores a response, and that no search engine lists
/// it.
#[track_caller]
fn expect_private(answer: &Answer) {
    assert!(answer.header("cache-control").starts_with("private"), "{answer}");
    assert_eq!(answer.header("x-robots-tag"), "noindex");
}
