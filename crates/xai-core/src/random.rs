//! Seeded random streams, one per item, so that results do not depend on threads.

use std::sync::LazyLock;

use rand_core::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::simd::{InstructionSet, Simd, SimdKernel, SimdLevel, StreamStates, ZigguratLayers};

/// Random numbers of one item (a sample, a draw, a bootstrap replicate), from [`random_stream`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// Draws 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Creates the random stream of one item under a seed.
///
/// The stream depends only on `seed` and `item`, so any number of threads, any order and any
/// resumption draw the same numbers. Both are mixed by the finaliser of `SplitMix64`, in which
/// every input bit flips every output bit with probability ½, before they seed a xoshiro256++
/// generator. So streams of consecutive items are unrelated.
///
/// ```
/// let draw = |seed, item| xai_core::random::random_stream(seed, item).next_u64();
/// assert_eq!(draw(1, 7), draw(1, 7));
/// assert_ne!(draw(1, 7), draw(1, 8));
/// assert_ne!(draw(1, 7), draw(7, 1));
/// ```
#[must_use]
pub fn random_stream(seed: u64, item: u64) -> RandomStream {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    RandomStream(Xoshiro256PlusPlus::seed_from_u64(mix(mix(
        seed.wrapping_add(GOLDEN)
    ) ^ item
        .wrapping_mul(GOLDEN))))
}

/// Finaliser of `SplitMix64`, a bijection of 64-bit integers.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform random double in `[0, 1)` with 53 random bits.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// assert!((0.0..1.0).contains(&xai_core::random::uniform(&mut stream)));
/// ```
#[inline]
pub fn uniform(stream: &mut RandomStream) -> f64 {
    let bits = (stream.next_u64() >> 11) as f64;
    bits * (1.0 / 9_007_199_254_740_992.0)
}

/// Uniform random integer in `0..bound`, without bias (Lemire's multiply-and-reject method).
/// Returns 0 if `bound` is 0.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// assert!(xai_core::random::uniform_index(&mut stream, 6) < 6);
/// ```
#[inline]
pub fn uniform_index(stream: &mut RandomStream, bound: usize) -> usize {
    let bound = bound as u64;
    // The upper half of the product is the result; the lower half shows whether it must be
    // rejected. The division that computes the exact limit is only needed in the rare case that the
    // lower half is below `bound`.
    let mut product = u128::from(stream.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let threshold = bound.wrapping_neg().checked_rem(bound).unwrap_or(0);
        while (product as u64) < threshold {
            product = u128::from(stream.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as usize
}

/// Standard normal random number, by the ziggurat method.
///
/// About one draw in a hundred evaluates the exponential function; all other numbers are products
/// of a table entry and random bits.
///
/// ```
/// let mut stream = xai_core::random::random_stream(1, 0);
/// let mean = (0..1000).map(|_| xai_core::random::normal(&mut stream)).sum::<f64>() / 1000.0;
/// assert!(mean.abs() < 0.1);
/// ```
#[inline]
pub fn normal(stream: &mut RandomStream) -> f64 {
    StandardNormal.sample(&mut stream.0)
}

/// Eight random streams that draw standard normal numbers together, with the bits that [`normal`]
/// would draw from each stream.
///
/// The steps of one stream depend on each other, so they cannot be vectorised. Eight streams take
/// their steps in the same instructions.
///
/// ```
/// use xai_core::random::{NormalStreams, normal, random_stream};
/// let mut streams = NormalStreams::new(std::array::from_fn(|item| random_stream(1, item as u64)));
/// let mut numbers = [[0.0; NormalStreams::COUNT]; 100];
/// streams.fill(&mut numbers);
/// let mut fifth = random_stream(1, 5);
/// assert!(numbers.iter().all(|row| row[5] == normal(&mut fifth)));
/// ```
#[derive(Debug, Clone)]
pub struct NormalStreams {
    states: StreamStates,
}

impl NormalStreams {
    /// Number of streams.
    pub const COUNT: usize = 8;

    /// Creates the set from the current states of eight streams.
    #[must_use]
    pub fn new(streams: [RandomStream; Self::COUNT]) -> Self {
        let mut states = StreamStates([[0; Self::COUNT]; 4]);
        for (lane, stream) in streams.iter().enumerate() {
            set_lane(&mut states, lane, stream);
        }
        Self { states }
    }

    /// Draws `numbers.len()` numbers from each stream, laid out as `[number][stream]`.
    pub fn fill(&mut self, numbers: &mut [[f64; Self::COUNT]]) {
        // With AVX2, compilers pack and unpack the streams so often that the portable code is faster.
        let set = match InstructionSet::fastest() {
            set if set.level() >= SimdLevel::Avx512 => set,
            _ => InstructionSet::PORTABLE,
        };
        set.run(Fill {
            states: &mut self.states,
            numbers,
        });
    }
}

fn set_lane(states: &mut StreamStates, lane: usize, stream: &RandomStream) {
    let bytes = stream.0.state();
    for (word, bytes) in states.0.iter_mut().zip(bytes.as_chunks::<8>().0) {
        word[lane] = u64::from_le_bytes(*bytes);
    }
}

/// Creates a stream in the given state.
fn stream_from_state(state: [u64; 4]) -> RandomStream {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    RandomStream(Xoshiro256PlusPlus::from_seed(bytes))
}

/// Layers of the ziggurat that [`normal`] samples from.
///
/// `rand_distr` does not publish the widths, but [`normal`] returns half the negative width of a
/// layer for a draw whose random bits are −1/2 in that layer. A generator whose first state word is
/// 0 can be made to return any bits. The second word is chosen such that the next draw is nearly 1,
/// with which [`normal`] accepts the number in the last layer too, where it is tested against the
/// curve.
static LAYERS: LazyLock<ZigguratLayers> = LazyLock::new(|| {
    let (mut widths, mut next_widths) = ([0.0; 256], [0.0; 256]);
    for (bits, width) in (1 << 62..).zip(&mut widths) {
        let last = u64::rotate_right(bits, 23);
        *width = -2.0 * normal(&mut stream_from_state([0, !last, 0, last]));
    }
    next_widths[..255].copy_from_slice(&widths[1..]);
    ZigguratLayers {
        widths,
        next_widths,
    }
});

/// Kernel that draws normal numbers from eight streams.
struct Fill<'a> {
    states: &'a mut StreamStates,
    numbers: &'a mut [[f64; NormalStreams::COUNT]],
}

impl SimdKernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let layers = &*LAYERS;
        // Two buffers swap roles, so that no step copies the state.
        let [mut states, mut others] = [self.states.clone(), self.states.clone()];
        let (mut before, mut after) = (&mut states, &mut others);
        for numbers in self.numbers {
            // Numbers below the width of the next layer lie under the curve and are accepted: about
            // 99 %. The others are drawn again by `normal` from the state before, which makes the
            // decision that the plain ziggurat makes.
            let mut beyond = S::ziggurat_step(before, after, layers, numbers);
            while beyond != 0 {
                let lane = beyond.trailing_zeros() as usize;
                numbers[lane] = draw_again(before, after, lane);
                beyond &= beyond - 1;
            }
            std::mem::swap(&mut before, &mut after);
        }
        self.states.clone_from(before);
    }
}

/// Draws a number of one stream from the state `before`, and stores the state after it in `after`.
#[cold]
#[inline(never)]
fn draw_again(before: &StreamStates, after: &mut StreamStates, lane: usize) -> f64 {
    let mut stream = stream_from_state(before.0.map(|word| word[lane]));
    let number = normal(&mut stream);
    set_lane(after, lane, &stream);
    number
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

    /// The first two numbers of SplitMix64 from 1234567, as its authors' program prints them.
    #[test]
    fn the_finaliser_is_that_of_splitmix() {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let numbers = [1, 2].map(|n: u64| mix(1_234_567 + GOLDEN.wrapping_mul(n)));
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
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
    fn combined_streams_draw_the_numbers_of_each_stream() {
        for set in InstructionSet::available() {
            let streams = std::array::from_fn(|item| random_stream(7, item as u64));
            let (mut one_by_one, mut together) = (streams.clone(), NormalStreams::new(streams));
            // 800,000 numbers: of each layer thousands, hundreds of them beyond the last.
            for n in [0, 1, 7, 99_993] {
                let mut numbers = vec![[0.0; NormalStreams::COUNT]; n];
                set.run(Fill {
                    states: &mut together.states,
                    numbers: &mut numbers,
                });
                for number in numbers {
                    let expected = one_by_one.each_mut().map(normal);
                    assert_eq!(
                        number.map(f64::to_bits),
                        expected.map(f64::to_bits),
                        "{set}"
                    );
                }
            }
        }
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
