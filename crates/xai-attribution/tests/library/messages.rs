//! What errors say to people. No behaviour depends on these words.

use ndarray::{Array2, ArrayD, ArrayViewD, array};
use xai_attribution::metric::{AverageDrop, AverageStability, Deletion, MuFidelity};
use xai_attribution::model::Targets;
use xai_attribution::{Benchmark, Evaluate};

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
            "scores[1] = -1: Average Drop divides by the base score, which must be positive; choose \
             activation = softmax or sigmoid, or base_score_policy = skip or as-is",
        ),
        (
            drop.evaluate(&nan, x.view(), &[0; 3], x.view())
                .unwrap_err()
                .to_string(),
            "outputs of sample 0 in batch 0 (samples 0 to 1)[0, 0]: not a finite number",
        ),
        (
            drop.evaluate(&short, x.view(), &[0; 3], x.view())
                .unwrap_err()
                .to_string(),
            "outputs of batch 0 (samples 0 to 1): expected shape (2, 2), got (1, 2)",
        ),
        (
            of(Deletion::new().max_fraction(1.5)),
            "max_fraction = 1.5: expected a number in (0, 1]",
        ),
        (
            of(Deletion::new().baseline(vec![0.5])),
            "baseline = 1 numbers: expected 2, one per feature",
        ),
        (
            Benchmark::new(&first_two, x.view(), &[0; 3])
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

#[test]
fn messages_tell_the_call_that_failed() {
    let mut x = ArrayD::from_elem(vec![6, 3], 0.5);
    x[[5, 0]] = 7.0;
    let maps = ArrayD::from_shape_fn(vec![6, 3], |i| i[1] as f64);
    // Whole inputs are fine; sample 5 without its last element is not.
    let model = |batch: ArrayViewD<'_, f64>| {
        if batch.outer_iter().any(|x| x[0] == 7.0 && x[2] == 0.0) {
            return Err(std::io::Error::other("out of memory"));
        }
        first_two(batch)
    };
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::io::Error> {
        if x.iter().any(|&v| v > 5.0) {
            return Err(std::io::Error::other("no gradient"));
        }
        Ok(x.to_owned())
    };
    let deletion = Deletion::new().steps(None).batch_size(2);
    let fidelity = MuFidelity::new().n_subsets(20).batch_size(2);
    let stability = AverageStability::new().batch_size(2);
    for (stopped, expected) in [
        (
            deletion.evaluate(&model, x.view(), &[0; 6], maps.view()),
            "model: failed on batch 2 (samples 4 to 5), deletion with [1] positions flipped: out of \
             memory",
        ),
        (
            fidelity.evaluate(&model, x.view(), &[0; 6], maps.view()),
            "model: failed on batch 2 (samples 4 to 5), without random subsets: out of memory",
        ),
        (
            stability.evaluate_explainer(&explainer, x.view(), &[0; 6]),
            "explainer: failed on the maps of batch 2 (samples 4 to 5): no gradient",
        ),
    ] {
        assert_eq!(stopped.unwrap_err().error().problem(), expected);
    }
}

#[test]
fn two_classes_of_a_model_of_one_output_are_weights() {
    let logit = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::io::Error> {
        Ok(batch
            .sum_axis(ndarray::Axis(1))
            .insert_axis(ndarray::Axis(1))
            .into_dimensionality()
            .unwrap())
    };
    let x = array![[1.0, 2.0], [-1.0, -3.0]];
    let drop = AverageDrop::new();
    let stopped = drop
        .evaluate(&logit, x.view(), &[1, 0], x.view())
        .unwrap_err();
    assert_eq!(
        stopped.to_string(),
        "targets[0] = 1: expected a class of 0; the only output of the model belongs to class 0: for two \
         classes pass targets of shape (n, 1), 1 for samples of the class that it is evidence for and -1 for the \
         others, or let the model return one output per class"
    );
    let weights = array![[1.0], [-1.0]];
    assert!(drop.evaluate(&logit, x.view(), &weights, x.view()).is_ok());
}
