//! The scenarios of the conformance kit, through the real loaders.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::OpenRequest;
use hermes_provider_api::testkit::conformance::{Failure, Kit, Opened, Patience, Report, Subject};
use hermes_provider_api::{Hook, Services};

use crate::plugins::load::sandbox::Pretended;
use crate::plugins::load::{Confine, Direct, Fault, Isolation, Plugin, Wait};

/// A library, and how it is loaded.
#[derive(Clone, Debug)]
pub struct Loader {
    /// The library.
    pub library: PathBuf,
    /// Its sha256 in hexadecimal.
    pub sha256: String,
    /// What its section says.
    pub metadata: Metadata,
    /// Where its code runs.
    pub isolation: Isolation,
    /// The `hermes` program, for a worker.
    pub executable: PathBuf,
}

/// What became of the scenarios.
#[derive(Clone, Debug)]
pub struct Run {
    /// What they found.
    pub report: Report,
    /// How a worker ended by itself, if one did: the same would end this process.
    pub died: Option<String>,
}

impl Loader {
    /// Runs the scenarios. In process, whatever ends the provider's process ends this one.
    #[must_use]
    pub fn run(&self, kit: &Kit) -> Run {
        let loading = Loading { loader: self, died: Arc::default() };
        let report = kit.run(&loading);
        let died = lock(&loading.died).clone();
        Run { report, died }
    }
}

struct Loading<'a> {
    loader: &'a Loader,
    died: Arc<Mutex<Option<String>>>,
}

impl Subject for Loading<'_> {
    fn metadata(&self) -> Metadata {
        self.loader.metadata.clone()
    }

    fn open(
        &self,
        services: Arc<dyn Services>,
        request: OpenRequest,
        limit: Duration,
    ) -> Result<Box<dyn Opened>, Failure> {
        let Loader { library, sha256, metadata, isolation, executable } = self.loader;
        let plugin = Plugin {
            library: library.clone(),
            sha256: sha256.clone(),
            metadata: metadata.clone(),
            services,
            open: request,
            confine: Confine::to(&metadata.capabilities, Pretended::default()),
        };
        let opened =
            Direct::open(&plugin, *isolation, executable, limit).map_err(|fault| failure(fault, &self.died))?;
        Ok(Box::new(Instance { direct: opened, died: Arc::clone(&self.died) }))
    }
}

struct Instance {
    direct: Direct,
    died: Arc<Mutex<Option<String>>>,
}

impl Opened for Instance {
    fn call(&self, hook: Hook, request: &[u8], patience: Patience) -> Result<Vec<u8>, Failure> {
        let Patience { limit, cancelled, wait } = patience;
        let answer = self.direct.call(hook, request, Wait { limit, cancelled, longest: wait });
        answer.map_err(|fault| failure(fault, &self.died))?.ok_or(Failure::Hang)
    }

    fn close(&self, limit: Duration) -> Result<(), Failure> {
        self.direct.close(limit).map_err(|fault| failure(fault, &self.died))
    }
}

fn failure(fault: Fault, died: &Mutex<Option<String>>) -> Failure {
    match fault {
        Fault::Error(error) => Failure::Error(error),
        Fault::Panic(reason) => Failure::Panic(reason),
        Fault::Gone(_) | Fault::Cut(_) => Failure::Gone,
        Fault::Died(reason) | Fault::Lost(reason) => {
            lock(died).get_or_insert_with(|| reason.clone());
            Failure::Died(reason)
        }
        Fault::BadReply(reason) | Fault::Unloadable(reason) | Fault::Incompatible { reason, .. } => {
            Failure::Unusable(reason)
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
