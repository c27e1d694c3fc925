//! The `.npy` format: any numeric dtype, either order.

use std::io::Read;

use half::f16;
use ndarray::{ArrayD, IxDyn, ShapeBuilder};
use ndarray_npy::{ReadDataError, ReadableElement, npy::header::Header};

use super::numbers::Numbers;
use crate::failure::Failure;

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
    /// The dtype of a header, and whether its bytes are in big-endian order.
    pub(super) fn of(header: &Header) -> Result<(Self, bool), Failure> {
        let descriptor = header.type_descriptor.to_string();
        let descriptor = descriptor.trim_matches(['\'', '"']);
        let dtype = match descriptor.trim_start_matches(['<', '>', '|', '=']) {
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
            other => {
                return Err(Failure::new(format!(
                    "dtype {other}: expected bool, an integer or a float of at most 64 bits"
                )));
            }
        };
        Ok((dtype, descriptor.starts_with('>')))
    }

    /// The bytes of one number.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// The numbers that a shape holds, if they can be counted.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |product, &axis| product.checked_mul(axis))
}

/// Reads one array. The length of the file guards against a damaged header that promises more than
/// memory holds.
pub(super) fn read<R: Read>(mut reader: R, length: u64) -> Result<Numbers, Failure> {
    let header = Header::from_reader(&mut reader).map_err(|e| {
        Failure::new(format!("not an .npy array: {e}")).help("save it with numpy.save")
    })?;
    let (dtype, big_endian) = Dtype::of(&header)?;
    let fits = |&n: &usize| (n as u64).saturating_mul(dtype.size()) <= length;
    let Some(count) = count(&header.shape).filter(fits) else {
        return Err(Failure::new(format!(
            "the header promises shape {:?} of {}, but the file has only {length} bytes",
            header.shape,
            header.type_descriptor.to_string().trim_matches(['\'', '"']),
        ))
        .help("the file is cut short or damaged"));
    };
    let data = Data {
        reader,
        header: &header,
        count,
    };
    Ok(match dtype {
        Dtype::F16 => Numbers::F32(shaped(&header, data.halves(big_endian)?)?),
        Dtype::F32 => Numbers::F32(shaped(&header, data.values()?)?),
        Dtype::F64 => Numbers::F64(shaped(&header, data.values()?)?),
        Dtype::Bool => data.integers::<bool>()?,
        Dtype::I8 => data.integers::<i8>()?,
        Dtype::U8 => data.integers::<u8>()?,
        Dtype::I16 => data.integers::<i16>()?,
        Dtype::U16 => data.integers::<u16>()?,
        Dtype::I32 => data.integers::<i32>()?,
        Dtype::U32 => data.integers::<u32>()?,
        Dtype::I64 => data.integers::<i64>()?,
        Dtype::U64 => {
            let values: Vec<u64> = data.values()?;
            let signed: Result<Vec<i64>, _> = values.into_iter().map(i64::try_from).collect();
            let signed = signed.map_err(|_| Failure::new("an integer above 2^63 - 1"))?;
            Numbers::Integers(shaped(&header, signed)?)
        }
    })
}

/// What stands behind a header.
struct Data<'a, R> {
    reader: R,
    header: &'a Header,
    count: usize,
}

impl<R: Read> Data<'_, R> {
    fn values<T: ReadableElement>(self) -> Result<Vec<T>, Failure> {
        T::read_to_end_exact_vec(self.reader, &self.header.type_descriptor, self.count)
            .map_err(|e: ReadDataError| damaged(e))
    }

    fn integers<T: ReadableElement + Into<i64>>(self) -> Result<Numbers, Failure> {
        let header = self.header;
        let values: Vec<T> = self.values()?;
        let values = values.into_iter().map(Into::into).collect();
        Ok(Numbers::Integers(shaped(header, values)?))
    }

    /// Half precision, which `ndarray-npy` does not know.
    fn halves(mut self, big_endian: bool) -> Result<Vec<f32>, Failure> {
        let mut bytes = Vec::with_capacity(2 * self.count);
        self.reader.read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() != 2 * self.count {
            return Err(damaged("wrong number of bytes"));
        }
        let (pairs, _) = bytes.as_chunks::<2>();
        let half = match big_endian {
            true => f16::from_be_bytes,
            false => f16::from_le_bytes,
        };
        Ok(pairs.iter().map(|&pair| half(pair).to_f32()).collect())
    }
}

/// Data that is not what the header says.
pub(crate) fn damaged(why: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("damaged array data: {why}"))
}

fn shaped<T>(header: &Header, values: Vec<T>) -> Result<ArrayD<T>, Failure> {
    let shape = IxDyn(&header.shape).set_f(header.layout.is_fortran());
    ArrayD::from_shape_vec(shape, values).map_err(Failure::new)
}
