//! A provider that tries to get out of its worker, one way for each call of its tool.
//!
//! A way that succeeds answers with what it got; one that is refused, with the error of what refused it. Nothing here
//! does harm where it succeeds: signals are number 0, files that are changed belong to the test.
#![cfg(target_os = "linux")]

mod behave;
mod sys;
mod ways;

use std::path::PathBuf;

use hermes_provider_api::records::{Health, OpenRequest, ToolRequest, ToolSchema};
use hermes_provider_api::{Call, ErrorKind, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider};
use serde_json::{Value, json};

/// Where things are that a provider must not reach.
#[derive(serde::Deserialize)]
struct Scene {
    /// The home of hermes, whose files hold [`Scene::secret`].
    home: PathBuf,
    /// The provider's library.
    library: PathBuf,
    /// A library that nobody checked.
    foreign_library: PathBuf,
    /// What a file holds that was read.
    secret: String,
    /// A folder where a test made sockets.
    sockets: PathBuf,
    /// The name of an abstract socket.
    abstract_socket: String,
    /// The port of a server, and that of a socket for datagrams.
    tcp_port: u16,
    udp_port: u16,
    /// A descriptor of the host that is not closed when it starts programs.
    descriptor: i32,
    /// The number of the host's process.
    host: i32,
}

struct Escape {
    host: Host,
    data: PathBuf,
}

impl MemoryProvider for Escape {
    fn open(host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
        let data = host.data_dir()?;
        Ok(Self { host, data })
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok("still in there"))
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>, ProviderError> {
        let parameters = json!({"type": "object", "properties": {"way": {"type": "string"}}});
        Ok(vec![ToolSchema { name: "escape".into(), description: "Tries a way out".into(), parameters }])
    }

    fn call_tool(&self, request: &ToolRequest, _call: &Call<'_>) -> Result<Value, ProviderError> {
        let wanted = request.args["way"].as_str().unwrap_or_default();
        if wanted == "list" {
            return Ok(ways::all().map(|(name, _)| name).collect::<Vec<_>>().into());
        }
        if wanted == "behave" {
            return behave::run(&self.data)
                .map(Value::from)
                .map_err(|error| ProviderError::new(ErrorKind::Internal, error));
        }
        let scene: Scene = serde_json::from_value(request.args["scene"].clone())
            .map_err(|error| ProviderError::invalid(error.to_string()))?;
        let (_, way) = ways::all().find(|(name, _)| *name == wanted).ok_or_else(|| ProviderError::invalid(wanted))?;
        let got = way(&Prisoner { scene: &scene, host: &self.host, data: &self.data });
        got.map(Value::String).map_err(|error| ProviderError::new(ErrorKind::Denied, error))
    }
}

/// Who tries.
struct Prisoner<'a> {
    scene: &'a Scene,
    host: &'a Host,
    data: &'a std::path::Path,
}

const MANIFEST: Manifest = Manifest::new("escape").title("Escape").interfaces(&[Interface::Tools]);

export_provider!(Escape, MANIFEST);
