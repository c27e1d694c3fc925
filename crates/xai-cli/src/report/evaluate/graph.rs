//! The section of explanatory subgraphs, from the arguments of `xai graph sweep` and `xai graph groundtruth`.

use std::path::{Path, PathBuf};

use ndarray::{ArcArray2, Ix1, Ix2};
use xai_metrics::core::number::check_finite_slice;
use xai_metrics::graph::input;
use xai_report::Origin;
use xai_report::section::graph::{ExplainerResults, Graph};

use crate::context::Context;
use crate::failure::{Failure, Files, InFile, InFiles};
use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::SweepCommand;
use crate::input::arrays;
use crate::report::evaluate::against_truth;

/// What a section is made from.
#[derive(Debug)]
pub(crate) struct GraphInputs {
    pub(crate) explainers: Vec<ExplainerInputs>,
    /// The edges that the masks score, (2, e). Without it those of a model's graph.
    pub(crate) edge_index: Option<PathBuf>,
    /// How many explained nodes are drawn with their surroundings.
    pub(crate) drawn: usize,
}

/// One explainer.
#[derive(Debug)]
pub(crate) struct ExplainerInputs {
    pub(crate) name: String,
    /// Its scores over sizes.
    pub(crate) sweep: SweepCommand,
    /// The scores of the edges. Without it those that a model was swept with, or that have a truth.
    pub(crate) edge_mask: Option<PathBuf>,
    /// Its mask against the truth.
    pub(crate) groundtruth: Option<Groundtruth>,
}

/// Evaluates a section.
pub(crate) fn evaluate(
    inputs: &GraphInputs,
    origin: Origin,
    context: &Context,
) -> Result<Graph, Failure> {
    let edges = inputs.edge_index.as_deref().map(read_edges).transpose()?;
    let explainers = inputs.explainers.iter();
    let results = explainers.map(|explainer| results(explainer, edges.as_ref(), context));
    let results = results.collect::<Result<_, _>>()?;
    Ok(Graph::new(origin, results, inputs.drawn))
}

/// The ends of edges, (2, e), and their file.
type Edges<'a> = (&'a Path, ArcArray2<usize>);

/// Scores one explainer.
fn results(
    inputs: &ExplainerInputs,
    edges: Option<&Edges<'_>>,
    context: &Context,
) -> Result<ExplainerResults, Failure> {
    let sweep = inputs.sweep.evaluate(context)?;
    let truth = inputs.groundtruth.as_ref();
    let truth = truth.map(|command| against_truth::evaluate(command, context));
    let (ground_truth, mask_of_truth) = truth.transpose()?.unzip();
    let (model_edges, model_mask) = inputs.sweep.edges_and_mask();
    let file = inputs.edge_mask.as_deref().or(model_mask);
    let mask = match file {
        Some(file) => Some(read_mask(file)?),
        None => mask_of_truth,
    };
    let own_edges = match edges {
        None => model_edges.map(read_edges).transpose()?,
        Some(_) => None,
    };
    let edges = edges.or(own_edges.as_ref());
    if let (Some(file), Some(mask), Some(edges)) = (file, &mask, edges) {
        check_length(mask, file, edges)?;
    }
    Ok(ExplainerResults {
        name: inputs.name.clone(),
        sweep: sweep.curve,
        index: sweep.index,
        ground_truth,
        mask,
        edges: edges.map(|(_, edges)| edges.clone()),
    })
}

/// Reads the scores of edges.
fn read_mask(file: &Path) -> Result<Vec<f64>, Failure> {
    let mask = arrays::read_f64::<Ix1>(file)?.to_vec();
    let files = Files::new().file(&[input::EDGE_MASK], file);
    check_finite_slice(input::EDGE_MASK, &mask).in_files(&files)?;
    Ok(mask)
}

/// Refuses a file of another number of scores than there are edges. A mask that is known by its truth alone may be
/// one of nodes or features.
fn check_length(mask: &[f64], file: &Path, (edges_file, edges): &Edges<'_>) -> Result<(), Failure> {
    if mask.len() == edges.ncols() {
        return Ok(());
    }
    let (n, place) = (edges.ncols(), edges_file.display());
    let text = format!("{} scores, but {place} has {n} edges", mask.len());
    Err(Failure::new(text)).in_file(file)
}

/// Reads the ends of the edges, (2, e).
fn read_edges(file: &Path) -> Result<Edges<'_>, Failure> {
    let stored = arrays::read_places::<Ix2>(file)?;
    if stored.nrows() != 2 {
        let shape = stored.shape();
        let text = format!("expected two rows, sources and targets, got shape {shape:?}");
        return Err(Failure::new(text)).in_file(file);
    }
    let negative = stored.indexed_iter().find(|(_, node)| **node < 0);
    if let Some(((row, edge), node)) = negative {
        let text = format!("expected nodes, at least 0, got {node} at [{row}, {edge}]");
        return Err(Failure::new(text)).in_file(file);
    }
    let edges = stored.mapv(|node| usize::try_from(node).unwrap_or_default());
    Ok((file, edges.into_shared()))
}

#[cfg(test)]
mod tests;
