//! What a task gives back.

/// Nothing, or what it says when it fails: one line for the person, or a whole report.
pub(crate) type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
