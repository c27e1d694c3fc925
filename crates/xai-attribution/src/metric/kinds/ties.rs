//! The largest attributions of a map, with ties at the cut.

use std::iter::repeat_n;

use xai_core::describe::Parameter;

use crate::map::positions::largest;

/// Treatment of positions that are tied at the cut between the largest attributions and the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "ties")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Ties {
    /// The value is the mean of the metric over all orders of the tied positions. A map whose attributions are all
    /// equal has no value.
    #[default]
    Expected,
    /// Positions of lower index come first, as in other packages. Mirror images then have different values.
    LowestIndex,
}

/// Number of the `k` largest attributions of a map that are on the object.
///
/// If positions are tied at the cut, it is a random variable: any order of the tied positions is equally likely, so the
/// hits among them have a hypergeometric distribution.
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
    /// Number of positions of the tied block.
    block: usize,
    /// Number of positions of the tied block that are on the object.
    block_inside: usize,
    /// Number of positions of the block that are among the `k`.
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

    /// Counts the positions of the object among the `k` largest attributions, in linear time.
    pub(crate) fn new(attributions: &[f64], inside: &[bool], k: usize, ties: Ties) -> Self {
        if k == 0 {
            return Self::exactly(0);
        }
        if k >= attributions.len() {
            return Self::exactly(inside.iter().filter(|is_inside| **is_inside).count());
        }
        let mut values = attributions.to_vec();
        let (_, &mut cut, _) = values.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
        // Compared by value and not by `total_cmp`, so that −0 and 0 are tied.
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

    /// Returns the mean number of hits over all orders of the tied block.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.block == 0 {
            return self.certain as f64;
        }
        // The sum is exact in integers, so that only the quotient is rounded. A map has far fewer than 2^60 positions.
        let sum = self.certain as u128 * self.block as u128
            + self.drawn as u128 * self.block_inside as u128;
        sum as f64 / self.block as f64
    }

    /// Returns the mean of a function of the number of hits over all orders of the tied block.
    pub fn mean_of(&self, function: impl Fn(usize) -> f64) -> f64 {
        let outside = self.block - self.block_inside;
        let (least, most) = (
            self.drawn.saturating_sub(outside),
            self.drawn.min(self.block_inside),
        );
        let value = |hits: usize| function(self.certain + hits);
        if least == most {
            return value(least);
        }
        // The binomial coefficients of large blocks overflow. Weights relative to that of the mode, built outwards by
        // ratios, are at most 1 and fall off on both sides, so the loops can stop as soon as a weight is too small to
        // change the sum.
        // The number of hits is hypergeometric, with the mode ⌊(drawn + 1)(inside + 1) / (block + 2)⌋.
        let mode = (self.drawn as f64 + 1.0) * (self.block_inside as f64 + 1.0)
            / (self.block as f64 + 2.0);
        let mode = (mode as usize).clamp(least, most);
        // Weight of `hits + 1` relative to that of `hits`.
        let ratio = |hits: usize| {
            let missed = (outside + hits + 1 - self.drawn) as f64;
            (self.block_inside - hits) as f64 * (self.drawn - hits) as f64
                / ((hits + 1) as f64 * missed)
        };
        let (mut sum, mut total) = (value(mode), 1.0);
        let mut weight = 1.0;
        for hits in mode..most {
            weight *= ratio(hits);
            if weight < 1e-18 {
                break;
            }
            sum += weight * value(hits + 1);
            total += weight;
        }
        weight = 1.0;
        for hits in (least..mode).rev() {
            weight /= ratio(hits);
            if weight < 1e-18 {
                break;
            }
            sum += weight * value(hits);
            total += weight;
        }
        sum / total
    }
}

/// The `k` features of largest magnitude and, with [`Ties::Expected`], all features that are tied with the last of
/// them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopFeatures {
    /// Features in descending order of magnitude, those of a tied block in ascending order of their indices.
    features: Vec<usize>,
    /// Tied block of each entry of `features`.
    blocks: Vec<Block>,
    k: usize,
}

/// Range of ranks that the features of a tied block share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Block {
    start: usize,
    len: usize,
}

impl TopFeatures {
    /// Sorts the top of a map, all of it if it has fewer than `k` attributions. With [`Ties::LowestIndex`], every
    /// feature is a block of its own.
    pub(crate) fn new(map: &[f64], k: usize, ties: Ties) -> Self {
        let k = k.min(map.len());
        let mut features = largest(map, k);
        let magnitude = |feature: usize| map[feature].abs();
        // `largest` returns exactly `k` features; the whole block of the last one is needed.
        if let (Ties::Expected, Some(&last)) = (ties, features.last()) {
            features.retain(|&feature| magnitude(feature) > magnitude(last));
            features.extend((0..map.len()).filter(|&i| magnitude(i) == magnitude(last)));
        }
        let are_tied =
            |a: &usize, b: &usize| ties == Ties::Expected && magnitude(*a) == magnitude(*b);
        let mut blocks = Vec::with_capacity(features.len());
        for features in features.chunk_by(are_tied) {
            let (start, len) = (blocks.len(), features.len());
            blocks.extend(repeat_n(Block { start, len }, len));
        }
        Self {
            features,
            blocks,
            k,
        }
    }

    /// Number of features of the tied block that the cut at `k` splits; 0 if the cut is between two blocks.
    pub(crate) fn tied_at_cut(&self) -> usize {
        let is_cut = self.features.len() > self.k;
        self.blocks
            .last()
            .map_or(0, |last| if is_cut { last.len } else { 0 })
    }

    /// Number of features that are tied with another one, at the cut or above it.
    pub(crate) fn tied(&self) -> usize {
        self.blocks.iter().filter(|block| block.len > 1).count()
    }

    /// Mean number of features that are in the top `k'` of both maps, for `k'` from 1 to `k`.
    ///
    /// The mean is over all orders of the tied features of both maps. Only features with `counts[feature]` are counted.
    pub(crate) fn common(&self, other: &Self, counts: &[bool]) -> Vec<f64> {
        const AT_CUT: usize = 1;
        const ABOVE: usize = 2;
        // For a cut at `k'`, a feature above the tied block at the cut is in the top with certainty, and one of that
        // block with the share of the block that is above the cut. The two maps are independent, so it is enough to
        // know how many features are in each combination of states: `n_features[state in self][state in other]`. While
        // the cut moves down, every feature changes its state twice per map, so that all `k'` together take linear
        // time.
        let mut states = vec![[0usize; 2]; counts.len()];
        let mut n_features = [[0u128; 3]; 3];
        n_features[0][0] = counts.len() as u128;
        let mut step = |rank: usize| {
            for (map, top) in [self, other].into_iter().enumerate() {
                let block = top.blocks[rank];
                // The cut is still in the same block.
                if block.start < rank {
                    continue;
                }
                // The features of the previous block are above the cut now, those of this block are at it.
                let previous = rank.checked_sub(1).map_or(0, |last| top.blocks[last].start);
                for index in previous..rank + block.len {
                    let feature = top.features[index];
                    if counts[feature] {
                        let state = &mut states[feature];
                        n_features[state[0]][state[1]] -= 1;
                        state[map] = if index < rank { ABOVE } else { AT_CUT };
                        n_features[state[0]][state[1]] += 1;
                    }
                }
            }
            // The sum is exact in integers, so that only the quotient is rounded.
            let [(drawn, len), (other_drawn, other_len)] = [self, other].map(|top| {
                let block = top.blocks[rank];
                ((rank + 1 - block.start) as u128, block.len as u128)
            });
            let sum = n_features[ABOVE][ABOVE] * len * other_len
                + n_features[ABOVE][AT_CUT] * len * other_drawn
                + n_features[AT_CUT][ABOVE] * drawn * other_len
                + n_features[AT_CUT][AT_CUT] * drawn * other_drawn;
            sum as f64 / (len * other_len) as f64
        };
        (0..self.k).map(&mut step).collect()
    }

    /// Mean number of features that have the same rank in both maps, among the top `k'`, for `k'` from 1 to `k`.
    ///
    /// The mean is over all orders of the tied features of both maps. Only features with `counts[feature]` are counted.
    pub(crate) fn at_same_rank(&self, other: &Self, counts: &[bool]) -> Vec<f64> {
        let mut other_blocks = vec![Block { start: 0, len: 0 }; counts.len()];
        for (&feature, &block) in other.features.iter().zip(&other.blocks) {
            other_blocks[feature] = block;
        }
        // A feature of two blocks that share ranks has any one of these in both maps with probability 1 / (len · other
        // len). So the number of common features of two blocks is enough, kept at their first shared rank.
        let mut n_common = vec![0u64; self.features.len()];
        for (&feature, a) in self.features.iter().zip(&self.blocks) {
            let b = other_blocks[feature];
            let first = a.start.max(b.start);
            if counts[feature] && first < (a.start + a.len).min(b.start + b.len) {
                n_common[first] += 1;
            }
        }
        let blocks = self.blocks.iter().zip(&other.blocks).take(self.k);
        let at_ranks = blocks
            .map(|(a, b)| n_common[a.start.max(b.start)] as f64 / (a.len as f64 * b.len as f64));
        let cumulative = at_ranks.scan(0.0, |sum, mean| {
            *sum += mean;
            Some(*sum)
        });
        cumulative.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Mean over all subsets of `drawn` positions of a block, the first `inside` of which are on the object.
    fn mean_by_enumeration(
        block: u32,
        inside: u32,
        drawn: u32,
        certain: usize,
        function: impl Fn(usize) -> f64,
    ) -> f64 {
        let subsets = (0u32..1 << block).filter(|subset| subset.count_ones() == drawn);
        let hits = |subset: u32| (subset & ((1 << inside) - 1)).count_ones() as usize;
        let values: Vec<f64> = subsets
            .map(|subset| function(certain + hits(subset)))
            .collect();
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
            let expected = mean_by_enumeration(block, inside, drawn, certain, iou);
            prop_assert!((hits.mean_of(iou) - expected).abs() <= 1e-14 * expected);
            let mean = mean_by_enumeration(block, inside, drawn, certain, |hits| hits as f64);
            prop_assert!((hits.mean() - mean).abs() <= 1e-14 * mean);
            prop_assert!((hits.mean_of(|hits| hits as f64) - mean).abs() <= 1e-14 * mean);
        }
    }

    /// All orders of the features of a map by descending magnitude, as the rank of each feature.
    fn orders(map: &[f64]) -> Vec<Vec<usize>> {
        let mut orders = vec![Vec::new()];
        for _ in map {
            let next = |order: &Vec<usize>| {
                let left = (0..map.len()).filter(|i| !order.contains(i));
                let largest = left.clone().map(|i| map[i].abs()).fold(0.0, f64::max);
                let first = left.filter(move |&i| map[i].abs() == largest);
                let longer = |i| [order.as_slice(), &[i]].concat();
                first.map(longer).collect::<Vec<_>>()
            };
            orders = orders.iter().flat_map(next).collect();
        }
        let rank = |order: Vec<usize>| {
            let position = |i| order.iter().position(|&other| other == i);
            (0..order.len()).filter_map(position).collect()
        };
        orders.into_iter().map(rank).collect()
    }

    proptest! {
        #[test]
        fn common_features_are_the_means_over_all_orders(
            pairs in prop::collection::vec((-2i8..3, -2i8..3, any::<bool>()), 1..6), k in 1usize..6,
        ) {
            let k = k.min(pairs.len());
            let a: Vec<f64> = pairs.iter().map(|(a, _, _)| f64::from(*a)).collect();
            let b: Vec<f64> = pairs.iter().map(|(_, b, _)| f64::from(*b)).collect();
            let counts: Vec<bool> = pairs.iter().map(|(_, _, counts)| *counts).collect();
            let [top_a, top_b] = [&a, &b].map(|map| TopFeatures::new(map, k, Ties::Expected));
            let (common, at_same_rank) = (top_a.common(&top_b, &counts), top_a.at_same_rank(&top_b, &counts));
            let (orders_a, orders_b) = (orders(&a), orders(&b));
            let mean = |holds: &dyn Fn(usize, usize) -> bool| {
                let of_orders = orders_a.iter().flat_map(|a| orders_b.iter().map(move |b| (a, b)));
                let number = |(a, b): (&Vec<usize>, &Vec<usize>)| {
                    (0..counts.len()).filter(|&i| counts[i] && holds(a[i], b[i])).count()
                };
                of_orders.map(number).sum::<usize>() as f64 / (orders_a.len() * orders_b.len()) as f64
            };
            for (k, (common, same)) in (1..).zip(common.into_iter().zip(at_same_rank)) {
                let expected = mean(&|a, b| a < k && b < k);
                prop_assert!((common - expected).abs() < 1e-12, "{common} {expected}");
                let expected = mean(&|a, b| a < k && a == b);
                prop_assert!((same - expected).abs() < 1e-12, "{same} {expected}");
            }
        }
    }

    #[test]
    fn empty_maps_have_no_top() {
        for ties in [Ties::Expected, Ties::LowestIndex] {
            let top = TopFeatures::new(&[], 1, ties);
            assert_eq!(
                (top.common(&top, &[]), top.at_same_rank(&top, &[])),
                (vec![], vec![])
            );
        }
    }

    /// The binomial coefficients of these numbers are far outside the range of `f64`.
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
