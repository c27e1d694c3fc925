//! Sizes of arrays that a model computes from constants. An engine computes them when it loads the model, and the
//! process is aborted if they do not fit into memory.

use std::collections::BTreeMap;

use crate::onnx::contents::element;
use crate::onnx::contents::proto::{Attribute, Graph, Tensor};

/// Largest number of elements. Exporters write larger arrays into the file instead of computing them by a node.
const MAX_ELEMENTS: f64 = (1 << 28) as f64;

/// Largest number of numbers of a shape. Numbers of longer constants are not read.
const MAX_NUMBERS: usize = 16;

/// Operators that broadcast their inputs.
const BROADCASTING: [&str; 16] = [
    "Add",
    "And",
    "Div",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Or",
    "Pow",
    "Sub",
    "Where",
];

/// A constant array. Numbers are `f64`, so that products of lengths cannot overflow.
#[derive(Default)]
struct Constant {
    /// Lengths of the axes.
    lengths: Vec<f64>,
    /// The elements. Empty if there are more than [`MAX_NUMBERS`], or if their type is not decoded.
    numbers: Vec<f64>,
}

/// Describes the first node of a graph whose output is too large.
pub(super) fn too_large(graph: &Graph) -> Option<String> {
    let initializers = graph.initializer.iter();
    let mut constants: BTreeMap<&str, Constant> = initializers
        .map(|tensor| (&*tensor.name, Constant::from_tensor(tensor)))
        .collect();
    for node in &graph.node {
        let inputs: Vec<_> = node
            .input
            .iter()
            .map(|name| constants.get(&**name))
            .collect();
        let size = least_size(&node.op_type, &inputs);
        if size > MAX_ELEMENTS {
            let output = node.output.first().unwrap_or(&node.name);
            let name = if node.name.is_empty() {
                output
            } else {
                &node.name
            };
            let operator = &node.op_type;
            return Some(format!(
                "its node {name:?} ({operator}) makes an array of {size} elements"
            ));
        }
        let output = match (&*node.op_type, node.attribute.first()) {
            ("Constant", value) => value.map(Constant::from_attribute),
            (operator, _) => Constant::from_operator(operator, &inputs),
        };
        constants.extend(node.output.first().map(|name| &**name).zip(output));
    }
    None
}

/// Lower bound of the number of elements of the output of an operator. Axes of inputs that are not constant count as 1.
fn least_size(operator: &str, inputs: &[Option<&Constant>]) -> f64 {
    let input = |i: usize| inputs.get(i).copied().flatten();
    let elements = |i| input(i).map_or(1.0, |it| it.lengths.iter().product());
    let product = |i| {
        let numbers = input(i).map(|it| it.numbers.iter());
        numbers.map_or(1.0, |numbers| numbers.map(|n| n.max(0.0)).product::<f64>())
    };
    match operator {
        "ConstantOfShape" => product(0),
        "Expand" => product(1),
        "Tile" | "Upsample" | "OneHot" => elements(0) * product(1),
        "Resize" => (elements(0) * product(2)).max(product(3)),
        "Range" => {
            let number = |i| input(i)?.numbers.first().copied();
            match (number(0), number(1), number(2)) {
                (Some(start), Some(end), Some(step)) if step != 0.0 => {
                    ((end - start) / step).ceil()
                }
                _ => 1.0,
            }
        }
        "Pad" => {
            let added = input(1).map_or(&[][..], |it| &it.numbers);
            let (before, after) = added.split_at(added.len() / 2);
            // A fourth input selects the padded axes, so the lengths of the data cannot be matched.
            let data = input(0).filter(|_| inputs.len() < 4);
            let lengths = data.map_or(&[][..], |it| &it.lengths);
            let axes = before.iter().zip(after).enumerate();
            axes.map(|(axis, (a, b))| (lengths.get(axis).unwrap_or(&1.0) + a + b).max(1.0))
                .product()
        }
        "MatMul" => match (input(0), input(1)) {
            (Some(a), Some(b)) if a.lengths.len() > 1 && b.lengths.len() > 1 => {
                let (a, b) = (&a.lengths, &b.lengths);
                let batches = [&a[..a.len() - 2], &b[..b.len() - 2]];
                a[a.len() - 2] * b[b.len() - 1] * broadcast_size(batches.into_iter())
            }
            _ => 1.0,
        },
        _ if BROADCASTING.contains(&operator) => {
            broadcast_size(inputs.iter().flatten().map(|it| it.lengths.as_slice()))
        }
        _ => 1.0,
    }
}

/// Number of elements of several arrays that are broadcast together.
fn broadcast_size<'a>(arrays: impl Iterator<Item = &'a [f64]>) -> f64 {
    let mut longest: Vec<f64> = Vec::new();
    for lengths in arrays {
        longest.resize(longest.len().max(lengths.len()), 1.0);
        for (longest, length) in longest.iter_mut().zip(lengths.iter().rev()) {
            *longest = longest.max(*length);
        }
    }
    longest.iter().product()
}

impl Constant {
    /// Creates a constant from an array in the file.
    fn from_tensor(tensor: &Tensor) -> Self {
        let raw = tensor.raw_data.as_deref();
        let mut numbers: Vec<f64> = match (tensor.data_type, raw) {
            (Some(element::INT64), Some(raw)) => chunks(raw, |it| i64::from_le_bytes(it) as f64),
            (Some(element::INT32), Some(raw)) => chunks(raw, |it| i32::from_le_bytes(it).into()),
            (Some(element::FLOAT), Some(raw)) => chunks(raw, |it| f32::from_le_bytes(it).into()),
            (Some(element::DOUBLE), Some(raw)) => chunks(raw, f64::from_le_bytes),
            (Some(element::FLOAT), None) => few(&tensor.float_data, |it| it.into()),
            (Some(element::INT64), None) => few(&tensor.int64_data, |it| it as f64),
            _ => Vec::new(),
        };
        if numbers.len() > MAX_NUMBERS {
            numbers.clear();
        }
        Self {
            lengths: tensor.dims.iter().map(|&n| n as f64).collect(),
            numbers,
        }
    }

    /// Creates a constant from the value of a node `Constant`: an array, an integer or a list of integers.
    fn from_attribute(value: &Attribute) -> Self {
        match (&value.t, value.i) {
            (Some(tensor), _) => Self::from_tensor(tensor),
            (None, Some(number)) => Self {
                lengths: Vec::new(),
                numbers: vec![number as f64],
            },
            (None, None) => Self {
                lengths: vec![value.ints.len() as f64],
                numbers: few(&value.ints, |it| it as f64),
            },
        }
    }

    /// Creates a constant from the shape that an operator computes from other shapes. A length that depends on the
    /// inputs of the model counts as 1.
    fn from_operator(operator: &str, inputs: &[Option<&Self>]) -> Option<Self> {
        let numbers: Vec<f64> = match operator {
            "Concat" => {
                let unknown = [1.0];
                let parts = inputs
                    .iter()
                    .map(|it| it.map_or(&unknown[..], |it| &it.numbers));
                parts.flatten().copied().collect()
            }
            "Cast" | "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" => {
                inputs.first().copied().flatten()?.numbers.clone()
            }
            _ => return None,
        };
        (1..=MAX_NUMBERS).contains(&numbers.len()).then(|| Self {
            lengths: vec![numbers.len() as f64],
            numbers,
        })
    }
}

/// Decodes the first numbers, of `N` bytes each.
fn chunks<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    few(bytes.as_chunks().0, number)
}

/// Converts the first numbers; one more than the limit, so that longer lists are recognised.
fn few<T: Copy>(numbers: &[T], number: impl Fn(T) -> f64) -> Vec<f64> {
    let first = numbers.iter().take(MAX_NUMBERS + 1);
    first.map(|&it| number(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::onnx::contents::proto::Node;

    fn constant(lengths: &[f64], numbers: &[f64]) -> Constant {
        let (lengths, numbers) = (lengths.to_vec(), numbers.to_vec());
        Constant { lengths, numbers }
    }

    #[test]
    fn the_output_of_a_node_is_counted_before_it_is_made() {
        let shape = |numbers: &[f64]| Some(constant(&[numbers.len() as f64], numbers));
        let number = |number: f64| Some(constant(&[], &[number]));
        let array = |lengths: &[f64]| Some(constant(lengths, &[]));
        for (operator, inputs, expected) in [
            ("ConstantOfShape", vec![shape(&[1e6, 1e6])], 1e12),
            ("Expand", vec![None, shape(&[3.0, 4.0])], 12.0),
            ("Expand", vec![None, None], 1.0),
            ("Tile", vec![array(&[10.0, 5.0]), shape(&[2.0, 3.0])], 300.0),
            ("Range", vec![number(0.0), number(1e12), number(2.0)], 5e11),
            ("Range", vec![number(0.0), None, number(1.0)], 1.0),
            ("OneHot", vec![array(&[7.0]), number(1e9), None], 7e9),
            ("Pad", vec![None, shape(&[0.0, 1e6, 0.0, 1e6])], 2_000_001.0),
            (
                "Pad",
                vec![array(&[2.0, 3.0]), shape(&[1.0, 0.0, 1.0, 1.0])],
                16.0,
            ),
            (
                "Resize",
                vec![None, None, None, shape(&[1.0, 3.0, 1e5, 1e5])],
                3e10,
            ),
            (
                "Resize",
                vec![array(&[1.0, 3.0, 2.0]), None, shape(&[1.0, 1.0, 1e9])],
                6e9,
            ),
            ("Add", vec![array(&[1e6, 1.0]), array(&[1e6])], 1e12),
            ("Add", vec![None, array(&[1e6])], 1e6),
            (
                "Where",
                vec![None, array(&[9.0, 1.0]), array(&[1.0, 8.0])],
                72.0,
            ),
            ("MatMul", vec![array(&[1e6, 2.0]), array(&[2.0, 1e6])], 1e12),
            (
                "MatMul",
                vec![array(&[5.0, 1.0, 3.0, 2.0]), array(&[4.0, 2.0, 6.0])],
                360.0,
            ),
            ("MatMul", vec![None, array(&[1e6, 1e6])], 1.0),
            ("Relu", vec![array(&[1e6, 1e6])], 1.0),
        ] {
            let inputs: Vec<_> = inputs.iter().map(Option::as_ref).collect();
            assert_eq!(least_size(operator, &inputs), expected, "{operator}");
        }
    }

    #[test]
    fn shapes_are_followed_through_operators_that_combine_them() {
        let of = |operator: &str, inputs: &[Option<&Constant>]| {
            Constant::from_operator(operator, inputs).map(|it| it.numbers)
        };
        let (two, large) = (constant(&[2.0], &[2.0, 3.0]), constant(&[], &[1e9]));
        assert_eq!(
            of("Concat", &[Some(&two), None, Some(&large)]),
            Some(vec![2.0, 3.0, 1.0, 1e9])
        );
        assert_eq!(of("Unsqueeze", &[Some(&large), None]), Some(vec![1e9]));
        assert_eq!(of("Unsqueeze", &[None]), None);
        assert_eq!(of("Relu", &[Some(&two)]), None);
        // An array whose numbers were not read is no shape.
        assert_eq!(of("Reshape", &[Some(&constant(&[100.0], &[]))]), None);
    }

    fn tensor(name: &str, data_type: i32) -> Tensor {
        Tensor {
            name: name.to_owned(),
            data_type: Some(data_type),
            ..Tensor::default()
        }
    }

    #[test]
    fn constants_are_read_as_exporters_write_them() {
        let numbers = |tensor: &Tensor| Constant::from_tensor(tensor).numbers;
        let mut raw = tensor("", element::INT64);
        raw.raw_data = Some(
            [3_i64.to_le_bytes(), (-1_i64).to_le_bytes()]
                .concat()
                .into(),
        );
        raw.dims = vec![2];
        assert_eq!(Constant::from_tensor(&raw).lengths, [2.0]);
        assert_eq!(numbers(&raw), [3.0, -1.0]);
        let mut listed = tensor("", element::INT64);
        listed.int64_data = vec![3, 4];
        assert_eq!(numbers(&listed), [3.0, 4.0]);
        let mut floats = tensor("", element::FLOAT);
        floats.float_data = vec![0.5];
        assert_eq!(numbers(&floats), [0.5]);
        floats.raw_data = Some(0.5_f32.to_le_bytes().to_vec().into());
        assert_eq!(numbers(&floats), [0.5]);
        floats.raw_data = Some(vec![0; 100].into());
        assert!(numbers(&floats).is_empty());
        let mut value = Attribute {
            ints: vec![2, 3],
            ..Attribute::default()
        };
        assert_eq!(Constant::from_attribute(&value).numbers, [2.0, 3.0]);
        value.i = Some(9);
        assert_eq!(Constant::from_attribute(&value).numbers, [9.0]);
    }

    #[test]
    fn the_node_is_named() {
        let graph = |end: i64| {
            let scalars = [("a", 0), ("b", end), ("c", 1)];
            let scalar = |(name, number): (&str, i64)| Tensor {
                int64_data: vec![number],
                ..tensor(name, element::INT64)
            };
            let node = Node {
                input: ["a", "b", "c"].map(str::to_owned).to_vec(),
                name: "all".to_owned(),
                op_type: "Range".to_owned(),
                ..Node::default()
            };
            Graph {
                node: vec![node],
                initializer: scalars.map(scalar).to_vec(),
                ..Graph::default()
            }
        };
        assert_eq!(too_large(&graph(1000)), None);
        let said = too_large(&graph(10_i64.pow(12))).unwrap();
        assert_eq!(
            said,
            "its node \"all\" (Range) makes an array of 1000000000000 elements"
        );
    }
}
