//! The same trust for clients that are not `ureq`'s.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use super::NetworkError;

/// TLS with the roots that are built in, and those of the file that `SSL_CERT_FILE` names.
///
/// # Errors
/// When that file cannot be used.
pub fn client_config() -> Result<ClientConfig, NetworkError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    if let Some(path) = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()).map(PathBuf::from) {
        let unusable = |reason: String| NetworkError::Roots { path: path.clone(), reason };
        let file = CertificateDer::pem_file_iter(&path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unusable(format!("which cannot be read: {error}")))?;
        if roots.add_parsable_certificates(file).0 == 0 {
            return Err(unusable("which holds no certificate".to_owned()));
        }
    }
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
    let versions = versions.expect("ring knows the versions that are asked for by default");
    Ok(versions.with_root_certificates(roots).with_no_client_auth())
}
