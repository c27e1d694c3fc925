//! Many metrics of many explainers at once.

use xai_core::{Activation, Error, Layout, Real, Result};

use crate::batch::{Study, evaluate_all};
use crate::evaluation_table::{EvaluationScores, EvaluationTable, MetricScores, Statistics};
use crate::{
    Baseline, Better, Counted, EvaluationError, EvaluationMetric, ExplainedBatch, IntoTargets,
    Model, Samples, Scoring, Targets,
};

/// Every metric of every explainer, without one model call too many.
///
/// The samples are visited batch by batch. Of each batch the model's scores are taken once and
/// shared by all that read them: base scores by everything, masked scores by Average Drop,
/// Increase and Gain, scores of the baseline by Deletion and Insertion of all explainers, drops of
/// random subsets by μFidelity of all explainers. Inputs and maps are read once; see [`Samples`]
/// for those that no memory holds.
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
///     .explainer("good", good.view())
///     .explainer("bad", bad.view())
///     .metric(AverageDrop::default())
///     .metric(AverageIncrease::default())
///     .metric(AverageGain::default())
///     .run()?;
/// assert!(table.score("good", "average_drop").unwrap().value.unwrap() < 1e-7);
/// assert_eq!(table.metric("average_drop").unwrap().ranking, [0, 1]);
/// assert_eq!(table.model_calls.rows, 3 + 2 * 3); // each input once, each masked input once
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub struct Evaluation<'a, T, M: ?Sized> {
    model: &'a M,
    inputs: Box<dyn Samples<T> + 'a>,
    targets: Result<Targets>,
    scoring: Scoring,
    explainers: Vec<(String, Box<dyn Samples<T> + 'a>)>,
    metrics: Vec<Box<dyn EvaluationMetric<T> + 'a>>,
    statistics: Statistics,
    first_sample: u64,
    progress: Box<dyn Fn(usize) + Sync + 'a>,
}

impl<'a, T: Real, M: Model<T> + ?Sized> Evaluation<'a, T, M> {
    /// An evaluation of explainers of a model on some inputs, with `targets` class indices `(n,)`
    /// or rows `(n, n_outputs)`.
    #[must_use]
    pub fn new(
        model: &'a M,
        inputs: impl Samples<T> + 'a,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Self {
        Self {
            model,
            inputs: Box::new(inputs),
            targets: targets.to_targets(),
            scoring: Scoring::default(),
            explainers: Vec::new(),
            metrics: Vec::new(),
            statistics: Statistics::default(),
            first_sample: 0,
            progress: Box::new(|_| {}),
        }
    }

    /// What is applied to the model's outputs. Default: nothing.
    #[must_use]
    pub fn activation(mut self, activation: Activation) -> Self {
        self.scoring.activation = activation;
        self
    }

    /// The largest number of samples the model is called with, at least 1. Default: 64.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.scoring.batch_size = batch_size;
        self
    }

    /// How the axes of the inputs are read. Default: by their number, channels last for images.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.scoring.layout = Some(layout);
        self
    }

    /// How scores are taken, all at once.
    #[must_use]
    pub fn scoring(mut self, scoring: Scoring) -> Self {
        self.scoring = scoring;
        self
    }

    /// An explainer to judge, by its maps of all samples.
    #[must_use]
    pub fn explainer(mut self, name: impl Into<String>, maps: impl Samples<T> + 'a) -> Self {
        self.explainers.push((name.into(), Box::new(maps)));
        self
    }

    /// A metric to judge by. Activation, batch size and layout are those of the evaluation.
    #[must_use]
    pub fn metric(mut self, metric: impl EvaluationMetric<T> + 'a) -> Self {
        self.metrics.push(Box::new(metric));
        self
    }

    /// A metric under another name: for the same metric twice, with other parameters.
    #[must_use]
    pub fn metric_named(
        self,
        name: impl Into<String>,
        metric: impl EvaluationMetric<T> + 'a,
    ) -> Self {
        self.metric(Named {
            name: name.into(),
            metric,
        })
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

    /// The place of the first sample in a larger data set of which this is a part. Random choices
    /// belong to a sample's place, so parts give the scores of the whole (but for
    /// [`Baseline::DatasetMean`], which is then the mean of the part: give the mean of the whole as
    /// [`Baseline::Input`]). Default: 0.
    #[must_use]
    pub fn first_sample(mut self, first_sample: u64) -> Self {
        self.first_sample = first_sample;
        self
    }

    /// Called after each batch with its number of samples, possibly from several threads.
    #[must_use]
    pub fn on_progress(mut self, progress: impl Fn(usize) + Sync + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// The table of all explainers by all metrics, with intervals, rankings and tests.
    ///
    /// # Errors
    /// As [`scores`](Self::scores); [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn run(self) -> Result<EvaluationTable, EvaluationError> {
        let statistics = self.statistics;
        statistics.check()?;
        Ok(self.scores()?.table(&statistics)?)
    }

    /// The scores alone, sample by sample: what parts of a data set are
    /// [joined](EvaluationScores::append) from.
    ///
    /// # Errors
    /// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate), before the model is called where
    /// that is possible; [`Error::Empty`] without explainers or metrics, [`Error::InvalidParameter`]
    /// for two of one name and for a metric that was given an activation, a batch size or a layout
    /// other than the evaluation's. The error tells explainer and metric, and holds everything
    /// [computed until then](EvaluationError::completed).
    pub fn scores(self) -> Result<EvaluationScores, EvaluationError> {
        let targets = self.targets?;
        check_names(
            "explainer",
            self.explainers.iter().map(|(name, _)| name.as_str()),
        )?;
        check_names("metric", self.metrics.iter().map(|metric| metric.name()))?;
        for metric in &self.metrics {
            if let Some(own) = metric.scoring() {
                check_scoring(metric.name(), own, self.scoring)?;
            }
        }
        let counted = Counted::new(self.model);
        let mut study =
            Study::new(&*self.inputs, targets, self.scoring)?.starting_at(self.first_sample);
        let explainers: Vec<(Option<&str>, &dyn Samples<T>)> = self
            .explainers
            .iter()
            .map(|(name, maps)| (Some(name.as_str()), &**maps))
            .collect();
        let metrics: Vec<&dyn EvaluationMetric<T>> =
            self.metrics.iter().map(|metric| &**metric).collect();
        let per_sample = evaluate_all(&counted, &mut study, &explainers, &metrics, &self.progress)?;
        Ok(EvaluationScores {
            n_samples: study.n_samples(),
            explainers: self
                .explainers
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            metrics: metrics
                .iter()
                .enumerate()
                .map(|(m, metric)| MetricScores {
                    metric: metric.name().to_owned(),
                    better: metric.better(),
                    per_sample: per_sample.iter().map(|scores| scores[m].clone()).collect(),
                })
                .collect(),
            model_calls: counted.calls(),
        })
    }
}

fn check_names<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        return Err(Error::empty(format!("{what}s")));
    }
    match (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
        None => Ok(()),
        Some(i) => Err(Error::parameter(
            what,
            names[i],
            "names that occur once; `metric_named` renames a metric",
        )),
    }
}

/// What a metric was given by itself must be what the evaluation has, or the default.
fn check_scoring(metric: &str, own: Scoring, evaluation: Scoring) -> Result<()> {
    let default = Scoring::default();
    let conflict = |what: &'static str, own: String| {
        Err(Error::parameter(
            format!("{what} of {metric}"),
            own,
            format!("that of the evaluation, which all metrics share: set its {what} instead"),
        ))
    };
    if ![default.activation, evaluation.activation].contains(&own.activation) {
        return conflict("activation", format!("{:?}", own.activation));
    }
    if ![default.batch_size, evaluation.batch_size].contains(&own.batch_size) {
        return conflict("batch_size", own.batch_size.to_string());
    }
    if ![default.layout, evaluation.layout].contains(&own.layout) {
        return conflict("layout", format!("{:?}", own.layout));
    }
    Ok(())
}

/// A metric under another name.
struct Named<S> {
    name: String,
    metric: S,
}

impl<T: Real, S: EvaluationMetric<T>> EvaluationMetric<T> for Named<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn better(&self) -> Better {
        self.metric.better()
    }

    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.metric.scores(batch)
    }

    fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        self.metric.check(shape, layout)
    }

    fn scoring(&self) -> Option<Scoring> {
        self.metric.scoring()
    }

    fn baseline(&self) -> Option<&Baseline> {
        self.metric.baseline()
    }
}
