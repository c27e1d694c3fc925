//! `xai graph robust-fidelity`

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::Watched;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::graph::fidelity;
use xai_metrics::graph::{ReturnType, RobustFidelityMetric, input};

use crate::described::word;
use crate::graph::options::compared::Compared;
use crate::graph::options::model_and_graph::GraphFiles;
use crate::{Context, Described, examples};

/// `xai graph robust-fidelity`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&["xai graph robust-fidelity --model model.onnx --features x.npy --edge-index edges.npy --edge-mask mask.npy --fraction 0.2"]))]
pub(crate) struct RobustFidelity {
    /// A model with the inputs features (n, f), edge_index (2, e), edge_weight (e,).
    #[arg(long, value_name = "M.onnx")]
    model: PathBuf,
    #[command(flatten)]
    graph: GraphFiles,
    /// The explanation is this share of the edges, the highest of the mask. Without, the mask must
    /// be 0 or 1.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    fraction: Option<f64>,
    #[command(flatten)]
    metric: Described<RobustFidelityMetric<'static>>,
    #[command(flatten)]
    compared: Compared,
    /// Compare the probability of the class too, of the same draws: that of the true one with a
    /// target, else of the one predicted on the whole graph.
    #[arg(long)]
    probabilities: bool,
    /// What the outputs are that probabilities are taken from.
    #[arg(long, value_parser = word::<ReturnType>(), default_value = "logits", requires = "probabilities")]
    return_type: ReturnType,
}

/// The JSON of `xai graph robust-fidelity`.
#[derive(Serialize)]
struct RobustResult {
    #[serde(flatten)]
    robust: fidelity::RobustFidelity,
    /// Share of the edges that tie at the cut of `--fraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tied_share: Option<f64>,
}

impl fmt::Display for RobustResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.robust)?;
        match self.tied_share.filter(|share| *share > 0.0) {
            Some(share) => write!(
                f,
                "\n{share:.4} of the edges tie at the cut: the first of them are kept"
            ),
            None => Ok(()),
        }
    }
}

impl RobustFidelity {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metric = self.metric.read_seeded(context)?;
        let working = context.working("opening the model");
        let model = OnnxModel::of_graphs(&self.model, &self.graph.engine)?;
        let stored = self.graph.read(&model)?;
        let n_rows = || stored.n_rows(&model).in_files(&self.files());
        let compared = self.compared.read(n_rows)?;
        drop(working);
        let bar = context.progress(metric.n_calls() as u64, "running the model");
        let model = Watched {
            model,
            watch: |runs| bar.inc(runs),
        };
        let metric = metric.fidelity(compared.metric()).edges(stored.edges);
        let metric = match self.probabilities {
            true => metric.probabilities(self.return_type),
            false => metric,
        };
        let evaluate = || {
            let mask = match self.fraction {
                None => stored.mask.clone(),
                Some(share) => stored.sparsified(share)?,
            };
            metric.evaluate(&model, stored.view()?, mask.view())
        };
        let robust = evaluate();
        bar.finish_and_clear();
        let robust = robust.in_files(&self.files())?;
        let tied_share = self.fraction.map(|share| stored.tied_share(share));
        let result = RobustResult {
            tied_share: tied_share.transpose().in_files(&self.files())?,
            robust,
        };
        context.present(&result, || result.to_string())
    }

    fn files(&self) -> Files<'_> {
        self.graph
            .files(&self.model)
            .file(&[input::FULL, input::KEPT, input::COMPLEMENT], &self.model)
            .and(self.compared.files())
            .options(&[(input::FRACTION, "--fraction")])
    }
}
