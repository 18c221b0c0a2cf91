//! The archive of what was said: every session with all its messages, in `hermes.db`, and the search over them.
