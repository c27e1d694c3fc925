//! What holds for all attributions.

use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::data_attribution::{
    AttributionData, AttributionMetric, AttributionRandomization, ClassAuroc, ClassDetection,
    ClassRecall, HitAtK, LinearDatamodelingScore, METRICS, MeanReciprocalRank,
    MislabelingDetection, RecallAtK, Subsets, TopKCardinality, brittleness, evaluate_all,
    negative_means,
};
use xai_casebased::input;
use xai_core::describe::Setting;
use xai_core::random::{random_stream, uniform};
use xai_core::statistics::Correlation;

/// Rows of attributions that tie, a label for each training case, a class for each test case.
fn cases() -> impl Strategy<Value = (Array2<f64>, Vec<i8>, Vec<i8>)> {
    (1usize..6, 1usize..30).prop_flat_map(|(n, d)| {
        let rows = prop::collection::vec((-6i8..6).prop_map(f64::from), n * d);
        let rows = rows.prop_map(move |values| Array2::from_shape_vec((n, d), values).unwrap());
        let labels = |n| prop::collection::vec(0i8..3, n);
        (rows, labels(d), labels(n))
    })
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn of_all_cases_the_class_has_its_share((rows, labels, classes) in cases()) {
        let data = AttributionData::new(rows.view()).train_labels(&labels).test_classes(&classes);
        let found = ClassDetection::new().k(labels.len() + 1).evaluate(&data).unwrap();
        for (value, class) in found.per_sample.iter().zip(&classes) {
            let of_class = labels.iter().filter(|&label| label == class).count();
            prop_assert_eq!(*value, Some(of_class as f64 / labels.len() as f64));
        }
        let recall = ClassRecall::new().evaluate(&data).unwrap();
        prop_assert!(recall.per_sample.iter().flatten().all(|value| (0.0..=1.0).contains(value)));
    }

    #[test]
    fn turning_the_sign_turns_the_auroc((rows, labels, classes) in cases()) {
        let turned = rows.mapv(|value| -value);
        let auroc = |rows: &Array2<f64>| {
            let data = AttributionData::new(rows.view()).train_labels(&labels).test_classes(&classes);
            ClassAuroc::new().evaluate(&data).unwrap().per_sample
        };
        for (one, other) in auroc(&rows).into_iter().zip(auroc(&turned)) {
            prop_assert!(close(one, other.map(|other| 1.0 - other)), "{one:?} {other:?}");
        }
    }

    #[test]
    fn attributions_that_add_up_to_the_outputs_score_1(
        (rows, _, _) in cases(), lists in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..12), 2..12),
    ) {
        let d = rows.ncols();
        let lists: Vec<Vec<usize>> = lists.iter().map(|list| list.iter().map(|i| i.index(d)).collect()).collect();
        let looks_like_mask = |list: &Vec<usize>| list.len() == d && list.iter().all(|&case| case < 2);
        prop_assume!(!lists.iter().all(looks_like_mask));
        let subsets = Subsets::of_cases(d, &lists).unwrap();
        let outputs = Array2::from_shape_fn((lists.len(), rows.nrows()), |(j, t)| lists[j].iter().map(|&i| rows[[t, i]]).sum());
        let turned = rows.mapv(|value| -value);
        for correlation in [Correlation::Spearman, Correlation::Pearson, Correlation::Kendall] {
            let lds = |rows: &Array2<f64>| {
                let data = AttributionData::new(rows.view()).subsets(&subsets).outputs(outputs.view());
                LinearDatamodelingScore::new().correlation(correlation).evaluate(&data).unwrap()
            };
            let (lds, of_turned) = (lds(&rows), lds(&turned));
            prop_assert!(lds.per_sample.iter().all(|value| value.is_none() || close(*value, Some(1.0))));
            prop_assert!(of_turned.per_sample.iter().all(|value| value.is_none() || close(*value, Some(-1.0))));
        }
    }

    #[test]
    fn a_shift_leaves_the_score_of_subsets_of_one_size(
        (rows, _, _) in cases(), outputs in prop::collection::vec(-9i8..9, 5), shift in -3i8..4,
    ) {
        let d = rows.ncols();
        let lists: Vec<Vec<usize>> = (0..5).map(|j| (0..4).map(|i| (i * 3 + j) % d).collect()).collect();
        let subsets = Subsets::of_cases(d, &lists).unwrap();
        let outputs = Array2::from_shape_fn((5, rows.nrows()), |(j, t)| f64::from(outputs[(j + t) % 5]));
        let lds = |rows: &Array2<f64>| {
            let data = AttributionData::new(rows.view()).subsets(&subsets).outputs(outputs.view());
            LinearDatamodelingScore::new().evaluate(&data).unwrap()
        };
        prop_assert_eq!(lds(&rows), lds(&rows.mapv(|value| 2.0 * value + f64::from(shift))));
    }

    #[test]
    fn a_hit_is_at_least_the_recall_and_at_most_k_times_the_reciprocal_rank(
        (rows, _, _) in cases(), marks in prop::collection::vec(any::<bool>(), 180), k in 1usize..40,
    ) {
        let d = rows.ncols();
        let relevant = Array2::from_shape_fn(rows.dim(), |(t, i)| marks[(t * d + i) % marks.len()]);
        let data = AttributionData::new(rows.view()).relevant(relevant.view());
        let hit = HitAtK::new().k(k).evaluate(&data).unwrap();
        let first = HitAtK::new().k(1).evaluate(&data).unwrap();
        let recall = RecallAtK::new().k(k).evaluate(&data).unwrap();
        let rank = MeanReciprocalRank::new().evaluate(&data).unwrap();
        for (t, hit) in hit.per_sample.iter().enumerate() {
            let of = |values: &[Option<f64>]| values[t];
            prop_assert_eq!(hit.is_some(), relevant.row(t).iter().any(|&relevant| relevant));
            let Some(hit) = hit else { continue };
            prop_assert!(*hit >= of(&recall.per_sample).unwrap());
            prop_assert!(of(&rank.per_sample).unwrap() >= hit / k as f64);
            prop_assert_eq!(of(&first.per_sample) == Some(1.0), of(&rank.per_sample) == Some(1.0));
        }
    }

    #[test]
    fn explanations_that_are_all_the_same_have_the_least_cardinality((rows, _, _) in cases(), k in 1usize..40) {
        let same = Array2::from_shape_fn(rows.dim(), |(_, i)| rows[[0, i]]);
        let of_same = TopKCardinality::new().k(k).evaluate(&AttributionData::new(same.view())).unwrap();
        prop_assert!(of_same.scaled.is_none_or(|scaled| scaled == 0.0));
        prop_assert!(close(of_same.value, Some(1.0 / rows.nrows() as f64)));
        let of_all = TopKCardinality::new().k(k).evaluate(&AttributionData::new(rows.view())).unwrap();
        prop_assert!(of_all.unique >= of_same.unique);
        prop_assert!(of_all.scaled.is_none_or(|scaled| (0.0..=1.0).contains(&scaled)));
    }

    #[test]
    fn the_same_attributions_have_correlation_1((rows, _, _) in cases()) {
        let data = AttributionData::new(rows.view()).random_attributions(rows.view());
        for value in AttributionRandomization::new().evaluate(&data).unwrap().per_sample {
            prop_assert!(value.is_none_or(|value| close(Some(value), Some(1.0))));
        }
    }

    #[test]
    fn area_and_auroc_of_flagged_cases_are_one_number(
        cases in prop::collection::vec(((-6i8..6).prop_map(f64::from), any::<bool>()), 1..60),
    ) {
        let (scores, flags): (Vec<f64>, Vec<bool>) = cases.into_iter().unzip();
        let found = MislabelingDetection::new().evaluate(&scores, &flags).unwrap();
        let (n, m) = (scores.len() as f64, found.n_flagged as f64);
        prop_assert_eq!(found.area.is_some(), m > 0.0);
        let Some((area, curve)) = found.area.zip(found.curve) else { return Ok(()) };
        let trapezoids: f64 = curve.windows(2).map(|w| (w[0] + w[1]) / (2.0 * n)).sum();
        prop_assert!(close(Some(area), Some(trapezoids)), "{area} {trapezoids}");
        prop_assert!(m == n || close(found.auroc, Some((area - m / (2.0 * n)) / (1.0 - m / n))));
        prop_assert_eq!((curve[0], curve[scores.len()]), (0.0, 1.0));
    }

    #[test]
    fn no_prediction_differs_from_itself(values in prop::collection::vec(0i8..3, 4..40)) {
        let n = values.len() / 4;
        let predictions = Array2::from_shape_vec((n, 4), values[..4 * n].to_vec()).unwrap();
        let of = brittleness(&[0, 3, 9, 10], predictions.view()).unwrap();
        prop_assert_eq!(of.curve[0], 0.0);
        let flipped = of.first_k.iter().flatten().count();
        prop_assert_eq!(of.share_flipped, Some(flipped as f64 / n as f64));
        prop_assert_eq!(of.n_undefined, n - flipped);
    }
}

#[test]
fn single_logits_are_margins_of_class_1() {
    // One logit z is a margin of z for class 1: two logits (0, z) have it, too.
    let rows = ndarray::array![[0.5, 1.0, -1.0], [0.25, 0.0, 2.0]];
    let subsets = Subsets::of_cases(3, [[0, 1], [0, 2], [1, 2]]).unwrap();
    let one =
        ndarray::Array3::from_shape_fn((3, 2, 1), |(j, t, _)| [0.3, -0.7, 1.9][(j + 2 * t) % 3]);
    let two = ndarray::Array3::from_shape_fn(
        (3, 2, 2),
        |(j, t, c)| if c == 1 { one[[j, t, 0]] } else { 0.0 },
    );
    for targets in [[0, 0], [0, 1], [1, 1]] {
        let lds = |logits: &ndarray::Array3<f64>| {
            let data = AttributionData::new(rows.view())
                .subsets(&subsets)
                .logits(logits.view())
                .targets(&targets);
            LinearDatamodelingScore::new()
                .correlation(Correlation::Pearson)
                .evaluate(&data)
                .unwrap()
        };
        for (one, two) in lds(&one).per_sample.into_iter().zip(lds(&two).per_sample) {
            assert!(close(one, two), "{one:?} {two:?}");
        }
    }
}

/// A metric that says so has the same values for `c · A`: to the last bit for powers of two, and but for rounding otherwise.
#[test]
fn values_do_not_depend_on_the_scale_of_attributions() {
    let (n, d) = (6, 24);
    let hashed =
        |t: usize, i: usize, item: u64| uniform(&mut random_stream(item, (t * d + i) as u64)) - 0.5;
    // Some attributions tie, and some are 0.
    let tau = Array2::from_shape_fn((n, d), |(t, i)| match i % 6 {
        0 => 0.0,
        1 => 0.25,
        _ => hashed(t, i, 1),
    });
    let random = Array2::from_shape_fn((n, d), |(t, i)| hashed(t, i, 2));
    let labels: Vec<i64> = (0..d as i64).map(|i| i % 3).collect();
    let classes: Vec<i64> = (0..n as i64).map(|t| t % 3).collect();
    let flags: Vec<bool> = (0..d).map(|i| i % 5 == 0).collect();
    let relevant = Array2::from_shape_fn((n, d), |(t, i)| (i + t) % 7 == 0);
    let subsets = Array2::from_shape_fn((8, d), |(j, i)| hashed(j, i, 3) > 0.0);
    let subsets = Subsets::of_mask(subsets.view());
    let outputs = Array2::from_shape_fn((8, n), |(j, t)| hashed(j, t, 4));
    let removed: Vec<usize> = (0..10).map(|j| 2 * j).collect();
    let drops = Array2::from_shape_fn((10, n), |(j, t)| hashed(j, t, 5));
    let read = [
        input::ATTRIBUTIONS,
        input::RANDOM_ATTRIBUTIONS,
        input::SCORES,
    ];
    let mut n_checked = 0;
    for entry in METRICS {
        let reads_attributions = entry.info.needs.iter().any(|of| read.contains(of));
        assert_eq!(
            entry.info.invariance.scale, reads_attributions,
            "{}",
            entry.info.name
        );
        if !reads_attributions {
            continue;
        }
        // Each metric with its defaults, and with every correlation that it can take.
        let mut metrics = vec![entry.info.name.to_owned()];
        if entry
            .params()
            .iter()
            .any(|param| param.name == "correlation")
        {
            let of = |word: &str| format!("{}(correlation={word})", entry.info.name);
            metrics.extend(["pearson", "spearman", "kendall"].map(of));
        }
        for metric in metrics {
            let metric: Setting = metric.parse().unwrap();
            let evaluate = |c: f64| {
                let (tau, random) = (tau.mapv(|x| c * x), random.mapv(|x| c * x));
                let data = AttributionData::new(tau.view());
                let scores = negative_means(&data).unwrap();
                let data = data
                    .random_attributions(random.view())
                    .train_labels(&labels)
                    .test_classes(&classes)
                    .flags(&flags)
                    .relevant(relevant.view())
                    .subsets(&subsets)
                    .outputs(outputs.view())
                    .removed(&removed)
                    .drops(drops.view())
                    .scores(&scores);
                evaluate_all(&data, std::slice::from_ref(&metric))
                    .unwrap()
                    .swap_remove(0)
            };
            let expected = evaluate(1.0);
            assert!(expected.value().is_some(), "{metric}");
            for exponent in [-99, -40, -1, 1, 23, 99] {
                assert_eq!(
                    evaluate(2f64.powi(exponent)),
                    expected,
                    "{metric} 2^{exponent}"
                );
            }
            for c in [1e-30, 3e-17, 0.7, 1.3, 5e11, 1e30] {
                let scaled = evaluate(c);
                assert!(close(scaled.value(), expected.value()), "{metric} {c}");
                for (a, b) in scaled
                    .per_sample()
                    .into_iter()
                    .flatten()
                    .zip(expected.per_sample().unwrap_or_default())
                {
                    assert!(close(*a, *b), "{metric} {c}: {a:?} {b:?}");
                }
            }
            n_checked += 1;
        }
    }
    assert!(n_checked >= METRICS.len() - 2);
}
