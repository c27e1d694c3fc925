//! Dot products.

/// Dot product of two slices of equal length.
///
/// It adds up eight interleaved partial sums, so its rounding depends on the length alone, not on
/// the instruction set. Unlike [`ExactSum`](super::ExactSum) it rounds, and permuted terms give
/// other bits.
///
/// ```
/// assert_eq!(xai_core::sum::dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
/// ```
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Eight independent chains of additions: a single one could not be vectorised without reordering it.
    let mut lanes = [0.0; 8];
    let (mut a8, mut b8) = (a.chunks_exact(8), b.chunks_exact(8));
    for (a, b) in (&mut a8).zip(&mut b8) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let rest = a8.remainder().iter().zip(b8.remainder());
    lanes.iter().sum::<f64>() + rest.map(|(a, b)| a * b).sum::<f64>()
}
