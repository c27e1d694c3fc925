//! Sums of products.

/// The sum of the products of two sequences of one length, in eight lanes: its order depends on the length alone. Unlike
/// [`ExactSum`](super::ExactSum) it rounds, and in another order to other bits.
///
/// ```
/// assert_eq!(xai_core::sum::dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
/// ```
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
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
