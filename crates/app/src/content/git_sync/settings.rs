//! The settings of synchronisations, and what people do with them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_git::Remote;
use bindery_model::{
    ChangeRequestExport, Error, FieldPath, GitCredentialsKind, GitSyncDirection, GitSyncId,
    GitSyncPause, GitSyncStart, GitSyncStatus, GitSyncTrigger, HostingService, JobId, Result,
    RewrittenHistory,
};
use bindery_outbound::Url;
use bindery_store::git_sync_dry_runs;
use bindery_store::git_sync_runs::{self, GitSyncRun};
use bindery_store::git_syncs::{self, GitSync, GitSyncSettings};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent};

use super::{keys, template, trigger};
use crate::Context;
use crate::access::Authorized;
use crate::content::git_hosting::{HostedPlace, known_service};
use crate::content::git_requests::{StoredCredentials, check_directory, trimmed_directory};
use crate::content::{exports, git_branches, git_installations};

/// Minimum seconds between two checks of a branch.
pub const MIN_POLLING_SECONDS: u32 = 60;
/// Maximum seconds between two checks of a branch: a week.
pub const MAX_POLLING_SECONDS: u32 = 7 * 24 * 60 * 60;
/// Maximum number of names of branches that become change requests.
const MAX_PATTERNS: usize = 20;
/// The beginning of the names of branches that the server makes, unless another one is set.
const BRANCH_PREFIX: &str = "bindery/";
/// Maximum size of a user name, a password or a token, in bytes.
const MAX_SECRET_BYTES: usize = 4_096;
/// The user name that is sent with a token. Hosting services accept tokens with any name.
const TOKEN_USER: &str = "x-access-token";

/// Requested settings.
#[derive(Clone, Debug)]
pub struct GitSyncChange {
    /// The repository's address, which may contain credentials.
    pub url: String,
    /// The branch.
    pub reference: String,
    /// The project's directory; empty for the root of the repository.
    pub directory: String,
    /// The direction of the transfer.
    pub direction: GitSyncDirection,
    /// The direction of the first run; `None` for the one that `direction` permits, or the import.
    pub initial_direction: Option<GitSyncStart>,
    /// The credentials; `None` for those in the address, or the present ones of the same
    /// repository.
    pub credentials: Option<GivenCredentials>,
    /// Seconds between two checks of the branch; 0 for none.
    pub polling_seconds: u64,
    /// The template of the messages of commits.
    pub commit_message: Option<String>,
    /// The reaction to a rewritten history.
    pub rewritten_history: RewrittenHistory,
    /// `true` to replace the secret that signs events of the Git server.
    pub rotates_secret: bool,
    /// `true` to sign commits; `None` to keep the present setting.
    pub signs_commits: Option<bool>,
    /// The relation of branches and change requests.
    pub change_requests: ChangeRequestSync,
}

/// The relation of branches and change requests.
#[derive(Clone, Debug, Default)]
pub struct ChangeRequestSync {
    /// The names of branches that become change requests, with asterisks for any text.
    pub import: Vec<String>,
    /// The way in which change requests are written to the repository; `None` for not at all.
    pub export: Option<ChangeRequestExport>,
    /// The beginning of the names of branches that the server makes.
    pub branch_prefix: Option<String>,
    /// The hosting service; `None` to derive it from the address of the repository.
    pub service: Option<HostingService>,
    /// The address of the service's interface; `None` to derive it.
    pub api_url: Option<String>,
}

impl ChangeRequestSync {
    /// Checks the values. Returns the patterns, one in a line, and the beginning of names.
    fn checked(&self) -> Result<(String, String)> {
        let at = FieldPath::new("/changeRequests");
        if self.import.len() > MAX_PATTERNS {
            return Err(at.field("import").invalid(format_args!(
                "found {} names, allowed: {MAX_PATTERNS}",
                self.import.len()
            )));
        }
        for (index, pattern) in self.import.iter().enumerate() {
            git_branches::check_pattern(&at.field("import").field(index), pattern)?;
        }
        let prefix = self.branch_prefix.as_deref().unwrap_or(BRANCH_PREFIX);
        git_branches::check_prefix(&at.field("branchPrefix"), prefix)?;
        Ok((self.import.join("\n"), prefix.to_owned()))
    }

    /// Checks that the interface of the hosting service can be used, if it is needed. Returns its
    /// address, if one is given. The token of the repository is sent to it.
    fn checked_api(&self, access: &RepositoryAccess) -> Result<Option<&str>> {
        let at = FieldPath::new("/changeRequests");
        let is_needed = self.export == Some(ChangeRequestExport::PullRequest);
        let service = self.service.or_else(|| known_service(&access.url));
        let Some(service) = service else {
            if is_needed || self.api_url.is_some() {
                return Err(at.field("service").invalid(
                    "found nothing, required because the host of the repository does not tell its \
                     service; allowed: github, gitlab or gitea",
                ));
            }
            return Ok(None);
        };
        let api = self.api_url.as_deref();
        let place = HostedPlace::of(service, &access.url, api)
            .map_err(|error| at.field("apiUrl").invalid(error))?;
        let is_foreign =
            |api: &Url| Url::parse(&access.url).ok().is_none_or(|url| url.host() != api.host());
        if api.is_some() && is_foreign(&place.api) {
            return Err(at.field("apiUrl").invalid(
                "found another host than that of the repository, which would receive its token",
            ));
        }
        let has_token =
            matches!(access.kind, GitCredentialsKind::Token | GitCredentialsKind::Basic);
        if is_needed && !has_token {
            return Err(at.field("export").invalid(
                "pull requests need credentials of the kind token or basic; allowed: none, branch",
            ));
        }
        Ok(api)
    }
}

/// Credentials as a person gives them.
#[derive(Clone)]
pub enum GivenCredentials {
    /// No credentials.
    None,
    /// An access token.
    Token(String),
    /// A user name and a password.
    Basic(String, String),
    /// The number of a repository at GitHub, for which the App of the operator gets a token.
    GitHubApp(i64),
    /// A private key for SSH.
    Ssh {
        /// The key in the format of OpenSSH; `None` for the present one or a new one.
        private_key: Option<String>,
        /// The keys of the server, as lines; `None` for those that are known, or for the one that
        /// the server presents first.
        host_keys: Option<String>,
    },
}

impl std::fmt::Debug for GivenCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenCredentials(…)")
    }
}

/// A synchronisation after a change.
#[derive(Clone, Debug)]
pub struct ChangedSync {
    /// The synchronisation.
    pub sync: GitSync,
    /// The secret that signs events, if it is new.
    pub secret: Option<String>,
}

/// Returns the synchronisation of a space and its newest run.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn get(cx: &Context<'_>, space: &Authorized<Space>) -> Result<(GitSync, Option<GitSyncRun>)> {
    Ok((existing(cx, space)?, git_sync_runs::last(cx.tx, space.id)?))
}

pub(super) fn existing(cx: &Context<'_>, space: &Authorized<Space>) -> Result<GitSync> {
    git_syncs::get(cx.tx, space.id)?
        .ok_or_else(|| Error::not_found("Git synchronisation of this space"))
}

/// Sets up the synchronisation of a space, or changes it. With another repository, branch or
/// directory, the next run is a first one again.
///
/// # Errors
/// Returns 400 for an invalid value, and 409 if the space has an installation of a hosting service.
pub fn put(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    change: &GitSyncChange,
) -> Result<ChangedSync> {
    git_installations::require_none(cx.tx, space.id)?;
    put_of_installation(cx, space, change)
}

/// Sets up the synchronisation of a space for its installation, or changes it.
pub(in crate::content) fn put_of_installation(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    change: &GitSyncChange,
) -> Result<ChangedSync> {
    let before = git_syncs::get(cx.tx, space.id)?;
    let secret = (before.is_none() || change.rotates_secret).then(|| {
        let bytes: [u8; 32] = cx.app.entropy.bytes();
        URL_SAFE_NO_PAD.encode(bytes)
    });
    let sealed = match (&secret, &before) {
        (None, Some(before)) => before.settings.webhook_secret.clone(),
        (secret, _) => {
            let secret = secret.as_deref().unwrap_or_default();
            cx.app.secrets.seal(&cx.app.entropy, secret)?
        }
    };
    let present = before.as_ref().map(|before| &before.settings);
    let settings = checked(cx, change, present, sealed)?;
    let now = cx.tx.now();
    let mut sync = before.clone().unwrap_or_else(|| GitSync {
        space: space.id,
        id: GitSyncId::random(&cx.app.entropy),
        settings: settings.clone(),
        has_run: false,
        tip: None,
        branches: None,
        importing: false,
        status: GitSyncStatus::Active,
        pause_reason: None,
        error: None,
        failures: 0,
        auth_failures: 0,
        checked_at: None,
        next_at: None,
        created_at: now,
        updated_at: now,
    });
    let place = |settings: &GitSyncSettings| {
        (settings.url.clone(), settings.reference.clone(), settings.directory.clone())
    };
    if place(&sync.settings) != place(&settings) {
        (sync.has_run, sync.tip) = (false, None);
        bindery_store::git_branches::delete_all(cx.tx, space.id)?;
        git_sync_dry_runs::delete(cx.tx, space.id)?;
    }
    // The next run considers branches that were not followed before.
    sync.branches = None;
    sync.settings = settings;
    sync.updated_at = now;
    if sync.status != GitSyncStatus::Paused {
        sync.status = GitSyncStatus::Active;
        (sync.error, sync.failures, sync.auth_failures) = (None, 0, 0);
        sync.next_at = (sync.settings.polling_seconds > 0).then_some(now);
    }
    git_syncs::set(cx.tx, &sync)?;
    let GitSyncSettings { url, reference, .. } = &sync.settings;
    record(cx, space, Event::GitSyncUpdated { url: url.clone(), reference: reference.clone() })?;
    Ok(ChangedSync { sync, secret })
}

/// The address of a repository, and the means to access it.
pub(super) struct RepositoryAccess {
    pub(super) url: String,
    pub(super) kind: GitCredentialsKind,
    /// The credentials, sealed.
    pub(super) credentials: Option<String>,
    pub(super) public_key: Option<String>,
    pub(super) host_keys: Option<String>,
}

/// Checks the requested settings.
fn checked(
    cx: &Context<'_>,
    change: &GitSyncChange,
    before: Option<&GitSyncSettings>,
    webhook_secret: String,
) -> Result<GitSyncSettings> {
    let reference = exports::branch(&change.reference)?;
    check_directory(FieldPath::new("/projectDirectory"), &change.directory)?;
    let polling_seconds = u32::try_from(change.polling_seconds).unwrap_or(u32::MAX);
    if polling_seconds != 0
        && !(MIN_POLLING_SECONDS..=MAX_POLLING_SECONDS).contains(&polling_seconds)
    {
        return Err(FieldPath::new("/pollingInterval").invalid(format_args!(
            "found {}, allowed: 0, or {MIN_POLLING_SECONDS} to {MAX_POLLING_SECONDS} seconds",
            change.polling_seconds
        )));
    }
    let access = match Remote::is_ssh(&change.url) {
        true => keys::ssh_access(cx, change, before)?,
        false => http_access(cx, change, before)?,
    };
    let signing = keys::signing(cx, change.signs_commits, before)?;
    let (branch_patterns, branch_prefix) = change.change_requests.checked()?;
    let api_url = change.change_requests.checked_api(&access)?;
    let template = change.commit_message.as_deref().unwrap_or(template::DEFAULT);
    Ok(GitSyncSettings {
        url: access.url,
        reference,
        directory: trimmed_directory(&change.directory).to_owned(),
        direction: change.direction,
        initial_direction: initial_direction(change)?,
        credentials_kind: access.kind,
        credentials: access.credentials,
        public_key: access.public_key,
        host_keys: access.host_keys,
        signing_key: signing.key,
        signing_public_key: signing.public_key,
        polling_seconds,
        commit_message: template::check(template)?,
        rewritten_history: change.rewritten_history,
        webhook_secret,
        branch_patterns,
        change_request_export: change.change_requests.export.unwrap_or(ChangeRequestExport::None),
        branch_prefix,
        hosting: change.change_requests.service,
        hosting_api: api_url.map(str::to_owned),
    })
}

/// Returns the access to a repository over HTTP. Credentials of another address are not kept,
/// because that server would receive them.
fn http_access(
    cx: &Context<'_>,
    change: &GitSyncChange,
    before: Option<&GitSyncSettings>,
) -> Result<RepositoryAccess> {
    let at = FieldPath::new("/url");
    let remote = Remote::parse(change.url.trim()).map_err(|error| at.invalid(error))?;
    remote.url.check(&cx.app.guard).map_err(|error| at.invalid(error))?;
    let url = remote.url.as_str().to_owned();
    let kept = before.filter(|before| before.url == url);
    let sealed = |credentials: Option<StoredCredentials>| {
        credentials.map(|credentials| credentials.seal(cx.app)).transpose()
    };
    let (kind, credentials) = match (given(change)?, remote.credentials, kept) {
        (Some((kind, given)), ..) => (kind, sealed(given)?),
        (None, Some(in_address), _) => {
            (GitCredentialsKind::Basic, sealed(Some(StoredCredentials::from(&in_address)))?)
        }
        (None, None, Some(kept)) => (kept.credentials_kind, kept.credentials.clone()),
        (None, None, None) => (GitCredentialsKind::None, None),
    };
    Ok(RepositoryAccess { url, kind, credentials, public_key: None, host_keys: None })
}

/// Returns the direction of the first run.
fn initial_direction(change: &GitSyncChange) -> Result<GitSyncStart> {
    let only = match change.direction {
        GitSyncDirection::Both => None,
        GitSyncDirection::Import => Some(GitSyncStart::Import),
        GitSyncDirection::Export => Some(GitSyncStart::Export),
    };
    if let (Some(only), Some(asked)) = (only, change.initial_direction)
        && only != asked
    {
        return Err(FieldPath::new("/initialDirection").invalid(format_args!(
            "found \"{}\", allowed: \"{}\", the only direction of this synchronisation",
            asked.as_str(),
            only.as_str()
        )));
    }
    Ok(change.initial_direction.or(only).unwrap_or(GitSyncStart::Import))
}

/// Returns the given credentials; `None` if the request leaves them out.
fn given(
    change: &GitSyncChange,
) -> Result<Option<(GitCredentialsKind, Option<StoredCredentials>)>> {
    let check = |field: &'static str, text: &str| {
        let is_bad =
            text.is_empty() || text.len() > MAX_SECRET_BYTES || text.chars().any(char::is_control);
        if is_bad {
            return Err(FieldPath::new(field).invalid(format_args!(
                "allowed: a text of 1 to {MAX_SECRET_BYTES} bytes without control characters"
            )));
        }
        Ok(())
    };
    Ok(match &change.credentials {
        None => None,
        Some(GivenCredentials::Ssh { .. }) => {
            return Err(FieldPath::new("/credentials/kind")
                .invalid("allowed only with an address that begins with ssh://"));
        }
        Some(GivenCredentials::None) => Some((GitCredentialsKind::None, None)),
        Some(GivenCredentials::Token(token)) => {
            check("/credentials/token", token)?;
            let login = StoredCredentials::Login(TOKEN_USER.to_owned(), token.clone());
            Some((GitCredentialsKind::Token, Some(login)))
        }
        Some(GivenCredentials::Basic(user, password)) => {
            check("/credentials/username", user)?;
            check("/credentials/password", password)?;
            if user.contains(':') {
                return Err(FieldPath::new("/credentials/username")
                    .invalid("allowed: a user name without a colon"));
            }
            let login = StoredCredentials::Login(user.clone(), password.clone());
            Some((GitCredentialsKind::Basic, Some(login)))
        }
        Some(GivenCredentials::GitHubApp(repository)) => {
            let credentials = StoredCredentials::GitHubApp { repository: *repository };
            Some((GitCredentialsKind::Token, Some(credentials)))
        }
    })
}

/// Ends the synchronisation of a space and deletes its settings and history. Returns `false` if
/// there was none.
///
/// # Errors
/// Returns 409 if the space has an installation of a hosting service.
pub fn delete(cx: &Context<'_>, space: &Authorized<Space>) -> Result<bool> {
    git_installations::require_none(cx.tx, space.id)?;
    let is_deleted = git_syncs::delete(cx.tx, space.id)?;
    if is_deleted {
        record(cx, space, Event::GitSyncDeleted)?;
    }
    Ok(is_deleted)
}

/// Pauses the synchronisation of a space. A run that has begun ends normally.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn pause(cx: &Context<'_>, space: &Authorized<Space>) -> Result<GitSync> {
    let mut sync = existing(cx, space)?;
    if sync.status == GitSyncStatus::Paused && sync.pause_reason == Some(GitSyncPause::Manual) {
        return Ok(sync);
    }
    sync.status = GitSyncStatus::Paused;
    sync.pause_reason = Some(GitSyncPause::Manual);
    sync.next_at = None;
    git_syncs::set(cx.tx, &sync)?;
    record(cx, space, Event::GitSyncPaused { reason: GitSyncPause::Manual })?;
    Ok(sync)
}

/// Resumes a paused synchronisation, and starts a run for everything that happened meanwhile.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn resume(cx: &Context<'_>, space: &Authorized<Space>) -> Result<GitSync> {
    let mut sync = existing(cx, space)?;
    if sync.status != GitSyncStatus::Paused {
        return Ok(sync);
    }
    if sync.pause_reason == Some(GitSyncPause::RewrittenHistory) {
        // The person has seen that the history was rewritten.
        sync.tip = None;
    }
    sync.status = GitSyncStatus::Active;
    sync.pause_reason = None;
    (sync.error, sync.failures, sync.auth_failures) = (None, 0, 0);
    git_syncs::set(cx.tx, &sync)?;
    record(cx, space, Event::GitSyncResumed)?;
    trigger::request(cx.tx, &sync, GitSyncTrigger::Manual, cx.user())?;
    existing(cx, space)
}

/// Starts a run. Returns the job, which is a waiting one if there is one.
///
/// # Errors
/// Returns 404 if the space is not synchronised; 409 if the synchronisation is paused.
pub fn start(cx: &Context<'_>, space: &Authorized<Space>) -> Result<JobId> {
    let sync = existing(cx, space)?;
    trigger::request(cx.tx, &sync, GitSyncTrigger::Manual, cx.user())?
        .ok_or_else(|| Error::conflict("the synchronisation is paused; resume it first"))
}

/// Lists the runs of a space before a number, newest first, and returns their total number.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn list_runs(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    before: Option<i64>,
    rows: u32,
) -> Result<(Vec<GitSyncRun>, i64)> {
    existing(cx, space)?;
    let runs = git_sync_runs::list(cx.tx, space.id, before, rows)?;
    Ok((runs, git_sync_runs::count(cx.tx, space.id)?))
}

fn record(cx: &Context<'_>, space: &Authorized<Space>, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user()).organization(space.organization);
    cx.tx.record(&event.space(space.id))?;
    Ok(())
}
