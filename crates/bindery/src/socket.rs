//! A WebSocket that carries requests of people who write pages together, with their answers and
//! events. Each request in it passes the API as one that arrives alone, with the same limits and
//! checks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bindery_api::Api;
use bindery_app::App;
use bindery_app::people::sessions;
use bindery_app::publishing::urls::Urls;
use bindery_http::{
    Client, ConnectionPlace, Request, RequestBody, Response, SessionCookie, Upgrade,
    UpgradedStream, is_cross_origin,
};
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, Sender};
use tokio::task::AbortHandle;
use tokio::time::{Instant, interval_at, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// The path of the WebSocket.
pub(crate) const PATH: &str = "/v1/bindery/connection";

/// Maximum size of a message from a client in bytes. Larger requests are sent alone.
const MAX_MESSAGE: usize = 1 << 20;
/// Maximum size of the body of an answer in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// Maximum number of open requests of a connection.
const MAX_OPEN: usize = 16;
/// Maximum number of open requests before one was accepted.
const MAX_OPEN_FIRST: usize = 1;
/// Time in which a first request has to be accepted.
const FIRST_TIME: Duration = Duration::from_secs(10);
/// Time between two pings, so that proxies keep the connection open.
const PING_INTERVAL: Duration = Duration::from_secs(25);
/// Maximum time for sending a message to a client.
const SEND_TIME: Duration = Duration::from_secs(30);
/// Number of messages that wait to be sent.
const WAITING: usize = 32;

/// The headers of the first request that count for the requests in the connection.
const KEPT: [HeaderName; 6] = [
    header::HOST,
    header::AUTHORIZATION,
    header::COOKIE,
    header::ORIGIN,
    header::USER_AGENT,
    header::ACCEPT_LANGUAGE,
];

/// The parts of the server that a connection needs.
#[derive(Clone)]
pub(crate) struct Served {
    pub(crate) api: Arc<Api>,
    pub(crate) app: Arc<App>,
    pub(crate) client: Client,
    pub(crate) reached_at: Option<Urls>,
}

/// Returns `true` if a request asks for the WebSocket.
pub(crate) fn is_asked(request: &Request) -> bool {
    let has = |name: HeaderName, value: &str| {
        let header = request.headers().get(name).and_then(|found| found.to_str().ok());
        header.is_some_and(|found| {
            found.split(',').any(|part| part.trim().eq_ignore_ascii_case(value))
        })
    };
    request.uri().path() == PATH
        && request.method() == http::Method::GET
        && has(header::UPGRADE, "websocket")
        && has(header::SEC_WEBSOCKET_VERSION, "13")
        && request.headers().contains_key(header::SEC_WEBSOCKET_KEY)
}

/// Answers the request for the WebSocket and serves it on a runtime. Pages of other origins get
/// none, because a browser would send cookies with it and let them read the answers.
pub(crate) fn open(mut request: Request, host: &str, served: Served, workers: &Handle) -> Response {
    let names_origin = request.headers().contains_key(header::ORIGIN);
    if names_origin && is_cross_origin(request.headers(), host) {
        return served.api.refuse(403, "a page of another origin cannot open this connection");
    }
    let Some(upgrade) = request.extensions_mut().remove::<Upgrade>() else {
        return served.api.refuse(400, "the connection cannot change its protocol");
    };
    let key = request.headers().get(header::SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let accept = derive_accept_key(key.unwrap_or_default());
    let mut kept = HeaderMap::new();
    for name in KEPT {
        for value in request.headers().get_all(&name) {
            kept.append(name.clone(), value.clone());
        }
    }
    // Browsers name the origin of the page that opens the connection. It is this one, which is what
    // the token proves for requests that are sent alone.
    let secure = served.app.urls.secure();
    let secret = SessionCookie { secure }.find(&kept).filter(|_| names_origin);
    let token = secret.map(|secret| HeaderValue::try_from(sessions::csrf_token(secret)));
    if let Some(Ok(token)) = token {
        kept.insert(HeaderName::from_static("x-csrf-token"), token);
    }
    workers.spawn(async move {
        if let Some(stream) = upgrade.stream().await {
            serve(stream, Arc::new(kept), served).await;
        }
    });
    let mut response = Response::new(bindery_http::Body::empty());
    *response.status_mut() = http::StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    if let Ok(accept) = HeaderValue::try_from(accept) {
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    }
    response
}

/// A message from a client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    id: u64,
    method: Option<String>,
    path: Option<String>,
    body: Option<Box<RawValue>>,
    #[serde(default)]
    cancel: bool,
}

/// A message to the client.
enum Told {
    /// An answer or a part of it, with `true` if it accepts the request.
    Text(String, bool),
    /// The end of a request.
    End(u64),
}

/// The requests that are open in a connection.
#[derive(Default)]
struct Open(HashMap<u64, AbortHandle>);

impl Drop for Open {
    fn drop(&mut self) {
        for request in self.0.values() {
            request.abort();
        }
    }
}

/// Serves a connection until it ends.
async fn serve(stream: UpgradedStream, headers: Arc<HeaderMap>, served: Served) {
    let place = stream.place();
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (sender, mut told) = mpsc::channel(WAITING);
    let mut open = Open::default();
    let mut is_accepted = false;
    let first = Instant::now() + FIRST_TIME;
    let mut pings = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
    let stopped = served.app.editing.follows.wait_for_close();
    let mut stopped = std::pin::pin!(stopped);
    loop {
        let message = tokio::select! {
            received = socket.next() => match received {
                Some(Ok(Message::Text(text))) => {
                    let most = if is_accepted { MAX_OPEN } else { MAX_OPEN_FIRST };
                    match ask(text.as_str(), &headers, &served, &sender, &mut open, most) {
                        Ok(None) => continue,
                        Ok(Some(refused)) => Message::text(refused),
                        Err(NotUnderstood) => break,
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                _ => break,
            },
            Some(told) = told.recv() => match told {
                Told::Text(text, accepts) => {
                    if accepts && !is_accepted {
                        is_accepted = true;
                        place.set_signed_in();
                    }
                    Message::text(text)
                }
                Told::End(id) => {
                    open.0.remove(&id);
                    continue;
                }
            },
            _ = pings.tick() => Message::Ping(Bytes::new()),
            () = ended(&place, first, is_accepted) => break,
            () = &mut stopped => break,
        };
        if !matches!(timeout(SEND_TIME, socket.send(message)).await, Ok(Ok(()))) {
            break;
        }
    }
    drop(open);
    // The client may have gone.
    let _closed = timeout(SEND_TIME, socket.close(None)).await;
}

/// Waits until the connection has to close in favour of others, or no request was accepted in time.
async fn ended(place: &ConnectionPlace, first: Instant, is_accepted: bool) {
    tokio::select! {
        () = place.wait_for_close() => {}
        () = sleep_until(first), if !is_accepted => {}
    }
}

/// The client does not follow the protocol.
struct NotUnderstood;

/// Begins or cancels a request. Returns the message that refuses it, if it does.
fn ask(
    text: &str,
    headers: &Arc<HeaderMap>,
    served: &Served,
    sender: &Sender<Told>,
    open: &mut Open,
    most: usize,
) -> Result<Option<String>, NotUnderstood> {
    let asked: Asked = serde_json::from_str(text).map_err(|_| NotUnderstood)?;
    let id = asked.id;
    if asked.cancel {
        if let Some(request) = open.0.remove(&id) {
            request.abort();
        }
        return Ok(None);
    }
    let refused = |status: u16, message: &str| {
        let body = serde_json::json!({ "error": { "code": status, "message": message } });
        Ok(Some(format!(r#"{{"id":{id},"status":{status},"body":{body}}}"#)))
    };
    let (Some(method), Some(path)) = (asked.method, asked.path) else { return Err(NotUnderstood) };
    if open.0.contains_key(&id) {
        return refused(409, "another request with this id is open");
    }
    if open.0.len() >= most {
        return refused(429, "too many requests are open in this connection");
    }
    if !path.starts_with("/bindery/spaces/") || !path.contains("/editing") {
        return refused(404, "this connection carries requests of editing sessions only");
    }
    let body = asked.body.map(|body| Bytes::from(body.get().to_owned())).unwrap_or_default();
    let mut request = Request::new(RequestBody::whole(body));
    let (Ok(method), Ok(uri)) = (method.parse(), format!("/v1{path}").parse()) else {
        return refused(400, "found a method or a path that HTTP does not allow");
    };
    (*request.method_mut(), *request.uri_mut()) = (method, uri);
    *request.headers_mut() = HeaderMap::clone(headers);
    let json = HeaderValue::from_static("application/json");
    request.headers_mut().insert(header::CONTENT_TYPE, json);
    let (served, sender) = (served.clone(), sender.clone());
    let task = tokio::spawn(async move {
        // The connection may have ended.
        let _sent = answer(id, request, &served, &sender).await;
        let _ended = sender.send(Told::End(id)).await;
    });
    open.0.insert(id, task.abort_handle());
    Ok(None)
}

/// Answers a request in one message, or an event stream in several.
async fn answer(
    id: u64,
    request: Request,
    served: &Served,
    sender: &Sender<Told>,
) -> Result<(), mpsc::error::SendError<Told>> {
    let Served { api, client, reached_at, .. } = served;
    let response = api.handle(request, client.clone(), reached_at.clone()).await;
    let status = response.status().as_u16();
    let accepts = response.status().is_success();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    let mut body = response.into_body();
    if is_stream {
        let head = format!(r#"{{"id":{id},"status":{status},"stream":true}}"#);
        sender.send(Told::Text(head, accepts)).await?;
        while let Some(Ok(frame)) = body.frame().await {
            let Ok(data) = frame.into_data() else { continue };
            let data = serde_json::Value::from(String::from_utf8_lossy(&data));
            sender.send(Told::Text(format!(r#"{{"id":{id},"data":{data}}}"#), true)).await?;
        }
        return sender.send(Told::Text(format!(r#"{{"id":{id},"end":true}}"#), false)).await;
    }
    let mut text = String::new();
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        text.push_str(&String::from_utf8_lossy(&data));
        if text.len() > MAX_ANSWER {
            break;
        }
    }
    let answer = match serde_json::from_str::<&RawValue>(&text) {
        Ok(body) => format!(r#"{{"id":{id},"status":{status},"body":{body}}}"#),
        // An answer without a body.
        Err(_) => format!(r#"{{"id":{id},"status":{status}}}"#),
    };
    sender.send(Told::Text(answer, accepts)).await
}
