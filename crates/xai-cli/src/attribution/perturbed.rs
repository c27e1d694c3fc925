//! Deletion and Insertion.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_metrics::attribution::{
    Baseline, Concurrent, CurvePoint, Deletion, Insertion, Samples, Scoring,
};

use super::file_samples::FileSamples;
use super::study::{Watched, blame, read_targets, scoring};
use super::{ActivationName, ChannelsName};
use crate::arrays;
use crate::context::Context;
use crate::failure::Failure;
use crate::onnx::OnnxModel;
use crate::output;

/// `--steps`
pub(super) fn steps(text: &str) -> Result<Steps, String> {
    match text {
        "all" => Ok(Steps(None)),
        text => match text.parse() {
            Ok(steps) if steps > 0 => Ok(Steps(Some(steps))),
            _ => Err("expected a number of steps, at least 1, or all".to_owned()),
        },
    }
}

/// A number of steps, or one a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Steps(pub(super) Option<usize>);

/// `--baseline`
pub(super) fn baseline(text: &str) -> Result<Baseline, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let expected = "expected a number, a number a channel (0.5,0.4,0.4), mean, or blur:SIGMA";
    if text == "mean" {
        return Ok(Baseline::DatasetMean);
    }
    if let Some(sigma) = text.strip_prefix("blur:") {
        let sigma = number(sigma).filter(|sigma| *sigma > 0.0);
        return sigma
            .map(|sigma| Baseline::Blur { sigma })
            .ok_or_else(|| expected.to_owned());
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    match numbers.as_deref() {
        None => Err(expected.to_owned()),
        Some([value]) => Ok(Baseline::Value(*value)),
        Some(channels) => Ok(Baseline::Channels(channels.to_vec())),
    }
}

/// Deletion and Insertion of a model.
#[derive(Debug, Args)]
pub(crate) struct Perturbed {
    /// The model.
    #[arg(long, value_name = "M.onnx")]
    model: String,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy")]
    inputs: String,
    /// The attribution maps, shaped like the inputs or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy")]
    targets: String,
    /// What is applied to the model's outputs.
    #[arg(long, value_enum, default_value_t)]
    activation: ActivationName,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// Steps of the curve, or `all` for one a position.
    #[arg(long, value_name = "N", default_value = "10", value_parser = steps)]
    steps: Steps,
    /// The share of positions that the last step has flipped.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    max_fraction: f64,
    /// What stands for absence: a number, a number a channel, `mean` or `blur:SIGMA`.
    #[arg(
        long,
        value_name = "VALUE",
        default_value = "0.0",
        allow_hyphen_values = true,
        value_parser = baseline
    )]
    baseline: Baseline,
    /// Write a row a step: n_flipped, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct CurveResult {
    metric: &'static str,
    value: f64,
    curve: Vec<CurvePoint>,
}

impl Perturbed {
    pub(super) fn run(&self, metric: &'static str, context: &Context) -> Result<(), Failure> {
        let inputs = FileSamples::open(&self.inputs)?;
        let targets = read_targets(arrays::read(&self.targets)?)?;
        let maps = FileSamples::open(&self.explanations)?;
        let model = OnnxModel::read(&self.model)?;
        let n = inputs.shape().first().copied().unwrap_or_default() as u64;
        let steps = self.steps.0.map_or(0, |steps| steps as u64);
        let bar = context.progress(n.saturating_mul(steps.saturating_add(1)), "rows scored");
        let watched = Watched {
            model: &model,
            watch: |rows| bar.inc(rows),
        };
        let model = Concurrent(&watched);
        let Scoring {
            activation,
            batch_size,
            layout,
        } = scoring(self.activation, self.channels, self.batch_size as usize);
        macro_rules! curve {
            ($metric:ident) => {{
                let mut metric = $metric::new()
                    .activation(activation)
                    .batch_size(batch_size)
                    .steps(self.steps.0)
                    .max_fraction(self.max_fraction)
                    .baseline(self.baseline.clone());
                if let Some(layout) = layout {
                    metric = metric.layout(layout);
                }
                metric.evaluate(&model, &inputs, &targets, &maps)
            }};
        }
        let curve = match metric {
            "deletion" => curve!(Deletion),
            _ => curve!(Insertion),
        };
        bar.finish_and_clear();
        let curve = curve.map_err(|stopped| {
            let files = [&self.inputs, &self.explanations, &self.targets];
            blame(stopped.into_error(), files.map(String::as_str), &self.model)
        })?;
        if let Some(out) = &self.out {
            let rows = curve.curve.iter();
            let rows = rows.map(|p| [p.n_flipped.to_string(), p.score.to_string()]);
            output::write_csv(out, &["n_flipped", "score"], rows)?;
        }
        let result = CurveResult {
            metric,
            value: curve.auc,
            curve: curve.curve,
        };
        context.present(&result, || {
            let rows = result.curve.iter();
            let rows = rows.map(|p| [p.n_flipped.to_string(), format!("{:.4}", p.score)]);
            let curve = output::table(&["flipped", "mean score"], rows);
            format!(
                "{metric}: area under the curve {:.4}\n\n{curve}",
                result.value
            )
        })
    }
}
