//! Types of elements, by the numbers of `onnx.proto`.

pub(crate) const FLOAT: u64 = 1;
pub(crate) const UINT8: u64 = 2;
pub(crate) const INT8: u64 = 3;
pub(crate) const INT32: u64 = 6;
pub(crate) const INT64: u64 = 7;
pub(crate) const STRING: u64 = 8;
pub(crate) const BOOL: u64 = 9;
pub(crate) const FLOAT16: u64 = 10;
pub(crate) const DOUBLE: u64 = 11;

/// The name of a type, as `onnx` and the exporters write it.
pub(crate) fn name(element: u64) -> String {
    let names = [
        "undefined",
        "float",
        "uint8",
        "int8",
        "uint16",
        "int16",
        "int32",
        "int64",
        "string",
        "bool",
        "float16",
        "double",
        "uint32",
        "uint64",
        "complex64",
        "complex128",
        "bfloat16",
    ];
    let name = usize::try_from(element).ok().and_then(|i| names.get(i));
    name.map_or_else(|| format!("number {element}"), |name| (*name).to_owned())
}
