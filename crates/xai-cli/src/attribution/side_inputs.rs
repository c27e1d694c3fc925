//! Further inputs of metrics: masks and segments.

use std::path::Path;

use ndarray::{Array2, Array3, Ix2, Ix3};
use xai_metrics::attribution::batch::Segments;

use crate::failure::{Failure, InFile};
use crate::input::arrays;

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
