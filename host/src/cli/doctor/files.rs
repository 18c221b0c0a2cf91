//! What the home holds, and who can read it.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::permissions::closable;
use super::repair::{Repair, temporaries};
use super::{Facts, Finding};
use crate::cli::config::edit::COPY;
use crate::cli::counted;
use crate::config::{Config, HIDDEN, Source};
use crate::db::Examined;
use crate::error::{Failure, quoted};
use crate::guard::Redactor;
use crate::home::profiles;
use crate::plugins::store::{is_ours, unfinished, unnamed};
use crate::secrets::{Mask, Warning as Odd};

/// Less room than this is soon used up, and less than that breaks the next install.
const LITTLE: u64 = 500 << 20;
const NONE: u64 = 50 << 20;

pub(super) fn home(facts: &Facts<'_>) -> Vec<Finding> {
    let context = facts.context;
    let root = context.home.root();
    let shown = root.display();
    let mut findings = Vec::new();
    match fs::metadata(root) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            findings.push(Finding::ok(format!("`{shown}` is not there yet; what is kept first makes it")));
        }
        Err(error) => findings.push(Finding::error(Failure::new(format!("cannot read `{shown}`: {error}")))),
        Ok(folder) => findings.push(of_folder(root, &folder, context.home.profile())),
    }
    let config = context.home.config_file();
    if let Some(mode) = fs::metadata(&config).ok().map(|file| file.permissions().mode() & 0o777)
        && mode & 0o022 != 0
    {
        findings.push(closable(config, mode & !0o022, "can be changed by other users"));
    }
    if let Some(python) = &context.python_home {
        findings.push(Finding::ok(format!("`{}` belongs to the Python agent and is left alone", python.display())));
    } else if root.join("config.yaml").exists() {
        findings.push(Finding::ok("`config.yaml` in it is the Python agent's and is not read"));
    }
    findings
}

fn of_folder(root: &Path, folder: &Metadata, profile: &str) -> Finding {
    let shown = root.display();
    let (owner, user) = (folder.uid(), rustix::process::geteuid().as_raw());
    if rustix::fs::access(root, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_err() {
        let failure = Failure::new(format!("`{shown}` cannot be written to"));
        return Finding::error(failure.hint("check its owner and mode, and whether the disk is read-only"));
    }
    if owner != user {
        return Finding::warning(format!("`{shown}` belongs to user {owner}, and you are user {user}"))
            .hint("what you write there, that user may be unable to read; run hermes as its owner");
    }
    if folder.permissions().mode() & 0o077 != 0 {
        return closable(root.to_owned(), 0o700, "is open to other users");
    }
    Finding::ok(format!("`{shown}`, profile {profile}"))
}

pub(super) fn settings(facts: &Facts<'_>) -> Vec<Finding> {
    if let Err(error) = &facts.settings {
        let finding = Finding::error(error);
        return vec![match finding.hints.as_slice() {
            [] => finding.hint("`hermes config edit` opens it in your editor"),
            _ => finding,
        }];
    }
    let warnings = facts.context.config.warnings();
    let mut findings: Vec<_> = warnings.iter().map(|warning| Finding::warning(warning.to_string())).collect();
    findings.extend(misplaced(&facts.context.config));
    if findings.is_empty() {
        findings.push(Finding::ok(match facts.context.home.config_file().exists() {
            true => "`config.toml` is right",
            false => "there is no `config.toml`; the defaults hold",
        }));
    }
    findings
}

/// Settings that look like secrets, or belong to nobody. What they hold is not shown.
fn misplaced(config: &Config) -> Vec<Finding> {
    let redactor = Redactor::new(Mask::default());
    let is_secret = |value: &str| redactor.redact(value) != value;
    let secret = config.entries().into_iter().filter(|entry| match (&entry.source, entry.value.as_str()) {
        (Source::File(_), Some(value)) => value == HIDDEN || is_secret(value),
        _ => false,
    });
    let secret = secret.map(|entry| {
        Finding::warning(format!("`{}` in `config.toml` looks like a secret", entry.key)).hint(format!(
            "`hermes memory setup` keeps secrets in `.env`; then `hermes config unset {}`",
            quoted(&entry.key)
        ))
    });
    let idle = config.configured_providers().filter(|id| config.provider() != Some(*id));
    let idle = idle.map(|id| {
        Finding::ok(format!("`{id}` has settings and is not in use"))
            .hint(format!("`hermes memory setup {id}` turns it on"))
    });
    secret.chain(idle).collect()
}

pub(super) fn secrets(facts: &Facts<'_>) -> Vec<Finding> {
    match facts.context.load_secrets() {
        Err(failure) => vec![Finding::error(failure)],
        Ok(secrets) if secrets.warnings().is_empty() => {
            let count = secrets.names().count();
            vec![Finding::ok(format!("`.env` holds {}", counted(count, "secret")))]
        }
        Ok(secrets) => {
            let findings = secrets.warnings().iter().map(|warning| match warning {
                Odd::Readable { path } => closable(path.clone(), 0o600, "can be read by other users"),
                Odd::Line { .. } => Finding::warning(warning.to_string()),
            });
            findings.collect()
        }
    }
}

pub(super) fn database(facts: &Facts<'_>) -> Vec<Finding> {
    let path = facts.context.home.database();
    vec![match &facts.database {
        Ok(Examined::Absent) => Finding::ok("there is no `hermes.db` yet"),
        Ok(Examined::Whole { schema }) => {
            Finding::ok(format!("`hermes.db` and its indexes are whole, schema {schema}"))
        }
        Ok(Examined::Broken { reason }) => {
            Finding::error(Failure::new(format!("`{}` is broken: {reason}", path.display()))).hint(
                "the next command that uses it keeps it under another name and makes a new one; what waited in it for \
                 the provider is then only in the old one",
            )
        }
        Err(error) => Finding::error(error),
    }]
}

pub(super) fn disk(facts: &Facts<'_>) -> Vec<Finding> {
    let there = facts.context.home.root().ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    match rustix::fs::statvfs(there) {
        Ok(disk) => vec![room(disk.f_bavail.saturating_mul(disk.f_frsize))],
        Err(error) => vec![Finding::warning(format!("how much room the disk has is not known: {error}"))],
    }
}

fn room(bytes: u64) -> Finding {
    let left = match bytes >> 20 {
        mib @ 0..10_000 => format!("{mib} MiB left on the disk"),
        mib => format!("{} GiB left on the disk", mib >> 10),
    };
    match bytes {
        0..NONE => Finding::error(Failure::new(left).hint("free some disk space")),
        NONE..LITTLE => Finding::warning(left).hint("free some disk space"),
        _ => Finding::ok(left),
    }
}

pub(super) fn leftovers(facts: &Facts<'_>) -> Vec<Finding> {
    let home = &facts.context.home;
    let mut findings = Vec::new();
    for (path, name) in items(home.root()) {
        let shown = path.display();
        if name.starts_with(COPY) {
            findings.push(
                Finding::warning(format!("`{shown}` holds settings that were edited and did not count"))
                    .hint("take what you need into `hermes config edit`, and delete it"),
            );
        } else if name.starts_with("hermes.db.corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm") {
            findings.push(
                Finding::warning(format!("`{shown}` is a broken database that was put aside"))
                    .hint("delete it if you do not want to know more about it"),
            );
        }
    }
    for path in temporaries(home) {
        let finding = Finding::warning(format!("`{}` is what a killed hermes was writing", path.display()));
        findings.push(finding.hint("delete it").repaired_by(Repair::DeleteTemporary(path)));
    }
    for path in profiles::leftovers(&home.base()) {
        let finding = Finding::warning(format!("`{}` is what is left of a profile", path.display()));
        findings.push(finding.hint("delete it, unless a `hermes profiles` runs right now"));
    }
    if let Ok(lock) = &facts.lock {
        for path in unfinished(home).into_iter().chain(unnamed(home, lock)) {
            let finding = Finding::warning(format!("`{}` belongs to no installed plugin", path.display()));
            let finding = finding.hint("an install that was cut short left it; delete it, unless one runs right now");
            findings.push(match is_ours(&path) {
                true => finding.repaired_by(Repair::DeleteFromStore(path)),
                false => finding,
            });
        }
    }
    if findings.is_empty() {
        findings.push(Finding::ok("nothing is left of what was cut short"));
    }
    findings
}

/// What is in a folder by name; nothing where it cannot be read.
pub(super) fn items(folder: &Path) -> Vec<(PathBuf, String)> {
    let items = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut items: Vec<_> = items.map(|item| (item.path(), item.file_name().to_string_lossy().into_owned())).collect();
    items.sort();
    items
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    #[test]
    fn a_full_disk_is_told_in_time() {
        let told = |bytes| (room(bytes).severity, room(bytes).message);
        assert_eq!(told(3 << 20), (Severity::Error, "3 MiB left on the disk".to_owned()));
        assert_eq!(told(100 << 20), (Severity::Warning, "100 MiB left on the disk".to_owned()));
        assert_eq!(told(600 << 20), (Severity::Ok, "600 MiB left on the disk".to_owned()));
        assert_eq!(told(50 << 30), (Severity::Ok, "50 GiB left on the disk".to_owned()));
    }
}
