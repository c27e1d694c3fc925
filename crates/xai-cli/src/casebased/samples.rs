//! Reading of test rows from tables, batch by batch.

use std::path::Path;

use ndarray::{Array2, Axis, Slice};
use xai_files::classes::{Classes, LabelError};
use xai_files::table::{Columns, Piece, Pieces, Table};
use xai_files::{Failure, Files};
use xai_metrics::Error;
use xai_metrics::casebased::{CaseExplainer, Explanation, input};
use xai_metrics::common::Input;

use crate::casebased::missing::MissingCells;
use crate::casebased::training::{restore_file_rows, row_failure};

/// The columns of a test table, and how they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TestColumns<'a> {
    pub(crate) features: &'a [String],
    /// Column of the true class. It is ignored if the table does not have it.
    pub(crate) label: Option<&'a str>,
    pub(crate) predicted: Option<&'a str>,
    /// The classes of the training rows, ascending. A predicted class must be one of them.
    pub(crate) known: &'a [i64],
    pub(crate) missing: MissingCells,
    /// Largest number of rows that are read.
    pub(crate) limit: usize,
    /// Largest number of rows in a batch.
    pub(crate) batch: usize,
}

/// Reader of a test table.
pub(crate) struct TestRows {
    pieces: Pieces,
    piece: Option<Piece>,
    /// Number of rows of the piece that were returned.
    done: usize,
    label: Option<usize>,
    predicted: Option<usize>,
    known: Vec<i64>,
    missing: MissingCells,
    limit: usize,
    batch: usize,
    /// Number of rows left out because of a missing cell.
    pub(crate) n_dropped: usize,
}

impl TestRows {
    /// Creates a reader of a table. Fails if the table does not have the columns of the features and of the prediction.
    pub(crate) fn new(table: Table, columns: &TestColumns<'_>) -> Result<Self, Failure> {
        let label = columns
            .label
            .and_then(|label| table.header().position(label));
        let predicted = columns
            .predicted
            .map(|name| table.column(name))
            .transpose()?;
        let features: Result<Vec<usize>, Failure> = columns
            .features
            .iter()
            .map(|name| table.column(name))
            .collect();
        let wanted = Columns {
            numbers: features?,
            texts: label.into_iter().chain(predicted).collect(),
        };
        Ok(Self {
            pieces: table.pieces(&wanted),
            piece: None,
            done: 0,
            label,
            predicted,
            known: columns.known.to_vec(),
            missing: columns.missing,
            limit: columns.limit,
            batch: columns.batch.max(1),
            n_dropped: 0,
        })
    }

    /// Returns the number of bytes of the file that were read.
    pub(crate) fn end_byte(&self) -> u64 {
        self.piece.as_ref().map_or(0, Piece::end_byte)
    }

    /// Returns the next batch of rows; `None` at the end.
    pub(crate) fn next(&mut self, classes: &mut Classes) -> Result<Option<Samples>, Failure> {
        loop {
            let piece = match &self.piece {
                Some(piece) if self.done < piece.n_rows() => piece,
                Some(piece) if piece.first_row() + piece.n_rows() >= self.limit => return Ok(None),
                _ => {
                    let Some(piece) = self.pieces.next() else {
                        return Ok(None);
                    };
                    let piece = self.piece.insert(piece?);
                    self.done = 0;
                    check(piece, self.limit, &self.missing)?;
                    continue;
                }
            };
            let limit_in_piece = self.limit.saturating_sub(piece.first_row());
            let end = limit_in_piece
                .min(piece.n_rows())
                .min(self.done + self.batch);
            if end <= self.done {
                return Ok(None);
            }
            let (samples, n_dropped) = self.samples(piece, end, classes)?;
            self.done = end;
            self.n_dropped += n_dropped;
            if samples.rows.nrows() > 0 {
                return Ok(Some(samples));
            }
        }
    }

    /// Returns the rows of a piece from `self.done` to `end`, and the number of rows left out because of a missing
    /// cell.
    fn samples(
        &self,
        piece: &Piece,
        end: usize,
        classes: &mut Classes,
    ) -> Result<(Samples, usize), Failure> {
        let all = piece.numbers();
        let mut kept = Vec::with_capacity(end - self.done);
        let mut predicted = self.predicted.map(|_| Vec::new());
        let mut truth = self.label.map(|_| Vec::new());
        for row in self.done..end {
            // Unseen classes get numbers as they appear, so both columns are read row by row.
            let class_predicted = self.class(piece, row, self.predicted, classes)?;
            if class_predicted.is_some_and(|class| !self.is_known(class)) {
                return Err(self.unknown_class(piece, row, classes));
            }
            let class_true = self.class(piece, row, self.label, classes)?;
            let is_known =
                |column: Option<usize>, class: Option<i64>| column.is_none() || class.is_some();
            if is_known(self.predicted, class_predicted)
                && is_known(self.label, class_true)
                && all.row(row).iter().all(|x| !x.is_nan())
            {
                kept.push(row);
                predicted.iter_mut().for_each(|p| p.extend(class_predicted));
                truth.iter_mut().for_each(|t| t.extend(class_true));
            }
        }
        let n_dropped = end - self.done - kept.len();
        let rows = match n_dropped {
            0 => all
                .slice_axis(Axis(0), Slice::from(self.done..end))
                .to_owned(),
            _ => all.select(Axis(0), &kept),
        };
        let lines = kept.iter().map(|row| piece.line(*row)).collect();
        let numbers = kept.into_iter().map(|row| piece.first_row() + row);
        let samples = Samples {
            rows,
            predicted,
            truth,
            numbers: numbers.collect(),
            lines,
        };
        Ok((samples, n_dropped))
    }

    fn is_known(&self, class: i64) -> bool {
        self.known.binary_search(&class).is_ok()
    }

    /// Returns the error about a predicted class that no training row has, with examples of such classes and of the
    /// classes of training rows.
    fn unknown_class(&self, piece: &Piece, row: usize, classes: &mut Classes) -> Failure {
        const EXAMPLES: usize = 3;
        let Some(column) = self.predicted else {
            return Failure::new("a predicted class that no training row has");
        };
        let texts = match piece.text(column) {
            Ok(texts) => texts,
            Err(failure) => return failure,
        };
        let mut unknown: Vec<&str> = Vec::new();
        for text in texts.iter().skip(row) {
            let is_unknown = classes
                .number(text)
                .is_ok_and(|class| !self.is_known(class));
            if is_unknown && !unknown.contains(&text) && unknown.len() < EXAMPLES {
                unknown.push(text);
            }
        }
        let known: Vec<String> = self
            .known
            .iter()
            .take(EXAMPLES)
            .map(|class| classes.display_name(*class))
            .collect();
        let expected = format!(
            "a class of the training rows, for example {}; no training row has {}",
            known.join(", "),
            unknown.join(", ")
        );
        piece
            .cell(row, column, texts.get(row), &expected)
            .help("use the same names for the classes in both files")
    }

    fn class(
        &self,
        piece: &Piece,
        row: usize,
        column: Option<usize>,
        classes: &mut Classes,
    ) -> Result<Option<i64>, Failure> {
        let Some(column) = column else {
            return Ok(None);
        };
        let text = piece.text(column)?.get(row);
        match classes.number(text) {
            Ok(class) => Ok(Some(class)),
            Err(LabelError::Missing) if self.missing.drop_rows => Ok(None),
            Err(why) => Err(self.missing.no_class(piece, (row, column), text, why)),
        }
    }
}

/// Fails if a feature of the rows up to the limit is not a number, unless it is missing and rows with missing cells are
/// left out.
fn check(piece: &Piece, limit: usize, missing: &MissingCells) -> Result<(), Failure> {
    let counts = |row: usize| piece.first_row() + row < limit;
    let wrong = piece.first_invalid().filter(|(_, cell)| counts(cell.row));
    let missing_cell = piece
        .first_missing()
        .filter(|(_, cell)| counts(cell.row) && !missing.drop_rows);
    let first = wrong
        .into_iter()
        .chain(missing_cell)
        .min_by_key(|(column, cell)| (cell.row, *column));
    match first {
        None => Ok(()),
        Some((column, cell)) => Err(missing.no_number(piece.context(), column, cell)),
    }
}

/// A batch of test rows.
pub(crate) struct Samples {
    pub(crate) rows: Array2<f64>,
    pub(crate) predicted: Option<Vec<i64>>,
    pub(crate) truth: Option<Vec<i64>>,
    /// Index of each row in the file, from 0.
    pub(crate) numbers: Vec<usize>,
    /// Line of each row in the file.
    lines: Vec<u64>,
}

impl Samples {
    /// Explains the rows. Samples and training rows have their indices in the files, also if rows were left out.
    pub(crate) fn explain(
        &self,
        explainer: &CaseExplainer,
        classes: &Classes,
        file: &Path,
    ) -> Result<Vec<Explanation>, Failure> {
        let explained = match &self.predicted {
            Some(predicted) => explainer.explain_batch(self.rows.view(), predicted),
            None => explainer.explain_votes(self.rows.view()),
        };
        let with_truth = match &self.truth {
            Some(truth) => explained.and_then(|e| explainer.with_truth(e, truth)),
            None => explained,
        };
        let mut explanations = with_truth.map_err(|error| self.failure(&error, file))?;
        for (explanation, &number) in explanations.iter_mut().zip(&self.numbers) {
            explanation.sample = number;
            // The explainer knows the names of training classes only; `classes` also has those of the test file.
            explanation.predicted_name = explanation.predicted.and_then(|p| classes.name(p));
            explanation.truth_name = explanation.truth.and_then(|t| classes.name(t));
            restore_file_rows(explanation);
        }
        Ok(explanations)
    }

    /// Converts an error about a row of the batch to a failure that names the line of the file.
    pub(crate) fn failure(&self, error: &Error, file: &Path) -> Failure {
        const PER_ROW: [Input; 4] = [
            input::SAMPLES,
            input::SAMPLES_SCALED,
            input::PREDICTED,
            input::TRUTH,
        ];
        row_failure(error, &PER_ROW, |row| self.lines.get(row).copied(), file)
            .unwrap_or_else(|| Files::with_main_file(file).failure(error))
    }

    /// Returns the maximal runs of rows that are consecutive in the file, each with its first row in the batch, its
    /// first row in the file, and its length.
    pub(crate) fn runs(&self) -> Vec<(usize, usize, usize)> {
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (row, &number) in self.numbers.iter().enumerate() {
            match runs.last_mut() {
                Some((_, first, length)) if *first + *length == number => *length += 1,
                _ => runs.push((row, number, 1)),
            }
        }
        runs
    }
}
