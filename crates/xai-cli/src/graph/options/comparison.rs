//! Options of fidelity: what predictions are compared with, and on which rows.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{Array1, Ix1};
use xai_files::{Failure, Files, arrays};
use xai_metrics::graph::{FidelityMetric, input};

use crate::graph::options::index;

/// Options of what is compared, and on which rows.
#[derive(Debug, Args)]
pub(crate) struct ComparisonOptions {
    /// True labels (n,), for explanations of the phenomenon.
    #[arg(long, value_name = "Y.npy")]
    target: Option<PathBuf>,
    /// Subject of the explanations. Default: the phenomenon if `--target` is given, otherwise the model.
    #[arg(long)]
    mode: Option<Mode>,
    /// Only these rows: positions (m,), or a boolean, 0 or 1 for each row (n,).
    #[arg(long, value_name = "I.npy")]
    index: Option<PathBuf>,
}

/// Subject of the explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The model: does its prediction stay the same?
    Model,
    /// The phenomenon: does the prediction stay correct?
    Phenomenon,
}

/// The contents of the files of [`ComparisonOptions`].
pub(crate) struct Comparison {
    target: Option<Array1<i64>>,
    pub(crate) index: Option<Vec<usize>>,
}

impl ComparisonOptions {
    /// Reads the files. `n_rows` is called only for an index of booleans or of zeros and ones.
    pub(crate) fn read(
        &self,
        n_rows: impl FnOnce() -> Result<usize, Failure>,
    ) -> Result<Comparison, Failure> {
        let mode = self.mode.unwrap_or(match self.target {
            Some(_) => Mode::Phenomenon,
            None => Mode::Model,
        });
        let target = match (mode, &self.target) {
            (Mode::Model, _) => None,
            (Mode::Phenomenon, Some(file)) => Some(arrays::read_labels::<Ix1>(file)?),
            (Mode::Phenomenon, None) => {
                return Err(Failure::for_option("--mode", "true labels are missing")
                    .with_value("phenomenon")
                    .help("pass them with --target Y.npy"));
            }
        };
        Ok(Comparison {
            target,
            index: index::read(self.index.as_deref(), n_rows)?,
        })
    }

    pub(crate) fn files(&self) -> Files<'_> {
        Files::new()
            .optional(&[input::TARGET], self.target.as_ref())
            .optional(&[input::INDEX], self.index.as_ref())
    }
}

impl Comparison {
    pub(crate) fn metric(&self) -> FidelityMetric<'_> {
        let metric = match &self.target {
            Some(target) => FidelityMetric::phenomenon(target),
            None => FidelityMetric::model(),
        };
        match &self.index {
            Some(index) => metric.index(index),
            None => metric,
        }
    }
}
