//! Options of commands that run an ONNX graph model on a graph.

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::{Array1, Array2, Ix1, Ix2};
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;
use xai_files::{Failure, Files, arrays};
use xai_metrics::graph::mask::{Sparsity, sparsify, sparsify_undirected, tied_share};
use xai_metrics::graph::model::{EdgeChoices, EdgeRemoval};
use xai_metrics::graph::{Graph, GraphModel, help, input};

use crate::described::word;

/// The files of a graph, and how edges are removed from it.
#[derive(Debug, Args)]
pub(crate) struct GraphFiles {
    /// Node features, (n, f).
    #[arg(long, value_name = "X.npy")]
    features: Option<PathBuf>,
    /// Edges, (2, e).
    #[arg(long, value_name = "E.npy")]
    edge_index: Option<PathBuf>,
    /// Scores of the edges, (e,).
    #[arg(long, value_name = "M.npy")]
    edge_mask: Option<PathBuf>,
    /// Edge weights, (e,). Default: 1 for every edge.
    #[arg(long, value_name = "W.npy")]
    edge_weight: Option<PathBuf>,
    /// Way in which edges are removed. Default: by weight if the model has an input for edge weights, otherwise from
    /// the edge list.
    #[arg(long, value_parser = word::<EdgeRemoval>())]
    removal: Option<EdgeRemoval>,
    /// Keep or remove both directions of an edge together.
    #[arg(long)]
    undirected: bool,
    #[command(flatten)]
    pub(crate) engine: EngineOptions,
}

impl GraphFiles {
    /// Returns the file of each input in errors, and the files from which its shape and its range follow.
    pub(crate) fn files<'a>(&'a self, model: &'a Path) -> Files<'a> {
        let mut files = Files::new();
        let masks = [input::MASK, input::EDGE_MASK, input::EXPLANATION];
        if let Some(nodes) = &self.features {
            files = files.bounded_by(&[input::EDGE_INDEX, input::INDEX], nodes);
            files = files.shaped_by(&[input::TARGET], nodes);
        }
        if let Some(edges) = &self.edge_index {
            files = files.shaped_by(&masks, edges);
            files = files.shaped_by(&[input::EDGE_WEIGHT], edges);
            // The edge list determines which two entries are the directions of one edge, whose values must be equal.
            files = files.bounded_by(&[input::EXPLANATION], edges);
        }
        files
            .file(&[input::MODEL, input::OUTPUTS], model)
            .optional(&[input::FEATURES, input::NODES], self.features.as_ref())
            .optional(&[input::EDGE_INDEX], self.edge_index.as_ref())
            .optional(&[input::EDGE_WEIGHT], self.edge_weight.as_ref())
            .optional(&masks, self.edge_mask.as_ref())
            .hints(&[(
                help::SPARSIFY_FIRST,
                "make the mask hard with --fraction SHARE, which keeps the edges with the highest scores",
            )])
    }

    /// Returns the files of the edges and of their scores.
    pub(crate) fn edges_and_mask(&self) -> (Option<&Path>, Option<&Path>) {
        (self.edge_index.as_deref(), self.edge_mask.as_deref())
    }

    /// Reads the arrays. The features, the edges and their scores are required. Without `--removal` the inputs of the
    /// model decide.
    pub(crate) fn read(&self, model: &OnnxModel) -> Result<GraphArrays, Failure> {
        let required = |file: &Option<PathBuf>, option: &str| {
            file.clone()
                .ok_or_else(|| Failure::for_option("--model", format_args!("needs --{option}")))
        };
        let removal = match (self.removal, model.takes_weight()) {
            (Some(EdgeRemoval::Weight), false) => {
                return Err(Failure::usage(
                    "--removal weight: the model has no input for edge weights",
                )
                .help("pass --removal remove"));
            }
            (Some(removal), _) => removal,
            (None, true) => EdgeRemoval::Weight,
            (None, false) => EdgeRemoval::Remove,
        };
        let edge_weight = self.edge_weight.as_deref();
        Ok(GraphArrays {
            features: arrays::read_f32::<Ix2>(&required(&self.features, "features")?)?,
            edge_index: arrays::read_positions::<Ix2>(&required(&self.edge_index, "edge-index")?)?,
            mask: arrays::read_f32::<Ix1>(&required(&self.edge_mask, "edge-mask")?)?,
            edge_weight: edge_weight.map(arrays::read_f32::<Ix1>).transpose()?,
            edges: EdgeChoices::new()
                .removal(removal)
                .undirected(self.undirected),
            is_undirected: self.undirected,
        })
    }
}

/// The contents of [`GraphFiles`].
pub(crate) struct GraphArrays {
    features: Array2<f32>,
    edge_index: Array2<i64>,
    edge_weight: Option<Array1<f32>>,
    pub(crate) mask: Array1<f32>,
    /// Way in which edges are removed, and whether both directions of an edge are kept or removed together.
    pub(crate) edges: EdgeChoices,
    /// Copy of the choice in `edges`, which has no public getter.
    is_undirected: bool,
}

impl GraphArrays {
    /// Returns a hard mask: 1 for the share of the edges with the highest scores and 0 for the others.
    pub(crate) fn sparsified(&self, share: f64) -> xai_metrics::Result<Array1<f32>> {
        let sparsity = Sparsity::Fraction(share);
        if self.is_undirected {
            sparsify_undirected(self.mask.view(), self.edge_index.view(), sparsity)
        } else {
            sparsify(self.mask.view(), sparsity)
        }
    }

    /// Returns the share of the edges (undirected: of the pairs of directions) that have the score at which
    /// [`sparsified`](Self::sparsified) cuts; 0 if it keeps all edges of this score.
    pub(crate) fn tied_share(&self, share: f64) -> xai_metrics::Result<f64> {
        let undirected = self.is_undirected.then(|| self.edge_index.view());
        tied_share(self.mask.view(), undirected, Sparsity::Fraction(share))
    }

    /// Returns the number of rows of the model's output, by running the model once.
    pub(crate) fn n_rows(&self, model: &OnnxModel) -> xai_metrics::Result<usize> {
        let outputs = model
            .outputs(self.view()?)
            .map_err(|error| xai_metrics::Error::model("the whole graph", error))?;
        Ok(outputs.nrows())
    }

    pub(crate) fn view(&self) -> xai_metrics::Result<Graph<'_, f32>> {
        let graph = Graph::new(self.features.view(), self.edge_index.view())?;
        match &self.edge_weight {
            Some(weight) => graph.with_edge_weight(weight.view()),
            None => Ok(graph),
        }
    }
}
