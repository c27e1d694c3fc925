//! The largest attributions of a map, some of which may be tied at the cut.

use xai_core::describe::Parameter;

/// Which positions are among the largest attributions if some are tied at the cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "ties")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Ties {
    /// The value is the mean of the metric over all orders of the tied positions. A map whose attributions are all equal has
    /// no value.
    #[default]
    Expected,
    /// The position of the lower index, as in other packages. Mirror images then have different values.
    LowestIndex,
}

/// How many of the `k` largest attributions of a map lie on the object: a number, or a hypergeometric distribution if
/// positions are tied at the cut.
///
/// ```
/// use xai_attribution::metric::{MaskedMap, Ties};
/// let attributions = [0.9, 0.5, 0.5, 0.1];
/// let map = MaskedMap {
///     attributions: &attributions, inside: &[true, false, true, false], degrees: None, n_inside: 2, n_columns: 4,
/// };
/// // The first position, and one of the next two.
/// assert_eq!(map.hits(2, Ties::Expected).mean(), 1.5);
/// assert_eq!(map.hits(2, Ties::Expected).mean_of(|hits| (hits * hits) as f64), 2.5);
/// assert_eq!(map.hits(2, Ties::LowestIndex).mean(), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hits {
    /// Hits above the tied block.
    certain: usize,
    /// Positions of the tied block.
    block: usize,
    /// Positions of the tied block on the object.
    block_inside: usize,
    /// How many positions of the block are among the `k`.
    drawn: usize,
}

impl Hits {
    const fn exactly(hits: usize) -> Self {
        Self {
            certain: hits,
            block: 0,
            block_inside: 0,
            drawn: 0,
        }
    }

    /// Counts the positions inside among the `k` largest attributions, in linear time.
    pub(super) fn new(attributions: &[f64], inside: &[bool], k: usize, ties: Ties) -> Self {
        if k == 0 {
            return Self::exactly(0);
        }
        if k >= attributions.len() {
            return Self::exactly(inside.iter().filter(|is_inside| **is_inside).count());
        }
        let mut values = attributions.to_vec();
        let (_, &mut cut, _) = values.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
        // By value, for which −0 and 0 are tied.
        let positions = || attributions.iter().zip(inside);
        let (mut above, mut hits) = (0, Self::exactly(0));
        for (&a, &is_inside) in positions() {
            if a > cut {
                above += 1;
                hits.certain += usize::from(is_inside);
            } else if a == cut {
                hits.block += 1;
                hits.block_inside += usize::from(is_inside);
            }
        }
        hits.drawn = k - above;
        if ties == Ties::Expected {
            return hits;
        }
        let tied = positions().filter(|(a, _)| **a == cut);
        let drawn = tied.take(hits.drawn);
        Self::exactly(hits.certain + drawn.filter(|(_, is_inside)| **is_inside).count())
    }

    /// The mean number of hits over all orders of the tied block.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.block == 0 {
            return self.certain as f64;
        }
        // Of whole numbers, so that the quotient is rounded once. Positions of a map are far fewer than 2^60.
        let sum = self.certain as u128 * self.block as u128
            + self.drawn as u128 * self.block_inside as u128;
        sum as f64 / self.block as f64
    }

    /// The mean of a function of the number of hits over all orders of the tied block.
    ///
    /// The weights of the hypergeometric distribution are built from their mode by ratios, so that none overflows; those below
    /// 1e-18 of the largest do not show in the sum.
    pub fn mean_of(&self, of: impl Fn(usize) -> f64) -> f64 {
        let outside = self.block - self.block_inside;
        let (least, most) = (
            self.drawn.saturating_sub(outside),
            self.drawn.min(self.block_inside),
        );
        let of = |hits: usize| of(self.certain + hits);
        if least == most {
            return of(least);
        }
        let mode = (self.drawn as f64 + 1.0) * (self.block_inside as f64 + 1.0)
            / (self.block as f64 + 2.0);
        let mode = (mode as usize).clamp(least, most);
        // The weight of `hits + 1` in units of that of `hits`.
        let ratio = |hits: usize| {
            let missed = (outside + hits + 1 - self.drawn) as f64;
            (self.block_inside - hits) as f64 * (self.drawn - hits) as f64
                / ((hits + 1) as f64 * missed)
        };
        let (mut sum, mut total) = (of(mode), 1.0);
        let mut weight = 1.0;
        for hits in mode..most {
            weight *= ratio(hits);
            if weight < 1e-18 {
                break;
            }
            sum += weight * of(hits + 1);
            total += weight;
        }
        weight = 1.0;
        for hits in (least..mode).rev() {
            weight /= ratio(hits);
            if weight < 1e-18 {
                break;
            }
            sum += weight * of(hits);
            total += weight;
        }
        sum / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All subsets of `drawn` positions of a block, the first `inside` of which are on the object.
    fn by_enumeration(
        block: u32,
        inside: u32,
        drawn: u32,
        certain: usize,
        of: impl Fn(usize) -> f64,
    ) -> f64 {
        let subsets = (0u32..1 << block).filter(|subset| subset.count_ones() == drawn);
        let hits = |subset: u32| (subset & ((1 << inside) - 1)).count_ones() as usize;
        let values: Vec<f64> = subsets.map(|subset| of(certain + hits(subset))).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    proptest! {
        #[test]
        fn means_are_those_over_all_orders(
            block in 1u32..11, inside in 0u32..11, drawn in 0u32..11, certain in 0usize..5,
        ) {
            let (inside, drawn) = (inside.min(block), drawn.min(block));
            let hits = Hits { certain, block: block as usize, block_inside: inside as usize, drawn: drawn as usize };
            let iou = |hits: usize| hits as f64 / (40 - hits) as f64;
            let expected = by_enumeration(block, inside, drawn, certain, iou);
            prop_assert!((hits.mean_of(iou) - expected).abs() <= 1e-14 * expected);
            let mean = by_enumeration(block, inside, drawn, certain, |hits| hits as f64);
            prop_assert!((hits.mean() - mean).abs() <= 1e-14 * mean);
            prop_assert!((hits.mean_of(|hits| hits as f64) - mean).abs() <= 1e-14 * mean);
        }
    }

    /// Binomial coefficients of these numbers are far beyond the range of `f64`.
    #[test]
    fn large_blocks_neither_overflow_nor_vanish() {
        let hits = Hits {
            certain: 7,
            block: 1_000_000,
            block_inside: 400_000,
            drawn: 300_000,
        };
        assert_eq!(hits.mean(), 120_007.0);
        assert!((hits.mean_of(|hits| hits as f64) / 120_007.0 - 1.0).abs() < 1e-12);
        // The variance of the distribution.
        let square = hits.mean_of(|hits| (hits as f64 - 120_007.0).powi(2));
        let (n, p, f) = (1e6, 0.4, 0.3);
        assert!((square / (n * f * p * (1.0 - p) * (1.0 - f) * n / (n - 1.0)) - 1.0).abs() < 1e-9);
    }
}
