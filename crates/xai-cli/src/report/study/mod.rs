//! The study file: which sections it has, and what each asks for.
//!
//! A section is a command line in TOML: its keys are the options of the family's command (`batch_size` for
//! `--batch-size`), so that a study has every parameter that the commands have, checks them as they do, and
//! can say the command that gives the same numbers.

pub(crate) mod arguments;
pub(crate) mod document;
pub(crate) mod keys;
pub(crate) mod prepare;
mod settings;
pub(crate) mod shell;
pub(crate) mod usage;
