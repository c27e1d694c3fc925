//! Agreement beyond chance.

/// Cohen's κ: the agreement beyond chance relative to the largest possible one; `None` if agreement by chance is
/// certain.
///
/// ```text
/// (n_equal / n − by_chance / n²) / (1 − by_chance / n²)
/// ```
pub(super) fn beyond_chance(n: u64, n_equal: u64, by_chance: i128) -> Option<f64> {
    let (n, n_equal) = (i128::from(n), i128::from(n_equal));
    // Numerator and denominator are exact, so nothing cancels for agreement close to that by chance.
    let largest_possible = n * n - by_chance;
    (largest_possible > 0).then(|| (n * n_equal - by_chance) as f64 / largest_possible as f64)
}
