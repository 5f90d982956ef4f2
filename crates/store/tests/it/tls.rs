//! TLS to PostgreSQL as the database URL configures it. The server needs a certificate for
//! `localhost`, and `BINDERY_TEST_POSTGRES_CA` names the file of its authority.

use std::net::SocketAddr;
use std::path::PathBuf;

use bindery_store::{EngineConfig, Store, StoreError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::support::Home;

/// PostgreSQL's SSLRequest message: its length and its request code.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

#[expect(clippy::print_stdout, reason = "a run reports the tests that it skips")]
fn authority() -> Option<PathBuf> {
    let path = std::env::var_os("BINDERY_TEST_POSTGRES_CA").map(PathBuf::from);
    if path.is_none() {
        println!("skipped: BINDERY_TEST_POSTGRES_CA is not set");
    }
    path
}

/// Returns the database's URL with another host or port and other options.
fn url_of(home: &Home, host: &str, port: Option<u16>, options: &[(&str, &str)]) -> Url {
    let EngineConfig::Postgres { url, .. } = home.config().engine else { unreachable!() };
    let mut url = Url::parse(&url).unwrap();
    url.set_host(Some(host)).unwrap();
    if port.is_some() {
        url.set_port(port).unwrap();
    }
    url.set_query(None);
    url.query_pairs_mut().extend_pairs(options);
    url
}

async fn open(home: &Home, url: Url) -> Result<Store, StoreError> {
    let mut config = home.config();
    config.engine = EngineConfig::Postgres { url: url.into(), connections: 2 };
    Store::open(config).await
}

async fn is_encrypted(home: &Home, url: Url) -> bool {
    let store = open(home, url).await.unwrap();
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    store.read(|tx| tx.query_one(sql, &[], |row| row.get::<bool>(0))).await.unwrap()
}

#[tokio::test]
async fn certificates_are_checked_as_configured() {
    let (Some(home), Some(authority)) = (Home::postgres().await, authority()) else { return };
    home.run(async move |home| {
        let right = authority.to_str().unwrap();
        let other = home.dir.path().join("other.pem");
        let key = rcgen::KeyPair::generate().unwrap();
        let made = rcgen::CertificateParams::new([]).unwrap().self_signed(&key).unwrap();
        std::fs::write(&other, made.pem()).unwrap();
        let other = other.to_str().unwrap();

        let (named, numbered) = ("localhost", "127.0.0.1");
        for (host, mode, authority, encrypted) in [
            (named, "verify-full", Some(right), true),
            (numbered, "verify-ca", Some(right), true),
            (numbered, "require", Some(right), true),
            (numbered, "require", None, true),
            (numbered, "prefer", None, true),
            (numbered, "prefer", Some(other), true),
            (numbered, "disable", None, false),
        ] {
            let mut options = vec![("sslmode", mode)];
            options.extend(authority.map(|path| ("sslrootcert", path)));
            let url = url_of(&home, host, None, &options);
            assert_eq!(is_encrypted(&home, url).await, encrypted, "{options:?}");
        }
        assert!(is_encrypted(&home, url_of(&home, numbered, None, &[])).await);

        for (host, mode, authority, reason) in [
            (named, "verify-full", Some(other), "no trusted authority"),
            (numbered, "verify-ca", Some(other), "no trusted authority"),
            (numbered, "require", Some(other), "no trusted authority"),
            (named, "verify-full", None, "no trusted authority"),
            (numbered, "verify-full", Some(right), "is not valid for the host"),
        ] {
            let mut options = vec![("sslmode", mode)];
            options.extend(authority.map(|path| ("sslrootcert", path)));
            let url = url_of(&home, host, None, &options);
            let password = url.password().unwrap().to_owned();
            let text = open(&home, url).await.unwrap_err().to_string();
            assert!(text.contains(reason) && !text.contains(&password), "{options:?}: {text}");
        }
    })
    .await;
}

#[tokio::test]
async fn without_tls_on_the_server() {
    let Some(home) = Home::postgres().await else { return };
    home.run(async move |home| {
        let EngineConfig::Postgres { url, .. } = home.config().engine else { unreachable!() };
        let url = Url::parse(&url).unwrap();
        let server = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
        let port = Some(server_without_tls(server).await.port());
        assert!(!is_encrypted(&home, url_of(&home, "127.0.0.1", port, &[])).await);
        let prefer = url_of(&home, "127.0.0.1", port, &[("sslmode", "prefer")]);
        assert!(!is_encrypted(&home, prefer).await);
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = url_of(&home, "127.0.0.1", port, &[("sslmode", mode)]);
            let text = open(&home, url).await.unwrap_err().to_string();
            assert!(text.contains("server does not support TLS"), "{mode}: {text}");
        }
    })
    .await;
}

/// Starts a proxy to the server that answers requests for TLS as a server without TLS does.
async fn server_without_tls(server: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let server = server.clone();
            tokio::spawn(async move {
                let mut first = [0; SSL_REQUEST.len()];
                client.read_exact(&mut first).await.unwrap();
                let mut server = TcpStream::connect(server).await.unwrap();
                if first == SSL_REQUEST {
                    client.write_all(b"N").await.unwrap();
                } else {
                    server.write_all(&first).await.unwrap();
                }
                // Either side may close the connection.
                let _ended = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}
