//! Laws of an evaluation of many explainers by many metrics.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Dimension, IxDyn, Slice};
use proptest::prelude::*;
use xai_attribution::metric::registry::from_setting;
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageIncrease, Complexity, Deletion, Direction, Insertion,
    MuFidelity, Settings, Sparseness, complexity, registry, sparseness,
};
use xai_attribution::model::{Concurrent, Counted, Model, ModelCalls};
use xai_attribution::perturbation::{Baseline, Features, SubsetSampling, SubsetSize};
use xai_attribution::table::{EvaluationTable, EvaluationValues, MetricValues, Statistics};
use xai_attribution::{Activation, Benchmark, Evaluate, InputLayout, help, input};
use xai_core::statistics::{IntervalMethod, wilson};

type Answer = Result<Array2<f64>, std::fmt::Error>;

/// Three classes, each scored by its own third of the elements; row by row, so that no row depends
/// on its batch.
fn thirds(batch: ArrayViewD<'_, f64>) -> Answer {
    let n = batch.shape()[0];
    let rows: Vec<f64> = batch
        .outer_iter()
        .flat_map(|x| {
            let mut sums = [0.0; 3];
            for (i, v) in x.iter().enumerate() {
                sums[i % 3] += v * (1.0 + (i % 5) as f64) / 8.0;
            }
            sums
        })
        .collect();
    Ok(Array2::from_shape_vec((n, 3), rows).unwrap())
}

/// Images of 4 × 5 pixels and 2 channels, with maps of three explainers and targets.
fn study() -> impl Strategy<Value = (ArrayD<f64>, [ArrayD<f64>; 3], Vec<u8>)> {
    let array = |shape: Vec<usize>, low: f64| {
        prop::collection::vec(low..1.0f64, shape.iter().product::<usize>())
            .prop_map(move |values| ArrayD::from_shape_vec(IxDyn(&shape), values).unwrap())
    };
    (1usize..12).prop_flat_map(move |n| {
        let map = || array(vec![n, 4, 5], -1.0);
        let full = array(vec![n, 4, 5, 2], -1.0);
        (
            array(vec![n, 4, 5, 2], 0.0),
            (map(), map(), full).prop_map(|(a, b, c)| [a, b, c]),
            prop::collection::vec(0..3u8, n),
        )
    })
}

fn evaluation<'a, M: Model<f64> + ?Sized>(
    model: &'a M,
    x: &'a ArrayD<f64>,
    maps: &'a [ArrayD<f64>; 3],
    y: &[u8],
) -> Benchmark<'a, f64> {
    let mut evaluation = Benchmark::new(model, x.view(), y)
        .layout(InputLayout::ChannelsLast)
        .activation(Activation::Softmax)
        .replicates(50)
        .metric(AverageDrop::default())
        .metric(AverageIncrease::default())
        .metric(AverageGain::default())
        .metric(Deletion::new().steps(Some(5)))
        .metric(Insertion::new().steps(Some(5)))
        .metric_named(
            "deletion_to_the_mean",
            Deletion::new()
                .steps(Some(3))
                .baseline(Baseline::DatasetMean),
        )
        .metric(MuFidelity::new().n_subsets(7).features(Features::Grid(3)))
        .metric(Complexity)
        .metric(Sparseness);
    for (name, maps) in ["a", "b", "c"].iter().zip(maps) {
        evaluation = evaluation.maps(*name, maps.view());
    }
    evaluation
}

/// A table without what may depend on the batch size.
fn numbers(mut table: EvaluationTable) -> EvaluationTable {
    table.model_calls.calls = 0;
    table.batch_size = None;
    table
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn batches_and_concurrency_do_not_show((x, maps, y) in study(), batch_size in 1usize..20) {
        let whole = numbers(evaluation(&thirds, &x, &maps, &y).evaluate().unwrap());
        let batched = evaluation(&thirds, &x, &maps, &y).batch_size(batch_size).evaluate().unwrap();
        prop_assert_eq!(&whole, &numbers(batched.clone()));
        let concurrent = Concurrent(&thirds);
        let concurrent = evaluation(&concurrent, &x, &maps, &y).batch_size(batch_size).evaluate().unwrap();
        prop_assert_eq!(&batched, &concurrent); // the calls too
    }

    #[test]
    fn metrics_give_the_same_values_alone_and_together((x, maps, y) in study()) {
        let table = evaluation(&thirds, &x, &maps, &y).evaluate().unwrap();
        let softmax = Activation::Softmax;
        for (name, maps) in ["a", "b", "c"].iter().zip(&maps) {
            let per_sample = |metric: &str| table.result(name, metric).unwrap().per_sample.clone();
            macro_rules! alone {
                ($metric:expr) => {
                    $metric.activation(softmax).layout(InputLayout::ChannelsLast).evaluate(&thirds, x.view(), &y, maps.view())
                };
            }
            prop_assert_eq!(alone!(AverageDrop::new()).unwrap().per_sample, per_sample("average_drop"));
            prop_assert_eq!(alone!(AverageGain::new()).unwrap().per_sample, per_sample("average_gain"));
            let deletion = alone!(Deletion::new().steps(Some(5))).unwrap();
            prop_assert_eq!(&deletion.per_sample, &per_sample("deletion"));
            prop_assert_eq!(Some(deletion.value), table.result(name, "deletion").unwrap().value);
            if let Ok(fidelity) = alone!(MuFidelity::new().n_subsets(7).features(Features::Grid(3))) {
                prop_assert_eq!(fidelity.per_sample, per_sample("mu_fidelity"));
            }
            let layout = InputLayout::ChannelsLast;
            prop_assert_eq!(complexity(maps.view(), layout).unwrap().per_sample, per_sample("complexity"));
            prop_assert_eq!(sparseness(maps.view(), layout).unwrap().per_sample, per_sample("sparseness"));
        }
    }

    #[test]
    fn parts_of_a_data_set_join_to_the_whole((x, maps, y) in study(), cut in 0usize..12) {
        // The mean of a part is not that of the whole, so that metric is left out.
        let part = |range: std::ops::Range<usize>| {
            let of = |a: &ArrayD<f64>| a.slice_axis(Axis(0), Slice::from(range.clone())).to_owned();
            let x = of(&x);
            let maps: Vec<_> = maps.iter().map(of).collect();
            let mut evaluation = Benchmark::new(&thirds, x.view(), &y[range.clone()]).layout(InputLayout::ChannelsLast)
                .batch_size(3)
                .metric(Insertion::default())
                .metric(MuFidelity::new().n_subsets(5).features(Features::Positions))
                .first_sample(range.start as u64);
            for (name, maps) in ["a", "b", "c"].iter().zip(&maps) {
                evaluation = evaluation.maps(*name, maps.view());
            }
            evaluation.values().unwrap()
        };
        let n = y.len();
        let cut = cut % n;
        let whole = part(0..n);
        let mut joined = part(cut..n);
        if cut > 0 {
            joined = part(0..cut);
            joined.merge(part(cut..n)).unwrap();
        }
        prop_assert_eq!(&joined.metrics, &whole.metrics);
        prop_assert_eq!(joined.model_calls.rows, whole.model_calls.rows);
        let statistics = Statistics { replicates: 20, ..Statistics::default() };
        let (a, b) = (joined.table(&statistics).unwrap(), whole.table(&statistics).unwrap());
        prop_assert_eq!(numbers(a), numbers(b));
    }

    #[test]
    fn mu_fidelity_of_the_terms_of_a_linear_model_is_one(
        x in prop::collection::vec(1u8..200, 4 * 24),
        w in prop::collection::vec(-20i8..20, 24),
        grid in prop::option::of(1usize..5),
        sampling in prop::sample::select(vec![SubsetSampling::FixedSize, SubsetSampling::Independent]),
        fraction in 0.1..0.9f64,
    ) {
        // Integers, so that drops are the sums of the attributions to the last bit.
        let x: Vec<f64> = x.into_iter().map(f64::from).collect();
        let x = ArrayD::from_shape_vec(vec![4, 3, 4, 2], x).unwrap();
        let w: Vec<f64> = w.into_iter().map(f64::from).collect();
        let terms = x.clone() * ArrayD::from_shape_vec(vec![3, 4, 2], w.clone()).unwrap();
        let linear = |batch: ArrayViewD<'_, f64>| -> Answer {
            let scores = batch.outer_iter().map(|x| x.iter().zip(&w).map(|(x, w)| x * w).sum());
            Ok(Array2::from_shape_vec((batch.shape()[0], 1), scores.collect()).unwrap())
        };
        let fidelity = MuFidelity::new().n_subsets(30).features(grid.map_or(Features::Positions, Features::Grid)).sampling(sampling).subset_size(SubsetSize::Fraction(fraction));
        let of = |maps: &ArrayD<f64>| fidelity.clone().layout(InputLayout::ChannelsLast).evaluate(&linear, x.view(), &[0; 4], maps.view());
        // All attributions may be equal by chance, or a grid have one cell: then there is no order.
        if let (Ok(right), Ok(wrong)) = (of(&terms), of(&terms.mapv(|t| -t))) {
            for score in right.per_sample.into_iter().flatten() {
                prop_assert_eq!(score, 1.0);
            }
            for score in wrong.per_sample.into_iter().flatten() {
                prop_assert_eq!(score, -1.0);
            }
        }
    }

    #[test]
    fn baselines_that_are_the_same_inputs_give_the_same_curve((x, maps, y) in study(), grey in -1.0..1.0f64) {
        let of = |baseline: Baseline| {
            let deletion = Deletion::new().baseline(baseline);
            deletion.layout(InputLayout::ChannelsLast).evaluate(&thirds, x.view(), &y, maps[2].view()).unwrap()
        };
        let number = of(Baseline::Value(grey));
        prop_assert_eq!(&number, &of(vec![grey, grey].into()));
        let sample = x.index_axis(Axis(0), 0).to_owned();
        prop_assert_eq!(&number, &of(Baseline::input(sample.mapv(|_| grey))));
        prop_assert_eq!(&number, &of(Baseline::from_fn(move |x| x.mapv(|_| grey))));
        let mut mean = sample.clone();
        for (i, m) in mean.indexed_iter_mut() {
            let exact: xai_core::ExactMean =
                x.outer_iter().map(|x| x[i.clone()]).collect();
            *m = exact.value().unwrap();
        }
        prop_assert_eq!(of(Baseline::DatasetMean), of(Baseline::input(mean)));
    }
}

fn grey(n: usize) -> (ArrayD<f64>, [ArrayD<f64>; 3], Vec<u8>) {
    let array = |shape: &[usize], by: usize| {
        ArrayD::from_shape_fn(IxDyn(shape), |i| {
            let place = i.as_array_view().iter().fold(by, |a, k| a * 7 + k);
            ((place * 31) % 17) as f64 / 16.0
        })
    };
    let map = |by| array(&[n, 4, 5], by);
    (
        array(&[n, 4, 5, 2], 1),
        [map(2), map(3), map(4)],
        vec![1; n],
    )
}

#[test]
fn the_model_is_called_as_often_as_the_formulas_need_and_no_more() {
    let largest = AtomicUsize::new(0);
    let model = |batch: ArrayViewD<'_, f64>| {
        largest.fetch_max(batch.shape()[0], Ordering::Relaxed);
        thirds(batch)
    };
    let (x, maps, y) = grey(50);
    let one = Benchmark::new(&model, x.view(), &y)
        .layout(InputLayout::ChannelsLast)
        .activation(Activation::Softmax)
        .batch_size(8)
        .maps("a", maps[0].view())
        .metric(AverageDrop::default())
        .metric(AverageIncrease::default())
        .metric(AverageGain::default())
        .evaluate()
        .unwrap();
    assert_eq!(
        one.model_calls,
        ModelCalls {
            calls: 14,
            rows: 100
        }
    ); // 2 n rows, ⌈50 / 8⌉ calls each
    assert_eq!(largest.load(Ordering::Relaxed), 8);

    // Base scores once; one masked score per explainer; the baseline once; 4 inner steps of two
    // curves per explainer; the mean as another baseline with 2 inner steps; 7 subsets once.
    let all = evaluation(&model, &x, &maps, &y)
        .batch_size(8)
        .evaluate()
        .unwrap();
    let rows = 50 * (1 + 3 + 1 + 3 * 2 * 4 + 1 + 3 * 2 + 7);
    assert_eq!(all.model_calls.rows, rows);
    assert_eq!(largest.load(Ordering::Relaxed), 8);
    assert_eq!(all.n_samples, 50);
}

#[test]
fn few_samples_share_calls_over_steps_and_subsets() {
    let (x, maps, y) = grey(2);
    let counted = Counted::new(&thirds);
    Deletion::new()
        .layout(InputLayout::ChannelsLast)
        .evaluate(&counted, x.view(), &y, maps[0].view())
        .unwrap();
    // Both ends, and the 9 steps between them of 2 samples in one call of 18 rows, of which one is asked alone.
    assert_eq!(counted.calls(), ModelCalls { calls: 4, rows: 23 });
    let counted = Counted::new(&thirds);
    MuFidelity::new()
        .n_subsets(64)
        .layout(InputLayout::ChannelsLast)
        .evaluate(&counted, x.view(), &y, maps[0].view())
        .unwrap();
    assert_eq!(
        counted.calls(),
        ModelCalls {
            // 64 rows are the batch size of images.
            calls: 4,
            rows: 2 + 128 + 1
        }
    );
}

#[test]
fn metrics_of_maps_alone_never_call_the_model() {
    let (x, maps, y) = grey(5);
    let table = Benchmark::new(&thirds, x.view(), &y)
        .layout(InputLayout::ChannelsLast)
        .maps("a", maps[0].view())
        .metric(Complexity)
        .metric(Sparseness)
        .evaluate()
        .unwrap();
    assert_eq!(table.model_calls, ModelCalls::default());
}

#[test]
fn an_explainer_that_keeps_the_evidence_is_better_than_one_that_keeps_the_rest() {
    let (x, _, y) = grey(60);
    // Class 1 reads every third element, from the second on.
    let right = ArrayD::from_shape_fn(x.raw_dim(), |i| {
        f64::from(u8::from((i[1] * 10 + i[2] * 2 + i[3]) % 3 == 1)) + 0.01 * i[1] as f64
    });
    let wrong = right.mapv(|v| 1.1 - v);
    let table = Benchmark::new(&thirds, x.view(), &y)
        .layout(InputLayout::ChannelsLast)
        .activation(Activation::Softmax)
        .maps("wrong", wrong.view())
        .maps("right", right.view())
        .maps("right again", right.view())
        .metric(AverageDrop::default())
        .metric(Deletion::new().steps(Some(4)))
        .evaluate()
        .unwrap();
    for metric in ["average_drop", "deletion"] {
        let result = table.metric(metric).unwrap();
        assert_eq!(result.ranking, [1, 2, 0], "{metric}");
        assert_eq!(result.is_better("right", "wrong", 0.01), Some(true));
        assert_eq!(result.is_better("wrong", "right", 0.01), Some(false));
        assert_eq!(result.is_better("right", "right again", 0.99), Some(false));
        assert_eq!(result.is_better("right", "nobody", 0.01), None);
        let equal = &result.comparisons[0];
        assert_eq!((equal.difference, equal.p_value), (Some(0.0), None));
        assert_eq!(equal.favours, None);
        for value in &result.values {
            let interval = value.interval.unwrap();
            let value = value.value.unwrap();
            assert!(interval.low <= value && value <= interval.high);
        }
        // Two defined tests: Holm doubles the smaller p-value.
        let p: Vec<f64> = result
            .comparisons
            .iter()
            .filter_map(|c| c.p_value)
            .collect();
        assert_eq!(p.len(), 2);
        assert_eq!(
            result.comparisons[1].p_corrected,
            Some((2.0 * p[0]).min(1.0))
        );
    }
    let text = table.to_string();
    assert!(
        text.contains("average_drop ↓") && text.contains("right        wrong"),
        "{text}"
    );
}

/// The same maps in other units give scores that differ by the ε of the formulas, and nobody wins.
#[test]
fn an_epsilon_is_no_evidence() {
    let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        Ok(batch.into_dimensionality().unwrap().to_owned())
    };
    let inputs =
        Array2::from_shape_fn((40, 5), |(i, j)| 0.1 + ((i * 7 + j * 3) % 11) as f64 / 12.0);
    let maps = Array2::from_shape_fn((40, 5), |(i, j)| ((i * 5 + j * 2) % 7) as f64 / 7.0);
    let targets: Vec<usize> = (0..40).map(|i| i % 5).collect();
    let table = Benchmark::new(&model, inputs.view(), &targets)
        .layout(InputLayout::ChannelsLast)
        .maps("as it is", maps.view())
        .maps("scaled", maps.mapv(|x| x * 1e-1))
        .metric(AverageDrop::default())
        .evaluate()
        .unwrap();
    let comparison = &table.metrics[0].comparisons[0];
    assert_eq!(
        (comparison.p_value, comparison.favours.as_ref()),
        (None, None)
    );
    assert_ne!(
        table.metrics[0].values[0].per_sample,
        table.metrics[0].values[1].per_sample
    );
}

/// Values of one metric by one explainer.
fn values_of(metric: &str, per_sample: &[f64]) -> EvaluationValues {
    EvaluationValues {
        n_samples: per_sample.len(),
        explainers: vec!["one".into()],
        metrics: vec![MetricValues {
            metric: metric.into(),
            direction: Direction::Higher,
            is_share: registry::find(metric).map_or(true, |entry| entry.info.range.is_share()),
            is_whole: false,
            undefined: None,
            info: None,
            settings: Vec::new(),
            per_sample: vec![per_sample.iter().copied().map(Some).collect()],
            pooled: Vec::new(),
            curves: Vec::new(),
            tied: Vec::new(),
        }],
        model_calls: ModelCalls::default(),
        batch_size: None,
        assumed: Vec::new(),
        map_class_check: None,
    }
}

#[test]
fn shares_have_wilsons_interval_and_other_means_the_bootstraps() {
    let interval = |metric: &str, per_sample: &[f64]| {
        let table = values_of(metric, per_sample).table(&Statistics::default());
        table.unwrap().metrics[0].values[0].interval.unwrap()
    };
    // No increase among 30 samples is no proof that there never is one.
    let none = interval("average_increase", &[0.0; 30]);
    assert_eq!(none.method, IntervalMethod::Wilson);
    assert_eq!(none, wilson(0, 30, 0.95).unwrap());
    assert!(none.low == 0.0 && none.high > 0.1);
    let mut some = [0.0; 30];
    some[3] = 1.0;
    assert_eq!(
        interval("average_increase", &some),
        wilson(1, 30, 0.95).unwrap()
    );
    // A metric of somebody's own whose values are all 0 or 1.
    assert_eq!(interval("hits", &some).method, IntervalMethod::Wilson);
    // Values between, and a metric that is no share.
    some[4] = 0.5;
    assert_eq!(interval("hits", &some).method, IntervalMethod::BootstrapBca);
    assert_eq!(
        interval("complexity", &[1.0; 30]).method,
        IntervalMethod::BootstrapBca
    );
}

#[test]
fn intervals_of_few_samples_are_flagged() {
    let table = |per_sample: &[f64]| {
        let table = values_of("average_drop", per_sample).table(&Statistics::default());
        table.unwrap()
    };
    let few = [0.1, 0.3, 0.2, 0.6, 0.5, 0.4, 0.7, 0.9, 0.8];
    let enough: Vec<f64> = few.iter().cycle().take(21).copied().collect();
    assert_eq!(
        table(&few).to_string().lines().count(),
        1 + table(&enough).to_string().lines().count()
    );
    #[cfg(feature = "serde")]
    {
        let json = |table: &EvaluationTable| serde_json::to_value(table.by_name()).unwrap();
        let warns = |per_sample: &[f64]| {
            let json = json(&table(per_sample));
            json["metrics"]["average_drop"]["explainers"]["one"]["small_sample"].clone()
        };
        assert_eq!(warns(&few), true);
        assert!(warns(&enough).is_null());
        let shares = values_of("average_increase", &[0.0, 1.0, 0.0]);
        let shares = json(&shares.table(&Statistics::default()).unwrap());
        let of_one = &shares["metrics"]["average_increase"]["explainers"]["one"];
        assert!(of_one["small_sample"].is_null() && of_one["interval"].is_array());
    }
}

#[test]
fn a_metric_by_name_may_be_there_twice_with_other_parameters() {
    let x = ArrayD::from_shape_fn(vec![4, 3, 4, 2], |i| {
        ((i[0] * 5 + i[1] * 3 + i[2] * 7 + i[3]) % 11) as f64 / 4.0
    });
    let maps = x.mapv(|x| x * x - x);
    let settings: Settings = "deletion(steps=2), deletion(steps=4, baseline=0.5)"
        .parse()
        .unwrap();
    let evaluation = || {
        Benchmark::new(&thirds, x.view(), &[0, 1, 2, 0])
            .layout(InputLayout::ChannelsLast)
            .maps("maps", maps.view())
    };
    let mut named = evaluation();
    for setting in &settings.0 {
        named = named.metric_named(setting.to_string(), from_setting::<f64>(setting).unwrap());
    }
    let table = named.evaluate().unwrap();
    let metrics = [
        Deletion::new().steps(Some(2)),
        Deletion::new().steps(Some(4)).baseline(0.5),
    ];
    for (setting, metric) in settings.0.iter().zip(metrics) {
        let alone = metric.layout(InputLayout::ChannelsLast).evaluate(
            &thirds,
            x.view(),
            &[0, 1, 2, 0],
            maps.view(),
        );
        let result = table.result("maps", &setting.to_string()).unwrap();
        assert_eq!(result.per_sample, alone.unwrap().per_sample);
    }
    assert_ne!(
        table.metrics[0].values[0].per_sample,
        table.metrics[1].values[0].per_sample
    );
    // Under the name of the metric they would be one.
    let unnamed = settings.0.iter().fold(evaluation(), |evaluation, setting| {
        evaluation.metric(from_setting::<f64>(setting).unwrap())
    });
    let error = unnamed.evaluate().unwrap_err().into_error();
    assert_eq!(error.input(), input::METRICS);
    assert_eq!(error.help(), Some(help::RENAME_METRIC));
}

/// Raw scores, of which some are above 1: Average Gain divides by nothing there.
#[test]
fn a_metric_that_is_undefined_for_the_scores_leaves_the_others_their_values() {
    let (x, maps, y) = grey(9);
    let scale = |by: f64| move |batch: ArrayViewD<'_, f64>| thirds((&batch * by).view());
    let large = scale(8.0);
    let evaluation = |batch_size: usize| {
        Benchmark::new(&large, x.view(), &y)
            .layout(InputLayout::ChannelsLast)
            .maps("a", maps[0].view())
            .maps("b", maps[1].view())
            .batch_size(batch_size)
            .metric(AverageGain::default())
    };
    let table = evaluation(4).metric(AverageDrop::default());
    let table = table.evaluate().unwrap();
    let gain = table.metric("average_gain").unwrap();
    assert!(
        gain.values
            .iter()
            .all(|v| v.value.is_none() && v.n_undefined == 9)
    );
    let alone = evaluation(9).evaluate().unwrap_err();
    assert_eq!(gain.undefined, Some(alone.error().to_string()));
    assert_eq!(alone.metric(), Some("average_gain"));
    let drop = table.metric("average_drop").unwrap();
    assert!(drop.undefined.is_none() && drop.values.iter().all(|v| v.value.is_some()));
    let reason = format!("\naverage_gain is undefined: {}\n", alone.error());
    assert_eq!(table.to_string().matches(&reason).count(), 1, "{table}");

    // A part of the data set where the metric is defined does not make it defined for the whole.
    let small = scale(0.01);
    let defined = Benchmark::new(&small, x.view(), &y)
        .layout(InputLayout::ChannelsLast)
        .maps("a", maps[0].view())
        .maps("b", maps[1].view())
        .metric(AverageGain::default())
        .metric(AverageDrop::default());
    let mut whole = defined.values().unwrap();
    assert!(whole.metrics[0].undefined.is_none());
    let undefined = evaluation(9)
        .metric(AverageDrop::default())
        .values()
        .unwrap();
    whole.merge(undefined).unwrap();
    let merged = whole.table(&Statistics::default()).unwrap();
    assert_eq!(
        merged.metric("average_gain").unwrap().undefined,
        gain.undefined
    );
    assert_eq!(merged.result("a", "average_gain").unwrap().n_undefined, 18);
    assert_eq!(merged.result("a", "average_drop").unwrap().n_undefined, 0);
}
