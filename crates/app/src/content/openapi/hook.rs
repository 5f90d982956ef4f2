//! Hooks, with which programs ask to read the source of a specification again.

use bindery_model::{Error, OpenApiSpecId, OpenApiState, Result, Timestamp};
use bindery_store::organizations::Organization;
use bindery_store::{Event, openapi};

use super::{OpenApiSpec, find, get, job, requests};
use crate::access::Authorized;
use crate::content::git_sync::{self, DeliveredEvent};
use crate::people::tokens;
use crate::{App, Context, secrets};

/// The token with which requests for unknown specifications are compared.
const NO_TOKEN: &str = "no specification has this token";

/// The prefix of the tokens of hooks.
const TOKEN_PREFIX: &str = "bnh_";

/// The hook of a specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hook {
    /// The specification.
    pub spec: OpenApiSpecId,
    /// The time at which its token was made; `None` if there is no hook.
    pub created_at: Option<Timestamp>,
}

/// A hook with its token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewHook {
    /// The hook.
    pub hook: Hook,
    /// The token.
    pub token: String,
}

impl Hook {
    fn of(spec: &OpenApiSpec) -> Self {
        Self { spec: spec.id, created_at: spec.hook_at }
    }
}

/// Returns the hook of a specification.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification.
pub fn get_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<Hook> {
    Ok(Hook::of(&get(cx, organization, slug)?.spec))
}

/// Gives a specification a hook with a new token. A former token ends.
///
/// # Errors
/// Returns 404 if there is no such specification.
pub fn create_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<NewHook> {
    let mut spec = find(cx.tx, organization.id, slug)?;
    let token = tokens::with_prefix(TOKEN_PREFIX, &cx.app.entropy);
    spec.hook = Some(cx.app.secrets.seal(&cx.app.entropy, &token)?);
    spec.hook_at = Some(cx.now());
    openapi::update(cx.tx, &spec)?;
    let (id, slug) = (spec.id, spec.slug.clone());
    requests::record(cx, &spec, Event::OpenApiHookCreated { spec: id, slug })?;
    Ok(NewHook { hook: Hook::of(&spec), token })
}

/// Deletes the hook of a specification. Returns `false` if it has none.
///
/// # Errors
/// Returns 404 if there is no such specification.
pub fn delete_hook(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<bool> {
    let mut spec = find(cx.tx, organization.id, slug)?;
    if spec.hook.is_none() {
        return Ok(false);
    }
    (spec.hook, spec.hook_at) = (None, None);
    openapi::update(cx.tx, &spec)?;
    let (id, slug) = (spec.id, spec.slug.clone());
    requests::record(cx, &spec, Event::OpenApiHookDeleted { spec: id, slug })?;
    Ok(true)
}

/// Requests a run of the specification with this id, whose source is read again. The request states
/// the token, or is an event of a Git server with the token as its secret. While a run waits to begin,
/// no other is requested; while one goes on, the next one follows it.
///
/// # Errors
/// Returns 404 for an unknown id, and 401 if the token is wrong.
pub async fn receive(
    app: &App,
    id: &str,
    stated: Option<&str>,
    event: DeliveredEvent,
) -> Result<()> {
    let id = OpenApiSpecId::parse(id);
    let find = |tx: &bindery_store::Tx<'_>, id: Option<OpenApiSpecId>| match id {
        Some(id) => openapi::get(tx, id),
        None => Ok(None),
    };
    let spec = app.store.read(move |tx| find(tx, id)).await?;
    let token = spec.as_ref().and_then(|spec| app.secrets.open(spec.hook.as_ref()?));
    // An unknown id takes as long as a known one.
    let expected = token.as_deref().unwrap_or(NO_TOKEN);
    let is_valid = match stated {
        Some(stated) => secrets::equal(stated.as_bytes(), expected.as_bytes()),
        None => git_sync::is_signed(expected, &event, app.clock.now()),
    };
    spec.ok_or_else(|| Error::not_found("OpenAPI specification"))?;
    if !is_valid || token.is_none() {
        return Err(Error::unauthenticated(
            "the request neither states the token of the hook of this specification in the header \
             X-Bindery-Token nor is signed with it",
        ));
    }
    app.store
        .write(move |tx| {
            let Some(mut spec) = find(tx, id)? else { return Ok(()) };
            match spec.state {
                OpenApiState::Pending => Ok(()),
                // The present run ends first, so that its result is not lost.
                OpenApiState::Progress => {
                    spec.again = true;
                    Ok(openapi::update(tx, &spec)?)
                }
                OpenApiState::Complete => job::request(tx, &mut spec, None),
            }
        })
        .await
}
