//! Connections that receive the steps of others.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, channel};

use bindery_testkit::Client;
use serde_json::{Value, json};

use super::{Writer, written};
use crate::support::wait::TIMEOUT;
use crate::support::{TestEnv, each_engine, items};

/// A connection to a session.
pub(super) struct Events(Receiver<String>);

impl Events {
    /// Follows a session from a version.
    pub(super) async fn open(writer: &Writer, address: &str, version: i64) -> Self {
        Self::open_as(writer, address, version, "").await
    }

    /// Follows a session under a name that others see.
    pub(super) async fn open_as(writer: &Writer, address: &str, version: i64, name: &str) -> Self {
        let token = writer.client.token().unwrap();
        let name = if name.is_empty() { String::new() } else { format!("&client={name}") };
        let Writer { space, change_request, session, .. } = writer;
        let content = match change_request.is_empty() {
            true => space.clone(),
            false => format!("{space}/change-requests/{change_request}"),
        };
        let path = format!(
            "/v1/bindery/spaces/{content}/editing/{session}/steps\
             ?version={version}&follow=true{name}"
        );
        let host = address.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let (sender, receiver) = channel();
        let _thread = std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let events = Self(receiver);
        events.line(|line| line == "content-type: text/event-stream");
        events.line(|line| line.is_empty());
        events
    }

    /// Waits for a line.
    #[track_caller]
    pub(super) fn line(&self, wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.0.recv_timeout(TIMEOUT).unwrap();
            if wanted(&line) {
                return line;
            }
        }
    }

    /// Waits for batches.
    #[track_caller]
    fn batches(&self) -> Vec<Value> {
        let line = self.line(|line| line.starts_with("data: ["));
        serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap()
    }

    /// Waits for news of a window.
    #[track_caller]
    pub(super) fn window(&self, client: &str) -> Value {
        loop {
            self.line(|line| line == "event: people");
            let line = self.line(|line| line.starts_with("data: {"));
            let change: Value = serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap();
            let mut present = change["present"].as_array().unwrap().iter();
            if let Some(found) = present.find(|window| window["client"] == client) {
                return found.clone();
            }
        }
    }

    /// Waits for the end of the answer, which is an empty chunk.
    pub(super) fn end(&self) -> String {
        let mut all = String::new();
        while let Ok(line) = self.0.recv_timeout(TIMEOUT) {
            all.push_str(&line);
            if line == "0" {
                break;
            }
        }
        all
    }
}

#[test]
fn steps_arrive_as_they_are_accepted() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        own.write(5, "1").await;
        let address = env.server().address().to_owned();
        let (all, late) =
            (Events::open(&own, &address, 0).await, Events::open(&own, &address, 1).await);
        assert_eq!(all.batches()[0]["version"], json!(1));
        own.version = 1;
        own.version = own.write(6, "2").await;
        for events in [&all, &late] {
            let batches = events.batches();
            assert_eq!(batches[0]["version"], json!(2));
            assert_eq!(batches[0]["client"], json!("own"));
        }
        proposal.set(&page, "One.\n\nTwo.\n\nThree and more.\n").await;
        assert_eq!(late.batches()[0].get("client"), None);
        own.version = 3;
        own.write(7, "3").await;
        assert_eq!(late.batches()[0]["client"], json!("own"));
        if let Some(other) = env.installation().start_another() {
            let there = Writer { client: other.client(), ..copy(&own) };
            let events = Events::open(&there, other.address(), 4).await;
            own.write(5, "4").await;
            assert_eq!(events.batches()[0]["version"], json!(5));
            assert!(other.stop().success());
            let _rest = events.end();
        }
    });
}

#[test]
fn people_see_who_is_there_and_what_is_selected() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann: Client = env.person("ann@example.com", Some("edit")).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let others = Writer::join(&ann, &proposal, &page, "ann").await;
        let address = env.server().address().to_owned();
        let mine = Events::open_as(&own, &address, 0, "own").await;
        assert_eq!(mine.window("own")["client"], json!("own"));
        let theirs = Events::open_as(&others, &address, 0, "ann").await;
        assert_eq!(theirs.window("own")["client"], json!("own"));
        let came = mine.window("ann");
        assert_eq!(came["name"], json!("ann@example.com"));
        assert_eq!(came["selection"], json!(null));
        let select = |writer: &Writer, client: &str| {
            let body = json!({ "client": client, "version": 0, "anchor": 1, "head": 4 });
            writer.of_session("setEditingSelection").json(&body)
        };
        // Nobody moves the caret of another one.
        let _ignored = select(&own, "ann").send().await.expect(204);
        let _set = select(&others, "ann").send().await.expect(204);
        let selected = mine.window("ann");
        assert_eq!(selected["selection"], json!({ "version": 0, "anchor": 1, "head": 4 }));
        let taken = own.of_session("listEditingSteps").query("version", 0).query("follow", true);
        let _refused = taken.query("client", "ann").send().await.expect(409);
        drop(theirs);
    });
}

fn copy(writer: &Writer) -> Writer {
    Writer {
        client: writer.client.clone(),
        space: writer.space.clone(),
        change_request: writer.change_request.clone(),
        page: writer.page.clone(),
        name: writer.name.clone(),
        session: writer.session.clone(),
        version: writer.version,
        number: writer.number,
    }
}

#[test]
fn a_connection_ends_when_its_user_is_removed() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann: Client = env.person("ann@example.com", Some("edit")).await;
        let mut own = Writer::join(&env.client, &proposal, &page, "own").await;
        let others = Writer::join(&ann, &proposal, &page, "others").await;
        let address = env.server().address().to_owned();
        let events = Events::open(&others, &address, 0).await;
        own.write(5, "1").await;
        assert_eq!(events.batches().len(), 1);
        let id = crate::support::people::id_of(&ann).await;
        let remove = env.client.call("removeMemberFromOrganizationById");
        let remove = remove.path("organizationId", &env.organization).path("userId", &id);
        let _removed = remove.send().await.expect(205);
        assert!(events.end().contains("event: end"));
        let _refused = others.steps(0).await.expect(404);
    });
}

#[test]
fn connections_end_with_the_server() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let address = env.server().address().to_owned();
        let events: Vec<_> = {
            let mut all = Vec::new();
            for _ in 0..20 {
                all.push(Events::open(&own, &address, 0).await);
            }
            all
        };
        env.with_store(async |_| ()).await;
        for events in &events {
            let rest = events.end();
            // The answer is complete: its last chunk is empty.
            assert!(rest.ends_with('0') && !rest.contains("event: end"), "{rest}");
        }
    });
}

#[test]
fn one_user_has_a_limited_number_of_connections() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let address = env.server().address().to_owned();
        let mut all = Vec::new();
        for _ in 0..100 {
            all.push(Events::open(&own, &address, 0).await);
        }
        let call = own.of_session("listEditingSteps").query("version", 0).query("follow", true);
        let refused = call.send().await.expect(429);
        assert!(refused.message().contains("found 100 open connections"), "{refused}");
        assert_eq!(items(&own.steps(0).await.expect(200)).len(), 0);
        drop(all);
    });
}
