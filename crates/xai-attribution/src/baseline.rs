//! What stands for absence.

use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD, Axis};
use xai_core::{Error, ExactMean, Layout, Real, Result, parallel};

use crate::places::{Places, for_each_row};

/// What a removed position is set to, in [`Deletion`](crate::Deletion),
/// [`Insertion`](crate::Insertion) and [`MuFidelity`](crate::MuFidelity).
///
/// No choice is neutral: a value that the model reads as evidence (black, on images of digits)
/// measures something else than one that it does not. Report it with the numbers.
///
/// A number and a `Vec` of one number a channel turn into a baseline by themselves:
///
/// ```
/// use xai_attribution::{Baseline, Deletion};
/// let black = Deletion::new().baseline(0.0);
/// let grey = Deletion::new().baseline(vec![0.485, 0.456, 0.406]);
/// let blurred = Deletion::new().baseline(Baseline::Blur { sigma: 5.0 });
/// let inverted = Deletion::new().baseline(Baseline::from_fn(|x| x.mapv(|v| 1.0 - v)));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Baseline {
    /// One number for all elements. Default: 0.
    Value(f64),
    /// One number a channel of images; one a feature of tables and time series.
    Channels(Vec<f64>),
    /// The mean of all inputs of the evaluation, element by element. Costs one more pass over the
    /// inputs, and no call of the model.
    DatasetMean,
    /// The input itself, blurred by a Gaussian of this standard deviation in pixels (or time
    /// steps): along height and width of images, along the time of time series. The kernel ends
    /// at 4 σ, and beyond its edges the input is mirrored.
    Blur {
        /// The standard deviation, positive.
        sigma: f64,
    },
    /// One input for all samples, shaped like one sample: the mean of a training set, for instance.
    Input(Arc<ArrayD<f64>>),
    /// A function of each input, see [`Baseline::from_fn`].
    Function(BaselineFunction),
}

/// A function from one input to its baseline, both shaped like one sample.
pub type BaselineFunction = Arc<dyn Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync>;

impl Baseline {
    /// A baseline that depends on the input: `function` is given one sample, without the sample
    /// axis, and answers with an array of the same shape.
    pub fn from_fn(
        function: impl Fn(ArrayViewD<'_, f64>) -> ArrayD<f64> + Send + Sync + 'static,
    ) -> Self {
        Self::Function(Arc::new(function))
    }

    /// One input for all samples, shaped like one sample.
    #[must_use]
    pub fn input(input: ArrayD<f64>) -> Self {
        Self::Input(Arc::new(input))
    }

    /// Checks what the shape of the inputs tells, before the model is called.
    pub(crate) fn check(&self, shape: &[usize], layout: Layout) -> Result<()> {
        match self {
            Self::Value(value) if !value.is_finite() => {
                Err(Error::parameter("baseline", value, "a finite number"))
            }
            Self::Channels(values) => {
                if let Some(bad) = values.iter().find(|x| !x.is_finite()) {
                    return Err(Error::parameter("baseline", bad, "finite numbers"));
                }
                let (n, per) = match layout {
                    Layout::ChannelsFirst => (shape[1], "channel"),
                    Layout::ChannelsLast => (shape[3], "channel"),
                    Layout::Tabular => (shape[1], "feature"),
                    Layout::TimeSeries => (shape[2], "feature"),
                };
                if values.len() != n {
                    return Err(Error::parameter(
                        "baseline",
                        format!("{} numbers", values.len()),
                        format!("{n}, one a {per}"),
                    ));
                }
                Ok(())
            }
            Self::Blur { sigma } if !(*sigma > 0.0 && *sigma <= 1e4) => Err(Error::parameter(
                "baseline: sigma",
                sigma,
                "a standard deviation in (0, 10 000] positions",
            )),
            Self::Blur { .. } if layout == Layout::Tabular => Err(Error::parameter(
                "baseline",
                "blur",
                "another one: the features of a table have no neighbours to blur with",
            )),
            Self::Input(one) if one.shape() != &shape[1..] => {
                Err(Error::shape("baseline", &shape[1..], one.shape()))
            }
            Self::Input(one) => xai_core::check_finite("baseline", one.view()),
            _ => Ok(()),
        }
    }

    /// The baseline of every sample of a batch, in row-major order. `first` is the place of the
    /// first of them, for messages.
    pub(crate) fn inputs<T: Real>(
        &self,
        inputs: ArrayViewD<'_, T>,
        layout: Layout,
        first: usize,
        dataset_mean: Option<&[f64]>,
    ) -> Result<Vec<T>> {
        self.check(inputs.shape(), layout)?;
        let values = self.values(inputs, layout, first, dataset_mean)?;
        match values.iter().position(|x| !x.is_finite()) {
            None => Ok(values),
            Some(_) => Err(Error::parameter(
                "baseline",
                "a number beyond the precision of the inputs",
                "numbers that single-precision inputs can hold",
            )),
        }
    }

    fn values<T: Real>(
        &self,
        inputs: ArrayViewD<'_, T>,
        layout: Layout,
        first: usize,
        dataset_mean: Option<&[f64]>,
    ) -> Result<Vec<T>> {
        let places = Places::new(inputs.shape(), layout);
        let size = places.size();
        let repeated = |one: &dyn Fn(usize) -> f64| {
            let one: Vec<T> = (0..size).map(|e| T::from_f64_nearest(one(e))).collect();
            one.repeat(inputs.shape()[0])
        };
        match self {
            Self::Value(value) => Ok(vec![T::from_f64_nearest(*value); inputs.len()]),
            Self::Channels(values) => Ok(match layout {
                Layout::ChannelsFirst => repeated(&|e| values[e / places.positions]),
                _ => repeated(&|e| values[e % values.len()]),
            }),
            Self::DatasetMean => {
                let mean = dataset_mean.ok_or_else(|| Error::empty("baseline: dataset mean"))?;
                Ok(repeated(&|e| mean[e]))
            }
            Self::Input(one) => {
                let one: Vec<f64> = one.iter().copied().collect();
                Ok(repeated(&|e| one[e]))
            }
            Self::Blur { sigma } => Ok(blurred(inputs, layout, *sigma)),
            Self::Function(function) => {
                let mut values = Vec::with_capacity(inputs.len());
                for (i, input) in inputs.axis_iter(Axis(0)).enumerate() {
                    let answer = function(input.mapv(Real::to_f64_exact).view());
                    if answer.shape() != input.shape() {
                        return Err(Error::shape(
                            format!("baseline of sample {}", first + i),
                            input.shape(),
                            answer.shape(),
                        ));
                    }
                    xai_core::check_finite(
                        format!("baseline of sample {}", first + i),
                        answer.view(),
                    )?;
                    values.extend(answer.iter().map(|&x| T::from_f64_nearest(x)));
                }
                Ok(values)
            }
        }
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

/// Functions and shared inputs are equal when they are the same one.
impl PartialEq for Baseline {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(a), Self::Value(b)) => a.to_bits() == b.to_bits(),
            (Self::Channels(a), Self::Channels(b)) => a == b,
            (Self::DatasetMean, Self::DatasetMean) => true,
            (Self::Blur { sigma: a }, Self::Blur { sigma: b }) => a == b,
            (Self::Input(a), Self::Input(b)) => Arc::ptr_eq(a, b),
            (Self::Function(a), Self::Function(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl std::fmt::Debug for Baseline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(value) => f.debug_tuple("Value").field(value).finish(),
            Self::Channels(values) => f.debug_tuple("Channels").field(values).finish(),
            Self::DatasetMean => f.write_str("DatasetMean"),
            Self::Blur { sigma } => f.debug_struct("Blur").field("sigma", sigma).finish(),
            Self::Input(one) => f.debug_tuple("Input").field(&one.shape()).finish(),
            Self::Function(_) => f.write_str("Function(..)"),
        }
    }
}

/// The mean of every element over the samples, whatever their order.
pub(crate) struct DatasetMean(Vec<ExactMean>);

impl DatasetMean {
    pub(crate) fn new(size: usize) -> Self {
        Self(vec![ExactMean::new(); size])
    }

    /// Adds whole samples.
    pub(crate) fn add<T: Real>(&mut self, samples: &[T]) {
        const BLOCK: usize = 256;
        let size = self.0.len();
        parallel::for_each_chunk(&mut self.0, BLOCK, |block, means| {
            let first = block * BLOCK;
            for sample in samples.chunks_exact(size) {
                for (mean, &x) in means.iter_mut().zip(&sample[first..]) {
                    mean.add(x);
                }
            }
        });
    }

    pub(crate) fn values(&self) -> Vec<f64> {
        self.0.iter().filter_map(ExactMean::value).collect()
    }
}

/// Every sample under a separable Gaussian.
fn blurred<T: Real>(inputs: ArrayViewD<'_, T>, layout: Layout, sigma: f64) -> Vec<T> {
    let shape = &inputs.shape()[1..];
    let axes: &[usize] = match layout {
        Layout::ChannelsLast => &[0, 1],
        Layout::ChannelsFirst => &[1, 2],
        Layout::TimeSeries => &[0],
        Layout::Tabular => &[],
    };
    let kernel = gaussian(sigma);
    let size: usize = shape.iter().product();
    let mut values: Vec<T> = inputs.iter().copied().collect();
    for_each_row(&mut values, size, |_, sample| {
        let mut from: Vec<f64> = sample.iter().map(|x| x.to_f64_exact()).collect();
        let mut to = vec![0.0; size];
        for &axis in axes {
            let stride: usize = shape[axis + 1..].iter().product();
            smooth(&from, &mut to, shape[axis], stride, &kernel);
            std::mem::swap(&mut from, &mut to);
        }
        for (value, &x) in sample.iter_mut().zip(&from) {
            *value = T::from_f64_nearest(x);
        }
    });
    values
}

/// The weights at distance 0, 1, …, 4 σ; both sides together sum to 1.
fn gaussian(sigma: f64) -> Vec<f64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 40 000
    let radius = (4.0 * sigma + 0.5).floor() as u32;
    let weight = |d: u32| xai_core::elementary::exp(-0.5 * (f64::from(d) / sigma).powi(2));
    let sides: f64 = (1..=radius).map(weight).sum();
    let total = 1.0 + 2.0 * sides;
    (0..=radius).map(|d| weight(d) / total).collect()
}

/// One pass along an axis of `length` elements that stand `stride` apart.
fn smooth(from: &[f64], to: &mut [f64], length: usize, stride: usize, kernel: &[f64]) {
    // … c b a | a b c d | d c b …
    let mirrored = |place: isize| {
        let period = 2 * length as isize;
        let place = place.rem_euclid(period);
        (if place < length as isize {
            place
        } else {
            period - 1 - place
        }) as usize
    };
    for (lines, out) in from
        .chunks_exact(length * stride)
        .zip(to.chunks_exact_mut(length * stride))
    {
        for at in 0..length {
            let row = &mut out[at * stride..(at + 1) * stride];
            for (to, from) in row.iter_mut().zip(&lines[at * stride..]) {
                *to = kernel[0] * from;
            }
            for (distance, &weight) in kernel.iter().enumerate().skip(1) {
                let (before, after) = (
                    mirrored(at as isize - distance as isize) * stride,
                    mirrored(at as isize + distance as isize) * stride,
                );
                for (i, to) in row.iter_mut().enumerate() {
                    *to += weight * (lines[before + i] + lines[after + i]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_abs_diff_eq;
    use ndarray::{Array, IxDyn};

    fn of(baseline: &Baseline, inputs: &ArrayD<f64>, layout: Layout) -> Vec<f64> {
        baseline.inputs(inputs.view(), layout, 0, None).unwrap()
    }

    #[test]
    fn channels_stand_where_the_layout_has_them() {
        let grey = Baseline::Channels(vec![1.0, 2.0]);
        let x = |shape: &[usize]| ArrayD::zeros(IxDyn(shape));
        assert_eq!(
            of(&grey, &x(&[1, 1, 2, 2]), Layout::ChannelsLast),
            [1.0, 2.0, 1.0, 2.0]
        );
        assert_eq!(
            of(&grey, &x(&[1, 2, 1, 2]), Layout::ChannelsFirst),
            [1.0, 1.0, 2.0, 2.0]
        );
        assert_eq!(
            of(&grey, &x(&[1, 2, 2]), Layout::TimeSeries),
            [1.0, 2.0, 1.0, 2.0]
        );
        assert_eq!(
            of(&grey, &x(&[2, 2]), Layout::Tabular),
            [1.0, 2.0, 1.0, 2.0]
        );
    }

    /// `scipy.ndimage.gaussian_filter(x, 0.7)` of scipy 1.17, mode "reflect", truncate 4.
    #[test]
    fn the_blur_is_that_of_scipy() {
        let x = Array::from_iter((0..12u8).map(|i| f64::from((i * 7) % 5)));
        let x = x.into_shape_with_order(IxDyn(&[1, 3, 4, 1])).unwrap();
        let blurred = of(&Baseline::Blur { sigma: 0.7 }, &x, Layout::ChannelsLast);
        for (ours, scipy) in blurred.iter().zip(SCIPY) {
            assert_abs_diff_eq!(*ours, scipy, epsilon = 1e-12);
        }
    }

    const SCIPY: [f64; 12] = [
        0.881_557_026_170_167_5,
        1.782_353_781_423_839,
        2.698_960_170_822_251,
        2.057_430_208_417_838_6,
        1.742_966_477_681_065_8,
        1.465_695_842_974_887_9,
        2.008_169_908_878_398,
        2.708_074_853_227_714,
        1.610_025_564_341_951,
        1.761_686_355_662_351_9,
        1.283_133_940_238_272_9,
        1.999_945_870_161_265,
    ];

    #[test]
    fn a_blur_keeps_a_constant_and_the_total() {
        let constant = ArrayD::from_elem(IxDyn(&[2, 5, 3]), 0.3);
        for x in of(
            &Baseline::Blur { sigma: 9.0 },
            &constant,
            Layout::TimeSeries,
        ) {
            assert_abs_diff_eq!(x, 0.3, epsilon = 1e-14);
        }
        let mut spike = ArrayD::zeros(IxDyn(&[1, 1, 6, 7]));
        spike[[0, 0, 0, 6]] = 1.0;
        let total: f64 = of(
            &Baseline::Blur { sigma: 2.0 },
            &spike,
            Layout::ChannelsFirst,
        )
        .iter()
        .sum();
        assert_abs_diff_eq!(total, 1.0, epsilon = 1e-12);
    }

    #[test]
    fn the_mean_is_exact_in_any_order() {
        let samples: Vec<f64> = (0..1200)
            .map(|i| f64::from((i * 37) % 101) * 1e10)
            .collect();
        let backwards: Vec<f64> = samples.chunks(400).rev().flatten().copied().collect();
        let mean = |values: &[f64]| {
            let mut mean = DatasetMean::new(400);
            mean.add(values);
            mean.values()
        };
        assert_eq!(mean(&samples), mean(&backwards));
        assert_eq!(
            mean(&samples)[0],
            (samples[0] + samples[400] + samples[800]) / 3.0
        );
    }
}
