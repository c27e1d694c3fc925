//! Masks and segments in `.npy` files, also in those that no memory holds.

use std::ops::Range;
use std::path::{Path, PathBuf};

use ndarray::{Array3, Axis, CowArray, Ix3, Slice};
use xai_attribution::batch::Planes;
use xai_attribution::model::BoxError;

use super::arrays::StoredArray;
use super::npy_file::NpyFile;
use crate::failure::{Failure, InFile};

/// What a stored integer stands for.
pub type Rule<V> = fn(i64) -> Result<V, Failure>;

/// One value per position of every sample, in a file of integers `(n, height, width)`.
pub struct FilePlanes<V>(Source<V>);

enum Source<V> {
    Memory(Array3<V>),
    ByPlace {
        name: PathBuf,
        file: NpyFile,
        shape: [usize; 3],
        rule: Rule<V>,
    },
}

impl<V: Clone + Send + Sync> FilePlanes<V> {
    /// A large file, which is read a batch at a time.
    pub fn large(name: &Path, rule: Rule<V>) -> Option<Self> {
        let file = NpyFile::open_large(name)?;
        Some(Self(Source::ByPlace {
            name: name.to_owned(),
            shape: file.shape().try_into().ok()?,
            file,
            rule,
        }))
    }

    /// The numbers of a file that was read.
    pub fn of_file(stored: StoredArray, rule: Rule<V>) -> Result<Self, Failure> {
        let name = stored.file().to_owned();
        read(stored, rule)
            .in_file(&name)
            .map(|values| Self(Source::Memory(values)))
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
            Source::Memory(array) => array.dim().into(),
            Source::ByPlace { shape, .. } => *shape,
        }
    }

    fn planes(&self, samples: Range<usize>) -> Result<CowArray<'_, V, Ix3>, BoxError> {
        match &self.0 {
            Source::Memory(array) => Ok(array.slice_axis(Axis(0), Slice::from(samples)).into()),
            Source::ByPlace {
                name, file, rule, ..
            } => {
                let numbers = file.rows(samples);
                let planes = numbers.and_then(|n| read(StoredArray::new(name, n), *rule));
                Ok(planes.map_err(Failure::into_message)?.into())
            }
        }
    }
}
