//! Correspondence and the summed weights that it follows from.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Index;

use xai_core::describe::{Score, Scores, metric};

use crate::correspondence::level::Level;
use crate::input;

/// Agreement of a prediction with its neighbours.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Correspondence {
    /// `W(predicted) / Σ_c W(c)` in [0, 1]: 1 = every neighbour has the predicted class, 0 = none.
    /// `None` without neighbours, or if all weights are 0.
    pub score: Option<f64>,
    /// Level of the score.
    pub level: Level,
    /// Number of neighbours.
    pub n_neighbors: usize,
    /// `W(c)` of every class among the neighbours, relative to the largest weight of a neighbour.
    pub class_weights_sum: ClassWeightsSum,
}

/// Summed weights per class, relative to the largest weight of a neighbour: a class with that neighbour alone has 1.
///
/// Ratios of the sums are those of the absolute weights, which may be too small for `f64`.
///
/// ```
/// use xai_casebased::{CorrespondenceMetric, Kernel};
/// let metric = CorrespondenceMetric::new().weighting(Kernel::Exponential { bandwidth: 1.0 });
/// let c = metric.evaluate(&[745.0, 745.9], &[0, 1], 0)?;
/// assert_eq!(c.class_weights_sum[&0], 1.0);
/// assert!((c.class_weights_sum[&1] - (-0.9f64).exp()).abs() < 1e-13);
/// assert!((c.score.unwrap() - 0.711).abs() < 5e-4);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
// A list: a map would take most of the time of a call with few neighbours.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(from = "BTreeMap<i64, f64>", into = "BTreeMap<i64, f64>")
)]
pub struct ClassWeightsSum(Vec<(i64, f64)>);

impl ClassWeightsSum {
    /// Creates the sums from pairs in ascending order of the class.
    pub(crate) fn from_sorted(by_class: Vec<(i64, f64)>) -> Self {
        Self(by_class)
    }

    /// Returns the sum of a class; `None` if no neighbour has it.
    #[must_use]
    pub fn get(&self, label: &i64) -> Option<f64> {
        let position = self.0.binary_search_by_key(label, |(class, _)| *class);
        position.ok().map(|position| self.0[position].1)
    }

    /// Classes and their sums, in ascending order of the class.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i64, f64)> + ExactSizeIterator + '_ {
        self.0.iter().copied()
    }
}

impl Index<&i64> for ClassWeightsSum {
    type Output = f64;

    /// # Panics
    /// If no neighbour has the class.
    fn index(&self, label: &i64) -> &f64 {
        let entry = self.0.iter().find(|(class, _)| class == label);
        &entry.expect("a class of the neighbours").1
    }
}

impl From<BTreeMap<i64, f64>> for ClassWeightsSum {
    fn from(sums: BTreeMap<i64, f64>) -> Self {
        Self(sums.into_iter().collect())
    }
}

impl From<ClassWeightsSum> for BTreeMap<i64, f64> {
    fn from(sums: ClassWeightsSum) -> Self {
        sums.0.into_iter().collect()
    }
}

impl Correspondence {
    /// Share of the weight of the nearest training rows whose label is the predicted class.
    ///
    /// ```text
    /// W(predicted) / Σ_c W(c), W(c) = class weight · Σ of the weights of the neighbours of class c
    /// ```
    ///
    /// # Extremes
    /// 0: no neighbour has the predicted class. 1: all have.
    ///
    /// # Limits
    /// It says whether similar training rows agree with the prediction, not whether it is right.
    ///
    /// # Source
    /// `compute_correspondence` of case-explainer 0.2.0.
    ///
    /// # Elsewhere
    /// `case_explainer.compute_correspondence`
    #[metric(
        name = "correspondence",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = &[input::DISTANCES, input::LABELS, input::PREDICTED],
    )]
    pub const CORRESPONDENCE: Score<Self> = Score::new(INFO, |found| found.score);
}

impl Scores for Correspondence {
    const SCORES: &'static [Score<Self>] = &[Self::CORRESPONDENCE];
}

impl fmt::Display for Correspondence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Some(score) => write!(f, "{:.2}% ({})", 100.0 * score, self.level),
            None => write!(f, "{}", self.level),
        }
    }
}
