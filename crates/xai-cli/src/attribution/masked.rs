//! Average Drop, Increase and Gain.

use std::path::PathBuf;

use clap::Args;
use ndarray::{Array1, Ix1};
use xai_metrics::attribution::{MaskedScores, ScoreFormula, ScoreMetric};

use super::options::{self, PolicyOption, ScoringOptions};
use super::sample_result::SampleResult;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::arrays;
use crate::output::{rows, text};

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
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    policy: PolicyOption,
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
    /// Write a row per sample: sample, base, masked, score.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Masked {
    pub(super) fn run<F: ScoreFormula>(
        &self,
        metric: ScoreMetric<F>,
        context: &Context,
    ) -> Result<(), Failure> {
        let metric = metric.base_score_policy(self.policy.base_score_policy);
        let (scores, file) = self.scores(context)?;
        let of_samples = metric
            .from_scores(&scores.base, &scores.masked)
            .in_files(&Files::only(file).and(options::parameters()))?;
        let values = of_samples.per_sample.iter().enumerate();
        rows::write(
            self.out.as_deref(),
            ["sample", "base", "masked", "score"],
            values.map(|(i, score)| {
                [
                    i.to_string(),
                    scores.base[i].to_string(),
                    scores.masked[i].to_string(),
                    text::cell(*score),
                ]
            }),
        )?;
        SampleResult::new(F::NAME, of_samples).present(context)
    }

    /// Base and masked scores, and the file to name when they do not suit the metric.
    fn scores(&self, context: &Context) -> Result<(MaskedScores, &str), Failure> {
        if let (Some(base), Some(masked)) = (&self.base, &self.masked) {
            return Ok((stored_scores(base, masked)?, base));
        }
        let (Some(model), Some(inputs), Some(maps), Some(targets)) =
            (&self.model, &self.inputs, &self.explanations, &self.targets)
        else {
            return Err(Failure::usage("nothing to measure").help(
                "pass --model, --inputs, --explanations and --targets, or --base and --masked",
            ));
        };
        let scores = self.model_scores([model, inputs, targets], maps, context)?;
        Ok((scores, model))
    }

    #[cfg(feature = "onnx")]
    fn model_scores(
        &self,
        files: [&String; 3],
        explanations: &str,
        context: &Context,
    ) -> Result<MaskedScores, Failure> {
        use super::model_files::ModelFiles;
        use crate::input::onnx::watched::Watched;
        use crate::input::samples::FileSamples;
        use xai_metrics::attribution::{Concurrent, masked_scores};

        let [model, inputs, targets] = files.map(String::clone);
        let files = ModelFiles {
            model,
            inputs,
            targets,
        };
        let opened = files.open()?;
        let maps = FileSamples::open(explanations)?;
        let bar = context.progress(2 * opened.inputs.n_samples() as u64, "rows scored");
        let model = Watched {
            model: opened.model,
            watch: |rows| bar.inc(rows),
        };
        let scores = masked_scores(
            &Concurrent(&model),
            &opened.inputs,
            &opened.targets,
            &maps,
            &self.scoring.scoring(),
        );
        bar.finish_and_clear();
        scores
            .map_err(|stopped| stopped.into_error())
            .in_files(&files.files(explanations))
    }

    #[cfg(not(feature = "onnx"))]
    fn model_scores(&self, _: [&String; 3], _: &str, _: &Context) -> Result<MaskedScores, Failure> {
        let _ = self.scoring.scoring();
        Err(Failure::usage("this build cannot run ONNX models")
            .help("install with the feature `onnx`, or pass --base and --masked"))
    }
}

fn stored_scores(base: &str, masked: &str) -> Result<MaskedScores, Failure> {
    let read = |file: &str| arrays::read_f64::<Ix1>(file).map(|a: Array1<f64>| a.to_vec());
    let scores = MaskedScores {
        base: read(base)?,
        masked: read(masked)?,
    };
    if scores.base.len() != scores.masked.len() {
        return Err(Failure::new(format!(
            "{} scores, but {base} has {}",
            scores.masked.len(),
            scores.base.len()
        ))
        .in_file(masked));
    }
    Ok(scores)
}
