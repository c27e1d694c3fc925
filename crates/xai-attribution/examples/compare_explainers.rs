//! Compares two explainers of a logistic regression.
//!
//! ```sh
//! cargo run -p xai-attribution --example compare_explainers
//! ```

use ndarray::{Array2, ArrayViewD, Ix2, array};
use xai_attribution::metric::{AverageDrop, Deletion};
use xai_attribution::model::model_fn;
use xai_attribution::{Benchmark, EvaluationError};

fn main() -> Result<(), EvaluationError> {
    let weights = array![[2.0], [-1.0], [0.5]];
    let model = model_fn(|rows: ArrayViewD<'_, f64>| {
        let logits = rows.into_dimensionality::<Ix2>()?.dot(&weights);
        Ok(logits.mapv(|logit| 1.0 / (1.0 + (-logit).exp())))
    });

    let inputs = Array2::from_shape_fn((50, 3), |(i, j)| ((7 * i + 5 * j) % 11) as f64 / 5.0);
    let input_times_gradient = &inputs * &weights.t();
    let gradient = Array2::from_shape_fn(inputs.dim(), |(_, feature)| weights[[feature, 0]]);

    let targets = [0; 50]; // the only output of the model
    let table = Benchmark::new(&model, inputs.view(), &targets)
        .maps("input times gradient", input_times_gradient.view())
        .maps("gradient", gradient.view())
        .metric(Deletion::new())
        .metric(AverageDrop::new())
        .evaluate()?;
    println!("{table}");
    Ok(())
}
