//! Samples in `.npy` and `.npz` files, including `.npy` files larger than memory.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ndarray::{Array3, ArrayD, ArrayViewD, Axis, CowArray, Ix3, IxDyn, Slice};
use xai_attribution::Real;
use xai_attribution::model::{BoxError, Samples};
use xai_attribution::side::Planes;

use crate::arrays;
use crate::arrays::StoredArray;
use crate::failure::{Failure, InFile};
use crate::npy_file::NpyFile;

/// Samples of a file in double precision. Large `.npy` files are read batch by batch, others are held in memory.
pub struct FileSamples {
    source: SampleSource,
    /// Whether the samples are inputs of a model, which must be representable in single precision.
    for_model: bool,
}

enum SampleSource {
    Memory(ArrayD<f64>),
    OnDisk { name: PathBuf, file: NpyFile },
}

impl FileSamples {
    /// Opens a file, and reads it unless it is large.
    ///
    /// # Errors
    /// If the file cannot be read, or does not contain an array of numbers or booleans.
    pub fn open(file: &Path) -> Result<Self, Failure> {
        Self::open_with(file, false)
    }

    /// As [`open`](Self::open), for the inputs of a model. Models compute in single precision, so numbers that it
    /// cannot represent are an error. In a large file they are found only when their batch is read.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if a number becomes infinite in single precision, or the largest magnitude is
    /// below its normal range (1.2e-38) but not 0.
    pub fn open_for_model(file: &Path) -> Result<Self, Failure> {
        Self::open_with(file, true)
    }

    fn open_with(name: &Path, for_model: bool) -> Result<Self, Failure> {
        let source = match NpyFile::open_large(name) {
            Some(file) => SampleSource::OnDisk {
                name: name.to_owned(),
                file,
            },
            None => SampleSource::Memory(numbers(arrays::read(name)?, for_model)?),
        };
        Ok(Self { source, for_model })
    }

    /// Reads the samples with these indices, in this order. There must be at least one.
    pub fn gather(&self, samples: &[usize]) -> Result<ArrayD<f64>, Failure> {
        let read = |&sample: &usize| {
            let batch = self.batch(sample..sample + 1);
            batch.map(CowArray::into_owned).map_err(Failure::new)
        };
        let rows: Vec<ArrayD<f64>> = samples.iter().map(read).collect::<Result<_, _>>()?;
        let views: Vec<ArrayViewD<'_, f64>> = rows.iter().map(|row| row.view()).collect();
        ndarray::concatenate(Axis(0), &views).map_err(Failure::new)
    }

    /// The number of samples.
    pub fn n_samples(&self) -> usize {
        self.shape().first().copied().unwrap_or_default()
    }
}

impl Samples<f64> for FileSamples {
    fn shape(&self) -> &[usize] {
        match &self.source {
            SampleSource::Memory(array) => array.shape(),
            SampleSource::OnDisk { file, .. } => file.shape(),
        }
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f64, IxDyn>, BoxError> {
        match &self.source {
            SampleSource::Memory(array) => {
                Ok(array.slice_axis(Axis(0), Slice::from(samples)).into())
            }
            SampleSource::OnDisk { name, file } => {
                let numbers = file.rows(samples);
                let batch =
                    numbers.and_then(|n| self::numbers(StoredArray::new(name, n), self.for_model));
                Ok(batch.map_err(Failure::into_message)?.into())
            }
        }
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, f64>> {
        match &self.source {
            SampleSource::Memory(array) => Some(array.view()),
            SampleSource::OnDisk { .. } => None,
        }
    }
}

fn numbers(stored: StoredArray, for_model: bool) -> Result<ArrayD<f64>, Failure> {
    if for_model {
        stored.for_model()?.into_f64()
    } else {
        stored.into_f64()
    }
}

/// Samples that report how far they are read.
pub struct WatchedSamples<S, F> {
    /// The samples.
    pub samples: S,
    /// Called before each batch with the end of its range. The lengths of the ranges would not add up to the progress,
    /// because some ranges are read several times.
    pub watch: F,
}

impl<T: Real, S: Samples<T>, F: Fn(u64) + Send + Sync> Samples<T> for WatchedSamples<S, F> {
    fn shape(&self) -> &[usize] {
        self.samples.shape()
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        (self.watch)(samples.end as u64);
        self.samples.batch(samples)
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        self.samples.in_memory()
    }
}

/// Conversion of a stored integer to a value; an error for integers that stand for no value.
pub type Rule<V> = fn(i64) -> Result<V, Failure>;

/// One value for each position of each sample, from a file of integers of shape `(n, height, width)`.
pub struct FilePlanes<V>(PlaneSource<V>);

enum PlaneSource<V> {
    Memory(Array3<V>),
    OnDisk {
        name: PathBuf,
        file: NpyFile,
        shape: [usize; 3],
        rule: Rule<V>,
    },
}

impl<V: Clone + Send + Sync> FilePlanes<V> {
    /// Opens a file that is large enough to be read batch by batch. `None` for smaller files, and for files that do not
    /// have three axes or can only be read at once.
    pub fn open_large(name: &Path, rule: Rule<V>) -> Option<Self> {
        let file = NpyFile::open_large(name)?;
        Some(Self(PlaneSource::OnDisk {
            name: name.to_owned(),
            shape: file.shape().try_into().ok()?,
            file,
            rule,
        }))
    }

    /// Converts an array in memory.
    pub fn from_array(stored: StoredArray, rule: Rule<V>) -> Result<Self, Failure> {
        let name = stored.file().to_owned();
        read(stored, rule)
            .in_file(&name)
            .map(|values| Self(PlaneSource::Memory(values)))
    }
}

fn read<V>(stored: StoredArray, rule: Rule<V>) -> Result<Array3<V>, Failure> {
    let labels = stored.into_integers::<Ix3>()?;
    let values: Result<Vec<V>, Failure> = labels.iter().map(|&label| rule(label)).collect();
    Array3::from_shape_vec(labels.raw_dim(), values?).map_err(Failure::new)
}

impl<V: Clone + Send + Sync> Planes<V> for FilePlanes<V> {
    fn shape(&self) -> [usize; 3] {
        match &self.0 {
            PlaneSource::Memory(array) => array.dim().into(),
            PlaneSource::OnDisk { shape, .. } => *shape,
        }
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError> {
        match &self.0 {
            PlaneSource::Memory(array) => {
                Ok(array.slice_axis(Axis(0), Slice::from(samples)).into())
            }
            PlaneSource::OnDisk {
                name, file, rule, ..
            } => {
                let numbers = file.rows(samples);
                let planes = numbers.and_then(|n| read(StoredArray::new(name, n), *rule));
                Ok(planes.map_err(Failure::into_message)?.into())
            }
        }
    }
}
