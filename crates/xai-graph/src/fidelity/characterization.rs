//! Characterization: necessary and sufficient in one number, and the curve over explanation sizes.

use xai_core::{Error, Real, Result, check_finite_slice, trapezoid};

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
/// [`Error::NonFinite`] and [`Error::OutOfDomain`] for a fidelity outside [0, 1],
/// [`Error::InvalidParameter`] for weights.
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
    let scores = characterization_scores(&[pos_fidelity], &[neg_fidelity], pos_weight, neg_weight)?;
    Ok(scores[0])
}

/// The [`characterization_score`] of every point of a fidelity curve.
///
/// # Errors
/// As [`characterization_score`]; [`Error::ShapeMismatch`] when the lengths differ.
///
/// ```
/// let scores = xai_graph::characterization_scores(&[0.5, 1.0], &[0.5, 0.0], 0.5, 0.5)?;
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

/// The area under `fid₊ / (1 − fid₋)` over a fidelity curve.
///
/// ```text
/// Σ_i (x_{i+1} − x_i) (f_i + f_{i+1}) / 2,  f = fid₊ / (1 − fid₋)
/// ```
///
/// `x` ascends (the share of edges kept, a threshold, …); equal neighbours add nothing. 0 = never
/// necessary; there is no upper bound, since `f` grows without bound as fid₋ nears 1.
///
/// # Errors
/// [`Error::ShapeMismatch`] when the lengths differ, [`Error::TooFew`] below two points,
/// [`Error::NonFinite`] and [`Error::OutOfDomain`] for a fidelity outside [0, 1], for fid₋ = 1 and
/// for a descent of `x`, naming the point.
///
/// ```
/// let area = xai_graph::fidelity_curve_auc(&[0.0, 0.5], &[0.0, 0.5], &[0.0, 1.0])?;
/// assert_eq!(area, 0.5); // f runs from 0 to 1
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// `fidelity_curve_auc` of `PyTorch` Geometric, after Amara et al., arXiv 2206.09677.
pub fn fidelity_curve_auc<T: Real>(pos_fidelity: &[T], neg_fidelity: &[T], x: &[T]) -> Result<f64> {
    check_fidelities(pos_fidelity, neg_fidelity)?;
    if x.len() != pos_fidelity.len() {
        return Err(Error::shape("x", &[pos_fidelity.len()], &[x.len()]));
    }
    if let Some(point) = neg_fidelity.iter().position(|neg| *neg == T::one()) {
        return Err(Error::out_of_domain(
            "neg_fidelity",
            &[point],
            1.0,
            "less than 1, the curve divides by 1 - fid-; leave the point out",
        ));
    }
    check_finite_slice("x", x)?;
    let x: Vec<f64> = x.iter().map(|x| x.to_f64_exact()).collect();
    let ratio: Vec<f64> = std::iter::zip(pos_fidelity, neg_fidelity)
        .map(|(pos, neg)| pos.to_f64_exact() / (1.0 - neg.to_f64_exact()))
        .collect();
    trapezoid(&ratio, &x)
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
    for (name, weight) in [("pos_weight", pos_weight), ("neg_weight", neg_weight)] {
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(Error::parameter(name, weight, "a weight, at least 0"));
        }
    }
    let sum = pos_weight + neg_weight;
    if (sum - 1.0).abs() > WEIGHT_TOLERANCE {
        return Err(Error::parameter(
            "pos_weight + neg_weight",
            sum,
            "weights that sum to 1",
        ));
    }
    Ok(())
}

fn check_fidelities<T: Real>(pos: &[T], neg: &[T]) -> Result<()> {
    if pos.len() != neg.len() {
        return Err(Error::shape("neg_fidelity", &[pos.len()], &[neg.len()]));
    }
    for (what, values) in [("pos_fidelity", pos), ("neg_fidelity", neg)] {
        check_finite_slice(what, values)?;
        if let Some(i) = values.iter().position(|x| *x < T::zero() || *x > T::one()) {
            let value = values[i].to_f64_exact();
            return Err(Error::out_of_domain(
                what,
                &[i],
                value,
                "a fidelity in [0, 1]",
            ));
        }
    }
    Ok(())
}
