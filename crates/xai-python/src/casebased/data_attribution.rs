//! Metrics of training-data attribution.

use std::error::Error as StdError;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayView2, CowArray, Ix2};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_casebased::data_attribution::{
    AttributionData, AttributionRows, Entry, METRICS, Subsets, evaluate_all, negative_means,
};
use xai_casebased::registry;
use xai_core::describe::{MetricInfo, Setting};

use crate::array::{Reals, contiguous, two_axes};
use crate::described::{self, Given};
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work::{self, Calls};

/// One dictionary per metric, in the order of the documentation.
#[pyfunction]
fn casebased_metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let metric = |info: &'static MetricInfo| {
        let entry = METRICS.iter().find(|entry| entry.info == info);
        match entry {
            Some(entry) => data_attribution_metric(py, entry),
            None => described::metric_info(py, info),
        }
    };
    registry::metrics().map(metric).collect()
}

fn data_attribution_metric<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let metric = described::metric_info(py, entry.info)?;
    let optional: Vec<&str> = entry.also.iter().map(|input| input.name()).collect();
    let params = entry.params();
    let params = params.iter().map(|param| described::described(py, param));
    metric.set_item("kind", "data attribution")?;
    metric.set_item("optional", optional)?;
    metric.set_item("parameters", params.collect::<PyResult<Vec<_>>>()?)?;
    Ok(metric)
}

/// Rows of attributions: an array in memory, or `(read, shape)` with a function from two ends of a range to an array.
#[derive(FromPyObject)]
enum Rows<'py> {
    Array(Reals<'py>),
    Read(Py<PyAny>, (usize, usize)),
}

/// Rows that are read on the thread that called us.
struct Reader<'a> {
    read: Arc<Py<PyAny>>,
    shape: (usize, usize),
    calls: &'a Calls,
}

impl AttributionRows for Reader<'_> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn rows(
        &self,
        rows: Range<usize>,
    ) -> Result<CowArray<'_, f64, Ix2>, Box<dyn StdError + Send + Sync>> {
        let read = Arc::clone(&self.read);
        let rows = self.calls.call(move |py| {
            let rows = read.bind(py).call1((rows.start, rows.end))?;
            let rows: PyReadonlyArray2<'_, f64> = rows.extract()?;
            Ok(rows.as_array().to_owned())
        })?;
        Ok(rows.into())
    }
}

/// A view of an array, or a reader.
enum Source<'a> {
    Single(ArrayView2<'a, f32>),
    Double(ArrayView2<'a, f64>),
    Read(Arc<Py<PyAny>>, (usize, usize)),
}

impl<'a> Source<'a> {
    fn of(name: &str, rows: Option<&'a Rows<'_>>, py: Python<'_>) -> PyResult<Option<Self>> {
        let Some(rows) = rows else { return Ok(None) };
        Ok(Some(match rows {
            Rows::Array(Reals::Single(array)) => Self::Single(two_axes(name, array.as_array())?),
            Rows::Array(Reals::Double(array)) => Self::Double(two_axes(name, array.as_array())?),
            Rows::Read(read, shape) => Self::Read(Arc::new(read.clone_ref(py)), *shape),
        }))
    }

    fn rows<'b>(self, calls: &'b Calls) -> Box<dyn AttributionRows + 'b>
    where
        'a: 'b,
    {
        match self {
            Self::Single(view) => Box::new(view.reborrow()),
            Self::Double(view) => Box::new(view.reborrow()),
            Self::Read(read, shape) => Box::new(Reader { read, shape, calls }),
        }
    }
}

/// Subsets of the training cases.
#[derive(FromPyObject)]
enum Cases<'py> {
    Mask(PyReadonlyArray2<'py, bool>),
    Lists(Vec<PyReadonlyArray1<'py, i64>>),
}

/// Numbers of cases.
fn places(name: &str, array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
    let place = |(i, &place): (usize, &i64)| {
        usize::try_from(place).map_err(|_| {
            PyValueError::new_err(format!(
                "{name}[{i}] = {place}: expected a number of at least 0"
            ))
        })
    };
    contiguous(array).iter().enumerate().map(place).collect()
}

/// What the metrics are computed from, each by the name of the library's input.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Inputs<'py> {
    attributions: Option<Rows<'py>>,
    random_attributions: Option<Rows<'py>>,
    train_labels: Option<PyReadonlyArray1<'py, i64>>,
    test_classes: Option<PyReadonlyArray1<'py, i64>>,
    keep: Option<PyReadonlyArray1<'py, bool>>,
    flags: Option<PyReadonlyArray1<'py, bool>>,
    subsets: Option<Cases<'py>>,
    outputs: Option<PyReadonlyArray2<'py, f64>>,
    logits: Option<PyReadonlyArray3<'py, f64>>,
    targets: Option<PyReadonlyArray1<'py, i64>>,
    removed: Option<PyReadonlyArray1<'py, i64>>,
    drops: Option<PyReadonlyArray2<'py, f64>>,
    relevant: Option<PyReadonlyArray2<'py, bool>>,
    scores: Option<PyReadonlyArray1<'py, f64>>,
    log_prob: Option<PyReadonlyArray1<'py, f64>>,
    log_prob_after: Option<PyReadonlyArray2<'py, f64>>,
    ks: Option<PyReadonlyArray1<'py, i64>>,
    predictions: Option<PyReadonlyArray2<'py, i64>>,
}

impl Inputs<'_> {
    /// The number of training cases.
    fn n_train(&self) -> PyResult<usize> {
        Ok(match &self.attributions {
            Some(Rows::Array(array)) => array.shape().get(1).copied().unwrap_or(0),
            Some(Rows::Read(_, (_, n_train))) => *n_train,
            None => 0,
        })
    }

    fn subsets(&self, py: Python<'_>) -> PyResult<Option<Subsets>> {
        Ok(match &self.subsets {
            None => None,
            Some(Cases::Mask(mask)) => Some(Subsets::of_mask(mask.as_array())),
            Some(Cases::Lists(lists)) => {
                let lists = lists.iter().map(contiguous);
                Some(Subsets::of_integers(self.n_train()?, lists).or_raise(py)?)
            }
        })
    }

    /// About how many numbers are read.
    fn size(&self) -> usize {
        let of_rows = |rows: &Rows<'_>| match rows {
            Rows::Array(array) => array.size(),
            Rows::Read(_, (n_test, n_train)) => n_test * n_train,
        };
        let of_scores = self.scores.as_ref().map_or(0, |scores| scores.len());
        self.attributions.as_ref().map_or(of_scores, of_rows)
    }

    fn reads(&self) -> bool {
        let reads = |rows: &Option<Rows<'_>>| matches!(rows, Some(Rows::Read(..)));
        reads(&self.attributions) || reads(&self.random_attributions)
    }
}

/// The outcomes of metrics, written as settings, from one reading; `given` are parameters of all of them. Scores of training
/// cases may be derived from the attributions.
#[pyfunction]
#[pyo3(signature = (metrics, given, inputs, n_jobs=None, derives_scores=false))]
fn data_attribution<'py>(
    py: Python<'py>,
    metrics: Vec<String>,
    given: Given,
    inputs: Inputs<'py>,
    n_jobs: Option<i64>,
    derives_scores: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let metrics = metrics.iter().map(|metric| {
        let mut metric = metric.parse::<Setting>().or_raise(py)?;
        metric.params.extend(given.0.iter().cloned());
        Ok(metric)
    });
    let metrics = metrics.collect::<PyResult<Vec<Setting>>>()?;
    let subsets = inputs.subsets(py)?;
    let attributions = Source::of("attributions", inputs.attributions.as_ref(), py)?;
    let random = Source::of(
        "random_attributions",
        inputs.random_attributions.as_ref(),
        py,
    )?;
    let list = |name, array: &Option<PyReadonlyArray1<'_, i64>>| {
        array.as_ref().map(|array| places(name, array)).transpose()
    };
    let (removed, ks) = (list("removed", &inputs.removed)?, list("ks", &inputs.ks)?);

    macro_rules! values {
        ($($name:ident),+) => {
            $(let $name = inputs.$name.as_ref().map(contiguous);)+
        };
    }
    values!(
        train_labels,
        test_classes,
        keep,
        flags,
        targets,
        scores,
        log_prob
    );
    macro_rules! views {
        ($($name:ident),+) => {
            $(let $name = inputs.$name.as_ref().map(|array| array.as_array());)+
        };
    }
    views!(
        outputs,
        logits,
        drops,
        relevant,
        log_prob_after,
        predictions
    );

    let (size, reads) = (inputs.size(), inputs.reads());
    let evaluate = |calls: &Calls| {
        let attributions = attributions.map(|source| source.rows(calls));
        let derived = match &attributions {
            Some(rows) if derives_scores => Some(negative_means(&AttributionData::new(rows))?),
            _ => None,
        };
        let mut data = match &attributions {
            Some(rows) => AttributionData::new(rows),
            None => AttributionData::default(),
        };
        if let Some(source) = random {
            data = data.random_attributions(source.rows(calls));
        }
        macro_rules! set {
            ($($name:ident = $value:expr),+ $(,)?) => {
                $(if let Some(value) = $value { data = data.$name(value); })+
            };
        }
        set!(
            train_labels = &train_labels,
            test_classes = &test_classes,
            keep = &keep,
            flags = &flags,
            subsets = &subsets,
            outputs = outputs,
            logits = logits,
            targets = &targets,
            removed = &removed,
            drops = drops,
            relevant = relevant,
            scores = &scores,
        );
        if let (Some(before), Some(after)) = (&log_prob, log_prob_after) {
            data = data.log_probs(before, after);
        }
        if let (Some(ks), Some(predictions)) = (&ks, predictions) {
            data = data.predictions(ks, predictions);
        }
        if let Some(derived) = &derived {
            data = data.scores(derived);
        }
        evaluate_all(&data, &metrics)
    };
    let (calls, outcomes) = match reads {
        true => work::run_with_calls(py, n_jobs, evaluate)?,
        false => work::run_without_calls(py, n_jobs, size, evaluate)?,
    };
    to_python(py, &calls.outcome(py, outcomes)?)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, casebased_metrics, data_attribution)
}
