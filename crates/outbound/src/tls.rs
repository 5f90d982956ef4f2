//! TLS for outbound connections: rustls with ring and the certificate authorities of the machine.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore};

/// Returns the TLS configuration with the machine's certificate authorities, or with Mozilla's if
/// the machine has none, as in a minimal container.
pub(crate) fn config() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        tracing::info!("the machine has no certificate authorities; using the built-in ones");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
