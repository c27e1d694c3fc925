//! `xai graph mask`

use std::path::PathBuf;

use clap::Args;
use ndarray::{Ix1, Ix2};
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::graph::input;
use xai_metrics::graph::mask::MaskMetric;

use crate::{Context, Described, examples};

/// `xai graph mask`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai graph mask --mask mask.npy",
    "xai graph mask --mask mask.npy --edge-index edges.npy --threshold 0.5",
]))]
pub(crate) struct Mask {
    /// The mask, (m,) in [0, 1].
    #[arg(long, value_name = "M.npy")]
    mask: PathBuf,
    /// The edges that the mask scores, (2, m). Adds measures of how connected the mask is.
    #[arg(long, value_name = "E.npy")]
    edge_index: Option<PathBuf>,
    /// Number of nodes of the graph. Default: the largest node number in the edges plus 1.
    #[arg(long, value_name = "N", requires = "edge_index")]
    n_nodes: Option<usize>,
    #[command(flatten)]
    metric: Described<MaskMetric>,
}

impl Mask {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metric = self.metric.read()?;
        let working = context.working("reading and measuring the mask");
        let mask = arrays::read_f64::<Ix1>(&self.mask)?;
        let properties = match &self.edge_index {
            None => metric.evaluate(mask.view()),
            Some(file) => {
                let edges = arrays::read_positions::<Ix2>(file)?;
                let largest = edges.iter().copied().max().unwrap_or(-1);
                let least_nodes = usize::try_from(largest.saturating_add(1)).unwrap_or_default();
                let n_nodes = self.n_nodes.unwrap_or(least_nodes);
                if n_nodes < least_nodes {
                    let file = file.display();
                    let reason = format_args!("{file} has an edge of node {largest}");
                    return Err(Failure::for_option("--n-nodes", reason)
                        .with_value(n_nodes)
                        .help(format_args!(
                            "nodes count from 0: pass at least {least_nodes}"
                        )));
                }
                metric.evaluate_edges(mask.view(), edges.view(), n_nodes)
            }
        };
        let properties = properties.in_files(&self.files())?;
        drop(working);
        context.present(&properties, || properties.to_string())
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(
                &[input::MASK, input::EDGE_MASK, input::ELEMENTS],
                &self.mask,
            )
            .optional(&[input::EDGE_INDEX], self.edge_index.as_ref())
            .shaped_by(&[input::EDGE_INDEX], &self.mask)
    }
}
