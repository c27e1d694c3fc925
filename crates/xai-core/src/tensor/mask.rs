//! Masks made from attribution maps, which keep what a map marks as important.

use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{ArrayD, ArrayViewD};

use crate::error::{Error, Help, Result};
use crate::number::{Real, all_finite, check_finite, check_finite_slice};
use crate::simd::{InstructionSet, Simd, SimdKernel};
use crate::tensor::positions::{InputLayout, MapPositions};
use crate::tensor::rows::Rows;
use crate::{input, parallel};

/// Epsilon that Xplique adds to the range of a map.
const XPLIQUE_EPSILON: f64 = 1e-8;

/// Scaling of the magnitudes of a map to a mask in [0, 1].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MaskScaling {
    /// `(m − min m) / (max m − min m)`. It does not depend on the scale of the map, and a constant
    /// map has no mask.
    #[default]
    Relative,
    /// `(m − min m) / (max m − min m + 1e-8)`, as in Xplique. Maps of tiny values have smaller
    /// masks, and a constant map has a mask of zeros.
    Xplique,
}

/// Inputs multiplied by masks, see [`mask_inputs`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MaskedInputs<T> {
    /// Products, in the shape of the inputs; 0 for samples without a mask.
    pub inputs: ArrayD<T>,
    /// For each sample, whether its map has a mask. A constant map has none, except with the
    /// scaling of Xplique.
    pub has_mask: Vec<bool>,
}

/// Advice for channels whose sum exceeds the range of their type.
pub const SCALE_MAPS_DOWN: Help = Help::new("scale the maps down");

/// Result of scaling a map to a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scaled {
    Mask,
    Constant,
    NotFinite,
}

/// Scales values to [0, 1] in place: `(v − min) / (max − min + ε)`. A constant map becomes 0.
///
/// The values must not be −0, because then the order of comparisons could be visible in the result.
#[inline(always)]
fn scale_to_unit<T: Real>(values: &mut [T], scaling: MaskScaling) -> Scaled {
    // Minimum and maximum per lane, so that the loop vectorises.
    let (mut lows, mut highs) = ([T::INFINITY; 16], [T::NEG_INFINITY; 16]);
    let (blocks, rest) = values.as_chunks::<16>();
    for block in blocks {
        for ((&v, low), high) in block.iter().zip(&mut lows).zip(&mut highs) {
            *low = if v < *low { v } else { *low };
            *high = if v > *high { v } else { *high };
        }
    }
    let low = rest
        .iter()
        .chain(&lows)
        .fold(T::INFINITY, |low, &v| low.min(v));
    let high = rest
        .iter()
        .chain(&highs)
        .fold(T::NEG_INFINITY, |high, &v| high.max(v));
    let range = match scaling {
        MaskScaling::Relative => high - low,
        MaskScaling::Xplique => high - low + T::from_f64_nearest(XPLIQUE_EPSILON),
    };
    if range == T::ZERO {
        values.fill(T::ZERO);
        return Scaled::Constant;
    }
    for v in values {
        *v = (*v - low) / range;
    }
    if range.is_finite() {
        Scaled::Mask
    } else {
        Scaled::NotFinite
    }
}

/// Error for channels of finite values whose sum exceeds the range of their type.
fn too_large() -> Error {
    let expected = "attributions whose channels add up to a finite number";
    Error::out_of_domain(input::EXPLANATIONS, &[], f64::INFINITY, expected)
        .with_help(SCALE_MAPS_DOWN)
}

/// Multiplies inputs by the masks of their attribution maps.
///
/// ```text
/// m = mean over channels of |map|      mask = (m − min m) / (max m − min m)      masked = input ⊙ mask
/// ```
///
/// Minimum and maximum are taken per sample. The mask is in [0, 1]: 1 keeps a value and 0 removes
/// it, so the positions with the largest attributions are *kept*. A constant map has no mask,
/// unless [`scaling`](MaskScaling) defines one. Shapes are those of [`InputLayout`]. Computed in the
/// type of the inputs, samples in parallel.
///
/// # Errors
/// `ShapeMismatch` for maps that do not fit the inputs, `Empty` without samples or elements,
/// `NonFinite` for a map value (about `explanations`) or an input, `OutOfDomain` for maps whose
/// channels add up to more than the range of their type.
///
/// ```
/// use ndarray::array;
/// use xai_core::{InputLayout, tensor::{MaskScaling, mask_inputs}};
/// let inputs = array![[2.0, 4.0, 6.0], [1.0, 1.0, 1.0]].into_dyn();
/// let maps = array![[0.0, -1.0, 0.5], [0.1, 0.1, 0.1]].into_dyn();
/// let masked = mask_inputs(inputs.view(), maps.view(), InputLayout::Tabular, MaskScaling::Relative)?;
/// assert_eq!(masked.inputs, array![[0.0, 4.0, 3.0], [0.0, 0.0, 0.0]].into_dyn());
/// assert_eq!(masked.has_mask, [true, false]);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// The masks of Average Drop in Chattopadhay et al., *Grad-CAM++*.
pub fn mask_inputs<T: Real>(
    inputs: ArrayViewD<'_, T>,
    maps: ArrayViewD<'_, T>,
    layout: InputLayout,
    scaling: MaskScaling,
) -> Result<MaskedInputs<T>> {
    let geometry = MapPositions::new(layout, inputs.shape(), maps.shape())?;
    let rows = (
        Rows::from_samples(inputs.view()),
        Rows::from_samples(maps.view()),
    );
    if rows.0.as_slice().is_empty() {
        check_finite(input::EXPLANATIONS, maps)?;
        return Err(Error::empty(input::INPUTS));
    }
    let mut masked = ArrayD::from_elem(inputs.raw_dim(), T::ZERO);
    // Atomics, because each parallel chunk owns only its part of `masked`.
    let is_finite = AtomicBool::new(true);
    let has_mask: Vec<AtomicBool> = (0..rows.0.n_rows())
        .map(|_| AtomicBool::new(true))
        .collect();
    let samples = masked.as_slice_mut().expect("a fresh array is row-major");
    parallel::for_each_chunk(samples, geometry.sample.size(), |i, masked| {
        let (input, map) = (rows.0.row(i), rows.1.row(i));
        let sample = MaskedSample {
            geometry,
            input,
            map,
            masked,
            scaling,
        };
        // Checked here and not in a pass before, because the sample is in the cache now.
        if !(all_finite(input) && all_finite(map)) {
            is_finite.store(false, Ordering::Relaxed);
            return;
        }
        match InstructionSet::fastest().run(sample) {
            Scaled::Mask => {}
            Scaled::Constant => has_mask[i].store(false, Ordering::Relaxed),
            Scaled::NotFinite => is_finite.store(false, Ordering::Relaxed),
        }
    });
    if is_finite.into_inner() {
        let has_mask = has_mask.into_iter().map(AtomicBool::into_inner).collect();
        return Ok(MaskedInputs {
            inputs: masked,
            has_mask,
        });
    }
    // Searches for the element to report. If all elements are finite, the channels of a map overflowed.
    check_finite(input::INPUTS, inputs)?;
    check_finite(input::EXPLANATIONS, maps)?;
    Err(too_large())
}

/// Kernel that masks one sample.
struct MaskedSample<'a, T> {
    geometry: MapPositions,
    input: &'a [T],
    map: &'a [T],
    masked: &'a mut [T],
    scaling: MaskScaling,
}

impl<T: Real> SimdKernel for MaskedSample<'_, T> {
    type Output = Scaled;

    #[inline(always)]
    fn run<S: Simd>(self) -> Scaled {
        let positions = self.geometry.sample;
        let mut mask = vec![T::ZERO; positions.positions];
        self.geometry.values(self.map, T::abs, &mut mask);
        let scaled = scale_to_unit(&mut mask, self.scaling);
        positions.multiply(self.input, &mask, self.masked);
        scaled
    }
}

/// Attribution of every position: maps averaged over channels, with signs, as `(n · positions)`
/// values. Samples follow each other; positions are in the order of the pixels or elements.
///
/// # Errors
/// As [`mask_inputs`].
///
/// ```
/// use ndarray::Array;
/// use xai_core::{InputLayout, tensor::position_attributions};
/// let maps = Array::from_shape_vec((1, 2, 1, 2), vec![1.0, -3.0, 2.0, 4.0]).unwrap().into_dyn();
/// let flat = position_attributions(maps.view(), &[1, 2, 1, 2], InputLayout::ChannelsFirst)?;
/// assert_eq!(flat, vec![1.5, 0.5]); // (1 + 2)/2, (−3 + 4)/2
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn position_attributions<T: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: InputLayout,
) -> Result<Vec<T>> {
    averaged_channels(maps, input_shape, layout, |x| x)
}

/// Magnitude of the attribution of every position: `|map|` averaged over channels, in the order of
/// [`position_attributions`].
///
/// Averages are computed in double precision, so maps in single precision give the same values as
/// the same maps in double precision.
///
/// # Errors
/// As [`mask_inputs`].
///
/// ```
/// use ndarray::Array;
/// use xai_core::{InputLayout, tensor::position_magnitudes};
/// let maps = Array::from_shape_vec((1, 2, 1, 2), vec![1.0, -3.0, 2.0, 4.0]).unwrap().into_dyn();
/// let flat = position_magnitudes(maps.view(), &[1, 2, 1, 2], InputLayout::ChannelsFirst)?;
/// assert_eq!(flat, vec![1.5, 3.5]); // (1 + 2)/2, (3 + 4)/2
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn position_magnitudes<T: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: InputLayout,
) -> Result<Vec<f64>> {
    averaged_channels(maps, input_shape, layout, |x: T| x.to_f64_exact().abs())
}

/// Averages `value` of the elements of each position over channels, sample by sample.
fn averaged_channels<T: Real, V: Real>(
    maps: ArrayViewD<'_, T>,
    input_shape: &[usize],
    layout: InputLayout,
    value: impl Fn(T) -> V + Sync + Send,
) -> Result<Vec<V>> {
    let geometry = MapPositions::new(layout, input_shape, maps.shape())?;
    check_finite(input::EXPLANATIONS, maps.view())?;
    let maps = Rows::from_samples(maps);
    if maps.as_slice().is_empty() {
        return Err(Error::empty(input::EXPLANATIONS));
    }
    let mut values = vec![V::ZERO; maps.n_rows() * geometry.sample.positions];
    parallel::for_each_chunk(&mut values, geometry.sample.positions, |i, values| {
        geometry.values(maps.row(i), &value, values);
    });
    check_finite_slice(input::EXPLANATIONS, &values).map_err(|_| too_large())?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
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
            let mask = m.mapv(|v| (v - low) / (high - low));
            for mut channel in sample.axis_iter_mut(Axis(channel_axis - 1)) {
                channel *= &mask;
            }
        }
        masked
    }

    #[test]
    fn both_channel_orders_give_the_same_mask() {
        for channels in [2, 3, 4] {
            let (inputs, maps) = (
                ramp([3, 4, 5, channels]),
                ramp([3, 4, 5, channels]).mapv(|x| x * x - 300.0),
            );
            let last = mask_inputs(
                inputs.view().into_dyn(),
                maps.view().into_dyn(),
                InputLayout::ChannelsLast,
                MaskScaling::Relative,
            )
            .unwrap()
            .inputs;
            let expected = by_formula(&inputs, &maps, 3);
            assert_close(&last, &expected.clone().into_dyn());
            // Transposed views, neither of them contiguous.
            let first =
                |a: &Array4<f64>| a.view().permuted_axes([0, 3, 1, 2]).into_dyn().into_owned();
            let masked = mask_inputs(
                inputs.view().permuted_axes([0, 3, 1, 2]).into_dyn(),
                maps.view().permuted_axes([0, 3, 1, 2]).into_dyn(),
                InputLayout::ChannelsFirst,
                MaskScaling::Relative,
            );
            assert_close(&masked.unwrap().inputs, &first(&expected));
        }
    }

    #[test]
    fn a_map_without_channels_is_a_map_of_one_channel() {
        let inputs = ramp([2, 3, 4, 3]);
        let maps = ramp([2, 3, 4, 1]);
        let flat = maps.index_axis(Axis(3), 0);
        let mask = |m| {
            let layout = InputLayout::ChannelsLast;
            mask_inputs(inputs.view().into_dyn(), m, layout, MaskScaling::Relative).unwrap()
        };
        assert_eq!(mask(maps.view().into_dyn()), mask(flat.into_dyn()));
    }

    #[test]
    fn a_constant_map_has_no_mask_but_in_xplique() {
        let inputs = ramp([1, 2, 2, 1]);
        let maps = Array4::from_elem((1, 2, 2, 1), -3.0);
        for (scaling, has_mask) in [(MaskScaling::Relative, false), (MaskScaling::Xplique, true)] {
            let (x, maps) = (inputs.view().into_dyn(), maps.view().into_dyn());
            let masked = mask_inputs(x, maps, InputLayout::ChannelsLast, scaling).unwrap();
            assert!(masked.inputs.iter().all(|&x| x == 0.0));
            assert_eq!(masked.has_mask, [has_mask]);
        }
    }

    #[test]
    fn the_scale_of_a_map_matters_to_xplique_only() {
        let (x, maps) = (ramp([2, 3, 3, 1]).into_dyn(), ramp([2, 3, 3, 1]).into_dyn());
        let of = |scale: f64, scaling| {
            let maps = maps.mapv(|a| a * scale);
            mask_inputs(x.view(), maps.view(), InputLayout::ChannelsLast, scaling).unwrap()
        };
        let expected = of(1.0, MaskScaling::Relative);
        for exponent in [-1020, -100, 100, 1000] {
            assert_eq!(of(2f64.powi(exponent), MaskScaling::Relative), expected);
        }
        let small = of(1e-9, MaskScaling::Xplique);
        let largest = |masked: &MaskedInputs<f64>| masked.inputs.fold(0.0f64, |a, b| a.max(*b));
        assert!(largest(&small) < 0.9 * largest(&expected));
    }

    #[test]
    fn a_time_series_may_have_one_value_per_step() {
        let inputs = Array::from_elem((1, 3, 2), 1.0).into_dyn();
        let maps = Array::from_shape_vec((1, 3), vec![0.0, 1.0, 2.0])
            .unwrap()
            .into_dyn();
        let (layout, scaling) = (InputLayout::TimeSeries, MaskScaling::Relative);
        let masked = mask_inputs(inputs.view(), maps.view(), layout, scaling).unwrap();
        let steps: Vec<f64> = masked.inputs.into_iter().collect();
        assert_eq!(steps, [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn maps_that_do_not_fit_are_an_error_about_the_maps() {
        let error = |inputs: &[usize], maps: &[usize], layout| {
            let (x, m) = (ArrayD::<f32>::zeros(inputs), ArrayD::<f32>::zeros(maps));
            mask_inputs(x.view(), m.view(), layout, MaskScaling::Relative).unwrap_err()
        };
        for (inputs, maps, layout) in [
            (
                &[2, 3, 4, 5][..],
                &[2, 5, 3, 4][..],
                InputLayout::ChannelsLast,
            ),
            (&[2, 5, 3, 4], &[2, 3, 4, 1], InputLayout::ChannelsFirst),
            (&[2, 3, 4], &[2, 4], InputLayout::TimeSeries),
            (&[2, 3], &[3, 3], InputLayout::Tabular),
        ] {
            let error = error(inputs, maps, layout);
            assert_eq!(error.input(), input::EXPLANATIONS);
            assert!(
                matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if actual == maps)
            );
        }
        let axes = error(&[2, 3], &[2, 3], InputLayout::ChannelsFirst);
        assert_eq!(axes.input(), input::INPUTS);
        let empty = error(&[0, 3], &[0, 3], InputLayout::Tabular);
        assert!(matches!(empty.kind(), ErrorKind::Empty));
        assert!(InputLayout::from_shape(&[3], false).is_err());
    }

    #[test]
    fn a_map_that_is_not_finite_is_named() {
        let inputs = ArrayD::<f32>::zeros(vec![1, 2]);
        let mut maps = inputs.clone();
        maps[[0, 1]] = f32::NAN;
        let (layout, scaling) = (InputLayout::Tabular, MaskScaling::Relative);
        let error = mask_inputs(inputs.view(), maps.view(), layout, scaling).unwrap_err();
        assert_eq!(
            (error.input(), error.index()),
            (input::EXPLANATIONS, &[0, 1][..])
        );
    }

    #[test]
    fn magnitudes_of_single_precision_are_those_of_double_precision() {
        let maps = ramp([3, 5, 4, 4]).mapv(|x| (x / 7.0) as f32).into_dyn();
        let double = maps.mapv(f64::from);
        for layout in [InputLayout::ChannelsFirst, InputLayout::ChannelsLast] {
            let of_single = position_magnitudes(maps.view(), maps.shape(), layout).unwrap();
            let of_double = position_magnitudes(double.view(), maps.shape(), layout).unwrap();
            assert_eq!(of_single, of_double);
        }
    }
}
