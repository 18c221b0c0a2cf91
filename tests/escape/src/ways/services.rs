//! Through the host's services, which the host checks.

use hermes_provider_api::host::{CommandRequest, HttpRequest};

use super::{Way, text};
use crate::Prisoner;

pub(super) const WAYS: &[(&str, Way)] = &[
    ("http-to-host-not-granted", |p| http(p, &format!("http://localhost:{}/", p.scene.tcp_port))),
    ("http-to-port-not-granted", |p| http(p, "http://127.0.0.1:9/")),
    ("http-to-file", |p| http(p, &format!("file://{}", p.scene.home.join(".env").display()))),
    ("http-redirected", |p| http(p, &format!("http://127.0.0.1:{}/redirect", p.scene.tcp_port))),
    ("command-not-granted", |p| command(p, "sh")),
    ("command-by-path", |p| command(p, "/bin/sh")),
    ("command-beside-the-granted", |p| command(p, "../bin/sh")),
    ("secret-not-granted", |p| {
        p.host.secret("OTHER_KEY").map_err(text)?.map(|_| "a secret".to_owned()).ok_or_else(|| "none".to_owned())
    }),
    ("file-not-granted", |p| p.host.read_file("other_dir", ".env").map_err(text)),
    ("file-above-the-granted", |p| p.host.read_file("notes_dir", "../.env").map_err(text)),
    ("file-by-full-path", |p| {
        p.host.read_file("notes_dir", &p.scene.home.join(".env").display().to_string()).map_err(text)
    }),
    ("file-by-link-in-the-granted", |p| p.host.read_file("notes_dir", "link").map_err(text)),
];

fn http(p: &Prisoner<'_>, url: &str) -> Result<String, String> {
    let request = HttpRequest { url: url.to_owned(), ..HttpRequest::default() };
    p.host.http(&request).map(|answer| answer.status.to_string()).map_err(text)
}

fn command(p: &Prisoner<'_>, program: &str) -> Result<String, String> {
    let request = CommandRequest { program: program.to_owned(), ..CommandRequest::default() };
    p.host.command(&request).map(|output| format!("{:?}", output.status)).map_err(text)
}
