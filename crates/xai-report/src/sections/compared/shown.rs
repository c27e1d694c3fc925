//! The samples that a section shows, and cases as images.

use ndarray::{ArrayD, ArrayView3, Axis, Ix3};
use xai_core::evaluation::{EvaluationTable, MetricResult};
use xai_core::{Direction, InputLayout};

/// Number of samples at each end of a metric that are shown.
pub(crate) const N_EACH: usize = 2;
/// Largest number of pixels that are shown along a side. Of larger images, every n-th pixel is shown.
const MAX_PIXELS: usize = 224;

/// A sample whose map is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenSample {
    /// The sample, from 0.
    pub sample: usize,
    /// Its value by the metric of the choice.
    pub value: f64,
    /// True for one of the best samples, false for one of the worst.
    pub is_best: bool,
}

/// The first metric that has a better end.
pub(crate) fn first_with_better_end(metrics: &[MetricResult]) -> Option<&MetricResult> {
    let mut metrics = metrics.iter();
    metrics.find(|metric| metric.direction != Direction::None)
}

/// The samples at both ends, best first.
pub(crate) fn ends(metric: &MetricResult, explainer: usize) -> Vec<ChosenSample> {
    let sign = match metric.direction {
        Direction::Higher => -1.0,
        _ => 1.0,
    };
    let values = metric.values[explainer].per_sample.iter().enumerate();
    let mut defined: Vec<(usize, f64)> = values
        .filter_map(|(sample, value)| Some((sample, (*value)?)))
        .collect();
    defined.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)).then(a.0.cmp(&b.0)));
    let n = defined.len();
    let n_best = N_EACH.min(n.div_ceil(2));
    let n_worst = N_EACH.min(n - n_best);
    let chosen = |is_best: bool| {
        move |&(sample, value): &(usize, f64)| ChosenSample {
            sample,
            value,
            is_best,
        }
    };
    let best = defined[..n_best].iter().map(chosen(true));
    best.chain(defined[n - n_worst..].iter().map(chosen(false)))
        .collect()
}

/// The best and the worst of `n` samples by the first metric with a better end, of the explainer
/// that it ranks first. Samples that are evenly spread if there is no such metric, explainer or value.
pub(crate) fn shown(table: &EvaluationTable, n: usize) -> Vec<usize> {
    let first = first_with_better_end(&table.metrics);
    let best = first.and_then(|metric| Some((metric, *metric.ranking.first()?)));
    let chosen = best.map_or_else(Vec::new, |(metric, explainer)| ends(metric, explainer));
    let n_spread = n.min(2 * N_EACH);
    if chosen.is_empty() {
        return (0..n_spread).map(|i| i * n / n_spread).collect();
    }
    chosen.iter().map(|chosen| chosen.sample).collect()
}

/// Range of the values of an image, extended to 0.
pub(crate) fn range(image: &ArrayView3<'_, f32>) -> (f32, f32) {
    let ends = |(low, high): (f32, f32), x: &f32| (low.min(*x), high.max(*x));
    image.iter().fold((0.0, 0.0), ends)
}

/// Positions of the shown pixels of an image: all, or every n-th along each side if the image is large.
pub(crate) fn places(image: &ArrayView3<'_, f32>) -> impl Iterator<Item = (usize, usize)> + use<> {
    let (height, width, _) = image.dim();
    let step = step(height, width);
    let rows = (0..height).step_by(step);
    rows.flat_map(move |y| (0..width).step_by(step).map(move |x| (y, x)))
}

fn step(height: usize, width: usize) -> usize {
    height.max(width).div_ceil(MAX_PIXELS).max(1)
}

/// The shown pixels of an image, scaled from the given range to [0, 1], their height and width, and whether each has
/// three values. An image with at least three channels is shown with its first three, another with its first one.
pub(crate) fn scaled(
    image: &ArrayView3<'_, f32>,
    (low, high): (f32, f32),
) -> (Vec<f32>, (usize, usize), bool) {
    let (height, width, n_channels) = image.dim();
    let step = step(height, width);
    let is_colored = n_channels >= 3;
    let channels = if is_colored { 3 } else { 1 };
    let positions = places(image).flat_map(|(y, x)| (0..channels).map(move |c| (y, x, c)));
    let values = positions.map(|position| {
        if high > low {
            ((image[position] - low) / (high - low)).clamp(0.0, 1.0)
        } else {
            0.0
        }
    });
    let size = (height.div_ceil(step), width.div_ceil(step));
    (values.collect(), size, is_colored)
}

/// One sample as `(height, width, channels)`; `None` if it has other axes.
pub(crate) fn image(
    samples: &ArrayD<f32>,
    layout: InputLayout,
    row: usize,
) -> Option<ArrayView3<'_, f32>> {
    let view = samples.index_axis(Axis(0), row);
    let with_channels = match (view.ndim(), layout) {
        // Grey, without an axis of channels.
        (2, InputLayout::ChannelsFirst) => view.insert_axis(Axis(0)),
        (2, _) => view.insert_axis(Axis(2)),
        _ => view,
    };
    let sample = with_channels.into_dimensionality::<Ix3>().ok()?;
    Some(match layout {
        InputLayout::ChannelsFirst => sample.permuted_axes([1, 2, 0]),
        _ => sample,
    })
}
