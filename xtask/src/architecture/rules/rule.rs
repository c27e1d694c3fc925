//! What a rule is.

use crate::architecture::source::tree::Tree;

/// An invariant, and how to find what violates it.
pub(in crate::architecture) struct Rule {
    /// The invariant as a sentence.
    pub(in crate::architecture) states: &'static str,
    /// Each violation as one line that names the place.
    pub(in crate::architecture) check: fn(&Tree) -> Vec<String>,
}
