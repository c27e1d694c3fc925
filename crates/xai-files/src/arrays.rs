//! Arrays from `.npy` files and `file.npz:name` entries.

use std::path::{Path, PathBuf};

use std::fs::File;
use std::io::{BufRead, BufReader};

use ndarray::{Array, ArrayD, Axis, Dimension};
use xai_core::error::ShortNumber;

use super::classes::CONTINUOUS;
use super::npy::{self, Numbers};
use super::npz;
use crate::failure::{Failure, InFile};

/// An array and the file that it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredArray {
    file: PathBuf,
    numbers: Numbers,
}

/// The type of the elements of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// True and false.
    Boolean,
    /// Integers of any size and sign.
    Integer,
    /// Floats of at most 64 bits.
    Float,
}

/// Reads `file.npy`, `file.npz:name`, or the only array of `file.npz`. The file may be a pipe.
pub fn read(file: impl AsRef<Path>) -> Result<StoredArray, Failure> {
    let file = file.as_ref();
    let numbers = match npz::split_entry(file) {
        Some((archive, entry)) => npz::read(&archive, Some(&entry)),
        None => read_file(file),
    };
    Ok(StoredArray::new(file, numbers.in_file(file)?))
}

/// Opens a file once and recognizes its format by its extension or its first bytes.
fn read_file(file: &Path) -> Result<Numbers, Failure> {
    let opened = File::open(file).map_err(Failure::cannot_be_opened)?;
    let metadata = opened.metadata().map_err(Failure::cannot_be_opened)?;
    let mut reader = BufReader::new(opened);
    let begin = reader.fill_buf().map_err(Failure::cannot_be_read)?;
    let is_archive = file
        .extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("npz"));
    if is_archive || npz::is_archive(begin) {
        return npz::read_opened(file, reader, None);
    }
    npy::read(reader, metadata.is_file().then_some(metadata.len()))
}

impl StoredArray {
    pub(super) fn new(file: impl AsRef<Path>, numbers: Numbers) -> Self {
        Self {
            file: file.as_ref().to_owned(),
            numbers,
        }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        self.numbers.shape()
    }

    /// The length of the first axis.
    pub fn n_rows(&self) -> usize {
        self.shape().first().copied().unwrap_or_default()
    }

    /// Returns whether the numbers are floats of single or half precision.
    pub fn is_single(&self) -> bool {
        matches!(self.numbers, Numbers::F32(_))
    }

    /// Returns whether the elements are booleans.
    pub fn is_boolean(&self) -> bool {
        matches!(self.numbers, Numbers::Booleans(_))
    }

    /// Returns the type of the elements.
    pub fn element_type(&self) -> ElementType {
        match self.numbers {
            Numbers::F32(_) | Numbers::F64(_) => ElementType::Float,
            Numbers::Integers(_) => ElementType::Integer,
            Numbers::Booleans(_) => ElementType::Boolean,
        }
    }

    /// Inserts an axis of length 1.
    pub fn insert_axis(self, axis: usize) -> Self {
        let new_axis = Axis(axis);
        let numbers = match self.numbers {
            Numbers::F32(array) => Numbers::F32(array.insert_axis(new_axis)),
            Numbers::F64(array) => Numbers::F64(array.insert_axis(new_axis)),
            Numbers::Integers(array) => Numbers::Integers(array.insert_axis(new_axis)),
            Numbers::Booleans(array) => Numbers::Booleans(array.insert_axis(new_axis)),
        };
        Self { numbers, ..self }
    }

    /// Returns whether some numbers have a fraction.
    pub fn has_fractions(&self) -> bool {
        match &self.numbers {
            Numbers::F32(array) => array.iter().any(|x| x.fract() != 0.0),
            Numbers::F64(array) => array.iter().any(|x| x.fract() != 0.0),
            Numbers::Integers(_) | Numbers::Booleans(_) => false,
        }
    }

    /// Converts to double precision like NumPy.
    pub fn into_f64<D: Dimension>(self) -> Result<Array<f64, D>, Failure> {
        let array = match self.numbers {
            Numbers::F32(array) => array.mapv(f64::from),
            Numbers::F64(array) => array,
            Numbers::Integers(array) => array.mapv(|x| x as f64),
            Numbers::Booleans(array) => array.mapv(|x| f64::from(u8::from(x))),
        };
        with_dimension(&self.file, array)
    }

    /// Checks that single precision, in which models compute, can represent the numbers: no finite number may become
    /// infinite, and the largest magnitude must be 0 or at least the smallest normal number of single precision.
    pub fn for_model(self) -> Result<Self, Failure> {
        let beyond = match &self.numbers {
            Numbers::F64(array) => beyond_single(array),
            _ => None,
        };
        match beyond {
            Some((index, x)) => Err(Failure::new(format!(
                "array{index:?} = {x:e}: models compute in single precision, from 1.2e-38 to 3.4e38"
            ))
            .help("divide the array by a constant and save it again")
            .in_file(&self.file)),
            None => Ok(self),
        }
    }

    /// Converts to single precision like NumPy, if it can [represent](Self::for_model) the numbers.
    pub fn into_f32<D: Dimension>(self) -> Result<Array<f32, D>, Failure> {
        let stored = self.for_model()?;
        let array = match stored.numbers {
            Numbers::F32(array) => array,
            Numbers::F64(array) => array.mapv(|x| x as f32),
            Numbers::Integers(array) => array.mapv(|x| x as f32),
            Numbers::Booleans(array) => array.mapv(|x| f32::from(u8::from(x))),
        };
        with_dimension(&stored.file, array)
    }

    /// Converts to labels: integers, booleans as 0 and 1, and floats that are whole numbers, as pandas writes them.
    pub fn into_labels<D: Dimension>(self) -> Result<Array<i64, D>, Failure> {
        self.into_whole("labels", |failure| failure.help(CONTINUOUS))
    }

    /// Converts to integers that are no class labels: positions, segments, numbers of features. Accepts the same
    /// types as [`into_labels`](Self::into_labels).
    pub fn into_integers<D: Dimension>(self) -> Result<Array<i64, D>, Failure> {
        self.into_whole("array", |failure| failure)
    }

    /// Converts to integers. `name` is the name of the array in messages, and `add_help` adds advice to a failure.
    fn into_whole<D: Dimension>(
        self,
        name: &str,
        add_help: impl Fn(Failure) -> Failure,
    ) -> Result<Array<i64, D>, Failure> {
        let floats = |array: ArrayD<f64>| match first(&array, |&x| !is_whole(x)) {
            None => Ok(array.mapv(|x| x as i64)),
            Some((index, x)) => {
                let value = ShortNumber(x);
                let what = format!("{name}{index:?} = {value}: expected a whole number up to 2^53");
                Err(add_help(Failure::new(what))).in_file(&self.file)
            }
        };
        let integers = match self.numbers {
            Numbers::Integers(array) => array,
            Numbers::Booleans(array) => array.mapv(i64::from),
            Numbers::F32(array) => floats(array.mapv(f64::from))?,
            Numbers::F64(array) => floats(array)?,
        };
        with_dimension(&self.file, integers)
    }
}

/// Index and value of the first element that satisfies a condition.
fn first(array: &ArrayD<f64>, condition: impl Fn(&f64) -> bool) -> Option<(Vec<usize>, f64)> {
    let mut elements = array.indexed_iter();
    let (index, &x) = elements.find(|(_, x)| condition(x))?;
    Some((index.slice().to_vec(), x))
}

/// Index and value of the first finite number that is infinite in single precision, or of the number with the largest
/// magnitude if that is positive but below the smallest normal number of single precision. `None` if there is neither.
fn beyond_single(array: &ArrayD<f64>) -> Option<(Vec<usize>, f64)> {
    let too_large = |x: &f64| x.is_finite() && !(*x as f32).is_finite();
    let largest = array.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    let is_largest = |x: &f64| x.abs() == largest;
    if largest > 0.0 && largest < f64::from(f32::MIN_POSITIVE) {
        first(array, is_largest)
    } else {
        first(array, too_large)
    }
}

/// Returns whether a float is an integer with a magnitude up to 2^53. Beyond, neighbouring integers are the same float.
fn is_whole(x: f64) -> bool {
    x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0
}

fn with_dimension<T, D: Dimension>(file: &Path, array: ArrayD<T>) -> Result<Array<T, D>, Failure> {
    let shape = array.shape().to_vec();
    array.into_dimensionality().map_err(|_| {
        let axes = D::NDIM.unwrap_or_default();
        let failure = Failure::new(format!(
            "expected {axes} {}, got shape {shape:?}",
            if axes == 1 { "axis" } else { "axes" }
        ));
        let is_column = axes == 1 && shape.iter().filter(|&&length| length > 1).count() == 1;
        if is_column {
            failure.help("save array.ravel()").in_file(file)
        } else {
            failure.in_file(file)
        }
    })
}

/// Reads an array with `D` axes in double precision.
pub fn read_f64<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<f64, D>, Failure> {
    read(file)?.into_f64()
}

/// Reads an array with `D` axes in single precision.
#[cfg(feature = "onnx")] // Only models take single precision.
pub fn read_f32<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<f32, D>, Failure> {
    read(file)?.into_f32()
}

/// Reads positions with `D` axes, such as the nodes of edges. Accepts the types of [`read_labels`] except booleans.
pub fn read_positions<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<i64, D>, Failure> {
    let stored = read(&file)?;
    if stored.is_boolean() {
        return Err(Failure::new("expected integers, got booleans").in_file(file));
    }
    stored.into_integers()
}

/// Reads labels with `D` axes.
pub fn read_labels<D: Dimension>(file: impl AsRef<Path>) -> Result<Array<i64, D>, Failure> {
    read(file)?.into_labels()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads an array from the bytes of an `.npy` file.
    fn read_bytes(file: &str, bytes: &[u8]) -> Result<StoredArray, Failure> {
        let numbers = npy::read(bytes, Some(bytes.len() as u64));
        Ok(StoredArray::new(file, numbers.in_file(file)?))
    }

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
