//! Reading of training rows from tables.

use std::path::Path;
use std::sync::Arc;

use ndarray::Array2;
use xai_files::Failure;
use xai_files::classes::{Classes, ClassesBuilder, LabelError};
use xai_files::failure::as_option;
use xai_files::left_out::{LeftOut, Reason};
use xai_files::table::{Columns, Contents, Piece, Table, TableContext, Tally, TextColumn};
use xai_metrics::casebased::training::{MetadataColumn, SPREADS};
use xai_metrics::casebased::{CaseExplainerBuilder, Explanation, input};
use xai_metrics::common::{Error, Input};

use crate::casebased::missing::MissingCells;

/// Roles of the columns of a training table that are not features.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Roles<'a> {
    pub(crate) label: &'a str,
    pub(crate) metadata: &'a [String],
    /// Column of predicted classes. The table need not have it.
    pub(crate) predicted: Option<&'a str>,
    /// Columns that the user left out.
    pub(crate) dropped: &'a [String],
    pub(crate) missing: MissingCells,
}

/// The contents of a training table.
pub(crate) struct Training {
    pub(crate) features: Vec<String>,
    pub(crate) rows: Array2<f64>,
    pub(crate) labels: Vec<i64>,
    pub(crate) classes: Classes,
    pub(crate) metadata: Vec<(String, MetadataColumn)>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Number of rows left out because of a missing cell.
    pub(crate) n_dropped: usize,
    /// Line of each row in the file.
    pub(crate) lines: Vec<u64>,
}

/// Metadata column with the index of each row in the file, which is added if rows were left out.
const FILE_ROW: &str = "row of the training file";

impl Training {
    /// Reads a table in pieces, so that its text is never in memory as a whole.
    ///
    /// Every column without another role is a feature, unless it has no name, contains no number or codes with leading
    /// zeros, or is left out by the user.
    pub(crate) fn read(table: Table, roles: &Roles<'_>) -> Result<Self, Failure> {
        let mut left_out = Vec::new();
        let label = table.column(roles.label)?;
        let metadata: Vec<usize> = named_columns(&table, roles.metadata)?;
        let dropped: Vec<usize> = named_columns(&table, roles.dropped)?;
        let header = table.header();
        let predicted = roles.predicted.and_then(|name| header.position(name));
        let mut has_role = vec![false; header.n_columns()];
        for column in [label].iter().chain(&metadata).chain(&predicted) {
            has_role[*column] = true;
        }
        let mut is_dropped = vec![false; header.n_columns()];
        for column in dropped {
            is_dropped[column] = true;
        }
        let mut candidates = Vec::new();
        for column in (0..header.n_columns()).filter(|&column| !has_role[column]) {
            match (is_dropped[column], header.is_index(column)) {
                (false, false) => candidates.push(column),
                (true, _) => left_out.push((column, Reason::Dropped)),
                (false, true) => left_out.push((column, Reason::Unnamed)),
            }
        }
        let texts = std::iter::once(label).chain(metadata.iter().copied());
        let columns = Columns {
            numbers: candidates.clone(),
            texts: texts.collect(),
        };
        let mut rows = Rows {
            label,
            metadata: &metadata,
            missing: roles.missing,
            values: Vec::new(),
            tallies: vec![Tally::default(); candidates.len()],
            classes: ClassesBuilder::default(),
            labels: Vec::new(),
            has_class: Vec::new(),
            texts: vec![TextColumn::default(); metadata.len()],
            lines: Vec::new(),
        };
        let pieces = table.pieces(&columns);
        let place = pieces.context().clone();
        for piece in pieces {
            rows.add(piece?)?;
        }
        rows.finish(&place, &candidates, left_out)
    }

    /// Moves metadata, class names and feature names into the builder.
    pub(crate) fn describe(&mut self, mut builder: CaseExplainerBuilder) -> CaseExplainerBuilder {
        for (name, column) in std::mem::take(&mut self.metadata) {
            builder = builder.metadata(name, column);
        }
        for (label, name) in self.classes.names() {
            builder = builder.class_name(*label, name.clone());
        }
        builder.feature_names(std::mem::take(&mut self.features))
    }
}

fn named_columns(table: &Table, names: &[String]) -> Result<Vec<usize>, Failure> {
    names.iter().map(|name| table.column(name)).collect()
}

/// The rows of a training table while it is read.
struct Rows<'a> {
    label: usize,
    metadata: &'a [usize],
    missing: MissingCells,
    /// Values of the columns that may be features, row by row.
    values: Vec<f64>,
    tallies: Vec<Tally>,
    classes: ClassesBuilder,
    labels: Vec<i64>,
    /// Is `false` for rows without a class, which are left out in the end.
    has_class: Vec<bool>,
    texts: Vec<TextColumn>,
    lines: Vec<u64>,
}

impl Rows<'_> {
    fn add(&mut self, piece: Piece) -> Result<(), Failure> {
        for (row, text) in piece.text(self.label)?.iter().enumerate() {
            let label = self.classes.number(text);
            self.has_class.push(label.is_ok());
            match label {
                Ok(label) => self.labels.push(label),
                // The row is left out in the end, so its label does not matter.
                Err(LabelError::Missing) if self.missing.drop_rows => self.labels.push(0),
                Err(why) => {
                    let at = (row, self.label);
                    return Err(self.missing.no_class(&piece, at, text, why));
                }
            }
        }
        self.lines
            .extend((0..piece.n_rows()).map(|row| piece.line(row)));
        for (texts, &column) in self.texts.iter_mut().zip(self.metadata) {
            texts.append(piece.text(column)?);
        }
        let first_row = piece.first_row();
        let (values, tallies) = piece.into_numbers();
        for (tally, below) in self.tallies.iter_mut().zip(tallies) {
            tally.append(below, first_row);
        }
        // A table of one piece needs no copy.
        if self.values.is_empty() {
            self.values = values;
        } else {
            self.values.extend_from_slice(&values);
        }
        Ok(())
    }

    fn finish(
        mut self,
        place: &TableContext,
        candidates: &[usize],
        mut left_out: Vec<(usize, Reason)>,
    ) -> Result<Training, Failure> {
        let features = self.features(place, candidates, &mut left_out)?;
        let header = place.header();
        if features.is_empty() {
            let failure =
                Failure::new("no column can be a feature: none besides the label has numbers")
                    .help("save the features as columns of numbers");
            return Err(failure.in_file(place.file()));
        }
        let keep = self.keep(&features, candidates.len());
        let n_dropped = keep.iter().filter(|keep| !**keep).count();
        compact(&mut self.values, candidates.len(), &features, &keep);
        let (renumbering, classes) = self.classes.finish();
        let mut labels = self.labels;
        renumbering.apply(&mut labels);
        let mut metadata = Vec::new();
        for (&column, mut texts) in self.metadata.iter().zip(self.texts) {
            texts.retain(&keep);
            metadata.push((header.name(column).to_owned(), typed(&texts)));
        }
        if n_dropped > 0 {
            retain(&mut labels, &keep);
            retain(&mut self.lines, &keep);
            let mut file_rows: Vec<i64> = (0..keep.len() as i64).collect();
            retain(&mut file_rows, &keep);
            metadata.push((FILE_ROW.to_owned(), file_rows.into()));
        }
        left_out.sort_by_key(|(column, _)| *column);
        let left_out = left_out.into_iter().map(|(column, reason)| LeftOut {
            file: place.file().to_owned(),
            column: header.names()[column].clone(),
            reason,
        });
        let shape = (labels.len(), features.len());
        let names = features.iter().map(|&slot| header.name(candidates[slot]));
        Ok(Training {
            features: names.map(str::to_owned).collect(),
            rows: Array2::from_shape_vec(shape, self.values).map_err(Failure::new)?,
            labels,
            classes,
            metadata,
            left_out: left_out.collect(),
            n_dropped,
            lines: self.lines,
        })
    }

    /// Returns the features, as positions among the candidates, and adds the other candidates to `left_out`. Fails at
    /// the first cell of a column of numbers that is not a number, or that is missing, unless rows with missing cells
    /// are left out.
    fn features(
        &self,
        place: &TableContext,
        candidates: &[usize],
        left_out: &mut Vec<(usize, Reason)>,
    ) -> Result<Vec<usize>, Failure> {
        let (mut features, mut wrong) = (Vec::new(), Vec::new());
        for (slot, (tally, &column)) in self.tallies.iter().zip(candidates).enumerate() {
            match tally.contents() {
                // Without rows nothing is known about a column; fitting reports the missing rows.
                _ if self.has_class.is_empty() => features.push(slot),
                Contents::Mixed(cell) => wrong.push((cell, column)),
                Contents::Words => left_out.push((column, Reason::Text)),
                Contents::Codes => left_out.push((column, Reason::Codes)),
                Contents::Nothing => left_out.push((column, Reason::Empty)),
                Contents::Numbers { missing } => {
                    features.push(slot);
                    let missing = missing.filter(|_| !self.missing.drop_rows);
                    wrong.extend(missing.map(|cell| (cell, column)));
                }
            }
        }
        match wrong
            .iter()
            .min_by_key(|(cell, column)| (cell.row, *column))
        {
            Some((cell, column)) => Err(self.missing.no_number(place, *column, cell)),
            None => Ok(features),
        }
    }

    /// Returns for each row whether it has a class and all features.
    fn keep(&self, features: &[usize], n_columns: usize) -> Vec<bool> {
        let mut keep = self.has_class.clone();
        if self.missing.drop_rows {
            for (keep, row) in keep.iter_mut().zip(self.values.chunks_exact(n_columns)) {
                *keep = *keep && features.iter().all(|&slot| !row[slot].is_nan());
            }
        }
        keep
    }
}

/// Keeps the values at which `keep` is `true`.
fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut row = 0;
    values.retain(|_| {
        row += 1;
        keep[row - 1]
    });
}

/// Keeps the columns `features` of the rows at which `keep` is `true`, in place.
fn compact(values: &mut Vec<f64>, n_columns: usize, features: &[usize], keep: &[bool]) {
    if features.len() == n_columns && keep.iter().all(|keep| *keep) {
        return;
    }
    let mut to = 0;
    for (row, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
        for slot in features {
            values[to] = values[row * n_columns + slot];
            to += 1;
        }
    }
    values.truncate(to);
}

/// Converts a column of metadata to the narrowest type of all its values: integers, numbers, booleans or texts. A
/// column with a whole number that would be printed differently, for example a code with leading zeros, stays text.
fn typed(values: &TextColumn) -> MetadataColumn {
    fn all<T: std::str::FromStr>(values: &TextColumn) -> Option<Vec<T>> {
        values.iter().map(|value| value.parse().ok()).collect()
    }
    let texts = || MetadataColumn::Texts(values.iter().map(Arc::from).collect());
    let as_printed = |value: &str| value.parse().map_or(true, |x: i64| x.to_string() == *value);
    if !values.iter().all(as_printed) {
        return texts();
    }
    if let Some(integers) = all::<i64>(values) {
        return integers.into();
    }
    if let Some(numbers) = all::<f64>(values) {
        return numbers.into();
    }
    match all::<bool>(values) {
        Some(booleans) => booleans.into(),
        None => texts(),
    }
}

/// Replaces the indices of training rows by those in the file, if rows were left out, and removes the metadata column
/// that has them. Also works for stored explainers.
pub(crate) fn restore_file_rows(explanation: &mut Explanation) {
    for case in &mut explanation.cases {
        use xai_metrics::casebased::training::MetadataValue;
        if let Some(MetadataValue::Integer(row)) = case.metadata.remove(FILE_ROW) {
            case.index = usize::try_from(row).unwrap_or(case.index);
        }
    }
}

/// Converts an error about a row of an array to a failure that names the line of its file, in the form of errors about
/// cells; `None` for errors about anything else.
pub(crate) fn row_failure(
    error: &Error,
    per_row: &[Input],
    line: impl Fn(usize) -> Option<u64>,
    file: &Path,
) -> Option<Failure> {
    if !per_row.contains(&error.input()) || error.part_name() == Some(SPREADS) {
        return None;
    }
    let mut place = format!("line {}", line(*error.index().first()?)?);
    if let Some(part) = error.part_name() {
        place = format!("{place}, {part}");
    }
    if [input::TRAIN_SCALED, input::SAMPLES_SCALED].contains(&error.input()) {
        place.push_str(" in scaled features");
    }
    let failure = Failure::new(format_args!("{place}: {}", error.kind())).in_file(file);
    Some(match error.help() {
        Some(help) => failure.help(help.render(as_option)),
        None => failure,
    })
}

/// Removes the column of file rows from the names of metadata, because it is not a column of the user's file.
pub(crate) fn hide_file_rows(metadata_names: &mut Vec<Arc<str>>) {
    metadata_names.retain(|name| **name != *FILE_ROW);
}

/// Returns `true` if rows of the training file were left out, judging by the names of an explainer's metadata.
pub(crate) fn has_file_rows(metadata_names: &[Arc<str>]) -> bool {
    metadata_names.iter().any(|name| **name == *FILE_ROW)
}
