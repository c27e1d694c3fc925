//! Imputation, and accuracies under it.

use std::cell::RefCell;

use ndarray::{Array2, Array3, ArrayD, ArrayViewD, Axis};
use xai_attribution::metric::{Deletion, ImputationNoise, RoadMostRelevantFirst};
use xai_attribution::perturbation::{
    Baseline, PrecomputedNeighbors, PrecomputedOrders, RemovalOrder,
};
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Case, Golden, flat};

/// The one image that a curve of one step shows the model.
fn imputed(x: &ArrayD<f64>, pixels: &[usize]) -> ArrayD<f64> {
    let n_pixels = x.shape()[2] * x.shape()[3];
    let others = (0..n_pixels).filter(|p| !pixels.contains(p));
    let order: Vec<u32> = pixels
        .iter()
        .copied()
        .chain(others)
        .map(|p| p as u32)
        .collect();
    let seen = RefCell::new(Vec::new());
    let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        seen.borrow_mut().push(batch.to_owned());
        Ok(Array2::zeros((batch.shape()[0], 1)))
    };
    let deletion = Deletion::new()
        .step_size(pixels.len())
        .max_fraction((pixels.len() as f64 + 0.5) / n_pixels as f64)
        .order(RemovalOrder::Given)
        .baseline(Baseline::LinearImputation);
    let data = EvaluationData::new(x.view(), &[0])
        .model(&model)
        .maps(x.view())
        .with(PrecomputedOrders(
            Array2::from_shape_vec((1, n_pixels), order).unwrap(),
        ))
        .layout(InputLayout::ChannelsFirst);
    deletion.evaluate_on(data).unwrap();
    let mut seen = seen.into_inner();
    seen.retain(|batch| batch != x);
    assert_eq!(seen.len(), 1);
    seen.remove(0)
}

#[test]
fn noisy_linear_imputation_without_noise() {
    let golden = Golden::read();
    for case in golden.cases("noisy_linear_imputation", 6) {
        let image = golden.problem(case).inputs();
        let image = image
            .index_axis(Axis(0), case.sample())
            .insert_axis(Axis(0));
        let ours = imputed(&image.to_owned(), &case.pixels());
        let theirs = case.output_array();
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!(case.near(*ours, *theirs), "{ours} {theirs}");
        }
    }
}

/// The noise of the removed elements, where they are. The peer's is in the order of removal, percentage by
/// percentage and sample by sample.
fn noise(case: &Case, golden: &Golden, percentages: &[f64]) -> Option<PrecomputedNeighbors> {
    let recorded = case.noise_by_call()?;
    let maps = flat(case.maps(golden.problem(case)));
    let (n, size) = maps.dim();
    let mut noise = Array3::zeros((percentages.len(), n, size));
    let mut recorded = recorded.into_iter();
    for point in 0..percentages.len() {
        for (sample, map) in maps.outer_iter().enumerate() {
            let mut order: Vec<usize> = (0..size).collect();
            order.sort_by(|&a, &b| map[b].total_cmp(&map[a]));
            let drawn = recorded.next().unwrap();
            for (&pixel, drawn) in order.iter().zip(&drawn) {
                noise[[point, sample, pixel]] = drawn * case.params["noise"].as_f64().unwrap();
            }
        }
    }
    assert!(recorded.next().is_none());
    Some(PrecomputedNeighbors(noise.into_dyn()))
}

#[test]
fn road() {
    let golden = Golden::read();
    for case in golden.cases("ROAD", 2) {
        let percentages = case.params["percentages"].as_array().unwrap();
        let percentages: Vec<f64> = percentages.iter().map(|p| p.as_f64().unwrap()).collect();
        let metric = RoadMostRelevantFirst::new().percentages(&percentages);
        let run = case.all(&golden);
        let value = match noise(case, &golden, &percentages) {
            None => run.evaluate(&metric.noise(ImputationNoise::Gaussian(0.0)), false, |d| d),
            Some(noise) => {
                let metric = metric.noise(ImputationNoise::Given);
                run.evaluate(&metric, false, |data| data.with(noise))
            }
        };
        let curve = value.curve.unwrap();
        assert_eq!(curve.len(), percentages.len());
        for (ours, theirs) in curve.iter().zip(case.rows()) {
            assert!(case.near(ours.score, theirs[1]), "{ours:?} {theirs:?}");
        }
    }
}
