//! Values computed by the peers: numpy, scikit-learn, scipy and irrCAC.

use approx::assert_relative_eq;
use ndarray::Array2;
use serde_json::Value;
use xai_core::simd::InstructionSet;
use xai_repro::metrics::PAIR_METRICS;
use xai_repro::{
    Agreement, PackedRuns, PackedRunsBuilder, PairMetric, Pairwise, PairwiseReproducibility,
};

struct Case(Value);

fn cases() -> Vec<Case> {
    let golden: Value = serde_json::from_str(include_str!("../golden/repro.json")).unwrap();
    golden["cases"]
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(Case)
        .collect()
}

impl Case {
    fn labels(&self) -> Vec<i64> {
        self.0["labels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_i64().unwrap())
            .collect()
    }

    fn predictions(&self) -> Array2<i64> {
        let rows = self.0["predictions"].as_array().unwrap();
        let values: Vec<i64> = rows
            .iter()
            .flat_map(|r| r.as_array().unwrap())
            .map(|x| x.as_i64().unwrap())
            .collect();
        Array2::from_shape_vec((rows.len(), values.len() / rows.len()), values).unwrap()
    }

    fn runs(&self) -> PairwiseReproducibility {
        Pairwise::new()
            .evaluate(self.predictions().view(), &self.labels())
            .unwrap()
    }

    /// Compares values that may be undefined, `null` in the golden file.
    fn check(&self, key: &str, ours: &[Option<f64>], tolerance: f64) {
        let peers = self.0[key].as_array().unwrap();
        assert_eq!(ours.len(), peers.len(), "{key}");
        for (ours, peer) in ours.iter().zip(peers) {
            match (ours, peer.as_f64()) {
                (Some(ours), Some(peer)) => {
                    assert_relative_eq!(*ours, peer, max_relative = tolerance, epsilon = 1e-15);
                }
                (ours, peer) => assert_eq!(*ours, peer, "{key}"),
            }
        }
    }
}

/// The metrics that the peers computed.
const GOLDEN: [PairMetric; 7] = [
    PairMetric::EC_LOCAL,
    PairMetric::EC_GLOBAL,
    PairMetric::EC_ACC,
    PairMetric::EC_CORR,
    PairMetric::PA_ACC,
    PairMetric::PA_KAPPA,
    PairMetric::PA_CRAMERS_V,
];

#[test]
fn pair_metrics_are_those_of_the_peers() {
    for case in cases() {
        let runs = case.runs();
        for metric in GOLDEN {
            case.check(metric.name(), runs.pairs(metric), 1e-12);
        }
    }
}

#[test]
fn every_code_path_gives_the_same_bits() {
    for case in cases() {
        let (predictions, labels) = (case.predictions(), case.labels());
        let expected = case.runs();
        let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &labels).unwrap();
        for level in InstructionSet::available() {
            let pairwise = Pairwise::new().instruction_set(level);
            assert_eq!(
                pairwise.evaluate_packed(&packed).unwrap(),
                expected,
                "{level}"
            );
            let summaries = pairwise.summarize(&packed).unwrap();
            for metric in PAIR_METRICS.iter().copied() {
                let (with_quantiles, without) =
                    (expected.summary(metric), summaries.summary(metric).unwrap());
                assert_eq!(
                    (without.mean, without.std, without.min, without.max),
                    (
                        with_quantiles.mean,
                        with_quantiles.std,
                        with_quantiles.min,
                        with_quantiles.max
                    ),
                    "{level} {metric}"
                );
                assert_eq!(
                    summaries.interval(metric, 0.9).unwrap(),
                    expected.interval(metric, 0.9).unwrap()
                );
            }
        }
        // One run at a time, the codes in the order they are met.
        let mut packing = PackedRunsBuilder::new(PAIR_METRICS, &labels).unwrap();
        for run in predictions.rows() {
            packing.push(&run.to_vec()).unwrap();
        }
        let packed = packing.build().unwrap();
        let one_at_a_time = Pairwise::new().evaluate_packed(&packed);
        assert_eq!(one_at_a_time.unwrap(), expected);
    }
}

#[test]
fn error_sets_are_those_of_the_peers() {
    for case in cases() {
        let runs = case.runs();
        let errors = runs.errors();
        let accuracy: Vec<Option<f64>> = errors.accuracy().into_iter().map(Some).collect();
        case.check("accuracy", &accuracy, 1e-12);
        case.check("loo_ec", &errors.leave_one_out_consistency(), 1e-12);
        assert_eq!(
            errors.always_wrong().len() as u64,
            case.0["intersection"].as_u64().unwrap()
        );
        assert_eq!(
            errors.ever_wrong().len() as u64,
            case.0["union"].as_u64().unwrap()
        );
    }
}

#[test]
fn agreement_coefficients_are_those_of_irr_cac() {
    for case in cases() {
        let agreement = Agreement::new(case.predictions().view()).unwrap();
        for (key, ours) in [
            ("fleiss_kappa", agreement.fleiss_kappa()),
            ("krippendorff_alpha", agreement.krippendorff_alpha()),
            ("gwet_ac1", agreement.gwet_ac1()),
        ] {
            // irrCAC was asked for twelve decimals.
            let peer = case.0[key].as_f64().unwrap();
            assert!(
                (ours.unwrap() - peer).abs() <= 1e-12,
                "{key}: {ours:?} {peer}"
            );
        }
    }
}
