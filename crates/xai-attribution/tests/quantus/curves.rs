//! Metrics along removal curves.

use ndarray::{Array2, Array3, Ix2, Ix3};
use xai_attribution::metric::{
    BaseScorePolicy, CurveMetric, Deletion, EffectiveComplexity, Irof, Monotonicity,
    NonzeroFeatures, RegionPerturbation,
};
use xai_attribution::perturbation::{Baseline, Features, PrecomputedOrders, RemovalOrder};
use xai_attribution::side::Segments;

use crate::golden::{Case, Golden};

/// The scores of every sample along a curve, one run per sample: the mean of one sample is its own.
fn curves<K: xai_attribution::metric::CurveKind>(
    case: &Case,
    golden: &Golden,
    metric: &CurveMetric<K>,
    flat: bool,
    orders: Option<&Array2<u32>>,
) -> Vec<Vec<f64>> {
    let n = golden.problem(case).targets.len();
    let of_sample = |sample| {
        let one = case.of_sample(golden, sample);
        let order = orders.map(|orders| {
            let order = orders.row(sample).insert_axis(ndarray::Axis(0));
            PrecomputedOrders(order.to_owned())
        });
        let value = one.evaluate(metric, flat, |data| match order {
            Some(order) => data.with(order),
            None => data,
        });
        value
            .curve
            .unwrap()
            .iter()
            .map(|point| point.score)
            .collect()
    };
    (0..n).map(of_sample).collect()
}

/// Trapezoids of width 1.
fn unit_area(scores: &[f64]) -> f64 {
    scores
        .windows(2)
        .map(|pair| (pair[0] + pair[1]) / 2.0)
        .sum()
}

fn assert_rows(case: &Case, ours: &[Vec<f64>]) {
    for (ours, theirs) in ours.iter().zip(case.rows()) {
        assert_eq!(ours.len(), theirs.len());
        assert!(
            ours.iter().zip(&theirs).all(|(a, b)| case.near(*a, *b)),
            "{} {}: {ours:?} {theirs:?}",
            case.metric,
            case.params
        );
    }
}

#[test]
fn pixel_flipping_is_deletion_without_its_first_point() {
    let golden = Golden::read();
    for case in golden.cases("PixelFlipping", 12) {
        let deletion = Deletion::new()
            .step_size(case.count("features_in_step"))
            .baseline(case.baseline());
        let mut ours = curves(case, &golden, &deletion, true, None);
        for curve in &mut ours {
            curve.remove(0);
        }
        match case.is("return_auc_per_sample") {
            true => case.assert(&ours.iter().map(|c| Some(unit_area(c))).collect::<Vec<_>>()),
            false => assert_rows(case, &ours),
        }
    }
}

#[test]
fn selectivity_is_deletion_of_patches_without_its_first_point() {
    let golden = Golden::read();
    for case in golden.cases("Selectivity", 4) {
        let deletion = Deletion::new()
            .steps(None)
            .features(Features::Patches(case.count("patch_size")))
            .baseline(case.baseline());
        let mut ours = curves(case, &golden, &deletion, false, None);
        for curve in &mut ours {
            curve.remove(0);
        }
        assert_rows(case, &ours);
    }
}

#[test]
fn region_perturbation_by_any_order() {
    let golden = Golden::read();
    for case in golden.cases("RegionPerturbation", 12) {
        let (order, orders) = match case.params["order"].as_str() {
            Some("morf") => (RemovalOrder::MostRelevantFirst, None),
            Some("lerf") => (RemovalOrder::LeastRelevantFirst, None),
            _ => {
                let order = case.draws("order").into_dimensionality::<Ix2>().unwrap();
                (RemovalOrder::Given, Some(order.mapv(|cell| cell as u32)))
            }
        };
        let metric = RegionPerturbation::new()
            .steps(None)
            .features(Features::Patches(case.count("patch_size")))
            .baseline(case.baseline())
            .order(order);
        let curves = curves(case, &golden, &metric, false, orders.as_ref());
        let drops: Vec<Vec<f64>> = curves
            .iter()
            .map(|curve| curve[1..].iter().map(|score| curve[0] - score).collect())
            .collect();
        assert_rows(case, &drops);
        // AOPC counts the start, where nothing has dropped.
        let all = case.all(&golden);
        let ours = all.evaluate(&metric, false, |data| match &orders {
            Some(orders) => data.with(PrecomputedOrders(orders.clone())),
            None => data,
        });
        let ours = ours.per_sample;
        for (ours, drops) in ours.iter().zip(&drops) {
            let aopc = drops.iter().sum::<f64>() / (drops.len() + 1) as f64;
            assert!(case.near(ours.unwrap(), aopc));
        }
    }
}

#[test]
fn monotonicity_where_features_are_put_back() {
    let golden = Golden::read();
    for case in golden.cases("Monotonicity", 8) {
        let metric = Monotonicity::new()
            .step_size(case.count("features_in_step"))
            .baseline(case.baseline())
            .strict(true);
        case.assert(&case.evaluate_flat(&golden, &metric).per_sample);
    }
}

/// Quantus replaces baseline values by the baseline and shows the model one constant input: its
/// answer is always true. The paper's is not.
#[test]
fn monotonicity_with_defaults_of_quantus_is_always_1() {
    let golden = Golden::read();
    for case in golden.cases("Monotonicity (Quantus default, vacuous)", 2) {
        assert!(case.values().iter().all(|&value| value == Some(1.0)));
        let metric = Monotonicity::new()
            .step_size(1)
            .baseline(case.baseline())
            .strict(true);
        let ours = case.evaluate_flat(&golden, &metric).per_sample;
        assert!(ours.contains(&Some(0.0)));
    }
}

/// Quantus counts attributions above a threshold.
#[test]
fn effective_complexity_of_quantus_is_a_count() {
    let golden = Golden::read();
    for case in golden.cases("EffectiveComplexity", 6) {
        let metric = NonzeroFeatures::new().threshold(case.params["eps"].as_f64().unwrap());
        case.assert(&case.evaluate_flat(&golden, &metric).per_sample);
        let needed = case.evaluate_flat(&golden, &EffectiveComplexity::new().steps(None));
        let n_features = golden.problem(case).inputs().len() / needed.per_sample.len();
        assert!(
            needed
                .per_sample
                .iter()
                .flatten()
                .all(|&k| k <= n_features as f64)
        );
    }
}

/// The areas of Quantus from our curves. Samples with fewer segments than another fall to 0 there
/// behind their last, and "mean" is that of a batch as perturbed so far.
#[test]
fn irof_but_for_its_mean_and_its_last_trapezoid() {
    let golden = Golden::read();
    let mut reproduced = 0;
    for case in golden.cases("IROF", 6) {
        let segmentation = case.segmentation().into_dimensionality::<Ix3>().unwrap();
        let segments: Array3<u32> = segmentation.mapv(|label| label as u32);
        let n_segments = |i| {
            segments
                .index_axis(ndarray::Axis(0), i)
                .iter()
                .max()
                .unwrap()
                + 1
        };
        let n = segments.dim().0;
        let longest = (0..n).map(n_segments).max().unwrap();
        let is_mean = case.params["perturb_baseline"].as_str() == Some("mean");
        let metric = Irof::new()
            .base_score_policy(BaseScorePolicy::AsIs)
            .baseline(if is_mean {
                Baseline::SampleMean
            } else {
                case.baseline()
            });
        for (i, theirs) in case.values().into_iter().enumerate() {
            let one = case.of_sample(&golden, i);
            let of_sample = segments.slice(ndarray::s![i..=i, .., ..]).to_owned();
            let value = one.evaluate(&metric, false, |data| data.with(Segments::new(of_sample)));
            let scores: Vec<f64> = value.curve.unwrap().iter().map(|p| p.score).collect();
            let shares: Vec<f64> = scores.iter().map(|score| score / scores[0]).collect();
            let count = n_segments(i);
            assert_eq!(shares.len(), count as usize + 1);
            // The paper's number.
            let mean = unit_area(&shares) / f64::from(count);
            assert!(case.near(value.per_sample[0].unwrap(), 1.0 - mean));
            if is_mean {
                continue;
            }
            let mut peer = f64::from(count) - unit_area(&shares[1..]);
            if count < longest && case.batch_size() > 1 {
                peer -= shares[count as usize] / 2.0;
            }
            assert!(case.near(peer, theirs.unwrap()), "{i}: {peer} {theirs:?}");
            reproduced += 1;
        }
    }
    assert!(reproduced >= 12);
}
