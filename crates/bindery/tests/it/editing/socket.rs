//! The WebSocket that carries requests of editing sessions.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{Writer, insertion, written};
use crate::support::browser::{Browser, sign_in};
use crate::support::people::sign_in_link;
use crate::support::wait::TIMEOUT;
use crate::support::{TestEnv, each_engine};

/// An open WebSocket.
struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Opens the WebSocket with headers. Returns the status of a refusal.
    async fn open(address: &str, headers: &[(&'static str, String)]) -> Result<Self, u16> {
        let host = address.strip_prefix("http://").unwrap();
        let url = format!("ws://{host}/v1/bindery/connection");
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(host).await.unwrap();
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens the WebSocket of a person.
    async fn of(writer: &Writer, address: &str) -> Self {
        let token = writer.client.token().unwrap();
        let open = Self::open(address, &[("authorization", format!("Bearer {token}"))]).await;
        open.unwrap_or_else(|status| panic!("{status}"))
    }

    async fn send(&mut self, message: &Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Waits for the next message; `None` if the server closes the connection.
    async fn next(&mut self) -> Option<Value> {
        loop {
            match timeout(TIMEOUT, self.0.next()).await.unwrap() {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return None,
            }
        }
    }

    /// Waits for a message with this id.
    async fn of_id(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await.unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// Waits for events of a stream that contain a text.
    async fn event(&mut self, id: u64, wanted: &str) -> String {
        loop {
            let message = self.of_id(id).await;
            let data = message["data"].as_str().unwrap_or_default();
            if data.contains(wanted) {
                return data.to_owned();
            }
        }
    }
}

fn steps_path(writer: &Writer) -> String {
    let Writer { space, change_request, session, .. } = writer;
    format!("/bindery/spaces/{space}/change-requests/{change_request}/editing/{session}/steps")
}

fn batch(number: u64, text: &str) -> Value {
    json!({ "version": 0, "client": "socket", "number": number, "steps": [insertion(5, text)] })
}

#[test]
fn requests_and_events_share_a_connection() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let mut socket = Socket::of(&own, env.server().address()).await;
        let path = steps_path(&own);
        let follow = format!("{path}?version=0&follow=true&client=socket");
        socket.send(&json!({ "id": 1, "method": "GET", "path": follow })).await;
        assert_eq!(socket.of_id(1).await, json!({ "id": 1, "status": 200, "stream": true }));
        socket.event(1, "\"client\":\"socket\"").await;
        let send = |id: u64, body: Value| json!({ "id": id, "method": "POST", "path": path, "body": body });
        socket.send(&send(2, batch(1, " Typed."))).await;
        let answer = socket.of_id(2).await;
        assert_eq!((&answer["status"], &answer["body"]["version"]), (&json!(200), &json!(1)));
        let select = json!({ "client": "socket", "version": 1, "anchor": 1, "head": 4 });
        let selection = path.replace("/steps", "/selection");
        let select = json!({ "id": 3, "method": "PUT", "path": selection, "body": select });
        socket.send(&select).await;
        assert_eq!(socket.of_id(3).await, json!({ "id": 3, "status": 204 }));
        socket.event(1, "\"head\":4").await;
        // Errors are those of the API.
        socket.send(&send(4, json!({ "version": 0 }))).await;
        let refused = socket.of_id(4).await;
        assert_eq!(
            (&refused["status"], &refused["body"]["error"]["code"]),
            (&json!(400), &json!(400))
        );
        assert_eq!(own.text().await, "One. Typed.\nTwo.\nThree.");
        // A stream that is cancelled is over, and its id is free.
        socket.send(&json!({ "id": 1, "cancel": true })).await;
        socket.send(&send(1, batch(2, " More."))).await;
        loop {
            let message = socket.of_id(1).await;
            if message.get("data").is_none() {
                assert_eq!(message["body"]["version"], json!(2), "{message}");
                break;
            }
        }
        env.with_store(async |_| ()).await;
        assert_eq!(socket.next().await, None);
    });
}

#[test]
fn what_the_socket_does_not_carry_is_refused() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let address = env.server().address().to_owned();
        let plain = env.client.call("openConnection").send().await.expect(400);
        assert!(plain.message().contains("this path is a WebSocket"), "{plain}");
        let origin = ("origin", "http://elsewhere.example".to_owned());
        assert_eq!(Socket::open(&address, &[origin]).await.err(), Some(403));
        assert!(Socket::open(&address, &[("origin", address.clone())]).await.is_ok());

        let mut socket = Socket::of(&own, &address).await;
        for path in ["/orgs", "/bindery/tokens", "/bindery/spaces/x/people"] {
            socket.send(&json!({ "id": 1, "method": "GET", "path": path })).await;
            assert_eq!(socket.of_id(1).await["status"], json!(404), "{path}");
        }
        let odd = json!({ "id": 1, "method": "GET", "path": "/bindery/spaces/ /editing" });
        socket.send(&odd).await;
        assert_eq!(socket.of_id(1).await["status"], json!(400));
        // The number of open requests is limited, and small before the first one was accepted.
        let follow = format!("{}?version=0&follow=true", steps_path(&own));
        for (id, status) in [(1, 200), (1, 409)] {
            socket.send(&json!({ "id": id, "method": "GET", "path": follow })).await;
            while socket.of_id(id).await.get("status") != Some(&json!(status)) {}
        }
        for id in 2..=17 {
            socket.send(&json!({ "id": id, "method": "GET", "path": follow })).await;
            let status = if id == 17 { 429 } else { 200 };
            assert_eq!(socket.of_id(id).await["status"], json!(status), "{id}");
        }
        for broken in ["{", "[]", "{\"id\":1}", "{\"id\":1,\"more\":2}"] {
            let mut socket = Socket::of(&own, &address).await;
            socket.0.send(Message::text(broken)).await.unwrap();
            assert_eq!(socket.next().await, None, "{broken}");
        }
        let mut socket = Socket::of(&own, &address).await;
        let long = "x".repeat((1 << 20) + 1);
        // The server may close before everything is sent.
        let _sent = socket.0.send(Message::text(long)).await;
        assert_eq!(socket.next().await, None);
    });
}

#[test]
fn a_browser_writes_with_its_session() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let own = Writer::join(&env.client, &proposal, &page, "own").await;
        let address = env.server().address().to_owned();
        let link = sign_in_link(env, "ben@example.com", "edit").await;
        let browser = Browser::of(env, &sign_in(env, json!({ "link": link })).await.expect(201));
        let cookie = ("cookie", browser.cookie.clone());
        let send = |id: u64| {
            let path = steps_path(&own);
            json!({ "id": id, "method": "POST", "path": path, "body": batch(id, "!") })
        };
        let origin = ("origin", address.clone());
        let mut socket = Socket::open(&address, &[cookie.clone(), origin]).await.ok().unwrap();
        socket.send(&send(1)).await;
        assert_eq!(socket.of_id(1).await["status"], json!(200));
        assert_eq!(own.text().await, "One.!\nTwo.\nThree.");
        // Nothing proves that this program is a page of the server.
        let mut socket = Socket::open(&address, &[cookie]).await.ok().unwrap();
        socket.send(&send(2)).await;
        assert_eq!(socket.of_id(2).await["status"], json!(403));
    });
}

#[test]
fn a_socket_gives_no_more_access_than_its_requests() {
    each_engine(async |env: &mut TestEnv| {
        let client = env.client.clone();
        let (proposal, page) = written(env, &client).await;
        let ann = env.person("ann@example.com", Some("edit")).await;
        let own = Writer::join(&ann, &proposal, &page, "own").await;
        let address = env.server().address().to_owned();
        let follow = format!("{}?version=0&follow=true", steps_path(&own));
        let ask = json!({ "id": 1, "method": "GET", "path": follow });
        let mut stranger = Socket::open(&address, &[]).await.ok().unwrap();
        stranger.send(&ask).await;
        assert_eq!(stranger.of_id(1).await["status"], json!(401));
        let mut socket = Socket::of(&own, &address).await;
        socket.send(&ask).await;
        assert_eq!(socket.of_id(1).await["status"], json!(200));
        let id = crate::support::people::id_of(&ann).await;
        let remove = env.client.call("removeMemberFromOrganizationById");
        let remove = remove.path("organizationId", &env.organization).path("userId", &id);
        let _removed = remove.send().await.expect(205);
        socket.event(1, "event: end").await;
        assert_eq!(socket.of_id(1).await, json!({ "id": 1, "end": true }));
        let send =
            json!({ "id": 2, "method": "POST", "path": steps_path(&own), "body": batch(1, "!") });
        socket.send(&send).await;
        assert_eq!(socket.of_id(2).await["status"], json!(404));
        // Nobody keeps a connection that does nothing.
        assert_eq!(stranger.next().await, None);
    });
}
