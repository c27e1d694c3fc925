//! `xai repro compare`

use clap::Args;
use serde::Serialize;
use xai_metrics::repro::GroupComparison;

use super::options::{Labels, PairMetrics};
use super::results::{SummaryResult, as_object};
use super::runs;
use crate::context::Context;
use crate::failure::{Failure, InFiles};
use crate::output::text;

/// `xai repro compare`
#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Predicted labels of the first group, as for `pairwise`.
    #[arg(long, value_name = "A.npy", num_args = 1.., required = true)]
    first: Vec<String>,
    /// Predicted labels of the second group, of the same samples.
    #[arg(long, value_name = "B.npy", num_args = 1.., required = true)]
    second: Vec<String>,
    #[command(flatten)]
    labels: Labels,
    #[command(flatten)]
    metrics: PairMetrics,
    /// The most assignments of runs to groups to look at; all there are if they are no more.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    assignments: u64,
}

#[derive(Serialize)]
struct CompareResult {
    n_first: usize,
    n_second: usize,
    n_samples: usize,
    #[serde(serialize_with = "as_object")]
    metrics: Vec<(String, Difference)>,
}

#[derive(Serialize)]
struct Difference {
    first: SummaryResult,
    second: SummaryResult,
    difference: Option<f64>,
    p_value: Option<f64>,
    n_assignments: u64,
    exact: bool,
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let first = runs::load(&self.first, &self.labels.labels)?;
        let second = runs::load(&self.second, &self.labels.labels)?;
        if first.labels != second.labels {
            return Err(Failure::new(format!(
                "other labels than in {}: the groups must predict the same samples",
                self.first[0]
            ))
            .in_file(&self.second[0]));
        }
        let differences = GroupComparison::new()
            .metrics(&self.metrics.chosen())
            .empty_union(self.metrics.empty_union)
            .n_assignments(self.assignments)
            .seed(context.seed)
            .compare(
                first.predictions.view(),
                second.predictions.view(),
                &first.labels,
            )
            .in_files(&runs::files(&self.second[0], &self.labels.labels))?;
        let result = CompareResult {
            n_first: first.predictions.nrows(),
            n_second: second.predictions.nrows(),
            n_samples: first.labels.len(),
            metrics: differences
                .into_iter()
                .map(|d| {
                    let difference = Difference {
                        first: d.first.into(),
                        second: d.second.into(),
                        difference: d.difference,
                        p_value: d.p_value,
                        n_assignments: d.n_assignments,
                        exact: d.exact,
                    };
                    (d.metric.name().to_owned(), difference)
                })
                .collect(),
        };
        context.present(&result, || result.table())
    }
}

impl CompareResult {
    fn table(&self) -> String {
        let rows = self.metrics.iter().map(|(name, d)| {
            [
                name.clone(),
                text::decimals(d.first.mean),
                text::decimals(d.second.mean),
                text::decimals(d.difference),
                text::decimals(d.p_value),
            ]
        });
        let header = ["metric", "first", "second", "difference", "p"];
        let (n, exact) = self
            .metrics
            .first()
            .map_or((0, true), |(_, d)| (d.n_assignments, d.exact));
        let how = if exact { "all" } else { "drawn" };
        format!(
            "{} and {} runs on {} samples; means over the pairs within each group; permutation test \
             over {n} assignments of runs ({how})\n\n{}",
            self.n_first,
            self.n_second,
            self.n_samples,
            text::table(&header, rows)
        )
    }
}
