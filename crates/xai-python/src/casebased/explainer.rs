//! A fitted explainer.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use xai_casebased::{Aggregate, CaseExplainer, CaseOptions, Kernel, SaveOptions};

use crate::array::{Reals, contiguous, for_precision, two_axes};
use crate::casebased::arrays::{Answer, answer};
use crate::casebased::choices::{Choices, read};
use crate::casebased::given::{GivenArray, with};
use crate::described::Given;
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work::{run, run_sized};

/// The training rows, scaled and indexed.
#[pyclass(frozen, module = "xai_metrics._native")]
pub(crate) struct CasebasedExplainer {
    explainer: CaseExplainer,
}

/// The means and the divisors of the features.
type Scaling<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl CasebasedExplainer {
    /// Fits `(n, d)` rows and their classes.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by name")]
    fn fit(
        py: Python<'_>,
        rows: Reals<'_>,
        labels: PyReadonlyArray1<'_, i64>,
        chosen: Given,
        choices: &Bound<'_, PyAny>,
        covariance: Option<PyReadonlyArray2<'_, f64>>,
        given: Option<GivenArray<'_>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let choices: Choices = read("choices", choices)?;
        let builder = choices.builder(py, chosen, covariance.as_ref())?;
        let labels = contiguous(&labels);
        let given = given.map(|given| given.to_owned());
        let fitted = for_precision!(rows, |view| {
            let view = two_axes("X_train", view)?;
            run(py, n_jobs, || with(given, || builder.fit(view, &labels)))?
        });
        let explainer = fitted.or_raise(py)?;
        Ok(Self { explainer })
    }

    /// Reads what [`save`](Self::save) wrote.
    #[staticmethod]
    fn load(py: Python<'_>, stored: &[u8], n_jobs: Option<i64>) -> PyResult<Self> {
        let loaded = run(py, n_jobs, || CaseExplainer::load(stored))?;
        let explainer = loaded.or_raise(py)?;
        Ok(Self { explainer })
    }

    /// Everything that the explainer was fitted to, in the format of the Rust library; redacted columns only with
    /// `store_redacted`.
    #[pyo3(signature = (store_redacted=false))]
    fn save<'py>(&self, py: Python<'py>, store_redacted: bool) -> PyResult<Bound<'py, PyBytes>> {
        let mut stored = Vec::new();
        let options = SaveOptions::new().store_redacted(store_redacted);
        py.detach(|| self.explainer.save_with(&mut stored, options))
            .or_raise(py)?;
        Ok(PyBytes::new(py, &stored))
    }

    /// The neighbours of samples and their correspondence; `predicted` is missing for a vote.
    #[expect(clippy::too_many_arguments, reason = "Python calls it by name")]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        samples: Reals<'py>,
        predicted: Option<PyReadonlyArray1<'py, i64>>,
        k: Option<usize>,
        kernel: Option<&Bound<'py, PyAny>>,
        given: Option<GivenArray<'py>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Answer<'py>> {
        let kernel: Option<Kernel> = kernel.map(|kernel| read("weighting", kernel)).transpose()?;
        let predicted = predicted.as_ref().map(contiguous);
        let mut options = CaseOptions::new();
        if let Some(predicted) = &predicted {
            options = options.predicted(predicted);
        }
        if let Some(k) = k {
            options = options.k(k);
        }
        if let Some(kernel) = kernel {
            options = options.weighting(kernel);
        }
        let given = given.map(|given| given.to_owned());
        let explainer = &self.explainer;
        let found = for_precision!(samples, |view| {
            let view = two_axes("samples", view)?;
            // A multiplication is cheap: 64 of them count as one element.
            let size = view.len() * explainer.labels().len() / 64;
            run_sized(py, n_jobs, size, || {
                with(given, || explainer.case_arrays(view, options))
            })?
        });
        Ok(answer(py, found.or_raise(py)?))
    }

    /// Returns the weights of all training rows for samples, `(m, n_train)`.
    fn attributions<'py>(
        &self,
        py: Python<'py>,
        samples: Reals<'py>,
        predicted: PyReadonlyArray1<'py, i64>,
        signed: bool,
        given: Option<GivenArray<'py>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let predicted = contiguous(&predicted);
        let given = given.map(|given| given.to_owned());
        let explainer = &self.explainer;
        let weights = for_precision!(samples, |view| {
            let view = two_axes("samples", view)?;
            let weights = || {
                let rows = explainer.attributions(view, &predicted)?;
                if signed { rows } else { rows.unsigned() }.to_array()
            };
            let size = view.nrows() * explainer.labels().len();
            run_sized(py, n_jobs, size, || with(given, weights))?
        });
        Ok(weights.or_raise(py)?.into_pyarray(py))
    }

    /// Returns, for each sample, a dictionary of statistics that show no training row, or `None` if they are withheld.
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        samples: Reals<'py>,
        predicted: Option<PyReadonlyArray1<'py, i64>>,
        given: Option<GivenArray<'py>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let predicted = predicted.as_ref().map(contiguous);
        let given = given.map(|given| given.to_owned());
        let explainer = &self.explainer;
        let released = for_precision!(samples, |view| {
            let view = two_axes("samples", view)?;
            run(py, n_jobs, || {
                with(given, || explainer.aggregate(view, predicted.as_deref()))
            })?
        })
        .or_raise(py)?
        .into_iter();
        let one = |aggregate: Aggregate| {
            let described = aggregate.released().map(|released| to_python(py, released));
            described.transpose()
        };
        released.map(one).collect()
    }

    /// Compares the features of each sample with those of its neighbours.
    fn compare_features<'py>(
        &self,
        py: Python<'py>,
        samples: Reals<'py>,
        predicted: Option<PyReadonlyArray1<'py, i64>>,
        given: Option<GivenArray<'py>>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let predicted = predicted.as_ref().map(contiguous);
        let given = given.map(|given| given.to_owned());
        let explainer = &self.explainer;
        let compared = for_precision!(samples, |view| {
            let view = two_axes("samples", view)?;
            run(py, n_jobs, || {
                let explanations = with(given, || match &predicted {
                    Some(predicted) => explainer.explain_batch(view, predicted),
                    None => explainer.explain_votes(view),
                })?;
                explainer.compare_features(&explanations, view)
            })?
        });
        to_python(py, &compared.or_raise(py)?)
    }

    /// Returns the metadata columns of the training rows that may be shown.
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let shown: Vec<_> = self.explainer.shown_metadata().or_raise(py)?.collect();
        to_python(py, &shown)
    }

    /// Returns the class weights.
    fn class_weights(&self) -> Vec<(i64, f64)> {
        self.explainer.class_weights().to_vec()
    }

    /// Returns the data and options that the explainer was fitted with.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.explainer.training_info())
    }

    /// The engine that searches.
    fn engine(&self) -> String {
        self.explainer.training_info().engine.to_string()
    }

    /// The names of the features that explanations show.
    fn feature_names(&self) -> Vec<String> {
        self.explainer.feature_names().to_vec()
    }

    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.explainer.labels().to_pyarray(py)
    }

    /// The `(n, d)` training rows.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(self.explainer.training_rows().or_raise(py)?.to_pyarray(py))
    }

    /// The features that explanations show of some training rows.
    fn shown_features<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows: Vec<usize> = rows
            .as_array()
            .iter()
            .map(|&row| usize::try_from(row).unwrap_or(usize::MAX))
            .collect();
        let features: Array2<f64> = self.explainer.shown_features(&rows).or_raise(py)?;
        Ok(features.into_pyarray(py))
    }

    /// Returns the standardisation of the features, if there is one.
    fn scaling<'py>(&self, py: Python<'py>) -> PyResult<Option<Scaling<'py>>> {
        let scaling = self.explainer.standardization().or_raise(py)?;
        Ok(scaling.map(|scaling| (scaling.mean.to_pyarray(py), scaling.scale.to_pyarray(py))))
    }
}
