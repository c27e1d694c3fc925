//! How the command line is told to people and shells: examples, completions, manual pages.

pub(crate) mod completions;
pub(crate) mod examples;
pub(crate) mod manual;
pub(crate) mod negative_numbers;
