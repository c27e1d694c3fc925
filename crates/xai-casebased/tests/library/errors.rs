//! The error table, row by row: what is wrong, about which input, where, and the way out.

use ndarray::{Array2, ArrayView2, array};
use xai_casebased::search::BruteForce;
use xai_casebased::{
    CaseExplainer, CaseExplainerBuilder, CaseOptions, ClassWeights, CorrespondenceMetric, Distance,
    Engine, Error, ErrorKind, Explanation, Kernel, Level, Thresholds, correspondence, help, input,
};
use xai_core::Input;
use xai_core::distance::LEAVE_ROW_OUT;

fn error<T: std::fmt::Debug>(result: Result<T, Error>) -> Error {
    result.unwrap_err()
}

#[track_caller]
fn shape(error: &Error, about: Input, given: &[usize]) {
    assert_eq!(error.input(), about, "{error}");
    assert!(
        matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if actual == given),
        "{error}"
    );
}

#[track_caller]
fn not_finite(error: &Error, about: Input, index: &[usize]) {
    assert!(matches!(error.kind(), ErrorKind::NonFinite), "{error}");
    assert_eq!((error.input(), error.index()), (about, index), "{error}");
}

#[track_caller]
fn out_of_domain(error: &Error, about: Input, index: &[usize], given: f64) {
    assert!(
        matches!(error.kind(), ErrorKind::OutOfDomain { value, .. } if *value == given),
        "{error}"
    );
    assert_eq!((error.input(), error.index()), (about, index), "{error}");
}

#[track_caller]
fn parameter(error: &Error, about: Input, given: &str) {
    assert_eq!(error.input(), about, "{error}");
    assert!(
        matches!(error.kind(), ErrorKind::InvalidParameter { value, .. } if value == given),
        "{error}"
    );
}

#[test]
fn bad_neighbours_are_named() {
    let of = |distances: &[f64], labels: &[i32]| error(correspondence(distances, labels, 1));
    shape(&of(&[0.1], &[1, 2]), input::LABELS, &[2]);
    not_finite(&of(&[0.1, f64::NAN], &[1, 2]), input::DISTANCES, &[1]);
    out_of_domain(&of(&[0.1, -0.5], &[1, 2]), input::DISTANCES, &[1], -0.5);
    let large = error(correspondence(&[0.1], &[u64::MAX], 1));
    assert!(matches!(large.kind(), ErrorKind::OutOfDomain { .. }));
    assert_eq!(large.input(), input::LABELS);
    let negative = CorrespondenceMetric::new().weighting_with(|d: f64| 1.0 - d);
    let negative = error(negative.evaluate(&[0.5, 2.0], &[0, 0], 0));
    out_of_domain(&negative, input::WEIGHTS, &[1], -1.0);
}

#[test]
fn bad_parameters_are_named_with_their_domain() {
    let weight = error(ClassWeights::new([(4, -1.0)]));
    parameter(&weight, input::CLASS_WEIGHTS, "-1");
    assert_eq!(weight.owner_name(), Some("class 4"));
    let weight = error(ClassWeights::new([(4, f64::NAN)]));
    parameter(&weight, input::CLASS_WEIGHTS, "NaN");
    let above = |high: f64, medium: f64| {
        let thresholds = Thresholds::default().high(high).medium(medium);
        let metric = CorrespondenceMetric::new().thresholds(thresholds);
        error(metric.evaluate(&[0.1], &[1], 1))
    };
    parameter(&above(1.5, 0.2), Input::new("high"), "1.5");
    parameter(&above(0.5, 0.6), input::MEDIUM, "0.6");
    parameter(&above(0.5, f64::NAN), input::MEDIUM, "NaN");
    let train = array![[0.0], [1.0]];
    let fit = |b: CaseExplainerBuilder| error(b.fit(train.view(), &[0, 1]));
    let builder = CaseExplainer::builder;
    parameter(&fit(builder().k(0)), input::K, "0");
    let minkowski = fit(builder().distance(Distance::Minkowski(0.5)));
    parameter(&minkowski, input::DISTANCE, "minkowski:0.5");
    let kernel = Kernel::Gaussian { bandwidth: 0.0 };
    parameter(
        &fit(builder().weighting(kernel)),
        input::WEIGHTING,
        "gaussian:0",
    );
    let metric = CorrespondenceMetric::new().weighting(kernel);
    parameter(
        &error(metric.evaluate(&[1.0], &[1], 1)),
        input::WEIGHTING,
        "gaussian:0",
    );
}

/// What is wrong with the choices is said before what is wrong with the data.
#[test]
fn parameters_are_checked_before_the_data() {
    let train = array![[f64::NAN]];
    let wrong = CaseExplainer::builder().distance(Distance::Minkowski(0.0));
    let wrong = error(wrong.fit(train.view(), &[0, 1]));
    parameter(&wrong, input::DISTANCE, "minkowski:0");
}

#[test]
fn bad_training_rows_are_named() {
    let fit = |rows: Array2<f64>, labels: &[i32]| {
        error(CaseExplainer::builder().fit(rows.view(), labels))
    };
    let empty = fit(Array2::zeros((0, 2)), &[]);
    assert!(matches!(empty.kind(), ErrorKind::Empty));
    assert_eq!(
        (empty.input(), empty.part_name()),
        (input::TRAIN, Some("rows"))
    );
    let empty = error(BruteForce::new(
        Array2::zeros((2, 0)).view(),
        Distance::Euclidean,
    ));
    assert!(matches!(empty.kind(), ErrorKind::Empty));
    assert_eq!(
        (empty.input(), empty.part_name()),
        (input::TRAIN, Some("features"))
    );
    shape(&fit(Array2::zeros((3, 2)), &[0, 1]), input::LABELS, &[2]);
    let infinite = fit(array![[0.0, 1.0], [2.0, f64::INFINITY]], &[0, 1]);
    not_finite(&infinite, input::TRAIN, &[1, 1]);
    let cosine = || CaseExplainer::builder().distance(Distance::Cosine);
    let zero = cosine()
        .scale(false)
        .fit(array![[1.0], [0.0]].view(), &[0, 1]);
    out_of_domain(&error(zero), input::TRAIN, &[1], 0.0);
    // The mean of all rows, in a later block of them.
    let mut rows = Array2::from_shape_fn((401, 1), |(i, _)| if i % 2 == 0 { 1.0 } else { -1.0 });
    rows[[400, 0]] = 0.0;
    let mean = error(cosine().fit(rows.view(), &[0; 401]));
    out_of_domain(&mean, input::TRAIN_SCALED, &[400], 0.0);
    assert_eq!(mean.help(), Some(help::DO_NOT_SCALE));
}

#[test]
fn bad_samples_are_named() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let explainer = CaseExplainer::builder().fit(train.view(), &[0, 1]).unwrap();
    let explain = |rows: Array2<f64>, predicted: &[i32]| {
        error(explainer.explain_batch(rows.view(), predicted))
    };
    shape(&explain(array![[1.0]], &[0]), input::SAMPLES, &[1, 1]);
    not_finite(
        &explain(array![[1.0, f64::NAN]], &[0]),
        input::SAMPLES,
        &[0, 1],
    );
    shape(
        &explain(array![[1.0, 2.0]], &[0, 1]),
        input::PREDICTED,
        &[2],
    );
    let none = explain(Array2::zeros((0, 2)), &[]);
    assert!(matches!(none.kind(), ErrorKind::Empty));
    assert_eq!(none.input(), input::SAMPLES);
    let explanations = explainer.explain_votes(array![[1.0, 2.0]].view()).unwrap();
    let truth = error(Explanation::with_truth(explanations, &[0, 1]));
    shape(&truth, input::TRUTH, &[2]);
}

/// A class of another encoding would have a correspondence of 0, which looks like a judgement.
#[test]
fn predicted_classes_are_classes_of_the_training_rows() {
    let train = array![[0.0], [1.0], [2.0], [3.0], [4.0]];
    let explainer = CaseExplainer::builder().k(1).class_name(0, "no");
    let explainer = explainer.fit(train.view(), &[0, 1, 2, 3, 1]).unwrap();
    let samples = train.slice(ndarray::s![..3, ..]);
    let predicted = [3, 7, -1];
    let unknown = |wrong: Error| {
        out_of_domain(&wrong, input::PREDICTED, &[1], 7.0);
        assert_eq!(wrong.help(), Some(help::ENCODE_CLASSES_ALIKE));
        assert_eq!(
            wrong.problem().to_string(),
            "predicted[1] = 7: expected a class of the training rows, for example 0 (no), 1, 2, …; no \
             training row has the predicted classes -1, 7"
        );
    };
    unknown(error(explainer.explain_batch(samples, &predicted)));
    unknown(error(explainer.explain_with(samples, |_| {
        Ok::<_, std::fmt::Error>(predicted.to_vec())
    })));
    let options = CaseOptions::new().predicted(&predicted);
    unknown(error(explainer.case_arrays(samples, options)));
    unknown(error(explainer.aggregate(samples, Some(&predicted))));
    unknown(error(explainer.attributions(samples, &predicted)));
    // A class that training rows have and no neighbour has is an answer.
    let explanation = explainer.explain(array![0.0].view(), 3).unwrap();
    assert_eq!(
        (explanation.correspondence.score, explanation.level()),
        (Some(0.0), Level::Low)
    );
    assert_eq!(
        xai_casebased::correspondence(&[0.0], &[0], 7)
            .unwrap()
            .score,
        Some(0.0)
    );
}

/// The caller speaks of samples where a search speaks of queries.
#[test]
fn errors_of_the_search_are_about_the_samples() {
    let train = array![[0.0], [1.0]];
    let fit = |b: CaseExplainerBuilder| b.fit(train.view(), &[0, 1]).unwrap();
    let plain = fit(CaseExplainer::builder().scale(false));
    let far = error(plain.explain(array![1e200].view(), 0));
    out_of_domain(&far, input::SAMPLES, &[0], f64::INFINITY);
    assert_eq!(far.help(), Some(help::SCALE_FEATURES_DOWN));
    let scaled = fit(CaseExplainer::builder());
    let far = error(scaled.explain(array![1e200].view(), 0));
    out_of_domain(&far, input::SAMPLES_SCALED, &[0], f64::INFINITY);
    let beyond = error(scaled.explain(array![f64::MAX].view(), 0));
    not_finite(&beyond, input::SAMPLES_SCALED, &[0, 0]);
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
fn invalid_columns_to_show_are_named() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let fit = |b: CaseExplainerBuilder| error(b.fit(train.view(), &[0, 1]));
    let builder = CaseExplainer::builder;
    shape(
        &fit(builder().feature_names(["a"])),
        input::FEATURE_NAMES,
        &[1],
    );
    parameter(
        &fit(builder().feature_names(["a", "a"])),
        input::FEATURE_NAMES,
        "a",
    );
    let short = fit(builder().metadata("age", vec![1.0]));
    shape(&short, input::METADATA, &[1]);
    assert_eq!(short.part_name(), Some("column age"));
    let twice = builder()
        .metadata("age", vec![1.0, 2.0])
        .metadata("age", vec![1i64, 2]);
    parameter(&fit(twice), input::METADATA, "age");
    parameter(&fit(builder().redact("name")), input::REDACTED, "name");
    parameter(
        &fit(builder().aggregate_only(1)),
        Input::new("aggregate_only"),
        "1",
    );
    let infinite = fit(builder().metadata("age", vec![1.0, f64::INFINITY]));
    not_finite(&infinite, input::METADATA, &[1]);
}

/// The row that a distance is undefined for, and why, whatever the distance and whoever searches.
#[test]
fn a_row_without_a_distance_is_named_with_the_reason() {
    let named = |wrong: &Error, about: Input, row: usize, why: &str, help: xai_core::Help| {
        assert_eq!(
            (wrong.input(), wrong.index()),
            (about, &[row][..]),
            "{wrong}"
        );
        assert!(wrong.to_string().contains(why), "{wrong}");
        assert_eq!(wrong.help(), Some(help));
    };
    let fit = |distance: Distance, scale: bool, train: &Array2<f64>| {
        let builder = CaseExplainer::builder()
            .k(3)
            .distance(distance)
            .scale(scale);
        builder.fit(train.view(), &[0, 1, 0, 1])
    };
    let good = array![
        [1.0, 2.0, 4.0],
        [2.0, 1.0, 5.0],
        [3.0, 1.0, 2.0],
        [2.0, 4.0, 1.0]
    ];
    let with_row = |row: usize, values: [f64; 3]| {
        let mut rows = good.clone();
        rows.row_mut(row)
            .assign(&array![values[0], values[1], values[2]]);
        rows
    };
    for (distance, values, why) in [
        (Distance::Cosine, [0.0; 3], "a row of zeros"),
        (Distance::Correlation, [0.25; 3], "a constant one"),
    ] {
        let bad = with_row(2, values);
        let wrong = error(fit(distance.clone(), false, &bad));
        named(&wrong, input::TRAIN, 2, why, LEAVE_ROW_OUT);
        let explainer = fit(distance.clone(), false, &good).unwrap();
        named(
            &error(explainer.explain_votes(bad.view())),
            input::SAMPLES,
            2,
            why,
            LEAVE_ROW_OUT,
        );
        let wrong = error(xai_casebased::search::distances(
            good.view(),
            bad.view(),
            &distance,
        ));
        named(&wrong, input::ROWS, 2, why, LEAVE_ROW_OUT);
        let wrong = error(xai_casebased::search::distances(
            bad.view(),
            good.view(),
            &distance,
        ));
        named(&wrong, input::QUERIES, 2, why, LEAVE_ROW_OUT);
        // The mean of the other rows is a row of zeros once it is scaled.
        let central = array![
            [1.0, 2.0, 9.0],
            [3.0, 1.0, 1.0],
            [2.0, 3.0, 5.0],
            [2.0, 6.0, 5.0]
        ];
        let wrong = error(fit(distance.clone(), true, &central));
        named(&wrong, input::TRAIN_SCALED, 2, why, help::DO_NOT_SCALE);
    }
    // Opposite rows: nothing is too large. It matters only to those who ask for all neighbours.
    let opposite = with_row(1, [-3.0, -1.0, -2.0]);
    let explainer = fit(Distance::BrayCurtis, false, &good).unwrap();
    assert!(explainer.explain_votes(opposite.view()).is_ok());
    let all = CaseExplainer::builder().k(4).scale(false);
    let all = all.distance(Distance::BrayCurtis);
    let all = all.fit(good.view(), &[0, 1, 0, 1]).unwrap();
    let wrong = error(all.explain_votes(opposite.view()));
    let why = "train[2], which is the opposite";
    named(&wrong, input::SAMPLES, 1, why, LEAVE_ROW_OUT);
}

#[test]
fn cells_that_are_no_numbers_are_named_by_their_column() {
    let bad = array![[1.0, 2.0], [1.0, f64::NAN]];
    let builder = || CaseExplainer::builder().feature_names(["age", "income"]);
    let wrong = error(builder().fit(bad.view(), &[0, 1]));
    not_finite(&wrong, input::TRAIN, &[1, 1]);
    assert_eq!(
        wrong.problem().to_string(),
        "column income of train[1, 1]: not a finite number"
    );
    assert_eq!(wrong.help(), Some(help::FILL_MISSING_VALUES));
    let explainer = builder()
        .fit(array![[1.0, 2.0], [2.0, 3.0]].view(), &[0, 1])
        .unwrap();
    let wrong = error(explainer.explain_votes(bad.view()));
    assert_eq!(
        wrong.problem().to_string(),
        "column income of samples[1, 1]: not a finite number"
    );
}

#[test]
fn engines_and_models_that_do_not_answer_are_named() {
    let train = array![[0.0, 1.0], [1.0, 0.0]];
    let builder = CaseExplainer::builder;
    let tree = builder()
        .engine(Engine::KdTree)
        .distance(Distance::Canberra);
    let tree = error(tree.fit(train.view(), &[0, 1]));
    parameter(&tree, input::DISTANCE, "canberra");
    assert_eq!(tree.help(), Some(help::USE_BRUTE_FORCE));
    parameter(
        &error("quick".parse::<Engine>()),
        Input::new("engine"),
        "quick",
    );
    let closed = builder().aggregate_only(2);
    let closed = closed.fit(train.view(), &[0, 1]).unwrap();
    let refused = error(closed.explain(train.row(0), 0));
    assert!(matches!(refused.kind(), ErrorKind::Refused { .. }));
    assert_eq!(refused.input(), input::EXPLANATIONS);
    assert_eq!(refused.help(), Some(help::USE_AGGREGATE));
    let explainer = builder().fit(train.view(), &[0, 1]).unwrap();
    let model = |_: ndarray::ArrayView2<'_, f64>| Err::<Vec<i32>, _>("out of memory");
    let failed = error(explainer.explain_with(train.view(), model));
    assert_eq!(failed.input(), xai_core::input::MODEL);
    assert!(
        matches!(failed.kind(), ErrorKind::Model { source, .. } if source.to_string() == "out of memory")
    );
    let model = |_: ndarray::ArrayView2<'_, f64>| Ok::<_, std::fmt::Error>(vec![1]);
    let short = error(explainer.explain_with(train.view(), model));
    shape(&short, input::PREDICTED, &[1]);
}

#[test]
fn a_standardization_needs_one_divisor_per_mean() {
    let rows = Array2::from_shape_fn((2, 3), |(i, j)| (i + j) as f64);
    let mut broken = xai_casebased::training::Standardization::fit(rows.view()).unwrap();
    broken.scale.pop();
    let error = broken
        .apply(ndarray::array![[1.0, 2.0, 3.0]].view())
        .unwrap_err();
    assert_eq!(error.input(), xai_casebased::input::SCALE);
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2]));
}

#[test]
fn slices_are_rows_of_features() {
    let labels = [0, 1, 1];
    let train = [0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0];
    let rows = ArrayView2::from_shape((3, 2), &train).unwrap();
    let fitted = CaseExplainer::builder().fit(rows, &labels).unwrap();
    let explainer = CaseExplainer::builder()
        .fit_slice(&train, 2, &labels)
        .unwrap();
    assert_eq!(
        explainer.explain_batch_slice(&train, &labels).unwrap(),
        fitted.explain_batch(rows, &labels).unwrap()
    );
    assert_eq!(
        explainer.explain_slice(&train[2..4], 1).unwrap(),
        fitted.explain(rows.row(1), 1).unwrap()
    );
    for n_features in [1, 3, usize::MAX] {
        let builder = CaseExplainer::builder();
        shape(
            &error(builder.fit_slice(&train, n_features, &labels)),
            input::TRAIN,
            &[6],
        );
    }
    shape(
        &error(explainer.explain_batch_slice(&train[..5], &labels)),
        input::SAMPLES,
        &[5],
    );
    shape(
        &error(explainer.explain_slice(&train[..3], 1)),
        input::SAMPLES,
        &[1, 3],
    );
}
