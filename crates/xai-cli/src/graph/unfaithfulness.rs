//! `xai graph unfaithfulness`

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use ndarray::{Array2, ArrayView2, Ix2};
use serde::Serialize;
use xai_files::failure::as_option;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::common::Real;
use xai_metrics::graph as library;
use xai_metrics::graph::{UnfaithfulnessMetric, input};

use crate::graph::options::index;
use crate::output::rows;
use crate::{Context, Described, examples};

/// `xai graph unfaithfulness`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai graph unfaithfulness --full full.npy --kept kept.npy",
    "xai graph unfaithfulness --full full.npy --kept kept.npy --return-type probs --out rows.csv",
]))]
pub(crate) struct Unfaithfulness {
    /// Outputs on the whole graph, (n, c).
    #[arg(long, value_name = "F.npy")]
    full: PathBuf,
    /// Outputs on the explanation alone, (n, c).
    #[arg(long, value_name = "K.npy")]
    kept: PathBuf,
    #[command(flatten)]
    metric: Described<UnfaithfulnessMetric<'static>>,
    /// Only these rows: positions (m,), or a boolean, 0 or 1 for each row (n,).
    #[arg(long, value_name = "I.npy")]
    index: Option<PathBuf>,
    /// Write the unfaithfulness of each row.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// The result, and its value per row if `--out` is given.
type Scores = (UnfaithfulnessResult, Option<Vec<f64>>);

/// The JSON of `xai graph unfaithfulness`.
#[derive(Serialize)]
struct UnfaithfulnessResult {
    #[serde(flatten)]
    value: library::Unfaithfulness,
    /// Remark if the outputs do not look like the kind that they were read as.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<String>,
}

impl fmt::Display for UnfaithfulnessResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        match &self.assumed {
            Some(assumed) => write!(f, "\n{assumed}"),
            None => Ok(()),
        }
    }
}

/// Returns a remark if outputs do not look like the kind that they are read as, for example logits read as
/// probabilities.
pub(super) fn assumed<T: Real>(
    metric: &UnfaithfulnessMetric<'_>,
    outputs: ArrayView2<'_, T>,
) -> Option<String> {
    let assumption = metric.assumption(outputs)?;
    Some(assumption.render(as_option))
}

impl Unfaithfulness {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and comparing outputs");
        let (full, kept) = (arrays::read(&self.full)?, arrays::read(&self.kept)?);
        let index = index::read(self.index.as_deref(), || Ok(full.n_rows()))?;
        let mut metric = self.metric.read()?;
        if let Some(index) = &index {
            metric = metric.index(index);
        }
        let scores = if full.is_single() && kept.is_single() {
            self.scores(&metric, full.into_f32::<Ix2>()?, kept.into_f32::<Ix2>()?)
        } else {
            self.scores(&metric, full.into_f64::<Ix2>()?, kept.into_f64::<Ix2>()?)
        };
        let (unfaithfulness, per_row) = scores.in_files(&self.files())?;
        let values = per_row.unwrap_or_default().into_iter().enumerate();
        rows::write(
            self.out.as_deref(),
            ["row", "unfaithfulness"],
            values.map(|(i, value)| {
                let row = index.as_ref().map_or(i, |index| index[i]);
                [row.to_string(), value.to_string()]
            }),
        )?;
        drop(working);
        context.present(&unfaithfulness, || unfaithfulness.to_string())
    }

    fn scores<T: Real>(
        &self,
        metric: &UnfaithfulnessMetric<'_>,
        full: Array2<T>,
        kept: Array2<T>,
    ) -> xai_metrics::Result<Scores> {
        let unfaithfulness = UnfaithfulnessResult {
            value: metric.evaluate(full.view(), kept.view())?,
            assumed: assumed(metric, full.view()),
        };
        let per_row = match self.out {
            Some(_) => Some(metric.per_row(full.view(), kept.view())?),
            None => None,
        };
        Ok((unfaithfulness, per_row))
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::FULL, input::SAMPLES], &self.full)
            .file(&[input::KEPT], &self.kept)
            .shaped_by(&[input::KEPT], &self.full)
            .bounded_by(&[input::INDEX], &self.full)
            .optional(&[input::INDEX], self.index.as_ref())
    }
}
