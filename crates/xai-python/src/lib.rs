//! The native part of the Python package `xai_metrics`.
//!
//! The public interface is written in Python (`python/xai_metrics`): names, defaults, documentation, and the conversion
//! of arguments to NumPy arrays. This crate contains the kernels behind it, which read the arrays in place. Kernels
//! that may take long release the interpreter lock and can be interrupted.
//!
//! | module | content |
//! |---|---|
//! | `array` | arrays from Python |
//! | `arrow` | columns from other libraries, by the Arrow C interface |
//! | `described` | parameters: their descriptions, and given values |
//! | `error` | conversion of errors to Python exceptions |
//! | `labels` | labels from Python |
//! | `registry` | the metrics of all families: descriptions and names |
//! | `reliability` | metrics judged by tables of their values |
//! | `report` | reports and their pages |
//! | `stored` | states as bytes, and results as Python values |
//! | `work` | threads, interrupts, and calls back into Python |
//! | `casebased`, `attribution`, `counterfactual`, `graph`, `repro` | the functions and classes of one family each |

// Only `arrow` allows it, for the data of a C interface.
#![deny(unsafe_code)]

use pyo3::prelude::*;

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
mod counterfactual;
mod described;
mod error;
mod graph;
mod labels;
mod registry;
mod reliability;
mod report;
mod repro;
mod stored;
mod work;

/// Kernels of `xai_metrics`; not for direct use.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add(
        "UndefinedError",
        module.py().get_type::<error::UndefinedError>(),
    )?;
    arrow::register(module)?;
    registry::register(module)?;
    casebased::register(module)?;
    attribution::register(module)?;
    counterfactual::register(module)?;
    graph::register(module)?;
    repro::register(module)?;
    reliability::register(module)?;
    report::register(module)?;
    work::register(module)
}
