//! The share of the neighbours' weight that has the predicted class.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use xai_core::{Error, Kernel, Label, Result, Weighting};

use crate::{ClassWeights, Level, Thresholds};

/// Agreement of a prediction with its neighbours.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Correspondence {
    /// `W(predicted) / Σ_c W(c)` in [0, 1]: 1 = every neighbour has the predicted class, 0 = none.
    /// `None` without neighbours, or when all weigh 0.
    pub score: Option<f64>,
    /// The score in words.
    pub level: Level,
    /// How many neighbours were asked.
    pub n_neighbors: usize,
    /// `W(c)` of every class among the neighbours.
    pub class_weights_sum: BTreeMap<i64, f64>,
}

impl fmt::Display for Correspondence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.score {
            Some(score) => write!(f, "{:.2}% ({})", 100.0 * score, self.level),
            None => write!(f, "{}", self.level),
        }
    }
}

/// Correspondence of a prediction with neighbours given as two arrays.
///
/// ```text
/// w_i = class_weight(y_i) / (d_i + 1)³      W(c) = Σ_{y_i = c} w_i      score = W(predicted) / Σ_c W(c)
/// ```
///
/// `distances` and `labels` are `(k,)`, in any order; distances are at least 0. 1 means that every
/// neighbour has the predicted class, 0 that none has; no neighbours is undefined. Other kernels,
/// class weights and thresholds: [`CorrespondenceMetric`].
///
/// # Errors
/// [`Error::ShapeMismatch`] when the lengths differ, [`Error::NonFinite`] and
/// [`Error::OutOfDomain`] for a distance that is not a finite number at least 0.
///
/// ```
/// use xai_casebased::correspondence;
/// // weights 1 and 1/8: 1 / 1.125
/// let c = correspondence(&[0.0, 1.0], &["cat".len(), 0], 3)?;
/// assert_eq!(c.score, Some(1.0 / 1.125));
/// // The worked example of the method's own page. The page prints 94.5 %, but its formula, and its
/// // code, give 86.85 %: (1.1⁻³ + 1.2⁻³ + 1.3⁻³ + 1.8⁻³) / (the same + 1.5⁻³) = 1.9566 / 2.2529.
/// let c = correspondence(&[0.1, 0.2, 0.3, 0.5, 0.8], &[1, 1, 1, 0, 1], 1)?;
/// assert_eq!(format!("{c}"), "86.85% (high)");
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// `compute_correspondence` of case-explainer 0.2.0, which says 0 where this says undefined.
pub fn correspondence<L: Label>(
    distances: &[f64],
    labels: &[L],
    predicted: L,
) -> Result<Correspondence> {
    CorrespondenceMetric::default().evaluate(distances, labels, predicted)
}

/// Correspondence of a prediction with neighbours given as `(distance, label)` pairs.
///
/// The same number as [`correspondence`].
///
/// # Errors
/// As [`correspondence`].
///
/// ```
/// use xai_casebased::{correspondence, correspondence_of_pairs};
/// let pairs = correspondence_of_pairs(&[(0.1, 1), (0.4, 0)], 1)?;
/// assert_eq!(pairs, correspondence(&[0.1, 0.4], &[1, 0], 1)?);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub fn correspondence_of_pairs<L: Label>(
    neighbors: &[(f64, L)],
    predicted: L,
) -> Result<Correspondence> {
    let (distances, labels): (Vec<f64>, Vec<L>) = neighbors.iter().copied().unzip();
    correspondence(&distances, &labels, predicted)
}

/// Correspondence with its choices: weighting, class weights, thresholds.
///
/// ```
/// use xai_casebased::{ClassWeights, CorrespondenceMetric, Kernel};
/// let voting = CorrespondenceMetric::default().weighting(Kernel::Uniform)?;
/// assert_eq!(voting.evaluate(&[0.1, 0.9, 5.0, 7.0], &[1, 0, 1, 1], 1)?.score, Some(0.75));
/// let closure = CorrespondenceMetric::default().weighting_with(|d: f64| 2.0 - d);
/// assert_eq!(closure.evaluate(&[0.0, 1.0], &[1, 0], 1)?.score, Some(2.0 / 3.0));
/// let weighted = voting.class_weights(ClassWeights::new([(1, 3.0)])?);
/// assert_eq!(weighted.evaluate(&[0.1, 0.9], &[1, 0], 1)?.score, Some(0.75));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Clone)]
pub struct CorrespondenceMetric {
    weighting: Arc<dyn Weighting>,
    class_weights: ClassWeights,
    thresholds: Thresholds,
}

impl Default for CorrespondenceMetric {
    fn default() -> Self {
        Self {
            weighting: Arc::new(Kernel::default()),
            class_weights: ClassWeights::default(),
            thresholds: Thresholds::default(),
        }
    }
}

impl fmt::Debug for CorrespondenceMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CorrespondenceMetric")
            .field("class_weights", &self.class_weights)
            .field("thresholds", &self.thresholds)
            .finish_non_exhaustive()
    }
}

impl CorrespondenceMetric {
    /// Weights neighbours by one of the usual kernels.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a kernel parameter outside its domain.
    pub fn weighting(self, kernel: Kernel) -> Result<Self> {
        kernel.validate()?;
        Ok(self.weighting_with(kernel))
    }

    /// Weights neighbours by a closure or a [`Weighting`] of one's own. Weights are checked when
    /// they are used.
    #[must_use]
    pub fn weighting_with(mut self, weighting: impl Weighting + 'static) -> Self {
        self.weighting = Arc::new(weighting);
        self
    }

    /// What each class counts.
    #[must_use]
    pub fn class_weights(mut self, class_weights: ClassWeights) -> Self {
        self.class_weights = class_weights;
        self
    }

    /// Where the levels begin.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.thresholds = thresholds;
        self
    }

    /// The correspondence of one prediction, see [`correspondence`].
    ///
    /// # Errors
    /// As [`correspondence`]; [`Error::OutOfDomain`] when a weighting of one's own gives a weight
    /// that is not a finite number at least 0.
    pub fn evaluate<L: Label>(
        &self,
        distances: &[f64],
        labels: &[L],
        predicted: L,
    ) -> Result<Correspondence> {
        if distances.len() != labels.len() {
            return Err(Error::shape("labels", &[distances.len()], &[labels.len()]));
        }
        xai_core::check_finite_slice("distances", distances)?;
        if let Some(i) = distances.iter().position(|&d| d < 0.0) {
            return Err(Error::out_of_domain(
                "distances",
                &[i],
                distances[i],
                "a distance, at least 0",
            ));
        }
        let labels = xai_core::labels_to_i64("labels", labels.iter().copied())?;
        let predicted = xai_core::labels_to_i64("predicted", [predicted])?[0];
        let tally = self.tally(distances.iter().copied().zip(labels))?;
        Ok(tally.correspondence(Some(predicted), self.thresholds))
    }

    /// Adds up the weights of neighbours at valid distances.
    pub(crate) fn tally(&self, neighbors: impl Iterator<Item = (f64, i64)>) -> Result<Tally> {
        let mut weights: Vec<(i64, f64)> = Vec::with_capacity(neighbors.size_hint().0);
        for (i, (distance, label)) in neighbors.enumerate() {
            let weight = self.weighting.weight(distance);
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Error::out_of_domain(
                    "weights",
                    &[i],
                    weight,
                    format!("a finite weight, at least 0, at distance {distance}"),
                ));
            }
            weights.push((label, weight * self.class_weights.of(label)));
        }
        Tally::of(weights)
    }

    pub(crate) fn level_thresholds(&self) -> Thresholds {
        self.thresholds
    }
}

/// `W(c)` by ascending class. The weights of a class are added in ascending order with what
/// rounding loses carried along, so that the order of the neighbours cannot show.
pub(crate) struct Tally {
    by_class: Vec<(i64, f64)>,
    total: f64,
    n_neighbors: usize,
}

impl Tally {
    fn of(mut weights: Vec<(i64, f64)>) -> Result<Self> {
        weights.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let by_class: Vec<(i64, f64)> = weights
            .chunk_by(|a, b| a.0 == b.0)
            .map(|class| (class[0].0, ascending_sum(class.iter().map(|(_, w)| *w))))
            .collect();
        let total = ascending_sum(by_class.iter().map(|(_, w)| *w));
        if !total.is_finite() {
            return Err(Error::out_of_domain(
                "sum of the weights",
                &[],
                total,
                "a sum within the range of f64; scale the class weights or the weighting down",
            ));
        }
        Ok(Self {
            by_class,
            total,
            n_neighbors: weights.len(),
        })
    }

    /// The class of the largest weight, the lower label of several; `None` without any weight.
    pub(crate) fn vote(&self) -> Option<i64> {
        let mut best: Option<(f64, i64)> = None;
        for &(label, weight) in &self.by_class {
            if weight > 0.0 && best.is_none_or(|(most, _)| weight > most) {
                best = Some((weight, label));
            }
        }
        best.map(|(_, label)| label)
    }

    /// The correspondence of a predicted class; undefined without one.
    pub(crate) fn correspondence(
        &self,
        predicted: Option<i64>,
        thresholds: Thresholds,
    ) -> Correspondence {
        let score = predicted.filter(|_| self.total > 0.0).map(|predicted| {
            let agreeing = self.by_class.iter().find(|(class, _)| *class == predicted);
            // The total is rounded by itself.
            agreeing.map_or(0.0, |(_, weight)| (weight / self.total).min(1.0))
        });
        Correspondence {
            score,
            level: thresholds.level(score),
            n_neighbors: self.n_neighbors,
            class_weights_sum: self.by_class.iter().copied().collect(),
        }
    }
}

/// Neumaier's compensated sum of non-negative numbers.
fn ascending_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum >= value {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}
