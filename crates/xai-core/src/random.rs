//! Seeded randomness that belongs to the item, never to the thread.

use rand_core::SeedableRng;
pub use rand_xoshiro::Xoshiro256PlusPlus;

use rand_distr::{Distribution, StandardNormal};

/// The random stream of one item (a sample, a draw, a bootstrap replicate) under a seed.
///
/// The stream depends on `seed` and `item` alone, so any number of threads, any order of work and
/// any resumption draws the same numbers. Both are mixed by the finaliser of `SplitMix64`, whose
/// every input bit moves every output bit with probability one half, before they seed a
/// xoshiro256++ generator; neighbouring items have unrelated streams.
///
/// ```
/// use rand_core::Rng;
/// let draw = |seed, item| xai_core::random::random_stream(seed, item).next_u64();
/// assert_eq!(draw(1, 7), draw(1, 7));
/// assert_ne!(draw(1, 7), draw(1, 8));
/// assert_ne!(draw(1, 7), draw(7, 1));
/// ```
#[must_use]
pub fn random_stream(seed: u64, item: u64) -> Xoshiro256PlusPlus {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    Xoshiro256PlusPlus::seed_from_u64(mix(
        mix(seed.wrapping_add(GOLDEN)) ^ item.wrapping_mul(GOLDEN)
    ))
}

/// The finaliser of `SplitMix64`: a bijection of 64 bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A uniform double in `[0, 1)` with 53 random bits.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// assert!((0.0..1.0).contains(&xai_core::random::uniform(&mut stream)));
/// ```
#[inline]
pub fn uniform(stream: &mut Xoshiro256PlusPlus) -> f64 {
    use rand_core::Rng;
    let bits = (stream.next_u64() >> 11) as f64;
    bits * (1.0 / 9_007_199_254_740_992.0)
}

/// A uniform integer in `0..bound`, without bias (Lemire's multiply and reject).
///
/// `bound` must be positive; a bound of 0 gives 0.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// assert!(xai_core::random::uniform_index(&mut stream, 6) < 6);
/// ```
#[inline]
pub fn uniform_index(stream: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    use rand_core::Rng;
    let bound = bound as u64;
    let mut product = u128::from(stream.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let threshold = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        while (product as u64) < threshold {
            product = u128::from(stream.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as usize
}

/// A number of the standard normal distribution, by the ziggurat.
///
/// About one draw in a hundred asks the exponential function whether it lies under the curve; the numbers
/// themselves are products of a table and random bits.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// let mean = (0..1000).map(|_| xai_core::random::normal(&mut stream)).sum::<f64>() / 1000.0;
/// assert!(mean.abs() < 0.1);
/// ```
#[inline]
pub fn normal(stream: &mut Xoshiro256PlusPlus) -> f64 {
    StandardNormal.sample(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    /// Chi-square p-value of observed counts against equal shares.
    fn p_value(counts: &[u32]) -> f64 {
        let n: u32 = counts.iter().sum();
        let expected = f64::from(n) / counts.len() as f64;
        let statistic: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - expected).powi(2) / expected)
            .sum();
        1.0 - ChiSquared::new(counts.len() as f64 - 1.0)
            .unwrap()
            .cdf(statistic)
    }

    #[test]
    fn first_draws_of_neighbouring_items_are_uniform() {
        let mut counts = [0u32; 64];
        for item in 0..64_000 {
            counts[(uniform(&mut random_stream(42, item)) * 64.0) as usize] += 1;
        }
        assert!(p_value(&counts) > 1e-3, "{counts:?}");
    }

    #[test]
    fn normal_draws_are_normal() {
        let distribution = statrs::distribution::Normal::new(0.0, 1.0).unwrap();
        let (mut counts, mut stream) = ([0u32; 32], random_stream(5, 0));
        for _ in 0..64_000 {
            counts[(distribution.cdf(normal(&mut stream)) * 32.0) as usize] += 1;
        }
        assert!(p_value(&counts) > 1e-3, "{counts:?}");
    }

    #[test]
    fn indices_are_uniform_and_within_the_bound() {
        let mut stream = random_stream(3, 0);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[uniform_index(&mut stream, 7)] += 1;
        }
        assert!(p_value(&counts) > 1e-3, "{counts:?}");
        assert_eq!(uniform_index(&mut stream, 1), 0);
        assert_eq!(uniform_index(&mut stream, 0), 0);
    }
}
