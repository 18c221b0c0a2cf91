//! Web requests to granted hosts. The host sends them, so a provider in a worker needs no socket of its own.

use std::io::{self, Read as _};
use std::path::{Component, Path};
use std::time::{Duration, Instant};

use hermes_provider_api::host::{HttpRequest, HttpResponse};
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::Value;
use ureq::http::{Method, Request, Uri};
use ureq::{Agent, Body, SendBody};

use super::HostServices;
use super::beneath::{Access, open_beneath};
use crate::home::files::create_dir;
use crate::plugins::fetch::Network;

/// The most of an answer that is kept in memory.
const MAX_BODY: u64 = 16 << 20;
/// The most of an answer that goes to a file.
const MAX_FILE: u64 = 1 << 30;
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const LONGEST_LIMIT: Duration = Duration::from_secs(300);
const MAX_REDIRECTS: usize = 5;

/// What the host alone says: a second host, length or framing would be read otherwise by some server on the way.
const OWN_HEADERS: [&str; 9] =
    ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

/// What another origin is told as well after a redirect. Any other header may hold a key.
const HARMLESS_HEADERS: [&str; 4] = ["accept", "accept-language", "content-type", "user-agent"];

impl HostServices {
    pub(super) fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ProviderError> {
        let method: Method = match request.method.as_str() {
            "" => Method::GET,
            name => name.parse().map_err(|_| ProviderError::invalid("the method is not a word"))?,
        };
        for name in [&request.body_file, &request.save_to].into_iter().flatten() {
            own_path(name)?;
        }
        let headers = request.headers.iter().map(|(name, _)| name);
        if let Some(name) = headers.into_iter().find(|name| is_one_of(name, &OWN_HEADERS)) {
            return Err(ProviderError::invalid(format!("the header `{name}` is set by the host alone")));
        }
        let mut uri = parse(&request.url)?;
        let first = origin(&uri)?;
        let limit = request.timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT);
        let deadline = Instant::now() + limit;
        let mut method = method;
        let mut with_body = true;
        for _ in 0..=MAX_REDIRECTS {
            self.check_origin(&uri)?;
            let same_origin = origin(&uri)? == first;
            let left = deadline.saturating_duration_since(Instant::now());
            let response = self.exchange(request, &method, &uri, same_origin, with_body, left)?;
            let status = response.status();
            let target = response.headers().get("location").and_then(|target| target.to_str().ok());
            let (true, Some(target)) = (matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308), target) else {
                return self.answer(request, response);
            };
            uri = join(&uri, target)?;
            // RFC 9110, 15.4: only 307 and 308 keep a method with a body.
            if !matches!(status.as_u16(), 307 | 308) && method != Method::HEAD {
                method = Method::GET;
                with_body = false;
            }
        }
        Err(ProviderError::new(ErrorKind::Unavailable, format!("{} redirects too often", origin_text(&first))))
    }

    fn exchange(
        &self,
        request: &HttpRequest,
        method: &Method,
        uri: &Uri,
        same_origin: bool,
        with_body: bool,
        limit: Duration,
    ) -> Result<ureq::http::Response<Body>, ProviderError> {
        let network =
            Network::of_process().map_err(|error| ProviderError::new(ErrorKind::Unavailable, error.to_string()))?;
        let agent: Agent = network
            .agent(uri.scheme_str().unwrap_or_default())
            .timeout_global(Some(limit))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .into();
        let mut builder = Request::builder().method(method).uri(uri);
        for (name, value) in &request.headers {
            if same_origin || is_one_of(name, &HARMLESS_HEADERS) {
                builder = builder.header(name, value);
            }
        }
        let body = match (&request.body, &request.body_file) {
            _ if !with_body => SendBody::none(),
            (Some(text), _) => SendBody::from_owned_reader(io::Cursor::new(text.clone().into_bytes())),
            (None, Some(name)) => {
                let file = open_beneath(&self.data_dir, own_path(name)?, Access::Read);
                SendBody::from_owned_reader(file.map_err(|error| storage(name, &error))?)
            }
            (None, None) => SendBody::none(),
        };
        if let (true, Some(text)) = (with_body, &request.body) {
            builder = builder.header("content-length", text.len());
        }
        let prepared =
            builder.body(body).map_err(|_| ProviderError::invalid("a header of the request is not valid"))?;
        agent.run(prepared).map_err(|error| failure(uri, &error))
    }

    fn answer(
        &self,
        request: &HttpRequest,
        response: ureq::http::Response<Body>,
    ) -> Result<HttpResponse, ProviderError> {
        let broken = |error: &dyn std::fmt::Display| {
            ProviderError::new(ErrorKind::Unavailable, format!("the answer could not be read: {error}"))
        };
        let (head, body) = response.into_parts();
        let headers = head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let mut text = String::new();
        if let Some(name) = &request.save_to {
            create_dir(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
            let file = open_beneath(&self.data_dir, own_path(name)?, Access::Replace);
            let mut file = file.map_err(|error| storage(name, &error))?;
            let copied = io::copy(&mut body.into_reader().take(MAX_FILE + 1), &mut file);
            if copied.map_err(|error| broken(&error))? > MAX_FILE {
                file.set_len(0).map_err(|error| storage(name, &error))?;
                return Err(broken(&"it is larger than 1 GiB"));
            }
        } else {
            let mut bytes = Vec::new();
            body.into_reader().take(MAX_BODY + 1).read_to_end(&mut bytes).map_err(|error| broken(&error))?;
            if bytes.len() as u64 > MAX_BODY {
                return Err(broken(&"it is larger than 16 MiB"));
            }
            text = String::from_utf8(bytes).map_err(|_| broken(&"it is not UTF-8; save it to a file"))?;
        }
        Ok(HttpResponse { status: head.status.as_u16(), headers, body: text })
    }

    fn check_origin(&self, uri: &Uri) -> Result<(), ProviderError> {
        let wanted = origin(uri)?;
        let granted = self.granted.http.iter().any(|entry| {
            let address = match entry.strip_prefix("config:") {
                Some(key) => self.settings.get(key).and_then(Value::as_str),
                None => Some(entry.as_str()),
            };
            address
                .and_then(|address| address.parse::<Uri>().ok())
                .is_some_and(|known| origin(&known).is_ok_and(|known| known == wanted))
        });
        if granted { Ok(()) } else { Err(self.denied("http", &origin_text(&wanted))) }
    }
}

/// A path below the data folder.
fn own_path(name: &str) -> Result<&Path, ProviderError> {
    let relative = Path::new(name);
    if name.is_empty() || relative.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(ProviderError::invalid(format!("`{name}` is not a path in the data folder")));
    }
    Ok(relative)
}

fn storage(name: &str, error: &io::Error) -> ProviderError {
    ProviderError::storage(format!("`{name}`: {error}"))
}

fn is_one_of(header: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(header))
}

fn parse(url: &str) -> Result<Uri, ProviderError> {
    url.parse().map_err(|_| ProviderError::invalid("the address of the request is not valid"))
}

/// Scheme, host in lower case, port.
type Origin = (String, String, u16);

fn origin(uri: &Uri) -> Result<Origin, ProviderError> {
    let port = match uri.scheme_str() {
        Some("https") => 443,
        Some("http") => 80,
        _ => return Err(ProviderError::invalid("the address must begin with http:// or https://")),
    };
    let scheme = uri.scheme_str().unwrap_or_default().to_owned();
    let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
    // `https://granted.example@other.example` must not pass for the first.
    if authority.contains('@') {
        return Err(ProviderError::invalid("the address must not hold a user name"));
    }
    match uri.host() {
        Some(host) if !host.is_empty() => Ok((scheme, host.to_ascii_lowercase(), uri.port_u16().unwrap_or(port))),
        _ => Err(ProviderError::invalid("the address names no host")),
    }
}

/// An origin as it stands in a capability.
fn origin_text((scheme, host, port): &Origin) -> String {
    match (scheme.as_str(), port) {
        ("https", 443) | ("http", 80) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    }
}

/// The target of a redirect, which may be relative (RFC 9110, 10.2.2).
fn join(base: &Uri, target: &str) -> Result<Uri, ProviderError> {
    // A relative one may hold `://` in its query.
    let (path, _) = target.split_once(['?', '#']).unwrap_or((target, ""));
    if path.contains("://") {
        return parse(target);
    }
    let (scheme, host, port) = origin(base)?;
    let root = origin_text(&(scheme.clone(), host, port));
    if let Some(rest) = target.strip_prefix("//") {
        return parse(&format!("{scheme}://{rest}"));
    }
    if target.starts_with('/') {
        return parse(&format!("{root}{target}"));
    }
    if path.is_empty() {
        return parse(&format!("{root}{}{target}", base.path()));
    }
    let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    parse(&format!("{root}{folder}/{target}"))
}

/// Says which host failed, never with the address's path or query, which may hold a key.
fn failure(uri: &Uri, error: &ureq::Error) -> ProviderError {
    let host = origin(uri).map(|origin| origin_text(&origin)).unwrap_or_default();
    let kind = match error {
        ureq::Error::Timeout(_) => ErrorKind::Timeout,
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => ErrorKind::InvalidInput,
        _ => ErrorKind::Unavailable,
    };
    let reason = match error {
        ureq::Error::BadUri(_) => "the address is not valid".to_owned(),
        other => other.to_string(),
    };
    ProviderError::new(kind, format!("{host} cannot be reached: {reason}"))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use hermes_provider_api::{Capabilities, Host};

    use super::super::tests::host;
    use super::*;

    /// Answers each request with the next of these responses and returns what was asked.
    fn serve(responses: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let mut asked = Vec::new();
            for response in responses {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    if line == "\r\n" {
                        break;
                    }
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                io::Read::read_exact(&mut reader, &mut body).unwrap();
                asked.push(head + &String::from_utf8(body).unwrap());
                stream.write_all(response.as_bytes()).unwrap();
            }
            asked
        });
        (address, server)
    }

    fn response(head: &str, body: &str) -> String {
        format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    }

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
}
