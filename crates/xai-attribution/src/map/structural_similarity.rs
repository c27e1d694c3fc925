//! Structural similarity of two images.

use ndarray::ArrayView3;
use xai_core::number::{check_finite, elementary};
use xai_core::{Error, ExactMean, Real, Result};

use crate::{help, input};

/// Size of the Gaussian window for images that are large enough, and its standard deviation.
const WINDOW: usize = 11;
const SIGMA: f64 = 1.5;
/// Stabilising constants of the two quotients, as shares of the range.
const K1: f64 = 0.01;
const K2: f64 = 0.03;

/// Structural similarity (SSIM) of two images.
///
/// ```text
/// SSIM = mean over windows and channels of (2 μ_a μ_b + C₁)(2 σ_ab + C₂) / ((μ_a² + μ_b² + C₁)(σ_a² + σ_b² + C₂))
/// C₁ = (0.01 L)²   C₂ = (0.03 L)²   L = the range of both images together
/// ```
///
/// `a` and `b` have the shape `(height, width, channels)`. Windows are Gaussian with σ = 1.5 and have 11 × 11 pixels,
/// or the largest odd size that fits the image; only windows that lie fully inside are used. In [−1, 1]: 1 for equal
/// images, about 0 for unrelated ones. Two images with one and the same value everywhere have similarity 1.
///
/// # Errors
/// A shape mismatch; empty images; NaN or infinity; out of domain if the range of the values, or its inverse, exceeds
/// that of `f64`.
///
/// ```
/// use ndarray::{Array3, array};
/// use xai_attribution::map::structural_similarity;
/// let a = array![[[0.0], [1.0]], [[1.0], [0.0]]];
/// assert_eq!(structural_similarity(a.view(), a.view())?, 1.0);
/// // Windows of one pixel: half the pixels are equal, half the farthest apart.
/// let flat = Array3::<f64>::zeros((2, 2, 1));
/// let s = structural_similarity(a.view(), flat.view())?;
/// assert!((s - (0.5 + 0.5 * 0.0001 / 1.0001)).abs() < 1e-12);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Wang et al., *Image Quality Assessment: From Error Visibility to Structural Similarity*, 2004,
/// with the choices of Xplique's randomization metrics (`tf.image.ssim`).
pub fn structural_similarity<T: Real>(a: ArrayView3<'_, T>, b: ArrayView3<'_, T>) -> Result<f64> {
    if a.shape() != b.shape() {
        return Err(Error::shape(input::B, a.shape(), b.shape()));
    }
    if a.is_empty() {
        return Err(Error::empty(input::IMAGES));
    }
    check_finite(input::A, a)?;
    check_finite(input::B, b)?;
    let (height, width, channels) = a.dim();
    let values = || a.iter().chain(b.iter()).map(|x| x.to_f64_exact());
    let range = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    // Both constants are 0 then, and the quotient of the variances would be 0 / 0.
    if range == 0.0 {
        return Ok(1.0);
    }
    // In units of the range no square overflows, and similarity does not depend on the unit.
    if !range.is_finite() || !(1.0 / range).is_finite() {
        return Err(Error::out_of_domain(
            input::IMAGES,
            &[],
            range,
            "a range that is an ordinary number",
        )
        .with_help(help::SCALE_MAPS_DOWN));
    }
    let window = window(WINDOW.min(height).min(width));
    let mut mean = ExactMean::new();
    for channel in 0..channels {
        // Centred in units of the range, because the squares of a large offset would swamp the variances.
        let plane = |image: &ArrayView3<'_, T>| {
            let pixels = image.index_axis(ndarray::Axis(2), channel);
            let values = pixels.iter().map(|x| x.to_f64_exact() / range);
            centred(values.collect())
        };
        add_similarities(&mut mean, &plane(&a), &plane(&b), (height, width), &window);
    }
    mean.value().ok_or_else(|| Error::empty(input::IMAGES))
}

/// Subtracts the mean, and returns it as well.
fn centred(mut plane: Vec<f64>) -> (Vec<f64>, f64) {
    let sum: ExactMean = plane.iter().copied().collect();
    let mean = sum.value().unwrap_or_default();
    for x in &mut plane {
        *x -= mean;
    }
    (plane, mean)
}

/// Adds the similarity under every window of two centred planes, given with their means.
fn add_similarities(
    mean: &mut ExactMean,
    (a, offset_a): &(Vec<f64>, f64),
    (b, offset_b): &(Vec<f64>, f64),
    (height, width): (usize, usize),
    window: &[f64],
) {
    // In units of the range, L is 1.
    let (c1, c2) = (K1 * K1, K2 * K2);
    let local = |f: &dyn Fn(f64, f64) -> f64| {
        let image: Vec<f64> = a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect();
        local_means(&image, height, width, window)
    };
    let (mean_a, mean_b) = (local(&|a, _| a), local(&|_, b| b));
    let (squares, products) = (local(&|a, b| a * a + b * b), local(&|a, b| a * b));
    for (i, (&da, &db)) in mean_a.iter().zip(&mean_b).enumerate() {
        // Luminance needs the means themselves; variances and covariance do not depend on the offsets.
        let (ma, mb) = (da + offset_a, db + offset_b);
        let luminance = (2.0 * ma * mb + c1) / (ma * ma + mb * mb + c1);
        let structure =
            (2.0 * (products[i] - da * db) + c2) / (squares[i] - (da * da + db * db) + c2);
        mean.add(luminance * structure);
    }
}

/// Gaussian weights of the largest odd size up to `room`, normalised to sum 1.
fn window(room: usize) -> Vec<f64> {
    let size = room - usize::from(room.is_multiple_of(2));
    let weight = |i: usize| {
        let distance = i as f64 - (size / 2) as f64;
        elementary::exp(-0.5 * (distance / SIGMA).powi(2))
    };
    let total: f64 = (0..size).map(weight).sum();
    (0..size).map(|i| weight(i) / total).collect()
}

/// Means under the window at every position where it fits. Separable: first along the rows, then along the columns.
/// The loop over weights is the outer one, so that the inner loops run over contiguous memory and vectorise.
fn local_means(image: &[f64], height: usize, width: usize, window: &[f64]) -> Vec<f64> {
    let (inner, inner_height) = (width + 1 - window.len(), height + 1 - window.len());
    let mut rows = vec![0.0; height * inner];
    for (row, out) in image.chunks_exact(width).zip(rows.chunks_exact_mut(inner)) {
        for (shift, weight) in window.iter().enumerate() {
            add_scaled(out, &row[shift..], *weight);
        }
    }
    let mut means = vec![0.0; inner_height * inner];
    for (top, out) in means.chunks_exact_mut(inner).enumerate() {
        for (shift, weight) in window.iter().enumerate() {
            add_scaled(out, &rows[(top + shift) * inner..], *weight);
        }
    }
    means
}

fn add_scaled(to: &mut [f64], from: &[f64], weight: f64) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += weight * from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array3;

    #[test]
    fn constant_images_are_alike_where_they_are_equal() {
        let grey = Array3::from_elem((9, 9, 2), 0.5);
        assert_eq!(
            structural_similarity(grey.view(), grey.view()).unwrap(),
            1.0
        );
        let black = Array3::zeros((9, 9, 2));
        let s = structural_similarity(grey.view(), black.view()).unwrap();
        assert!((s - 0.0001 / 1.0001).abs() < 1e-12);
    }

    #[test]
    fn similarity_does_not_depend_on_the_unit() {
        let a = Array3::from_shape_fn((12, 13, 1), |(i, j, _)| ((i * 7 + j * 3) % 10) as f64);
        let b = Array3::from_shape_fn((12, 13, 1), |(i, j, _)| ((i * 5 + j * 3) % 10) as f64);
        let s = structural_similarity(a.view(), b.view()).unwrap();
        for unit in [1e-200, 1e200] {
            let of = |x: &Array3<f64>| x.mapv(|v| v * unit);
            let scaled = structural_similarity(of(&a).view(), of(&b).view()).unwrap();
            assert!((s - scaled).abs() < 1e-12);
        }
    }
}
