//! A request between two stages of the pipeline.

use std::sync::Arc;

use bindery_app::access::Caller;
use bindery_app::access::credentials::{self, Credentials, LastUse};
use bindery_app::people::sessions::ClientInfo;
use bindery_app::publishing::resolve::SiteReader;
use bindery_app::{App, Context, Tx};
use bindery_contract::Operation;
use bindery_http::{RequestBody, is_cross_origin};
use bindery_model::{Error, Result};
use http::header::HeaderMap;
use http::request::Parts;
use matchit::Params;

use super::run::{Admission, Delivery};
use crate::bodies::{Bodies, Sender, Upload};
use crate::call::Call;
use crate::idempotency;
use crate::intake::{
    CheckedHead, check_csrf, check_head, media_type, read_json, receive_event, receive_upload,
    wrong_media_type,
};
use crate::rate_limit::CredentialCheck;
use crate::router::RoutedOperation;

/// The client of a request and its credentials.
pub(super) struct Origin {
    pub(super) client: ClientInfo,
    pub(super) credentials: Result<Option<Credentials>>,
    pub(super) credential_check: CredentialCheck,
}

/// A request whose operation is known.
pub(super) struct RoutedRequest<'r> {
    pub(super) operation: &'r RoutedOperation,
    /// The path parameters, still percent-encoded.
    pub(super) path: Params<'r, 'r>,
    pub(super) parts: &'r Parts,
    pub(super) origin: Origin,
}

/// A request whose caller is not known yet.
pub(super) struct Unauthenticated {
    operation: &'static Operation,
    /// The parameters, or their error, which only an authenticated caller sees.
    head: Result<CheckedHead>,
    credentials: Option<Credentials>,
    /// The key of a share link, in a request without credentials.
    share_key: Option<String>,
    client: ClientInfo,
    is_cross_origin: bool,
    credential_check: CredentialCheck,
}

impl Unauthenticated {
    /// Checks the parameters against the contract and keeps their error for later.
    ///
    /// # Errors
    /// 401 for malformed or missing credentials, 403 for a change with a session that lacks the
    /// CSRF token.
    pub(super) fn new(routed: RoutedRequest<'_>) -> Result<Self> {
        let RoutedRequest { operation, path, parts, origin } = routed;
        let Origin { client, credentials, credential_check } = origin;
        let is_cross_origin = is_cross_origin(&parts.headers, &client.host);
        let public = operation.contract.public;
        let credentials = check_csrf(credentials?, parts, is_cross_origin, public)?;
        let head = check_head(operation, &path, parts);
        let operation = operation.contract;
        let share_key = match (&credentials, &head) {
            (None, Ok(head)) => share_key(operation, head),
            _ => None,
        };
        if credentials.is_none() && share_key.is_none() {
            require_signed_in(operation, &Caller::Anonymous)?;
        }
        Ok(Self {
            operation,
            head,
            credentials,
            share_key,
            client,
            is_cross_origin,
            credential_check,
        })
    }

    /// Finds the caller in the transaction that reads the target.
    ///
    /// # Errors
    /// 401 for credentials that are not accepted, and for an anonymous caller of an operation that
    /// is not public.
    pub(super) fn authenticate(self, tx: &Tx<'_>, app: &App) -> Result<Authenticated> {
        let Self {
            operation,
            head,
            credentials,
            share_key,
            client,
            is_cross_origin,
            credential_check,
        } = self;
        let found = credentials::authenticate_reader(tx, app, credentials.as_ref());
        credential_check.record(&found);
        let (caller, last_use) = found?;
        let caller = match share_key {
            Some(key) if caller == Caller::Anonymous => {
                let digest = app.secrets.share_key_digest(&key);
                Caller::Visitor(Box::new(SiteReader::ShareKey(digest)))
            }
            _ => caller,
        };
        require_signed_in(operation, &caller)?;
        let call = head.map(|CheckedHead { path, query, pairs, if_match, prefers_minimal }| Call {
            operation,
            path,
            query,
            pairs,
            body: None,
            credentials,
            if_match,
            prefers_minimal,
            client,
            is_cross_origin,
        });
        Ok(Authenticated { caller, last_use, call })
    }
}

/// A request whose caller is known.
pub(super) struct Authenticated {
    pub(super) caller: Caller,
    /// The use of the credentials, to be recorded.
    pub(super) last_use: Option<LastUse>,
    /// The checked request, or the error of its parameters.
    pub(super) call: Result<Call>,
}

/// A request that its operation executes.
pub(crate) struct Execution<'r> {
    pub(super) app: &'r Arc<App>,
    pub(super) bodies: &'r Arc<Bodies>,
    pub(super) headers: &'r HeaderMap,
    pub(super) request: Unauthenticated,
    pub(super) body: RequestBody,
}

impl<'r> Execution<'r> {
    /// Authenticates the caller and authorizes it for the target, so that only permitted callers
    /// make the server read a body.
    ///
    /// # Errors
    /// The errors of authentication and authorization, then those of the parameters.
    pub(super) async fn admit(self, admission: &Admission) -> Result<Admitted<'r>> {
        let Execution { app, bodies, headers, request, body } = self;
        let (admission, shared_app) = (Arc::clone(admission), Arc::clone(app));
        let admit = move |tx: &Tx<'_>| {
            let Authenticated { caller, last_use, call } = request.authenticate(tx, &shared_app)?;
            if let Ok(call) = &call {
                admission(&Context { tx, app: &shared_app, caller: &caller }, call)?;
            }
            Ok::<_, Error>((caller.person().map(|person| person.user), last_use, call))
        };
        let (user, last_use, call) = app.store.read(admit).await?;
        credentials::touch_later(app, last_use);
        let call = call?;
        let sender = user.map_or(Sender::Address(call.client.address), Sender::Person);
        Ok(Admitted { app, bodies, headers, call, sender, body })
    }
}

/// A request of an authorized caller whose body has not been read.
pub(super) struct Admitted<'r> {
    pub(super) app: &'r Arc<App>,
    bodies: &'r Arc<Bodies>,
    headers: &'r HeaderMap,
    call: Call,
    sender: Sender,
    body: RequestBody,
}

impl Admitted<'_> {
    /// Reads the JSON body and checks it against the contract. Also returns the idempotency key.
    pub(super) async fn read_body(self) -> Result<(Call, Option<String>)> {
        let Self { app, bodies, headers, mut call, sender, body } = self;
        let key = idempotency::key(headers)?;
        let body = bodies.track(sender, body);
        call.body = read_json(app, call.operation, headers, body).await?;
        Ok((call, key))
    }

    /// Receives the body as it was sent, with the headers.
    pub(super) async fn receive_event(self) -> Result<(Call, Delivery)> {
        let Self { app, bodies, headers, call, sender, body } = self;
        let body = receive_event(app, bodies.track(sender, body)).await?;
        Ok((call, Delivery { headers: headers.clone(), body }))
    }

    /// Receives the body into a file.
    pub(super) async fn receive_body(self) -> Result<(Call, Upload)> {
        let Self { app, bodies, headers, call, sender, body } = self;
        let media_type = media_type(headers);
        if !call.operation.body.as_ref().is_some_and(|body| body.accepts(&media_type)) {
            return Err(wrong_media_type(call.operation, &media_type));
        }
        let upload = receive_upload(app, bodies.track(sender, body)).await?;
        Ok((call, upload))
    }
}

/// The operations that accept the key of a share link instead of credentials.
const SHARE_KEY_OPERATIONS: [&str; 3] =
    ["getSpaceById", "getPublishedContentSite", "getSiteRedirectBySource"];

/// Returns the key of a share link in the query, if the operation accepts one.
fn share_key(operation: &Operation, head: &CheckedHead) -> Option<String> {
    let is_accepted = SHARE_KEY_OPERATIONS.contains(&operation.id.as_str());
    let key = head.query.text("shareKey").filter(|key| is_accepted && !key.is_empty());
    key.map(str::to_owned)
}

/// Rejects anonymous callers unless the operation is public.
fn require_signed_in(operation: &Operation, caller: &Caller) -> Result<()> {
    if operation.public || *caller != Caller::Anonymous {
        return Ok(());
    }
    Err(Error::unauthenticated("this operation needs a token, or a session that has not ended"))
}
