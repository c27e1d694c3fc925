//! Arrays from `.npy` files and `file.npz:name` entries, of any numeric dtype and either order.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};

use half::f16;
use ndarray::{Array, ArrayD, Dimension, IxDyn, ShapeBuilder};
use ndarray_npy::{ReadDataError, ReadableElement, npy::header::Header};

use crate::failure::{Failure, InFile};

/// An array as it is stored. Single precision stays single: twice as much of it fits in memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbers {
    F32(ArrayD<f32>),
    F64(ArrayD<f64>),
    /// Integers and booleans.
    Integers(ArrayD<i64>),
}

/// A named array together with the file it came from, for messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    pub(crate) file: String,
    pub(crate) numbers: Numbers,
}

/// Reads `file.npy` or `file.npz:name`.
pub(crate) fn read(file: &str) -> Result<Stored, Failure> {
    let numbers = match file.rsplit_once(".npz:") {
        Some((archive, entry)) => read_entry(&format!("{archive}.npz"), entry),
        None if file.ends_with(".npz") => {
            Err(Failure::new("an archive of several arrays").help(format!(
                "name one of them: {file}:NAME (holds {})",
                entry_names(file)?.join(", ")
            )))
        }
        None => {
            let opened =
                File::open(file).map_err(|e| Failure::new(format!("cannot be opened: {e}")));
            opened.and_then(|opened| {
                let length = opened.metadata().map_or(0, |m| m.len());
                read_npy(BufReader::new(opened), length)
            })
        }
    }
    .in_file(file)?;
    Ok(Stored {
        file: file.to_owned(),
        numbers,
    })
}

/// Reads an array from the bytes of an `.npy` file.
pub(crate) fn read_bytes(file: &str, bytes: &[u8]) -> Result<Stored, Failure> {
    let numbers = read_npy(Cursor::new(bytes), bytes.len() as u64).in_file(file)?;
    Ok(Stored {
        file: file.to_owned(),
        numbers,
    })
}

fn open_archive(archive: &str) -> Result<zip::ZipArchive<BufReader<File>>, Failure> {
    let opened = File::open(archive)
        .map_err(|e| Failure::new(format!("cannot be opened: {e}")))
        .in_file(archive)?;
    zip::ZipArchive::new(BufReader::new(opened))
        .map_err(|e| Failure::new(format!("not an .npz archive: {e}")))
        .in_file(archive)
}

fn entry_names(archive: &str) -> Result<Vec<String>, Failure> {
    let archive = open_archive(archive)?;
    Ok(archive
        .file_names()
        .map(|name| name.trim_end_matches(".npy").to_owned())
        .collect())
}

fn read_entry(archive: &str, entry: &str) -> Result<Numbers, Failure> {
    let mut opened = open_archive(archive)?;
    let Ok(stored) = opened.by_name(&format!("{entry}.npy")) else {
        return Err(Failure::new(format!(
            "no array `{entry}` in the archive, it holds {}",
            entry_names(archive)?.join(", ")
        )));
    };
    let length = stored.size();
    read_npy(stored, length)
}

/// Reads one array. The length of the file guards against a damaged header that promises more than
/// memory holds.
fn read_npy<R: Read>(mut reader: R, length: u64) -> Result<Numbers, Failure> {
    let header = Header::from_reader(&mut reader).map_err(|e| {
        Failure::new(format!("not an .npy array: {e}")).help("save it with numpy.save")
    })?;
    let descriptor = header.type_descriptor.to_string();
    let dtype = descriptor.trim_matches(['\'', '"']);
    let bytes_each = match dtype.trim_start_matches(['<', '>', '|', '=']) {
        "b1" | "?" | "i1" | "u1" | "b" | "B" => 1,
        "i2" | "u2" | "f2" => 2,
        "i4" | "u4" | "f4" => 4,
        "i8" | "u8" | "f8" => 8,
        other => {
            return Err(Failure::new(format!(
                "dtype {other}: expected bool, an integer or a float of at most 64 bits"
            )));
        }
    };
    let count = header
        .shape
        .iter()
        .try_fold(1usize, |product, &axis| product.checked_mul(axis));
    let Some(count) = count.filter(|&n| (n as u64).saturating_mul(bytes_each) <= length) else {
        return Err(Failure::new(format!(
            "the header promises shape {:?} of {dtype}, but the file has only {length} bytes",
            header.shape
        ))
        .help("the file is cut short or damaged"));
    };
    let widen = |e: ReadDataError| Failure::new(format!("damaged array data: {e}"));
    macro_rules! integers {
        ($t:ty) => {
            Numbers::Integers(shaped(
                &header,
                <$t>::read_to_end_exact_vec(reader, &header.type_descriptor, count)
                    .map_err(widen)?
                    .into_iter()
                    .map(i64::from)
                    .collect(),
            )?)
        };
    }
    Ok(match dtype.trim_start_matches(['<', '>', '|', '=']) {
        "f4" => Numbers::F32(shaped(
            &header,
            f32::read_to_end_exact_vec(reader, &header.type_descriptor, count).map_err(widen)?,
        )?),
        "f8" => Numbers::F64(shaped(
            &header,
            f64::read_to_end_exact_vec(reader, &header.type_descriptor, count).map_err(widen)?,
        )?),
        "f2" => Numbers::F32(shaped(
            &header,
            read_halves(reader, count, dtype.starts_with('>'))?,
        )?),
        "b1" | "?" => integers!(bool),
        "i1" | "b" => integers!(i8),
        "u1" | "B" => integers!(u8),
        "i2" => integers!(i16),
        "u2" => integers!(u16),
        "i4" => integers!(i32),
        "u4" => integers!(u32),
        "i8" => integers!(i64),
        _ => {
            let values = u64::read_to_end_exact_vec(reader, &header.type_descriptor, count)
                .map_err(widen)?;
            let signed: Result<Vec<i64>, _> = values.into_iter().map(i64::try_from).collect();
            let signed = signed.map_err(|_| Failure::new("an integer above 2^63 - 1"))?;
            Numbers::Integers(shaped(&header, signed)?)
        }
    })
}

/// Half precision, which `ndarray-npy` does not know.
fn read_halves<R: Read>(
    mut reader: R,
    count: usize,
    big_endian: bool,
) -> Result<Vec<f32>, Failure> {
    let mut bytes = Vec::with_capacity(2 * count);
    reader
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::new(format!("damaged array data: {e}")))?;
    if bytes.len() != 2 * count {
        return Err(Failure::new("damaged array data: wrong number of bytes"));
    }
    let half = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if big_endian {
            f16::from_be_bytes(pair)
        } else {
            f16::from_le_bytes(pair)
        }
    };
    Ok(bytes
        .chunks_exact(2)
        .map(|pair| half(pair).to_f32())
        .collect())
}

fn shaped<T>(header: &Header, values: Vec<T>) -> Result<ArrayD<T>, Failure> {
    let shape = IxDyn(&header.shape).set_f(header.layout.is_fortran());
    ArrayD::from_shape_vec(shape, values).map_err(Failure::new)
}

impl Stored {
    /// The length of each axis.
    pub(crate) fn shape(&self) -> &[usize] {
        match &self.numbers {
            Numbers::F32(array) => array.shape(),
            Numbers::F64(array) => array.shape(),
            Numbers::Integers(array) => array.shape(),
        }
    }

    /// The numbers in double precision.
    pub(crate) fn into_f64<D: Dimension>(self) -> Result<Array<f64, D>, Failure> {
        #[allow(clippy::cast_precision_loss)] // as numpy does
        let array = match self.numbers {
            Numbers::F32(array) => array.mapv(f64::from),
            Numbers::F64(array) => array,
            Numbers::Integers(array) => array.mapv(|x| x as f64),
        };
        with_dimension(&self.file, array)
    }

    /// The numbers in single precision, what most models take.
    pub(crate) fn into_f32<D: Dimension>(self) -> Result<Array<f32, D>, Failure> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // as numpy does
        let array = match self.numbers {
            Numbers::F32(array) => array,
            Numbers::F64(array) => array.mapv(|x| x as f32),
            Numbers::Integers(array) => array.mapv(|x| x as f32),
        };
        with_dimension(&self.file, array)
    }

    /// The labels.
    pub(crate) fn into_labels<D: Dimension>(self) -> Result<Array<i64, D>, Failure> {
        match self.numbers {
            Numbers::Integers(array) => with_dimension(&self.file, array),
            _ => Err(
                Failure::new("labels: expected integers or booleans, got floats")
                    .help("convert them with .astype(int) and save again")
                    .in_file(&self.file),
            ),
        }
    }
}

fn with_dimension<T, D: Dimension>(file: &str, array: ArrayD<T>) -> Result<Array<T, D>, Failure> {
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
pub(crate) fn read_f64<D: Dimension>(file: &str) -> Result<Array<f64, D>, Failure> {
    read(file)?.into_f64()
}

/// Reads an array of `D` axes in single precision.
#[cfg(any(feature = "onnx", test))] // models take it
pub(crate) fn read_f32<D: Dimension>(file: &str) -> Result<Array<f32, D>, Failure> {
    read(file)?.into_f32()
}

/// Reads labels of `D` axes.
pub(crate) fn read_labels<D: Dimension>(file: &str) -> Result<Array<i64, D>, Failure> {
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
            let message = read_bytes("x.npy", bytes).unwrap_err().to_string();
            assert!(message.starts_with("error: x.npy: "), "{message}");
            assert!(
                message.split("\nhelp:").next().unwrap().lines().count() == 1,
                "{message}"
            );
        }
    }
}
