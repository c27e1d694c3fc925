//! Arrays in the precision they are stored in.

use ndarray::ArrayD;

/// An array as it is stored. Single precision stays single: twice as much of it fits in memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Numbers {
    F32(ArrayD<f32>),
    F64(ArrayD<f64>),
    Integers(ArrayD<i64>),
    /// Labels 0 and 1, and as an index the rows that are true.
    Booleans(ArrayD<bool>),
}

impl Numbers {
    /// The length of each axis.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Self::F32(array) => array.shape(),
            Self::F64(array) => array.shape(),
            Self::Integers(array) => array.shape(),
            Self::Booleans(array) => array.shape(),
        }
    }
}
