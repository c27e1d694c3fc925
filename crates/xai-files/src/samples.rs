//! Samples in `.npy` files, also in files larger than memory.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ndarray::{Array3, ArrayD, ArrayViewD, Axis, CowArray, Ix3, IxDyn, Slice};
use xai_attribution::Real;
use xai_attribution::batch::Planes;
use xai_attribution::model::{BoxError, Samples};

use crate::arrays;
use crate::arrays::StoredArray;
use crate::failure::{Failure, InFile};
use crate::npy_file::NpyFile;

/// The samples of a file in double precision, in memory or, for a large file, read batch by batch.
pub struct FileSamples {
    source: Source,
    /// Whether they are inputs of a model.
    of_model: bool,
}

enum Source {
    Memory(ArrayD<f64>),
    ByPlace { name: PathBuf, file: NpyFile },
}

impl FileSamples {
    /// Opens a file, and reads it unless it is large.
    ///
    /// # Errors
    /// The file cannot be read, or is not an array.
    pub fn open(file: &Path) -> Result<Self, Failure> {
        Self::opened(file, false)
    }

    /// Like [`open`](Self::open), for the inputs of a model: numbers that single precision, in which models compute, cannot represent
    /// are an error.
    pub fn open_for_model(file: &Path) -> Result<Self, Failure> {
        Self::opened(file, true)
    }

    fn opened(name: &Path, of_model: bool) -> Result<Self, Failure> {
        let source = match NpyFile::open_large(name) {
            Some(file) => Source::ByPlace {
                name: name.to_owned(),
                file,
            },
            None => Source::Memory(numbers(arrays::read(name)?, of_model)?),
        };
        Ok(Self { source, of_model })
    }

    /// Reads samples in a given order.
    pub fn gather(&self, samples: &[usize]) -> Result<ArrayD<f64>, Failure> {
        let of_sample = |&sample: &usize| {
            let batch = self.batch(sample..sample + 1);
            batch.map(CowArray::into_owned).map_err(Failure::new)
        };
        let rows: Vec<ArrayD<f64>> = samples.iter().map(of_sample).collect::<Result<_, _>>()?;
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
            Source::Memory(array) => array.shape(),
            Source::ByPlace { file, .. } => file.shape(),
        }
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f64, IxDyn>, BoxError> {
        match &self.source {
            Source::Memory(array) => Ok(array.slice_axis(Axis(0), Slice::from(samples)).into()),
            Source::ByPlace { name, file } => {
                let numbers = file.rows(samples);
                let batch =
                    numbers.and_then(|n| self::numbers(StoredArray::new(name, n), self.of_model));
                Ok(batch.map_err(Failure::into_message)?.into())
            }
        }
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, f64>> {
        match &self.source {
            Source::Memory(array) => Some(array.view()),
            Source::ByPlace { .. } => None,
        }
    }
}

fn numbers(stored: StoredArray, of_model: bool) -> Result<ArrayD<f64>, Failure> {
    if of_model {
        stored.for_model()?.into_f64()
    } else {
        stored.into_f64()
    }
}

/// Samples with a function that is called with the end of every range that is read. Some ranges are read several times, so a sum of
/// lengths would be wrong.
pub struct WatchedSamples<S, F> {
    /// The samples.
    pub samples: S,
    /// The function.
    pub watch: F,
}

impl<T: Real, S: Samples<T>, F: Fn(u64) + Sync> Samples<T> for WatchedSamples<S, F> {
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

/// Converts a stored integer.
pub type Rule<V> = fn(i64) -> Result<V, Failure>;

/// One value for each position of each sample, in a file of integers of shape `(n, height, width)`.
pub struct FilePlanes<V>(PlaneSource<V>);

enum PlaneSource<V> {
    Memory(Array3<V>),
    ByPlace {
        name: PathBuf,
        file: NpyFile,
        shape: [usize; 3],
        rule: Rule<V>,
    },
}

impl<V: Clone + Send + Sync> FilePlanes<V> {
    /// Opens a file that is large enough to be read batch by batch.
    pub fn large(name: &Path, rule: Rule<V>) -> Option<Self> {
        let file = NpyFile::open_large(name)?;
        Some(Self(PlaneSource::ByPlace {
            name: name.to_owned(),
            shape: file.shape().try_into().ok()?,
            file,
            rule,
        }))
    }

    /// Converts an array that has been read.
    pub fn of_file(stored: StoredArray, rule: Rule<V>) -> Result<Self, Failure> {
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
            PlaneSource::ByPlace { shape, .. } => *shape,
        }
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError> {
        match &self.0 {
            PlaneSource::Memory(array) => {
                Ok(array.slice_axis(Axis(0), Slice::from(samples)).into())
            }
            PlaneSource::ByPlace {
                name, file, rule, ..
            } => {
                let numbers = file.rows(samples);
                let planes = numbers.and_then(|n| read(StoredArray::new(name, n), *rule));
                Ok(planes.map_err(Failure::into_message)?.into())
            }
        }
    }
}
