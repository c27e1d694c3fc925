//! Order of removal.

use ndarray::Array2;
use xai_core::describe::Parameter;
use xai_core::evaluation::TiedFeatures;
use xai_core::number::{OrderKey, sort_indexed};
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Error, Input, InputLayout, Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, MapWork, SampleBatch};
use crate::input;
use crate::perturbation::features::Cells;
use crate::perturbation::{FeatureCells, Features};
use crate::side::SideInput;

/// Order in which positions are removed or inserted. [`RemovalTies`] orders tied positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "order")]
#[non_exhaustive]
pub enum RemovalOrder {
    /// Descending attribution (signed mean over channels).
    #[default]
    MostRelevantFirst,
    /// Ascending attribution.
    LeastRelevantFirst,
    /// Descending magnitude of the attribution.
    LargestFirst,
    /// Ascending magnitude of the attribution.
    SmallestFirst,
    /// Random order, independent of the map: drawn for every sample from its own stream under the seed.
    #[param(value_name = "SEED")]
    Random {
        /// Seed of the order.
        seed: u64,
    },
    /// The order of [`PrecomputedOrders`], for reproducing a run of another tool.
    #[param(skip)]
    Given,
}

/// Order of removal among features with equal attributions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "ties")]
#[non_exhaustive]
pub enum RemovalTies {
    /// The feature with the lower index first. Mirror images then have different values.
    #[default]
    LowestIndex,
    /// Random order, drawn for every sample from its own stream under the seed.
    #[param(value_name = "SEED", default = 1)]
    Random {
        /// Seed of the order.
        seed: u64,
    },
}

/// Given orders: the indices of all features of every sample in the order of their removal, `(n, n_features)`.
///
/// The index of a feature is that of its position in row-major order, of its cell, or the rank of its segment label.
/// For a sample with fewer segments, indices of features that it lacks are skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrecomputedOrders(pub Array2<u32>);

impl SideInput for PrecomputedOrders {
    const INPUT: Input = input::ORDERS;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        if self.0.nrows() == shape[0] {
            return Ok(());
        }
        let expected = format!("({}, features)", shape[0]);
        Err(Error::shape_described(
            Self::INPUT,
            expected,
            self.0.shape(),
        ))
    }
}

/// Ranking of features by the attributions of their positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RankBy {
    /// Sum of the attributions.
    #[default]
    Sum,
    /// Mean of the attributions, which does not put small features at a disadvantage.
    Mean,
}

/// All features of every sample of a batch in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedFeatures {
    /// Grouping of positions into features.
    pub features: Features,
    /// Order of the features.
    pub order: RemovalOrder,
    /// Ranking of features with several positions.
    pub rank_by: RankBy,
    /// Order among tied features.
    pub ties: RemovalTies,
}

impl OrderedFeatures {
    /// Sort keys of the features of a sample, from the attributions of its positions.
    fn ranking<T: Real>(&self, cells: &Cells, attributions: &[T]) -> Vec<f64> {
        let mut values = cells.sums(attributions);
        if self.rank_by == RankBy::Mean {
            for (cell, value) in values.iter_mut().enumerate() {
                *value /= cells.positions(cell).len() as f64;
            }
        }
        if self.order.is_by_size() {
            sizes(&values)
        } else {
            values
        }
    }
}

impl<T: Real> MapWork<T> for OrderedFeatures {
    type Output = Vec<Vec<u32>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<u32>>> {
        let batch = explained.batch();
        let shared_cells = batch.shared(&self.features)?;
        let cells: &FeatureCells = &shared_cells;
        let descending = match self.order {
            RemovalOrder::MostRelevantFirst | RemovalOrder::LargestFirst => true,
            RemovalOrder::LeastRelevantFirst | RemovalOrder::SmallestFirst => false,
            RemovalOrder::Random { seed } => {
                let order = |sample| {
                    let n = cells.for_sample(sample).n_cells();
                    random_order(seed, batch.item(sample), n, n)
                };
                return Ok((0..batch.n_samples()).map(order).collect());
            }
            RemovalOrder::Given => {
                let given = &batch.dataset().side::<PrecomputedOrders>()?.0;
                let first = batch.samples().start;
                let own_features = |sample: usize| {
                    let n = cells.for_sample(sample).n_cells() as u32;
                    let order = given.row(first + sample);
                    order.iter().copied().filter(|&cell| cell < n).collect()
                };
                return Ok((0..batch.n_samples()).map(own_features).collect());
            }
        };
        let (attributions, items) = (explained.attributions()?, items(batch));
        let positions = batch.dataset().n_positions();
        Ok(parallel::map(batch.n_samples(), |sample| {
            let attributions = &attributions[sample * positions..(sample + 1) * positions];
            // Sample by sample, because their numbers of features may differ.
            let values = self.ranking(cells.for_sample(sample), attributions);
            by_attribution(
                &values,
                values.len(),
                values.len(),
                descending,
                self.ties,
                &items[sample..=sample],
            )
            .pop()
            .unwrap_or_default()
        }))
    }
}

/// Number of features of a batch that have the same attribution as another one of their sample, so that part of the
/// order is arbitrary. `None` for an order that does not depend on attributions.
pub(crate) fn tied_features<T: Real>(
    explained: &ExplainedBatch<'_, T>,
    features: Features,
    order: RemovalOrder,
    rank_by: RankBy,
) -> Result<Option<TiedFeatures>> {
    if matches!(order, RemovalOrder::Random { .. } | RemovalOrder::Given) {
        return Ok(None);
    }
    let ties = TieCount {
        features,
        by_size: order.is_by_size(),
        rank_by,
    };
    explained.shared(&ties).map(|tied| Some(*tied))
}

/// Work of [`tied_features`]. Orders from both ends share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TieCount {
    features: Features,
    by_size: bool,
    rank_by: RankBy,
}

impl<T: Real> MapWork<T> for TieCount {
    type Output = TiedFeatures;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<TiedFeatures> {
        let batch = explained.batch();
        let order = if self.by_size {
            RemovalOrder::LargestFirst
        } else {
            RemovalOrder::MostRelevantFirst
        };
        let ordered = OrderedFeatures {
            features: self.features,
            order,
            rank_by: self.rank_by,
            ties: RemovalTies::LowestIndex,
        };
        let cells = batch.shared(&self.features)?;
        let attributions = explained.attributions()?;
        let positions = batch.dataset().n_positions();
        let counts = parallel::map(batch.n_samples(), |sample| {
            let attributions = &attributions[sample * positions..(sample + 1) * positions];
            if self.features != Features::Positions {
                return count_tied(&ordered.ranking(cells.for_sample(sample), attributions));
            }
            // Positions need no sums, and keys of 32 bits are faster.
            if self.by_size {
                count_tied(&sizes(attributions))
            } else {
                count_tied(attributions)
            }
        });
        Ok(counts.into_iter().sum())
    }
}

impl RemovalOrder {
    fn is_by_size(self) -> bool {
        matches!(self, Self::LargestFirst | Self::SmallestFirst)
    }

    /// Checks that the order is available for these features. Called once per run.
    ///
    /// # Errors
    /// An empty-input error if given orders are missing; a shape mismatch for another number of features; out of
    /// domain if one of them does not contain every feature once.
    pub fn prepare<T: Real>(self, dataset: &Dataset<'_, T>, features: Features) -> Result<()> {
        if self != Self::Given {
            return Ok(());
        }
        let (given, n) = (
            &dataset.side::<PrecomputedOrders>()?.0,
            features.max_count(dataset)?,
        );
        if given.ncols() != n {
            return Err(Error::shape(
                input::ORDERS,
                &[given.nrows(), n],
                given.shape(),
            ));
        }
        // The last sample in which each feature occurred, so that the buffer is never reset.
        let mut last_seen = vec![usize::MAX; n];
        for ((sample, rank), &feature) in given.indexed_iter() {
            let feature = feature as usize;
            if feature >= n || last_seen[feature] == sample {
                let expected = format!("each feature of 0 to {} once", n - 1);
                let index = [sample, rank];
                return Err(Error::out_of_domain(
                    input::ORDERS,
                    &index,
                    feature as f64,
                    expected,
                ));
            }
            last_seen[feature] = sample;
        }
        Ok(())
    }
}

/// Number of values that equal another one. Values must not be NaN.
///
/// Only values whose hashes collide can be equal. So only these are sorted, about a sixteenth of a map without ties.
/// Sorting all values of a map of 64 × 64 × 3 would take longer than the rest of Deletion with a cheap model.
fn count_tied<T: Real>(values: &[T]) -> TiedFeatures {
    // Adding 0 turns −0 into 0, because the two are tied.
    let keys = || values.iter().map(|&value| (value + T::ZERO).order_key());
    let n_bits = (16 * values.len()).next_power_of_two().max(64);
    let slot = |key: T::Key| {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
        let product = (key.bits_from(0) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bit = (product >> (64 - n_bits.ilog2())) as usize;
        (bit / 64, 1_u64 << (bit % 64))
    };
    let (mut seen, mut seen_again) = (vec![0; n_bits / 64], vec![0; n_bits / 64]);
    for (word, bit) in keys().map(slot) {
        seen_again[word] |= seen[word] & bit;
        seen[word] |= bit;
    }
    let collides = |key: &T::Key| {
        let (word, bit) = slot(*key);
        seen_again[word] & bit != 0
    };
    let mut candidates: Vec<T::Key> = keys().filter(collides).collect();
    candidates.sort_unstable();
    let blocks = candidates.chunk_by(|a, b| a == b).map(<[T::Key]>::len);
    TiedFeatures {
        tied: blocks.filter(|len| *len > 1).sum::<usize>() as u64,
        total: values.len() as u64,
    }
}

/// The first `n` positions of every sample in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedPositions {
    /// Order of the positions.
    pub order: RemovalOrder,
    /// Number of positions, at most all.
    pub n: usize,
    /// Order among tied positions.
    pub ties: RemovalTies,
}

impl<T: Real> MapWork<T> for OrderedPositions {
    type Output = Vec<Vec<u32>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<u32>>> {
        let batch = explained.batch();
        let positions = batch.dataset().n_positions();
        let items = items(batch);
        let ordered = |values: &[T], descending: bool| {
            by_attribution(values, positions, self.n, descending, self.ties, &items)
        };
        Ok(match self.order {
            RemovalOrder::MostRelevantFirst => ordered(explained.attributions()?, true),
            RemovalOrder::LeastRelevantFirst => ordered(explained.attributions()?, false),
            RemovalOrder::LargestFirst => ordered(&sizes(explained.attributions()?), true),
            RemovalOrder::SmallestFirst => ordered(&sizes(explained.attributions()?), false),
            RemovalOrder::Random { seed } => {
                let (dataset, first) = (batch.dataset(), batch.samples().start);
                parallel::map(batch.n_samples(), |sample| {
                    random_order(seed, dataset.item(first + sample), positions, self.n)
                })
            }
            RemovalOrder::Given => {
                let orders = explained.shared(&OrderedFeatures {
                    features: Features::Positions,
                    order: self.order,
                    rank_by: RankBy::Sum,
                    ties: self.ties,
                })?;
                orders
                    .iter()
                    .map(|order| order[..self.n].to_vec())
                    .collect()
            }
        })
    }
}

/// Indices of the samples of a batch in the data set, which select their random streams.
fn items<T: Real>(batch: &SampleBatch<'_, T>) -> Vec<u64> {
    (0..batch.n_samples())
        .map(|sample| batch.item(sample))
        .collect()
}

fn sizes<T: Real>(attributions: &[T]) -> Vec<T> {
    attributions.iter().map(|a| a.abs()).collect()
}

/// The first `n` positions of a random order, by a partial Fisher-Yates shuffle.
pub(crate) fn random_order(seed: u64, item: u64, positions: usize, n: usize) -> Vec<u32> {
    let mut stream = random_stream(seed, item);
    let mut deck: Vec<u32> = (0..positions as u32).collect();
    for i in 0..n {
        let other = i + uniform_index(&mut stream, positions - i);
        deck.swap(i, other);
    }
    deck.truncate(n);
    deck
}

/// The first `max` positions of each sample by descending or ascending attribution. `items` select the random streams
/// for ties.
fn by_attribution<T: Real>(
    attributions: &[T],
    positions: usize,
    max: usize,
    descending: bool,
    ties: RemovalTies,
    items: &[u64],
) -> Vec<Vec<u32>> {
    parallel::map(attributions.len() / positions, |sample| {
        let attributions = &attributions[sample * positions..(sample + 1) * positions];
        // Sorts integer keys that combine the value and the position. Comparing values through an index takes 44 ms
        // instead of 40 (50 steps of 64 images of 64 × 64 × 3, with a cheap model that takes 32 of them).
        let keys = attributions.iter().zip(0u32..).map(|(x, position)| {
            let key = x.order_key();
            // Positions fit into `u32`: maps with 2³² positions do not fit into memory.
            if descending { key.reversed() } else { key }.with_index(position)
        });
        let mut keys: Vec<_> = keys.collect();
        // All positions are sorted, even if few are needed: a tied block may extend beyond them.
        if let RemovalTies::Random { seed } = ties {
            sort_indexed::<T::Key>(&mut keys);
            let mut order: Vec<u32> = keys.into_iter().map(T::Key::index).collect();
            let mut stream = random_stream(seed, items[sample]);
            let value = |position: &u32| attributions[*position as usize];
            // After sorting, tied positions are neighbours: each block of them is shuffled (Fisher-Yates) in place.
            for block in order.chunk_by_mut(|a, b| value(a) == value(b)) {
                for i in 1..block.len() {
                    block.swap(i, uniform_index(&mut stream, i + 1));
                }
            }
            order.truncate(max);
            return order;
        }
        // Keys are unique, because they end with the position, so unstable sorting is deterministic.
        if max < keys.len() {
            keys.select_nth_unstable(max);
            keys.truncate(max);
            keys.sort_unstable();
        } else {
            sort_indexed::<T::Key>(&mut keys);
        }
        keys.into_iter().map(T::Key::index).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_comparison<T: Real>(attributions: &[T], max: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..attributions.len() as u32).collect();
        let value = |i: &u32| attributions[*i as usize];
        order.sort_by(|a, b| value(b).partial_cmp(&value(a)).unwrap());
        order.truncate(max);
        order
    }

    proptest! {
        #[test]
        fn tied_values_are_counted_as_by_comparing_all_pairs(
            values in prop::collection::vec(prop_oneof![-2.0..2.0f64, (-3..3i8).prop_map(f64::from), Just(-0.0)], 0..80),
        ) {
            let is_tied = |i: &usize| (0..values.len()).any(|j| j != *i && values[*i] == values[j]);
            let tied = (0..values.len()).filter(is_tied).count() as u64;
            prop_assert_eq!(count_tied(&values).tied, tied);
            let halves: Vec<f32> = values.iter().map(|&x| (x * 2.0).round() as f32).collect();
            let is_tied = |i: &usize| (0..halves.len()).any(|j| j != *i && halves[*i] == halves[j]);
            prop_assert_eq!(count_tied(&halves).tied, (0..halves.len()).filter(is_tied).count() as u64);
        }

        #[test]
        fn keys_order_as_comparisons_do(
            values in prop::collection::vec(
                prop_oneof![any::<f32>().prop_filter("finite", |x| x.is_finite()), -2.0..2.0f32, Just(0.0), Just(-0.0), Just(1.0)],
                1..60,
            ),
            share in 0.0..1.0f64,
        ) {
            let n = values.len();
            let max = ((n as f64 * share) as usize).max(1);
            let lowest = |values: &[f64], descending| {
                by_attribution(values, n, max, descending, RemovalTies::LowestIndex, &[0]).pop().unwrap()
            };
            let single = by_attribution(&values, n, max, true, RemovalTies::LowestIndex, &[0]);
            prop_assert_eq!(&single[0], &by_comparison(&values, max));
            let double: Vec<f64> = values.iter().map(|&x| f64::from(x) * 1e200).collect();
            prop_assert_eq!(lowest(&double, true), by_comparison(&double, max));
            let negated: Vec<f64> = double.iter().map(|x| -x).collect();
            prop_assert_eq!(lowest(&double, false), by_comparison(&negated, max));
        }

        #[test]
        fn random_ties_leave_the_order_of_values(
            values in prop::collection::vec((-2i8..3).prop_map(f64::from), 1..30), seed in any::<u64>(), descending in any::<bool>(),
        ) {
            let (n, ties) = (values.len(), RemovalTies::Random { seed });
            let order = |max: usize| by_attribution(&values, n, max, descending, ties, &[3]).pop().unwrap();
            let all = order(n);
            let in_order = |pair: &[u32]| {
                let [a, b] = [pair[0], pair[1]].map(|position| values[position as usize]);
                if descending { a >= b } else { a <= b }
            };
            prop_assert!(all.windows(2).all(in_order));
            prop_assert_eq!(&order(n / 2), &all[..n / 2]);
            let mut positions = all;
            positions.sort_unstable();
            prop_assert!(positions.into_iter().eq(0..n as u32));
        }

        #[test]
        fn a_random_order_has_every_position_once(seed in any::<u64>(), n in 1usize..50) {
            let mut all = random_order(seed, 3, n, n);
            prop_assert_eq!(&all[..n / 2], &random_order(seed, 3, n, n / 2)[..]);
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..n as u32));
        }
    }

    /// Over many seeds, every position of a tied block comes first about equally often.
    #[test]
    fn random_ties_put_every_tied_position_first() {
        let values = [1.0, 5.0, 1.0, 1.0];
        let mut firsts = [0u32; 4];
        for seed in 0..300 {
            let ties = RemovalTies::Random { seed };
            let order = by_attribution(&values, 4, 2, true, ties, &[7])
                .pop()
                .unwrap();
            assert_eq!(order[0], 1);
            firsts[order[1] as usize] += 1;
        }
        assert!(
            [0, 2, 3].into_iter().all(|place| firsts[place] > 60),
            "{firsts:?}"
        );
    }
}
