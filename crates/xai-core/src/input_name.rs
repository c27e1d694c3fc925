//! Names of inputs in errors.

use std::fmt;

/// Input of a metric: an array, a parameter, a model or a file with a known role.
///
/// Every crate defines its inputs as constants in a module `input`. Code that handles errors
/// compares with these constants; the name is for messages only.
///
/// ```
/// use xai_core::{Error, Input, input};
/// pub const MASK: Input = Input::new("mask");
/// let error = Error::empty(MASK);
/// assert_eq!(error.input(), MASK);
/// assert_ne!(error.input(), input::LABELS);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Input(&'static str);

impl Input {
    /// Creates an input with the name used in messages. Inputs with equal names are equal.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({:?})", self.0)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Input {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}
