//! Each way is tried: in a worker as it is, with each piece of confinement alone, and where nothing holds.

use hermes_provider_api::Capabilities;
use rustix::thread::{CapabilitySet, capabilities};

use crate::scene::{NOTHING_HOLDS, Scene};
use crate::ways::{self, Holder, Outside};

/// Whether this process has what root has: some ways are open to nobody else.
fn privileged() -> bool {
    capabilities(None).unwrap().effective.contains(CapabilitySet::SYS_ADMIN | CapabilitySet::SYS_PTRACE)
}

#[track_caller]
fn check(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_provider_tries_is_what_the_table_lists() {
    let mut listed: Vec<_> = ways::all().map(|way| way.name.to_owned()).collect();
    let mut tried = Scene::new().ways();
    listed.sort();
    tried.sort();
    assert_eq!(tried, listed);
    assert!(tried.len() >= 100);
}

#[test]
fn every_way_out_is_refused() {
    let scene = Scene::new();
    let wrong = ways::all().filter_map(|way| match scene.tries(way.name, "") {
        Ok(got) => Some(format!("{} got {got}", way.name)),
        Err(error) => {
            let answered = |holder: &Holder| holder.answers().iter().any(|answer| error.contains(answer));
            let known = way.held_by.iter().any(answered);
            (!known).then(|| format!("{} is not refused by {:?}: {error}", way.name, way.held_by))
        }
    });
    check(&wrong.collect::<Vec<_>>());
}

/// What the table says that a piece holds, it holds without the others.
#[test]
fn each_piece_holds_by_itself() {
    let scene = Scene::new();
    let mut wrong = Vec::new();
    for way in ways::all() {
        // What is not known to be open proves nothing.
        if matches!(way.outside, Outside::Untried(_) | Outside::Ends) {
            continue;
        }
        for holder in way.held_by {
            if let Some(without) = holder.alone()
                && let Ok(got) = scene.tries(way.name, without)
            {
                wrong.push(format!("{} with {holder:?} alone got {got}", way.name));
            }
        }
    }
    check(&wrong);
}

/// Otherwise a way may be refused for a reason that is none: a file that is not there, a call that was made wrong.
#[test]
fn where_nothing_holds_the_ways_are_open() {
    let (scene, privileged) = (Scene::new(), privileged());
    let wrong = ways::all().filter_map(|way| {
        let expected = match way.outside {
            Outside::Open => true,
            Outside::Rights => privileged,
            Outside::Ends => {
                let ended = scene.tries(way.name, NOTHING_HOLDS).unwrap_err();
                let expected = ended.contains("its worker ended with status 0");
                return (!expected).then(|| format!("{} does not run: {ended}", way.name));
            }
            Outside::Untried(_) => false,
        };
        let error = if expected { scene.tries(way.name, NOTHING_HOLDS).err() } else { None };
        error.map(|error| format!("{} is not open: {error}", way.name))
    });
    check(&wrong.collect::<Vec<_>>());
}

/// The descriptor that the worker closes is one that any other program gets.
#[test]
fn a_descriptor_that_the_host_left_open_would_be_inherited() {
    let scene = Scene::new();
    #[expect(clippy::disallowed_methods, reason = "any program")]
    let cat = std::process::Command::new("cat").arg(format!("/proc/self/fd/{}", scene.descriptor())).output();
    assert!(String::from_utf8_lossy(&cat.unwrap().stdout).contains("sk-escape"));
}

#[test]
fn a_provider_that_behaves_notices_nothing() {
    let scene = Scene::new();
    let done = r#"["files","locks","threads","pairs of sockets","time and chance","panics"]"#;
    for network in ["", "direct"] {
        let granted = Capabilities { network: network.to_owned(), ..Capabilities::default() };
        assert_eq!(scene.tries_in(&scene.provider("", granted), "behave").as_deref(), Ok(done));
    }
}

/// The host refuses what was not granted, and nothing else.
#[test]
fn services_answer_what_was_granted() {
    let scene = Scene::new();
    let granted = |more: Capabilities, way: &str| {
        let tried = scene.tries_in(&scene.provider("", more), way);
        assert!(tried.is_ok(), "{way}: {tried:?}");
    };
    let mut both = scene.granted();
    both.http.push(both.http[0].replace("127.0.0.1", "localhost"));
    granted(both.clone(), "http-to-host-not-granted");
    granted(both, "http-redirected");
    granted(Capabilities { command: vec!["sh".to_owned()], ..scene.granted() }, "command-not-granted");
    granted(Capabilities { secret: vec!["OTHER_KEY".to_owned()], ..scene.granted() }, "secret-not-granted");
}

/// With `network = "direct"` connections are open, and nothing else is.
#[test]
fn a_granted_network_is_the_network_alone() {
    let scene = Scene::new();
    let granted = Capabilities { network: "direct".to_owned(), ..scene.granted() };
    let open = ["connect", "listen", "send-datagram", "look-up-name"];
    // The C library loads its resolvers when they are first needed.
    let code = ["load-library-of-data-folder", "new-code-in-memory", "memory-made-code"];
    let mut wrong = Vec::new();
    for way in ways::all().filter(|way| !way.held_by.contains(&Holder::Host) && !code.contains(&way.name)) {
        let tried = scene.tries_in(&scene.provider("", granted.clone()), way.name);
        if tried.is_ok() != open.contains(&way.name) {
            wrong.push(format!("{}: {tried:?}", way.name));
        }
    }
    check(&wrong);
}
