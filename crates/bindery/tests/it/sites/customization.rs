//! Customizations of sites and site spaces.

use bindery_testkit::Call;
use serde_json::{Value, json};

use crate::support::every_operation::customization;
use crate::support::{TestEnv, each_engine};

struct Site<'a> {
    env: &'a TestEnv,
    id: String,
    site_space: String,
}

impl<'a> Site<'a> {
    async fn new(env: &'a TestEnv) -> Self {
        let space = env.space("Content").await;
        let create = env.client.call("createSite").path("organizationId", &env.organization);
        let create = create.json(&json!({ "title": "Site", "spaces": [space] }));
        let id = create.send().await.expect(201).text_at("/id").to_owned();
        let mut site = Self { env, id, site_space: String::new() };
        let listed = site.call("listSiteSpaces").send().await.expect(200);
        site.site_space = listed.text_at("/items/0/id").to_owned();
        site
    }

    fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    fn on_space(&self, operation: &str) -> Call {
        self.call(operation).path("siteSpaceId", &self.site_space)
    }

    async fn shown(&self) -> Value {
        let get = self.on_space("getSiteSpaceCustomizationById");
        get.send().await.expect(200).json.clone()
    }
}

#[test]
fn a_site_space_overrides_parts_of_the_customization() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::new(env).await;
        let defaults = site.call("getSiteCustomizationById").send().await.expect(200);
        assert_eq!(defaults.at("/pagination/enabled"), true);
        assert_eq!(site.shown().await, defaults.json);

        let update = site.call("updateSiteCustomizationById").json(&customization());
        assert_eq!(update.send().await.expect(200).json, customization());
        assert_eq!(site.shown().await, customization());

        let change = json!({ "styling": { "corners": "circular" }, "title": "Other" });
        let patch = site.on_space("overrideSiteSpaceCustomizationById").json(&change);
        let shown = patch.send().await.expect(200);
        assert_eq!(shown.text_at("/styling/corners"), "circular");
        assert_eq!(shown.text_at("/styling/depth"), "flat");
        let change = json!({ "styling": { "corners": null } });
        let patch = site.on_space("overrideSiteSpaceCustomizationById").json(&change);
        let shown = patch.send().await.expect(200);
        assert_eq!(shown.text_at("/styling/corners"), "straight");
        assert_eq!(shown.text_at("/title"), "Other");

        for (change, status) in [
            (json!({ "pageActions": { "mcp": customization()["pageActions"]["mcp"] } }), 200),
            (json!({ "insights": { "trackingCookie": true }, "title": "Third" }), 400),
        ] {
            let patch = site.on_space("overrideSiteSpaceCustomizationById").json(&change);
            let answer = patch.send().await.expect(status);
            if status == 400 {
                assert!(answer.message().contains("insights"), "{answer}");
                assert!(answer.message().contains("only the customization of the site"));
            }
        }
        assert_eq!(site.shown().await["title"], "Other");

        for status in [205, 204] {
            let delete = site.on_space("deleteSiteSpaceCustomizationById");
            let _gone = delete.send().await.expect(status);
        }
        assert_eq!(site.shown().await, customization());
    });
}

#[test]
fn addresses_and_references_are_checked() {
    each_engine(async |env: &mut TestEnv| {
        let site = Site::new(env).await;
        let before = site.call("getSiteCustomizationById").send().await.expect(200);
        for (pointer, value) in [
            ("/privacyPolicy/url", json!("javascript:alert(1)")),
            ("/socialPreview/url", json!("data:text/html,x")),
            ("/favicon", json!({ "icon": { "light": "file:///x", "dark": "file:///x" } })),
            ("/header/links", links(json!({ "kind": "url", "url": "javascript:alert(1)" }))),
            ("/header/links", links(json!({ "kind": "space", "space": "00000000000000000000" }))),
            ("/styling/primaryColor/light", json!("red")),
        ] {
            let mut body = customization();
            *body.pointer_mut(pointer).unwrap() = value;
            let update = site.call("updateSiteCustomizationById").json(&body);
            let _refused = update.send().await.expect(400);
        }
        let after = site.call("getSiteCustomizationById").send().await.expect(200);
        assert_eq!(after.json, before.json);
        let mut body = customization();
        body["header"]["links"] = links(json!({ "kind": "url", "url": "mailto:a@example.com" }));
        let update = site.call("updateSiteCustomizationById").json(&body);
        assert_eq!(update.send().await.expect(200).json, body);
    });
}

fn links(to: Value) -> Value {
    json!([{ "title": "Link", "to": to, "links": [] }])
}
