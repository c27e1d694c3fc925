//! Deletion of input times gradient for a burn module.

use burn::module::Param;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Int, Tensor, TensorData};
use xai_attribution::Benchmark;
use xai_attribution::metric::Deletion;
use xai_attribution::model::{slice_explainer_fn, slice_model_fn};
use xai_attribution::ndarray::array;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The scores of two classes, for three features.
    let device = Device::default().autodiff();
    let mut module: Linear = LinearConfig::new(3, 2).with_bias(false).init(&device);
    let weights = [[2.0_f32, 0.0], [1.0, 1.0], [-1.0, 4.0]];
    module.weight = Param::from_tensor(Tensor::from_data(weights, &device));

    // Adapter
    let tensor = |rows: &[f32], shape: &[usize]| -> Tensor<2> {
        Tensor::from_data(TensorData::new(rows.to_vec(), shape), &device)
    };
    let values = |tensor: Tensor<2>| Ok(tensor.into_data().try_to_vec::<f32>()?);
    let model = slice_model_fn(|rows, shape| values(module.forward(tensor(rows, shape))));
    let input_times_gradient = slice_explainer_fn(|rows, shape, targets| {
        let batch = tensor(rows, shape).require_grad();
        let classes = Tensor::<1, Int>::from_data(targets.classes()?, &device);
        let scores = module.forward(batch.clone());
        let scores = scores.gather(1, classes.unsqueeze_dim(1));
        let gradient = batch.grad(&scores.backward()).ok_or("no gradient")?;
        values(batch.inner() * gradient)
    });
    // End of the adapter

    let inputs = array![[1.0_f32, 2.0, 1.0], [1.0, 2.0, 1.0]];
    let table = Benchmark::new(&model, inputs.view(), &[0, 1])
        .explainer("input times gradient", &input_times_gradient)
        .metric(Deletion::new())
        .evaluate()?;
    // The contributions are 2, 2, −1 and 0, 2, 4. Removing the largest first, the scores are 3, 1, −1, 0 and 6, 2, 0,
    // 0.
    let deletion = table.result("input times gradient", "deletion").unwrap();
    let areas = [(3.0 / 2.0 + 1.0 - 1.0) / 3.0, (6.0 / 2.0 + 2.0) / 3.0];
    assert_eq!(deletion.per_sample, areas.map(Some));
    Ok(())
}
