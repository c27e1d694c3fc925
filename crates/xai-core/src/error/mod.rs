//! Error type of all crates.
//!
//! The parts of an error that a program may act on are data: its [kind](ErrorKind), which the
//! documentation of each function names, the [`Input`] that it refers to, the index, and the
//! [`Help`]. The text is for people and may change.
//!
//! The text of an error does not repeat its sources: the error of a model or of the operating system.
//! To show all, walk the chain as `anyhow` does, or print [`Error::problem`] or [`with_sources`].

pub(crate) mod error_type;
pub(crate) mod help;

pub(crate) use crate::input_name::Input;
pub(crate) use error_type::{Error, ErrorKind, Result};
pub use error_type::{LOOKS_TRANSPOSED, Name, ShortNumber, with_sources};
pub(crate) use help::Help;
