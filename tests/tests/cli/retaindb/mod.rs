//! RetainDB through the real command line, in a worker, against a server that stores what it is sent.

mod outages;
mod scene;
mod setup;
mod story;
