//! The external layer: one provider plugin.
