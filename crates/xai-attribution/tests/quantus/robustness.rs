//! Metrics of explainers under noise.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Slice, stack};
use xai_attribution::map::MapDistance;
use xai_attribution::metric::{
    AverageStability, Continuity, LocalLipschitz, MaximumStability, Measure,
    RelativeInputStability, RelativeOutputStability, RelativeRepresentationStability,
};
use xai_attribution::model::Targets;
use xai_attribution::perturbation::{
    Neighborhood, Neighbors, PrecomputedNeighbors, Representation, ShiftAxes, Shifts,
};
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Case, Golden, flat};

const GIVEN: Neighbors = Neighbors {
    radius: 0.1,
    n_neighbors: 1,
    neighborhood: Neighborhood::Given,
    seed: 0,
};

/// Per sample; nothing where no sample has a value.
fn per_sample(
    golden: &Golden,
    case: &Case,
    metric: &impl Measure<f64>,
    noise: ArrayD<f64>,
) -> Vec<Option<f64>> {
    let n = golden.problem(case).targets.len();
    let value = case.evaluate_explainer(golden, metric, |data| {
        data.with(PrecomputedNeighbors(noise))
    });
    value.map_or_else(|_| vec![None; n], |value| value.per_sample)
}

/// Samples all of whose neighbours have the same prediction: the others are NaN for the peer, ours leaves
/// the neighbours out.
fn assert_unflipped(case: &Case, filtered: &[Option<f64>], all: &[Option<f64>]) {
    for ((ours, all), theirs) in filtered.iter().zip(all).zip(case.values()) {
        if let Some(theirs) = theirs {
            assert_eq!(ours, all);
            assert!(case.near(ours.unwrap(), theirs));
        }
    }
}

/// Quantus divides each set of maps by the largest of its own batch where it normalises: one draw at a
/// time is one batch.
#[test]
fn local_lipschitz_estimate() {
    let golden = Golden::read();
    for case in golden.cases("LocalLipschitzEstimate", 4) {
        let metric = LocalLipschitz::new().neighbors(GIVEN);
        let noise = case.draws("noise");
        let of_draws = noise.axis_iter(Axis(0)).map(|draw| {
            let draw = draw.insert_axis(Axis(0)).to_owned();
            per_sample(&golden, case, &metric, draw)
        });
        let largest = of_draws.reduce(|a, b| {
            a.into_iter()
                .zip(b)
                .map(|(a, b)| if a >= b { a } else { b })
                .collect()
        });
        case.assert(&largest.unwrap());
    }
}

#[test]
fn sensitivity() {
    let golden = Golden::read();
    let average = AverageStability::new()
        .neighbors(GIVEN)
        .distance(MapDistance::Relative);
    for case in golden.cases("AvgSensitivity", 2) {
        case.assert(&per_sample(&golden, case, &average, case.draws("noise")));
    }
    let maximum = MaximumStability::default()
        .neighbors(GIVEN)
        .distance(MapDistance::Relative);
    for case in golden.cases("MaxSensitivity", 4) {
        let all = per_sample(&golden, case, &maximum, case.draws("noise"));
        match case.is("return_nan_when_prediction_changes") {
            false => case.assert(&all),
            true => {
                let filtered = maximum.clone().same_prediction(true);
                let filtered = per_sample(&golden, case, &filtered, case.draws("noise"));
                assert_unflipped(case, &filtered, &all);
            }
        }
    }
    for case in golden.cases("captum.sensitivity_max", 2) {
        // (samples, draws, …) there, (draws, samples, …) here.
        let noise = case.draws("noise").permuted_axes(vec![1, 0, 2, 3, 4]);
        let noise = noise.as_standard_layout().into_owned();
        case.assert(&per_sample(&golden, case, &maximum, noise));
    }
}

macro_rules! relative {
    ($test:ident, $name:literal, $metric:ty) => {
        #[test]
        fn $test() {
            let golden = Golden::read();
            for case in golden.cases($name, 4) {
                let metric = <$metric>::new().neighbors(GIVEN).elementwise(Some(1e-6));
                let noise = case.draws("noise");
                let all = metric.clone().same_prediction(false);
                let all = per_sample(&golden, case, &all, noise.clone());
                match case.is("return_nan_when_prediction_changes") {
                    false => case.assert(&all),
                    true => {
                        let filtered = per_sample(&golden, case, &metric, noise);
                        assert_unflipped(case, &filtered, &all);
                    }
                }
            }
        }
    };
}

relative!(
    relative_input_stability,
    "RelativeInputStability",
    RelativeInputStability
);
relative!(
    relative_output_stability,
    "RelativeOutputStability",
    RelativeOutputStability
);

#[test]
fn relative_representation_stability() {
    let golden = Golden::read();
    for case in golden.cases("RelativeRepresentationStability", 4) {
        let weights = golden.problem(case).weights.clone();
        let first_only = case.params["layer_names"].is_array();
        let layer = Representation::from_fn(move |batch: ArrayViewD<'_, f64>| {
            Ok::<Array2<f64>, std::fmt::Error>(
                weights.representation(&flat(batch.to_owned()), first_only),
            )
        });
        let evaluate = |same: bool| {
            let metric = RelativeRepresentationStability::new()
                .neighbors(GIVEN)
                .elementwise(Some(1e-6))
                .same_prediction(same);
            let noise = PrecomputedNeighbors(case.draws("noise"));
            let value = case.evaluate_explainer(&golden, &metric, |data| {
                data.with(noise).with(layer.clone())
            });
            let n = golden.problem(case).targets.len();
            value.map_or_else(|_| vec![None; n], |value| value.per_sample)
        };
        match case.is("return_nan_when_prediction_changes") {
            false => case.assert(&evaluate(false)),
            true => assert_unflipped(case, &evaluate(true), &evaluate(false)),
        }
    }
}

/// The authors' own definition: norms of whole vectors, neighbours of the same prediction, the map of the
/// predicted class.
#[test]
fn relative_stability_of_openxai() {
    let golden = Golden::read();
    for (name, is_input) in [("openxai.RIS", true), ("openxai.ROS", false)] {
        for case in golden.cases(name, 1) {
            let problem = golden.problem(case);
            let logits = problem.weights.logits(&flat(problem.inputs()));
            let noise = case.draws("noise").permuted_axes(vec![1, 0, 2]);
            let noise = noise.as_standard_layout().into_owned();
            let predicted: Vec<i64> = logits
                .outer_iter()
                .map(|row| {
                    (0..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best })
                        as i64
                })
                .collect();
            let mut case_of_predictions = Golden::read();
            case_of_predictions.retarget(&case.problem, predicted);
            let ours = match is_input {
                true => per_sample(
                    &case_of_predictions,
                    case,
                    &RelativeInputStability::new().neighbors(GIVEN),
                    noise,
                ),
                false => per_sample(
                    &case_of_predictions,
                    case,
                    &RelativeOutputStability::new().neighbors(GIVEN),
                    noise,
                ),
            };
            case.assert(&ours);
        }
    }
}

/// Images moved along their width, what comes into view as the smallest value of the image; beyond it
/// nothing but that is left.
fn moved(x: &ArrayD<f64>, by: isize) -> ArrayD<f64> {
    let mut moved = x.clone();
    for mut sample in moved.outer_iter_mut() {
        let smallest = sample.iter().copied().fold(f64::INFINITY, f64::min);
        sample.fill(smallest);
    }
    let (axis, width) = (Axis(3), x.shape()[3]);
    let distance = by.unsigned_abs().min(width);
    let (far, near) = (
        Slice::from(distance..width),
        Slice::from(0..width - distance),
    );
    let (there, here) = if by > 0 { (far, near) } else { (near, far) };
    let seen = x.slice_axis(axis, here);
    moved.slice_axis_mut(axis, there).assign(&seen);
    moved
}

/// Quantus' shifts are `−W + k · dx` columns for each step `k`, of which some are none, and some leave nothing of
/// the image. Ours refuses both; the peer's number is that of its images as given neighbours.
#[test]
fn continuity() {
    let golden = Golden::read();
    for case in golden.cases("Continuity", 3) {
        let problem = golden.problem(case);
        let x = problem.inputs();
        let (width, steps) = (x.shape()[3] as isize, case.count("nr_steps") as isize);
        let dx = (2 * width + 1) / steps;
        let shifts: Vec<isize> = (1..=steps).map(|k| k * dx - width).collect();
        let of_shifts = |shifts: &[isize]| {
            let noise: Vec<_> = shifts.iter().map(|&by| moved(&x, by) - &x).collect();
            let views: Vec<_> = noise.iter().map(|noise| noise.view()).collect();
            let noise = stack(Axis(0), &views).unwrap();
            let metric = LocalLipschitz::new()
                .neighbors(GIVEN)
                .distance(MapDistance::L1);
            per_sample(&golden, case, &metric, noise)
        };
        case.assert(&of_shifts(&shifts));

        let inside: Vec<isize> = shifts
            .into_iter()
            .filter(|by| *by != 0 && by.abs() < width)
            .collect();
        let explainer = |batch: ArrayViewD<'_, f64>, targets: &Targets| {
            let Targets::Classes(classes) = targets else {
                return Err(std::fmt::Error);
            };
            let rows = flat(batch.to_owned());
            let maps = problem.weights.maps(&rows, classes, &case.explainer);
            Ok(maps.into_shape_with_order(batch.raw_dim()).unwrap())
        };
        let data = EvaluationData::new(x.view(), &problem.targets)
            .explainer(&explainer)
            .layout(InputLayout::ChannelsFirst);
        let metric = Continuity::new().shifts(Shifts {
            axes: ShiftAxes::Width,
            by: inside.clone(),
        });
        let ours = metric.evaluate_on(data).unwrap().per_sample;
        for (ours, given) in ours.iter().zip(of_shifts(&inside)) {
            assert!((ours.unwrap() - given.unwrap()).abs() < 1e-12);
        }
    }
}
