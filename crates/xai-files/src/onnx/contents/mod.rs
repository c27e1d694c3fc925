//! What stands in an ONNX file, read before an engine reads it.
//!
//! An engine may believe every length in a file and ask for that much memory, which ends the process
//! where a file is cut off or is no model. Here each length is held against the bytes that are
//! there. Engines also forget which types they convert; here they are kept.

pub(super) mod element;
pub(super) mod images;
pub(super) mod port;
mod sizes;
mod wire;

use std::collections::BTreeSet;

use images::ImageLayout;
use port::Port;
use wire::{Value, bytes_of, field, fields, number, text, texts_of};

/// Subgraphs in subgraphs take stack; no exporter nests deeper.
const DEEPEST: usize = 64;

/// The operators, inputs, outputs and types of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    has_graph: bool,
    has_version: bool,
    /// The inputs that have no value in the file.
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// Domain and name of each operator.
    pub(super) operators: BTreeSet<(String, String)>,
    /// The element types of the constants.
    pub(super) constant_types: BTreeSet<u64>,
    /// Whether constants of 8 bits, as the weights of products of integers are, use more than seven of them.
    pub(super) has_full_bytes: bool,
    /// The files beside the model that constants stand in.
    pub(super) data_files: BTreeSet<String>,
    /// Where images that go into the model have their channels.
    pub(super) images: ImageLayout,
    /// A node whose output no memory holds, in words.
    pub(super) too_large: Option<String>,
    /// The operator that each output comes from.
    pub(super) last_operators: Vec<String>,
}

/// Messages of the format, as far as they hold other messages.
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
    /// Numbers, one behind the other.
    Numbers,
}

impl Message {
    /// The message in a field, by the numbers of `onnx.proto`.
    fn within(self, field: u64) -> Option<Self> {
        Some(match (self, field) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Self::Graph,
            (Self::Model, 8 | 14) | (Self::Tensor, 13) | (Self::Shape, 1) => Self::Flat,
            (Self::Graph, 1) => Self::Node,
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) => Self::Tensor,
            (Self::Attribute, 8) | (Self::Tensor, 1 | 5 | 7 | 11) => Self::Numbers,
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

impl Contents {
    /// Reads a file's bytes; nothing where they are no whole model.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut contents = Self::default();
        contents.walk(Message::Model, bytes, DEEPEST)?;
        let producer = bytes_of(bytes, 2).map(text).unwrap_or_default();
        for (number, value) in fields(bytes) {
            if let (7, Value::Bytes(graph)) = (number, value) {
                contents.ports(graph)?;
                if let Some(input) = contents.inputs.first() {
                    contents.images = ImageLayout::of(input, graph, &producer);
                }
            }
        }
        (contents.has_graph && contents.has_version).then_some(contents)
    }

    fn walk(&mut self, message: Message, mut bytes: &[u8], deepest: usize) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        let (mut domain, mut operator) = (String::new(), None);
        let (whole, mut element) = (bytes, None);
        if message == Message::Graph && self.too_large.is_none() {
            self.too_large = sizes::too_large(bytes);
        }
        // An engine never ends with a number of more than ten bytes.
        while message == Message::Numbers && !bytes.is_empty() {
            number(&mut bytes)?;
        }
        while !bytes.is_empty() {
            let (field, value) = field(&mut bytes)?;
            match (message, field, &value) {
                (Message::Model, 1, Value::Number(_)) => self.has_version = true,
                (Message::Model, 7, Value::Bytes(_)) => self.has_graph = true,
                (Message::Node, 4, Value::Bytes(name)) => operator = Some(text(name)),
                (Message::Node, 7, Value::Bytes(name)) => domain = text(name),
                (Message::Tensor, 2, &Value::Number(number)) => element = Some(number),
                (Message::Tensor, 13, Value::Bytes(entry)) => self.data_file(entry),
                _ => {}
            }
            if let (Some(within), Value::Bytes(value)) = (message.within(field), value) {
                self.walk(within, value, deeper)?;
            }
        }
        if let Some(operator) = operator {
            self.operators.insert((domain, operator));
        }
        if let Some(element) = element {
            self.constant_types.insert(element);
            self.has_full_bytes |= has_full_bytes(whole, element);
        }
        Some(())
    }

    /// Notes the file of a constant's entry `location`.
    fn data_file(&mut self, entry: &[u8]) {
        if bytes_of(entry, 1) == Some(b"location")
            && let Some(file) = bytes_of(entry, 2)
        {
            self.data_files.insert(text(file));
        }
    }

    /// Reads the inputs and outputs of the model's graph.
    ///
    /// Before version 4 of the format, constants stand among the inputs.
    fn ports(&mut self, graph: &[u8]) -> Option<()> {
        let mut constants = BTreeSet::new();
        for (number, value) in fields(graph) {
            match (number, value) {
                (5, Value::Bytes(constant)) => constants.extend(bytes_of(constant, 8).map(text)),
                (11, Value::Bytes(input)) => self.inputs.push(Port::read(input)?),
                (12, Value::Bytes(output)) => self.outputs.push(Port::read(output)?),
                _ => {}
            }
        }
        self.inputs.retain(|input| !constants.contains(&input.name));
        let operator_of = |output: &Port| {
            let nodes = fields(graph).filter_map(|(number, value)| match value {
                Value::Bytes(node) if number == 1 => Some(node),
                _ => None,
            });
            let mut makers = nodes.filter(|node| texts_of(node, 2).any(|it| it == output.name));
            makers.next().and_then(|node| bytes_of(node, 4).map(text))
        };
        let operators = self.outputs.iter().map(operator_of);
        self.last_operators = operators.map(Option::unwrap_or_default).collect();
        Some(())
    }

    /// Whether an operator stands in the model.
    pub(super) fn has_operator(&self, domain: &str, name: &str) -> bool {
        let mut operators = self.operators.iter();
        operators.any(|(of, operator)| of == domain && operator == name)
    }

    /// Whether an operator takes the scale of its numbers from all of a batch.
    pub(super) fn quantises_while_it_runs(&self) -> bool {
        let mut operators = self.operators.iter();
        operators.any(|(_, operator)| operator.starts_with("DynamicQuantize"))
    }

    /// An operator of trees, support vectors, scalers and their kind, if the model has one.
    pub(super) fn classical(&self) -> Option<&str> {
        let classical = self.operators.iter().find(|(of, _)| of == "ai.onnx.ml");
        classical.map(|(_, name)| name.as_str())
    }
}

/// Whether the numbers of a constant of 8 bits need them all: signed ones go beyond 64, others farther than that from 128.
fn has_full_bytes(tensor: &[u8], element: u64) -> bool {
    let is_far = |&byte: &u8| match element {
        element::INT8 => byte.cast_signed().unsigned_abs() > 64,
        _ => byte.abs_diff(128) > 64,
    };
    let mut fields = fields(tensor);
    matches!(element, element::INT8 | element::UINT8)
        && fields.any(|(field, value)| match (field, value) {
            // A single number stands for 0, and is no weight.
            (5 | 9, Value::Bytes(bytes)) => bytes.len() > 1 && bytes.iter().any(is_far),
            // Those of another file are not read here.
            (14, Value::Number(place)) => place == 1,
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::port::{Dimension, Kind};
    use super::*;

    fn read(file: &str) -> Contents {
        let file = format!("{}/../xai-cli/{file}", env!("CARGO_MANIFEST_DIR"));
        Contents::read(&std::fs::read(file).unwrap()).unwrap()
    }

    fn sample() -> Vec<u8> {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../xai-cli/sample/attribution/model.onnx"
        );
        std::fs::read(file).unwrap()
    }

    #[test]
    fn a_number_that_does_not_end_is_no_model_wherever_it_stands() {
        let field = |number: u8, bytes: &[u8]| {
            let length = u8::try_from(bytes.len()).unwrap();
            [&[number << 3 | 2, length], bytes].concat()
        };
        let graph = |of: &[u8]| [&[1 << 3, 8][..], &field(7, of)].concat();
        let attribute = |of: &[u8]| graph(&field(1, &field(5, of)));
        for (length, is_one) in [(8, true), (10, false)] {
            let number = [&[0xff; 12][..length], &[1]].concat();
            let behind = [&[1 << 3][..], &number].concat();
            for model in [
                attribute(&field(8, &number)),
                attribute(&field(5, &field(7, &number))),
                attribute(&field(10, &field(5, &number))),
                graph(&field(5, &field(1, &number))),
                graph(&field(5, &field(11, &number))),
                graph(&field(5, &behind)),
                graph(&field(5, &field(13, &behind))),
            ] {
                assert_eq!(Contents::read(&model).is_some(), is_one, "{model:?}");
            }
        }
        // Texts and raw numbers may be any bytes.
        assert!(Contents::read(&graph(&field(5, &field(9, &[0xff; 12])))).is_some());
    }

    #[test]
    fn a_model_is_read() {
        let contents = Contents::read(&sample()).unwrap();
        let [input] = contents.inputs.as_slice() else {
            panic!("{:?}", contents.inputs);
        };
        assert_eq!(input.kind, Kind::Array(element::FLOAT));
        assert_eq!(contents.outputs.len(), 1);
        assert!(contents.has_operator("", "Conv"));
        assert_eq!(contents.classical(), None);
        assert!(contents.data_files.is_empty());
    }

    #[test]
    fn shapes_and_files_of_weights_are_read() {
        let contents = read("tests/data/models/mlp_batch_4.onnx");
        assert_eq!(
            contents.inputs[0].shape,
            Some(vec![Dimension::Fixed(4), Dimension::Fixed(4)])
        );
        let contents = read("tests/data/models/mlp_external.onnx");
        let files: Vec<&String> = contents.data_files.iter().collect();
        assert_eq!(files, ["mlp_external.onnx.data"]);
        assert!(matches!(
            contents.inputs[0].shape.as_deref(),
            Some([Dimension::Named(_), Dimension::Fixed(4)])
        ));
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
