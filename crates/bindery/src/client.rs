//! The API client of the command line.

use std::io::Read;

use anyhow::{Context as _, Result, bail, ensure};
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

/// Pairs of the name of a value in the API's errors, such as `body at /email`, and the flag or
/// argument of the command that sets it.
pub(crate) type Flags = &'static [(&'static str, &'static str)];

/// Sends requests to a server.
pub(crate) struct Client {
    agent: ureq::Agent,
    base: String,
    token: String,
    flags: Flags,
}

impl Client {
    pub(crate) fn new(address: &ServerAddress, flags: Flags) -> Self {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("bindery/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let base = format!("{}/v1", address.server.trim_end_matches('/'));
        Self { agent, base, token: address.token.clone(), flags }
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let response = self.agent.get(&url).header("Authorization", self.bearer()).call();
        self.read(&url, response.with_context(|| format!("cannot reach {url}"))?)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.post_for_location(path, body).map(|(answer, _)| answer)
    }

    pub(crate) fn patch(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let request = self.agent.patch(&url).header("Authorization", self.bearer());
        let response = request.send_json(body);
        self.read(&url, response.with_context(|| format!("cannot reach {url}"))?)
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
        Ok((self.read(&url, response)?, location))
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
        self.read(&url, response)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let response = self.agent.delete(&url).header("Authorization", self.bearer()).call();
        self.read(&url, response.with_context(|| format!("cannot reach {url}"))?)
    }

    /// Returns the id of the only organization that the token reaches.
    pub(crate) fn only_organization(&self) -> Result<String> {
        let answer = self.get("/orgs?limit=100")?;
        let items = answer.pointer("/items").and_then(Value::as_array);
        let text = |item: &Value, name| item[name].as_str().unwrap_or_default().to_owned();
        match items.map(Vec::as_slice).unwrap_or_default() {
            [only] => Ok(text(only, "id")),
            [] => bail!("the owner of the token is in no organization"),
            several => {
                let name = |item| format!("{} ({})", text(item, "id"), text(item, "title"));
                let names: Vec<String> = several.iter().map(name).collect();
                bail!("name an organization with --organization: {}", names.join(", "))
            }
        }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Returns the JSON of a response, or the error that it states.
    fn read(&self, url: &str, mut response: ureq::http::Response<ureq::Body>) -> Result<Value> {
        let status = response.status();
        let body = response.body_mut().with_config().limit(MAX_RESPONSE_BYTES);
        let text = body.read_to_string().context("the response ended early or is too long")?;
        let value: Option<Value> = serde_json::from_str(&text).ok();
        if status.is_success() {
            ensure!(
                value.is_some() || text.is_empty(),
                "{url} is not the API of a Bindery server: the response is not JSON"
            );
            return Ok(value.unwrap_or_default());
        }
        let message = value.as_ref().and_then(|value| value.pointer("/error/message")?.as_str());
        match message {
            Some(message) if status == 401 => bail!("--token: {message}"),
            Some(message) => bail!("{}", with_flags(message, self.flags)),
            None => bail!(
                "{url} is not the API of a Bindery server: the response is {status} without an \
                 error message"
            ),
        }
    }
}

/// Replaces the name of a value at the start of an error message by the flag that sets it:
/// `body at /email: found "x"` becomes `--email: found "x"`.
pub(crate) fn with_flags(message: &str, flags: Flags) -> String {
    let renamed = flags.iter().find_map(|(name, flag)| {
        let rest = message.strip_prefix(name)?;
        rest.starts_with(':').then(|| format!("{flag}{rest}"))
    });
    renamed.unwrap_or_else(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_flags() {
        let flags: Flags = &[("body at /email", "--email")];
        assert_eq!(with_flags("body at /email: found 1", flags), "--email: found 1");
        assert_eq!(with_flags("body at /emails: found 1", flags), "body at /emails: found 1");
        assert_eq!(with_flags("space not found", flags), "space not found");
    }
}
