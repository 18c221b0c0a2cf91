//! What the kit found, in words for people.
//!
//! A finding says what a user would notice and not which rule was broken: an author can judge the first without knowing the
//! kit. As JSON, which `hermes plugins validate --json` prints, these types have defaults for all fields; a
//! program that reads them goes by names and severities, since sentences change.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing to mend.
    #[default]
    Note,
    /// A user would be better off without it.
    Warning,
    /// A user loses something: memories, privacy, time, or the provider. [`Report::assert`] fails.
    Error,
}

/// One thing that the kit found.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Finding {
    /// The scenario that found it.
    pub scenario: String,
    /// How much it matters.
    pub severity: Severity,
    /// What a user would notice.
    pub text: String,
    /// What the author may do about it; empty when the text says it all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

/// One scenario that was tried.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Scenario {
    /// Its name, which [`Kit::only`](super::Kit::only) takes.
    pub name: String,
    /// What it is about, in a few words.
    pub about: String,
    /// Why it says nothing about this provider; empty when it was run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub skipped: String,
}

/// Everything that the kit found.
///
/// ```
/// use hermes_provider_api::testkit::conformance::{Finding, Report, Severity};
///
/// let mut report = Report::default();
/// report.assert();
/// report.findings.push(Finding {
///     scenario: "reopening".into(),
///     severity: Severity::Error,
///     text: "what was stored is gone after hermes was started anew".into(),
///     ..Finding::default()
/// });
/// assert!(!report.is_ok());
/// assert!(report.to_string().contains("error: what was stored is gone"));
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Report {
    /// The scenarios, in the order in which they were tried.
    pub scenarios: Vec<Scenario>,
    /// What they found, each once.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether nothing was found that a user loses something by. Warnings and notes may be there.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity < Severity::Error)
    }

    /// For a test: passes when [`is_ok`](Self::is_ok).
    ///
    /// # Panics
    /// With the whole list, warnings and notes included, when there is an error among the findings.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.is_ok(), "a user of this provider would lose something\n\n{self}");
    }

    /// Adds a finding, unless the same scenario has said so already.
    pub(super) fn add(&mut self, finding: Finding) {
        let known = |other: &Finding| (&other.scenario, &other.text) == (&finding.scenario, &finding.text);
        if !self.findings.iter().any(known) {
            self.findings.push(finding);
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Each scenario on a line, and below it what it found, the worst first. `ok` may have notes; `-` was not tried, and why
/// stands behind it. Findings of scenarios that are not in the list come last.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = 0;
        for Scenario { name, about, skipped } in &self.scenarios {
            let mut found: Vec<_> = self.findings.iter().filter(|finding| finding.scenario == *name).collect();
            found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            shown += found.len();
            let worst = found.first().map_or(Severity::Note, |finding| finding.severity);
            let mark = match worst {
                _ if !skipped.is_empty() => "-   ",
                Severity::Error => "FAIL",
                Severity::Warning => "warn",
                Severity::Note => "ok  ",
            };
            let why = if skipped.is_empty() { String::new() } else { format!(" (not tried: {skipped})") };
            writeln!(f, "{mark} {name}: {about}{why}")?;
            let mut said = "";
            for finding in found {
                line(f, finding, finding.hint != said)?;
                said = &finding.hint;
            }
        }
        if shown < self.findings.len() {
            let listed = |finding: &&Finding| !self.scenarios.iter().any(|one| one.name == finding.scenario);
            self.findings.iter().filter(listed).try_for_each(|finding| line(f, finding, true))?;
        }
        Ok(())
    }
}

/// A finding, and its hint on a line of its own where the finding before has not said it.
fn line(f: &mut fmt::Formatter<'_>, finding: &Finding, with_hint: bool) -> fmt::Result {
    writeln!(f, "     {}: {}", finding.severity, finding.text)?;
    if with_hint && !finding.hint.is_empty() {
        writeln!(f, "       hint: {}", finding.hint)?;
    }
    Ok(())
}
