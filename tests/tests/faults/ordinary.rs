//! What works while nothing is wrong, in both loaders alike.

use std::sync::Barrier;

use hermes_host::plugins::hooks::CallError;
use hermes_host::plugins::load::Isolation;
use hermes_provider_api::records::{ToolRequest, ToolSchema};
use hermes_provider_api::{ErrorKind, Hook, Interface};
use hermes_tests::provider::NOW;
use hermes_tests::{BOTH, Setup};
use serde_json::{Value, json};

#[test]
fn hooks_answer() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        let hooks = provider.hooks();
        assert_eq!(provider.recall("как всегда").unwrap(), "как всегда");
        let tools: Vec<ToolSchema> = hooks.ask(Hook::ToolSchemas, &()).unwrap();
        assert_eq!(tools[0].name, "do");
        let request = ToolRequest { tool: "do".into(), args: json!({"deed": "so"}), ..ToolRequest::default() };
        assert_eq!(hooks.ask::<Value>(Hook::CallTool, &request).unwrap(), "so");
        assert_eq!(provider.process() == std::process::id(), isolation == Isolation::InProcess);
        assert!(hooks.has(Interface::Sync) && !hooks.has(Interface::Browse));
    }
}

#[test]
fn what_it_lacks_and_what_nobody_may_call_is_unsupported() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        for hook in [Hook::Remember, Hook::Import, Hook::DeleteEntry, Hook::Close] {
            let error = provider.hooks().ask::<Value>(hook, &()).unwrap_err();
            assert_eq!(error.provider_error().unwrap().kind, ErrorKind::Unsupported, "{hook:?}: {error}");
        }
        provider.still_answers();
    }
}

#[test]
fn errors_come_with_their_kind() {
    const KINDS: [(&str, ErrorKind); 13] = [
        ("unavailable", ErrorKind::Unavailable),
        ("unauthorized", ErrorKind::Unauthorized),
        ("rate_limited", ErrorKind::RateLimited),
        ("quota", ErrorKind::Quota),
        ("invalid_input", ErrorKind::InvalidInput),
        ("not_found", ErrorKind::NotFound),
        ("timeout", ErrorKind::Timeout),
        ("cancelled", ErrorKind::Cancelled),
        ("denied", ErrorKind::Denied),
        ("unsupported", ErrorKind::Unsupported),
        ("storage", ErrorKind::Storage),
        ("internal", ErrorKind::Internal),
        ("moon_phase", ErrorKind::Internal),
    ];
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        for (name, kind) in KINDS {
            let error = provider.recall(&format!("error {name}")).unwrap_err();
            assert_eq!(error.to_string(), format!("`faulty`: told to fail: {name}"));
            let answered = error.provider_error().unwrap();
            assert_eq!((answered.kind, answered.hint.as_deref()), (kind, Some("tell it otherwise")));
        }
        assert!(provider.health.quarantine().is_none());
    }
}

#[test]
fn a_request_that_is_no_record_is_refused_by_the_provider() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        for request in [&b"[1]"[..], b"{\"query\": 7}", b"{", b"\xff"] {
            let error = provider.hooks().call(Hook::Prefetch, request, None).unwrap_err();
            assert_eq!(error.provider_error().unwrap().kind, ErrorKind::InvalidInput, "{error}");
        }
        provider.still_answers();
    }
}

#[test]
fn host_services_are_reached_and_guarded() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).grant_secret("FAULTY_KEY").setting("extra", "да").open();
        let answers: Value = serde_json::from_str(&provider.recall("services").unwrap()).unwrap();
        assert_eq!(answers["now"], NOW);
        assert_eq!(answers["config"], json!({"extra": "да"}));
        assert_eq!(answers["data_dir"], provider.data().display().to_string());
        assert_eq!(answers["secret"], "fk_1");
        for (service, capability) in [
            ("other secret", "secret `OTHER_KEY`"),
            ("http", "http `https://memory.example`"),
            ("command", "command `sh`"),
        ] {
            assert_eq!(answers[service]["kind"], "denied", "{answers}");
            let message = format!("`faulty` was not granted the capability {capability}");
            assert_eq!(answers[service]["message"], message);
        }
        assert_eq!(answers["file"]["kind"], "denied");
    }
}

#[test]
fn events_and_records_reach_the_log_with_their_call() {
    for isolation in BOTH {
        let token = format!("{isolation:?}");
        let provider = Setup::faulty(isolation).open();
        provider.recall(&format!("log {token}")).unwrap();
        let log = provider.log();
        // In one process the forwarder sends to the provider that was opened last, which another test may have done.
        if isolation == Isolation::Process {
            let line = |message: &str| log.iter().find(|record| record.message == message);
            let event = line(&format!("an event of {token} answer=42")).unwrap();
            assert_eq!((event.level.as_str(), event.trace_id > 0), ("info", true));
            assert_eq!(line(&format!("a record of {token}")).unwrap().level, "warn");
            assert!(!log.iter().any(|record| record.message.contains("too fine")));
        }
        provider.still_answers();
    }
}

#[test]
fn two_instances_keep_their_folders_apart() {
    for isolation in BOTH {
        let setup = Setup::faulty(isolation).setting("extra", "first");
        // The same file twice, so that in process it is the same library.
        let plugin = setup.plugin();
        let first = setup.open();
        let second = Setup::faulty(isolation).setting("extra", "second").loaded_as(plugin);
        for (provider, name) in [(&first, "first"), (&second, "second")] {
            let answers: Value = serde_json::from_str(&provider.recall("services").unwrap()).unwrap();
            assert_eq!(answers["config"]["extra"], name);
            assert_eq!(answers["data_dir"], provider.data().display().to_string());
        }
        assert!(first.loaded.close().problem.is_none());
        second.still_answers();
    }
}

#[test]
fn many_callers_at_once_each_get_their_own_answer() {
    const CALLERS: usize = 64;
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).loaded();
        let barrier = Barrier::new(CALLERS);
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let (provider, barrier) = (&provider, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    for round in 0..10 {
                        let text = format!("caller {caller} round {round}");
                        assert_eq!(provider.recall(&text).unwrap(), text);
                    }
                });
            }
        });
        let processes: std::collections::BTreeSet<_> =
            provider.started().lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
        assert_eq!(processes.len(), 1, "one instance serves all: {processes:?}");
    }
}

#[test]
fn closing_twice_closes_once_and_nothing_is_called_afterwards() {
    for isolation in BOTH {
        let provider = Setup::faulty(isolation).open();
        assert!(provider.loaded.close().problem.is_none());
        assert!(provider.loaded.close().problem.is_none());
        let error = provider.recall("anything").unwrap_err();
        assert!(matches!(&error, CallError::Unloadable { reason, .. } if reason == "it was closed"), "{error}");
        assert_eq!(provider.started().matches(" drop").count(), 1);
    }
}
