//! Edits from graphs to their counterfactuals.

use pyo3::prelude::*;
use xai_graph::edit_size;

use crate::error::OrRaise;

/// A graph and its counterfactual, each as its number of nodes and its edges.
type Pair = ((usize, Vec<[usize; 2]>), (usize, Vec<[usize; 2]>));

/// Number of edits of each pair of graphs, and relative to the elements of the first graph.
#[pyfunction]
pub(super) fn graph_edit_size(
    py: Python<'_>,
    pairs: Vec<Pair>,
    directed: bool,
) -> PyResult<Vec<(usize, Option<f64>)>> {
    let edits = pairs.iter().enumerate().map(|(i, (before, after))| {
        let edit = edit_size((before.0, &before.1), (after.0, &after.1), directed);
        let edit = edit
            .map_err(|error| error.part(format!("pair {i}")))
            .or_raise(py)?;
        Ok((edit.size, edit.share))
    });
    edits.collect()
}
