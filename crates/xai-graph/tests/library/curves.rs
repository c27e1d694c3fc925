//! Curves of masks against the truth.

use ndarray::aview1;
use proptest::prelude::*;
use xai_graph::ground_truth::GroundTruthCurves;
use xai_graph::{Accumulator, GroundTruthMetric, ground_truth};

fn curves(scores: &[f64], truth: &[f64]) -> GroundTruthCurves {
    let metric = GroundTruthMetric::new();
    metric.curves(aview1(scores), aview1(truth)).unwrap()
}

/// Scores on a grid of some steps, so that more or fewer are tied, and a truth.
fn scored() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (1usize..300, 1u32..400).prop_flat_map(|(n, steps)| {
        let score = move |x: u32| f64::from(x) / f64::from(steps);
        (
            prop::collection::vec((0..=steps).prop_map(score), n),
            prop::collection::vec((0u32..2).prop_map(f64::from), n),
        )
    })
}

proptest! {
    #[test]
    fn areas_are_the_statistics_of_the_order((scores, truth) in scored()) {
        let curves = curves(&scores, &truth);
        let expected = ground_truth(aview1(&scores), aview1(&truth)).unwrap();
        let roc = curves.roc.as_ref().map(|roc| roc.area());
        let precision = curves.precision_recall.as_ref().map(|curve| curve.average_precision());
        for (area, expected) in [(roc, expected.auroc), (precision, expected.average_precision)] {
            match (area, expected) {
                (Some(area), Some(expected)) => prop_assert!((area - expected).abs() < 1e-12),
                (area, expected) => prop_assert_eq!(area, expected),
            }
        }
    }

    #[test]
    fn fewer_points_are_some_of_all_and_keep_the_area((scores, truth) in scored(), n in 0usize..60) {
        let curves = curves(&scores, &truth);
        if let Some(roc) = curves.roc {
            let few = roc.reduced(n);
            prop_assert!(few.points.len() <= n.max(2));
            prop_assert_eq!((few.points.first(), few.points.last()), (roc.points.first(), roc.points.last()));
            let mut all = roc.points.iter();
            prop_assert!(few.points.iter().all(|point| all.any(|other| other == point)));
            if n >= 30 {
                prop_assert!((few.area() - roc.area()).abs() < 0.01, "{}", few.area() - roc.area());
            }
            prop_assert_eq!(roc.reduced(roc.points.len()), roc);
        }
        if let Some(curve) = curves.precision_recall {
            let few = curve.reduced(n);
            prop_assert!(few.points.len() <= n.max(2));
            let gap = (few.average_precision() - curve.average_precision()).abs();
            prop_assert!(n < 30 || gap < 0.02, "{}", gap);
        }
    }
}

#[test]
fn points_are_those_of_scikit_learn() {
    let scores = [0.75, 0.5, 0.5, 0.25, 0.25, 0.25, 0.0, 1.0];
    let truth = [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let curves = curves(&scores, &truth);
    // roc_curve(truth, scores, drop_intermediate=False)
    let roc = curves.roc.unwrap().points;
    let thresholds: Vec<_> = roc.iter().map(|point| point.threshold).collect();
    assert_eq!(
        thresholds,
        [
            None,
            Some(1.0),
            Some(0.75),
            Some(0.5),
            Some(0.25),
            Some(0.0)
        ]
    );
    let false_positive = roc.iter().map(|point| point.false_positive_rate);
    assert!(false_positive.eq([0.0, 0.2, 0.2, 0.4, 0.8, 1.0]));
    let true_positive = roc.iter().map(|point| point.true_positive_rate);
    assert!(true_positive.eq([0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]));
    // precision_recall_curve(truth, scores), from its end
    let points = curves.precision_recall.unwrap().points;
    let precision = points.iter().map(|point| point.precision);
    assert!(precision.eq([1.0, 0.0, 0.5, 0.5, 3.0 / 7.0, 0.375]));
    let recall = points.iter().map(|point| point.recall);
    assert!(recall.eq([0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]));
}

#[test]
fn a_straight_curve_loses_its_inner_points_first() {
    // Three true ones, then three others: a corner between two straight lines.
    let curves = curves(
        &[0.9, 0.8, 0.7, 0.3, 0.2, 0.1],
        &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    );
    let (roc, precision) = (curves.roc.unwrap(), curves.precision_recall.unwrap());
    let corner = roc.reduced(3).points[1];
    assert_eq!(
        (corner.false_positive_rate, corner.true_positive_rate),
        (0.0, 1.0)
    );
    assert_eq!(precision.reduced(3).average_precision(), 1.0);
    assert_eq!(roc.reduced(0).points.len(), 2);
}

#[test]
fn masks_make_one_curve_and_none_makes_none() {
    let mut state = GroundTruthMetric::new().accumulator::<f64, f64>().unwrap();
    assert!(state.clone().curves().is_err());
    state
        .update((aview1(&[0.9, 0.4]), aview1(&[1.0, 1.0])))
        .unwrap();
    let one_kind = state.clone().curves().unwrap();
    assert!(one_kind.roc.is_none() && one_kind.precision_recall.is_some());
    state
        .update((aview1(&[0.6, 0.1]), aview1(&[0.0, 0.0])))
        .unwrap();
    let together = curves(&[0.9, 0.4, 0.6, 0.1], &[1.0, 1.0, 0.0, 0.0]);
    assert_eq!(state.curves().unwrap(), together);
}
