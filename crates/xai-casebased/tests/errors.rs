//! The error table, row by row.

use ndarray::{Array2, array};
use xai_casebased::{
    BruteForce, CaseExplainer, ClassWeights, CorrespondenceMetric, Error, Explanation, Kernel,
    Metric, Thresholds, correspondence,
};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn bad_neighbours_are_named() {
    assert_eq!(
        message(correspondence(&[0.1], &[1, 2], 1)),
        "labels: expected shape (1), got (2)"
    );
    assert_eq!(
        message(correspondence(&[0.1, f64::NAN], &[1, 2], 1)),
        "distances[1]: not a finite number"
    );
    assert_eq!(
        message(correspondence(&[0.1, -0.5], &[1, 2], 1)),
        "distances[1] = -0.5: expected a distance, at least 0"
    );
    assert!(matches!(
        correspondence(&[0.1], &[u64::MAX], 1),
        Err(Error::OutOfDomain { .. })
    ));
    let negative = CorrespondenceMetric::default().weighting_with(|d: f64| 1.0 - d);
    assert_eq!(
        message(negative.evaluate(&[0.5, 2.0], &[0, 0], 0)),
        "weights[1] = -1: expected a finite weight, at least 0, at distance 2"
    );
}

#[test]
fn bad_parameters_are_named_with_their_domain() {
    assert_eq!(
        message(ClassWeights::new([(4, -1.0)])),
        "class_weights[4] = -1: expected a finite weight, at least 0"
    );
    assert!(matches!(
        ClassWeights::new([(4, f64::NAN)]),
        Err(Error::InvalidParameter { .. })
    ));
    assert_eq!(
        message(Thresholds::new(1.5, 0.2)),
        "high = 1.5: expected a threshold in [0, 1]"
    );
    assert_eq!(
        message(Thresholds::new(0.5, 0.6)),
        "medium = 0.6: expected at most the high threshold 0.5"
    );
    let train = array![[0.0], [1.0]];
    let fit = |b: xai_casebased::CaseExplainerBuilder| b.fit(train.view(), &[0, 1]).map(|_| ());
    assert_eq!(
        message(fit(CaseExplainer::builder().k(0))),
        "k = 0: expected at least 1 neighbour"
    );
    assert_eq!(
        message(fit(CaseExplainer::builder().metric(Metric::Minkowski(0.5)))),
        "p = 0.5: expected a finite exponent, at least 1"
    );
    let kernel = Kernel::Gaussian { bandwidth: 0.0 };
    assert_eq!(
        message(fit(CaseExplainer::builder().weighting(kernel))),
        "bandwidth = 0: expected a finite number above 0"
    );
}

#[test]
fn bad_training_rows_are_named() {
    let fit = |rows: Array2<f64>, labels: &[i32]| {
        CaseExplainer::builder()
            .fit(rows.view(), labels)
            .map(|_| ())
    };
    assert_eq!(
        message(fit(Array2::zeros((0, 2)), &[])),
        "training rows: nothing to measure, at least one is needed"
    );
    assert!(matches!(
        BruteForce::new(Array2::zeros((2, 0)).view(), Metric::Euclidean),
        Err(Error::Empty { .. })
    ));
    assert_eq!(
        message(fit(Array2::zeros((3, 2)), &[0, 1])),
        "labels: expected shape (3), got (2)"
    );
    assert_eq!(
        message(fit(array![[0.0, 1.0], [2.0, f64::INFINITY]], &[0, 1])),
        "train[1, 1]: not a finite number"
    );
    let zero = CaseExplainer::builder().scale(false).metric(Metric::Cosine);
    assert!(
        message(zero.fit(array![[1.0], [0.0]].view(), &[0, 1]).map(|_| ()))
            .starts_with("train[1] = 0: expected a row with a direction")
    );
}

#[test]
fn bad_samples_are_named() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let explainer = CaseExplainer::builder().fit(train.view(), &[0, 1]).unwrap();
    let explain =
        |rows: Array2<f64>, predicted: &[i32]| explainer.explain_batch(rows.view(), predicted);
    assert_eq!(
        message(explain(array![[1.0]], &[0])),
        "samples: expected shape (1, 2), got (1, 1)"
    );
    assert_eq!(
        message(explain(array![[1.0, f64::NAN]], &[0])),
        "samples[0, 1]: not a finite number"
    );
    assert_eq!(
        message(explain(array![[1.0, 2.0]], &[0, 1])),
        "predicted: expected shape (1), got (2)"
    );
    assert!(matches!(
        explain(Array2::zeros((0, 2)), &[]),
        Err(Error::Empty { .. })
    ));
    let explanations = explain(array![[1.0, 2.0]], &[0]).unwrap();
    assert_eq!(
        message(Explanation::with_truth(explanations, &[0, 1])),
        "truth: expected shape (1), got (2)"
    );
    let silent = CaseExplainer::builder()
        .class_weight(0, 0.0)
        .class_weight(1, 0.0);
    let silent = silent.fit(train.view(), &[0, 1]).unwrap();
    assert!(
        message(silent.explain_votes(train.view())).starts_with("weights of the neighbours[0] = 0")
    );
}
