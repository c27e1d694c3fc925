//! Samples in `.npy` files, also in those that no memory holds.

use std::path::{Path, PathBuf};

use std::ops::Range;

use ndarray::{ArrayD, ArrayViewD, Axis, CowArray, IxDyn, Slice};
use xai_metrics::attribution::Real;
use xai_metrics::attribution::model::{BoxError, Samples};

use super::arrays::{self, StoredArray};
use super::npy_file::NpyFile;
use crate::failure::Failure;

/// Numbers that files of samples are read as.
pub(crate) trait OfFile: Real {
    /// The numbers of a file in this precision.
    fn of_file(stored: StoredArray) -> Result<ArrayD<Self>, Failure>;
}

impl OfFile for f32 {
    fn of_file(stored: StoredArray) -> Result<ArrayD<f32>, Failure> {
        stored.into_f32::<IxDyn>()
    }
}

impl OfFile for f64 {
    fn of_file(stored: StoredArray) -> Result<ArrayD<f64>, Failure> {
        stored.into_f64::<IxDyn>()
    }
}

/// The samples of a file.
pub(crate) enum FileSamples<T> {
    Memory(ArrayD<T>),
    ByPlace { name: PathBuf, file: NpyFile },
}

impl<T: OfFile> FileSamples<T> {
    pub(crate) fn open(file: &Path) -> Result<Self, Failure> {
        match NpyFile::open_large(file) {
            Some(opened) => Ok(Self::ByPlace {
                name: file.to_owned(),
                file: opened,
            }),
            None => T::of_file(arrays::read(file)?).map(Self::Memory),
        }
    }

    /// The number of samples.
    #[cfg(feature = "onnx")]
    pub(crate) fn n_samples(&self) -> usize {
        self.shape().first().copied().unwrap_or_default()
    }
}

impl<T: OfFile> Samples<T> for FileSamples<T> {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Memory(array) => array.shape(),
            Self::ByPlace { file, .. } => file.shape(),
        }
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>, BoxError> {
        match self {
            Self::Memory(array) => Ok(array.slice_axis(Axis(0), Slice::from(samples)).into()),
            Self::ByPlace { name, file } => {
                let numbers = file.rows(samples);
                let batch = numbers.and_then(|n| T::of_file(StoredArray::new(name, n)));
                Ok(batch.map_err(Failure::into_message)?.into())
            }
        }
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, T>> {
        match self {
            Self::Memory(array) => Some(array.view()),
            Self::ByPlace { .. } => None,
        }
    }
}
