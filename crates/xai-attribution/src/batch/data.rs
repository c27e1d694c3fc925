//! Data of a run as the caller provides it.

use std::any::Any;
use std::sync::Arc;

use ndarray::{CowArray, IxDyn};
use xai_core::{Input, InputLayout, Real, Result};

use crate::batch::Dataset;
use crate::batch::second_maps::SecondMaps;
use crate::input;
use crate::model::batch_dependence::GuardedModel;
use crate::model::black_box::{BorrowedModel, MissingModel};
use crate::model::explainer::BorrowedExplainer;
use crate::model::{BoxError, Explainer, IntoTargets, Model, RowKind, Samples, Scoring, Targets};
use crate::side::SideInput;

/// Everything that metrics may need: inputs and targets, and optionally a model, attribution maps, an explainer and
/// further inputs.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::EvaluationData;
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, metric::AverageStability};
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let data = EvaluationData::new(x.view(), &[0, 1]).explainer(&twice).batch_size(1);
/// assert!(AverageStability::new().evaluate_on(data)?.value < 0.3);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub struct EvaluationData<'a, T> {
    inputs: Box<dyn Samples<T> + 'a>,
    targets: Result<Targets>,
    pub(crate) scoring: Scoring,
    model: Option<Box<dyn Model<T> + 'a>>,
    pub(crate) explained: ExplainerData<'a, T>,
    /// Whether explainers are called that are not in `explained`.
    calls_explainers: bool,
    first_sample: u64,
    /// Samples that the rows of presence indicators stand for, with a masked model.
    presence_of: Option<Arc<[usize]>>,
    sides: Vec<Side>,
    available: Vec<Input>,
    /// Input that reading errors name: the maps if the data consists of maps alone.
    read_as: Input,
}

impl<T: Real> std::fmt::Debug for EvaluationData<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluationData")
            .field("shape", &self.inputs.shape())
            .field("targets", &self.targets)
            .field("scoring", &self.scoring)
            .finish_non_exhaustive()
    }
}

/// A further input with its check.
struct Side {
    value: Arc<dyn Any + Send + Sync>,
    check: Box<SideCheck>,
}

/// The check of a further input against the shape and the layout of the inputs.
type SideCheck = dyn Fn(&[usize], InputLayout) -> Result<()> + Send + Sync;

/// One explainer under evaluation: its maps for all samples, the explainer itself, or both.
pub(crate) struct ExplainerData<'a, T> {
    /// `None` for the maps and the explainer of a [`EvaluationData`] itself. Those of an evaluation always have a name.
    pub(crate) name: Option<String>,
    pub(crate) maps: Option<Box<dyn Samples<T> + 'a>>,
    pub(crate) explainer: Option<Box<dyn Explainer<T> + 'a>>,
}

impl<'a, T: Real> ExplainerData<'a, T> {
    pub(crate) fn unnamed() -> Self {
        Self {
            name: None,
            maps: None,
            explainer: None,
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn borrow<X: Explainer<T> + ?Sized>(explainer: &'a X) -> Box<dyn Explainer<T> + 'a> {
        Box::new(BorrowedExplainer(explainer))
    }

    /// Returns whether it provides what a metric `need`s.
    pub(crate) fn has(&self, need: Input) -> bool {
        match need {
            input::EXPLANATIONS => self.maps.is_some() || self.explainer.is_some(),
            _ => need == input::EXPLAINER && self.explainer.is_some(),
        }
    }
}

/// Maps that also stand in for the inputs, for metrics of maps alone.
struct SharedMaps<S>(Arc<S>);

impl<T: Real, S: Samples<T>> Samples<T> for SharedMaps<S> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn batch(&self, samples: std::ops::Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        self.0.batch(samples)
    }

    fn in_memory(&self) -> Option<ndarray::ArrayViewD<'_, T>> {
        self.0.in_memory()
    }

    fn layout(&self) -> Option<InputLayout> {
        self.0.layout()
    }
}

impl<'a, T: Real> EvaluationData<'a, T> {
    /// Creates data from inputs and their targets: class indices `(n,)` or rows `(n, n_outputs)`.
    #[must_use]
    pub fn new(inputs: impl Samples<T> + 'a, targets: &(impl IntoTargets + ?Sized)) -> Self {
        Self {
            inputs: Box::new(inputs),
            targets: targets.to_targets(),
            scoring: Scoring::default(),
            model: None,
            explained: ExplainerData::unnamed(),
            calls_explainers: false,
            first_sample: 0,
            presence_of: None,
            sides: Vec::new(),
            available: vec![input::INPUTS, input::TARGETS],
            read_as: input::INPUTS,
        }
    }

    /// Creates data from maps alone, for metrics that need nothing else. Their axes are interpreted like those of
    /// inputs; a channel axis is optional.
    #[must_use]
    pub fn from_maps(maps: impl Samples<T> + 'a) -> Self {
        let n = maps.shape().first().copied().unwrap_or_default();
        // The maps serve as inputs as well, which gives the run its shape. The targets are never read.
        let maps = Arc::new(maps);
        let mut data =
            Self::new(SharedMaps(Arc::clone(&maps)), &vec![0u8; n]).maps(SharedMaps(maps));
        data.available.clear();
        data.read_as = input::EXPLANATIONS;
        data
    }

    /// Sets the model.
    #[must_use]
    pub fn model<M: Model<T> + ?Sized>(mut self, model: &'a M) -> Self {
        self.model = Some(Box::new(BorrowedModel(model)));
        self
    }

    /// Sets a model that the data owns, so that it need not be borrowed.
    ///
    /// ```
    /// use ndarray::{Array2, array};
    /// use xai_attribution::model::model_fn;
    /// use xai_attribution::{Benchmark, EvaluationData, metric::AverageDrop};
    /// fn evaluation(inputs: Array2<f64>, maps: Array2<f64>) -> Benchmark<'static, f64> {
    ///     let model = model_fn(|batch| Ok(batch.into_dimensionality()?.to_owned()));
    ///     let data = EvaluationData::new(inputs, &[0]).owned_model(model);
    ///     Benchmark::on(data).maps("saliency", maps).metric(AverageDrop::new())
    /// }
    /// let table = evaluation(array![[4.0, 2.0]], array![[0.0, 1.0]]).evaluate()?;
    /// assert!((table.result("saliency", "average_drop").unwrap().value.unwrap() - 1.0).abs() < 1e-8);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    #[must_use]
    pub fn owned_model(mut self, model: impl Model<T> + 'a) -> Self {
        self.model = Some(Box::new(model));
        self
    }

    /// Sets the attribution maps of all samples.
    #[must_use]
    pub fn maps(mut self, maps: impl Samples<T> + 'a) -> Self {
        self.explained.maps = Some(Box::new(maps));
        self
    }

    /// Sets the explainer, for metrics that call it. It also computes the maps if [`maps`](Self::maps) are not set.
    #[must_use]
    pub fn explainer<X: Explainer<T> + ?Sized>(mut self, explainer: &'a X) -> Self {
        self.explained.explainer = Some(ExplainerData::borrow(explainer));
        self
    }

    /// Sets an explainer that the data owns, see [`explainer`](Self::explainer).
    #[must_use]
    pub fn owned_explainer(mut self, explainer: impl Explainer<T> + 'a) -> Self {
        self.explained.explainer = Some(Box::new(explainer));
        self
    }

    /// Adds a further input: [`Masks`](crate::side::Masks), [`Segments`](crate::side::Segments), or your own type.
    #[must_use]
    pub fn with<S: SideInput>(self, side: S) -> Self {
        self.with_side(S::INPUT, side, S::check)
    }

    /// Adds a further input with its check against the shape and the layout of the inputs.
    #[must_use]
    pub(crate) fn with_side<S: Any + Send + Sync>(
        mut self,
        input: Input,
        side: S,
        check: fn(&S, &[usize], InputLayout) -> Result<()>,
    ) -> Self {
        let value = Arc::new(side);
        let checked = Arc::clone(&value);
        self.available.push(input);
        self.sides.push(Side {
            value,
            check: Box::new(move |shape, layout| check(&checked, shape, layout)),
        });
        self
    }

    /// Declares that explainers of the caller are called with the inputs.
    #[must_use]
    pub(crate) fn calling_explainers(mut self) -> Self {
        self.calls_explainers = true;
        self
    }

    /// Kind of the rows that the model or an explainer is called with. `None` if neither is called.
    fn row_kind(&self) -> Option<RowKind> {
        let shape = self.inputs.shape();
        let mut second_maps = self
            .sides
            .iter()
            .filter_map(|side| side.value.downcast_ref());
        let calls_explainers = self.calls_explainers
            || self.explained.explainer.is_some()
            || second_maps.any(SecondMaps::calls_explainer);
        match &self.model {
            Some(model) => Some(model.row_kind(shape)),
            None => calls_explainers.then(|| RowKind::from_shape(shape)),
        }
    }

    /// Returns whether the inputs are tables, `(n, features)`.
    pub(crate) fn has_tables(&self) -> bool {
        self.inputs.shape().len() == 2
    }

    /// Number of samples.
    pub(crate) fn n_samples(&self) -> usize {
        self.inputs.shape().first().copied().unwrap_or_default()
    }

    /// Sets a layout for images without one, for results that do not depend on it.
    pub(crate) fn with_any_layout(mut self) -> Self {
        if self.inputs.shape().len() == 4 && self.inputs.layout().is_none() {
            self.scoring.layout.get_or_insert(InputLayout::ChannelsLast);
        }
        self
    }

    /// Sets the index of the first sample in a larger data set of which this is a part. Random choices depend on that
    /// index, so that evaluating a data set in parts gives the same values as evaluating it as a whole, except for
    /// metrics and baselines that use all samples (see [`Benchmark::first_sample`](crate::Benchmark::first_sample)).
    /// Default: 0.
    #[must_use]
    pub fn first_sample(mut self, first_sample: u64) -> Self {
        self.first_sample = first_sample;
        self
    }

    /// Declares the inputs to be presence indicators of the features of these samples.
    #[must_use]
    pub(crate) fn with_presence_of(mut self, samples: Arc<[usize]>) -> Self {
        self.presence_of = Some(samples);
        self
    }

    /// Inputs that are available to metrics, except maps and explainer.
    pub(crate) fn available_inputs(&self) -> Vec<Input> {
        let model = self.model.iter().map(|_| input::MODEL);
        self.available.iter().copied().chain(model).collect()
    }

    /// Checks everything except maps and metrics. With `any_shape`, inputs that fit no layout are treated as rows of
    /// a table; this is allowed if no map has to fit them.
    pub(crate) fn check(self, any_shape: bool) -> Result<CheckedData<'a, T>> {
        let row_kind = self.row_kind();
        let dataset = Dataset::new(
            self.inputs,
            self.targets?,
            self.scoring,
            self.first_sample,
            any_shape,
            self.read_as,
        )
        .map_err(|error| error.renamed(input::INPUTS, self.read_as))?;
        for side in &self.sides {
            (side.check)(dataset.shape(), dataset.layout())?;
        }
        let sides = self.sides.into_iter().map(|side| side.value).collect();
        Ok(CheckedData {
            model: match self.model {
                // A metric that calls the model without declaring it gets an error that says so.
                None => Box::new(MissingModel),
                Some(model) if self.scoring.allow_batch_dependence => model,
                Some(model) => Box::new(GuardedModel::new(model)),
            },
            dataset: dataset
                .with_sides(sides)
                .with_presence_of(self.presence_of)
                .with_row_kind(row_kind),
            explained: self.explained,
        })
    }
}

/// Checked data, ready to be visited batch by batch.
pub(crate) struct CheckedData<'a, T> {
    pub(crate) model: Box<dyn Model<T> + 'a>,
    pub(crate) dataset: Dataset<'a, T>,
    pub(crate) explained: ExplainerData<'a, T>,
}
