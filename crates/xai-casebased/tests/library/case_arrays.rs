//! Explanations as arrays.

use ndarray::{Array2, array};
use proptest::prelude::*;
use xai_casebased::{CaseExplainer, CaseOptions, ErrorKind, Explanation, Kernel, Level};

fn problem() -> impl Strategy<Value = (Array2<f64>, Array2<f64>, usize)> {
    (1usize..40, 1usize..6, 1usize..6).prop_flat_map(|(n, d, m)| {
        let rows = |n: usize| {
            prop::collection::vec(-3i8..4, n * d).prop_map(move |v| {
                Array2::from_shape_vec((n, d), v.into_iter().map(f64::from).collect()).unwrap()
            })
        };
        (rows(n), rows(m), 1..n + 3)
    })
}

proptest! {
    #[test]
    fn arrays_hold_the_values_of_the_explanations((train, samples, k) in problem(), vote in any::<bool>()) {
        let labels: Vec<usize> = (0..train.nrows()).map(|i| i % 3).collect();
        let explainer = CaseExplainer::builder().k(k).fit(train.view(), &labels).unwrap();
        let predicted: Vec<i64> = (0..samples.nrows() as i64).map(|i| i % 3.min(train.nrows() as i64)).collect();
        let asked = (!vote).then_some(predicted.as_slice());
        let options = asked.map_or(CaseOptions::new(), |predicted| CaseOptions::new().predicted(predicted));
        let found = explainer.case_arrays(samples.view(), options).unwrap();
        let explanations: Vec<Explanation> = match asked {
            Some(predicted) => explainer.explain_batch(samples.view(), predicted).unwrap(),
            None => explainer.explain_votes(samples.view()).unwrap(),
        };
        for (i, explanation) in explanations.iter().enumerate() {
            let range = found.starts[i]..found.starts[i + 1];
            let cases = &explanation.cases;
            prop_assert!(cases.iter().map(|c| c.index).eq(found.indices[range.clone()].iter().copied()));
            prop_assert!(cases.iter().map(|c| c.distance).eq(found.distances[range].iter().copied()));
            prop_assert_eq!(found.predicted[i], explanation.predicted);
            prop_assert_eq!(found.correspondence[i], explanation.correspondence.score);
            prop_assert_eq!(found.levels[i], explanation.level());
            prop_assert_eq!(found.ties_at_k[i], explanation.ties_at_k);
        }
    }
}

#[test]
fn another_k_and_kernel_are_those_of_an_explainer_fitted_with_them() {
    let train = array![[0.0], [1.0], [3.0], [9.0]];
    let labels = [0, 1, 1, 0];
    let samples = array![[0.4], [7.0]];
    let builder = || CaseExplainer::builder().class_weight(1, 2.0);
    let asked = builder().k(1).fit(train.view(), &labels).unwrap();
    let fitted = builder().k(3).weighting(Kernel::Uniform);
    let fitted = fitted.fit(train.view(), &labels).unwrap();
    let predicted = CaseOptions::new().predicted(&[0, 1]);
    let changed = predicted.k(3).weighting(Kernel::Uniform);
    assert_eq!(
        asked.case_arrays(samples.view(), changed).unwrap(),
        fitted.case_arrays(samples.view(), predicted).unwrap()
    );
}

#[test]
fn without_weight_there_is_no_score() {
    let explainer = CaseExplainer::builder().k(1).class_weight(0, 0.0);
    let explainer = explainer.fit(array![[0.0], [1.0]].view(), &[0, 1]).unwrap();
    let found = explainer
        .case_arrays(array![[0.0]].view(), CaseOptions::new())
        .unwrap();
    assert_eq!(found.predicted, [None]);
    assert_eq!(
        (found.correspondence[0], found.levels[0]),
        (None, Level::Undefined)
    );
}

#[test]
fn redacted_values_are_refused() {
    let train = array![[0.0, 5.0], [1.0, 6.0]];
    let fit = |builder: xai_casebased::CaseExplainerBuilder| {
        let builder = builder
            .metadata("name", vec!["Ada", "Bob"])
            .metadata("year", vec![1i64, 2]);
        builder.fit(train.view(), &[0, 1]).unwrap()
    };
    let refused = |kind: &ErrorKind| matches!(kind, ErrorKind::Refused { .. });
    let aggregates = fit(CaseExplainer::builder().aggregate_only(2));
    let asked = aggregates.case_arrays(train.view(), CaseOptions::new());
    assert!(refused(asked.unwrap_err().kind()));
    assert!(refused(aggregates.training_rows().unwrap_err().kind()));
    assert!(refused(aggregates.standardization().unwrap_err().kind()));
    assert!(refused(aggregates.shown_features(&[0]).unwrap_err().kind()));
    assert!(aggregates.shown_metadata().is_err());
    let redacted = fit(CaseExplainer::builder().redact("feature_1").redact("name"));
    assert!(refused(redacted.training_rows().unwrap_err().kind()));
    assert_eq!(redacted.shown_features(&[1]).unwrap(), array![[1.0]]);
    let names: Vec<&str> = redacted
        .shown_metadata()
        .unwrap()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["year"]);
    let beyond = redacted.shown_features(&[2]).unwrap_err();
    assert!(matches!(beyond.kind(), ErrorKind::InvalidParameter { .. }));
}

#[test]
fn no_neighbor_is_no_question() {
    let explainer = CaseExplainer::builder()
        .fit(array![[0.0]].view(), &[0])
        .unwrap();
    let error = explainer
        .case_arrays(array![[0.0]].view(), CaseOptions::new().k(0))
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InvalidParameter { .. }));
}
