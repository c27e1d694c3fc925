//! What is done about cells that are missing or no numbers.

use crate::failure::Failure;
use crate::input::classes::NoClass;
use crate::input::left_out::{DROP_KEY, DROP_OPTION, DropColumn};
use crate::input::table::Piece;
use crate::input::table::cell::Odd;
use crate::input::table::place::Place;
use crate::input::table::tally::OddCell;

/// Whether rows with a missing cell are left out, and what the ways out are called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MissingCells {
    pub(crate) drop_rows: bool,
    pub(crate) ways_out: &'static WaysOut,
}

/// What leaves a column or a row out, in the words of the command line or of a study file.
#[derive(Debug)]
pub(crate) struct WaysOut {
    pub(crate) drop_column: DropColumn,
    pub(crate) drop_rows: &'static str,
}

/// The options of the commands.
pub(crate) const OPTIONS: WaysOut = WaysOut {
    drop_column: DROP_OPTION,
    drop_rows: "--drop-rows-with-missing",
};

/// The keys of a study file.
pub(crate) const KEYS: WaysOut = WaysOut {
    drop_column: DROP_KEY,
    drop_rows: "drop_rows_with_missing = true",
};

impl MissingCells {
    /// A cell of a feature that is no finite number.
    pub(crate) fn no_number(&self, place: &Place, column: usize, cell: &OddCell) -> Failure {
        let expected = match cell.kind {
            Odd::Missing => "a finite number, and the cell is empty or says that it is missing",
            _ => "a finite number",
        };
        let failure = place.cell(cell.row, column, &cell.text, expected);
        let WaysOut {
            drop_column,
            drop_rows,
        } = self.ways_out;
        let leave_out = format!(
            "leave the column out: {}",
            drop_column(place.header().name(column))
        );
        failure.help(match cell.kind {
            Odd::Missing => {
                format!("fill the cell, leave the row out: {drop_rows}, or {leave_out}")
            }
            Odd::Written => {
                format!("write numbers with a decimal point and nothing else, or {leave_out}")
            }
            Odd::Infinite | Odd::Word => format!("correct the cell, or {leave_out}"),
        })
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
            NoClass::Missing => failure.help(format!(
                "fill the cell, or leave the row out: {}",
                self.ways_out.drop_rows
            )),
            _ => why.help(failure),
        }
    }
}
