//! Contents of an ONNX file (types, sizes and the layout of images), which are checked before an engine loads it.

pub(super) mod element;
pub(super) mod images;
pub(super) mod port;
mod proto;
mod sizes;

use std::collections::BTreeSet;

use prost::Message;
use prost::bytes::Bytes;

use images::ImageLayout;
use port::Port;
use proto::{Graph, Model, Node, Tensor};

/// The operators, inputs, outputs and types of a model.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    /// The inputs without a value in the file.
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// Domain and name of each operator.
    pub(super) operators: BTreeSet<(String, String)>,
    /// The element types of the constants.
    pub(super) constant_types: BTreeSet<i32>,
    /// Whether 8-bit constants, such as the weights of integer products, use more than seven bits.
    pub(super) has_full_bytes: bool,
    /// The files in the folder of the model that contain constants.
    pub(super) data_files: BTreeSet<String>,
    /// The layout of images that the model takes.
    pub(super) images: ImageLayout,
    /// Description of a node whose output is too large for an engine to compute when it loads the model.
    pub(super) too_large: Option<String>,
    /// Number of convolutions that treat each channel by itself.
    pub(super) n_depthwise: usize,
    /// The operator that computes each output; empty if no node of the graph computes it.
    pub(super) last_operators: Vec<String>,
}

impl Contents {
    /// Reads the bytes of a file. `None` if they are not a complete model.
    pub(super) fn read(file: Bytes) -> Option<Self> {
        let model = Model::decode(file)
            .ok()
            .filter(|it| it.ir_version.is_some())?;
        let graph = model.graph?;
        let mut contents = Self::default();
        contents.add_graph(&graph);
        // Before version 4 of the format, constants are also listed as inputs.
        let constants: BTreeSet<&str> = graph.initializer.iter().map(|it| &*it.name).collect();
        let ports =
            |infos: &[proto::ValueInfo]| infos.iter().map(Port::new).collect::<Option<Vec<_>>>();
        contents.inputs = ports(&graph.input)?;
        contents
            .inputs
            .retain(|input| !constants.contains(&*input.name));
        contents.outputs = ports(&graph.output)?;
        let last_operator = |output: &Port| {
            let mut nodes = graph.node.iter();
            let node = nodes.find(|node| node.output.contains(&output.name));
            node.map_or_else(String::new, |node| node.op_type.clone())
        };
        contents.n_depthwise = n_depthwise(&graph);
        contents.last_operators = contents.outputs.iter().map(last_operator).collect();
        if let Some(input) = contents.inputs.first() {
            contents.images = ImageLayout::new(input, &graph.node, &model.producer_name);
        }
        Some(contents)
    }

    fn add_graph(&mut self, graph: &Graph) {
        if self.too_large.is_none() {
            self.too_large = sizes::too_large(graph);
        }
        for constant in &graph.initializer {
            self.add_constant(constant);
        }
        for Node {
            domain,
            op_type,
            attribute,
            ..
        } in &graph.node
        {
            self.operators.insert((domain.clone(), op_type.clone()));
            for value in attribute {
                for constant in value.t.iter().chain(&value.tensors) {
                    self.add_constant(constant);
                }
                // Bodies of loops and branches.
                for subgraph in value.g.iter().chain(&value.graphs) {
                    self.add_graph(subgraph);
                }
            }
        }
    }

    fn add_constant(&mut self, constant: &Tensor) {
        self.constant_types.extend(constant.data_type);
        self.has_full_bytes |= has_full_bytes(constant);
        let entries = constant.external_data.iter();
        let locations = entries.filter(|entry| entry.key == "location");
        self.data_files.extend(locations.map(|it| it.value.clone()));
    }

    /// Returns whether the model has an operator.
    pub(super) fn has_operator(&self, domain: &str, name: &str) -> bool {
        self.operators
            .iter()
            .any(|(operator_domain, operator)| operator_domain == domain && operator == name)
    }

    /// Returns whether an operator quantises dynamically, with a scale that is computed from the whole batch.
    pub(super) fn quantises_dynamically(&self) -> bool {
        let mut operators = self.operators.iter();
        operators.any(|(_, operator)| operator.starts_with("DynamicQuantize"))
    }

    /// The name of an operator of classical machine learning (trees, support vectors, scalers), if the model has one.
    pub(super) fn classical_operator(&self) -> Option<&str> {
        let mut operators = self.operators.iter();
        let classical = operators.find(|(domain, _)| domain == "ai.onnx.ml");
        classical.map(|(_, name)| name.as_str())
    }
}

/// Counts the depthwise convolutions: those with groups of one input channel.
fn n_depthwise(graph: &Graph) -> usize {
    let has_one_channel = |weights: &str| {
        let mut constants = graph.initializer.iter();
        let constant = constants.find(|constant| constant.name == weights);
        constant.is_some_and(|constant| constant.dims.get(1) == Some(&1))
    };
    let is_depthwise = |node: &&Node| {
        // `group` is the only attribute of a convolution that is an integer.
        let is_grouped = node.attribute.iter().any(|value| value.i > Some(1));
        node.op_type == "Conv"
            && is_grouped
            && node.input.get(1).is_some_and(|it| has_one_channel(it))
    };
    graph.node.iter().filter(is_depthwise).count()
}

/// Returns whether an 8-bit constant has numbers farther than 64 from the middle of their range, which do not fit
/// into seven bits.
fn has_full_bytes(constant: &Tensor) -> bool {
    const IN_ANOTHER_FILE: i32 = 1;
    let middle = match constant.data_type {
        Some(element::INT8) => 0,
        Some(element::UINT8) => 128,
        _ => return false,
    };
    let bytes = constant.raw_data.as_deref().unwrap_or_default();
    let raw_numbers = bytes.iter().map(|&byte| match middle {
        0 => i32::from(byte.cast_signed()),
        _ => i32::from(byte),
    });
    let numbers: Vec<i32> = raw_numbers
        .chain(constant.int32_data.iter().copied())
        .collect();
    // A single number is a zero point, not a weight. Numbers in other files are not read, so they may be large.
    constant.data_location == IN_ANOTHER_FILE
        || numbers.len() > 1 && numbers.iter().any(|number| number.abs_diff(middle) > 64)
}

#[cfg(test)]
mod tests {
    use super::port::{Dimension, PortKind};
    use super::*;

    fn read(file: &str) -> Contents {
        let file = format!("{}/../xai-cli/{file}", env!("CARGO_MANIFEST_DIR"));
        Contents::read(std::fs::read(file).unwrap().into()).unwrap()
    }

    fn sample() -> Bytes {
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../xai-cli/sample/attribution/model.onnx"
        );
        std::fs::read(file).unwrap().into()
    }

    #[test]
    fn a_number_without_an_end_is_refused_wherever_it_stands() {
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
                graph(&field(5, &field(13, &[&[9 << 3][..], &number].concat()))),
            ] {
                assert_eq!(
                    Contents::read(model.clone().into()).is_some(),
                    is_one,
                    "{model:?}"
                );
            }
        }
        // Texts and raw numbers may be any bytes.
        assert!(Contents::read(graph(&field(5, &field(9, &[0xff; 12]))).into()).is_some());
    }

    #[test]
    fn a_model_is_read() {
        let contents = Contents::read(sample()).unwrap();
        let [input] = contents.inputs.as_slice() else {
            panic!("{:?}", contents.inputs);
        };
        assert_eq!(input.kind, PortKind::Array(element::FLOAT));
        assert_eq!(contents.outputs.len(), 1);
        assert!(contents.has_operator("", "Conv"));
        assert_eq!(contents.classical_operator(), None);
        assert!(contents.data_files.is_empty());
    }

    #[test]
    fn depthwise_convolutions_are_counted() {
        let contents = read("tests/data/models/depthwise.onnx");
        assert_eq!(contents.n_depthwise, 8);
        // Its first convolution has one input channel, but no groups.
        assert_eq!(Contents::read(sample()).unwrap().n_depthwise, 0);
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
    fn a_file_that_is_cut_off_is_refused() {
        let model = sample();
        // A model without its last fields, the graph among them, is none.
        for end in 0..model.len() - 32 {
            assert_eq!(Contents::read(model.slice(..end)), None, "{end}");
        }
    }

    #[test]
    fn lengths_beyond_the_file_and_endless_nesting_are_refused() {
        assert_eq!(Contents::read(Bytes::from_static(b"hello")), None);
        assert_eq!(Contents::read(Bytes::new()), None);
        let endless = [0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert_eq!(Contents::read(Bytes::copy_from_slice(&endless)), None);
        let mut graph = Vec::new();
        for _ in 0..100 {
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
        let model = [&[1 << 3, 8, 7 << 3 | 2][..], &graph].concat();
        assert_eq!(Contents::read(model.into()), None);
    }
}
