//! The command line as real processes on files of a test's own, and clusters on the loopback.
#![forbid(unsafe_code)]

mod addresses;
mod attacks;
#[cfg(unix)]
mod cancelled;
mod cluster;
mod explain;
#[cfg(unix)]
mod faults;
mod flight;
mod formats;
mod functions;
mod harness;
#[cfg(unix)]
mod interrupted;
mod listed;
mod messages;
mod monitoring;
mod nesting;
mod not_finite;
mod outputs;
mod overwriting;
mod score;
mod statements;
mod stores;
mod tls;
#[cfg(unix)]
mod work_dir;
