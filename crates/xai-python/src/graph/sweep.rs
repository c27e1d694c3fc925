//! All scores over the sizes of an explanation.

use ndarray::Ix3;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_graph::Sweep;

use crate::array::{Reals, contiguous, two_axes};
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions};
use crate::graph::fidelity::one_precision;
use crate::graph::unfaithfulness::Reading;
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
    reading: Reading,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = target
        .as_ref()
        .map(|target| target.view("target"))
        .transpose()?;
    let index = positions(index, full.shape().first().copied())?;
    let metric = compared(target.as_deref(), index.as_deref());
    let sweep = Sweep::new()
        .fidelity(metric)
        .unfaithfulness(reading.metric()?);
    let levels = contiguous(&levels);
    macro_rules! evaluate {
        ($full:expr, $kept:expr, $complement:expr) => {{
            let full = two_axes("full", $full.as_array())?;
            let (kept, rest) = ($kept.as_array(), $complement.as_array());
            let axes = |_| PyValueError::new_err("kept and complement: expected 3 axes");
            let kept = kept.into_dimensionality::<Ix3>().map_err(axes)?;
            let rest = rest.into_dimensionality::<Ix3>().map_err(axes)?;
            let curve = || sweep.evaluate(full, kept, rest, &levels);
            to_python(py, &work::run(py, n_jobs, curve)?.or_raise(py)?)
        }};
    }
    match (&full, &kept, &complement) {
        (Reals::Single(full), Reals::Single(kept), Reals::Single(rest)) => {
            evaluate!(full, kept, rest)
        }
        (Reals::Double(full), Reals::Double(kept), Reals::Double(rest)) => {
            evaluate!(full, kept, rest)
        }
        _ => Err(one_precision()),
    }
}
