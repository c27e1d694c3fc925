//! Runs in tables: a column per run, and one that holds what is true.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

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

/// Fewest rows of which each may be expected to have a class that comes again.
const FEWEST_NAMES: usize = 10;
/// Fewest rows that all have another class, and none of the true ones, by more than chance.
const FEWEST_UNKNOWN: usize = 3;
/// Fewest rows that no run numbers one after another by chance.
const FEWEST_COUNTED: usize = 5;

/// What a column of a table is, which nobody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnRole {
    Run,
    /// An index or a name of each sample.
    Name,
    /// It numbers the rows and is what is true of them, too: a perfect run, or an index.
    RunOrName,
}

impl ColumnRole {
    /// Judges a column of classes by the true classes of the samples.
    ///
    /// A name differs from row to row. So do the runs of an identification task, in which every sample has a class of its
    /// own: these agree with the truth in most rows, or have some of its classes, and do not just number the rows.
    fn of_classes(column: &[i64], truth: &[i64]) -> Self {
        if counts_rows(
            column
                .windows(2)
                .map(|pair| pair[1].wrapping_sub(pair[0]) == 1),
        ) {
            return Self::of_counter(column == truth);
        }
        if column.len() < FEWEST_UNKNOWN || !all_differ(column) {
            return Self::Run;
        }
        let classes: HashSet<&i64> = truth.iter().collect();
        let is_identification = classes.len() == truth.len();
        let n_right = column.iter().zip(truth).filter(|(a, b)| a == b).count();
        let shares_classes = column.iter().any(|class| classes.contains(class));
        let is_few = column.len() < FEWEST_NAMES;
        if shares_classes && (is_few || is_identification || 2 * n_right >= column.len()) {
            Self::Run
        } else {
            Self::Name
        }
    }

    /// Judges a column of numbers: no model predicts one after another.
    fn of_numbers(column: &[f64], truth: &[f64]) -> Self {
        if counts_rows(column.windows(2).map(|pair| pair[1] - pair[0] == 1.0)) {
            Self::of_counter(column == truth)
        } else {
            Self::Run
        }
    }

    fn of_counter(is_truth: bool) -> Self {
        if is_truth {
            Self::RunOrName
        } else {
            Self::Name
        }
    }
}

/// Whether each row is one more than the row before it, in enough rows.
fn counts_rows(mut steps: impl ExactSizeIterator<Item = bool>) -> bool {
    steps.len() + 1 >= FEWEST_COUNTED && steps.all(|is_one| is_one)
}

fn all_differ(column: &[i64]) -> bool {
    // Of most runs a class comes again after a few rows: the others are not looked at.
    let mut seen = HashSet::new();
    column.iter().all(|class| seen.insert(class))
}

/// A column of a table that was read as a run.
#[derive(Debug, Clone)]
pub(super) struct RunColumn {
    file: PathBuf,
    name: String,
}

impl RunColumn {
    /// Returns `true` if the column is a run. Names of samples are added to `left_out`. A column that may be either is a run if
    /// it is named like one of the others, and refused otherwise.
    fn is_run(
        &self,
        role: ColumnRole,
        others: &[Option<RunColumn>],
        left_out: &mut Vec<LeftOut>,
    ) -> Result<bool, Failure> {
        match role {
            ColumnRole::Run => Ok(true),
            ColumnRole::Name => {
                left_out.push(LeftOut {
                    file: self.file.clone(),
                    column: self.name.clone(),
                    reason: Reason::Distinct,
                });
                Ok(false)
            }
            ColumnRole::RunOrName if self.is_named_like_one_of(others) => Ok(true),
            ColumnRole::RunOrName => Err(Failure::new(format!(
                "column `{}` numbers the rows, and so do the true values: an index, or a run without an error?",
                self.name
            ))
            .help(format_args!(
                "leave an index out with {}; save runs without an error as an array, .npy",
                drop_column(&self.name)
            ))
            .in_file(&self.file)),
        }
    }

    /// Returns `true` if only a number at the end tells the name from that of another column: `run1` and `run2`.
    fn is_named_like_one_of(&self, others: &[Option<RunColumn>]) -> bool {
        let own = stem(&self.name);
        let is_numbered = |name: &str| !stem(name).is_empty() && stem(name) != name;
        let mut others = others.iter().flatten().map(|other| other.name.as_str());
        is_numbered(&self.name)
            && others.any(|name| name != self.name && is_numbered(name) && stem(name) == own)
    }
}

/// A name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Which rows of predictions are runs, judged by what is true of the samples. Rows without a column come from arrays, and
/// are runs.
pub(super) fn rows_of_runs(
    predictions: &Array2<i64>,
    columns: &[Option<RunColumn>],
    truth: &[i64],
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<usize>, Failure> {
    let mut runs = Vec::new();
    for ((row, values), column) in predictions.rows().into_iter().enumerate().zip(columns) {
        let is_run = match column {
            None => true,
            Some(column) => {
                let role = ColumnRole::of_classes(&values.to_vec(), truth);
                column.is_run(role, columns, left_out)?
            }
        };
        if is_run {
            runs.push(row);
        }
    }
    match columns.iter().flatten().next() {
        Some(column) if runs.is_empty() => Err(Failure::new(
            "no column of a run: another class in every row",
        )
        .in_file(&column.file)),
        _ => Ok(runs),
    }
}

/// Refuses a column of a table that has no class of the labels or of a run: it predicts something else.
pub(super) fn check_columns(
    predictions: &Array2<i64>,
    columns: &[Option<RunColumn>],
    truth: &[i64],
    called: impl Fn(i64) -> String,
) -> Result<(), Failure> {
    let true_classes: HashSet<i64> = truth.iter().copied().collect();
    let mut known = true_classes.clone();
    let shares = |row: &usize| {
        predictions
            .row(*row)
            .iter()
            .any(|class| true_classes.contains(class))
    };
    let (sharing, others): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(shares);
    for row in sharing {
        known.extend(predictions.row(row));
    }
    for row in others {
        let classes = predictions.row(row);
        let is_unknown = !classes.iter().any(|class| known.contains(class));
        if let (true, Some(column)) = (is_unknown, &columns[row]) {
            return Err(Failure::new(format!(
                "column `{}` has no class of the labels: {} there, {} here",
                column.name,
                examples(truth, &called),
                examples(classes, &called)
            ))
            .help(format_args!(
                "leave the column out where it is no run: {}",
                drop_column(&column.name)
            ))
            .in_file(&column.file));
        }
    }
    Ok(())
}

/// Up to three classes, as a file calls them.
pub(super) fn examples<'a>(
    classes: impl IntoIterator<Item = &'a i64>,
    called: impl Fn(i64) -> String,
) -> String {
    let mut first: Vec<String> = Vec::new();
    for &class in classes {
        let name = format!("`{}`", called(class));
        if !first.contains(&name) {
            first.push(name);
        }
        if first.len() == 3 {
            break;
        }
    }
    first.join(", ")
}

/// The index of a table, as pandas writes it: what its rows are called.
#[derive(Debug, Clone)]
pub(super) struct RowLabels {
    file: PathBuf,
    labels: Vec<Box<str>>,
}

impl RowLabels {
    /// Checks that the rows of several tables are of the same samples, in one order: they are matched by their place.
    pub(super) fn check_same(known: &mut Option<Self>, here: Option<Self>) -> Result<(), Failure> {
        let Some(here) = here else {
            return Ok(());
        };
        let Some(first) = known else {
            *known = Some(here);
            return Ok(());
        };
        let mut pairs = here.labels.iter().zip(&first.labels);
        let Some(row) = pairs.position(|(here, first)| here != first) else {
            return Ok(());
        };
        Err(Failure::new(format!(
            "row {} is `{}` here and `{}` in {}: rows are matched by their place",
            row + 1,
            here.labels[row],
            first.labels[row],
            first.file.display()
        ))
        .help("give both files the rows of the same samples in one order, with pandas.DataFrame.reindex for instance")
        .in_file(&here.file))
    }
}

/// Which columns of a table are runs.
pub(super) struct RunColumns {
    runs: Vec<usize>,
    /// What is true, where the table holds it.
    pub(super) truth: Option<usize>,
    /// What the rows are called.
    index: Option<usize>,
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
            index: index_of(table),
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

    /// The columns of runs, in the order in which they are read.
    pub(super) fn named(&self, file: &Path, names: &[String]) -> impl Iterator<Item = RunColumn> {
        self.runs.iter().map(|&column| RunColumn {
            file: file.to_owned(),
            name: names[column].clone(),
        })
    }

    /// One column, and nothing that is true of it.
    pub(super) fn only(table: &Table) -> Result<Self, Failure> {
        Ok(Self {
            runs: vec![only_column(table)?],
            truth: None,
            index: index_of(table),
            left_out: Vec::new(),
        })
    }

    /// One column, which is what is true.
    pub(super) fn only_truth(table: &Table) -> Result<Self, Failure> {
        Ok(Self {
            runs: Vec::new(),
            truth: Some(only_column(table)?),
            index: index_of(table),
            left_out: Vec::new(),
        })
    }

    /// The labels of the rows of a file, if it has any.
    fn row_labels(&self, file: &Path, labels: Vec<Box<str>>) -> Option<RowLabels> {
        self.index.map(|_| RowLabels {
            file: file.to_owned(),
            labels,
        })
    }
}

/// The first column of a table that is an index.
fn index_of(table: &Table) -> Option<usize> {
    let header = table.header();
    (0..header.n_columns()).find(|&column| header.is_index(column))
}

/// A table of classes: what is true, where it is among the columns, and run after run.
pub(super) struct ClassTable {
    pub(super) truth: Option<Vec<i64>>,
    pub(super) runs: Vec<Vec<i64>>,
    pub(super) rows: Option<RowLabels>,
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
            texts: asked.iter().copied().chain(columns.index).collect(),
        };
        let file = table.place().file().to_owned();
        let mut rows = Vec::new();
        for piece in table.pieces(&wanted) {
            let piece = piece?;
            if let Some(index) = columns.index {
                rows.extend(piece.text(index)?.iter().map(Box::from));
            }
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
            rows: columns.row_labels(&file, rows),
        })
    }
}

/// A table of numbers: what is true, where it is among the columns, and run after run.
pub(super) struct NumberTable {
    pub(super) truth: Option<Vec<f64>>,
    pub(super) runs: Vec<Vec<f64>>,
    pub(super) rows: Option<RowLabels>,
}

impl NumberTable {
    pub(super) fn read(table: Table, columns: &RunColumns) -> Result<Self, Failure> {
        let asked: Vec<usize> = columns.truth.iter().chain(&columns.runs).copied().collect();
        let file = table.place().file().to_owned();
        let piece = table.whole(&Columns {
            numbers: asked,
            texts: columns.index.into_iter().collect(),
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
        let rows = match columns.index {
            Some(index) => piece.text(index)?.iter().map(Box::from).collect(),
            None => Vec::new(),
        };
        Ok(Self {
            truth,
            runs: read.collect(),
            rows: columns.row_labels(&file, rows),
        })
    }
}

/// The one column of a table that is no index.
fn only_column(table: &Table) -> Result<usize, Failure> {
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
                targets: read_targets(targets, None)?,
                left_out: Vec::new(),
            });
        }
        let table = Table::read(predictions)?;
        let truth = targets.display().to_string();
        if targets.extension().is_none() {
            table.column(&truth)?;
        }
        let mut columns = RunColumns::of(&table, &truth, dropped)?;
        check_dropped(predictions, dropped, columns.left_out.iter())?;
        let names = table.header().names().to_vec();
        let NumberTable { truth, runs, rows } = NumberTable::read(table, &columns)?;
        let targets = match truth {
            Some(truth) => truth.into(),
            None => read_targets(targets, rows)?,
        };
        let mut left_out = std::mem::take(&mut columns.left_out);
        let mut kept = Vec::new();
        let named: Vec<Option<RunColumn>> = columns.named(predictions, &names).map(Some).collect();
        for (run, column) in runs.into_iter().zip(named.iter().flatten()) {
            let role = ColumnRole::of_numbers(&run, &targets.to_vec());
            if column.is_run(role, &named, &mut left_out)? {
                kept.push(run);
            }
        }
        let shape = (kept.len(), kept.first().map_or(0, Vec::len));
        Ok(Self {
            predictions: Array2::from_shape_vec(shape, kept.concat()).map_err(Failure::new)?,
            targets,
            left_out,
        })
    }
}

/// Reads targets of the rows of a table, if the predictions are one.
fn read_targets(targets: &Path, mut rows: Option<RowLabels>) -> Result<Array1<f64>, Failure> {
    if !is_table(targets) {
        return arrays::read_f64::<Ix1>(targets);
    }
    let table = Table::read(targets)?;
    let columns = RunColumns::only(&table)?;
    let read = NumberTable::read(table, &columns)?;
    RowLabels::check_same(&mut rows, read.rows)?;
    Ok(read.runs.concat().into())
}
