//! A sweep that runs the model itself.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use xai_files::onnx::model::OnnxModel;
use xai_files::onnx::watched::Watched;
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::core::error::ShortNumber;
use xai_metrics::graph::dataset::SweepCurve;
use xai_metrics::graph::mask::Sparsity;
use xai_metrics::graph::model::EdgeRemoval;
use xai_metrics::graph::{Explanation, Graph, GraphModel, Sweep, input};

use crate::Context;
use crate::graph::options::model_and_graph::GraphFiles;

#[derive(Debug, Args)]
pub(super) struct ModelSource {
    /// A model with the inputs features (n, f), edge_index (2, e), edge_weight (e,).
    #[arg(long, value_name = "M.onnx", conflicts_with = "full",
          requires_all = ["features", "edge_index", "edge_mask"])]
    model: Option<PathBuf>,
    #[command(flatten)]
    pub(super) graph: GraphFiles,
    /// What the levels count.
    #[arg(long, default_value = "fraction")]
    by: By,
}

/// What levels count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The share of the edges that is kept.
    Fraction,
    /// The number of edges that are kept.
    TopK,
    /// Edges above the threshold are kept. Larger thresholds keep less.
    Threshold,
}

impl By {
    fn sparsity(self, level: f64) -> Result<Sparsity, Failure> {
        match self {
            Self::Fraction => Ok(Sparsity::Fraction(level)),
            Self::Threshold => Ok(Sparsity::Threshold(level)),
            Self::TopK if level >= 0.0 && level.fract() == 0.0 => {
                Ok(Sparsity::TopK(level as usize))
            }
            Self::TopK => Err(Failure::new(format!(
                "level {}: expected a number of edges",
                ShortNumber(level)
            ))),
        }
    }
}

impl ModelSource {
    /// The number of rows that the model answers with.
    pub(super) fn n_rows(&self, context: &Context) -> Result<usize, Failure> {
        let Some(file) = &self.model else {
            let failure = Failure::usage("--model or --full is needed");
            return Err(failure.about_option("--model"));
        };
        let model = OnnxModel::of_graphs(file, &self.graph.engine)?;
        let graph = self.graph.read(&model)?;
        context.computes();
        let n_rows = graph.n_rows(&model);
        n_rows.in_files(&self.graph.files(file))
    }

    pub(super) fn run(
        &self,
        sweep: &Sweep<'_>,
        levels: &[f64],
        files: &Files<'_>,
        levels_file: Option<&PathBuf>,
        context: &Context,
    ) -> Result<SweepCurve, Failure> {
        let Some(file) = &self.model else {
            let failure = Failure::usage("--model or --full is needed");
            return Err(failure.about_option("--model"));
        };
        if self.by == By::TopK && levels_file.is_none() {
            return Err(Failure::of_option("--by", "the default levels are shares")
                .with_value("top-k")
                .help("pass numbers of edges with --levels X.npy"));
        }
        let working = context.working("opening the model");
        let model = OnnxModel::of_graphs(file, &self.graph.engine)?;
        let stored = self.graph.read(&model)?;
        drop(working);
        let levels = levels.iter().map(|&level| self.by.sparsity(level));
        let levels: Result<Vec<Sparsity>, Failure> = levels.collect();
        let levels = match levels_file {
            Some(file) => levels.in_file(file)?,
            None => levels?,
        };
        let sweep = sweep.edges(stored.edges);
        let bar = context.progress(1 + 2 * levels.len() as u64, "running the model");
        let model = Watched {
            model,
            watch: |runs| bar.inc(runs),
        };
        let model = |graph: Graph<'_, f32>| {
            let shapes = [graph.features.shape(), graph.edge_index.shape()];
            model.model.check_shapes(&shapes)?;
            context.computes();
            model.outputs(graph)
        };
        let curve = stored.view().and_then(|graph| {
            // A mask that does not fit is said before the model is asked.
            Explanation::edges(stored.mask.view()).kept(graph, EdgeRemoval::Weight)?;
            sweep.evaluate_model(&model, graph, stored.mask.view(), &levels)
        });
        bar.finish_and_clear();
        // A level out of its domain stands in the file of levels; outputs are those of the model.
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
