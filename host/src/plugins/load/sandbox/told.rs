//! What confines a provider, for people: which promise the kernel of this machine keeps, and which is only declared.

use hermes_provider_api::Capabilities;
use serde::Serialize;

use super::{Kernel, Piece, Pretended};
use crate::config::Isolation;

/// What a provider is confined to here.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    /// Whether its code runs in a process that can be confined at all.
    pub worker: bool,
    /// The version of Landlock's interface; 0 without.
    pub landlock: u32,
    /// Whether system calls are filtered.
    pub seccomp: bool,
    /// Each promise.
    pub parts: Vec<Part>,
}

/// A promise and who keeps it.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is about, in a word or two.
    pub what: &'static str,
    /// What a provider is held to.
    pub promise: &'static str,
    /// By whom.
    pub held: Held,
    /// Where not all of it is enforced: what is missing here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// How a promise is kept.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// By the kernel, whatever the provider does.
    Kernel,
    /// By hermes, which is asked for each of it.
    Host,
    /// In part by the kernel.
    Partly,
    /// By nobody: the author has said so.
    Declared,
}

impl Confinement {
    /// What holds for a provider with these grants that is run like this, on this machine.
    #[must_use]
    pub fn of(isolation: Isolation, granted: &Capabilities, pretended: &Pretended) -> Self {
        let kernel = Kernel::with(pretended);
        let worker = isolation == Isolation::Process;
        let parts = if worker { parts(&kernel, granted) } else { Vec::new() };
        Self { worker, landlock: kernel.landlock, seccomp: kernel.seccomp, parts }
    }

    /// The promises that the kernel does not keep, or not wholly.
    pub fn gaps(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().filter(|part| matches!(part.held, Held::Partly | Held::Declared))
    }

    /// In a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        if !self.worker {
            return "not confined: runs with your rights".to_owned();
        }
        let landlock = (self.landlock > 0).then(|| format!("Landlock {}", self.landlock));
        let means: Vec<_> = landlock.into_iter().chain(self.seccomp.then(|| "seccomp".to_owned())).collect();
        match self.gaps().count() {
            0 => format!("confined by the kernel ({})", means.join(", ")),
            _ if means.is_empty() => "not confined: this system has neither Landlock nor seccomp".to_owned(),
            _ => format!("confined in part by the kernel ({})", means.join(", ")),
        }
    }
}

impl Part {
    /// What is promised, and who keeps it, in a line.
    #[must_use]
    pub fn line(&self) -> String {
        let promise = format!("{}: {}", self.what, self.promise);
        match (self.held, &self.missing) {
            (Held::Kernel | Held::Host, _) => promise,
            (_, missing) => {
                let missing = missing.as_deref().unwrap_or_default();
                format!("{promise} ({}: {missing})", self.how())
            }
        }
    }

    fn how(&self) -> &'static str {
        match self.held {
            Held::Kernel => "enforced by the kernel",
            Held::Host => "checked by hermes",
            Held::Partly => "enforced in part",
            Held::Declared => "declared, not enforced",
        }
    }

    /// What is not enforced, in a sentence; None when all of it is.
    #[must_use]
    pub fn gap(&self) -> Option<String> {
        let missing = self.missing.as_ref()?;
        Some(format!("{}: {}: {missing}", self.what, self.how()))
    }
}

fn parts(kernel: &Kernel, granted: &Capabilities) -> Vec<Part> {
    const NO_LANDLOCK: &str = "this system has no Landlock";
    const NO_SECCOMP: &str = "this system has no seccomp filter";
    let landlock = |from: u32, lacks: &str| match kernel.landlock {
        0 => Err((Held::Declared, NO_LANDLOCK.to_owned())),
        version if version < from => Err((Held::Partly, format!("Landlock {version} {lacks}"))),
        _ => Ok(()),
    };
    let seccomp = |without: Held| if kernel.seccomp { Ok(()) } else { Err((without, NO_SECCOMP.to_owned())) };
    let linux = |piece: Piece| match kernel.has(piece) {
        true => Ok(()),
        false => Err((Held::Declared, "this system cannot do it".to_owned())),
    };
    // What a version of Landlock leaves open, seccomp closes.
    let either = |one: Result<(), (Held, String)>, other: Result<(), (Held, String)>| one.or(other);
    // Each alone leaves a way: calls, or the files of `/proc`.
    let both = || match (kernel.landlock, kernel.seccomp) {
        (0, true) => Err((Held::Partly, NO_LANDLOCK.to_owned())),
        (0, false) => seccomp(Held::Declared),
        _ => seccomp(Held::Partly),
    };
    let direct_network = granted.network == "direct";
    let network = match direct_network {
        true => Part {
            what: "network",
            promise: "connections to anywhere, as you granted; no other sockets",
            held: Held::Kernel,
            missing: None,
        }
        .with(seccomp(Held::Declared)),
        false => Part { what: "network", promise: "none of its own", held: Held::Kernel, missing: None }.with(seccomp(
            match kernel.landlock {
                0..4 => Held::Declared,
                _ => Held::Partly,
            },
        )),
    };
    let part = |what, promise| Part { what, promise, held: Held::Kernel, missing: None };
    vec![
        part("files", "changes its data folder, reads its package and the system's libraries").with(
            landlock(1, "")
                .and_then(|()| either(landlock(3, "does not know of cutting files short"), seccomp(Held::Partly))),
        ),
        part("attributes", "changes no owner, mode, time or extended attribute of a file")
            .with(seccomp(Held::Declared)),
        network,
        part("programs", "starts none by itself, makes no process").with(seccomp(match kernel.landlock {
            0 => Held::Declared,
            // It may start none, but divide itself.
            _ => Held::Partly,
        })),
        part("processes", "looks into no other and sends it no signal").with(both()),
        part("code", "runs what was checked and nothing that came later").with(match direct_network {
            true => Err((Held::Declared, "the C library loads code when it looks up a name".to_owned())),
            false if kernel.seccomp => both(),
            false => seccomp(Held::Declared),
        }),
        part("privileges", "gains none, and has none of root's but that over files").with(linux(Piece::Capabilities)),
        part("resources", "4 GiB of memory, 8 GiB a file, 1024 open files").with(linux(Piece::Limits)),
        Part {
            what: "services",
            promise: match granted.command.is_empty() {
                true => "what was granted, as hermes checks",
                false => "what was granted, as hermes checks; a granted program runs with your full authority",
            },
            held: Held::Host,
            missing: None,
        },
    ]
}

impl Part {
    fn with(mut self, outcome: Result<(), (Held, String)>) -> Self {
        if let Err((held, missing)) = outcome {
            (self.held, self.missing) = (held, Some(missing));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(pieces: &str) -> Confinement {
        let pretended = Pretended::read(Some(pieces.as_ref()));
        Confinement::of(Isolation::Process, &Capabilities::default(), &pretended)
    }

    #[test]
    fn in_process_nothing_is_promised() {
        let told = Confinement::of(Isolation::InProcess, &Capabilities::default(), &Pretended::default());
        assert_eq!(told.sentence(), "not confined: runs with your rights");
        assert_eq!(told.parts, []);
    }

    #[test]
    fn what_is_not_there_is_not_claimed() {
        let told = without("landlock,seccomp,capabilities,limits");
        assert_eq!(told.sentence(), "not confined: this system has neither Landlock nor seccomp");
        let held = |held| told.parts.iter().filter(move |part| part.held == held).map(|part| part.what);
        assert_eq!(held(Held::Kernel).chain(held(Held::Host)).collect::<Vec<_>>(), ["services"]);
        let gaps: Vec<_> = without("landlock").gaps().filter_map(Part::gap).collect();
        if cfg!(all(target_os = "linux", target_arch = "x86_64")) && without("landlock").seccomp {
            assert_eq!(
                gaps,
                [
                    "files: declared, not enforced: this system has no Landlock",
                    "processes: enforced in part: this system has no Landlock",
                    "code: enforced in part: this system has no Landlock"
                ]
            );
        }
    }
}
