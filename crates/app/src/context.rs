//! The context of a use case: the transaction, the application and the caller.

use std::path::PathBuf;
use std::sync::Arc;

use bindery_content::html::Labels;
use bindery_git::Fetcher;
use bindery_model::{Clock, Entropy, Result, Timestamp, UserId};
use bindery_outbound::{Client, Guard, Mailer};
use bindery_store::{Store, Tx};

use crate::access::credentials::KeptCredentials;
use crate::access::{Caller, Lineage};
use crate::content::embeds::EmbedCache;
use crate::content::git_installations::GitHubApp;
use crate::content::links::IndexCache;
use crate::content::presented::PresentedSpaces;
use crate::content::snapshot::ContentCache;
use crate::limits::Limits;
use crate::publishing::adaptive::ClaimsOf;
use crate::publishing::insights::observed::ObservedEvents;
use crate::publishing::urls::Urls;
use crate::review::editing::Editing;
use crate::search::NodeIndex;
use crate::secrets::Secrets;

/// The components that the application is built from.
pub struct Parts {
    /// The store of records and objects.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of random numbers.
    pub entropy: Arc<Entropy>,
    /// The public addresses of the server.
    pub urls: Urls,
    /// The secret keys of the server.
    pub secrets: Secrets,
    /// The guard that decides which addresses outbound requests may reach.
    pub guard: Guard,
    /// Sends mail; `None` if no mail server is configured.
    pub mailer: Option<Mailer>,
    /// The GitHub App of the operator; `None` if none is configured.
    pub github: Option<Arc<GitHubApp>>,
    /// Limits of sizes and times.
    pub limits: Limits,
    /// `true` if the server reads pages of other hosts to describe embeds.
    pub describes_embeds: bool,
    /// The folder for derived data and caches on this node.
    pub cache_dir: PathBuf,
    /// Returns the interface texts within pages in a language.
    pub labels: fn(&str) -> &'static Labels,
}

/// The application as seen by one request: the shared components, and the addresses for responses.
pub struct App {
    core: Arc<Core>,
    /// The public addresses of the server.
    pub urls: Urls,
    /// Spaces in the JSON form of the API, with those addresses.
    pub presented: PresentedSpaces,
}

/// The components that exist once per process.
pub struct Core {
    /// The store of records and objects.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of random numbers.
    pub entropy: Arc<Entropy>,
    /// The secret keys of the server.
    pub secrets: Secrets,
    /// Limits of sizes and times.
    pub limits: Limits,
    /// `true` if the server reads pages of other hosts to describe embeds.
    pub describes_embeds: bool,
    /// The folder for derived data and caches on this node.
    pub cache_dir: PathBuf,
    /// Returns the interface texts within pages in a language.
    pub labels: fn(&str) -> &'static Labels,
    /// The cache of decoded content.
    pub content: ContentCache,
    /// The cache of credentials.
    pub(crate) kept_credentials: KeptCredentials,
    /// The cache of link indexes that are not stored.
    pub(crate) links: IndexCache,
    /// Descriptions of pages of other hosts.
    pub(crate) embeds: EmbedCache,
    /// Events of readers that wait to be written.
    pub observed: ObservedEvents,
    /// The texts that people write together, and the clients that follow them.
    pub editing: Editing,
    /// The search index of this node.
    pub(crate) search: NodeIndex,
    /// Fetches Git repositories.
    pub fetcher: Fetcher,
    /// The guard that decides which addresses outbound requests may reach.
    pub guard: Guard,
    /// Sends outbound requests.
    pub client: Client,
    /// Sends mail; `None` if no mail server is configured.
    pub mailer: Option<Mailer>,
    /// The GitHub App of the operator; `None` if none is configured.
    pub github: Option<Arc<GitHubApp>>,
}

impl App {
    /// Creates the application from its components.
    ///
    /// # Errors
    /// Returns an error if the client for outbound requests cannot be created.
    pub fn new(parts: Parts) -> Result<Self> {
        let Parts {
            store,
            clock,
            entropy,
            urls,
            secrets,
            guard,
            mailer,
            github,
            limits,
            describes_embeds,
            cache_dir,
            labels,
        } = parts;
        let client = Client::new(guard.clone(), bindery_outbound::Limits::default())?;
        let fetcher = Fetcher::new(client.clone(), cache_dir.join("git"), limits.fetch());
        let content = ContentCache::default();
        let core = Core {
            store,
            clock,
            entropy,
            secrets,
            limits,
            describes_embeds,
            cache_dir,
            labels,
            content,
            kept_credentials: KeptCredentials::default(),
            links: IndexCache::default(),
            embeds: EmbedCache::default(),
            observed: ObservedEvents::default(),
            editing: Editing::default(),
            search: NodeIndex::default(),
            fetcher,
            guard,
            client,
            mailer,
            github,
        };
        Ok(Self { core: Arc::new(core), urls, presented: PresentedSpaces::default() })
    }

    /// Returns the application with other addresses in its responses, for a caller that reached the
    /// server at those.
    #[must_use]
    pub fn reached_at(self: &Arc<Self>, urls: Option<Urls>) -> Arc<Self> {
        match urls {
            None => Arc::clone(self),
            Some(urls) => {
                let core = Arc::clone(&self.core);
                Arc::new(Self { core, urls, presented: PresentedSpaces::default() })
            }
        }
    }
}

impl std::ops::Deref for App {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The transaction, server and caller of a use case.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The transaction.
    pub tx: &'a Tx<'a>,
    /// The application.
    pub app: &'a App,
    /// The caller.
    pub caller: &'a Caller,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("caller", self.caller).finish_non_exhaustive()
    }
}

impl Context<'_> {
    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        self.app.clock.now()
    }

    /// Returns the limits of credentials that the caller creates.
    pub fn lineage(&self) -> Lineage {
        self.caller.person().map(|person| person.lineage).unwrap_or_default()
    }

    /// Returns the claims that conditions in content see: those of the visitor to whom the token of
    /// a site with adaptive content was given. Returns `None` for all other callers.
    ///
    /// # Errors
    /// Returns an error if the claims cannot be encoded, which does not happen for claims from JSON.
    pub fn visitor_claims(&self) -> Result<Option<ClaimsOf>> {
        self.caller.adaptive_visitor().map(ClaimsOf::visitor).transpose()
    }

    /// Returns the calling person, if the caller is authenticated.
    pub fn user(&self) -> Option<UserId> {
        self.caller.person().map(|person| person.user)
    }
}
