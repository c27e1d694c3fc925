//! Reports: from results to `report.json` and its page.

use std::collections::BTreeMap;

use ndarray::{Array2, ArrayD, ArrayView2};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::depythonize;
use xai_attribution::model::Targets;
use xai_attribution::scores::MaskedScores;
use xai_attribution::table::Statistics;
use xai_casebased::Accumulator;
use xai_casebased::data_attribution::AttributionComparison;
use xai_casebased::result::{AuditCases, FeatureComparison};
use xai_core::Activation;
use xai_core::describe::Setting;
use xai_core::error::with_sources;
use xai_counterfactual::registry::find;
use xai_graph::dataset::SweepCurve;
use xai_report::sections::attribution::Attribution;
use xai_report::sections::attribution::gallery::{GalleryChoice, GalleryData, GalleryItem};
use xai_report::sections::casebased::{AuditedData, Casebased};
use xai_report::sections::compared::PerturbedMetric;
use xai_report::sections::counterfactual::{Changes, Counterfactual};
use xai_report::sections::data_attribution::{DataAttribution, KnownCases};
use xai_report::sections::graph::{ExplainerResults, Graph};
use xai_report::sections::regression::Regression;
use xai_report::sections::repro::{Repro, Votes, VotesOfSample};
use xai_report::sections::simulation::Simulation;
use xai_report::{KINDS, Origin, SectionKind, diff, findings, page};
use xai_repro::across_runs::votes;
use xai_repro::study::{AccuracyProfile, StudySummary};
use xai_repro::{RegressionReproducibility, RunInterval, SampleConsistency};

use crate::attribution::{AttributionValues, layout};
use crate::casebased::{AttributionOutcomes, CasebasedAudit};
use crate::counterfactual::{Described, Rows};
use crate::described::Given;
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels, widened};
use crate::repro::{PackedRuns, Study, options};
use crate::stored::{or_none, to_python};
use crate::work;

/// Number of bins of accuracy in the profiles of a simulation study, and number of listed samples on which runs
/// disagree. Both are as in the command line.
const N_BINS: usize = 10;
const N_INCONSISTENT: usize = 10;

/// Classes of training cases, classes of test cases and flags of training cases.
type Known = (Option<Vec<i64>>, Option<Vec<i64>>, Option<Vec<bool>>);

/// A report.
#[pyclass(module = "xai_metrics._native", skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct Report(xai_report::Report);

/// The pictures of the chosen samples of one explainer: inputs, maps, target classes (`None` for rows of weights), base
/// scores and masked scores (NaN if undefined).
type Pictures<'py> = (
    PyReadonlyArrayDyn<'py, f32>,
    PyReadonlyArrayDyn<'py, f32>,
    Option<Vec<i64>>,
    Vec<f64>,
    Vec<f64>,
);

impl Report {
    fn origin(
        &self,
        kind: &SectionKind,
        n_before: usize,
        name: String,
        seed: Option<u64>,
    ) -> Origin {
        Origin {
            seed: seed.unwrap_or(self.0.seed),
            ..Origin::new(kind, n_before + 1, name)
        }
    }
}

#[pymethods]
impl Report {
    #[new]
    fn new(title: &str) -> Self {
        Self(xai_report::Report::new(title))
    }

    /// Reads the bytes of a `report.json`.
    #[staticmethod]
    fn read(json: &[u8]) -> PyResult<Self> {
        let report = xai_report::Report::from_json(json);
        report
            .map(Self)
            .map_err(|e| PyValueError::new_err(with_sources(&e)))
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    /// The text of `report.json`.
    fn json(&self) -> PyResult<String> {
        let json = self.0.to_json();
        json.map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The HTML page.
    fn page(&self, py: Python<'_>) -> String {
        py.detach(|| page(&self.0))
    }

    /// Compares this report with a newer one.
    fn diff<'py>(&self, py: Python<'py>, new: &Self) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &diff(&self.0, &new.0))
    }

    /// Sets the findings, which follow from the numbers of all sections.
    fn find(&mut self) {
        self.0.findings = findings(&self.0);
    }

    /// The samples whose maps the page shows, by explainer; none if no metric has a better direction.
    #[staticmethod]
    fn shown(py: Python<'_>, values: &AttributionValues) -> PyResult<Vec<Vec<usize>>> {
        let statistics = Statistics {
            replicates: 0,
            ..Statistics::default()
        };
        let table = values.values().table(&statistics).or_raise(py)?;
        let choice = GalleryChoice::new(&table);
        let samples = choice.map_or_else(Vec::new, |choice| choice.samples);
        let chosen_samples = |chosen: &Vec<_>| chosen.iter().map(sample).collect();
        Ok(samples.iter().map(chosen_samples).collect())
    }

    /// Adds a table of explainers and metrics. `pictures` are the layout of the inputs, and for each explainer the
    /// pictures of the samples that [`shown`](Self::shown) returns; `judged` are resilience, reactivity and
    /// meta-consistency by metric.
    #[pyo3(signature = (name, values, statistics, activation, remarks, pictures=None, judged=None))]
    #[allow(clippy::too_many_arguments)] // called in one place
    fn add_attribution(
        &mut self,
        py: Python<'_>,
        name: String,
        values: &AttributionValues,
        statistics: (f64, usize, u64),
        activation: &str,
        remarks: Vec<String>,
        pictures: Option<(&str, Vec<Pictures<'_>>)>,
        judged: Option<BTreeMap<String, [Option<f64>; 3]>>,
    ) -> PyResult<()> {
        let statistics = statistics_of(statistics);
        let table = work::run(py, None, || values.values().table(&statistics))?.or_raise(py)?;
        let activation = activation.parse::<Activation>().or_raise(py)?;
        let gallery = match (pictures, GalleryChoice::new(&table)) {
            (Some((layout_name, pictures)), Some(choice)) => {
                let mut items = Vec::new();
                let of_explainers = choice.samples.iter().zip(&table.explainers);
                for ((chosen, explainer), pictures) in of_explainers.zip(pictures) {
                    let (inputs, maps, classes, base, masked) = pictures;
                    let owned = |array: PyReadonlyArrayDyn<'_, f32>| -> ArrayD<f32> {
                        array.as_array().to_owned()
                    };
                    let data = GalleryData {
                        inputs: &owned(inputs),
                        layout: layout(layout_name)?,
                        maps: &owned(maps),
                        targets: &classes.map_or_else(
                            || Targets::Rows(ndarray::Array2::default((0, 0))),
                            Targets::Classes,
                        ),
                        scores: &MaskedScores::new(base, or_none(masked)),
                    };
                    let new_items = GalleryItem::for_explainer(explainer, chosen, data);
                    items.extend(new_items.or_raise(py)?);
                }
                choice.gallery(items)
            }
            _ => None,
        };
        let n_before = self.0.attribution.len();
        let mut origin = self.origin(&Attribution::KIND, n_before, name, Some(statistics.seed));
        origin.remarks = remarks;
        let mut section = Attribution::new(origin, &table, activation, gallery).or_raise(py)?;
        for (metric, [noise_resilience, reactivity, meta_consistency]) in judged.unwrap_or_default()
        {
            let perturbed = PerturbedMetric {
                noise_resilience,
                reactivity,
                meta_consistency,
            };
            section.compared.set_perturbed(&metric, perturbed);
        }
        self.0.attribution.push(section);
        Ok(())
    }

    /// Adds an audit. `cases` are the least supported predictions with their neighbours, `features` the comparisons of
    /// these samples with their neighbours, feature by feature.
    #[allow(clippy::too_many_arguments)] // called in one place
    fn add_casebased(
        &mut self,
        py: Python<'_>,
        name: String,
        audit: &CasebasedAudit,
        cases: &Bound<'_, PyAny>,
        features: &Bound<'_, PyAny>,
        n_train: usize,
        k: usize,
        class_names: BTreeMap<i64, String>,
        columns_used: Vec<String>,
    ) -> PyResult<()> {
        let cases: AuditCases = depythonize(cases)?;
        let features: Vec<Vec<FeatureComparison>> = depythonize(features)?;
        let samples = cases.least_supported.iter().map(|case| case.sample);
        let data = AuditedData {
            n_train,
            k,
            features: samples.zip(features).collect(),
            class_names,
            columns_used,
            columns_left_out: Vec::new(),
        };
        let mut report = audit.audit().finish().or_raise(py)?;
        report.cases = Some(cases);
        let origin = self.origin(&Casebased::KIND, self.0.casebased.len(), name, None);
        let section = Casebased::new(origin, &report, data);
        self.0.casebased.push(section);
        Ok(())
    }

    /// Adds the sweeps of some explainers.
    fn add_graph(&mut self, name: String, sweeps: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<()> {
        let results: PyResult<Vec<_>> = sweeps
            .into_iter()
            .map(|(name, sweep)| {
                let sweep: SweepCurve = depythonize(&sweep)?;
                Ok(ExplainerResults {
                    name,
                    sweep,
                    index: None,
                    ground_truth: None,
                    mask: None,
                    edges: None,
                })
            })
            .collect();
        let origin = self.origin(&Graph::KIND, self.0.graph.len(), name, None);
        self.0.graph.push(Graph::new(origin, results?, 0));
        Ok(())
    }

    /// Adds all pairs of runs. `called` are the names of classes that are not integers, by their numbers.
    #[allow(clippy::too_many_arguments)] // called in one place
    fn add_repro(
        &mut self,
        py: Python<'_>,
        name: String,
        packed: &PackedRuns,
        metrics: Vec<String>,
        given: Given,
        predictions: Labels<'_>,
        labels: Option<Vec<i64>>,
        called: BTreeMap<i64, String>,
        run_names: Vec<String>,
    ) -> PyResult<()> {
        let (metrics, options) = options(py, &metrics, given)?;
        let report = || options.report(&packed.runs, RunInterval::jackknife());
        let report = work::run(py, None, report)?.or_raise(py)?;
        let class = |label: i64| called.get(&label).cloned().unwrap_or(label.to_string());
        let (report, of_samples) = for_labels!(predictions, |view| {
            let view = crate::array::two_axes("predictions", view)?;
            let samples = work::run(py, None, || SampleConsistency::new(view))?.or_raise(py)?;
            let most = samples.most_inconsistent(N_INCONSISTENT).into_iter();
            let of_sample = |sample: usize| VotesOfSample {
                label: (labels.as_ref()).map_or_else(String::new, |labels| class(labels[sample])),
                votes: votes(view, sample)
                    .into_iter()
                    .map(|(label, n)| Votes {
                        class: class(widened(label)),
                        n,
                    })
                    .collect(),
            };
            let of_samples: Vec<_> = most.map(of_sample).collect();
            (report.with_samples(&samples, N_INCONSISTENT), of_samples)
        });
        let origin = self.origin(&Repro::KIND, self.0.repro.len(), name, None);
        let section = Repro::new(origin, &metrics, &report, &of_samples);
        self.0.repro.push(section.with_run_names(run_names));
        Ok(())
    }

    /// Adds all pairs of runs that predict numbers, from their values by metric and the mean absolute errors.
    #[allow(clippy::too_many_arguments)] // the arguments of one call from Python
    fn add_regression(
        &mut self,
        py: Python<'_>,
        name: String,
        n_runs: usize,
        n_samples: usize,
        values: Vec<PyReadonlyArray1<'_, f64>>,
        mean_absolute_error: Vec<f64>,
        run_names: Vec<String>,
    ) -> PyResult<()> {
        let values = values
            .iter()
            .map(|values| or_none(values.as_array().iter().copied()));
        let runs =
            RegressionReproducibility::from_values(n_runs, values.collect(), mean_absolute_error);
        let runs = runs.or_raise(py)?;
        let origin = self.origin(&Regression::KIND, self.0.regression.len(), name, None);
        let section = Regression::new(origin, &runs, n_samples, RunInterval::jackknife());
        let section = section.or_raise(py)?.with_run_names(run_names);
        self.0.regression.push(section);
        Ok(())
    }

    /// Adds a comparison of attributions to training cases. `rows` is a function from numbers of test cases to their
    /// attributions by each explainer; `known` are the classes of training and test cases and flags of training cases.
    #[allow(clippy::too_many_arguments)] // called in one place
    fn add_data_attribution(
        &mut self,
        py: Python<'_>,
        name: String,
        statistics: (f64, usize, u64),
        explainers: Vec<(String, Bound<'_, AttributionOutcomes>)>,
        n_cases: (usize, usize),
        remarks: Vec<String>,
        rows: &Bound<'_, PyAny>,
        known: Known,
        class_names: BTreeMap<i64, String>,
    ) -> PyResult<()> {
        let metrics = match explainers.first() {
            Some((_, first)) => first.get().metrics.clone(),
            None => Vec::new(),
        };
        let names: Vec<&str> = explainers.iter().map(|(name, _)| name.as_str()).collect();
        let outcomes = explainers.iter().map(|(_, of)| of.get().outcomes.clone());
        let comparison = AttributionComparison::new(&names, &metrics, outcomes.collect());
        let comparison = comparison.or_raise(py)?;
        let statistics = statistics_of(statistics);
        let table = work::run(py, None, || comparison.values.table(&statistics))?.or_raise(py)?;
        let n_before = self.0.data_attribution.len();
        let seed = Some(statistics.seed);
        let mut origin = self.origin(&DataAttribution::KIND, n_before, name, seed);
        origin.remarks = remarks;
        let section = DataAttribution::new(origin, &comparison, &table, n_cases);
        let mut section = section.or_raise(py)?;
        let samples = DataAttribution::shown(&table, n_cases.0);
        let arrays: Vec<PyReadonlyArray2<'_, f64>> = rows.call1((samples.clone(),))?.extract()?;
        let arrays: Vec<Array2<f64>> = arrays.iter().map(|of| of.as_array().to_owned()).collect();
        let known = KnownCases {
            train_labels: known.0.as_deref(),
            test_classes: known.1.as_deref(),
            flags: known.2.as_deref(),
            class_names: Some(&class_names),
        };
        section.show(&samples, &arrays, known);
        self.0.data_attribution.push(section);
        Ok(())
    }

    /// Adds a comparison of counterfactuals. `columns` are the names of the columns, with the names of their
    /// categories.
    #[allow(clippy::too_many_arguments)] // called in one place
    fn add_counterfactual(
        &mut self,
        py: Python<'_>,
        name: String,
        values: &AttributionValues,
        statistics: (f64, usize, u64),
        success: Vec<Option<f64>>,
        remarks: Vec<String>,
        schema: Described,
        queries: PyReadonlyArray2<'_, f64>,
        methods: Vec<Rows<'_>>,
        columns: Vec<(String, Option<Vec<String>>)>,
    ) -> PyResult<()> {
        let mut values = values.values().clone();
        for metric in &mut values.metrics {
            let setting = metric.metric.parse::<Setting>().or_raise(py)?;
            let entry = find(&setting.name).or_raise(py)?;
            metric.info = Some(entry.info);
        }
        let statistics = statistics_of(statistics);
        let table = work::run(py, None, || values.table(&statistics))?.or_raise(py)?;
        let n_before = self.0.counterfactual.len();
        let seed = Some(statistics.seed);
        let mut origin = self.origin(&Counterfactual::KIND, n_before, name, seed);
        origin.remarks = remarks;
        let mut section = Counterfactual::new(origin, &table, success).or_raise(py)?;
        let rows: Vec<(ArrayView2<'_, f64>, &[usize])> = methods
            .iter()
            .map(|Rows(rows, query)| (rows.as_array(), query.as_slice()))
            .collect();
        let (columns, categories): (Vec<String>, Vec<_>) = columns.into_iter().unzip();
        let changes = Changes {
            schema: &schema.0,
            queries: queries.as_array(),
            methods: &rows,
            columns: &columns,
            categories: &categories,
        };
        let shown = Counterfactual::shown(&table);
        section.add_changes(&changes, &shown).or_raise(py)?;
        self.0.counterfactual.push(section);
        Ok(())
    }

    /// Adds a simulation study.
    fn add_simulation(&mut self, py: Python<'_>, name: String, study: &Study) -> PyResult<()> {
        let summary = work::run(py, None, || StudySummary::new(&study.draws))?.or_raise(py)?;
        let profiles = AccuracyProfile::per_metric(&study.draws, N_BINS).or_raise(py)?;
        let origin = self.origin(&Simulation::KIND, self.0.simulation.len(), name, None);
        let section = Simulation::new(origin, &summary, &profiles);
        self.0.simulation.push(section);
        Ok(())
    }
}

fn statistics_of((level, replicates, seed): (f64, usize, u64)) -> Statistics {
    Statistics {
        level,
        replicates,
        seed,
    }
}

fn sample(chosen: &xai_report::sections::attribution::gallery::ChosenSample) -> usize {
    chosen.sample
}

/// Keys of the kinds of sections, in the order of the page.
#[pyfunction]
fn section_kinds() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.key).collect()
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Report>()?;
    add_functions!(module, section_kinds)
}
