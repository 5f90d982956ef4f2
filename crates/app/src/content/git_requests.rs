//! Requests that name a Git repository, with which a space is synchronised.

use bindery_git::{Credentials, RefName, Remote, SshAccess};
use bindery_model::{
    Error, FieldPath, GitProvider, JobKind, Location, OrganizationId, Result, SpaceId, Timestamp,
};
use bindery_outbound::{SshKey, Url};
use bindery_store::git_states::{self, Provider};
use bindery_store::git_syncs::GitSync;
use bindery_store::{JobFilter, JobStatus, Tx};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::git_installations;
use crate::jobs::JobFailure;
use crate::{App, Context};

/// Maximum size of the address of a file view or a commit, in bytes.
const LONGEST_ADDRESS: usize = 2000;
/// Maximum size of the name of a repository's cache, in bytes.
const LONGEST_CACHE_NAME: usize = 256;

/// Error message of a job whose payload is invalid.
pub(super) const UNREADABLE: &str = "the job's own record is not readable";

/// A repository, and the circumstances of its synchronisation with a space.
#[derive(Clone, Debug, Default)]
pub struct GitRequest {
    /// The repository's address, which may contain credentials.
    pub url: String,
    /// The ref; `None` for the repository's default branch.
    pub reference: Option<String>,
    /// The project's directory; empty for the root of the repository.
    pub directory: String,
    /// The caller's name for the repository's cache.
    pub cache: Option<String>,
    /// The address of the repository's file view.
    pub tree_url: Option<String>,
    /// The prefix of the addresses of commits, which end with the commit's id.
    pub commit_url: Option<String>,
    /// The time of the event that caused the synchronisation.
    pub event_at: Option<Timestamp>,
    /// The Git hosting service.
    pub provider: Provider,
}

/// Credentials before they are encrypted. A person can give a login only.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredCredentials {
    /// A user name and a password.
    Login(String, String),
    /// The number of a repository at GitHub, for which the App of the operator gets a token.
    GitHubApp { repository: i64 },
}

impl StoredCredentials {
    /// Encrypts the credentials for the store.
    ///
    /// # Errors
    /// Returns an error if they are too long for the cipher.
    pub(super) fn seal(&self, app: &App) -> Result<String> {
        serde_json::to_string(self)
            .map_err(|error| Error::internal(format!("credentials: {error}")))
            .and_then(|text| app.secrets.seal(&app.entropy, &text))
    }
}

impl From<&Credentials> for StoredCredentials {
    fn from(credentials: &Credentials) -> Self {
        let (user, password) = credentials.expose();
        Self::Login(user.to_owned(), password.to_owned())
    }
}

/// A request in the payload of its job. The credentials are encrypted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GitRequestPayload {
    pub(super) url: String,
    credentials: Option<String>,
    /// The keys of the SSH server, as lines.
    #[serde(default)]
    pub(super) host_keys: Option<String>,
    pub(super) reference: String,
    pub(super) directory: String,
    pub(super) tree_url: Option<String>,
    commit_url: Option<String>,
    #[serde(default)]
    pub(super) cache: Option<String>,
    /// Milliseconds since the Unix epoch.
    #[serde(default)]
    event_at: Option<i64>,
    #[serde(default)]
    provider: Option<GitProvider>,
    #[serde(default)]
    provider_url: Option<String>,
}

impl GitRequestPayload {
    /// Validates a request without the network.
    ///
    /// # Errors
    /// Returns 400 for an invalid address, ref, directory, cache name or URL.
    pub(super) fn check(cx: &Context<'_>, asked: &GitRequest) -> Result<Self> {
        let remote = Remote::parse(asked.url.trim())
            .map_err(|error| FieldPath::new("/url").invalid(error))?;
        remote.url.check(&cx.app.guard).map_err(|error| FieldPath::new("/url").invalid(error))?;
        let reference = match &asked.reference {
            None => RefName::head(),
            Some(name) => RefName::parse(name.trim())
                .map_err(|error| FieldPath::new("/ref").invalid(error))?,
        };
        check_directory(FieldPath::new("/repoProjectDirectory"), &asked.directory)?;
        let credentials = remote.credentials.as_ref().map(StoredCredentials::from);
        let credentials = credentials.map(|credentials| credentials.seal(cx.app));
        let Provider { name, url } = &asked.provider;
        Ok(Self {
            url: remote.url.as_str().to_owned(),
            credentials: credentials.transpose()?,
            host_keys: None,
            reference: reference.as_str().to_owned(),
            directory: trimmed_directory(&asked.directory).to_owned(),
            tree_url: check_address("/repoTreeURL", asked.tree_url.as_deref())?,
            commit_url: check_address("/repoCommitURL", asked.commit_url.as_deref())?,
            cache: check_cache(asked.cache.as_deref())?,
            event_at: asked.event_at.map(Timestamp::millis),
            provider: *name,
            provider_url: check_address("/gitInfo/url", url.as_deref())?,
        })
    }

    /// Returns a request of a synchronisation, whose values were validated when it was set up. Its
    /// cache is shared by all credentials of the synchronisation.
    pub(super) fn of_sync(sync: &GitSync) -> Self {
        let settings = &sync.settings;
        let hosting = Hosting::of(&settings.url, &settings.reference);
        Self {
            url: settings.url.clone(),
            credentials: settings.credentials.clone(),
            host_keys: settings.host_keys.clone(),
            reference: settings.reference.clone(),
            directory: settings.directory.clone(),
            tree_url: hosting.as_ref().map(|hosting| hosting.tree_url.clone()),
            commit_url: hosting.as_ref().map(|hosting| hosting.commit_url.clone()),
            cache: Some(format!("sync-{}", sync.id)),
            event_at: None,
            provider: hosting.map(|hosting| hosting.provider),
            provider_url: None,
        }
    }

    pub(super) fn event_at(&self) -> Option<Timestamp> {
        self.event_at.map(Timestamp::from_millis)
    }

    pub(super) fn provider(&self) -> Provider {
        Provider { name: self.provider, url: self.provider_url.clone() }
    }

    /// Returns `true` if the event is older than the last processed one.
    pub(super) fn is_past(&self, last: Option<Timestamp>) -> bool {
        self.event_at().zip(last).is_some_and(|(own, last)| own < last)
    }

    /// Returns the URL at which people see a commit.
    pub(super) fn commit_url(&self, oid: &str) -> Option<String> {
        let base = self.commit_url.as_ref()?;
        Some(format!("{}/{oid}", base.trim_end_matches('/')))
    }

    /// Returns the address of the repository with the decrypted credentials. `organization` owns the
    /// space, and decides which repositories the GitHub App of the operator may access.
    pub(super) fn remote(
        &self,
        app: &App,
        organization: OrganizationId,
    ) -> Result<Remote, JobFailure> {
        let broken = || JobFailure::fatal("internal", UNREADABLE);
        let text = self.credentials.as_ref().map(|sealed| opened(app, sealed)).transpose()?;
        if Remote::is_ssh(&self.url) {
            let key = SshKey::parse(&text.unwrap_or_default()).map_err(|_| broken())?;
            let host_keys = self.host_keys.clone().unwrap_or_default();
            return Remote::parse_ssh(&self.url, SshAccess { key, host_keys })
                .map_err(|_| broken());
        }
        let credentials = match &text {
            None => None,
            Some(text) => Some(
                match serde_json::from_str::<StoredCredentials>(text).map_err(|_| broken())? {
                    StoredCredentials::Login(user, password) => Credentials::new(user, password),
                    StoredCredentials::GitHubApp { repository } => {
                        let given = git_installations::credentials(app, organization, repository);
                        Handle::current().block_on(given)?
                    }
                },
            ),
        };
        Ok(Remote::parse(&self.url).map_err(|_| broken())?.with_credentials(credentials))
    }
}

/// Returns a decrypted secret of a job.
pub(super) fn opened(app: &App, sealed: &str) -> Result<String, JobFailure> {
    app.secrets.open(sealed).ok_or_else(|| {
        JobFailure::fatal(
            "credentials-lost",
            "the stored credentials were sealed with another key; start the job again",
        )
    })
}

/// The pages of a repository at a well-known Git hosting service.
struct Hosting {
    provider: GitProvider,
    tree_url: String,
    commit_url: String,
}

impl Hosting {
    /// Returns the pages of a repository; `None` if the service is not known. The paths of other
    /// servers cannot be derived from the address.
    fn of(url: &str, reference: &str) -> Option<Self> {
        let branch = reference.strip_prefix("refs/heads/")?;
        let parsed = Url::parse(url).ok()?;
        let (provider, between) = match parsed.host_str()? {
            "github.com" => (GitProvider::Github, ""),
            "gitlab.com" => (GitProvider::Gitlab, "/-"),
            _ => return None,
        };
        let repository = url.strip_suffix(".git").unwrap_or(url);
        Some(Self {
            provider,
            tree_url: format!("{repository}{between}/blob/{branch}"),
            commit_url: format!("{repository}{between}/commit"),
        })
    }
}

/// Checks that a project directory is a relative path inside the repository. `place` is the place
/// of the directory in the request.
///
/// # Errors
/// Returns 400 with the place, the directory and the permitted form.
pub fn check_directory(place: impl Into<Location>, directory: &str) -> Result<()> {
    let climbs = directory.split('/').any(|part| part == "..");
    let odd = directory.contains(['\\', '\0']) || directory.chars().any(char::is_control);
    if climbs || odd || directory.starts_with('/') {
        return Err(Error::invalid(format!(
            "found \"{}\", allowed: a path inside the repository, without a leading \
             slash and without ..",
            directory.escape_debug()
        ))
        .at(place));
    }
    Ok(())
}

/// Returns a project directory without slashes at its end; empty for the root of the repository.
pub(super) fn trimmed_directory(directory: &str) -> &str {
    match directory.trim_end_matches('/') {
        "." => "",
        directory => directory,
    }
}

/// Checks an address that pages show as a link. Returns `None` for an empty address.
fn check_address(place: &'static str, address: Option<&str>) -> Result<Option<String>> {
    let Some(address) = address.map(str::trim).filter(|address| !address.is_empty()) else {
        return Ok(None);
    };
    let parsed = Url::parse(address).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
    });
    let safe = parsed.is_some_and(|url| url.username().is_empty() && url.password().is_none());
    if !safe || address.len() > LONGEST_ADDRESS || address.chars().any(char::is_control) {
        return Err(Error::invalid(format!(
            "allowed: an address that begins with https:// or http://, of at most \
             {LONGEST_ADDRESS} bytes, without user name and password"
        ))
        .at(FieldPath::new(place)));
    }
    Ok(Some(address.to_owned()))
}

/// Checks the name of a cache. Returns `None` for an empty name.
fn check_cache(name: Option<&str>) -> Result<Option<String>> {
    let name = name.filter(|name| !name.is_empty());
    if name
        .is_some_and(|name| name.len() > LONGEST_CACHE_NAME || name.chars().any(char::is_control))
    {
        return Err(Error::invalid(format!(
            "allowed: a text of at most {LONGEST_CACHE_NAME} bytes without \
             control characters"
        ))
        .at(FieldPath::new("/repoCacheID")));
    }
    Ok(name.map(str::to_owned))
}

/// Returns the time of the newest event among the finished, running and waiting imports and
/// exports of a space.
pub(super) fn last_event(tx: &Tx<'_>, space: SpaceId) -> Result<Option<Timestamp>> {
    /// The common part of the payloads of imports and exports.
    #[derive(Deserialize)]
    struct Event {
        #[serde(flatten)]
        request: GitRequestPayload,
        #[serde(default)]
        standalone: bool,
    }
    let mut last = git_states::get(tx, space)?.and_then(|state| state.event_at);
    for status in [JobStatus::Queued, JobStatus::Running] {
        for kind in [JobKind::GitImport, JobKind::GitExport] {
            let (space, kind, status) = (Some(space), Some(kind), Some(status));
            let filter = JobFilter { space, kind, status, ..JobFilter::default() };
            for job in tx.list_jobs(&filter, u32::MAX)? {
                let payload = serde_json::from_value::<Event>(job.payload).ok();
                let payload = payload.filter(|payload| !payload.standalone);
                last = last.max(payload.and_then(|payload| payload.request.event_at()));
            }
        }
    }
    Ok(last)
}
