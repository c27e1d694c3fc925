//! Where runs come from: one array, several files, or a table with a column per run.

use std::path::{Path, PathBuf};

use ndarray::{Array2, Axis, Ix1};
use xai_metrics::core::Label;
use xai_metrics::repro::{PackedRuns, PackedRunsBuilder, PairMetric, input};

use super::options;
use crate::failure::{Failure, Files, InFile, InFiles};
use crate::input::arrays;
use crate::input::npy_file::{Integers, NpyFile};
use crate::input::table::Table;

/// Predictions and labels in memory.
pub(crate) struct LoadedRuns {
    pub(crate) predictions: Array2<i64>,
    pub(crate) labels: Vec<i64>,
}

/// What errors about runs are about: the first file of predictions, or the labels.
pub(crate) fn files<'a>(predictions: &'a Path, labels: &'a Path) -> Files<'a> {
    let labels = match names_a_file(labels) {
        true => labels,
        false => predictions,
    };
    Files::mainly(predictions)
        .file(&[input::LABELS], labels)
        .and(options::parameters())
}

/// Whether labels are a file of their own, and no column.
pub(crate) fn names_a_file(labels: &Path) -> bool {
    labels.extension().is_some()
}

/// Whether a file is a table with a column per run.
pub(crate) fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "csv")
}

/// Reads runs and labels.
pub(crate) fn load(files: &[PathBuf], labels: &Path) -> Result<LoadedRuns, Failure> {
    if let [file] = files
        && is_table(file)
    {
        return from_table(file, labels);
    }
    let labels_of_file: Vec<i64> = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
    let predictions = from_arrays(files)?;
    check_length(files, predictions.ncols(), labels, labels_of_file.len())?;
    Ok(LoadedRuns {
        predictions,
        labels: labels_of_file,
    })
}

/// A table with a column per run; the labels are a column too, or a file of their own.
fn from_table(file: &Path, labels: &Path) -> Result<LoadedRuns, Failure> {
    let table = Table::read(file)?;
    let column = labels.display().to_string();
    let in_table = table.has_column(&column);
    let columns: Vec<&String> = table
        .header()
        .iter()
        .filter(|other| !in_table || **other != column)
        .collect();
    let labels_of_table = if in_table || !names_a_file(labels) {
        table.labels(&column)?
    } else {
        let read = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
        check_length(&[file.to_owned()], table.n_rows(), labels, read.len())?;
        read
    };
    let mut predictions = Vec::with_capacity(columns.len() * table.n_rows());
    for column in &columns {
        predictions.extend(table.labels(column)?);
    }
    let shape = (columns.len(), table.n_rows());
    Ok(LoadedRuns {
        predictions: Array2::from_shape_vec(shape, predictions).map_err(Failure::new)?,
        labels: labels_of_table,
    })
}

/// Arrays below each other: `(k, n)` ones are `k` runs, `(n,)` ones are one. A single array must have
/// two axes.
fn from_arrays(files: &[PathBuf]) -> Result<Array2<i64>, Failure> {
    let mut all: Option<Array2<i64>> = None;
    for file in files {
        let stored = arrays::read(file)?;
        let runs = if stored.shape().len() == 1 && files.len() > 1 {
            stored.into_labels::<Ix1>()?.insert_axis(Axis(0))
        } else {
            stored.into_labels()?
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
    all.ok_or_else(|| Failure::usage("no predictions"))
}

fn other_samples(files: &[PathBuf], n: usize, here: usize) -> Failure {
    Failure::new(format!(
        "{here} samples per run, but {} has {n}",
        files[0].display()
    ))
}

fn check_length(
    files: &[PathBuf],
    n_samples: usize,
    labels: &Path,
    n_labels: usize,
) -> Result<(), Failure> {
    if n_samples == n_labels {
        return Ok(());
    }
    let file = files[0].display();
    Err(Failure::new(format!(
        "{n_labels} labels, but {file} has {n_samples} samples per run"
    ))
    .in_file(labels))
}

/// Packs runs for metrics. Arrays that are stored run after run are read and packed some runs at a time,
/// so that they may be larger than memory.
pub(super) fn pack(
    files: &[PathBuf],
    labels: &Path,
    metrics: &[PairMetric],
) -> Result<PackedRuns, Failure> {
    let places = self::files(&files[0], labels);
    let stored: Option<Vec<StoredRuns>> = files.iter().map(|file| StoredRuns::open(file)).collect();
    // A single array must have two axes, which the reader of all kinds says.
    let stored = stored.filter(|stored| stored.len() > 1 || stored[0].file.shape().len() == 2);
    let Some(stored) = stored else {
        let LoadedRuns {
            predictions,
            labels,
        } = load(files, labels)?;
        return PackedRuns::new(metrics, predictions.view(), &labels).in_files(&places);
    };
    let labels_of_file: Vec<i64> = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
    check_length(files, stored[0].n_samples, labels, labels_of_file.len())?;
    let mut packing = PackedRunsBuilder::new(metrics, &labels_of_file).in_files(&places)?;
    for (file, runs) in files.iter().zip(stored) {
        if runs.n_samples != labels_of_file.len() {
            return Err(other_samples(files, labels_of_file.len(), runs.n_samples).in_file(file));
        }
        runs.pack(&mut packing, &self::files(file, labels))
            .in_file(file)?;
    }
    packing.build().in_files(&places)
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

    fn pack(self, packing: &mut PackedRunsBuilder, files: &Files<'_>) -> Result<(), Failure> {
        for first in (0..self.n_runs).step_by(RUNS_AT_ONCE) {
            let end = self.n_runs.min(first + RUNS_AT_ONCE);
            let n = self.n_samples;
            let pushed = match self.file.integers(first * n..end * n)? {
                Integers::I8(labels) => push(&labels, n, packing),
                Integers::U8(labels) => push(&labels, n, packing),
                Integers::I16(labels) => push(&labels, n, packing),
                Integers::U16(labels) => push(&labels, n, packing),
                Integers::I32(labels) => push(&labels, n, packing),
                Integers::U32(labels) => push(&labels, n, packing),
                Integers::I64(labels) => push(&labels, n, packing),
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
) -> xai_metrics::Result<()> {
    let runs: Vec<&[L]> = labels.chunks_exact(n_samples).collect();
    packing.push_all(&runs)
}
