//! Feedback of readers on pages of sites.

use bindery_testkit::Call;
use serde_json::{Value, json};

use crate::support::content::{insert, publish};
use crate::support::{Raw, TestEnv, raw};

/// A published site with one page, whose readers are asked for feedback.
pub(crate) struct SiteWithFeedback<'a> {
    pub(crate) env: &'a TestEnv,
    pub(crate) id: String,
    pub(crate) space: String,
    pub(crate) page: String,
    /// The path with which the addresses of the site begin.
    pub(crate) base: String,
}

impl<'a> SiteWithFeedback<'a> {
    pub(crate) async fn published(env: &'a TestEnv, title: &str) -> Self {
        let space = env.space(title).await;
        let page = insert(&env.client, &space, "Home", "Text.\n").await;
        let site = publish(env, title, &space).await;
        let base = format!("/{}/", title.to_lowercase());
        let site = Self { env, id: site.text_at("/id").to_owned(), space, page, base };
        site.ask(true).await;
        site
    }

    pub(crate) fn call(&self, operation: &str) -> Call {
        let call = self.env.client.call(operation);
        call.path("organizationId", &self.env.organization).path("siteId", &self.id)
    }

    /// Sets whether pages ask for feedback.
    pub(crate) async fn ask(&self, enabled: bool) {
        let current = self.call("getSiteCustomizationById").send().await.expect(200);
        let mut settings = current.json.clone();
        settings["feedback"] = json!({ "enabled": enabled });
        let update = self.call("updateSiteCustomizationById").json(&settings);
        let _updated = update.send().await.expect(200);
    }

    /// Sends the form of the page at a path of the site.
    pub(crate) fn send(&self, path: &str, headers: &str, form: &str) -> Raw {
        let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
        let path = format!("{}~feedback/{path}", self.base);
        raw(self.env.server(), "POST", &path, &format!("{kind}{headers}"), form.as_bytes())
    }

    /// Returns the stored feedback, newest first.
    pub(crate) async fn list(&self) -> Vec<Value> {
        let list = self.call("listSitePageFeedback").send().await.expect(200);
        list.json["items"].as_array().unwrap().clone()
    }

    /// Gives feedback with a comment and returns its id.
    pub(crate) async fn give(&self) -> String {
        let answer = self.send("index", "", "rating=good&comment=Clear.");
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.list().await[0]["id"].as_str().unwrap().to_owned()
    }
}
