//! Scores: the metrics that are read from one result.

use crate::describe::entry::MetricEntry;
use crate::describe::metric_info::MetricInfo;

/// A metric that is read from a result `R`.
///
/// [`Scores::SCORES`] lists the scores of a result. Tables, JSON, averages over results, Python and the documentation
/// iterate over that list.
///
/// ```
/// use xai_core::describe::{Score, Scores, metric};
/// use xai_core::input;
///
/// /// Numbers of right and wrong predictions.
/// struct Counts { right: u32, wrong: u32 }
///
/// impl Counts {
///     /// Share of the predictions that are right.
///     ///
///     /// ```text
///     /// right / (right + wrong)
///     /// ```
///     ///
///     /// # Extremes
///     /// 0: all are wrong. 1: all are right.
///     ///
///     /// # Source
///     /// This example.
///     #[metric(
///         name = "accuracy",
///         direction = Direction::Higher,
///         range = Range::SHARE,
///         needs = &[input::PREDICTIONS, input::LABELS],
///     )]
///     const ACCURACY: Score<Self> = Score::new(INFO, |counts| {
///         let n = counts.right + counts.wrong;
///         (n > 0).then(|| f64::from(counts.right) / f64::from(n))
///     });
/// }
///
/// impl Scores for Counts {
///     const SCORES: &'static [Score<Self>] = &[Self::ACCURACY];
/// }
///
/// let counts = Counts { right: 3, wrong: 1 };
/// let values: Vec<(&str, Option<f64>)> = counts.values().collect();
/// assert_eq!(values, [("accuracy", Some(0.75))]);
/// assert_eq!(Counts::ACCURACY.info.summary, "Share of the predictions that are right");
/// ```
pub type Score<R> = MetricEntry<fn(&R) -> Option<f64>>;

impl<R> Score<R> {
    /// The score of a result; `None` where it is undefined.
    pub fn value(&self, result: &R) -> Option<f64> {
        (self.computation)(result)
    }
}

/// A result with scores.
pub trait Scores: Sized + 'static {
    /// The scores, in the order in which they are shown.
    const SCORES: &'static [Score<Self>];

    /// Names and values of the scores; `None` where a score is undefined.
    fn values(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let value = |score: &'static Score<Self>| (score.info.name, score.value(self));
        Self::SCORES.iter().map(value)
    }

    /// Descriptions of the scores.
    fn infos() -> impl Iterator<Item = &'static MetricInfo> {
        Self::SCORES.iter().map(|score| score.info)
    }

    /// Registry entries of the scores, for the list of a [`Family`](crate::describe::Family).
    fn entries() -> Vec<MetricEntry> {
        Self::SCORES.iter().map(MetricEntry::description).collect()
    }

    /// Value of the score with this name; `None` if it is undefined or does not exist.
    fn score(&self, name: &str) -> Option<f64> {
        let score = Self::SCORES.iter().find(|score| score.info.name == name)?;
        score.value(self)
    }
}
