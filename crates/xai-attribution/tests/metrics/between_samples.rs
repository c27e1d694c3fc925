//! Metrics of all samples together: what they need of a run, and their edges.

use ndarray::{Array2, ArrayD, ArrayViewD, CowArray, IxDyn, array};
use proptest::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use xai_attribution::batch::ExplainedBatch;
use xai_attribution::metric::{
    Consistency, Discretizer, Measure, Metric, MetricInfo, Parameters, Sufficiency, Threshold,
};
use xai_attribution::model::{BoxError, Concurrent, Samples, Targets};
use xai_attribution::{Benchmark, Evaluate, EvaluationData, Result, help, input};
use xai_core::stop::{StopFlag, Stopped, stoppable};
use xai_core::{Distance, Input};

type Answer<A> = std::result::Result<A, std::fmt::Error>;

fn model(batch: ArrayViewD<'_, f64>) -> Answer<Array2<f64>> {
    let rows = batch.outer_iter().flat_map(|x| [x[0], x[1], 0.5]);
    Ok(Array2::from_shape_vec((batch.shape()[0], 3), rows.collect()).unwrap())
}

fn table(n: usize) -> ArrayD<f64> {
    ArrayD::from_shape_fn(vec![n, 4], |i| {
        ((i[0] * 7 + i[1] * i[1] * 5) % 11) as f64 / 4.0 - 1.0
    })
}

/// Maps that are read whenever they are asked for.
struct Reader(ArrayD<f64>);

impl Samples<f64> for Reader {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn batch(
        &self,
        samples: Range<usize>,
    ) -> std::result::Result<CowArray<'_, f64, IxDyn>, BoxError> {
        let batch = self.0.slice_axis(ndarray::Axis(0), samples.into());
        Ok(batch.to_owned().into())
    }
}

#[test]
fn maps_of_an_explainer_stored_ones_and_those_of_a_reader_give_the_same_bits() {
    let (x, n) = (table(150), 150);
    let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Answer<ArrayD<f64>> { Ok(&x * 2.0) };
    let maps = &x * 2.0;
    let reader = Reader(maps.clone());
    let targets = vec![0u8; n];
    let metrics = || {
        let limit = Sufficiency::new().threshold(Threshold::OfLargest(0.3));
        (limit, Consistency::new())
    };
    let values = |batch_size: usize, concurrent: bool| {
        let concurrently = Concurrent(&model);
        let evaluation = match concurrent {
            true => Benchmark::new(&concurrently, x.view(), &targets),
            false => Benchmark::new(&model, x.view(), &targets),
        };
        let (sufficiency, consistency) = metrics();
        let evaluation = evaluation
            .maps("stored", maps.view())
            .explainer("asked", &twice);
        let evaluation = evaluation.maps("read", &reader).batch_size(batch_size);
        let values = evaluation.metric(sufficiency).metric(consistency).values();
        values.unwrap()
    };
    let whole = values(64, false);
    assert_eq!(whole.model_calls.rows, 150);
    for metric in &whole.metrics {
        let [stored, asked, read] = &metric.per_sample[..] else {
            panic!()
        };
        assert_eq!((stored, stored), (asked, read), "{}", metric.metric);
        assert!(stored.iter().any(Option::is_some));
    }
    for (batch_size, concurrent) in [(1, false), (7, true), (200, true)] {
        assert_eq!(values(batch_size, concurrent).metrics, whole.metrics);
    }
    let (sufficiency, _) = metrics();
    let alone = sufficiency
        .evaluate(&model, x.view(), &targets, maps.view())
        .unwrap();
    assert_eq!(alone.per_sample, whole.metrics[0].per_sample[0]);
}

fn sufficiency(x: &ArrayD<f64>, maps: &ArrayD<f64>, metric: &Sufficiency) -> Vec<Option<f64>> {
    let n = x.shape()[0];
    let value = metric.evaluate(&model, x.view(), &vec![0u8; n], maps.view());
    value.map_or_else(|_| vec![None; n], |value| value.per_sample)
}

proptest! {
    #[test]
    fn sufficiency_is_the_share_among_near_maps(
        maps in prop::collection::vec(-6i32..7, 4 * 6..4 * 7), limit in 0.0..4.0f64,
    ) {
        let n = maps.len() / 4;
        let values = maps[..n * 4].iter().map(|&a| f64::from(a) / 4.0).collect();
        let (x, maps) = (table(n), ArrayD::from_shape_vec(vec![n, 4], values).unwrap());
        let metric = Sufficiency::new().standardized(false).distance(Distance::Manhattan);
        let ours = sufficiency(&x, &maps, &metric.threshold(Threshold::Absolute(limit)));
        let row = |array: &ArrayD<f64>, i: usize| array.as_slice().unwrap()[i * 4..(i + 1) * 4].to_vec();
        let class = |i: usize| {
            let x = row(&x, i);
            xai_core::output::arg_max(&[x[0], x[1], 0.5]).unwrap()
        };
        for (i, ours) in ours.into_iter().enumerate() {
            let near: Vec<usize> = (0..n)
                .filter(|&j| {
                    let apart = row(&maps, i).iter().zip(row(&maps, j)).map(|(a, b)| (a - b).abs()).sum::<f64>();
                    j != i && apart <= limit
                })
                .collect();
            let alike = near.iter().filter(|&&j| class(j) == class(i)).count();
            prop_assert_eq!(ours, (!near.is_empty()).then(|| alike as f64 / near.len() as f64));
        }
    }

    /// A map that is all of its input tells predictions apart; the same map for everybody tells nothing.
    #[test]
    fn consistency_of_maps_that_tell_the_prediction_is_1(n in 2usize..30) {
        let x = table(n);
        let classes = |i: usize| {
            let x = &x.as_slice().unwrap()[i * 4..(i + 1) * 4];
            xai_core::output::arg_max(&[x[0], x[1], 0.5]).unwrap()
        };
        let maps = ArrayD::from_shape_fn(vec![n, 4], |i| f64::from(u8::from(classes(i[0]) == i[1])));
        let metric = Consistency::new().discretizer(Discretizer::TopK(1));
        if let Ok(value) = metric.evaluate(&model, x.view(), &vec![0u8; n], maps.view()) {
            prop_assert!(value.per_sample.iter().flatten().all(|&share| share == 1.0));
        }
    }
}

#[test]
fn equal_maps_constant_positions_and_single_samples() {
    let x = array![[2.0, 1.0], [3.0, 1.0], [1.0, 3.0]].into_dyn();
    // All equal, all zero: everybody is near, and the value is the share of the class.
    for maps in [
        ArrayD::from_elem(vec![3, 2], 0.25),
        ArrayD::zeros(vec![3, 2]),
    ] {
        let share = [Some(0.5), Some(0.5), Some(0.0)];
        assert_eq!(sufficiency(&x, &maps, &Sufficiency::new()), share);
        let keys = Consistency::new().evaluate(&model, x.view(), &[0, 0, 1], maps.view());
        assert_eq!(keys.unwrap().per_sample, share);
    }
    // A position with one value adds nothing, and hides nothing.
    let maps = array![[1.0, 0.0], [1.0, 0.1], [1.0, 5.0]].into_dyn();
    let near = sufficiency(&x, &maps, &Sufficiency::new());
    assert_eq!(near, [Some(1.0), Some(1.0), None]);
    let one = x.slice_axis(ndarray::Axis(0), (..1).into()).to_owned();
    assert_eq!(sufficiency(&one, &one, &Sufficiency::new()), [None]);
}

#[test]
fn keys() {
    let x = array![[2.0, 1.0, 0.0, 0.0], [3.0, 1.0, 0.0, 0.0]];
    let alike = |discretizer: Discretizer, a: [f64; 4], b: [f64; 4]| {
        let maps = array![a, b];
        let metric = Consistency::new().discretizer(discretizer);
        metric
            .evaluate(&model, x.view(), &[0, 0], maps.view())
            .is_ok()
    };
    let (map, swapped, turned) = (
        [5.0, -4.0, 1.0, 0.0],
        [4.0, -5.0, 0.5, 0.0],
        [5.0, 4.0, 1.0, 0.0],
    );
    for (discretizer, of_swapped, of_turned) in [
        (Discretizer::TopK(2), true, true),
        (Discretizer::TopKSigned(2), true, false),
        (Discretizer::TopKSigned(9), true, false),
        (Discretizer::Rank(2), false, true),
        (Discretizer::Rounded(0), false, false),
        (
            Discretizer::function(|map| vec![map.len() as i64]),
            true,
            true,
        ),
    ] {
        let found = (
            alike(discretizer.clone(), map, swapped),
            alike(discretizer.clone(), map, turned),
        );
        assert_eq!(found, (of_swapped, of_turned), "{discretizer:?}");
    }
    let (a, b) = ([0.004, -0.004, 1.0, 1e300], [0.0, 0.0, 1.0, 1e300]);
    assert!(alike(Discretizer::Rounded(2), a, b) && !alike(Discretizer::Rounded(3), a, b));
}

/// Passes on what a metric of batches has, and forgets the second stage.
#[derive(Parameters)]
struct Wrapped;

impl Metric for Wrapped {
    fn info(&self) -> &'static MetricInfo {
        Consistency::new().info()
    }
}

impl Measure<f64> for Wrapped {
    fn per_sample(&self, explained: &ExplainedBatch<'_, f64>) -> Result<Vec<Option<f64>>> {
        Consistency::new().per_sample(explained)
    }
}

#[test]
fn mismatched_inputs_are_named() {
    let x = array![[2.0, 1.0], [3.0, 1.0]].into_dyn();
    let error = |metric: &dyn Measure<f64>, maps: &ArrayD<f64>| {
        let stopped = metric.evaluate(&model, x.view(), &[0, 0], maps.view());
        stopped.unwrap_err().into_error()
    };
    let wrapped = error(&Wrapped, &x);
    assert_eq!(
        (wrapped.input(), wrapped.help()),
        (input::METRIC, Some(help::ASK_FOR_WHOLE))
    );
    for limit in [
        Threshold::Absolute(-1.0),
        Threshold::OfLargest(1.5),
        Threshold::Absolute(f64::NAN),
    ] {
        assert_eq!(
            error(&Sufficiency::new().threshold(limit), &x).input(),
            Input::new("threshold")
        );
    }
    let none = Consistency::new().discretizer(Discretizer::TopK(0));
    assert_eq!(error(&none, &x).input(), input::DISCRETIZER);
    let many = Consistency::new().discretizer(Discretizer::Rounded(16));
    assert_eq!(error(&many, &x).input(), input::DISCRETIZER);
    // A map of zeros has no direction.
    let cosine = Sufficiency::new()
        .standardized(false)
        .distance(Distance::Cosine);
    let zeros = error(&cosine, &array![[1.0, 2.0], [0.0, 0.0]].into_dyn());
    assert_eq!(
        (zeros.input(), zeros.index()),
        (input::EXPLANATIONS, &[1][..])
    );
    let far = Sufficiency::new().standardized(false);
    let far = error(&far, &array![[1e200, 2.0], [-1e200, 0.0]].into_dyn());
    assert_eq!(
        (far.input(), far.index()),
        (input::MAP_DISTANCES, &[0, 1][..])
    );
    let nan = error(
        &Sufficiency::new(),
        &array![[f64::NAN, 2.0], [-1.0, 0.0]].into_dyn(),
    );
    assert_eq!(nan.input(), input::EXPLANATIONS);
}

#[test]
fn errors_of_the_second_stage_keep_earlier_results() {
    let x = array![[2.0, 1.0], [3.0, 1.0]].into_dyn();
    // A map of zeros has no direction, and no complexity.
    let maps = array![[1.0, 2.0], [0.0, 0.0]];
    let stopped = Benchmark::new(&model, x.view(), &[0, 0])
        .maps("mine", maps.view())
        .metric(xai_attribution::metric::Complexity)
        .metric(Sufficiency::new().distance(Distance::Cosine))
        .evaluate()
        .unwrap_err();
    assert_eq!(
        (stopped.explainer(), stopped.metric()),
        (Some("mine"), Some("sufficiency"))
    );
    let complexity = stopped.completed().iter().find(|c| c.score == "complexity");
    let per_sample = &complexity.unwrap().per_sample;
    assert!(per_sample[0].is_some() && per_sample[1].is_none());
}

/// The maps of one batch have another shape than those before.
#[test]
fn an_explainer_must_give_maps_of_one_shape() {
    let x = ArrayD::from_shape_fn(vec![4, 2, 2, 3], |i| (i[0] + i[3]) as f64);
    let model = |batch: ArrayViewD<'_, f64>| -> Answer<Array2<f64>> {
        Ok(Array2::zeros((batch.shape()[0], 2)))
    };
    let explainer = |x: ArrayViewD<'_, f64>, _: &Targets| -> Answer<ArrayD<f64>> {
        let first = x.iter().next() == Some(&0.0);
        Ok(if first {
            x.to_owned()
        } else {
            x.sum_axis(ndarray::Axis(3))
        })
    };
    let data = EvaluationData::new(x.view(), &[0u8; 4])
        .model(&model)
        .explainer(&explainer)
        .layout(xai_attribution::InputLayout::ChannelsLast)
        .batch_size(2);
    let error = Sufficiency::new()
        .evaluate_on(data)
        .unwrap_err()
        .into_error();
    assert_eq!(error.input(), input::EXPLANATIONS);
}

#[test]
fn parts_are_not_joined() {
    let x = table(6);
    let part = || {
        let evaluation = Benchmark::new(&model, x.view(), &[0u8; 6]).maps("mine", x.view());
        evaluation.metric(Consistency::new()).values().unwrap()
    };
    let mut values = part();
    let refused = values.merge(part()).unwrap_err();
    assert_eq!(
        (refused.input(), refused.help()),
        (input::METRICS, Some(help::EVALUATE_AT_ONCE))
    );
    assert_eq!(values, part());
}

/// Pairs grow with the square of the samples: whoever waits is told how far they are, and may stop them.
#[test]
fn pairs_report_progress_and_can_be_stopped() {
    let (x, n) = (table(150), 150);
    let evaluation = || {
        Benchmark::new(&model, x.view(), &vec![0u8; n])
            .maps("a", x.view())
            .metric(Sufficiency::new().threshold(Threshold::OfLargest(0.3)))
    };
    let told = Mutex::new(Vec::new());
    let counted = evaluation().on_pairs(|done, total| told.lock().unwrap().push((done, total)));
    counted.values().unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 1 && told.is_sorted());
    assert!(told.iter().all(|(_, total)| *total == 150 * 149 / 2));
    assert_eq!(told.last(), Some(&(150 * 149 / 2, 150 * 149 / 2)));
    let flag = StopFlag::new();
    let stopped = stoppable(&flag, || {
        evaluation().on_pairs(|_, _| flag.raise()).values().is_ok()
    });
    assert_eq!(stopped, Err(Stopped));
}

#[test]
fn keys_of_the_top_report_ties_at_the_cut() {
    let x = table(2);
    let maps = array![[3.0, -1.0, 1.0, 1.0], [2.0, 2.0, 1.0, 0.0]].into_dyn();
    let tied = |discretizer| {
        let metric = Consistency::new().discretizer(discretizer);
        let data = EvaluationData::new(x.view(), &[0u8; 2]).model(&model);
        let evaluation = Benchmark::on(data).maps("maps", maps.view());
        let values = evaluation.metric(metric).values().unwrap();
        let tied = values.metrics[0].tied.first().copied();
        tied.map(|of_maps| (of_maps.tied, of_maps.total))
    };
    assert_eq!(tied(Discretizer::TopK(1)), Some((2, 8)));
    assert_eq!(tied(Discretizer::TopKSigned(2)), Some((3, 8)));
    assert_eq!(tied(Discretizer::Rank(2)), Some((5, 8)));
    assert_eq!(tied(Discretizer::Rounded(1)), None);
}
