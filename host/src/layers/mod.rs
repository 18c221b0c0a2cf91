//! The layers of memory, one folder each.

pub mod external;
