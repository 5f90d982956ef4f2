//! The customization of a site on its pages.

use bindery_testkit::git_server::{Change, GitServer};
use bindery_testkit::{Answer, Call};
use serde_json::{Value, json};

use crate::support::content::{change, insert, publish};
use crate::support::every_operation::customization;
use crate::support::{TestEnv, each_engine};

/// A published site of two spaces, with the pages `home` and `page` in each.
struct Site<'a> {
    env: &'a TestEnv,
    id: String,
    spaces: [String; 2],
    site_spaces: [String; 2],
    /// The page `page` of the second space.
    other_page: String,
}

impl<'a> Site<'a> {
    async fn published(env: &'a TestEnv) -> Self {
        let mut spaces = [env.space("One").await, env.space("Two").await];
        let mut other_page = String::new();
        for space in &mut spaces {
            let _home = insert(&env.client, space, "Home", "[Out](https://out.example).\n").await;
            other_page = insert(&env.client, space, "Page", "Text.\n").await;
        }
        let id = publish(env, "Looks", &spaces[0]).await.text_at("/id").to_owned();
        let mut site = Self { env, id, spaces, site_spaces: Default::default(), other_page };
        let add = site.call("addSpaceToSite").json(&json!({ "spaceId": site.spaces[1] }));
        let _added = add.send().await.expect(201);
        let listed = site.call("listSiteSpaces").send().await.expect(200);
        site.site_spaces = [0, 1].map(|at| listed.text_at(&format!("/items/{at}/id")).to_owned());
        site
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    /// Replaces the customization by the defaults with these fields.
    async fn customize(&self, change: &Value) {
        let current = self.call("getSiteCustomizationById").send().await.expect(200);
        let mut settings = current.json.clone();
        merge(&mut settings, change);
        let update = self.call("updateSiteCustomizationById").json(&settings);
        let _updated = update.send().await.expect(200);
    }

    async fn get(&self, path: &str) -> Answer {
        self.env.client.anonymous().get(&format!("/looks/{path}"), &[]).await
    }

    async fn html(&self, path: &str) -> String {
        self.get(path).await.expect(200).text()
    }
}

fn merge(into: &mut Value, change: &Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (name, value) in change {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, change) => *into = change.clone(),
    }
}

/// Returns the addresses of the stylesheets of a page.
fn stylesheets(page: &str) -> Vec<&str> {
    let links = page.split("<link rel=\"stylesheet\" href=\"").skip(1);
    links.map(|link| link.split('"').next().unwrap()).collect()
}

#[test]
fn a_changed_customization_shows_on_the_next_request() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let before = site.html("").await;
        assert_eq!(stylesheets(&before).len(), 1, "{before}");
        let update = site.call("updateSiteCustomizationById").json(&customization());
        let _updated = update.send().await.expect(200);
        let page = site.html("").await;
        let [_, looks, theme] = stylesheets(&page)[..] else { panic!("{page}") };
        assert!(looks.starts_with("/~assets/looks-") && theme.starts_with("/~assets/theme"));
        let css = env.client.anonymous().get(theme, &[]).await.expect(200).text();
        for part in ["--radius:0;", "--sans:Lato,", "--mono:\"DM Mono\"", "box-shadow:none"] {
            assert!(css.contains(part), "{part}: {css}");
        }
        for part in [
            "<html lang=\"de\" dir=\"ltr\" data-scheme=\"dark\"",
            "<link rel=\"icon\" href=\"data:image/svg+xml,",
            "property=\"og:image\" content=\"https://example.com/card.png\"",
            "<p class=\"copyright\" dir=\"auto\">Acme</p>",
            "href=\"https://example.com/privacy\" target=\"_blank\" rel=\"noopener\"",
            "href=\"https://out.example\" target=\"_blank\" rel=\"noopener nofollow\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for part in ["class=\"pagination\"", "Als Markdown ansehen", "<style", "Bindery"] {
            assert!(!page.contains(part), "{part}: {page}");
        }
        let missing = site.get("nowhere").await.expect(404);
        assert!(missing.text().contains(theme), "{missing}");
    });
}

#[test]
fn links_of_the_customization_follow_their_targets() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let page = json!({ "kind": "page", "space": site.spaces[1], "page": site.other_page });
        let to = |to: Value, title: &str| json!({ "title": title, "to": to, "links": [] });
        let url = |url: &str| json!({ "kind": "url", "url": url });
        let menu = json!({ "title": "More", "to": null, "links": [
            { "title": "Other", "to": page },
            { "title": "Second", "to": { "kind": "space", "space": site.spaces[1] } },
        ] });
        let hidden = json!({
            "title": "Hidden", "to": url("https://hidden.example"), "links": [],
            "condition": "visitor.claims.plan == 'pro'",
        });
        let mut button = to(url("https://app.example/start"), "Start");
        button["style"] = json!("button-primary");
        let gone = json!({ "kind": "page", "page": site.other_page });
        let change = json!({
            "title": "Brand",
            "header": { "links": [menu, hidden, button, to(gone, "Gone")] },
            "footer": { "groups": [{ "title": "Help", "links": [
                { "title": "Mail", "to": url("mailto:help@example.com") },
            ] }] },
            "announcement": {
                "enabled": true, "message": "Version <2>", "style": "warning",
                "link": { "title": "Read", "to": page },
            },
            "trademark": { "enabled": true },
        });
        site.customize(&change).await;
        let shown = site.html("").await;
        for part in [
            "<a href=\"/looks/two/page\"><bdi>Other</bdi></a>",
            "<a href=\"/looks/two/\"><bdi>Second</bdi></a>",
            "<a class=\"button button-primary\" href=\"https://app.example/start\">",
            "<a href=\"mailto:help@example.com\"><bdi>Mail</bdi></a>",
            "announcement-warning\"><bdi>Version &lt;2&gt;</bdi> <a href=\"/looks/two/page\">",
            "<title>Home · Brand</title>",
            "Made with Bindery",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("Hidden") && !shown.contains("Gone"), "{shown}");
        // A renamed page of the other space has its new address in the header at once.
        let rename = json!({
            "operation": "update_page", "page": site.other_page, "slug": "renamed",
        });
        let _renamed =
            crate::support::content::change(&env.client, &site.spaces[1], json!([rename])).await;
        assert!(site.html("").await.contains("href=\"/looks/two/renamed\"><bdi>Other"));
    });
}

#[test]
fn a_site_space_looks_as_it_overrides() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let color = json!({ "light": "#0F8A5F", "dark": "#0F8A5F" });
        site.customize(&json!({ "styling": { "primaryColor": color } })).await;
        let change = json!({
            "title": "Other brand", "styling": { "theme": "bold", "corners": "circular" },
            "header": { "preset": "none" },
        });
        let patch = site.call("overrideSiteSpaceCustomizationById");
        let patch = patch.path("siteSpaceId", &site.site_spaces[1]).json(&change);
        let _overridden = patch.send().await.expect(200);
        let (first, second) = (site.html("page").await, site.html("two/page").await);
        assert!(first.contains("<title>Page · Looks</title>"), "{first}");
        assert!(second.contains("<title>Page · Other brand</title>"), "{second}");
        assert!(!second.contains("<header class=\"site-header\""), "{second}");
        let themes = [&first, &second].map(|page| stylesheets(page).pop().unwrap().to_owned());
        assert_ne!(themes[0], themes[1]);
        let css = env.client.anonymous().get(&themes[1], &[]).await.expect(200).text();
        assert!(css.contains("--radius:1rem") && css.contains(".site-header{"), "{css}");

        // The profile for front ends contains both.
        let profile = site.call("getPublishedContentSite").send().await.expect(200);
        let shown =
            |pointer: &str| profile.text_at(&format!("/customizations{pointer}")).to_owned();
        assert_eq!(shown("/site/title"), "Looks");
        assert_eq!(shown("/site/styling/primaryColor/light"), "#0F8A5F");
        assert_eq!(profile.at("/customizations/site/announcement/enabled"), false);
        assert_eq!(profile.at("/customizations/siteSpaces").as_object().unwrap().len(), 1);
        let other = format!("/siteSpaces/{}/title", site.site_spaces[1]);
        assert_eq!(shown(&other), "Other brand");
    });
}

#[test]
fn pages_link_to_the_source_that_they_were_imported_from() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let git = GitServer::start();
        let repository = git.repository("docs.git");
        let page = Change::file("docs/a b.md", "# Page\n");
        repository.commit("main", "one", [Change::file("docs/README.md", "# Home\n"), page]);
        let request = json!({
            "url": git.url("docs.git"), "ref": "refs/heads/main", "repoProjectDirectory": "docs",
            "gitInfo": { "provider": "github", "url": "https://github.com/acme/docs" },
        });
        let space = env.space("Imported").await;
        let job = env.import(&space, &request).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        let add = site.call("addSpaceToSite").json(&json!({ "spaceId": space }));
        let _added = add.send().await.expect(201);
        let edit = "https://github.com/acme/docs/edit/main/docs/a%20b.md";
        assert!(!site.html("imported/a-b").await.contains("github.com"));
        site.customize(&json!({ "git": { "showEditLink": true } })).await;
        let page = site.html("imported/a-b").await;
        assert!(
            page.contains(&format!("<a href=\"{edit}\" rel=\"noopener\">Edit this page</a>")),
            "{page}"
        );
        // The other space was not imported.
        assert!(!site.html("").await.contains("Edit this page"));
    });
}

/// Returns the address of the image that link previews of a page show.
fn preview_image(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<meta property=\"og:image\" content=\"")?;
    rest.split('"').next()
}

#[test]
fn link_previews_show_an_image_of_the_page() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::published(env).await;
        let page = site.html("two/page").await;
        let address = preview_image(&page).unwrap().to_owned();
        let (_, path) = address.split_once("/looks/").unwrap();
        assert!(path.starts_with("~card/two/page.png?v="), "{address}");
        assert!(page.contains("<meta property=\"og:image:width\" content=\"1200\">"), "{page}");
        let image = site.get(path).await.expect(200);
        assert_eq!(image.header("content-type"), "image/png");
        assert!(image.body.starts_with(b"\x89PNG"));
        let root = site.html("").await;
        assert!(preview_image(&root).unwrap().contains("/looks/~card/index.png?v="), "{root}");
        for path in ["~card/two/none.png", "~card/two/page", "~card/", "~card/index.png.png"] {
            let _none = site.get(path).await.expect(404);
        }

        let rename = json!([
            { "operation": "update_page", "page": site.other_page, "title": "Other title" },
        ]);
        let _renamed = change(&env.client, &site.spaces[1], rename).await;
        let page = site.html("two/page").await;
        assert_ne!(preview_image(&page).unwrap(), address);
        let rename = json!([
            { "operation": "update_page", "page": site.other_page, "title": "开始" },
        ]);
        let _renamed = change(&env.client, &site.spaces[1], rename).await;
        // The title itself if the machine has a font for it, else that of the site.
        let renamed = site.html("two/page").await;
        assert_ne!(preview_image(&renamed), preview_image(&page));
        let image = site.get("~card/two/page.png").await.expect(200);
        assert!(image.body.starts_with(b"\x89PNG"));

        let own = "https://example.com/card.png";
        site.customize(&json!({ "socialPreview": { "url": own } })).await;
        assert_eq!(preview_image(&site.html("").await), Some(own));
    });
}
