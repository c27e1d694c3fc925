//! Imputation, and accuracies under it.

use ndarray::{Array3, Axis, array};
use xai_attribution::InputLayout;
use xai_attribution::metric::{ImputationNoise, RoadMostRelevantFirst};
use xai_attribution::perturbation::{PrecomputedNeighbors, impute};

use crate::golden::{Case, Golden, flat};

#[test]
fn noisy_linear_imputation_without_noise() {
    let golden = Golden::read();
    for case in golden.cases("noisy_linear_imputation", 6) {
        let image = golden.problem(case).inputs();
        let image = image
            .index_axis(Axis(0), case.sample())
            .insert_axis(Axis(0));
        let (height, width) = (image.shape()[2], image.shape()[3]);
        let mut missing = Array3::from_elem((1, height, width), false);
        for pixel in case.pixels() {
            missing[[0, pixel / width, pixel % width]] = true;
        }
        let ours = impute(image, missing.view(), InputLayout::ChannelsFirst).unwrap();
        let theirs = case.output_array();
        assert_eq!(ours.len(), theirs.len());
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!(case.near(*ours, *theirs), "{ours} {theirs}");
        }
    }
}

#[test]
fn images_that_cannot_be_imputed_are_refused() {
    let images = array![[[[1.0, 2.0]]], [[[3.0, 4.0]]]].into_dyn();
    let refused = |missing: Array3<bool>| {
        let error = impute(images.view(), missing.view(), InputLayout::ChannelsFirst);
        error.unwrap_err().to_string()
    };
    let nothing_left = refused(array![[[true, false]], [[true, true]]]);
    assert!(nothing_left.contains("sample 1"), "{nothing_left}");
    let shape = refused(array![[[true, false]]]);
    assert!(
        shape.contains("(2, 1, 2)") && shape.contains("(1, 1, 2)"),
        "{shape}"
    );
    let table = array![[1.0, 2.0]].into_dyn();
    let missing = Array3::from_elem((1, 1, 2), false);
    assert!(impute(table.view(), missing.view(), InputLayout::Tabular).is_err());
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
