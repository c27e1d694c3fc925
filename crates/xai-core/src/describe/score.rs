//! The scores that are read from one result.

use std::fmt;

use super::metric_info::{Direction, MetricInfo};
use super::range::Range;
use crate::error::Input;

/// One number of a result `R`: what it says of itself, and how it is read.
///
/// The scores of a result are listed beside it, in [`Scores::SCORES`]. Tables, JSON, averages over results, Python
/// and the documentation go over that list.
///
/// ```
/// use xai_core::describe::{Range, Score, Scores};
/// use xai_core::input;
///
/// /// How many predictions are right.
/// struct Counts { right: u32, wrong: u32 }
///
/// impl Scores for Counts {
///     const SCORES: &'static [Score<Self>] = &[Score::new(
///         "accuracy", "Accuracy", "Which share of the predictions is right?",
///         |counts: &Self| {
///             let n = counts.right + counts.wrong;
///             (n > 0).then(|| f64::from(counts.right) / f64::from(n))
///         },
///     )
///     .higher_is_better()
///     .range(Range::SHARE)
///     .needs(&[input::PREDICTIONS, input::LABELS])];
/// }
///
/// let counts = Counts { right: 3, wrong: 1 };
/// let values: Vec<(&str, Option<f64>)> = counts.values().collect();
/// assert_eq!(values, [("accuracy", Some(0.75))]);
/// ```
pub struct Score<R> {
    /// Name, question, direction, range, what it needs, source.
    pub info: MetricInfo,
    /// The number, `None` where it is undefined.
    pub value: fn(&R) -> Option<f64>,
}

impl<R> Score<R> {
    /// A score of any finite value that describes: neither higher nor lower is better.
    pub const fn new(
        name: &'static str,
        title: &'static str,
        question: &'static str,
        value: fn(&R) -> Option<f64>,
    ) -> Self {
        let info = MetricInfo {
            name,
            title,
            question,
            direction: Direction::None,
            range: Range::REAL,
            needs: &[],
            source: "",
        };
        Self { info, value }
    }

    /// Higher values are better.
    #[must_use]
    pub const fn higher_is_better(mut self) -> Self {
        self.info.direction = Direction::Higher;
        self
    }

    /// Lower values are better.
    #[must_use]
    pub const fn lower_is_better(mut self) -> Self {
        self.info.direction = Direction::Lower;
        self
    }

    /// The values that it takes.
    #[must_use]
    pub const fn range(mut self, range: Range) -> Self {
        self.info.range = range;
        self
    }

    /// What it is computed from.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [Input]) -> Self {
        self.info.needs = needs;
        self
    }

    /// The paper or the program that defines it.
    #[must_use]
    pub const fn source(mut self, source: &'static str) -> Self {
        self.info.source = source;
        self
    }
}

impl<R> Clone for Score<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Score<R> {}

impl<R> fmt::Debug for Score<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Score").field(&self.info.name).finish()
    }
}

/// A result with scores.
pub trait Scores: Sized + 'static {
    /// The scores, in the order in which they are shown.
    const SCORES: &'static [Score<Self>];

    /// The names of the scores and their values, `None` where one is undefined.
    fn values(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let value = |score: &'static Score<Self>| (score.info.name, (score.value)(self));
        Self::SCORES.iter().map(value)
    }

    /// What the scores say of themselves.
    fn infos() -> impl Iterator<Item = &'static MetricInfo> {
        Self::SCORES.iter().map(|score| &score.info)
    }

    /// The value of the score of a name; `None` where it is undefined, and where there is no such score.
    fn score(&self, name: &str) -> Option<f64> {
        let score = Self::SCORES.iter().find(|score| score.info.name == name)?;
        (score.value)(self)
    }
}
