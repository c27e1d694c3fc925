//! From files to arrays, tables, samples and models.

pub(crate) mod archive;
pub(crate) mod arrays;
pub(crate) mod classes;
pub(crate) mod glance;
pub(crate) mod left_out;
mod npy;
pub(crate) mod npy_file;
mod numbers;
#[cfg(feature = "onnx")]
pub(crate) mod onnx;
pub(crate) mod planes;
pub(crate) mod samples;
pub(crate) mod table;
