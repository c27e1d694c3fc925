//! Metrics of explainers of other classes and of randomized models.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Slice, concatenate};
use xai_attribution::map::{Bins, MapSimilarity};
use xai_attribution::metric::{
    EfficientRandomization, ModelRandomization, OtherTargets, PrecomputedTargets, RandomLogit,
    RandomizationOrder, RandomizationValues,
};
use xai_attribution::model::{BoxError, Explainer, Smoothed, Targets};
use xai_attribution::side::SecondMaps;
use xai_attribution::{Evaluate, EvaluationData, InputLayout};

use crate::golden::{Case, Golden, Weights, flat};

fn similarity(case: &Case) -> MapSimilarity {
    match case.params["similarity_func"].as_str() {
        Some("correlation_pearson") => MapSimilarity::Pearson,
        _ => MapSimilarity::Spearman,
    }
}

/// The explainer of a case for a model of some weights, with signs.
fn signed<'a>(case: &'a Case, weights: &'a Weights) -> impl Explainer<f64> + 'a {
    move |x: ArrayViewD<'_, f64>, targets: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
        let Targets::Classes(classes) = targets else {
            return Err(std::fmt::Error);
        };
        let maps = weights.maps(&flat(x.to_owned()), classes, &case.explainer);
        Ok(maps.into_dyn())
    }
}

/// Without signs where the peer leaves them out.
fn unsigned<'a>(case: &'a Case, explainer: impl Explainer<f64> + 'a) -> impl Explainer<f64> + 'a {
    move |x: ArrayViewD<'_, f64>, targets: &Targets| -> Result<ArrayD<f64>, BoxError> {
        let maps = explainer.explain(x, targets)?;
        Ok(match case.is("abs") {
            true => maps.mapv(f64::abs),
            false => maps,
        })
    }
}

fn explainer<'a>(case: &'a Case, weights: &'a Weights) -> impl Explainer<f64> + 'a {
    unsigned(case, signed(case, weights))
}

fn other_targets(case: &Case) -> PrecomputedTargets {
    let classes = serde_json::from_value(case.draws["other_targets"].clone()).unwrap();
    PrecomputedTargets(Targets::Classes(classes))
}

#[test]
fn random_logit() {
    let golden = Golden::read();
    for case in golden.cases("RandomLogit", 3) {
        let metric = RandomLogit::new(3).others(OtherTargets::Given);
        let with_others = |metric: &RandomLogit| {
            let value =
                case.evaluate_explainer(&golden, metric, |data| data.with(other_targets(case)));
            value.unwrap().per_sample
        };
        if case.params["similarity_func"] == "ssim" {
            continue;
        }
        case.assert(&with_others(&metric.similarity(similarity(case))));
    }
}

/// Quantus compares flattened maps by structural similarity: windows of seven elements run over the ends
/// of rows and channels, so that pixels count as neighbours which are none. Ours is that of images, and
/// differs; it does not change when the axes of the maps are exchanged, which the peer's does.
#[test]
fn structural_similarity_is_that_of_images() {
    let golden = Golden::read();
    let case = golden.cases("RandomLogit", 3).next().unwrap();
    assert_eq!(case.params["similarity_func"], "ssim");
    let problem = golden.problem(case);
    let Targets::Classes(others) = other_targets(case).0 else {
        panic!("classes")
    };
    let (x, shape) = (problem.inputs(), problem.inputs().raw_dim());
    let maps_of = |classes: &[i64]| -> ArrayD<f64> {
        let maps = problem
            .weights
            .maps(&flat(x.clone()), classes, &case.explainer);
        maps.into_shape_with_order(shape.clone()).unwrap()
    };
    let (maps, others) = (maps_of(&problem.targets), maps_of(&others));
    let theirs: Vec<f64> = case.values().into_iter().flatten().collect();
    let flattened = |transposed: bool| -> Vec<f64> {
        let axes = if transposed {
            [0, 1, 3, 2]
        } else {
            [0, 1, 2, 3]
        };
        let rows = |maps: &ArrayD<f64>| {
            let maps = maps.view().permuted_axes(axes.to_vec());
            flat(maps.as_standard_layout().into_owned())
        };
        let (a, b) = (rows(&maps), rows(&others));
        let pairs = a.outer_iter().zip(b.outer_iter());
        pairs
            .map(|(a, b)| of_sequences(&a.to_vec(), &b.to_vec()))
            .collect()
    };
    let images = |transposed: bool| -> Vec<f64> {
        let axes = if transposed {
            [0, 1, 3, 2]
        } else {
            [0, 1, 2, 3]
        };
        let view = |maps: &'_ ArrayD<f64>| maps.view().permuted_axes(axes.to_vec()).to_owned();
        let (a, b) = (view(&maps), view(&others));
        let values = MapSimilarity::Ssim.per_sample(a.view(), b.view(), InputLayout::ChannelsFirst);
        values.unwrap().into_iter().flatten().collect()
    };
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(&flattened(false), &theirs));
    assert!(!near(&flattened(true), &theirs));
    assert!(near(&images(false), &images(true)));
    assert!(!near(&images(false), &theirs));
    let metric = RandomLogit::new(3).others(OtherTargets::Given);
    let explainer = explainer_of_images(case, &problem.weights);
    let data = EvaluationData::new(x.view(), &problem.targets)
        .explainer(&explainer)
        .with(other_targets(case))
        .layout(InputLayout::ChannelsFirst);
    let ours = metric.evaluate_on(data).unwrap();
    let ours: Vec<f64> = ours.per_sample.into_iter().flatten().collect();
    assert_eq!(ours, images(false));
}

fn explainer_of_images<'a>(case: &'a Case, weights: &'a Weights) -> impl Explainer<f64> + 'a {
    let explainer = explainer(case, weights);
    move |x: ArrayViewD<'_, f64>, targets: &Targets| {
        let shape = x.raw_dim();
        let maps = explainer.explain(x, targets)?;
        Ok::<_, BoxError>(maps.into_shape_with_order(shape).unwrap())
    }
}

/// The peer's structural similarity of two sequences: even windows of 7, sample covariances.
fn of_sequences(a: &[f64], b: &[f64]) -> f64 {
    let all = || a.iter().chain(b).copied();
    let range = all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min);
    let (c1, c2) = ((0.01 * range).powi(2), (0.03 * range).powi(2));
    let windows = a.windows(7).zip(b.windows(7)).map(|(a, b)| {
        let mean = |x: &[f64]| x.iter().sum::<f64>() / 7.0;
        let (ma, mb) = (mean(a), mean(b));
        let covariance = |x: &[f64], mx: f64, y: &[f64], my: f64| {
            let products = x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my));
            products.sum::<f64>() / 6.0
        };
        let (va, vb) = (covariance(a, ma, a, ma), covariance(b, mb, b, mb));
        let luminance = (2.0 * ma * mb + c1) / (ma * ma + mb * mb + c1);
        luminance * (2.0 * covariance(a, ma, b, mb) + c2) / (va + vb + c2)
    });
    windows.sum::<f64>() / (a.len() - 6) as f64
}

/// Layer 0 is the one at the output, `fc2`.
fn weights_of<'a>(golden: &'a Golden, case: &Case, layers: &[usize]) -> &'a Weights {
    let order = case.layer_order.as_str();
    match (order, layers) {
        (_, []) => &golden.problem(case).weights,
        ("top_down", [0]) | ("independent", [0]) | ("bottom_up", [0, 1]) => {
            golden.randomized(order, "fc2")
        }
        ("top_down", [0, 1]) | ("independent" | "bottom_up", [1]) => {
            golden.randomized(order, "fc1")
        }
        other => panic!("{other:?}"),
    }
}

fn order(case: &Case) -> RandomizationOrder {
    match case.layer_order.as_str() {
        "top_down" => RandomizationOrder::Cascading,
        "bottom_up" => RandomizationOrder::BottomUp,
        "independent" => RandomizationOrder::Independent,
        other => panic!("{other}"),
    }
}

fn evaluate<X: Explainer<f64>>(
    golden: &Golden,
    case: &Case,
    explainer_of: impl Fn(&[usize]) -> X,
) -> RandomizationValues {
    let problem = golden.problem(case);
    let x: Array2<f64> = flat(problem.inputs());
    let data = EvaluationData::new(x.view(), &problem.targets).layout(InputLayout::Tabular);
    ModelRandomization::new(2)
        .order(order(case))
        .similarity(similarity(case))
        .evaluate(
            |layers: &[usize]| Ok::<_, std::fmt::Error>(explainer_of(layers)),
            data,
        )
        .unwrap()
}

/// The peer's similarities after the randomization of a layer.
fn of_layer(case: &Case, layer: &str) -> Vec<f64> {
    serde_json::from_value(case.output[layer].clone()).unwrap()
}

/// The layer whose randomization makes a step of ours.
fn layer_of_step(case: &Case, step: usize) -> &'static str {
    match case.layer_order == "bottom_up" {
        true => ["fc1", "fc2"][step],
        false => ["fc2", "fc1"][step],
    }
}

fn assert_near(case: &Case, ours: &[Option<f64>], theirs: &[f64]) {
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!(case.near(ours.unwrap(), *theirs), "{ours:?} {theirs}");
    }
}

#[test]
fn model_parameter_randomization() {
    let golden = Golden::read();
    for case in golden.cases("MPRT", 8) {
        let ours = evaluate(&golden, case, |layers| {
            explainer(case, weights_of(&golden, case, layers))
        });
        if case.is("return_average_correlation") {
            average_without_the_original(case, &ours);
        } else if case.is("return_last_correlation") {
            case.assert(&ours.last().unwrap().per_sample);
        } else {
            for (step, of_step) in ours.steps.iter().enumerate() {
                let theirs = of_layer(case, layer_of_step(case, step));
                assert_near(case, &of_step.per_sample, &theirs);
            }
        }
    }
}

/// Quantus means to leave the original's similarity with itself out of the average, but looks for it under
/// another name than it has: a 1 is among the values whatever the explainer, and the average of two steps
/// is that of three numbers.
fn average_without_the_original(case: &Case, ours: &RandomizationValues) {
    let average = ours.average().unwrap().per_sample;
    for (ours, theirs) in average.iter().zip(case.values()) {
        let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
        assert!(case.near((1.0 + 2.0 * ours) / 3.0, theirs));
        assert!(ours < theirs);
    }
}

/// The noise of one of the peer's rounds of maps: two draws, and the input as it is.
fn noise_of_round(case: &Case, round: usize) -> ArrayD<f64> {
    let mut draws = case.draws("noise");
    draws.slice_axis_inplace(Axis(0), Slice::from(2 * round..2 * round + 2));
    let mut clean = draws.clone();
    clean.slice_axis_inplace(Axis(0), Slice::from(0..1));
    clean.fill(0.0);
    let noise = concatenate(Axis(0), &[draws.view(), clean.view()]).unwrap();
    noise.as_standard_layout().into_owned()
}

/// Quantus draws anew for every model: the rounds of draws are those of the original, of the original
/// again, and of each step. Its similarity of the original with itself is that of two smoothed explainers
/// under other noise; with one noise for every model, as here, it is 1.
#[test]
fn smooth_model_parameter_randomization() {
    let golden = Golden::read();
    for case in golden.cases("SmoothMPRT", 1) {
        let magnitude = case.params["noise_magnitude"].as_f64().unwrap();
        assert_eq!(case.count("nr_samples"), 3);
        let smoothed = |layers: &[usize], round: usize| {
            let explainer = signed(case, weights_of(&golden, case, layers));
            let noise = noise_of_round(case, round);
            unsigned(
                case,
                Smoothed::with_noise(explainer, noise, magnitude).unwrap(),
            )
        };
        let ours = evaluate(&golden, case, |layers| {
            let round = [0, 2, 3][layers.len()];
            smoothed(layers, round)
        });
        for (step, of_step) in ours.steps.iter().enumerate() {
            let theirs = of_layer(case, layer_of_step(case, step));
            assert_near(case, &of_step.per_sample, &theirs);
        }
        let again = evaluate(&golden, case, |layers| {
            let round = usize::from(!layers.is_empty());
            smoothed(&[], round)
        });
        assert_near(
            case,
            &again.steps[0].per_sample,
            &of_layer(case, "original"),
        );
        let same = evaluate(&golden, case, |_| smoothed(&[], 0));
        assert_near(case, &same.steps[0].per_sample, &[1.0; 5]);
    }
}

/// The peer compares the model of the last step, all layers randomized, with the original. The entropies of
/// every step, from which its further numbers come, are compared in the same way.
#[test]
fn efficient_model_parameter_randomization() {
    let golden = Golden::read();
    for case in golden.cases("EfficientMPRT", 2) {
        let bins = case.params["complexity_func_kwargs"]["n_bins"].as_u64();
        let metric = EfficientRandomization::new().bins(Bins::Count(bins.unwrap() as usize));
        let problem = golden.problem(case);
        let x = flat(problem.inputs());
        let maps_of = |layers: &[usize]| {
            let weights = weights_of(&golden, case, layers);
            weights.maps(&x, &problem.targets, &case.explainer)
        };
        let entropies = |step: &str| -> Vec<f64> {
            serde_json::from_value(case.output["explanation"][step].clone()).unwrap()
        };
        for (layers, step) in [(&[1][..], "fc1"), (&[0, 1], "fc2")] {
            let random = SecondMaps::from_maps(maps_of(layers).into_dyn());
            let maps = maps_of(&[]);
            let data = EvaluationData::from_maps(maps.view()).with(random);
            let ours = metric.evaluate_on(data).unwrap().per_sample;
            let pairs = entropies(step).into_iter().zip(entropies("orig"));
            let theirs: Vec<f64> = pairs
                .map(|(after, before)| (after - before) / before)
                .collect();
            assert_near(case, &ours, &theirs);
            if step == "fc2" {
                assert_near(case, &ours, &of_layer(case, "score"));
            }
        }
    }
}
