//! One metric by itself, and how its scores are taken.

use xai_core::evaluation::{breaks_ties_randomly, parameter_settings};
use xai_core::{Activation, Layout, Real, Result};

use crate::batch::Data;
use crate::batch::data::CheckedData;
use crate::input;
use crate::metric::{Measure, Metric, MetricValue, Related, TiedFeatures, key};
use crate::model::{Explainer, IntoTargets, Model, Samples, Scoring};
use crate::run::EvaluationError;
use crate::run::evaluation_run::{EvaluationRun, UNNAMED};

/// A metric with the way its scores are taken: what the setters of [`Evaluate`] make of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run<M> {
    /// The metric.
    pub metric: M,
    /// How scores are taken.
    pub scoring: Scoring,
}

/// How scores are taken, written once for metrics, [`Run`], [`Data`] and
/// [`Evaluation`](crate::Evaluation); and metrics evaluated by themselves.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Activation, AverageDrop, Evaluate};
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
    /// What the setters give: a [`Run`] of a metric, and everything else itself.
    type Configured;

    /// What is evaluated: the metric of a [`Run`], and everything else itself.
    type Evaluated;

    /// Changes how scores are taken.
    #[must_use]
    fn scored_by(self, change: impl FnOnce(&mut Scoring)) -> Self::Configured;

    /// What is evaluated, and how its scores are taken where that is not left to the data.
    fn evaluated(&self) -> (&Self::Evaluated, Option<Scoring>);

    /// How scores are taken, all at once.
    #[must_use]
    fn scoring(self, scoring: Scoring) -> Self::Configured {
        self.scored_by(|own| *own = scoring)
    }

    /// What is applied to the model's outputs. Default: nothing.
    #[must_use]
    fn activation(self, activation: Activation) -> Self::Configured {
        self.scored_by(|own| own.activation = activation)
    }

    /// The largest number of rows that model and explainer are called with, at least 1. Default, as `None`:
    /// what [`rows_per_call`](crate::model::rows_per_call) says.
    #[must_use]
    fn batch_size(self, batch_size: impl Into<Option<usize>>) -> Self::Configured {
        self.scored_by(|own| own.batch_size = batch_size.into())
    }

    /// Whether the model may answer a row otherwise in another batch. Default: no. The first row of the first
    /// call with several different ones is then asked alone, too, once per run; outputs that differ by more
    /// than a thousandth of the largest of the call are an error. Models in single precision differ by a
    /// hundredth of that.
    #[must_use]
    fn allow_batch_dependence(self, allow: bool) -> Self::Configured {
        self.scored_by(|own| own.allow_batch_dependence = allow)
    }

    /// How the axes of the inputs are read. Default: by their number, channels last for images.
    #[must_use]
    fn layout(self, layout: Layout) -> Self::Configured {
        self.scored_by(|own| own.layout = Some(layout))
    }

    /// The class that all given maps explain, 0 or 1, of a model of two classes: maps without a class axis are often those of
    /// class 1 for all samples. They are then negated for samples whose target is the other class. Default: maps
    /// explain the class of each sample's target, which the result says. Maps that an explainer answers are never
    /// changed, because it is told the targets.
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
        self.scored_by(|own| own.explained_class = Some(class))
    }

    /// The metric for a model, its inputs and their attribution maps.
    ///
    /// `inputs` and `maps` are [`Samples`] (array views are) of a [`Layout`], `targets` class
    /// indices `(n,)` or rows `(n, n_outputs)`. The model never sees more rows than the batch size
    /// at once; several metrics of one model share them in an [`Evaluation`](crate::Evaluation).
    ///
    /// # Errors
    /// A shape mismatch for arrays that do not fit each other and for a model that answers with the
    /// wrong number of rows, empty without samples and where no sample has a value, not finite for
    /// NaN or infinity in inputs, maps or outputs, a label out of range for a target class that the
    /// model has no output for, an invalid parameter of metric or scoring, the model's own error,
    /// and the metric's. Each comes with everything
    /// [computed until then](EvaluationError::completed).
    fn evaluate<T: Real, Mo: Model<T> + ?Sized>(
        &self,
        model: &Mo,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
        maps: impl Samples<T>,
    ) -> Result<MetricValue, EvaluationError>
    where
        Self::Evaluated: Measure<T>,
    {
        self.evaluate_on(Data::new(inputs, targets).model(model).maps(maps))
    }

    /// The metric for an explainer, by its own maps: for metrics that ask no model.
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
        Self::Evaluated: Measure<T>,
    {
        self.evaluate_on(Data::new(inputs, targets).explainer(explainer))
    }

    /// The metric for everything that it needs; the scoring of a [`Run`] takes the place of the data's.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); empty, about the input, where one is missing that the metric
    /// needs.
    fn evaluate_on<T: Real>(&self, data: Data<'_, T>) -> Result<MetricValue, EvaluationError>
    where
        Self::Evaluated: Measure<T>,
    {
        let (metric, scoring) = self.evaluated();
        let data = match scoring {
            Some(scoring) => data.scoring(scoring),
            None => data,
        };
        let mut values = evaluate_together(&[metric], data)?;
        Ok(values.remove(0))
    }
}

impl<M: Metric> Evaluate for M {
    type Configured = Run<M>;
    type Evaluated = Self;

    fn scored_by(self, change: impl FnOnce(&mut Scoring)) -> Run<M> {
        let run = Run {
            metric: self,
            scoring: Scoring::default(),
        };
        run.scored_by(change)
    }

    fn evaluated(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

impl<M> Evaluate for Run<M> {
    type Configured = Self;
    type Evaluated = M;

    fn scored_by(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        change(&mut self.scoring);
        self
    }

    fn evaluated(&self) -> (&M, Option<Scoring>) {
        (&self.metric, Some(self.scoring))
    }
}

impl<T: Real> Evaluate for Data<'_, T> {
    type Configured = Self;
    type Evaluated = Self;

    fn scored_by(mut self, change: impl FnOnce(&mut Scoring)) -> Self {
        change(&mut self.scoring);
        self
    }

    fn evaluated(&self) -> (&Self, Option<Scoring>) {
        (self, None)
    }
}

/// Several metrics of one set of maps or one explainer, which share what they have in common. The
/// values are in the order of the metrics.
///
/// # Errors
/// As [`Evaluate::evaluate_on`].
pub fn evaluate_together<T: Real>(
    metrics: &[&dyn Measure<T>],
    data: Data<'_, T>,
) -> Result<Vec<MetricValue>, EvaluationError> {
    let available = data.available_inputs();
    // Metrics that only call the explainer put no restriction on the shape of the inputs: no map or mask has to fit.
    let fits_maps = [input::EXPLANATIONS, input::MODEL];
    let mut needs = metrics.iter().flat_map(|metric| metric.info().needs);
    let any_shape = !needs.any(|need| fits_maps.contains(need));
    let CheckedData {
        model,
        run,
        explained,
    } = data.check(any_shape)?;
    let evaluation = EvaluationRun {
        run: &run,
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
    let agreement = collected.class_agreement;
    let warnings = agreement.map_or_else(Vec::new, |of| of.warnings(&[UNNAMED.to_owned()]));
    let values = collected.values.into_iter().flatten();
    let curves = collected.curves.into_iter().flatten();
    let tied = collected.tied.into_iter().flatten();
    let values = values.zip(curves).zip(tied).zip(metrics);
    let values = values.map(|(((values, curve), tied), metric)| {
        let value = match values {
            Related::PerSample(per_sample) => MetricValue::new(per_sample)?,
            Related::Pooled(pooled) => MetricValue::pooled(pooled.value, run.n_samples())?,
        };
        let by_index =
            tied.filter(|_| !breaks_ties_randomly(&parameter_settings(&metric.params())));
        let ties = TiedFeatures::remark(by_index.map(|tied| (UNNAMED, tied)));
        Ok(MetricValue {
            curve,
            tied,
            assumed: run.assumed().into_iter().chain(ties).collect(),
            warnings: warnings.clone(),
            ..value
        })
    });
    values.collect()
}
