//! The native part of the Python package `xai_metrics`.
//!
//! What users call is written in Python (`python/xai_metrics`): names, defaults, documentation, and
//! the turning of whatever they hold into NumPy arrays. Here are the kernels behind it: each takes
//! arrays as they lie in memory. Those that may take long let go of the interpreter lock, and can be interrupted.
//!
//! | module | what it owns |
//! |---|---|
//! | `array` | arrays that come in |
//! | `arrow` | columns that come in by the Arrow C interface |
//! | `described` | parameters: their descriptions, and the values that are given |
//! | `error` | our errors as Python's |
//! | `labels` | labels that come in |
//! | `registry` | the metrics of all families: descriptions and names |
//! | `reliability` | metrics judged by tables of their values |
//! | `report` | reports and their pages |
//! | `stored` | states as bytes, and results as Python values |
//! | `work` | threads, interrupts, and calls back into Python |
//! | `casebased`, `attribution`, `graph`, `repro` | the functions and classes of one family each |

// `arrow` alone allows it, to take what a C interface hands over.
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
    graph::register(module)?;
    repro::register(module)?;
    reliability::register(module)?;
    report::register(module)?;
    work::register(module)
}
