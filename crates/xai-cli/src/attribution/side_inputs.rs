//! Further inputs of metrics: masks and segments.

use std::path::Path;

use ndarray::{Array, Ix2};
use xai_metrics::attribution::batch::{Masks, Segments};
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::{Entry, FEATURES_OPTION};
use xai_metrics::core::Input;

use super::metric_options::MetricOptions;
use crate::failure::{Failure, InFile};
use crate::input::arrays;
use crate::input::planes::FilePlanes;

/// Whether a metric can do with segments, without needing them.
pub(super) fn may_take_segments(entry: &Entry) -> bool {
    let has = |option: &str| entry.options().iter().any(|o| o.name == option);
    has(FEATURES_OPTION.name) && !entry.info.needs.contains(&input::SEGMENTS)
}

/// Refuses a metric whose explainers or further inputs were not given: wrong usage, before anything is read.
pub(super) fn check(
    entry: &Entry,
    options: &MetricOptions,
    is_given: impl Fn(Input) -> bool,
) -> Result<(), Failure> {
    let of_features =
        may_take_segments(entry) && options.text(FEATURES_OPTION.name) == Some("segments");
    let needs = |input| entry.info.needs.contains(&input);
    let name = entry.info.name;
    if needs(input::EXPLAINER) && !is_given(input::EXPLAINER) {
        let missing = format!("--explainers NAME=E.onnx of every name: needed by {name}");
        return Err(Failure::usage(missing));
    }
    if needs(input::MASKS) && !is_given(input::MASKS) {
        return Err(Failure::usage(format!("--masks M.npy: needed by {name}")));
    }
    if (needs(input::SEGMENTS) || of_features) && !is_given(input::SEGMENTS) {
        let why = if of_features {
            "--features segments"
        } else {
            name
        };
        return Err(Failure::usage(format!("--segments S.npy: needed by {why}")));
    }
    Ok(())
}

/// Booleans `(n, height, width)`.
pub(super) fn masks(file: &Path) -> Result<Masks, Failure> {
    let rule = |label| match label {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::new(format!(
            "{other}: expected booleans, or 0 and 1"
        ))),
    };
    let masks = match FilePlanes::large(file, rule) {
        Some(masks) => masks,
        None => FilePlanes::of_file(arrays::read(file)?, rule)?,
    };
    Ok(Masks::new(masks))
}

/// Integers `(n, height, width)`, or `(height, width)` for all of `n` samples.
pub(super) fn segments(file: &Path, n: usize) -> Result<Segments, Failure> {
    let rule = |label: i64| {
        u32::try_from(label).map_err(|_| Failure::new("expected segments of 0 to 4 294 967 295"))
    };
    if let Some(segments) = FilePlanes::large(file, rule) {
        return Ok(Segments::new(segments));
    }
    let stored = arrays::read(file)?;
    if stored.shape().len() == 2 {
        let shared = whole(&stored.into_labels::<Ix2>()?, rule).in_file(file)?;
        return Ok(Segments::shared(shared, n));
    }
    Ok(Segments::new(FilePlanes::of_file(stored, rule)?))
}

/// Every number read by a rule.
fn whole<V, D: ndarray::Dimension>(
    labels: &Array<i64, D>,
    value: impl Fn(i64) -> Result<V, Failure>,
) -> Result<Array<V, D>, Failure> {
    let values: Result<Vec<V>, Failure> = labels.iter().map(|&label| value(label)).collect();
    Array::from_shape_vec(labels.raw_dim(), values?).map_err(Failure::new)
}
