//! Kullback–Leibler divergence.

use xai_core::number::{check_domain, elementary};
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::input;

/// Kullback–Leibler divergence `KL(p‖q) = Σ p_i ln(p_i / q_i)` in nats, from probabilities.
///
/// `0 · ln 0` is 0. An outcome that is possible under `p` and impossible under `q` (`p_i > 0`, `q_i = 0`) makes the
/// divergence ∞. 0 means equal distributions; there is no upper bound. Not symmetric. The sums of `p` and `q` are not
/// checked, and a result below 0 from rounding is 0.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `Empty` without outcomes, `NonFinite` and `OutOfDomain` for values that are
/// not probabilities.
///
/// ```
/// use xai_graph::unfaithfulness::kl_divergence;
/// let kl = kl_divergence(&[0.5, 0.5], &[0.25, 0.75])?;
/// assert!((kl - (0.5 * 2f64.ln() + 0.5 * (2.0f64 / 3.0).ln())).abs() < 1e-15);
/// assert_eq!(kl_divergence(&[0.5, 0.5], &[1.0, 0.0])?, f64::INFINITY);
/// assert_eq!(kl_divergence(&[1.0, 0.0], &[1.0, 0.0])?, 0.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Kullback and Leibler, *On information and sufficiency*, 1951.
pub fn kl_divergence<T: Real>(p: &[T], q: &[T]) -> Result<f64> {
    check_outcomes(p, q)?;
    for (input, row) in [(input::P, p), (input::Q, q)] {
        // Probabilities computed in low precision may exceed 1 slightly.
        let within = |x: f64| (0.0..=1.0 + 1e-4).contains(&x);
        check_domain(input, row, within, "a probability")?;
    }
    let terms = p.iter().zip(q).map(|(p, q)| {
        let (p, q) = (p.to_f64_exact(), q.to_f64_exact());
        kl_term(p, elementary::ln(p), elementary::ln(q))
    });
    Ok(terms.sum::<f64>().max(0.0))
}

/// Kullback–Leibler divergence `KL(p‖q) = Σ e^{ln p_i} (ln p_i − ln q_i)` in nats, from log-probabilities.
///
/// Like [`kl_divergence`], but probabilities of `q` that are too small for a double still enter with their logarithm.
/// −∞ is the log-probability of an impossible outcome.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `Empty` without outcomes, `NonFinite` for NaN, and `OutOfDomain` for a
/// positive log-probability.
///
/// ```
/// use xai_graph::unfaithfulness::kl_divergence_from_logs;
/// let kl = kl_divergence_from_logs(&[0.0, -2000.0], &[-2000.0, 0.0])?;
/// assert_eq!(kl, 2000.0);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn kl_divergence_from_logs<T: Real>(log_p: &[T], log_q: &[T]) -> Result<f64> {
    check_outcomes(log_p, log_q)?;
    for (input, row) in [(input::LOG_P, log_p), (input::LOG_Q, log_q)] {
        if let Some(i) = row.iter().position(|x| x.is_nan()) {
            return Err(Error::non_finite(input, &[i]));
        }
        if let Some(i) = row.iter().position(|x| x.to_f64_exact() > 1e-4) {
            let (value, expected) = (row[i].to_f64_exact(), "a log-probability, at most 0");
            return Err(Error::out_of_domain(input, &[i], value, expected));
        }
    }
    let terms = log_p.iter().zip(log_q).map(|(log_p, log_q)| {
        let (log_p, log_q) = (log_p.to_f64_exact(), log_q.to_f64_exact());
        kl_term(elementary::exp(log_p), log_p, log_q)
    });
    Ok(terms.sum::<f64>().max(0.0))
}

fn check_outcomes<T>(p: &[T], q: &[T]) -> Result<()> {
    check_shape(input::Q, &[p.len()], &[q.len()])?;
    if p.is_empty() {
        Err(Error::empty(input::OUTCOMES))
    } else {
        Ok(())
    }
}

/// One term of the divergence, `p (ln p − ln q)`: 0 for `p = 0`, and ∞ for `q = 0 < p`.
///
/// Only impossible outcomes have infinite logarithms, so the two are never both infinite when `p > 0`.
#[inline(always)]
#[must_use]
pub(crate) fn kl_term(p: f64, log_p: f64, log_q: f64) -> f64 {
    if p > 0.0 { p * (log_p - log_q) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xai_core::ErrorKind;

    #[test]
    fn a_certain_answer_costs_the_logarithm_of_its_probability() {
        let kl = kl_divergence(&[1.0, 0.0, 0.0], &[0.25, 0.25, 0.5]).unwrap();
        assert!((kl - 4f64.ln()).abs() < 1e-15);
        let same = kl_divergence(&[0.1f32, 0.2, 0.7], &[0.1, 0.2, 0.7]).unwrap();
        assert_eq!(same, 0.0);
    }

    #[test]
    fn both_forms_agree() {
        let (p, q) = ([0.1, 0.2, 0.7, 0.0], [0.3, 0.3, 0.3, 0.1]);
        let logs = |row: [f64; 4]| row.map(f64::ln);
        let from_logs = kl_divergence_from_logs(&logs(p), &logs(q)).unwrap();
        assert!((kl_divergence(&p, &q).unwrap() - from_logs).abs() < 1e-15);
        let impossible = kl_divergence_from_logs(&logs(q), &logs(p)).unwrap();
        assert_eq!(impossible, f64::INFINITY);
    }

    #[test]
    fn outputs_that_are_no_distribution_are_refused() {
        let error = |p: &[f64], q: &[f64]| kl_divergence(p, q).unwrap_err();
        let lengths = error(&[1.0, 0.0], &[1.0]);
        assert_eq!(lengths.input(), input::Q);
        assert!(matches!(lengths.kind(), ErrorKind::ShapeMismatch { .. }));
        let negative = error(&[1.0, -0.5], &[1.0, 0.0]);
        assert_eq!((negative.input(), negative.index()), (input::P, &[1][..]));
        assert!(matches!(negative.kind(), ErrorKind::OutOfDomain { .. }));
        let nan = error(&[1.0, 0.0], &[f64::NAN, 0.0]);
        assert_eq!((nan.input(), nan.index()), (input::Q, &[0][..]));
        assert!(matches!(nan.kind(), ErrorKind::NonFinite));
        let nothing = kl_divergence::<f64>(&[], &[]).unwrap_err();
        assert!(matches!(nothing.kind(), ErrorKind::Empty));
        let positive = kl_divergence_from_logs(&[0.0], &[0.5]).unwrap_err();
        assert_eq!(
            (positive.input(), positive.index()),
            (input::LOG_Q, &[0][..])
        );
    }
}
