//! Evaluates saliency maps of images whose channels come first, as in PyTorch, for a model in single precision.
//!
//! ```sh
//! cargo run -p xai-attribution --example images
//! ```

use ndarray::{Array2, Array4, ArrayViewD, Axis};
use xai_attribution::metric::{Deletion, Sparseness};
use xai_attribution::model::{Images, model_fn};
use xai_attribution::{Activation, Benchmark, Evaluate, EvaluationError};

fn main() -> Result<(), EvaluationError> {
    // Two classes: the left half of the image is brighter, or the right half.
    let model = model_fn(|batch: ArrayViewD<'_, f32>| {
        let halves = |image: ArrayViewD<'_, f32>| {
            let middle = image.len_of(Axis(2)) / 2;
            let (left, right) = image.split_at(Axis(2), middle);
            [left.sum(), right.sum()]
        };
        let logits = batch.outer_iter().flat_map(halves).collect();
        Ok(Array2::from_shape_vec((batch.len_of(Axis(0)), 2), logits)?)
    });

    // Shape (n, channels, height, width); the maps have no channels.
    let images = Array4::from_shape_fn((20, 3, 8, 8), |(i, c, y, x)| {
        ((3 * i + 5 * c + 7 * y + 2 * x * x) % 13) as f32 / 13.0
    });
    let brightness = images.sum_axis(Axis(1));
    let contrast = brightness.map(|sum| (sum - 1.5).abs());

    let targets: Vec<usize> = (0..20).map(|i| i % 2).collect();
    let table = Benchmark::new(&model, Images::channels_first(images.view()), &targets)
        .activation(Activation::Softmax)
        .maps("brightness", brightness.view())
        .maps("contrast", contrast.view())
        .metric(Deletion::new().steps(Some(8)))
        .metric(Sparseness)
        .evaluate()?;
    println!("{table}");
    Ok(())
}
