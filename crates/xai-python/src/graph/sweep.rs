//! All scores over the sizes of an explanation.

use ndarray::Ix3;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_graph::SparsitySweep;

use crate::array::{Reals, contiguous, same_precision, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions, target_of};
use crate::stored::to_python;
use crate::work;

/// The curve from outputs `(n_rows, n_classes)` on the whole graph, and `(n_levels, n_rows, n_classes)`
/// on the explanations and their complements.
#[pyfunction]
#[pyo3(signature = (full, kept, complement, levels, reading, target=None, index=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // those of the function that users call
pub(super) fn graph_sweep<'py>(
    py: Python<'py>,
    full: Reals<'py>,
    kept: Reals<'py>,
    complement: Reals<'py>,
    levels: PyReadonlyArray1<'py, f64>,
    reading: Given,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = target_of(target.as_ref())?;
    let index = positions(index, full.shape().first().copied())?;
    let metric = compared(target.as_deref(), index.as_deref());
    let sweep = SparsitySweep::new()
        .fidelity(metric)
        .unfaithfulness(reading.build(py)?);
    let levels = contiguous(&levels);
    same_precision!((full, kept, complement), |full, kept, complement| {
        let full = two_axes("full", full)?;
        let axes = |_| PyValueError::new_err("kept and complement: expected 3 axes");
        let kept = kept.into_dimensionality::<Ix3>().map_err(axes)?;
        let rest = complement.into_dimensionality::<Ix3>().map_err(axes)?;
        let curve = || sweep.evaluate(full, kept, rest, &levels);
        to_python(
            py,
            &work::run_sized(py, n_jobs, kept.len(), curve)?.or_raise(py)?,
        )
    })
}
