//! Kullback–Leibler divergence between the rows of two output arrays, several rows at a time.
//!
//! Rows are short (ten classes), so a loop along one wastes most of a vector register, and sums
//! within it wait for one another. Here [`LANES`] rows are laid side by side, column after column,
//! and every step runs over the lanes: each row is computed in the same order of operations as
//! alone, whatever the width of the registers, so the result does not depend on the machine.

use ndarray::ArrayView2;
use xai_core::{Real, elementary, kl_term};

use crate::outputs::{OutputDistribution, ReturnType, SUM_TOLERANCE};

/// Rows side by side.
pub(crate) const LANES: usize = 16;

/// One number a row.
type Lanes = [f64; LANES];

/// Scratch for the divergences of [`LANES`] rows.
pub(crate) struct RowDivergence {
    returns: ReturnType,
    distribution: OutputDistribution,
    /// Outputs, then log-probabilities, of the distribution that is taken as the truth.
    log_p: Vec<Lanes>,
    /// Those of the other.
    log_q: Vec<Lanes>,
    /// Probabilities of the truth.
    p: Vec<Lanes>,
    divergences: Lanes,
}

impl RowDivergence {
    pub(crate) fn new(
        n_columns: usize,
        returns: ReturnType,
        distribution: OutputDistribution,
    ) -> Self {
        Self {
            returns,
            distribution,
            log_p: vec![[0.0; LANES]; n_columns],
            log_q: vec![[0.0; LANES]; n_columns],
            p: vec![[0.0; LANES]; n_columns],
            divergences: [0.0; LANES],
        }
    }

    /// The divergences of at most [`LANES`] rows, one a lane; `None` if a row does not hold what
    /// it should.
    pub(crate) fn compute<T: Real>(
        &mut self,
        p: ArrayView2<'_, T>,
        q: ArrayView2<'_, T>,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Option<&Lanes> {
        load(&mut self.log_p, p, rows.clone());
        load(&mut self.log_q, q, rows.clone());
        let n = rows.len();
        let Self {
            returns,
            distribution,
            log_p,
            log_q,
            p,
            divergences,
        } = self;
        let valid = match distribution {
            OutputDistribution::Categorical => {
                let valid = normalize(*returns, log_p, Some(p)) & normalize(*returns, log_q, None);
                *divergences = categorical(p, log_p, log_q);
                valid
            }
            OutputDistribution::Bernoulli => {
                let mut valid = Mask::all();
                *divergences = [0.0; LANES];
                for (p, q) in log_p.iter().zip(log_q.iter()) {
                    for lane in 0..LANES {
                        let ok = bernoulli(*returns, p[lane], q[lane]);
                        valid.0[lane] &= ok.is_some();
                        divergences[lane] += ok.unwrap_or_default();
                    }
                }
                valid
            }
        };
        // What rounding leaves below 0 is 0.
        for divergence in divergences.iter_mut() {
            *divergence = if *divergence > 0.0 { *divergence } else { 0.0 };
        }
        valid.0[..n].iter().all(|&ok| ok).then_some(divergences)
    }
}

/// Which lanes hold what they should.
#[derive(Clone, Copy)]
struct Mask([bool; LANES]);

impl Mask {
    fn all() -> Self {
        Self([true; LANES])
    }
}

impl std::ops::BitAnd for Mask {
    type Output = Self;

    fn bitand(mut self, other: Self) -> Self {
        for (own, other) in self.0.iter_mut().zip(other.0) {
            *own &= other;
        }
        self
    }
}

/// Lays rows side by side; lanes without a row keep an older one.
fn load<T: Real>(
    lanes: &mut [Lanes],
    outputs: ArrayView2<'_, T>,
    rows: impl Iterator<Item = usize>,
) {
    for (lane, row) in rows.enumerate() {
        for (column, x) in lanes.iter_mut().zip(outputs.row(row)) {
            column[lane] = x.to_f64_exact();
        }
    }
}

/// Turns outputs into log-probabilities in place, and probabilities beside if asked.
fn normalize(returns: ReturnType, outputs: &mut [Lanes], mut p: Option<&mut Vec<Lanes>>) -> Mask {
    let mut valid = Mask::all();
    match returns {
        ReturnType::Logits => {
            let mut largest = [f64::NEG_INFINITY; LANES];
            let mut not_finite = [0.0; LANES];
            for column in outputs.iter() {
                for lane in 0..LANES {
                    let x = column[lane];
                    largest[lane] = if x > largest[lane] { x } else { largest[lane] };
                    not_finite[lane] += x * 0.0; // 0, or NaN from the first that is not finite
                }
            }
            let mut total = [0.0; LANES];
            for (c, column) in outputs.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let below = column[lane] - largest[lane];
                    let e = elementary::exp(below);
                    column[lane] = below;
                    total[lane] += e;
                    if let Some(p) = p.as_deref_mut() {
                        p[c][lane] = e;
                    }
                }
            }
            let log_total = total.map(elementary::ln);
            for (c, column) in outputs.iter_mut().enumerate() {
                for lane in 0..LANES {
                    column[lane] -= log_total[lane];
                    if let Some(p) = p.as_deref_mut() {
                        p[c][lane] /= total[lane];
                    }
                }
            }
            valid = Mask(not_finite.map(|x| x == 0.0));
        }
        ReturnType::Probs | ReturnType::LogProbs => {
            let mut total = [0.0; LANES];
            for (c, column) in outputs.iter_mut().enumerate() {
                for lane in 0..LANES {
                    let x = column[lane];
                    let (probability, logarithm) = if returns == ReturnType::Probs {
                        valid.0[lane] &= x >= 0.0;
                        (x, elementary::ln(x))
                    } else {
                        valid.0[lane] &= x <= SUM_TOLERANCE;
                        (elementary::exp(x), x)
                    };
                    total[lane] += probability;
                    column[lane] = logarithm;
                    if let Some(p) = p.as_deref_mut() {
                        p[c][lane] = probability;
                    }
                }
            }
            valid = valid & Mask(total.map(|sum| (sum - 1.0).abs() <= SUM_TOLERANCE));
        }
    }
    valid
}

/// `Σ_c p_c (ln p_c − ln q_c)`.
fn categorical(p: &[Lanes], log_p: &[Lanes], log_q: &[Lanes]) -> Lanes {
    let mut sum = [0.0; LANES];
    for ((p, log_p), log_q) in p.iter().zip(log_p).zip(log_q) {
        for lane in 0..LANES {
            sum[lane] += kl_term(p[lane], log_p[lane], log_q[lane]);
        }
    }
    sum
}

/// The divergence between two yes-or-no answers, `None` if one is not what it should be.
fn bernoulli(returns: ReturnType, p: f64, q: f64) -> Option<f64> {
    let (p, log_p, p_not, log_p_not) = yes_or_no(returns, p)?;
    let (_, log_q, _, log_q_not) = yes_or_no(returns, q)?;
    Some(kl_term(p, log_p, log_q) + kl_term(p_not, log_p_not, log_q_not))
}

/// Probability and log-probability of yes, and of no.
fn yes_or_no(returns: ReturnType, x: f64) -> Option<(f64, f64, f64, f64)> {
    match returns {
        ReturnType::Logits => {
            // The less likely answer has odds e^{−|x|}.
            let e = elementary::exp(-x.abs());
            let (likely, unlikely) = (1.0 / (1.0 + e), e / (1.0 + e));
            let log_likely = -e.ln_1p();
            let log_unlikely = log_likely - x.abs();
            x.is_finite().then_some(if x >= 0.0 {
                (likely, log_likely, unlikely, log_unlikely)
            } else {
                (unlikely, log_unlikely, likely, log_likely)
            })
        }
        ReturnType::Probs => {
            let rounded = x.min(1.0);
            (0.0..=1.0 + SUM_TOLERANCE).contains(&x).then(|| {
                (
                    rounded,
                    elementary::ln(rounded),
                    1.0 - rounded,
                    (-rounded).ln_1p(),
                )
            })
        }
        ReturnType::LogProbs => {
            let rounded = x.min(0.0);
            (x <= SUM_TOLERANCE).then(|| {
                let not = -rounded.exp_m1();
                (elementary::exp(rounded), rounded, not, elementary::ln(not))
            })
        }
    }
}
