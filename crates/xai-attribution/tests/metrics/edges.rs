//! What every metric of the registry says to maps, masks and explainers at the edge.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array3, ArrayD, ArrayViewD, s};
use xai_attribution::metric::registry::metrics;
use xai_attribution::metric::{Entry, Measure};
use xai_attribution::model::{BoxError, Explainer, Targets};
use xai_attribution::{ErrorKind, EvaluationError, input};

use crate::all_metrics::{Problem, built, can_be_judged, example};

/// Twice the input.
struct Twice;

impl Explainer<f64> for Twice {
    fn explain(&self, inputs: ArrayViewD<'_, f64>, _: &Targets) -> Result<ArrayD<f64>, BoxError> {
        Ok(inputs.mapv(|x| 2.0 * x))
    }
}

fn judged() -> impl Iterator<Item = (&'static Entry, Box<dyn Measure<f64>>)> {
    metrics()
        .iter()
        .filter(can_be_judged)
        .map(|entry| (entry, built(entry)))
}

/// Values that are finite, or an error that says that there is none.
fn check(name: &str, values: Result<Vec<Option<f64>>, EvaluationError>) {
    match values {
        Ok(values) => assert!(values.iter().flatten().all(|v| v.is_finite()), "{name}"),
        Err(stopped) => {
            let error = stopped.error();
            let is_undefined =
                matches!(error.kind(), ErrorKind::Empty) && error.input() == input::VALUES;
            assert!(is_undefined, "{name}: {error}");
        }
    }
}

#[test]
fn maps_of_zeros_and_constant_maps_have_finite_values_or_none() {
    for value in [0.0, 1.5, -2.0] {
        let mut problem = example();
        problem.maps.fill(value);
        for (entry, metric) in judged() {
            check(entry.info.name, problem.with_explainer(&*metric, &Twice));
        }
    }
}

#[test]
fn constant_inputs_and_constant_maps_of_an_explainer_have_finite_values_or_none() {
    struct Constant(f64);
    impl Explainer<f64> for Constant {
        fn explain(&self, x: ArrayViewD<'_, f64>, _: &Targets) -> Result<ArrayD<f64>, BoxError> {
            Ok(x.mapv(|_| self.0))
        }
    }
    let mut flat = example();
    flat.x.fill(0.0);
    for (entry, metric) in judged() {
        for explainer in [Constant(0.0), Constant(3.0)] {
            check(
                entry.info.name,
                example().with_explainer(&*metric, &explainer),
            );
            check(entry.info.name, flat.with_explainer(&*metric, &explainer));
        }
    }
}

#[test]
fn one_sample_is_a_data_set() {
    let whole = example();
    let one = Problem {
        x: whole.x.slice(s![..1, .., .., ..]).to_owned().into_dyn(),
        maps: whole.maps.slice(s![..1, .., .., ..]).to_owned().into_dyn(),
        masks: whole.masks.slice(s![..1, .., ..]).to_owned(),
        segments: whole.segments.slice(s![..1, .., ..]).to_owned(),
        layout: whole.layout,
        unit: 1.0,
        is_mirrored: false,
    };
    for (entry, metric) in judged() {
        check(entry.info.name, one.with_explainer(&*metric, &Twice));
    }
}

#[test]
fn a_map_with_nan_is_refused_with_its_place() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut problem = example();
        problem.maps[[3, 1, 2, 0]] = bad;
        for (entry, metric) in judged() {
            let stopped = problem.with_explainer(&*metric, &Twice).unwrap_err();
            let error = stopped.error();
            let is_refused = matches!(error.kind(), ErrorKind::NonFinite);
            assert!(is_refused, "{}: {error}", entry.info.name);
            assert_eq!(error.input(), input::EXPLANATIONS, "{}", entry.info.name);
            assert_eq!(error.index(), [3, 1, 2, 0], "{}", entry.info.name);
        }
    }
}

#[test]
fn masks_of_nothing_and_of_everything_have_finite_values_or_none() {
    for full in [false, true] {
        let mut problem = example();
        problem.masks.fill(full);
        for (entry, metric) in judged() {
            let values = problem.with_explainer(&*metric, &Twice);
            // What is wrong everywhere is an error, too.
            let is_error = ["mask-mae", "mask-mse", "mask-rmse"].contains(&entry.info.name);
            if entry.info.needs.contains(&input::MASKS) && !full && !is_error {
                assert!(
                    values.is_err(),
                    "{}: an empty mask has no value",
                    entry.info.name
                );
            }
            check(entry.info.name, values);
        }
    }
}

#[test]
fn masks_and_segments_of_another_size_are_refused_by_name() {
    let wrong_masks = Problem {
        masks: Array3::default((5, 4, 3)),
        ..example()
    };
    let wrong_segments = Problem {
        segments: Array3::default((4, 4, 4)),
        ..example()
    };
    for (problem, of) in [
        (wrong_masks, input::MASKS),
        (wrong_segments, input::SEGMENTS),
    ] {
        let (_, metric) = judged().next().unwrap();
        let stopped = problem.with_explainer(&*metric, &Twice).unwrap_err();
        let is_refused = matches!(stopped.error().kind(), ErrorKind::ShapeMismatch { .. });
        assert!(is_refused);
        assert_eq!(stopped.error().input(), of);
    }
}

#[test]
fn segments_with_gaps_are_those_without() {
    let (dense, mut gaps) = (example(), example());
    gaps.segments.mapv_inplace(|label| 1000 * label + 7);
    for (entry, metric) in judged().filter(|(entry, _)| entry.info.needs.contains(&input::SEGMENTS))
    {
        let values = |problem: &Problem| problem.with_explainer(&*metric, &Twice).unwrap();
        assert_eq!(values(&dense), values(&gaps), "{}", entry.info.name);
    }
}

/// Answers once as it should, then fails or answers NaN.
struct Later {
    calls: AtomicUsize,
    fails: bool,
}

impl Explainer<f64> for Later {
    fn explain(&self, inputs: ArrayViewD<'_, f64>, _: &Targets) -> Result<ArrayD<f64>, BoxError> {
        let mut maps = inputs.mapv(|x| 2.0 * x + 0.5);
        if self.calls.fetch_add(1, Ordering::Relaxed) > 0 {
            if self.fails {
                return Err("out of memory".into());
            }
            maps.fill(f64::NAN);
        }
        Ok(maps)
    }
}

#[test]
fn an_explainer_that_fails_or_answers_nan_later_is_an_error_about_it() {
    for fails in [false, true] {
        for (entry, metric) in judged().filter(|(e, _)| e.info.needs.contains(&input::EXPLAINER)) {
            let later = Later {
                calls: AtomicUsize::new(0),
                fails,
            };
            let name = entry.info.name;
            let stopped = example().with_explainer(&*metric, &later).unwrap_err();
            let error = stopped.error();
            let (is_right, about) = match fails {
                true => (
                    matches!(error.kind(), ErrorKind::Model { .. }),
                    input::EXPLAINER,
                ),
                false => (
                    matches!(error.kind(), ErrorKind::NonFinite),
                    input::EXPLANATIONS,
                ),
            };
            assert!(is_right && error.input() == about, "{name}: {error}");
        }
    }
}
