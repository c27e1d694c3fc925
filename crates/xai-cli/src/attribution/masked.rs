//! Average Drop, Increase and Gain.

use std::path::PathBuf;

use clap::Args;
use ndarray::{Array1, Ix1};
use xai_metrics::attribution::{MaskedScores, SampleScores, ScoreFormula, ScoreMetric};

use super::maps::SampleResult;
use super::{ActivationName, ChannelsName, PolicyName};
use crate::arrays;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;

/// Average Drop, Increase and Gain: from a model, or from scores that exist.
#[derive(Debug, Args)]
pub(crate) struct Masked {
    /// The model.
    #[arg(long, value_name = "M.onnx", requires_all = ["inputs", "explanations", "targets"])]
    model: Option<String>,
    /// Its inputs: (n, features), (n, time, features) or images.
    #[arg(long, value_name = "X.npy", requires = "model")]
    inputs: Option<String>,
    /// The attribution maps, shaped like the inputs or without channels.
    #[arg(long, value_name = "E.npy", requires = "model")]
    explanations: Option<String>,
    /// Class indices (n,) or rows of weights (n, outputs).
    #[arg(long, value_name = "T.npy", requires = "model")]
    targets: Option<String>,
    /// What is applied to the model's outputs.
    #[arg(long, value_enum, default_value_t)]
    activation: ActivationName,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: ChannelsName,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    /// What to do with base scores that the formula cannot divide by.
    #[arg(long, value_enum, default_value_t)]
    base_score_policy: PolicyName,
    /// Scores of the whole inputs (n,), instead of a model.
    #[arg(
        long,
        value_name = "B.npy",
        requires = "masked",
        conflicts_with = "model"
    )]
    base: Option<String>,
    /// Scores of the masked inputs (n,), instead of a model.
    #[arg(long, value_name = "A.npy", requires = "base")]
    masked: Option<String>,
    /// Write a row a sample: sample, base, masked, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Masked {
    pub(super) fn run<F: ScoreFormula>(
        &self,
        metric: ScoreMetric<F>,
        context: &Context,
    ) -> Result<(), Failure> {
        let metric = metric.base_score_policy(self.base_score_policy.into());
        let (scores, file) = self.scores(context)?;
        let SampleScores {
            value,
            per_sample,
            n_undefined,
        } = metric
            .from_scores(&scores.base, &scores.masked)
            .in_file(file)?;
        if let Some(out) = &self.out {
            let rows = per_sample.iter().enumerate().map(|(i, score)| {
                let (base, masked) = (scores.base[i], scores.masked[i]);
                [
                    i.to_string(),
                    base.to_string(),
                    masked.to_string(),
                    output::cell(*score),
                ]
            });
            output::write_csv(out, &["sample", "base", "masked", "score"], rows)?;
        }
        let scores = SampleScores {
            value,
            per_sample,
            n_undefined,
        };
        SampleResult::new(F::NAME, scores).present(context)
    }

    /// Base and masked scores, and the file to name when they do not suit the metric.
    fn scores(&self, context: &Context) -> Result<(MaskedScores, &str), Failure> {
        if let (Some(base), Some(masked)) = (&self.base, &self.masked) {
            let read = |file: &str| arrays::read_f64::<Ix1>(file).map(|a: Array1<f64>| a.to_vec());
            let (base_scores, masked_scores) = (read(base)?, read(masked)?);
            if base_scores.len() != masked_scores.len() {
                return Err(Failure::new(format!(
                    "{} scores, but {base} has {}",
                    masked_scores.len(),
                    base_scores.len()
                ))
                .in_file(masked));
            }
            return Ok((
                MaskedScores {
                    base: base_scores,
                    masked: masked_scores,
                },
                base,
            ));
        }
        let (Some(model), Some(inputs), Some(maps), Some(targets)) =
            (&self.model, &self.inputs, &self.explanations, &self.targets)
        else {
            return Err(Failure::usage("nothing to measure").help(
                "pass --model, --inputs, --explanations and --targets, or --base and --masked",
            ));
        };
        let scores = self.model_scores(model, [inputs, maps, targets], context)?;
        Ok((scores, model))
    }

    #[cfg(feature = "onnx")]
    fn model_scores(
        &self,
        file: &str,
        files: [&str; 3],
        context: &Context,
    ) -> Result<MaskedScores, Failure> {
        use super::file_samples::FileSamples;
        use super::study::{Watched, blame, read_targets, scoring};
        use xai_metrics::attribution::{Concurrent, Samples, masked_scores};

        let [inputs, maps, targets] = files;
        let inputs = FileSamples::open(inputs)?;
        let targets = read_targets(arrays::read(targets)?)?;
        let maps = FileSamples::open(maps)?;
        let model = crate::onnx::OnnxModel::read(file)?;
        let n = inputs.shape().first().copied().unwrap_or_default();
        let bar = context.progress(2 * n as u64, "rows scored");
        let watched = Watched {
            model: &model,
            watch: |rows| bar.inc(rows),
        };
        let scoring = scoring(self.activation, self.channels, self.batch_size as usize);
        let scores = masked_scores(&Concurrent(&watched), &inputs, &targets, &maps, &scoring);
        bar.finish_and_clear();
        scores.map_err(|stopped| blame(stopped.into_error(), files, file))
    }

    #[cfg(not(feature = "onnx"))]
    fn model_scores(&self, _: &str, _: [&str; 3], _: &Context) -> Result<MaskedScores, Failure> {
        let _ = (self.activation, self.channels, self.batch_size);
        Err(Failure::usage("this build cannot run ONNX models")
            .help("install with the feature `onnx`, or pass --base and --masked"))
    }
}
