//! `xai repro compare`

use std::path::PathBuf;

use clap::Args;
use serde::{Serialize, Serializer};
use xai_files::left_out::LeftOut;
use xai_files::{Failure, InFiles};
use xai_metrics::repro::comparison::{FIRST, GroupDifference, SECOND};
use xai_metrics::repro::{GroupComparison, PackedRuns, Pairwise};

use crate::output::{rows, text};
use crate::repro::options::{Labels, PairMetrics, pair_rows, with_arrow};
use crate::repro::runs;
use crate::repro::runs::{LoadedRuns, RunFiles};
use crate::{Context, Described, examples};

/// `xai repro compare`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai repro compare --first old.npy --second new.npy --labels y.npy"]))]
pub(crate) struct Compare {
    /// Predicted labels of the first group of runs, in the formats of `xai repro pairwise --predictions`.
    #[arg(long, value_name = "A.npy", num_args = 1.., required = true)]
    first: Vec<PathBuf>,
    /// Predicted labels of the second group of runs, for the same samples.
    #[arg(long, value_name = "B.npy", num_args = 1.., required = true)]
    second: Vec<PathBuf>,
    #[command(flatten)]
    labels: Labels,
    #[command(flatten)]
    metrics: PairMetrics,
    #[command(flatten)]
    comparison: Described<GroupComparison>,
    /// Write a row per pair of runs within a group: the group, the two runs and each metric.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct CompareResult {
    n_first: usize,
    n_second: usize,
    n_samples: usize,
    #[serde(serialize_with = "by_name")]
    metrics: Vec<GroupDifference>,
    /// Columns of the tables that were not read as runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns_left_out: Vec<LeftOut>,
}

/// Serializes a JSON object with a key per metric, in the order of `--metrics`.
fn by_name<S: Serializer>(
    differences: &[GroupDifference],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let by_name = differences
        .iter()
        .map(|difference| (difference.metric.name(), difference));
    serializer.collect_map(by_name)
}

impl Compare {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and comparing runs");
        let groups = [&self.first, &self.second].map(|files| RunFiles::new(files, &self.labels));
        let [first, second] = runs::load_all(groups)?;
        if first.labels != second.labels {
            return Err(Failure::new(format!(
                "the true labels differ from those in {}",
                self.first[0].display()
            ))
            .help("both groups must predict the same samples, in the same order")
            .in_file(&self.second[0]));
        }
        let files = runs::files(&self.first[0], &self.labels.labels)
            .owner_file(FIRST, &self.first[0])
            .owner_file(SECOND, &self.second[0]);
        let comparison = self
            .comparison
            .read_seeded(context)?
            .metrics(&self.metrics.chosen()?);
        let differences = comparison.compare(
            first.predictions.view(),
            second.predictions.view(),
            &first.labels,
        );
        let result = CompareResult {
            n_first: first.predictions.nrows(),
            n_second: second.predictions.nrows(),
            n_samples: first.labels.len(),
            metrics: differences.in_files(&files)?,
            columns_left_out: [first.left_out.as_slice(), &second.left_out].concat(),
        };
        self.write_pairs(comparison.options(), [&first, &second])?;
        drop(working);
        context.remark_left_out(&result.columns_left_out);
        context.present(&result, || result.table())
    }

    /// Evaluates the pairs within each group and writes a row for each to `--out`, if it is given.
    fn write_pairs(&self, pairwise: &Pairwise, groups: [&LoadedRuns; 2]) -> Result<(), Failure> {
        let metrics = self.metrics.chosen()?;
        let names = metrics.iter().map(|metric| metric.name());
        let header = ["group", "first", "second"].into_iter().chain(names);
        let files = [&self.first[0], &self.second[0]];
        rows::stream(self.out.as_deref(), header, |rows| {
            if self.out.is_none() {
                return Ok(());
            }
            for ((group, file), name) in groups.iter().zip(files).zip(["first", "second"]) {
                let predictions = group.predictions.view();
                let within = PackedRuns::new(&metrics, predictions, &group.labels)
                    .and_then(|packed| pairwise.evaluate_packed(&packed))
                    .in_files(&runs::files(file, &self.labels.labels))?;
                let pairs: Vec<&[Option<f64>]> =
                    metrics.iter().map(|&metric| within.pairs(metric)).collect();
                for row in pair_rows(predictions.nrows(), &pairs) {
                    rows.write([name.to_owned()].into_iter().chain(row))?;
                }
            }
            Ok(())
        })
    }
}

impl CompareResult {
    fn table(&self) -> String {
        let rows = self.metrics.iter().map(|d| {
            [
                with_arrow(d.metric.name()),
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
            .map_or((0, true), |d| (d.n_assignments, d.exact));
        let selection = if exact { "all" } else { "randomly drawn" };
        format!(
            "{} and {} runs on {} samples; means over the pairs within each group; permutation test \
             over {n} assignments of runs ({selection})\n\n{}",
            self.n_first,
            self.n_second,
            self.n_samples,
            text::table(&header, rows)
        )
    }
}
