//! Attribution metrics: words of arguments, parameters, directions, and details that metrics of other families lack.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_attribution::map::MapSimilarity;
use xai_attribution::metric::{Parameters, registry};
use xai_attribution::{Activation, InputLayout};
use xai_core::describe::{Kind, Parameter};

use crate::described::{self, Given};
use crate::error::OrRaise;

/// The words that each argument accepts, and the metrics that the word `standard` stands for.
#[pyfunction]
fn attribution_words(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let names = |kind: Kind| {
        let words = kind.words().map(|word| word.name);
        words.collect::<Vec<_>>()
    };
    let words = PyDict::new(py);
    words.set_item("layout", LAYOUTS.map(|(_, name)| name))?;
    words.set_item("activation", names(Activation::KIND))?;
    words.set_item("similarity", names(MapSimilarity::KIND))?;
    let standard = registry::STANDARD.map(|name| name.replace('-', "_"));
    words.set_item("standard", standard)?;
    Ok(words)
}

/// Returns all parameters of a metric, some of them set to given values. Raises an exception if these are not valid.
#[pyfunction]
fn attribution_parameters<'py>(
    py: Python<'py>,
    name: &str,
    params: Given,
) -> PyResult<Bound<'py, PyDict>> {
    let metric = registry::find(name).and_then(|entry| entry.build::<f64>(&params.0));
    let values = PyDict::new(py);
    for param in metric.or_raise(py)?.params() {
        values.set_item(param.name, described::python(py, &param.value)?)?;
    }
    Ok(values)
}

/// Returns the direction of a metric with some of its parameters set.
#[pyfunction]
fn attribution_direction(py: Python<'_>, name: &str, params: Given) -> PyResult<String> {
    let direction = registry::find(name).and_then(|entry| entry.direction(&params.0));
    Ok(direction.or_raise(py)?.to_string())
}

/// Adds the details that only attribution metrics have to the description of a metric.
pub(crate) fn add_details(described: &Bound<'_, PyDict>, name: &str) -> PyResult<()> {
    let entry = registry::find(name).or_raise(described.py())?;
    let layouts: Vec<&str> = LAYOUTS
        .iter()
        .filter(|(layout, _)| entry.takes(*layout))
        .map(|(_, name)| *name)
        .collect();
    described.set_item("draws", entry.draws().map(|draws| draws.name()))?;
    described.set_item("is_whole", entry.is_built() && entry.is_whole())?;
    described.set_item("has_call_of_its_own", !entry.is_built())?;
    described.set_item("layouts", layouts)?;
    let parameters: Vec<Bound<'_, PyDict>> =
        described.as_any().get_item("parameters")?.extract()?;
    for parameter in parameters {
        let takes_functions = match parameter.as_any().get_item("name")?.extract::<&str>()? {
            "baseline" | "discretizer" => true,
            // Only for these metrics can the bindings set the distance to a function of the user.
            "distance" => {
                ["average-stability", "maximum-stability", "local-lipschitz"].contains(&name)
            }
            _ => false,
        };
        parameter.set_item("takes_functions", takes_functions)?;
    }
    Ok(())
}

/// The layouts by name.
const LAYOUTS: [(InputLayout, &str); 4] = [
    (InputLayout::Tabular, "tabular"),
    (InputLayout::TimeSeries, "time-series"),
    (InputLayout::ChannelsLast, "channels-last"),
    (InputLayout::ChannelsFirst, "channels-first"),
];

/// A layout by its name.
pub(crate) fn layout(name: &str) -> PyResult<InputLayout> {
    let found = LAYOUTS.iter().find(|(_, known)| *known == name);
    found.map(|(layout, _)| *layout).ok_or_else(|| {
        let names = LAYOUTS.map(|(_, name)| name).join(", ");
        pyo3::exceptions::PyValueError::new_err(format!(
            "layout: expected one of {names}, got {name}"
        ))
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        attribution_direction,
        attribution_parameters,
        attribution_words,
    )
}
