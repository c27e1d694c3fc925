//! The command line as real processes on files of a test's own, with servers on the loopback.
#![forbid(unsafe_code)]

mod explain;
mod formats;
mod functions;
mod harness;
#[cfg(unix)]
mod interrupted;
mod listed;
mod memory_limit;
mod messages;
mod nesting;
mod not_finite;
mod outputs;
mod overwriting;
mod partitions;
mod score;
mod statements;
mod stores;
