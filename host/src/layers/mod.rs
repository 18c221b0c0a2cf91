//! The layers of memory, one folder each.

pub mod curated;
pub mod external;
pub mod episodic;
