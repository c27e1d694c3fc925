//! Positions of rows.

use std::path::Path;

use ndarray::Ix1;

use crate::failure::{Failure, InFile};
use crate::input::arrays::{self, StoredArray};

/// Reads the rows that are measured, if a file names them.
pub(crate) fn read(file: Option<&Path>) -> Result<Option<Vec<usize>>, Failure> {
    file.map(|file| rows(arrays::read(file)?)).transpose()
}

/// The rows that an array names.
pub(crate) fn rows(stored: StoredArray) -> Result<Vec<usize>, Failure> {
    let file = stored.file().to_owned();
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
