//! `xai graph sweep --model`, which runs the model at every explanation size.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::WatchedModel;
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::common::error::ShortNumber;
use xai_metrics::graph::dataset::SweepCurve;
use xai_metrics::graph::mask::Sparsity;
use xai_metrics::graph::model::EdgeRemoval;
use xai_metrics::graph::{Explanation, Graph, GraphModel, SparsitySweep, input};

use crate::Context;
use crate::graph::options::model_and_graph::GraphFiles;

#[derive(Debug, Args)]
pub(super) struct ModelSource {
    /// A graph model with the inputs features (n, f), edge_index (2, e) and optionally edge_weight (e,).
    #[arg(long, value_name = "M.onnx", conflicts_with = "full",
          requires_all = ["features", "edge_index", "edge_mask"])]
    model: Option<PathBuf>,
    #[command(flatten)]
    pub(super) graph: GraphFiles,
    /// Unit of the levels.
    #[arg(long, default_value = "fraction")]
    by: LevelUnit,
}

/// Unit of the levels of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LevelUnit {
    /// Share of the edges that are kept
    Fraction,
    /// Number of edges that are kept
    TopK,
    /// Edges with scores above the level are kept; larger levels keep fewer edges
    Threshold,
}

impl LevelUnit {
    fn sparsity(self, level: f64) -> Result<Sparsity, Failure> {
        match self {
            Self::Fraction => Ok(Sparsity::Fraction(level)),
            Self::Threshold => Ok(Sparsity::Threshold(level)),
            Self::TopK if level >= 0.0 && level.fract() == 0.0 => {
                Ok(Sparsity::TopK(level as usize))
            }
            Self::TopK => Err(Failure::new(format!(
                "level {}: expected a number of edges, a whole number of at least 0",
                ShortNumber(level)
            ))),
        }
    }
}

impl ModelSource {
    fn model_file(&self) -> Result<&PathBuf, Failure> {
        self.model.as_ref().ok_or_else(|| {
            Failure::usage("neither a model nor outputs are given")
                .about_option("--model")
                .help("pass --model M.onnx, or outputs with --full, --kept and --complement")
        })
    }

    /// Returns the number of rows of the model's output, by running the model once.
    pub(super) fn n_rows(&self, context: &Context) -> Result<usize, Failure> {
        let file = self.model_file()?;
        let model = OnnxModel::open_graph_model(file, &self.graph.engine)?;
        let graph = self.graph.read(&model)?;
        context.end_check();
        let n_rows = graph.n_rows(&model);
        n_rows.in_files(&self.graph.files(file))
    }

    /// Runs the model at every level.
    pub(super) fn run(
        &self,
        sweep: &SparsitySweep<'_>,
        levels: &[f64],
        files: &Files<'_>,
        levels_file: Option<&PathBuf>,
        context: &Context,
    ) -> Result<SweepCurve, Failure> {
        let file = self.model_file()?;
        if self.by == LevelUnit::TopK && levels_file.is_none() {
            return Err(Failure::for_option(
                "--by",
                "the default levels are shares of the edges, not numbers",
            )
            .with_value("top-k")
            .help("pass numbers of edges with --levels X.npy"));
        }
        let working = context.working("opening the model");
        let model = OnnxModel::open_graph_model(file, &self.graph.engine)?;
        let stored = self.graph.read(&model)?;
        drop(working);
        let sparsities: Result<Vec<Sparsity>, Failure> = levels
            .iter()
            .map(|&level| self.by.sparsity(level))
            .collect();
        let sparsities = match levels_file {
            Some(file) => sparsities.in_file(file)?,
            None => sparsities?,
        };
        let edge_sweep = sweep.edges(stored.edges);
        // One run on the whole graph, and two per level: on the explanation and on its complement.
        let bar = context.progress(1 + 2 * sparsities.len() as u64, "running the model");
        let model = WatchedModel {
            model,
            watch: |runs| bar.inc(runs),
        };
        let model = |graph: Graph<'_, f32>| {
            let shapes = [graph.features.shape(), graph.edge_index.shape()];
            model.model.check_shapes(&shapes)?;
            context.end_check();
            model.outputs(graph)
        };
        let curve = stored.view().and_then(|graph| {
            // A mask that does not fit the graph is reported before the model runs.
            Explanation::edges(stored.mask.view()).kept(graph, EdgeRemoval::Weight)?;
            edge_sweep.evaluate_model(&model, graph, stored.mask.view(), &sparsities)
        });
        bar.finish_and_clear();
        // Errors about a level name the file of levels, and errors about outputs name the model.
        let level = [input::FRACTION, input::TOP_K, input::THRESHOLD];
        let outputs = [input::FULL, input::KEPT, input::COMPLEMENT, input::SAMPLES];
        let files = self
            .graph
            .files(file)
            .optional(&level, levels_file)
            .and(files.clone())
            .file(&outputs, file);
        curve.in_files(&files)
    }
}
