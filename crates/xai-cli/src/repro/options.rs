//! Options and output that several commands of the group have.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use xai_files::Failure;
use xai_metrics::common::Direction;
use xai_metrics::common::describe::Parameter;
use xai_metrics::repro::interval::{IntervalMethod, MetricReport};
use xai_metrics::repro::{FAMILY, metrics::PAIR_METRICS};
use xai_metrics::repro::{PairMetric, RunInterval};

use crate::described::possible_value;
use crate::output::{rows, text};

/// Options for the true labels and the columns of tables of runs.
#[derive(Debug, Args)]
pub(crate) struct Labels {
    /// True labels (samples,): an array, a .csv file with one column, or the name of a column if the runs are columns
    /// of a .csv file. Labels in .csv files may be words.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    pub(crate) labels: PathBuf,
    /// A column of the .csv file of the runs that is not a run. May be repeated. Columns without a name (such as the
    /// index that pandas writes), columns that number the rows, and columns with a different class in every row are
    /// left out without this option, except columns with the true classes if every sample has a different true class.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) drop_column: Vec<String>,
}

/// Option for the metrics of pairs of runs.
#[derive(Debug, Args)]
pub(super) struct PairMetrics {
    /// Metrics, separated by commas.
    #[arg(
        long,
        value_name = "METRICS",
        value_delimiter = ',',
        default_value = "all",
        value_parser = metric()
    )]
    metrics: Vec<Option<PairMetric>>,
}

/// Returns a value parser for the name of a metric, or `all`, which is `None`.
fn metric() -> impl TypedValueParser<Value = Option<PairMetric>> {
    let all = PossibleValue::new("all").help("Every metric");
    let words = std::iter::once(all).chain(PairMetric::KIND.words().map(possible_value));
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "all" => Ok(None),
        name => name.parse().map(Some),
    })
}

impl PairMetrics {
    /// Returns the metrics of the option in their order, or every metric for `all`.
    ///
    /// # Errors
    /// Wrong usage if a metric is named twice, or together with `all`.
    pub(super) fn chosen(&self) -> Result<Vec<PairMetric>, Failure> {
        let metrics = &self.metrics;
        let is_all = metrics.contains(&None);
        // With `all`, any other name repeats a metric.
        let repeated = (1..metrics.len()).find(|&i| is_all || metrics[..i].contains(&metrics[i]));
        if let Some(i) = repeated {
            let name = metrics[i].map_or("all", |metric| metric.info().name);
            let failure =
                Failure::for_option("--metrics", "the metric is given twice").with_value(name);
            return Err(failure.help("name every metric once"));
        }
        if is_all {
            return Ok(PAIR_METRICS.to_vec());
        }
        Ok(metrics.iter().flatten().copied().collect())
    }
}

/// Returns the name of a metric of the registry with the arrow that shows which values are better.
pub(super) fn with_arrow(name: &str) -> String {
    let info = FAMILY.infos().find(|info| info.name == name);
    let better = info.map_or(Direction::None, |info| info.direction);
    text::with_arrow(name, better)
}

/// Returns a row per pair of runs with their numbers and the value of each metric. `metrics` has the values of each
/// metric in the order of the pairs (0, 1), (0, 2), …
pub(super) fn pair_rows<'a>(
    n_runs: usize,
    metrics: &'a [&'a [Option<f64>]],
) -> impl Iterator<Item = Vec<String>> + 'a {
    let pairs = (0..n_runs).flat_map(move |i| (i + 1..n_runs).map(move |j| [i, j]));
    pairs.enumerate().map(|(pair, runs)| {
        let values = metrics.iter().map(|values| text::cell(values[pair]));
        runs.iter().map(usize::to_string).chain(values).collect()
    })
}

/// Writes a row per pair of runs to `out`, if it is given.
pub(super) fn write_pairs(
    out: Option<&Path>,
    n_runs: usize,
    metrics: &[(&'static str, MetricReport)],
) -> Result<(), Failure> {
    let names = metrics.iter().map(|(name, _)| *name);
    let header = ["first", "second"].into_iter().chain(names);
    let pairs: Vec<&[Option<f64>]> = metrics
        .iter()
        .map(|(_, metric)| metric.pairs.as_slice())
        .collect();
    rows::write(out, header, pair_rows(n_runs, &pairs))
}

/// A column of a table of metrics: its header, and a function that formats the cell of a metric.
type Column<'a> = (&'a str, fn(&MetricReport) -> String);

/// Formats a table with a row per metric and its statistics over the pairs of runs, with an optional last column.
pub(super) fn metrics_table(
    metrics: &[(&'static str, MetricReport)],
    coverage: f64,
    last_column: Option<Column<'_>>,
) -> String {
    let rows = metrics.iter().map(|(name, m)| {
        let numbers = [m.std, m.min, m.median, m.max].map(text::decimals);
        let mut row = vec![
            with_arrow(name),
            text::decimals(m.mean),
            text::interval(m.interval),
        ];
        row.extend(numbers);
        row.extend(last_column.map(|(_, cell)| cell(m)));
        row
    });
    let interval = format!("{} interval", text::coverage(coverage));
    let mut header = vec!["metric", "mean", &interval, "std", "min", "median", "max"];
    header.extend(last_column.map(|(name, _)| name));
    text::table(&header, rows)
}

/// Returns the method of intervals over runs, as part of a sentence.
pub(super) fn interval_method(interval: RunInterval) -> &'static str {
    match interval.method() {
        IntervalMethod::Bca => "a BCa bootstrap",
        _ => "a jackknife",
    }
}
