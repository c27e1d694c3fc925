//! Meta-consistency: intra- and inter-consistency under both kinds of perturbation, combined into
//! one number.

use std::collections::BTreeMap;

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::Result;
use crate::input;
use crate::reliability::inter_consistency::inter_of_checked;
use crate::reliability::intra_consistency::intra_of_checked;
use crate::reliability::perturbed::{PerturbationKind, PerturbedValues};
use crate::reliability::table::{Table, mean_of_defined, sign};
use crate::sum::ExactMean;

/// Meta-evaluation of a metric from perturbations that are added one after another. Only means are
/// kept of each.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::{MetaEvaluation, PerturbedValues};
/// // Two explainers on two samples, one iteration of one perturbation of each kind.
/// let before = [[Some(0.4), Some(0.6)], [Some(0.1), Some(0.2)]];
/// let worse = [[Some(0.3), Some(0.5)], [Some(0.0), Some(0.1)]];
/// let mut meta = MetaEvaluation::new(&before, Direction::Higher)?;
/// meta.add(0, &PerturbedValues::minor(&before[..]))?; // nothing moved: p = 1, all ranks stay
/// meta.add(0, &PerturbedValues::disruptive(&worse[..]))?; // two of 2^2 signs: p = 0.5; all values fell
/// let result = meta.finish();
/// assert_eq!(result.value, Some((1.0 + 0.5 + 1.0 + 1.0) / 4.0));
/// assert_eq!(result.iterations[0].effect_disruptive, Some(1.0));
/// # Ok::<(), xai_core::Error>(())
/// ```
pub struct MetaEvaluation<'a> {
    values: Table<'a>,
    direction: Direction,
    iterations: BTreeMap<usize, [KindMeans; 2]>,
}

/// Means over the perturbations of one kind in one iteration, and over the explainers.
#[derive(Debug, Clone, Default)]
struct KindMeans {
    intra: ExactMean,
    effect: ExactMean,
    inter: ExactMean,
}

impl<'a> MetaEvaluation<'a> {
    /// Creates a meta-evaluation from values before any perturbation, with one row per explainer
    /// and one value per sample.
    ///
    /// # Errors
    /// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a
    /// value, `InvalidParameter` for a metric without a better end.
    pub fn new<R: AsRef<[Option<f64>]>>(values: &'a [R], direction: Direction) -> Result<Self> {
        sign(direction)?;
        Ok(Self {
            values: Table::new(input::VALUES, values)?,
            direction,
            iterations: BTreeMap::new(),
        })
    }

    /// Adds the values after one perturbation of an iteration. Iterations and perturbations may
    /// come in any order.
    ///
    /// # Errors
    /// As [`inter_consistency`](super::inter_consistency). Nothing is added in this case.
    pub fn add<P: AsRef<[Option<f64>]>>(
        &mut self,
        iteration: usize,
        perturbed: &PerturbedValues<'_, [P]>,
    ) -> Result<()> {
        let after = Table::new(input::PERTURBED, perturbed.values)?;
        let inter = inter_of_checked(&self.values, self.direction, perturbed, &after)?;
        let rows = self.values.rows.iter().zip(&after.rows);
        let results = rows.map(|(before, after)| {
            let after = PerturbedValues {
                kind: perturbed.kind,
                values: *after,
                keep: perturbed.keep,
            };
            intra_of_checked(before, &after)
        });
        let intra = results.collect::<Result<Vec<_>>>()?;
        let by_kind = self.iterations.entry(iteration).or_default();
        let means = &mut by_kind[perturbed.kind as usize];
        means.intra.extend(intra.iter().filter_map(|row| row.value));
        means
            .effect
            .extend(intra.iter().filter_map(|row| row.effect));
        means.inter.extend(inter.value);
        Ok(())
    }

    /// Result over everything added so far.
    #[must_use]
    pub fn finish(&self) -> MetaConsistency {
        let iterations = self.iterations.values().map(|[minor, disruptive]| {
            let numbers = IterationConsistency {
                iac_minor: minor.intra.value(),
                iac_disruptive: disruptive.intra.value(),
                iec_minor: minor.inter.value(),
                iec_disruptive: disruptive.inter.value(),
                effect_minor: minor.effect.value(),
                effect_disruptive: disruptive.effect.value(),
                value: None,
            };
            IterationConsistency {
                value: mean_of_defined(&numbers.parts()).0,
                ..numbers
            }
        });
        let iterations: Vec<IterationConsistency> = iterations.collect();
        let values: Vec<Option<f64>> = iterations.iter().map(|i| i.value).collect();
        let (value, _) = mean_of_defined(&values);
        let parts = iterations.iter().flat_map(IterationConsistency::parts);
        MetaConsistency {
            value,
            std: value.map(|mean| deviation(mean, values.iter().flatten().copied())),
            n_undefined: parts.filter(Option::is_none).count(),
            iterations,
        }
    }
}

impl std::fmt::Debug for MetaEvaluation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetaEvaluation")
            .field("shape", &self.values.shape())
            .field("direction", &self.direction)
            .field("n_iterations", &self.iterations.len())
            .finish()
    }
}

/// Population standard deviation of at least one value around the given mean.
fn deviation(mean: f64, values: impl Iterator<Item = f64>) -> f64 {
    let squares: ExactMean = values.map(|x| (x - mean) * (x - mean)).collect();
    squares.value().unwrap_or_default().sqrt()
}

/// Result of a [`MetaEvaluation`]: the behaviour of a metric under perturbations.
///
/// ```text
/// per iteration: v_t = mean of intra-consistency (minor, disruptive) and inter-consistency (minor, disruptive),
///                each averaged over perturbations (and explainers); undefined values are left out
/// value = mean of the defined v_t      std = √(mean of (v_t − value)²)
/// ```
///
/// In [0, 1], higher is better: 1 = values and ranks do not change if the prediction does not, and
/// all values get worse if it does. A metric that never reacts has about 0.5 (minor 1, disruptive
/// 0).
///
/// # Source
/// Hedström et al., *The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators with
/// MetaQuantus*, 2023.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MetaConsistency {
    /// Mean of the values of the iterations that have one; `None` if none has.
    pub value: Option<f64>,
    /// Population standard deviation of the same values around [`value`](Self::value); `None`
    /// without values.
    pub std: Option<f64>,
    /// Number of undefined parts over all iterations, of four per iteration.
    pub n_undefined: usize,
    /// Results of the iterations, in their order.
    pub iterations: Vec<IterationConsistency>,
}

/// Result of one iteration. Each number is the mean over the perturbations of a kind for which it
/// is defined.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct IterationConsistency {
    /// [Intra-consistency](super::intra_consistency) after minor perturbations, also averaged over
    /// explainers.
    pub iac_minor: Option<f64>,
    /// [Intra-consistency](super::intra_consistency) after disruptive perturbations.
    pub iac_disruptive: Option<f64>,
    /// [Inter-consistency](super::inter_consistency) after minor perturbations.
    pub iec_minor: Option<f64>,
    /// [Inter-consistency](super::inter_consistency) after disruptive perturbations.
    pub iec_disruptive: Option<f64>,
    /// [Effect](super::IntraConsistency::effect) after minor perturbations, also averaged over
    /// explainers. Not part of the mean.
    pub effect_minor: Option<f64>,
    /// [Effect](super::IntraConsistency::effect) after disruptive perturbations. Not part of the
    /// mean.
    pub effect_disruptive: Option<f64>,
    /// Mean of the defined ones of the four consistencies.
    pub value: Option<f64>,
}

impl IterationConsistency {
    /// The four numbers that the mean is taken of.
    fn parts(&self) -> [Option<f64>; 4] {
        let intra = [self.iac_minor, self.iac_disruptive];
        let inter = [self.iec_minor, self.iec_disruptive];
        [intra[0], intra[1], inter[0], inter[1]]
    }
}

impl MetaConsistency {
    /// Mean of the intra- and inter-consistency of a metric under minor and disruptive perturbations.
    ///
    /// ```text
    /// mean of intra-consistency and inter-consistency, minor and disruptive, over iterations
    /// ```
    ///
    /// # Extremes
    /// 1: noise changes nothing, and every value gets worse if the prediction changes. 0.5: about
    /// the value of a metric that never changes.
    ///
    /// # Limits
    /// Two of its four parts are p-values: compare metrics at equal numbers of samples. It depends
    /// on the strength of the perturbations.
    ///
    /// # Source
    /// Hedström et al. 2023.
    ///
    /// # Elsewhere
    /// `metaquantus.MetaEvaluation (MC)`
    #[metric(
        name = "meta-consistency",
        title = "Meta-consistency",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[ input::VALUES, input::PERTURBED, input::KEEP, input::DIRECTION],
    )]
    pub const META_CONSISTENCY: Score<Self> = Score::new(INFO, |result: &Self| result.value);
}

impl Scores for MetaConsistency {
    const SCORES: &'static [Score<Self>] = &[Self::META_CONSISTENCY];
}

const _: () = {
    // `add` uses the kinds as indices, and `finish` reads them in this order.
    assert!(PerturbationKind::Minor as usize == 0 && PerturbationKind::Disruptive as usize == 1);
};
