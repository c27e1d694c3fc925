//! Baselines: replacements for removed positions.

use std::borrow::Cow;
use std::sync::Arc;

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Slice};
use xai_core::describe::Parameter;
use xai_core::number::check_finite;
use xai_core::{Error, ExactMean, Input, InputLayout, Real, Result};

use crate::batch::{BatchWork, Dataset, Plan, SampleBatch};
use crate::model::Function;
use crate::perturbation::DatasetMean;
use crate::perturbation::absence::blur::blurred;
use crate::side::SideInput;
use crate::{help, input};

/// Replacement for removed positions, for [`Deletion`](crate::metric::Deletion),
/// [`Insertion`](crate::metric::Insertion), [`MuFidelity`](crate::metric::MuFidelity) and metrics of your own.
///
/// No choice is neutral: a value that the model interprets as evidence (black, on images of digits) gives other
/// results than one that it does not. Report the baseline with the numbers.
///
/// A number, and a `Vec` of one number per channel, convert to a baseline:
///
/// ```
/// use xai_attribution::metric::Deletion;
/// use xai_attribution::perturbation::Baseline;
/// let black = Deletion::new().baseline(0.0);
/// let grey = Deletion::new().baseline(vec![0.485, 0.456, 0.406]);
/// let blurred = Deletion::new().baseline(Baseline::Blur { sigma: 5.0 });
/// let inverted = Deletion::new().baseline(Baseline::from_fn(|x| x.mapv(|v| 1.0 - v)));
/// ```
#[derive(Debug, Clone, PartialEq, Parameter)]
#[non_exhaustive]
pub enum Baseline {
    /// One number for all elements. Default: 0.
    #[param(plain)]
    Value(f64),
    /// One number per channel of images, or per variable of tables and time series.
    #[param(plain)]
    Channels(Vec<f64>),
    /// Mean of all inputs of the evaluation, element by element. Needs one more pass over the inputs, but no call of
    /// the model.
    #[param(name = "mean")]
    DatasetMean,
    /// The input itself, blurred by a Gaussian with this standard deviation in pixels (or time steps), along height
    /// and width of images and along the time axis of time series. The kernel is cut off at 4 σ, and the input is
    /// mirrored at its edges.
    #[param(value_name = "SIGMA", above = 0, at_most = 10_000)]
    Blur {
        /// Standard deviation, positive and at most 10 000.
        sigma: f64,
    },
    /// Smallest element of the input over all channels, called "black" in other libraries.
    SampleMin,
    /// Mean of the elements of the input.
    SampleMean,
    /// Largest element of the input.
    SampleMax,
    /// Noisy linear imputation without the noise: each removed pixel is the weighted mean of its eight neighbours,
    /// with weight 1/6 for direct and 1/12 for diagonal ones, some of which may be removed as well.
    ///
    /// All pixels removed together are the solution of one linear system, so that a removed disk becomes smooth and
    /// reveals less of its shape than a constant. At least one pixel must remain to impute from, so curves have to
    /// end before everything is removed.
    LinearImputation,
    /// One input for all samples, with the shape of one sample, for example the mean of a training set.
    #[param(skip)]
    Input(Arc<ArrayD<f64>>),
    /// Function of each input, see [`Baseline::from_fn`].
    #[param(skip)]
    Function(BaselineFunction),
    /// One of the given baselines of the run, by its index from 0. See [`PrecomputedBaselines`].
    #[param(value_name = "PLACE", default = 0)]
    Given(usize),
}

/// Given baselines: each is an array with the shape of the inputs, or `(1, …)` if all samples share it.
#[derive(Debug, Clone, PartialEq)]
pub struct PrecomputedBaselines(pub Vec<ArrayD<f64>>);

impl SideInput for PrecomputedBaselines {
    const INPUT: Input = input::BASELINE;

    fn check(&self, shape: &[usize], _layout: InputLayout) -> Result<()> {
        self.0.iter().try_for_each(|given| {
            let n = given.shape().first().copied().unwrap_or_default();
            if given.shape().get(1..) != Some(&shape[1..]) || (n != 1 && n != shape[0]) {
                return Err(Error::shape(Self::INPUT, shape, given.shape()));
            }
            check_finite(Self::INPUT, given.view())
        })
    }
}

impl PrecomputedBaselines {
    /// Returns the given baseline of a run with this index.
    fn get<'r, T: Real>(dataset: &'r Dataset<'_, T>, index: usize) -> Result<&'r ArrayD<f64>> {
        let given = &dataset.side::<Self>()?.0;
        given.get(index).ok_or_else(|| {
            let expected = format!("a place below {}", given.len());
            Error::parameter(input::BASELINE, format!("given:{index}"), expected)
        })
    }
}

/// Function from one input to its baseline, both with the shape of one sample.
pub type BaselineFunction = Function<dyn Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync>;

impl Baseline {
    /// Creates a baseline that depends on the input. `function` receives one sample without the sample axis and
    /// returns an array of the same shape.
    pub fn from_fn(
        function: impl Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::Function(Function(Arc::new(function)))
    }

    /// Creates a baseline that is one input for all samples, with the shape of one sample.
    #[must_use]
    pub fn input(input: ArrayD<f64>) -> Self {
        Self::Input(Arc::new(input))
    }

    /// Checks the baseline against the inputs of a run, and computes the mean of all inputs if it is needed. Called
    /// once per run, before the model.
    ///
    /// # Errors
    /// An invalid parameter, a shape mismatch, or NaN or infinity, about the baseline; an empty-input error if given
    /// baselines are missing; errors of the reader of the inputs for their mean.
    pub fn prepare<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        input::check_kind(input::BASELINE, self)?;
        // The inputs of a masked model are presence indicators, in which 0 means removed.
        if dataset.is_masked_model() && !matches!(self, Self::Value(0.0)) {
            let expected =
                "0: a masked model is asked without the feature, whatever stands in its place";
            return Err(Error::parameter(input::BASELINE, self.to_value(), expected));
        }
        match self {
            Self::Value(value) => check_representable::<T>(*value),
            Self::Channels(values) => {
                let (shape, layout) = (dataset.shape(), dataset.layout());
                let (n, per) = match layout {
                    InputLayout::ChannelsFirst => (shape[1], "channel"),
                    InputLayout::ChannelsLast => (shape[3], "channel"),
                    // Inputs that fit no layout are treated as rows of a table.
                    InputLayout::Tabular => (dataset.n_positions(), "feature"),
                    InputLayout::TimeSeries => (shape[2], "feature"),
                };
                values
                    .iter()
                    .try_for_each(|value| check_representable::<T>(*value))?;
                if values.len() != n {
                    let actual = format!("{} numbers", values.len());
                    let expected = format!("{n}, one per {per}");
                    return Err(Error::parameter(input::BASELINE, actual, expected));
                }
                Ok(())
            }
            Self::Blur { .. } if dataset.layout() == InputLayout::Tabular => Err(Error::parameter(
                input::BASELINE,
                "blur",
                "one for tables, whose features have no neighbours to blur with",
            )
            .with_help(help::CHOOSE_OTHER_BASELINE)),
            Self::Input(one) if one.shape() != &dataset.shape()[1..] => Err(Error::shape(
                input::BASELINE,
                &dataset.shape()[1..],
                one.shape(),
            )),
            Self::Input(one) => {
                check_finite(input::BASELINE, one.view())?;
                one.iter()
                    .try_for_each(|value| check_representable::<T>(*value))
            }
            Self::DatasetMean => dataset.shared(&DatasetMean).map(drop),
            Self::LinearImputation => match dataset.layout() {
                InputLayout::ChannelsFirst | InputLayout::ChannelsLast => Ok(()),
                InputLayout::Tabular | InputLayout::TimeSeries => Err(Error::parameter(
                    input::BASELINE,
                    "linear-imputation",
                    "one for inputs that are no images",
                )
                .with_help(help::CHOOSE_OTHER_BASELINE)),
            },
            Self::Blur { .. } | Self::SampleMin | Self::SampleMean | Self::SampleMax => Ok(()),
            Self::Function(_) => Ok(()),
            Self::Given(index) => {
                let given = PrecomputedBaselines::get(dataset, *index)?;
                given
                    .iter()
                    .try_for_each(|value| check_representable::<T>(*value))
            }
        }
    }

    /// Like [`prepare`](Self::prepare), for metrics that pass an input to the model that consists of the baseline
    /// alone.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); an invalid parameter for linear imputation, which has no such input.
    pub fn prepare_whole<T: Real>(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        match self {
            Self::LinearImputation => Err(nothing_left()),
            _ => self.prepare(dataset),
        }
    }

    /// Baseline of every sample of a batch, or a single one that they share, in row-major order.
    fn values<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<T>> {
        let dataset = batch.dataset();
        let positions = dataset.positions();
        let shared = |one: &dyn Fn(usize) -> f64| -> Vec<T> {
            (0..positions.size())
                .map(|e| T::from_f64_nearest(one(e)))
                .collect()
        };
        Ok(match self {
            Self::Value(value) => shared(&|_| *value),
            // Channels first: one block of elements per channel. In all other layouts channels alternate.
            Self::Channels(values) if dataset.layout() == InputLayout::ChannelsFirst => {
                shared(&|e| values[e / positions.positions])
            }
            Self::Channels(values) => shared(&|e| values[e % values.len()]),
            Self::DatasetMean => {
                let mean = dataset.shared(&DatasetMean)?;
                shared(&|e| mean[e])
            }
            Self::Input(one) => {
                let one: Vec<f64> = one.iter().copied().collect();
                shared(&|e| one[e])
            }
            Self::SampleMin => fill_samples(batch, |x| x.iter().copied().fold(T::INFINITY, T::min)),
            Self::SampleMax => {
                fill_samples(batch, |x| x.iter().copied().fold(T::NEG_INFINITY, T::max))
            }
            Self::SampleMean => fill_samples(batch, |x| {
                // An exact mean does not depend on the order of the elements, and so not on the layout.
                let mean: ExactMean = x.iter().copied().collect();
                T::from_f64_nearest(mean.value().unwrap_or_default())
            }),
            Self::LinearImputation => return Err(nothing_left()),
            Self::Blur { sigma } => blurred(batch.inputs(), batch.layout(), *sigma),
            Self::Function(function) => call_function(function, batch)?,
            Self::Given(index) => {
                let given = PrecomputedBaselines::get(dataset, *index)?;
                let samples = match given.shape()[0] {
                    1 => 0..1,
                    _ => batch.samples(),
                };
                let selected = given.slice_axis(Axis(0), Slice::from(samples));
                selected.iter().map(|x| T::from_f64_nearest(*x)).collect()
            }
        })
    }
}

/// Fills each sample with one value computed from its elements.
fn fill_samples<T: Real>(batch: &SampleBatch<'_, T>, value: impl Fn(&[T]) -> T) -> Vec<T> {
    let size = batch.dataset().positions().size();
    let samples = batch.values().chunks_exact(size);
    samples
        .flat_map(|sample| std::iter::repeat_n(value(sample), size))
        .collect()
}

/// Error for imputation of an input without remaining pixels.
pub(crate) fn nothing_left() -> Error {
    let expected = "a baseline that does not need something left of the input, or to remove less than all of it";
    Error::parameter(input::BASELINE, "linear-imputation", expected)
        .with_help(help::REMOVE_LESS_THAN_ALL)
}

/// Checks that a value is representable in the precision of the inputs.
fn check_representable<T: Real>(value: f64) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::parameter(input::BASELINE, value, "a finite number"));
    }
    if !T::from_f64_nearest(value).is_finite() {
        let expected = "a number that single-precision inputs can hold";
        return Err(Error::parameter(input::BASELINE, value, expected));
    }
    Ok(())
}

/// Calls a custom function for every sample and checks its results, which cannot be known before the run.
fn call_function<T: Real>(
    function: &BaselineFunction,
    batch: &SampleBatch<'_, T>,
) -> Result<Vec<T>> {
    let mut values = Vec::with_capacity(batch.values().len());
    for (i, one) in batch.inputs().axis_iter(Axis(0)).enumerate() {
        let owner = format!("sample {}", batch.samples().start + i);
        let answer = function(one.mapv(Real::to_f64_exact).view());
        if answer.shape() != one.shape() {
            return Err(Error::shape(input::BASELINE, one.shape(), answer.shape()).owner(owner));
        }
        check_finite(input::BASELINE, answer.view()).map_err(|e| e.owner(owner.clone()))?;
        for &value in &answer {
            check_representable::<T>(value).map_err(|e| e.owner(owner.clone()))?;
            values.push(T::from_f64_nearest(value));
        }
    }
    Ok(values)
}

/// Baseline inputs of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineInputs(pub Baseline);

/// Baselines of the samples of a batch. A baseline that all samples share is stored once.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineRows<T> {
    values: Vec<T>,
    n_samples: usize,
    /// Number of elements of a sample.
    size: usize,
}

impl<T: Copy> BaselineRows<T> {
    /// Baseline of a sample, in row-major order.
    #[must_use]
    pub fn row(&self, sample: usize) -> &[T] {
        // A batch of one sample has this length too, and its only row is the same either way.
        if self.values.len() == self.size {
            &self.values
        } else {
            &self.values[sample * self.size..(sample + 1) * self.size]
        }
    }

    /// Baselines of all samples, concatenated.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, [T]> {
        if self.values.len() == self.size {
            self.values.repeat(self.n_samples).into()
        } else {
            (&self.values).into()
        }
    }
}

impl<T: Real> BatchWork<T> for BaselineInputs {
    type Output = BaselineRows<T>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<BaselineRows<T>> {
        Ok(BaselineRows {
            values: self.0.values(batch)?,
            n_samples: batch.n_samples(),
            size: batch.dataset().positions().size(),
        })
    }
}

/// Outputs of the model for the baseline inputs of a batch, before the activation.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineOutputs(pub Baseline);

impl<T: Real> BatchWork<T> for BaselineOutputs {
    type Output = Array2<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Array2<f64>> {
        // One row per sample even if all share the baseline: a model may use the sample of a row
        // (`Model::outputs_for_samples`).
        let baselines = batch.shared(&BaselineInputs(self.0.clone()))?;
        batch.outputs_for_samples(&baselines.whole(), |row| row, ", all of it baseline")
    }
}

impl BaselineOutputs {
    /// Adds the planned rows of this work.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        plan.once(self, plan.n_samples());
    }
}

/// Scores of the baseline inputs of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineScores(pub Baseline);

impl<T: Real> BatchWork<T> for BaselineScores {
    type Output = Vec<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<f64>> {
        let outputs = batch.shared(&BaselineOutputs(self.0.clone()))?;
        batch.scorer().scores_of(&outputs, &|row| row)
    }
}

impl BaselineScores {
    /// Adds the planned rows of this work.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        BaselineOutputs(self.0.clone()).plan(plan);
    }
}

impl Default for Baseline {
    fn default() -> Self {
        Self::Value(0.0)
    }
}

impl From<f64> for Baseline {
    fn from(value: f64) -> Self {
        Self::Value(value)
    }
}

impl From<Vec<f64>> for Baseline {
    fn from(values: Vec<f64>) -> Self {
        Self::Channels(values)
    }
}
