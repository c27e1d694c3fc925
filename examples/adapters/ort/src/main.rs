//! Deletion of an ONNX model that ONNX Runtime runs. Its library is loaded at run time, from the path in
//! `ORT_DYLIB_PATH`.

use ort::session::Session;
use ort::value::TensorRef;
use xai_attribution::Evaluate;
use xai_attribution::metric::Deletion;
use xai_attribution::model::{Images, slice_model_fn_mut};
use xai_attribution::ndarray::array;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(library) = std::env::var_os("ORT_DYLIB_PATH") else {
        println!("skipped: set ORT_DYLIB_PATH to the file of the library of ONNX Runtime");
        return Ok(());
    };
    let environment = ort::init_from(library)?.build()?;
    // The score of class 0 is 4 times the mean of the first channel plus 8 times the mean of the second.
    let onnx = include_bytes!("../../model.onnx");
    let mut session = Session::builder(&environment)?.commit_from_memory(onnx)?;

    // Adapter
    let model = slice_model_fn_mut(|values: &[f32], shape| {
        let batch = TensorRef::from_array_view((shape.to_vec(), values))?;
        let outputs = session.run(ort::inputs![batch])?;
        Ok(outputs[0].try_extract_tensor::<f32>()?.1.to_vec())
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
