//! What a provider may reach besides its own data folder.
//!
//! The same record is written three times: by the author in the manifest, by the catalog in the release, and by the host
//! in the lockfile with what the user agreed to. A plugin is loaded only if the first lies within the other two.
//!
//! | field | each entry |
//! |---|---|
//! | `http` | `https://host`, `https://host:port`, the same with `http`, or `config:<key>`: the address that the user sets there |
//! | `secret` | the name of an environment variable |
//! | `command` | the bare name of a program |
//! | `stop` | one of these programs and its arguments, with single spaces: what ends a daemon that it leaves |
//! | `file` | `read:<what>` or `write:<what>`, where `what` names what the user grants at setup |
//! | `network` | `direct`: the provider opens sockets itself, or nothing |
//! | `model` | `embed` or `chat`: texts for the user's own model; with `:config:<key>` behind it, once that setting is `on` |
//!
//! Before a plugin is installed, the user reads each of them as a sentence and agrees or not:
//!
//! | capability | what the user is told |
//! |---|---|
//! | `http https://api.example` | may call `https://api.example` |
//! | `http config:base_url` | may call the address that you set as `base_url`, and its default until then |
//! | `secret NOTES_KEY` | may read the secret `NOTES_KEY` |
//! | `command brv` | may run `brv`: such a program runs with your full authority, outside the confinement |
//! | `stop brv daemon stop` | is ended by running `brv daemon stop` |
//! | `file read:notes_dir` | may read the files that you set as `notes_dir` |
//! | `network direct` | may open network connections of its own to anywhere |
//! | `model embed` | may send texts to the model that you set up as `model.embedding` |
//! | `model embed:config:semantic` | the same, once you turn `semantic` on, and nothing until then |
//!
//! An entry of `model` that waits for a setting is **dormant**: the host refuses the service until the user has turned the
//! setting on, whatever its default says. So a plugin that asks for nothing else is installed without a question, and the
//! question comes where it can be answered, with the setting.
//!
//! The host's services check these, and on Linux the kernel holds a worker to them: see
//! [what a worker can reach](crate#what-a-worker-can-reach). In process, and on other systems, what a provider does without
//! the services is a promise of its author.
//!
//! Ask for the least. Hosts and catalogs refuse a `command` that runs what it is told to, such as a shell, an interpreter
//! or `env`: it would be every program at once. A release that asks for more than the one before is agreed to anew.

use serde::{Deserialize, Serialize};

use crate::grammar::{self, is_file_entry, is_model_entry, is_program, is_stop, is_variable};

/// The capabilities that a provider declares, a catalog admits and a user grants.
///
/// ```
/// use hermes_provider_api::Capabilities;
///
/// let declared = Capabilities { http: vec!["https://api.example".into()], ..Capabilities::default() };
/// assert_eq!(declared.validate(), Ok(()));
/// assert_eq!(declared.missing_from(&Capabilities::default()), ["http https://api.example"]);
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Capabilities {
    /// Hosts that it may call through the `http` service.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<String>,
    /// Secrets that it may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secret: Vec<String>,
    /// Programs that it may run. They have the full authority of the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Commands that end the daemons which those programs leave. The host runs them when the memory closes and when the
    /// provider is switched off or removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Files of the user that it may open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file: Vec<String>,
    /// `direct` when it opens sockets itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub network: String,
    /// What it may ask the user's model for. Hosts before this field pass over it, and have no such service.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<String>,
}

impl Capabilities {
    /// Whether it needs nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    /// The same without what is dormant: entries of `model` that wait for a setting. A plugin of an official catalog that
    /// needs nothing else is installed without asking.
    ///
    /// ```
    /// use hermes_provider_api::Capabilities;
    ///
    /// let declared = Capabilities { model: vec!["embed:config:semantic".into()], ..Capabilities::default() };
    /// assert!(!declared.is_empty() && declared.awake().is_empty());
    /// ```
    #[must_use]
    pub fn awake(&self) -> Self {
        let model = self.model.iter().filter(|entry| !entry.contains(":config:")).cloned().collect();
        Self { model, ..self.clone() }
    }

    /// Whether recall may have to wait for a network; its deadline is then 8 s instead of 2. A program counts as well.
    #[must_use]
    pub fn uses_network(&self) -> bool {
        !self.http.is_empty() || !self.network.is_empty() || !self.command.is_empty()
    }

    /// Each capability as `<kind> <entry>`, in the order of the fields.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let kinds = [
            ("http", &self.http),
            ("secret", &self.secret),
            ("command", &self.command),
            ("stop", &self.stop),
            ("file", &self.file),
        ];
        let mut lines: Vec<_> = kinds
            .into_iter()
            .flat_map(|(kind, entries)| entries.iter().map(move |entry| format!("{kind} {entry}")))
            .collect();
        if !self.network.is_empty() {
            lines.push(format!("network {}", self.network));
        }
        lines.extend(self.model.iter().map(|entry| format!("model {entry}")));
        lines
    }

    /// Each of these capabilities that `granted` does not hold, as in [`Capabilities::lines`].
    #[must_use]
    pub fn missing_from(&self, granted: &Self) -> Vec<String> {
        let granted = granted.lines();
        self.lines().into_iter().filter(|line| !granted.contains(line)).collect()
    }

    /// Checks every entry against the grammar.
    ///
    /// # Errors
    /// The first entry that does not fit, and why.
    pub fn validate(&self) -> Result<(), String> {
        let check = |kind: &str, entries: &[String], fits: fn(&str) -> bool, form: &str| match entries
            .iter()
            .find(|entry| !fits(entry))
        {
            Some(entry) => Err(format!("capability {kind} `{}` is not {form}", entry.escape_debug())),
            None => Ok(()),
        };
        check("http", &self.http, is_http_entry, "`https://host[:port]` or `config:<key>`")?;
        check("secret", &self.secret, is_variable, "the name of an environment variable")?;
        check("command", &self.command, is_program, "the bare name of a program")?;
        check("stop", &self.stop, is_stop, "a program and its arguments, plain words with single spaces")?;
        let program = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
        if let Some(line) = self.stop.iter().find(|line| !self.command.contains(&program(line))) {
            return Err(format!("capability stop `{line}` runs a program that is not among those of `command`"));
        }
        check("file", &self.file, is_file_entry, "`read:<what>` or `write:<what>`")?;
        check("model", &self.model, is_model_entry, "`embed`, `chat`, or one of them with `:config:<key>`")?;
        if !matches!(self.network.as_str(), "" | "direct") {
            return Err(format!("capability network `{}` is not `direct`", self.network.escape_debug()));
        }
        Ok(())
    }
}

fn is_http_entry(entry: &str) -> bool {
    let address = entry.split_once("//[").and_then(|(_, rest)| rest.split_once(']'));
    grammar::is_http_entry(entry) && address.is_none_or(|(address, _)| address.parse::<std::net::Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fits: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for entry in good {
            assert!(fits(entry), "{entry:?} should fit");
        }
        for entry in bad {
            assert!(!fits(entry), "{entry:?} should not fit");
        }
    }

    #[test]
    fn grammar() {
        check(
            is_http_entry,
            &[
                "https://api.example",
                "http://127.0.0.1:8000",
                "https://[::1]:8443",
                "https://[fe80::1]",
                "config:base_url",
            ],
            &[
                "api.example",
                "https://",
                "https://a/b",
                "https://a:0",
                "https://a:99999",
                "https://a:",
                "https://a:+80",
                "https://[::1",
                "https://[1::2::3]",
                "https://[::1]8443",
                "https://*",
                "ftp://a",
                "https://user@a",
                "config:",
                "config:A B",
                "https://a\n",
            ],
        );
        check(is_variable, &["RETAINDB_API_KEY"], &["", "9A", "lower", "A=B", "A B"]);
        check(is_program, &["brv", "python3.11"], &["", "/bin/sh", "../x", "-x", "a b", "..", "a\0b"]);
        check(
            is_stop,
            &["brv", "brv daemon stop", "x --all=1"],
            &["", " brv", "brv  stop", "brv ", "/b x", "a ;", "-a"],
        );
        check(
            is_model_entry,
            &["embed", "chat", "embed:config:semantic"],
            &["", "train", "embed:", "embed:semantic", "chat:config:", "embed:config:A B", "embed "],
        );
        check(is_file_entry, &["read:notes_dir"], &["notes", "read:", "exec:notes", "read:../x"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let declared = Capabilities { secret: vec!["A".into(), "B".into()], ..Capabilities::default() };
        let granted = Capabilities { secret: vec!["A".into()], ..Capabilities::default() };
        assert_eq!(declared.missing_from(&granted), ["secret B"]);
        assert!(granted.missing_from(&declared).is_empty());
        let other = Capabilities { stop: vec!["brv stop".into()], ..Capabilities::default() };
        let reason = "capability stop `brv stop` runs a program that is not among those of `command`";
        assert_eq!(other.validate().unwrap_err(), reason);
        let odd = Capabilities { network: "all".into(), ..Capabilities::default() };
        assert_eq!(odd.validate().unwrap_err(), "capability network `all` is not `direct`");
    }
}
