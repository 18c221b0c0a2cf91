//! What is written together.

use std::sync::Arc;

use super::{Beside, Care, Delivery, TurnMark};

/// One thing to write. Cheap to clone but for its payload.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Delivery(Delivery),
    Beside(Arc<Beside>),
}

impl Entry {
    pub(super) fn what(&self) -> &str {
        match self {
            Self::Delivery(delivery) => &delivery.what,
            Self::Beside(beside) => &beside.what,
        }
    }

    /// How much memory it takes, bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Delivery(delivery) => delivery.payload.len(),
            Self::Beside(beside) => beside.bytes,
        }
    }

    pub(super) fn turn(&self) -> Option<&TurnMark> {
        match self {
            Self::Delivery(delivery) => delivery.turn.as_ref(),
            Self::Beside(beside) => beside.turn.as_ref(),
        }
    }

    /// It goes to nobody.
    pub(super) fn is_own(&self) -> bool {
        matches!(self, Self::Beside(_))
    }

    /// The delivery, if it is one that is only a hint; else itself.
    pub(super) fn hint(self) -> Result<Delivery, Self> {
        match self {
            Self::Delivery(delivery) if delivery.care == Care::Hint => Ok(delivery),
            entry => Err(entry),
        }
    }
}
