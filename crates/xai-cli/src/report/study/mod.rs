//! Reading of study files.
//!
//! A section is a command line in TOML: its keys are the options of the section's commands (`batch_size` for
//! `--batch-size`). A study therefore has all parameters of the commands and checks them in the same way, and the
//! report can show the commands that compute the same figures.

pub(crate) mod arguments;
pub(crate) mod document;
pub(crate) mod keys;
pub(crate) mod prepare;
mod settings;
pub(crate) mod shell;
pub(crate) mod usage;
