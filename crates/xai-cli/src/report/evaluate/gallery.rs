//! Some maps of images: those that a metric finds best and worst.

use ndarray::{ArrayD, ArrayView3, Axis, Ix3};
use xai_files::failure::Failure;
use xai_metrics::attribution::Layout;
use xai_metrics::attribution::evaluation::MetricResult;
use xai_metrics::attribution::metric::Direction;
use xai_metrics::attribution::model::{Concurrent, Samples, Targets};
use xai_metrics::attribution::run::masked_scores;
use xai_metrics::core::tensor::{mask_inputs, position_attributions};

use crate::attribution::compare::{Compare, Compared};
use crate::report::model::attribution::{Gallery, GalleryItem, GalleryPixels};

/// Samples per explainer at each end.
const N_EACH: usize = 2;
/// Explainers that are shown.
const MOST_EXPLAINERS: usize = 6;
/// Positions along each side that are shown of larger images.
const MOST_PIXELS: usize = 224;

/// The best and the worst maps of each explainer, where the inputs are images.
///
/// # Errors
/// As the command.
pub(super) fn gallery(
    arguments: &Compare,
    compared: &Compared,
) -> Result<Option<Gallery>, Failure> {
    let inputs = &compared.opened.inputs;
    let layout = compared.scoring.layout_of(inputs.shape()).ok();
    let is_image = matches!(layout, Some(Layout::ChannelsFirst | Layout::ChannelsLast));
    let (Some(layout), Some(metric)) =
        (layout.filter(|_| is_image), chosen(&compared.table.metrics))
    else {
        return Ok(None);
    };
    let mut items = Vec::new();
    for explainer in 0..compared.table.explainers.len().min(MOST_EXPLAINERS) {
        let samples = ends(metric, explainer);
        if !samples.is_empty() {
            items.extend(of_explainer(
                arguments, compared, layout, explainer, &samples,
            )?);
        }
    }
    Ok((!items.is_empty()).then(|| Gallery {
        metric: metric.metric.clone(),
        n_each: N_EACH,
        items,
    }))
}

/// The metric that samples are chosen by: Average Drop, which the pictures show, else the first that has a
/// better end.
fn chosen(metrics: &[MetricResult]) -> Option<&MetricResult> {
    let drop = metrics
        .iter()
        .find(|metric| metric.metric == "average_drop");
    drop.or_else(|| {
        metrics
            .iter()
            .find(|metric| metric.direction != Direction::None)
    })
}

/// The samples at both ends, best first, each with its value and whether it is one of the best.
fn ends(metric: &MetricResult, explainer: usize) -> Vec<(usize, f64, bool)> {
    let sign = if metric.direction == Direction::Higher {
        -1.0
    } else {
        1.0
    };
    let values = metric.values[explainer].per_sample.iter().enumerate();
    let mut defined: Vec<(usize, f64)> = values
        .filter_map(|(sample, value)| Some((sample, (*value)?)))
        .collect();
    defined.sort_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)).then(a.0.cmp(&b.0)));
    let n = defined.len();
    let best = N_EACH.min(n.div_ceil(2));
    let worst = N_EACH.min(n - best);
    let mark = |is_best: bool| move |&(sample, value): &(usize, f64)| (sample, value, is_best);
    let first = defined[..best].iter().map(mark(true));
    first
        .chain(defined[n - worst..].iter().map(mark(false)))
        .collect()
}

fn of_explainer(
    arguments: &Compare,
    compared: &Compared,
    layout: Layout,
    explainer: usize,
    chosen: &[(usize, f64, bool)],
) -> Result<Vec<GalleryItem>, Failure> {
    let samples: Vec<usize> = chosen.iter().map(|(sample, ..)| *sample).collect();
    let opened = &compared.opened;
    let inputs = opened.inputs.gather(&samples)?;
    let targets = opened.targets.gather(&samples);
    let given = (&inputs, &targets);
    let Some(maps) =
        arguments
            .explainers
            .maps_of(explainer, &compared.explainers, &samples, given)?
    else {
        return Ok(Vec::new());
    };
    let model = Concurrent(&opened.model);
    let scores = masked_scores(
        &model,
        inputs.view(),
        &targets,
        maps.view(),
        &compared.scoring,
    );
    let scores = scores.map_err(|stopped| arguments.failure(&stopped))?;
    let masked = mask_inputs(inputs.view(), maps.view(), layout).map_err(Failure::new)?;
    let attributions =
        position_attributions(maps.view(), inputs.shape(), layout).map_err(Failure::new)?;
    let n_positions = attributions.len() / samples.len();
    let items = chosen
        .iter()
        .enumerate()
        .map(|(i, &(sample, value, is_best))| {
            let map = &attributions[i * n_positions..(i + 1) * n_positions];
            let pixels = pixels(&inputs, &masked, map, layout, i);
            GalleryItem {
                sample,
                explainer: compared.table.explainers[explainer].clone(),
                is_best,
                value,
                target: match &targets {
                    Targets::Classes(classes) => classes.get(i).copied(),
                    Targets::Rows(_) => None,
                },
                score: scores.base[i],
                score_masked: scores.masked[i],
                pixels,
            }
        });
    Ok(items.collect())
}

/// The pictures of one of some samples.
fn pixels(
    inputs: &ArrayD<f32>,
    masked: &ArrayD<f32>,
    map: &[f32],
    layout: Layout,
    row: usize,
) -> GalleryPixels {
    let (input, masked) = (image(inputs, layout, row), image(masked, layout, row));
    let (Some(input), Some(masked)) = (input, masked) else {
        return GalleryPixels::default();
    };
    let (height, width, n_channels) = input.dim();
    // Larger images are shown by every so many pixels.
    let step = height.max(width).div_ceil(MOST_PIXELS).max(1);
    let places: Vec<(usize, usize)> = (0..height)
        .step_by(step)
        .flat_map(|y| (0..width).step_by(step).map(move |x| (y, x)))
        .collect();
    let is_colored = n_channels >= 3;
    let channels = if is_colored { 3 } else { 1 };
    // One scale for both pictures, in which a removed value has its own brightness.
    let (low, high) = input
        .iter()
        .fold((0f32, 0f32), |(low, high), &x| (low.min(x), high.max(x)));
    let scaled = |image: &ArrayView3<'_, f32>| {
        let of_place = |&(y, x): &(usize, usize)| (0..channels).map(move |c| (y, x, c));
        let values = places
            .iter()
            .flat_map(of_place)
            .map(|place| match high > low {
                true => ((image[place] - low) / (high - low)).clamp(0.0, 1.0),
                false => 0.0,
            });
        values.collect::<Vec<f32>>()
    };
    let map = places.iter().map(|&(y, x)| map[y * width + x]);
    GalleryPixels {
        height: height.div_ceil(step),
        width: width.div_ceil(step),
        map: map.collect(),
        input: scaled(&input),
        masked: scaled(&masked),
        is_colored,
    }
}

/// One sample as `(height, width, channels)`.
fn image(samples: &ArrayD<f32>, layout: Layout, row: usize) -> Option<ArrayView3<'_, f32>> {
    let sample = samples
        .index_axis(Axis(0), row)
        .into_dimensionality::<Ix3>()
        .ok()?;
    Some(match layout {
        Layout::ChannelsFirst => sample.permuted_axes([1, 2, 0]),
        _ => sample,
    })
}
