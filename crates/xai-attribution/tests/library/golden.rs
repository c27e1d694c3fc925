//! Values computed by Xplique 2.0.2 in single precision: compared at 2e-5.

use approx::assert_abs_diff_eq;
use ndarray::{Array2, ArrayD, ArrayViewD};
use serde_json::Value;
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Deletion, Insertion, MetricValue,
    MuFidelity, complexity, sparseness,
};
use xai_attribution::model::Scoring;
use xai_attribution::perturbation::{Features, SubsetSampling, SubsetSize};
use xai_attribution::scores::{MaskedScores, base_scores, masked_scores};
use xai_attribution::{Activation, Evaluate, InputLayout};
use xai_core::tensor::{MaskScaling, mask_inputs};
use xai_core::{Error, ErrorKind};

const TOLERANCE: f64 = 2e-5;

fn cases() -> Vec<Case> {
    let golden: Value = serde_json::from_str(include_str!("../golden/attribution.json")).unwrap();
    golden["cases"]
        .as_array()
        .unwrap()
        .iter()
        .cloned()
        .map(Case)
        .collect()
}

struct Case(Value);

impl Case {
    fn numbers(&self, key: &str) -> Vec<f32> {
        let values = self.0[key].as_array().unwrap();
        values.iter().map(|x| x.as_f64().unwrap() as f32).collect()
    }

    fn array(&self, key: &str, shape: &str) -> ArrayD<f32> {
        let axes = self.0[shape].as_array().unwrap();
        let axes: Vec<usize> = axes
            .iter()
            .map(|n| usize::try_from(n.as_u64().unwrap()).unwrap())
            .collect();
        ArrayD::from_shape_vec(axes, self.numbers(key)).unwrap()
    }

    fn inputs(&self) -> ArrayD<f32> {
        self.array("x", "shape")
    }

    fn maps(&self) -> ArrayD<f32> {
        self.array("explanation", "explanation_shape")
    }

    fn targets(&self) -> Vec<i64> {
        self.0["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t.as_i64().unwrap())
            .collect()
    }

    fn activation(&self) -> Activation {
        match self.0["activation"].as_str() {
            None => Activation::None,
            Some("softmax") => Activation::Softmax,
            Some("sigmoid") => Activation::Sigmoid,
            Some(other) => panic!("{other}"),
        }
    }

    /// `logits = flatten(x) @ W + b`.
    fn model(&self) -> impl Fn(ArrayViewD<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
        let b = self.numbers("b");
        let w = self.numbers("W");
        let w = Array2::from_shape_vec((w.len() / b.len(), b.len()), w).unwrap();
        move |batch| {
            let n = batch.shape()[0];
            let flat = batch
                .to_owned()
                .into_shape_with_order((n, w.nrows()))
                .unwrap();
            Ok(flat.dot(&w) + ndarray::aview1(&b))
        }
    }

    /// The peer's three numbers, whatever the base scores.
    fn scores(&self) -> [(&'static str, MetricValue); 3] {
        let scoring = Scoring {
            activation: self.activation(),
            batch_size: Some(3),
            layout: Some(InputLayout::ChannelsLast),
            ..Scoring::default()
        };
        let (x, e) = (self.inputs(), self.maps());
        // With the peer's epsilon a map of zeros has a mask of zeros; ours has none.
        let layout = scoring.layout_of(x.shape()).unwrap();
        let kept = mask_inputs(x.view(), e.view(), layout, MaskScaling::Xplique).unwrap();
        let scores = |inputs: ArrayViewD<'_, f32>| {
            base_scores(&self.model(), inputs, &self.targets(), &scoring).unwrap()
        };
        let masked = scores(kept.inputs.view()).into_iter().map(Some);
        let s = MaskedScores::new(scores(x.view()), masked.collect());
        let as_is = BaseScorePolicy::AsIs;
        let drop = AverageDrop::new()
            .base_score_policy(as_is)
            .evaluate_scores(&s.base, &s.masked);
        let increase = AverageIncrease::new().evaluate_scores(&s.base, &s.masked);
        let gain = AverageGain::new()
            .base_score_policy(as_is)
            .evaluate_scores(&s.base, &s.masked);
        [
            ("average_drop", drop.unwrap()),
            ("average_increase", increase.unwrap()),
            ("average_gain", gain.unwrap()),
        ]
    }

    fn check(&self, ours: f64, peer: &Value) {
        let peer = peer.as_f64().unwrap();
        // Where the base score is near 0 the quotient is large: the tolerance is relative there.
        assert_abs_diff_eq!(ours, peer, epsilon = TOLERANCE * peer.abs().max(1.0));
    }
}

#[test]
fn average_drop_increase_and_gain_are_those_of_the_peer() {
    for case in cases() {
        for (name, ours) in case.scores() {
            case.check(ours.value, &case.0[name]);
            let peers = case.0[format!("{name}_per_sample")].as_array().unwrap();
            assert_eq!(peers.len(), ours.per_sample.len());
            for (ours, peer) in ours.per_sample.iter().zip(peers) {
                case.check(ours.unwrap(), peer);
            }
        }
    }
}

/// The deviation: a constant map has no mask. Other masks are those of the peer.
#[test]
fn a_map_of_zeros_has_no_masked_score() {
    let mut n_constant = 0;
    for case in cases() {
        let (x, e) = (case.inputs(), case.maps());
        let scoring = Scoring {
            activation: case.activation(),
            layout: Some(InputLayout::ChannelsLast),
            ..Scoring::default()
        };
        let model = case.model();
        let scores = masked_scores(&model, x.view(), &case.targets(), e.view(), &scoring).unwrap();
        for (map, masked) in e.outer_iter().zip(scores.masked) {
            let is_zero = map.iter().all(|&a| a == 0.0);
            assert_eq!(masked.is_none(), is_zero);
            n_constant += usize::from(is_zero);
        }
    }
    assert_eq!(n_constant, 1);
}

/// The deviation: raw scores may be 0 or below, where the peer divides all the same. Our default
/// is an error; `BaseScorePolicy::AsIs`, used above, gives the peer's number.
#[test]
fn a_base_score_that_cannot_be_divided_by_is_an_error_unless_as_is() {
    let mut refused = 0;
    for case in cases() {
        let (x, e) = (case.inputs(), case.maps());
        let metric = AverageDrop::new()
            .layout(InputLayout::ChannelsLast)
            .activation(case.activation());
        let ours = metric.evaluate(&case.model(), x.view(), &case.targets(), e.view());
        match ours.map_err(Error::from) {
            // The peer has a value of a map of zeros, too.
            Ok(ours) if ours.n_undefined > 0 => {}
            Ok(ours) => case.check(ours.value, &case.0["average_drop"]),
            Err(error) => {
                let ErrorKind::UndefinedScore { value, .. } = error.kind() else {
                    panic!("{error}")
                };
                assert!(*value <= 0.0 && case.activation() == Activation::None);
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn deletion_and_insertion_are_those_of_the_peer() {
    let mut compared = 0;
    for case in cases() {
        let (x, mut e) = (case.inputs(), case.maps());
        // The one constant map among the cases is all ties: we flip the lower position first, the
        // peer the higher. A slope too small to reorder anything else gives the peer's order.
        if e.index_axis(ndarray::Axis(0), 0).iter().all(|&a| a == 0.0) {
            let mut tied = e.index_axis_mut(ndarray::Axis(0), 0);
            tied.iter_mut()
                .zip(1u8..)
                .for_each(|(a, rank)| *a = f32::from(rank) * 1e-9);
        }
        for (key, steps, fraction) in [
            ("steps4_max1.0", Some(4), 1.0),
            ("steps-1_max0.5", None, 0.5),
        ] {
            let compare = |name: &str, ours: MetricValue| {
                let peer = &case.0[format!("{name}_{key}")];
                case.check(ours.value, &peer["auc"]);
                let curve = peer["curve"].as_object().unwrap();
                let points = ours.curve.unwrap();
                assert_eq!(curve.len(), points.len());
                for point in points {
                    case.check(point.score, &curve[&point.n_flipped.to_string()]);
                }
            };
            if case.0[format!("deletion_{key}")].is_null() {
                continue;
            }
            compared += 1;
            let deletion = Deletion::new()
                .steps(steps)
                .max_fraction(fraction)
                .baseline(0.25)
                .activation(case.activation())
                .batch_size(3)
                .layout(InputLayout::ChannelsLast)
                .evaluate(&case.model(), x.view(), &case.targets(), e.view());
            compare("deletion", deletion.unwrap());
            let insertion = Insertion::new()
                .steps(steps)
                .max_fraction(fraction)
                .baseline(0.25)
                .activation(case.activation())
                .batch_size(3)
                .layout(InputLayout::ChannelsLast)
                .evaluate(&case.model(), x.view(), &case.targets(), e.view());
            compare("insertion", insertion.unwrap());
        }
    }
    assert_eq!(compared, 20);
}

#[test]
fn complexity_and_sparseness_are_those_of_the_peer() {
    let (mut compared, mut zero_maps) = (0, Vec::new());
    for case in cases() {
        let Some(complexities) = case.0["complexity_per_sample"].as_array() else {
            continue;
        };
        compared += 1;
        let e = case.maps();
        let layout = InputLayout::ChannelsLast;
        let layout = if e.ndim() == 3 && case.0["shape"].as_array().unwrap().len() == 3 {
            InputLayout::TimeSeries
        } else {
            layout
        };
        let ours = complexity(e.view(), layout).unwrap();
        for (ours, peer) in ours.per_sample.iter().zip(complexities) {
            match ours {
                Some(ours) => case.check(*ours, peer),
                // The deviation: a map of zeros has no value; the peer's formula gives the best, 0.
                None => assert_abs_diff_eq!(peer.as_f64().unwrap(), 0.0, epsilon = 1e-6),
            }
        }
        let ours = sparseness(e.view(), layout).unwrap();
        let peers = case.0["sparseness_per_sample"].as_array().unwrap();
        for (ours, peer) in ours.per_sample.iter().zip(peers) {
            match ours {
                Some(ours) => case.check(*ours, peer),
                None => zero_maps.push(peer.as_f64().unwrap()),
            }
        }
    }
    assert_eq!(compared, 8);
    // The deviation: a map of zeros has no Gini index; the peer's formula gives −(n + 1)/n.
    assert_eq!(zero_maps.len(), 1);
    assert_abs_diff_eq!(zero_maps[0], -21.0 / 20.0, epsilon = 1e-6);
}

/// The peer's subsets come from its own random numbers, so its means over 4000 of them are compared
/// at the error of such means. Samples of constant maps count 0 there and are undefined here.
#[test]
fn mu_fidelity_is_that_of_the_peer_within_the_error_of_its_subsets() {
    const PEER: [(usize, f64); 6] = [
        (1, -0.243_764),
        (2, 0.078_468),
        (5, 0.023_888),
        (7, -0.083_846),
        (8, -0.144_036),
        (11, 0.041_256),
    ];
    let cases = cases();
    let fidelity = MuFidelity::new()
        .sampling(SubsetSampling::Independent)
        .n_subsets(4000)
        .subset_size(SubsetSize::Fraction(0.3))
        .features(Features::Grid(3));
    for (case, peer) in PEER {
        let case = &cases[case];
        let (x, e) = (case.inputs(), case.maps());
        let ours = fidelity
            .clone()
            .batch_size(1000)
            .layout(InputLayout::ChannelsLast)
            .activation(case.activation());
        let ours = ours
            .evaluate(&case.model(), x.view(), &case.targets(), e.view())
            .unwrap();
        let n = ours.per_sample.len() as f64;
        let mean = ours.value * (n - ours.n_undefined as f64) / n;
        assert_abs_diff_eq!(mean, peer, epsilon = 0.025);
    }
}
