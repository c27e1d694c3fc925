//! The section of explanatory subgraphs, from the arguments of `xai graph sweep` and `xai graph groundtruth`.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Ix1};
use xai_files::arrays;
use xai_files::failure::{Failure, Files, InFile, InFiles};
use xai_metrics::core::number::check_finite_slice;
use xai_metrics::graph::dataset::SweepPoint;
use xai_metrics::graph::input;

use crate::context::Context;
use crate::graph::groundtruth::Groundtruth;
use crate::graph::sweep::{SweepCommand, SweepScores};
use crate::report::evaluate::against_truth::{self, MaskOfTruth};
use crate::report::evaluate::neighborhood::{neighborhood, spread};
use crate::report::evaluate::network::{Network, read_edge_index};
use crate::report::model::estimate::Estimate;
use crate::report::model::graph::{
    Graph, GraphExplainer, MOST_DRAWN_EXPLAINERS, MaskSummary, Neighborhood, SizePoint,
};
use crate::report::model::histogram::Histogram;
use crate::report::model::origin::Origin;

/// Bins of the histogram of a mask.
const N_BINS: usize = 20;

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
    mut origin: Origin,
    context: &Context,
) -> Result<Graph, Failure> {
    let edges = inputs.edge_index.as_deref().map(read_edges).transpose()?;
    let explainers = inputs.explainers.iter();
    let scored = explainers.map(|explainer| scored(explainer, edges.as_ref(), context));
    let scored: Vec<Scored> = scored.collect::<Result<_, _>>()?;
    if scored.iter().any(Scored::is_reduced) {
        let remark = "Curves against the truth are drawn through some of their points.";
        origin.remarks.push(remark.to_owned());
    }
    let nodes = nodes_of_all(&scored, inputs.drawn);
    let n_explained = scored
        .first()
        .map_or(0, |scored| scored.sweep.curve.n_samples);
    let drawn: Vec<Vec<Neighborhood>> = scored
        .iter()
        .map(|scored| scored.neighborhoods(&nodes, inputs.drawn))
        .collect();
    if let Some(n) = drawn.iter().map(Vec::len).max().filter(|&n| n > 0) {
        let remark = format!("{n} of {n_explained} explained nodes are drawn.");
        origin.remarks.push(remark);
    }
    if scored.len() > MOST_DRAWN_EXPLAINERS {
        let remark = format!(
            "Charts, masks and neighbourhoods are those of the first {MOST_DRAWN_EXPLAINERS} of {} explainers; \
             the tables have all.",
            scored.len()
        );
        origin.remarks.push(remark);
    }
    Ok(Graph {
        origin,
        n_explained,
        explainers: std::iter::zip(scored, drawn)
            .map(|(scored, neighborhoods)| scored.into_section(neighborhoods))
            .collect(),
    })
}

/// The ends of edges, and their file.
type Edges<'a> = (&'a Path, Array2<usize>);

fn read_edges(file: &Path) -> Result<Edges<'_>, Failure> {
    Ok((file, read_edge_index(file)?))
}

/// What is known of an explainer.
struct Scored<'a> {
    name: &'a str,
    sweep: SweepScores,
    groundtruth: Option<MaskOfTruth>,
    mask: Option<Vec<f64>>,
    network: Option<Network>,
}

/// Scores one explainer.
fn scored<'a>(
    inputs: &'a ExplainerInputs,
    edges: Option<&Edges<'_>>,
    context: &Context,
) -> Result<Scored<'a>, Failure> {
    let sweep = inputs.sweep.evaluate(context)?;
    let groundtruth = inputs
        .groundtruth
        .as_ref()
        .map(|command| against_truth::evaluate(command, context));
    let groundtruth = groundtruth.transpose()?;
    let (model_edges, model_mask) = inputs.sweep.edges_and_mask();
    let file = inputs.edge_mask.as_deref().or(model_mask);
    let mask = match (file, &groundtruth) {
        (Some(file), _) => Some(read_mask(file)?),
        (None, Some(groundtruth)) => Some(groundtruth.mask.clone()),
        (None, None) => None,
    };
    let own_edges = match edges {
        None => model_edges.map(read_edges).transpose()?,
        Some(_) => None,
    };
    let network = match (&mask, edges.or(own_edges.as_ref())) {
        (Some(mask), Some(edges)) => network(mask, file, edges, groundtruth.as_ref())?,
        _ => None,
    };
    Ok(Scored {
        name: &inputs.name,
        sweep,
        groundtruth,
        mask,
        network,
    })
}

/// Reads the scores of edges.
fn read_mask(file: &Path) -> Result<Vec<f64>, Failure> {
    let mask = arrays::read_f64::<Ix1>(file)?.to_vec();
    let files = Files::new().file(&[input::EDGE_MASK], file);
    check_finite_slice(input::EDGE_MASK, &mask).in_files(&files)?;
    Ok(mask)
}

/// The network of a mask. A mask that is known by its truth alone may be one of nodes or features: where it
/// does not fit the edges, there is no network.
fn network(
    mask: &[f64],
    file: Option<&Path>,
    (edges_file, edges): &Edges<'_>,
    groundtruth: Option<&MaskOfTruth>,
) -> Result<Option<Network>, Failure> {
    match file {
        _ if mask.len() == edges.ncols() => {
            let truth = groundtruth.map(|groundtruth| &groundtruth.truth[..]);
            let truth = truth.filter(|truth| truth.len() == mask.len());
            Ok(Some(Network::new(edges, mask, truth)))
        }
        None => Ok(None),
        Some(file) => {
            let (n, place) = (edges.ncols(), edges_file.display());
            let text = format!("{} scores, but {place} has {n} edges", mask.len());
            Err(Failure::new(text)).in_file(file)
        }
    }
}

/// Nodes that every explainer with a network scores an edge of, spread over those that are explained: so that
/// the same surroundings stand side by side.
fn nodes_of_all(scored: &[Scored<'_>], n: usize) -> Vec<usize> {
    let networks: Vec<&Network> = scored.iter().filter_map(|s| s.network.as_ref()).collect();
    let Some(first) = scored.first().filter(|_| !networks.is_empty()) else {
        return Vec::new();
    };
    let is_scored = |&node: &usize| networks.iter().all(|network| network.is_scored(node));
    let nodes: Vec<usize> = first.explained().filter(is_scored).collect();
    spread(&nodes, n)
}

impl Scored<'_> {
    /// The nodes that are explained.
    fn explained(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match &self.sweep.index {
            Some(index) => Box::new(index.iter().copied()),
            None => Box::new(0..usize::try_from(self.sweep.curve.n_samples).unwrap_or_default()),
        }
    }

    fn is_reduced(&self) -> bool {
        self.groundtruth.as_ref().is_some_and(|it| it.is_reduced)
    }

    /// The surroundings of the nodes that all explainers share or, where there are none, of its own.
    fn neighborhoods(&self, nodes: &[usize], n: usize) -> Vec<Neighborhood> {
        let Some(network) = &self.network else {
            return Vec::new();
        };
        let own: Vec<usize> = match nodes {
            [] => {
                let own = self.explained().filter(|&node| network.is_scored(node));
                spread(&own.collect::<Vec<_>>(), n)
            }
            nodes => nodes.to_vec(),
        };
        own.into_iter()
            .map(|node| neighborhood(network, node))
            .collect()
    }

    fn into_section(self, neighborhoods: Vec<Neighborhood>) -> GraphExplainer {
        let (curve, groundtruth) = (self.sweep.curve, self.groundtruth);
        let truth = groundtruth
            .as_ref()
            .map(|groundtruth| &groundtruth.truth[..]);
        let points = curve.points.iter();
        GraphExplainer {
            name: self.name.to_owned(),
            curve: points
                .map(|point| size_point(point, curve.n_samples))
                .collect(),
            best: curve.best,
            fidelity_auc: curve.fidelity_auc,
            mask: self.mask.map(|mask| summary(&mask, truth)),
            groundtruth: groundtruth.map(|groundtruth| groundtruth.result),
            neighborhoods,
        }
    }
}

fn size_point(point: &SweepPoint, n: u64) -> SizePoint {
    let estimate = |value, interval| Estimate::new(Some(value), interval, n);
    SizePoint {
        level: point.level,
        pos_fidelity: estimate(point.pos_fidelity, point.pos_interval),
        neg_fidelity: estimate(point.neg_fidelity, point.neg_interval),
        characterization: estimate(point.characterization, point.characterization_interval),
        unfaithfulness: point.unfaithfulness,
    }
}

/// The distribution of a mask, over [0, 1] where its scores are in it.
fn summary(mask: &[f64], truth: Option<&[bool]>) -> MaskSummary {
    let low = mask.iter().copied().fold(f64::INFINITY, f64::min);
    let high = mask.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = match low < 0.0 || high > 1.0 {
        true => (low, high),
        false => (0.0, 1.0),
    };
    let truth = truth.filter(|truth| truth.len() == mask.len());
    MaskSummary {
        histogram: Histogram::new(mask.iter().copied(), range, N_BINS),
        histogram_of_true: truth.map(|truth| {
            let of_true = mask.iter().zip(truth).filter(|(_, is_true)| **is_true);
            Histogram::new(of_true.map(|(&score, _)| score), range, N_BINS)
        }),
    }
}

#[cfg(test)]
mod tests;
