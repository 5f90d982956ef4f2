//! Pages that several people write together.

mod doors;
mod follow;
mod history;
mod live;
mod people;
mod sessions;
mod socket;
mod suggestions;
mod work;

use bindery_testkit::{Answer, Call, Client};
use serde_json::{Value, json};

use crate::git_branches::Branches;
use crate::support::TestEnv;
use crate::support::change_requests::Proposal;

/// A person who writes a page of a change request, or of the main content.
struct Writer {
    client: Client,
    space: String,
    /// Empty for the main content.
    change_request: String,
    page: String,
    name: String,
    session: String,
    version: i64,
    number: i64,
}

impl Writer {
    /// Joins the session of a page of a change request.
    async fn join(client: &Client, proposal: &Proposal<'_>, page: &str, name: &str) -> Self {
        Self::enter(client, (&proposal.space, &proposal.id), page, name, &json!({})).await
    }

    /// Joins the session of the person's suggestions for a page.
    async fn suggest(client: &Client, proposal: &Proposal<'_>, page: &str, name: &str) -> Self {
        let body = json!({ "suggest": true });
        Self::enter(client, (&proposal.space, &proposal.id), page, name, &body).await
    }

    /// Joins the session of a page of the main content.
    async fn live(client: &Client, space: &str, page: &str, name: &str) -> Self {
        Self::enter(client, (space, ""), page, name, &json!({})).await
    }

    async fn enter(
        client: &Client,
        (space, change_request): (&str, &str),
        page: &str,
        name: &str,
        body: &Value,
    ) -> Self {
        let mut writer = Self {
            client: client.clone(),
            space: space.to_owned(),
            change_request: change_request.to_owned(),
            page: page.to_owned(),
            name: name.to_owned(),
            session: String::new(),
            version: 0,
            number: 0,
        };
        let joined = writer.rejoin(body).await.expect(200);
        writer.session = joined.text_at("/id").to_owned();
        writer.version = joined.at("/version").as_i64().unwrap();
        writer
    }

    fn call(&self, operation: &str) -> Call {
        if self.change_request.is_empty() {
            let operation = match operation {
                "joinPageEditing" => "joinSpacePageEditing",
                "listEditingSteps" => "listSpaceEditingSteps",
                "sendEditingSteps" => "sendSpaceEditingSteps",
                other => other,
            };
            return self.client.call(operation).path("spaceId", &self.space);
        }
        let call = self.client.call(operation).path("spaceId", &self.space);
        call.path("changeRequestId", &self.change_request)
    }

    async fn rejoin(&self, body: &Value) -> Answer {
        self.call("joinPageEditing").path("pageId", &self.page).json(body).send().await
    }

    fn of_session(&self, operation: &str) -> Call {
        self.call(operation).path("editingSessionId", &self.session)
    }

    /// Sends steps for the version that the writer knows.
    async fn send(&mut self, steps: Value, save: bool) -> Answer {
        self.number += 1;
        self.send_again(steps, save).await
    }

    /// Sends steps with the number of the last batch.
    async fn send_again(&self, steps: Value, save: bool) -> Answer {
        let body = json!({
            "version": self.version, "client": self.name, "number": self.number,
            "steps": steps, "save": save,
        });
        self.of_session("sendEditingSteps").json(&body).send().await
    }

    /// Writes a text at a position.
    async fn write(&mut self, at: usize, text: &str) -> i64 {
        let answer = self.send(json!([insertion(at, text)]), false).await.expect(200);
        answer.at("/version").as_i64().unwrap()
    }

    /// Writes the text of the session into the content. Returns the revision.
    async fn save(&mut self) -> String {
        let answer = self.send(json!([]), true).await.expect(200);
        answer.text_at("/revision").to_owned()
    }

    /// Returns the batches after a version.
    async fn steps(&self, after: i64) -> Answer {
        self.of_session("listEditingSteps").query("version", after).send().await
    }

    /// Returns the text of the session, with a line for each block.
    async fn text(&self) -> String {
        lines(self.rejoin(&json!({})).await.expect(200).at("/document"))
    }
}

/// Returns the step that writes a text at a position.
fn insertion(at: usize, text: &str) -> Value {
    let slice = json!({ "content": [{ "type": "text", "text": text }] });
    json!({ "stepType": "replace", "from": at, "to": at, "slice": slice })
}

/// Returns the text of a document of the editor, with a line for each block.
fn lines(document: &Value) -> String {
    fn text(node: &Value) -> String {
        let children = node["content"].as_array().into_iter().flatten();
        node["text"].as_str().map(str::to_owned).unwrap_or_else(|| children.map(text).collect())
    }
    let blocks = document["content"].as_array().into_iter().flatten();
    blocks.map(text).collect::<Vec<_>>().join("\n")
}

/// Returns a document of the editor with these paragraphs.
fn document(blocks: &[&str]) -> Value {
    let paragraph = |text: &&str| match text.is_empty() {
        true => json!({ "type": "paragraph" }),
        false => json!({ "type": "paragraph", "content": [{ "type": "text", "text": text }] }),
    };
    json!({ "type": "doc", "content": blocks.iter().map(paragraph).collect::<Vec<_>>() })
}

/// Creates a change request with a page of three paragraphs, `One.`, `Two.` and `Three.`. The first
/// one ends at position 5, the second one at 11.
async fn written<'w>(env: &TestEnv, client: &'w Client) -> (Proposal<'w>, String) {
    let space = env.space("Together").await;
    let proposal = Proposal::new(client, &space).await;
    let page = proposal.page("Page", "One.\n\nTwo.\n\nThree.\n").await;
    (proposal, page)
}

/// Opens a change request with a branch, whose page `Home` has this text. Returns its data and the
/// page as well.
async fn branched<'e>(env: &'e TestEnv, text: &str) -> (Branches, Value, Proposal<'e>, String) {
    let branches = Branches::new(env, json!({ "import": ["*"], "export": "branch" })).await;
    branches.branch("topic");
    branches.commit("topic", "Greet", "README.md", &format!("# Home\n\n{text}"));
    branches.run(env).await;
    let opened = branches.proposal(env).await;
    let id = opened["id"].as_str().unwrap().to_owned();
    let proposal = Proposal { client: &env.client, space: branches.space.clone(), id };
    let home = branches.page(env, "Home").await["id"].as_str().unwrap().to_owned();
    (branches, opened, proposal, home)
}
