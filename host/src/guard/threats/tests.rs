//! Tests of the scan as a whole.
