//! What stands for absence.

use std::borrow::Cow;
use std::sync::Arc;

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Slice};
use xai_core::describe::Parameter;
use xai_core::number::check_finite;
use xai_core::{Error, ExactMean, Input, Layout, Real, Result};

use crate::batch::{BatchWork, Plan, RunData, SampleBatch, SideInput};
use crate::model::Function;
use crate::perturbation::DatasetMean;
use crate::perturbation::absence::blur::blurred;
use crate::{help, input};

/// What a removed position is set to, in [`Deletion`](crate::Deletion),
/// [`Insertion`](crate::Insertion), [`MuFidelity`](crate::MuFidelity), and your own metric.
///
/// No choice is neutral: a value that the model reads as evidence (black, on images of digits)
/// measures something else than one that it does not. Report it with the numbers.
///
/// A number and a `Vec` of one number per channel turn into a baseline by themselves:
///
/// ```
/// use xai_attribution::Deletion;
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
    /// One number per channel of images; one per feature of tables and time series.
    #[param(plain)]
    Channels(Vec<f64>),
    /// The mean of all inputs of the evaluation, element by element. Costs one more pass over the
    /// inputs, and no call of the model.
    #[param(name = "mean")]
    DatasetMean,
    /// The input itself, blurred by a Gaussian of this standard deviation in pixels (or time
    /// steps): along height and width of images, along the time of time series. The kernel ends
    /// at 4 σ, and beyond its edges the input is mirrored.
    #[param(value_name = "SIGMA", above = 0, at_most = 10_000)]
    Blur {
        /// The standard deviation, positive and at most 10 000.
        sigma: f64,
    },
    /// The smallest element of the input itself, all channels together: "black" in other libraries.
    SampleMin,
    /// The mean of the elements of the input itself.
    SampleMean,
    /// The largest element of the input itself.
    SampleMax,
    /// What is left of the image around a removed pixel: each one is the weighted mean of its
    /// neighbours, those in line 1/6 and those across 1/12, removed ones among them. The pixels that are
    /// removed together are the solution of one system, so that a removed disk is smooth and tells
    /// less about its shape than a constant. It needs something left to impute from: curves have to
    /// end before all is removed.
    LinearImputation,
    /// One input for all samples, shaped like one sample: the mean of a training set, for instance.
    #[param(skip)]
    Input(Arc<ArrayD<f64>>),
    /// A function of each input, see [`Baseline::from_fn`].
    #[param(skip)]
    Function(BaselineFunction),
    /// One of the baselines that the run was given, by its place among them, from 0. See [`GivenBaselines`].
    #[param(value_name = "PLACE", default = 0)]
    Given(usize),
}

/// Baselines that were made elsewhere: each an array of the inputs' shape, or `(1, …)` for one that all
/// samples share.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenBaselines(pub Vec<ArrayD<f64>>);

impl SideInput for GivenBaselines {
    const INPUT: Input = input::BASELINE;

    fn check(&self, shape: &[usize], _layout: Layout) -> Result<()> {
        self.0.iter().try_for_each(|given| {
            let n = given.shape().first().copied().unwrap_or_default();
            if given.shape().get(1..) != Some(&shape[1..]) || (n != 1 && n != shape[0]) {
                return Err(Error::shape(Self::INPUT, shape, given.shape()));
            }
            check_finite(Self::INPUT, given.view())
        })
    }
}

impl GivenBaselines {
    /// Those that a run was given, at a place.
    fn of<'r, T: Real>(run: &'r RunData<'_, T>, place: usize) -> Result<&'r ArrayD<f64>> {
        let given = &run.side::<Self>()?.0;
        given.get(place).ok_or_else(|| {
            let expected = format!("a place below {}", given.len());
            Error::parameter(input::BASELINE, format!("given:{place}"), expected)
        })
    }
}

/// A function from one input to its baseline, both shaped like one sample.
pub type BaselineFunction = Function<dyn Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync>;

impl Baseline {
    /// A baseline that depends on the input: `function` is given one sample, without the sample
    /// axis, and answers with an array of the same shape.
    pub fn from_fn(
        function: impl Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::Function(Function(Arc::new(function)))
    }

    /// One input for all samples, shaped like one sample.
    #[must_use]
    pub fn input(input: ArrayD<f64>) -> Self {
        Self::Input(Arc::new(input))
    }

    /// Checks it against the inputs of a run, and takes the mean of all inputs if it is that: what
    /// a metric does once per run, before the model is called.
    ///
    /// # Errors
    /// An invalid parameter or a shape mismatch, about the baseline.
    pub fn prepare<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        input::check_kind(input::BASELINE, self)?;
        if run.is_masked_model() && !matches!(self, Self::Value(0.0)) {
            let expected =
                "0: a masked model is asked without the feature, whatever stands in its place";
            return Err(Error::parameter(input::BASELINE, self.to_value(), expected));
        }
        match self {
            Self::Value(value) => holds::<T>(*value),
            Self::Channels(values) => {
                let (shape, layout) = (run.shape(), run.layout());
                let (n, per) = match layout {
                    Layout::ChannelsFirst => (shape[1], "channel"),
                    Layout::ChannelsLast => (shape[3], "channel"),
                    // Inputs that no layout fits are rows, too.
                    Layout::Tabular => (run.n_positions(), "feature"),
                    Layout::TimeSeries => (shape[2], "feature"),
                };
                values.iter().try_for_each(|value| holds::<T>(*value))?;
                if values.len() != n {
                    let actual = format!("{} numbers", values.len());
                    let expected = format!("{n}, one per {per}");
                    return Err(Error::parameter(input::BASELINE, actual, expected));
                }
                Ok(())
            }
            Self::Blur { .. } if run.layout() == Layout::Tabular => Err(Error::parameter(
                input::BASELINE,
                "blur",
                "one for tables, whose features have no neighbours to blur with",
            )
            .with_help(help::CHOOSE_OTHER_BASELINE)),
            Self::Input(one) if one.shape() != &run.shape()[1..] => Err(Error::shape(
                input::BASELINE,
                &run.shape()[1..],
                one.shape(),
            )),
            Self::Input(one) => {
                check_finite(input::BASELINE, one.view())?;
                one.iter().try_for_each(|value| holds::<T>(*value))
            }
            Self::DatasetMean => run.shared(&DatasetMean).map(drop),
            Self::LinearImputation => match run.layout() {
                Layout::ChannelsFirst | Layout::ChannelsLast => Ok(()),
                Layout::Tabular | Layout::TimeSeries => Err(Error::parameter(
                    input::BASELINE,
                    "linear-imputation",
                    "one for inputs that are no images",
                )
                .with_help(help::CHOOSE_OTHER_BASELINE)),
            },
            Self::Blur { .. } | Self::SampleMin | Self::SampleMean | Self::SampleMax => Ok(()),
            Self::Function(_) => Ok(()),
            Self::Given(place) => {
                let given = GivenBaselines::of(run, *place)?;
                given.iter().try_for_each(|value| holds::<T>(*value))
            }
        }
    }

    /// As [`prepare`](Self::prepare), for a metric that shows the model a whole input of nothing else.
    ///
    /// # Errors
    /// An invalid parameter also where there is no such input.
    pub fn prepare_whole<T: Real>(&self, run: &RunData<'_, T>) -> Result<()> {
        match self {
            Self::LinearImputation => Err(nothing_left()),
            _ => self.prepare(run),
        }
    }

    /// The baseline of every sample of a batch, or the one of all of them, in row-major order.
    fn values<T: Real>(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<T>> {
        let run = batch.run();
        let places = run.positions();
        let of_all = |one: &dyn Fn(usize) -> f64| -> Vec<T> {
            (0..places.size())
                .map(|e| T::from_f64_nearest(one(e)))
                .collect()
        };
        Ok(match self {
            Self::Value(value) => of_all(&|_| *value),
            Self::Channels(values) if run.layout() == Layout::ChannelsFirst => {
                of_all(&|e| values[e / places.positions])
            }
            Self::Channels(values) => of_all(&|e| values[e % values.len()]),
            Self::DatasetMean => {
                let mean = run.shared(&DatasetMean)?;
                of_all(&|e| mean[e])
            }
            Self::Input(one) => {
                let one: Vec<f64> = one.iter().copied().collect();
                of_all(&|e| one[e])
            }
            Self::SampleMin => of_sample(batch, |x| x.iter().copied().fold(T::infinity(), T::min)),
            Self::SampleMax => {
                of_sample(batch, |x| x.iter().copied().fold(T::neg_infinity(), T::max))
            }
            Self::SampleMean => of_sample(batch, |x| {
                let mean: ExactMean = x.iter().copied().collect();
                T::from_f64_nearest(mean.value().unwrap_or_default())
            }),
            Self::LinearImputation => return Err(nothing_left()),
            Self::Blur { sigma } => blurred(batch.inputs(), batch.layout(), *sigma),
            Self::Function(function) => of_function(function, batch)?,
            Self::Given(place) => {
                let given = GivenBaselines::of(run, *place)?;
                let samples = match given.shape()[0] {
                    1 => 0..1,
                    _ => batch.samples(),
                };
                let of_batch = given.slice_axis(Axis(0), Slice::from(samples));
                of_batch.iter().map(|x| T::from_f64_nearest(*x)).collect()
            }
        })
    }
}

/// One value for all elements of a sample.
fn of_sample<T: Real>(batch: &SampleBatch<'_, T>, value: impl Fn(&[T]) -> T) -> Vec<T> {
    let size = batch.run().positions().size();
    let samples = batch.values().chunks_exact(size);
    samples
        .flat_map(|sample| std::iter::repeat_n(value(sample), size))
        .collect()
}

/// Imputation of an input of which nothing is left.
pub(crate) fn nothing_left() -> Error {
    let expected = "a baseline that does not need something left of the input, or to remove less than all of it";
    Error::parameter(input::BASELINE, "linear-imputation", expected)
        .with_help(help::REMOVE_LESS_THAN_ALL)
}

/// Whether inputs of this precision can hold a number.
fn holds<T: Real>(value: f64) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::parameter(input::BASELINE, value, "a finite number"));
    }
    if !T::from_f64_nearest(value).is_finite() {
        let expected = "a number that single-precision inputs can hold";
        return Err(Error::parameter(input::BASELINE, value, expected));
    }
    Ok(())
}

/// What a function of the caller's says to every sample: checked here, for nobody knows it before.
fn of_function<T: Real>(function: &BaselineFunction, batch: &SampleBatch<'_, T>) -> Result<Vec<T>> {
    let mut values = Vec::with_capacity(batch.values().len());
    for (i, one) in batch.inputs().axis_iter(Axis(0)).enumerate() {
        let owner = format!("sample {}", batch.samples().start + i);
        let answer = function(one.mapv(Real::to_f64_exact).view());
        if answer.shape() != one.shape() {
            return Err(Error::shape(input::BASELINE, one.shape(), answer.shape()).owner(owner));
        }
        check_finite(input::BASELINE, answer.view()).map_err(|e| e.owner(owner.clone()))?;
        for &value in &answer {
            holds::<T>(value).map_err(|e| e.owner(owner.clone()))?;
            values.push(T::from_f64_nearest(value));
        }
    }
    Ok(values)
}

/// The baseline inputs of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineInputs(pub Baseline);

/// One baseline per sample of a batch, or one for all of them, which takes no more memory than that.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineRows<T> {
    values: Vec<T>,
    n_samples: usize,
    /// The elements of a sample.
    size: usize,
}

impl<T: Copy> BaselineRows<T> {
    /// The baseline of a sample, in row-major order.
    #[must_use]
    pub fn row(&self, sample: usize) -> &[T] {
        match self.values.len() == self.size {
            true => &self.values,
            false => &self.values[sample * self.size..(sample + 1) * self.size],
        }
    }

    /// Those of all samples, sample by sample.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, [T]> {
        match self.values.len() == self.size {
            true => self.values.repeat(self.n_samples).into(),
            false => (&self.values).into(),
        }
    }
}

impl<T: Real> BatchWork<T> for BaselineInputs {
    type Output = BaselineRows<T>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<BaselineRows<T>> {
        Ok(BaselineRows {
            values: self.0.values(batch)?,
            n_samples: batch.n_samples(),
            size: batch.run().positions().size(),
        })
    }
}

/// The outputs of the model for the baseline inputs of a batch, before the activation.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineOutputs(pub Baseline);

impl<T: Real> BatchWork<T> for BaselineOutputs {
    type Output = Array2<f64>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Array2<f64>> {
        let blank = batch.shared(&BaselineInputs(self.0.clone()))?;
        batch.outputs_of(&blank.whole(), |row| row, ", all of it baseline")
    }
}

impl BaselineOutputs {
    /// Adds the rows that the model sees for it.
    pub fn plan<T: Real>(&self, plan: &mut Plan<'_, '_, T>) {
        plan.once(self, plan.n_samples());
    }
}

/// The scores of the baseline inputs of a batch.
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
    /// Adds the rows that the model sees for it.
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
