//! A request that has passed the contract's checks, as handlers read it.

use bindery_app::access::Caller;
use bindery_app::access::credentials::{self, Credentials};
use bindery_app::audit_events::{Origin, Source};
use bindery_app::people::sessions::ClientInfo;
use bindery_app::review::editing::MadeFor;
use bindery_app::{App, Tx};
use bindery_contract::Query;
use bindery_model::{Error, Result, RevisionId};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A checked request.
#[derive(Debug)]
pub struct Call {
    /// The operation in the contract.
    pub(crate) operation: &'static bindery_contract::Operation,
    pub(crate) path: Vec<(&'static str, String)>,
    /// The query with the contract's defaults.
    pub(crate) query: Query,
    /// The query as it was sent.
    pub(crate) pairs: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
    /// The credentials of the request.
    pub(crate) credentials: Option<Credentials>,
    /// The value of the `If-Match` header.
    pub(crate) if_match: Option<String>,
    /// `true` if the caller prefers an answer without a body (`Prefer: return=minimal`).
    pub(crate) prefers_minimal: bool,
    /// The client that sent the request.
    pub(crate) client: ClientInfo,
    /// `true` if a page of another origin made the browser send the request.
    pub(crate) is_cross_origin: bool,
}

impl Call {
    /// Returns a path parameter, or an empty string if there is none of that name.
    pub fn path(&self, name: &str) -> &str {
        self.get_path(name).unwrap_or_default()
    }

    /// Returns a path parameter, if the operation has one of that name.
    pub(crate) fn get_path(&self, name: &str) -> Option<&str> {
        self.path.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the query with the contract's defaults.
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// Returns a boolean query parameter, or `default` if it is absent.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.query.flag(name).unwrap_or(default)
    }

    /// Returns the identity of the list that cursors belong to: operation, path parameters,
    /// filters and body.
    pub(crate) fn list_key(&self) -> String {
        let mut key = self.operation.id.clone();
        let mut add = |name: &str, value: &str| {
            key.push('\u{1f}');
            key.push_str(name);
            key.push('=');
            key.push_str(value);
        };
        for (name, value) in &self.path {
            add(name, value);
        }
        for (name, value) in &self.pairs {
            let is_known = || self.operation.parameters.iter().any(|known| known.name == *name);
            if name != "page" && name != "limit" && is_known() {
                add(name, value);
            }
        }
        if let Some(body) = &self.body {
            add("body", &body.to_string());
        }
        key
    }

    /// Checks that the `If-Match` header, if sent, names the current revision.
    ///
    /// # Errors
    /// 412 with the current revision in the message.
    pub(crate) fn check_if_match(&self, present: RevisionId) -> Result<()> {
        self.check_if_match_version("revision", present.as_str())
    }

    /// Checks that the `If-Match` header, if sent, names the current version. `what` is the noun in
    /// the message, such as "comment".
    ///
    /// # Errors
    /// 412 with the current version in the message.
    pub(crate) fn check_if_match_version(&self, what: &str, present: &str) -> Result<()> {
        let Some(expected) = &self.if_match else { return Ok(()) };
        let matches = expected.split(',').map(str::trim).any(|tag| {
            tag == "*"
                || tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')) == Some(present)
        });
        if matches {
            return Ok(());
        }
        Err(Error::precondition_failed(format!(
            "header \"If-Match\": found {expected}, but the current {what} is \"{present}\""
        )))
    }

    /// Returns the revision for which the caller made its changes: the head, if `If-Match` names it.
    pub(crate) fn made_for(&self) -> MadeFor {
        match self.if_match.as_deref() {
            None | Some("*") => MadeFor::Unknown,
            Some(_) => MadeFor::Head,
        }
    }

    /// Authenticates the caller again in the transaction that makes the change, and records the
    /// request as the origin of that change.
    ///
    /// # Errors
    /// 401 if the token is no longer accepted.
    pub fn caller(&self, tx: &Tx<'_>, app: &App) -> Result<Caller> {
        let (caller, _) = credentials::authenticate(tx, app, self.credentials.as_ref())?;
        let token = caller.person().and_then(|person| person.credential.token());
        tx.set_origin(Origin { source: Source::Api, address: Some(self.client.address), token });
        Ok(caller)
    }

    /// Deserializes the body. An absent body reads as an empty object.
    ///
    /// # Errors
    /// 400 if the body matches the contract but not `T`, which is a defect of the server.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T> {
        let empty = Value::Object(serde_json::Map::new());
        T::deserialize(self.body.as_ref().unwrap_or(&empty))
            .map_err(|error| Error::invalid(format!("body: {error}")))
    }

    /// Returns `true` if the body has a field of this name, even if its value is null.
    pub fn has_field(&self, name: &str) -> bool {
        self.body.as_ref().is_some_and(|body| body.get(name).is_some())
    }
}
