//! What stands in an ONNX file, read before the engine reads it.
//!
//! The engine believes every length in a file and asks for that much memory, which ends the process
//! where a file is cut off or is no model. Here each length is held against the bytes that are
//! there. The engine also forgets which types it converts; here they are kept.

use std::collections::{BTreeMap, BTreeSet};

/// Subgraphs in subgraphs take stack; no exporter nests deeper.
const DEEPEST: usize = 64;

/// The operators, inputs and types of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    has_graph: bool,
    has_version: bool,
    /// Domain and name of each operator.
    pub(super) operators: BTreeSet<(String, String)>,
    /// The element type of each input, by name.
    pub(super) input_types: BTreeMap<String, u64>,
    /// The element types of the constants.
    pub(super) constant_types: BTreeSet<u64>,
    /// Whether constants stand in files beside the model.
    pub(super) has_external_data: bool,
}

/// Messages of the format, as far as the engine reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Value,
    Type,
    TensorType,
    SequenceType,
    Shape,
    /// Of numbers and texts alone.
    Flat,
}

impl Message {
    /// The message in a field, by the numbers of `onnx.proto`.
    fn within(self, field: u64) -> Option<Self> {
        Some(match (self, field) {
            (Self::Model, 7) | (Self::Attribute, 6) => Self::Graph,
            (Self::Model, 8 | 14) | (Self::Tensor, 13) | (Self::Shape, 1) => Self::Flat,
            (Self::Graph, 1) => Self::Node,
            (Self::Graph, 5) | (Self::Attribute, 5) => Self::Tensor,
            (Self::Graph, 11..=13) => Self::Value,
            (Self::Node, 5) => Self::Attribute,
            (Self::Value, 2) | (Self::SequenceType, 1) => Self::Type,
            (Self::Type, 1) => Self::TensorType,
            (Self::Type, 4) => Self::SequenceType,
            (Self::TensorType, 2) => Self::Shape,
            _ => return None,
        })
    }
}

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of 4 or 8 bytes.
    Fixed,
}

/// Takes a number of seven bits a byte off the front.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Takes a field off the front: its number and its value.
fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let tag = number(bytes)?;
    let value = match tag & 7 {
        0 => Value::Number(number(bytes)?),
        kind @ (1 | 2 | 5) => {
            let length = match kind {
                1 => 8,
                2 => usize::try_from(number(bytes)?).ok()?,
                _ => 4,
            };
            let (value, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            match kind {
                2 => Value::Bytes(value),
                _ => Value::Fixed,
            }
        }
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Contents {
    /// Reads a file's bytes; nothing where they are no whole model.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut contents = Self::default();
        contents.walk(Message::Model, bytes, DEEPEST)?;
        (contents.has_graph && contents.has_version).then_some(contents)
    }

    fn walk(&mut self, message: Message, mut bytes: &[u8], deepest: usize) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        let (mut domain, mut operator) = (String::new(), None);
        while !bytes.is_empty() {
            let (field, value) = field(&mut bytes)?;
            match (message, field, &value) {
                (Message::Model, 1, Value::Number(_)) => self.has_version = true,
                (Message::Model, 7, Value::Bytes(_)) => self.has_graph = true,
                (Message::Node, 4, Value::Bytes(name)) => operator = Some(text(name)),
                (Message::Node, 7, Value::Bytes(name)) => domain = text(name),
                (Message::Graph, 11, Value::Bytes(input)) => {
                    if let Some((name, element)) = input_type(input) {
                        self.input_types.insert(name, element);
                    }
                }
                (Message::Tensor, 2, &Value::Number(element)) => {
                    self.constant_types.insert(element);
                }
                (Message::Tensor, 14, Value::Number(1)) => self.has_external_data = true,
                _ => {}
            }
            if let (Some(within), Value::Bytes(value)) = (message.within(field), value) {
                self.walk(within, value, deeper)?;
            }
        }
        if let Some(operator) = operator {
            self.operators.insert((domain, operator));
        }
        Some(())
    }
}

/// The name of an input and the type of its elements.
fn input_type(mut input: &[u8]) -> Option<(String, u64)> {
    let (mut name, mut kind) = (None, None);
    while let Some((number, value)) = field(&mut input) {
        match (number, value) {
            (1, Value::Bytes(bytes)) => name = Some(text(bytes)),
            (2, Value::Bytes(bytes)) => kind = Some(bytes),
            _ => {}
        }
    }
    let mut kind = kind?;
    let (1, Value::Bytes(mut tensor)) = field(&mut kind)? else {
        return None;
    };
    while let Some((number, value)) = field(&mut tensor) {
        if let (1, Value::Number(element)) = (number, value) {
            return Some((name?, element));
        }
    }
    None
}

/// Types of elements, by the numbers of `onnx.proto`.
pub(super) mod element {
    pub(in super::super) const FLOAT: u64 = 1;
    pub(in super::super) const UINT8: u64 = 2;
    pub(in super::super) const INT8: u64 = 3;
    pub(in super::super) const INT32: u64 = 6;
    pub(in super::super) const INT64: u64 = 7;
    pub(in super::super) const BOOL: u64 = 9;
    pub(in super::super) const FLOAT16: u64 = 10;
    pub(in super::super) const DOUBLE: u64 = 11;

    /// The name of a type, as `onnx` and the exporters write it.
    pub(in super::super) fn name(element: u64) -> String {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/sample/attribution/model.onnx");
        std::fs::read(file).unwrap()
    }

    #[test]
    fn a_model_is_read() {
        let contents = Contents::read(&sample()).unwrap();
        assert_eq!(
            contents.input_types.values().collect::<Vec<_>>(),
            [&element::FLOAT]
        );
        assert!(contents.operators.contains(&("".into(), "Conv".into())));
        assert!(!contents.has_external_data);
    }

    #[test]
    fn what_is_cut_off_is_no_model() {
        let model = sample();
        // A model without its last fields, the graph among them, is none.
        for end in 0..model.len() - 32 {
            assert_eq!(Contents::read(&model[..end]), None, "{end}");
        }
    }

    #[test]
    fn lengths_beyond_the_file_and_endless_nesting_are_no_model() {
        assert_eq!(Contents::read(b"hello"), None);
        assert_eq!(Contents::read(&[]), None);
        let endless = [0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(Contents::read(&endless), None);
        let mut graph = Vec::new();
        for _ in 0..DEEPEST {
            for tag in [6u8, 5, 1] {
                let mut outer = vec![tag << 3 | 2];
                let mut length = graph.len();
                while length > 0x7f {
                    outer.push(length as u8 | 0x80);
                    length >>= 7;
                }
                outer.push(length as u8);
                outer.extend(&graph);
                graph = outer;
            }
        }
        let mut contents = Contents::default();
        assert_eq!(contents.walk(Message::Graph, &graph, DEEPEST), None);
    }
}
