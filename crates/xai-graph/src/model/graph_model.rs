//! Models over graphs.

use std::error::Error as StdError;
use std::fmt;

use ndarray::Array2;
use xai_core::{Error, Real, Result};

use crate::input;
use crate::model::graph::Graph;

/// A model over graphs: node features, edges and their weights in, output rows out.
///
/// One row per node, edge or graph, as the model's task is; always the same number for the same
/// nodes. Closures `Fn(Graph<'_, T>) -> Result<Array2<T>, E>` implement it.
///
/// An edge weight scales what the edge carries: a weight of 0 must count like an edge that is not
/// there.
pub trait GraphModel<T>: Sync {
    /// The output rows, `(n_rows, n_classes)`.
    ///
    /// # Errors
    /// The model's own.
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, Box<dyn StdError + Send + Sync>>;
}

impl<T, E, F> GraphModel<T> for F
where
    F: Fn(Graph<'_, T>) -> Result<Array2<T>, E> + Sync,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, Box<dyn StdError + Send + Sync>> {
        self(graph).map_err(Into::into)
    }
}

/// Calls a model and checks the shape of what it returns against `expected`, where that is known.
/// `part` says which part of the graph it is, in words.
pub(crate) fn call<T: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    part: impl fmt::Display,
    expected: Option<(usize, usize)>,
) -> Result<Array2<T>> {
    let outputs = model
        .outputs(graph)
        .map_err(|source| Error::model(part.to_string(), source))?;
    match expected {
        Some((rows, columns)) if outputs.dim() != (rows, columns) => {
            let error = Error::shape(input::MODEL, &[rows, columns], outputs.shape());
            Err(error.part(format!("outputs on {part}")))
        }
        _ => Ok(outputs),
    }
}
