//! Tables of two runs' outcomes, and what they say.

/// How two runs' errors fall together: a 2 × 2 table of `n` samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorTable {
    /// Samples that both get wrong.
    pub(crate) both: u64,
    /// Samples that the first gets wrong.
    pub(crate) first: u64,
    /// Samples that the second gets wrong.
    pub(crate) second: u64,
    /// All samples, at least 1.
    pub(crate) n_samples: u64,
}

#[allow(clippy::cast_precision_loss)] // counts below 2^53
impl ErrorTable {
    /// Samples that either gets wrong.
    pub(crate) fn union(&self) -> u64 {
        self.first + self.second - self.both
    }

    /// `|e_i ∧ e_j| / |e_i ∨ e_j|`; `None` for an empty union.
    pub(crate) fn local_consistency(&self) -> Option<f64> {
        (self.union() > 0).then(|| self.both as f64 / self.union() as f64)
    }

    /// `|e_i ∧ e_j| / n`.
    pub(crate) fn global_consistency(&self) -> f64 {
        self.both as f64 / self.n_samples as f64
    }

    /// The share of samples that both get right or both wrong.
    pub(crate) fn accuracy(&self) -> f64 {
        let equal = self.n_samples + 2 * self.both - self.first - self.second;
        equal as f64 / self.n_samples as f64
    }

    /// Pearson's correlation of the errors, φ; `None` when either is constant.
    ///
    /// ```text
    /// φ = (n |e_i ∧ e_j| − |e_i| |e_j|) / √(|e_i| (n − |e_i|) |e_j| (n − |e_j|))
    /// ```
    pub(crate) fn correlation(&self) -> Option<f64> {
        let [n, both, first, second] =
            [self.n_samples, self.both, self.first, self.second].map(i128::from);
        let spread = |wrong: i128| wrong * (n - wrong);
        if spread(first) == 0 || spread(second) == 0 {
            return None;
        }
        // Exact integers up to here, and the root of a square is exact: identical runs give 1.
        let covariance = (n * both - first * second) as f64;
        let deviations = (spread(first) as f64 * spread(second) as f64).sqrt();
        Some((covariance / deviations).clamp(-1.0, 1.0))
    }
}

/// Cohen's κ from the number of equal predictions and each run's class counts.
///
/// `Σ_c n_c m_c` is the agreement by chance, in units of `1/n²`.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn cohens_kappa(n: u64, equal: u64, first: &[u64], second: &[u64]) -> Option<f64> {
    let n = i128::from(n);
    let by_chance: i128 = first
        .iter()
        .zip(second)
        .map(|(&a, &b)| i128::from(a) * i128::from(b))
        .sum();
    let room = n * n - by_chance;
    (room > 0).then(|| (n * i128::from(equal) - by_chance) as f64 / room as f64)
}

/// Cramér's V of a table of counts given as `(row, column, count)`, absent cells 0, and of its
/// row and column totals. `None` when either side has one class only.
///
/// ```text
/// V = √(χ² / (n (min(r, c) − 1)))      χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
/// ```
///
/// No bias correction; classes that occur in neither run do not count. 0 = independent, 1 = one
/// determines the other.
#[allow(clippy::cast_precision_loss)] // counts below 2^53
pub(crate) fn cramers_v_of(
    cells: &[(usize, usize, u64)],
    rows: &[u64],
    columns: &[u64],
) -> Option<f64> {
    let present = |totals: &[u64]| totals.iter().filter(|&&total| total > 0).count();
    let classes = present(rows).min(present(columns));
    if classes < 2 {
        return None;
    }
    // Σ n_ij²/(n_i· n_·j) over exact integers; the terms are added without regard to their order.
    let association: xai_core::ExactSum = cells
        .iter()
        .map(|&(row, column, count)| {
            (count as f64) * (count as f64) / (rows[row] as f64 * columns[column] as f64)
        })
        .collect();
    let v_squared = (association.value() - 1.0) / (classes - 1) as f64;
    Some(v_squared.clamp(0.0, 1.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_table_by_hand() {
        let table = ErrorTable {
            both: 1,
            first: 2,
            second: 3,
            n_samples: 10,
        };
        assert_eq!(table.union(), 4);
        assert_eq!(table.local_consistency(), Some(0.25));
        assert_eq!(table.global_consistency(), 0.1);
        assert_eq!(table.accuracy(), 0.7); // 1 both wrong, 6 both right
        // (10·1 − 2·3)/√(2·8·3·7)
        assert_eq!(table.correlation(), Some(4.0 / 336f64.sqrt()));
    }

    #[test]
    fn cramers_v_by_hand() {
        let even = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
        assert_eq!(cramers_v_of(&even, &[2, 2], &[2, 2]), Some(0.0));
        let diagonal = [(0, 0, 5), (1, 1, 3)];
        assert_eq!(cramers_v_of(&diagonal, &[5, 3], &[5, 3]), Some(1.0));
        assert_eq!(cramers_v_of(&[(0, 0, 5), (1, 0, 3)], &[5, 3], &[8]), None);
    }
}
