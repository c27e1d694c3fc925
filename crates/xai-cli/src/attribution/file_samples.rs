//! Samples in `.npy` files, also in those that no memory holds.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ndarray::{ArrayD, ArrayViewD, Axis, CowArray, IxDyn, Slice};
use ndarray_npy::npy::header::Header;
use xai_metrics::attribution::{BoxError, Samples};

use crate::arrays;
use crate::failure::Failure;

/// Larger files are read a batch at a time; smaller ones at once, and checked before the model is
/// called.
const IN_MEMORY: u64 = 64 << 20;

/// The samples of a file, in single precision.
pub(super) enum FileSamples {
    Memory(ArrayD<f32>),
    Rows(NpyRows),
}

impl FileSamples {
    pub(super) fn open(file: &str) -> Result<Self, Failure> {
        let is_large = std::fs::metadata(file).is_ok_and(|m| m.len() > IN_MEMORY);
        if let Some(rows) = is_large.then(|| NpyRows::open(file)).flatten() {
            return Ok(Self::Rows(rows));
        }
        arrays::read(file)?.into_f32::<IxDyn>().map(Self::Memory)
    }
}

impl Samples<f32> for FileSamples {
    fn shape(&self) -> &[usize] {
        match self {
            Self::Memory(array) => array.shape(),
            Self::Rows(rows) => &rows.header.shape,
        }
    }

    fn batch(&self, samples: Range<usize>) -> Result<CowArray<'_, f32, IxDyn>, BoxError> {
        match self {
            Self::Memory(array) => Ok(array.slice_axis(Axis(0), Slice::from(samples)).into()),
            Self::Rows(rows) => Ok(rows.read(samples)?.into()),
        }
    }

    fn in_memory(&self) -> Option<ArrayViewD<'_, f32>> {
        match self {
            Self::Memory(array) => Some(array.view()),
            Self::Rows(_) => None,
        }
    }
}

/// An `.npy` file in C order whose samples are read by their place in it.
///
/// Not memory-mapped: a file that another program cuts short is an error here and would be a signal
/// there, any dtype is converted on its way, and no line is unsafe. A batch is read once for all
/// explainers and metrics, so the copy is small beside the model.
pub(super) struct NpyRows {
    name: String,
    file: Mutex<File>,
    header: Header,
    /// Where the first sample begins.
    start: u64,
    sample_bytes: u64,
}

impl NpyRows {
    /// `None` for files that have to be read as a whole (or cannot be read at all).
    fn open(name: &str) -> Option<Self> {
        let mut file = File::open(name).ok()?;
        let length = file.metadata().ok()?.len();
        let header = Header::from_reader(&mut file).ok()?;
        let start = file.stream_position().ok()?;
        let n = *header.shape.first()? as u64;
        let data = length.checked_sub(start)?;
        let rows = Self {
            name: name.to_owned(),
            file: Mutex::new(file),
            // A wrong length shows when the parts do not have the length of their own header.
            sample_bytes: data.checked_div(n)?,
            start,
            header,
        };
        let whole = !rows.header.layout.is_fortran() && data % n == 0;
        (whole && rows.read(0..1).is_ok()).then_some(rows)
    }

    /// Some samples: an `.npy` file of their own, with the header of the whole.
    fn read(&self, samples: Range<usize>) -> Result<ArrayD<f32>, BoxError> {
        let mut header = self.header.clone();
        header.shape[0] = samples.len();
        let mut bytes = header.to_bytes()?;
        let begin = bytes.len();
        let length = usize::try_from(samples.len() as u64 * self.sample_bytes)?;
        bytes.resize(begin + length, 0);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let place = self.start + samples.start as u64 * self.sample_bytes;
            file.seek(SeekFrom::Start(place))?;
            file.read_exact(&mut bytes[begin..])?;
        }
        arrays::read_bytes(&self.name, &bytes)
            .and_then(arrays::Stored::into_f32)
            .map_err(|failure| failure.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array;

    #[test]
    fn samples_read_by_place_are_those_of_the_whole_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let whole = Array::from_shape_fn((7, 3, 2), |(i, j, k)| (i * 6 + j * 2 + k) as f64 / 8.0);
        ndarray_npy::write_npy(path("f8.npy"), &whole).unwrap();
        ndarray_npy::write_npy(path("f4.npy"), &whole.mapv(|x| x as f32)).unwrap();
        ndarray_npy::write_npy(path("u1.npy"), &whole.mapv(|x| x as u8)).unwrap();
        for name in ["f8.npy", "f4.npy", "u1.npy"] {
            let rows = NpyRows::open(&path(name)).unwrap();
            let expected: ArrayD<f32> = arrays::read_f32(&path(name)).unwrap();
            for samples in [0..7, 0..1, 2..5, 6..7] {
                let part = expected.slice_axis(Axis(0), Slice::from(samples.clone()));
                assert_eq!(rows.read(samples).unwrap(), part);
            }
        }
    }

    #[test]
    fn files_that_cannot_be_read_by_place_are_left_to_the_reader_of_whole_files() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let fortran = Array::<f64, _>::zeros((3, 2)).reversed_axes();
        ndarray_npy::write_npy(path("fortran.npy"), &fortran).unwrap();
        std::fs::write(path("text.npy"), "hello").unwrap();
        ndarray_npy::write_npy(path("cut.npy"), &Array::<f64, _>::zeros((3, 2))).unwrap();
        let cut = File::options().write(true).open(path("cut.npy")).unwrap();
        cut.set_len(cut.metadata().unwrap().len() - 24).unwrap();
        for name in ["fortran.npy", "text.npy", "cut.npy", "none.npy"] {
            assert!(NpyRows::open(&path(name)).is_none(), "{name}");
        }
    }
}
