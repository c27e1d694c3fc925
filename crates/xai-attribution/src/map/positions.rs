//! Attributions by position.

use ndarray::{ArrayViewD, Axis};
use xai_core::tensor::position_attributions;
use xai_core::{Error, InputLayout, Real, Result};

use crate::input;

/// Attribution of every position of every sample: the signed mean over channels.
pub(crate) fn attributions_by_position<T: Real>(
    maps: ArrayViewD<'_, T>,
    shape: &[usize],
    layout: InputLayout,
) -> Result<Vec<T>> {
    // Every element of a time series is a position, even if the map only has one value per time step.
    if layout == InputLayout::TimeSeries && maps.shape() == &shape[..2] {
        let steps = maps.view().insert_axis(Axis(2));
        let expanded = steps
            .broadcast(shape)
            .ok_or_else(|| Error::shape(input::EXPLANATIONS, shape, maps.shape()))?;
        return position_attributions(expanded.view(), shape, layout);
    }
    position_attributions(maps, shape, layout)
}

/// Like [`attributions_by_position`], for maps without their inputs: the shape of the maps decides whether they have
/// channels.
pub(crate) fn attributions_of_maps<T: Real>(
    maps: ArrayViewD<'_, T>,
    layout: InputLayout,
) -> Result<Vec<T>> {
    let shape = maps.shape().to_vec();
    position_attributions(maps, &shape, layout_of_maps(&shape, layout))
}

/// Indices of the `k` largest absolute attributions in descending order. Ties go to the lower index.
pub(crate) fn largest<T: Real>(attributions: &[T], k: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..attributions.len()).collect();
    let size = |position: &usize| attributions[*position].abs().to_f64_exact();
    let descending = |a: &usize, b: &usize| size(b).total_cmp(&size(a)).then(a.cmp(b));
    // Selects before sorting: linear in the number of positions instead of n log n.
    if k < order.len() {
        order.select_nth_unstable_by(k, descending);
        order.truncate(k);
    }
    order.sort_unstable_by(descending);
    order
}

/// InputLayout for reading maps by position. Maps without a channel axis are read element by element.
pub(crate) fn layout_of_maps(shape: &[usize], layout: InputLayout) -> InputLayout {
    match (layout, shape.len()) {
        (InputLayout::ChannelsFirst | InputLayout::ChannelsLast, 3) => InputLayout::TimeSeries,
        (InputLayout::TimeSeries, 2) => InputLayout::Tabular,
        _ => layout,
    }
}
