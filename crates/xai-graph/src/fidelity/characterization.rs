//! Characterization: necessary and sufficient in one number.

use xai_core::number::check_finite_slice;
use xai_core::{Error, Real, Result};

use crate::input;

/// Weights must sum to 1 this closely; a third and two thirds in `f64` do.
const WEIGHT_TOLERANCE: f64 = 1e-9;

/// The weighted harmonic mean of fid₊ and 1 − fid₋.
///
/// ```text
/// (w₊ + w₋) / (w₊ / fid₊ + w₋ / (1 − fid₋))
/// ```
///
/// - `pos_fidelity`, `neg_fidelity`: in [0, 1]
/// - `pos_weight`, `neg_weight`: at least 0, sum 1; a term of weight 0 drops out
///
/// In [0, 1], higher is better: 1 = necessary and sufficient; 0 = fid₊ is 0 (nothing changes
/// without the explanation) or fid₋ is 1 (everything changes with it alone).
///
/// # Errors
/// `NonFinite` and `OutOfDomain` for a fidelity outside [0, 1],
/// `InvalidParameter` for weights.
///
/// ```
/// let score = xai_graph::characterization_score(0.75, 0.25, 0.5, 0.5)?;
/// assert_eq!(score, 0.75);
/// assert_eq!(xai_graph::characterization_score(0.0, 0.25, 0.5, 0.5)?, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Amara et al., *`GraphFramEx`*, arXiv 2206.09677. `PyTorch` Geometric's
/// `characterization_score` compares the sum of the weights with 1 exactly and refuses 0.7 + 0.2 + 0.1.
pub fn characterization_score(
    pos_fidelity: f64,
    neg_fidelity: f64,
    pos_weight: f64,
    neg_weight: f64,
) -> Result<f64> {
    check_weights(pos_weight, neg_weight)?;
    check_fidelities(&[pos_fidelity], &[neg_fidelity])?;
    Ok(score(pos_fidelity, neg_fidelity, pos_weight, neg_weight))
}

/// The [`characterization_score`] of every point of a fidelity curve.
///
/// # Errors
/// As [`characterization_score`]; `ShapeMismatch` when the lengths differ.
///
/// ```
/// let scores = xai_graph::fidelity::characterization_scores(&[0.5, 1.0], &[0.5, 0.0], 0.5, 0.5)?;
/// assert_eq!(scores, vec![0.5, 1.0]);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn characterization_scores<T: Real>(
    pos_fidelity: &[T],
    neg_fidelity: &[T],
    pos_weight: f64,
    neg_weight: f64,
) -> Result<Vec<f64>> {
    check_weights(pos_weight, neg_weight)?;
    check_fidelities(pos_fidelity, neg_fidelity)?;
    Ok(std::iter::zip(pos_fidelity, neg_fidelity)
        .map(|(pos, neg)| {
            let (pos, neg) = (pos.to_f64_exact(), neg.to_f64_exact());
            score(pos, neg, pos_weight, neg_weight)
        })
        .collect())
}

/// The score for checked values. Multiplied through by both terms, so that nothing is divided by 0.
pub(crate) fn score(pos: f64, neg: f64, pos_weight: f64, neg_weight: f64) -> f64 {
    let sufficient = 1.0 - neg;
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
    // A mean lies between its terms; rounding must not show.
    score.clamp(pos.min(sufficient), pos.max(sufficient))
}

fn check_weights(pos_weight: f64, neg_weight: f64) -> Result<()> {
    for (input, weight) in [
        (input::POS_WEIGHT, pos_weight),
        (input::NEG_WEIGHT, neg_weight),
    ] {
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(Error::parameter(input, weight, "a weight, at least 0"));
        }
    }
    let sum = pos_weight + neg_weight;
    if (sum - 1.0).abs() > WEIGHT_TOLERANCE {
        return Err(Error::parameter(
            input::WEIGHT_SUM,
            sum,
            "weights that sum to 1",
        ));
    }
    Ok(())
}

/// Checks that fid₊ and fid₋ of the points of a curve are in [0, 1] and equally many.
pub(crate) fn check_fidelities<T: Real>(pos: &[T], neg: &[T]) -> Result<()> {
    if pos.len() != neg.len() {
        return Err(Error::shape(
            input::NEG_FIDELITY,
            &[pos.len()],
            &[neg.len()],
        ));
    }
    for (input, values) in [(input::POS_FIDELITY, pos), (input::NEG_FIDELITY, neg)] {
        check_finite_slice(input, values)?;
        if let Some(i) = values.iter().position(|x| *x < T::zero() || *x > T::one()) {
            let value = values[i].to_f64_exact();
            return Err(Error::out_of_domain(
                input,
                &[i],
                value,
                "a fidelity in [0, 1]",
            ));
        }
    }
    Ok(())
}
