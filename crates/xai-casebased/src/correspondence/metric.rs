//! Computation of correspondence.

use std::fmt;
use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters};
use xai_core::error::ShortNumber;
use xai_core::number::{check_domain, check_labels};
use xai_core::tensor::check_shape;
use xai_core::{Error, Kernel, Label, Result, Weighting};

use crate::correspondence::class_weights::ClassWeights;
use crate::correspondence::level::Thresholds;
use crate::correspondence::score::Correspondence;
use crate::correspondence::tally::{OwnWeights, Tally, make_relative};
use crate::input;

/// Correspondence of a prediction with neighbours given as two arrays.
///
/// ```text
/// w_i = class_weight(y_i) / (d_i + 1)³      W(c) = Σ_{y_i = c} w_i      score = W(predicted) / Σ_c W(c)
/// ```
///
/// `distances` and `labels` are `(k,)`, in any order; distances are at least 0. The score is 1 if every neighbour
/// has the predicted class, 0 if none has it, and undefined without neighbours. Weights are computed relative to
/// the largest one, so that they do not underflow at large distances. For other kernels, class weights and
/// thresholds, use [`CorrespondenceMetric`].
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) if the lengths differ,
/// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) or
/// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a distance that is not a finite number of at
/// least 0. `OutOfDomain` also for a label or a predicted class above `i64::MAX`.
///
/// ```
/// use xai_casebased::correspondence;
/// // weights 1 and 1/8: 1 / 1.125
/// let c = correspondence(&[0.0, 1.0], &["cat".len(), 0], 3)?;
/// assert_eq!(c.score, Some(1.0 / 1.125));
/// // The worked example of the method's own page. The page prints 94.5 %, but its formula, and its
/// // code, give 86.85 %: (1.1⁻³ + 1.2⁻³ + 1.3⁻³ + 1.8⁻³) / (the same + 1.5⁻³) = 1.9567 / 2.2529.
/// let c = correspondence(&[0.1, 0.2, 0.3, 0.5, 0.8], &[1, 1, 1, 0, 1], 1)?;
/// assert_eq!(format!("{c}"), "86.85% (high)");
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// `compute_correspondence` of case-explainer 0.2.0, which returns 0 where this is undefined.
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
/// use xai_casebased::correspondence;
/// use xai_casebased::correspondence::correspondence_of_pairs;
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

/// Correspondence with a choice of weighting, class weights and thresholds.
///
/// ```
/// use xai_casebased::{ClassWeights, CorrespondenceMetric, Kernel};
/// let voting = CorrespondenceMetric::new().weighting(Kernel::Uniform);
/// assert_eq!(voting.evaluate(&[0.1, 0.9, 5.0, 7.0], &[1, 0, 1, 1], 1)?.score, Some(0.75));
/// let closure = CorrespondenceMetric::new().weighting_with(|d: f64| 2.0 - d);
/// assert_eq!(closure.evaluate(&[0.0, 1.0], &[1, 0], 1)?.score, Some(2.0 / 3.0));
/// let weighted = voting.class_weights(ClassWeights::new([(1, 3.0)])?);
/// assert_eq!(weighted.evaluate(&[0.1, 0.9], &[1, 0], 1)?.score, Some(0.75));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, Default, Parameters)]
pub struct CorrespondenceMetric {
    /// Weight of a neighbour as a function of its distance.
    #[param(no_setter)]
    weighting: NeighborWeighting,
    #[param(skip)]
    class_weights: ClassWeights,
    /// Thresholds of the levels.
    #[param(flatten, setter)]
    thresholds: Thresholds,
}

/// Weight of a neighbour as a function of its distance.
#[derive(Clone, Parameter)]
enum NeighborWeighting {
    #[param(plain)]
    Kernel(Kernel),
    /// The caller's closure or type.
    #[param(skip)]
    Own(Arc<dyn Weighting>),
}

impl Default for NeighborWeighting {
    fn default() -> Self {
        Self::Kernel(Kernel::default())
    }
}

impl fmt::Debug for NeighborWeighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(kernel) => kernel.fmt(f),
            Self::Own(_) => f.write_str("Own"),
        }
    }
}

impl CorrespondenceMetric {
    /// Creates the metric with inverse-cube weights, equal class weights, and the levels high from 0.85 and medium
    /// from 0.70.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Weights neighbours with a kernel of their distance.
    #[must_use]
    pub fn weighting(mut self, kernel: Kernel) -> Self {
        self.weighting = NeighborWeighting::Kernel(kernel);
        self
    }

    /// Weights neighbours with a closure of their distance, or another [`Weighting`]. The weights are checked when they
    /// are used.
    #[must_use]
    pub fn weighting_with(mut self, weighting: impl Weighting + 'static) -> Self {
        self.weighting = NeighborWeighting::Own(Arc::new(weighting));
        self
    }

    /// Sets the class weights.
    #[must_use]
    pub fn class_weights(mut self, class_weights: ClassWeights) -> Self {
        self.class_weights = class_weights;
        self
    }

    /// Computes the correspondence of one prediction, see [`correspondence`].
    ///
    /// # Errors
    /// As [`correspondence`]; [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a kernel
    /// parameter or a threshold outside its domain; and
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) if the caller's weighting returns a weight that
    /// is not a finite number of at least 0.
    pub fn evaluate<L: Label>(
        &self,
        distances: &[f64],
        labels: &[L],
        predicted: L,
    ) -> Result<Correspondence> {
        self.check()?;
        let (checked, class) = check_neighbors(distances, labels, predicted)?;
        let tally = self.tally(checked, Vec::new())?;
        Ok(tally.correspondence(Some(class), self.thresholds))
    }

    /// Returns an evaluator that computes scores only, for many predictions. Parameters are checked once, and memory is
    /// reused.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a parameter outside its domain.
    ///
    /// ```
    /// use xai_casebased::CorrespondenceMetric;
    /// let metric = CorrespondenceMetric::new();
    /// let mut scorer = metric.scorer()?;
    /// assert_eq!(scorer.score(&[0.0, 1.0], &[3, 0], 3)?, Some(1.0 / 1.125));
    /// assert_eq!(scorer.score(&[], &[], 3)?, None);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn scorer(&self) -> Result<Scorer<'_>> {
        self.check()?;
        Ok(Scorer {
            metric: self,
            buffer: Vec::new(),
        })
    }

    /// Checks the parameter of the kernel and the thresholds. Class weights are valid by their type.
    pub(crate) fn check(&self) -> Result<()> {
        if let NeighborWeighting::Kernel(kernel) = &self.weighting
            && let Err(error) = kernel.validate()
        {
            // The general check names the parameter in its error. It cannot express all conditions of a kernel.
            self.check_params()?;
            return Err(error);
        }
        self.thresholds.check()
    }

    /// Computes the weights of neighbours relative to the largest one. Overwrites `weights` with pairs of class and
    /// weight in the order of the neighbours. The distances must be valid.
    pub(crate) fn relative_weights(
        &self,
        neighbors: impl Iterator<Item = (f64, i64)>,
        weights: &mut Vec<(i64, f64)>,
    ) -> Result<()> {
        weights.clear();
        match &self.weighting {
            NeighborWeighting::Kernel(kernel) => {
                weights.extend(neighbors.map(|(distance, label)| (label, distance)));
                make_relative(weights, &self.class_weights, kernel);
            }
            NeighborWeighting::Own(weighting) => {
                weights.reserve(neighbors.size_hint().0);
                for (i, (distance, label)) in neighbors.enumerate() {
                    // A closure may return anything, so every weight is checked.
                    let weight = weighting.weight(distance);
                    if !(weight.is_finite() && weight >= 0.0) {
                        let distance = ShortNumber(distance);
                        let expected =
                            format!("a finite weight, at least 0, at distance {distance}");
                        return Err(Error::out_of_domain(input::WEIGHTS, &[i], weight, expected));
                    }
                    weights.push((label, weight));
                }
                make_relative(weights, &self.class_weights, &OwnWeights);
            }
        }
        Ok(())
    }

    /// Sums the weights of neighbours by class. `buffer` is overwritten. The distances must be valid.
    pub(crate) fn tally(
        &self,
        neighbors: impl Iterator<Item = (f64, i64)>,
        mut buffer: Vec<(i64, f64)>,
    ) -> Result<Tally> {
        self.relative_weights(neighbors, &mut buffer)?;
        Ok(Tally::new(buffer))
    }

    pub(crate) fn level_thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// The kernel; `None` for the caller's own weighting.
    #[cfg(feature = "persistence")]
    pub(crate) fn kernel(&self) -> Option<Kernel> {
        match &self.weighting {
            NeighborWeighting::Kernel(kernel) => Some(*kernel),
            NeighborWeighting::Own(_) => None,
        }
    }
}

/// Computes scores of many predictions, see [`CorrespondenceMetric::scorer`].
#[derive(Debug)]
pub struct Scorer<'a> {
    metric: &'a CorrespondenceMetric,
    buffer: Vec<(i64, f64)>,
}

impl Scorer<'_> {
    /// Computes the score of one prediction, see [`correspondence`]; `None` if undefined.
    ///
    /// # Errors
    /// As [`correspondence`]; and [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) if the caller's
    /// weighting returns a weight that is not a finite number of at least 0.
    pub fn score<L: Label>(
        &mut self,
        distances: &[f64],
        labels: &[L],
        predicted: L,
    ) -> Result<Option<f64>> {
        let (checked, class) = check_neighbors(distances, labels, predicted)?;
        let buffer = std::mem::take(&mut self.buffer);
        let tally = self.metric.tally(checked, buffer)?;
        let score = tally.score(Some(class));
        self.buffer = tally.into_buffer();
        Ok(score)
    }
}

/// Checks neighbours and the predicted class. Returns the distance and class of every neighbour, and the predicted
/// class.
fn check_neighbors<'a, L: Label>(
    distances: &'a [f64],
    labels: &'a [L],
    predicted: L,
) -> Result<(impl Iterator<Item = (f64, i64)> + use<'a, L>, i64)> {
    check_shape(input::LABELS, &[distances.len()], &[labels.len()])?;
    check_domain(
        input::DISTANCES,
        distances,
        |d| d >= 0.0,
        "a distance, at least 0",
    )?;
    check_labels(input::LABELS, labels.iter().copied())?;
    check_labels(input::PREDICTED, [predicted])?;
    // The labels were checked, so the conversion cannot fail.
    let class = |label: L| label.to_i64().unwrap_or_default();
    let classes = labels.iter().map(move |&label| class(label));
    Ok((distances.iter().copied().zip(classes), class(predicted)))
}
