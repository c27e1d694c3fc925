//! Metrics over the removal of one feature at a time.

use ndarray::Array3;
use xai_attribution::metric::{FaithfulnessEstimate, NonSensitivity};
use xai_attribution::perturbation::Features;
use xai_attribution::side::Segments;

use crate::golden::Golden;

#[test]
fn faithfulness_estimate() {
    let golden = Golden::read();
    for case in golden.cases("FaithfulnessEstimate", 7) {
        let metric = FaithfulnessEstimate::new()
            .group_size(case.count("features_in_step"))
            .baseline(case.baseline());
        case.assert(&case.evaluate_flat(&golden, &metric).per_sample);
    }
}

/// With several features in a step Quantus puts the silent ones together in their order, and the
/// others: segments, here.
#[test]
fn non_sensitivity() {
    let golden = Golden::read();
    for case in golden.cases("NonSensitivity", 3) {
        let (eps, step) = (
            case.params["eps"].as_f64().unwrap(),
            case.count("features_in_step"),
        );
        let metric = NonSensitivity::new()
            .zero_threshold(eps)
            .change_threshold(eps)
            .baseline(case.baseline());
        if step == 1 {
            case.assert(&case.evaluate_flat(&golden, &metric).per_sample);
            continue;
        }
        let maps = case.maps(golden.problem(case));
        let (n, size) = (maps.shape()[0], maps.len() / maps.shape()[0]);
        let mut segments = Array3::zeros((n, 1, size));
        for (i, map) in maps.outer_iter().enumerate() {
            let mut counts = [0usize; 2];
            for (p, a) in map.iter().enumerate() {
                let kind = usize::from(*a >= eps);
                segments[[i, 0, p]] = (kind * size + counts[kind] / step) as u32;
                counts[kind] += 1;
            }
            assert_eq!((counts[0] % step, counts[1] % step), (0, 0));
        }
        let metric = metric.features(Features::Segments);
        let run = case.all(&golden);
        let ours = run.evaluate(&metric, true, |data| data.with(Segments::new(segments)));
        // Ours counts segments, of which all have as many features.
        let features: Vec<_> = ours
            .per_sample
            .iter()
            .map(|v| v.map(|v| v * step as f64))
            .collect();
        case.assert(&features);
    }
}
