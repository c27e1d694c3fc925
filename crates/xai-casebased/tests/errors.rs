//! The error table, row by row.

use ndarray::{Array2, array};
use xai_casebased::{
    BruteForce, CaseExplainer, ClassWeights, CorrespondenceMetric, Engine, Error, Explanation,
    Kernel, Metric, Thresholds, correspondence,
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
    let heavy = CaseExplainer::builder()
        .class_weight(0, 1.7e308)
        .class_weight(1, 1.7e308)
        .scale(false)
        .fit(array![[0.0], [0.0]].view(), &[0, 1])
        .unwrap();
    assert!(message(heavy.explain(array![0.0].view(), 0)).starts_with("sum of the weights = inf"));
    let far = CaseExplainer::builder().scale(false);
    let far = far.fit(array![[0.0], [1.0]].view(), &[0, 1]).unwrap();
    assert_eq!(
        message(far.explain(array![1e200].view(), 0)),
        "distance of sample[0] = inf: expected a distance within the range of f64; scale the \
         features down"
    );
}

/// A sample whose neighbours all weigh 0 elects nobody; the rest of the batch is answered.
#[test]
fn who_has_no_vote_elects_nobody() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let explainer = CaseExplainer::builder().k(1).class_weight(1, 0.0);
    let explainer = explainer.fit(train.view(), &[0, 1]).unwrap();
    let votes = explainer.explain_votes(train.view()).unwrap();
    assert_eq!(
        (votes[0].predicted, votes[0].correspondence.score),
        (Some(0), Some(1.0))
    );
    assert_eq!(
        (votes[1].predicted, votes[1].correspondence.score),
        (None, None)
    );
    assert!(
        votes[1]
            .to_string()
            .contains("none, no neighbour has any weight")
    );
}

#[test]
fn bad_choices_of_an_explainer_are_named() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let fit =
        |b: xai_casebased::CaseExplainerBuilder| message(b.fit(train.view(), &[0, 1]).map(|_| ()));
    let builder = CaseExplainer::builder;
    assert_eq!(
        fit(builder().feature_names(["a"])),
        "feature names: expected shape (2), got (1)"
    );
    assert_eq!(
        fit(builder().feature_names(["a", "a"])),
        "feature name = a: expected one feature of that name"
    );
    assert_eq!(
        fit(builder().metadata("age", vec![1.0])),
        "metadata column age: expected shape (2), got (1)"
    );
    assert_eq!(
        fit(builder()
            .metadata("age", vec![1.0, 2.0])
            .metadata("age", vec![1i64, 2])),
        "metadata = age: expected one column of that name"
    );
    assert_eq!(
        fit(builder().redact("name")),
        "redacted column = name: expected the name of a feature or of a metadata column"
    );
    assert!(
        fit(builder().aggregate_only(1))
            .starts_with("minimum of distinct rows = 1: expected at least 2 training rows")
    );
    assert_eq!(
        fit(builder().metadata("age", vec![1.0, f64::INFINITY])),
        "metadata column age[1]: not a finite number"
    );
    assert!(
        fit(builder().engine(Engine::KdTree).metric(Metric::Canberra))
            .starts_with("metric = canberra: expected euclidean, squared-euclidean")
    );
    assert_eq!(
        message("quick".parse::<Engine>()).split(':').next(),
        Some("engine = quick")
    );
    let explainer = builder()
        .aggregate_only(2)
        .fit(train.view(), &[0, 1])
        .unwrap();
    assert!(message(explainer.explain(train.row(0), 0)).starts_with("explanations: refused, they"));
    let model = |_: ndarray::ArrayView2<'_, f64>| Err::<Vec<i32>, _>("out of memory");
    let explainer = builder().fit(train.view(), &[0, 1]).unwrap();
    assert_eq!(
        message(explainer.explain_with(train.view(), model)),
        "the model failed on samples 0..2: out of memory"
    );
    let model = |_: ndarray::ArrayView2<'_, f64>| Ok::<_, std::fmt::Error>(vec![1]);
    assert_eq!(
        message(explainer.explain_with(train.view(), model)),
        "predicted: expected shape (2), got (1)"
    );
}
