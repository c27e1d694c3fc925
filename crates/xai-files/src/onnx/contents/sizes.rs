//! Arrays that a model makes of constants of its file: an engine makes them as soon as it loads the model.

use std::collections::BTreeMap;

use crate::onnx::contents::element;
use crate::onnx::contents::wire::{Value, bytes_of, fields, number_of, numbers_of, text, texts_of};

/// No exporter writes an array of so many elements as the work of a node.
const MOST_ELEMENTS: u64 = 1 << 28;

/// Operators whose output has at least as many elements as the product of an input, and which input.
const SIZED: [(&str, usize); 3] = [("ConstantOfShape", 0), ("Expand", 1), ("Tile", 1)];

/// The first node of a graph whose output no memory holds, in words.
pub(super) fn too_large(graph: &[u8]) -> Option<String> {
    let mut constants: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for (number, value) in fields(graph) {
        if let (5, Value::Bytes(tensor)) = (number, value) {
            let name = bytes_of(tensor, 8).map(text);
            constants.extend(name.zip(integers(tensor)));
        }
    }
    for (number, value) in fields(graph) {
        let (1, Value::Bytes(node)) = (number, value) else {
            continue;
        };
        let operator = texts_of(node, 4).last().unwrap_or_default();
        if operator == "Constant" {
            let attribute = bytes_of(node, 5).unwrap_or_default();
            let numbers = match bytes_of(attribute, 5) {
                Some(tensor) => integers(tensor),
                None => Some(signed(numbers_of(attribute, 8))),
            };
            constants.extend(texts_of(node, 2).next().zip(numbers));
        }
        let sized = SIZED.iter().find(|(name, _)| *name == operator);
        let shape = sized.and_then(|&(_, input)| constants.get(&texts_of(node, 1).nth(input)?));
        let count = |shape: &&Vec<i64>| {
            let mut sizes = shape.iter().map(|&size| u64::try_from(size).unwrap_or(0));
            sizes.try_fold(1u64, u64::checked_mul)
        };
        if let Some(shape) = shape.filter(|shape| count(shape).is_none_or(|n| n > MOST_ELEMENTS)) {
            let named = [texts_of(node, 3).last(), texts_of(node, 2).next()];
            let named = named.into_iter().flatten().find(|name| !name.is_empty());
            return Some(format!(
                "its node {:?} ({operator}) makes an array of {shape:?}",
                named.unwrap_or_default()
            ));
        }
    }
    None
}

/// The numbers of a `TensorProto` of 64-bit integers in the file, where it has a few: a shape.
fn integers(tensor: &[u8]) -> Option<Vec<i64>> {
    if number_of(tensor, 2) != Some(element::INT64) {
        return None;
    }
    match bytes_of(tensor, 9) {
        Some(raw) => {
            let (numbers, _) = raw.get(..raw.len().min(128))?.as_chunks();
            Some(
                numbers
                    .iter()
                    .map(|&bytes| i64::from_le_bytes(bytes))
                    .collect(),
            )
        }
        None => Some(signed(numbers_of(tensor, 7))),
    }
}

fn signed(numbers: Vec<u64>) -> Vec<i64> {
    numbers.into_iter().map(|number| number as i64).collect()
}
