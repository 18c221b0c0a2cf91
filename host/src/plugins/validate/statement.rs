//! What a plugin says about itself, by the rules of hosts and catalogs, and by what its users will read.

use std::collections::BTreeSet;

use hermes_provider_api::Interface;
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::ConfigField;
use semver::{Version, VersionReq};

use super::Checks;
use crate::plugins::catalog::{AbiVersion, is_plugin_id, refused_program};
use crate::plugins::resolve::Platform;
use crate::plugins::verify::setting_problem;

/// A title or a question that is longer does not fit on a line.
const LONGEST_LINE: usize = 100;

pub(super) fn check(metadata: &Metadata, checks: &mut Checks) {
    let Metadata { id, version, abi_major, abi_minor, api_version, requires_host, rustc, .. } = metadata;
    checks.ok(
        "metadata",
        format!("{id} {version}, ABI {abi_major}.{abi_minor}, hermes-provider-api {api_version}, {rustc}"),
    );
    names(metadata, checks);
    fits(metadata, requires_host, checks);
    interfaces(metadata, checks);
    capabilities(metadata, checks);
    settings(metadata, checks);
}

fn names(metadata: &Metadata, checks: &mut Checks) {
    let Metadata { id, title, version, .. } = metadata;
    if !is_plugin_id(id) {
        let rule = "1 to 64 lower-case letters, digits and `-`, beginning with a letter";
        checks.error("id", format!("`{}` is no id for a plugin: no catalog takes it", id.escape_debug()), rule);
    }
    match Version::parse(version) {
        Err(error) => {
            checks.error("version", format!("`{}` is no version: {error}", version.escape_debug()), "such as 0.1.0")
        }
        Ok(version) if version == Version::new(0, 0, 0) => {
            checks.warn(
                "version",
                "0.0.0 is what a crate has that was never given a version",
                "set it in `Cargo.toml`",
            );
        }
        Ok(_) => {}
    }
    if let Some(problem) = line_problem(title) {
        checks.error(
            "title",
            format!("the title {problem}: `{}`", title.escape_debug()),
            "one line that people read in lists",
        );
    } else if title == id {
        checks.note("title", "it has no title, so people read its id", "`Manifest::title`");
    }
}

/// What is wrong with a text that people read as one line.
fn line_problem(text: &str) -> Option<String> {
    let count = text.chars().count();
    if text.trim().is_empty() {
        Some("is empty".to_owned())
    } else if text.chars().any(char::is_control) {
        Some("holds control characters".to_owned())
    } else if count > LONGEST_LINE {
        Some(format!("has {count} characters, more than {LONGEST_LINE}"))
    } else {
        None
    }
}

fn fits(metadata: &Metadata, requires_host: &str, checks: &mut Checks) {
    let Platform { host, abi, target } = &Platform::current();
    let plugin = AbiVersion { major: metadata.abi_major, minor: metadata.abi_minor };
    if plugin.major != abi.major {
        let text = format!("it has ABI {plugin}, this hermes has {abi}: hosts like this one refuse it");
        checks.error("abi", text, "build it with a `hermes-provider-api` of that major");
    }
    if metadata.target != *target {
        let text = format!(
            "it was built for `{}`; this is `{target}`, where its code cannot run",
            metadata.target.escape_debug()
        );
        checks.note("target", text, "validate it there as well");
    }
    match VersionReq::parse(requires_host) {
        Err(error) => {
            let text = format!("`{}` is no range of versions: {error}", requires_host.escape_debug());
            checks.error("requires_host", text, "such as `>=0.1`");
        }
        Ok(range) if !Platform::current().is_in(&range) => {
            let text = format!(
                "it asks for hermes `{requires_host}`, and this is {host}: users of this hermes cannot install it"
            );
            checks.warn("requires_host", text, "");
        }
        Ok(_) => {}
    }
    match metadata.panic.as_str() {
        "unwind" => {}
        "abort" => {
            let text = "a panic ends the process: it runs in workers only, and each panic costs a worker";
            checks.warn("panic", text, "leave out `panic = \"abort\"`");
        }
        other => checks.error("panic", format!("the panic strategy `{}` is not known", other.escape_debug()), ""),
    }
}

fn interfaces(metadata: &Metadata, checks: &mut Checks) {
    let known = |id: &&String| Interface::from_id(id).is_some();
    for id in metadata.interfaces.iter().filter(|id| !known(id)) {
        let text = format!("this hermes does not know the interface `{}` and passes it over", id.escape_debug());
        checks.note("interfaces", text, "");
    }
    let names: Vec<_> = metadata.interfaces.iter().filter(known).map(String::as_str).collect();
    if names.iter().all(|id| *id == Interface::Core.id()) {
        checks.warn(
            "interfaces",
            "it lists none but the core: hermes never gives it anything to do",
            "`Manifest::interfaces`",
        );
    } else {
        checks.ok("interfaces", names.join(", "));
    }
}

fn capabilities(metadata: &Metadata, checks: &mut Checks) {
    let declared = &metadata.capabilities;
    if let Err(error) = declared.validate() {
        checks.error("capabilities", error, "the grammar is in the docs of `Capabilities`");
        return;
    }
    if let Some(problem) = refused_program(declared) {
        checks.error("capabilities", problem, "name the one program that is needed");
        return;
    }
    for name in &declared.secret {
        if !metadata.config.iter().any(|field| field.secret && field.env_var == *name) {
            let text = format!("no setting asks for the secret `{name}`: users have to find out by themselves");
            checks.warn("capabilities", text, &format!("`Field::secret(\"…\", \"{name}\", \"…\")`"));
        }
    }
    let keys = declared.model.iter().filter_map(|entry| entry.split_once(":config:"));
    for (_, key) in keys {
        if !metadata.config.iter().any(|field| field.key == key) {
            let text = format!("a model is used once `{key}` is on, and there is no such setting: it never will be");
            checks.warn("capabilities", text, "add the setting, with the choices `off` and `on`");
        }
    }
    let awake = declared.awake();
    match awake.lines() {
        lines if lines.is_empty() => checks.ok("capabilities", "none: it can be installed without asking"),
        lines => checks.ok("capabilities", format!("users are asked to agree to {}", lines.join(", "))),
    }
    let dormant = declared.missing_from(&awake);
    if !dormant.is_empty() {
        checks.ok("capabilities", format!("once the user turns it on: {}", dormant.join(", ")));
    }
}

fn settings(metadata: &Metadata, checks: &mut Checks) {
    let fields = &metadata.config;
    let mut keys = BTreeSet::new();
    let before = checks.0.len();
    for field in fields {
        let key = field.key.escape_debug();
        if let Some(problem) = setting_problem(field, &metadata.capabilities) {
            checks.error("settings", problem, "hermes refuses to load it");
        }
        if !keys.insert(&field.key) {
            checks.error("settings", format!("`{key}` is there twice: the second is never asked for"), "");
        }
        if let Some(problem) = line_problem(&field.description) {
            checks.warn(
                "settings",
                format!("what setup asks for `{key}` {problem}"),
                "a few words that a person can answer",
            );
        }
        let default = field.default.as_deref().unwrap_or_default();
        if let (false, Err(reason)) = (default.is_empty(), field.check(default)) {
            checks.error(
                "settings",
                format!("the default is not allowed: {reason}"),
                "setup would refuse its own proposal",
            );
        }
        if let Some(problem) = when_problem(field, fields) {
            checks.error("settings", format!("`{key}` is never asked for: {problem}"), "see `Field::when`");
        }
    }
    if checks.0.len() == before {
        checks.ok(
            "settings",
            match fields.len() {
                0 => "none".to_owned(),
                _ => fields.iter().map(|field| field.key.as_str()).collect::<Vec<_>>().join(", "),
            },
        );
    }
}

fn when_problem(field: &ConfigField, fields: &[ConfigField]) -> Option<String> {
    let when = field.when.as_ref()?;
    let Some(other) = fields.iter().find(|other| other.key == when.key) else {
        return Some(format!("there is no setting `{}`", when.key.escape_debug()));
    };
    match other.check(&when.equals) {
        Err(reason) => Some(format!("its condition cannot hold, since {reason}")),
        Ok(()) => None,
    }
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::records::{FieldType, When};

    use super::*;
    use crate::plugins::inspect::fixture::metadata;

    fn lines(metadata: &Metadata) -> Vec<String> {
        let mut checks = Checks::default();
        check(metadata, &mut checks);
        let odd = checks.0.into_iter().filter_map(|one| Some(format!("{} {}: {}", one.severity?, one.name, one.text)));
        odd.collect()
    }

    #[test]
    fn what_is_well_said_is_not_spoken_of() {
        let good = Metadata {
            title: "Notes".to_owned(),
            interfaces: vec![Interface::Prefetch.id().to_owned()],
            ..metadata("notes", "1.0.0")
        };
        assert_eq!(lines(&good), [""; 0]);
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let field =
            |key: &str| ConfigField { key: key.to_owned(), description: "What".to_owned(), ..ConfigField::default() };
        let bad = Metadata {
            title: "a\nb".to_owned(),
            requires_host: ">=99".to_owned(),
            panic: "abort".to_owned(),
            interfaces: vec!["hermes.core/1".to_owned(), "hermes.moon/1".to_owned()],
            config: vec![
                ConfigField { description: String::new(), ..field("mode") },
                field("mode"),
                ConfigField { field_type: FieldType::Integer, default: Some("many".to_owned()), ..field("count") },
                ConfigField {
                    when: Some(When { key: "modus".to_owned(), equals: "a".to_owned() }),
                    ..field("address")
                },
            ],
            ..metadata("Notes", "one")
        };
        insta::assert_snapshot!(lines(&bad).join("\n"), @r"
        error id: `Notes` is no id for a plugin: no catalog takes it
        error version: `one` is no version: unexpected character 'o' while parsing major version number
        error title: the title holds control characters: `a\nb`
        warning requires_host: it asks for hermes `>=99`, and this is 0.1.0: users of this hermes cannot install it
        warning panic: a panic ends the process: it runs in workers only, and each panic costs a worker
        note interfaces: this hermes does not know the interface `hermes.moon/1` and passes it over
        warning interfaces: it lists none but the core: hermes never gives it anything to do
        warning settings: what setup asks for `mode` is empty
        error settings: `mode` is there twice: the second is never asked for
        error settings: the default is not allowed: `count` must be a whole number
        error settings: `address` is never asked for: there is no setting `modus`
        ");
    }
}
