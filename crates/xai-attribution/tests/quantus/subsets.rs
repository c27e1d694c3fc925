//! Metrics over subsets of the input.

use ndarray::Ix3;
use xai_attribution::metric::MuFidelity;
use xai_attribution::perturbation::{Features, PrecomputedSubsets, SubsetSampling};
use xai_core::statistics::Correlation;

use crate::golden::Golden;

#[test]
fn faithfulness_correlation() {
    let golden = Golden::read();
    for case in golden.cases("FaithfulnessCorrelation", 10) {
        let correlation = match case.params["similarity_func"].as_str() {
            Some("correlation_spearman") => Correlation::Spearman,
            _ => Correlation::Pearson,
        };
        let subsets = case.draws("subsets").into_dimensionality::<Ix3>().unwrap();
        assert_eq!(subsets.dim().0, case.count("nr_runs"));
        let metric = MuFidelity::new()
            .correlation(correlation)
            .features(Features::Positions)
            .sampling(SubsetSampling::Given)
            .baseline(case.baseline());
        let given = PrecomputedSubsets(subsets.mapv(|feature| feature as u32));
        let ours = case
            .all(&golden)
            .evaluate(&metric, true, |data| data.with(given));
        case.assert(&ours.per_sample);
    }
}
