//! `xai graph robust-fidelity`

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::WatchedModel;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::graph::fidelity;
use xai_metrics::graph::{ReturnType, RobustFidelityMetric, input};

use crate::described::word;
use crate::graph::options::comparison::ComparisonOptions;
use crate::graph::options::model_and_graph::GraphFiles;
use crate::{Context, Described, examples};

/// `xai graph robust-fidelity`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai graph robust-fidelity --model model.onnx --features x.npy --edge-index edges.npy --edge-mask mask.npy --fraction 0.2"]))]
pub(crate) struct RobustFidelity {
    /// A graph model with the inputs features (n, f), edge_index (2, e) and optionally edge_weight (e,).
    #[arg(long, value_name = "M.onnx")]
    model: PathBuf,
    #[command(flatten)]
    graph: GraphFiles,
    /// Share of the edges in the explanation: those with the highest scores. Without it, the mask must contain only 0
    /// and 1.
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    fraction: Option<f64>,
    #[command(flatten)]
    metric: Described<RobustFidelityMetric<'static>>,
    #[command(flatten)]
    comparison: ComparisonOptions,
    /// Also compare the probabilities of the class, on the same draws. The class is the true one with `--target`,
    /// otherwise the one predicted on the whole graph.
    #[arg(long)]
    probabilities: bool,
    /// Kind of the model's outputs, from which probabilities are computed.
    #[arg(long, value_parser = word::<ReturnType>(), default_value = "logits", requires = "probabilities")]
    return_type: ReturnType,
}

/// The JSON of `xai graph robust-fidelity`.
#[derive(Serialize)]
struct RobustResult {
    #[serde(flatten)]
    robust: fidelity::RobustFidelity,
    /// Share of the edges that have the score at which `--fraction` cuts; 0 if all edges of this score are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    tied_share: Option<f64>,
}

impl fmt::Display for RobustResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.robust)?;
        match self.tied_share.filter(|share| *share > 0.0) {
            Some(share) => write!(
                f,
                "\n{share:.4} of the edges have the score at the cut; the first of them are kept"
            ),
            None => Ok(()),
        }
    }
}

impl RobustFidelity {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metric = self.metric.read_seeded(context)?;
        let working = context.working("opening the model");
        let model = OnnxModel::open_graph_model(&self.model, &self.graph.engine)?;
        let stored = self.graph.read(&model)?;
        let n_rows = || stored.n_rows(&model).in_files(&self.files());
        let comparison = self.comparison.read(n_rows)?;
        drop(working);
        let bar = context.progress(metric.n_calls() as u64, "running the model");
        let model = WatchedModel {
            model,
            watch: |runs| bar.inc(runs),
        };
        let mut metric = metric.fidelity(comparison.metric()).edges(stored.edges);
        if self.probabilities {
            metric = metric.probabilities(self.return_type);
        }
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
            .and(self.comparison.files())
            .options(&[(input::FRACTION, "--fraction")])
    }
}
