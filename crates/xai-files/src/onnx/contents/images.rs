//! The layout of images that a model takes.

use std::collections::BTreeSet;

use xai_core::InputLayout;

use crate::onnx::contents::port::{Dimension, Port};
use crate::onnx::contents::proto::Node;

/// The layout of images that a model takes, as far as its file reveals it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImageLayout {
    /// The layout that follows from the operators of the model or from the declared shape.
    pub known: Option<InputLayout>,
    /// The usual layout of the framework that exported the model.
    pub likely: Option<InputLayout>,
}

/// Operators that are defined on arrays whose second axis is the channels.
const CHANNELS_FIRST: [&str; 12] = [
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "InstanceNormalization",
    "LRN",
    "MaxPool",
    "QLinearConv",
    "SpaceToDepth",
];

/// Operators whose output has the axes of their input, which often scale images before the network begins.
const SHAPE_PRESERVING: [&str; 11] = [
    "Add",
    "Cast",
    "Clip",
    "DequantizeLinear",
    "Div",
    "Identity",
    "Mul",
    "Pad",
    "QuantizeLinear",
    "Relu",
    "Sub",
];

impl ImageLayout {
    /// Finds the layout of the first input of a model.
    pub(super) fn new(input: &Port, nodes: &[Node], producer: &str) -> Self {
        Self {
            known: layout_from_operators(&input.name, nodes)
                .or_else(|| layout_from_shape(input.shape.as_deref()?)),
            likely: (producer == "pytorch").then_some(InputLayout::ChannelsFirst),
        }
    }
}

/// Finds the layout by the first operator that gives the axes of an input a meaning. Nodes are in the order of
/// execution.
fn layout_from_operators(input: &str, nodes: &[Node]) -> Option<InputLayout> {
    // Names of the arrays that have the axes of the input.
    let mut same_axes = BTreeSet::from([input]);
    for node in nodes {
        if !node.input.iter().any(|name| same_axes.contains(&**name)) {
            continue;
        }
        match &*node.op_type {
            "Transpose" => match node.attribute.first().map(|axes| &*axes.ints) {
                Some([0, 3, 1, 2]) => return Some(InputLayout::ChannelsLast),
                Some([0, 2, 3, 1]) => return Some(InputLayout::ChannelsFirst),
                _ => {}
            },
            operator if CHANNELS_FIRST.contains(&operator) => {
                return Some(InputLayout::ChannelsFirst);
            }
            operator if SHAPE_PRESERVING.contains(&operator) => {
                same_axes.extend(node.output.iter().map(|name| &**name));
            }
            _ => {}
        }
    }
    None
}

/// Finds the layout by a declared shape in which, apart from the batch, only the number of channels is fixed.
fn layout_from_shape(shape: &[Dimension]) -> Option<InputLayout> {
    use Dimension::{Fixed, Named};
    match shape {
        [_, Fixed(_), Named(_), Named(_)] => Some(InputLayout::ChannelsFirst),
        [_, Named(_), Named(_), Fixed(_)] => Some(InputLayout::ChannelsLast),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::contents::proto::Attribute;

    fn node(from: &str, op_type: &str, to: &str, permutation: &[i64]) -> Node {
        Node {
            input: vec![from.to_owned()],
            output: vec![to.to_owned()],
            op_type: op_type.to_owned(),
            attribute: vec![Attribute {
                ints: permutation.to_vec(),
                ..Attribute::default()
            }],
            ..Node::default()
        }
    }

    #[test]
    fn the_operators_of_a_model_tell_where_the_channels_are() {
        let scaled = |next: Node| [node("x", "Sub", "a", &[]), node("a", "Div", "b", &[]), next];
        let first = Some(InputLayout::ChannelsFirst);
        for (graph, expected) in [
            (scaled(node("b", "Conv", "y", &[])), first),
            (scaled(node("c", "Conv", "y", &[])), None),
            (scaled(node("b", "Flatten", "y", &[])), None),
            (
                scaled(node("b", "Transpose", "y", &[0, 3, 1, 2])),
                Some(InputLayout::ChannelsLast),
            ),
            (scaled(node("b", "Transpose", "y", &[0, 2, 3, 1])), first),
            (scaled(node("b", "Transpose", "y", &[0, 1, 3, 2])), None),
        ] {
            assert_eq!(layout_from_operators("x", &graph), expected);
        }
    }

    #[test]
    fn a_declared_shape_fixes_the_layout_if_only_channels_are_fixed() {
        let named = || Dimension::Named("n".to_owned());
        let fixed = Dimension::Fixed;
        for (shape, expected) in [
            (
                [named(), fixed(5), named(), named()],
                Some(InputLayout::ChannelsFirst),
            ),
            (
                [fixed(1), named(), named(), fixed(5)],
                Some(InputLayout::ChannelsLast),
            ),
            ([named(), fixed(5), fixed(8), fixed(8)], None),
            ([named(), named(), named(), named()], None),
        ] {
            assert_eq!(layout_from_shape(&shape), expected, "{shape:?}");
        }
    }
}
