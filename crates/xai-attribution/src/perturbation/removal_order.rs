//! In which order positions are removed.

use xai_core::{Real, Result, parallel, random_stream, uniform_index};

use crate::batch::explained::{ExplainedBatch, MapWork};

/// In which order positions are removed, or put back. Ties go to the lower position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RemovalOrder {
    /// By descending attribution (the mean over channels, not its size).
    #[default]
    MostRelevantFirst,
    /// By ascending attribution.
    LeastRelevantFirst,
    /// Whatever the map says: drawn for every sample from a stream of its own under the seed.
    Random {
        /// What the order depends on.
        seed: u64,
    },
}

/// The first `n` positions of every sample in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedPositions {
    /// The order.
    pub order: RemovalOrder,
    /// How many positions are needed, at most all.
    pub n: usize,
}

impl<T: Real> MapWork<T> for OrderedPositions {
    type Output = Vec<Vec<u32>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<u32>>> {
        let batch = explained.batch();
        let positions = batch.run().n_positions();
        Ok(match self.order {
            RemovalOrder::MostRelevantFirst => {
                descending(explained.attributions()?, positions, self.n, |x| x)
            }
            RemovalOrder::LeastRelevantFirst => {
                descending(explained.attributions()?, positions, self.n, |x| -x)
            }
            RemovalOrder::Random { seed } => {
                let (run, first) = (batch.run(), batch.samples().start);
                parallel::map(batch.n_samples(), |sample| {
                    drawn(seed, run.item(first + sample), positions, self.n)
                })
            }
        })
    }
}

/// The first `n` of a random order of positions.
fn drawn(seed: u64, item: u64, positions: usize, n: usize) -> Vec<u32> {
    let mut stream = random_stream(seed, item);
    let mut deck: Vec<u32> = (0..positions as u32).collect();
    for place in 0..n {
        let other = place + uniform_index(&mut stream, positions - place);
        deck.swap(place, other);
    }
    deck.truncate(n);
    deck
}

/// The first `max` positions of each sample, by descending value of `by`, ties to the lower
/// position.
fn descending<T: Real>(
    attributions: &[T],
    positions: usize,
    max: usize,
    by: impl Fn(T) -> T + Send + Sync,
) -> Vec<Vec<u32>> {
    parallel::map(attributions.len() / positions, |sample| {
        let attributions = &attributions[sample * positions..(sample + 1) * positions];
        // Integers that ascend as the attributions descend, positions behind them. Comparing through
        // an index instead: 44 ms for 40 (50 steps of 64 images of 64 × 64 × 3, a cheap model of 32).
        let values = attributions.iter().map(|&x| by(x).to_f64_exact());
        if size_of::<T>() == 4 {
            let key = |x: f64| u64::from(descending_f32(x as f32)) << 32;
            first(values.map(key), max, |key| key as u32)
        } else {
            let key = |x: f64| u128::from(descending_f64(x)) << 64;
            first(values.map(key), max, |key| key as u32)
        }
    })
}

/// The places of the `max` least keys, in their order. Keys have room for a place in their low bits.
fn first<K>(keys: impl Iterator<Item = K>, max: usize, place: impl Fn(K) -> u32) -> Vec<u32>
where
    K: Copy + Ord + From<u32> + std::ops::BitOr<Output = K>,
{
    // An input of 2^32 positions has no map.
    let mut keys: Vec<K> = keys.zip(0u32..).map(|(key, i)| key | K::from(i)).collect();
    if max < keys.len() {
        keys.select_nth_unstable(max);
        keys.truncate(max);
    }
    keys.sort_unstable();
    keys.into_iter().map(place).collect()
}

/// Bits that descend as finite values ascend; −0 and 0 have the same.
fn descending_f32(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 {
        bits
    } else {
        !bits & 0x7fff_ffff
    }
}

/// As [`descending_f32`].
fn descending_f64(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 {
        bits
    } else {
        !bits & (u64::MAX >> 1)
    }
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
        fn keys_order_as_comparisons_do(
            values in prop::collection::vec(
                prop_oneof![any::<f32>().prop_filter("finite", |x| x.is_finite()), -2.0..2.0f32, Just(0.0), Just(-0.0), Just(1.0)],
                1..60,
            ),
            share in 0.0..1.0f64,
        ) {
            let n = values.len();
            let max = ((n as f64 * share) as usize).max(1);
            prop_assert_eq!(&descending(&values, n, max, |x| x)[0], &by_comparison(&values, max));
            let double: Vec<f64> = values.iter().map(|&x| f64::from(x) * 1e200).collect();
            prop_assert_eq!(&descending(&double, n, max, |x| x)[0], &by_comparison(&double, max));
            let negated: Vec<f32> = values.iter().map(|x| -x).collect();
            prop_assert_eq!(&descending(&values, n, max, |x| -x)[0], &by_comparison(&negated, max));
        }

        #[test]
        fn a_random_order_has_every_position_once(seed in any::<u64>(), n in 1usize..50) {
            let mut all = drawn(seed, 3, n, n);
            prop_assert_eq!(&all[..n / 2], &drawn(seed, 3, n, n / 2)[..]);
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..n as u32));
        }
    }
}
