//! The scores of ablations, as SciPy and context-cite have them.

use ndarray::Array2;
use xai_attribution::metric::{ContextLds, sequence_score};

use super::cases;

#[test]
fn linear_datamodeling_scores() {
    for case in cases("context-lds", 2) {
        let maps: Vec<Vec<f64>> = case.input("maps");
        let masks: Vec<Vec<Vec<bool>>> = case.input("masks");
        let masks: Vec<Array2<bool>> = (masks.iter())
            .map(|of| Array2::from_shape_vec((of.len(), of[0].len()), of.concat()).unwrap())
            .collect();
        let masks: Vec<_> = masks.iter().map(|kept| kept.view()).collect();
        let outputs: Vec<Vec<f64>> = case.input("outputs");
        match ContextLds::new().evaluate(&maps, &masks, &outputs) {
            Ok(value) => case.assert_value(&value),
            Err(_) => assert!(case.expected()["value"].is_null()),
        }
    }
}

#[test]
fn scores_of_sequences() {
    for case in cases("sequence-score", 3) {
        let scale = case.params()["output"].as_str().unwrap().replace('_', "-");
        let scale = scale.parse().unwrap();
        let tokens: Vec<Vec<f64>> = case.input("token_logit_probs");
        for (tokens, expected) in tokens.iter().zip(case.expected().as_array().unwrap()) {
            case.assert_is(sequence_score(tokens, scale).ok(), expected);
        }
    }
}
