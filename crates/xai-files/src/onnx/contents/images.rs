//! Where a model expects the channels of images, as far as its file says.

use std::collections::BTreeSet;

use xai_core::Layout;

use crate::onnx::contents::port::{Dimension, Port};
use crate::onnx::contents::wire::{Value, bytes_of, fields, numbers_of, texts_of};

/// What a model's file says of the layout of images that it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImageLayout {
    /// What the model does with images, or the shape that it declares, allows this alone.
    pub known: Option<Layout>,
    /// What the program that exported the model has.
    pub likely: Option<Layout>,
}

/// Operators that the format defines on arrays with the channels as their second axis.
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

/// Operators whose output has the axes of their input: what scales images before the network begins.
const ALIKE: [&str; 11] = [
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
    /// Of the first input of a model, by its graph and by what exported it.
    pub(super) fn of(input: &Port, graph: &[u8], producer: &str) -> Self {
        Self {
            known: taken(&input.name, graph).or_else(|| declared(input.shape.as_deref()?)),
            likely: (producer == "pytorch").then_some(Layout::ChannelsFirst),
        }
    }
}

/// By the first operator that gives the axes of an input a meaning; nodes stand in the order of their use.
fn taken(input: &str, graph: &[u8]) -> Option<Layout> {
    let mut alike = BTreeSet::from([input.to_owned()]);
    for (number, value) in fields(graph) {
        let (1, Value::Bytes(node)) = (number, value) else {
            continue;
        };
        if !texts_of(node, 1).any(|name| alike.contains(&name)) {
            continue;
        }
        let operator = texts_of(node, 4).last().unwrap_or_default();
        match operator.as_str() {
            "Transpose" => match permutation(node).as_slice() {
                [0, 3, 1, 2] => return Some(Layout::ChannelsLast),
                [0, 2, 3, 1] => return Some(Layout::ChannelsFirst),
                _ => {}
            },
            of if CHANNELS_FIRST.contains(&of) => return Some(Layout::ChannelsFirst),
            of if ALIKE.contains(&of) => alike.extend(texts_of(node, 2)),
            _ => {}
        }
    }
    None
}

/// The only attribute of a `Transpose`.
fn permutation(node: &[u8]) -> Vec<u64> {
    bytes_of(node, 5).map_or_else(Vec::new, |attribute| numbers_of(attribute, 8))
}

/// By a declared shape: images of any size have a number of channels.
fn declared(shape: &[Dimension]) -> Option<Layout> {
    use Dimension::{Fixed, Named};
    match shape {
        [_, Fixed(_), Named(_), Named(_)] => Some(Layout::ChannelsFirst),
        [_, Named(_), Named(_), Fixed(_)] => Some(Layout::ChannelsLast),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field of bytes.
    fn message(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    fn node(from: &str, operator: &str, to: &str, permutation: &[u8]) -> Vec<u8> {
        let ints: Vec<u8> = permutation
            .iter()
            .flat_map(|&axis| [8 << 3, axis])
            .collect();
        let parts = [
            message(1, from.as_bytes()),
            message(2, to.as_bytes()),
            message(4, operator.as_bytes()),
            message(5, &ints),
        ];
        message(1, &parts.concat())
    }

    #[test]
    fn what_a_model_does_with_its_input_says_where_the_channels_are() {
        let scaled = |next: Vec<u8>| [node("x", "Sub", "a", &[]), node("a", "Div", "b", &[]), next];
        let first = Some(Layout::ChannelsFirst);
        for (graph, expected) in [
            (scaled(node("b", "Conv", "y", &[])), first),
            (scaled(node("c", "Conv", "y", &[])), None),
            (scaled(node("b", "Flatten", "y", &[])), None),
            (
                scaled(node("b", "Transpose", "y", &[0, 3, 1, 2])),
                Some(Layout::ChannelsLast),
            ),
            (scaled(node("b", "Transpose", "y", &[0, 2, 3, 1])), first),
            (scaled(node("b", "Transpose", "y", &[0, 1, 3, 2])), None),
        ] {
            assert_eq!(taken("x", &graph.concat()), expected);
        }
    }

    #[test]
    fn a_declared_shape_says_it_where_only_the_channels_are_fixed() {
        let named = || Dimension::Named("n".to_owned());
        let fixed = Dimension::Fixed;
        for (shape, expected) in [
            (
                [named(), fixed(5), named(), named()],
                Some(Layout::ChannelsFirst),
            ),
            (
                [fixed(1), named(), named(), fixed(5)],
                Some(Layout::ChannelsLast),
            ),
            ([named(), fixed(5), fixed(8), fixed(8)], None),
            ([named(), named(), named(), named()], None),
        ] {
            assert_eq!(declared(&shape), expected, "{shape:?}");
        }
    }
}
