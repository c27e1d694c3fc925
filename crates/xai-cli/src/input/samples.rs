//! Samples in `.npy` files, also in those that no memory holds.

use std::path::{Path, PathBuf};

use std::ops::Range;

use ndarray::{ArrayD, ArrayViewD, Axis, CowArray, IxDyn, Slice};
use xai_metrics::attribution::model::{BoxError, Samples};

use super::arrays::{self, StoredArray};
use super::npy_file::NpyFile;
use crate::failure::Failure;

/// Larger files are read a batch at a time; smaller ones at once, and checked before the model is
/// called. A batch is read once for all explainers and metrics, so the copy is small beside the
/// model.
const IN_MEMORY: u64 = 64 << 20;

/// The samples of a file, in single precision.
pub(crate) enum FileSamples {
    Memory(ArrayD<f32>),
    ByPlace { name: PathBuf, file: NpyFile },
}

impl FileSamples {
    pub(crate) fn open(file: &Path) -> Result<Self, Failure> {
        let is_large = std::fs::metadata(file).is_ok_and(|m| m.len() > IN_MEMORY);
        match is_large.then(|| NpyFile::open(file)).flatten() {
            Some(opened) => Ok(Self::ByPlace {
                name: file.to_owned(),
                file: opened,
            }),
            None => arrays::read(file)?.into_f32::<IxDyn>().map(Self::Memory),
        }
    }

    /// The number of samples.
    pub(crate) fn n_samples(&self) -> usize {
        self.shape().first().copied().unwrap_or_default()
    }
}

impl Samples<f32> for FileSamples {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Memory(array) => array.shape(),
            Self::ByPlace { file, .. } => file.shape(),
        }
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f32, IxDyn>, BoxError> {
        match self {
            Self::Memory(array) => Ok(array.slice_axis(Axis(0), Slice::from(samples)).into()),
            Self::ByPlace { name, file } => {
                let numbers = file.rows(samples);
                let batch = numbers.and_then(|n| StoredArray::new(name, n).into_f32::<IxDyn>());
                Ok(batch.map_err(Failure::into_message)?.into())
            }
        }
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, f32>> {
        match self {
            Self::Memory(array) => Some(array.view()),
            Self::ByPlace { .. } => None,
        }
    }
}
