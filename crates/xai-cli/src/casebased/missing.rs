//! What is done about cells that are missing or no numbers.

use clap::Args;
use xai_files::Failure;
use xai_files::classes::NoClass;
use xai_files::left_out::drop_column;
use xai_files::table::{NonNumber, NonNumberCell, Piece, Place};

/// What is done about missing cells.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct MissingCells {
    /// Leave out training and test rows in which a feature, or a class that is given, is missing: an
    /// empty cell, NA, NaN, null. Without this option such a cell is an error.
    #[arg(long = "drop-rows-with-missing")]
    pub(crate) drop_rows: bool,
}

/// What leaves rows with a missing cell out.
const DROP_ROWS: &str = "--drop-rows-with-missing";

impl MissingCells {
    /// A cell of a feature that is no finite number.
    pub(crate) fn no_number(&self, place: &Place, column: usize, cell: &NonNumberCell) -> Failure {
        let expected = match cell.kind {
            NonNumber::Missing => {
                "a finite number, and the cell is empty or says that it is missing"
            }
            NonNumber::Boolean => {
                "a number, as in other rows: True and False are numbers where all cells are such"
            }
            _ => "a finite number",
        };
        let failure = place.cell(cell.line, column, &cell.text, expected);
        let leave_out = format!(
            "leave the column out: {}",
            drop_column(place.header().name(column))
        );
        let leave_row_out = match cell.kind {
            NonNumber::Missing => format!(", leave the row out: {DROP_ROWS}"),
            _ => String::new(),
        };
        failure.help(format!(
            "{}{leave_row_out}, or {leave_out}",
            cell.kind.remedy()
        ))
    }

    /// A cell that names no class; `row` is one of the piece.
    pub(crate) fn no_class(
        &self,
        piece: &Piece,
        (row, column): (usize, usize),
        text: &str,
        why: NoClass,
    ) -> Failure {
        let failure = piece.cell(row, column, text, why.expected());
        match why {
            NoClass::Missing => {
                failure.help(format!("fill the cell, or leave the row out: {DROP_ROWS}"))
            }
            _ => why.help(failure),
        }
    }
}
