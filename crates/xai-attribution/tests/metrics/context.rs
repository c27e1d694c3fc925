//! Laws of the scores of ablations, and their edges.

use ndarray::{Array2, array};
use proptest::prelude::*;
use xai_attribution::metric::{ContextLds, SequenceScale, sequence_score};
use xai_attribution::{ErrorKind, input};
use xai_core::statistics::Correlation;

fn ablations() -> impl Strategy<Value = (Vec<f64>, Array2<bool>)> {
    (2usize..8, 3usize..12).prop_flat_map(|(d, m)| {
        let kept = prop::collection::vec(any::<bool>(), d * m);
        let map = prop::collection::vec((-16i32..17).prop_map(|a| f64::from(a) / 4.0), d);
        (map, kept)
            .prop_map(move |(map, kept)| (map, Array2::from_shape_vec((m, d), kept).unwrap()))
    })
}

fn sums(map: &[f64], kept: &Array2<bool>) -> Vec<f64> {
    let sum = |kept: ndarray::ArrayView1<'_, bool>| {
        kept.iter()
            .zip(map)
            .filter(|(kept, _)| **kept)
            .map(|(_, a)| a)
            .sum()
    };
    kept.outer_iter().map(sum).collect()
}

proptest! {
    #[test]
    fn outputs_that_are_the_sums_score_one((map, kept) in ablations()) {
        let outputs = sums(&map, &kept);
        let differ = outputs.iter().any(|sum| *sum != outputs[0]);
        for correlation in [Correlation::Spearman, Correlation::Pearson, Correlation::Kendall] {
            let lds = ContextLds::new().correlation(correlation);
            let value = lds.evaluate(&[&map], &[kept.view()], &[&outputs]).ok().map(|lds| lds.value);
            prop_assert_eq!(value.map(|value| (value * 1e9).round() / 1e9), differ.then_some(1.0));
            let reversed: Vec<f64> = map.iter().map(|a| -a).collect();
            let value = lds.evaluate(&[reversed], &[kept.view()], &[&outputs]).ok().map(|lds| lds.value);
            prop_assert_eq!(value.map(|value| (value * 1e9).round() / 1e9), differ.then_some(-1.0));
        }
    }

    #[test]
    fn the_logit_of_a_sequence_is_that_of_its_probability(tokens in prop::collection::vec(-6.0..6.0f64, 1..5)) {
        let p: f64 = tokens.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).product();
        let log_prob = sequence_score(&tokens, SequenceScale::LogProb).unwrap();
        prop_assert!((log_prob - p.ln()).abs() < 1e-9);
        let logit = sequence_score(&tokens, SequenceScale::LogitProb).unwrap();
        prop_assert!((logit - (p / (1.0 - p)).ln()).abs() < 1e-7);
    }
}

#[test]
fn a_sequence_of_one_token_has_its_logit_however_sure() {
    for logit in [
        -1e4, -700.0, -1.0, 0.0, 20.0, 500.0, 668.0, 700.0, 745.0, 1e4,
    ] {
        let score = sequence_score(&[logit], SequenceScale::LogitProb).unwrap();
        assert!(
            (score - logit).abs() <= 1e-12 * logit.abs().max(1.0),
            "{logit}: {score}"
        );
    }
    // Two of them are half as sure.
    let two = sequence_score(&[800.0, 800.0], SequenceScale::LogitProb).unwrap();
    assert!((two - (800.0 - 2f64.ln())).abs() < 1e-12);
}

#[test]
fn ablations_that_do_not_fit_are_named_with_their_sample() {
    let kept = array![[true, false], [false, true]];
    let of = |map: &[f64], outputs: &[f64]| {
        ContextLds::new()
            .evaluate(&[map], &[kept.view()], &[outputs])
            .unwrap_err()
    };
    let error = of(&[1.0, 2.0, 3.0], &[1.0, 2.0]);
    assert_eq!(
        (error.input(), error.owner_name()),
        (input::KEPT, Some("sample 0"))
    );
    assert_eq!(of(&[1.0, 2.0], &[1.0, f64::NAN]).input(), input::OUTPUTS);
    // One ablation has no order.
    let one = array![[true, false]];
    let error = ContextLds::new()
        .evaluate(&[[1.0, 2.0]], &[one.view()], &[[1.0]])
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Empty));
    let none: [[f64; 1]; 0] = [];
    assert_eq!(
        ContextLds::new()
            .evaluate(&none, &[], &none)
            .unwrap_err()
            .input(),
        input::EXPLANATIONS
    );
    assert!(sequence_score(&[], SequenceScale::LogProb).is_err());
}
