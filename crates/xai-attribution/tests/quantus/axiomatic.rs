//! Completeness.

use xai_attribution::metric::{Completeness, Gap};

use crate::golden::Golden;

/// Quantus tests for equality: a gap of 0. Its logits are exact here, in any order of summation.
#[test]
fn completeness() {
    let golden = Golden::read();
    for case in golden.cases("Completeness", 5) {
        let metric = Completeness::new()
            .gap(Gap::Absolute)
            .baseline(case.baseline());
        let ours = case.evaluate_flat(&golden, &metric).per_sample;
        let holds: Vec<_> = ours
            .iter()
            .map(|gap| gap.map(|gap| f64::from(u8::from(gap == 0.0))))
            .collect();
        case.assert(&holds);
    }
}
