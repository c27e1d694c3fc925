//! Graph models in ONNX files: sweeps and robust fidelity of an edge mask.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use ndarray::{Array1, Array2, Ix1, Ix2};
use tract_onnx::prelude::*;
use xai_metrics::graph::{
    EdgeRemoval, Graph, GraphModel, RobustFidelityMetric, Sparsity, Sweep, SweepCurve, sparsify,
    sparsify_undirected,
};

use super::sweep::By;
use super::{Compared, blame};
use crate::arrays;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::onnx::reasons;

type BoxError = Box<dyn StdError + Send + Sync>;

/// A graph model whose inputs are features `(n, f)`, edge index `(2, e)` and edge weights `(e,)`, in
/// this order, and whose first output is `(rows, classes)`.
struct OnnxGraphModel {
    model: InferenceModel,
    takes_weight: bool,
    /// The engine plans for exact shapes; where edges are removed their number changes.
    plans: Mutex<HashMap<usize, Arc<TypedRunnableModel>>>,
    /// One step a run.
    progress: ProgressBar,
}

impl OnnxGraphModel {
    /// Reads a model file that will be run `n_runs` times.
    fn read(file: &str, n_runs: usize, context: &Context) -> Result<Self, Failure> {
        let bytes = std::fs::read(file)
            .map_err(|e| Failure::new(format!("cannot be opened: {e}")))
            .in_file(file)?;
        let model = tract_onnx::onnx()
            .model_for_read(&mut bytes.as_slice())
            .map_err(|e| Failure::new(format!("not an ONNX model: {}", reasons(&e))))
            .in_file(file)?;
        let n_inputs = model.input_outlets().map_or(0, <[_]>::len);
        if !(2..=3).contains(&n_inputs) {
            return Err(Failure::new(format!(
                "expected the inputs features (n, f), edge_index (2, e) and edge_weight (e,), got {n_inputs} inputs"
            ))
            .in_file(file));
        }
        Ok(Self {
            model,
            takes_weight: n_inputs == 3,
            plans: Mutex::default(),
            progress: context.progress(n_runs as u64, "running the model"),
        })
    }

    /// The plan for graphs of this shape; the numbers of nodes and features never change.
    fn plan(&self, graph: &Graph<'_, f32>) -> TractResult<Arc<TypedRunnableModel>> {
        let n_edges = graph.n_edges();
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(&n_edges) {
            return Ok(Arc::clone(plan));
        }
        let (n, f) = graph.features.dim();
        let mut model = self
            .model
            .clone()
            .with_input_fact(0, f32::fact([n, f]).into())?
            .with_input_fact(1, i64::fact([2, n_edges]).into())?;
        if self.takes_weight {
            model = model.with_input_fact(2, f32::fact([n_edges]).into())?;
        }
        let plan = model.into_optimized()?.into_runnable()?;
        plans.insert(n_edges, Arc::clone(&plan));
        Ok(plan)
    }

    fn run(&self, graph: &Graph<'_, f32>) -> TractResult<Array2<f32>> {
        let plan = self.plan(graph)?;
        let mut inputs: TVec<TValue> = tvec!(
            Tensor::from(graph.features.to_owned().into_dyn()).into(),
            Tensor::from(graph.edge_index.to_owned().into_dyn()).into(),
        );
        if self.takes_weight {
            let weight = match graph.edge_weight {
                Some(weight) => weight.to_owned(),
                None => Array1::ones(graph.n_edges()),
            };
            inputs.push(Tensor::from(weight.into_dyn()).into());
        }
        let outputs = plan.run(inputs)?;
        let rows = outputs[0].cast_to::<f32>()?;
        let rows = rows.to_plain_array_view::<f32>()?;
        Ok(rows.into_dimensionality::<Ix2>()?.to_owned())
    }
}

impl Drop for OnnxGraphModel {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

impl GraphModel<f32> for OnnxGraphModel {
    fn outputs(&self, graph: Graph<'_, f32>) -> Result<Array2<f32>, BoxError> {
        let outputs = self.run(&graph).map_err(|e| reasons(&e).into());
        self.progress.inc(1);
        outputs
    }
}

/// How edges are taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Removal {
    /// Weights are multiplied by 0; the model must have an input for them.
    Weight,
    /// They leave the edge index.
    Remove,
}

/// A model and its graph.
#[derive(Debug, Args)]
pub(crate) struct GraphFiles {
    /// Node features, (n, f).
    #[arg(long, value_name = "X.npy")]
    features: Option<String>,
    /// Edges, (2, e).
    #[arg(long, value_name = "E.npy")]
    edge_index: Option<String>,
    /// Scores of the edges, (e,).
    #[arg(long, value_name = "M.npy")]
    edge_mask: Option<String>,
    /// Edge weights, (e,); 1 each without.
    #[arg(long, value_name = "W.npy")]
    edge_weight: Option<String>,
    /// How edges are taken away. Default: by weight if the model takes weights.
    #[arg(long)]
    removal: Option<Removal>,
    /// Both directions of an edge are kept or left together.
    #[arg(long)]
    undirected: bool,
}

impl GraphFiles {
    fn files(&self) -> [(&str, Option<&String>); 5] {
        [
            ("features", self.features.as_ref()),
            ("edge_index", self.edge_index.as_ref()),
            ("edge_weight", self.edge_weight.as_ref()),
            ("mask", self.edge_mask.as_ref()),
            ("explanation", self.edge_mask.as_ref()),
        ]
    }

    fn read(&self, model: &OnnxGraphModel) -> Result<StoredGraph, Failure> {
        let given = |file: &Option<String>, option: &str| {
            file.clone()
                .ok_or_else(|| Failure::usage(format!("--model needs --{option}")))
        };
        let removal = match (self.removal, model.takes_weight) {
            (Some(Removal::Weight), false) => {
                return Err(
                    Failure::usage("the model takes no edge weights").help("pass --removal remove")
                );
            }
            (Some(Removal::Weight) | None, true) => EdgeRemoval::Weight,
            _ => EdgeRemoval::Remove,
        };
        let edge_weight = self.edge_weight.as_deref();
        Ok(StoredGraph {
            features: arrays::read_f32::<Ix2>(&given(&self.features, "features")?)?,
            edge_index: arrays::read_labels::<Ix2>(&given(&self.edge_index, "edge-index")?)?,
            mask: arrays::read_f32::<Ix1>(&given(&self.edge_mask, "edge-mask")?)?,
            edge_weight: edge_weight.map(arrays::read_f32::<Ix1>).transpose()?,
            removal,
        })
    }
}

/// The arrays of a graph.
struct StoredGraph {
    features: Array2<f32>,
    edge_index: Array2<i64>,
    edge_weight: Option<Array1<f32>>,
    mask: Array1<f32>,
    removal: EdgeRemoval,
}

impl StoredGraph {
    fn view(&self) -> xai_metrics::Result<Graph<'_, f32>> {
        let graph = Graph::new(self.features.view(), self.edge_index.view())?;
        match &self.edge_weight {
            Some(weight) => graph.with_edge_weight(weight.view()),
            None => Ok(graph),
        }
    }
}

/// A sweep that runs the model itself.
#[derive(Debug, Args)]
pub(crate) struct SweepSource {
    /// A model with the inputs features (n, f), edge_index (2, e), edge_weight (e,).
    #[arg(long, value_name = "M.onnx", conflicts_with = "full",
          requires_all = ["features", "edge_index", "edge_mask"])]
    model: Option<String>,
    #[command(flatten)]
    graph: GraphFiles,
    /// What the levels count.
    #[arg(long, default_value = "fraction")]
    by: By,
}

impl SweepSource {
    pub(super) fn files(&self) -> [(&str, Option<&String>); 5] {
        self.graph.files()
    }

    pub(super) fn run(
        &self,
        sweep: &Sweep<'_>,
        levels: &[f64],
        files: &[(&str, Option<&String>)],
        context: &Context,
    ) -> Result<SweepCurve, Failure> {
        let Some(file) = &self.model else {
            return Err(Failure::usage("--model or --full is needed"));
        };
        let model = OnnxGraphModel::read(file, 1 + 2 * levels.len(), context)?;
        let stored = self.graph.read(&model)?;
        let level = |&level: &f64| match self.by {
            By::Fraction => Ok(Sparsity::Fraction(level)),
            By::Threshold => Ok(Sparsity::Threshold(level)),
            By::TopK => top_k(level),
        };
        let levels: Vec<Sparsity> = levels.iter().map(level).collect::<Result<_, _>>()?;
        let sweep = sweep
            .removal(stored.removal)
            .undirected(self.graph.undirected);
        let curve = stored
            .view()
            .and_then(|graph| sweep.run(&model, graph, stored.mask.view(), &levels));
        let files = [&[("model", Some(file))], files].concat();
        blame(curve, &files)
    }
}

/// A level as a number of edges.
fn top_k(level: f64) -> Result<Sparsity, Failure> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked to be one
    if level >= 0.0 && level.fract() == 0.0 {
        Ok(Sparsity::TopK(level as usize))
    } else {
        Err(Failure::new(format!(
            "level {level}: expected a number of edges"
        )))
    }
}

#[derive(Debug, Args)]
pub(crate) struct RobustFidelity {
    /// A model with the inputs features (n, f), edge_index (2, e), edge_weight (e,).
    #[arg(long, value_name = "M.onnx")]
    model: String,
    #[command(flatten)]
    graph: GraphFiles,
    /// The explanation is this share of the edges, the highest of the mask. Without, the mask must
    /// be 0 or 1.
    #[arg(long, value_name = "SHARE")]
    fraction: Option<f64>,
    /// Probability that an edge of the explanation is removed.
    #[arg(long, default_value_t = 0.1)]
    alpha_pos: f64,
    /// Probability that an edge outside the explanation stays.
    #[arg(long, default_value_t = 0.9)]
    alpha_neg: f64,
    /// Number of random draws.
    #[arg(long, default_value_t = 50)]
    draws: usize,
    #[command(flatten)]
    compared: Compared,
}

impl RobustFidelity {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.compared.read()?;
        let n_runs = self.draws.saturating_mul(2).saturating_add(1);
        let model = OnnxGraphModel::read(&self.model, n_runs, context)?;
        let stored = self.graph.read(&model)?;
        let metric = RobustFidelityMetric::new(self.alpha_pos, self.alpha_neg, self.draws)?
            .seed(context.seed)
            .fidelity(compared.metric())
            .removal(stored.removal)
            .undirected(self.graph.undirected);
        let mask = match self.fraction.map(Sparsity::Fraction) {
            None => Ok(stored.mask.clone()),
            Some(share) if self.graph.undirected => {
                sparsify_undirected(stored.mask.view(), stored.edge_index.view(), share)
            }
            Some(share) => sparsify(stored.mask.view(), share),
        };
        let robust = mask.and_then(|mask| metric.evaluate(&model, stored.view()?, mask.view()));
        let model = [("model", Some(&self.model))];
        let files = [&model[..], &self.graph.files(), &self.compared.files()].concat();
        let robust = blame(robust, &files)?;
        context.present(&robust, || robust.to_string())
    }
}
