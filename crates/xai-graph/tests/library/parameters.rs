//! Parameters by name, as command lines and studies set them.

use xai_core::Input;
use xai_core::describe::{Parameters, Value, with};
use xai_graph::mask::MaskMetric;
use xai_graph::model::EdgeChoices;
use xai_graph::{Characterization, GroundTruthMetric, RobustFidelityMetric, UnfaithfulnessMetric};

/// Sets each parameter to its default, and to what is no value of it.
fn check<P: Parameters + Default>() {
    let params = P::default().params();
    assert!(!params.is_empty());
    for param in params {
        with(
            P::default(),
            [(param.name, param.value.to_string().as_str().into())],
        )
        .unwrap();
        let wrong = with(P::default(), [(param.name, Value::from("no such value"))]);
        let error = wrong.err().expect(param.name);
        assert_eq!(error.input(), Input::new(param.name));
        assert!(!param.doc.is_empty());
    }
}

#[test]
fn every_parameter_takes_its_default_and_names_itself_in_errors() {
    check::<GroundTruthMetric>();
    check::<UnfaithfulnessMetric<'_>>();
    check::<RobustFidelityMetric<'_>>();
    check::<Characterization>();
    check::<MaskMetric>();
    check::<EdgeChoices>();
}

#[test]
fn words_of_the_peers_and_numbers_are_read() {
    use xai_graph::ReturnType;
    use xai_graph::ground_truth::{Selection, ZeroDivision};
    let truth = |name, value: Value| with(GroundTruthMetric::new(), [(name, value)]).unwrap();
    let metric = GroundTruthMetric::new();
    assert_eq!(
        truth("selection", "3".into()),
        metric.selection(Selection::TopK(3))
    );
    assert_eq!(
        truth("selection", "truth_size".into()),
        metric.selection(Selection::TruthSize)
    );
    for (text, value) in [("0", ZeroDivision::Zero), ("one", ZeroDivision::One)] {
        assert_eq!(
            truth("zero_division", text.into()),
            metric.zero_division(value)
        );
    }
    assert_eq!(
        truth("zero_division", Value::Real(1.0)),
        metric.zero_division(ZeroDivision::One)
    );
    let raw = with(
        UnfaithfulnessMetric::new().return_type(ReturnType::Probs),
        [("return_type", Value::from("raw"))],
    );
    assert_eq!(raw.unwrap(), UnfaithfulnessMetric::new());
}
