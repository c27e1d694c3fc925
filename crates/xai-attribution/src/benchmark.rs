//! Evaluation of many metrics and explainers together.

use xai_core::evaluation::{PooledValue, check_names, check_size, parameter_settings};
use xai_core::{Real, Result};

use crate::batch::data::{CheckedData, ExplainerData};
use crate::metric::{CombinedValues, Measure, key};
use crate::model::{Counted, Explainer, IntoTargets, Model, Samples, Scoring};
use crate::run::evaluation_run::EvaluationRun;
use crate::side::SideInput;
use crate::table::{EvaluationTable, EvaluationValues, MetricValues, Statistics};
use crate::{Evaluate, EvaluationData, EvaluationError, PlannedRows, help, input};

/// Evaluates all metrics of all explainers without repeating a model call.
///
/// Samples are visited batch by batch. For each batch, every model score is computed once and shared by all metrics
/// that read it: base scores by everything, masked scores by Average Drop, Increase and Gain, scores of the baseline
/// by Deletion and Insertion of all explainers, drops of random subsets by μFidelity of all explainers, and [the work
/// that your own metrics share](crate::batch). Inputs and maps are read once, and once more or in blocks by metrics and
/// baselines that use all samples; for data larger than memory see [`Samples`]. The scoring settings ([`Evaluate`])
/// apply to all metrics.
///
/// A `Benchmark` is not `Send`: in an async program, build and evaluate it inside of `spawn_blocking`, and move only
/// the model, inputs and maps into the closure. The table is `Send`.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Benchmark, metric::{AverageDrop, AverageGain, AverageIncrease}};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]];
/// let good = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
/// let bad = array![[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
/// let table = Benchmark::new(&model, inputs.view(), &[0, 1, 0])
///     .maps("good", good.view())
///     .maps("bad", bad.view())
///     .metric(AverageDrop::default())
///     .metric(AverageIncrease::default())
///     .metric(AverageGain::default())
///     .evaluate()?;
/// assert!(table.result("good", "average_drop").unwrap().value.unwrap() < 1e-7);
/// assert_eq!(table.metric("average_drop").unwrap().ranking, [0, 1]);
/// assert_eq!(table.model_calls.rows, 3 + 2 * 3); // each input once, each masked input once
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub struct Benchmark<'a, T> {
    data: EvaluationData<'a, T>,
    explained: Vec<ExplainerData<'a, T>>,
    metrics: Vec<(String, Box<dyn Measure<T> + 'a>)>,
    statistics: Statistics,
    curves: bool,
    planned: Box<dyn Fn(&PlannedRows) + Sync + 'a>,
    progress: Box<dyn Fn(usize) + Sync + 'a>,
    pairs: Box<dyn Fn(u64, u64) + Sync + 'a>,
}

impl<T: Real> std::fmt::Debug for Benchmark<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.metrics.iter().map(|(name, _)| &**name).collect();
        f.debug_struct("Benchmark")
            .field("data", &self.data)
            .field("metrics", &names)
            .finish_non_exhaustive()
    }
}

impl<T: Real> Evaluate for Benchmark<'_, T> {
    type Configured = Self;
    type Subject = Self;

    fn configure(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        self.data = self.data.configure(change);
        self
    }

    fn subject(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

impl<'a, T: Real> Benchmark<'a, T> {
    /// Creates an evaluation of explainers of a model on some inputs. `targets` are class indices `(n,)` or rows `(n,
    /// n_outputs)`.
    ///
    /// Inputs and maps may be views or owned arrays. To own the model as well, use [`on`](Self::on) with
    /// [`EvaluationData::owned_model`].
    #[must_use]
    pub fn new<M: Model<T> + ?Sized>(
        model: &'a M,
        inputs: impl Samples<T> + 'a,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Self {
        Self::on(EvaluationData::new(inputs, targets).model(model))
    }

    /// Creates an evaluation on some data, without a model for metrics that need none. Maps and explainer of the data
    /// itself are not evaluated: add them under a name with the setters below.
    #[must_use]
    pub fn on(data: EvaluationData<'a, T>) -> Self {
        Self {
            data,
            explained: Vec::new(),
            metrics: Vec::new(),
            statistics: Statistics::default(),
            curves: false,
            planned: Box::new(|_| {}),
            progress: Box::new(|_| {}),
            pairs: Box::new(|_, _| {}),
        }
    }

    /// Adds an explainer by its maps of all samples.
    #[must_use]
    pub fn maps(self, name: impl Into<String>, maps: impl Samples<T> + 'a) -> Self {
        self.add(name, Some(Box::new(maps)), None)
    }

    /// Adds an explainer that computes its maps batch by batch, and is called again by metrics that need it.
    #[must_use]
    pub fn explainer<X: Explainer<T> + ?Sized>(
        self,
        name: impl Into<String>,
        explainer: &'a X,
    ) -> Self {
        self.add(name, None, Some(ExplainerData::borrow(explainer)))
    }

    /// Adds an explainer that the evaluation owns, see [`explainer`](Self::explainer).
    #[must_use]
    pub fn owned_explainer(
        self,
        name: impl Into<String>,
        explainer: impl Explainer<T> + 'a,
    ) -> Self {
        self.add(name, None, Some(Box::new(explainer)))
    }

    /// Adds an explainer with existing maps of all samples. It is only called by metrics that need it.
    #[must_use]
    pub fn maps_and_explainer<X: Explainer<T> + ?Sized>(
        self,
        name: impl Into<String>,
        maps: impl Samples<T> + 'a,
        explainer: &'a X,
    ) -> Self {
        let explainer = ExplainerData::borrow(explainer);
        self.add(name, Some(Box::new(maps)), Some(explainer))
    }

    fn add(
        mut self,
        name: impl Into<String>,
        maps: Option<Box<dyn Samples<T> + 'a>>,
        explainer: Option<Box<dyn Explainer<T> + 'a>>,
    ) -> Self {
        if explainer.is_some() {
            self.data = self.data.calling_explainers();
        }
        self.explained.push(ExplainerData {
            name: Some(name.into()),
            maps,
            explainer,
        });
        self
    }

    /// Adds a further input for metrics that need it.
    #[must_use]
    pub fn with<S: SideInput>(mut self, side: S) -> Self {
        self.data = self.data.with(side);
        self
    }

    /// Adds a metric under its name in snake case, as in JSON: `average_drop`.
    #[must_use]
    pub fn metric(self, metric: impl Measure<T> + 'a) -> Self {
        self.metric_named(key(metric.info()), metric)
    }

    /// Adds a metric under a name of your choice, for example the same metric twice with different parameters.
    #[must_use]
    pub fn metric_named(mut self, name: impl Into<String>, metric: impl Measure<T> + 'a) -> Self {
        self.metrics.push((name.into(), Box::new(metric)));
        self
    }

    /// Coverage of the intervals, in (0, 1). Default: 0.95.
    #[must_use]
    pub fn level(mut self, level: f64) -> Self {
        self.statistics.level = level;
        self
    }

    /// Number of bootstrap replicates per interval; 0 computes no intervals. Default: 1000.
    #[must_use]
    pub fn replicates(mut self, replicates: usize) -> Self {
        self.statistics.replicates = replicates;
        self
    }

    /// Seed of the bootstrap. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.statistics.seed = seed;
        self
    }

    /// Also keeps the curves of metrics that are areas under a curve
    /// ([`ExplainerValue::curve`](crate::table::ExplainerValue::curve)). No further model calls are needed.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::{Benchmark, metric::Deletion};
    /// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
    /// };
    /// let x = array![[4.0, 2.0]];
    /// let table = Benchmark::new(&sum, x.view(), &[0])
    ///     .maps("inputs", x.view())
    ///     .metric(Deletion::new().steps(None))
    ///     .with_curves()
    ///     .evaluate()?;
    /// let curve = table.result("inputs", "deletion").unwrap().curve.as_ref().unwrap();
    /// assert_eq!(curve.iter().map(|p| p.score).collect::<Vec<_>>(), [6.0, 2.0, 0.0]);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    pub fn with_curves(mut self) -> Self {
        self.curves = true;
        self
    }

    /// Index of the first sample in a larger data set of which this is a part. Default: 0.
    ///
    /// Random choices depend on that index, so that evaluating a data set in parts gives the values of the whole,
    /// with two exceptions: metrics that compare samples with each other only see the part, and
    /// [`Baseline::DatasetMean`](crate::perturbation::Baseline::DatasetMean) is the mean of the part (pass the mean
    /// of the whole as [`Baseline::Input`](crate::perturbation::Baseline::Input) instead).
    #[must_use]
    pub fn first_sample(mut self, first_sample: u64) -> Self {
        self.data = self.data.first_sample(first_sample);
        self
    }

    /// Sets a callback that receives the planned numbers of rows once, after all checks and before the first call of
    /// the model.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::{Benchmark, metric::{Deletion, Insertion}};
    /// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.into_dimensionality().unwrap().to_owned())
    /// };
    /// let inputs = array![[0.8, 0.2, 0.1], [0.4, 0.6, 0.1]];
    /// let table = Benchmark::new(&model, inputs.view(), &[0, 1])
    ///     .maps("inputs", inputs.view())
    ///     .metric(Deletion::default())
    ///     .metric(Insertion::default())
    ///     // Unchanged inputs and baselines are shared; each curve has two points between them.
    ///     .on_plan(|rows| assert_eq!(rows.model, 2 * (2 + 2 + 2)))
    ///     .evaluate()?;
    /// assert_eq!(table.model_calls.rows, 12);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    pub fn on_plan(mut self, planned: impl Fn(&PlannedRows) + Sync + 'a) -> Self {
        self.planned = Box::new(planned);
        self
    }

    /// Sets a callback that receives the number of samples of each completed batch, possibly on several threads.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(usize) + Sync + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Sets a callback for metrics that compare all pairs of samples (sufficiency). After the batches it receives the
    /// number of pairs of an explainer compared so far and their total number, which is quadratic in the number of
    /// samples.
    #[must_use]
    pub fn on_pairs(mut self, pairs: impl Fn(u64, u64) + Sync + 'a) -> Self {
        self.pairs = Box::new(pairs);
        self
    }

    /// Evaluates everything into a table of explainers by metrics, with intervals, rankings and tests.
    ///
    /// If there are several metrics, one that is undefined for the scores gets no values and a reason
    /// ([`MetricResult::undefined`](crate::table::MetricResult::undefined)). If it is the only metric, that is
    /// an error.
    ///
    /// # Errors
    /// As [`values`](Self::values); an invalid parameter for a level outside (0, 1).
    pub fn evaluate(self) -> Result<EvaluationTable, EvaluationError> {
        let statistics = self.statistics;
        statistics.check()?;
        Ok(self.values()?.table(&statistics)?)
    }

    /// Returns the planned numbers of rows for the model and the explainers. Checks everything that
    /// [`values`](Self::values) checks, without calling the model.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn plan(self) -> Result<PlannedRows, EvaluationError> {
        self.check_names()?;
        let available = self.data.available_inputs();
        let dataset = self.data.check(false)?.dataset;
        let evaluation = EvaluationRun {
            dataset: &dataset,
            explained: &self.explained,
            metrics: named(&self.metrics),
            curves: false,
            tolerates_undefined: false,
            planned: &|_| {},
            progress: &|_| {},
            pairs: &|_, _| {},
        };
        evaluation.checked_plan(&available)
    }

    /// Scoring settings of the run.
    pub(crate) fn scoring_settings(&self) -> Scoring {
        self.data.scoring
    }

    /// Name of the first metric that compares samples with each other.
    pub(crate) fn whole_metric(&self) -> Option<&str> {
        let whole = |(_, metric): &&(String, Box<dyn Measure<T> + 'a>)| relates_samples(&**metric);
        Some(&self.metrics.iter().find(whole)?.0)
    }

    fn check_names(&self) -> Result<()> {
        let explainers: Vec<&str> = self
            .explained
            .iter()
            .filter_map(ExplainerData::name)
            .collect();
        check_names(input::EXPLAINERS, &explainers)?;
        let metrics: Vec<&str> = self.metrics.iter().map(|(name, _)| name.as_str()).collect();
        check_names(input::METRICS, &metrics).map_err(|e| match e.index() {
            // Without an index the error is about an empty list, not about two equal names.
            [] => e,
            _ => e.with_help(help::RENAME_METRIC),
        })?;
        check_size(metrics.len(), explainers.len(), &self.statistics)
    }

    /// Evaluates everything into values per sample, without statistics. Values of parts of a data set can be
    /// [merged](EvaluationValues::merge).
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`], before the model is called if possible; an empty-input error without explainers or
    /// metrics, and for an input that a metric needs and the evaluation lacks; an invalid parameter for two
    /// explainers or metrics of the same name. The error names the explainer and the metric, and contains all scores
    /// [computed until then](EvaluationError::completed).
    pub fn values(self) -> Result<EvaluationValues, EvaluationError> {
        self.check_names()?;
        let explainers = self
            .explained
            .iter()
            .filter_map(ExplainerData::name)
            .map(str::to_owned)
            .collect();
        let available = self.data.available_inputs();
        let CheckedData { model, dataset, .. } = self.data.check(false)?;
        let counted = Counted::new(&*model);
        let evaluation = EvaluationRun {
            dataset: &dataset,
            explained: &self.explained,
            metrics: named(&self.metrics),
            curves: self.curves,
            // With a single metric there is nothing else to save, and an error says more than an empty table.
            tolerates_undefined: self.metrics.len() > 1,
            planned: &*self.planned,
            progress: &*self.progress,
            pairs: &*self.pairs,
        };
        let collected = evaluation.run(&counted, &available)?;
        let (values, curves, n) = (collected.values, collected.curves, dataset.n_samples());
        let pooled_of = |m: usize| -> Vec<PooledValue> {
            let pooled = values.iter().filter_map(|by_metric| match &by_metric[m] {
                CombinedValues::Pooled(pooled) => Some(pooled.clone()),
                CombinedValues::PerSample(_) => None,
            });
            pooled.collect()
        };
        let metric_curves = |m: usize| {
            if self.curves {
                curves
                    .iter()
                    .map(|by_metric| by_metric[m].clone())
                    .collect()
            } else {
                Vec::new()
            }
        };
        let metric_values =
            self.metrics
                .iter()
                .enumerate()
                .map(|(m, (name, metric))| MetricValues {
                    metric: name.clone(),
                    direction: metric.direction(),
                    is_share: metric.info().range.is_share(),
                    is_whole: relates_samples(&**metric),
                    info: Some(metric.info()),
                    settings: parameter_settings(&metric.params()),
                    undefined: collected.undefined[m].clone(),
                    per_sample: values
                        .iter()
                        .map(|by_metric| by_metric[m].per_sample(n))
                        .collect(),
                    pooled: pooled_of(m),
                    curves: metric_curves(m),
                    tied: collected
                        .tied
                        .iter()
                        .filter_map(|by_metric| by_metric[m])
                        .collect(),
                });
        Ok(EvaluationValues {
            n_samples: dataset.n_samples(),
            explainers,
            metrics: metric_values.collect(),
            model_calls: counted.calls(),
            batch_size: dataset.call_size(),
            assumed: dataset.assumed(),
            map_class_check: collected.map_class_check,
        })
    }
}

/// Returns whether a metric compares samples with each other, so that values of parts cannot be merged.
fn relates_samples<T: Real>(metric: &dyn Measure<T>) -> bool {
    metric
        .dataset_metric()
        .is_some_and(|whole| !whole.is_splittable())
}

/// Metrics with their names, borrowed.
fn named<'m, T: Real>(
    metrics: &'m [(String, Box<dyn Measure<T> + '_>)],
) -> Vec<(String, &'m dyn Measure<T>)> {
    metrics
        .iter()
        .map(|(name, metric)| (name.clone(), &**metric as _))
        .collect()
}
