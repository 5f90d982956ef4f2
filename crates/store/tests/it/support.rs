//! A separate store for each test, on either engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bindery_model::{Entropy, FixedClock, Timestamp};
use bindery_store::{EngineConfig, ObjectsConfig, Store, StoreConfig, StoreError};
use tempfile::TempDir;
use url::Url;

/// The files and database of one test's store. The store may be opened more than once.
pub(crate) struct Home {
    pub(crate) dir: TempDir,
    pub(crate) clock: Arc<FixedClock>,
    database: Option<Database>,
    entropy: Arc<Entropy>,
}

struct Database {
    server: Url,
    name: String,
}

/// The time at which every test starts.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_700_000_000_000);

impl Home {
    fn new(database: Option<Database>) -> Self {
        Self {
            dir: TempDir::new().unwrap(),
            clock: Arc::new(FixedClock::new(START)),
            database,
            entropy: Arc::new(Entropy::from_system().unwrap()),
        }
    }

    pub(crate) fn sqlite() -> Self {
        Self::new(None)
    }

    /// Creates a database on the test server. Returns `None` if no server is configured.
    pub(crate) async fn postgres() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);

        let server = Url::parse(&std::env::var("BINDERY_TEST_POSTGRES").ok()?).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bindery_store_{}_{count}", std::process::id());
        // A locale-aware collation, on which the store must not depend.
        let sql = format!(
            "CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'"
        );
        statement(&server, &sql).await;
        Some(Self::new(Some(Database { server, name })))
    }

    pub(crate) fn config(&self) -> StoreConfig {
        let engine = match &self.database {
            None => EngineConfig::Sqlite { dir: self.dir.path().to_owned() },
            Some(database) => {
                let mut url = database.server.clone();
                url.set_path(&database.name);
                EngineConfig::Postgres { url: url.into(), connections: 8 }
            }
        };
        StoreConfig {
            engine,
            objects: ObjectsConfig::Folder(self.dir.path().join("objects")),
            object_cache: StoreConfig::OBJECT_CACHE,
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            slow_transaction: None,
        }
    }

    pub(crate) async fn open(&self) -> Store {
        self.try_open().await.unwrap()
    }

    pub(crate) async fn try_open(&self) -> Result<Store, StoreError> {
        Store::open(self.config()).await
    }

    /// Opens the store a second time, from a shared reference.
    pub(crate) fn try_reopen(
        self: &Arc<Self>,
    ) -> impl Future<Output = Result<Store, StoreError>> + Send + use<> {
        Store::open(self.config())
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.database.is_none()
    }

    /// Runs a test and deletes its database, even if the test fails.
    pub(crate) async fn run<T, F>(self, test: T)
    where
        T: FnOnce(Arc<Self>) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let home = Arc::new(self);
        let result = tokio::spawn(test(home.clone())).await;
        if let Some(Database { server, name }) = &home.database {
            statement(server, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
        if let Err(error) = result {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

async fn statement(server: &Url, sql: &str) {
    let (client, connection) =
        tokio_postgres::connect(server.as_str(), tokio_postgres::NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

/// Defines each function as one test per engine.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    crate::support::Home::sqlite().run(super::$test).await;
                }
            )*
        }

        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    match crate::support::Home::postgres().await {
                        Some(home) => home.run(super::$test).await,
                        None => println!("skipped: BINDERY_TEST_POSTGRES is not set"),
                    }
                }
            )*
        }
    };
}

pub(crate) use on_both;
