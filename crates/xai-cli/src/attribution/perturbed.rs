//! Deletion and Insertion.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_metrics::attribution::{Concurrent, CurvePoint, Deletion, Insertion};

use super::model_files::ModelFiles;
use super::options::ScoringOptions;
use super::perturbation::PerturbationOptions;
use crate::context::Context;
use crate::failure::{Failure, InFiles};
use crate::input::onnx::watched::Watched;
use crate::input::samples::FileSamples;
use crate::output::{rows, text};

/// Deletion and Insertion of a model.
#[derive(Debug, Args)]
pub(crate) struct Perturbed {
    #[command(flatten)]
    files: ModelFiles,
    /// The attribution maps, shaped like the inputs or without channels.
    #[arg(long, value_name = "E.npy")]
    explanations: String,
    #[command(flatten)]
    scoring: ScoringOptions,
    #[command(flatten)]
    perturbation: PerturbationOptions,
    /// Write a row per step: n_flipped, score.
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
        let opened = self.files.open()?;
        let maps = FileSamples::open(&self.explanations)?;
        let (inputs, targets) = (&opened.inputs, &opened.targets);
        let n_rows = 1 + self.perturbation.steps().map_or(0, |steps| steps as u64);
        let n_rows = (inputs.n_samples() as u64).saturating_mul(n_rows);
        let bar = context.progress(n_rows, "rows scored");
        let model = Watched {
            model: opened.model,
            watch: |rows| bar.inc(rows),
        };
        let scoring = self.scoring.scoring();
        macro_rules! curve {
            ($metric:ident) => {{
                let mut metric = $metric::new()
                    .activation(scoring.activation)
                    .batch_size(scoring.batch_size)
                    .steps(self.perturbation.steps())
                    .max_fraction(self.perturbation.max_fraction)
                    .baseline(self.perturbation.baseline.clone());
                if let Some(layout) = scoring.layout {
                    metric = metric.layout(layout);
                }
                metric.evaluate(&Concurrent(&model), inputs, targets, &maps)
            }};
        }
        let curve = match metric {
            "deletion" => curve!(Deletion),
            _ => curve!(Insertion),
        };
        bar.finish_and_clear();
        let curve = curve
            .map_err(|stopped| stopped.into_error())
            .in_files(&self.files.files(&self.explanations))?;
        let points = curve.curve.iter();
        rows::write(
            self.out.as_deref(),
            ["n_flipped", "score"],
            points.map(|p| [p.n_flipped.to_string(), p.score.to_string()]),
        )?;
        let result = CurveResult {
            metric,
            value: curve.auc,
            curve: curve.curve,
        };
        context.present(&result, || result.table())
    }
}

impl CurveResult {
    fn table(&self) -> String {
        let points = self.curve.iter();
        let points = points.map(|p| [p.n_flipped.to_string(), format!("{:.4}", p.score)]);
        format!(
            "{}: area under the curve {:.4}\n\n{}",
            self.metric,
            self.value,
            text::table(&["flipped", "mean score"], points)
        )
    }
}
