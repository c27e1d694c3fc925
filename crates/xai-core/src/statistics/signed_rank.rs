//! Wilcoxon's signed-rank test of paired differences.

use libm::erfc;

use crate::error::Result;
use crate::input;
use crate::number::check_finite_slice;
use crate::statistics::ranks::centred_ranks;

/// Largest number of differences for which the exact distribution is used.
const MOST_EXACT: usize = 50;
/// The same for split zeros if there are zeros or ties.
const MOST_EXACT_OF_SPLIT_TIES: usize = 13;

/// Treatment of differences that are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ZeroMethod {
    /// Zeros are left out, as Wilcoxon did; the test uses the other differences.
    #[default]
    Wilcox,
    /// Zeros have the lowest ranks, and half of their rank sum counts on each side. Many zeros are
    /// evidence for no change.
    Split,
}

/// Result of Wilcoxon's two-sided signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SignedRankTest {
    /// Number of ranked differences: with [`ZeroMethod::Wilcox`] those that are not 0, with
    /// [`ZeroMethod::Split`] all.
    pub n: usize,
    /// Sum of the ranks of the positive differences.
    pub w_plus: f64,
    /// Sum of the ranks of the negative differences.
    pub w_minus: f64,
    /// Probability of rank sums at least as unequal if the differences are symmetric about 0;
    /// `None` if `n` is 0.
    pub p_value: Option<f64>,
}

impl SignedRankTest {
    /// Matched-pairs rank-biserial correlation without its sign, `|W⁺ − W⁻| / (W⁺ + W⁻)`.
    ///
    /// In [0, 1] for any `n`: 0 = both sides are equal, 1 = all differences are on one side. `None`
    /// if `n` is 0.
    ///
    /// ```
    /// use xai_core::statistics::{ZeroMethod, wilcoxon_signed_rank};
    /// let test = wilcoxon_signed_rank(&[3.0, 2.0, -1.0], ZeroMethod::Wilcox)?;
    /// assert_eq!(test.effect(), Some(4.0 / 6.0)); // ranks 3 and 2 against 1
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        (self.n > 0).then(|| (self.w_plus - self.w_minus).abs() / (self.w_plus + self.w_minus))
    }
}

/// Wilcoxon's signed-rank test of whether paired differences are symmetric about 0.
///
/// ```text
/// W⁺ = Σ_{d_i > 0} rank |d_i|      p = 2 P(W ≤ min(W⁺, W⁻))
/// ```
///
/// Differences of equal magnitude share their mean rank. With [`ZeroMethod::Wilcox`] zeros are left
/// out, and for up to 50 differences the distribution of W under random signs is exact, also with
/// ties. With [`ZeroMethod::Split`] zeros rank lowest and count half on both sides; the
/// distribution is exact for up to 50 differences without zeros and ties, and for up to 13 with
/// them. Above these numbers, the normal distribution is used, with the variance corrected for
/// ties.
///
/// # Errors
/// `NonFinite` for a difference.
///
/// ```
/// use xai_core::statistics::{ZeroMethod, wilcoxon_signed_rank};
/// let test = wilcoxon_signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0], ZeroMethod::Wilcox)?;
/// assert_eq!((test.w_plus, test.w_minus), (15.0, 0.0));
/// assert_eq!(test.p_value, Some(2.0 / 32.0)); // one of 2^5 signs, both sides
///
/// let test = wilcoxon_signed_rank(&[0.0, 1.0, 2.0], ZeroMethod::Split)?;
/// assert_eq!((test.w_plus, test.w_minus), (5.5, 0.5)); // the zero has rank 1
/// assert_eq!(test.p_value, Some(2.0 / 4.0)); // one of 2^2 signs, both sides
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Wilcoxon, *Individual comparisons by ranking methods*, 1945. With `Wilcox`,
/// `scipy.stats.wilcoxon` with its defaults (version 1.17: zeros left out, no continuity
/// correction) gives the same `p` where no difference is 0 and no two sizes are equal. With zeros
/// or ties it does too for up to 13 pairs and for more than 50 differences that are not 0; in
/// between SciPy uses the normal distribution, where this test is exact. With `Split`, its
/// `zero_method="zsplit"` gives the same `p` everywhere.
pub fn wilcoxon_signed_rank(differences: &[f64], zeros: ZeroMethod) -> Result<SignedRankTest> {
    check_finite_slice(input::DIFFERENCES, differences)?;
    let ranked = |d: &f64| zeros == ZeroMethod::Split || *d != 0.0;
    let differences: Vec<f64> = differences.iter().copied().filter(ranked).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let n = sizes.len();
    let count = n as f64;
    // Twice the mid-ranks, so that all rank sums are integers.
    let ranks: Vec<f64> = centred_ranks(&sizes)
        .into_iter()
        .map(|rank| rank + count + 1.0)
        .collect();
    let sum_where = |predicate: fn(f64) -> bool| -> f64 {
        let signed = ranks.iter().zip(&differences);
        signed
            .filter(|(_, d)| predicate(**d))
            .map(|(rank, _)| rank)
            .sum()
    };
    let unmoved = sum_where(|d| d == 0.0) / 2.0;
    let plus = sum_where(|d| d > 0.0) + unmoved;
    let minus = count * (count + 1.0) - plus;
    let smaller = plus.min(minus);
    let is_exact = match zeros {
        ZeroMethod::Wilcox => n <= MOST_EXACT,
        ZeroMethod::Split if n <= MOST_EXACT_OF_SPLIT_TIES => true,
        ZeroMethod::Split => n <= MOST_EXACT && unmoved == 0.0 && ties(&ranks) == 0.0,
    };
    let p_value = match n {
        0 => None,
        _ if is_exact => {
            // Zeros contribute the same to both sides for any signs, so the distribution is that of
            // the other ranks.
            let nonzero: Vec<f64> = ranks
                .iter()
                .zip(&differences)
                .filter(|(_, d)| **d != 0.0)
                .map(|(rank, _)| *rank)
                .collect();
            Some(exact_p_value(&nonzero, smaller - unmoved))
        }
        _ => Some(normal_p_value(&ranks, smaller / 2.0)),
    };
    Ok(SignedRankTest {
        n,
        w_plus: plus / 2.0,
        w_minus: minus / 2.0,
        p_value,
    })
}

/// Twice the share of all sign patterns whose doubled rank sum is at most `sum`.
fn exact_p_value(doubled_ranks: &[f64], sum: f64) -> f64 {
    let total: f64 = doubled_ranks.iter().sum();
    // `share[s]` is the share of sign patterns of the ranks so far with sum s. It is updated from
    // above, so that each rank is used once.
    let mut share = vec![0.0; total as usize + 1];
    share[0] = 1.0;
    for &rank in doubled_ranks {
        let rank = rank as usize;
        for s in (0..share.len()).rev() {
            let with = if s >= rank { share[s - rank] } else { 0.0 };
            share[s] = 0.5 * (share[s] + with);
        }
    }
    (2.0 * share[..=sum as usize].iter().sum::<f64>()).min(1.0)
}

/// p-value from the normal distribution with the mean and the variance of the rank sum.
fn normal_p_value(doubled_ranks: &[f64], sum: f64) -> f64 {
    let n = doubled_ranks.len() as f64;
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties(doubled_ranks) / 48.0;
    let z = (mean - sum) / variance.sqrt();
    // `erfc` keeps the relative precision of small p-values, which `1 − Φ(z)` would lose.
    erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// `Σ (t³ − t)` over the sets of `t` equal ranks.
fn ties(ranks: &[f64]) -> f64 {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
        .chunk_by(|a, b| a == b)
        .map(|tied| tied.len() as f64)
        .map(|t| t * t * t - t)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::ranks::mid_ranks;
    use proptest::prelude::*;

    /// All 2^n sign patterns of what moved, counted one by one.
    fn by_enumeration(differences: &[f64]) -> f64 {
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let (ranks, n) = (mid_ranks(&sizes), differences.len());
        let unmoved: f64 = (0..n)
            .filter(|&i| differences[i] == 0.0)
            .map(|i| ranks[i] / 2.0)
            .sum();
        let moved: Vec<usize> = (0..n).filter(|&i| differences[i] != 0.0).collect();
        let sum = |is_up: &dyn Fn(usize) -> bool| -> f64 {
            let up = moved.iter().enumerate().filter(|(k, _)| is_up(*k));
            unmoved + up.map(|(_, &i)| ranks[i]).sum::<f64>()
        };
        let plus = sum(&|k| differences[moved[k]] > 0.0);
        let smaller = plus.min(ranks.iter().sum::<f64>() - plus);
        let extreme = (0..1usize << moved.len()).filter(|s| sum(&|k| s >> k & 1 == 1) <= smaller);
        (2.0 * extreme.count() as f64 / (1usize << moved.len()) as f64).min(1.0)
    }

    proptest! {
        #[test]
        fn the_exact_distribution_is_that_of_all_signs(d in prop::collection::vec(-6i8..6, 1..11)) {
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            let split = wilcoxon_signed_rank(&d, ZeroMethod::Split).unwrap();
            prop_assert!((split.p_value.unwrap() - by_enumeration(&d)).abs() < 1e-12);
            let without: Vec<f64> = d.iter().copied().filter(|x| *x != 0.0).collect();
            let left_out = wilcoxon_signed_rank(&d, ZeroMethod::Wilcox).unwrap();
            prop_assert_eq!(left_out, wilcoxon_signed_rank(&without, ZeroMethod::Wilcox).unwrap());
            prop_assert_eq!(left_out.p_value.is_none(), without.is_empty());
            if let Some(p) = left_out.p_value {
                prop_assert!((p - by_enumeration(&without)).abs() < 1e-12);
            }
        }

        #[test]
        fn negated_differences_swap_the_rank_sums(
            d in prop::collection::vec(-9i8..9, 0..80), split in any::<bool>()
        ) {
            let zeros = if split { ZeroMethod::Split } else { ZeroMethod::Wilcox };
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            let negated: Vec<f64> = d.iter().map(|x| -x).collect();
            let [a, b] = [&d, &negated].map(|d| wilcoxon_signed_rank(d, zeros).unwrap());
            prop_assert_eq!((a.w_plus, a.p_value, a.effect()), (b.w_minus, b.p_value, b.effect()));
            prop_assert!(a.p_value.is_none_or(|p| p > 0.0 && p <= 1.0));
        }
    }

    #[test]
    fn only_zeros_have_no_p_value_or_p_value_one() {
        let left_out = wilcoxon_signed_rank(&[0.0, -0.0], ZeroMethod::Wilcox).unwrap();
        assert_eq!(
            (left_out.n, left_out.p_value, left_out.effect()),
            (0, None, None)
        );
        for n in [2, 13, 14, 51] {
            let split = wilcoxon_signed_rank(&vec![0.0; n], ZeroMethod::Split).unwrap();
            assert_eq!(
                (split.n, split.p_value, split.effect()),
                (n, Some(1.0), Some(0.0))
            );
        }
    }
}
