//! Reading of runs from one array, several files, or tables with a column per run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis, Ix1};
use xai_files::arrays::StoredArray;
use xai_files::classes::{Classes, ClassesBuilder};
use xai_files::left_out::LeftOut;
use xai_files::npy_file::{Integers, NpyFile};
use xai_files::table::Table;
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::common::Label;
use xai_metrics::repro::{PackedRuns, PackedRunsBuilder, PairMetric, input};

use crate::repro::options::Labels;
use crate::repro::table_runs::{
    ClassTable, RowLabels, RunColumn, RunColumns, check_columns, check_dropped, class_examples,
    is_table, rows_of_runs,
};

/// Predictions and labels in memory.
pub(crate) struct LoadedRuns {
    pub(crate) predictions: Array2<i64>,
    pub(crate) labels: Vec<i64>,
    /// Column of each run of a table; `None` for runs of arrays.
    columns: Vec<Option<RunColumn>>,
    /// Names of the samples, if a table has an index column.
    rows: Option<RowLabels>,
    /// Names of the classes.
    pub(crate) classes: Classes,
    /// Columns of tables that were not read as runs.
    pub(crate) left_out: Vec<LeftOut>,
}

impl LoadedRuns {
    /// Names of the runs; empty unless all are columns of tables.
    pub(crate) fn run_names(&self) -> Vec<String> {
        RunColumn::names(&self.columns)
    }

    /// Fails if the predictions, or those of one column, have no class in common with the labels.
    fn check_classes(&self, file: &Path) -> Result<(), Failure> {
        let class_name = |class| self.classes.display_name(class);
        let truth: HashSet<&i64> = self.labels.iter().collect();
        if self.predictions.iter().any(|class| truth.contains(class)) {
            return check_columns(&self.predictions, &self.columns, &self.labels, class_name);
        }
        let predicted = class_examples(&self.predictions, class_name);
        Err(no_common_class(&predicted, &class_examples(&self.labels, class_name)).in_file(file))
    }

    /// Removes columns that name the samples.
    fn leave_out_names(&mut self) -> Result<(), Failure> {
        let runs = rows_of_runs(
            &self.predictions,
            &self.columns,
            &self.labels,
            &mut self.left_out,
        )?;
        if runs.len() < self.columns.len() {
            self.predictions = self.predictions.select(Axis(0), &runs);
            self.columns = runs.iter().map(|&run| self.columns[run].clone()).collect();
        }
        Ok(())
    }
}

/// Returns the files of errors: the file of the labels for errors about labels, otherwise the predictions.
pub(crate) fn files<'a>(predictions: &'a Path, labels: &'a Path) -> Files<'a> {
    let labels_file = if is_file_name(labels) {
        labels
    } else {
        predictions
    };
    Files::with_main_file(predictions)
        .file(&[input::LABELS], labels_file)
        .named_options(["metrics"])
}

/// Returns `true` if `--labels` is the name of a file, and not of a column: it has an extension.
pub(crate) fn is_file_name(labels: &Path) -> bool {
    labels.extension().is_some()
}

/// Fails if `--labels` is the name of a column, but the runs are not in a table. A name without an extension is a file
/// if there is one.
fn check_labels(files: &[PathBuf], labels: &Path) -> Result<(), Failure> {
    // A missing file gets its own error when it is opened.
    let may_be_table = |file: &PathBuf| is_table(file) || !file.exists();
    if is_file_name(labels) || labels.exists() || files.iter().any(may_be_table) {
        return Ok(());
    }
    let what = format!(
        "this is neither a file nor a column, because {} is not a table",
        files[0].display()
    );
    Err(Failure::for_option("--labels", what)
        .with_value(labels.display())
        .help("name a file of labels, for example Y.npy or Y.csv"))
}

/// The options that name the runs and the labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunFiles<'a> {
    pub(crate) predictions: &'a [PathBuf],
    /// A file, or a column of the table of runs.
    pub(crate) labels: &'a Path,
    /// Columns that the user left out.
    pub(crate) dropped: &'a [String],
}

impl<'a> RunFiles<'a> {
    pub(super) fn new(predictions: &'a [PathBuf], labels: &'a Labels) -> Self {
        Self {
            predictions,
            labels: &labels.labels,
            dropped: &labels.drop_column,
        }
    }
}

/// Reads runs and labels.
pub(crate) fn load(files: RunFiles<'_>) -> Result<LoadedRuns, Failure> {
    let [loaded] = load_all([files])?;
    Ok(loaded)
}

/// Reads several groups of runs, with one numbering of the classes for all.
pub(super) fn load_all<const N: usize>(
    groups: [RunFiles<'_>; N],
) -> Result<[LoadedRuns; N], Failure> {
    let mut classes = ClassesBuilder::default();
    let mut all = Vec::with_capacity(N);
    for files in groups {
        all.push(read(files, &mut classes)?);
    }
    let left_out = all.iter().flat_map(|runs| &runs.left_out);
    check_dropped(&groups[0].predictions[0], groups[0].dropped, left_out)?;
    let (renumbering, classes) = classes.finish();
    for runs in &mut all {
        runs.classes = classes.clone();
        renumbering.apply(&mut runs.labels);
        if let Some(predictions) = runs.predictions.as_slice_mut() {
            renumbering.apply(predictions);
        }
        runs.leave_out_names()?;
        runs.check_classes(&groups[0].predictions[0])?;
    }
    let mut rows = None;
    for runs in &mut all {
        RowLabels::check_same(&mut rows, runs.rows.take())?;
    }
    all.try_into().map_err(|_| Failure::usage("no predictions"))
}

fn read(group: RunFiles<'_>, classes: &mut ClassesBuilder) -> Result<LoadedRuns, Failure> {
    let (files, labels_path) = (group.predictions, group.labels);
    check_labels(files, labels_path)?;
    let mut all: Option<Array2<i64>> = None;
    let mut columns: Vec<Option<RunColumn>> = Vec::new();
    let mut left_out = Vec::new();
    let (mut truth, mut rows) = (None, None);
    for file in files {
        let runs = if is_table(file) {
            let needs_labels = all.is_none() && !is_file_name(labels_path);
            let table = from_table(file, group, needs_labels, classes)?;
            left_out.extend(table.left_out);
            RowLabels::check_same(&mut rows, table.rows)?;
            same_labels(&mut truth, table.truth, file, files)?;
            columns.extend(table.columns.into_iter().map(Some));
            table.runs
        } else {
            let stored = arrays::read(file)?;
            numbers(classes, &stored)?;
            let runs = from_array(stored, files.len() > 1)?;
            columns.extend(std::iter::repeat_n(None, runs.nrows()));
            runs
        };
        match &mut all {
            None => all = Some(runs),
            Some(all) => {
                let n = all.ncols();
                all.append(Axis(0), runs.view())
                    .map_err(|_| other_samples(files, n, runs.ncols()))
                    .in_file(file)?;
            }
        }
    }
    let predictions = all.ok_or_else(|| Failure::usage("no predictions"))?;
    let labels = match truth {
        Some(truth) => truth,
        None => {
            let (labels, label_rows) = read_labels(labels_path, classes)?;
            let n_labels = (labels.len(), LABELS);
            check_length(&files[0], predictions.dim(), labels_path, n_labels)?;
            RowLabels::check_same(&mut rows, label_rows)?;
            labels
        }
    };
    Ok(LoadedRuns {
        predictions: to_standard_layout(predictions),
        labels,
        columns,
        rows,
        // Set when all groups are read.
        classes: Classes::default(),
        left_out,
    })
}

/// Returns the array with the samples of each run next to each other. Copies only arrays of another memory layout.
fn to_standard_layout(predictions: Array2<i64>) -> Array2<i64> {
    if predictions.is_standard_layout() {
        predictions
    } else {
        predictions.as_standard_layout().into_owned()
    }
}

/// Columns of a table that may be runs, and the labels if they are a column.
struct TableRuns {
    runs: Array2<i64>,
    columns: Vec<RunColumn>,
    truth: Option<Vec<i64>>,
    rows: Option<RowLabels>,
    left_out: Vec<LeftOut>,
}

fn from_table(
    file: &Path,
    group: RunFiles<'_>,
    needs_labels: bool,
    classes: &mut ClassesBuilder,
) -> Result<TableRuns, Failure> {
    let table = Table::read(file)?;
    let truth = group.labels.display().to_string();
    if needs_labels {
        table.column(&truth)?;
    }
    let columns = RunColumns::new(&table, &truth, group.dropped)?;
    let named = columns.named(file, table.header().names()).collect();
    let ClassTable { truth, runs, rows } = ClassTable::read(table, &columns, classes)?;
    let shape = (runs.len(), runs.first().map_or(0, Vec::len));
    Ok(TableRuns {
        runs: Array2::from_shape_vec(shape, runs.concat()).map_err(Failure::new)?,
        columns: named,
        truth,
        rows,
        left_out: columns.left_out,
    })
}

/// Checks that tables of one group that contain the labels contain the same ones, and stores the first.
fn same_labels(
    labels: &mut Option<Vec<i64>>,
    file_labels: Option<Vec<i64>>,
    file: &Path,
    files: &[PathBuf],
) -> Result<(), Failure> {
    match (&labels, file_labels) {
        (Some(labels), Some(file_labels)) if *labels != file_labels => Err(Failure::new(format!(
            "the true labels differ from those in {}",
            files[0].display()
        ))
        .help("all runs must predict the same samples, in the same order")
        .in_file(file)),
        (None, file_labels) => {
            *labels = file_labels;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Reads labels from a file of their own, an array or a table with one column, and the names of the table's rows.
fn read_labels(
    labels: &Path,
    classes: &mut ClassesBuilder,
) -> Result<(Vec<i64>, Option<RowLabels>), Failure> {
    if !is_table(labels) {
        let stored = arrays::read(labels)?;
        numbers(classes, &stored)?;
        return Ok((stored.into_labels::<Ix1>()?.to_vec(), None));
    }
    let table = Table::read(labels)?;
    // As labels and not as a run, so that the error about a wrong cell does not suggest leaving out their only column.
    let columns = RunColumns::only_truth(&table)?;
    let ClassTable { truth, rows, .. } = ClassTable::read(table, &columns, classes)?;
    Ok((truth.unwrap_or_default(), rows))
}

/// Declares that classes are whole numbers, because an array contains them. Fails if tables of the same runs name them
/// by words.
fn numbers(classes: &mut ClassesBuilder, array: &StoredArray) -> Result<(), Failure> {
    classes.declare_numbers(array.is_boolean()).map_err(|why| {
        let failure = Failure::new(format!(
            "this array has whole numbers as classes, but a table has other classes: expected {}",
            why.expected()
        ));
        why.help(failure).in_file(array.file())
    })
}

/// Reads an array `(k, n)` as `k` runs. If there are several files, an array `(n,)` is one run; a single array must
/// have two axes.
fn from_array(stored: StoredArray, is_one_of_several: bool) -> Result<Array2<i64>, Failure> {
    if stored.shape().len() == 1 && is_one_of_several {
        Ok(stored.into_labels::<Ix1>()?.insert_axis(Axis(0)))
    } else {
        stored.into_labels()
    }
}

fn no_common_class(predicted: &str, truth: &str) -> Failure {
    Failure::new(format!(
        "predictions and labels have no class in common: predicted are {predicted}, true are {truth}"
    ))
    .help("use the same names for the classes in both files")
}

fn other_samples(files: &[PathBuf], n_first: usize, n: usize) -> Failure {
    Failure::new(format!(
        "{n} samples per run, but {} has {n_first}",
        files[0].display()
    ))
    .help("all files must have predictions for the same samples")
}

/// Name of the true values of classifiers in errors.
const LABELS: &str = "labels";

/// Fails if the number of true values (`what`: labels or targets) is not the number of samples of the runs.
pub(super) fn check_length(
    file: &Path,
    (n_runs, n_samples): (usize, usize),
    truth: &Path,
    (n_true, what): (usize, &str),
) -> Result<(), Failure> {
    if n_samples == n_true {
        return Ok(());
    }
    let (is_table, file) = (is_table(file), file.display());
    let failure = Failure::new(format!(
        "{n_true} {what}, but {file} has {n_samples} samples per run"
    ))
    .in_file(truth);
    if n_runs != n_true {
        return Err(failure);
    }
    Err(if is_table {
        failure.help(format_args!("{file} looks transposed: it needs a column per run and a row per sample; transpose it with pandas.DataFrame.T"))
    } else {
        failure.help(format_args!(
            "{file} looks transposed: it needs the shape (runs, samples); save array.T"
        ))
    })
}

/// Reads and packs runs for the metrics. Integer arrays in C order are read a few runs at a time, so that they may be
/// larger than memory.
pub(super) fn pack(
    runs: RunFiles<'_>,
    metrics: &[PairMetric],
) -> Result<(PackedRuns, Vec<LeftOut>), Failure> {
    let (files, labels_path) = (runs.predictions, runs.labels);
    check_labels(files, labels_path)?;
    let error_files = self::files(&files[0], labels_path);
    let opened: Option<Vec<StoredRuns>> = if is_table(labels_path) {
        None
    } else {
        files.iter().map(|file| StoredRuns::open(file)).collect()
    };
    // A single array without two axes goes to the general reader, which reports the error.
    let can_stream = |opened: &Vec<StoredRuns>| {
        runs.dropped.is_empty() && (opened.len() > 1 || opened[0].file.shape().len() == 2)
    };
    let Some(stored) = opened.filter(can_stream) else {
        let LoadedRuns {
            predictions,
            labels,
            left_out,
            ..
        } = load(runs)?;
        let packed =
            PackedRuns::new(metrics, predictions.view(), &labels).in_files(&error_files)?;
        return Ok((packed, left_out));
    };
    let labels: Vec<i64> = arrays::read(labels_path)?.into_labels::<Ix1>()?.to_vec();
    let n_runs = stored.iter().map(|runs| runs.n_runs).sum();
    let shape = (n_runs, stored[0].n_samples);
    check_length(&files[0], shape, labels_path, (labels.len(), LABELS))?;
    let mut builder = PackedRunsBuilder::new(metrics, &labels).in_files(&error_files)?;
    let mut unknown = UnknownClasses::new(&labels);
    for (file, runs) in files.iter().zip(stored) {
        if runs.n_samples != labels.len() {
            return Err(other_samples(files, labels.len(), runs.n_samples).in_file(file));
        }
        runs.pack(&mut builder, &mut unknown, &self::files(file, labels_path))
            .in_file(file)?;
    }
    if let Some(predicted) = unknown.examples() {
        let truth = class_examples(&labels, |class| class.to_string());
        return Err(no_common_class(&predicted, &truth).in_file(&files[0]));
    }
    Ok((builder.build().in_files(&error_files)?, Vec::new()))
}

/// Finds out whether predictions have any class in common with the labels, while they are read.
struct UnknownClasses {
    truth: HashSet<i64>,
    /// The first three predicted classes that are not among the labels.
    first: Vec<i64>,
    is_any_known: bool,
}

impl UnknownClasses {
    fn new(labels: &[i64]) -> Self {
        Self {
            truth: labels.iter().copied().collect(),
            first: Vec::new(),
            is_any_known: false,
        }
    }

    fn update<L: Label>(&mut self, predictions: &[L]) {
        // One common class is enough: after it no prediction is looked at.
        let mut classes = predictions.iter().filter_map(|label| label.to_i64());
        while let Some(class) = classes.next().filter(|_| !self.is_any_known) {
            if self.truth.contains(&class) {
                self.is_any_known = true;
            } else if self.first.len() < 3 && !self.first.contains(&class) {
                self.first.push(class);
            }
        }
    }

    /// Returns the first predicted classes, if no predicted class is among the labels.
    fn examples(&self) -> Option<String> {
        if self.is_any_known || self.first.is_empty() {
            return None;
        }
        Some(class_examples(&self.first, |class| class.to_string()))
    }
}

/// An open `.npy` file of integers in C order.
struct StoredRuns {
    file: NpyFile,
    n_runs: usize,
    n_samples: usize,
}

/// Number of runs that are read at a time and packed in parallel.
const RUNS_AT_ONCE: usize = 8;

impl StoredRuns {
    /// Opens a file if it has this format. Other files are left to the general reader, which also reports errors.
    fn open(file: &Path) -> Option<Self> {
        let file = NpyFile::open(file).filter(NpyFile::has_integers)?;
        let (n_runs, n_samples) = match *file.shape() {
            [n_samples] => (1, n_samples),
            [n_runs, n_samples] => (n_runs, n_samples),
            _ => return None,
        };
        Some(Self {
            file,
            n_runs,
            n_samples,
        })
    }

    fn pack(
        self,
        builder: &mut PackedRunsBuilder,
        unknown: &mut UnknownClasses,
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        for first in (0..self.n_runs).step_by(RUNS_AT_ONCE) {
            let end = self.n_runs.min(first + RUNS_AT_ONCE);
            let n = self.n_samples;
            let pushed = match self.file.integers(first * n..end * n)? {
                Integers::I8(labels) => push(&labels, n, builder, unknown),
                Integers::U8(labels) => push(&labels, n, builder, unknown),
                Integers::I16(labels) => push(&labels, n, builder, unknown),
                Integers::U16(labels) => push(&labels, n, builder, unknown),
                Integers::I32(labels) => push(&labels, n, builder, unknown),
                Integers::U32(labels) => push(&labels, n, builder, unknown),
                Integers::I64(labels) => push(&labels, n, builder, unknown),
            };
            pushed.in_files(files)?;
        }
        Ok(())
    }
}

fn push<L: Label>(
    labels: &[L],
    n_samples: usize,
    builder: &mut PackedRunsBuilder,
    unknown: &mut UnknownClasses,
) -> xai_metrics::Result<()> {
    unknown.update(labels);
    let runs: Vec<&[L]> = labels.chunks_exact(n_samples).collect();
    builder.push_all(&runs)
}
