//! How predictions of two runs are associated.

use xai_core::ExactSum;
use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::counts::ClassTable;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Cramér's V without bias correction, over the classes present in the pair, in [0, 1]. 0 =
    /// independent, 1 = one run's prediction determines the other's. Undefined where either run predicts
    /// one class only.
    pub const PA_CRAMERS_V: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_cramers_v",
            title: "Cramér's V",
            question: "Are the predictions of both runs associated at all?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Cramér 1946",
        },
        formula: PairFormula::Table(cramers_v),
        undefined_without_errors: false,
    });
}

/// V of the cells that are not 0; classes that occur in neither run do not count.
///
/// ```text
/// V = √(χ² / (n (min(r, c) − 1)))      χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
/// ```
///
/// The terms are added as integers of 2⁻⁶², so their order does not show and the 1 is subtracted
/// exactly; a term is off by less than that unit. (An [`ExactSum`](xai_core::ExactSum) took four
/// times as long for a table of 50 classes.)
fn cramers_v(table: &ClassTable<'_>) -> Option<f64> {
    const ONE: f64 = (1u64 << 62) as f64;
    let present = |totals: &[u64]| totals.iter().filter(|&&total| total > 0).count();
    let classes = present(table.rows).min(present(table.columns));
    if classes < 2 {
        return None;
    }
    let mut association = 0u128;
    for cell in table.cells {
        let count = cell.count as f64;
        let totals =
            table.rows[cell.row as usize] as f64 * table.columns[cell.column as usize] as f64;
        association += u128::from((count * count / totals * ONE) as u64);
    }
    let beyond_chance = (association as i128 - (1i128 << 62)) as f64 / ONE;
    let phi_squared = match beyond_chance < NEARLY_INDEPENDENT {
        true => excess(table),
        false => beyond_chance,
    };
    Some((phi_squared / (classes - 1) as f64).clamp(0.0, 1.0).sqrt())
}

/// Below this `χ²/n` is what rounding leaves of a difference of nearly equal sums.
const NEARLY_INDEPENDENT: f64 = 1e-9;

/// `χ²/n` from what each cell has beyond chance, in whole numbers, so that nothing cancels and independence is 0:
///
/// ```text
/// χ²/n = (Σ (n n_ij − n_i· n_·j)² / (n_i· n_·j)) / n²
/// ```
///
/// A cell of 0 has the term `n_i· n_·j`; the sum of these is `n²` less those of the other cells.
fn excess(table: &ClassTable<'_>) -> f64 {
    let n = i128::from(table.n_samples);
    let n_squared = n as f64 * n as f64;
    let mut empty = n * n;
    let mut terms = ExactSum::new();
    for cell in table.cells {
        let by_chance = i128::from(table.rows[cell.row as usize])
            * i128::from(table.columns[cell.column as usize]);
        empty -= by_chance;
        let beyond = (n * i128::from(cell.count) - by_chance) as f64;
        terms.add(beyond * beyond / by_chance as f64);
    }
    (terms.value() + empty as f64) / n_squared
}
