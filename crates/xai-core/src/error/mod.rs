//! The one error type of the workspace.
//!
//! What a program may act on is data: the [kind](ErrorKind), which the documentation of a function
//! names, the [`Input`] it is about, the index, the [`Help`]. The text is for people and may change.

mod help;

use std::borrow::Cow;
use std::fmt;

pub use crate::input::Input;
pub use help::Help;

/// Names a value in an error message; free of allocation where the name is fixed.
pub type Name = Cow<'static, str>;

/// Shorthand for results with the workspace's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can be wrong with the data, the parameters or the model a caller hands in.
///
/// A statistic that is mathematically undefined for valid data (kappa of two constant vectors, an
/// empty error union) is *not* an error: it is `None` in the result and counted there.
///
/// ```
/// use xai_core::{Error, ErrorKind, input};
/// let error = Error::shape(input::LABELS, &[3], &[4]);
/// assert_eq!(error.input(), input::LABELS);
/// assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [4]));
/// assert_eq!(error.to_string(), "labels: expected shape (3), got (4)");
/// ```
pub struct Error(Box<Detail>);

/// For an array whose axes are in the opposite order.
pub const LOOKS_TRANSPOSED: Help = Help::new("it looks transposed: save or pass array.T");

/// Boxed, so that a `Result` is no larger than what it holds when all is well.
#[derive(Debug)]
struct Detail {
    kind: ErrorKind,
    input: Input,
    /// What of the input: its columns, one of its scores.
    part: Option<Name>,
    /// Whose input, where there are several of one role.
    owner: Option<Name>,
    /// Where in the input, one number per axis.
    index: Vec<usize>,
    help: Option<Help>,
}

/// What is wrong with an input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Arrays that should agree in shape or length do not.
    #[error("expected shape {expected}, got {}", ShapeText(.actual))]
    ShapeMismatch {
        /// The shape that was expected, as text: `(3, 4)`, `(n) or (n, c)`.
        expected: Name,
        /// The shape that was given.
        actual: Vec<usize>,
    },
    /// There is nothing to measure: no samples, no features, `k = 0`.
    #[error("nothing to measure, at least one is needed")]
    Empty,
    /// There are some, but not enough: fewer than two runs.
    #[error("at least {needed} needed, got {actual}")]
    TooFew {
        /// The least number that works.
        needed: usize,
        /// The number that was given.
        actual: usize,
    },
    /// A NaN or an infinity in an input that must be finite.
    #[error("not a finite number")]
    NonFinite,
    /// A finite value of an input array outside the domain of the formula.
    #[error("expected {expected}")]
    OutOfDomain {
        /// The offending value.
        value: f64,
        /// The domain.
        expected: Name,
    },
    /// A value outside the domain of the formula that must not be shown: it is in a redacted column.
    #[error("expected {expected}, got a redacted value")]
    RedactedValue {
        /// The domain.
        expected: Name,
    },
    /// A parameter outside its domain.
    #[error("expected {expected}")]
    InvalidParameter {
        /// Its value, as text.
        value: String,
        /// Its domain.
        expected: Name,
    },
    /// A label outside `0..n_classes` where that matters.
    #[error("expected a class of {}", crate::text::index_range(*.n_classes))]
    LabelOutOfRange {
        /// The label.
        label: i64,
        /// The number of classes.
        n_classes: usize,
    },
    /// A score that the formula cannot divide by.
    #[error("{why}")]
    UndefinedScore {
        /// The score.
        value: f64,
        /// Why the formula is undefined there.
        why: Name,
    },
    /// The caller's model failed.
    #[error("failed on {call}: {source}")]
    Model {
        /// What it was called on, for instance `batch 2 (samples 128 to 191)`.
        call: Name,
        /// The model's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Reading or writing failed.
    #[error("{source}")]
    Io {
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// Stored bytes that are damaged, foreign, or of a version this build does not know.
    #[error("{why}")]
    Corrupt {
        /// What is wrong with them.
        why: Name,
    },
    /// A release that the caller's own privacy settings forbid.
    #[error("refused, {why}")]
    Refused {
        /// Why it is refused.
        why: Name,
    },
}

/// Making errors.
impl Error {
    /// An error of any kind about an input.
    #[must_use]
    pub fn new(input: Input, kind: ErrorKind) -> Self {
        Self(Box::new(Detail {
            kind,
            input,
            part: None,
            owner: None,
            index: Vec::new(),
            help: None,
        }))
    }

    /// An [`ErrorKind::ShapeMismatch`] between two exact shapes; one between a shape and its reverse says that the array looks
    /// transposed.
    #[must_use]
    pub fn shape(input: Input, expected: &[usize], actual: &[usize]) -> Self {
        let error = Self::shape_described(input, ShapeText(expected).to_string(), actual);
        let is_transposed = expected != actual && expected.iter().eq(actual.iter().rev());
        if is_transposed {
            error.with_help(LOOKS_TRANSPOSED)
        } else {
            error
        }
    }

    /// An [`ErrorKind::ShapeMismatch`] whose expectation is words: `(n) or (n, c)`.
    #[must_use]
    pub fn shape_described(input: Input, expected: impl Into<Name>, actual: &[usize]) -> Self {
        let (expected, actual) = (expected.into(), actual.to_vec());
        Self::new(input, ErrorKind::ShapeMismatch { expected, actual })
    }

    /// An [`ErrorKind::Empty`].
    #[must_use]
    pub fn empty(input: Input) -> Self {
        Self::new(input, ErrorKind::Empty)
    }

    /// An [`ErrorKind::TooFew`].
    #[must_use]
    pub fn too_few(input: Input, needed: usize, actual: usize) -> Self {
        Self::new(input, ErrorKind::TooFew { needed, actual })
    }

    /// An [`ErrorKind::NonFinite`] at an index, one number per axis.
    #[must_use]
    pub fn non_finite(input: Input, index: &[usize]) -> Self {
        Self::new(input, ErrorKind::NonFinite).at(index)
    }

    /// An [`ErrorKind::OutOfDomain`] at an index, one number per axis.
    #[must_use]
    pub fn out_of_domain(
        input: Input,
        index: &[usize],
        value: f64,
        expected: impl Into<Name>,
    ) -> Self {
        let expected = expected.into();
        Self::new(input, ErrorKind::OutOfDomain { value, expected }).at(index)
    }

    /// An [`ErrorKind::InvalidParameter`].
    #[must_use]
    pub fn parameter(input: Input, value: impl fmt::Display, expected: impl Into<Name>) -> Self {
        let (value, expected) = (readable(value.to_string()), expected.into());
        Self::new(input, ErrorKind::InvalidParameter { value, expected })
    }

    /// An [`ErrorKind::LabelOutOfRange`] of the label at a position.
    #[must_use]
    pub fn label_out_of_range(input: Input, index: usize, label: i64, n_classes: usize) -> Self {
        Self::new(input, ErrorKind::LabelOutOfRange { label, n_classes }).at(&[index])
    }

    /// An [`ErrorKind::UndefinedScore`] of a sample.
    #[must_use]
    pub fn undefined_score(input: Input, sample: usize, value: f64, why: impl Into<Name>) -> Self {
        let why = why.into();
        Self::new(input, ErrorKind::UndefinedScore { value, why }).at(&[sample])
    }

    /// An [`ErrorKind::Model`] around the caller's own error, about
    /// [`input::MODEL`](crate::input::MODEL).
    #[must_use]
    pub fn model(
        call: impl Into<Name>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let (call, source) = (call.into(), source.into());
        Self::new(crate::input::MODEL, ErrorKind::Model { call, source })
    }

    /// An [`ErrorKind::Io`].
    #[must_use]
    pub fn io(input: Input, source: std::io::Error) -> Self {
        Self::new(input, ErrorKind::Io { source })
    }

    /// An [`ErrorKind::Corrupt`].
    #[must_use]
    pub fn corrupt(input: Input, why: impl Into<Name>) -> Self {
        Self::new(input, ErrorKind::Corrupt { why: why.into() })
    }

    /// An [`ErrorKind::Refused`].
    #[must_use]
    pub fn refused(input: Input, why: impl Into<Name>) -> Self {
        Self::new(input, ErrorKind::Refused { why: why.into() })
    }
}

/// Saying more about an error on its way to the caller.
impl Error {
    /// Says where in the input.
    #[must_use]
    pub fn at(mut self, index: &[usize]) -> Self {
        self.0.index = index.to_vec();
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn with_help(mut self, help: Help) -> Self {
        self.0.help = Some(help);
        self
    }

    /// Says what of the input: the *columns* of outputs.
    #[must_use]
    pub fn part(mut self, part: impl Into<Name>) -> Self {
        self.0.part = Some(part.into());
        self
    }

    /// Says whose input, where several have the same role: explanations of *saliency*.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<Name>) -> Self {
        self.0.owner = Some(owner.into());
        self
    }

    /// Says that it is about another input, whatever it was about.
    #[must_use]
    pub fn about(mut self, input: Input) -> Self {
        self.0.input = input;
        self
    }

    /// Says that it is about `to` if it was about `from`.
    #[must_use]
    pub fn renamed(self, from: Input, to: Input) -> Self {
        if self.input() == from {
            self.about(to)
        } else {
            self
        }
    }

    /// Leaves out the value that an [`ErrorKind::OutOfDomain`] shows; other kinds show no value of the
    /// data.
    ///
    /// ```
    /// use xai_core::{Error, input};
    /// let error = Error::out_of_domain(input::ROWS, &[2, 0], 1e301, "a value up to 1e300");
    /// assert!(!error.without_value().to_string().contains("1e301"));
    /// ```
    #[must_use]
    pub fn without_value(mut self) -> Self {
        if let ErrorKind::OutOfDomain { expected, .. } = self.0.kind {
            self.0.kind = ErrorKind::RedactedValue { expected };
        }
        self
    }

    /// Moves the index along an axis: a row of a batch becomes a row of the data.
    #[must_use]
    pub fn shifted(mut self, axis: usize, by: usize) -> Self {
        if let Some(index) = self.0.index.get_mut(axis) {
            *index += by;
        }
        self
    }
}

/// Reading an error.
impl Error {
    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What is wrong, taken out.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// The input that it is about.
    #[must_use]
    pub fn input(&self) -> Input {
        self.0.input
    }

    /// What of the input, where it is not the whole: `columns`.
    #[must_use]
    pub fn part_name(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// Whose input, where several have the same role.
    #[must_use]
    pub fn owner_name(&self) -> Option<&str> {
        self.0.owner.as_deref()
    }

    /// Where in the input, one number per axis; empty where it is about the whole.
    #[must_use]
    pub fn index(&self) -> &[usize] {
        &self.0.index
    }

    /// The way out, where there is one.
    #[must_use]
    pub fn help(&self) -> Option<Help> {
        self.0.help
    }

    /// The message without the way out.
    #[must_use]
    pub fn problem(&self) -> impl fmt::Display + '_ {
        Problem(self)
    }
}

struct Problem<'a>(&'a Error);

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = &self.0.0;
        if let Some(part) = &detail.part {
            write!(f, "{part} of ")?;
        }
        write!(f, "{}", detail.input)?;
        if let Some(owner) = &detail.owner {
            write!(f, " of {owner}")?;
        }
        if let [first, rest @ ..] = &detail.index[..] {
            write!(f, "[{first}")?;
            for axis in rest {
                write!(f, ", {axis}")?;
            }
            write!(f, "]")?;
        }
        match &detail.kind {
            ErrorKind::OutOfDomain { value, .. } | ErrorKind::UndefinedScore { value, .. } => {
                write!(f, " = {}", ShortNumber(*value))?;
            }
            ErrorKind::InvalidParameter { value, .. } => write!(f, " = {value}")?,
            ErrorKind::LabelOutOfRange { label, .. } => write!(f, " = {label}")?,
            _ => {}
        }
        write!(f, ": {}", detail.kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem())?;
        match self.0.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.kind)
    }
}

/// A shape as text: `(3, 4)`.
struct ShapeText<'a>(&'a [usize]);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.0.iter().map(usize::to_string).collect();
        write!(f, "({})", axes.join(", "))
    }
}

/// A number of a length that a person can read: 1e300 written out has 301 digits.
///
/// ```
/// use xai_core::error::ShortNumber;
/// assert_eq!(format!("{} {}", ShortNumber(0.25), ShortNumber(-1e300)), "0.25 -1e300");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShortNumber(pub f64);

impl fmt::Display for ShortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// The text of a parameter; a number that is written out in more digits than a person can read is
/// shortened. Integers are exact up to that length.
fn readable(text: String) -> String {
    const LONGEST: usize = 24;
    match text.parse::<f64>() {
        Ok(number) if text.len() > LONGEST => ShortNumber(number).to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;

    #[test]
    fn every_message_names_the_thing_the_place_and_the_expectation() {
        let says = |error: Error, text: &str| assert_eq!(error.to_string(), text);
        says(
            Error::shape(input::EXPLANATIONS, &[2, 3], &[2, 4]),
            "explanations: expected shape (2, 3), got (2, 4)",
        );
        says(
            Error::empty(input::SAMPLES),
            "samples: nothing to measure, at least one is needed",
        );
        says(
            Error::too_few(input::UNITS, 2, 1),
            "units: at least 2 needed, got 1",
        );
        says(
            Error::non_finite(input::INPUTS, &[3, 1]),
            "inputs[3, 1]: not a finite number",
        );
        says(
            Error::out_of_domain(input::VALUES, &[2], -0.5, "a distance, at least 0"),
            "values[2] = -0.5: expected a distance, at least 0",
        );
        says(
            Error::out_of_domain(input::VALUES, &[0], -1e300, "a value up to 1e200"),
            "values[0] = -1e300: expected a value up to 1e200",
        );
        says(
            Error::out_of_domain(input::VALUES, &[0, 1], -1e300, "at most 2").without_value(),
            "values[0, 1]: expected at most 2, got a redacted value",
        );
        says(
            Error::parameter(input::P, 0, "at least 1"),
            "p = 0: expected at least 1",
        );
        says(
            Error::parameter(input::P, -1e300, "at least 1"),
            "p = -1e300: expected at least 1",
        );
        says(
            Error::label_out_of_range(input::LABELS, 7, 12, 10),
            "labels[7] = 12: expected a class of 0 to 9",
        );
        says(
            Error::undefined_score(input::SCORES, 3, -0.41, "must be positive"),
            "scores[3] = -0.41: must be positive",
        );
        says(
            Error::model("batch 0 (samples 0 to 3)", "no such operator"),
            "model: failed on batch 0 (samples 0 to 3): no such operator",
        );
        says(
            Error::empty(input::OUTPUTS).part("columns").owner("run 2"),
            "columns of outputs of run 2: nothing to measure, at least one is needed",
        );
        says(
            Error::non_finite(input::SCORES, &[]).with_help(Help::new("leave it out")),
            "scores: not a finite number; leave it out",
        );
    }

    #[test]
    fn the_way_out_is_apart_from_the_problem() {
        let help = Help::new("choose another");
        let error = Error::parameter(input::P, 0, "at least 1").with_help(help);
        assert_eq!(error.help(), Some(help));
        assert_eq!(error.problem().to_string(), "p = 0: expected at least 1");
    }

    #[test]
    fn a_row_of_a_batch_becomes_a_row_of_the_data() {
        let error = Error::non_finite(input::INPUTS, &[3, 1]).shifted(0, 64);
        assert_eq!(error.index(), [67, 1]);
        assert_eq!(error.shifted(5, 1).index(), [67, 1]);
    }

    #[test]
    fn an_input_is_renamed_where_it_is_the_one_meant() {
        let renamed = |input| Error::empty(input).renamed(input::A, input::SAMPLES);
        assert_eq!(renamed(input::A).input(), input::SAMPLES);
        assert_eq!(renamed(input::B).input(), input::B);
    }

    #[test]
    fn the_models_own_error_is_kept_as_source() {
        let error = Error::model("batch 0", std::fmt::Error);
        let source = std::error::Error::source(&error).expect("a source");
        assert!(source.downcast_ref::<std::fmt::Error>().is_some());
    }
}
