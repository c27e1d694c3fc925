//! Options that several commands take.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use xai_files::failure::Files;
use xai_metrics::core::Direction;
use xai_metrics::repro::registry::{self, PAIR_METRICS};
use xai_metrics::repro::{EmptyUnion, PairMetric, Pairwise, help, input};

use crate::choice::{Choices, choice};
use crate::output::text;

/// The coverage of intervals.
pub(crate) const LEVEL: f64 = 0.95;

/// What every command on runs of classes takes.
#[derive(Debug, Args)]
pub(crate) struct Labels {
    /// True labels (samples,): an array; a .csv with one column; or, where the runs are columns of a
    /// .csv, the column that holds them. Labels in a .csv may be words.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    pub(crate) labels: PathBuf,
    /// A column of the .csv of the runs that is no run. May be repeated. Columns without a name, as the
    /// index that pandas writes, are none.
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
    /// Local error consistency of two runs without errors.
    #[arg(long, value_parser = choice(EMPTY_UNION), default_value = "undefined")]
    empty_union: EmptyUnion,
}

const EMPTY_UNION: &Choices<EmptyUnion> = &[
    ("undefined", EmptyUnion::Undefined, "Undefined, and counted"),
    ("0", EmptyUnion::Zero, ""),
    ("1", EmptyUnion::One, ""),
    ("drop", EmptyUnion::Drop, "Leave the pair out"),
    ("error", EmptyUnion::Error, "Stop at such a pair"),
];

/// A metric by name; `None` for `all`.
fn metric() -> impl TypedValueParser<Value = Option<PairMetric>> {
    let all = PossibleValue::new("all").help("Every metric");
    let of_metric =
        |metric: &PairMetric| PossibleValue::new(metric.name()).help(metric.info().question);
    let words = std::iter::once(all).chain(PAIR_METRICS.iter().map(of_metric));
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        "all" => Ok(None),
        name => name.parse().map(Some),
    })
}

impl PairMetrics {
    /// The metrics that were named, each once, in the order of their first mention.
    pub(super) fn chosen(&self) -> Vec<PairMetric> {
        if self.metrics.contains(&None) {
            return PAIR_METRICS.to_vec();
        }
        let mut metrics = Vec::new();
        for &metric in self.metrics.iter().flatten() {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        metrics
    }

    /// The metrics with their options.
    pub(super) fn pairwise(&self) -> Pairwise {
        Pairwise::new()
            .metrics(&self.chosen())
            .empty_union(self.empty_union)
    }
}

/// Options of parameters, and advice in terms of options.
pub(super) fn parameters() -> Files<'static> {
    Files::new()
        .options(&[
            (input::N_ASSIGNMENTS, "--assignments"),
            (input::METRICS, "--metrics"),
        ])
        .ways_out(&[(help::CHOOSE_EMPTY_UNION, "choose another --empty-union")])
}

/// A metric of the registry as tables call it: with the arrow that says which values are better.
pub(super) fn with_arrow(name: &str) -> String {
    let info = registry::metrics().find(|info| info.name == name);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_option_are_those_of_the_library() {
        assert_eq!(EMPTY_UNION.len(), EmptyUnion::ALL.len());
        for (word, policy, _) in EMPTY_UNION {
            assert_eq!(word.parse::<EmptyUnion>().unwrap(), *policy);
        }
    }
}
