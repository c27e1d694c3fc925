//! The reliability of the metrics of a comparison, from its scores.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::common::evaluation::{
    EvaluationValues, MetricPair, MetricReliability, MetricValues, Statistics,
};
use xai_metrics::common::{Direction, input};

use crate::metric_commands::{Family, Run};
use crate::named::Named;
use crate::output::text;
use crate::{Context, examples};

/// `reliability`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    format!("xai {} reliability scores.json", F::COMMAND),
    format!("xai {} reliability scores.json --n-draws 10000 --json", F::COMMAND),
]))]
pub(crate) struct Reliability<F: Family> {
    /// The scores as `compare --json` prints them. JSON of another program needs this form:
    /// {"metrics": {METRIC: {"better": "higher", "explainers": {NAME: {"per_sample": [0.1, null]}}}}}.
    #[arg(value_name = "SCORES.json")]
    scores: PathBuf,
    /// Number of times samples are drawn again to see whether the ranking of the explainers stays; 0 leaves that out.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    n_draws: usize,
    #[arg(skip)]
    family: PhantomData<F>,
}

/// The JSON of `reliability`.
#[derive(Serialize)]
struct ReliabilityResult {
    n_samples: usize,
    explainers: Vec<String>,
    #[serde(serialize_with = "by_name")]
    metrics: Vec<MetricReliability>,
    pairs: Vec<MetricPair>,
}

fn by_name<S: Serializer>(metrics: &[MetricReliability], s: S) -> Result<S::Ok, S::Error> {
    s.collect_map(metrics.iter().map(|of| (&of.metric, of)))
}

impl<F: Family> Run for Reliability<F> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let values = read::<F>(&self.scores)?;
        context.end_check();
        let statistics = Statistics {
            replicates: self.n_draws,
            seed: context.seed(),
            ..Statistics::default()
        };
        let places = Files::with_main_file(&self.scores)
            .file(&[input::EXPLAINERS], &self.scores)
            .options(&[(input::N_REPLICATES, "--n-draws")]);
        let judged = values.reliability(&statistics).in_files(&places)?;
        let result = ReliabilityResult {
            n_samples: values.n_samples,
            explainers: values.explainers,
            metrics: judged.metrics,
            pairs: judged.pairs,
        };
        context.present(&result, || result.table())
    }
}

impl ReliabilityResult {
    fn table(&self) -> String {
        let rows = self.metrics.iter().map(|of| {
            let stable = of.rank_stability.as_ref();
            [
                text::with_arrow(&of.metric, of.direction),
                text::decimals(of.kendall_w.value),
                text::decimals(of.krippendorff_alpha.value),
                text::decimals(stable.and_then(|of| of.mean_tau)),
                text::decimals(stable.and_then(|of| of.top_share)),
                text::decimals(of.inter_method_reliability.value),
                text::decimals(of.internal_consistency),
                of.kendall_w.n_samples.to_string(),
            ]
        });
        let header = [
            "metric",
            "W",
            "alpha",
            "rank tau",
            "same best",
            "same samples",
            "other metrics",
            "samples",
        ];
        format!(
            "{}\n\nW and alpha: whether samples rank the explainers alike (W in [0, 1]; alpha 0: as by chance)\n\
             rank tau, same best: whether samples that are drawn again do\n\
             same samples: whether the same samples score high for every explainer (no better end)\n\
             other metrics: whether the other metrics say the same of a sample",
            text::table(&header, rows)
        )
    }
}

/// The scores of a file.
fn read<F: Family>(path: &Path) -> Result<EvaluationValues, Failure> {
    let form = format!("give what `xai {} compare --json` prints", F::COMMAND);
    let stored: Stored = xai_files::json::read(path, &form)?;
    let metrics = stored.metrics.0;
    let Some((of_first, first)) = metrics.first() else {
        return Err(Failure::new("there are no metrics")).in_file(path);
    };
    let names = |of: &StoredMetric| -> Vec<String> {
        of.explainers
            .0
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let explainers = names(first);
    let of_explainer = first.explainers.0.first();
    let n_samples = of_explainer.map_or(0, |(_, scores)| scores.per_sample.len());
    if let Some((other, _)) = metrics.iter().find(|(_, of)| names(of) != explainers) {
        let what = format_args!("{other} has other explainers, or another order, than {of_first}");
        return Err(Failure::new(what)).in_file(path);
    }
    let metrics = metrics.into_iter().map(|(metric, stored)| {
        let scores = stored.explainers.0.into_iter();
        let per_sample = scores.map(|(_, scores)| scores.per_sample).collect();
        MetricValues::new(metric, stored.better, per_sample)
    });
    Ok(EvaluationValues::new(
        explainers,
        n_samples,
        metrics.collect(),
    ))
}

/// The JSON of a comparison, as far as it is read.
#[derive(Deserialize)]
struct Stored {
    metrics: Named<StoredMetric>,
}

#[derive(Deserialize)]
struct StoredMetric {
    better: Direction,
    explainers: Named<StoredScores>,
}

#[derive(Deserialize)]
struct StoredScores {
    per_sample: Vec<Option<f64>>,
}
