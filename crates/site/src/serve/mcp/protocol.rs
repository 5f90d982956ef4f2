//! The messages of the Model Context Protocol: JSON-RPC 2.0, each in the body of one request.

use serde_json::{Map, Value, json};

/// The versions of the protocol that clients may ask for, newest first. The one before them has
/// another transport.
const VERSIONS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// Maximum number of messages in one body. The version 2025-03-26 has such bodies.
const MAX_MESSAGES: usize = 16;

/// A message of a client.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Message {
    /// A request, which is answered under its id.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// A notification, or the answer to a request of the server. Nobody waits for a reply.
    Notice,
}

/// The reason why a request is not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RpcError {
    code: i32,
    message: String,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Returns the error for parameters that are wrong.
    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// Returns the error for a method that this server does not have.
    pub(super) fn unknown_method(method: &str) -> Self {
        let method: String = method.chars().take(100).collect();
        Self::new(-32601, format!("this server has no method `{method}`"))
    }

    /// Returns the error for a failure of the server.
    pub(super) fn internal() -> Self {
        Self::new(-32603, "the server failed; its log says why")
    }
}

/// The body of a request.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Messages {
    /// One message.
    One(Value),
    /// Several messages, which are answered together.
    Batch(Vec<Value>),
}

/// Reads the body of a request.
pub(super) fn parse(body: &[u8]) -> Result<Messages, RpcError> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| RpcError::new(-32700, format!("the body is not valid JSON: {error}")))?;
    match value {
        Value::Array(messages) if (1..=MAX_MESSAGES).contains(&messages.len()) => {
            Ok(Messages::Batch(messages))
        }
        Value::Array(_) => {
            let count = format!("an array must have 1 to {MAX_MESSAGES} messages");
            Err(RpcError::new(-32600, count))
        }
        message => Ok(Messages::One(message)),
    }
}

/// Reads a message.
pub(super) fn message(value: Value) -> Result<Message, RpcError> {
    let invalid = |message: &str| RpcError::new(-32600, message);
    let Value::Object(mut message) = value else {
        return Err(invalid("a JSON-RPC message must be an object"));
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc` must be \"2.0\""));
    }
    let method = match message.remove("method") {
        Some(Value::String(method)) => method,
        None if message.contains_key("result") || message.contains_key("error") => {
            return Ok(Message::Notice);
        }
        _ => return Err(invalid("`method` must be a string")),
    };
    let id = match message.remove("id") {
        None => return Ok(Message::Notice),
        Some(id @ (Value::String(_) | Value::Number(_))) => id,
        Some(_) => return Err(invalid("`id` must be a string or a number")),
    };
    let params = match message.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err(RpcError::invalid_params("`params` must be an object")),
    };
    Ok(Message::Request { id, method, params })
}

/// Returns the body of an answer. An error of a message that cannot be read has no id.
pub(super) fn answer(id: Option<&Value>, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message }) => json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message },
        }),
    }
}

/// Returns `true` if this server speaks a version of the protocol.
pub(super) fn is_version(version: &str) -> bool {
    VERSIONS.contains(&version)
}

/// Returns the version for a client that asks for one: that version, or the newest.
pub(super) fn agreed_version(asked: Option<&str>) -> &'static str {
    let known = |asked| VERSIONS.into_iter().find(|version| *version == asked);
    asked.and_then(known).unwrap_or(VERSIONS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_notices_are_told_apart() {
        let request = br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
        let expect =
            Message::Request { id: json!("a"), method: "ping".to_owned(), params: Map::new() };
        let read = |body: &[u8]| message(serde_json::from_slice(body).unwrap());
        assert_eq!(read(request), Ok(expect));
        for notice in [
            &br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#[..],
            br#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(read(notice), Ok(Message::Notice));
        }
    }

    #[test]
    fn other_bodies_are_refused() {
        for (body, code) in [
            (&b"{"[..], -32700),
            (b"\xff", -32700),
            (b"[]", -32600),
            (br#"{"id":1,"method":"ping"}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
            (br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
        ] {
            let one = parse(body).and_then(|read| match read {
                Messages::One(value) => message(value),
                Messages::Batch(_) => panic!("one message"),
            });
            let error = one.unwrap_err();
            assert_eq!(error.code, code, "{}", String::from_utf8_lossy(body));
        }
        assert!(parse("[".repeat(10_000).as_bytes()).is_err());
        let batch = |count: usize| format!("[{}]", vec!["1"; count].join(","));
        assert_eq!(parse(b"[1]"), Ok(Messages::Batch(vec![json!(1)])));
        assert!(parse(batch(MAX_MESSAGES).as_bytes()).is_ok());
        assert!(parse(batch(MAX_MESSAGES + 1).as_bytes()).is_err());
    }

    #[test]
    fn versions_are_agreed_on() {
        assert_eq!(agreed_version(Some("2025-03-26")), "2025-03-26");
        assert_eq!(agreed_version(Some("1999-01-01")), VERSIONS[0]);
        assert_eq!(agreed_version(None), VERSIONS[0]);
        assert!(!is_version("2025"));
    }
}
