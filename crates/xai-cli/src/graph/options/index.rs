//! Which rows are measured.

use std::path::Path;

use ndarray::Ix1;
use xai_files::arrays::StoredArray;
use xai_files::{Failure, InFile, arrays};

/// Reads the rows that are measured, if a file names them. `n_rows` is called only for a file of booleans, since it may
/// run a model.
pub(crate) fn read(
    file: Option<&Path>,
    n_rows: impl FnOnce() -> Result<usize, Failure>,
) -> Result<Option<Vec<usize>>, Failure> {
    file.map(|file| rows(arrays::read(file)?, n_rows))
        .transpose()
}

/// The rows that an array names: positions `(m,)`, whose order is kept, or booleans `(n_rows,)`.
///
/// Fails for booleans of another shape and for negative positions.
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
        let rows = chosen.iter().enumerate();
        return Ok(rows
            .filter(|(_, chosen)| **chosen == 1)
            .map(|(row, _)| row)
            .collect());
    }
    let positions = stored.into_labels::<Ix1>()?;
    let row = |(i, &position): (usize, &i64)| {
        usize::try_from(position).map_err(|_| {
            Failure::new(format!(
                "index[{i}] = {position}: expected a row, at least 0"
            ))
        })
    };
    let rows: Result<_, Failure> = positions.iter().enumerate().map(row).collect();
    rows.in_file(&file)
}
