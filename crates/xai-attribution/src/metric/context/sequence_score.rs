//! Score of a token sequence, from the logits of its tokens.

use xai_core::describe::Parameter;
use xai_core::number::check_finite_slice;
use xai_core::{Error, Result};

use crate::input;

/// Scale of the score of a sequence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "output")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SequenceScale {
    /// Log-probability of the sequence.
    LogProb,
    /// Logit (log-odds) of its probability, which is unbounded on both sides and so resolves probabilities near 1 too.
    #[default]
    LogitProb,
}

/// Computes the score of a sequence from the logits of the probabilities of its tokens.
///
/// ```text
/// L = Σ_t log σ(ℓ_t)        log-prob: L        logit-prob: L − log(1 − e^L)
/// ```
///
/// `ℓ_t = log(p_t / (1 − p_t))`, with `p_t` the probability of token `t` given the tokens before it. The score is
/// finite however near the probability of the sequence is to 0 or 1.
///
/// ```
/// use xai_attribution::metric::{SequenceScale, sequence_score};
/// // Two tokens of probability 1/2.
/// let log_prob = sequence_score(&[0.0, 0.0], SequenceScale::LogProb)?;
/// assert!((log_prob - 0.25_f64.ln()).abs() < 1e-15);
/// let logit = sequence_score(&[0.0, 0.0], SequenceScale::LogitProb)?;
/// assert!((logit - (0.25_f64 / 0.75).ln()).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Errors
/// An empty input, and a logit that is not finite.
///
/// # Source
/// Cohen-Wang et al., *ContextCite: Attributing Model Generation to Context*, 2024. Their code computes in single
/// precision, where two tokens of logit 20 have an infinite logit.
pub fn sequence_score(token_logits: &[f64], scale: SequenceScale) -> Result<f64> {
    if token_logits.is_empty() {
        return Err(Error::empty(input::TOKEN_LOGITS));
    }
    check_finite_slice(input::TOKEN_LOGITS, token_logits)?;
    // log σ(ℓ) without overflow: the exponent is never positive.
    let log_sigmoid = |&logit: &f64| logit.min(0.0) - (-logit.abs()).exp().ln_1p();
    let log_prob: f64 = token_logits.iter().map(log_sigmoid).sum();
    if scale == SequenceScale::LogProb {
        return Ok(log_prob);
    }
    if log_prob > -1e-290 {
        // Near probability 1, L is −Σ e^−ℓ, whose terms can underflow. To first order 1 − e^L = −L = Σ e^−ℓ, and its
        // logarithm is computed as a log-sum-exp relative to the least logit, which cannot underflow.
        let least = token_logits.iter().copied().fold(f64::INFINITY, f64::min);
        let others: f64 = token_logits.iter().map(|logit| (least - logit).exp()).sum();
        return Ok(least - others.ln());
    }
    Ok(log_prob - (-log_prob.exp_m1()).ln())
}
