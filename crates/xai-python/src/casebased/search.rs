//! Nearest neighbours alone.

use std::sync::Arc;

use ndarray::Array2;
use numpy::PyReadonlyArray2;
use pyo3::prelude::*;
use xai_casebased::{Distance, Engine, Error, NeighborSearch};
use xai_core::Real;
use xai_core::describe::Parameters;

use crate::array::{Reals, for_precision, two_axes};
use crate::casebased::arrays::{Neighbors, neighbors};
use crate::casebased::choices::mahalanobis;
use crate::described::Given;
use crate::error::OrRaise;
use crate::work::run;

/// Options of a search.
#[derive(Debug, Clone, Parameters)]
pub(super) struct SearchChoices {
    /// Usual number of neighbours per query, by which the engine is chosen; others are possible.
    #[param(at_least = 1)]
    k: usize,
    /// The distance of two rows.
    distance: Distance,
    /// Search engine; exact engines differ only in cost.
    engine: Engine,
}

impl Default for SearchChoices {
    fn default() -> Self {
        Self {
            k: 5,
            distance: Distance::default(),
            engine: Engine::default(),
        }
    }
}

/// An index over training rows.
#[pyclass(frozen, module = "xai_metrics._native")]
pub(crate) struct CasebasedSearch {
    search: Arc<dyn NeighborSearch>,
}

#[pymethods]
impl CasebasedSearch {
    /// Builds an engine over `(n, d)` rows for queries of about `k` neighbours.
    #[new]
    fn new(
        py: Python<'_>,
        rows: Reals<'_>,
        chosen: Given,
        covariance: Option<PyReadonlyArray2<'_, f64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let SearchChoices {
            k,
            mut distance,
            engine,
        } = chosen.build(py)?;
        if let Some(covariance) = &covariance {
            distance = mahalanobis(py, covariance)?;
        }
        let search = for_precision!(rows, |view| {
            let view = two_axes("rows", view)?;
            run(py, n_jobs, || -> Result<Box<dyn NeighborSearch>, Error> {
                let rows: Array2<f64> = view.mapv(Real::to_f64_exact);
                engine.build_for(rows.view(), distance, k)
            })?
        })
        .or_raise(py)?
        .into();
        Ok(Self { search })
    }

    /// The nearest `k` rows of each of `(m, d)` queries, nearest first.
    fn query<'py>(
        &self,
        py: Python<'py>,
        queries: Reals<'py>,
        k: usize,
        n_jobs: Option<i64>,
    ) -> PyResult<Neighbors<'py>> {
        let search = &self.search;
        let found = for_precision!(queries, |view| {
            let view = two_axes("queries", view)?;
            run(py, n_jobs, || {
                search.nearest_batch(view.mapv(Real::to_f64_exact).view(), k)
            })?
        })
        .or_raise(py)?;
        let mut starts = vec![0];
        let (mut indices, mut distances) = (Vec::new(), Vec::new());
        for nearest in found {
            indices.extend(nearest.iter().map(|n| n.index));
            distances.extend(nearest.iter().map(|n| n.distance));
            starts.push(indices.len());
        }
        Ok(neighbors(py, &starts, indices, distances))
    }

    /// The name of the engine; for `auto`, that of the chosen one.
    #[getter]
    fn engine(&self) -> String {
        self.search.engine().to_string()
    }

    /// The share of the true neighbours that are found; `None` for exact engines.
    #[getter]
    fn recall(&self) -> Option<f64> {
        self.search.recall()
    }
}
