//! Accumulators of graph metrics, which are updated with batches of samples or with graphs.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};
use xai_graph::dataset::{MicroInterval, micro_intervals};
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::GroundTruthAccumulator;
use xai_graph::unfaithfulness::UnfaithfulnessAccumulator;
use xai_graph::{Accumulator, GroundTruthMetric, OverGraphs, UnfaithfulnessMetric};

use crate::array::{Reals, different_precision, one_axis, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::graph::answers::Answers;
use crate::graph::curves;
use crate::graph::fidelity::{update, update_probabilities};
use crate::stored::{from_bytes, to_bytes, to_python};
use crate::work;

/// State of a metric over samples, or over graphs, where the mean with equal weight for each graph is computed, too.
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    clippy::large_enum_variant,
    reason = "there are few, and they are not moved"
)]
enum State {
    Fidelity(FidelityAccumulator),
    Unfaithfulness(UnfaithfulnessAccumulator<f64>),
    SingleTruth(GroundTruthAccumulator<f32>),
    DoubleTruth(GroundTruthAccumulator<f64>),
    FidelityOverGraphs(OverGraphs<FidelityAccumulator>),
    UnfaithfulnessOverGraphs(OverGraphs<UnfaithfulnessAccumulator<f64>>),
    SingleTruthOverGraphs(OverGraphs<GroundTruthAccumulator<f32>>),
    DoubleTruthOverGraphs(OverGraphs<GroundTruthAccumulator<f64>>),
}

/// Evaluates an expression with a state of any kind, or of the named kinds; an error for other kinds.
macro_rules! of_kind {
    ($state:expr, [$($kind:ident)+], |$inner:ident| $body:expr) => {
        match $state {
            $(State::$kind($inner) => $body,)+
            _ => return Err(another_metric()),
        }
    };
    ($state:expr, |$inner:ident| $body:expr) => {
        match $state {
            State::Fidelity($inner) => $body,
            State::Unfaithfulness($inner) => $body,
            State::SingleTruth($inner) => $body,
            State::DoubleTruth($inner) => $body,
            State::FidelityOverGraphs($inner) => $body,
            State::UnfaithfulnessOverGraphs($inner) => $body,
            State::SingleTruthOverGraphs($inner) => $body,
            State::DoubleTruthOverGraphs($inner) => $body,
        }
    };
}

/// Merges two states of the same kind; an error for states of different kinds.
macro_rules! merged {
    ($state:expr, $other:expr, $($kind:ident)+) => {
        match ($state, $other) {
            $((State::$kind(state), State::$kind(other)) => state.merge(other),)+
            _ => {
                let what = "merged state: one of another metric, or of scores in another precision";
                return Err(PyValueError::new_err(what));
            }
        }
    };
}

#[pyclass(module = "xai_metrics._native", name = "GraphState")]
pub(crate) struct GraphState {
    state: State,
}

fn another_metric() -> PyErr {
    PyTypeError::new_err("a state of another metric")
}

#[pymethods]
impl GraphState {
    #[staticmethod]
    fn fidelity(over_graphs: bool) -> Self {
        let empty = FidelityAccumulator::new();
        let state = if over_graphs {
            State::FidelityOverGraphs(OverGraphs::new(empty))
        } else {
            State::Fidelity(empty)
        };
        Self { state }
    }

    #[staticmethod]
    fn unfaithfulness(py: Python<'_>, reading: Given, over_graphs: bool) -> PyResult<Self> {
        let metric: UnfaithfulnessMetric<'_> = reading.build(py)?;
        let empty = metric.accumulator();
        let state = if over_graphs {
            State::UnfaithfulnessOverGraphs(OverGraphs::new(empty))
        } else {
            State::Unfaithfulness(empty)
        };
        Ok(Self { state })
    }

    #[staticmethod]
    fn ground_truth(
        py: Python<'_>,
        choices: Given,
        single: bool,
        over_graphs: bool,
    ) -> PyResult<Self> {
        let metric: GroundTruthMetric = choices.build(py)?;
        macro_rules! empty {
            ($alone:ident, $over_graphs:ident) => {{
                let empty = metric.accumulator().or_raise(py)?;
                if over_graphs {
                    State::$over_graphs(OverGraphs::new(empty))
                } else {
                    State::$alone(empty)
                }
            }};
        }
        let state = if single {
            empty!(SingleTruth, SingleTruthOverGraphs)
        } else {
            empty!(DoubleTruth, DoubleTruthOverGraphs)
        };
        Ok(Self { state })
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let state = from_bytes(bytes)?;
        Ok(Self { state })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.state)
    }

    #[pyo3(signature = (full, kept, complement, target=None, index=None, n_jobs=None))]
    #[allow(clippy::too_many_arguments)] // those of the function that users call
    fn update_fidelity<'py>(
        &mut self,
        py: Python<'py>,
        full: Answers<'py>,
        kept: Answers<'py>,
        complement: Answers<'py>,
        target: Option<Answers<'py>>,
        index: Option<PyReadonlyArray1<'py, i64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        let answers = [&full, &kept, &complement];
        let target = target.as_ref();
        of_kind!(&mut self.state, [Fidelity FidelityOverGraphs], |state| {
            update(py, answers, target, index, n_jobs, |batch| state.update(batch))
        })
    }

    #[pyo3(signature = (full, kept, complement, returns, target=None, index=None, n_jobs=None))]
    #[allow(clippy::too_many_arguments)] // those of the function that users call
    fn update_probabilities<'py>(
        &mut self,
        py: Python<'py>,
        full: Reals<'py>,
        kept: Reals<'py>,
        complement: Reals<'py>,
        returns: &str,
        target: Option<Answers<'py>>,
        index: Option<PyReadonlyArray1<'py, i64>>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        let State::Fidelity(state) = &mut self.state else {
            return Err(another_metric());
        };
        let outputs = [&full, &kept, &complement];
        update_probabilities(py, state, outputs, returns, target.as_ref(), index, n_jobs)
    }

    /// Outputs in double precision.
    #[pyo3(signature = (full, kept, n_jobs=None))]
    fn update_unfaithfulness(
        &mut self,
        py: Python<'_>,
        full: Reals<'_>,
        kept: Reals<'_>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        let (Reals::Double(full), Reals::Double(kept)) = (&full, &kept) else {
            return Err(different_precision());
        };
        let full = two_axes("full", full.as_array())?;
        let kept = two_axes("kept", kept.as_array())?;
        of_kind!(&mut self.state, [Unfaithfulness UnfaithfulnessOverGraphs], |state| {
            let update = || state.update((full, kept));
            work::run_sized(py, n_jobs, full.len(), update)?.or_raise(py)
        })
    }

    /// Scores and truth in the precision that the state was made for.
    #[pyo3(signature = (predicted, target, n_jobs=None))]
    fn update_ground_truth(
        &mut self,
        py: Python<'_>,
        predicted: Reals<'_>,
        target: Reals<'_>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        macro_rules! update {
            ($predicted:expr, $target:expr, $kinds:tt) => {{
                let predicted = one_axis("predicted", $predicted.as_array())?;
                let target = one_axis("target", $target.as_array())?;
                of_kind!(&mut self.state, $kinds, |state| {
                    let update = || state.update((predicted, target));
                    work::run_sized(py, n_jobs, predicted.len(), update)?.or_raise(py)
                })
            }};
        }
        match (&predicted, &target) {
            (Reals::Single(p), Reals::Single(t)) => {
                update!(p, t, [SingleTruth SingleTruthOverGraphs])
            }
            (Reals::Double(p), Reals::Double(t)) => {
                update!(p, t, [DoubleTruth DoubleTruthOverGraphs])
            }
            _ => Err(another_metric()),
        }
    }

    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        merged!(
            &mut self.state,
            other.state.clone(),
            Fidelity Unfaithfulness SingleTruth DoubleTruth FidelityOverGraphs
            UnfaithfulnessOverGraphs SingleTruthOverGraphs DoubleTruthOverGraphs
        )
        .or_raise(py)
    }

    /// The result so far, as a dictionary.
    #[pyo3(signature = (n_jobs=None))]
    fn finish<'py>(&self, py: Python<'py>, n_jobs: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        // Only a few divisions, which are not worth waking threads.
        if let State::Fidelity(state) = &self.state {
            return to_python(py, &state.finish().or_raise(py)?);
        }
        of_kind!(&self.state, |state| {
            let result = work::run(py, n_jobs, || state.finish())?;
            to_python(py, &result.or_raise(py)?)
        })
    }

    /// The curves of all scores together.
    #[pyo3(signature = (n_points=None, n_jobs=None))]
    fn curves<'py>(
        &self,
        py: Python<'py>,
        n_points: Option<usize>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let both = of_kind!(&self.state, [SingleTruth DoubleTruth], |state| {
            work::run(py, n_jobs, || state.clone().curves())?
        });
        curves::described(py, both.or_raise(py)?, n_points)
    }
}

/// Intervals over graphs of the scores of all rows together, from the state of each graph.
#[pyfunction]
#[pyo3(signature = (states, n_jobs=None))]
pub(super) fn graph_micro_intervals<'py>(
    py: Python<'py>,
    states: Vec<PyRef<'py, GraphState>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! intervals {
        ($($kind:ident)+) => {
            match states.first().map(|first| &first.state) {
                None => work::run(py, n_jobs, || micro_intervals::<FidelityAccumulator>(&[]))?,
                $(Some(State::$kind(_)) => {
                    let states: Vec<_> = states.iter().map(|state| match &state.state {
                        State::$kind(state) => Ok(state.clone()),
                        _ => Err(another_metric()),
                    }).collect::<PyResult<_>>()?;
                    work::run(py, n_jobs, || micro_intervals(&states))?
                })+
                Some(_) => return Err(another_metric()),
            }
        };
    }
    let intervals: xai_core::Result<Vec<MicroInterval>> =
        intervals!(Fidelity Unfaithfulness SingleTruth DoubleTruth);
    to_python(py, &intervals.or_raise(py)?)
}
