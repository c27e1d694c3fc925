//! Further inputs of metrics: masks and segments.

use std::path::Path;

use ndarray::{Array2, Array3, Ix2, Ix3};
use xai_metrics::attribution::batch::Segments;
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::{Entry, FEATURES_OPTION};
use xai_metrics::core::Input;

use super::metric_options::MetricOptions;
use crate::failure::{Failure, InFile};
use crate::input::arrays;

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
pub(super) fn masks(file: &Path) -> Result<Array3<bool>, Failure> {
    let values = arrays::read_labels::<Ix3>(file)?;
    match values.iter().find(|&&value| value != 0 && value != 1) {
        None => Ok(values.mapv(|value| value == 1)),
        Some(value) => Err(Failure::new(format!(
            "{value}: expected booleans, or 0 and 1"
        ))),
    }
    .in_file(file)
}

/// Integers `(n, height, width)`, or `(height, width)` for all of `n` samples.
pub(super) fn segments(file: &Path, n: usize) -> Result<Array3<u32>, Failure> {
    let stored = arrays::read(file)?;
    let is_shared = stored.shape().len() == 2;
    if is_shared {
        let shared = stored.into_labels::<Ix2>()?.mapv(u32::try_from);
        let shared: Array2<u32> = whole(shared).in_file(file)?;
        return Ok(Segments::shared(&shared, n).0);
    }
    whole(stored.into_labels::<Ix3>()?.mapv(u32::try_from)).in_file(file)
}

fn whole<D: ndarray::Dimension>(
    segments: ndarray::Array<Result<u32, std::num::TryFromIntError>, D>,
) -> Result<ndarray::Array<u32, D>, Failure> {
    match segments.iter().any(Result::is_err) {
        true => Err(Failure::new("expected segments of 0 to 4 294 967 295")),
        false => Ok(segments.mapv(Result::unwrap_or_default)),
    }
}
