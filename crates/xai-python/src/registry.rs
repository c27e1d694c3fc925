//! Metrics and operations of all families, as Python describes them.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_core::describe::{
    Family, FamilyMetric, Operation, Setting, Settings, candidates, metrics_of_families,
};
use xai_metrics::{families, operations};

use crate::described::{metric_info, parameter};
use crate::error::OrRaise;
use crate::{attribution, casebased, graph};

/// Descriptions of the metrics of all families, in the order of the documentation.
#[pyfunction]
fn metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let metrics = metrics_of_families(families()).into_iter();
    metrics.map(|metric| described_metric(py, metric)).collect()
}

fn described_metric(py: Python<'_>, metric: FamilyMetric) -> PyResult<Bound<'_, PyDict>> {
    let FamilyMetric { family, entry } = metric;
    let described = metric_info(py, entry.info)?;
    let optional: Vec<&str> = entry.optional.iter().map(|input| input.name()).collect();
    let described_params = entry.params();
    let params = described_params.iter().map(|param| parameter(py, param));
    described.set_item("family", family.name)?;
    described.set_item("kind", entry.kind)?;
    described.set_item("optional", optional)?;
    described.set_item("parameters", params.collect::<PyResult<Vec<_>>>()?)?;
    if family.name == xai_attribution::FAMILY.name {
        attribution::add_details(&described, entry.info.name)?;
    }
    Ok(described)
}

/// Name, title and summary of every family.
#[pyfunction(name = "families")]
fn family_titles() -> Vec<(&'static str, &'static str, &'static str)> {
    let titles = |family: &&Family| (family.name, family.title, family.summary);
    families().iter().map(titles).collect()
}

/// Name of a metric, and values of some of its parameters as text.
type MetricSetting = (String, Vec<(String, String)>);

/// A metric that a name may stand for: its family, its name, and the name in another package that led to it.
type Candidate = (&'static str, String, Option<&'static str>);

/// Returns whether the name is exact, with the metrics of that name or else those of similar names.
#[pyfunction]
fn metrics_named(name: &str) -> (bool, Vec<Candidate>) {
    let metrics = metrics_of_families(families());
    let found = candidates(&metrics, name);
    let listed = found.metrics.iter().map(|candidate| {
        let FamilyMetric { family, entry } = candidate.metric;
        (family.name, entry.key(), candidate.elsewhere)
    });
    (found.are_exact, listed.collect())
}

/// Metrics with values of their parameters, from text such as `deletion(steps=20), complexity`.
#[pyfunction]
fn metric_settings(py: Python<'_>, text: &str) -> PyResult<Vec<MetricSetting>> {
    let parsed = text.parse::<Settings>().or_raise(py)?;
    let params = |setting: Setting| {
        let params = setting.params.into_iter();
        params
            .map(|(name, value)| (name, value.to_string()))
            .collect()
    };
    let settings = parsed.0.into_iter();
    Ok(settings
        .map(|setting| (setting.name.clone(), params(setting)))
        .collect())
}

/// The most similar of some names.
#[pyfunction]
fn nearest_name(name: &str, names: Vec<String>) -> Option<String> {
    let nearest = xai_core::text::nearest(name, names.iter().map(String::as_str));
    nearest.map(str::to_owned)
}

/// Operations with parameters. Those of Python replace those of the library with the same name.
fn all_operations() -> impl Iterator<Item = &'static Operation> {
    let own = || casebased::OPERATIONS.iter().chain(graph::OPERATIONS);
    let others = operations().filter(move |other| own().all(|known| known.name != other.name));
    own().chain(others)
}

/// Names of all operations: `graph.ground_truth`.
#[pyfunction]
fn operation_names() -> Vec<&'static str> {
    all_operations().map(|operation| operation.name).collect()
}

/// Parameters of an operation.
#[pyfunction]
fn parameters<'py>(py: Python<'py>, operation: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let found = all_operations()
        .find(|known| known.name == operation)
        .ok_or_else(|| PyKeyError::new_err(format!("no operation `{operation}`")))?;
    let params = (found.params)();
    params.iter().map(|param| parameter(py, param)).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        family_titles,
        metric_settings,
        metrics,
        metrics_named,
        nearest_name,
        operation_names,
        parameters,
    )
}
