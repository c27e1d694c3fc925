//! Imputation of chosen pixels of images.

use ndarray::{ArrayD, ArrayView3, ArrayViewD};
use xai_core::number::check_finite;
use xai_core::tensor::Positions;
use xai_core::{Error, InputLayout, Real, Result, parallel};

use crate::input;
use crate::perturbation::absence::baseline::nothing_left;
use crate::perturbation::absence::linear_imputation::{Image, MAX_LANES};
use crate::perturbation::features::Plane;

/// Images whose missing pixels are imputed from their neighbours, as by
/// [`Baseline::LinearImputation`](crate::perturbation::Baseline::LinearImputation).
///
/// `missing` has a flag per pixel, `(n, height, width)`. A missing pixel is the weighted mean of its neighbours,
/// missing or not: 1/6 for direct and 1/12 for diagonal ones, normalised at the border. Images are imputed in
/// parallel.
///
/// # Errors
/// `ShapeMismatch` for inputs that are no images, or flags of another shape; `NonFinite` for an input; an invalid
/// parameter for an image without a known pixel.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{InputLayout, perturbation::impute};
/// let images = array![[[[1.0], [0.0], [3.0]]]].into_dyn();
/// let imputed = impute(images.view(), array![[[false, true, false]]].view(), InputLayout::ChannelsLast)?;
/// assert_eq!(imputed, array![[[[1.0], [2.0], [3.0]]]].into_dyn());
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn impute<T: Real>(
    images: ArrayViewD<'_, T>,
    missing: ArrayView3<'_, bool>,
    layout: InputLayout,
) -> Result<ArrayD<T>> {
    let shape = images.shape();
    if !matches!(
        (layout, shape.len()),
        (InputLayout::ChannelsFirst | InputLayout::ChannelsLast, 4)
    ) {
        return Err(Error::shape_described(input::INPUTS, "images", shape));
    }
    let plane = Plane::new(shape, layout);
    let expected = [shape[0], plane.rows, plane.columns];
    if missing.shape() != expected {
        return Err(Error::shape(input::MASKS, &expected, missing.shape()));
    }
    check_finite(input::INPUTS, images.view())?;
    let image = Image {
        rows: plane.rows,
        columns: plane.columns,
        layout: Positions::from_shape(shape, layout)?,
    };
    let missing: Vec<Vec<u32>> = missing
        .outer_iter()
        .map(|flags| {
            let flagged = (0u32..).zip(flags).filter(|(_, is_missing)| **is_missing);
            flagged.map(|(pixel, _)| pixel).collect()
        })
        .collect();
    let is_empty = |missing: &Vec<u32>| missing.len() == image.layout.positions;
    if let Some(sample) = missing.iter().position(is_empty) {
        return Err(nothing_left().owner(format!("sample {sample}")));
    }
    let mut imputed = images.as_standard_layout().into_owned();
    let values = imputed.as_slice_mut().expect("in standard layout");
    // Several images at once, as long as there is work for all threads.
    let n = missing
        .len()
        .div_ceil(parallel::threads())
        .clamp(1, MAX_LANES);
    parallel::for_each_chunk(values, n * image.layout.size(), |i, values| {
        let missing = &missing[i * n..];
        image.impute(values, &missing[..n.min(missing.len())]);
    });
    Ok(imputed)
}
