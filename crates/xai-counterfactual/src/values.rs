//! Values per counterfactual and per query.

use xai_core::{ExactMean, parallel};

use crate::data::CounterfactualData;
use crate::selection::{Over, Selection};

/// The values of a metric.
///
/// The unit is the query: the rows of a query are no independent sample, and a method that gives one query many rows
/// would weigh it more. `pooled`, the mean over rows, is what other packages report.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CounterfactualValues {
    /// Mean over the queries that have a value; `None` if none has.
    pub value: Option<f64>,
    /// Mean over the rows that have a value; `None` if none has, and for metrics of sets of rows.
    pub pooled: Option<f64>,
    /// Value of each query; `None` if it is undefined, or if no row counts.
    pub per_query: Vec<Option<f64>>,
    /// Value of each row, `None` if it is undefined or the row does not count. No list for metrics of sets of rows.
    pub per_counterfactual: Option<Vec<Option<f64>>>,
    /// Number of queries without a value.
    pub n_undefined: usize,
}

impl CounterfactualValues {
    /// Summarises values per query.
    pub(crate) fn per_query(per_query: Vec<Option<f64>>) -> Self {
        Self {
            value: mean(per_query.iter().copied()),
            n_undefined: per_query.iter().filter(|value| value.is_none()).count(),
            per_query,
            ..Self::default()
        }
    }

    /// Summarises values per row: those of the rows that count, by query.
    pub(crate) fn per_row(
        mut values: Vec<Option<f64>>,
        selection: Selection,
        best: Best,
        data: &CounterfactualData<'_>,
    ) -> Self {
        let members = data.members(selection.rows);
        // Values of rows that do not count are dropped, so that `pooled` is a mean over the same rows as `per_query`.
        let mut counts = vec![false; values.len()];
        for &row in members.iter().flatten() {
            counts[row] = true;
        }
        for (value, counts) in values.iter_mut().zip(counts) {
            if !counts {
                *value = None;
            }
        }
        let per_query = members.iter().map(|rows| {
            let mut own = rows.iter().filter_map(|&row| values[row]).peekable();
            own.peek()?;
            match (selection.over, best) {
                (Over::Mean, _) => mean(own.map(Some)),
                (Over::Best, Best::Smallest) => own.reduce(f64::min),
                (Over::Best, Best::Largest) => own.reduce(f64::max),
            }
        });
        let summary = Self::per_query(per_query.collect());
        Self {
            pooled: mean(values.iter().copied()),
            per_counterfactual: Some(values),
            ..summary
        }
    }
}

impl CounterfactualData<'_> {
    /// Computes a value for each row from its number, its query and itself, and summarises them by query.
    pub(crate) fn values(
        &self,
        selection: Selection,
        best: Best,
        value: impl Fn(usize, &[f64], &[f64]) -> Option<f64> + Sync + Send,
    ) -> CounterfactualValues {
        let values = parallel::map(self.n_rows(), |row| {
            value(row, self.query_row(self.query[row]), self.row(row))
        });
        CounterfactualValues::per_row(values, selection, best, self)
    }
}

/// The better end of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Best {
    Smallest,
    Largest,
}

/// The mean of the values that are defined, rounded once.
pub(crate) fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    values.into_iter().flatten().collect::<ExactMean>().value()
}
