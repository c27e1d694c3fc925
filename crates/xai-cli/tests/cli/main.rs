//! Tests that run `xai` on files.
//!
//! They check the exit code, the file or the option that an error names, and the JSON. Only `messages` and
//! `message_list` check the text of messages, so that rewording a message breaks no other tests.

mod arrays;
mod attribution;
mod casebased;
mod counterfactual;
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
#[cfg(unix)]
mod message_list;
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
