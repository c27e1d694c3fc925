//! Reading of `.npy` files in parts, for files larger than memory.

use std::path::Path;

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::npy::{self, Dtype, Numbers, damaged};
use crate::failure::Failure;
use crate::npy_header::Header;

/// Size in bytes above which samples are read batch by batch. Elements of one or two bytes count as 8 bytes, others
/// with their size in the file. Smaller files are read at once, and checked before a model is called. A batch is read
/// once for all explainers and metrics, so the copy costs little compared with the model.
const IN_MEMORY: u64 = 64 << 20;

/// A complete `.npy` file in C order, of which any range can be read.
///
/// It is not memory-mapped, because mapping needs unsafe code, and a signal would end the process if another
/// program truncated the file. Reading returns an error instead.
pub struct NpyFile {
    file: Mutex<File>,
    header: Header,
    dtype: Dtype,
    big_endian: bool,
    /// Position of the first number in bytes.
    start: u64,
}

/// Integers in the type in which they are stored.
pub enum Integers {
    /// `i8`
    I8(Vec<i8>),
    /// `u8`
    U8(Vec<u8>),
    /// `i16`
    I16(Vec<i16>),
    /// `u16`
    U16(Vec<u16>),
    /// `i32`
    I32(Vec<i32>),
    /// `u32`
    U32(Vec<u32>),
    /// `i64`
    I64(Vec<i64>),
}

impl NpyFile {
    /// Opens a file. `None` if it can only be read at once, is empty, or cannot be read; the reader of whole files then
    /// reads it or reports the error.
    pub fn open(file: &Path) -> Option<Self> {
        // A pipe can be read only once.
        let length = std::fs::metadata(file)
            .ok()
            .filter(Metadata::is_file)?
            .len();
        let mut opened = File::open(file).ok()?;
        let header = npy::read_header(&mut opened).ok()?;
        let start = opened.stream_position().ok()?;
        let (dtype, big_endian) = Dtype::from_header(&header).ok()?;
        let count = npy::element_count(&header.shape)? as u64;
        let is_whole = count.checked_mul(dtype.size())?.checked_add(start)? == length;
        let has_rows = count > 0 && !header.shape.is_empty();
        // In Fortran order the numbers of a row are not contiguous.
        let has_ranges = is_whole && has_rows && !header.is_fortran;
        has_ranges.then_some(Self {
            file: Mutex::new(opened),
            header,
            dtype,
            big_endian,
            start,
        })
    }

    /// Opens a file that is large enough to be read batch by batch.
    pub fn open_large(file: &Path) -> Option<Self> {
        let size = std::fs::metadata(file).ok()?.len();
        // Integers of one byte and booleans take up to eight times as much memory as in the file.
        if size <= IN_MEMORY / 8 {
            return None;
        }
        let opened = Self::open(file)?;
        let is_large = match opened.dtype.size() {
            1 => size > IN_MEMORY / 8,
            2 => size > IN_MEMORY / 4,
            _ => size > IN_MEMORY,
        };
        is_large.then_some(opened)
    }

    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Returns whether [`integers`](Self::integers) can read the file.
    pub fn has_integers(&self) -> bool {
        let others = [Dtype::Bool, Dtype::U64, Dtype::F16, Dtype::F32, Dtype::F64];
        !others.contains(&self.dtype) && !self.big_endian
    }

    /// Reads a range of the first axis.
    pub fn rows(&self, rows: Range<usize>) -> Result<Numbers, Failure> {
        let mut header = self.header.clone();
        header.shape[0] = rows.len();
        let per_row = self.shape()[1..].iter().product::<usize>();
        let bytes = self.bytes(rows.start * per_row..rows.end * per_row)?;
        npy::read_numbers(&header, bytes.as_slice(), Some(bytes.len() as u64))
    }

    /// Reads a range of the numbers in the order and type of the file.
    pub fn integers(&self, numbers: Range<usize>) -> Result<Integers, Failure> {
        let bytes = self.bytes(numbers)?;
        Ok(match self.dtype {
            Dtype::I8 => Integers::I8(decode(&bytes, i8::from_le_bytes)),
            Dtype::U8 => Integers::U8(bytes),
            Dtype::I16 => Integers::I16(decode(&bytes, i16::from_le_bytes)),
            Dtype::U16 => Integers::U16(decode(&bytes, u16::from_le_bytes)),
            Dtype::I32 => Integers::I32(decode(&bytes, i32::from_le_bytes)),
            Dtype::U32 => Integers::U32(decode(&bytes, u32::from_le_bytes)),
            Dtype::I64 => Integers::I64(decode(&bytes, i64::from_le_bytes)),
            _ => return Err(Failure::new("labels: expected integers")),
        })
    }

    /// Reads the bytes of a range of the numbers.
    fn bytes(&self, numbers: Range<usize>) -> Result<Vec<u8>, Failure> {
        let size = self.dtype.size();
        let length = usize::try_from(numbers.len() as u64 * size).map_err(Failure::new)?;
        let mut bytes = vec![0; length];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.start + numbers.start as u64 * size))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(damaged)?;
        Ok(bytes)
    }
}

fn decode<T, const SIZE: usize>(bytes: &[u8], from: impl Fn([u8; SIZE]) -> T) -> Vec<T> {
    let (numbers, _) = bytes.as_chunks();
    numbers.iter().map(|&number| from(number)).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::Array;

    use super::*;
    use crate::arrays;

    #[test]
    fn rows_read_by_position_equal_those_of_the_whole_file() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        let whole = Array::from_shape_fn((7, 3, 2), |(i, j, k)| (i * 6 + j * 2 + k) as f64 / 8.0);
        ndarray_npy::write_npy(path("f8.npy"), &whole).unwrap();
        ndarray_npy::write_npy(path("f4.npy"), &whole.mapv(|x| x as f32)).unwrap();
        ndarray_npy::write_npy(path("u1.npy"), &whole.mapv(|x| x as u8)).unwrap();
        for name in ["f8.npy", "f4.npy", "u1.npy"] {
            let file = NpyFile::open(&path(name)).unwrap();
            let expected = arrays::read_f64::<ndarray::IxDyn>(&path(name)).unwrap();
            for rows in [0..7, 0..1, 2..5, 6..7] {
                let part = expected.slice_axis(ndarray::Axis(0), rows.clone().into());
                let read = match file.rows(rows).unwrap() {
                    Numbers::F32(read) => read.mapv(f64::from),
                    Numbers::F64(read) => read,
                    Numbers::Integers(read) => read.mapv(|x| x as f64),
                    Numbers::Booleans(read) => read.mapv(|x| f64::from(u8::from(x))),
                };
                assert_eq!(read, part, "{name}");
            }
        }
    }

    #[test]
    fn files_that_cannot_be_read_by_position_are_left_to_the_reader_of_whole_files() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        let fortran = Array::<f64, _>::zeros((3, 2)).reversed_axes();
        ndarray_npy::write_npy(path("fortran.npy"), &fortran).unwrap();
        std::fs::write(path("text.npy"), "hello").unwrap();
        ndarray_npy::write_npy(path("cut.npy"), &Array::<f64, _>::zeros((3, 2))).unwrap();
        let cut = File::options().write(true).open(path("cut.npy")).unwrap();
        cut.set_len(cut.metadata().unwrap().len() - 24).unwrap();
        for name in ["fortran.npy", "text.npy", "cut.npy", "none.npy"] {
            assert!(NpyFile::open(&path(name)).is_none(), "{name}");
        }
    }
}
