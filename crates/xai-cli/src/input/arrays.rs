//! Arrays from `.npy` files and `file.npz:name` entries.

use std::path::{Path, PathBuf};

use std::fs::File;
use std::io::{BufReader, Cursor};

use clap_lex::OsStrExt;
use ndarray::{Array, ArrayD, Dimension};

use super::classes::CONTINUOUS;
use super::npy;
use super::numbers::Numbers;
use crate::failure::{Failure, InFile};

/// An array together with the file it came from, for messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredArray {
    file: PathBuf,
    numbers: Numbers,
}

/// Reads `file.npy` or `file.npz:name`.
pub(crate) fn read(file: impl AsRef<Path>) -> Result<StoredArray, Failure> {
    let file = file.as_ref();
    let numbers = match file.as_os_str().split_once(".npz:") {
        Some((archive, entry)) => {
            let mut archive = archive.to_owned();
            archive.push(".npz");
            read_entry(archive.as_ref(), &entry.to_string_lossy())
        }
        None if file.extension().is_some_and(|extension| extension == "npz") => {
            Err(Failure::new("an archive of several arrays").help(format!(
                "name one of them: {}:NAME (holds {})",
                file.display(),
                entry_names(file)?.join(", ")
            )))
        }
        None => File::open(file)
            .map_err(Failure::cannot_be_opened)
            .and_then(|opened| {
                let length = opened.metadata().map_or(0, |m| m.len());
                npy::read(BufReader::new(opened), length)
            }),
    };
    Ok(StoredArray::new(file, numbers.in_file(file)?))
}

/// Reads an array from the bytes of an `.npy` file.
pub(crate) fn read_bytes(file: impl AsRef<Path>, bytes: &[u8]) -> Result<StoredArray, Failure> {
    let file = file.as_ref();
    let numbers = npy::read(Cursor::new(bytes), bytes.len() as u64);
    Ok(StoredArray::new(file, numbers.in_file(file)?))
}

fn open_archive(archive: &Path) -> Result<zip::ZipArchive<BufReader<File>>, Failure> {
    let opened = File::open(archive)
        .map_err(Failure::cannot_be_opened)
        .in_file(archive)?;
    zip::ZipArchive::new(BufReader::new(opened))
        .map_err(|e| Failure::new(format!("not an .npz archive: {e}")))
        .in_file(archive)
}

fn entry_names(archive: &Path) -> Result<Vec<String>, Failure> {
    let archive = open_archive(archive)?;
    Ok(archive
        .file_names()
        .map(|name| name.trim_end_matches(".npy").to_owned())
        .collect())
}

fn read_entry(archive: &Path, entry: &str) -> Result<Numbers, Failure> {
    let mut opened = open_archive(archive)?;
    let Ok(stored) = opened.by_name(&format!("{entry}.npy")) else {
        return Err(Failure::new(format!(
            "no array `{entry}` in the archive, it holds {}",
            entry_names(archive)?.join(", ")
        )));
    };
    let length = stored.size();
    npy::read(stored, length)
}

impl StoredArray {
    pub(super) fn new(file: impl AsRef<Path>, numbers: Numbers) -> Self {
        Self {
            file: file.as_ref().to_owned(),
            numbers,
        }
    }

    /// The file, for messages.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The length of each axis.
    pub(crate) fn shape(&self) -> &[usize] {
        self.numbers.shape()
    }

    /// Whether the numbers are of single precision.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.numbers, Numbers::F32(_))
    }

    /// Whether the numbers are integers or booleans.
    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.numbers, Numbers::Integers(_))
    }

    /// The numbers in double precision, converted as numpy does.
    pub(crate) fn into_f64<D: Dimension>(self) -> Result<Array<f64, D>, Failure> {
        let array = match self.numbers {
            Numbers::F32(array) => array.mapv(f64::from),
            Numbers::F64(array) => array,
            Numbers::Integers(array) => array.mapv(|x| x as f64),
        };
        with_dimension(&self.file, array)
    }

    /// The numbers in single precision, what most models take, converted as numpy does.
    pub(crate) fn into_f32<D: Dimension>(self) -> Result<Array<f32, D>, Failure> {
        let array = match self.numbers {
            Numbers::F32(array) => array,
            Numbers::F64(array) => array.mapv(|x| x as f32),
            Numbers::Integers(array) => array.mapv(|x| x as f32),
        };
        with_dimension(&self.file, array)
    }

    /// The labels: integers, booleans, or floats that are whole numbers, as pandas makes of integers
    /// beside a missing value.
    pub(crate) fn into_labels<D: Dimension>(self) -> Result<Array<i64, D>, Failure> {
        let labels = match self.numbers {
            Numbers::Integers(array) => array,
            Numbers::F32(array) => whole(&array.mapv(f64::from)).in_file(&self.file)?,
            Numbers::F64(array) => whole(&array).in_file(&self.file)?,
        };
        with_dimension(&self.file, labels)
    }
}

/// Whole numbers as integers.
fn whole(floats: &ArrayD<f64>) -> Result<ArrayD<i64>, Failure> {
    // Beyond 2^53 a double says nothing of whole numbers.
    let is_whole = |x: f64| x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0;
    match floats.indexed_iter().find(|(_, x)| !is_whole(**x)) {
        None => Ok(floats.mapv(|x| x as i64)),
        Some((index, x)) => Err(Failure::new(format!(
            "labels{:?}: {x}: expected a whole number or a boolean",
            index.slice()
        ))
        .help(CONTINUOUS)),
    }
}

fn with_dimension<T, D: Dimension>(file: &Path, array: ArrayD<T>) -> Result<Array<T, D>, Failure> {
    let shape = array.shape().to_vec();
    array.into_dimensionality().map_err(|_| {
        let axes = D::NDIM.unwrap_or_default();
        Failure::new(format!(
            "expected {axes} {}, got shape {shape:?}",
            if axes == 1 { "axis" } else { "axes" }
        ))
        .in_file(file)
    })
}

/// Reads an array of `D` axes in double precision.
pub(crate) fn read_f64<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<f64, D>, Failure> {
    read(file)?.into_f64()
}

/// Reads an array of `D` axes in single precision.
#[cfg(feature = "onnx")] // models take it
pub(crate) fn read_f32<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<f32, D>, Failure> {
    read(file)?.into_f32()
}

/// Reads labels of `D` axes.
pub(crate) fn read_labels<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<i64, D>, Failure> {
    read(file)?.into_labels()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Ix1, Ix2, array};

    /// The bytes of an `.npy` file of version 1.0.
    fn npy(dtype: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (header.len() + 11) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    #[test]
    fn every_numeric_dtype_is_read() {
        let cases: [(&str, &[u8]); 9] = [
            ("|b1", &[1, 0]),
            ("|i1", &[1, 0]),
            ("|u1", &[1, 0]),
            ("<i2", &[1, 0, 0, 0]),
            (">u2", &[0, 1, 0, 0]),
            ("<i4", &[1, 0, 0, 0, 0, 0, 0, 0]),
            ("<u8", &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("<f2", &[0x00, 0x3c, 0, 0]),
            (">f4", &[0x3f, 0x80, 0, 0, 0, 0, 0, 0]),
        ];
        for (dtype, data) in cases {
            let stored = read_bytes("x.npy", &npy(dtype, false, "(2,)", data)).unwrap();
            assert_eq!(
                stored.into_f64::<Ix1>().unwrap(),
                array![1.0, 0.0],
                "{dtype}"
            );
        }
    }

    #[test]
    fn fortran_order_is_read_by_its_meaning() {
        let stored = read_bytes("x.npy", &npy("|i1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6])).unwrap();
        assert_eq!(
            stored.into_labels::<Ix2>().unwrap(),
            array![[1, 2, 3], [4, 5, 6]]
        );
    }

    #[test]
    fn a_damaged_file_is_one_line_that_names_it() {
        let cut = npy("<f8", false, "(2,)", &[0; 8]);
        let huge = npy("<f8", false, "(99999999999, 99999999999)", &[0; 8]);
        let text = npy("<U3", false, "(1,)", &[0; 12]);
        let long = npy("<f8", false, "(1,)", &[0; 16]);
        for bytes in [cut.as_slice(), &huge, &text, &long, b"hello", b""] {
            let failure = read_bytes("x.npy", bytes).unwrap_err();
            assert_eq!(failure.place(), Some("x.npy"));
            let lines: Vec<String> = failure.to_string().lines().map(str::to_owned).collect();
            assert!(lines.len() == 1 || lines.len() == 2 && lines[1].starts_with("help: "));
        }
    }
}
