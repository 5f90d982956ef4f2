//! Calls operations and compares the responses with their snapshots.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bindery_contract::{Contract, Operation};
use bindery_model::Clock as _;
use bindery_testkit::{Answer, Call, Client};
use serde_json::Value;

use super::FOLDER;
use super::normalize::Normalizer;
use crate::support::every_operation::{Ids, about, built, queries_of, with_body};
use crate::support::{SystemClock, TestEnv, until};

/// Operations that cannot succeed yet, because no operation creates what they need: content
/// sources, and sign-in providers.
const WITHOUT_SUCCESS: [&str; 4] = [
    "getComputedDocument",
    "getComputedRevision",
    "setUserAsSSOMemberForOrganization",
    "openConnection",
];

/// The headers in a snapshot, with their values.
const HEADERS: [&str; 6] =
    ["content-type", "location", "link", "cache-control", "content-language", "set-cookie"];

/// The texts of the snapshots on the first engine.
pub(super) type FirstTexts = RefCell<BTreeMap<&'static str, String>>;

/// Calls operations with the ids of the test data, and compares each response with the snapshot of
/// its operation.
pub(super) struct Recorder<'a> {
    pub(super) env: &'a TestEnv,
    /// The caller of the next operations.
    pub(super) client: Client,
    /// The values of the path parameters of the next operations.
    pub(super) ids: Ids,
    first: &'a FirstTexts,
    recorded: BTreeSet<&'static str>,
    different: Vec<&'static str>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(env: &'a TestEnv, ids: Ids, first: &'a FirstTexts) -> Self {
        let client = env.client.clone();
        Self { env, client, ids, first, recorded: BTreeSet::new(), different: Vec::new() }
    }

    /// Sets the value of a path parameter. Snapshots show its name instead of the value.
    pub(super) fn set(&mut self, name: &'static str, value: &str) {
        self.ids.insert(name, value.to_owned());
    }

    /// Returns a call of an operation with its path parameters and required query parameters.
    pub(super) fn call(&self, id: &str) -> Call {
        let operation = operation(id);
        let queries = queries_of(operation, &self.ids).into_iter();
        let call = about(&self.client, operation, &self.ids);
        queries.fold(call, |call, (name, value)| call.query(name, value))
    }

    /// Calls an operation with a body of the common test data, if it has one.
    pub(super) async fn record(&mut self, id: &str) -> Answer {
        let call = with_body(self.call(id), operation(id), &self.ids);
        self.send(id, call).await
    }

    /// Calls an operation with this body.
    pub(super) async fn record_json(&mut self, id: &str, body: Value) -> Answer {
        self.send(id, self.call(id).json(&body)).await
    }

    /// Calls several operations in order.
    pub(super) async fn record_all(&mut self, ids: &[&str]) {
        for id in ids {
            let _recorded = self.record(id).await;
        }
    }

    /// Sends a call of an operation and compares the response with its snapshot.
    pub(super) async fn send(&mut self, id: &str, call: Call) -> Answer {
        let operation = operation(id);
        assert!(self.recorded.insert(&operation.id), "{id} is recorded twice");
        let answer = settled(call).await;
        if answer.status >= 300 && !WITHOUT_SUCCESS.contains(&id) {
            println!("{answer}");
            self.different.push(&operation.id);
            return answer;
        }
        self.compare(operation, &answer);
        answer
    }

    fn compare(&mut self, operation: &'static Operation, answer: &Answer) {
        let text = self.told(operation, answer);
        let known = self.first.borrow_mut().entry(&operation.id).or_insert(text.clone()).clone();
        if known != text {
            println!("the engines differ:\n{known}\n{text}");
            self.different.push(&operation.id);
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(format!("{FOLDER}/{}", operation.group));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        let compare = || insta::assert_snapshot!(operation.id.as_str(), text);
        // All differences are reported in one run.
        if catch_unwind(AssertUnwindSafe(|| settings.bind(compare))).is_err() {
            self.different.push(&operation.id);
        }
    }

    /// Returns the text of a snapshot: the operation, the status, the headers and the body.
    fn told(&self, operation: &Operation, answer: &Answer) -> String {
        let mut normalizer = Normalizer::new(self.env.server().address(), &self.ids);
        let mut told = format!("{} {}\n\n", operation.method, operation.path);
        told.push_str(&format!("{}\n", answer.status));
        for name in HEADERS {
            for value in answer.headers.get_all(name) {
                let value = normalizer.text(&String::from_utf8_lossy(value.as_bytes()));
                told.push_str(&format!("{name}: {value}\n"));
            }
        }
        if answer.headers.contains_key("etag") {
            told.push_str("etag: [etag]\n");
        }
        let body = match &answer.json {
            Value::Null if answer.body.starts_with(b"%PDF-") => "[PDF]".to_owned(),
            Value::Null => normalizer.text(&answer.text()),
            json => normalizer.json(&operation.id, json),
        };
        told.push_str(&format!("\n{body}"));
        told
    }

    /// Asserts that all implemented operations were called and answered as in their snapshots.
    pub(super) fn finish(self) {
        let missing: Vec<_> = built()
            .map(|operation| operation.id.as_str())
            .filter(|id| !self.recorded.contains(id))
            .collect();
        assert!(self.different.is_empty(), "different answers: {:?}", self.different);
        assert!(missing.is_empty(), "operations without a snapshot: {missing:?}");
    }
}

fn operation(id: &str) -> &'static Operation {
    Contract::embedded().operation(id).unwrap()
}

/// Sends a call and waits for the next millisecond, so that lists by time have a fixed order.
pub(super) async fn settled(call: Call) -> Answer {
    let start = SystemClock.now();
    let answer = call.send().await;
    until(async || (SystemClock.now() > start).then_some(())).await;
    answer
}
