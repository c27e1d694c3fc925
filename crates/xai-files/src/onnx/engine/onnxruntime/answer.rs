//! What ONNX Runtime answers, in double precision.

use half::f16;
use ndarray::ArrayD;
use ort::value::{
    DynMapValueType, DynSequenceValueType, DynValue, IntoTensorElementType,
    PrimitiveTensorElementType, TensorElementType, ValueType,
};

use crate::onnx::engine::interface::{self, Reason};

/// An answer; maps from classes to scores as rows of scores.
pub(super) fn numbers(answer: DynValue) -> Result<ArrayD<f64>, Reason> {
    match answer.dtype() {
        ValueType::Tensor { ty, .. } => match ty {
            TensorElementType::Float32 => array::<f32>(&answer, f64::from),
            TensorElementType::Float64 => array::<f64>(&answer, |x| x),
            TensorElementType::Float16 => array::<f16>(&answer, f64::from),
            other => Err(format!(
                "it answers with values of the type {other}: expected scores"
            )),
        },
        ValueType::Sequence(of) => match **of {
            ValueType::Map {
                key: TensorElementType::Int64,
                value: TensorElementType::Float32,
            } => maps::<i64>(answer),
            ValueType::Map {
                key: TensorElementType::String,
                value: TensorElementType::Float32,
            } => maps::<String>(answer),
            ref other => Err(format!(
                "it answers with a sequence of {other}: expected scores"
            )),
        },
        other => Err(format!("it answers with {other}: expected scores")),
    }
}

fn array<T: PrimitiveTensorElementType + Copy>(
    answer: &DynValue,
    number: impl Fn(T) -> f64,
) -> Result<ArrayD<f64>, Reason> {
    let array = answer.try_extract_tensor::<T>();
    let (shape, numbers) = array.map_err(|error| error.to_string())?;
    let shape: Result<Vec<usize>, _> = shape.iter().map(|&n| usize::try_from(n)).collect();
    let shape = shape.map_err(|error| error.to_string())?;
    interface::array(&shape, numbers.iter().map(|&x| number(x)).collect())
}

/// Maps from classes to scores, one per sample: a column per class, in the order of the classes.
fn maps<K>(answer: DynValue) -> Result<ArrayD<f64>, Reason>
where
    K: IntoTensorElementType + Clone + std::hash::Hash + Ord,
{
    let extract = move || -> ort::Result<Vec<Vec<(K, f32)>>> {
        let answer = answer.downcast::<DynSequenceValueType>()?;
        let samples = answer.try_extract_sequence::<DynMapValueType>()?;
        let samples = samples.iter().map(|map| map.try_extract_key_values());
        samples.collect()
    };
    let mut samples = extract().map_err(|error| error.to_string())?;
    for sample in &mut samples {
        sample.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
    let classes = |sample: &Vec<(K, f32)>| sample.iter().map(|(class, _)| class.clone()).collect();
    let first: Vec<K> = samples.first().map(classes).unwrap_or_default();
    if samples.iter().any(|sample| classes(sample) != first) {
        return Err("its samples have scores of different classes".to_owned());
    }
    let shape = [samples.len(), first.len()];
    let scores = samples.iter().flatten().map(|&(_, score)| score.into());
    interface::array(&shape, scores.collect())
}
