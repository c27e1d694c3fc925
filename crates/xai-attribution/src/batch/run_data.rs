//! Data that all batches of a run share: inputs, targets, further inputs, and the scoring.

use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use ndarray::{Array2, Axis, CowArray, IxDyn};
use xai_core::error::LOOKS_TRANSPOSED;
use xai_core::evaluation::{OUTPUT_KIND, Remark, add_remarks};
use xai_core::tensor::Positions;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, InputLayout, Real, Result};

use crate::batch::output_kind::{OutputKind, SeenOutputs};
use crate::model::black_box::lock;
use crate::model::samples::{check_in_memory, checked_batch};
use crate::model::{RowKind, Samples, Scoring, Targets, rows_per_call};
use crate::side::SideInput;
use crate::{help, input};

/// Work for a whole run that does not call the model, for example a schedule of steps or the mean of all inputs.
///
/// It is computed once per run. Two equal values are the same work.
pub trait DatasetWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// Result of the work.
    type Output: Send + Sync + 'static;

    /// Computes the result.
    ///
    /// # Errors
    /// Errors of the work itself. Invalid parameters are reported here, before the model is called.
    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Self::Output>;
}

/// Checked data of a run.
pub struct Dataset<'a, T> {
    inputs: Box<dyn Samples<T> + 'a>,
    /// Input that reading errors name.
    read_as: Input,
    targets: Targets,
    scoring: Scoring,
    /// Kind of the rows that the model or an explainer is called with. `None` if neither is called.
    row_kind: Option<RowKind>,
    layout: InputLayout,
    positions: Positions,
    /// Index of the first sample in the whole data set. Selects the random stream.
    first_sample: u64,
    /// Samples that the rows of presence indicators stand for, with a masked model.
    presence_of: Option<Arc<[usize]>>,
    sides: Vec<Arc<dyn Any + Send + Sync>>,
    cache: Cache,
    /// Whether the target of each sample is class 1. `None` unless the targets are of two classes.
    is_class_one: Option<Vec<bool>>,
    /// Number of outputs of the model, known after its first answer.
    n_outputs: OnceLock<usize>,
    seen_outputs: Mutex<SeenOutputs>,
    assumed: Mutex<Vec<Remark>>,
}

impl<T: Real> std::fmt::Debug for Dataset<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("shape", &self.inputs.shape())
            .field("targets", &self.targets)
            .field("scoring", &self.scoring)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real> Dataset<'a, T> {
    /// Checks what every metric needs. With `any_shape`, inputs that fit no layout are treated as rows of a table.
    pub(crate) fn new(
        inputs: Box<dyn Samples<T> + 'a>,
        targets: Targets,
        mut scoring: Scoring,
        first_sample: u64,
        any_shape: bool,
        read_as: Input,
    ) -> Result<Self> {
        scoring.check()?;
        check_same_layout(scoring.layout, inputs.layout())?;
        scoring.layout = scoring.layout.or(inputs.layout());
        let n = inputs.shape().first().copied().unwrap_or_default();
        if n == 0 {
            return Err(Error::empty(input::INPUTS));
        }
        if targets.n_samples() != n {
            return Err(Error::shape(input::TARGETS, &[n], &[targets.n_samples()]));
        }
        check_in_memory(input::INPUTS, &*inputs)?;
        let layout = match scoring.layout_of(inputs.shape()) {
            // Images are refused without a layout in every run.
            Err(error) if any_shape && error.input() != input::LAYOUT => None,
            layout => Some(layout?),
        };
        if inputs.shape().contains(&0) {
            return Err(Error::empty(input::INPUTS));
        }
        let (layout, positions) = match layout {
            Some(layout) => (layout, Positions::from_shape(inputs.shape(), layout)?),
            None => {
                // Flattened to rows of a table: positions only need the number of elements.
                let row = inputs.shape()[1..].iter().product();
                let layout = InputLayout::Tabular;
                (layout, Positions::from_shape(&[n, row], layout)?)
            }
        };
        let is_class_one = targets.binary();
        if let (Some(class), None) = (scoring.explained_class, &is_class_one) {
            let expected = "left out: the targets are not of two classes";
            return Err(Error::parameter(input::EXPLAINED_CLASS, class, expected));
        }
        Ok(Self {
            inputs,
            read_as,
            targets,
            scoring,
            row_kind: None,
            layout,
            positions,
            first_sample,
            presence_of: None,
            sides: Vec::new(),
            cache: Cache::default(),
            is_class_one,
            n_outputs: OnceLock::new(),
            seen_outputs: Mutex::default(),
            assumed: Mutex::default(),
        })
    }

    /// Sets the further inputs, which must have been checked against the shape.
    pub(crate) fn with_sides(mut self, sides: Vec<Arc<dyn Any + Send + Sync>>) -> Self {
        self.sides = sides;
        self
    }

    /// Sets the kind of the rows that the model or an explainer is called with.
    pub(crate) fn with_row_kind(mut self, row_kind: Option<RowKind>) -> Self {
        self.row_kind = row_kind;
        self
    }

    /// Declares the inputs to be presence indicators of the features of these samples.
    pub(crate) fn with_presence_of(mut self, samples: Option<Arc<[usize]>>) -> Self {
        self.presence_of = samples;
        self
    }

    /// Returns whether the model is a [masked model](crate::masked). The inputs are then presence indicators: 1 for a
    /// kept feature and 0 for a removed one, with no other values.
    #[must_use]
    pub fn is_masked_model(&self) -> bool {
        self.presence_of.is_some()
    }

    /// Refuses a masked model, for a metric that sets features to other values than their own. A masked model only
    /// supports keeping and removing features.
    ///
    /// # Errors
    /// An invalid parameter, about the model.
    pub fn refuse_masked_model(&self) -> Result<()> {
        if !self.is_masked_model() {
            return Ok(());
        }
        let expected =
            "a model of inputs, as the metric gives features other values than their own";
        Err(Error::parameter(input::MODEL, "a masked model", expected))
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.shape()[0]
    }

    /// Shape of all inputs, samples first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.inputs.shape()
    }

    /// Meaning of the axes of the inputs.
    #[must_use]
    pub fn layout(&self) -> InputLayout {
        self.layout
    }

    /// Targets of all samples.
    #[must_use]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// Activation, batch size and other settings by which scores are read from the model.
    #[must_use]
    pub fn scoring(&self) -> &Scoring {
        &self.scoring
    }

    /// Largest number of rows per call of the model or the explainer.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.scoring.batch_size.unwrap_or_else(|| {
            // Batches that are only read are limited by their memory alone.
            let kind = self.row_kind.unwrap_or(RowKind::Table);
            rows_per_call(kind, self.positions.size() * size_of::<T>())
        })
    }

    /// [Batch size](Self::batch_size) of the calls. `None` if neither a model nor an explainer is called.
    pub(crate) fn call_size(&self) -> Option<usize> {
        self.row_kind.map(|_| self.batch_size())
    }

    /// Number of positions per sample: pixels of an image, elements of other inputs.
    #[must_use]
    pub fn n_positions(&self) -> usize {
        self.positions.positions
    }

    /// InputLayout of positions and channels in a sample.
    #[must_use]
    pub fn positions(&self) -> Positions {
        self.positions
    }

    /// Index of a sample in the whole data set, of which this run may be a part. Selects the random stream of the
    /// sample.
    #[must_use]
    pub fn item(&self, sample: usize) -> u64 {
        match &self.presence_of {
            // A masked evaluation groups samples by their number of features. Their own numbers keep random choices
            // independent of the grouping.
            Some(_) => self.number(sample) as u64,
            None => self.first_sample + sample as u64,
        }
    }

    /// Index of a sample as the caller counts them, for error messages.
    pub(crate) fn number(&self, sample: usize) -> usize {
        self.presence_of
            .as_ref()
            .map_or(sample, |samples| samples[sample])
    }

    /// Adds a remark to [`assumed`](crate::table::EvaluationTable::assumed) of the result: a choice that nobody
    /// made and that values depend on. Repeated remarks are kept once.
    pub fn assume(&self, about: impl Into<String>, text: impl Into<String>) {
        add_remarks(&mut lock(&self.assumed), [Remark::new(about, text)]);
    }

    /// Remarks so far, sorted so that their order does not depend on threads.
    pub(crate) fn assumed(&self) -> Vec<Remark> {
        let mut assumed = lock(&self.assumed).clone();
        assumed.sort_by(|a, b| (&a.about, &a.text).cmp(&(&b.about, &b.text)));
        assumed
    }

    /// Checks outputs of the model against the activation and the explained class, and stores their number.
    pub(crate) fn check_outputs(&self, outputs: &Array2<f64>) -> Result<()> {
        let n_outputs = outputs.ncols();
        let _ = self.n_outputs.set(n_outputs);
        self.scoring.check_n_outputs(n_outputs)?;
        match self.scoring.explained_class {
            Some(class) if self.n_outputs_of_classes() != n_outputs => {
                let expected =
                    format!("left out: the model has {n_outputs} outputs, not two classes");
                Err(Error::parameter(input::EXPLAINED_CLASS, class, expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether this is a classifier of two classes: two outputs, or one whose sign is the class, with class
    /// targets. False until the model has answered.
    pub(crate) fn has_two_classes(&self) -> bool {
        let Some(is_class_one) = &self.is_class_one else {
            return false;
        };
        let n_expected = self.n_outputs_of_classes();
        // One output with the weight 1 for every sample is that of a regression.
        let are_classes = n_expected > 1 || is_class_one.contains(&false);
        are_classes && self.n_outputs.get() == Some(&n_expected)
    }

    /// Number of outputs of a two-class model with targets of this form.
    fn n_outputs_of_classes(&self) -> usize {
        match &self.targets {
            Targets::Classes(_) => 2,
            Targets::Rows(rows) => rows.ncols(),
        }
    }

    /// Includes a row of outputs in the [decision](Self::decide_output_kind) between probabilities and logits.
    pub(crate) fn see_outputs(&self, outputs: &[f64]) {
        lock(&self.seen_outputs).add(outputs);
    }

    /// Decides from all outputs seen whether they are probabilities or logits, and adds the decision to the
    /// assumptions of the result.
    pub(crate) fn decide_output_kind(&self) -> OutputKind {
        let (kind, why) = lock(&self.seen_outputs).kind();
        self.assume(OUTPUT_KIND, format!("outputs were read as {why}"));
        kind
    }

    /// Adds to the assumptions which class the given maps explain, if the model has two classes and the caller did
    /// not say.
    pub(crate) fn assume_explained_class(&self) {
        if self.scoring.explained_class.is_none() && self.has_two_classes() {
            let text = "the maps were taken to explain the class of each sample's target";
            self.assume(input::EXPLAINED_CLASS.name(), text);
        }
    }

    /// Whether the target of each sample is class 1. `None` unless the targets are of two classes.
    pub(crate) fn is_class_one(&self) -> Option<&[bool]> {
        self.is_class_one.as_deref()
    }

    /// Turns given maps of some samples into maps of their targets: negated if the target is not the [explained
    /// class](crate::Evaluate::explained_class).
    pub(crate) fn towards_targets<'m, E: Real>(
        &self,
        maps: CowArray<'m, E, IxDyn>,
        samples: Range<usize>,
    ) -> CowArray<'m, E, IxDyn> {
        if self.scoring.explained_class.is_none() {
            return maps;
        }
        let mut maps = maps.into_owned();
        for (mut map, sample) in maps.axis_iter_mut(Axis(0)).zip(samples) {
            if self.explains_other_class(sample) {
                map.mapv_inplace(|value| -value);
            }
        }
        maps.into()
    }

    /// Returns whether given maps explain the class that is not the target of this sample.
    pub(crate) fn explains_other_class(&self, sample: usize) -> bool {
        match (self.scoring.explained_class, &self.is_class_one) {
            (Some(class), Some(is_class_one)) => usize::from(is_class_one[sample]) != class,
            _ => false,
        }
    }

    /// Returns a further input, if the run has it.
    #[must_use]
    pub fn get_side<S: SideInput>(&self) -> Option<&S> {
        self.sides_of().next()
    }

    /// The further inputs of a type.
    pub(crate) fn sides_of<S: Any>(&self) -> impl Iterator<Item = &S> {
        self.sides.iter().filter_map(|side| side.downcast_ref())
    }

    /// Returns a further input.
    ///
    /// # Errors
    /// An empty-input error if the run does not have it. A metric that lists the input among its needs gets this
    /// error before the model is called.
    pub fn side<S: SideInput>(&self) -> Result<&S> {
        self.get_side().ok_or_else(|| missing(S::INPUT))
    }

    /// Returns the result of some work for the whole run, computed once.
    ///
    /// # Errors
    /// Errors of the work.
    pub fn shared<W: DatasetWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// Sample ranges of the batches, in order.
    pub fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<T> {
        let (n, size) = (self.n_samples(), self.batch_size());
        (0..n)
            .step_by(size)
            .map(move |start| start..start.saturating_add(size).min(n))
    }

    /// Inputs of some samples, checked, in row-major order.
    ///
    /// # Errors
    /// Errors of the reader; non-finite elements.
    pub fn inputs(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>> {
        checked_batch(self.read_as, &*self.inputs, samples)
    }

    /// Name of a call of the model or the explainer in error messages.
    pub(crate) fn call(&self, samples: &Range<usize>) -> String {
        let batch = samples.start / self.batch_size();
        match &self.presence_of {
            Some(numbers) => {
                let numbers: Vec<String> = numbers[samples.clone()]
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                format!("batch {batch} (of samples {})", numbers.join(", "))
            }
            None => format!("batch {batch} ({})", numbered_range("sample", samples)),
        }
    }

    /// Refuses inputs of other layouts, for a metric that is undefined for them.
    ///
    /// # Errors
    /// A shape mismatch of the inputs.
    pub fn require_layout(&self, layouts: &[InputLayout], expected: &'static str) -> Result<()> {
        if layouts.contains(&self.layout) {
            Ok(())
        } else {
            Err(Error::shape_described(self.read_as, expected, self.shape()))
        }
    }

    /// Checks the shape of the maps, and their values if they are in memory, before the model is called.
    pub(crate) fn check_maps(&self, maps: &dyn Samples<T>) -> Result<()> {
        let (n, shape) = (self.n_samples(), maps.shape());
        if shape.first() != Some(&n) {
            let expected = format!("{n} samples, as the inputs");
            let error = Error::shape_described(input::EXPLANATIONS, expected, shape);
            // Axes of length 1, such as channels, may be missing.
            let reversed = shape.iter().rev().filter(|&&size| size != 1);
            let is_transposed = reversed.eq(self.shape().iter().filter(|&&size| size != 1));
            return Err(if is_transposed {
                error.with_help(LOOKS_TRANSPOSED)
            } else {
                error
            });
        }
        check_in_memory(input::EXPLANATIONS, maps)?;
        check_same_layout(self.scoring.layout, maps.layout())?;
        Positions::check_maps(self.shape(), shape, self.layout)
    }
}

/// Checks that the layout of samples that know theirs is the layout of the run, if both are known.
fn check_same_layout(expected: Option<InputLayout>, actual: Option<InputLayout>) -> Result<()> {
    match (expected, actual) {
        (Some(expected), Some(actual)) if expected != actual => {
            let expected = format!("{expected:?}, as the run");
            Err(Error::parameter(
                input::LAYOUT,
                format!("{actual:?}"),
                expected,
            ))
        }
        _ => Ok(()),
    }
}

/// Error for an input that a metric needs and the run does not have.
pub(crate) fn missing(input: Input) -> Error {
    Error::missing(input).with_help(help::GIVE_INPUT)
}

/// A pair of work and result, of any types.
type CachedResult = Box<dyn Any + Send + Sync>;

/// Cached results, keyed by the type and the value of the work. Shared by threads.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Vec<CachedResult>>);

/// Finds the cached result of some work.
fn find_result<K: PartialEq + 'static, V: Send + Sync + 'static>(
    results: &[CachedResult],
    work: &K,
) -> Option<Arc<V>> {
    let mut known = results
        .iter()
        .filter_map(|e| e.downcast_ref::<(K, Arc<V>)>());
    let (_, value) = known.find(|(key, _)| key == work)?;
    Some(Arc::clone(value))
}

impl Cache {
    /// Result of some work, if it is cached.
    pub(crate) fn get<K: PartialEq + 'static, V: Send + Sync + 'static>(
        &self,
        work: &K,
    ) -> Option<Arc<V>> {
        find_result(&lock(&self.0), work)
    }

    /// Removes the result of some work.
    pub(crate) fn forget<K: PartialEq + 'static, V: 'static>(&self, work: &K) {
        lock(&self.0).retain(|entry| {
            let known = entry.downcast_ref::<(K, Arc<V>)>();
            known.is_none_or(|(key, _)| key != work)
        });
    }

    /// Result of some work, computed by `make` unless it is cached.
    ///
    /// `make` runs without holding the lock, because it may request other work from this cache. If two threads
    /// compute the same work at the same time, the first result is kept.
    pub(crate) fn get_or<K, V>(&self, work: &K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>>
    where
        K: PartialEq + Clone + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        if let Some(value) = self.get(work) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let mut results = lock(&self.0);
        if let Some(first) = find_result(&results, work) {
            return Ok(first);
        }
        results.push(Box::new((work.clone(), Arc::clone(&value))));
        Ok(value)
    }
}
