//! Change requests.

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::support::TestEnv;

/// A change request of a space.
pub(crate) struct Proposal<'w> {
    pub(crate) client: &'w Client,
    pub(crate) space: String,
    pub(crate) id: String,
}

impl<'w> Proposal<'w> {
    /// Creates a change request.
    pub(crate) async fn new(client: &'w Client, space: &str) -> Self {
        let call = client.call("createChangeRequest").path("spaceId", space);
        let made = call.json(&json!({ "subject": "A change" })).send().await.expect(201);
        Self { client, space: space.to_owned(), id: made.text_at("/id").to_owned() }
    }

    /// Returns its id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns a call of an operation on it.
    pub(crate) fn call(&self, operation: &str) -> Call {
        let call = self.client.call(operation).path("spaceId", &self.space);
        call.path("changeRequestId", &self.id)
    }

    /// Calls an operation that reads.
    pub(crate) async fn get(&self, operation: &str) -> Answer {
        self.call(operation).send().await.expect(200)
    }

    /// Sends changes with the full response.
    pub(crate) async fn change(&self, changes: Value) -> Answer {
        let call = self.call("updateChangeRequestContent").query("compat", "false");
        call.json(&json!({ "changes": changes })).send().await
    }

    /// Adds a page and returns its id.
    pub(crate) async fn page(&self, title: &str, markdown: &str) -> String {
        let change = json!({
            "operation": "insert_page", "title": title, "document": { "markdown": markdown },
        });
        let made = self.change(json!([change])).await.expect(200);
        made.text_at("/changes/0/page/id").to_owned()
    }

    /// Returns the Markdown of a page.
    pub(crate) async fn markdown(&self, page: &str) -> String {
        let call = self.call("getPageInChangeRequestById").path("pageId", page);
        let answer = call.query("format", "markdown").send().await.expect(200);
        answer.text_at("/markdown").to_owned()
    }

    /// Replaces the text of a page.
    pub(crate) async fn set(&self, page: &str, markdown: &str) {
        let change = json!({
            "operation": "update_page", "page": page, "document": { "markdown": markdown },
        });
        let _changed = self.change(json!([change])).await.expect(200);
    }

    /// Updates it with the main content.
    pub(crate) async fn update(&self) -> Answer {
        self.call("updateChangeRequest").send().await
    }

    /// Merges it into the main content.
    pub(crate) async fn merge(&self) -> Answer {
        self.call("mergeChangeRequest").send().await
    }
}

/// A space with change requests.
pub(crate) struct Proposed {
    pub(crate) space: String,
    /// The ids of the change requests.
    pub(crate) ids: Vec<String>,
}

impl Proposed {
    /// Returns a call of an operation on one of them.
    pub(crate) fn call(&self, client: &Client, operation: &str, index: usize) -> Call {
        let call = client.call(operation).path("spaceId", &self.space);
        call.path("changeRequestId", &self.ids[index])
    }

    /// Submits a review with this status.
    pub(crate) async fn review(&self, client: &Client, index: usize, status: &str) -> Answer {
        let call = self.call(client, "submitChangeRequestReview", index);
        call.json(&json!({ "status": status })).send().await
    }

    /// Requests reviews from these users.
    pub(crate) async fn ask(&self, client: &Client, index: usize, body: &Value) -> Answer {
        self.call(client, "requestReviewersForChangeRequest", index).json(body).send().await
    }

    /// Returns one of them.
    pub(crate) async fn shown(&self, client: &Client, index: usize) -> Answer {
        self.call(client, "getChangeRequestById", index).send().await.expect(200)
    }

    /// Requests a review by its id.
    pub(crate) async fn get_review(&self, client: &Client, index: usize, id: &str) -> Answer {
        let call = self.call(client, "getChangeRequestReviewById", index);
        call.path("reviewId", id).send().await
    }

    /// Lists the reviews of the first one.
    pub(crate) async fn list_reviews(
        &self,
        client: &Client,
        outdated: Option<bool>,
        limit: u32,
        cursor: &str,
    ) -> Answer {
        let mut call = self.call(client, "getReviewsByChangeRequestId", 0);
        call = call.query("limit", limit);
        if let Some(outdated) = outdated {
            call = call.query("outdated", outdated);
        }
        if !cursor.is_empty() {
            call = call.query("page", cursor);
        }
        call.send().await
    }

    /// Lists the requested reviewers.
    pub(crate) async fn requested(
        &self,
        client: &Client,
        index: usize,
        query: &[(&str, &str)],
    ) -> Answer {
        let call = self.call(client, "getRequestedReviewersByChangeRequestId", index);
        let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
        call.send().await.expect(200)
    }

    /// Removes a requested reviewer and returns the status.
    pub(crate) async fn remove_reviewer(&self, client: &Client, index: usize, user: &str) -> u16 {
        let call = self.call(client, "removeRequestedReviewerFromChangeRequest", index);
        call.path("userId", user).send().await.status
    }

    /// Adds a page to the main content and updates one change request with it.
    pub(crate) async fn renew(&self, env: &TestEnv, index: usize) {
        let call = env.client.call("updateSpaceContent").path("spaceId", &self.space);
        let _changed = call.json(&page("More")).send().await.expect(200);
        let call = self.call(&env.client, "updateChangeRequest", index);
        let updated = call.send().await.expect(200);
        assert_eq!(updated.text_at("/result"), "update", "{updated}");
    }

    /// Adds a page to one of them.
    pub(crate) async fn edit(&self, by: &Client, index: usize, title: &str) {
        let call = self.call(by, "updateChangeRequestContent", index);
        let _changed = call.json(&page(title)).send().await.expect(200);
    }
}

/// Returns the change that adds a page.
pub(crate) fn page(title: &str) -> Value {
    let document = json!({ "markdown": format!("About {title}.") });
    let change = json!({ "operation": "insert_page", "title": title, "document": document });
    json!({ "changes": [change] })
}

/// Creates change requests with these authors and subjects. Each of them adds a page.
pub(crate) async fn proposed(env: &TestEnv, by: &[(&str, &str)]) -> Proposed {
    let space = env.space("Proposed").await;
    let mut proposed = Proposed { space, ids: Vec::new() };
    for (index, (author, subject)) in by.iter().enumerate() {
        let author = match *author {
            "" => env.client.clone(),
            email => env.person(email, Some("edit")).await,
        };
        let call = author.call("createChangeRequest").path("spaceId", &proposed.space);
        let made = call.json(&json!({ "subject": subject })).send().await.expect(201);
        proposed.ids.push(made.text_at("/id").to_owned());
        proposed.edit(&author, index, &format!("Page {index}")).await;
    }
    proposed
}

/// Creates a change request and returns its id.
pub(crate) async fn propose(client: &Client, space: &str) -> String {
    let call = client.call("createChangeRequest").path("spaceId", space);
    let made = call.json(&json!({ "subject": "A change" })).send().await.expect(201);
    made.text_at("/id").to_owned()
}

/// The first text of the page of `contested`, and the texts of both sides.
const BASE: &str = "One.\n\nTwo.\n\nThree.\n";
pub(crate) const OURS: &str = "One ours.\n\nTwo.\n\nThree.\n";
pub(crate) const THEIRS: &str = "One theirs.\n\nTwo.\n\nThree and more.\n";

/// Creates a change request that conflicts with the main content in the first paragraph of a page.
pub(crate) async fn contested<'w>(client: &'w Client, space: &str) -> (Proposal<'w>, String) {
    let first = Proposal::new(client, space).await;
    let page = first.page("Page", BASE).await;
    let _merged = first.merge().await.expect(200);
    let (ours, theirs) = (Proposal::new(client, space).await, Proposal::new(client, space).await);
    ours.set(&page, OURS).await;
    theirs.set(&page, THEIRS).await;
    let _merged = theirs.merge().await.expect(200);
    (ours, page)
}
