//! Options that several commands take.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use xai_files::Failure;
use xai_metrics::core::Direction;
use xai_metrics::core::describe::Parameter;
use xai_metrics::repro::interval::{IntervalMethod, MetricReport};
use xai_metrics::repro::{FAMILY, registry::PAIR_METRICS};
use xai_metrics::repro::{PairMetric, RunInterval};

use crate::described::possible_value;
use crate::output::{rows, text};

/// What every command on runs of classes takes.
#[derive(Debug, Args)]
pub(crate) struct Labels {
    /// True labels (samples,): an array; a .csv with one column; or, where the runs are columns of a
    /// .csv, the column that holds them. Labels in a .csv may be words.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    pub(crate) labels: PathBuf,
    /// A column of the .csv of the runs that is no run. May be repeated. Columns without a name, as the
    /// index that pandas writes, columns that number the rows, and columns with another class in every row
    /// are none; where every sample has a class of its own, columns with those classes are runs.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) drop_column: Vec<String>,
}

/// What every command on pairs of runs takes.
#[derive(Debug, Args)]
pub(super) struct PairMetrics {
    /// The metrics, separated by commas.
    #[arg(
        long,
        value_name = "METRICS",
        value_delimiter = ',',
        default_value = "all",
        value_parser = metric()
    )]
    metrics: Vec<Option<PairMetric>>,
}

/// A metric by name; `None` for `all`.
fn metric() -> impl TypedValueParser<Value = Option<PairMetric>> {
    let all = PossibleValue::new("all").help("Every metric");
    let words = std::iter::once(all).chain(PairMetric::KIND.words().map(possible_value));
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "all" => Ok(None),
        name => name.parse().map(Some),
    })
}

impl PairMetrics {
    /// The metrics that were named, in their order; of `all`, every metric.
    ///
    /// # Errors
    /// Wrong usage for a metric that is named twice, and for one beside `all`.
    pub(super) fn chosen(&self) -> Result<Vec<PairMetric>, Failure> {
        let given = &self.metrics;
        let is_all = given.contains(&None);
        // Beside `all`, every metric is there already.
        let twice = (1..given.len()).find(|&i| is_all || given[..i].contains(&given[i]));
        if let Some(i) = twice {
            let name = given[i].map_or("all", |metric| metric.info().name);
            let failure = Failure::of_option("--metrics", "asked for twice").with_value(name);
            return Err(failure.help("name every metric once"));
        }
        if is_all {
            return Ok(PAIR_METRICS.to_vec());
        }
        Ok(given.iter().flatten().copied().collect())
    }
}

/// A metric of the registry as tables call it: with the arrow that says which values are better.
pub(super) fn with_arrow(name: &str) -> String {
    let info = FAMILY.infos().find(|info| info.name == name);
    let better = info.map_or(Direction::None, |info| info.direction);
    text::with_arrow(name, better)
}

/// A row per pair of runs: their numbers, and each metric's value, in the order of the pairs.
pub(super) fn pair_rows<'a>(
    n_runs: usize,
    of_metrics: &'a [&'a [Option<f64>]],
) -> impl Iterator<Item = Vec<String>> + 'a {
    let pairs = (0..n_runs).flat_map(move |i| (i + 1..n_runs).map(move |j| [i, j]));
    pairs.enumerate().map(|(pair, runs)| {
        let values = of_metrics.iter().map(|values| text::cell(values[pair]));
        runs.iter().map(usize::to_string).chain(values).collect()
    })
}

/// Writes a row per pair of runs.
pub(super) fn write_pairs(
    out: Option<&Path>,
    n_runs: usize,
    metrics: &[(&'static str, MetricReport)],
) -> Result<(), Failure> {
    let names = metrics.iter().map(|(name, _)| *name);
    let header = ["first", "second"].into_iter().chain(names);
    let pairs = metrics.iter().map(|(_, metric)| metric.pairs.as_slice());
    let pairs: Vec<&[Option<f64>]> = pairs.collect();
    rows::write(out, header, pair_rows(n_runs, &pairs))
}

/// A column of a table of metrics: its header, and the cell of a metric.
type Column<'a> = (&'a str, fn(&MetricReport) -> String);

/// A row per metric over the pairs of runs, with what some commands show beside.
pub(super) fn table_of_metrics(
    metrics: &[(&'static str, MetricReport)],
    coverage: f64,
    beside: Option<Column<'_>>,
) -> String {
    let rows = metrics.iter().map(|(name, m)| {
        let numbers = [m.std, m.min, m.median, m.max].map(text::decimals);
        let mut row = vec![
            with_arrow(name),
            text::decimals(m.mean),
            text::interval(m.interval),
        ];
        row.extend(numbers);
        row.extend(beside.map(|(_, cell)| cell(m)));
        row
    });
    let interval = format!("{} interval", text::coverage(coverage));
    let mut header = vec!["metric", "mean", &interval, "std", "min", "median", "max"];
    header.extend(beside.map(|(name, _)| name));
    text::table(&header, rows)
}

/// What makes intervals over runs, in a sentence.
pub(super) fn called(interval: RunInterval) -> &'static str {
    match interval.method() {
        IntervalMethod::Bca => "a BCa bootstrap",
        _ => "a jackknife",
    }
}
