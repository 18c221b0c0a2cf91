//! From records to deliveries of the outbox, and from there to the provider.

use std::time::Duration;

use hermes_provider_api::records::{
    Caller, Delegation, MemoryWrite, SessionEnd, SessionSwitch, TurnStart, WriteAction,
};
use hermes_provider_api::{ErrorKind, Hook};
use serde::Deserialize;

use super::{CleanTurn, External, ExternalError, Outgoing, encode, may_write};
use crate::outbox::{Care, Deliver, Delivery, DeliveryError, Retry, TurnMark};
use crate::plugins::hooks::CallError;

/// What a turn is called where it is told of.
pub(crate) fn turn_of_session(number: u64, session: &str) -> String {
    format!("turn {number} of session {session}")
}

/// Each makes a delivery that is clean and ready to be stored. None: the provider lacks the interface.
///
/// # Errors
/// When the caller may not write.
impl Outgoing {
    /// A finished turn.
    pub fn turn(&self, turn: &CleanTurn) -> Result<Option<Delivery>, ExternalError> {
        let turn = turn.record();
        let what = turn_of_session(turn.number, &turn.caller.origin.session);
        let delivery = self.delivery(Hook::SyncTurn, &turn.caller, &turn.idempotency_key, what, turn)?;
        let (session, at) = (turn.caller.origin.session.clone(), turn.caller.origin.at);
        let mark = TurnMark { session, number: turn.number, at };
        Ok(delivery.map(|delivery| Delivery { turn: Some(mark), ..delivery }))
    }

    /// A committed write of the curated memory.
    pub fn memory_write(&self, write: &MemoryWrite) -> Result<Option<Delivery>, ExternalError> {
        let (content, previous) = (self.cleaner.text(&write.content), self.cleaner.text(&write.previous));
        let write = MemoryWrite { content, previous, ..write.clone() };
        let what = match write.action {
            WriteAction::Add => "a new memory entry",
            WriteAction::Replace => "a replaced memory entry",
            WriteAction::Remove => "a removed memory entry",
            _ => "a memory write",
        };
        self.delivery(Hook::OnMemoryWrite, &write.caller, &write.idempotency_key, what.to_owned(), &write)
    }

    /// Whether its ends are told, and with them what was said in it.
    #[must_use]
    pub fn hears_of_ends(&self) -> bool {
        self.has(Hook::OnSessionEnd.interface())
    }

    /// The end of a session.
    pub fn session_end(&self, end: &SessionEnd) -> Result<Option<Delivery>, ExternalError> {
        let end = SessionEnd { messages: self.cleaner.messages(&end.messages), ..end.clone() };
        let what = format!("end of session {}", end.caller.origin.session);
        self.delivery(Hook::OnSessionEnd, &end.caller, &end.idempotency_key, what, &end)
    }

    /// A switch between sessions: after what was said in the one, before what is said in the other.
    pub fn session_switch(&self, switch: &SessionSwitch) -> Result<Option<Delivery>, ExternalError> {
        let what = format!("switch from session {} to {}", switch.from, switch.to);
        let delivery = self.delivery(Hook::OnSessionSwitch, &switch.caller, &switch.idempotency_key, what, switch)?;
        Ok(delivery.map(|delivery| Delivery { lanes: vec![switch.from.clone(), switch.to.clone()], ..delivery }))
    }

    /// The end of a subagent.
    pub fn delegation(&self, delegation: &Delegation) -> Result<Option<Delivery>, ExternalError> {
        let (task, result) = (self.cleaner.text(&delegation.task), self.cleaner.text(&delegation.result));
        let delegation = Delegation { task, result, ..delegation.clone() };
        let what = format!("report of subagent session {}", delegation.child_session);
        self.delivery(Hook::OnDelegation, &delegation.caller, &delegation.idempotency_key, what, &delegation)
    }

    /// The beginning of a turn; only a hint.
    pub fn turn_start(&self, caller: &Caller, number: u64, message: &str) -> Result<Option<Delivery>, ExternalError> {
        if !self.has(Hook::OnTurnStart.interface()) {
            return Ok(None);
        }
        let start = TurnStart { caller: caller.clone(), number, message: self.cleaner.text(message) };
        Ok(Some(Self::hint(Hook::OnTurnStart, caller.origin.session.clone(), encode(&start))))
    }

    /// What helps in time, and is told without a word of it.
    pub(super) fn hint(hook: Hook, session: String, payload: String) -> Delivery {
        Delivery {
            key: String::new(),
            lanes: vec![session],
            kind: hook.name().to_owned(),
            payload,
            what: hook.name().to_owned(),
            care: Care::Hint,
            turn: None,
        }
    }

    fn delivery(
        &self,
        hook: Hook,
        caller: &Caller,
        key: &str,
        what: String,
        record: &impl serde::Serialize,
    ) -> Result<Option<Delivery>, ExternalError> {
        if hook.writes() {
            may_write(&self.provider, caller, hook.name())?;
        }
        if !self.has(hook.interface()) {
            return Ok(None);
        }
        Ok(Some(Delivery {
            key: key.to_owned(),
            lanes: vec![caller.origin.session.clone()],
            kind: hook.name().to_owned(),
            payload: encode(record),
            what,
            care: Care::MustArrive,
            turn: None,
        }))
    }
}

impl Deliver for External {
    fn deliver(&self, delivery: &Delivery) -> Result<(), DeliveryError> {
        let never = |message: String| DeliveryError { message, retry: Retry::Never };
        let hook = Hook::from_name(&delivery.kind);
        let hook = hook.ok_or_else(|| never(format!("this hermes knows no hook `{}`", delivery.kind)))?;
        // It was written for another version of the provider, or before anybody knew what it does.
        if !self.has(hook.interface()) {
            return Ok(());
        }
        if hook.writes() {
            // Checked here once more: a stored row says whatever it says.
            let Row { caller } = serde_json::from_str(&delivery.payload).map_err(|error| never(error.to_string()))?;
            may_write(self.id(), &caller, hook.name()).map_err(|error| never(error.to_string()))?;
        }
        self.hooks.call(hook, delivery.payload.as_bytes(), None).map(drop).map_err(|error| DeliveryError {
            retry: retry(hook, &error),
            message: self.outgoing.cleaner.0.redact(&error.to_string()).into_owned(),
        })
    }

    fn limit(&self, kind: &str) -> Duration {
        Hook::from_name(kind).map_or(Duration::ZERO, |hook| self.hooks.limit(hook))
    }
}

/// What every payload has.
#[derive(Deserialize)]
struct Row {
    caller: Caller,
}

/// Whose fault it is: the delivery's, nobody's, or everything's.
fn retry(hook: Hook, error: &CallError) -> Retry {
    let error = match error {
        CallError::Failed { error, .. } => error,
        CallError::Paused { entirely: true, until, .. } => return Retry::Until(*until),
        CallError::Paused { until, .. } => return Retry::NotBefore(*until),
        CallError::Cut { .. } => return Retry::Down,
        CallError::Unloadable { .. } => return Retry::Hold(None),
        CallError::Timeout { .. } | CallError::Crashed { .. } | CallError::BadReply { .. } => return Retry::Counted,
    };
    let asked = error.retry_after.map(Duration::from_secs);
    match error.kind {
        // Key, plan, quota or address are wrong for whatever is sent.
        ErrorKind::Unauthorized | ErrorKind::Quota | ErrorKind::Denied | ErrorKind::RateLimited => Retry::Hold(asked),
        // Only a mirrored write names something that may be gone; for the others it is the address that is wrong.
        ErrorKind::NotFound if hook != Hook::OnMemoryWrite => Retry::Hold(asked),
        ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::Unsupported => Retry::Never,
        _ if asked.is_some() => Retry::Hold(asked),
        ErrorKind::Unavailable
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::Storage
        | ErrorKind::Poisoned => Retry::Down,
        _ => Retry::Counted,
    }
}
