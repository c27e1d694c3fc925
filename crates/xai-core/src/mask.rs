//! From attribution maps to masks that keep what a map marks as important.

use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{ArrayD, ArrayViewD, IxDyn};

use crate::{Error, Real, Result, check_finite, check_finite_slice, parallel};

/// What keeps the scaling of a constant map defined: such a map gives a mask of zeros.
const EPSILON: f64 = 1e-8;

/// How the axes of inputs are read. The first axis is always the sample.
///
/// | layout | inputs | maps |
/// |---|---|---|
/// | `Tabular` | `(n, features)` | `(n, features)` |
/// | `TimeSeries` | `(n, time, features)` | `(n, time, features)` or `(n, time)` |
/// | `ChannelsLast` | `(n, height, width, channels)` | the same, one channel, or `(n, height, width)` |
/// | `ChannelsFirst` | `(n, channels, height, width)` | the same, one channel, or `(n, height, width)` |
///
/// The channels of a pixel share one value of a map. In tables and time series every element has
/// its own, unless a time series comes with one value a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Layout {
    /// `(n, features)`.
    Tabular,
    /// `(n, time, features)`.
    TimeSeries,
    /// `(n, height, width, channels)`, as TensorFlow has images.
    ChannelsLast,
    /// `(n, channels, height, width)`, as PyTorch has images.
    ChannelsFirst,
}

impl Layout {
    /// The layout that inputs of this shape have: by their number of axes, and for images by
    /// where the channels are.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for fewer than two or more than four axes.
    ///
    /// ```
    /// use xai_core::Layout;
    /// assert_eq!(Layout::of_inputs(&[5, 12], false)?, Layout::Tabular);
    /// assert_eq!(Layout::of_inputs(&[5, 3, 8, 8], true)?, Layout::ChannelsFirst);
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn of_inputs(shape: &[usize], channels_first: bool) -> Result<Self> {
        match (shape.len(), channels_first) {
            (2, _) => Ok(Self::Tabular),
            (3, _) => Ok(Self::TimeSeries),
            (4, false) => Ok(Self::ChannelsLast),
            (4, true) => Ok(Self::ChannelsFirst),
            _ => Err(Error::shape_described(
                "inputs",
                "(n, features), (n, time, features) or four axes for images",
                shape,
            )),
        }
    }

    /// The layout's number of axes.
    #[must_use]
    pub fn n_axes(self) -> usize {
        match self {
            Self::Tabular => 2,
            Self::TimeSeries => 3,
            Self::ChannelsLast | Self::ChannelsFirst => 4,
        }
    }

    /// How many places of an input of this shape have a value of their own in a map that has no
    /// channels: pixels of an image, else all elements of a sample.
    #[must_use]
    pub fn n_positions(self, input_shape: &[usize]) -> usize {
        match (self, input_shape) {
            (Self::ChannelsLast, [_, h, w, _]) | (Self::ChannelsFirst, [_, _, h, w]) => h * w,
            (_, [_, rest @ ..]) => rest.iter().product(),
            (_, []) => 0,
        }
    }
}

/// How the values of one sample's map and of its input go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Geometry {
    /// Places with one mask value each.
    positions: usize,
    /// Map values that are averaged to one mask value: the map's channels.
    map_channels: usize,
    /// Input values that share one mask value.
    input_channels: usize,
    /// Whether channels stand before positions.
    channels_first: bool,
}

impl Geometry {
    fn new(layout: Layout, inputs: &[usize], maps: &[usize]) -> Result<Self> {
        let mismatch = |expected: String| Error::shape_described("explanations", expected, maps);
        if inputs.len() != layout.n_axes() {
            return Err(Error::shape_described(
                "inputs",
                format!("{} axes for {layout:?}", layout.n_axes()),
                inputs,
            ));
        }
        let n = inputs[0];
        let text = |shape: &[usize]| {
            let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
            format!("({})", axes.join(", "))
        };
        let (spatial, channels, channels_first) = match (layout, inputs) {
            (Layout::ChannelsLast, [_, h, w, c]) => ([*h, *w], *c, false),
            (Layout::ChannelsFirst, [_, c, h, w]) => ([*h, *w], *c, true),
            _ => {
                // Tables and time series: a value an element, or one a time step.
                let elements = inputs[1..].iter().product();
                return match (maps == inputs, layout) {
                    (true, _) => Ok(Self {
                        positions: elements,
                        map_channels: 1,
                        input_channels: 1,
                        channels_first: false,
                    }),
                    (false, Layout::TimeSeries) if maps == &inputs[..2] => Ok(Self {
                        positions: inputs[1],
                        map_channels: 1,
                        input_channels: inputs[2],
                        channels_first: false,
                    }),
                    (false, Layout::TimeSeries) => Err(mismatch(format!(
                        "{} or {}",
                        text(inputs),
                        text(&inputs[..2])
                    ))),
                    (false, _) => Err(mismatch(text(inputs))),
                };
            }
        };
        let [h, w] = spatial;
        let with_channels = |c: usize| {
            if channels_first {
                [n, c, h, w]
            } else {
                [n, h, w, c]
            }
        };
        let map_channels = if maps == [n, h, w] || maps == with_channels(1) {
            1
        } else if maps == with_channels(channels) {
            channels
        } else {
            return Err(mismatch(format!(
                "{} or {}",
                text(&[n, h, w]),
                text(&with_channels(channels))
            )));
        };
        Ok(Self {
            positions: h * w,
            map_channels,
            input_channels: channels,
            channels_first,
        })
    }

    /// The values of one sample with the channels averaged: `|map|` (for masks) or the map as it
    /// is (for rankings), by position.
    fn position_values<T: Real>(&self, map: &[T], absolute: bool, values: &mut [T]) {
        let value = |x: T| if absolute { x.abs() } else { x };
        if self.map_channels == 1 {
            for (out, &x) in values.iter_mut().zip(map) {
                *out = value(x);
            }
            return;
        }
        let channels = T::from_f64_nearest(channels_as_f64(self.map_channels));
        if self.channels_first {
            values.fill(T::zero());
            for plane in map.chunks_exact(self.positions) {
                for (sum, &x) in values.iter_mut().zip(plane) {
                    *sum += value(x);
                }
            }
            for sum in values.iter_mut() {
                *sum = *sum / channels;
            }
        } else {
            for (out, pixel) in values.iter_mut().zip(map.chunks_exact(self.map_channels)) {
                *out = pixel.iter().fold(T::zero(), |sum, &x| sum + value(x)) / channels;
            }
        }
    }

    /// `input ⊙ mask` for one sample.
    fn multiply<T: Real>(&self, input: &[T], mask: &[T], masked: &mut [T]) {
        if self.input_channels == 1 {
            for ((out, &x), &m) in masked.iter_mut().zip(input).zip(mask) {
                *out = x * m;
            }
        } else if self.channels_first {
            let planes = input.chunks_exact(self.positions);
            for (out, plane) in masked.chunks_exact_mut(self.positions).zip(planes) {
                for ((out, &x), &m) in out.iter_mut().zip(plane).zip(mask) {
                    *out = x * m;
                }
            }
        } else {
            let pixels = input.chunks_exact(self.input_channels);
            let outs = masked.chunks_exact_mut(self.input_channels);
            for ((out, pixel), &m) in outs.zip(pixels).zip(mask) {
                for (out, &x) in out.iter_mut().zip(pixel) {
                    *out = x * m;
                }
            }
        }
    }
}

#[allow(clippy::cast_precision_loss)] // a handful of channels
fn channels_as_f64(channels: usize) -> f64 {
    channels as f64
}

/// Scales values to [0, 1]: `(v − min) / (max − min + ε)`. Whether they are finite is returned.
fn scale_to_unit<T: Real>(values: &mut [T]) -> bool {
    let (mut low, mut high) = (T::infinity(), T::neg_infinity());
    for &v in values.iter() {
        low = if v < low { v } else { low };
        high = if v > high { v } else { high };
    }
    let range = high - low + T::from_f64_nearest(EPSILON);
    for v in values {
        *v = (*v - low) / range;
    }
    range.is_finite()
}

/// Channels of finite values may still add up beyond the range.
fn too_large() -> Error {
    Error::out_of_domain(
        "explanations",
        &[],
        f64::INFINITY,
        "attributions whose channels add up to a finite number; scale the maps down",
    )
}

/// Inputs multiplied by the masks of their attribution maps.
///
/// ```text
/// m = mean over channels of |map|      mask = (m − min m) / (max m − min m + 1e-8)      masked = input ⊙ mask
/// ```
///
/// minima and maxima a sample. The mask is in [0, 1]: 1 keeps a value, 0 removes it, so what the
/// map marks most is *kept*. A constant map gives a mask of zeros. Shapes are those of [`Layout`];
/// computed in the type of the inputs, samples in parallel.
///
/// # Errors
/// [`Error::ShapeMismatch`] for maps that do not fit the inputs, [`Error::Empty`] for samples
/// without elements, [`Error::NonFinite`] for a map value (named `explanations`) or an input.
///
/// ```
/// use ndarray::array;
/// use xai_core::{Layout, mask_inputs};
/// let inputs = array![[2.0f64, 4.0, 6.0]].into_dyn();
/// let maps = array![[0.0, -1.0, 0.5]].into_dyn();
/// let masked = mask_inputs(inputs.view(), maps.view(), Layout::Tabular)?;
/// assert!((masked[[0, 1]] - 4.0).abs() < 1e-7 && (masked[[0, 2]] - 3.0).abs() < 1e-7);
/// assert_eq!(masked[[0, 0]], 0.0);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// The masks of Average Drop in Chattopadhay et al., *Grad-CAM++*, as Xplique builds them.
pub fn mask_inputs<T: Real>(
    inputs: ArrayViewD<'_, T>,
    maps: ArrayViewD<'_, T>,
    layout: Layout,
) -> Result<ArrayD<T>> {
    let geometry = Geometry::new(layout, inputs.shape(), maps.shape())?;
    let (inputs, maps) = (inputs.as_standard_layout(), maps.as_standard_layout());
    check_finite("inputs", inputs.view())?;
    check_finite("explanations", maps.view())?;
    let n = inputs.shape()[0];
    let input_size = geometry.positions * geometry.input_channels;
    let map_size = geometry.positions * geometry.map_channels;
    if n == 0 || input_size == 0 {
        return Err(Error::empty("inputs"));
    }
    let input_values = inputs.as_slice().unwrap_or_default();
    let map_values = maps.as_slice().unwrap_or_default();
    let mut masked = vec![T::zero(); n * input_size];
    let all_finite = AtomicBool::new(true);
    parallel::for_each_chunk(&mut masked, input_size, |i, masked| {
        let mut mask = vec![T::zero(); geometry.positions];
        let map = &map_values[i * map_size..(i + 1) * map_size];
        geometry.position_values(map, true, &mut mask);
        if !scale_to_unit(&mut mask) {
            all_finite.store(false, Ordering::Relaxed);
        }
        geometry.multiply(
            &input_values[i * input_size..(i + 1) * input_size],
            &mask,
            masked,
        );
    });
    if !all_finite.into_inner() {
        return Err(too_large());
    }
    ArrayD::from_shape_vec(IxDyn(inputs.shape()), masked)
        .map_err(|_| Error::shape("inputs", inputs.shape(), &[n, input_size]))
}

/// The attribution of every position: maps with their channels averaged, signs kept, as
/// `(n · positions)` values, sample by sample in the order of the pixels (or of the elements).
///
/// # Errors
/// As [`mask_inputs`].
///
/// ```
/// use ndarray::Array;
/// use xai_core::{Layout, position_attributions};
/// let maps = Array::from_shape_vec((1, 2, 1, 2), vec![1.0, -3.0, 2.0, 4.0]).unwrap().into_dyn();
/// let flat = position_attributions(maps.view(), &[1, 2, 1, 2], Layout::ChannelsFirst)?;
/// assert_eq!(flat, vec![1.5, 0.5]); // (1 + 2)/2, (−3 + 4)/2
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn position_attributions<T: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: Layout,
) -> Result<Vec<T>> {
    averaged_channels(maps, input_shape, layout, false)
}

/// The size of the attribution of every position: `|map|` with its channels averaged, in the order
/// of [`position_attributions`].
///
/// # Errors
/// As [`mask_inputs`].
///
/// ```
/// use ndarray::Array;
/// use xai_core::{Layout, position_magnitudes};
/// let maps = Array::from_shape_vec((1, 2, 1, 2), vec![1.0, -3.0, 2.0, 4.0]).unwrap().into_dyn();
/// let flat = position_magnitudes(maps.view(), &[1, 2, 1, 2], Layout::ChannelsFirst)?;
/// assert_eq!(flat, vec![1.5, 3.5]); // (1 + 2)/2, (3 + 4)/2
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn position_magnitudes<T: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: Layout,
) -> Result<Vec<T>> {
    averaged_channels(maps, input_shape, layout, true)
}

fn averaged_channels<T: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: Layout,
    absolute: bool,
) -> Result<Vec<T>> {
    let geometry = Geometry::new(layout, input_shape, maps.shape())?;
    let maps = maps.as_standard_layout();
    check_finite("explanations", maps.view())?;
    let map_size = geometry.positions * geometry.map_channels;
    if map_size == 0 || input_shape[0] == 0 {
        return Err(Error::empty("explanations"));
    }
    let map_values = maps.as_slice().unwrap_or_default();
    let mut values = vec![T::zero(); input_shape[0] * geometry.positions];
    parallel::for_each_chunk(&mut values, geometry.positions, |i, values| {
        let map = &map_values[i * map_size..(i + 1) * map_size];
        geometry.position_values(map, absolute, values);
    });
    check_finite_slice("explanations", &values).map_err(|_| too_large())?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array, Array4, Axis};

    fn assert_close(a: &ArrayD<f64>, b: &ArrayD<f64>) {
        assert_eq!(a.shape(), b.shape());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() <= 1e-13 * b.abs(), "{a} {b}");
        }
    }

    fn ramp(shape: [usize; 4]) -> Array4<f64> {
        Array::from_iter(
            (0..shape.iter().product()).map(|i: usize| ((i * 7919) % 101) as f64 - 50.0),
        )
        .into_shape_with_order(shape)
        .unwrap()
    }

    /// The formula, written out over arrays.
    fn by_formula(inputs: &Array4<f64>, maps: &Array4<f64>, channel_axis: usize) -> Array4<f64> {
        let m = maps.mapv(f64::abs).mean_axis(Axis(channel_axis)).unwrap();
        let mut masked = inputs.clone();
        for (mut sample, m) in masked.outer_iter_mut().zip(m.outer_iter()) {
            let low = m.fold(f64::INFINITY, |a, &b| a.min(b));
            let high = m.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let mask = m.mapv(|v| (v - low) / (high - low + 1e-8));
            for mut channel in sample.axis_iter_mut(Axis(channel_axis - 1)) {
                channel *= &mask;
            }
        }
        masked
    }

    #[test]
    fn both_channel_orders_give_the_same_mask() {
        let (inputs, maps) = (
            ramp([3, 4, 5, 2]),
            ramp([3, 4, 5, 2]).mapv(|x| x * x - 300.0),
        );
        let last = mask_inputs(
            inputs.view().into_dyn(),
            maps.view().into_dyn(),
            Layout::ChannelsLast,
        )
        .unwrap();
        let expected = by_formula(&inputs, &maps, 3);
        assert_close(&last, &expected.clone().into_dyn());
        // Transposed views, neither of them contiguous.
        let first = |a: &Array4<f64>| a.view().permuted_axes([0, 3, 1, 2]).into_dyn().into_owned();
        let masked = mask_inputs(
            inputs.view().permuted_axes([0, 3, 1, 2]).into_dyn(),
            maps.view().permuted_axes([0, 3, 1, 2]).into_dyn(),
            Layout::ChannelsFirst,
        );
        assert_close(&masked.unwrap(), &first(&expected));
    }

    #[test]
    fn a_map_without_channels_is_a_map_of_one_channel() {
        let inputs = ramp([2, 3, 4, 3]);
        let maps = ramp([2, 3, 4, 1]);
        let flat = maps.index_axis(Axis(3), 0);
        let mask = |m| mask_inputs(inputs.view().into_dyn(), m, Layout::ChannelsLast).unwrap();
        assert_eq!(mask(maps.view().into_dyn()), mask(flat.into_dyn()));
    }

    #[test]
    fn a_constant_map_removes_everything() {
        let inputs = ramp([1, 2, 2, 1]);
        let maps = Array4::from_elem((1, 2, 2, 1), -3.0);
        let masked = mask_inputs(
            inputs.view().into_dyn(),
            maps.view().into_dyn(),
            Layout::ChannelsLast,
        );
        assert!(masked.unwrap().iter().all(|&x| x == 0.0));
    }

    #[test]
    fn a_time_series_may_have_one_value_a_step() {
        let inputs = Array::from_elem((1, 3, 2), 1.0).into_dyn();
        let maps = Array::from_shape_vec((1, 3), vec![0.0, 1.0, 2.0])
            .unwrap()
            .into_dyn();
        let masked = mask_inputs(inputs.view(), maps.view(), Layout::TimeSeries).unwrap();
        let steps: Vec<f64> = masked
            .iter()
            .map(|x: &f64| (x * 1e6).round() / 1e6)
            .collect();
        assert_eq!(steps, [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn maps_that_do_not_fit_say_what_would() {
        let message = |inputs: &[usize], maps: &[usize], layout| {
            let (x, m) = (ArrayD::<f32>::zeros(inputs), ArrayD::<f32>::zeros(maps));
            mask_inputs(x.view(), m.view(), layout)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(&[2, 3, 4, 5], &[2, 5, 3, 4], Layout::ChannelsLast),
            "explanations: expected shape (2, 3, 4) or (2, 3, 4, 5), got (2, 5, 3, 4)"
        );
        assert_eq!(
            message(&[2, 3, 4], &[2, 4], Layout::TimeSeries),
            "explanations: expected shape (2, 3, 4) or (2, 3), got (2, 4)"
        );
        assert_eq!(
            message(&[2, 3], &[3, 3], Layout::Tabular),
            "explanations: expected shape (2, 3), got (3, 3)"
        );
        assert!(
            message(&[2, 3], &[2, 3], Layout::ChannelsFirst)
                .starts_with("inputs: expected shape 4 axes")
        );
        assert!(
            message(&[0, 3], &[0, 3], Layout::Tabular).starts_with("inputs: nothing to measure")
        );
        assert!(Layout::of_inputs(&[3], false).is_err());
    }

    #[test]
    fn a_map_that_is_not_finite_is_named() {
        let inputs = ArrayD::<f32>::zeros(vec![1, 2]);
        let mut maps = inputs.clone();
        maps[[0, 1]] = f32::NAN;
        let error = mask_inputs(inputs.view(), maps.view(), Layout::Tabular).unwrap_err();
        assert_eq!(error.to_string(), "explanations[0, 1]: not a finite number");
    }
}
