//! The context of a use case: the transaction, the server's parts and the caller.

use std::path::PathBuf;
use std::sync::Arc;

use bindery_git::Fetcher;
use bindery_model::{Clock, Entropy, Timestamp, UserId};
use bindery_outbound::{Client, Guard, Mailer};
use bindery_store::{Store, Tx};

use crate::access::{Caller, Lineage};
use crate::content::ContentCache;
use crate::credentials::KeptCredentials;
use crate::limits::Limits;
use crate::links::IndexCache;
use crate::presented::PresentedSpaces;
use crate::secrets::Secrets;
use crate::urls::Urls;

/// The parts that the application is built from.
pub struct Parts {
    /// Records and objects.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<Entropy>,
    /// Addresses.
    pub urls: Urls,
    /// Keys.
    pub secrets: Secrets,
    /// The guard that decides which addresses outbound requests may reach.
    pub guard: Guard,
    /// Sends mail, where a server for it is configured.
    pub mailer: Option<Mailer>,
    /// Sizes and times.
    pub limits: Limits,
    /// The folder for derived data and caches on this node.
    pub cache_dir: PathBuf,
}

/// The parts of the server that use cases stand on, with the addresses that answers name.
pub struct App {
    core: Arc<Core>,
    /// Addresses.
    pub urls: Urls,
    /// Spaces in the form that the API sends, with those addresses.
    pub presented: PresentedSpaces,
}

/// The parts of the server that are there once, for the life of the process.
pub struct Core {
    /// Records and objects.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<Entropy>,
    /// Keys.
    pub secrets: Secrets,
    /// Sizes and times.
    pub limits: Limits,
    /// The folder for derived data and caches on this node.
    pub cache_dir: PathBuf,
    /// Decoded content, which never changes.
    pub content: ContentCache,
    /// Credentials that were looked up.
    pub(crate) kept_credentials: KeptCredentials,
    /// Indexes of references that are not stored.
    pub(crate) links: IndexCache,
    /// Brings repositories here.
    pub fetcher: Fetcher,
    /// The guard that decides which addresses outbound requests may reach.
    pub guard: Guard,
    /// Sends requests to the outside.
    pub client: Client,
    /// Sends mail, where a server for it is configured.
    pub mailer: Option<Mailer>,
}

impl App {
    /// Puts the parts together.
    ///
    /// # Errors
    /// When the client for requests to the outside cannot be made.
    pub fn new(parts: Parts) -> bindery_model::Result<Self> {
        let Parts { store, clock, entropy, urls, secrets, guard, mailer, limits, cache_dir } =
            parts;
        let client = Client::new(guard.clone(), bindery_outbound::Limits::default())?;
        let fetcher = Fetcher::new(client.clone(), cache_dir.join("git"), limits.fetch());
        let content = ContentCache::default();
        let core = Core {
            store,
            clock,
            entropy,
            secrets,
            limits,
            cache_dir,
            content,
            kept_credentials: KeptCredentials::default(),
            links: IndexCache::default(),
            fetcher,
            guard,
            client,
            mailer,
        };
        Ok(Self { core: Arc::new(core), urls, presented: PresentedSpaces::default() })
    }

    /// The same parts, for one who may have reached the server at other addresses.
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
    /// The server's parts.
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

    /// Returns the calling person, if the caller is authenticated.
    pub fn user(&self) -> Option<UserId> {
        self.caller.person().map(|person| person.user)
    }
}
