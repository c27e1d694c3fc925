//! Metrics of maps alone.

use ndarray::Array1;
use xai_attribution::Evaluate;
use xai_attribution::Layout;
use xai_attribution::batch::Data;
use xai_attribution::metric::{Collinear, MstCompactness, complexity, sparseness};

use crate::golden::{Golden, flat};

/// Quantus adds 1e-7 to every attribution: its number comes of maps to which that was added.
#[test]
fn sparseness_of_maps_that_are_nowhere_zero() {
    let golden = Golden::read();
    for case in golden.cases("Sparseness", 6) {
        let maps = flat(case.maps(golden.problem(case))) + 1e-7;
        let ours = sparseness(maps.view().into_dyn(), Layout::Tabular).unwrap();
        case.assert(&ours.per_sample);
    }
}

/// Quantus has 1e-12 in the logarithm, ours 1e-8: the entropies differ by less than 1e-6, and the
/// difference is that of the two logarithms.
#[test]
fn complexity_but_for_its_epsilon() {
    let golden = Golden::read();
    for case in golden.cases("Complexity", 6) {
        let maps = flat(case.maps(golden.problem(case)));
        let ours = complexity(maps.view().into_dyn(), Layout::Tabular).unwrap();
        for ((map, ours), theirs) in maps.outer_iter().zip(&ours.per_sample).zip(case.values()) {
            let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
            assert!((ours - theirs).abs() < 1e-5, "{ours} {theirs}");
            let shares: Array1<f64> = map.to_owned() / map.sum();
            let entropy: f64 = shares.iter().map(|q| -q * (q + 1e-12).ln()).sum();
            assert!(case.near(entropy, theirs));
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
            .layout(Layout::ChannelsFirst);
        let ours = metric.evaluate_on(Data::of_maps(maps.view())).unwrap();
        case.assert(&ours.per_sample);
    }
}
