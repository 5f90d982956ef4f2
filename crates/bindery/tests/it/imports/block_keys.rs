//! Block keys and heading anchors when a text is edited in its repository and imported again, in
//! the API and on the published page.

use std::collections::{BTreeMap, HashSet};

use bindery_testkit::git_server::{Change, GitServer};
use serde_json::{Value, json};

use crate::support::{TestEnv, each_engine};

/// A text long enough to be recognised when a page is moved and edited at once.
const COMMON: &str = "Every paragraph of this one is long enough to be recognised wherever it \
    goes.\n\nThe second says something else, about the sea and the ships that cross it.\n\nThe \
    third is about a mountain that nobody has climbed.\n";

const FIRST: &str = "## Instalation\n\nFirst [link](../other.md) of all.\n\n## Example\n\n* one\n\
    * two\n\n{% hint style=\"info\" %}\nMind the gap.\n{% endhint %}\n\n```js\nlet x = 1;\n```\n";

/// Words change, a heading and an item are inserted before equal ones, and a block moves into a
/// tab.
const SECOND: &str = "## Installation\n\nFirst and best [link](../other.md) of all.\n\n\
    ## Example\n\nNew words.\n\n## Example\n\n* zero\n* one\n* two!\n\n{% tabs %}\n\
    {% tab title=\"T\" %}\n{% hint style=\"info\" %}\nMind the gap.\n{% endhint %}\n{% endtab %}\n\
    {% endtabs %}\n\n```js\nlet x = 1;\nlet y = 2;\n```\n";

const THIRD: &str = "## Installation\n\nFirst and best [link](../../other.md) of them all.\n\n\
    ## Example\n\nNewer words.\n\n## Example\n\n* one\n* two!\n\n```js\nlet y = 2;\n```\n\n\
    {% hint style=\"info\" %}\nMind the gap!\n{% endhint %}\n";

struct Pages<'w> {
    env: &'w TestEnv,
    space: String,
    git: GitServer,
}

impl Pages<'_> {
    /// Commits files and imports them. Returns the resulting revision.
    async fn import(&self, files: &[(&str, Option<&str>)]) -> String {
        let changes = files.iter().map(|(path, text)| match text {
            Some(text) => Change::file(path, text),
            None => Change::Delete(path.as_bytes().to_vec()),
        });
        self.git.repository("docs.git").commit("main", "m", changes);
        let body = json!({ "url": self.git.url("docs.git"), "ref": "refs/heads/main" });
        let job = self.env.import(&self.space, &body).await;
        assert_eq!(job.text_at("/status"), "done", "{job}");
        job.text_at("/revision").to_owned()
    }

    /// Returns the document of a page, after comparing all operations that return it.
    async fn document(&self, revision: &str, page: &str) -> Value {
        let call = |operation: &str| self.env.client.call(operation).path("spaceId", &self.space);
        let alone = call("getPageDocumentInRevisionById").path("revisionId", revision);
        let alone = alone.path("pageId", page).send().await.expect(200).json;
        let whole = call("getPageInRevisionById").path("revisionId", revision);
        let whole = whole.path("pageId", page).query("format", "document").send().await.expect(200);
        assert_eq!(whole.at("/document"), &alone);
        let id = whole.text_at("/documentId");
        let by_id = call("getDocumentById").path("documentId", id).send().await.expect(200);
        assert_eq!(keys(&by_id.json), keys(&alone));
        alone
    }

    async fn page(&self, path: &str) -> String {
        let call = self.env.client.call("getPageByPath").path("spaceId", &self.space);
        call.path("pagePath", path).send().await.expect(200).text_at("/id").to_owned()
    }
}

/// Returns the keys of all nodes, by type and text.
fn keys(document: &Value) -> BTreeMap<String, Vec<String>> {
    fn texts(value: &Value, to: &mut String) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| texts(value, to)),
            Value::Object(object) => {
                to.extend(object.get("text").and_then(Value::as_str));
                object.values().for_each(|value| texts(value, to));
            }
            _ => {}
        }
    }
    fn collect(value: &Value, to: &mut BTreeMap<String, Vec<String>>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| collect(value, to)),
            Value::Object(object) => {
                if let Some(key) = object.get("key").and_then(Value::as_str) {
                    let kind = object.get("type").or(object.get("object"));
                    let mut name = format!("{} ", kind.unwrap().as_str().unwrap());
                    texts(value, &mut name);
                    to.entry(name).or_default().push(key.to_owned());
                }
                object.values().for_each(|value| collect(value, to));
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    collect(document, &mut found);
    let all: Vec<&String> = found.values().flatten().collect();
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "a key is there twice");
    found
}

/// Returns the anchors of the headings in order.
fn anchors(document: &Value) -> Vec<&str> {
    let nodes = document["nodes"].as_array().unwrap();
    nodes.iter().filter_map(|node| node.pointer("/meta/id")?.as_str()).collect()
}

fn page(text: &str) -> String {
    format!("# Title\n\n{text}\n{COMMON}")
}

#[test]
fn repeated_imports_keep_keys_and_anchors() {
    each_engine(async |env: &mut TestEnv| {
        let space = env.space("Kept").await;
        let pages = Pages { env, space, git: GitServer::start() };
        let include = "Noted once.\n\nShown often.\n";
        let revisions = [
            pages
                .import(&[
                    ("README.md", Some("# Home\n")),
                    ("other.md", Some("# Other\n\nNothing of interest.\n")),
                    ("guide/start.md", Some(&page(FIRST))),
                    (".gitbook/includes/note.md", Some(include)),
                ])
                .await,
            pages
                .import(&[
                    ("guide/start.md", Some(&page(SECOND))),
                    (".gitbook/includes/note.md", Some("New.\n\nNoted twice.\n\nShown often.\n")),
                ])
                .await,
            // Moved and edited at once.
            pages
                .import(&[
                    ("guide/start.md", None),
                    ("manual/deep/begin.md", Some(&page(THIRD))),
                    ("README.md", Some("# Home\n\nAnother page changes too.\n")),
                ])
                .await,
            // Moved back, with the first text.
            pages
                .import(&[("manual/deep/begin.md", None), ("guide/start.md", Some(&page(FIRST)))])
                .await,
        ];
        let id = pages.page("guide/start").await;
        let mut documents = Vec::new();
        for revision in &revisions {
            documents.push(pages.document(revision, &id).await);
        }
        let all: Vec<_> = documents.iter().map(keys).collect();
        blocks_keep_their_keys(&all);
        assert_eq!(all[1]["heading-1 Example"][1], all[0]["heading-1 Example"][0]);
        assert_eq!(all[1]["heading-1 Example"], all[2]["heading-1 Example"]);
        for new in ["paragraph New words.", "list-item zero", "tabs-item Mind the gap."] {
            let old: HashSet<_> = all[0].values().flatten().collect();
            assert!(all[1][new].iter().all(|key| !old.contains(key)), "{new}");
        }
        // A renamed heading and the heading above the list keep their anchors.
        assert_eq!(anchors(&documents[0]), ["instalation", "example"]);
        assert_eq!(anchors(&documents[1]), ["instalation", "example-1", "example"]);
        assert_eq!(anchors(&documents[2]), anchors(&documents[1]));
        assert_eq!(anchors(&documents[3]), ["instalation", "example"]);
        // Responses for earlier revisions do not change.
        let client = env.client.call("getCurrentRevision").path("spaceId", &pages.space);
        assert_eq!(client.send().await.expect(200).text_at("/id"), revisions[3]);
        includes_keep_theirs(&pages, &revisions).await;
        published_pages_have_the_same(&pages).await;
    });
}

/// Checks that blocks have the same key in each revision, with edited text.
fn blocks_keep_their_keys(all: &[BTreeMap<String, Vec<String>>]) {
    for (what, names) in [
        (
            "the heading",
            ["heading-1 Instalation", "heading-1 Installation", "heading-1 Installation"],
        ),
        (
            "the text",
            [
                "paragraph First link of all.",
                "paragraph First and best link of all.",
                "paragraph First and best link of them all.",
            ],
        ),
        ("the link", ["link link", "link link", "link link"]),
        (
            "the list",
            ["list-unordered onetwo", "list-unordered zeroonetwo!", "list-unordered onetwo!"],
        ),
        ("an item", ["list-item one", "list-item one", "list-item one"]),
        ("an edited item", ["list-item two", "list-item two!", "list-item two!"]),
        ("the hint", ["hint Mind the gap.", "hint Mind the gap.", "hint Mind the gap!"]),
        (
            "its text",
            ["paragraph Mind the gap.", "paragraph Mind the gap.", "paragraph Mind the gap!"],
        ),
        ("the code", ["code let x = 1;", "code let x = 1;let y = 2;", "code let y = 2;"]),
    ] {
        let found: Vec<_> = names
            .iter()
            .zip(all)
            .map(|(name, keys)| keys.get(*name).unwrap_or_else(|| panic!("no {name} in {keys:#?}")))
            .collect();
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{what}: {found:?}");
        // If the text is restored, all keys that it had are restored.
        assert_eq!(found[0], &all[3][names[0]], "{what}");
    }
}

async fn includes_keep_theirs(pages: &Pages<'_>, revisions: &[String]) {
    let call = |operation: &str| pages.env.client.call(operation).path("spaceId", &pages.space);
    let whole = pages.env.of_space("getCurrentRevision", &pages.space).await.expect(200);
    let id = whole.text_at("/reusableContents/0/id").to_owned();
    let mut all = Vec::new();
    for revision in &revisions[..2] {
        let document = call("getReusableContentDocumentInRevisionById");
        let document = document.path("revisionId", revision).path("reusableContentId", &id);
        all.push(keys(&document.send().await.expect(200).json));
    }
    assert_eq!(all[0]["paragraph Noted once."], all[1]["paragraph Noted twice."]);
    assert_eq!(all[0]["paragraph Shown often."], all[1]["paragraph Shown often."]);
}

/// The published page has the anchors of the document, and the anchors derived from the titles.
async fn published_pages_have_the_same(pages: &Pages<'_>) {
    let Pages { env, space, .. } = pages;
    pages.import(&[("guide/start.md", Some(&page(SECOND)))]).await;
    let call = env.client.call("createSite").path("organizationId", &env.organization);
    let site = call.json(&json!({ "title": "Kept" })).send().await.expect(201);
    let of_site = |operation: &str| {
        let call = env.client.call(operation).path("organizationId", &env.organization);
        call.path("siteId", site.text_at("/id"))
    };
    let added = of_site("addSpaceToSite").json(&json!({ "spaceId": space }));
    let _added = added.send().await.expect(201);
    let _published = of_site("publishSite").send().await.expect(200);
    let reader = env.client.anonymous();
    let html = reader.get("/kept/guide/start", &[]).await.expect(200).text();
    for id in ["instalation", "installation", "example", "example-1"] {
        assert_eq!(html.matches(&format!(" id=\"{id}\"")).count(), 1, "{id} in {html}");
    }
}
