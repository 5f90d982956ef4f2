//! TLS for PostgreSQL with the options of its own clients: `sslmode` and `sslrootcert` in the
//! database URL.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::StoreError;

/// The extent to which the server's certificate is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Check {
    /// No check. The connection is encrypted, but to an unknown server.
    None,
    /// The certificate must be signed by a trusted authority.
    Authority,
    /// The certificate must also be valid for the host.
    Host,
}

/// The trusted authorities.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Roots {
    System,
    File(PathBuf),
}

/// The TLS options of the database URL.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TlsOptions {
    mode: SslMode,
    check: Check,
    roots: Roots,
}

/// Parses a database URL with its TLS options.
pub(super) fn read(url: &str) -> Result<(Config, MakeRustlsConnect), StoreError> {
    let (rest, options) = split_options(url)?;
    // The error's text names the option and never contains the password.
    let mut config = Config::from_str(&rest)
        .map_err(|error| StoreError::Config(format!("the database URL: {error}")))?;
    let local = |host: &Host| !matches!(host, Host::Tcp(_));
    if !config.get_hosts().is_empty() && config.get_hosts().iter().all(local) {
        // A Unix socket stays on this machine, and PostgreSQL does not support TLS on it.
        config.ssl_mode(SslMode::Disable);
    } else if let Some(options) = &options {
        config.ssl_mode(options.mode);
    }
    let (check, roots) =
        options.map_or((Check::None, Roots::System), |options| (options.check, options.roots));
    Ok((config, MakeRustlsConnect::new(client_config(check, &roots)?)))
}

/// Separates the TLS options from the rest of the URL.
fn split_options(url: &str) -> Result<(String, Option<TlsOptions>), StoreError> {
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let Some((base, query)) = url.split_once('?').filter(|_| is_url) else {
        return Ok((url.to_owned(), None));
    };
    let (mut mode, mut roots, mut others) = (None, None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
        match name {
            "sslmode" => mode = Some(value),
            "sslrootcert" if value == "system" => roots = Some(Roots::System),
            "sslrootcert" => roots = Some(Roots::File(PathBuf::from(value))),
            _ => others.push(pair),
        }
    }
    let rest =
        if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
    if mode.is_none() && roots.is_none() {
        return Ok((rest, None));
    }
    parse_options(mode.as_deref(), roots).map(|options| (rest, Some(options)))
}

fn parse_options(mode: Option<&str>, roots: Option<Roots>) -> Result<TlsOptions, StoreError> {
    // Anyone can get a certificate from a public authority, so the host must match.
    let public = roots == Some(Roots::System);
    let (mode, check) = match mode {
        Some("verify-full") => (SslMode::Require, Check::Host),
        None if public => (SslMode::Require, Check::Host),
        Some(weak @ ("disable" | "prefer" | "require" | "verify-ca")) if public => {
            return Err(StoreError::Config(format!(
                "the database URL: sslmode={weak} cannot be combined with sslrootcert=system; \
                 use verify-full"
            )));
        }
        Some("disable") => (SslMode::Disable, Check::None),
        Some("prefer") | None => (SslMode::Prefer, Check::None),
        // As in PostgreSQL's own clients, an explicit authority implies that its signature is
        // checked.
        Some("require") if roots.is_some() => (SslMode::Require, Check::Authority),
        Some("require") => (SslMode::Require, Check::None),
        Some("verify-ca") => (SslMode::Require, Check::Authority),
        Some(_) => {
            return Err(StoreError::Config(
                "the database URL: sslmode must be disable, prefer, require, verify-ca or \
                 verify-full"
                    .to_owned(),
            ));
        }
    };
    Ok(TlsOptions { mode, check, roots: roots.unwrap_or(Roots::System) })
}

fn client_config(check: Check, roots: &Roots) -> Result<ClientConfig, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = if check == Check::None {
        Arc::new(PartialVerifier { provider: Arc::clone(&provider), strict: None })
    } else {
        let roots = Arc::new(load_roots(roots)?);
        let strict = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider))
            .build()
            .map_err(|error| StoreError::Config(format!("sslrootcert: {error}")))?;
        match check {
            Check::Authority => {
                Arc::new(PartialVerifier { provider: Arc::clone(&provider), strict: Some(strict) })
            }
            _ => strict,
        }
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Config(format!("TLS: {error}")))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn load_roots(roots: &Roots) -> Result<RootCertStore, StoreError> {
    let mut store = RootCertStore::empty();
    match roots {
        Roots::System => {
            let found = rustls_native_certs::load_native_certs();
            let (added, _) = store.add_parsable_certificates(found.certs);
            if added == 0 {
                // A minimal container has no certificates of its own.
                store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            }
        }
        Roots::File(path) => {
            let failed = |error: String| {
                StoreError::Config(format!("sslrootcert {}: {error}", path.display()))
            };
            let certificates = CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| failed(error.to_string()))?;
            if certificates.is_empty() {
                return Err(failed("the file contains no PEM certificate".to_owned()));
            }
            for certificate in certificates {
                store.add(certificate).map_err(|error| failed(error.to_string()))?;
            }
        }
    }
    Ok(store)
}

/// Performs a weaker check than the strict verifier: only the authority, or nothing. Always checks
/// that the server holds the certificate's key.
#[derive(Debug)]
struct PartialVerifier {
    provider: Arc<CryptoProvider>,
    strict: Option<Arc<WebPkiServerVerifier>>,
}

impl ServerCertVerifier for PartialVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(strict) = &self.strict else { return Ok(ServerCertVerified::assertion()) };
        // The strict verifier checks the name last.
        match strict.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Returns a message about the server's certificate if it is the cause of the error. The message
/// says how to fix the problem.
pub(super) fn certificate_error(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // An I/O error omits its inner error from its chain of sources.
        let inner = error
            .downcast_ref::<std::io::Error>()
            .and_then(|error| error.get_ref())
            .map_or(error, |inner| inner as &(dyn std::error::Error + 'static));
        if let Some(rustls::Error::InvalidCertificate(problem)) = inner.downcast_ref() {
            return Some(match problem {
                // `BadSignature` means an authority of the same name with another key.
                CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                    "no trusted authority signed the certificate of the database server; \
                     sslrootcert names the trusted authorities"
                        .to_owned()
                }
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => {
                    "the certificate of the database server is not valid for the host in the database \
                     URL, as sslmode=verify-full requires"
                        .to_owned()
                }
                other => format!("the certificate of the database server: {other}"),
            });
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expect: Option<(SslMode, Check, &str)>) {
        let (rest, found) = split_options(&format!("postgres://u:p@h/d?a=1&{query}&b=2")).unwrap();
        assert_eq!(rest, "postgres://u:p@h/d?a=1&b=2", "{query}");
        let expect = expect.map(|(mode, check, roots)| TlsOptions {
            mode,
            check,
            roots: if roots.is_empty() { Roots::System } else { Roots::File(roots.into()) },
        });
        assert_eq!(found, expect, "{query}");
    }

    #[test]
    fn modes_mean_what_they_mean_to_postgresql() {
        check("", None);
        for (mode, tls, verify) in [
            ("disable", SslMode::Disable, Check::None),
            ("prefer", SslMode::Prefer, Check::None),
            ("require", SslMode::Require, Check::None),
            ("verify-ca", SslMode::Require, Check::Authority),
            ("verify-full", SslMode::Require, Check::Host),
        ] {
            check(&format!("sslmode={mode}"), Some((tls, verify, "")));
        }
        check("sslrootcert=%2Fa%20b", Some((SslMode::Prefer, Check::None, "/a b")));
        let authority = Some((SslMode::Require, Check::Authority, "/ca"));
        check("sslmode=require&sslrootcert=/ca", authority);
        let full = Some((SslMode::Require, Check::Host, ""));
        check("sslrootcert=system", full);
        check("sslmode=verify-full&sslrootcert=system", full);
    }

    #[test]
    fn nonsense_is_refused_without_the_password() {
        for query in ["sslmode=allow", "sslmode=", "sslmode=require&sslrootcert=system"] {
            let error = split_options(&format!("postgres://u:secret@h/d?{query}")).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("sslmode") && !text.contains("secret"), "{text}");
        }
        for path in ["/nowhere/ca.pem", "/dev/null"] {
            let url = format!("postgres://u:secret@h/d?sslmode=verify-ca&sslrootcert={path}");
            let text = read(&url).err().unwrap().to_string();
            assert!(text.contains(path) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn sockets_of_the_machine_have_no_tls() {
        let url = "postgres://u@%2Fvar%2Frun/d?sslmode=require";
        assert_eq!(read(url).ok().unwrap().0.get_ssl_mode(), SslMode::Disable);
        let url = "postgres://u@h/d?sslmode=require";
        assert_eq!(read(url).ok().unwrap().0.get_ssl_mode(), SslMode::Require);
    }
}
