//! Requests to small servers, and names that a resolver of the tests makes lead anywhere.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;

use hermes_provider_api::{Capabilities, Host};

use super::super::tests::host;
use super::*;
use crate::net::served::{answer as response, serve};

fn granted(entries: &[&str], settings: &Value) -> (tempfile::TempDir, Host) {
    let folder = tempfile::tempdir().unwrap();
    let http = entries.iter().map(|&entry| entry.to_owned()).collect();
    let host = host(settings, Capabilities { http, ..Capabilities::default() }, folder.path());
    (folder, host)
}

#[test]
fn a_request_and_its_answer() {
    let (address, server) = serve(vec![response("422 Unprocessable", "нет")]);
    let (_folder, host) = granted(&["config:base_url"], &serde_json::json!({"base_url": address}));
    let request = HttpRequest {
        method: "POST".to_owned(),
        url: format!("{address}/v1?q=1"),
        headers: vec![("x-api-key".to_owned(), "k".to_owned())],
        body: Some("{\"a\": \"да\"}".to_owned()),
        ..HttpRequest::default()
    };
    let answer = host.http(&request).unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (422, "нет"));
    let asked = server.join().unwrap().remove(0);
    assert!(asked.starts_with("POST /v1?q=1 HTTP/1.1\r\n") && asked.ends_with("{\"a\": \"да\"}"), "{asked}");
    assert!(asked.contains("x-api-key: k\r\n"));
}

#[test]
fn a_redirect_is_checked_like_a_request() {
    let (address, server) = serve(vec![
        response("302 Found\r\nlocation: next", ""),
        response("302 Found\r\nlocation: http://127.0.0.2:9/x", ""),
    ]);
    let (_folder, host) = granted(&[&address], &Value::Null);
    let error = host.http(&HttpRequest { url: format!("{address}/a/b"), ..HttpRequest::default() }).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert_eq!(error.message, "`notes` was not granted the capability http `http://127.0.0.2:9`");
    assert!(server.join().unwrap()[1].starts_with("GET /a/next "));
}

#[test]
fn another_origin_gets_no_keys() {
    let (target, second) = serve(vec![response("200 OK", "there")]);
    let (address, first) = serve(vec![response(&format!("307 Moved\r\nlocation: {target}/b"), "")]);
    let (_folder, host) = granted(&[&address, &target], &Value::Null);
    let headers = ["Accept", "X-Auth-Token", "Authorization"].map(|name| (name.to_owned(), "v".to_owned()));
    let request = HttpRequest { url: address, headers: headers.into(), ..HttpRequest::default() };
    assert_eq!(host.http(&request).unwrap().body, "there");
    let (first, second) = (first.join().unwrap().remove(0), second.join().unwrap().remove(0));
    assert!(first.contains("x-auth-token: v") && first.contains("authorization: v"), "{first}");
    assert!(second.contains("accept: v") && !second.contains("auth"), "{second}");
}

#[test]
fn what_the_host_says_itself_cannot_be_said_otherwise() {
    let (_folder, host) = granted(&["https://api.example"], &Value::Null);
    for name in ["Host", "content-length", "Transfer-Encoding"] {
        let headers = vec![(name.to_owned(), "1".to_owned())];
        let request = HttpRequest { url: "https://api.example".to_owned(), headers, ..HttpRequest::default() };
        let error = host.http(&request).unwrap_err();
        assert_eq!(error.message, format!("the header `{name}` is set by the host alone"));
    }
}

#[test]
fn targets_of_redirects() {
    #[track_caller]
    fn check(target: &str, expect: &str) {
        let base = parse("https://a.example/x/y?old=1").unwrap();
        assert_eq!(join(&base, target).unwrap().to_string(), expect, "{target}");
    }
    check("https://b.example/z", "https://b.example/z");
    check("//b.example/z", "https://b.example/z");
    check("/login?next=https://b.example", "https://a.example/login?next=https://b.example");
    check("z?next=https://b.example", "https://a.example/x/z?next=https://b.example");
    check("?page=2", "https://a.example/x/y?page=2");
}

#[test]
fn a_body_that_is_a_file_is_sent_with_its_length() {
    let (address, server) = serve(vec![response("200 OK", "taken")]);
    let (folder, host) = granted(&[&address], &Value::Null);
    std::fs::write(folder.path().join("up"), "тело").unwrap();
    let (method, body_file) = ("POST".to_owned(), Some("up".to_owned()));
    let request = HttpRequest { method, url: address, body_file, ..HttpRequest::default() };
    assert_eq!(host.http(&request).unwrap().body, "taken");
    let asked = server.join().unwrap().remove(0);
    assert!(asked.contains("content-length: 8\r\n") && !asked.contains("chunked"), "{asked}");
    assert!(asked.ends_with("тело"), "{asked}");
}

#[test]
fn an_answer_can_go_to_a_file() {
    let (address, server) = serve(vec![response("200 OK", "bytes")]);
    let (folder, host) = granted(&[&address], &Value::Null);
    let request = HttpRequest { url: address, save_to: Some("dl/a.bin".to_owned()), ..HttpRequest::default() };
    assert_eq!(host.http(&request).unwrap().body, "");
    assert_eq!(std::fs::read_to_string(folder.path().join("dl/a.bin")).unwrap(), "bytes");
    server.join().unwrap();
    let outside = HttpRequest { save_to: Some("../x".to_owned()), ..request.clone() };
    assert_eq!(host.http(&outside).unwrap_err().kind, ErrorKind::InvalidInput);
    // The host may read more than a confined provider.
    std::os::unix::fs::symlink("/etc/hostname", folder.path().join("link")).unwrap();
    let link = HttpRequest { body_file: Some("link".to_owned()), save_to: None, ..request };
    assert_eq!(host.http(&link).unwrap_err().kind, ErrorKind::Storage);
}

#[test]
fn origins() {
    #[track_caller]
    fn check(url: &str, expect: Result<&str, &str>) {
        let found = parse(url).and_then(|uri| origin(&uri)).map(|origin| origin_text(&origin));
        assert_eq!(found.as_deref().map_err(|error| error.message.as_str()), expect, "{url}");
    }
    check("https://API.example:443/x", Ok("https://api.example"));
    check("http://[::1]:8000", Ok("http://[::1]:8000"));
    check("https://a.example@b.example", Err("the address must not hold a user name"));
    check("file:///etc/passwd", Err("the address of the request is not valid"));
    check("ftp://a", Err("the address must begin with http:// or https://"));
}

/// A resolver that says the next of these for every name, and counts.
#[derive(Debug)]
struct Says(std::sync::Mutex<Vec<&'static [&'static str]>>);

impl Resolver for Says {
    fn resolve(
        &self,
        uri: &Uri,
        _: &ureq::config::Config,
        _: ureq::unversioned::transport::NextTimeout,
    ) -> Result<ureq::unversioned::resolver::ResolvedSocketAddrs, ureq::Error> {
        let mut found = self.empty();
        let next = self.0.lock().unwrap().remove(0);
        for address in next {
            found.push((address.parse::<std::net::IpAddr>().unwrap(), origin(uri).unwrap().2).into());
        }
        Ok(found)
    }
}

/// A request to `url` by a provider with these grants, settings and defaults, where names are what `names` says.
fn asked(
    url: &str,
    entries: &[&str],
    settings: &Value,
    defaults: &[(&str, &str)],
    names: Vec<&'static [&'static str]>,
) -> (Result<HttpResponse, ProviderError>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let http = entries.iter().map(|&entry| entry.to_owned()).collect();
    let granted = Capabilities { http, ..Capabilities::default() };
    let mut services = super::super::tests::services(settings, granted, folder.path());
    services.defaults = defaults.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let says = Arc::new(Says(names.into()));
    let request = HttpRequest { url: url.to_owned(), timeout_ms: Some(5_000), ..HttpRequest::default() };
    let answer = services.send_by(&request, &(Arc::clone(&says) as _));
    let left = says.0.lock().unwrap().len();
    (answer, left)
}

#[test]
fn a_name_that_leads_into_the_users_network_is_not_called() {
    let url = "http://api.example:9/v1?key=hush";
    for (addresses, why) in [
        (&["127.0.0.1"] as &[_], "this machine"),
        (&["10.1.2.3"], "a network at home"),
        (&["169.254.169.254"], "what a cloud tells its machines"),
        (&["::ffff:192.168.0.1"], "by a detour"),
        (&["1.1.1.1", "127.0.0.1"], "one of several"),
        (&["127.0.0.1", "1.1.1.1"], "one of several"),
    ] {
        let error = asked(url, &["http://api.example:9"], &Value::Null, &[], vec![addresses]).0.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Denied, "{why}: {error}");
        assert_eq!(
            error.message,
            "`notes` may call http://api.example:9 in the internet, and an address of that name lies elsewhere: not called"
        );
    }
}

#[test]
fn what_the_user_typed_may_lie_in_the_users_network_and_a_default_may_not() {
    let (address, server) = serve(vec![response("200 OK", "home")]);
    let port = address.rsplit_once(':').unwrap().1.to_owned();
    let url = format!("http://nas.lan:{port}");
    let settings = serde_json::json!({"base_url": url});
    let config = ["config:base_url"];
    let by_default = asked(&url, &config, &settings, &[("base_url", &url)], vec![&["127.0.0.1"]]).0.unwrap_err();
    assert_eq!(by_default.kind, ErrorKind::Denied);
    let cloud = asked(&url, &config, &settings, &[], vec![&["169.254.169.254"]]).0.unwrap_err();
    assert_eq!(cloud.kind, ErrorKind::Denied);
    let typed = asked(&url, &config, &settings, &[("base_url", "https://cloud.example")], vec![&["127.0.0.1"]]).0;
    assert_eq!(typed.unwrap().body, "home");
    server.join().unwrap();
}

#[test]
fn a_name_is_looked_up_once_and_what_was_checked_is_called() {
    let (address, server) = serve(vec![response("200 OK", "pinned")]);
    let port = address.rsplit_once(':').unwrap().1.to_owned();
    let url = format!("http://localhost:{port}");
    // Who asked a second time would be led elsewhere.
    let names: Vec<&'static [&'static str]> = vec![&["127.0.0.1"], &["192.0.2.1"]];
    let (answer, left) = asked(&url, &[&url], &Value::Null, &[], names);
    assert_eq!((answer.unwrap().body.as_str(), left), ("pinned", 1));
    server.join().unwrap();
    let rebound = asked(&url, &[&url], &Value::Null, &[], vec![&["1.1.1.1"]]).0.unwrap_err();
    assert!(rebound.message.contains("in this machine, and an address of that name lies elsewhere"), "{rebound}");
}

#[test]
fn each_step_of_a_redirect_is_looked_up_and_checked() {
    let (address, server) = serve(vec![response("307 Moved\r\nlocation: http://second.example:9/", "")]);
    let entries = [address.as_str(), "http://second.example:9"];
    let names: Vec<&'static [&'static str]> = vec![&["127.0.0.1"], &["10.0.0.1"]];
    let error = asked(&address, &entries, &Value::Null, &[], names).0.unwrap_err();
    assert!(error.message.contains("http://second.example:9 in the internet"), "{error}");
    server.join().unwrap();
}

/// Where a server may send a provider that was granted `https://api.example` alone. None of these is another spelling of
/// it.
#[test]
fn no_other_spelling_passes_for_a_granted_origin() {
    let (_folder, host) = granted(&["https://api.example", "https://xn--bcher-kva.example"], &Value::Null);
    for url in [
        "http://api.example",
        "https://api.example:444",
        "https://api.example.",
        "https://api.example.evil.example",
        "https://evil.example/https://api.example",
        "https://evil.example#api.example",
        "https://evil.example?api.example",
        "https://api.example@evil.example",
        "https://user:pass@api.example",
        "https://api.example\\@evil.example",
        "https://evil.example\\.api.example",
        "https://bücher.example",
        "https://api。example",
        "https://apı.example",
        "https://api%2eexample",
        "https://api.example%00.evil.example",
        "https://[::ffff:127.0.0.1]",
        "https:///api.example",
        "https:api.example",
        "//api.example",
        "ftp://api.example",
        "file:///etc/passwd",
        "data:text/plain,x",
        "",
    ] {
        let error = host.http(&HttpRequest { url: url.to_owned(), ..HttpRequest::default() }).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Denied | ErrorKind::InvalidInput), "{url}: {error}");
    }
    // The same origin, spelled as people do.
    let services = super::super::tests::services(
        &Value::Null,
        Capabilities { http: vec!["https://api.example".to_owned()], ..Capabilities::default() },
        Path::new("/nowhere"),
    );
    for url in ["https://API.Example/x", "HTTPS://api.example:443", "https://api.example?x=@evil.example"] {
        assert_eq!(services.check_origin(&parse(url).unwrap()).unwrap(), Reach::Public, "{url}");
    }
    for target in [
        "http://api.example/",
        "//evil.example",
        "https://a:b@api.example/",
        "https://api.example:444/",
        "\\\\evil.example",
    ] {
        let base = parse("https://api.example/a/b").unwrap();
        let next = join(&base, target).and_then(|uri| services.check_origin(&uri).map(|_| uri));
        assert!(next.as_ref().map_or(true, |uri| uri.host() == Some("api.example")), "{target}: {next:?}");
        assert!(next.is_err() || target.starts_with('\\'), "{target}: {next:?}");
    }
}

/// Answers one request with these bytes, then with `more` again and again, for as long as somebody listens.
fn pours(head: &'static [u8], more: &'static [u8], pause: Duration) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 1024];
        let _ = stream.read(&mut asked);
        let mut open = stream.write_all(head).is_ok();
        while open {
            std::thread::sleep(pause);
            open = stream.write_all(more).is_ok();
        }
    });
    (address, server)
}

#[track_caller]
fn poured(head: &'static [u8], more: &'static [u8], pause: u64, kind: ErrorKind) -> String {
    let (address, server) = pours(head, more, Duration::from_millis(pause));
    let (_folder, host) = granted(&[&address], &Value::Null);
    let limit = if kind == ErrorKind::Timeout { 300 } else { 60_000 };
    let url = format!("{address}/v1?key=hush");
    let error = host.http(&HttpRequest { url, timeout_ms: Some(limit), ..HttpRequest::default() }).unwrap_err();
    assert_eq!(error.kind, kind, "{error}");
    assert!(!error.message.contains("hush"), "{error}");
    server.join().unwrap();
    error.message
}

#[test]
fn no_answer_goes_on_for_ever() {
    let slow_head = poured(b"HTTP/1.1 200 OK\r\nx: ", b"y", 20, ErrorKind::Timeout);
    assert!(slow_head.ends_with("cannot be reached: timeout: global"), "{slow_head}");
    let slow_body = poured(b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", b"y", 20, ErrorKind::Timeout);
    assert_eq!(slow_body, "the answer did not end in time");
    poured(
        b"HTTP/1.1 200 OK\r\n",
        b"x-filler: 0123456789012345678901234567890123456789\r\n",
        0,
        ErrorKind::Unavailable,
    );
    poured(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 5, ErrorKind::Timeout);
    let body = poured(b"HTTP/1.1 200 OK\r\n\r\n", &[b'y'; 1 << 16], 0, ErrorKind::Unavailable);
    assert_eq!(body, "the answer could not be read: it is larger than 16 MiB");
}

#[test]
fn nothing_is_unpacked_and_nothing_of_the_users_is_sent() {
    let (address, server) = serve(vec![
        response("200 OK\r\nset-cookie: s=1\r\ncontent-encoding: gzip", "as it came"),
        response("200 OK", "ok"),
    ]);
    let (_folder, host) = granted(&[&address], &Value::Null);
    let request = HttpRequest { url: address, ..HttpRequest::default() };
    assert_eq!(host.http(&request).unwrap().body, "as it came");
    host.http(&request).unwrap();
    let asked = server.join().unwrap().concat().to_ascii_lowercase();
    for header in ["cookie", "authorization", "accept-encoding", "referer"] {
        assert!(!asked.contains(header), "{asked}");
    }
}
