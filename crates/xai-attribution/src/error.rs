//! Errors of evaluations, with the scores that were computed before the error.

use xai_core::Error;
use xai_core::evaluation::scatter;

use crate::input;

/// Error that stopped an evaluation, with the scores computed before it.
///
/// These are the base and masked scores of the model and the values per sample of metrics. Scores of other changed
/// inputs, such as the points of a curve, are lost, and so is everything that metrics over all samples have collected.
/// `?` converts this into an [`Error`] where only the reason matters.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, input, metric::AverageDrop};
/// let model = |batch: ArrayViewD<'_, f64>| match batch[[0, 0]] {
///     7.0 => Err("out of memory"),
///     _ => Ok(batch.into_dimensionality::<ndarray::Ix2>().unwrap().to_owned()),
/// };
/// let x = array![[1.0, 2.0], [3.0, 1.0], [7.0, 1.0]].into_dyn();
/// let stopped = AverageDrop::new().batch_size(1).evaluate(&model, x.view(), &[1, 0, 0], x.view());
/// let stopped = stopped.unwrap_err();
/// assert_eq!(stopped.error().input(), input::MODEL);
/// let drop = stopped.completed().iter().find(|c| c.score == "average_drop").unwrap();
/// assert!(drop.per_sample[0].is_some() && drop.per_sample[1].is_some());
/// assert_eq!(drop.per_sample[2], None);
/// ```
#[derive(Debug)]
pub struct EvaluationError(Box<Stopped>);

#[derive(Debug)]
struct Stopped {
    error: Error,
    explainer: Option<String>,
    metric: Option<String>,
    completed: Vec<CompletedScores>,
}

/// Scores of one kind that were computed before an evaluation stopped.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CompletedScores {
    /// Explainer that the maps belong to. `None` for scores of unchanged inputs, and outside of an
    /// [`Benchmark`](crate::Benchmark), where maps have no name.
    pub explainer: Option<String>,
    /// `base` or `masked` for scores of the model, otherwise the name of the metric. A step of
    /// [`ModelRandomization`](crate::metric::ModelRandomization) has its layers as name, for example `layers [0, 1]`.
    pub score: String,
    /// One value per sample. `None` if it was not computed before the error, or is undefined. All samples before the
    /// failed batch have been computed, and with a [`Concurrent`](crate::model::Concurrent) model possibly some after
    /// it. A [`MaskedBenchmark`](crate::masked::MaskedBenchmark) evaluates the samples of one number of features at a
    /// time, and only keeps the values of those with as many features as the sample that failed.
    pub per_sample: Vec<Option<f64>>,
}

impl EvaluationError {
    pub(crate) fn new(error: Error) -> Self {
        Self(Box::new(Stopped {
            error,
            explainer: None,
            metric: None,
            completed: Vec::new(),
        }))
    }

    pub(crate) fn during(mut self, explainer: Option<&str>, metric: Option<&str>) -> Self {
        self.0.explainer = explainer.map(str::to_owned);
        self.0.metric = metric.map(str::to_owned);
        self
    }

    pub(crate) fn with_completed(mut self, completed: Vec<CompletedScores>) -> Self {
        self.0.completed = completed;
        self
    }

    /// Renumbers an error and scores of a run over the given samples as those of a run over all `n`.
    pub(crate) fn renumbered(mut self, samples: &[usize], n: usize) -> Self {
        // Given subsets and neighbours have the draws on their first axis, and the samples on the second.
        let axis = usize::from(matches!(
            self.error().input(),
            input::SUBSETS | input::NEIGHBORS
        ));
        if let Some(&sample) = self.error().index().get(axis)
            && let Some(number) = samples.get(sample)
        {
            self.0.error = self.0.error.shifted(axis, number - sample);
        }
        for scores in &mut self.0.completed {
            scores.per_sample = scatter(&scores.per_sample, samples, n);
        }
        self
    }

    /// The underlying error.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.0.error
    }

    /// Returns the underlying error and drops the scores.
    #[must_use]
    pub fn into_error(self) -> Error {
        self.0.error
    }

    /// Explainer under evaluation when the error occurred, in a [`Benchmark`](crate::Benchmark) of named
    /// explainers.
    #[must_use]
    pub fn explainer(&self) -> Option<&str> {
        self.0.explainer.as_deref()
    }

    /// Metric under evaluation when the error occurred, in a [`Benchmark`](crate::Benchmark).
    ///
    /// A metric that refuses its parameters or the data before the first call of the model is also named outside of an
    /// `Benchmark`, except for [`ModelRandomization`](crate::metric::ModelRandomization) and for missing inputs.
    #[must_use]
    pub fn metric(&self) -> Option<&str> {
        self.0.metric.as_deref()
    }

    /// Scores computed before the error.
    #[must_use]
    pub fn completed(&self) -> &[CompletedScores] {
        &self.0.completed
    }
}

impl std::fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.explainer(), self.metric()) {
            (Some(explainer), Some(metric)) => write!(f, "{metric} of `{explainer}`: ")?,
            (Some(name), None) => write!(f, "`{name}`: ")?,
            _ => {}
        }
        self.0.error.fmt(f)
    }
}

impl std::error::Error for EvaluationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // `Display` prints the underlying error itself, so the source is the next one in its chain (the model's own
        // error).
        self.0.error.source()
    }
}

impl From<Error> for EvaluationError {
    fn from(error: Error) -> Self {
        Self::new(error)
    }
}

impl From<EvaluationError> for Error {
    fn from(stopped: EvaluationError) -> Self {
        stopped.into_error()
    }
}
