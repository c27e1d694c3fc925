//! Arrays that a model makes of constants of its file: an engine makes them as soon as it loads the model.

use std::collections::BTreeMap;

use crate::onnx::contents::element;
use crate::onnx::contents::wire::{Value, bytes_of, fields, number_of, numbers_of, text, texts_of};

/// No exporter writes an array of so many elements as the work of a node.
const MOST_ELEMENTS: f64 = (1 << 28) as f64;

/// A shape has no more numbers.
const MOST_NUMBERS: usize = 16;

/// Operators of two and more arrays whose axes of the length 1 are repeated.
const REPEATING: [&str; 16] = [
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

/// An array that stands in the file.
#[derive(Default)]
struct Constant {
    lengths: Vec<f64>,
    /// Its numbers, where they are a few.
    numbers: Vec<f64>,
}

/// The first node of a graph whose output no memory holds, in words.
pub(super) fn too_large(graph: &[u8]) -> Option<String> {
    let mut constants: BTreeMap<String, Constant> = BTreeMap::new();
    for (number, value) in fields(graph) {
        if let (5, Value::Bytes(tensor)) = (number, value) {
            let name = bytes_of(tensor, 8).map(text);
            constants.extend(name.map(|name| (name, Constant::of_tensor(tensor))));
        }
    }
    for (number, value) in fields(graph) {
        let (1, Value::Bytes(node)) = (number, value) else {
            continue;
        };
        let operator = texts_of(node, 4).last().unwrap_or_default();
        let inputs: Vec<_> = texts_of(node, 1).map(|name| constants.get(&name)).collect();
        let size = least_size(&operator, &inputs);
        let made = match operator.as_str() {
            "Constant" => {
                let attribute = bytes_of(node, 5).unwrap_or_default();
                Some(match bytes_of(attribute, 5) {
                    Some(tensor) => Constant::of_tensor(tensor),
                    None => Constant::of_integers(attribute),
                })
            }
            operator => Constant::of_shape(operator, &inputs),
        };
        if size > MOST_ELEMENTS {
            let named = [texts_of(node, 3).last(), texts_of(node, 2).next()];
            let named = named.into_iter().flatten().find(|name| !name.is_empty());
            return Some(format!(
                "its node {:?} ({operator}) makes an array of {size} elements",
                named.unwrap_or_default()
            ));
        }
        let name = texts_of(node, 2).next();
        constants.extend(name.zip(made));
    }
    None
}

/// The least number of elements that an operator makes. Axes of inputs that do not stand in the file count as 1.
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
            // A further input says which axes these are.
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
                a[a.len() - 2] * b[b.len() - 1] * repeated(batches.into_iter())
            }
            _ => 1.0,
        },
        _ if REPEATING.contains(&operator) => {
            repeated(inputs.iter().flatten().map(|it| it.lengths.as_slice()))
        }
        _ => 1.0,
    }
}

/// The elements of an array that is as long on each axis, counted from the last, as the longest of several.
fn repeated<'a>(arrays: impl Iterator<Item = &'a [f64]>) -> f64 {
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
    /// A `TensorProto`.
    fn of_tensor(tensor: &[u8]) -> Self {
        let lengths = numbers_of(tensor, 1).into_iter().map(|n| n as f64);
        let mut numbers = match (number_of(tensor, 2), bytes_of(tensor, 9)) {
            (Some(element::INT64), Some(raw)) => chunks(raw, |it| i64::from_le_bytes(it) as f64),
            (Some(element::INT32), Some(raw)) => chunks(raw, |it| i32::from_le_bytes(it).into()),
            (Some(element::FLOAT), Some(raw)) => chunks(raw, |it| f32::from_le_bytes(it).into()),
            (Some(element::DOUBLE), Some(raw)) => chunks(raw, f64::from_le_bytes),
            (Some(element::FLOAT), None) => {
                let packed = bytes_of(tensor, 4).unwrap_or_default();
                chunks(packed, |it| f32::from_le_bytes(it).into())
            }
            (Some(element::INT64), None) => signed(numbers_of(tensor, 7)),
            _ => Vec::new(),
        };
        if numbers.len() > MOST_NUMBERS {
            numbers.clear();
        }
        Self {
            lengths: lengths.collect(),
            numbers,
        }
    }

    /// A shape that is made of others; a length that depends on the inputs of the model counts as 1.
    fn of_shape(operator: &str, inputs: &[Option<&Self>]) -> Option<Self> {
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
        (1..=MOST_NUMBERS).contains(&numbers.len()).then(|| Self {
            lengths: vec![numbers.len() as f64],
            numbers,
        })
    }

    /// An attribute of integers, or of one.
    fn of_integers(attribute: &[u8]) -> Self {
        let several = signed(numbers_of(attribute, 8));
        match number_of(attribute, 3) {
            Some(one) => Self {
                lengths: Vec::new(),
                numbers: signed(vec![one]),
            },
            None => Self {
                lengths: vec![several.len() as f64],
                numbers: several,
            },
        }
    }
}

/// The first numbers of so many bytes each.
fn chunks<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    let (numbers, _) = bytes.as_chunks();
    let numbers = numbers.iter().take(MOST_NUMBERS + 1);
    numbers.map(|&it| number(it)).collect()
}

fn signed(numbers: Vec<u64>) -> Vec<f64> {
    let signed = numbers.into_iter().map(u64::cast_signed);
    signed.map(|number| number as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(lengths: &[f64], numbers: &[f64]) -> Constant {
        let (lengths, numbers) = (lengths.to_vec(), numbers.to_vec());
        Constant { lengths, numbers }
    }

    #[test]
    fn what_a_node_makes_of_constants_is_counted_before_it_is_made() {
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
    fn shapes_are_followed_through_what_puts_them_together() {
        let of = |operator: &str, inputs: &[Option<&Constant>]| {
            Constant::of_shape(operator, inputs).map(|it| it.numbers)
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

    /// A field of bytes of a message.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).unwrap();
        [&[number << 3 | 2, length], bytes].concat()
    }

    #[test]
    fn constants_are_read_as_exporters_write_them() {
        let numbers = |tensor: &[u8]| Constant::of_tensor(tensor).numbers;
        let raw = [3_i64.to_le_bytes(), (-1_i64).to_le_bytes()].concat();
        let tensor = [vec![1 << 3, 2, 2 << 3, 7], field(9, &raw)].concat();
        assert_eq!(Constant::of_tensor(&tensor).lengths, [2.0]);
        assert_eq!(numbers(&tensor), [3.0, -1.0]);
        assert_eq!(
            numbers(&[vec![2 << 3, 7], field(7, &[3, 4])].concat()),
            [3.0, 4.0]
        );
        let half = 0.5_f32.to_le_bytes();
        for of in [4, 9] {
            assert_eq!(
                numbers(&[vec![2 << 3, 1], field(of, &half)].concat()),
                [0.5]
            );
        }
        let many = [vec![2 << 3, 1], field(9, &[0; 100])].concat();
        assert!(numbers(&many).is_empty());
        // The attributes `value_int` and `value_ints`.
        assert_eq!(Constant::of_integers(&[3 << 3, 9]).numbers, [9.0]);
        assert_eq!(
            Constant::of_integers(&field(8, &[2, 3])).numbers,
            [2.0, 3.0]
        );
    }

    #[test]
    fn the_node_is_named() {
        let scalar = |name: &str, number: i64| {
            let tensor = [
                vec![2 << 3, 7],
                field(8, name.as_bytes()),
                field(9, &number.to_le_bytes()),
            ];
            field(5, &tensor.concat())
        };
        let graph = |end| {
            let node = [
                field(1, b"a"),
                field(1, b"b"),
                field(1, b"c"),
                field(3, b"all"),
                field(4, b"Range"),
            ];
            let parts = [
                field(1, &node.concat()),
                scalar("a", 0),
                scalar("b", end),
                scalar("c", 1),
            ];
            parts.concat()
        };
        assert_eq!(too_large(&graph(1000)), None);
        let said = too_large(&graph(10_i64.pow(12))).unwrap();
        assert_eq!(
            said,
            "its node \"all\" (Range) makes an array of 1000000000000 elements"
        );
    }
}
