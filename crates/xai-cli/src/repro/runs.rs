//! Where runs come from: one array, several files, or tables with a column per run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis, Ix1};
use xai_files::arrays::StoredArray;
use xai_files::classes::{Classes, ClassesBuilder};
use xai_files::left_out::LeftOut;
use xai_files::npy_file::{Integers, NpyFile};
use xai_files::table::Table;
use xai_files::{Failure, Files, InFile, InFiles, arrays};
use xai_metrics::core::Label;
use xai_metrics::repro::{PackedRuns, PackedRunsBuilder, PairMetric, input};

use crate::repro::options::Labels;
use crate::repro::table_runs::{
    ClassTable, RowLabels, RunColumn, RunColumns, check_columns, check_dropped, examples, is_table,
    rows_of_runs,
};

/// Predictions and labels in memory.
pub(crate) struct LoadedRuns {
    pub(crate) predictions: Array2<i64>,
    pub(crate) labels: Vec<i64>,
    /// Column of each run of a table; `None` for runs of arrays.
    columns: Vec<Option<RunColumn>>,
    /// What the samples are called, if a table says so.
    rows: Option<RowLabels>,
    /// What the classes are called.
    pub(crate) classes: Classes,
    /// Columns of tables that are no runs.
    pub(crate) left_out: Vec<LeftOut>,
}

impl LoadedRuns {
    /// Refuses predictions that have no class in common with the labels.
    fn check_classes(&self, file: &Path) -> Result<(), Failure> {
        let called = |class| self.classes.called(class);
        let truth: HashSet<&i64> = self.labels.iter().collect();
        if self.predictions.iter().any(|class| truth.contains(class)) {
            return check_columns(&self.predictions, &self.columns, &self.labels, called);
        }
        let predicted = examples(&self.predictions, called);
        Err(no_common_class(&predicted, &examples(&self.labels, called)).in_file(file))
    }

    /// Leaves out columns that name the samples.
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

/// What errors about runs are about: the first file of predictions, or the labels.
pub(crate) fn files<'a>(predictions: &'a Path, labels: &'a Path) -> Files<'a> {
    let labels = match names_a_file(labels) {
        true => labels,
        false => predictions,
    };
    Files::mainly(predictions)
        .file(&[input::LABELS], labels)
        .named(["metrics"])
}

/// Whether labels are a file of their own, and no column.
pub(crate) fn names_a_file(labels: &Path) -> bool {
    labels.extension().is_some()
}

/// Refuses a column of labels where no table has columns. What is there is a file, whatever its name.
fn check_labels(files: &[PathBuf], labels: &Path) -> Result<(), Failure> {
    let may_be_read = |file: &PathBuf| is_table(file) || !file.exists();
    if names_a_file(labels) || labels.exists() || files.iter().any(may_be_read) {
        return Ok(());
    }
    let what = format!("a column, but {} is no table", files[0].display());
    Err(Failure::of_option("--labels", what)
        .with_value(labels.display())
        .help("name a file of labels, Y.npy or Y.csv"))
}

/// Where runs and labels are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunFiles<'a> {
    pub(crate) predictions: &'a [PathBuf],
    /// A file, or a column of the table of runs.
    pub(crate) labels: &'a Path,
    /// Columns that are no runs.
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

/// Reads several groups of runs whose classes are the same.
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
    let (files, labels) = (group.predictions, group.labels);
    check_labels(files, labels)?;
    let mut all: Option<Array2<i64>> = None;
    let mut columns: Vec<Option<RunColumn>> = Vec::new();
    let mut left_out = Vec::new();
    let (mut truth, mut rows) = (None, None);
    for file in files {
        let runs = if is_table(file) {
            let needs_labels = all.is_none() && !names_a_file(labels);
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
            let (read, of_labels) = read_labels(labels, classes)?;
            check_length(&files[0], predictions.dim(), labels, (read.len(), LABELS))?;
            RowLabels::check_same(&mut rows, of_labels)?;
            read
        }
    };
    Ok(LoadedRuns {
        predictions: in_rows(predictions),
        labels,
        columns,
        rows,
        // Known when all groups are read.
        classes: Classes::default(),
        left_out,
    })
}

/// The same array, run after run; a copy only of one that is stored in another way.
fn in_rows(predictions: Array2<i64>) -> Array2<i64> {
    match predictions.is_standard_layout() {
        true => predictions,
        false => predictions.as_standard_layout().into_owned(),
    }
}

/// Columns of a table that may be runs, and the labels where they are among its columns.
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
    let columns = RunColumns::of(&table, &truth, group.dropped)?;
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

/// Tables of one group may each hold the labels, which are the same then.
fn same_labels(
    labels: &mut Option<Vec<i64>>,
    here: Option<Vec<i64>>,
    file: &Path,
    files: &[PathBuf],
) -> Result<(), Failure> {
    match (&labels, here) {
        (Some(labels), Some(here)) if *labels != here => Err(Failure::new(format!(
            "other labels than in {}: the runs must be of the same samples, in the same order",
            files[0].display()
        ))
        .in_file(file)),
        (None, here) => {
            *labels = here;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Labels in a file of their own, an array or a table with one column, and what the rows of the table are called.
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
    // The labels are all that the table is about: a wrong cell is no reason to leave their column out.
    let columns = RunColumns::only_truth(&table)?;
    let ClassTable { truth, rows, .. } = ClassTable::read(table, &columns, classes)?;
    Ok((truth.unwrap_or_default(), rows))
}

/// Arrays hold whole numbers; so must the tables beside them.
fn numbers(classes: &mut ClassesBuilder, array: &StoredArray) -> Result<(), Failure> {
    classes.are_numbers(array.is_boolean()).map_err(|why| {
        let failure = Failure::new(format!(
            "classes by whole numbers, and not so in the tables: expected {}",
            why.expected()
        ));
        why.help(failure).in_file(array.file())
    })
}

/// An array `(k, n)` is `k` runs; of several files one of `(n,)` is one. A single array must have two
/// axes.
fn from_array(stored: StoredArray, is_one_of_several: bool) -> Result<Array2<i64>, Failure> {
    match stored.shape().len() == 1 && is_one_of_several {
        true => Ok(stored.into_labels::<Ix1>()?.insert_axis(Axis(0))),
        false => stored.into_labels(),
    }
}

fn no_common_class(predicted: &str, truth: &str) -> Failure {
    Failure::new(format!(
        "predictions and labels have no class in common: {predicted} are predicted, {truth} are true"
    ))
    .help("name the classes alike on both sides")
}

fn other_samples(files: &[PathBuf], n: usize, here: usize) -> Failure {
    Failure::new(format!(
        "{here} samples per run, but {} has {n}",
        files[0].display()
    ))
}

/// What is true of classes.
const LABELS: &str = "labels";

/// Refuses another number of `what` is true than runs have samples.
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
    Err(match (n_runs == n_true, is_table) {
        (false, _) => failure,
        (true, true) => failure.help(format_args!("{file} looks transposed: it needs a column per run, with the samples below each other; pandas.DataFrame.T turns it")),
        (true, false) => failure.help(format_args!("{file} looks transposed: it needs the runs first, (runs, samples); save array.T")),
    })
}

/// Packs runs for metrics. Arrays that are stored run after run are read and packed some runs at a time,
/// so that they may be larger than memory.
pub(super) fn pack(
    runs: RunFiles<'_>,
    metrics: &[PairMetric],
) -> Result<(PackedRuns, Vec<LeftOut>), Failure> {
    let (files, labels) = (runs.predictions, runs.labels);
    check_labels(files, labels)?;
    let places = self::files(&files[0], labels);
    let stored: Option<Vec<StoredRuns>> = match is_table(labels) {
        true => None,
        false => files.iter().map(|file| StoredRuns::open(file)).collect(),
    };
    // A single array must have two axes, which the reader of all kinds says.
    let stored = stored.filter(|stored| stored.len() > 1 || stored[0].file.shape().len() == 2);
    let Some(stored) = stored.filter(|_| runs.dropped.is_empty()) else {
        let LoadedRuns {
            predictions,
            labels,
            left_out,
            ..
        } = load(runs)?;
        let packed = PackedRuns::new(metrics, predictions.view(), &labels).in_files(&places)?;
        return Ok((packed, left_out));
    };
    let labels_of_file: Vec<i64> = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
    let n_runs = stored.iter().map(|runs| runs.n_runs).sum();
    let shape = (n_runs, stored[0].n_samples);
    check_length(&files[0], shape, labels, (labels_of_file.len(), LABELS))?;
    let mut packing = PackedRunsBuilder::new(metrics, &labels_of_file).in_files(&places)?;
    let mut unknown = UnknownClasses::new(&labels_of_file);
    for (file, runs) in files.iter().zip(stored) {
        if runs.n_samples != labels_of_file.len() {
            return Err(other_samples(files, labels_of_file.len(), runs.n_samples).in_file(file));
        }
        runs.pack(&mut packing, &mut unknown, &self::files(file, labels))
            .in_file(file)?;
    }
    if let Some(predicted) = unknown.examples() {
        let truth = examples(&labels_of_file, |class| class.to_string());
        return Err(no_common_class(&predicted, &truth).in_file(&files[0]));
    }
    Ok((packing.build().in_files(&places)?, Vec::new()))
}

/// Predicted classes that are not among the labels, until one comes that is.
struct UnknownClasses {
    truth: HashSet<i64>,
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

    fn look_at<L: Label>(&mut self, labels: &[L]) {
        let mut labels = labels.iter().filter_map(|label| label.to_i64());
        while let Some(label) = labels.next().filter(|_| !self.is_any_known) {
            if self.truth.contains(&label) {
                self.is_any_known = true;
            } else if self.first.len() < 3 && !self.first.contains(&label) {
                self.first.push(label);
            }
        }
    }

    /// The first predicted classes, if none is among the labels.
    fn examples(&self) -> Option<String> {
        let is_unknown = !self.is_any_known && !self.first.is_empty();
        is_unknown.then(|| examples(&self.first, |class| class.to_string()))
    }
}

/// An `.npy` file of integers that holds run after run.
struct StoredRuns {
    file: NpyFile,
    n_runs: usize,
    n_samples: usize,
}

/// Runs that are read, and packed in parallel, at once.
const RUNS_AT_ONCE: usize = 8;

impl StoredRuns {
    /// Opens a file if it is of this kind; what is not is left to the reader of all kinds, which
    /// knows what to say.
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
        packing: &mut PackedRunsBuilder,
        unknown: &mut UnknownClasses,
        files: &Files<'_>,
    ) -> Result<(), Failure> {
        for first in (0..self.n_runs).step_by(RUNS_AT_ONCE) {
            let end = self.n_runs.min(first + RUNS_AT_ONCE);
            let n = self.n_samples;
            let pushed = match self.file.integers(first * n..end * n)? {
                Integers::I8(labels) => push(&labels, n, packing, unknown),
                Integers::U8(labels) => push(&labels, n, packing, unknown),
                Integers::I16(labels) => push(&labels, n, packing, unknown),
                Integers::U16(labels) => push(&labels, n, packing, unknown),
                Integers::I32(labels) => push(&labels, n, packing, unknown),
                Integers::U32(labels) => push(&labels, n, packing, unknown),
                Integers::I64(labels) => push(&labels, n, packing, unknown),
            };
            pushed.in_files(files)?;
        }
        Ok(())
    }
}

fn push<L: Label>(
    labels: &[L],
    n_samples: usize,
    packing: &mut PackedRunsBuilder,
    unknown: &mut UnknownClasses,
) -> xai_metrics::Result<()> {
    unknown.look_at(labels);
    let runs: Vec<&[L]> = labels.chunks_exact(n_samples).collect();
    packing.push_all(&runs)
}
