//! What is counted, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::turn::{Problem, RecallOutcome};

/// Upper bounds of the steps in which the time of the memory's part is counted, in seconds.
const STEPS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0];

/// What comes of a recall.
const RECALLS: [&str; 4] = ["found", "nothing", "timeout", "error"];

/// Counts since the start.
#[derive(Default)]
pub(super) struct Metrics {
    /// By route and status.
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    steps: [AtomicU64; STEPS.len()],
    prepared: AtomicU64,
    micros: AtomicU64,
    pub(super) open: AtomicI64,
    pub(super) complete: AtomicU64,
    pub(super) interrupted: AtomicU64,
    pub(super) not_kept: AtomicU64,
    pub(super) without_memory: AtomicU64,
    pub(super) rounds: AtomicU64,
    /// By what came of them, as in [`RECALLS`].
    recalls: [AtomicU64; RECALLS.len()],
}

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Metrics {
    pub(super) fn request(&self, route: &'static str, status: u16) {
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry((route, status)).or_default() += 1;
    }

    /// How long the memory's part took before the model was asked.
    pub(super) fn prepared(&self, took: Duration) {
        count(&self.prepared);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(step) = STEPS.iter().position(|step| took.as_secs_f64() <= *step) {
            count(&self.steps[step]);
        }
    }

    /// What came of the recall for a turn, if the provider was asked.
    pub(super) fn recalled(&self, recall: &RecallOutcome) {
        let RecallOutcome::Asked(recalled) = recall else { return };
        let outcome = match &recalled.problem {
            Some(Problem::TimedOut { .. }) => 2,
            Some(_) => 3,
            None => usize::from(recalled.memories.is_empty()),
        };
        count(&self.recalls[outcome]);
    }

    /// All counts as text.
    pub(super) fn text(&self, conversations: usize, degraded: bool) -> String {
        let mut text = String::new();
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, String)]| {
            let _ = writeln!(text, "# HELP hermes_proxy_{name} {help}\n# TYPE hermes_proxy_{name} {kind}");
            for (labels, value) in samples {
                let _ = writeln!(text, "hermes_proxy_{name}{labels} {value}");
            }
        };
        let plain = |value: String| vec![(String::new(), value)];
        let requests: Vec<_> = {
            let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            let sample = |(&(route, status), count): (&(&str, u16), &u64)| {
                (format!("{{route=\"{route}\",status=\"{status}\"}}"), count.to_string())
            };
            requests.iter().map(sample).collect()
        };
        family("requests_total", "counter", "Requests by route and status.", &requests);
        let open = self.open.load(Ordering::Relaxed).to_string();
        family("open_requests", "gauge", "Requests that are being answered.", &plain(open));
        family("conversations", "gauge", "Conversations that are known.", &plain(conversations.to_string()));
        let turns = [("complete", &self.complete), ("interrupted", &self.interrupted), ("not_kept", &self.not_kept)];
        let turns = turns.map(|(ending, counter)| (format!("{{ending=\"{ending}\"}}"), load(counter).to_string()));
        family("turns_total", "counter", "Turns by how they ended; not_kept is in memory alone.", &turns);
        let without = load(&self.without_memory).to_string();
        family("without_memory_total", "counter", "Requests that did not wait for the memory.", &plain(without));
        let recalls = RECALLS.iter().zip(&self.recalls);
        let recalls: Vec<_> = recalls
            .map(|(outcome, counter)| (format!("{{outcome=\"{outcome}\"}}"), load(counter).to_string()))
            .collect();
        family("recalls_total", "counter", "Recalls by what came of them.", &recalls);
        let degraded = u8::from(degraded).to_string();
        family("memory_degraded", "gauge", "1 while the memory does less than it could.", &plain(degraded));
        let rounds = load(&self.rounds).to_string();
        family("tool_rounds_total", "counter", "How often a model was asked again after its calls.", &plain(rounds));
        let (mut below, mut samples) = (0, Vec::new());
        for (step, counter) in STEPS.iter().zip(&self.steps) {
            below += load(counter);
            samples.push((format!("_bucket{{le=\"{step}\"}}"), below.to_string()));
        }
        let all = load(&self.prepared).to_string();
        #[expect(clippy::cast_precision_loss, reason = "a sum of times")]
        let seconds = load(&self.micros) as f64 / 1e6;
        samples.push(("_bucket{le=\"+Inf\"}".to_owned(), all.clone()));
        samples.push(("_sum".to_owned(), seconds.to_string()));
        samples.push(("_count".to_owned(), all));
        family("memory_seconds", "histogram", "Time of the memory before the model is asked.", &samples);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up() {
        let metrics = Metrics::default();
        for millis in [1, 2, 2, 60_000] {
            metrics.prepared(Duration::from_millis(millis));
        }
        metrics.request("chat", 200);
        metrics.request("chat", 200);
        let text = metrics.text(3, true);
        for line in [
            "hermes_proxy_requests_total{route=\"chat\",status=\"200\"} 2",
            "hermes_proxy_conversations 3",
            "hermes_proxy_memory_degraded 1",
            "hermes_proxy_memory_seconds_bucket{le=\"0.001\"} 1",
            "hermes_proxy_memory_seconds_bucket{le=\"0.0025\"} 3",
            "hermes_proxy_memory_seconds_bucket{le=\"10\"} 3",
            "hermes_proxy_memory_seconds_bucket{le=\"+Inf\"} 4",
            "hermes_proxy_memory_seconds_sum 60.005",
            "hermes_proxy_memory_seconds_count 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
