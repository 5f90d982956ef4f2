//! A request that the contract has accepted: what handlers read from.

use bindery_app::App;
use bindery_app::access::Caller;
use bindery_app::content_changes::PreparedFile;
use bindery_app::credentials::{self, Shown};
use bindery_app::sessions::Asker;
use bindery_contract::Query;
use bindery_model::{Error, Result, RevisionId};
use bindery_store::{Origin, Source, Tx};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A checked request.
#[derive(Debug)]
pub struct Call {
    /// The operation, as the contract has it.
    pub(crate) operation: &'static bindery_contract::Operation,
    pub(crate) path: Vec<(String, String)>,
    pub(crate) query: Query,
    pub(crate) body: Option<Value>,
    /// What tells this list's cursors from those of others.
    pub(crate) list_key: String,
    /// What was shown to say who is calling.
    pub(crate) shown: Option<Shown>,
    /// Files that were gathered for it, in their order in the body.
    pub(crate) files: Vec<PreparedFile>,
    /// What `If-Match` says, if it is there.
    pub(crate) if_match: Option<String>,
    /// Where it came from.
    pub(crate) asker: Asker,
    /// Whether a page of another origin made the browser ask.
    pub(crate) is_foreign: bool,
}

impl Call {
    /// A parameter of the path; empty if there is none of that name.
    pub fn path(&self, name: &str) -> &str {
        self.get_path(name).unwrap_or_default()
    }

    /// A parameter of the path, if the operation has one of that name.
    pub(crate) fn get_path(&self, name: &str) -> Option<&str> {
        self.path.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The query, with the contract's defaults.
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// A flag of the query.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.query.flag(name).unwrap_or(default)
    }

    /// Whether the revision that the caller worked on is still the present one, if it was said.
    ///
    /// # Errors
    /// 412 with the present revision.
    pub(crate) fn expects(&self, present: RevisionId) -> Result<()> {
        self.expects_version("revision", present.as_str())
    }

    /// Whether the version of a thing that the caller worked on is still the present one, if it was
    /// said.
    ///
    /// # Errors
    /// 412 with the present version.
    pub(crate) fn expects_version(&self, what: &str, present: &str) -> Result<()> {
        let Some(expected) = &self.if_match else { return Ok(()) };
        let matches = expected.split(',').map(str::trim).any(|tag| {
            tag == "*"
                || tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')) == Some(present)
        });
        if matches {
            return Ok(());
        }
        Err(Error::precondition_failed(format!(
            "header \"If-Match\": found {expected}, but the {what} is \"{present}\" by now"
        )))
    }

    /// Who is calling, asked again in the transaction that makes the change, which comes from this
    /// request then.
    ///
    /// # Errors
    /// 401 when the token is not accepted any more.
    pub fn caller(&self, tx: &Tx<'_>, app: &App) -> Result<Caller> {
        let (caller, _) = credentials::authenticate(tx, app, self.shown.as_ref())?;
        let token = caller.person().and_then(|person| person.credential.token());
        tx.comes_from(Origin { source: Source::Api, address: Some(self.asker.address), token });
        Ok(caller)
    }

    /// The body as a type; an absent body reads as an empty object.
    ///
    /// # Errors
    /// When the body passes the contract but not the type, which is a defect told as the caller's.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T> {
        let empty = Value::Object(serde_json::Map::new());
        T::deserialize(self.body.as_ref().unwrap_or(&empty))
            .map_err(|error| Error::invalid(format!("body: {error}")))
    }

    /// Returns whether the body has a field, whatever it holds.
    pub fn has_field(&self, name: &str) -> bool {
        self.body.as_ref().is_some_and(|body| body.get(name).is_some())
    }
}
