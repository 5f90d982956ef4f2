//! The API client of the command line.

use std::io::Read;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::Value;

/// Maximum size of a response in bytes.
const MAX_RESPONSE_BYTES: u64 = 256 << 20;

/// The address of a server and a token for it.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServerAddress {
    /// Address of the server, for example http://127.0.0.1:8080
    #[arg(long, env = "BINDERY_SERVER", value_name = "URL")]
    pub(crate) server: String,
    /// Token for the API.
    #[arg(long, env = "BINDERY_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) token: String,
}

/// Sends requests to a server.
pub(crate) struct Client {
    agent: ureq::Agent,
    base: String,
    token: String,
}

impl Client {
    pub(crate) fn new(address: &ServerAddress) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("bindery/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let base = format!("{}/v1", address.server.trim_end_matches('/'));
        Self { agent, base, token: address.token.clone() }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let response = self.agent.get(&url).header("Authorization", self.bearer()).call();
        read(response.with_context(|| format!("cannot reach {url}"))?)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.post_for_location(path, body).map(|(answer, _)| answer)
    }

    /// Like `post`, but also returns the `Location` header of the response.
    pub(crate) fn post_for_location(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<(Value, Option<String>)> {
        let url = format!("{}{path}", self.base);
        let response = self
            .agent
            .post(&url)
            .header("Authorization", self.bearer())
            .send_json(body)
            .with_context(|| format!("cannot reach {url}"))?;
        let location = response.headers().get("Location").and_then(|value| value.to_str().ok());
        let location = location.map(str::to_owned);
        Ok((read(response)?, location))
    }

    /// Sends a stream of known length.
    pub(crate) fn upload(
        &self,
        path: &str,
        content_type: &str,
        length: u64,
        mut bytes: impl Read,
    ) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let response = self
            .agent
            .post(&url)
            .header("Authorization", self.bearer())
            .header("Content-Type", content_type)
            .header("Content-Length", length.to_string())
            .send(ureq::SendBody::from_reader(&mut bytes))
            .with_context(|| format!("cannot reach {url}"))?;
        read(response)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let response = self.agent.delete(&url).header("Authorization", self.bearer()).call();
        read(response.with_context(|| format!("cannot reach {url}"))?)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Value> {
    let status = response.status();
    let body = response.body_mut().with_config().limit(MAX_RESPONSE_BYTES);
    let text = body.read_to_string().context("the response ended early or is too long")?;
    let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    if status.is_success() {
        return Ok(value);
    }
    match value.pointer("/error/message").and_then(Value::as_str) {
        Some(message) => bail!("{message} ({status})"),
        None => {
            bail!("this is not a Bindery server: the answer is {status} without an error message")
        }
    }
}
