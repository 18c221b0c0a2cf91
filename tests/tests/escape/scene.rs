//! A home with everything in it that a provider must not reach, and the provider.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_host::clock::Clock;
use hermes_host::plugins::health::Health;
use hermes_host::plugins::hooks::{CallError, Hooks};
use hermes_host::plugins::inspect::inspect;
use hermes_host::plugins::load::sandbox::Pretended;
use hermes_host::plugins::load::{Confine, Isolation, Limits, Loaded, Loading, Plugin};
use hermes_host::plugins::services::{HostServices, ModelAccess};
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::records::{OpenRequest, ToolRequest};
use hermes_provider_api::{Capabilities, Hook, Secret};
use hermes_tests::{fixtures, wait::PATIENCE};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// What each file of the home holds.
const SECRET: &str = "sk-escape-4711";

/// With which pieces of the kernel missing a way out is open.
pub(crate) const NOTHING_HOLDS: &str = "landlock,seccomp,capabilities,limits";

pub(crate) struct Scene {
    home: PathBuf,
    library: PathBuf,
    scene: Value,
    _folder: TempDir,
    _open: Vec<OwnedFd>,
}

/// What was built, or copies of it for a user who may not look there.
struct Built {
    hermes: PathBuf,
    escape: PathBuf,
    raw: PathBuf,
}

impl Built {
    fn find() -> Self {
        match std::env::var_os("HERMES_TESTS_OTHER_USER").map(PathBuf::from) {
            Some(folder) => Self {
                hermes: folder.join("hermes"),
                escape: folder.join("libescape.so"),
                raw: folder.join("libraw.so"),
            },
            None => {
                let built = fixtures();
                let [hermes, escape, raw] = [built.hermes(), built.escape(), built.raw()].map(Path::to_owned);
                Self { hermes, escape, raw }
            }
        }
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        Self::at(folder, &home)
    }

    /// With its home at this place, below a folder of the test's own.
    pub(crate) fn at(folder: TempDir, home: &Path) -> Self {
        let sockets = folder.path().join("sockets");
        let files =
            [".env", "spare", "memories/MEMORY.md", "hermes.db", "logs/hermes.log", "plugins/data/other/facts.db"];
        for file in files {
            let path = home.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("KEY={SECRET}\n")).unwrap();
        }
        let (package, notes) = (home.join("plugins/store/escape/0.1.0-1"), home.join("notes"));
        for path in [&package, &notes, &sockets, &home.join("plugins/data/escape")] {
            fs::create_dir_all(path).unwrap();
        }
        symlink(home.join(".env"), home.join("plugins/data/escape/found-link")).unwrap();
        symlink(home.join(".env"), notes.join("link")).unwrap();
        let (library, foreign) = (package.join("libescape.so"), sockets.join("libforeign.so"));
        let built = Built::find();
        fs::copy(built.escape, &library).unwrap();
        fs::copy(built.raw, &foreign).unwrap();

        let (server, datagrams) = (redirecting_server(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let abstract_socket = format!("hermes-escape-{}", folder.path().display());
        let open: Vec<OwnedFd> = vec![
            UnixListener::bind(sockets.join("stream")).unwrap().into(),
            UnixDatagram::bind(sockets.join("datagram")).unwrap().into(),
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_socket).unwrap()).unwrap().into(),
            inheritable(&File::open(home.join(".env")).unwrap()),
        ];
        let scene = json!({
            "home": home,
            "library": library,
            "foreign_library": foreign,
            "secret": SECRET,
            "sockets": sockets,
            "abstract_socket": abstract_socket,
            "tcp_port": server,
            "udp_port": datagrams.local_addr().unwrap().port(),
            "descriptor": open[3].as_raw_fd(),
            "host": std::process::id(),
        });
        let open = open.into_iter().chain([datagrams.into()]).collect();
        Self { home: home.to_owned(), library, scene, _folder: folder, _open: open }
    }

    /// The provider, in a worker that lacks these pieces.
    pub(crate) fn provider(&self, without: &str, granted: Capabilities) -> Loaded {
        let services = HostServices {
            provider: "escape".to_owned(),
            data_dir: self.data(),
            settings: Map::from_iter([("notes_dir".to_owned(), json!(self.home.join("notes")))]),
            defaults: std::collections::BTreeMap::new(),
            home: self.home.clone(),
            granted: granted.clone(),
            secrets: Arc::new(|_| Some(Secret::new(SECRET))),
            clock: Clock::fixed(1),
            log: Arc::new(|_, _| {}),
            model: ModelAccess::default(),
        };
        let plugin = Plugin {
            library: self.library.clone(),
            sha256: sha256_of(&self.library).unwrap().to_string(),
            metadata: inspect(&self.library).unwrap(),
            services: Arc::new(services),
            open: OpenRequest::default(),
            confine: Confine::to(&granted, Pretended::read(Some(without.as_ref()))),
        };
        let mut limits = Limits { late: Duration::from_secs(1), ..Limits::default() };
        limits.own.extend(Hook::ALL.iter().map(|&hook| (hook, PATIENCE)));
        let clock = Clock::fixed(1);
        let loading = Loading {
            isolation: Isolation::Process,
            executable: Built::find().hermes,
            limits,
            health: Arc::new(Health::new("escape", clock.clone(), None)),
            clock,
            reports: None,
        };
        Loaded::new(plugin, loading)
    }

    /// What the services may do at the most.
    pub(crate) fn granted(&self) -> Capabilities {
        Capabilities {
            http: vec![format!("http://127.0.0.1:{}", self.scene["tcp_port"])],
            command: vec!["true".to_owned()],
            file: vec!["read:notes_dir".to_owned()],
            ..Capabilities::default()
        }
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.home.join("plugins/data/escape")
    }

    /// The descriptor that is left open for the programs that this process starts.
    pub(crate) fn descriptor(&self) -> i64 {
        self.scene["descriptor"].as_i64().unwrap()
    }

    /// Tries a way in a worker of its own: what it got, or what refused it.
    pub(crate) fn tries(&self, way: &str, without: &str) -> Result<String, String> {
        let provider = self.provider(without, self.granted());
        let tried = self.tries_in(&provider, way);
        drop(provider);
        // Ways that succeeded leave the files as they should not be.
        fs::write(self.home.join("spare"), format!("KEY={SECRET}\n")).unwrap();
        let leftovers = ["config.toml", "made", "memories/gift", "plugins/store/escape/0.1.0-1/new"];
        for left in leftovers {
            let path = self.home.join(left);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
        for left in fs::read_dir(self.data()).unwrap().flatten() {
            if left.file_name() != "found-link" {
                fs::remove_file(left.path()).unwrap();
            }
        }
        tried
    }

    pub(crate) fn tries_in(&self, provider: &Loaded, way: &str) -> Result<String, String> {
        let args = json!({"way": way, "scene": self.scene});
        let request = ToolRequest { tool: "escape".to_owned(), args, ..ToolRequest::default() };
        let answer: Result<Value, CallError> = (provider as &dyn Hooks).ask(Hook::CallTool, &request);
        answer.map(|got| got.as_str().map_or_else(|| got.to_string(), str::to_owned)).map_err(|error| error.to_string())
    }

    /// All that the provider knows to try.
    pub(crate) fn ways(&self) -> Vec<String> {
        let request = ToolRequest { tool: "escape".to_owned(), args: json!({"way": "list"}), ..ToolRequest::default() };
        let provider = self.provider("", Capabilities::default());
        (&provider as &dyn Hooks).ask(Hook::CallTool, &request).unwrap()
    }
}

/// A descriptor that a started program has as well, as an application may have some by mistake.
fn inheritable(file: &File) -> OwnedFd {
    let copy = rustix::io::fcntl_dupfd_cloexec(file.as_fd(), 100).unwrap();
    rustix::io::fcntl_setfd(&copy, rustix::io::FdFlags::empty()).unwrap();
    copy
}

/// Answers `/redirect` with another address, for as long as the test runs.
fn redirecting_server() -> u16 {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap_or(0);
            let head = if request[..read].starts_with(b"GET /redirect") {
                format!("302 Found\r\nlocation: http://localhost:{port}/")
            } else {
                "200 OK".to_owned()
            };
            let _ = stream.write_all(format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n").as_bytes());
        }
    });
    port
}
