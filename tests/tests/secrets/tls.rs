//! The `http` service and a server whose certificate nobody vouches for.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;

use hermes_host::clock::Clock;
use hermes_host::plugins::services::{HostServices, ModelAccess};
use hermes_provider_api::host::HttpRequest;
use hermes_provider_api::{Capabilities, ErrorKind, Host};
use hermes_tests::workspace;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let folder = workspace().join("tests/data/tls");
    let chain = CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
        let mut asked = Vec::new();
        std::io::Read::read_to_end(&mut stream, &mut asked).map(|_| asked)
    });
    let data = tempfile::tempdir().unwrap();
    let url = format!("https://localhost:{port}");
    let host = Host::new(Arc::new(HostServices {
        provider: "notes".to_owned(),
        data_dir: data.path().to_owned(),
        settings: serde_json::Map::new(),
        defaults: Default::default(),
        home: data.path().to_owned(),
        granted: Capabilities { http: vec![url.clone()], ..Capabilities::default() },
        secrets: Arc::new(|_| None),
        clock: Clock::default(),
        log: Arc::new(|_, _| {}),
        model: ModelAccess::default(),
    }));
    let request = HttpRequest { url: format!("{url}/?key=hush"), ..HttpRequest::default() };
    let error = host.http(&request).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(error.message.contains("invalid peer certificate"), "{}", error.message);
    assert!(!error.message.contains("hush"), "{}", error.message);
    let asked = server.join().unwrap();
    assert!(asked.is_err(), "nothing was sent: {asked:?}");
    assert!(fs::read_dir(data.path()).unwrap().next().is_none());
}
