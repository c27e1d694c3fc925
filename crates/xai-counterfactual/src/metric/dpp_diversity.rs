use xai_core::describe::{Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::selection::Rows;
use crate::values::CounterfactualValues;

/// Determinant of the similarities of a query's counterfactuals.
///
/// ```text
/// det K,  K_ab = 1 / (1 + d(c_a, c_b))
/// ```
///
/// In [0, 1], **higher is better**. Undefined for fewer than two rows.
///
/// # Extremes
/// 0: two rows are the same. 1: all rows are infinitely far apart.
///
/// # Limits
/// It falls with the number of rows: compare sets of equal size.
///
/// # Source
/// Mothilal et al., *Explaining machine learning classifiers through diverse counterfactual explanations*, 2020.
///
/// # Elsewhere
/// `dice.dpp_style`, `ceval.diversity`
#[metric(
    name = "dpp-diversity",
    title = "DPP diversity",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 0.9722,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct DppDiversity {
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    rows: Rows,
}

impl CounterfactualMetric for DppDiversity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let distance = data.distance(self.distance)?;
        let members = data.members(self.rows);
        let per_query = parallel::map(members.len(), |query| {
            let rows = &members[query];
            if rows.len() < 2 {
                return None;
            }
            let kernel = rows.iter().map(|&a| {
                let similarity =
                    |&b: &usize| Some(1.0 / (1.0 + distance.between(data.row(a), data.row(b))?));
                rows.iter().map(similarity).collect::<Option<Vec<f64>>>()
            });
            // Rounding can take the determinant of rows that are nearly equal below 0.
            Some(determinant(kernel.collect::<Option<_>>()?).max(0.0))
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}

/// The determinant of a square matrix, by elimination with the largest pivot of each column.
fn determinant(mut matrix: Vec<Vec<f64>>) -> f64 {
    let mut product = 1.0;
    for k in 0..matrix.len() {
        let largest =
            (k..matrix.len()).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs()));
        let Some(pivot) = largest.filter(|&row| matrix[row][k] != 0.0) else {
            return 0.0;
        };
        if pivot != k {
            matrix.swap(pivot, k);
            product = -product;
        }
        product *= matrix[k][k];
        let (done, rest) = matrix.split_at_mut(k + 1);
        for row in rest {
            let factor = row[k] / done[k][k];
            for (x, y) in row.iter_mut().zip(&done[k]) {
                *x -= factor * y;
            }
        }
    }
    product
}
