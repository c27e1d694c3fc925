//! Evaluation of a single metric, and the settings of how scores are read from the model.

use xai_core::evaluation::{breaks_ties_randomly, parameter_settings};
use xai_core::{Activation, InputLayout, Real, Result};

use crate::batch::data::CheckedData;
use crate::metric::{CombinedValues, Measure, Metric, MetricValue, key};
use crate::model::{Explainer, IntoTargets, Model, Samples, Scoring};
use crate::run::evaluation_run::{EvaluationRun, UNNAMED};
use crate::table::TiedFeatures;
use crate::{EvaluationData, EvaluationError, input};

/// A metric with its scoring settings: the result of the setters of [`Evaluate`] on a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithScoring<M> {
    /// The metric.
    pub metric: M,
    /// Settings by which scores are read from the model.
    pub scoring: Scoring,
}

/// Scoring settings, shared by metrics, [`WithScoring`], [`EvaluationData`] and [`Benchmark`](crate::Benchmark), and
/// the evaluation of single metrics.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Activation, Evaluate, metric::AverageDrop};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[2.0, 1.0], [0.5, 0.1]];
/// let maps = array![[1.0, 0.0], [0.0, 1.0]];
/// let drop = AverageDrop::new()
///     .activation(Activation::Softmax)
///     .batch_size(1)
///     .evaluate(&model, inputs.view(), &[0, 0], maps.view())?;
/// assert_eq!(drop.per_sample[0], Some(0.0)); // its rival is gone: the score rises
/// assert!(drop.per_sample[1].unwrap() > 0.1);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait Evaluate: Sized {
    /// Result type of the setters: a [`WithScoring`] for a metric, and `Self` for everything else.
    type Configured;

    /// Type of the evaluated object: the metric of a [`WithScoring`], and `Self` for everything else.
    type Subject;

    /// Changes the scoring settings.
    #[must_use]
    fn configure(self, change: impl FnOnce(&mut Scoring)) -> Self::Configured;

    /// Returns the evaluated object and its scoring settings. `None` means that those of the data apply.
    fn subject(&self) -> (&Self::Subject, Option<Scoring>);

    /// Sets all scoring settings at once.
    #[must_use]
    fn scoring(self, scoring: Scoring) -> Self::Configured {
        self.configure(|own| *own = scoring)
    }

    /// Activation applied to the outputs of the model. Default: none.
    #[must_use]
    fn activation(self, activation: Activation) -> Self::Configured {
        self.configure(|own| own.activation = activation)
    }

    /// Largest number of rows per call of the model or the explainer, at least 1. Default (`None`): see
    /// [`rows_per_call`](crate::model::rows_per_call).
    #[must_use]
    fn batch_size(self, batch_size: impl Into<Option<usize>>) -> Self::Configured {
        self.configure(|own| own.batch_size = batch_size.into())
    }

    /// Allows the outputs for a row to depend on the other rows of its batch. Default: no.
    ///
    /// Unless allowed, the first row of the first call with several different rows in the first batch is passed to the
    /// model once more by itself, once per run. Without such a call nothing is checked. Outputs that differ by more
    /// than a thousandth of the largest output of the call are an error. (For models in single precision, differences
    /// are about a hundredth of that.)
    #[must_use]
    fn allow_batch_dependence(self, allow: bool) -> Self::Configured {
        self.configure(|own| own.allow_batch_dependence = allow)
    }

    /// Sets the order of the axes of the inputs. Default: inferred from their number. Required for inputs with four
    /// axes, unless they are [`Images`](crate::model::Images): their channels come first in PyTorch, last in
    /// TensorFlow.
    ///
    /// ```
    /// use ndarray::Array4;
    /// use xai_attribution::{Evaluate, InputLayout, EvaluationData, metric::Complexity};
    /// let maps = Array4::from_elem((1, 3, 2, 2), 1.0);
    /// let complexity = Complexity::new();
    /// assert!(complexity.evaluate_on(EvaluationData::from_maps(maps.view())).is_err());
    /// let value = complexity.layout(InputLayout::ChannelsFirst).evaluate_on(EvaluationData::from_maps(maps.view()))?;
    /// assert!((value.value - 4f64.ln()).abs() < 1e-12); // four equal positions
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    fn layout(self, layout: InputLayout) -> Self::Configured {
        self.configure(|own| own.layout = Some(layout))
    }

    /// The class, 0 or 1, that all given maps of a two-class model explain. Maps without a class axis often explain
    /// class 1 for all samples. They are negated for samples whose target is the other class.
    ///
    /// Default: maps explain the class of each sample's target, which is then listed as an assumption in the result.
    /// Maps that an explainer computes during the run are never negated, because the explainer receives the targets.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::{Evaluate, metric::FaithfulnessEstimate};
    /// // The margin of class 1 is the sum of the features.
    /// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     let rows = batch.outer_iter().flat_map(|row| [-row.sum(), row.sum()]).collect();
    ///     Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows).unwrap())
    /// };
    /// let inputs = array![[1.0, 2.0, 3.0], [-1.0, -3.0, -2.0]]; // of class 1, of class 0
    /// let estimate = FaithfulnessEstimate::new();
    /// let of_class_one = estimate.clone().explained_class(1);
    /// let value = of_class_one.evaluate(&model, inputs.view(), &[1, 0], inputs.view())?;
    /// assert_eq!(value.per_sample, [Some(1.0), Some(1.0)]);
    /// let of_targets = estimate.evaluate(&model, inputs.view(), &[1, 0], inputs.view())?;
    /// assert_eq!(of_targets.per_sample, [Some(1.0), Some(-1.0)]);
    /// assert_eq!(of_targets.assumed[0].about, "explained_class");
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    fn explained_class(self, class: usize) -> Self::Configured {
        self.configure(|own| own.explained_class = Some(class))
    }

    /// Evaluates the metric for a model, inputs and their attribution maps.
    ///
    /// `inputs` and `maps` are [`Samples`], for example array views, in a [`InputLayout`]; `targets` are class indices
    /// `(n,)` or rows `(n, n_outputs)`. A call of the model never exceeds the batch size. To share calls between
    /// several metrics of one model, use a [`Benchmark`](crate::Benchmark).
    ///
    /// # Errors
    /// A shape mismatch for arrays that do not fit each other and for a model that returns the wrong number of rows;
    /// an empty-input error if there are no samples or no sample has a value; NaN or infinity in inputs, maps or
    /// outputs; a label out of range for a target class without an output; an invalid parameter of the metric or the
    /// scoring; the error of the model or the metric. Each comes with all scores [computed until
    /// then](EvaluationError::completed).
    fn evaluate<T: Real, Mo: Model<T> + ?Sized>(
        &self,
        model: &Mo,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
        maps: impl Samples<T>,
    ) -> Result<MetricValue, EvaluationError>
    where
        Self::Subject: Measure<T>,
    {
        self.evaluate_on(EvaluationData::new(inputs, targets).model(model).maps(maps))
    }

    /// Evaluates the metric for an explainer on maps that it computes, for metrics that need no model.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), with the explainer in place of the model.
    fn evaluate_explainer<T: Real, X: Explainer<T> + ?Sized>(
        &self,
        explainer: &X,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Result<MetricValue, EvaluationError>
    where
        Self::Subject: Measure<T>,
    {
        self.evaluate_on(EvaluationData::new(inputs, targets).explainer(explainer))
    }

    /// Evaluates the metric on data with everything that it needs. The scoring of a [`WithScoring`] overrides that of
    /// the data.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); an empty-input error for an input that the metric needs and the data lacks.
    fn evaluate_on<T: Real>(
        &self,
        data: EvaluationData<'_, T>,
    ) -> Result<MetricValue, EvaluationError>
    where
        Self::Subject: Measure<T>,
    {
        let (metric, scoring) = self.subject();
        let data = match scoring {
            Some(scoring) => data.scoring(scoring),
            None => data,
        };
        let mut values = evaluate_together(&[metric], data)?;
        Ok(values.remove(0))
    }
}

impl<M: Metric> Evaluate for M {
    type Configured = WithScoring<M>;
    type Subject = Self;

    fn configure(self, change: impl FnOnce(&mut Scoring)) -> WithScoring<M> {
        let with_scoring = WithScoring {
            metric: self,
            scoring: Scoring::default(),
        };
        with_scoring.configure(change)
    }

    fn subject(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

impl<M> Evaluate for WithScoring<M> {
    type Configured = Self;
    type Subject = M;

    fn configure(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        change(&mut self.scoring);
        self
    }

    fn subject(&self) -> (&M, Option<Scoring>) {
        (&self.metric, Some(self.scoring))
    }
}

impl<T: Real> Evaluate for EvaluationData<'_, T> {
    type Configured = Self;
    type Subject = Self;

    fn configure(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        change(&mut self.scoring);
        self
    }

    fn subject(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

/// Evaluates several metrics on one set of maps or one explainer, sharing their common work. Values are in the order
/// of the metrics.
///
/// # Errors
/// As [`Evaluate::evaluate_on`].
pub fn evaluate_together<T: Real>(
    metrics: &[&dyn Measure<T>],
    data: EvaluationData<'_, T>,
) -> Result<Vec<MetricValue>, EvaluationError> {
    let available = data.available_inputs();
    // Metrics that only call the explainer put no restriction on the shape of the inputs: no map or mask has to fit.
    let fits_maps = [input::EXPLANATIONS, input::MODEL];
    let mut needs = metrics.iter().flat_map(|metric| metric.info().needs);
    let any_shape = !needs.any(|need| fits_maps.contains(need));
    let CheckedData {
        model,
        dataset,
        explained,
    } = data.check(any_shape)?;
    let evaluation = EvaluationRun {
        dataset: &dataset,
        explained: &[explained],
        metrics: metrics
            .iter()
            .map(|metric| (key(metric.info()), *metric))
            .collect(),
        curves: true,
        tolerates_undefined: false,
        planned: &|_| {},
        progress: &|_| {},
        pairs: &|_, _| {},
    };
    let collected = evaluation.run(&*model, &available)?;
    let warnings = collected
        .map_class_check
        .map_or_else(Vec::new, |check| check.warnings(&[UNNAMED.to_owned()]));
    let values = collected.values.into_iter().flatten();
    let curves = collected.curves.into_iter().flatten();
    let tied = collected.tied.into_iter().flatten();
    let results = values.zip(curves).zip(tied).zip(metrics);
    let metric_values = results.map(|(((values, curve), tied), metric)| {
        let value = match values {
            CombinedValues::PerSample(per_sample) => MetricValue::new(per_sample)?,
            CombinedValues::Pooled(pooled) => {
                MetricValue::pooled(pooled.value, dataset.n_samples())?
            }
        };
        // With random ties, no order was chosen silently.
        let by_index =
            tied.filter(|_| !breaks_ties_randomly(&parameter_settings(&metric.params())));
        let ties = TiedFeatures::remark(by_index.map(|tied| (UNNAMED, tied)));
        Ok(MetricValue {
            curve,
            tied,
            batch_size: dataset.call_size(),
            assumed: dataset.assumed().into_iter().chain(ties).collect(),
            warnings: warnings.clone(),
            ..value
        })
    });
    metric_values.collect()
}
