//! What all batches of a run share: inputs, targets, further inputs, and how scores are taken.

use std::any::{Any, TypeId};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use ndarray::{Array2, Axis, CowArray, IxDyn};
use xai_core::error::LOOKS_TRANSPOSED;
use xai_core::evaluation::{OUTPUT_KIND, Remark, add_remarks};
use xai_core::tensor::Positions;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, Layout, Real, Result};

use crate::batch::SideInput;
use crate::batch::output_kind::{OutputKind, SeenOutputs};
use crate::model::black_box::lock;
use crate::model::samples::{check_in_memory, checked_batch};
use crate::model::{Samples, Scoring, Targets, rows_per_call};
use crate::{help, input};

/// Work for a whole run that does not call the model: a schedule of steps, a mean of all inputs.
///
/// It is done once per run, whoever asks: two values that are equal are the same work.
pub trait RunWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// What comes of it.
    type Output: Send + Sync + 'static;

    /// Does the work.
    ///
    /// # Errors
    /// Its own: what is wrong with its parameters is told here, before the model is called.
    fn compute(&self, run: &RunData<'_, T>) -> Result<Self::Output>;
}

/// The data of a run, checked.
pub struct RunData<'a, T> {
    inputs: Box<dyn Samples<T> + 'a>,
    /// What errors of reading the inputs are about.
    read_as: Input,
    targets: Targets,
    scoring: Scoring,
    layout: Layout,
    positions: Positions,
    /// The place of the first sample in the whole data set: what its random stream depends on.
    first_sample: u64,
    /// The samples that rows of presence stand for, of a masked model.
    presence_of: Option<Arc<[usize]>>,
    sides: Vec<Arc<dyn Any + Send + Sync>>,
    cache: Cache,
    /// Whether the target of each sample is class 1, where targets are of two classes.
    is_class_one: Option<Vec<bool>>,
    /// The number of outputs of the model, once it has answered.
    n_outputs: OnceLock<usize>,
    seen_outputs: Mutex<SeenOutputs>,
    assumed: Mutex<Vec<Remark>>,
}

impl<T: Real> std::fmt::Debug for RunData<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunData")
            .field("shape", &self.inputs.shape())
            .field("targets", &self.targets)
            .field("scoring", &self.scoring)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real> RunData<'a, T> {
    /// Checks what every metric needs. Inputs of `any_shape` are rows where no layout fits.
    pub(crate) fn new(
        inputs: Box<dyn Samples<T> + 'a>,
        targets: Targets,
        scoring: Scoring,
        first_sample: u64,
        any_shape: bool,
        read_as: Input,
    ) -> Result<Self> {
        scoring.check()?;
        let n = inputs.shape().first().copied().unwrap_or_default();
        if n == 0 {
            return Err(Error::empty(input::INPUTS));
        }
        if targets.n_samples() != n {
            return Err(Error::shape(input::TARGETS, &[n], &[targets.n_samples()]));
        }
        check_in_memory(input::INPUTS, &*inputs)?;
        let layout = match scoring.layout_of(inputs.shape()) {
            Err(_) if any_shape => None,
            layout => Some(layout?),
        };
        if inputs.shape().contains(&0) {
            return Err(Error::empty(input::INPUTS));
        }
        let (layout, positions) = match layout {
            Some(layout) => (layout, Positions::from_shape(inputs.shape(), layout)?),
            None => {
                let row = inputs.shape()[1..].iter().product();
                let layout = Layout::Tabular;
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

    /// Takes further inputs, which were checked against the shape.
    pub(crate) fn with_sides(mut self, sides: Vec<Arc<dyn Any + Send + Sync>>) -> Self {
        self.sides = sides;
        self
    }

    /// Says that the inputs are which features of these samples are there.
    pub(crate) fn with_presence_of(mut self, samples: Option<Arc<[usize]>>) -> Self {
        self.presence_of = samples;
        self
    }

    /// Whether the inputs say which features are there: a removed one is 0 then, and nothing else.
    #[must_use]
    pub fn is_masked_model(&self) -> bool {
        self.presence_of.is_some()
    }

    /// Refuses a masked model, for a metric that gives features other values than their own: what it knows is
    /// whether a feature is kept.
    ///
    /// # Errors
    /// An invalid parameter, about the model.
    pub fn refuse_masked_model(&self) -> Result<()> {
        match self.is_masked_model() {
            true => {
                let expected =
                    "a model of inputs, as the metric gives features other values than their own";
                Err(Error::parameter(input::MODEL, "a masked model", expected))
            }
            false => Ok(()),
        }
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.shape()[0]
    }

    /// The shape of all inputs, samples first.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.inputs.shape()
    }

    /// How the axes of the inputs are read.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The targets of all samples.
    #[must_use]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// How scores are taken.
    #[must_use]
    pub fn scoring(&self) -> &Scoring {
        &self.scoring
    }

    /// The largest number of rows that model and explainer are called with.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        let row_bytes = || self.positions.size() * size_of::<T>();
        let size = self.scoring.batch_size;
        size.unwrap_or_else(|| rows_per_call(row_bytes()))
    }

    /// The number of positions of a sample: pixels of an image, else elements.
    #[must_use]
    pub fn n_positions(&self) -> usize {
        self.positions.positions
    }

    /// The positions of a sample, and where their elements are in memory.
    #[must_use]
    pub fn positions(&self) -> Positions {
        self.positions
    }

    /// The place of a sample in the whole data set of which this run may be a part: what its
    /// random choices depend on.
    #[must_use]
    pub fn item(&self, sample: usize) -> u64 {
        match &self.presence_of {
            Some(_) => self.number(sample) as u64,
            None => self.first_sample + sample as u64,
        }
    }

    /// The number of a sample, as the caller counts them.
    pub(crate) fn number(&self, sample: usize) -> usize {
        self.presence_of.as_ref().map_or(sample, |of| of[sample])
    }

    /// Adds to what the result [assumed](crate::evaluation::EvaluationTable::assumed): a choice that nobody made, and that values
    /// depend on. Every remark is kept; one that was made before is not repeated.
    pub fn assume(&self, about: impl Into<String>, text: impl Into<String>) {
        add_remarks(&mut lock(&self.assumed), [Remark::new(about, text)]);
    }

    /// What was assumed, sorted, so that it does not depend on threads.
    pub(crate) fn assumed(&self) -> Vec<Remark> {
        let mut assumed = lock(&self.assumed).clone();
        assumed.sort_by(|a, b| (&a.about, &a.text).cmp(&(&b.about, &b.text)));
        assumed
    }

    /// Checks that outputs of the model fit the activation and the explained class, and takes down how many there are.
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

    /// Whether the model has two outputs, or one whose sign is the class, and targets are classes. It has to have answered.
    pub(crate) fn has_two_classes(&self) -> bool {
        let Some(is_class_one) = &self.is_class_one else {
            return false;
        };
        let n_expected = self.n_outputs_of_classes();
        // One output with the weight 1 for every sample is that of a regression.
        let are_classes = n_expected > 1 || is_class_one.contains(&false);
        are_classes && self.n_outputs.get() == Some(&n_expected)
    }

    /// The number of outputs of a model of two classes with such targets.
    fn n_outputs_of_classes(&self) -> usize {
        match &self.targets {
            Targets::Classes(_) => 2,
            Targets::Rows(rows) => rows.ncols(),
        }
    }

    /// Takes down a row of outputs, by which they are told to be [probabilities or logits](Self::decide_output_kind).
    pub(crate) fn see_outputs(&self, outputs: &[f64]) {
        lock(&self.seen_outputs).add(outputs);
    }

    /// Whether all outputs that were seen are probabilities or logits, which the result says.
    pub(crate) fn decide_output_kind(&self) -> OutputKind {
        let (kind, why) = lock(&self.seen_outputs).kind();
        self.assume(OUTPUT_KIND, format!("outputs were read as {why}"));
        kind
    }

    /// Says which class given maps were taken to explain, if the model has two and nobody said it.
    pub(crate) fn assume_explained_class(&self) {
        if self.scoring.explained_class.is_none() && self.has_two_classes() {
            let text = "the maps were taken to explain the class of each sample's target";
            self.assume(input::EXPLAINED_CLASS.name(), text);
        }
    }

    /// Whether the target of each sample is class 1, where targets are of two classes.
    pub(crate) fn is_class_one(&self) -> Option<&[bool]> {
        self.is_class_one.as_deref()
    }

    /// Given maps of some samples as maps of their targets: negated where the target is not the
    /// [explained class](crate::Evaluate::explained_class).
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

    /// Whether given maps explain the class that is not the target of a sample.
    pub(crate) fn explains_other_class(&self, sample: usize) -> bool {
        match (self.scoring.explained_class, &self.is_class_one) {
            (Some(class), Some(is_class_one)) => usize::from(is_class_one[sample]) != class,
            _ => false,
        }
    }

    /// A further input, if the run has it.
    #[must_use]
    pub fn get_side<S: SideInput>(&self) -> Option<&S> {
        let wanted = |side: &&Arc<dyn Any + Send + Sync>| (***side).type_id() == TypeId::of::<S>();
        self.sides.iter().find(wanted)?.downcast_ref()
    }

    /// A further input.
    ///
    /// # Errors
    /// Empty, about that input, where the run does not have it: list it among the needs of a
    /// metric, and that is told before the model is called.
    pub fn side<S: SideInput>(&self) -> Result<&S> {
        self.get_side().ok_or_else(|| missing(S::INPUT))
    }

    /// Some work for the whole run, done once.
    ///
    /// # Errors
    /// Those of the work.
    pub fn shared<W: RunWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// The samples of each batch, in order.
    pub fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<T> {
        let (n, size) = (self.n_samples(), self.batch_size());
        (0..n)
            .step_by(size)
            .map(move |start| start..start.saturating_add(size).min(n))
    }

    /// Some inputs, checked, in row-major order.
    ///
    /// # Errors
    /// Those of the reader; non-finite elements.
    pub fn inputs(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>> {
        checked_batch(self.read_as, &*self.inputs, samples)
    }

    /// How a call of the model or the explainer on a batch is described.
    pub(crate) fn call(&self, samples: &Range<usize>) -> String {
        let batch = samples.start / self.batch_size();
        match &self.presence_of {
            Some(of) => {
                let of: Vec<String> = of[samples.clone()]
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                format!("batch {batch} (of samples {})", of.join(", "))
            }
            None => format!("batch {batch} ({})", numbered_range("sample", samples)),
        }
    }

    /// Refuses inputs of another layout, for a metric that has no value for them.
    ///
    /// # Errors
    /// A shape mismatch about what the layout was read from.
    pub fn only(&self, layouts: &[Layout], expected: &'static str) -> Result<()> {
        match layouts.contains(&self.layout) {
            true => Ok(()),
            false => Err(Error::shape_described(self.read_as, expected, self.shape())),
        }
    }

    /// Checks that maps fit the inputs, before the model is called at all.
    pub(crate) fn check_maps(&self, maps: &dyn Samples<T>) -> Result<()> {
        let (n, shape) = (self.n_samples(), maps.shape());
        if shape.first() != Some(&n) {
            let expected = format!("{n} samples, as the inputs");
            let error = Error::shape_described(input::EXPLANATIONS, expected, shape);
            let is_transposed = shape.last() == Some(&n);
            return Err(match is_transposed {
                true => error.with_help(LOOKS_TRANSPOSED),
                false => error,
            });
        }
        check_in_memory(input::EXPLANATIONS, maps)?;
        Positions::check_maps(self.shape(), shape, self.layout)
    }
}

/// An input that a metric needs and the run does not have.
pub(crate) fn missing(input: Input) -> Error {
    Error::empty(input).with_help(help::GIVE_INPUT)
}

/// Work with its result, of any types.
type Done = Box<dyn Any + Send + Sync>;

/// Results by type and parameters of the work they come from, which batches and threads may share.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Vec<Done>>);

/// The result of some work, if it is among those.
fn result_of<K: PartialEq + 'static, V: Send + Sync + 'static>(
    done: &[Done],
    work: &K,
) -> Option<Arc<V>> {
    let mut known = done.iter().filter_map(|e| e.downcast_ref::<(K, Arc<V>)>());
    let (_, value) = known.find(|(key, _)| key == work)?;
    Some(Arc::clone(value))
}

impl Cache {
    /// The result of some work, if it was done.
    pub(crate) fn get<K: PartialEq + 'static, V: Send + Sync + 'static>(
        &self,
        work: &K,
    ) -> Option<Arc<V>> {
        result_of(&lock(&self.0), work)
    }

    /// Lets go of the result of some work.
    pub(crate) fn forget<K: PartialEq + 'static, V: 'static>(&self, work: &K) {
        lock(&self.0).retain(|entry| {
            let known = entry.downcast_ref::<(K, Arc<V>)>();
            known.is_none_or(|(key, _)| key != work)
        });
    }

    /// The result of some work, done once; it may ask the cache for other work. What two threads begin at once is done twice
    /// and kept once.
    pub(crate) fn get_or<K, V>(&self, work: &K, make: impl FnOnce() -> Result<V>) -> Result<Arc<V>>
    where
        K: PartialEq + Clone + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        if let Some(value) = self.get(work) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        let mut done = lock(&self.0);
        if let Some(first) = result_of(&done, work) {
            return Ok(first);
        }
        done.push(Box::new((work.clone(), Arc::clone(&value))));
        Ok(value)
    }
}
