//! Both consistencies under both kinds of perturbation as one number.

use std::collections::BTreeMap;

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::Result;
use crate::input;
use crate::reliability::inter_consistency::inter_of_checked;
use crate::reliability::intra_consistency::intra_of_checked;
use crate::reliability::perturbed::{PerturbationKind, PerturbedValues};
use crate::reliability::table::{Table, mean_of_defined, sign};
use crate::sum::ExactMean;

/// What perturbations say of a metric, added one after another; only means are kept of each.
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
    iterations: BTreeMap<usize, [OfKind; 2]>,
}

/// Means over the perturbations of one kind in one iteration, and over the explainers.
#[derive(Debug, Clone, Default)]
struct OfKind {
    intra: ExactMean,
    effect: ExactMean,
    inter: ExactMean,
}

impl<'a> MetaEvaluation<'a> {
    /// Of values before any perturbation: a row for each explainer, one value a sample.
    ///
    /// # Errors
    /// `Empty` without explainers, `ShapeMismatch` for rows of different lengths, `NonFinite` for a value,
    /// `InvalidParameter` for a metric without a better end.
    pub fn new<R: AsRef<[Option<f64>]>>(values: &'a [R], direction: Direction) -> Result<Self> {
        sign(direction)?;
        Ok(Self {
            values: Table::new(input::VALUES, values)?,
            direction,
            iterations: BTreeMap::new(),
        })
    }

    /// Adds the values after one perturbation of an iteration. Iterations and perturbations come in any order.
    ///
    /// # Errors
    /// As [`inter_consistency`](super::inter_consistency); nothing is added then.
    pub fn add<P: AsRef<[Option<f64>]>>(
        &mut self,
        iteration: usize,
        perturbed: &PerturbedValues<'_, [P]>,
    ) -> Result<()> {
        let after = Table::new(input::PERTURBED, perturbed.values)?;
        let inter = inter_of_checked(&self.values, self.direction, perturbed, &after)?;
        let rows = self.values.rows.iter().zip(&after.rows);
        let of_rows = rows.map(|(before, after)| {
            let after = PerturbedValues {
                kind: perturbed.kind,
                values: *after,
                keep: perturbed.keep,
            };
            intra_of_checked(before, &after)
        });
        let intra = of_rows.collect::<Result<Vec<_>>>()?;
        let means = self.iterations.entry(iteration).or_default();
        let means = &mut means[perturbed.kind as usize];
        means.intra.extend(intra.iter().filter_map(|of| of.value));
        means.effect.extend(intra.iter().filter_map(|of| of.effect));
        means.inter.extend(inter.value);
        Ok(())
    }

    /// The result over all that was added.
    #[must_use]
    pub fn finish(&self) -> MetaConsistency {
        let iterations = self.iterations.values().map(|[minor, disruptive]| {
            let of_iteration = IterationConsistency {
                iac_minor: minor.intra.value(),
                iac_disruptive: disruptive.intra.value(),
                iec_minor: minor.inter.value(),
                iec_disruptive: disruptive.inter.value(),
                effect_minor: minor.effect.value(),
                effect_disruptive: disruptive.effect.value(),
                value: None,
            };
            IterationConsistency {
                value: mean_of_defined(&of_iteration.four()).0,
                ..of_iteration
            }
        });
        let iterations: Vec<IterationConsistency> = iterations.collect();
        let values: Vec<Option<f64>> = iterations.iter().map(|of| of.value).collect();
        let (value, _) = mean_of_defined(&values);
        let parts = iterations.iter().flat_map(IterationConsistency::four);
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

/// Population standard deviation of at least one value around their mean.
fn deviation(mean: f64, values: impl Iterator<Item = f64>) -> f64 {
    let squares: ExactMean = values.map(|x| (x - mean) * (x - mean)).collect();
    squares.value().unwrap_or_default().sqrt()
}

/// How a metric behaves under perturbations: the result of a [`MetaEvaluation`].
///
/// ```text
/// per iteration: v_t = mean of the defined ones of intra-consistency minor and disruptive, inter-consistency minor and
///                disruptive, each the mean of its defined perturbations (and explainers)
/// value = mean of the defined v_t      std = √(mean of (v_t − value)²)
/// ```
///
/// In [0, 1], higher is better: 1 = values and ranks stay where the prediction does, and all values get worse where
/// it changes; 0.5 is about what a metric has that does not react at all (minor 1, disruptive 0).
///
/// # Source
/// Hedström et al., *The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators with
/// MetaQuantus*, 2023.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetaConsistency {
    /// Mean of the values of the iterations that have one; `None` if none has.
    pub value: Option<f64>,
    /// Population standard deviation of the same values around [`value`](Self::value); `None` if there are none.
    pub std: Option<f64>,
    /// Number of undefined ones among the four numbers of every iteration.
    pub n_undefined: usize,
    /// The numbers of each iteration, in the order of the iterations.
    pub iterations: Vec<IterationConsistency>,
}

/// The numbers of one iteration, each over its perturbations of a kind that have one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IterationConsistency {
    /// [Intra-consistency](super::intra_consistency) after minor perturbations, over explainers too.
    pub iac_minor: Option<f64>,
    /// The same after disruptive ones.
    pub iac_disruptive: Option<f64>,
    /// [Inter-consistency](super::inter_consistency) after minor perturbations.
    pub iec_minor: Option<f64>,
    /// The same after disruptive ones.
    pub iec_disruptive: Option<f64>,
    /// The [effect](super::IntraConsistency::effect) after minor perturbations, over explainers too; no part of the mean.
    pub effect_minor: Option<f64>,
    /// The same after disruptive ones.
    pub effect_disruptive: Option<f64>,
    /// Mean of the defined ones among the first four.
    pub value: Option<f64>,
}

impl IterationConsistency {
    fn four(&self) -> [Option<f64>; 4] {
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
    /// 1: noise changes nothing, and every value gets worse where the prediction changes. 0.5: about what a metric has
    /// that never moves.
    ///
    /// # Limits
    /// Half of it are p-values: compare metrics at equal numbers of samples. It depends on how much is perturbed.
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
    // The places of the two kinds in an iteration.
    assert!(PerturbationKind::Minor as usize == 0 && PerturbationKind::Disruptive as usize == 1);
};
