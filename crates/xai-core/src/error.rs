//! The one error type of the workspace.

use std::borrow::Cow;

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
/// use xai_core::Error;
/// let error = Error::shape("labels", &[3], &[4]);
/// assert_eq!(error.to_string(), "labels: expected shape (3), got (4)");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Arrays that should agree in shape or length do not.
    #[error("{what}: expected shape {expected}, got {actual}")]
    ShapeMismatch {
        /// The array that does not fit.
        what: Name,
        /// The shape that was expected, as text: `(3, 4)`, `(n) or (n, c)`.
        expected: String,
        /// The shape that was given.
        actual: String,
    },
    /// There is nothing to measure: no samples, no features, `k = 0`.
    #[error("{what}: nothing to measure, at least one is needed")]
    Empty {
        /// What is empty.
        what: Name,
    },
    /// There are some, but not enough: fewer than two runs.
    #[error("{what}: at least {needed} needed, got {actual}")]
    TooFew {
        /// What there is too little of.
        what: Name,
        /// The least number that works.
        needed: usize,
        /// The number that was given.
        actual: usize,
    },
    /// A NaN or an infinity in an input that must be finite.
    #[error("{what}{}: not a finite number", position(.index))]
    NonFinite {
        /// The array that holds it.
        what: Name,
        /// Where the first one stands, one number per axis.
        index: Vec<usize>,
    },
    /// A finite value of an input array outside the domain of the formula.
    #[error("{what}{} = {value}: expected {expected}", position(.index))]
    OutOfDomain {
        /// The array that holds it.
        what: Name,
        /// Where the first one stands, one number per axis.
        index: Vec<usize>,
        /// The offending value.
        value: f64,
        /// The domain, and where there is one, the way out.
        expected: Name,
    },
    /// A parameter outside its domain.
    #[error("{name} = {value}: expected {expected}")]
    InvalidParameter {
        /// The parameter.
        name: Name,
        /// Its value, as text.
        value: String,
        /// Its domain.
        expected: Name,
    },
    /// A label outside `0..n_classes` where that matters.
    #[error("label {label} at index {index}: expected 0..{n_classes}")]
    LabelOutOfRange {
        /// Position of the label.
        index: usize,
        /// The label.
        label: i64,
        /// The number of classes.
        n_classes: usize,
    },
    /// A score that the formula cannot divide by.
    #[error("scores[{index}] = {value}: {why}")]
    UndefinedScore {
        /// The sample.
        index: usize,
        /// Its score.
        value: f64,
        /// Why the formula is undefined there, and the way out.
        why: Name,
    },
    /// The caller's model failed.
    #[error("the model failed on {what}: {source}")]
    Model {
        /// What it was called on, for instance `batch 2 (samples 128..192)`.
        what: Name,
        /// The model's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was read or written.
        what: Name,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// Stored bytes that are damaged, foreign, or of a version this build does not know.
    #[error("{what}: {why}")]
    Corrupt {
        /// What was read.
        what: Name,
        /// What is wrong with it.
        why: Name,
    },
    /// A release that the caller's own privacy settings forbid.
    #[error("{what}: refused, {why}")]
    Refused {
        /// What was asked for.
        what: Name,
        /// Why it is refused.
        why: Name,
    },
}

impl Error {
    /// A [`Error::ShapeMismatch`] between two exact shapes.
    pub fn shape(what: impl Into<Name>, expected: &[usize], actual: &[usize]) -> Self {
        Self::shape_described(what, shape_text(expected), actual)
    }

    /// A [`Error::ShapeMismatch`] whose expectation is words: `(n) or (n, c)`.
    pub fn shape_described(
        what: impl Into<Name>,
        expected: impl Into<String>,
        actual: &[usize],
    ) -> Self {
        Self::ShapeMismatch {
            what: what.into(),
            expected: expected.into(),
            actual: shape_text(actual),
        }
    }

    /// An [`Error::Empty`].
    pub fn empty(what: impl Into<Name>) -> Self {
        Self::Empty { what: what.into() }
    }

    /// An [`Error::TooFew`].
    pub fn too_few(what: impl Into<Name>, needed: usize, actual: usize) -> Self {
        Self::TooFew {
            what: what.into(),
            needed,
            actual,
        }
    }

    /// An [`Error::InvalidParameter`].
    pub fn parameter(
        name: impl Into<Name>,
        value: impl std::fmt::Display,
        expected: impl Into<Name>,
    ) -> Self {
        Self::InvalidParameter {
            name: name.into(),
            value: value.to_string(),
            expected: expected.into(),
        }
    }

    /// An [`Error::OutOfDomain`].
    pub fn out_of_domain(
        what: impl Into<Name>,
        index: &[usize],
        value: f64,
        expected: impl Into<Name>,
    ) -> Self {
        Self::OutOfDomain {
            what: what.into(),
            index: index.to_vec(),
            value,
            expected: expected.into(),
        }
    }

    /// An [`Error::Model`] around the caller's own error.
    pub fn model(
        what: impl Into<Name>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Model {
            what: what.into(),
            source: source.into(),
        }
    }
}

/// A shape as text: `(3, 4)`.
fn shape_text(shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("({})", axes.join(", "))
}

/// An index as text: `[3, 1]`, nothing for a scalar.
fn position(index: &[usize]) -> String {
    if index.is_empty() {
        return String::new();
    }
    let axes: Vec<String> = index.iter().map(usize::to_string).collect();
    format!("[{}]", axes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_names_the_thing_the_place_and_the_expectation() {
        let cases = [
            (
                Error::shape("maps", &[2, 3], &[2, 4]),
                "maps: expected shape (2, 3), got (2, 4)",
            ),
            (
                Error::empty("samples"),
                "samples: nothing to measure, at least one is needed",
            ),
            (
                Error::too_few("runs", 2, 1),
                "runs: at least 2 needed, got 1",
            ),
            (
                Error::NonFinite {
                    what: "inputs".into(),
                    index: vec![3, 1],
                },
                "inputs[3, 1]: not a finite number",
            ),
            (
                Error::out_of_domain("distances", &[2], -0.5, "a distance, at least 0"),
                "distances[2] = -0.5: expected a distance, at least 0",
            ),
            (
                Error::parameter("k", 0, "at least 1"),
                "k = 0: expected at least 1",
            ),
            (
                Error::LabelOutOfRange {
                    index: 7,
                    label: 12,
                    n_classes: 10,
                },
                "label 12 at index 7: expected 0..10",
            ),
            (
                Error::UndefinedScore {
                    index: 3,
                    value: -0.41,
                    why: "must be positive".into(),
                },
                "scores[3] = -0.41: must be positive",
            ),
            (
                Error::model("batch 0 (samples 0..4)", "no such operator"),
                "the model failed on batch 0 (samples 0..4): no such operator",
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn the_models_own_error_is_kept_as_source() {
        let own = std::fmt::Error;
        let error = Error::model("batch 0", own);
        let source = std::error::Error::source(&error).expect("a source");
        assert!(source.downcast_ref::<std::fmt::Error>().is_some());
    }
}
