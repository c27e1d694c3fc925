//! Agreement of masks with the true explanations of many graphs, one graph at a time.
//!
//! ```text
//! cargo run -p xai-graph --example many_graphs
//! ```

use ndarray::array;
use xai_graph::{Accumulator, GroundTruthMetric, OverGraphs, Result};

fn main() -> Result<()> {
    let masks = [
        (array![0.9, 0.8, 0.1, 0.2], array![1.0, 1.0, 0.0, 0.0]),
        (array![0.7, 0.1, 0.6], array![1.0, 0.0, 0.0]),
        (array![0.2, 0.9], array![0.0, 1.0]),
    ];
    let mut graphs = OverGraphs::new(GroundTruthMetric::new().accumulator()?);
    for (mask, truth) in &masks {
        graphs.update((mask.view(), truth.view()))?;
    }
    let scores = graphs.finish()?;
    println!("average over {} graphs:", scores.n_graphs);
    for average in &scores.macro_average {
        println!("{:>20} {:?}", average.name, average.mean);
    }
    println!("over all edges together: {:?}", scores.micro.auroc);
    Ok(())
}
