//! The description of an input.

use std::fmt;

use crate::error::Input;

/// The description of an input: what the library, the command line, studies and Python need to read it, to check it and to
/// document it.
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
    /// The kind of its elements.
    pub element: Element,
    /// Its axes by name: `["n_test", "n_train"]`.
    pub axes: &'static [&'static str],
    /// What it is, in a sentence without its full stop.
    pub help: &'static str,
    /// Whether each explainer of a comparison has its own; otherwise one array describes the data of all.
    pub per_explainer: bool,
    /// The input that it replaces, where it may be given instead of one that a metric needs.
    pub instead_of: Option<Input>,
    /// An input that has to be given with it.
    pub requires: Option<Input>,
}

/// The kind of the elements of an [input](InputSpec).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Finite numbers.
    Number,
    /// Class labels: integers here, labels of any type in Python.
    Class,
    /// Integers, such as positions and numbers of rows.
    Integer,
    /// Truth values, or 0 and 1.
    Boolean,
    /// Subsets of rows: truth values, or the positions of the members.
    Subset,
}

impl InputSpec {
    /// An input that is the same for all explainers, and stands for itself.
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

    /// Each explainer of a comparison has its own.
    #[must_use]
    pub const fn per_explainer(mut self) -> Self {
        self.per_explainer = true;
        self
    }

    /// It may be given instead of another input, together with a third one.
    #[must_use]
    pub const fn instead_of(mut self, other: Input, requires: Input) -> Self {
        self.instead_of = Some(other);
        self.requires = Some(requires);
        self
    }

    /// Its axes as NumPy writes a shape: `(n_test, n_train)`.
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
