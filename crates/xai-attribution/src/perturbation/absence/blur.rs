//! Gaussian blur.

use crate::rows::for_each_row;
use ndarray::ArrayViewD;
use xai_core::number::elementary;
use xai_core::{InputLayout, Real};

/// Blurs every sample by a separable Gaussian along height and width, or along time. Tabular samples stay as they are.
pub(crate) fn blurred<T: Real>(
    inputs: ArrayViewD<'_, T>,
    layout: InputLayout,
    sigma: f64,
) -> Vec<T> {
    let shape = &inputs.shape()[1..];
    let axes: &[usize] = match layout {
        InputLayout::ChannelsLast => &[0, 1],
        InputLayout::ChannelsFirst => &[1, 2],
        InputLayout::TimeSeries => &[0],
        InputLayout::Tabular => &[],
    };
    let kernel = gaussian(sigma);
    let size: usize = shape.iter().product();
    let mut values: Vec<T> = inputs.iter().copied().collect();
    for_each_row(&mut values, size, |_, sample| {
        // One pass per axis: a Gaussian is separable, so this is much cheaper than a two-dimensional kernel.
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

/// Kernel weights at distances 0, 1, …, 4 σ. Counted once for distance 0 and twice for all others, they sum to 1.
fn gaussian(sigma: f64) -> Vec<f64> {
    // Rounded to the nearest position, as in SciPy's `gaussian_filter` with `truncate` 4. At most 40 000, because σ is
    // at most 10 000.
    let radius = (4.0 * sigma + 0.5).floor() as u32;
    let weight = |d: u32| elementary::exp(-0.5 * (f64::from(d) / sigma).powi(2));
    let sides: f64 = (1..=radius).map(weight).sum();
    let total = 1.0 + 2.0 * sides;
    (0..=radius).map(|d| weight(d) / total).collect()
}

/// Convolves along an axis of `length` elements, `stride` apart, mirrored at the edges.
fn smooth(from: &[f64], to: &mut [f64], length: usize, stride: usize, kernel: &[f64]) {
    // Half-sample symmetric: … c b a | a b c d | d c b …
    let mirrored = |index: isize| {
        let period = 2 * length as isize;
        // The kernel may be longer than the input, which is then mirrored repeatedly.
        let phase = index.rem_euclid(period);
        (if phase < length as isize {
            phase
        } else {
            period - 1 - phase
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
            // Both neighbours at a distance share a weight. The inner loop runs over contiguous elements and
            // vectorises.
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
    use ndarray::{Array, ArrayD, IxDyn};

    /// `scipy.ndimage.gaussian_filter(x, 0.7)` of scipy 1.17, mode "reflect", truncate 4.
    #[test]
    fn the_blur_is_that_of_scipy() {
        let x = Array::from_iter((0..12u8).map(|i| f64::from((i * 7) % 5)));
        let x = x.into_shape_with_order(IxDyn(&[1, 3, 4, 1])).unwrap();
        let blurred = blurred(x.view(), InputLayout::ChannelsLast, 0.7);
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
        for x in blurred(constant.view(), InputLayout::TimeSeries, 9.0) {
            assert_abs_diff_eq!(x, 0.3, epsilon = 1e-14);
        }
        let mut spike = ArrayD::zeros(IxDyn(&[1, 1, 6, 7]));
        spike[[0, 0, 0, 6]] = 1.0;
        let total: f64 = blurred(spike.view(), InputLayout::ChannelsFirst, 2.0)
            .iter()
            .sum();
        assert_abs_diff_eq!(total, 1.0, epsilon = 1e-12);
    }
}
