//! What a run is about, as the caller hands it in.

use std::any::Any;
use std::sync::Arc;

use ndarray::{CowArray, IxDyn};
use xai_core::{Input, Real, Result};

use crate::batch::{RunData, SideInput};
use crate::input;
use crate::model::batch_dependence::Guarded;
use crate::model::black_box::{Absent, Borrowed};
use crate::model::explainer::BorrowedExplainer;
use crate::model::{BoxError, Explainer, IntoTargets, Model, Samples, Scoring, Targets};

/// Everything that a metric may need: inputs and targets, and as far as the metric asks for them
/// a model, attribution maps, an explainer, and further inputs.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::batch::Data;
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, metric::Stability};
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let data = Data::new(x.view(), &[0, 1]).explainer(&twice).batch_size(1);
/// assert!(Stability::new().evaluate_on(data)?.value < 0.3);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub struct Data<'a, T> {
    inputs: Box<dyn Samples<T> + 'a>,
    targets: Result<Targets>,
    pub(crate) scoring: Scoring,
    model: Option<Box<dyn Model<T> + 'a>>,
    pub(crate) explained: Explained<'a, T>,
    first_sample: u64,
    /// The samples that rows of presence stand for, of a masked model.
    presence_of: Option<Arc<[usize]>>,
    sides: Vec<Side>,
    given: Vec<Input>,
    /// What errors of reading the inputs are about: the maps, where they are all there is.
    read_as: Input,
}

impl<T: Real> std::fmt::Debug for Data<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Data")
            .field("shape", &self.inputs.shape())
            .field("targets", &self.targets)
            .field("scoring", &self.scoring)
            .finish_non_exhaustive()
    }
}

/// A further input, and how it is checked.
struct Side {
    value: Arc<dyn Any + Send + Sync>,
    check: fn(&(dyn Any + Send + Sync), &[usize], xai_core::Layout) -> Result<()>,
}

/// An explainer to judge: by its maps of all samples, by asking it, or both.
pub(crate) struct Explained<'a, T> {
    /// `None` where there is only one.
    pub(crate) name: Option<String>,
    pub(crate) maps: Option<Box<dyn Samples<T> + 'a>>,
    pub(crate) explainer: Option<Box<dyn Explainer<T> + 'a>>,
}

impl<'a, T: Real> Explained<'a, T> {
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

    pub(crate) fn asking<X: Explainer<T> + ?Sized>(explainer: &'a X) -> Box<dyn Explainer<T> + 'a> {
        Box::new(BorrowedExplainer(explainer))
    }

    /// Whether metrics that need this can judge it.
    pub(crate) fn has(&self, need: Input) -> bool {
        match need {
            input::EXPLANATIONS => self.maps.is_some() || self.explainer.is_some(),
            _ => need == input::EXPLAINER && self.explainer.is_some(),
        }
    }
}

/// Maps that are judged by themselves.
struct SharedMaps<S>(Arc<S>);

impl<T: Real, S: Samples<T> + Send> Samples<T> for SharedMaps<S> {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn batch(&self, samples: std::ops::Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        self.0.batch(samples)
    }

    fn in_memory(&self) -> Option<ndarray::ArrayViewD<'_, T>> {
        self.0.in_memory()
    }
}

impl<'a, T: Real> Data<'a, T> {
    /// Inputs and their targets, class indices `(n,)` or rows `(n, n_outputs)`.
    #[must_use]
    pub fn new(inputs: impl Samples<T> + 'a, targets: &(impl IntoTargets + ?Sized)) -> Self {
        Self {
            inputs: Box::new(inputs),
            targets: targets.to_targets(),
            scoring: Scoring::default(),
            model: None,
            explained: Explained::unnamed(),
            first_sample: 0,
            presence_of: None,
            sides: Vec::new(),
            given: vec![input::INPUTS, input::TARGETS],
            read_as: input::INPUTS,
        }
    }

    /// Maps alone, for metrics that need nothing else. They are read by the layout of the inputs,
    /// with or without channels.
    #[must_use]
    pub fn from_maps(maps: impl Samples<T> + Send + 'a) -> Self {
        let n = maps.shape().first().copied().unwrap_or_default();
        let maps = Arc::new(maps);
        let mut data =
            Self::new(SharedMaps(Arc::clone(&maps)), &vec![0u8; n]).maps(SharedMaps(maps));
        data.given.clear();
        data.read_as = input::EXPLANATIONS;
        data
    }

    /// The model.
    #[must_use]
    pub fn model<M: Model<T> + ?Sized>(mut self, model: &'a M) -> Self {
        self.model = Some(Box::new(Borrowed(model)));
        self
    }

    /// The attribution maps of all samples.
    #[must_use]
    pub fn maps(mut self, maps: impl Samples<T> + 'a) -> Self {
        self.explained.maps = Some(Box::new(maps));
        self
    }

    /// The explainer, for metrics that ask it. Without [`maps`](Self::maps) it makes them, too.
    #[must_use]
    pub fn explainer<X: Explainer<T> + ?Sized>(mut self, explainer: &'a X) -> Self {
        self.explained.explainer = Some(Explained::asking(explainer));
        self
    }

    /// A further input: [`Masks`](super::Masks), [`Segments`](super::Segments), or one of your own.
    #[must_use]
    pub fn with<S: SideInput>(mut self, side: S) -> Self {
        self.given.push(S::INPUT);
        self.sides.push(Side {
            value: Arc::new(side),
            check: |side, shape, layout| match side.downcast_ref::<S>() {
                Some(side) => side.check(shape, layout),
                None => Ok(()),
            },
        });
        self
    }

    /// The place of the first sample in a larger data set of which this is a part. Random choices
    /// belong to a sample's place, so parts give the values of the whole. Default: 0.
    #[must_use]
    pub fn first_sample(mut self, first_sample: u64) -> Self {
        self.first_sample = first_sample;
        self
    }

    /// Says that the inputs are which features of these samples are there.
    #[must_use]
    pub(crate) fn with_presence_of(mut self, samples: Arc<[usize]>) -> Self {
        self.presence_of = Some(samples);
        self
    }

    /// What there is of what metrics may need, but for maps and explainer.
    pub(crate) fn given(&self) -> Vec<Input> {
        let model = self.model.iter().map(|_| input::MODEL);
        self.given.iter().copied().chain(model).collect()
    }

    /// Checks everything but maps and metrics. Inputs of `any_shape`, that no map has to fit, are
    /// rows where no layout fits them.
    pub(crate) fn check(self, any_shape: bool) -> Result<CheckedData<'a, T>> {
        let run = RunData::new(
            self.inputs,
            self.targets?,
            self.scoring,
            self.first_sample,
            any_shape,
            self.read_as,
        )
        .map_err(|error| error.renamed(input::INPUTS, self.read_as))?;
        for side in &self.sides {
            (side.check)(&*side.value, run.shape(), run.layout())?;
        }
        let sides = self.sides.into_iter().map(|side| side.value).collect();
        Ok(CheckedData {
            model: match self.model {
                None => Box::new(Absent),
                Some(model) if self.scoring.allow_batch_dependence => model,
                Some(model) => Box::new(Guarded::new(model)),
            },
            run: run.with_sides(sides).with_presence_of(self.presence_of),
            explained: self.explained,
        })
    }
}

/// Data that were checked, ready to be visited batch by batch.
pub(crate) struct CheckedData<'a, T> {
    pub(crate) model: Box<dyn Model<T> + 'a>,
    pub(crate) run: RunData<'a, T>,
    pub(crate) explained: Explained<'a, T>,
}
