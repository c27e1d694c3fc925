//! Descriptions of inputs.

use std::fmt;

use crate::error::Input;

/// Description of an input. The library, the command line, studies and Python use it to read, check and document the
/// input.
///
/// ```
/// use xai_core::describe::{Element, InputSpec};
/// use xai_core::input;
/// const LABELS: InputSpec =
///     InputSpec::new(input::LABELS, Element::Class, &["n_train"], "Classes of the training rows");
/// assert_eq!(LABELS.to_string(), "Classes of the training rows: integers (n_train,)");
/// const MASKS: InputSpec = InputSpec::new(input::VALUES, Element::Boolean, &["n", "height", "width"], "The object")
///     .or(&[&["n", "features"]]);
/// assert_eq!(MASKS.to_string(), "The object: booleans (n, height, width) or (n, features)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputSpec {
    /// The input, with the name that all front ends use.
    pub input: Input,
    /// Kind of the elements.
    pub element: Element,
    /// Names of the axes, for example `["n_test", "n_train"]`.
    pub axes: &'static [&'static str],
    /// Axes of the other shapes that the input may have, for example `["height", "width"]` for one array that all
    /// samples share.
    pub other_axes: &'static [&'static [&'static str]],
    /// Description of the input: one sentence without its full stop.
    pub help: &'static str,
    /// Whether each explainer of a comparison has its own array; otherwise all share one.
    pub per_explainer: bool,
    /// Input that need not be given if this one is.
    pub instead_of: Option<Input>,
    /// Another input that must be given together with this one.
    pub requires: Option<Input>,
    /// Name of the option on the command line, if it is not the name of the input. Inputs may share an option if no
    /// metric takes two of them.
    pub option: Option<&'static str>,
    /// Parameter value that makes the input required, for example `segments`: a metric with `features = segments` needs
    /// segments.
    pub required_when: Option<&'static str>,
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
    /// Booleans, or numbers from 0 to 1.
    Share,
    /// Class indices, or rows with a weight for each output.
    Target,
    /// A model, which is stored as an ONNX file.
    Model,
    /// A function, which no file stores.
    Function,
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
            other_axes: &[],
            help,
            per_explainer: false,
            instead_of: None,
            requires: None,
            option: None,
            required_when: None,
        }
    }

    /// Creates the description of a model or a function, which has no axes.
    #[must_use]
    pub const fn model(input: Input, element: Element, help: &'static str) -> Self {
        Self::new(input, element, &[], help)
    }

    /// Sets other shapes that the input may have.
    #[must_use]
    pub const fn or(mut self, other_axes: &'static [&'static [&'static str]]) -> Self {
        self.other_axes = other_axes;
        self
    }

    /// Sets the name of the option on the command line.
    #[must_use]
    pub const fn option(mut self, name: &'static str) -> Self {
        self.option = Some(name);
        self
    }

    /// Sets the parameter value that makes the input required.
    #[must_use]
    pub const fn required_when(mut self, word: &'static str) -> Self {
        self.required_when = Some(word);
        self
    }

    /// Sets that each explainer of a comparison has its own array.
    #[must_use]
    pub const fn per_explainer(mut self) -> Self {
        self.per_explainer = true;
        self
    }

    /// Sets the input that this one can replace if the input `requires` is given as well.
    #[must_use]
    pub const fn instead_of(mut self, other: Input, requires: Input) -> Self {
        self.instead_of = Some(other);
        self.requires = Some(requires);
        self
    }

    /// Name of the option and of the key in studies, in snake case.
    #[must_use]
    pub fn option_key(&self) -> String {
        self.option.unwrap_or(self.input.name()).replace(' ', "_")
    }

    /// Whether a file can store the input.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.element != Element::Function
    }

    /// Shapes in the notation of NumPy: `(n_test, n_train)`, `(n, height, width) or (height, width)`.
    #[must_use]
    pub fn shape(&self) -> String {
        let mut shapes = numpy_shape(self.axes);
        for (i, axes) in self.other_axes.iter().enumerate() {
            let is_last = i + 1 == self.other_axes.len();
            shapes += if is_last { " or " } else { ", " };
            shapes += &numpy_shape(axes);
        }
        shapes
    }
}

fn numpy_shape(axes: &[&str]) -> String {
    match axes {
        [axis] => format!("({axis},)"),
        axes => format!("({})", axes.join(", ")),
    }
}

impl fmt::Display for InputSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.help)?;
        match self.element {
            Element::Model | Element::Function => Ok(()),
            element => write!(f, ": {element} {}", self.shape()),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Number => "numbers",
            Self::Class | Self::Integer => "integers",
            Self::Boolean => "booleans",
            Self::Subset => "booleans or positions of the members",
            Self::Share => "booleans or numbers from 0 to 1",
            Self::Target => "class indices or rows of weights",
            Self::Model => "an ONNX model",
            Self::Function => "a function",
        })
    }
}
