//! The native part of the Python package `xai_metrics`.
//!
//! What users call is written in Python (`python/xai_metrics`): names, defaults, documentation, and
//! the turning of whatever they hold into NumPy arrays. Here are the kernels behind it: each takes
//! arrays as they lie in memory, lets go of the interpreter lock, and can be interrupted.
//!
//! | module | what it owns |
//! |---|---|
//! | `array` | arrays that come in |
//! | `arrow` | columns that come in by the Arrow C interface |
//! | `described` | parameters: their descriptions, and the values that are given |
//! | `error` | our errors as Python's |
//! | `labels` | labels that come in |
//! | `reliability` | metrics judged by tables of their values |
//! | `report` | reports and their pages |
//! | `stored` | states as bytes, and results as Python values |
//! | `work` | threads, interrupts, and calls back into Python |
//! | `casebased`, `attribution`, `graph`, `repro` | the functions and classes of one family each |

// `arrow` alone allows it, to take what a C interface hands over.
#![deny(unsafe_code)]

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_core::describe::Operation;

/// Adds functions to a module.
macro_rules! add_functions {
    ($module:expr, $($($function:ident)::+),+ $(,)?) => {{
        $($module.add_function(pyo3::wrap_pyfunction!($($function)::+, $module)?)?;)+
        Ok(())
    }};
}
mod array;
mod arrow;
mod attribution;
mod casebased;
mod described;
mod error;
mod graph;
mod labels;
mod reliability;
mod report;
mod repro;
mod stored;
mod work;

/// Operations with parameters: Python's own, which go before those of the library of the same name.
fn operations() -> impl Iterator<Item = Operation> {
    let own = || casebased::OPERATIONS.iter().chain(graph::OPERATIONS);
    let of_library = [
        xai_casebased::registry::OPERATIONS,
        xai_graph::registry::OPERATIONS,
        xai_repro::registry::OPERATIONS,
    ];
    let of_library = of_library.into_iter().flatten();
    let others = of_library.filter(move |other| own().all(|known| known.name != other.name));
    own().chain(others).copied()
}

/// The names of the operations that are no metrics of attribution: `graph.ground_truth`.
#[pyfunction]
fn operation_names() -> Vec<&'static str> {
    operations().map(|operation| operation.name).collect()
}

/// The parameters of such an operation.
#[pyfunction]
fn parameters<'py>(py: Python<'py>, operation: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let found = operations().find(|known| known.name == operation);
    let found = found.ok_or_else(|| PyKeyError::new_err(format!("no operation `{operation}`")))?;
    let described = |param| described::described(py, param);
    (found.params)().iter().map(described).collect()
}

/// Kernels of `xai_metrics`; not for direct use.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add(
        "UndefinedError",
        module.py().get_type::<error::UndefinedError>(),
    )?;
    arrow::register(module)?;
    module.add_function(wrap_pyfunction!(operation_names, module)?)?;
    module.add_function(wrap_pyfunction!(parameters, module)?)?;
    casebased::register(module)?;
    attribution::register(module)?;
    graph::register(module)?;
    repro::register(module)?;
    reliability::register(module)?;
    report::register(module)?;
    work::register(module)
}
