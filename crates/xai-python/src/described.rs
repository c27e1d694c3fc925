//! Conversion of parameters: their descriptions to Python, and given values from Python.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PySequence, PyString, PyTuple};
use xai_core::describe::{
    Element, InputSpec, Kind, MetricInfo, Param, Parameters, Value, Word, with,
};

use crate::error::OrRaise;

/// Parameters by name: a dictionary, as of keyword arguments, in which `None` stands for the default, or
/// `(name, value)` pairs.
#[derive(Clone, Default)]
pub(crate) struct Given(pub(crate) Vec<(String, Value)>);

impl Given {
    /// Returns the default parameters with the given values.
    pub(crate) fn build<P: Parameters + Default>(self, py: Python<'_>) -> PyResult<P> {
        with(P::default(), self.0).or_raise(py)
    }
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given: PyResult<Vec<(String, Value)>> = match object.cast::<PyDict>() {
            Ok(named) => named
                .iter()
                .filter(|(_, given)| !given.is_none())
                .map(|(name, given)| Ok((name.extract()?, value(&given)?)))
                .collect(),
            Err(_) => object
                .try_iter()?
                .map(|pair| {
                    let (name, given): (String, Bound<'_, PyAny>) = pair?.extract()?;
                    Ok((name, value(&given)?))
                })
                .collect(),
        };
        Ok(Self(given?))
    }
}

/// Converts a Python object to a value of a parameter: a boolean, a number, a string, a sequence, or an array or scalar
/// of an array library. Any other object becomes the text that it prints as. No parameter accepts that text, so the
/// error names the parameter.
fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    // A boolean is an integer in Python, and a string a sequence.
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if object.cast::<PyInt>().is_ok() {
        let number = object.extract::<i64>().map(Value::from);
        return number.or_else(|_| Ok(Value::Text(object.str()?.to_string())));
    }
    if object.cast::<PyFloat>().is_ok() {
        return Ok(object.extract::<f64>()?.into());
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::from(text.to_str()?));
    }
    if let Ok(items) = object.cast::<PySequence>() {
        let items: PyResult<Vec<Value>> = items.try_iter()?.map(|item| value(&item?)).collect();
        return Ok(Value::List(items?));
    }
    if object.hasattr("tolist")? {
        return value(&object.call_method0("tolist")?);
    }
    Ok(Value::Text(object.repr()?.to_string()))
}

/// The description of a parameter.
pub(crate) fn parameter<'py>(py: Python<'py>, param: &Param) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("name", param.name)?;
    described.set_item("doc", param.doc)?;
    described.set_item("expected", param.kind.to_string())?;
    described.set_item("annotation", types(&param.kind).join(" | "))?;
    let words = param.kind.words().map(|word| (word.to_string(), word.doc));
    described.set_item("words", words.collect::<Vec<_>>())?;
    described.set_item("default", python(py, &param.value)?)?;
    Ok(described)
}

/// Types of the accepted values as Python annotations, with the names that `xai_metrics._types` defines.
fn types(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Real(_) => vec!["Float".to_owned()],
        Kind::Integer(_) => vec!["Int".to_owned()],
        Kind::Flag => vec!["Bool".to_owned()],
        Kind::Words(words) => {
            let alone = words
                .iter()
                .filter(|word| word.value.is_none_or(|value| value.has_default));
            let literals: Vec<String> = alone.flat_map(literals).collect();
            let literal = format!("Literal[{}]", literals.join(", "));
            let has_values = words.iter().any(|word| word.value.is_some());
            let text = has_values.then(|| "str".to_owned());
            let literal = (!literals.is_empty()).then_some(literal);
            literal.into_iter().chain(text).collect()
        }
        Kind::List(item) => {
            let items = types(item);
            let list = format!("Sequence[{}]", items.join(" | "));
            // A single number is a list, too.
            let numbers = items
                .into_iter()
                .filter(|item| item == "Float" || item == "Int");
            numbers.chain([list, "Listed".to_owned()]).collect()
        }
        Kind::OneOf(kinds) => {
            let mut all: Vec<String> = Vec::new();
            for one in kinds.iter().flat_map(types) {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            all
        }
        _ => vec!["Any".to_owned()],
    }
}

/// The spellings of a word as members of `Literal`.
fn literals(word: &Word) -> Vec<String> {
    let underscored = word.name.replace('-', "_");
    let other = (underscored != word.name).then_some(underscored.as_str());
    let alias = (!word.alias.is_empty()).then_some(word.alias);
    let spellings = [Some(word.name), other, alias].into_iter().flatten();
    let quoted = |text: &str| match text.parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => format!("\"{text}\""),
    };
    spellings.map(quoted).collect()
}

/// Converts a value to a Python object.
pub(crate) fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Flag(flag) => flag.into_bound_py_any(py),
        Value::Integer(number) => number.into_bound_py_any(py),
        Value::Real(number) => number.into_bound_py_any(py),
        Value::Text(text) => text.into_bound_py_any(py),
        Value::List(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| python(py, item)).collect();
            Ok(PyTuple::new(py, items?)?.into_any())
        }
        // An array or a function that the caller sets.
        _ => Ok(py.None().into_bound(py)),
    }
}

/// The description of a metric. Its name is that of a function or an argument: `average_drop`.
pub(crate) fn metric_info<'py>(py: Python<'py>, info: &MetricInfo) -> PyResult<Bound<'py, PyDict>> {
    let needs: Vec<&str> = info.needs.iter().map(|input| input.name()).collect();
    let described = PyDict::new(py);
    described.set_item("name", info.key())?;
    described.set_item("title", info.title)?;
    described.set_item("summary", info.summary)?;
    described.set_item("direction", info.direction.to_string())?;
    described.set_item("range", info.range.to_string())?;
    described.set_item("needs", needs)?;
    described.set_item("source", info.source)?;
    described.set_item("formula", info.formula)?;
    described.set_item("extremes", info.extremes)?;
    described.set_item("limits", info.limits)?;
    described.set_item("elsewhere", info.elsewhere)?;
    described.set_item("example", info.example)?;
    described.set_item("is_scale_free", info.invariance.scale)?;
    described.set_item("mirror", info.invariance.mirror.to_string())?;
    Ok(described)
}

/// Descriptions of inputs, as dictionaries.
pub(crate) fn input_descriptions<'py>(
    py: Python<'py>,
    inputs: &[InputSpec],
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let description = |spec: &InputSpec| {
        let element = match spec.element {
            Element::Number => "number",
            Element::Class => "class",
            Element::Integer => "integer",
            Element::Boolean => "boolean",
            Element::Subset => "subset",
            Element::Share => "share",
            Element::Target => "target",
            Element::Model => "model",
            Element::Function => "function",
        };
        let dict = PyDict::new(py);
        dict.set_item("name", spec.input.name().replace(' ', "_"))?;
        dict.set_item("element", element)?;
        dict.set_item("axes", spec.axes.to_vec())?;
        dict.set_item("shape", spec.shape())?;
        dict.set_item("help", spec.help)?;
        dict.set_item("description", spec.to_string())?;
        dict.set_item("option", spec.option)?;
        dict.set_item("required_when", spec.required_when)?;
        Ok(dict)
    };
    inputs.iter().map(description).collect()
}
