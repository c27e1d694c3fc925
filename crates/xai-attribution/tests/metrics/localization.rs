//! Laws of the metrics of maps and masks, and their edges.

use ndarray::{Array2, Array3, ArrayView2, array};
use proptest::prelude::*;
use xai_attribution::metric::registry::{self, find};
use xai_attribution::metric::{
    AttributionLocalization, Direction, Focus, LocalizationAuroc, LocalizationAveragePrecision,
    LocalizationIou, Measure, PointingGame, PointingTies, Range, Relevance, RelevanceMassAccuracy,
    RelevanceRankAccuracy, Ties, TopK, TopKIntersection, Value,
};
use xai_attribution::side::Masks;
use xai_attribution::{ErrorKind, Evaluate, EvaluationData, input};
use xai_core::Input;

fn per_sample(
    metric: &dyn Measure<f64>,
    maps: ArrayView2<'_, f64>,
    masks: &Array2<bool>,
    batch_size: usize,
) -> Vec<Option<f64>> {
    let masks = masks.clone().insert_axis(ndarray::Axis(1));
    let data = EvaluationData::from_maps(maps)
        .with(Masks::new(masks))
        .batch_size(batch_size);
    // Where no sample has a value the data set has none.
    metric
        .evaluate_on(data)
        .map_or_else(|_| vec![None; maps.nrows()], |value| value.per_sample)
}

/// The metrics that need masks and are shares of which 1 is the best, with their defaults.
fn metrics() -> Vec<(&'static str, Box<dyn Measure<f64>>)> {
    let needs_masks = registry::metrics()
        .iter()
        .filter(|m| m.info.needs.contains(&input::MASKS))
        .filter(|m| m.info.direction == Direction::Higher)
        .filter(|m| m.info.range != Range::NON_NEGATIVE);
    needs_masks
        .map(|m| (m.info.name, m.build(&[]).unwrap()))
        .collect()
}

fn maps_and_masks() -> impl Strategy<Value = (Array2<f64>, Array2<bool>)> {
    (1usize..5, 2usize..20).prop_flat_map(|(n, d)| {
        let maps = prop::collection::vec(-8i32..9, n * d);
        let masks = prop::collection::vec(any::<bool>(), n * d);
        (maps, masks).prop_map(move |(maps, masks)| {
            let maps = maps.into_iter().map(f64::from).collect();
            (
                Array2::from_shape_vec((n, d), maps).unwrap(),
                Array2::from_shape_vec((n, d), masks).unwrap(),
            )
        })
    })
}

proptest! {
    #[test]
    fn values_depend_on_neither_batch_nor_unit_and_lie_in_range((maps, masks) in maps_and_masks()) {
        for (name, metric) in metrics() {
            let whole = per_sample(&*metric, maps.view(), &masks, 64);
            prop_assert_eq!(&per_sample(&*metric, maps.view(), &masks, 1), &whole, "{}", name);
            let scaled = maps.mapv(|x| x * 4.0);
            prop_assert_eq!(&per_sample(&*metric, scaled.view(), &masks, 2), &whole, "{}", name);
            let (maps, masks) = (maps.slice(ndarray::s![..;-1, ..]), masks.slice(ndarray::s![..;-1, ..]));
            let mut reversed = per_sample(&*metric, maps, &masks.to_owned(), 3);
            reversed.reverse();
            prop_assert_eq!(&reversed, &whole, "{}", name);
            prop_assert!(whole.iter().flatten().all(|v| (0.0..=1.0).contains(v)), "{}: {:?}", name, whole);
        }
    }

    #[test]
    fn a_map_that_is_the_mask_has_the_best_value((_, masks) in maps_and_masks()) {
        let maps = masks.mapv(|inside| if inside { 3.0 } else { 0.0 });
        // Objects of more or fewer positions than these are asked for do not reach 1.
        let of_k = ["top-k-intersection", "token-f1", "token-iou"];
        for (name, metric) in metrics().into_iter().filter(|(name, _)| !of_k.contains(name)) {
            for (i, value) in per_sample(&*metric, maps.view(), &masks, 64).into_iter().enumerate() {
                let n_inside = masks.row(i).iter().filter(|&&inside| inside).count();
                let needs_others = [
                    "localization-auroc",
                    "area-under-precision",
                    "area-under-recall",
                    "pointing-game",
                    "relevance-rank-accuracy",
                ];
                let one_class = n_inside == masks.ncols() && needs_others.contains(&name);
                let expected = (n_inside > 0 && !one_class).then_some(1.0);
                prop_assert_eq!(value, expected, "{} {}", name, i);
            }
        }
        let capped = TopKIntersection::new().k(TopK::Share(1.0)).capped(true);
        let values = per_sample(&capped, maps.view(), &masks, 64);
        prop_assert!(values.iter().flatten().all(|&v| v == 1.0));
    }

    /// By the definition: the mean over all orders of the positions, in each of which the first of tied ones counts.
    #[test]
    fn ties_have_the_mean_over_all_orders(
        map in prop::collection::vec(-1i8..3, 2..6),
        mask in prop::collection::vec(any::<bool>(), 6),
        k in 1usize..6,
    ) {
        let n = map.len();
        let arrays = |order: &[usize]| {
            let map = order.iter().map(|&p| f64::from(map[p])).collect();
            let mask = order.iter().map(|&p| mask[p]).collect();
            let row = |values| Array2::from_shape_vec((1, n), values).unwrap();
            (row(map), Array2::from_shape_vec((1, n), mask).unwrap())
        };
        let orders = permutations(n);
        let is_constant = map.iter().all(|a| *a == map[0]);
        let mut n_metrics = 0;
        for entry in registry::metrics().iter().filter(|entry| entry.info.needs.contains(&input::MASKS) && entry.has_param("ties")) {
            let built = |ties: &str| {
                let mut settings = vec![("ties".to_owned(), ties.into())];
                if entry.has_param("k") {
                    settings.push(("k".to_owned(), Value::Integer(k.min(n) as i64)));
                }
                entry.build::<f64>(&settings).unwrap()
            };
            let value = |ties: &str, order: &[usize]| {
                let (map, mask) = arrays(order);
                per_sample(&*built(ties), map.view(), &mask, 64)[0]
            };
            let expected = value("expected", &orders[0]);
            let of_orders: Option<Vec<f64>> = orders.iter().map(|order| value("lowest-index", order)).collect();
            let mean = of_orders.map(|values| values.iter().sum::<f64>() / values.len() as f64);
            let marks_nothing = entry.has_param("positive_only") && map.iter().all(|a| *a <= 0);
            let mean = mean.filter(|_| !is_constant || marks_nothing);
            let are_near = match (expected, mean) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-12,
                (a, b) => a == b,
            };
            prop_assert!(are_near, "{}: {:?} {:?}", entry.info.name, expected, mean);
            n_metrics += 1;
        }
        prop_assert_eq!(n_metrics, 5);
    }

    #[test]
    fn the_auroc_of_the_negated_map_is_the_rest((maps, masks) in maps_and_masks()) {
        let of = |maps: &Array2<f64>| per_sample(&LocalizationAuroc::new(), maps.view(), &masks, 64);
        for (a, b) in of(&maps).into_iter().zip(of(&maps.mapv(|x| -x))) {
            prop_assert!(a.zip(b).is_none_or(|(a, b)| (a + b - 1.0).abs() < 1e-15));
            prop_assert_eq!(a.is_none(), b.is_none());
        }
    }

    #[test]
    fn shares_of_object_and_surroundings_are_the_whole((maps, masks) in maps_and_masks()) {
        let of = |masks: &Array2<bool>| per_sample(&Focus::new(), maps.view(), masks, 64);
        for (a, b) in of(&masks).into_iter().zip(of(&masks.mapv(|inside| !inside))) {
            prop_assert!(a.zip(b).is_none_or(|(a, b)| (a + b - 1.0).abs() < 1e-15));
        }
    }

    #[test]
    fn a_larger_radius_hits_no_less((maps, masks) in maps_and_masks(), radius in 0.0..6.0f64) {
        let of = |radius| per_sample(&PointingGame::new().radius(radius), maps.view(), &masks, 64);
        for (small, large) in of(radius).into_iter().zip(of(radius + 1.0)) {
            prop_assert!(small <= large);
        }
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let with_last = |order: Vec<usize>| {
        (0..n).map(move |place| {
            let mut order = order.clone();
            order.insert(place, n - 1);
            order
        })
    };
    shorter.into_iter().flat_map(with_last).collect()
}

/// The object is around the corner of many positions that share the largest attribution.
#[test]
fn tied_positions_within_the_radius_are_hits() {
    let (rows, columns) = (9, 8);
    let maps = Array3::from_shape_fn((1, rows, columns), |(_, r, c)| {
        f64::from(u8::from(r + c > 2))
    });
    let masks = Array3::from_shape_fn((1, rows, columns), |(_, r, c)| {
        (r, c) == (4, 2) || (r, c) == (0, 7)
    });
    for radius in [0.0, 1.0, 1.5, 2.3, 5.0, 40.0] {
        let is_hit = |row: usize, column: usize| {
            let mut object = masks.indexed_iter().filter(|(_, inside)| **inside);
            object.any(|((_, r, c), _)| {
                let apart = (r as f64 - row as f64).hypot(c as f64 - column as f64);
                apart == 0.0 || (radius >= 1.0 && apart <= radius)
            })
        };
        let tops: Vec<bool> = (maps.indexed_iter())
            .filter(|(_, a)| **a == 1.0)
            .map(|((_, r, c), _)| is_hit(r, c))
            .collect();
        let expected = tops.iter().filter(|hit| **hit).count() as f64 / tops.len() as f64;
        let data = EvaluationData::from_maps(maps.view()).with(Masks::new(masks.clone()));
        let value = PointingGame::new()
            .radius(radius)
            .evaluate_on(data)
            .unwrap();
        assert_eq!(value.value, expected, "{radius}");
    }
}

#[test]
fn empty_masks_and_maps_of_zeros_have_no_share() {
    let masks = array![[false, false], [true, false], [true, true]];
    let zeros = Array2::zeros((3, 2));
    let of = |metric: &dyn Measure<f64>| per_sample(metric, zeros.view(), &masks, 64);
    let lowest = PointingGame::new().ties(PointingTies::LowestIndex);
    assert_eq!(of(&lowest), [None, Some(1.0), Some(1.0)]);
    let lowest = RelevanceRankAccuracy::new().ties(Ties::LowestIndex);
    assert_eq!(of(&lowest), [None, Some(1.0), Some(1.0)]);
    assert_eq!(of(&LocalizationAuroc::new()), [None, Some(0.5), None]);
    assert_eq!(
        of(&LocalizationAveragePrecision::new()),
        [None, Some(0.5), Some(1.0)]
    );
    for metric in [
        &RelevanceMassAccuracy::new() as &dyn Measure<f64>,
        &AttributionLocalization::new(),
        &LocalizationIou::new(),
        &Focus::new(),
        &PointingGame::new(),
        &RelevanceRankAccuracy::new(),
        &TopKIntersection::new(),
    ] {
        assert_eq!(of(metric), [None, None, None], "{}", metric.info().name);
    }
}

#[test]
fn object_size_counts_only_with_its_option() {
    let (maps, masks) = (
        array![[5.0, 1.0, 0.0, 0.0]],
        array![[true, true, true, false]],
    );
    let of = |metric: &dyn Measure<f64>| per_sample(metric, maps.view(), &masks, 64)[0];
    assert_eq!(of(&PointingGame::new().weighted(true)), Some(0.25));
    assert_eq!(
        of(&AttributionLocalization::new().weighted(true)),
        Some(4.0 / 3.0)
    );
    assert_eq!(of(&AttributionLocalization::new().max_size(0.5)), None);
}

#[test]
fn huge_attributions_have_shares() {
    let (maps, masks) = (array![[1e308, 1e308, -1e308]], array![[true, false, false]]);
    let of = |metric: &dyn Measure<f64>| per_sample(metric, maps.view(), &masks, 64)[0];
    assert_eq!(of(&RelevanceMassAccuracy::new()), Some(0.5));
    let absolute = RelevanceMassAccuracy::new().relevance(Relevance::Absolute);
    assert!((of(&absolute).unwrap() - 1.0 / 3.0).abs() < 1e-15);
}

#[test]
fn missing_or_mismatched_inputs_are_named() {
    let maps = array![[1.0, 2.0]];
    let error = |metric: &dyn Measure<f64>, masks: Option<Array3<bool>>| {
        let data = EvaluationData::from_maps(maps.view());
        let data = match masks {
            Some(masks) => data.with(Masks::new(masks)),
            None => data,
        };
        metric.evaluate_on(data).unwrap_err().into_error()
    };
    let missing = error(&Focus::new(), None);
    assert_eq!(
        (missing.input(), missing.help()),
        (input::MASKS, Some(xai_attribution::help::GIVE_INPUT))
    );
    let size = error(&Focus::new(), Some(Array3::default((1, 1, 3))));
    assert!(matches!(size.kind(), ErrorKind::ShapeMismatch { .. }));
    assert_eq!(size.input(), input::MASKS);
    let mask = || Some(array![[[true, false]]]);
    let top = error(&TopKIntersection::new().k(TopK::Count(3)), mask());
    assert_eq!(top.input(), input::K);
    let share = error(&LocalizationIou::new().threshold(0.0), mask());
    assert_eq!(share.input(), Input::new("threshold"));
    let radius = error(&PointingGame::new().radius(f64::NAN), mask());
    assert_eq!(radius.input(), Input::new("radius"));
    let cells = Masks::mosaic(&Array3::default((1, 3, 1)), 2, 2).unwrap_err();
    assert_eq!(cells.input(), input::CELLS);
    assert!(
        find("top-k-intersection")
            .unwrap()
            .build::<f64>(&[("k".into(), "many".into())])
            .is_err()
    );
}
