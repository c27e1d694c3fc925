//! Completeness of two explanations of a linfa model, whose arrays belong to another version of `ndarray`.

use linfa::prelude::*;
use linfa_linear::LinearRegression;
use xai_attribution::Evaluate;
use xai_attribution::metric::Completeness;
use xai_attribution::model::{samples_from_slice, slice_model_fn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The third feature is ignored: y = 3 a − 2 b + 1.
    let rows = ndarray::array![
        [1.0, 0.0, 5.0],
        [0.0, 1.0, 3.0],
        [2.0, 1.0, 4.0],
        [1.0, 3.0, 1.0],
        [4.0, 2.0, 2.0]
    ];
    let targets = rows.map_axis(ndarray::Axis(1), |row| 3.0 * row[0] - 2.0 * row[1] + 1.0);
    let regression = LinearRegression::new().fit(&Dataset::new(rows.clone(), targets))?;
    let contributions = &rows * regression.params();

    // Adapter
    let model = slice_model_fn(|rows: &[f64], shape| {
        let rows = ndarray::ArrayView2::from_shape((shape[0], shape[1]), rows)?;
        Ok(regression.predict(&rows).to_vec())
    });
    let (inputs, maps) = (rows.as_slice().unwrap(), contributions.as_slice().unwrap());
    let inputs = samples_from_slice(rows.shape(), inputs)?;
    let maps = samples_from_slice(rows.shape(), maps)?;
    // End of the adapter

    // A linear model is the sum of its contributions and the intercept.
    let completeness = Completeness::new().evaluate(&model, inputs, &[0; 5], maps)?;
    assert!(completeness.value < 1e-9);
    Ok(())
}
