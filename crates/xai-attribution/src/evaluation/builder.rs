//! Many metrics of many explainers at once.

use xai_core::evaluation::{PooledValue, check_names, check_size, parameter_settings};
use xai_core::{Real, Result};

use crate::batch::data::{CheckedData, ExplainerData};
use crate::batch::{Data, PlannedRows, SideInput};
use crate::evaluation::{EvaluationTable, EvaluationValues, MetricValues, Statistics};
use crate::metric::{Measure, Related, key};
use crate::model::{Counted, Explainer, IntoTargets, Model, Samples, Scoring};
use crate::run::evaluation_run::EvaluationRun;
use crate::run::{Evaluate, EvaluationError};
use crate::{help, input};

/// Every metric of every explainer, without one model call too many.
///
/// The samples are visited batch by batch. Of each batch the model's scores are taken once and
/// shared by all that read them: base scores by everything, masked scores by Average Drop,
/// Increase and Gain, scores of the baseline by Deletion and Insertion of all explainers, drops of
/// random subsets by μFidelity of all explainers, and [whatever your own metrics
/// share](crate::batch). Inputs and maps are read once; see [`Samples`] for those that no memory
/// holds. How scores are taken is set here, by [`Evaluate`], for all metrics alike.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, AverageGain, AverageIncrease, Evaluation};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]];
/// let good = array![[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
/// let bad = array![[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
/// let table = Evaluation::new(&model, inputs.view(), &[0, 1, 0])
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
pub struct Evaluation<'a, T> {
    data: Data<'a, T>,
    explained: Vec<ExplainerData<'a, T>>,
    metrics: Vec<(String, Box<dyn Measure<T> + 'a>)>,
    statistics: Statistics,
    curves: bool,
    planned: Box<dyn Fn(&PlannedRows) + Sync + 'a>,
    progress: Box<dyn Fn(usize) + Sync + 'a>,
    pairs: Box<dyn Fn(u64, u64) + Sync + 'a>,
}

impl<T: Real> std::fmt::Debug for Evaluation<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.metrics.iter().map(|(name, _)| &**name).collect();
        f.debug_struct("Evaluation")
            .field("data", &self.data)
            .field("metrics", &names)
            .finish_non_exhaustive()
    }
}

impl<T: Real> Evaluate for Evaluation<'_, T> {
    type Configured = Self;
    type Evaluated = Self;

    fn scored_by(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        self.data = self.data.scored_by(change);
        self
    }

    fn evaluated(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

impl<'a, T: Real> Evaluation<'a, T> {
    /// An evaluation of explainers of a model on some inputs, with `targets` class indices `(n,)`
    /// or rows `(n, n_outputs)`.
    #[must_use]
    pub fn new<M: Model<T> + ?Sized>(
        model: &'a M,
        inputs: impl Samples<T> + 'a,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Self {
        Self::on(Data::new(inputs, targets).model(model))
    }

    /// An evaluation on some data: without a model, for metrics that ask none. Maps and explainer
    /// of the data itself are not judged; give them names by the setters here.
    #[must_use]
    pub fn on(data: Data<'a, T>) -> Self {
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

    /// An explainer to judge, by its maps of all samples.
    #[must_use]
    pub fn maps(mut self, name: impl Into<String>, maps: impl Samples<T> + 'a) -> Self {
        self.explained.push(ExplainerData {
            name: Some(name.into()),
            maps: Some(Box::new(maps)),
            explainer: None,
        });
        self
    }

    /// An explainer to judge, which is asked for its maps, batch by batch, and again by metrics
    /// that need it.
    #[must_use]
    pub fn explainer<X: Explainer<T> + ?Sized>(
        mut self,
        name: impl Into<String>,
        explainer: &'a X,
    ) -> Self {
        self.explained.push(ExplainerData {
            name: Some(name.into()),
            maps: None,
            explainer: Some(ExplainerData::borrow(explainer)),
        });
        self
    }

    /// An explainer to judge whose maps of all samples exist already: it is asked by metrics that
    /// need it, and for nothing else.
    #[must_use]
    pub fn maps_and_explainer<X: Explainer<T> + ?Sized>(
        mut self,
        name: impl Into<String>,
        maps: impl Samples<T> + 'a,
        explainer: &'a X,
    ) -> Self {
        self.explained.push(ExplainerData {
            name: Some(name.into()),
            maps: Some(Box::new(maps)),
            explainer: Some(ExplainerData::borrow(explainer)),
        });
        self
    }

    /// A further input of metrics that need one.
    #[must_use]
    pub fn with<S: SideInput>(mut self, side: S) -> Self {
        self.data = self.data.with(side);
        self
    }

    /// A metric to judge by, under its name as JSON has it: `average_drop`.
    #[must_use]
    pub fn metric(self, metric: impl Measure<T> + 'a) -> Self {
        self.metric_named(key(metric.info()), metric)
    }

    /// A metric under another name: for the same metric twice, with other parameters.
    #[must_use]
    pub fn metric_named(mut self, name: impl Into<String>, metric: impl Measure<T> + 'a) -> Self {
        self.metrics.push((name.into(), Box::new(metric)));
        self
    }

    /// The coverage of the intervals, in (0, 1). Default: 0.95.
    #[must_use]
    pub fn level(mut self, level: f64) -> Self {
        self.statistics.level = level;
        self
    }

    /// The number of bootstrap replicates behind each interval; 0 makes none. Default: 1000.
    #[must_use]
    pub fn replicates(mut self, replicates: usize) -> Self {
        self.statistics.replicates = replicates;
        self
    }

    /// What the bootstrap depends on. Default: 1.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.statistics.seed = seed;
        self
    }

    /// Also keeps the curves of metrics that are areas under one
    /// ([`ExplainerValue::curve`](crate::evaluation::ExplainerValue::curve)). The model is asked nothing more.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::{Deletion, Evaluation};
    /// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
    /// };
    /// let x = array![[4.0, 2.0]];
    /// let table = Evaluation::new(&sum, x.view(), &[0])
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

    /// The place of the first sample in a larger data set of which this is a part. Random choices
    /// belong to a sample's place, so parts give the values of the whole (but for
    /// [`Baseline::DatasetMean`](crate::perturbation::Baseline::DatasetMean), which is then the
    /// mean of the part: give the mean of the whole as
    /// [`Baseline::Input`](crate::perturbation::Baseline::Input)); metrics that relate all samples to each
    /// other have the values of the part alone. Default: 0.
    #[must_use]
    pub fn first_sample(mut self, first_sample: u64) -> Self {
        self.data = self.data.first_sample(first_sample);
        self
    }

    /// Called once with the rows that model and explainers are going to see, when everything is
    /// checked and before the model is called.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::{Deletion, Evaluation, Insertion};
    /// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(batch.into_dimensionality().unwrap().to_owned())
    /// };
    /// let inputs = array![[0.8, 0.2, 0.1], [0.4, 0.6, 0.1]];
    /// let table = Evaluation::new(&model, inputs.view(), &[0, 1])
    ///     .maps("inputs", inputs.view())
    ///     .metric(Deletion::default())
    ///     .metric(Insertion::default())
    ///     // Input and blank are shared; each curve has two points between them.
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

    /// Called after each batch with its number of samples, possibly from several threads.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(usize) + Sync + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Called while a metric compares all pairs of samples (sufficiency), after the batches, with how many pairs of an explainer are
    /// done and how many there are. Their number grows with the square of that of the samples.
    #[must_use]
    pub fn on_pairs(mut self, pairs: impl Fn(u64, u64) + Sync + 'a) -> Self {
        self.pairs = Box::new(pairs);
        self
    }

    /// The table of all explainers by all metrics, with intervals, rankings and tests. Where several metrics are
    /// asked for, one that is undefined for the scores has no values and says why
    /// ([`MetricResult::undefined`](crate::evaluation::MetricResult::undefined)); where it is the only one, that is the error.
    ///
    /// # Errors
    /// As [`values`](Self::values); an invalid parameter for a level outside (0, 1).
    pub fn evaluate(self) -> Result<EvaluationTable, EvaluationError> {
        let statistics = self.statistics;
        statistics.check()?;
        Ok(self.values()?.table(&statistics)?)
    }

    /// The rows that model and explainers are going to see: everything is checked as [`values`](Self::values) does, and the
    /// model is not called.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn plan(self) -> Result<PlannedRows, EvaluationError> {
        self.check_names()?;
        let available = self.data.available_inputs();
        let run = self.data.check(false)?.run;
        let evaluation = EvaluationRun {
            run: &run,
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

    /// How scores are taken.
    pub(crate) fn scoring_of_run(&self) -> Scoring {
        self.data.scoring
    }

    /// The first metric that relates all samples to each other.
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
            [] => e,
            _ => e.with_help(help::RENAME_METRIC),
        })?;
        check_size(metrics.len(), explainers.len(), &self.statistics)
    }

    /// The values alone, sample by sample: what parts of a data set are
    /// [joined](EvaluationValues::merge) from.
    ///
    /// # Errors
    /// As [`Evaluate::evaluate`], before the model is called where that is possible; empty without
    /// explainers or metrics, and about an input that a metric needs and the evaluation does not
    /// have; an invalid parameter for two explainers or metrics of one name. The error tells
    /// explainer and metric, and holds everything
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
        let CheckedData { model, run, .. } = self.data.check(false)?;
        let counted = Counted::new(&*model);
        let evaluation = EvaluationRun {
            run: &run,
            explained: &self.explained,
            metrics: named(&self.metrics),
            curves: self.curves,
            tolerates_undefined: self.metrics.len() > 1,
            planned: &*self.planned,
            progress: &*self.progress,
            pairs: &*self.pairs,
        };
        let collected = evaluation.run(&counted, &available)?;
        let (values, curves, n) = (collected.values, collected.curves, run.n_samples());
        let pooled_of = |m: usize| -> Vec<PooledValue> {
            let pooled = values.iter().filter_map(|by_metric| match &by_metric[m] {
                Related::Pooled(pooled) => Some(pooled.clone()),
                Related::PerSample(_) => None,
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
            n_samples: run.n_samples(),
            explainers,
            metrics: metric_values.collect(),
            model_calls: counted.calls(),
            assumed: run.assumed(),
            class_agreement: collected.class_agreement,
        })
    }
}

/// Whether a metric relates samples to each other, so that values of parts do not join.
fn relates_samples<T: Real>(metric: &dyn Measure<T>) -> bool {
    metric.whole().is_some_and(|whole| !whole.joins())
}

/// Metrics under their names.
fn named<'m, T: Real>(
    metrics: &'m [(String, Box<dyn Measure<T> + '_>)],
) -> Vec<(String, &'m dyn Measure<T>)> {
    metrics
        .iter()
        .map(|(name, metric)| (name.clone(), &**metric as _))
        .collect()
}
