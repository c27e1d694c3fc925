//! The functions of `xai_metrics.reliability`.

use ndarray::{ArrayView1, ArrayView2, s};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyReadonlyArray4};
use pyo3::prelude::*;
use xai_core::describe::parse;
use xai_core::reliability::{
    self, Draws, MetaEvaluation, PerturbationKind, PerturbedValues, RankedValues, RatingLevel,
};
use xai_core::{Direction, Error, Input, Result, input};

use crate::error::OrRaise;
use crate::stored::{or_none, to_python};
use crate::work;

/// Name of the unperturbed values in the Python functions that compare them with perturbed ones.
const Q: Input = Input::new("q");

type Rows = Vec<Vec<Option<f64>>>;

/// A row for each explainer; NaN is undefined.
fn rows(values: ArrayView2<'_, f64>) -> Rows {
    let row = |row: ArrayView1<'_, f64>| or_none(row.iter().copied());
    values.outer_iter().map(row).collect()
}

fn flags(keep: ArrayView1<'_, bool>) -> Vec<bool> {
    keep.iter().copied().collect()
}

/// Parses a direction; `None` means no better end.
fn direction(py: Python<'_>, of: Input, word: Option<&str>) -> PyResult<Direction> {
    match word {
        Some("higher") => Ok(Direction::Higher),
        Some("lower") => Ok(Direction::Lower),
        Some("none") | None => Ok(Direction::None),
        Some(other) => Err(Error::parameter(of, other, "higher, lower or none")).or_raise(py),
    }
}

/// Judges some values without the interpreter lock. Errors about the values use `name`, the name of the Python
/// argument.
fn judged<'py, R: serde::Serialize + Send>(
    py: Python<'py>,
    n_jobs: Option<i64>,
    size: usize,
    name: Input,
    judge: impl FnOnce() -> Result<R> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let result = work::run_sized(py, n_jobs, size, judge)?
        .map_err(|error| error.renamed(input::VALUES, name));
    to_python(py, &result.or_raise(py)?)
}

#[pyfunction]
fn reliability_intra_consistency<'py>(
    py: Python<'py>,
    q: PyReadonlyArray1<'py, f64>,
    perturbed: PyReadonlyArray1<'py, f64>,
    keep: Option<PyReadonlyArray1<'py, bool>>,
    kind: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let kind: PerturbationKind = parse(input::KIND, kind).or_raise(py)?;
    let q = or_none(q.as_array().iter().copied());
    let values = or_none(perturbed.as_array().iter().copied());
    let keep = keep.map(|keep| flags(keep.as_array()));
    judged(py, None, q.len(), Q, || {
        let (values, keep) = (&values[..], keep.as_deref());
        reliability::intra_consistency(&q, &PerturbedValues { kind, values, keep })
    })
}

#[pyfunction]
fn reliability_inter_consistency<'py>(
    py: Python<'py>,
    q: PyReadonlyArray2<'py, f64>,
    perturbed: PyReadonlyArray2<'py, f64>,
    keep: Option<PyReadonlyArray1<'py, bool>>,
    kind: &str,
    better: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind: PerturbationKind = parse(input::KIND, kind).or_raise(py)?;
    let better = direction(py, input::DIRECTION, better)?;
    let size = q.as_array().len();
    let (q, values) = (rows(q.as_array()), rows(perturbed.as_array()));
    let keep = keep.map(|keep| flags(keep.as_array()));
    judged(py, None, size, Q, || {
        let (values, keep) = (&values[..], keep.as_deref());
        reliability::inter_consistency(&q, better, &PerturbedValues { kind, values, keep })
    })
}

/// Values (iterations, perturbations, explainers, samples), and which samples count (iterations, perturbations,
/// samples), whose shape Python has checked.
type Perturbations<'py> = (
    PyReadonlyArray4<'py, f64>,
    Option<PyReadonlyArray3<'py, bool>>,
);

#[pyfunction]
fn reliability_meta_consistency<'py>(
    py: Python<'py>,
    q: PyReadonlyArray2<'py, f64>,
    minor: Perturbations<'py>,
    disruptive: Perturbations<'py>,
    better: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let better = direction(py, input::DIRECTION, better)?;
    let q = rows(q.as_array());
    let kinds = [
        (PerturbationKind::Minor, Input::new("minor"), &minor),
        (
            PerturbationKind::Disruptive,
            Input::new("disruptive"),
            &disruptive,
        ),
    ]
    .map(|(kind, name, (values, keep))| {
        let keep = keep.as_ref().map(|keep| keep.as_array());
        (kind, name, values.as_array(), keep)
    });
    let size = kinds.iter().map(|(_, _, values, _)| values.len()).sum();
    judged(py, None, size, Q, || {
        let mut meta = MetaEvaluation::new(&q, better)?;
        for (kind, name, values, keep) in kinds {
            for (t, iteration) in values.outer_iter().enumerate() {
                for (k, perturbed) in iteration.outer_iter().enumerate() {
                    let values = &rows(perturbed)[..];
                    let kept = keep.map(|keep| keep.slice(s![t, k, ..]).to_vec());
                    let keep = kept.as_deref();
                    let added = meta.add(t, &PerturbedValues { kind, values, keep });
                    added.map_err(|error| {
                        let index = [&[t, k], error.index()].concat();
                        error.at(&index).renamed(input::PERTURBED, name)
                    })?;
                }
            }
        }
        Ok(meta.finish())
    })
}

#[pyfunction]
fn reliability_krippendorff_alpha<'py>(
    py: Python<'py>,
    ratings: PyReadonlyArray2<'py, f64>,
    level: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let level: RatingLevel = parse(input::LEVEL, level).or_raise(py)?;
    let ratings = rows(ratings.as_array());
    let size = ratings.iter().map(Vec::len).sum();
    judged(py, None, size, input::RATINGS, || {
        reliability::krippendorff_alpha(&ratings, level)
    })
}

#[pyfunction]
fn reliability_kendall_w<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let scores = rows(scores.as_array());
    let size = scores.iter().map(Vec::len).sum();
    judged(py, None, size, input::SCORES, || {
        reliability::kendall_w(&scores)
    })
}

#[pyfunction]
#[pyo3(signature = (scores, n_jobs=None))]
fn reliability_inter_method<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let scores = rows(scores.as_array());
    let size = scores.iter().map(Vec::len).sum();
    judged(py, n_jobs, size, input::SCORES, || {
        let ranked = RankedValues::new(&scores, Direction::None)?;
        reliability::inter_method_reliability(&ranked)
    })
}

#[pyfunction]
#[pyo3(signature = (a, b, n_jobs=None))]
fn reliability_internal_consistency<'py>(
    py: Python<'py>,
    a: (PyReadonlyArray2<'py, f64>, String),
    b: (PyReadonlyArray2<'py, f64>, String),
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let better_a = direction(py, Input::new("direction_a"), Some(&a.1))?;
    let better_b = direction(py, Input::new("direction_b"), Some(&b.1))?;
    let (a, b) = (rows(a.0.as_array()), rows(b.0.as_array()));
    let size = a.iter().map(Vec::len).sum();
    judged(py, n_jobs, size, Input::new("metric_b"), || {
        let ranked_a = RankedValues::new(&a, better_a)
            .map_err(|error| error.renamed(input::VALUES, Input::new("metric_a")))?;
        let ranked_b = RankedValues::new(&b, better_b)?;
        reliability::internal_consistency_reliability(&ranked_a, &ranked_b)
    })
}

#[pyfunction]
#[pyo3(signature = (scores, better, draws, n_draws, seed, n_jobs=None))]
fn reliability_rank_stability<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray2<'py, f64>,
    better: &str,
    draws: Option<Vec<Vec<usize>>>,
    n_draws: usize,
    seed: u64,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let better = direction(py, input::DIRECTION, Some(better))?;
    let scores = rows(scores.as_array());
    let drawn = match &draws {
        Some(draws) => Draws::Indices(draws),
        None => Draws::Seeded { n_draws, seed },
    };
    let size = scores.iter().map(Vec::len).sum::<usize>();
    judged(
        py,
        n_jobs,
        size.saturating_mul(n_draws),
        input::SCORES,
        || reliability::rank_stability(&scores, better, drawn),
    )
}

#[pyfunction]
fn reliability_parameter_sensitivity<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray3<'py, f64>,
    better: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let better = direction(py, input::DIRECTION, Some(better))?;
    let size = scores.as_array().len();
    let settings: Vec<Rows> = scores.as_array().outer_iter().map(rows).collect();
    judged(py, None, size, input::SCORES, || {
        let result = reliability::parameter_sensitivity(&settings, better);
        result.map_err(|error| error.renamed(input::SETTINGS, input::SCORES))
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        reliability_intra_consistency,
        reliability_inter_consistency,
        reliability_meta_consistency,
        reliability_krippendorff_alpha,
        reliability_kendall_w,
        reliability_inter_method,
        reliability_internal_consistency,
        reliability_rank_stability,
        reliability_parameter_sensitivity,
    )
}
