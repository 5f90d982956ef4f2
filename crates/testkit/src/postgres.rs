//! A PostgreSQL database for a test, on the server that `BINDERY_TEST_POSTGRES` names.

use bindery_model::{Entropy, Id};
use tokio_postgres::{Client, Config, NoTls};

/// The environment variable with the address of a server on which tests can create databases.
/// `cargo xtask test` sets it.
pub const VARIABLE: &str = "BINDERY_TEST_POSTGRES";

/// An empty database, which is deleted when it is dropped.
#[derive(Debug)]
pub struct Database {
    server: String,
    name: String,
    url: String,
}

impl Database {
    /// Creates a database. Returns `None` if no server is configured, in which case the test runs
    /// on SQLite only.
    ///
    /// # Panics
    /// Panics if a server is configured and does not create the database.
    pub fn create() -> Option<Self> {
        Some(Self::create_on(&std::env::var(VARIABLE).ok()?))
    }

    fn create_on(server: &str) -> Self {
        let entropy = Entropy::from_system().expect("randomness for a database's name");
        let name = format!("bindery_{}", Id::random(&entropy).as_str().to_ascii_lowercase());
        execute(server, &format!("CREATE DATABASE {name} TEMPLATE template0"))
            .unwrap_or_else(|error| panic!("{VARIABLE}: {error}"));
        Self { server: server.to_owned(), url: with_database(server, &name), name }
    }

    /// Returns the address of the database in the form of `--database-url`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs a statement, to inspect data that no operation returns, or to damage it.
    ///
    /// # Errors
    /// Returns the error of the server.
    pub fn execute(&self, statement: &str) -> Result<(), String> {
        execute(&self.url, statement)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let dropped = execute(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name));
        if let Err(error) = dropped
            && !std::thread::panicking()
        {
            panic!("the test's database {} could not be dropped: {error}", self.name);
        }
    }
}

/// Replaces the name of the database in the server's address.
fn with_database(server: &str, name: &str) -> String {
    let (address, query) = match server.split_once('?') {
        Some((address, query)) => (address, format!("?{query}")),
        None => (server, String::new()),
    };
    let authority = address.find("://").map_or(0, |at| at + 3);
    let end = address[authority..].find('/').map_or(address.len(), |at| authority + at);
    format!("{}/{name}{query}", &address[..end])
}

/// Runs a statement on a separate thread, so that it can be called with and without an async
/// runtime, and in `Drop`.
fn execute(url: &str, statement: &str) -> Result<(), String> {
    let work = || -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        runtime.block_on(async {
            let client = connect(url).await.map_err(|error| describe(&error))?;
            client.batch_execute(statement).await.map_err(|error| describe(&error))
        })
    };
    std::thread::scope(|scope| scope.spawn(work).join())
        .unwrap_or_else(|_| Err("the thread that asks PostgreSQL panicked".into()))
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = url.parse::<Config>()?.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Returns the server's message, which the `Display` implementation of the error omits.
fn describe(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_of_the_database_changes() {
        let check = |server: &str, expect: &str| {
            assert_eq!(with_database(server, "new"), expect, "{server}");
        };
        check("postgres://u:p@127.0.0.1:5/postgres", "postgres://u:p@127.0.0.1:5/new");
        check("postgres://u@h/a?sslmode=disable", "postgres://u@h/new?sslmode=disable");
        check("postgres://h", "postgres://h/new");
    }

    #[test]
    fn a_database_lives_as_long_as_its_value() {
        let Some(database) = Database::create() else {
            return;
        };
        database.execute("CREATE TABLE t (a bigint)").unwrap();
        let url = database.url().to_owned();
        drop(database);
        assert!(execute(&url, "SELECT 1").unwrap_err().contains("does not exist"));
    }
}
