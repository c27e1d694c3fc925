//! Runs in tables: a column per run, and one that holds what is true.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use ndarray::{Array1, Array2, Ix1};
use xai_files::classes::{ClassesBuilder, NoClass};
use xai_files::left_out::{LeftOut, Reason, drop_column};
use xai_files::table::{Columns, Table};
use xai_files::{Failure, arrays};

/// Whether a file is a table, by its name.
pub(crate) fn is_csv(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Whether a file of runs is read as a table: by its name, or because it begins as no array and no archive of arrays does.
/// What is no regular file can be read once, and is an array.
pub(super) fn is_table(file: &Path) -> bool {
    if is_csv(file) {
        return true;
    }
    let mut start = Vec::new();
    // A pipe is not opened here: whoever writes into it would find it closed.
    file.is_file()
        && File::open(file).is_ok_and(|opened| opened.take(4).read_to_end(&mut start).is_ok())
        && !start.starts_with(b"\x93NUM")
        && !start.starts_with(b"PK")
}

/// Refuses columns that were to be left out and are in no table.
pub(super) fn check_dropped<'a>(
    file: &Path,
    dropped: &[String],
    left_out: impl Iterator<Item = &'a LeftOut> + Clone,
) -> Result<(), Failure> {
    let is_dropped = |name: &&String| left_out.clone().any(|left| left.column == **name);
    match dropped.iter().find(|name| !is_dropped(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!("no column `{name}` of a run"))
            .help("--drop-column names columns of the tables of runs")
            .in_file(file)),
    }
}

/// In fewer rows each may well have a class of its own.
const FEWEST_NAMES: usize = 10;

/// Which columns of a table are runs.
pub(super) struct RunColumns {
    runs: Vec<usize>,
    /// What is true, where the table holds it.
    pub(super) truth: Option<usize>,
    pub(super) left_out: Vec<LeftOut>,
}

impl RunColumns {
    /// Every column is a run, unless it holds what is true, has no name or is dropped.
    pub(super) fn of(table: &Table, truth: &str, dropped: &[String]) -> Result<Self, Failure> {
        let header = table.header();
        let is_dropped = |name: &String| dropped.contains(name);
        let mut columns = Self {
            runs: Vec::new(),
            truth: header.position(truth),
            left_out: Vec::new(),
        };
        for (column, name) in header.names().iter().enumerate() {
            let reason = match columns.truth == Some(column) {
                true => continue,
                false if is_dropped(name) => Reason::Dropped,
                false if header.is_index(column) => Reason::Unnamed,
                false => {
                    columns.runs.push(column);
                    continue;
                }
            };
            columns.left_out.push(LeftOut {
                file: table.place().file().to_owned(),
                column: name.clone(),
                reason,
            });
        }
        match columns.runs.is_empty() {
            true => Err(Failure::new("no column of a run").in_file(table.place().file())),
            false => Ok(columns),
        }
    }

    /// Leaves out what has another class in every row: an index or a name of each sample.
    pub(super) fn leave_out_names(
        &mut self,
        file: &Path,
        names: &[String],
        runs: &mut Vec<Vec<i64>>,
    ) -> Result<(), Failure> {
        // Of a run a class comes again after a few rows: the others are not looked at.
        let is_name = |run: &Vec<i64>| {
            let mut seen = HashSet::new();
            run.len() >= FEWEST_NAMES && run.iter().all(|class| seen.insert(class))
        };
        let mut columns = self.runs.iter();
        runs.retain(|run| {
            let column = columns.next().filter(|_| is_name(run));
            self.left_out.extend(column.map(|&column| LeftOut {
                file: file.to_owned(),
                column: names[column].clone(),
                reason: Reason::Distinct,
            }));
            column.is_none()
        });
        match runs.is_empty() {
            true => {
                Err(Failure::new("no column of a run: another class in every row").in_file(file))
            }
            false => Ok(()),
        }
    }

    /// One column, and nothing that is true of it.
    pub(super) fn only(column: usize) -> Self {
        Self {
            runs: vec![column],
            truth: None,
            left_out: Vec::new(),
        }
    }
}

/// A table of classes: what is true, where it is among the columns, and run after run.
pub(super) struct ClassTable {
    pub(super) truth: Option<Vec<i64>>,
    pub(super) runs: Vec<Vec<i64>>,
}

impl ClassTable {
    /// Reads a table piece by piece. Classes are numbered for now.
    pub(super) fn read(
        table: Table,
        columns: &RunColumns,
        classes: &mut ClassesBuilder,
    ) -> Result<Self, Failure> {
        let asked: Vec<usize> = columns.truth.iter().chain(&columns.runs).copied().collect();
        let mut read: Vec<Vec<i64>> = vec![Vec::new(); asked.len()];
        let wanted = Columns {
            numbers: Vec::new(),
            texts: asked.clone(),
        };
        for piece in table.pieces(&wanted) {
            let piece = piece?;
            for (labels, &column) in read.iter_mut().zip(&asked) {
                for (row, text) in piece.text(column)?.iter().enumerate() {
                    let class = classes.number(text).map_err(|why| {
                        let failure = piece.cell(row, column, text, why.expected());
                        let name = piece.place().header().name(column);
                        match (why, Some(column) == columns.truth) {
                            (NoClass::Continuous, _) | (_, true) => why.help(failure),
                            _ => failure.help(format!(
                                "correct the cell, or leave the column out where it is no run: {}",
                                drop_column(name)
                            )),
                        }
                    });
                    labels.push(class?);
                }
            }
        }
        let mut read = read.into_iter();
        let truth = columns.truth.and_then(|_| read.next());
        Ok(Self {
            truth,
            runs: read.collect(),
        })
    }
}

/// A table of numbers: what is true, where it is among the columns, and run after run.
pub(super) struct NumberTable {
    pub(super) truth: Option<Vec<f64>>,
    pub(super) runs: Vec<Vec<f64>>,
}

impl NumberTable {
    pub(super) fn read(table: Table, columns: &RunColumns) -> Result<Self, Failure> {
        let asked: Vec<usize> = columns.truth.iter().chain(&columns.runs).copied().collect();
        let piece = table.whole(&Columns {
            numbers: asked,
            texts: Vec::new(),
        })?;
        let odd = piece.first_wrong().into_iter().chain(piece.first_missing());
        if let Some((column, cell)) = odd.min_by_key(|(column, cell)| (cell.row, *column)) {
            let name = piece.place().header().name(column);
            let failure = piece.cell(cell.row, column, &cell.text, "a finite number");
            let remedy = cell.kind.remedy();
            return Err(match Some(column) == columns.truth {
                true => failure.help(remedy),
                false => failure.help(format!(
                    "{remedy}, or leave the column out where it is no run: {}",
                    drop_column(name)
                )),
            });
        }
        let numbers = piece.numbers();
        let mut read = numbers.columns().into_iter().map(|column| column.to_vec());
        let truth = columns.truth.and_then(|_| read.next());
        Ok(Self {
            truth,
            runs: read.collect(),
        })
    }
}

/// The one column of a table that is no index.
pub(super) fn only_column(table: &Table) -> Result<usize, Failure> {
    let header = table.header();
    let mut named = (0..header.n_columns()).filter(|&column| !header.is_index(column));
    match (named.next(), named.next()) {
        (Some(column), None) => Ok(column),
        _ => Err(Failure::new(format!(
            "{} columns: expected one beside the index",
            header.n_columns()
        ))
        .help("save what is true alone, or put it into the table of the runs and name its column")
        .in_file(table.place().file())),
    }
}

/// Predicted and true numbers.
pub(super) struct NumberRuns {
    pub(super) predictions: Array2<f64>,
    pub(super) targets: Array1<f64>,
    /// Columns of the table that are no runs.
    pub(super) left_out: Vec<LeftOut>,
}

impl NumberRuns {
    /// Reads runs, and targets that are a file or a column of the runs' table.
    pub(super) fn read(
        predictions: &Path,
        targets: &Path,
        dropped: &[String],
    ) -> Result<Self, Failure> {
        if !is_table(predictions) {
            check_dropped(predictions, dropped, std::iter::empty())?;
            return Ok(Self {
                predictions: arrays::read_f64(predictions)?,
                targets: read_targets(targets)?,
                left_out: Vec::new(),
            });
        }
        let table = Table::read(predictions)?;
        let truth = targets.display().to_string();
        if targets.extension().is_none() {
            table.column(&truth)?;
        }
        let columns = RunColumns::of(&table, &truth, dropped)?;
        check_dropped(predictions, dropped, columns.left_out.iter())?;
        let NumberTable { truth, runs } = NumberTable::read(table, &columns)?;
        let shape = (runs.len(), runs.first().map_or(0, Vec::len));
        Ok(Self {
            predictions: Array2::from_shape_vec(shape, runs.concat()).map_err(Failure::new)?,
            targets: match truth {
                Some(truth) => truth.into(),
                None => read_targets(targets)?,
            },
            left_out: columns.left_out,
        })
    }
}

fn read_targets(targets: &Path) -> Result<Array1<f64>, Failure> {
    if !is_table(targets) {
        return arrays::read_f64::<Ix1>(targets);
    }
    let table = Table::read(targets)?;
    let columns = RunColumns::only(only_column(&table)?);
    let NumberTable { runs, .. } = NumberTable::read(table, &columns)?;
    Ok(runs.concat().into())
}
