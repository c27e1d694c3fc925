//! Metrics of maps alone.

use xai_attribution::metric::{Collinear, MstCompactness, complexity, sparseness};
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Golden, flat};

/// Quantus adds 1e-7 to every attribution: its number comes of maps to which that was added.
#[test]
fn sparseness_of_maps_that_are_nowhere_zero() {
    let golden = Golden::read();
    for case in golden.cases("Sparseness", 6) {
        let maps = flat(case.maps(golden.problem(case))) + 1e-7;
        let ours = sparseness(maps.view().into_dyn(), InputLayout::Tabular).unwrap();
        case.assert(&ours.per_sample);
    }
}

/// Quantus adds 1e-12 under the logarithm: at most as much for each position.
#[test]
fn complexity_but_for_its_epsilon() {
    let golden = Golden::read();
    for case in golden.cases("Complexity", 6) {
        let maps = flat(case.maps(golden.problem(case)));
        let ours = complexity(maps.view().into_dyn(), InputLayout::Tabular).unwrap();
        let allowed = 1e-12 * maps.ncols() as f64 + case.tolerance;
        for (ours, theirs) in ours.per_sample.iter().zip(case.values()) {
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            assert!((ours - theirs).abs() <= allowed, "{ours} {theirs}");
        }
    }
}

/// The graph of nearest neighbours of all cases holds the shortest tree, and no mark is a line.
#[test]
fn compactness_by_spanning_trees() {
    let golden = Golden::read();
    for case in golden.cases("MSTC", 8) {
        let maps = case.maps(golden.problem(case));
        let metric = MstCompactness::new()
            .percentile(case.params["threshold"].as_f64().unwrap())
            .scaled(case.params["scale_score"].as_bool().unwrap_or(true))
            .collinear(Collinear::Diagonal)
            .layout(InputLayout::ChannelsFirst);
        let ours = metric
            .evaluate_on(EvaluationData::from_maps(maps.view()))
            .unwrap();
        case.assert(&ours.per_sample);
    }
}
