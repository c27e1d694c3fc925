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

/// A cell of a class table that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Cell {
    /// The class that the first run predicts.
    pub(crate) row: u32,
    /// The class that the second run predicts.
    pub(crate) column: u32,
    /// On how many samples.
    pub(crate) count: u64,
}

/// Cramér's V of a table of counts, given its cells that are not 0 in any order, and its row and
/// column totals. `None` when either side has one class only.
///
/// ```text
/// V = √(χ² / (n (min(r, c) − 1)))      χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
/// ```
///
/// No bias correction; classes that occur in neither run do not count. 0 = independent, 1 = one
/// determines the other.
///
/// The terms are added as integers of 2⁻⁶², so their order does not show and the 1 is subtracted
/// exactly; a term is off by less than that unit. (An [`ExactSum`](xai_core::ExactSum) took four
/// times as long for a table of 50 classes.)
#[allow(
    clippy::cast_precision_loss, // counts below 2^53
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss // terms in [0, 1]
)]
pub(crate) fn cramers_v(cells: &[Cell], rows: &[u64], columns: &[u64]) -> Option<f64> {
    const ONE: f64 = (1u64 << 62) as f64;
    let present = |totals: &[u64]| totals.iter().filter(|&&total| total > 0).count();
    let classes = present(rows).min(present(columns));
    if classes < 2 {
        return None;
    }
    let mut association = 0u128;
    for cell in cells {
        let count = cell.count as f64;
        let totals = rows[cell.row as usize] as f64 * columns[cell.column as usize] as f64;
        association += u128::from((count * count / totals * ONE) as u64);
    }
    let beyond_chance = association as i128 - (1i128 << 62);
    let v_squared = beyond_chance as f64 / ONE / (classes - 1) as f64;
    Some(v_squared.clamp(0.0, 1.0).sqrt())
}

/// `x ln x` as integers of a unit chosen so that `n ln n` nearly fills 62 bits: sums over the cells
/// of a table of `n` samples are then exact and their order does not show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountLogs {
    units: f64,
}

#[allow(clippy::cast_precision_loss)] // counts below 2^53
impl CountLogs {
    /// For tables of `n` samples.
    pub(crate) fn new(n: u64) -> Self {
        let most = (n as f64 * xai_core::elementary::ln(n as f64)).max(1.0);
        // The exponent of `most`, plus 1: the power of two above it.
        let above = (most.to_bits() >> 52) as i32 - 1022;
        Self {
            units: 2f64.powi(61 - above),
        }
    }

    #[allow(clippy::cast_possible_truncation)] // below 2^62
    fn of(self, count: u64) -> i64 {
        if count < 2 {
            return 0; // 0 ln 0 is 0
        }
        let small = usize::try_from(count)
            .ok()
            .and_then(|x| small_logs().get(x));
        (small.copied().unwrap_or_else(|| x_ln_x(count)) * self.units) as i64
    }

    fn sum(self, counts: impl Iterator<Item = u64>) -> i128 {
        counts.map(|count| i128::from(self.of(count))).sum()
    }
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn x_ln_x(x: u64) -> f64 {
    let x = x as f64;
    x * xai_core::elementary::ln(x)
}

/// `x ln x` of small counts, which most cells of a table of many classes have: a look-up takes a tenth
/// of the time.
fn small_logs() -> &'static [f64; 1024] {
    static LOGS: std::sync::LazyLock<[f64; 1024]> =
        std::sync::LazyLock::new(|| std::array::from_fn(|x| x_ln_x(x.max(1) as u64)));
    &LOGS
}

/// Normalised mutual information of a table: `None` when both sides have one class only.
///
/// ```text
/// NMI = 2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))
/// ```
#[allow(clippy::cast_precision_loss)]
pub(crate) fn normalized_mutual_information(
    n: u64,
    cells: &[Cell],
    rows: &[u64],
    columns: &[u64],
) -> Option<f64> {
    let logs = CountLogs::new(n);
    let all = logs.sum(std::iter::once(n));
    let first = all - logs.sum(rows.iter().copied());
    let second = all - logs.sum(columns.iter().copied());
    let joint = all - logs.sum(cells.iter().map(|cell| cell.count));
    // n times entropies, in the same unit.
    (first + second > 0).then(|| {
        let shared = 2 * (first + second - joint);
        (shared as f64 / (first + second) as f64).clamp(0.0, 1.0)
    })
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

    fn cells(cells: &[(u32, u32, u64)]) -> Vec<Cell> {
        let cell = |&(row, column, count)| Cell { row, column, count };
        cells.iter().map(cell).collect()
    }

    #[test]
    fn cramers_v_by_hand() {
        let even = cells(&[(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]);
        assert_eq!(cramers_v(&even, &[2, 2], &[2, 2]), Some(0.0));
        let diagonal = cells(&[(0, 0, 5), (1, 1, 3)]);
        assert_eq!(cramers_v(&diagonal, &[5, 3], &[5, 3]), Some(1.0));
        let constant = cells(&[(0, 0, 5), (1, 0, 3)]);
        assert_eq!(cramers_v(&constant, &[5, 3], &[8]), None);
    }

    #[test]
    fn mutual_information_by_hand() {
        let even = cells(&[(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]);
        let nmi = normalized_mutual_information;
        assert_eq!(nmi(4, &even, &[2, 2], &[2, 2]), Some(0.0));
        let diagonal = cells(&[(0, 1, 5), (1, 0, 3)]);
        assert_eq!(nmi(8, &diagonal, &[5, 3], &[3, 5]), Some(1.0));
        // Four equally likely classes, the second run tells two of them apart: 2 ln 2 / (ln 4 + ln 2).
        let halves = cells(&[(0, 0, 1), (1, 0, 1), (2, 1, 1), (3, 1, 1)]);
        let value = nmi(4, &halves, &[1, 1, 1, 1], &[2, 2]).unwrap();
        assert!((value - 2.0 / 3.0).abs() < 1e-15);
        // A constant run shares nothing with one that is not; two constant runs have nothing to share.
        assert_eq!(
            nmi(8, &cells(&[(0, 0, 5), (1, 0, 3)]), &[5, 3], &[8]),
            Some(0.0)
        );
        assert_eq!(nmi(8, &cells(&[(0, 0, 8)]), &[8], &[8]), None);
        assert_eq!(nmi(1, &cells(&[(0, 0, 1)]), &[1], &[1]), None);
    }
}
