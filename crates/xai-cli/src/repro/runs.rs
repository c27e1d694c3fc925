//! Where runs come from: one array, several files, or a table with a column a run.

use std::fs::File;
use std::io::{BufReader, Read, Seek};

use clap::Args;
use ndarray::{Array2, Axis, Ix1};
use ndarray_npy::npy::header::Header;
use xai_metrics::repro::{PackedRuns, PackedRunsBuilder, PairMetric};

use crate::arrays;
use crate::failure::{Failure, InFile};
use crate::table::Table;

/// What every command on runs of classes takes.
#[derive(Debug, Args)]
pub(super) struct Labels {
    /// True labels (samples,); or, where the runs are columns of a .csv, the column that holds them.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    pub(super) labels: String,
}

/// Predictions and labels in memory.
pub(super) struct Loaded {
    pub(super) predictions: Array2<i64>,
    pub(super) labels: Vec<i64>,
}

/// Reads runs and labels.
pub(super) fn load(files: &[String], labels: &str) -> Result<Loaded, Failure> {
    if let [file] = files
        && file.ends_with(".csv")
    {
        return from_table(file, labels);
    }
    let labels_of_file: Vec<i64> = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
    let predictions = from_arrays(files)?;
    check_length(files, predictions.ncols(), labels, labels_of_file.len())?;
    Ok(Loaded {
        predictions,
        labels: labels_of_file,
    })
}

/// A table with a column a run; the labels are a column too, or a file of their own.
fn from_table(file: &str, labels: &str) -> Result<Loaded, Failure> {
    let table = Table::read(file)?;
    let in_table = table.header().iter().any(|column| column == labels);
    let columns: Vec<&String> = table
        .header()
        .iter()
        .filter(|column| !in_table || *column != labels)
        .collect();
    let labels_of_table = if in_table {
        table.labels(labels)?
    } else if std::path::Path::new(labels).extension().is_some() {
        let read = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
        check_length(&[file.to_owned()], table.n_rows(), labels, read.len())?;
        read
    } else {
        return Err(Failure::new(format!("no column `{labels}`"))
            .help(format!("the columns are {}", table.header().join(", ")))
            .in_file(file));
    };
    let mut predictions = Vec::with_capacity(columns.len() * table.n_rows());
    for column in &columns {
        predictions.extend(table.labels(column)?);
    }
    let shape = (columns.len(), table.n_rows());
    Ok(Loaded {
        predictions: Array2::from_shape_vec(shape, predictions).map_err(Failure::new)?,
        labels: labels_of_table,
    })
}

/// Arrays below each other: `(k, n)` ones are `k` runs, `(n,)` ones are one. A single array must have
/// two axes.
fn from_arrays(files: &[String]) -> Result<Array2<i64>, Failure> {
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

fn other_samples(files: &[String], n: usize, here: usize) -> Failure {
    Failure::new(format!("{here} samples a run, but {} has {n}", files[0]))
}

fn check_length(
    files: &[String],
    n_samples: usize,
    labels: &str,
    n_labels: usize,
) -> Result<(), Failure> {
    if n_samples == n_labels {
        return Ok(());
    }
    let file = &files[0];
    Err(Failure::new(format!(
        "{n_labels} labels, but {file} has {n_samples} samples a run"
    ))
    .in_file(labels))
}

/// Packs runs for metrics. Arrays that are stored run after run are read and packed some runs at a time,
/// so that they may be larger than memory.
pub(super) fn pack(
    files: &[String],
    labels: &str,
    metrics: &[PairMetric],
) -> Result<PackedRuns, Failure> {
    let stored: Option<Vec<StoredRuns>> = files.iter().map(|file| StoredRuns::open(file)).collect();
    // A single array must have two axes, which the reader of all kinds says.
    let stored = stored.filter(|stored| stored.len() > 1 || stored[0].n_axes == 2);
    let Some(stored) = stored else {
        let Loaded {
            predictions,
            labels,
        } = load(files, labels)?;
        return PackedRuns::for_metrics(metrics, predictions.view(), &labels).in_file(&files[0]);
    };
    let labels_of_file: Vec<i64> = arrays::read(labels)?.into_labels::<Ix1>()?.to_vec();
    check_length(files, stored[0].n_samples, labels, labels_of_file.len())?;
    let mut packing = PackedRunsBuilder::new(metrics, &labels_of_file).in_file(labels)?;
    for (file, runs) in files.iter().zip(stored) {
        if runs.n_samples != labels_of_file.len() {
            return Err(other_samples(files, labels_of_file.len(), runs.n_samples).in_file(file));
        }
        runs.pack(&mut packing).in_file(file)?;
    }
    packing.build().in_file(&files[0])
}

/// An `.npy` file of integers that holds run after run.
struct StoredRuns {
    reader: BufReader<File>,
    kind: Kind,
    n_axes: usize,
    n_runs: usize,
    n_samples: usize,
}

/// Runs that are read, and packed in parallel, at once.
const RUNS_AT_ONCE: usize = 8;

/// How a label is stored, little-endian.
#[derive(Debug, Clone, Copy)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
}

impl StoredRuns {
    /// Opens a file if it is of this kind and whole; what is not is left to the reader of all kinds,
    /// which knows what to say.
    fn open(file: &str) -> Option<Self> {
        let opened = File::open(file).ok()?;
        let length = opened.metadata().ok()?.len();
        let mut reader = BufReader::new(opened);
        let header = Header::from_reader(&mut reader).ok()?;
        if header.layout.is_fortran() {
            return None;
        }
        let descriptor = header.type_descriptor.to_string();
        let (kind, bytes) = match descriptor.trim_matches(['\'', '"']) {
            "|u1" => (Kind::U8, 1),
            "|i1" => (Kind::I8, 1),
            "<i2" => (Kind::I16, 2),
            "<u2" => (Kind::U16, 2),
            "<i4" => (Kind::I32, 4),
            "<u4" => (Kind::U32, 4),
            "<i8" => (Kind::I64, 8),
            _ => return None,
        };
        let (n_runs, n_samples) = match header.shape[..] {
            [n_samples] => (1, n_samples),
            [n_runs, n_samples] => (n_runs, n_samples),
            _ => return None,
        };
        let labels = (n_runs as u64).checked_mul(n_samples as u64)?;
        let start = reader.stream_position().ok()?;
        let whole = labels.checked_mul(bytes)?.checked_add(start)? == length && labels > 0;
        whole.then_some(Self {
            reader,
            kind,
            n_axes: header.shape.len(),
            n_runs,
            n_samples,
        })
    }

    fn pack(mut self, packing: &mut PackedRunsBuilder) -> Result<(), Failure> {
        let mut left = self.n_runs;
        while left > 0 {
            let n_runs = left.min(RUNS_AT_ONCE);
            match self.kind {
                Kind::U8 => self.push(n_runs, packing, u8::from_le_bytes),
                Kind::I8 => self.push(n_runs, packing, i8::from_le_bytes),
                Kind::I16 => self.push(n_runs, packing, i16::from_le_bytes),
                Kind::U16 => self.push(n_runs, packing, u16::from_le_bytes),
                Kind::I32 => self.push(n_runs, packing, i32::from_le_bytes),
                Kind::U32 => self.push(n_runs, packing, u32::from_le_bytes),
                Kind::I64 => self.push(n_runs, packing, i64::from_le_bytes),
            }?;
            left -= n_runs;
        }
        Ok(())
    }

    fn push<const BYTES: usize, L: xai_metrics::core::Label>(
        &mut self,
        n_runs: usize,
        packing: &mut PackedRunsBuilder,
        label: impl Fn([u8; BYTES]) -> L,
    ) -> Result<(), Failure> {
        let mut bytes = vec![0; BYTES * self.n_samples * n_runs];
        self.reader
            .read_exact(&mut bytes)
            .map_err(|e| Failure::new(format!("damaged array data: {e}")))?;
        let (labels, _) = bytes.as_chunks::<BYTES>();
        let labels: Vec<L> = labels.iter().map(|&bytes| label(bytes)).collect();
        let runs: Vec<&[L]> = labels.chunks_exact(self.n_samples).collect();
        Ok(packing.push_all(&runs)?)
    }
}
