//! Infidelity.

use ndarray::{ArrayD, Axis, Slice};
use xai_attribution::metric::{Infidelity, MapKind, Perturbation, Scaling};
use xai_attribution::perturbation::{Features, PrecomputedNeighbors};

use crate::golden::{Case, Golden};

/// Noise as ours is given it: draws first, and added.
fn added(noise: ArrayD<f64>) -> PrecomputedNeighbors {
    let mut noise = noise;
    noise.swap_axes(0, 1);
    PrecomputedNeighbors(noise.as_standard_layout().mapv(|i| -i))
}

#[test]
fn infidelity_of_captum() {
    let golden = Golden::read();
    for case in golden.cases("captum.infidelity", 8) {
        let scaling = match case.is("normalize") {
            true => Scaling::OptimalBeta,
            false => Scaling::None,
        };
        let metric = Infidelity::new()
            .perturbation(Perturbation::Given)
            .scaling(scaling);
        for is_flat in [true, false] {
            let noise = added(case.draws("noise"));
            let ours = case
                .all(&golden)
                .evaluate(&metric, is_flat, |data| data.with(noise));
            case.assert(&ours.per_sample);
        }
    }
}

/// What Quantus takes from the inputs while it visits the patches of a size: each one stays at the
/// baseline, which "black" finds anew. `(draws, n, …)`
fn accumulated(case: &Case, x: &ArrayD<f64>, patch: usize) -> ArrayD<f64> {
    let (height, width) = (x.shape()[2], x.shape()[3]);
    let mut current = x.clone();
    let mut taken = Vec::new();
    for (row, column) in (0..height)
        .step_by(patch)
        .flat_map(|r| (0..width).step_by(patch).map(move |c| (r, c)))
    {
        for mut image in current.axis_iter_mut(Axis(0)) {
            let smallest = image.iter().copied().fold(f64::INFINITY, f64::min);
            let value = case.params["perturb_baseline"].as_f64().unwrap_or(smallest);
            image
                .slice_axis_mut(Axis(1), Slice::from(row..row + patch))
                .slice_axis_mut(Axis(2), Slice::from(column..column + patch))
                .fill(value);
        }
        taken.push(x - &current);
    }
    let views: Vec<_> = taken.iter().map(|i| i.view()).collect();
    ndarray::stack(Axis(0), &views).unwrap()
}

/// Quantus goes on to the next patch with the last one still removed: its inputs lack 16, 32, … pixels
/// instead of 16 each, and any map is taken for gradients. Its numbers come of such perturbations, handed
/// in; ours are those of the paper.
#[test]
fn infidelity_of_quantus_accumulates() {
    let golden = Golden::read();
    for case in golden.cases("Infidelity", 8) {
        let problem = golden.problem(case);
        let x = problem.inputs();
        let sizes = case.params["perturb_patch_sizes"].as_array().unwrap();
        let sizes: Vec<usize> = sizes.iter().map(|s| s.as_u64().unwrap() as usize).collect();
        let n = problem.targets.len();
        let mut peer = vec![0.0; n];
        for &size in &sizes {
            let given = Infidelity::new().perturbation(Perturbation::Given);
            let noise = PrecomputedNeighbors(-accumulated(case, &x, size));
            let run = case.all(&golden);
            let value = run.evaluate(&given, false, |data| data.with(noise));
            for (sum, value) in peer.iter_mut().zip(value.per_sample) {
                *sum += value.unwrap() / sizes.len() as f64;
            }
            // Every patch by itself: only a map that the model is not linear in is off.
            for (explainer, kind) in [
                ("gradient", MapKind::Gradient),
                ("input_x_gradient", MapKind::Contribution),
            ] {
                let maps = problem.explained(explainer);
                let paper = Infidelity::new()
                    .perturbation(Perturbation::Features(Features::Patches(size)))
                    .map_kind(Some(kind));
                let run = case.all(&golden).with_maps(maps);
                let ours = run.evaluate(&paper, false, |data| data);
                let is_linear = case.problem == "linear";
                let near = |v: &Option<f64>| v.unwrap() < 1e-20;
                assert_eq!(ours.per_sample.iter().all(near), is_linear);
            }
        }
        case.assert(&peer.into_iter().map(Some).collect::<Vec<_>>());
    }
}
