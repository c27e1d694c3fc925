//! Nearest training cases of predictions, for training rows that are columns of a polars data frame.

use polars::prelude::*;
use xai_casebased::CaseExplainer;
use xai_casebased::ndarray::{Array2, array};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let train = df! {
        "age" => [30.0, 31.0, 60.0, 61.0],
        "income" => [2.0, 2.5, 4.0, 4.5],
        "label" => [0_i64, 0, 1, 1],
    }?;

    // Adapter
    let features = ["age", "income"].iter();
    let columns = features.map(|name| train.column(name)?.f64()?.cont_slice());
    let columns = columns.collect::<PolarsResult<Vec<_>>>()?.concat();
    let rows = Array2::from_shape_vec((2, train.height()), columns)?.reversed_axes();
    let labels = train.column("label")?.i64()?.cont_slice()?;
    let explainer = CaseExplainer::builder().k(3).fit(rows.view(), labels)?;
    // End of the adapter

    // The distances to the training rows are 30, 29.1, 3 and 4 to one decimal.
    let explanation = explainer.explain(array![60.0, 1.0].view(), 1)?;
    let nearest: Vec<usize> = explanation.cases.iter().map(|case| case.index).collect();
    assert_eq!(nearest, [2, 3, 1]);
    Ok(())
}
