//! Plugins from a server: downloaded, gone on with, refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use hermes_tests::wait::until;
use insta::assert_snapshot;

use crate::package::Package;
use crate::pty::Terminal;
use crate::scene::{Scene, files};
use crate::server::{Asked, Deed, Proxy, Server, root};

/// A scene whose official catalog offers a plugin from a server.
pub(crate) struct Online {
    pub(crate) scene: Scene,
    pub(crate) server: Server,
}

impl Online {
    pub(crate) fn new(deeds: Vec<Deed>) -> Self {
        Self::with(&Package::faulty().harmless(), deeds)
    }

    pub(crate) fn with(package: &Package, deeds: Vec<Deed>) -> Self {
        let scene = Scene::without_plugins().variable("SSL_CERT_FILE", &root());
        fs::create_dir(scene.path("www")).unwrap();
        scene.publish("www", package);
        let server = Server::start(&scene.path("www"), deeds);
        let online = Self { scene, server };
        online.names(&format!("https://{}/", online.server.address));
        online
    }

    /// Lets the entry name the archives below this address.
    pub(crate) fn names(&self, base: &str) {
        for entry in entries(&self.scene.path("www")) {
            let text = fs::read_to_string(&entry).unwrap().replace("path = '", &format!("url = '{base}"));
            self.scene.write(&format!("bin/catalog/{}", entry.file_name().unwrap().to_str().unwrap()), text);
        }
    }

    /// What the user sees, without the address of the server.
    fn says(&self, line: &str) -> String {
        self.scene.says(line).replace(&self.server.address, "[server]")
    }

    fn archive(&self) -> Vec<u8> {
        let archive = files(&self.scene.path("www")).into_iter().find(|file| file.to_string_lossy().contains(".tar."));
        fs::read(archive.unwrap()).unwrap()
    }

    fn cached(&self) -> Vec<PathBuf> {
        let is_lock = |file: &PathBuf| file.extension().is_some_and(|end| end == "lock");
        files(&self.scene.path("home/plugins/cache")).into_iter().filter(|file| !is_lock(file)).collect()
    }

    fn part(&self) -> Option<PathBuf> {
        self.cached().into_iter().find(|file| file.extension().is_some_and(|end| end == "part"))
    }

    /// The `Range` of each request.
    fn ranges(&self) -> Vec<Option<String>> {
        self.server.asked().into_iter().map(|asked| asked.range).collect()
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        assert!(self.cached().is_empty(), "{:?}", self.cached());
        assert!(files(&self.scene.path("home/plugins/store")).is_empty());
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|file| file.extension().is_some_and(|end| end == "toml")).collect()
}

#[test]
fn a_plugin_comes_from_a_server_and_is_kept_for_the_next_time() {
    let online = Online::new(Vec::new());
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    assert_eq!(online.server.asked().len(), 1);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    faulty 0.1.0 was installed already; nothing was changed
    next: `hermes memory setup faulty`
    ");
    // Neither to repair it nor to bring it back is a network needed.
    online.scene.does("plugins remove faulty --yes");
    online.scene.does("plugins install faulty --offline");
    assert_snapshot!(online.says("plugins install faulty --force --offline"), @"
    exit 0
    ---- err
    installed faulty 0.1.0 anew
    next: `hermes memory setup faulty`
    ");
    assert_eq!(online.server.asked().len(), 1);
    assert_eq!(online.cached().len(), 1);
    // A file of the cache that was changed is fetched anew.
    fs::write(&online.cached()[0], "changed").unwrap();
    online.scene.does("plugins install faulty --force");
    assert_eq!(online.server.asked().len(), 2);
}

#[test]
fn a_connection_that_breaks_is_gone_on_with() {
    let online = Online::new(vec![Deed::Cut(1000), Deed::Cut(0), Deed::Cut(5000), Deed::Status(503, "")]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    [server]: the connection broke; trying again in 0.25 s
    [server]: the connection broke; trying again in 0.5 s
    [server]: the connection broke; trying again in 1 s
    [server]: it answered 503; trying again in 2 s
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    let bytes = |bytes: usize| Some(format!("bytes={bytes}-"));
    assert_eq!(online.ranges(), [None, bytes(1000), bytes(1000), bytes(6000), bytes(6000)]);
    assert!(online.server.asked()[1..].iter().all(|asked| asked.if_range.as_deref() == Some("\"one\"")));
}

#[test]
fn a_killed_download_is_gone_on_with() {
    let online = Online::new(vec![Deed::Stall(30_000)]);
    let mut child = online.scene.command(["plugins", "install", "faulty"]).spawn().unwrap();
    until("the beginning is there", || {
        online.part().filter(|part| fs::metadata(part).is_ok_and(|part| part.len() == 30_000))
    });
    // SIGKILL: nothing of it can be caught.
    child.kill().unwrap();
    child.wait().unwrap();
    online.scene.does("plugins install faulty");
    assert_eq!(online.ranges(), [None, Some("bytes=30000-".to_owned())]);
    assert_eq!(online.part(), None);
}

#[test]
fn what_changed_meanwhile_is_fetched_from_its_beginning() {
    // By its tag.
    let online = Online::new(vec![Deed::Cut(1000), Deed::Tagged("\"two\"")]);
    online.scene.does("plugins install faulty");
    assert_eq!(online.ranges(), [None, Some("bytes=1000-".to_owned())]);
    // The server knows no ranges.
    let online = Online::new(vec![Deed::Cut(1000), Deed::IgnoreRange]);
    online.scene.does("plugins install faulty");
    // Only by its hash: the beginning was another's.
    let mut other = online.archive();
    other[500] ^= 1;
    let online = Online::new(Vec::new());
    online.scene.does("plugins install faulty --yes");
    let place = online.cached().remove(0);
    fs::write(place.with_extension("part"), &other[..1000]).unwrap();
    fs::remove_file(&place).unwrap();
    online.scene.does("plugins install faulty --force");
    assert_eq!(online.ranges()[1..], [Some("bytes=1000-".to_owned()), None]);
    // More than there is.
    fs::write(place.with_extension("part"), [other.as_slice(), &other].concat()).unwrap();
    fs::remove_file(&place).unwrap();
    online.scene.does("plugins install faulty --force");
    assert_eq!(online.ranges()[3..], [None]);
    // All of it: the process was killed just before the end.
    fs::copy(&place, place.with_extension("part")).unwrap();
    fs::remove_file(&place).unwrap();
    online.scene.does("plugins install faulty --force");
    assert_eq!(online.ranges().len(), 4);
}

#[test]
fn servers_that_do_not_serve() {
    let online = Online::new(vec![Deed::Status(404, "")]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: [server] answered 404
    hint: the catalog is older than the server, or wrong; fetch the catalog anew
    ");
    online.server.next(vec![Deed::Status(403, "")]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: [server] answered 403
    hint: the server wants credentials that the catalog does not name
    ");
    online.server.next(vec![Deed::Status(429, "retry-after: 3600\r\n")]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: [server] answered 429 and asks to wait 3600 s
    hint: try again later; what was downloaded is kept
    ");
    online.server.next(vec![Deed::Status(500, ""); 5]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    [server]: it answered 500; trying again in 0.25 s
    [server]: it answered 500; trying again in 0.5 s
    [server]: it answered 500; trying again in 1 s
    [server]: it answered 500; trying again in 2 s
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: [server] answered 500
    hint: try again later; what was downloaded is kept
    ");
    assert_eq!(online.server.asked().len(), 8);
    // It comes back.
    online.server.next(vec![Deed::Status(500, ""), Deed::Status(429, "retry-after: 0\r\n")]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    [server]: it answered 500; trying again in 0.25 s
    [server]: it answered 429; trying again in 0 s
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
}

#[test]
fn a_server_that_hangs_is_not_waited_for() {
    let online = Online::new(vec![Deed::Stall(0), Deed::Stall(70_000), Deed::Stall(0)]);
    online.scene.does("config set plugins.fetch_timeout 2s");
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    [server]: nothing came for too long; trying again in 0.25 s
    [server]: nothing came for too long; trying again in 0.25 s
    [server]: nothing came for too long; trying again in 0.5 s
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    assert_eq!(online.ranges().len(), 4);
    online.scene.does("plugins remove faulty --yes");
    fs::remove_file(&online.cached()[0]).unwrap();
    online.server.next(vec![Deed::Stall(10); 5]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    [server]: nothing came for too long; trying again in 0.25 s
    [server]: nothing came for too long; trying again in 0.5 s
    [server]: nothing came for too long; trying again in 1 s
    [server]: nothing came for too long; trying again in 2 s
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: nothing came for too long
    hint: the next try goes on where this one ended
    ");
}

#[test]
fn a_server_that_never_gets_further_is_given_up() {
    let again = || [Deed::Cut(70_000), Deed::Status(416, "")];
    let online = Online::new((0..10).flat_map(|_| again()).collect());
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    [server]: the connection broke; trying again in 0.25 s
    [server]: it has no such part; trying again in 0.5 s
    [server]: the connection broke; trying again in 1 s
    [server]: it has no such part; trying again in 2 s
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: the connection broke
    hint: the next try goes on where this one ended
    ");
    assert_eq!(online.server.asked().len(), 5, "the same beginning is no progress");

    // What others began and nobody went on with goes also when nothing comes.
    let part = online.part().unwrap();
    let old = part.with_file_name("old.part");
    fs::copy(&part, &old).unwrap();
    let month_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 86_400);
    fs::File::options().write(true).open(&old).unwrap().set_modified(month_ago).unwrap();
    online.server.next(vec![Deed::Status(404, "")]);
    assert_eq!(online.scene.run("plugins install faulty").status, 1);
    assert_eq!(online.cached(), [part.with_extension("etag"), part]);

    let online = Online::new(vec![Deed::Trickle]);
    online.scene.does("config set plugins.fetch_timeout 2s");
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 0
    ---- err
    [server]: it sends too slowly; trying again in 0.25 s
    installed faulty 0.1.0
    next: `hermes memory setup faulty`
    ");
    assert_eq!(online.server.asked().len(), 2);
}

#[test]
fn what_is_not_what_the_catalog_means_is_not_kept() {
    let online = Online::new(Vec::new());
    let whole = online.archive();
    let mut changed = whole.clone();
    changed[500] ^= 1;
    let size = format!("{} bytes", whole.len());
    let says = |deed: Deed| {
        online.server.next(vec![deed]);
        let said = online.says("plugins install faulty").replace(&size, "[size]");
        online.nothing_is_left();
        said
    };
    assert_snapshot!(says(Deed::Body(changed)), @"
    exit 1
    ---- err
    error: the archive `https://[server]/faulty-0.1.0.tar.gz` has the sha256 [hash], the catalog says [hash]
    hint: it is damaged or was replaced; nothing of it was used. Fetch the catalog anew
    ");
    let longer = [whole.as_slice(), b"x"].concat();
    let said = says(Deed::Body(longer.clone()));
    assert!(said.contains(&format!("has {} bytes, the catalog says [size]", longer.len())), "{said}");
    let endless = [whole.as_slice(), &[0; 3 << 20]].concat();
    assert_snapshot!(says(Deed::Unsized(endless)), @"
    exit 1
    ---- err
    error: the archive `https://[server]/faulty-0.1.0.tar.gz` has more than [size], the catalog says [size]
    hint: it is damaged or was replaced; nothing of it was used. Fetch the catalog anew
    ");
    assert!(says(Deed::Body(b"<html>Sign in</html>".to_vec())).contains("has 20 bytes, the catalog says [size]"));
}

#[test]
fn what_is_wrong_as_a_whole_is_fetched_twice_at_most() {
    let online = Online::new(Vec::new());
    let mut changed = online.archive();
    changed[500] ^= 1;
    online.scene.write("www/faulty-0.1.0.tar.gz", changed);
    online.server.next(vec![Deed::Cut(1000), Deed::Tagged("\"one\""), Deed::Cut(1000)]);
    assert_eq!(online.scene.run("plugins install faulty").status, 1);
    let rest = Some("bytes=1000-".to_owned());
    assert_eq!(online.ranges(), [None, rest.clone(), None, rest]);
    online.nothing_is_left();

    // An answer that is something else costs nothing of what is there.
    let online = Online::new(vec![Deed::Cut(1000), Deed::Page]);
    assert_eq!(online.scene.run("plugins install faulty").status, 1);
    assert_eq!(fs::metadata(online.part().unwrap()).unwrap().len(), 1000);
    online.scene.does("plugins install faulty");
}

#[test]
fn redirects_stay_encrypted_and_come_to_an_end() {
    let online = Online::new(Vec::new());
    let there = |path: &str| Deed::Redirect(format!("https://{}/{path}", online.server.address));
    online.server.next(vec![
        there("faulty-0.1.0.tar.gz"),
        Deed::Cut(1000),
        Deed::Redirect("/faulty-0.1.0.tar.gz".to_owned()),
    ]);
    online.scene.does("plugins install faulty");
    let range = Some("bytes=1000-".to_owned());
    assert_eq!(online.ranges(), [None, None, range.clone(), range], "it is asked for behind the redirect too");
    online.scene.does("plugins remove faulty --yes");
    fs::remove_file(&online.cached()[0]).unwrap();
    online.server.next(vec![Deed::Redirect("http://jo:secret@127.0.0.1/x?key=secret".to_owned())]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: the server sends to `http://127.0.0.1/x?…`, which is not encrypted
    hint: the server does not do what a server should; use a mirror of it with `--catalog`
    ");
    for odd in ["https://jo:secret@[x/y?key=secret", "ftp://jo:secret@127.0.0.1/x?key=secret"] {
        online.server.next(vec![Deed::Redirect(odd.to_owned())]);
        let ran = online.scene.run("plugins install faulty");
        assert!(ran.status == 1 && !ran.err.contains("secret"), "{}", ran.shown());
    }
    online.server.next(vec![there("faulty-0.1.0.tar.gz"); 9]);
    assert_snapshot!(online.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: the server redirects more than 5 times
    hint: the server does not do what a server should; use a mirror of it with `--catalog`
    ");
}

#[test]
fn servers_that_cannot_be_reached_or_trusted() {
    let online = Online::new(Vec::new());
    let scene = online.scene.variable("SSL_CERT_FILE", "");
    assert_snapshot!(scene.says("plugins install faulty").replace(&online.server.address, "[server]"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: invalid peer certificate: UnknownIssuer
    hint: if it is a server of your own, name the certificate that signs for it with `SSL_CERT_FILE`
    ");
    let scene = scene.variable("SSL_CERT_FILE", "no.pem");
    assert_snapshot!(scene.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: `SSL_CERT_FILE` names `no.pem`, which cannot be read: No such file or directory (os error 2)
    hint: name a file of PEM certificates, or unset it
    ");
    let entry = scene.read("bin/catalog/faulty.toml");
    // A port that was just given back, so nobody is there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    scene.write("bin/catalog/faulty.toml", entry.replace(&online.server.address, &free));
    let scene = scene.variable("SSL_CERT_FILE", &root());
    assert_snapshot!(scene.says("plugins install faulty").replace(&free, "[server]"), @"
    exit 1
    ---- err
    error: cannot download `https://[server]/faulty-0.1.0.tar.gz`: Connection refused (os error 111)
    hint: check the network and the proxy (`HTTPS_PROXY`), or use a mirror with `--catalog`
    ");
    assert!(online.server.asked().is_empty());
}

#[test]
fn credentials_in_an_address_are_used_and_never_shown() {
    let online = Online::new(vec![Deed::Status(404, ""), Deed::Cut(10)]);
    online.names(&format!("https://jo:s3cretpass@{}/", online.server.address));
    for line in ["plugins install faulty -v", "plugins install faulty -v", "plugins list --json"] {
        let ran = online.scene.run(line);
        assert!(!ran.out.contains("s3cretpass") && !ran.err.contains("s3cretpass"), "{}", ran.shown());
    }
    assert!(!online.scene.read("home/plugins.lock").contains("s3cretpass"));
    let basic = Some("Basic am86czNjcmV0cGFzcw==".to_owned());
    assert!(online.server.asked().iter().all(|asked| asked.authorization == basic), "{:?}", online.server.asked());
    assert_eq!(online.server.asked().len(), 3);
    // Nor does a name get past the list of what is blocked.
    let server = &online.server.address;
    online.scene.write("bin/catalog/removed.toml", format!("[sources]\n'https://{server}' = 'gone'\n"));
    assert!(online.scene.says("plugins install faulty --force").contains("cannot be used: the source `"));
}

#[test]
fn a_proxy_is_asked_for_what_is_far() {
    let online = Online::new(Vec::new());
    let proxy = Proxy::start();
    let port = online.server.address.rsplit(':').next().unwrap().to_owned();
    // A host that nobody but the proxy can find.
    online.names(&format!("https://mirror.test:{port}/"));
    assert_snapshot!(online.scene.says("plugins install faulty").replace(&port, "[port]"), @"
    exit 1
    ---- err
    error: cannot download `https://mirror.test:[port]/faulty-0.1.0.tar.gz`: the host cannot be found
    hint: check the network and the proxy (`HTTPS_PROXY`), or use a mirror with `--catalog`
    ");
    let scene = online.scene.variable("HTTPS_PROXY", &format!("http://jo:s3cretpass@{}", proxy.address));
    scene.does("plugins install faulty");
    let asked = Asked {
        path: format!("mirror.test:{port}"),
        authorization: Some("Basic am86czNjcmV0cGFzcw==".to_owned()),
        ..Asked::default()
    };
    assert_eq!(proxy.asked(), [asked]);
    assert_eq!(online.server.asked()[0].authorization, None);

    scene.does("plugins remove faulty --yes");
    fs::remove_dir_all(scene.path("home/plugins/cache")).unwrap();
    let scene = scene.variable("NO_PROXY", "other.test, mirror.test");
    assert_eq!(scene.run("plugins install faulty").status, 1);
    assert_eq!(proxy.asked().len(), 1);
    let scene = scene.variable("HTTPS_PROXY", "http://jo:s3cretpass@");
    assert_snapshot!(scene.says("plugins install faulty"), @"
    exit 1
    ---- err
    error: the address in `HTTPS_PROXY` is no proxy
    hint: write `HTTPS_PROXY=http://proxy.example:3128`, or unset it
    ");
}

#[test]
fn two_installs_at_once_download_once() {
    let online = Online::new(Vec::new());
    let ran: Vec<_> = thread::scope(|scope| {
        let running = [(); 3].map(|()| scope.spawn(|| online.scene.run("plugins install faulty")));
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for one in &ran {
        assert_eq!(one.status, 0, "{}", one.shown());
    }
    assert_eq!(online.server.asked().len(), 1);
    assert_eq!(online.cached().len(), 1);
}

#[test]
fn a_bar_is_shown_on_a_terminal_alone() {
    let online = Online::new(Vec::new());
    online.server.next(vec![Deed::Stall(70_000)]);
    online.scene.does("config set plugins.fetch_timeout 3s");
    let Some(terminal) = Terminal::start(&online.scene, "plugins install faulty") else { return };
    terminal.sees("faulty 0.1.0").sees("68.36 KiB/").sees("trying again").sees("installed faulty");
    assert_eq!(terminal.ends(), 0);

    let online = Online::new(Vec::new());
    let Some(terminal) = Terminal::start(&online.scene, "plugins install faulty --json") else { return };
    terminal.sees("\"installed\": true");
    assert_eq!(terminal.ends(), 0);
}
