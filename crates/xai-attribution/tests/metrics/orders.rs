//! Metrics that compare an order of removal with other orders, and curves of accuracy.

use std::cell::Cell;

use ndarray::{Array2, Array3, ArrayD, ArrayViewD, array};
use proptest::prelude::*;
use xai_attribution::metric::{
    Deletion, Insertion, Measure, MetricValue, Naopc, RandomOrderReference, ReferenceScale,
    RegionPerturbation, SymmetricRelevanceGain,
};
use xai_attribution::model::CurveScore;
use xai_attribution::perturbation::{Features, RemovalOrder, Start};
use xai_attribution::side::Segments;
use xai_attribution::{Benchmark, Evaluate, EvaluationData, input};
use xai_core::Input;

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// Products beside sums: no order is the best at every step.
fn model(batch: ArrayViewD<'_, f64>) -> Answer {
    let rows = batch.outer_iter().map(|x| {
        let x: Vec<f64> = x.iter().copied().collect();
        let products = x.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        products
            + x.iter()
                .zip(1..)
                .map(|(x, w)| x * f64::from(w % 3))
                .sum::<f64>()
    });
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

fn sum(batch: ArrayViewD<'_, f64>) -> Answer {
    let rows = batch.outer_iter().map(|x| x.sum());
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for feature in 0..n {
        let put = |order: Vec<usize>| {
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, feature);
                order
            })
        };
        all = all.into_iter().flat_map(put).collect();
    }
    all
}

fn values(metric: &impl Measure<f64>, x: &Array2<f64>, maps: &Array2<f64>) -> Vec<Option<f64>> {
    let value = metric.evaluate(&model, x.view(), &vec![0u8; x.nrows()], maps.view());
    value.map_or_else(|_| vec![None; x.nrows()], |value| value.per_sample)
}

fn tables() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    (1usize..4, 2usize..6).prop_flat_map(|(n, d)| {
        let numbers = || prop::collection::vec(-8i32..9, n * d);
        (numbers(), numbers()).prop_map(move |(x, maps)| {
            let table = |values: Vec<i32>| {
                let values = values.into_iter().map(|v| f64::from(v) / 4.0).collect();
                Array2::from_shape_vec((n, d), values).unwrap()
            };
            (table(x), table(maps))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn naopc_is_aopc_among_those_of_all_orders((x, maps) in tables()) {
        let n = x.nrows();
        let aopc = |maps: &Array2<f64>| -> Vec<f64> {
            let metric = RegionPerturbation::new().steps(None);
            values(&metric, &x, maps).into_iter().map(Option::unwrap).collect()
        };
        let (own, d) = (aopc(&maps), x.ncols());
        let of_orders: Vec<Vec<f64>> = permutations(d)
            .into_iter()
            .map(|order| {
                let mut ranks = Array2::zeros((n, d));
                for (rank, feature) in order.into_iter().enumerate() {
                    ranks.column_mut(feature).fill(-(rank as f64));
                }
                aopc(&ranks)
            })
            .collect();
        let exact = values(&Naopc::new(), &x, &maps);
        let wide = values(&Naopc::new().exact_up_to(0).beam(200), &x, &maps);
        for i in 0..n {
            let all = of_orders.iter().map(|of| of[i]);
            let (least, largest) = (all.clone().fold(f64::MAX, f64::min), all.fold(f64::MIN, f64::max));
            if largest - least < 1e-9 {
                prop_assert_eq!((exact[i], wide[i]), (None, None));
                continue;
            }
            let expected = (own[i] - least) / (largest - least);
            for found in [exact[i], wide[i]] {
                prop_assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?} {expected}");
                prop_assert!((0.0..=1.0).contains(&found.unwrap()));
            }
        }
    }

    #[test]
    fn beams_stay_within_the_range_and_do_not_depend_on_batches((x, maps) in tables()) {
        let metric = Naopc::new().exact_up_to(0).beam(1);
        let whole = values(&metric, &x, &maps);
        prop_assert!(whole.iter().flatten().all(|v| (0.0..=1.0).contains(v)));
        let one = metric.batch_size(1).evaluate(&model, x.view(), &vec![0u8; x.nrows()], maps.view());
        let one = one.map_or_else(|_| vec![None; x.nrows()], |value| value.per_sample);
        prop_assert_eq!(one, whole);
    }

    /// No order beats that of the terms of a linear model, and none is beaten by its reverse.
    #[test]
    fn the_terms_of_a_linear_model_are_the_best_order(
        terms in prop::collection::hash_set(1i32..1000, 3..9), seed in any::<u64>(),
    ) {
        let x: Vec<f64> = terms.into_iter().map(f64::from).collect();
        let x = Array2::from_shape_vec((1, x.len()), x).unwrap();
        let of = |metric: &dyn Measure<f64>, map: &Array2<f64>| metric.evaluate(&sum, x.view(), &[0], map.view()).unwrap().value;
        let back = x.mapv(|v| -v);
        prop_assert!((of(&Naopc::new(), &x) - 1.0).abs() < 1e-12 && of(&Naopc::new(), &back).abs() < 1e-12);
        for start in [Start::Input, Start::Blank] {
            let metric = RandomOrderReference::new().seed(seed).steps(None).start(start);
            let (best, worst) = (of(&metric, &x), of(&metric, &back));
            prop_assert!(best >= 0.5 && worst <= 0.5);
            // The same random orders, and areas that mirror each other.
            let z = metric.scale(ReferenceScale::Z);
            prop_assert!(of(&z, &x) >= 0.0 && of(&z, &back) <= 0.0);
        }
    }
}

#[test]
fn the_share_is_that_of_the_curves_of_the_seeded_orders() {
    let x = array![[4.0, -1.0, 2.0, 0.5, 3.0], [1.0, 2.0, -2.0, 0.0, 1.0]];
    let maps = array![[1.0, 0.0, 3.0, 2.0, 0.5], [0.3, 0.2, 0.9, 0.1, 0.0]];
    let metric = RandomOrderReference::new().n_orders(7).seed(5).steps(None);
    let own = values(&Deletion::new().steps(None), &x, &maps);
    let areas: Vec<Vec<Option<f64>>> = (0..7u64)
        .map(|order| {
            let seed = 5u64.wrapping_add(order.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let random = Deletion::new()
                .steps(None)
                .order(RemovalOrder::Random { seed });
            values(&random, &x, &maps)
        })
        .collect();
    let share = |i: usize| {
        let score = areas.iter().map(|of| match of[i].partial_cmp(&own[i]) {
            Some(std::cmp::Ordering::Greater) => 1.0,
            Some(std::cmp::Ordering::Equal) => 0.5,
            _ => 0.0,
        });
        Some(score.sum::<f64>() / 7.0)
    };
    assert_eq!(values(&metric, &x, &maps), [share(0), share(1)]);
}

#[test]
fn models_that_do_not_care_for_the_order_have_no_best_one() {
    let x = array![[1.0, 1.0, 1.0], [0.1, 0.1, 0.1]];
    let of = |metric: &dyn Measure<f64>| {
        let value = metric.evaluate(&sum, x.view(), &[0, 0], x.view());
        value.map_or(vec![None, None], |value| value.per_sample)
    };
    assert_eq!(of(&Naopc::new()), [None, None]);
    assert_eq!(of(&Naopc::new().exact_up_to(2)), [None, None]);
    assert_eq!(of(&RandomOrderReference::new()), [Some(0.5), Some(0.5)]);
    assert_eq!(
        of(&RandomOrderReference::new().scale(ReferenceScale::Z)),
        [None, None]
    );
    let one = array![[3.0]];
    let value = Naopc::new().evaluate(&sum, one.view(), &[0], one.view());
    assert_eq!(value.unwrap_err().error().input(), input::VALUES);
}

#[test]
fn explainers_share_limits_and_random_orders() {
    let x = ArrayD::from_shape_fn(vec![3, 4], |i| ((i[0] * 5 + i[1] * 3) % 7) as f64);
    let (one, two) = (x.mapv(|v| v * v), x.mapv(|v| -v));
    let rows = Cell::new(0);
    let counted = |batch: ArrayViewD<'_, f64>| {
        rows.set(rows.get() + batch.shape()[0]);
        model(batch)
    };
    let evaluate = |metric: &dyn Measure<f64>| {
        rows.set(0);
        let evaluation = Benchmark::new(&counted, x.view(), &[0u8; 3]).metric(metric);
        let values = evaluation
            .maps("one", one.view())
            .maps("two", two.view())
            .values()
            .unwrap();
        // One more shows that answers do not depend on the batch.
        assert_eq!(values.model_calls.rows, rows.get() as u64 - 1);
        rows.get() - 1
    };
    // Subsets of 4 features but none and all.
    assert_eq!(evaluate(&Naopc::new()), 3 * 14);
    // Ends, three points between them of each map, and of each random order.
    assert_eq!(
        evaluate(&RandomOrderReference::new().n_orders(5)),
        3 * (2 + 2 * 3 + 5 * 3)
    );
    // At most the beams, ends and the curves of both maps.
    assert!(evaluate(&Naopc::new().exact_up_to(0)) <= 3 * (5 * 4 * 5 + 2 + 2 * 3));
}

#[test]
fn segments_are_searched_sample_by_sample() {
    let x = ArrayD::from_shape_fn(vec![2, 6], |i| (1 + i[1] + i[0]) as f64);
    let segments =
        Array3::from_shape_vec((2, 1, 6), vec![0, 0, 5, 5, 9, 9, 2, 2, 2, 2, 2, 2]).unwrap();
    let value = |metric: Naopc| -> MetricValue {
        let data = EvaluationData::new(x.view(), &[0u8; 2])
            .model(&sum)
            .maps(x.view());
        let data = data.with(Segments::new(segments.clone()));
        metric
            .features(Features::Segments)
            .evaluate_on(data)
            .unwrap()
    };
    // One segment has one order.
    assert_eq!(value(Naopc::new()).per_sample, [Some(1.0), None]);
    assert_eq!(
        value(Naopc::new().exact_up_to(2)).per_sample,
        [Some(1.0), None]
    );
}

#[test]
fn curves_of_accuracy() {
    // Two classes: the sums of the halves.
    let halves = |batch: ArrayViewD<'_, f64>| -> Answer {
        let rows = batch.outer_iter().flat_map(|x| {
            let x: Vec<f64> = x.iter().copied().collect();
            [x[0] + x[1], x[2] + x[3]]
        });
        Ok(Array2::from_shape_vec((batch.shape()[0], 2), rows.collect()).unwrap())
    };
    let x = array![[3.0, 2.0, 1.0, 1.0], [0.0, 1.0, 3.0, 3.0]];
    let targets = [0, 1];
    let points = |value: MetricValue| -> Vec<f64> {
        value
            .curve
            .unwrap()
            .iter()
            .map(|point| point.score)
            .collect()
    };
    for features in [Features::Positions, Features::Patches(1)] {
        let deletion = Deletion::new()
            .steps(None)
            .score(CurveScore::Top1)
            .features(features);
        let value = deletion
            .evaluate(&halves, x.view(), &targets, x.view())
            .unwrap();
        // 0: kept with 2 against 2, then 0 against 2, and 0 against 0 goes to the lower class.
        // 1: 3 against 1, then 0 against 1, 0, 0: the tie goes to the other class.
        assert_eq!(
            value.per_sample,
            [
                Some((0.5 + 1.0 + 0.0 + 0.0 + 0.5) / 4.0),
                Some((0.5 + 1.0) / 4.0)
            ]
        );
        assert_eq!(points(value), [1.0, 1.0, 0.0, 0.0, 0.5]);
        let insertion = Insertion::new()
            .steps(None)
            .score(CurveScore::Top1)
            .features(features);
        let value = insertion
            .evaluate(&halves, x.view(), &targets, x.view())
            .unwrap();
        assert_eq!(points(value), [0.5, 1.0, 1.0, 1.0, 1.0]);
    }
    let gain = SymmetricRelevanceGain::new().score(CurveScore::Top1);
    assert!(
        gain.evaluate(&halves, x.view(), &targets, x.view())
            .unwrap()
            .value
            > 0.0
    );
    let weights = array![[1.0, 0.0], [0.0, 1.0]];
    let metric = Deletion::new().score(CurveScore::Top1);
    let refused = metric
        .evaluate(&halves, x.view(), &weights, x.view())
        .unwrap_err();
    assert_eq!(refused.error().input(), input::SCORE);
    let outside = metric
        .evaluate(&halves, x.view(), &[0, 2], x.view())
        .unwrap_err();
    assert_eq!(
        (outside.error().input(), outside.error().index()),
        (input::TARGETS, &[1][..])
    );
}

#[test]
fn parameters_outside_their_domain_are_named() {
    let x = array![[1.0, 2.0]];
    let error = |metric: &dyn Measure<f64>| {
        metric
            .evaluate(&sum, x.view(), &[0], x.view())
            .unwrap_err()
            .into_error()
            .input()
    };
    assert_eq!(
        error(&Naopc::new().exact_up_to(17)),
        Input::new("exact_up_to")
    );
    assert_eq!(error(&Naopc::new().beam(0)), Input::new("beam"));
    assert_eq!(
        error(&Naopc::new().features(Features::Grid(0))),
        input::FEATURES
    );
    assert_eq!(
        error(&RandomOrderReference::new().n_orders(1)),
        Input::new("n_orders")
    );
}
