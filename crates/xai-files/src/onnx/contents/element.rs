//! Element types, by the numbers of `onnx.proto`.

pub(crate) const FLOAT: i32 = 1;
pub(crate) const UINT8: i32 = 2;
pub(crate) const INT8: i32 = 3;
pub(crate) const INT32: i32 = 6;
pub(crate) const INT64: i32 = 7;
pub(crate) const STRING: i32 = 8;
pub(crate) const BOOL: i32 = 9;
pub(crate) const FLOAT16: i32 = 10;
pub(crate) const DOUBLE: i32 = 11;

/// The name of a type, as `onnx` and the exporters write it.
pub(crate) fn name(element: i32) -> String {
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
