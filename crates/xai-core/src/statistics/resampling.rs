//! Bootstrap draws of samples, as the number of times that each sample is drawn.

use std::ops::Range;

use crate::random::{random_stream, uniform_index};

/// Largest number of samples whose counts are drawn at once: they fit into the second-level cache.
const DIRECT: usize = 1 << 16;
/// Number of samples per block beyond that. The counts of a block and the values that they weight
/// fit into the first-level cache.
const BLOCK: usize = 1 << 11;

/// Draws `n` samples with replacement from the stream of `(seed, replicate)`, and calls `visit` for
/// consecutive blocks of samples with the number of times that each sample was drawn.
///
/// Many samples are drawn in two steps: first the number of draws in each block, then the samples
/// within the block. The counts have the same distribution as in one step, but all writes stay in
/// the first-level cache. In one step, a million samples miss the cache at almost every draw: a
/// replicate with the means of two columns took 64 ms on one thread, in two steps it takes 30 ms
/// (development build).
pub(crate) fn visit_draws(
    seed: u64,
    replicate: u64,
    n: usize,
    mut visit: impl FnMut(Range<usize>, &[f64]),
) {
    let mut stream = random_stream(seed, replicate);
    if n <= DIRECT {
        let mut times = vec![0.0; n];
        for _ in 0..n {
            times[uniform_index(&mut stream, n)] += 1.0;
        }
        visit(0..n, &times);
        return;
    }
    // A uniform index falls into a block with probability proportional to its size, also into the
    // shorter last one.
    let mut n_drawn = vec![0usize; n.div_ceil(BLOCK)];
    for _ in 0..n {
        n_drawn[uniform_index(&mut stream, n) / BLOCK] += 1;
    }
    let mut times = [0.0; BLOCK];
    for (block, n_drawn) in n_drawn.into_iter().enumerate() {
        let samples = block * BLOCK..n.min((block + 1) * BLOCK);
        let times = &mut times[..samples.len()];
        times.fill(0.0);
        for _ in 0..n_drawn {
            times[uniform_index(&mut stream, samples.len())] += 1.0;
        }
        visit(samples, times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, n: usize) -> (Vec<f64>, usize) {
        let (mut times, mut longest) = (Vec::new(), 0);
        visit_draws(seed, 0, n, |samples, of_block| {
            assert_eq!(samples, times.len()..times.len() + of_block.len());
            times.extend_from_slice(of_block);
            longest = longest.max(of_block.len());
        });
        (times, longest)
    }

    #[test]
    fn draws_have_the_number_of_samples() {
        for n in [1, 2, DIRECT, DIRECT + 1, DIRECT + BLOCK, 3 * DIRECT + 17] {
            let (times, _) = draws(1, n);
            assert_eq!((times.len(), times.iter().sum()), (n, n as f64), "{n}");
        }
    }

    #[test]
    fn the_working_set_of_many_samples_is_one_block() {
        assert_eq!(draws(1, DIRECT).1, DIRECT);
        assert_eq!(draws(1, 20 * DIRECT).1, BLOCK);
    }

    /// Counts of a multinomial distribution: mean 1, variance 1 − 1/n, and e⁻¹ of them are 0, in
    /// one step or in two.
    #[test]
    fn counts_are_those_of_a_multinomial_distribution() {
        for n in [DIRECT, DIRECT + 1] {
            let (times, _) = draws(7, n);
            let squares: f64 = times.iter().map(|t| (t - 1.0) * (t - 1.0)).sum();
            // Their standard errors are about 1.4/√n and 0.3/√n.
            assert!((squares / n as f64 - 1.0).abs() < 0.03, "{n}: {squares}");
            let unseen = times.iter().filter(|t| **t == 0.0).count() as f64 / n as f64;
            assert!((unseen - (-1f64).exp()).abs() < 0.01, "{n}: {unseen}");
            // Blocks are drawn by their sizes: the last one of the longer draw has a single sample.
            let by_block = times.chunks(BLOCK).map(|block| block.iter().sum::<f64>());
            let deviation = by_block.zip(times.chunks(BLOCK)).map(|(drawn, block)| {
                let size = block.len() as f64;
                (drawn - size) * (drawn - size) / size
            });
            // χ² of 31 or 32 degrees of freedom.
            assert!(deviation.sum::<f64>() < 70.0, "{n}");
        }
    }
}
