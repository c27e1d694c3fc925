//! `xai` on files, as a user runs it.
//!
//! Behaviour is the exit code, the file or the option that an error names, and the JSON. Texts of
//! messages are the matter of `messages` alone: rewording one breaks nothing else.

mod arrays;
mod attribution;
mod casebased;
mod data_attribution;
mod errors;
mod examples;
mod explainers;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod files;
mod golden;
mod graph;
mod harness;
mod labels;
mod messages;
mod models;
mod networks;
#[cfg(unix)]
mod outputs;
mod places;
mod privacy;
mod reliability;
mod report;
mod repro;
mod studies;
mod tables;
#[cfg(unix)]
mod terminal;
mod texts;
