//! What errors say to people. No behaviour depends on these words.

use ndarray::{Array2, ArrayD, ArrayViewD};
use xai_attribution::{AverageDrop, Deletion, Evaluate, Evaluation};

fn first_two(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::io::Error> {
    Ok(Array2::from_shape_fn((batch.shape()[0], 2), |(i, j)| {
        batch[[i, j]]
    }))
}

#[test]
fn messages_name_the_thing_the_place_the_expectation_and_the_way_out() {
    let x = ArrayD::<f64>::ones(vec![3, 2]);
    let nan = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::io::Error> {
        Ok(Array2::from_elem((batch.shape()[0], 2), f64::NAN))
    };
    let short = |_: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::io::Error> {
        Ok(Array2::ones((1, 2)))
    };
    let of = |metric: Deletion| {
        let stopped = metric.evaluate(&first_two, x.view(), &[0; 3], x.view());
        stopped.unwrap_err().to_string()
    };
    let negative = AverageDrop::new().evaluate_scores(&[0.5, -1.0], &[0.25, 2.0]);
    let drop = AverageDrop::new().batch_size(2);
    for (message, expected) in [
        (
            negative.unwrap_err().to_string(),
            "scores[1] = -1: Average Drop divides by the base score, which must be positive; apply \
             Activation::Softmax or Sigmoid, or choose BaseScorePolicy::AsIs or Skip",
        ),
        (
            drop.evaluate(&nan, x.view(), &[0; 3], x.view())
                .unwrap_err()
                .to_string(),
            "outputs of batch 0 (samples 0..2)[0, 0]: not a finite number",
        ),
        (
            drop.evaluate(&short, x.view(), &[0; 3], x.view())
                .unwrap_err()
                .to_string(),
            "outputs of batch 0 (samples 0..2): expected shape (2, 2), got (1, 2)",
        ),
        (
            of(Deletion::new().max_fraction(1.5)),
            "max_fraction = 1.5: expected a share in (0, 1]",
        ),
        (
            of(Deletion::new().baseline(vec![0.5])),
            "baseline = 1 numbers: expected 2, one per feature",
        ),
        (
            Evaluation::new(&first_two, x.view(), &[0; 3])
                .maps("b", ArrayD::<f64>::ones(vec![3, 4]))
                .metric(Deletion::new())
                .evaluate()
                .unwrap_err()
                .to_string(),
            "`b`: explanations: expected shape (3, 2), got (3, 4)",
        ),
    ] {
        assert_eq!(message, expected);
    }
}
