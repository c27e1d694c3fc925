//! Deletion and completeness of input times gradient for a candle network.

use candle_core::{Device, Module, Tensor, Var};
use candle_nn::Linear;
use xai_attribution::Benchmark;
use xai_attribution::metric::{Completeness, Deletion};
use xai_attribution::model::{slice_explainer_fn, slice_model_fn};
use xai_attribution::ndarray::array;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The scores of two classes, for three features.
    let weights = Tensor::new(&[[2.0_f32, 1.0, -1.0], [0.0, 1.0, 4.0]], &Device::Cpu)?;
    let network = Linear::new(weights, None);

    // Adapter
    let model = slice_model_fn(|rows: &[f32], shape| {
        let batch = Tensor::from_slice(rows, shape, &Device::Cpu)?;
        Ok(network.forward(&batch)?.flatten_all()?.to_vec1::<f32>()?)
    });
    let input_times_gradient = slice_explainer_fn(|rows: &[f32], shape, targets| {
        let batch = Var::from_slice(rows, shape, &Device::Cpu)?;
        let classes = Tensor::new(targets.classes()?, &Device::Cpu)?.unsqueeze(1)?;
        let scores = network.forward(&batch)?.gather(&classes, 1)?;
        let gradient = scores.backward()?.remove(&batch).ok_or("no gradient")?;
        Ok((batch.as_tensor() * gradient)?.flatten_all()?.to_vec1()?)
    });
    // End of the adapter

    let inputs = array![[1.0_f32, 2.0, 1.0], [1.0, 2.0, 1.0]];
    let table = Benchmark::new(&model, inputs.view(), &[0, 1])
        .explainer("input times gradient", &input_times_gradient)
        .metric(Deletion::new())
        .metric(Completeness::new())
        .evaluate()?;
    // The contributions are 2, 2, −1 and 0, 2, 4. Removing the largest first, the scores are 3, 1, −1, 0 and 6, 2, 0,
    // 0.
    let deletion = table.result("input times gradient", "deletion").unwrap();
    let areas = [(3.0 / 2.0 + 1.0 - 1.0) / 3.0, (6.0 / 2.0 + 2.0) / 3.0];
    assert_eq!(deletion.per_sample, areas.map(Some));
    let completeness = table
        .result("input times gradient", "completeness")
        .unwrap();
    assert_eq!(completeness.value, Some(0.0)); // the contributions add up to the score
    Ok(())
}
