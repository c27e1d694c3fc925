//! What holds of every metric of the registry: one that comes later is judged without a line here.

use ndarray::{Array3, ArrayD, Axis, concatenate};
use proptest::prelude::*;
use xai_attribution::metric::registry::metrics;
use xai_attribution::metric::{Deletion, Entry, Measure, Metric, Value};
use xai_attribution::perturbation::{Baseline, RemovalOrder};
use xai_attribution::{InputLayout, input};
use xai_core::Direction;
use xai_core::describe::Mirror;
use xai_core::describe::ends::ends;
use xai_core::parallel::with_work_size;

use crate::all_metrics::{Problem, SIDE, built, can_be_judged, example, settings};

fn problems() -> impl Strategy<Value = Problem> {
    (1usize..6).prop_flat_map(|n| {
        let size = n * SIDE * SIDE;
        let numbers = || prop::collection::vec(-8i32..9, size);
        let masks = prop::collection::vec(any::<bool>(), size);
        let segments = prop::collection::vec(0u32..5, size);
        (numbers(), numbers(), masks, segments).prop_map(move |(x, maps, masks, segments)| {
            let images = |values: Vec<i32>| {
                let values = values.into_iter().map(|v| f64::from(v) / 4.0).collect();
                ArrayD::from_shape_vec(vec![n, SIDE, SIDE, 1], values).unwrap()
            };
            Problem {
                x: images(x),
                maps: images(maps),
                masks: Array3::from_shape_vec((n, SIDE, SIDE), masks).unwrap(),
                segments: Array3::from_shape_vec((n, SIDE, SIDE), segments).unwrap(),
                layout: InputLayout::ChannelsLast,
                unit: 1.0,
                is_mirrored: false,
            }
        })
    })
}

impl Problem {
    fn reversed(&self) -> Self {
        let mut reversed = self.clone();
        reversed.x.invert_axis(Axis(0));
        reversed.maps.invert_axis(Axis(0));
        reversed.masks.invert_axis(Axis(0));
        reversed.segments.invert_axis(Axis(0));
        reversed
    }

    /// Every sample twice.
    fn doubled(&self) -> Self {
        let twice = |values: &ArrayD<f64>| concatenate![Axis(0), *values, *values];
        Self {
            x: twice(&self.x),
            maps: twice(&self.maps),
            masks: concatenate![Axis(0), self.masks, self.masks],
            segments: concatenate![Axis(0), self.segments, self.segments],
            ..self.clone()
        }
    }

    /// With the columns of all arrays in reverse order.
    fn mirrored(&self) -> Self {
        let mut mirrored = self.clone();
        let columns = Axis(2);
        mirrored.x.invert_axis(columns);
        mirrored.maps.invert_axis(columns);
        mirrored.masks.invert_axis(columns);
        mirrored.segments.invert_axis(columns);
        mirrored.is_mirrored = !self.is_mirrored;
        mirrored
    }

    fn times(&self, unit: f64) -> Self {
        Self {
            unit: self.unit * unit,
            ..self.clone()
        }
    }

    /// With maps, and reference maps, of which no two attributions, nor sums of some, are equal.
    fn without_ties(&self) -> Self {
        let mut untied = self.clone();
        for (a, place) in untied.maps.iter_mut().zip(1..) {
            *a += (f64::from(place) * 12.9898).sin() / 8.0;
        }
        // Reference maps are computed from the inputs.
        for (x, place) in untied.x.iter_mut().zip(1..) {
            *x += (f64::from(place) * 78.233).sin() / 8.0;
        }
        untied
    }

    /// The same images of three channels, which lie last, or first.
    fn in_color(&self) -> [Self; 2] {
        let n = self.x.shape()[0];
        let mut last = self.clone();
        let channel = |c: usize| {
            move |i: ndarray::IxDyn| (i[0] * 48 + i[1] * 12 + i[2] * 3 + i[3] + c) as f64
        };
        let shape = vec![n, SIDE, SIDE, 3];
        last.x = ArrayD::from_shape_fn(shape.clone(), |i| {
            self.x[[i[0], i[1], i[2], 0]] + (channel(0)(i) * 0.7).sin()
        });
        // No two attributions are equal: which of them comes first is otherwise a matter of their places.
        last.maps = ArrayD::from_shape_fn(shape, |i| {
            self.maps[[i[0], i[1], i[2], 0]] + (channel(1)(i) * 1.3).cos()
        });
        let mut first = last.clone();
        first.layout = InputLayout::ChannelsFirst;
        for values in [&mut first.x, &mut first.maps] {
            let view = values.view().permuted_axes(vec![0, 3, 1, 2]);
            *values = view.as_standard_layout().into_owned();
        }
        [last, first]
    }
}

fn judged() -> impl Iterator<Item = &'static Entry> {
    metrics().iter().filter(can_be_judged)
}

/// Whether values are equal but for a share of their size, and no less of one.
fn near(a: &Option<f64>, b: &Option<f64>, share: f64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= share * b.abs().max(1.0),
        (a, b) => a == b,
    }
}

/// Each sample is judged by itself, and not by draws of its own.
fn judges_alone(entry: &Entry) -> bool {
    !entry.is_whole() && !entry.has_param("seed")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn neither_batches_nor_threads_nor_the_order_of_samples_show(problem in problems()) {
        for entry in judged() {
            let (metric, name) = (built(entry), entry.info.name);
            let whole = problem.evaluate(&*metric, 64);
            prop_assert_eq!(&with_work_size(1, || problem.evaluate(&*metric, 64)), &whole, "{} on one thread", name);
            for batch_size in [1, 3] {
                prop_assert_eq!(&problem.evaluate(&*metric, batch_size), &whole, "{} in batches of {}", name, batch_size);
            }
            if judges_alone(entry) {
                let (value, mut reversed, _) = problem.reversed().evaluate(&*metric, 2);
                reversed.reverse();
                prop_assert_eq!((value, &reversed), (whole.0, &whole.1), "{} from the last sample on", name);
            }
        }
    }

    #[test]
    fn samples_that_come_twice_leave_the_mean_alone(problem in problems()) {
        for entry in judged().filter(|entry| judges_alone(entry)) {
            let (metric, name) = (built(entry), entry.info.name);
            let (value, values, _) = problem.evaluate(&*metric, 64);
            let (of_doubled, doubled, _) = problem.doubled().evaluate(&*metric, 3);
            prop_assert_eq!(&doubled, &[&values[..], &values[..]].concat(), "{}", name);
            prop_assert_eq!(of_doubled.map(f64::to_bits), value.map(f64::to_bits), "{}", name);
        }
    }

    #[test]
    fn values_are_finite_and_in_their_range(problem in problems()) {
        for entry in judged() {
            let (value, values, _) = problem.evaluate(&*built(entry), 64);
            let mut values = values.into_iter().flatten().chain(value);
            let within = |value: f64| value.is_finite() && entry.info.range.contains(value);
            prop_assert!(values.all(within), "{}: {:?}", entry.info.name, problem.evaluate(&*built(entry), 64));
        }
    }

    /// But for noise that is drawn for each number, in the order in which they lie.
    #[test]
    fn channels_may_lie_first_or_last(problem in problems()) {
        let [last, first] = problem.in_color();
        for entry in judged().filter(|entry| !entry.has_param("n_neighbors")) {
            let (metric, name) = (built(entry), entry.info.name);
            let ((_, a, rows), (_, b, rows_of_first)) = (last.evaluate(&*metric, 64), first.evaluate(&*metric, 64));
            prop_assert_eq!(rows, rows_of_first, "{}", name);
            prop_assert!(a.iter().zip(&b).all(|(a, b)| near(a, b, 1e-9)), "{}: {:?} {:?}", name, a, b);
        }
    }

    #[test]
    fn baselines_lie_as_the_inputs_do(problem in problems()) {
        let [last, first] = problem.in_color();
        let baselines = [
            Baseline::Channels(vec![0.25, -1.5, 3.0]),
            Baseline::DatasetMean,
            Baseline::SampleMin,
            Baseline::SampleMean,
            Baseline::SampleMax,
            Baseline::Blur { sigma: 1.0 },
        ];
        for baseline in baselines {
            let metric = Deletion::new().baseline(baseline);
            let judged: &dyn Measure<f64> = &metric;
            let ((_, a, _), (_, b, _)) = (last.evaluate(judged, 64), first.evaluate(judged, 64));
            prop_assert!(a.iter().zip(&b).all(|(a, b)| near(a, b, 1e-9)), "{:?}: {:?} {:?}", metric, a, b);
        }
    }

    /// The inputs are the same numbers in both; what the metrics make of them is rounded to either. But for two: one
    /// ranks changes of the score that are equal but for rounding, one divides by such changes.
    #[cfg(feature = "f32")]
    #[test]
    fn single_precision_agrees_within_its_rounding(problem in problems()) {
        let by_changes = ["monotonicity-correlation", "relative-output-stability"];
        for entry in judged().filter(|entry| !by_changes.contains(&entry.info.name)) {
            let single = entry.build::<f32>(&settings(entry)).unwrap();
            let (_, single, rows) = problem.evaluate(&*single, 64);
            let (_, double, rows_of_double) = problem.evaluate(&*built(entry), 64);
            prop_assert_eq!(rows, rows_of_double);
            let are_near = single.iter().zip(&double).all(|(a, b)| near(a, b, 1e-5));
            prop_assert!(are_near, "{}: {:?} {:?}", entry.info.name, single, double);
        }
    }

    /// Powers of two leave the bits as they are, other factors all but the last digits. Equal sums of attributions may
    /// differ once they are multiplied by other factors, so that those are tried without ties.
    #[test]
    fn the_scale_of_maps_does_not_matter_to_metrics_that_say_so(
        problem in problems(),
        exponent in -100i32..=100,
        factor in 1.0..2.0f64,
    ) {
        let (unit, untied) = (2f64.powi(exponent), problem.without_ties());
        for entry in judged().filter(|entry| entry.info.invariance.scale) {
            let (metric, name) = (built(entry), entry.info.name);
            let (value, values, _) = problem.evaluate(&*metric, 64);
            let (scaled_value, scaled, _) = problem.times(unit).evaluate(&*metric, 64);
            prop_assert_eq!(bits(&scaled), bits(&values), "{} times 2^{}", name, exponent);
            prop_assert_eq!(bits(&[scaled_value]), bits(&[value]), "{} times 2^{}", name, exponent);
            let (_, values, _) = untied.evaluate(&*metric, 64);
            let (_, scaled, _) = untied.times(unit * factor).evaluate(&*metric, 64);
            let mut pairs = scaled.iter().zip(&values);
            prop_assert!(pairs.all(|(a, b)| near(a, b, 1e-12)), "{}: {:?} {:?}", name, scaled, values);
        }
    }

    #[cfg(feature = "f32")]
    #[test]
    fn the_scale_of_maps_does_not_matter_in_single_precision(problem in problems(), exponent in -100i32..=100) {
        for entry in judged().filter(|entry| entry.info.invariance.scale) {
            let metric = entry.build::<f32>(&settings(entry)).unwrap();
            let (_, values, _) = problem.evaluate(&*metric, 64);
            let (_, scaled, _) = problem.times(2f64.powi(exponent)).evaluate(&*metric, 64);
            prop_assert_eq!(bits(&scaled), bits(&values), "{} times 2^{}", entry.info.name, exponent);
        }
    }

    #[test]
    fn mirror_images_have_one_value_by_metrics_that_say_so(problem in problems()) {
        let untied = problem.without_ties();
        for entry in judged() {
            let problem = match entry.info.invariance.mirror {
                Mirror::Keeps => &problem,
                Mirror::KeepsWithoutTies => &untied,
                Mirror::Changes => continue,
            };
            let (metric, name) = (built(entry), entry.info.name);
            let (_, values, _) = problem.evaluate(&*metric, 64);
            let (_, mirrored, _) = problem.mirrored().evaluate(&*metric, 64);
            let mut pairs = mirrored.iter().zip(&values);
            prop_assert!(pairs.all(|(a, b)| near(a, b, 1e-9)), "{}: {:?} {:?}", name, mirrored, values);
        }
    }
}

fn bits(values: &[Option<f64>]) -> Vec<Option<u64>> {
    values.iter().map(|value| value.map(f64::to_bits)).collect()
}

/// A description that claims too little would hide a metric from the law.
#[test]
fn metrics_that_do_not_say_so_depend_on_the_scale_of_maps() {
    let (problem, mut wrong) = (example().without_ties(), Vec::new());
    for entry in judged() {
        let (metric, name) = (built(entry), entry.info.name);
        let (_, values, _) = problem.evaluate(&*metric, 64);
        let is_free = [1e-9, 1e9].into_iter().all(|unit| {
            let (_, scaled, _) = problem.times(unit).evaluate(&*metric, 64);
            scaled.iter().zip(&values).all(|(a, b)| near(a, b, 1e-9))
        });
        if is_free != entry.info.invariance.scale {
            wrong.push((name, is_free));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The score of the model here rises and falls with `x (1 − w)`, `w` from 0 to 4 in turn from the second element on.
/// With inputs that make all of these terms rise, maps of the terms are right, and larger ones in the opposite order
/// are wrong. The object is where terms are large.
#[test]
fn right_maps_are_better_than_wrong_ones() {
    let mut right = example();
    for (mut map, mut x) in right.maps.outer_iter_mut().zip(right.x.outer_iter_mut()) {
        for ((a, x), w) in map.iter_mut().zip(x.iter_mut()).zip(1..) {
            let by = 1.0 - f64::from(w % 5);
            *x = (*x + 2.0).abs() / 8.0 * by.signum();
            *a = *x * by;
        }
    }
    let mut wrong_maps = right.clone();
    for ((mut mask, right), mut wrong) in (right.masks.outer_iter_mut())
        .zip(right.maps.outer_iter())
        .zip(wrong_maps.maps.outer_iter_mut())
    {
        let (largest, mean) = (
            right.fold(0.0, |a: f64, b| a.max(*b)),
            right.mean().unwrap(),
        );
        for ((mask, right), wrong) in mask.iter_mut().zip(&right).zip(&mut wrong) {
            *mask = *right > mean;
            *wrong = 4.0 * (largest - right);
        }
    }
    wrong_maps.masks.clone_from(&right.masks);
    let judges_maps = |entry: &&Entry| {
        let needs = entry.info.needs;
        let by_others = [input::EXPLAINER, input::SECOND_MAPS, input::REFERENCE_MAPS];
        needs.contains(&input::EXPLANATIONS)
            && [input::MODEL, input::MASKS]
                .iter()
                .any(|need| needs.contains(need))
            && !by_others.iter().any(|need| needs.contains(need))
    };
    let (mut n_better, mut n_settings, mut wrong) = (0, 0, Vec::new());
    for entry in judged().filter(judges_maps) {
        // The defaults, and every word and flag of every parameter. What is right depends on the baseline, which is 0
        // here.
        let params = entry.params().into_iter();
        let words = params
            .filter(|param| param.name != "baseline")
            .flat_map(|param| {
                let values = ends(&param.kind).into_iter();
                let words = values.filter(|value| matches!(value, Value::Flag(_) | Value::Text(_)));
                words.map(move |value| vec![(param.name.to_owned(), value)])
            });
        for setting in std::iter::once(Vec::new()).chain(words) {
            let given = [settings(entry), setting].concat();
            let metric = entry.build::<f64>(&given).unwrap();
            assert_eq!(entry.direction(&given).ok(), Some(metric.direction()));
            let value = |problem: &Problem| problem.outcome(&*metric, 64).0.ok();
            let Some((of_right, of_wrong)) = value(&right).zip(value(&wrong_maps)) else {
                // Not for these inputs, or without a value.
                continue;
            };
            let (of_right, of_wrong) = (of_right.value, of_wrong.value);
            let is_better = match metric.direction() {
                Direction::Higher => of_right > of_wrong,
                Direction::Lower => of_right < of_wrong,
                Direction::None => continue,
            };
            // Both maps are equally decided: their entropies differ by rounding, and by the 1e-5 of the reference
            // package.
            if !is_better && !near(&Some(of_right), &Some(of_wrong), 1e-4) {
                wrong.push((entry.info.name, given, of_right, of_wrong));
            }
            n_better += usize::from(is_better);
            n_settings += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Those that take the size of an attribution, or score no class, see no difference.
    assert!(3 * n_better > 2 * n_settings, "{n_better} of {n_settings}");
}

#[test]
fn keeping_instead_of_removing_reverses_the_direction() {
    let keeps: Vec<&Entry> = metrics()
        .iter()
        .filter(|entry| entry.has_param("keep"))
        .collect();
    assert_eq!(keeps.len(), 5);
    for entry in keeps {
        let kept = entry.direction(&[("keep".to_owned(), true.into())]);
        assert_eq!(
            kept.ok(),
            Some(entry.info.direction.reversed()),
            "{}",
            entry.info.name
        );
    }
    let reversed = Deletion::new().order(RemovalOrder::LeastRelevantFirst);
    assert_eq!(reversed.direction(), Direction::Higher);
    assert_eq!(
        Deletion::new()
            .order(RemovalOrder::LargestFirst)
            .direction(),
        Direction::Lower
    );
}

/// Superpixels: half of the positions have one attribution, the others another.
#[test]
fn ties_of_removal_orders_are_counted_and_may_be_random() {
    let mut problem = example();
    problem.maps = problem.maps.mapv(|a| if a > 0.0 { 1.0 } else { 0.0 });
    let untied = example().without_ties();
    let removes = |entry: &&Entry| {
        let ties = entry
            .params()
            .into_iter()
            .find(|param| param.name == "ties");
        ties.is_some_and(|ties| ends(&ties.kind).contains(&Value::Text("random".into())))
    };
    let (mut n_metrics, mut n_varied) = (0, 0);
    for entry in judged().filter(removes) {
        let with = |ties: &str| {
            let ties = [("ties".to_owned(), ties.into())];
            entry
                .build::<f64>(&[settings(entry), ties.to_vec()].concat())
                .unwrap()
        };
        let outcome = |problem: &Problem, ties: &str| problem.outcome(&*with(ties), 64).0.unwrap();
        let name = entry.info.name;
        let lowest = outcome(&problem, "lowest-index");
        let share = lowest.tied.unwrap().share();
        assert!(share > 0.5, "{name}: {share}");
        assert_eq!(
            outcome(&untied, "lowest-index").tied.unwrap().share(),
            0.0,
            "{name}"
        );
        // A seed is an order; without ties there is one order.
        let random = outcome(&problem, "random:3");
        assert_eq!(
            random.per_sample,
            outcome(&problem, "random:3").per_sample,
            "{name}"
        );
        assert_eq!(random.tied, lowest.tied, "{name}");
        let seeds = (0..20).map(|seed| outcome(&problem, &format!("random:{seed}")).value);
        let values: Vec<f64> = seeds.collect();
        n_varied += usize::from(values.iter().any(|value| *value != values[0]));
        let unique = outcome(&untied, "random:3").per_sample;
        assert_eq!(
            unique,
            outcome(&untied, "lowest-index").per_sample,
            "{name}"
        );
        n_metrics += 1;
    }
    // Few cells, or a score that a part of the positions hardly moves, leave one value.
    assert!(
        n_metrics > 20 && 4 * n_varied > 3 * n_metrics,
        "{n_varied} of {n_metrics}"
    );
}
