//! The error table, row by row.

use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn, array};
use xai_attribution::{
    AverageDrop, AverageGain, BaseScorePolicy, Deletion, Error, EvaluationError, Layout,
    SampleScores, complexity,
};

type Answer = Result<Array2<f64>, std::io::Error>;

fn first_two(batch: ArrayViewD<'_, f64>) -> Answer {
    Ok(Array2::from_shape_fn((batch.shape()[0], 2), |(i, j)| {
        batch[[i, j]]
    }))
}

fn message<T: std::fmt::Debug, E: std::fmt::Display + std::fmt::Debug>(
    result: Result<T, E>,
) -> String {
    result.unwrap_err().to_string()
}

fn ones(shape: &[usize]) -> ArrayD<f64> {
    ArrayD::from_elem(IxDyn(shape), 1.0)
}

fn drop_of(
    model: &dyn Fn(ArrayViewD<'_, f64>) -> Answer,
    x: &ArrayD<f64>,
    y: &[i64],
    e: &ArrayD<f64>,
) -> Result<SampleScores, EvaluationError> {
    let model = |batch: ArrayViewD<'_, f64>| model(batch);
    AverageDrop::new()
        .batch_size(2)
        .evaluate(&model, x.view(), y, e.view())
}

#[test]
fn arrays_that_do_not_fit_are_named() {
    let x = ones(&[3, 2]);
    let of = |x: &ArrayD<f64>, y: &[i64], e: &ArrayD<f64>| message(drop_of(&first_two, x, y, e));
    assert_eq!(of(&x, &[0], &x), "targets: expected shape (3), got (1)");
    assert!(of(&x, &[0; 3], &ones(&[2, 2])).starts_with("explanations: expected shape 3 samples"));
    assert!(of(&x, &[0; 3], &ones(&[3, 5])).starts_with("explanations: expected shape"));
    assert_eq!(
        of(&ones(&[0, 2]), &[], &ones(&[0, 2])),
        "inputs: nothing to measure, at least one is needed"
    );
    assert!(
        of(&ones(&[3]), &[0; 3], &ones(&[3])).starts_with("inputs: expected shape (n, features)")
    );
    let rows = array![[1.0, 0.0, 0.0]];
    let error = AverageDrop::new().evaluate(
        &first_two,
        ones(&[1, 2]).view(),
        &rows,
        ones(&[1, 2]).view(),
    );
    assert_eq!(message(error), "targets: expected shape (1, 2), got (1, 3)");
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut bad = ones(&[3, 2]);
    bad[[2, 1]] = f64::NAN;
    let x = ones(&[3, 2]);
    assert_eq!(
        message(drop_of(&first_two, &bad, &[0; 3], &x)),
        "inputs[2, 1]: not a finite number"
    );
    assert_eq!(
        message(drop_of(&first_two, &x, &[0; 3], &bad)),
        "explanations[2, 1]: not a finite number"
    );
    let nan = |batch: ArrayViewD<'_, f64>| Ok(Array2::from_elem((batch.shape()[0], 2), f64::NAN));
    assert_eq!(
        message(drop_of(&nan, &x, &[0; 3], &x)),
        "outputs of the model for batch 0 (samples 0..2)[0, 0]: not a finite number"
    );
}

#[test]
fn a_model_that_misbehaves_is_named_with_its_batch() {
    let x = ones(&[3, 2]);
    let short = |_: ArrayViewD<'_, f64>| Ok(Array2::ones((1, 2)));
    assert_eq!(
        message(drop_of(&short, &x, &[0; 3], &x)),
        "outputs of the model for batch 0 (samples 0..2): expected shape (2, 2), got (1, 2)"
    );
    let fails_late = |batch: ArrayViewD<'_, f64>| match batch.shape()[0] {
        2 => first_two(batch),
        _ => Err(std::io::Error::other("out of memory")),
    };
    let error = drop_of(&fails_late, &x, &[0; 3], &x).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model failed on batch 1 (samples 2..3): out of memory"
    );
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<std::io::Error>().is_some());
    assert_eq!(
        message(drop_of(&first_two, &x, &[0, 5, 0], &x)),
        "label 5 at index 1: expected 0..2"
    );
}

#[test]
fn a_base_score_that_cannot_be_divided_by_follows_the_policy() {
    let of = |policy| {
        AverageDrop::new()
            .base_score_policy(policy)
            .from_scores(&[0.5, -1.0], &[0.25, 2.0])
    };
    assert!(message(of(BaseScorePolicy::Error)).starts_with(
        "scores[1] = -1: Average Drop divides by the base score, which must be positive; apply"
    ));
    let skipped = of(BaseScorePolicy::Skip).unwrap();
    assert_eq!((skipped.per_sample[1], skipped.n_undefined), (None, 1));
    assert!((skipped.value - 0.5).abs() < 1e-7);
    let as_is = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .from_scores(&[-1.0], &[-4.0])
        .unwrap();
    assert!((as_is.value - -3.0).abs() < 1e-6);
    assert!(matches!(
        AverageGain::new().from_scores(&[1.5], &[0.0]),
        Err(Error::UndefinedScore { index: 0, .. })
    ));
    let all = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::Skip)
        .from_scores(&[-1.0], &[0.0]);
    assert!(matches!(all, Err(Error::Empty { .. })));
    // −1e-8 + ε is 0: no number even as it is.
    let zero = AverageDrop::new()
        .base_score_policy(BaseScorePolicy::AsIs)
        .from_scores(&[-1e-8, 1.0], &[-1.0, 1.0])
        .unwrap();
    assert_eq!((zero.value, zero.n_undefined), (0.0, 1));
    assert!(matches!(
        AverageDrop::new().from_scores(&[1e308], &[-1e308]),
        Err(Error::UndefinedScore { .. })
    ));
}

#[test]
fn parameters_outside_their_domain_are_named() {
    let x = ones(&[2, 2]);
    let drop = AverageDrop::new()
        .batch_size(0)
        .evaluate(&first_two, x.view(), &[0, 0], x.view());
    assert_eq!(message(drop), "batch_size = 0: expected at least 1");
    let of = |d: Deletion| message(d.evaluate(&first_two, x.view(), &[0, 0], x.view()));
    assert!(of(Deletion::new().steps(Some(0))).starts_with("steps = 0: expected at least 1"));
    assert!(of(Deletion::new().steps(Some(usize::MAX))).contains("at most 16 777 216"));
    assert_eq!(
        of(Deletion::new().max_fraction(1.5)),
        "max_fraction = 1.5: expected a share in (0, 1]"
    );
    assert!(of(Deletion::new().max_fraction(0.1)).contains("at least one of 2 positions"));
    assert_eq!(
        of(Deletion::new().baseline(f64::NAN)),
        "baseline = NaN: expected a finite number"
    );
    let huge = ArrayD::from_elem(IxDyn(&[1, 1, 1, 3]), 1e308);
    assert!(message(complexity(huge.view(), Layout::ChannelsLast)).contains("scale the maps down"));
}
