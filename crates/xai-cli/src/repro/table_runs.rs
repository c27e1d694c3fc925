//! Runs in tables: a column per run, and optionally a column of true values.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, Ix1};
use xai_files::classes::{ClassesBuilder, LabelError};
use xai_files::left_out::{LeftOut, Reason, drop_column};
use xai_files::table::{Columns, Table};
use xai_files::{Failure, arrays};

/// Returns `true` if the name of a file ends in `.csv`.
pub(crate) fn is_csv(file: &Path) -> bool {
    let extension = file.extension();
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Returns `true` if a file of runs is read as a table: its name ends in `.csv`, or its first bytes are not those of
/// `.npy` and `.npz` files. Pipes and devices with other names are arrays, because they can be read only once.
pub(super) fn is_table(file: &Path) -> bool {
    if is_csv(file) {
        return true;
    }
    let mut start = Vec::new();
    // A pipe is not opened here: closing it again would break its writer.
    file.is_file()
        && File::open(file).is_ok_and(|opened| opened.take(4).read_to_end(&mut start).is_ok())
        && !start.starts_with(b"\x93NUM")
        && !start.starts_with(b"PK")
}

/// Fails if a column of `--drop-column` is in no table.
pub(super) fn check_dropped<'a>(
    file: &Path,
    dropped: &[String],
    left_out: impl Iterator<Item = &'a LeftOut> + Clone,
) -> Result<(), Failure> {
    let is_dropped = |name: &&String| left_out.clone().any(|left| left.column == **name);
    match dropped.iter().find(|name| !is_dropped(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::new(format!("there is no column `{name}`"))
            .help("--drop-column takes names of columns in the tables of runs")
            .in_file(file)),
    }
}

/// From this number of rows on, a run is expected to predict some class twice. A column that does not is an index, with
/// the exceptions of [`ColumnRole::from_classes`].
const FEWEST_NAMES: usize = 10;
/// From this number of rows on, a column of distinct classes without any true class is an index.
const FEWEST_UNKNOWN: usize = 3;
/// From this number of rows on, a column that increases by one from row to row is an index.
const FEWEST_COUNTED: usize = 5;

/// Role of a column that no option names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnRole {
    Run,
    /// An index or the names of the samples.
    Name,
    /// Both the column and the true values number the rows: a perfect run, or an index.
    RunOrName,
}

impl ColumnRole {
    /// Determines the role of a column of classes from the true classes of the samples.
    ///
    /// A column that numbers the rows is an index. Other names differ from row to row, too. So do the predictions in
    /// an identification task, in which every sample has a different class, but these contain some of the true
    /// classes. If the true classes repeat, a column of [`FEWEST_NAMES`] or more different classes is a run only if at
    /// least half of its rows have the true class.
    fn from_classes(column: &[i64], truth: &[i64]) -> Self {
        if counts_rows(
            column
                .windows(2)
                .map(|pair| pair[1].wrapping_sub(pair[0]) == 1),
        ) {
            return Self::from_counter(column == truth);
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

    /// Determines the role of a column of numbers: a column that numbers the rows is not a prediction.
    fn from_numbers(column: &[f64], truth: &[f64]) -> Self {
        if counts_rows(column.windows(2).map(|pair| pair[1] - pair[0] == 1.0)) {
            Self::from_counter(column == truth)
        } else {
            Self::Run
        }
    }

    fn from_counter(is_truth: bool) -> Self {
        if is_truth {
            Self::RunOrName
        } else {
            Self::Name
        }
    }
}

/// Returns `true` if every step from row to row is an increase by one, and there are enough rows.
fn counts_rows(mut steps: impl ExactSizeIterator<Item = bool>) -> bool {
    steps.len() + 1 >= FEWEST_COUNTED && steps.all(|is_one| is_one)
}

fn all_differ(column: &[i64]) -> bool {
    // Most runs repeat a class after a few rows, so that `all` stops early.
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
    /// Returns the names of the runs; none unless all are columns.
    pub(super) fn names(columns: &[Option<Self>]) -> Vec<String> {
        let names = columns
            .iter()
            .map(|column| Some(column.as_ref()?.name.clone()));
        names.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns `true` if the column is a run, and adds names of samples to `left_out`. A column that may be either is a
    /// run if its name is like that of another column; otherwise it is an error.
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
                "column `{}` numbers the rows, as the true values do: it may be an index or a run without errors",
                self.name
            ))
            .help(format_args!(
                "if it is an index, leave it out with {}; if it is a run, save the runs as an array, .npy",
                drop_column(&self.name)
            ))
            .in_file(&self.file)),
        }
    }

    /// Returns `true` if another column has the same name up to a number at the end, as `run1` and `run2` have.
    fn is_named_like_one_of(&self, others: &[Option<RunColumn>]) -> bool {
        let own = stem(&self.name);
        let is_numbered = |name: &str| !stem(name).is_empty() && stem(name) != name;
        let mut names = others.iter().flatten().map(|other| other.name.as_str());
        is_numbered(&self.name)
            && names.any(|name| name != self.name && is_numbered(name) && stem(name) == own)
    }
}

/// Returns a name without the number at its end.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Returns the indices of the rows of `predictions` that are runs. Rows without a column come from arrays and are runs;
/// other rows are checked against the true classes. Columns that are not runs are added to `left_out`.
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
                let role = ColumnRole::from_classes(&values.to_vec(), truth);
                column.is_run(role, columns, left_out)?
            }
        };
        if is_run {
            runs.push(row);
        }
    }
    match columns.iter().flatten().next() {
        Some(column) if runs.is_empty() => Err(Failure::new(
            "no column is a run: every column has a different class in every row",
        )
        .help("check that the columns are predictions, not names of the samples")
        .in_file(&column.file)),
        _ => Ok(runs),
    }
}

/// Fails if a column of a table has no class in common with the labels or with a run that has: it predicts something
/// else.
pub(super) fn check_columns(
    predictions: &Array2<i64>,
    columns: &[Option<RunColumn>],
    truth: &[i64],
    class_name: impl Fn(i64) -> String,
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
                "column `{}` has no class in common with the labels: it has {}, the labels have {}",
                column.name,
                class_examples(classes, &class_name),
                class_examples(truth, &class_name)
            ))
            .help(format_args!(
                "if the column is not a run, leave it out: {}",
                drop_column(&column.name)
            ))
            .in_file(&column.file));
        }
    }
    Ok(())
}

/// Formats up to three different classes by their names.
pub(super) fn class_examples<'a>(
    classes: impl IntoIterator<Item = &'a i64>,
    class_name: impl Fn(i64) -> String,
) -> String {
    let mut first: Vec<String> = Vec::new();
    for &class in classes {
        let name = format!("`{}`", class_name(class));
        if !first.contains(&name) {
            first.push(name);
        }
        if first.len() == 3 {
            break;
        }
    }
    first.join(", ")
}

/// The index column of a table, as pandas writes it, with the names of the rows.
#[derive(Debug, Clone)]
pub(super) struct RowLabels {
    file: PathBuf,
    labels: Vec<Box<str>>,
}

impl RowLabels {
    /// Checks that several tables name their rows alike, because rows are matched by position, not by name. Stores the
    /// first index in `known`.
    pub(super) fn check_same(known: &mut Option<Self>, other: Option<Self>) -> Result<(), Failure> {
        let Some(other) = other else {
            return Ok(());
        };
        let Some(first) = known else {
            *known = Some(other);
            return Ok(());
        };
        let mut pairs = other.labels.iter().zip(&first.labels);
        let Some(row) = pairs.position(|(label, first_label)| label != first_label) else {
            return Ok(());
        };
        Err(Failure::new(format!(
            "row {} is named `{}` here, but `{}` in {}; rows are matched by position",
            row + 1,
            other.labels[row],
            first.labels[row],
            first.file.display()
        ))
        .help("save the same samples in the same order in both files, for example with pandas.DataFrame.reindex")
        .in_file(&other.file))
    }
}

/// Roles of the columns of a table, as indices.
pub(super) struct RunColumns {
    runs: Vec<usize>,
    /// Column of the true values, if the table has one.
    pub(super) truth: Option<usize>,
    /// Column with the names of the rows, if the table has one.
    index: Option<usize>,
    pub(super) left_out: Vec<LeftOut>,
}

impl RunColumns {
    /// Assigns roles: every column is a run, except the column of true values, columns without a name, and dropped
    /// ones.
    pub(super) fn new(table: &Table, truth: &str, dropped: &[String]) -> Result<Self, Failure> {
        let header = table.header();
        let is_dropped = |name: &String| dropped.contains(name);
        let mut columns = Self {
            runs: Vec::new(),
            truth: header.position(truth),
            index: index_of(table),
            left_out: Vec::new(),
        };
        for (column, name) in header.names().iter().enumerate() {
            if columns.truth == Some(column) {
                continue;
            }
            let reason = if is_dropped(name) {
                Reason::Dropped
            } else if header.is_index(column) {
                Reason::Unnamed
            } else {
                columns.runs.push(column);
                continue;
            };
            columns.left_out.push(LeftOut {
                file: table.context().file().to_owned(),
                column: name.clone(),
                reason,
            });
        }
        if columns.runs.is_empty() {
            return Err(Failure::new("no column is a run")
                .help("save a column of predictions per run")
                .in_file(table.context().file()));
        }
        Ok(columns)
    }

    /// Returns the columns of runs with their names, in the order in which they are read.
    pub(super) fn named(&self, file: &Path, names: &[String]) -> impl Iterator<Item = RunColumn> {
        self.runs.iter().map(|&column| RunColumn {
            file: file.to_owned(),
            name: names[column].clone(),
        })
    }

    /// Returns the only column of a table as a run, without true values.
    pub(super) fn only(table: &Table) -> Result<Self, Failure> {
        Ok(Self {
            runs: vec![only_column(table)?],
            truth: None,
            index: index_of(table),
            left_out: Vec::new(),
        })
    }

    /// Returns the only column of a table as the true values.
    pub(super) fn only_truth(table: &Table) -> Result<Self, Failure> {
        Ok(Self {
            runs: Vec::new(),
            truth: Some(only_column(table)?),
            index: index_of(table),
            left_out: Vec::new(),
        })
    }

    /// Returns the names of the rows of a file, if it has an index column.
    fn row_labels(&self, file: &Path, labels: Vec<Box<str>>) -> Option<RowLabels> {
        self.index.map(|_| RowLabels {
            file: file.to_owned(),
            labels,
        })
    }
}

/// Returns the first index column of a table.
fn index_of(table: &Table) -> Option<usize> {
    let header = table.header();
    (0..header.n_columns()).find(|&column| header.is_index(column))
}

/// A table of classes: the column of true classes, if there is one, and the columns of the runs.
pub(super) struct ClassTable {
    pub(super) truth: Option<Vec<i64>>,
    pub(super) runs: Vec<Vec<i64>>,
    pub(super) rows: Option<RowLabels>,
}

impl ClassTable {
    /// Reads a table piece by piece. Class numbers are provisional until `classes` is finished.
    pub(super) fn read(
        table: Table,
        columns: &RunColumns,
        classes: &mut ClassesBuilder,
    ) -> Result<Self, Failure> {
        let class_columns: Vec<usize> =
            columns.truth.iter().chain(&columns.runs).copied().collect();
        let mut read: Vec<Vec<i64>> = vec![Vec::new(); class_columns.len()];
        let wanted = Columns {
            numbers: Vec::new(),
            texts: class_columns.iter().copied().chain(columns.index).collect(),
        };
        let file = table.context().file().to_owned();
        let mut rows = Vec::new();
        for piece in table.pieces(&wanted) {
            let piece = piece?;
            if let Some(index) = columns.index {
                rows.extend(piece.text(index)?.iter().map(Box::from));
            }
            for (labels, &column) in read.iter_mut().zip(&class_columns) {
                for (row, text) in piece.text(column)?.iter().enumerate() {
                    let class = classes.number(text).map_err(|why| {
                        let failure = piece.cell(row, column, text, why.expected());
                        let name = piece.context().header().name(column);
                        match (why, Some(column) == columns.truth) {
                            (LabelError::Continuous, _) | (_, true) => why.help(failure),
                            _ => failure.help(format!(
                                "correct the cell, or leave the column out if it is not a run: {}",
                                drop_column(name)
                            )),
                        }
                    });
                    labels.push(class?);
                }
            }
        }
        let mut labels = read.into_iter();
        let truth = columns.truth.and_then(|_| labels.next());
        Ok(Self {
            truth,
            runs: labels.collect(),
            rows: columns.row_labels(&file, rows),
        })
    }
}

/// A table of numbers: the column of true values, if there is one, and the columns of the runs.
pub(super) struct NumberTable {
    pub(super) truth: Option<Vec<f64>>,
    pub(super) runs: Vec<Vec<f64>>,
    pub(super) rows: Option<RowLabels>,
}

impl NumberTable {
    pub(super) fn read(table: Table, columns: &RunColumns) -> Result<Self, Failure> {
        let number_columns = columns.truth.iter().chain(&columns.runs);
        let file = table.context().file().to_owned();
        let piece = table.whole(&Columns {
            numbers: number_columns.copied().collect(),
            texts: columns.index.into_iter().collect(),
        })?;
        let odd = piece
            .first_invalid()
            .into_iter()
            .chain(piece.first_missing());
        if let Some((column, cell)) = odd.min_by_key(|(column, cell)| (cell.row, *column)) {
            let name = piece.context().header().name(column);
            let failure = piece.cell(cell.row, column, &cell.text, "a finite number");
            let remedy = cell.kind.remedy();
            return Err(if Some(column) == columns.truth {
                failure.help(remedy)
            } else {
                failure.help(format!(
                    "{remedy}, or leave the column out if it is not a run: {}",
                    drop_column(name)
                ))
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

/// Returns the only column of a table that is not an index.
fn only_column(table: &Table) -> Result<usize, Failure> {
    let header = table.header();
    let mut named = (0..header.n_columns()).filter(|&column| !header.is_index(column));
    match (named.next(), named.next()) {
        (Some(column), None) => Ok(column),
        _ => Err(Failure::new(format!(
            "expected one column (and optionally an index), got {} columns",
            header.n_columns()
        ))
        .help("save the true values alone, or as a column of the table of runs, and pass its name")
        .in_file(table.context().file())),
    }
}

/// Predicted and true numbers.
pub(super) struct NumberRuns {
    pub(super) predictions: Array2<f64>,
    pub(super) targets: Array1<f64>,
    /// Names of the columns; empty for runs of an array.
    pub(super) run_names: Vec<String>,
    /// Columns of the table that were not read as runs.
    pub(super) left_out: Vec<LeftOut>,
}

impl NumberRuns {
    /// Reads the runs, and the targets from a file or from a column of the table of runs.
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
                run_names: Vec::new(),
                left_out: Vec::new(),
            });
        }
        let table = Table::read(predictions)?;
        let truth = targets.display().to_string();
        if targets.extension().is_none() {
            table.column(&truth)?;
        }
        let mut columns = RunColumns::new(&table, &truth, dropped)?;
        check_dropped(predictions, dropped, columns.left_out.iter())?;
        let names = table.header().names().to_vec();
        let NumberTable { truth, runs, rows } = NumberTable::read(table, &columns)?;
        let targets = match truth {
            Some(truth) => truth.into(),
            None => read_targets(targets, rows)?,
        };
        let mut left_out = std::mem::take(&mut columns.left_out);
        let (mut kept, mut run_names) = (Vec::new(), Vec::new());
        let named: Vec<Option<RunColumn>> = columns.named(predictions, &names).map(Some).collect();
        for (run, column) in runs.into_iter().zip(named.iter().flatten()) {
            let role = ColumnRole::from_numbers(&run, &targets.to_vec());
            if column.is_run(role, &named, &mut left_out)? {
                kept.push(run);
                run_names.push(column.name.clone());
            }
        }
        let shape = (kept.len(), kept.first().map_or(0, Vec::len));
        Ok(Self {
            predictions: Array2::from_shape_vec(shape, kept.concat()).map_err(Failure::new)?,
            targets,
            run_names,
            left_out,
        })
    }
}

/// Reads targets from a file. `rows` are the names of the samples in the table of runs, which must be the same.
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
