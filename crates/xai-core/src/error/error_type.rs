//! The error and its kinds.

use std::borrow::Cow;
use std::fmt;

use crate::error::help::Help;
use crate::input_name::Input;

/// Part of an error message, without allocation if it is constant.
pub type Name = Cow<'static, str>;

/// Result with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error in the data, the parameters or the model that a caller passes.
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

/// Advice for an array whose axes are in reverse order.
pub const LOOKS_TRANSPOSED: Help = Help::new("it looks transposed: save or pass array.T");

/// Contents of an error. They are boxed to keep every `Result` small.
#[derive(Debug)]
struct Detail {
    kind: ErrorKind,
    input: Input,
    /// Part of the input: its columns, one of its scores.
    part: Option<Name>,
    /// Owner of the input, if several inputs have the same role: an explainer, a run.
    owner: Option<Name>,
    /// Position in the input, one index per axis; empty if the error is about the whole input.
    index: Vec<usize>,
    help: Option<Help>,
}

/// Kind of an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes or lengths of arrays do not agree.
    #[error("expected shape {expected}, got {}", ShapeText(.actual))]
    ShapeMismatch {
        /// Expected shape as text: `(3, 4)`, `(n) or (n, c)`.
        expected: Name,
        /// Actual shape.
        actual: Vec<usize>,
    },
    /// An input that is needed is not given.
    #[error("needed, but not given")]
    Missing,
    /// There is nothing to measure: no samples, no features, `k = 0`.
    #[error("empty, expected at least one")]
    Empty,
    /// There are fewer elements than needed, for example fewer than two runs.
    #[error("at least {needed} needed, got {actual}")]
    TooFew {
        /// Smallest sufficient number.
        needed: usize,
        /// Actual number.
        actual: usize,
    },
    /// A NaN or an infinity in an input that must be finite.
    #[error("not a finite number")]
    NonFinite,
    /// A finite element of an array is outside the domain of the formula.
    #[error("expected {expected}")]
    OutOfDomain {
        /// The invalid value.
        value: f64,
        /// Domain as text.
        expected: Name,
    },
    /// A value outside the domain of the formula that must not be shown, because its column is
    /// redacted.
    #[error("expected {expected}, got a redacted value")]
    RedactedValue {
        /// Domain as text.
        expected: Name,
    },
    /// A parameter is outside its domain.
    #[error("expected {expected}")]
    InvalidParameter {
        /// Value as text.
        value: String,
        /// Domain as text.
        expected: Name,
    },
    /// A label is not a class index in `0..n_classes`.
    #[error("expected a class of {}", crate::text::index_range(*.n_classes))]
    LabelOutOfRange {
        /// The invalid label.
        label: i64,
        /// Number of classes.
        n_classes: usize,
    },
    /// The formula is undefined for the score of a sample, for example because it divides by it.
    #[error("{why}")]
    UndefinedScore {
        /// The score.
        value: f64,
        /// Reason why the formula is undefined.
        why: Name,
    },
    /// The caller's model failed.
    #[error("failed on {call}")]
    Model {
        /// Call that failed, for example `batch 2 (samples 128 to 191)`.
        call: Name,
        /// Error of the model.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Reading or writing failed.
    #[error("reading or writing failed")]
    Io {
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Stored bytes are damaged, have another format, or a version that this build does not
    /// support.
    #[error("{why}")]
    Corrupt {
        /// Description of the problem.
        why: Name,
    },
    /// The caller's own privacy settings forbid a release of data.
    #[error("refused, {why}")]
    Refused {
        /// Reason of the refusal.
        why: Name,
    },
}

/// Constructors.
impl Error {
    /// Creates an error of any kind about an input.
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

    /// Creates an [`ErrorKind::ShapeMismatch`] between two exact shapes. If one is the reverse of
    /// the other, the help says that the array looks transposed.
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

    /// Creates an [`ErrorKind::ShapeMismatch`] with the expected shape as text: `(n) or (n, c)`.
    #[must_use]
    pub fn shape_described(input: Input, expected: impl Into<Name>, actual: &[usize]) -> Self {
        let (expected, actual) = (expected.into(), actual.to_vec());
        Self::new(input, ErrorKind::ShapeMismatch { expected, actual })
    }

    /// Creates an [`ErrorKind::Missing`].
    #[must_use]
    pub fn missing(input: Input) -> Self {
        Self::new(input, ErrorKind::Missing)
    }

    /// Creates an [`ErrorKind::Empty`].
    #[must_use]
    pub fn empty(input: Input) -> Self {
        Self::new(input, ErrorKind::Empty)
    }

    /// Creates an [`ErrorKind::TooFew`].
    #[must_use]
    pub fn too_few(input: Input, needed: usize, actual: usize) -> Self {
        Self::new(input, ErrorKind::TooFew { needed, actual })
    }

    /// Creates an [`ErrorKind::NonFinite`] at an index, one number per axis.
    #[must_use]
    pub fn non_finite(input: Input, index: &[usize]) -> Self {
        Self::new(input, ErrorKind::NonFinite).at(index)
    }

    /// Creates an [`ErrorKind::OutOfDomain`] at an index, one number per axis.
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

    /// Creates an [`ErrorKind::InvalidParameter`].
    #[must_use]
    pub fn parameter(input: Input, value: impl fmt::Display, expected: impl Into<Name>) -> Self {
        let (value, expected) = (readable(value.to_string()), expected.into());
        Self::new(input, ErrorKind::InvalidParameter { value, expected })
    }

    /// Creates an [`ErrorKind::LabelOutOfRange`] for the label at an index.
    #[must_use]
    pub fn label_out_of_range(input: Input, index: usize, label: i64, n_classes: usize) -> Self {
        Self::new(input, ErrorKind::LabelOutOfRange { label, n_classes }).at(&[index])
    }

    /// Creates an [`ErrorKind::UndefinedScore`] for a sample.
    #[must_use]
    pub fn undefined_score(input: Input, sample: usize, value: f64, why: impl Into<Name>) -> Self {
        let why = why.into();
        Self::new(input, ErrorKind::UndefinedScore { value, why }).at(&[sample])
    }

    /// Creates an [`ErrorKind::Model`] from the caller's own error, about
    /// [`input::MODEL`](crate::input::MODEL).
    #[must_use]
    pub fn model(
        call: impl Into<Name>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let (call, source) = (call.into(), source.into());
        Self::new(crate::input::MODEL, ErrorKind::Model { call, source })
    }

    /// Creates an [`ErrorKind::Io`].
    #[must_use]
    pub fn io(input: Input, source: std::io::Error) -> Self {
        Self::new(input, ErrorKind::Io { source })
    }

    /// Creates an [`ErrorKind::Corrupt`].
    #[must_use]
    pub fn corrupt(input: Input, why: impl Into<Name>) -> Self {
        Self::new(input, ErrorKind::Corrupt { why: why.into() })
    }

    /// Creates an [`ErrorKind::Refused`].
    #[must_use]
    pub fn refused(input: Input, why: impl Into<Name>) -> Self {
        Self::new(input, ErrorKind::Refused { why: why.into() })
    }
}

/// Adding context to an error on its way to the caller.
impl Error {
    /// Sets the index, one number per axis.
    #[must_use]
    pub fn at(mut self, index: &[usize]) -> Self {
        self.0.index = index.to_vec();
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn with_help(mut self, help: Help) -> Self {
        self.0.help = Some(help);
        self
    }

    /// Sets the part of the input, for example the *columns* of outputs.
    #[must_use]
    pub fn part(mut self, part: impl Into<Name>) -> Self {
        self.0.part = Some(part.into());
        self
    }

    /// Sets the owner of the input, if several inputs have the same role: explanations of
    /// *saliency*.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<Name>) -> Self {
        self.0.owner = Some(owner.into());
        self
    }

    /// Replaces the input that the error is about.
    #[must_use]
    pub fn about(mut self, input: Input) -> Self {
        self.0.input = input;
        self
    }

    /// Replaces the input by `to` if the error is about `from`.
    #[must_use]
    pub fn renamed(self, from: Input, to: Input) -> Self {
        if self.input() == from {
            self.about(to)
        } else {
            self
        }
    }

    /// Removes the value from an [`ErrorKind::OutOfDomain`]. Other kinds stay as they are: the label
    /// of a [`LabelOutOfRange`](ErrorKind::LabelOutOfRange) and the score of an
    /// [`UndefinedScore`](ErrorKind::UndefinedScore) are kept.
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

    /// Adds `by` to the index along an axis, to convert a row of a batch to a row of the data.
    #[must_use]
    pub fn shifted(mut self, axis: usize, by: usize) -> Self {
        if let Some(index) = self.0.index.get_mut(axis) {
            *index += by;
        }
        self
    }
}

/// Accessors.
impl Error {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Consumes the error and returns its kind.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the input that the error is about.
    #[must_use]
    pub fn input(&self) -> Input {
        self.0.input
    }

    /// Returns the part of the input, if the error is not about the whole: `columns`.
    #[must_use]
    pub fn part_name(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// Returns the owner of the input, if several inputs have the same role.
    #[must_use]
    pub fn owner_name(&self) -> Option<&str> {
        self.0.owner.as_deref()
    }

    /// Returns the position in the input, one number per axis; empty if the error is about the
    /// whole input.
    #[must_use]
    pub fn index(&self) -> &[usize] {
        &self.0.index
    }

    /// Returns the advice, if there is any.
    #[must_use]
    pub fn help(&self) -> Option<Help> {
        self.0.help
    }

    /// Returns the message with those of its sources, and without the advice.
    ///
    /// ```
    /// use xai_core::{Error, Help};
    /// let error = Error::model("batch 2", "out of memory").with_help(Help::new("use smaller batches"));
    /// assert_eq!(error.problem(), "model: failed on batch 2: out of memory");
    /// assert_eq!(error.to_string(), "model: failed on batch 2; use smaller batches");
    /// ```
    #[must_use]
    pub fn problem(&self) -> String {
        append_sources(Message(self).to_string(), self)
    }
}

/// Formats an error and its sources on one line, separated by colons.
///
/// A source is left out if the text before it ends with its message, because errors of other crates
/// often repeat their source.
///
/// ```
/// use xai_core::{ErrorKind, error::with_sources};
/// let source = std::io::Error::other("disk full");
/// assert_eq!(with_sources(&ErrorKind::Io { source }), "reading or writing failed: disk full");
/// ```
#[must_use]
pub fn with_sources(error: &dyn std::error::Error) -> String {
    append_sources(error.to_string(), error)
}

fn append_sources(mut text: String, error: &dyn std::error::Error) -> String {
    let mut next = error.source();
    while let Some(source) = next {
        let message = source.to_string();
        if !text.ends_with(&message) {
            text += ": ";
            text += &message;
        }
        next = source.source();
    }
    text
}

/// Message without the advice and the sources.
struct Message<'a>(&'a Error);

impl fmt::Display for Message<'_> {
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
        write!(f, "{}", Message(self))?;
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

/// Formats a shape: `(3, 4)`.
struct ShapeText<'a>(&'a [usize]);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.0.iter().map(usize::to_string).collect();
        write!(f, "({})", axes.join(", "))
    }
}

/// Formats a number in a readable length: very large and very small numbers in scientific notation,
/// because 1e300 written out has 301 digits.
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

/// Shortens the text of a numeric parameter if it has more than 24 characters, so that integers up
/// to that length stay exact.
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
    fn every_message_has_input_index_and_expectation() {
        let says = |error: Error, text: &str| assert_eq!(error.to_string(), text);
        says(
            Error::shape(input::EXPLANATIONS, &[2, 3], &[2, 4]),
            "explanations: expected shape (2, 3), got (2, 4)",
        );
        says(
            Error::empty(input::SAMPLES),
            "samples: empty, expected at least one",
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
            "model: failed on batch 0 (samples 0 to 3)",
        );
        says(
            Error::empty(input::OUTPUTS).part("columns").owner("run 2"),
            "columns of outputs of run 2: empty, expected at least one",
        );
        says(
            Error::non_finite(input::SCORES, &[]).with_help(Help::new("leave it out")),
            "scores: not a finite number; leave it out",
        );
    }

    #[test]
    fn help_is_separate_from_the_problem() {
        let help = Help::new("choose another");
        let error = Error::parameter(input::P, 0, "at least 1").with_help(help);
        assert_eq!(error.help(), Some(help));
        assert_eq!(error.problem(), "p = 0: expected at least 1");
    }

    #[test]
    fn a_row_of_a_batch_becomes_a_row_of_the_data() {
        let error = Error::non_finite(input::INPUTS, &[3, 1]).shifted(0, 64);
        assert_eq!(error.index(), [67, 1]);
        assert_eq!(error.shifted(5, 1).index(), [67, 1]);
    }

    #[test]
    fn only_the_given_input_is_renamed() {
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

    #[test]
    fn each_source_is_shown_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("not loaded: {0}")]
        struct RepeatsItsSource(#[source] std::fmt::Error);
        let disk = Error::io(input::MODEL, std::io::Error::other("disk full"));
        let error = Error::model("batch 0 (samples 0 to 3)", disk);
        assert_eq!(
            error.problem(),
            "model: failed on batch 0 (samples 0 to 3): model: reading or writing failed: disk full"
        );
        let error = Error::model("batch 0", RepeatsItsSource(std::fmt::Error));
        let text = format!("model: failed on batch 0: not loaded: {}", std::fmt::Error);
        assert_eq!(error.problem(), text);
    }
}
