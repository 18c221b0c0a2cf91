//! The layers of memory, one folder each.

pub mod curated;
pub mod episodic;
pub mod external;
