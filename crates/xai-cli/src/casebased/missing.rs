//! Handling of cells that are missing or not numbers.

use clap::Args;
use xai_files::Failure;
use xai_files::classes::LabelError;
use xai_files::left_out::drop_column;
use xai_files::table::{NonNumber, NonNumberCell, Piece, TableContext};

/// The option for missing cells.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MissingCells {
    /// Leave out training and test rows in which a feature or a class is missing: an empty cell, NA, NaN or null.
    /// Without this option a missing cell is an error.
    #[arg(long = "drop-rows-with-missing")]
    pub(crate) drop_rows: bool,
}

/// Option that leaves out rows with a missing cell.
const DROP_ROWS: &str = "--drop-rows-with-missing";

impl MissingCells {
    /// Returns the failure for a cell of a feature that is not a finite number.
    pub(crate) fn no_number(
        &self,
        place: &TableContext,
        column: usize,
        cell: &NonNumberCell,
    ) -> Failure {
        let expected = match cell.kind {
            NonNumber::Missing => "a finite number, but the value is missing",
            NonNumber::Boolean => {
                "a number as in other rows (True and False are read as numbers only if all cells of the column are such)"
            }
            _ => "a finite number",
        };
        let failure = place.cell(cell.line, column, &cell.text, expected);
        let leave_out = format!(
            "leave the column out: {}",
            drop_column(place.header().name(column))
        );
        let leave_row_out = match cell.kind {
            NonNumber::Missing => format!(", leave out rows with missing cells: {DROP_ROWS}"),
            _ => String::new(),
        };
        failure.help(format!(
            "{}{leave_row_out}, or {leave_out}",
            cell.kind.remedy()
        ))
    }

    /// Returns the failure for a cell that is not a class; `row` counts within the piece.
    pub(crate) fn no_class(
        &self,
        piece: &Piece,
        (row, column): (usize, usize),
        text: &str,
        reason: LabelError,
    ) -> Failure {
        let failure = piece.cell(row, column, text, reason.expected());
        match reason {
            LabelError::Missing => failure.help(format!(
                "fill the cell, or leave out rows with missing cells: {DROP_ROWS}"
            )),
            _ => reason.help(failure),
        }
    }
}
