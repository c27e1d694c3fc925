//! Deletion of an ONNX model that tract runs.

use tract_onnx::prelude::*;
use xai_attribution::Evaluate;
use xai_attribution::metric::Deletion;
use xai_attribution::model::{Images, slice_model_fn};
use xai_attribution::ndarray::array;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The score of class 0 is 4 times the mean of the first channel plus 8 times the mean of the second.
    let mut file = &include_bytes!("../../model.onnx")[..];
    let plan = tract_onnx::onnx().model_for_read(&mut file)?;
    let plan = plan.into_optimized()?.into_runnable()?;

    // Adapter
    let model = slice_model_fn(|values: &[f32], shape| {
        let batch = Tensor::from_shape(shape, values)?;
        let outputs = plan.run(tvec![batch.into()])?;
        Ok(outputs[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec())
    });
    // End of the adapter

    // One image of two channels, in which the pixels contribute 1, 2, 0 and 3 to the score.
    let images = array![[[[1.0_f32, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]];
    let images = Images::channels_first(images.view());
    let maps = array![[[1.0_f32, 2.0], [0.0, 3.0]]];
    let deletion = Deletion::new().evaluate(&model, images, &[0], maps.view())?;
    // The score falls from 6 to 3, 1, 0 and 0: the area under that curve.
    assert_eq!(deletion.value, (6.0 / 2.0 + 3.0 + 1.0) / 4.0);
    Ok(())
}
