//! Result of fidelity, and the characterization score that combines necessity and sufficiency.

use std::fmt;

use xai_core::describe::{Parameters, Score, Scores, metric};
use xai_core::number::check_domain;
use xai_core::tensor::check_shape;
use xai_core::{Error, Input, Real, Result};

use crate::input;

/// Tolerance of the sum of the weights, for rounding: 0.7 + 0.2 and 0.1 do not sum to exactly 1 in `f64`.
const WEIGHT_TOLERANCE: f64 = 1e-9;

/// Weighted harmonic mean of fid₊ and 1 − fid₋.
///
/// ```text
/// (w₊ + w₋) / (w₊ / fid₊ + w₋ / (1 − fid₋))
/// ```
///
/// In [0, 1], higher is better: 1 = necessary and sufficient; 0 = fid₊ is 0 (nothing changes without the explanation)
/// or fid₋ is 1 (everything changes with it alone).
///
/// ```
/// use xai_graph::Characterization;
/// let characterization = Characterization::new();
/// assert_eq!(characterization.score(0.75, 0.25)?, 0.75);
/// assert_eq!(characterization.score(0.0, 0.25)?, 0.0);
/// assert_eq!(characterization.pos_weight(1.0).neg_weight(0.0).score(0.75, 0.5)?, 0.75);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Amara et al., *GraphFramEx*, arXiv 2206.09677. PyTorch Geometric's
/// `characterization_score` compares the sum of the weights with 1 exactly and refuses 0.7 + 0.2 + 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Characterization {
    /// Weight of fid₊; both weights sum to 1.
    ///
    /// A term with weight 0 is left out.
    #[param(at_least = 0)]
    pos_weight: f64,
    /// Weight of 1 − fid₋; both weights sum to 1.
    #[param(at_least = 0)]
    neg_weight: f64,
}

impl Default for Characterization {
    fn default() -> Self {
        Self::new()
    }
}

impl Characterization {
    /// Equal weights.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            pos_weight: 0.5,
            neg_weight: 0.5,
        }
    }

    /// Score of one explanation.
    ///
    /// # Errors
    /// `NonFinite` and `OutOfDomain` for a fidelity outside [0, 1], `InvalidParameter` for weights that are negative or
    /// do not sum to 1.
    pub fn score(&self, pos_fidelity: f64, neg_fidelity: f64) -> Result<f64> {
        self.check_weights()?;
        check_fidelities(&[pos_fidelity], &[neg_fidelity])?;
        Ok(self.score_checked(pos_fidelity, neg_fidelity))
    }

    /// Scores at the points of a fidelity curve.
    ///
    /// # Errors
    /// As [`score`](Self::score); `ShapeMismatch` if the lengths differ.
    ///
    /// ```
    /// let scores = xai_graph::Characterization::new().scores(&[0.5, 1.0], &[0.5, 0.0])?;
    /// assert_eq!(scores, vec![0.5, 1.0]);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn scores<T: Real>(&self, pos_fidelity: &[T], neg_fidelity: &[T]) -> Result<Vec<f64>> {
        self.check_weights()?;
        check_fidelities(pos_fidelity, neg_fidelity)?;
        Ok(std::iter::zip(pos_fidelity, neg_fidelity)
            .map(|(pos, neg)| self.score_checked(pos.to_f64_exact(), neg.to_f64_exact()))
            .collect())
    }

    /// Score of checked values. The fraction is expanded by both terms, so that a fidelity of 0 or 1 needs no
    /// division by 0.
    pub(crate) fn score_checked(self, pos: f64, neg: f64) -> f64 {
        let Self {
            pos_weight,
            neg_weight,
        } = self;
        let sufficient = 1.0 - neg;
        // A term of weight 0 is left out even if its fidelity is 0, where the general formula would give 0.
        if pos_weight == 0.0 {
            return sufficient;
        }
        if neg_weight == 0.0 {
            return pos;
        }
        let denominator = pos_weight * sufficient + neg_weight * pos;
        if denominator == 0.0 {
            return 0.0;
        }
        let score = (pos_weight + neg_weight) * pos * sufficient / denominator;
        // A mean lies between its terms; rounding must not violate that.
        score.clamp(pos.min(sufficient), pos.max(sufficient))
    }

    fn check_weights(&self) -> Result<()> {
        self.check_params()?;
        let sum = self.pos_weight + self.neg_weight;
        if (sum - 1.0).abs() > WEIGHT_TOLERANCE {
            let expected = "weights that sum to 1";
            return Err(Error::parameter(input::WEIGHT_SUM, sum, expected));
        }
        Ok(())
    }
}

/// Checks that fid₊ and fid₋ have the same length and values in [0, 1].
pub(crate) fn check_fidelities<T: Real>(pos: &[T], neg: &[T]) -> Result<()> {
    check_shape(input::NEG_FIDELITY, &[pos.len()], &[neg.len()])?;
    let within = |x: f64| (0.0..=1.0).contains(&x);
    check_domain(input::POS_FIDELITY, pos, within, "a fidelity in [0, 1]")?;
    check_domain(input::NEG_FIDELITY, neg, within, "a fidelity in [0, 1]")
}

/// Changes of predictions without an explanation, and with only the explanation. For fidelity by probability, mean
/// absolute changes of the probability take the place of the shares.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fidelity {
    /// fid₊ in [0, 1]: share of the predictions that change without the explanation. 1 = necessary.
    pub pos: f64,
    /// fid₋ in [0, 1]: share of the predictions that change with only the explanation. 0 = sufficient.
    pub neg: f64,
    /// Number of compared samples.
    pub n_samples: u64,
}

impl Fidelity {
    /// The [characterization score](Characterization) with weights ½ and ½.
    #[must_use]
    pub fn characterization(&self) -> f64 {
        Characterization::new().score_checked(self.pos, self.neg)
    }
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "fidelity over {} samples: fid+ {:.4} (1 = necessary), fid- {:.4} (0 = sufficient), \
             characterization {:.4}",
            self.n_samples,
            self.pos,
            self.neg,
            self.characterization()
        )
    }
}

const NEEDS: &[Input] = &[input::FULL, input::KEPT, input::COMPLEMENT];

impl Fidelity {
    /// Share of predictions that change when the explanation is removed from the graph.
    ///
    /// ```text
    /// mean of |1[ŷ = y] − 1[ŷ(complement) = y]|, y the true class for explanations of the phenomenon, else ŷ
    /// ```
    ///
    /// # Extremes
    /// 0: the explanation is not necessary. 1: every prediction needs it.
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    ///
    /// # Elsewhere
    /// `torch_geometric.explain.metric.fidelity`
    #[metric(
        name = "pos_fidelity",
        title = "Fidelity+",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = NEEDS,
    )]
    pub const POS_FIDELITY: Score<Self> = Score::new(INFO, |fidelity| Some(fidelity.pos));

    /// Share of predictions that change when only the explanation is kept.
    ///
    /// ```text
    /// mean of |1[ŷ = y] − 1[ŷ(explanation) = y]|, y the true class for explanations of the phenomenon, else ŷ
    /// ```
    ///
    /// # Extremes
    /// 0: the explanation is sufficient. 1: no prediction survives.
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    ///
    /// # Elsewhere
    /// `torch_geometric.explain.metric.fidelity`
    #[metric(
        name = "neg_fidelity",
        title = "Fidelity-",
        direction = Direction::Lower,
        range = Range::SHARE,
        needs = NEEDS,
    )]
    pub const NEG_FIDELITY: Score<Self> = Score::new(INFO, |fidelity| Some(fidelity.neg));

    /// Weighted harmonic mean of fid₊ and 1 − fid₋.
    ///
    /// ```text
    /// 1 / (w₊ / fid₊ + w₋ / (1 − fid₋)), w₊ = w₋ = ½
    /// ```
    ///
    /// # Extremes
    /// 0: the explanation is not necessary, or not sufficient. 1: it is both.
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, 2022, arXiv 2206.09677.
    ///
    /// # Elsewhere
    /// `torch_geometric.explain.metric.characterization_score`
    #[metric(
        name = "characterization",
        direction = Direction::Higher,
        range = Range::SHARE,
        needs = NEEDS,
    )]
    pub const CHARACTERIZATION: Score<Self> =
        Score::new(INFO, |fidelity| Some(fidelity.characterization()));
}

impl Scores for Fidelity {
    const SCORES: &'static [Score<Self>] = &[
        Self::POS_FIDELITY,
        Self::NEG_FIDELITY,
        Self::CHARACTERIZATION,
    ];
}
