//! Compactness of what a map marks: laws and edges.

use ndarray::{ArrayD, Axis};
use proptest::prelude::*;
use xai_attribution::metric::{Collinear, MstCompactness};
use xai_attribution::{Evaluate, EvaluationData, InputLayout};
use xai_core::Input;

fn value(metric: MstCompactness, maps: &ArrayD<f64>) -> Vec<Option<f64>> {
    let n = maps.shape()[0];
    let value = metric
        .layout(InputLayout::ChannelsLast)
        .evaluate_on(EvaluationData::from_maps(maps.view()));
    value.map_or_else(|_| vec![None; n], |value| value.per_sample)
}

fn image(values: &[f64], height: usize, width: usize) -> ArrayD<f64> {
    ArrayD::from_shape_vec(vec![1, height, width, 1], values.to_vec()).unwrap()
}

proptest! {
    /// Mirrored, turned and scaled maps mark the same shape.
    #[test]
    fn neither_mirrors_nor_turns_nor_scales_show(values in prop::collection::vec(-9i32..10, 56), by in 1u8..5) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let maps = image(&values, 8, 7);
        let metric = MstCompactness::new().percentile(70.0);
        let own = value(metric, &maps);
        let near = |a: &[Option<f64>], b: &[Option<f64>]| match (a[0], b[0]) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9 * a.abs(),
            (a, b) => a == b,
        };
        let mut mirrored = maps.clone();
        mirrored.invert_axis(Axis(2));
        prop_assert!(near(&value(metric, &mirrored.as_standard_layout().into_owned()), &own));
        let turned = maps.clone().permuted_axes(vec![0, 2, 1, 3]).as_standard_layout().into_owned();
        prop_assert!(near(&value(metric, &turned), &own));
        let scaled = &maps * -f64::from(1u8 << by);
        prop_assert_eq!(value(metric, &scaled), own);
    }
}

#[test]
fn a_compact_mark_is_more_compact_than_a_scattered_one() {
    let mark = |places: &[usize]| {
        let mut values = vec![0.0; 100];
        places.iter().for_each(|&place| values[place] = 1.0);
        image(&values, 10, 10)
    };
    let metric = MstCompactness::new().percentile(96.0);
    let close = value(metric, &mark(&[44, 45, 54, 55]))[0].unwrap();
    let apart = value(metric, &mark(&[0, 9, 90, 99]))[0].unwrap();
    let diagonal = 200f64.sqrt();
    assert!((close - 100.0 * diagonal * 4.0 / 3.0).abs() < 1e-9);
    assert!((apart - 100.0 * diagonal * 4.0 / 27.0 / 9.0).abs() < 1e-9);
}

#[test]
fn lines_points_and_maps_of_one_value() {
    let line = image(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 3, 3);
    let metric = MstCompactness::new().percentile(60.0);
    // The 60th percentile of three ones in nine is 0: all are marked. The 70th marks the line.
    assert!(value(metric, &line)[0].is_some());
    let metric = metric.percentile(75.0);
    assert_eq!(value(metric, &line), [None]);
    let diagonal = value(metric.collinear(Collinear::Diagonal).scaled(false), &line);
    assert!((diagonal[0].unwrap() - 3.0 / 2.0 / 18f64.sqrt()).abs() < 1e-12);
    let point = image(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 3, 3);
    assert_eq!(value(metric.percentile(100.0), &point), [None]);
    let zeros = image(&[0.0; 9], 3, 3);
    assert_eq!(value(metric, &zeros), [None]);
    // Nine positions, eight steps, an area of four.
    let ones = value(metric.scaled(false), &image(&[-0.5; 9], 3, 3));
    assert!((ones[0].unwrap() - 9.0 / 8.0 / 2.0).abs() < 1e-12);
    let stopped = metric.percentile(101.0).layout(InputLayout::ChannelsLast);
    let error = stopped
        .evaluate_on(EvaluationData::from_maps(line.view()))
        .unwrap_err()
        .into_error();
    assert_eq!(error.input(), Input::new("percentile"));
}
