//! Reader of the `.npy` format, for booleans, integers and floats of at most 64 bits, in any byte and memory order.
//!
//! `ndarray-npy` reads one dtype that is chosen at compile time, does not read half precision, and aborts if a
//! header claims more memory than is available.

use std::io::Read;

use ndarray::{ArrayD, IxDyn, ShapeBuilder};

use crate::failure::Failure;
use crate::foreign::foreign;
use crate::npy_header::Header;

/// The numbers of an array. Single precision is kept, so that twice as much fits in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Single and half precision.
    F32(ArrayD<f32>),
    /// Double precision.
    F64(ArrayD<f64>),
    /// Integers of any size up to 2^63 - 1.
    Integers(ArrayD<i64>),
    /// Booleans: the labels 0 and 1, or a mask.
    Booleans(ArrayD<bool>),
}

impl Numbers {
    /// The length of each axis.
    pub fn shape(&self) -> &[usize] {
        match self {
            Self::F32(array) => array.shape(),
            Self::F64(array) => array.shape(),
            Self::Integers(array) => array.shape(),
            Self::Booleans(array) => array.shape(),
        }
    }
}

/// A numeric dtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dtype {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Dtype {
    /// Returns the dtype of a header, and whether it is big-endian.
    pub(super) fn from_header(header: &Header) -> Result<(Self, bool), Failure> {
        let dtype = match header.dtype.trim_start_matches(['<', '>', '|', '=']) {
            "b1" | "?" => Self::Bool,
            "i1" | "b" => Self::I8,
            "u1" | "B" => Self::U8,
            "i2" => Self::I16,
            "u2" => Self::U16,
            "i4" => Self::I32,
            "u4" => Self::U32,
            "i8" => Self::I64,
            "u8" => Self::U64,
            "f2" => Self::F16,
            "f4" => Self::F32,
            "f8" => Self::F64,
            other => return Err(not_numeric(other)),
        };
        Ok((dtype, header.dtype.starts_with('>')))
    }

    /// Bytes per number.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// An error for an array of another dtype, with advice.
fn not_numeric(descriptor: &str) -> Failure {
    let help = match descriptor.as_bytes().first() {
        // The first character is the kind of the dtype in NumPy.
        Some(b'O') => {
            "an array of Python objects: convert it with .astype(float), or its rows with numpy.stack, and save again"
        }
        Some(b'[') => {
            "an array of records: save one field, array[\"NAME\"], or the columns as one array"
        }
        Some(b'U' | b'S') => {
            "an array of words: number the words of all files by one list of classes, numpy.searchsorted(classes, labels), and save again"
        }
        Some(b'f') => "an array of long doubles: convert it with .astype(float) and save again",
        Some(b'c') => "an array of complex numbers: save their .real part or their absolute values",
        _ => "convert it with .astype(float) and save again",
    };
    Failure::new(format!(
        "dtype {descriptor}: expected bool, an integer or a float of at most 64 bits"
    ))
    .help(help)
}

/// The number of elements of a shape; `None` if it overflows.
pub(super) fn element_count(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |product, &axis| product.checked_mul(axis))
}

/// First bytes of every file.
const MAGIC: &[u8] = b"\x93NUMPY";
/// Length of the longest header that NumPy reads.
const MAX_HEADER: usize = 10_000;

/// Reads the header of an array. Allocates memory for the bytes that are there, not for the claimed length.
pub(super) fn read_header<R: Read>(reader: &mut R) -> Result<Header, Failure> {
    let mut bytes = Vec::new();
    let mut more = |n: usize, bytes: &mut Vec<u8>| {
        let read = reader.by_ref().take(n as u64).read_to_end(bytes);
        read.map_err(Failure::cannot_be_read)
    };
    // The magic text and the version, then the length in two bytes, or in four from version 2 on.
    more(8, &mut bytes)?;
    let size = if bytes.get(6) == Some(&1) { 2 } else { 4 };
    more(size, &mut bytes)?;
    let length_bytes = bytes.get(8..8 + size).unwrap_or_default();
    let length = length_bytes
        .iter()
        .rev()
        .fold(0, |n, &byte| n << 8 | usize::from(byte));
    let start = bytes.len();
    more(length.min(MAX_HEADER), &mut bytes)?;
    let is_cut = start >= 8 && bytes.len() - start < length;
    let no_array = |why: &dyn std::fmt::Display| {
        Failure::new(format!("not an .npy array: {why}")).help("save it with numpy.save")
    };
    if !bytes.starts_with(MAGIC) {
        more(200, &mut bytes)?;
        let named = foreign(&bytes, "an .npy array", "save the array with numpy.save");
        let is_text =
            std::str::from_utf8(&bytes).map_or_else(|e| e.error_len().is_none(), |_| true);
        return Err(named.unwrap_or_else(|| match (bytes.is_empty(), is_text) {
            (true, _) => no_array(&"it is empty"),
            (false, true) => no_array(&"it is text").help(
                "of a table of numbers: numpy.save(\"FILE.npy\", numpy.loadtxt(FILE, delimiter=\",\", skiprows=1))",
            ),
            (false, false) => no_array(&"it does not begin as one"),
        }));
    }
    let text = String::from_utf8_lossy(&bytes[start..]);
    let header = Header::parse(&text).filter(|_| !is_cut && (1..=3).contains(&bytes[6]));
    header.ok_or_else(|| no_array(&"its header is damaged"))
}

/// Reads one array. `length` is the size of the file if it is known, as a guard against a header that claims more.
/// Otherwise memory grows with the bytes that are read.
pub(super) fn read<R: Read>(mut reader: R, length: Option<u64>) -> Result<Numbers, Failure> {
    let header = read_header(&mut reader)?;
    read_numbers(&header, reader, length)
}

/// Reads the numbers after a header. `length` is as in [`read`].
pub(super) fn read_numbers<R: Read>(
    header: &Header,
    reader: R,
    length: Option<u64>,
) -> Result<Numbers, Failure> {
    let (dtype, big_endian) = Dtype::from_header(header)?;
    let fits = |&n: &usize| match length {
        Some(length) => (n as u64).saturating_mul(dtype.size()) <= length,
        None => (n as u64).checked_mul(dtype.size()).is_some(),
    };
    let Some(count) = element_count(&header.shape).filter(fits) else {
        let has = match length {
            Some(length) => format!("the file has only {length} bytes"),
            None => "no file is so large".to_owned(),
        };
        return Err(Failure::new(format!(
            "the header claims shape {:?} of {}, but {has}",
            header.shape, header.dtype,
        ))
        .help("the file is cut short or damaged"));
    };
    let data = NumberReader {
        reader,
        header,
        count,
        big_endian,
        is_only_claimed: length.is_none(),
    };
    macro_rules! numbers {
        ($stored:ty, $convert:expr) => {
            data.numbers(
                [<$stored>::from_le_bytes, <$stored>::from_be_bytes],
                $convert,
            )
        };
    }
    Ok(match dtype {
        Dtype::Bool => Numbers::Booleans(data.booleans()?),
        Dtype::F16 => Numbers::F32(numbers!(u16, half_to_single)?),
        Dtype::F32 => Numbers::F32(numbers!(f32, |x| x)?),
        Dtype::F64 => Numbers::F64(numbers!(f64, |x| x)?),
        Dtype::I8 => Numbers::Integers(numbers!(i8, i64::from)?),
        Dtype::U8 => Numbers::Integers(numbers!(u8, i64::from)?),
        Dtype::I16 => Numbers::Integers(numbers!(i16, i64::from)?),
        Dtype::U16 => Numbers::Integers(numbers!(u16, i64::from)?),
        Dtype::I32 => Numbers::Integers(numbers!(i32, i64::from)?),
        Dtype::U32 => Numbers::Integers(numbers!(u32, i64::from)?),
        Dtype::I64 => Numbers::Integers(numbers!(i64, |x| x)?),
        Dtype::U64 => {
            let numbers = numbers!(u64, |x| x)?;
            if numbers.iter().any(|&x| i64::try_from(x).is_err()) {
                return Err(Failure::new("an integer above 2^63 - 1").help(
                    "of labels, number all files by one list of classes: numpy.searchsorted(classes, labels); else convert with .astype(float)",
                ));
            }
            Numbers::Integers(numbers.mapv(|x| x as i64))
        }
    })
}

/// Reader of the numbers after a header.
struct NumberReader<'a, R> {
    reader: R,
    header: &'a Header,
    count: usize,
    big_endian: bool,
    /// Whether `count` is only claimed by the header, because the size of the file is not known.
    is_only_claimed: bool,
}

/// Number of numbers per read.
const NUMBERS_PER_READ: usize = 1 << 15;

impl<R: Read> NumberReader<'_, R> {
    /// Reads the numbers. `decoders` decode little-endian and big-endian bytes.
    fn numbers<T, U, const SIZE: usize>(
        mut self,
        decoders: [fn([u8; SIZE]) -> T; 2],
        convert: impl Fn(T) -> U,
    ) -> Result<ArrayD<U>, Failure> {
        let decode = decoders[usize::from(self.big_endian)];
        let mut numbers = Vec::new();
        if !self.is_only_claimed {
            let room = numbers.try_reserve_exact(self.count);
            room.map_err(|_| too_large(self.count))?;
        }
        let mut bytes = Vec::with_capacity(NUMBERS_PER_READ * SIZE);
        while numbers.len() < self.count {
            let wanted = SIZE * NUMBERS_PER_READ.min(self.count - numbers.len());
            bytes.clear();
            let part = self.reader.by_ref().take(wanted as u64);
            let read = { part }.read_to_end(&mut bytes).map_err(damaged)?;
            if read < wanted {
                let n = numbers.len() + read / SIZE;
                return Err(damaged(format_args!(
                    "it ends after {n} of {} numbers",
                    self.count
                )));
            }
            numbers
                .try_reserve(bytes.len() / SIZE)
                .map_err(|_| too_large(self.count))?;
            let (chunks, _) = bytes.as_chunks::<SIZE>();
            numbers.extend(chunks.iter().map(|&chunk| convert(decode(chunk))));
        }
        match self.reader.read(&mut [0]) {
            Ok(0) => {}
            Ok(_) => return Err(damaged("there are bytes after its last number")),
            Err(error) => return Err(damaged(error)),
        }
        let shape = IxDyn(&self.header.shape).set_f(self.header.is_fortran);
        ArrayD::from_shape_vec(shape, numbers).map_err(Failure::new)
    }

    /// Reads booleans, which are bytes of 0 or 1.
    fn booleans(self) -> Result<ArrayD<bool>, Failure> {
        let bytes = self.numbers([u8::from_le_bytes, u8::from_be_bytes], |x| x)?;
        match bytes.iter().find(|&&byte| byte > 1) {
            None => Ok(bytes.mapv(|byte| byte == 1)),
            Some(byte) => Err(damaged(format_args!("the byte {byte} is no boolean"))),
        }
    }
}

/// Converts the bits of a half-precision number: a sign, five bits of exponent, ten of fraction.
fn half_to_single(bits: u16) -> f32 {
    /// 2^112: the exponent biases of the two formats differ by 112.
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let sign = u32::from(bits & 0x8000) << 16;
    let shifted = u32::from(bits & 0x7fff) << 13;
    let magnitude = match bits & 0x7c00 {
        // Infinity, or NaN if there is a fraction.
        0x7c00 => f32::INFINITY.to_bits() | shifted,
        // The product also normalises subnormal numbers.
        _ => (f32::from_bits(shifted) * SCALE).to_bits(),
    };
    f32::from_bits(sign | magnitude)
}

fn too_large(count: usize) -> Failure {
    Failure::new(format!("{count} numbers do not fit into memory"))
}

/// An error for data that does not match the header.
pub(crate) fn damaged(why: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("damaged array data: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_half_precision_is_read_exactly() {
        for bits in 0..=u16::MAX {
            let expected = half::f16::from_bits(bits).to_f32();
            let read = half_to_single(bits);
            assert!(read.is_nan() && expected.is_nan() || read.to_bits() == expected.to_bits());
        }
    }
}
