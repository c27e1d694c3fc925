//! `xai graph fidelity`

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::{Array1, Array2};
use serde::Serialize;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::graph::{Predictions, input};

use crate::graph::options::comparison::{Comparison, ComparisonOptions};
use crate::output::rows;
use crate::{Context, examples};

/// `xai graph fidelity`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai graph fidelity --full full.npy --kept kept.npy --complement complement.npy",
    "xai graph fidelity --full full.npy --kept kept.npy --complement complement.npy --mode phenomenon --target y.npy --index test.npy",
]))]
pub(crate) struct Fidelity {
    /// Predictions on the whole graph: labels (n,) or outputs (n, c).
    #[arg(long, value_name = "F.npy")]
    full: PathBuf,
    /// Predictions on the explanation alone.
    #[arg(long, value_name = "K.npy")]
    kept: PathBuf,
    /// Predictions on the graph without the explanation.
    #[arg(long, value_name = "C.npy")]
    complement: PathBuf,
    #[command(flatten)]
    comparison: ComparisonOptions,
    /// Write the predicted classes of each row: on the whole graph, on the explanation and on its complement.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct FidelityResult {
    pos_fidelity: f64,
    neg_fidelity: f64,
    characterization: f64,
    n_samples: u64,
}

impl Fidelity {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and comparing outputs");
        let stored = [
            StoredPredictions::read(&self.full)?,
            StoredPredictions::read(&self.kept)?,
            StoredPredictions::read(&self.complement)?,
        ];
        let [full, kept, complement] = stored.each_ref().map(StoredPredictions::as_predictions);
        let comparison = self.comparison.read(|| Ok(full.n_samples()))?;
        let fidelity = comparison
            .metric()
            .evaluate(&full, &kept, &complement)
            .in_files(&self.files())?;
        self.write_classes(&comparison, [full, kept, complement])?;
        drop(working);
        let result = FidelityResult {
            pos_fidelity: fidelity.pos,
            neg_fidelity: fidelity.neg,
            characterization: fidelity.characterization(),
            n_samples: fidelity.n_samples,
        };
        context.present(&result, || fidelity.to_string())
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::FULL, input::SAMPLES], &self.full)
            .file(&[input::KEPT], &self.kept)
            .file(&[input::COMPLEMENT], &self.complement)
            .shaped_by(&[input::KEPT, input::COMPLEMENT, input::TARGET], &self.full)
            .bounded_by(&[input::INDEX], &self.full)
            .and(self.comparison.files())
    }

    fn write_classes(
        &self,
        comparison: &Comparison,
        predictions: [&dyn Predictions; 3],
    ) -> Result<(), Failure> {
        let files = [&self.full, &self.kept, &self.complement];
        let all = || (0..predictions[0].n_samples()).collect();
        let measured: Vec<usize> = comparison.index.clone().unwrap_or_else(all);
        rows::stream(
            self.out.as_deref(),
            ["row", "full", "kept", "complement"],
            |file| {
                for row in measured {
                    let mut cells = vec![row.to_string()];
                    for (predictions, file) in predictions.iter().zip(files) {
                        let mut class = [0];
                        predictions
                            .classes(input::SAMPLES, row..row + 1, &mut class)
                            .in_files(&Files::with_main_file(file))?;
                        cells.push(class[0].to_string());
                    }
                    file.write(cells)?;
                }
                Ok(())
            },
        )
    }
}

/// Predictions from a file: integers with one axis are labels, numbers with two axes are outputs.
enum StoredPredictions {
    Labels(Array1<i64>),
    Single(Array2<f32>),
    Double(Array2<f64>),
}

impl StoredPredictions {
    fn read(file: &Path) -> Result<Self, Failure> {
        let stored = arrays::read(file)?;
        match stored.shape().len() {
            1 => stored.into_labels().map(Self::Labels).map_err(|failure| {
                failure.help(
                    "pass whole numbers as labels, or outputs with two axes (n, c); turn single scores into labels with your threshold",
                )
            }),
            2 if stored.is_single() => stored.into_f32().map(Self::Single),
            2 => stored.into_f64().map(Self::Double),
            _ => Err(Failure::new(format!(
                "expected labels (n,) or outputs (n, c), got shape {:?}",
                stored.shape()
            ))
            .in_file(file)),
        }
    }

    fn as_predictions(&self) -> &dyn Predictions {
        match self {
            Self::Labels(labels) => labels,
            Self::Single(outputs) => outputs,
            Self::Double(outputs) => outputs,
        }
    }
}
