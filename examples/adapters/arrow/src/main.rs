//! Reproducibility of repeated trainings whose predictions are columns of an Arrow table.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use xai_repro::ndarray::ArrayView2;
use xai_repro::{PairMetric, Pairwise};

const NO_COLUMN: &str = "labels and runs are columns of integers without nulls";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let column = |values: [i64; 4]| Arc::new(Int64Array::from_iter_values(values)) as ArrayRef;
    let table = RecordBatch::try_from_iter([
        ("label", column([0, 1, 1, 0])),
        ("run_1", column([0, 1, 0, 1])),
        ("run_2", column([0, 0, 0, 0])),
        ("run_3", column([0, 1, 1, 1])),
    ])?;

    // Adapter
    let column = |name: &str| -> Option<&[i64]> {
        let column = table
            .column_by_name(name)?
            .as_primitive_opt::<Int64Type>()?;
        (column.null_count() == 0).then_some(column.values())
    };
    let runs = ["run_1", "run_2", "run_3"].into_iter().map(column);
    let runs: Vec<&[i64]> = runs.collect::<Option<_>>().ok_or(NO_COLUMN)?;
    let values = runs.concat();
    let predictions = ArrayView2::from_shape((runs.len(), table.num_rows()), &values)?;
    let labels = column("label").ok_or(NO_COLUMN)?;
    // End of the adapter

    // Error sets {2, 3}, {1, 2} and {3}: the pairs have 1 of 3, 1 of 2 and 0 of 3 errors in common.
    let pairs = Pairwise::new().evaluate(predictions, labels)?;
    let shared = [1.0 / 3.0, 1.0 / 2.0, 0.0].map(Some);
    assert_eq!(pairs.pairs(PairMetric::EC_LOCAL), shared);
    Ok(())
}
