//! Descriptions of inputs.

use std::fmt;

use crate::error::Input;

/// The description of an input, from which the library, the command line, studies and Python read, check and document it.
///
/// ```
/// use xai_core::describe::{Element, InputSpec};
/// use xai_core::input;
/// const LABELS: InputSpec =
///     InputSpec::new(input::LABELS, Element::Class, &["n_train"], "Classes of the training rows");
/// assert_eq!(LABELS.to_string(), "Classes of the training rows: integers (n_train,)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputSpec {
    /// The input, with the name that all front ends use.
    pub input: Input,
    /// Kind of the elements.
    pub element: Element,
    /// Names of the axes: `["n_test", "n_train"]`.
    pub axes: &'static [&'static str],
    /// Description of the input: one sentence without its full stop.
    pub help: &'static str,
    /// Whether each explainer of a comparison has its own array; otherwise all share one.
    pub per_explainer: bool,
    /// The needed input that this one can replace.
    pub instead_of: Option<Input>,
    /// Another input that this one requires.
    pub requires: Option<Input>,
}

/// Kind of the elements of an [input](InputSpec).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Finite numbers.
    Number,
    /// Class labels: integers in Rust, labels of any type in Python.
    Class,
    /// Integers, such as positions or counts.
    Integer,
    /// Booleans, or 0 and 1.
    Boolean,
    /// Subsets of rows, as booleans or as positions of the members.
    Subset,
}

impl InputSpec {
    /// Creates the description of an input that all explainers share.
    #[must_use]
    pub const fn new(
        input: Input,
        element: Element,
        axes: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self {
            input,
            element,
            axes,
            help,
            per_explainer: false,
            instead_of: None,
            requires: None,
        }
    }

    /// Sets that each explainer of a comparison has its own array.
    #[must_use]
    pub const fn per_explainer(mut self) -> Self {
        self.per_explainer = true;
        self
    }

    /// Sets the input that this one can replace, together with `requires`.
    #[must_use]
    pub const fn instead_of(mut self, other: Input, requires: Input) -> Self {
        self.instead_of = Some(other);
        self.requires = Some(requires);
        self
    }

    /// Axes in the notation of NumPy shapes: `(n_test, n_train)`.
    #[must_use]
    pub fn shape(&self) -> String {
        match self.axes {
            [axis] => format!("({axis},)"),
            axes => format!("({})", axes.join(", ")),
        }
    }
}

impl fmt::Display for InputSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.help, self.element, self.shape())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Number => "numbers",
            Self::Class | Self::Integer => "integers",
            Self::Boolean => "booleans",
            Self::Subset => "booleans or positions of the members",
        })
    }
}
