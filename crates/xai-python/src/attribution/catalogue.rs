//! What the registry knows about the metrics.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use xai_attribution::Layout;
use xai_attribution::metric::{Direction, Entry, registry};

use crate::error::OrRaise;

/// One dictionary per metric, in the order of the documentation.
#[pyfunction]
fn attribution_metrics(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let metrics: PyResult<Vec<_>> = registry::METRICS.iter().map(|m| described(py, m)).collect();
    PyList::new(py, metrics?)
}

/// Raises what is wrong with the options of a metric.
#[pyfunction]
fn attribution_check_metric(
    py: Python<'_>,
    name: &str,
    options: Vec<(String, String)>,
) -> PyResult<()> {
    let options: Vec<_> = options.iter().map(|(n, t)| (&**n, &**t)).collect();
    registry::find(name)
        .and_then(|entry| entry.build::<f64>(&options))
        .or_raise(py)
        .map(drop)
}

fn described<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let metric = PyDict::new(py);
    metric.set_item("name", entry.key())?;
    metric.set_item("title", entry.info.title)?;
    metric.set_item("question", entry.info.question)?;
    let direction = match entry.info.direction {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
        Direction::None => "none",
    };
    metric.set_item("direction", direction)?;
    metric.set_item("range", entry.info.range)?;
    let needs: Vec<&str> = entry.info.needs.iter().map(|need| need.name()).collect();
    metric.set_item("needs", needs)?;
    metric.set_item("source", entry.info.source)?;
    let options = entry
        .options()
        .into_iter()
        .map(|o| (o.name, o.value_name, o.default, o.help));
    metric.set_item("options", options.collect::<Vec<_>>())?;
    metric.set_item("draws", entry.draws().map(|draws| draws.name()))?;
    metric.set_item("is_whole", entry.is_built() && entry.is_whole())?;
    metric.set_item("has_call_of_its_own", !entry.is_built())?;
    let layouts = LAYOUTS.iter().filter(|(layout, _)| entry.takes(*layout));
    metric.set_item(
        "layouts",
        layouts.map(|(_, name)| *name).collect::<Vec<_>>(),
    )?;
    Ok(metric)
}

/// The layouts by name.
const LAYOUTS: [(Layout, &str); 4] = [
    (Layout::Tabular, "tabular"),
    (Layout::TimeSeries, "time-series"),
    (Layout::ChannelsLast, "channels-last"),
    (Layout::ChannelsFirst, "channels-first"),
];

/// A layout by its name.
pub(super) fn layout(name: &str) -> PyResult<Layout> {
    let found = LAYOUTS.iter().find(|(_, known)| *known == name);
    found.map(|(layout, _)| *layout).ok_or_else(|| {
        let names = LAYOUTS.map(|(_, name)| name).join(", ");
        pyo3::exceptions::PyValueError::new_err(format!(
            "layout: expected one of {names}, got {name}"
        ))
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(attribution_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(attribution_check_metric, module)?)
}
