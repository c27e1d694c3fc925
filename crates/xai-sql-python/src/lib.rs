//! The native part of the Python package `xai_metrics_sql`.
//!
//! | module | content |
//! |---|---|
//! | `error` | conversion of errors to Python exceptions |
//! | `function` | the functions of `xai_datafusion`, for sessions of the Python package `datafusion` |
//! | `query` | queries in this process |
//! | `stages` | queries in two stages, which other engines run |
//! | `stream` | rows from Python, and rows for Python |
#![forbid(unsafe_code)]

mod error;
mod function;
mod query;
mod stages;
mod stream;

use pyo3::prelude::*;

/// Kernels of `xai_metrics_sql`; not for direct use.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let engine = datafusion::DATAFUSION_VERSION;
    let release = engine
        .split('.')
        .next()
        .and_then(|it| it.parse::<u32>().ok());
    module.add("DATAFUSION", release)?;
    module.add_function(wrap_pyfunction!(query::query, module)?)?;
    module.add_function(wrap_pyfunction!(function::functions, module)?)?;
    module.add_class::<function::Function>()?;
    module.add_class::<stages::TwoStages>()?;
    module.add_class::<stream::Batches>()
}
