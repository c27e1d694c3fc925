//! The option `--index`: which rows are measured.

use std::path::Path;

use ndarray::Ix1;
use xai_files::arrays::StoredArray;
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::common::tensor::{is_zeros_and_ones, selected_rows};
use xai_metrics::graph::input;

/// Reads the positions of the measured rows from a file, if there is one. `n_rows` is called only for booleans and for
/// zeros and ones, because it may run a model.
pub(crate) fn read(
    file: Option<&Path>,
    n_rows: impl FnOnce() -> Result<usize, Failure>,
) -> Result<Option<Vec<usize>>, Failure> {
    file.map(|file| rows(arrays::read(file)?, n_rows))
        .transpose()
}

/// Returns the positions of the rows that an array selects: positions `(m,)`, whose order is kept, or booleans or zeros
/// and ones `(n_rows,)`.
///
/// Fails for arrays of several axes or with fractions, for booleans of another shape, for negative positions, and for
/// zeros and ones that [`selected_rows`] rejects: those that could be read as positions or as a selection, three or
/// more that are not one per row, and positions beyond the rows.
pub(crate) fn rows(
    stored: StoredArray,
    n_rows: impl FnOnce() -> Result<usize, Failure>,
) -> Result<Vec<usize>, Failure> {
    let file = stored.file().to_owned();
    if stored.is_boolean() {
        let n_rows = n_rows()?;
        if stored.shape() != [n_rows] {
            return Err(Failure::new(format!(
                "index: expected positions, or a boolean for each of the {n_rows} rows, got booleans of shape {:?}",
                stored.shape()
            ))
            .in_file(file));
        }
        let chosen = stored.into_labels::<Ix1>()?;
        let marked = chosen.iter().enumerate().filter(|(_, mark)| **mark == 1);
        return Ok(marked.map(|(row, _)| row).collect());
    }
    let chosen = stored.into_integers::<Ix1>()?.to_vec();
    if is_zeros_and_ones(&chosen) {
        let files = Files::new().file(&[input::INDEX], &file);
        return selected_rows(input::INDEX, &chosen, n_rows()?).in_files(&files);
    }
    // The metric checks the upper bound.
    let row = |(i, &position): (usize, &i64)| {
        usize::try_from(position).map_err(|_| {
            Failure::new(format!(
                "index[{i}] = {position}: expected the position of a row, at least 0"
            ))
        })
    };
    let rows: Result<_, Failure> = chosen.iter().enumerate().map(row).collect();
    rows.in_file(&file)
}
