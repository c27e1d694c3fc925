//! Bad input is an error that names the input, the place and the expectation.

use ndarray::{Array2, array};
use xai_casebased::ErrorKind;
use xai_casebased::data_attribution::{
    AttributionComparison, AttributionData, AttributionMetric, AttributionRandomization,
    ClassAuroc, ClassDetection, LeaveOneOutCorrelation, LinearDatamodelingScore,
    MeanReciprocalRank, MislabelingDetection, ShortcutDetection, Subsets, TailPatch,
    TopKCardinality, brittleness, find,
};
use xai_casebased::input;

fn says(error: xai_casebased::Error, text: &str) {
    assert_eq!(error.to_string(), text);
}

#[test]
fn missing_or_mismatched_inputs_are_named() {
    let rows = array![[0.5, 0.25], [0.0, 1.0], [0.5, 2.0]];
    let data = || AttributionData::new(rows.view());
    says(
        ClassDetection::new().evaluate(&data()).unwrap_err(),
        "train_labels: needed, but not given",
    );
    says(
        ClassAuroc::new()
            .evaluate(
                &data()
                    .with(input::TRAIN_LABELS, &[1])
                    .with(input::TEST_CLASSES, &[1, 1, 1]),
            )
            .unwrap_err(),
        "train_labels: expected shape (2), got (1)",
    );
    says(
        ClassAuroc::new()
            .evaluate(
                &data()
                    .with(input::TRAIN_LABELS, &[1, 0])
                    .with(input::TEST_CLASSES, &[1, 1]),
            )
            .unwrap_err(),
        "test_classes: expected shape (3), got (2)",
    );
    says(
        ClassAuroc::new()
            .evaluate(
                &data()
                    .with(input::TRAIN_LABELS, &[1, u64::MAX])
                    .with(input::TEST_CLASSES, &[1, 1, 1]),
            )
            .unwrap_err(),
        "train_labels[1] = 1.8446744073709552e19: expected a label of at most 2^63 - 1",
    );
    says(
        ShortcutDetection::new()
            .evaluate(&data().with(input::FLAGS, &[true]))
            .unwrap_err(),
        "flags: expected shape (2), got (1)",
    );
    says(
        TopKCardinality::new()
            .evaluate(&data().with(input::KEEP, &[true]))
            .unwrap_err(),
        "keep: expected shape (3), got (1)",
    );
    says(
        TopKCardinality::new().k(0).evaluate(&data()).unwrap_err(),
        "k = 0: expected a whole number, at least 1",
    );
    says(
        TopKCardinality::new()
            .evaluate(&AttributionData::default())
            .unwrap_err(),
        "attributions: needed, but not given",
    );
    says(
        AttributionRandomization::new()
            .evaluate(&data().random_attributions(rows.t()))
            .unwrap_err(),
        "random_attributions: expected shape (3, 2), got (2, 3); it looks transposed: save or pass array.T",
    );
    let relevant = array![[true, false]];
    says(
        MeanReciprocalRank::new()
            .evaluate(&data().with(input::RELEVANT, relevant.view()))
            .unwrap_err(),
        "relevant: expected shape (3, 2), got (1, 2)",
    );
    says(
        LeaveOneOutCorrelation::new()
            .evaluate(
                &data()
                    .with(input::REMOVED, &[0, 2])
                    .with(input::DROPS, rows.view()),
            )
            .unwrap_err(),
        "removed[1] = 2: expected a training case, 0 or 1",
    );
    let none = Array2::<f64>::zeros((2, 0));
    says(
        TopKCardinality::new()
            .evaluate(&AttributionData::new(none.view()))
            .unwrap_err(),
        "training cases of attributions: empty, expected at least one",
    );
}

#[test]
fn non_finite_values_are_named_with_their_row() {
    let mut rows = Array2::zeros((30, 3));
    rows[[17, 2]] = f64::NAN;
    let data = AttributionData::new(rows.view());
    says(
        TopKCardinality::new().evaluate(&data).unwrap_err(),
        "attributions[17, 2]: not a finite number",
    );
    let fine = Array2::<f64>::zeros((30, 3));
    let data = AttributionData::new(fine.view()).random_attributions(rows.view());
    says(
        AttributionRandomization::new().evaluate(&data).unwrap_err(),
        "random_attributions[17, 2]: not a finite number",
    );
}

#[test]
fn outputs_of_subsets_fit_the_subsets() {
    let rows = array![[f64::MAX, f64::MAX]];
    let subsets = Subsets::from_cases(2, [[0, 1], [1, 1]]).unwrap();
    let data = || AttributionData::new(rows.view()).with(input::SUBSETS, &subsets);
    let lds = LinearDatamodelingScore::new();
    says(
        lds.evaluate(&data()).unwrap_err(),
        "outputs: needed, but not given",
    );
    let outputs = array![[0.5], [0.25]];
    says(
        lds.evaluate(&data().with(input::OUTPUTS, outputs.t()))
            .unwrap_err(),
        "outputs: expected shape (2, 1), got (1, 2); it looks transposed: save or pass array.T",
    );
    says(
        lds.evaluate(&data().with(input::OUTPUTS, outputs.view()))
            .unwrap_err(),
        "sums over subsets of attributions[0]: not a finite number; scale the attributions down",
    );
    let other = Subsets::from_cases(3, [[0, 1]]).unwrap();
    says(
        lds.evaluate(
            &data()
                .with(input::SUBSETS, &other)
                .with(input::OUTPUTS, outputs.view()),
        )
        .unwrap_err(),
        "training cases of subsets: expected shape (2), got (3)",
    );
    let logits = ndarray::Array3::<f64>::zeros((2, 1, 3));
    says(
        lds.evaluate(
            &data()
                .with(input::LOGITS, logits.view())
                .with(input::TARGETS, &[3]),
        )
        .unwrap_err(),
        "targets[0] = 3: expected a class of 0 to 2",
    );
}

#[test]
fn arrays_that_are_no_attributions_are_checked_alike() {
    let mislabeling = MislabelingDetection::new();
    says(
        mislabeling.evaluate(&[], &[]).unwrap_err(),
        "scores: empty, expected at least one",
    );
    says(
        mislabeling.evaluate(&[0.5], &[]).unwrap_err(),
        "flags: expected shape (1), got (0)",
    );
    says(
        mislabeling.evaluate(&[f64::NAN], &[true]).unwrap_err(),
        "scores[0]: not a finite number",
    );
    says(
        TailPatch::new()
            .evaluate(&[-0.5], array![[-0.5, 0.9]].view())
            .unwrap_err(),
        "log_prob_after[0, 1] = 0.9: expected a log-probability, at most 0",
    );
    let predictions = array![[0, 1]];
    says(
        brittleness(&[0, 0], predictions.view()).unwrap_err(),
        "ks[1] = 0: expected numbers of top cases, ascending from 0",
    );
    says(
        brittleness(&[1, 2], predictions.view()).unwrap_err(),
        "ks[0] = 1: expected numbers of top cases, ascending from 0",
    );
    says(
        brittleness(&[0], predictions.view()).unwrap_err(),
        "predictions: expected shape (1, 1), got (1, 2)",
    );
    let unknown = |name: &str| find(name).unwrap_err().to_string();
    assert!(unknown("zzz").contains("one of linear-datamodeling-score, "));
    assert_eq!(
        unknown("class_detections"),
        "metric = class_detections: expected the name of a metric; \
         did you mean `class-detection` or `subclass-detection`?"
    );
}

#[test]
fn a_slice_has_whole_rows() {
    let error = AttributionData::from_slice(&[0.5, 0.25, 1.0], 2).unwrap_err();
    says(
        error,
        "attributions: expected shape a multiple of n_train = 2 values, got (3)",
    );
    assert!(AttributionData::from_slice(&[0.5f32], 0).is_err());
    assert!(AttributionData::from_slice(&[0.5f32, 1.0], 2).is_ok());
}

#[test]
fn a_comparison_has_outcomes_of_every_explainer() {
    let metrics = ["class-detection".parse().unwrap()];
    for outcomes in [Vec::new(), vec![Vec::new()], vec![Vec::new(), Vec::new()]] {
        let error = AttributionComparison::new(&["a", "b"], &metrics, outcomes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
    }
}
