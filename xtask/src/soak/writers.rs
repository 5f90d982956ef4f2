//! The page that everybody writes, and the programs that write it through the API and with Git.

use super::nodes::Nodes;
use super::{Outcome, Random, missing};
use anyhow::{Context, Result, ensure};
use bindery_testkit::git_server::{Change, GitServer, Repository};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const REPOSITORY: &str = "pages.git";
const BRANCH: &str = "topic";
const FILE: &str = "README.md";
/// Maximum time of a synchronisation with Git.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A page of a change request that belongs to a branch of a repository.
pub(super) struct Page {
    git: GitServer,
    repository: Repository,
    organization: String,
    space: String,
    change_request: String,
    id: String,
}

impl Page {
    /// Creates a space that is synchronised with a repository, and a change request by a branch.
    pub(super) fn create(nodes: &Nodes) -> Result<Self> {
        let git = GitServer::start();
        git.set_login("x-access-token", "token-1");
        let repository = git.repository(REPOSITORY);
        repository.git(&["config", "http.receivepack", "true"]);
        repository.commit("main", "First", [Change::file(FILE, "# Page\n\nOne.\n")]);
        let list = nodes.api("/orgs", None)?;
        let organization = text(&list, "/items/0/id")?;
        let made = json!({ "title": "Soak" });
        let space = nodes.api(&format!("/orgs/{organization}/spaces"), Some(&made))?;
        let space = text(&space, "/id")?;
        let mut page = Self {
            repository,
            organization,
            space,
            change_request: String::new(),
            id: String::new(),
            git,
        };
        let settings = json!({
            "url": page.git.url(REPOSITORY), "ref": "main", "pollingInterval": 0,
            "credentials": { "kind": "token", "token": "token-1" },
            "changeRequests": { "import": ["*"], "export": "branch" },
        });
        nodes.put(&format!("/bindery/spaces/{}/git-sync", page.space), &settings)?;
        page.synchronise(nodes)?;
        let markdown = "# Page\n\nOne.\n\nTwo.\n\n* a\n* b\n\n| a | b |\n| - | - |\n| c | d |\n";
        page.repository.git(&["branch", BRANCH, "main"]);
        page.repository.commit(BRANCH, "Topic", [Change::file(FILE, markdown)]);
        page.synchronise(nodes)?;
        let list =
            nodes.api(&format!("/spaces/{}/change-requests?status=draft", page.space), None)?;
        page.change_request = match text(&list, "/items/0/id") {
            Ok(id) => id,
            Err(_) => {
                let path = format!("/spaces/{}/change-requests?status=open", page.space);
                text(&nodes.api(&path, None)?, "/items/0/id")?
            }
        };
        let pages = nodes.api(&format!("{}/content/pages", page.path()), None)?;
        page.id = text(&pages, "/pages/0/id")?;
        Ok(page)
    }

    /// Returns the place of the page, as the browser application names it.
    pub(super) fn place(&self) -> Value {
        json!({
            "organization": self.organization, "space": self.space,
            "changeRequest": self.change_request,
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    fn path(&self) -> String {
        format!("/spaces/{}/change-requests/{}", self.space, self.change_request)
    }

    /// Runs the synchronisation with Git, and waits until nothing is left to do.
    pub(super) fn synchronise(&self, nodes: &Nodes) -> Result<()> {
        let path = format!("/bindery/spaces/{}/git-sync/run", self.space);
        nodes.api(&path, Some(&json!({})))?;
        let begun = Instant::now();
        for status in ["queued", "running"] {
            let path = format!("/bindery/jobs?space={}&kind=git-sync&status={status}", self.space);
            while nodes.api(&path, None)?.pointer("/items/0").is_some() {
                ensure!(begun.elapsed() < TIMEOUT, "the synchronisation with Git does not end");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    /// Reads the page, adds a paragraph, and writes it some time later, as a program does that does
    /// not know of anybody else. Returns the words that were accepted.
    pub(super) fn write_by_api(&self, nodes: &Nodes, seed: u64, end: Instant) -> Vec<String> {
        let mut random = Random(seed ^ 0xa11);
        let mut added = Vec::new();
        self.wait_for_people(nodes, end);
        while Instant::now() < end {
            let word = format!("program{}x{}e", added.len(), random.below(1_000_000));
            // While its node is down, the program tries again later.
            let written = self.markdown(nodes).and_then(|markdown| {
                pause(&mut random, 3_000, end);
                let markdown = format!("{markdown}\n\n{word}\n");
                let change = json!({ "changes": [{
                    "operation": "update_page", "page": self.id, "document": { "markdown": markdown },
                }] });
                nodes.api(&format!("{}/content?compat=false", self.path()), Some(&change))
            });
            if written.is_ok() {
                added.push(word);
            }
            pause(&mut random, 3_000, end);
        }
        added
    }

    /// Commits a paragraph now and then, and has the commit imported. Returns the words.
    pub(super) fn write_by_git(&self, nodes: &Nodes, seed: u64, end: Instant) -> Vec<String> {
        let mut random = Random(seed ^ 0x617);
        let mut committed = Vec::new();
        self.wait_for_people(nodes, end);
        while Instant::now() < end {
            pause(&mut random, 15_000, end);
            let word = format!("commit{}x{}e", committed.len(), random.below(1_000_000));
            let text = format!("{}\n\n{word}\n", self.committed());
            self.repository.commit(BRANCH, "A paragraph", [Change::file(FILE, text)]);
            committed.push(word);
            // A run that is not possible now is made at the end.
            let _run = self.synchronise(nodes);
        }
        committed
    }

    /// Waits until somebody has typed. Before, a program that does not say what it has read
    /// replaces the page, also what a commit has changed in it meanwhile.
    fn wait_for_people(&self, nodes: &Nodes, end: Instant) {
        let version = || self.joined(nodes).ok()?.get("version")?.as_i64();
        while version().is_none_or(|version| version == 0) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Returns the page as the branch has it.
    fn committed(&self) -> String {
        self.repository.git(&["show", &format!("{BRANCH}:{FILE}")])
    }

    fn markdown(&self, nodes: &Nodes) -> Result<String> {
        let path = format!("{}/content/page/{}?format=markdown", self.path(), self.id);
        text(&nodes.api(&path, None)?, "/markdown")
    }

    fn joined(&self, nodes: &Nodes) -> Result<Value> {
        let path = format!("/bindery{}/pages/{}/editing", self.path(), self.id);
        nodes.api(&path, Some(&json!({})))
    }

    /// Compares the texts of all processes with each other and with those of the server. Returns the
    /// differences.
    pub(super) fn compare(
        &self,
        nodes: &Nodes,
        outcomes: &[Outcome],
        added: &[String],
        committed: &[String],
    ) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let joined = self.joined(nodes)?;
        for (number, outcome) in outcomes.iter().enumerate() {
            if joined.get("document") != Some(&outcome.document) {
                problems.push(format!("process {number} has another text than the session"));
            }
        }
        if joined.get("saved") != joined.get("version") {
            problems.push("the last changes are not saved".to_owned());
        }
        let words: Vec<&String> = outcomes.iter().flat_map(|outcome| &outcome.words).collect();
        let all = || words.iter().copied().chain(added).chain(committed);
        let path = format!("{}/content/page/{}?format=document", self.path(), self.id);
        let texts = [
            ("the session", joined.to_string()),
            ("the API", nodes.api(&path, None)?.to_string()),
            ("Markdown", self.markdown(nodes)?.replace('\\', "")),
            ("Git", self.committed().replace('\\', "")),
        ];
        for (name, text) in &texts {
            let missing = missing(all(), text);
            if !missing.is_empty() {
                let some: Vec<_> = missing.iter().take(10).collect();
                problems.push(format!("{name} lacks {} words, such as {some:?}", missing.len()));
            }
        }
        let markdown = self.markdown(nodes)?;
        if markdown.trim() != self.committed().trim() {
            problems.push("Git has another text than the API".to_owned());
        }
        Ok(problems)
    }

    /// Returns the sizes of the page and its session.
    pub(super) fn describe(&self, nodes: &Nodes) -> Result<String> {
        let joined = self.joined(nodes)?;
        let version = joined.get("version").and_then(Value::as_i64).unwrap_or_default();
        let markdown = self.markdown(nodes)?.len();
        Ok(format!("{version} batches, {markdown} bytes of Markdown"))
    }
}

fn pause(random: &mut Random, milliseconds: u64, end: Instant) {
    let time = Duration::from_millis(random.below(milliseconds));
    std::thread::sleep(time.min(end.saturating_duration_since(Instant::now())));
}

fn text(json: &Value, pointer: &str) -> Result<String> {
    let text = json.pointer(pointer).and_then(Value::as_str);
    Ok(text.with_context(|| format!("nothing at {pointer} in {json}"))?.to_owned())
}
