//! Metrics of a model that is asked by which features are kept.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, Array3, ArrayView2, ArrayViewD, array};
use serde_json::Value as Json;
use xai_attribution::masked::{
    CachedModel, MaskedBenchmark, MaskedModel, masked_model_fn, masked_model_fn_mut,
};
use xai_attribution::metric::{
    Deletion, Entry, Insertion, Measure, MuFidelity, Sufficiency, registry,
};
use xai_attribution::model::{BoxError, Concurrent};
use xai_attribution::perturbation::{
    Baseline, PrecomputedNeighbors, PrecomputedOrders, PrecomputedSubsets,
};
use xai_attribution::{Benchmark, ErrorKind, Evaluate, InputLayout, input};
use xai_core::describe::Value;

/// `σ(b + w·kept + Σ v_ab kept_a kept_b)`, or its logit.
struct Golden<'j> {
    model: &'j Json,
    is_log: bool,
}

fn number(json: &Json) -> f64 {
    json.as_f64().unwrap()
}

fn numbers(json: &Json) -> Vec<f64> {
    json.as_array().unwrap().iter().map(number).collect()
}

impl MaskedModel for Golden<'_> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let score = |row: usize| {
            let sample = &self.model["samples"][samples[row]];
            let is_kept =
                |feature: &Json| f64::from(u8::from(kept[[row, number(feature) as usize]]));
            let weights = numbers(&sample["weights"]);
            let of_each: f64 = weights
                .iter()
                .zip(kept.row(row))
                .filter(|(_, kept)| **kept)
                .map(|(w, _)| w)
                .sum();
            let pairs = sample["pairs"].as_array().unwrap().iter();
            let of_pairs: f64 = pairs
                .map(|pair| number(&pair[2]) * is_kept(&pair[0]) * is_kept(&pair[1]))
                .sum();
            let logit = number(&sample["bias"]) + of_each + of_pairs;
            match (self.model["link"].as_str(), self.is_log) {
                (Some("sigmoid"), false) => 1.0 / (1.0 + (-logit).exp()),
                (Some("sigmoid"), true) => -(-logit).exp().ln_1p(),
                _ => logit,
            }
        };
        Ok(Array2::from_shape_fn((samples.len(), 1), |(row, _)| {
            score(row)
        }))
    }
}

/// The metric of a golden case: its name here, and its parameters.
fn metric_of(case: &Json) -> Option<(&str, Vec<(String, Value)>)> {
    let name = case["metric"].as_str().unwrap();
    let (params, set) = (&case["params"], |name: &str, value: Value| {
        (name.to_owned(), value)
    });
    let word = |name: &str| set(name, params[name].as_str().unwrap().into());
    let given = |name: &str| {
        let value = number(&params[name]);
        set(
            name,
            if value.fract() == 0.0 {
                (value as i64).into()
            } else {
                value.into()
            },
        )
    };
    let zero = set("baseline", 0.0.into());
    Some(match name {
        "deletion" | "insertion" | "symmetric-relevance-gain" => (name, vec![given("steps")]),
        "region-perturbation" | "monotonicity" => (name, vec![set("steps", "all".into()), zero]),
        "comprehensiveness" | "rationale-sufficiency" | "naopc" => (name, vec![zero]),
        // ferret's sizes are 10, 20, … 100 %, rounded down.
        "aopc-comprehensiveness" | "aopc-sufficiency" => {
            let sizes = match params["counts"].as_array() {
                Some(counts) => {
                    Value::List(counts.iter().map(|k| k.as_i64().unwrap().into()).collect())
                }
                None => 10i64.into(),
            };
            let is_sufficiency = name == "aopc-sufficiency";
            let name = if is_sufficiency {
                "rationale-sufficiency"
            } else {
                "comprehensiveness"
            };
            (
                name,
                vec![zero, set("steps", sizes), set("positive_only", true.into())],
            )
        }
        // The drop without the first k.
        "top-k-log-prob-drop" => {
            let k = Value::List(vec![(number(&params["k"]) as i64).into()]);
            ("comprehensiveness", vec![zero, set("steps", k)])
        }
        "completeness" => (name, vec![zero, set("gap", "absolute".into())]),
        "irof" => (name, vec![zero, set("base_score_policy", "skip".into())]),
        "effective-complexity" => (
            name,
            vec![zero, set("steps", "all".into()), given("tolerance")],
        ),
        "faithfulness-estimate" => (name, vec![zero, word("correlation")]),
        "leave-one-out-tau" => (
            "faithfulness-estimate",
            vec![zero, set("correlation", "kendall".into())],
        ),
        "violations" => (name, vec![zero, given("k")]),
        "non-sensitivity" => (
            name,
            vec![zero, given("zero_threshold"), given("change_threshold")],
        ),
        "mu-fidelity" => (name, vec![zero, word("correlation")]),
        "infidelity" => {
            let is_optimal = params["scaling"].as_str() == Some("optimal");
            let scaling = if is_optimal { "optimal-beta" } else { "none" };
            (name, vec![zero, set("scaling", scaling.into())])
        }
        _ => return None,
    })
}

#[test]
fn golden_values_of_masked_models_are_reproduced() {
    let golden: Json = serde_json::from_str(include_str!("../golden/masked.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let Some((name, settings)) = metric_of(case) else {
            // Another test composes them.
            assert!(
                ["random-order-reference", "sensitivity-n"]
                    .contains(&case["metric"].as_str().unwrap())
            );
            continue;
        };
        let inputs = &case["inputs"];
        let model = Golden {
            model: &golden["models"][inputs["model"].as_str().unwrap()],
            is_log: case["metric"] == "top-k-log-prob-drop",
        };
        let maps: Vec<Vec<f64>> = inputs["maps"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect();
        let n_features: Vec<usize> = maps.iter().map(Vec::len).collect();
        let entry = registry::find(name).unwrap();
        let subsets = inputs.get("subsets");
        let values = MaskedBenchmark::new(&model, &n_features)
            .maps("map", &maps)
            .values(|evaluation, samples| {
                let Some(subsets) = subsets else {
                    return evaluation.metric(entry.build(&settings).unwrap());
                };
                let of_samples: Vec<Vec<Vec<f64>>> = samples
                    .iter()
                    .map(|&i| subsets[i].as_array().unwrap().iter().map(numbers).collect())
                    .collect();
                let (draws, size) = (of_samples[0].len(), of_samples[0][0].len());
                let given = Array3::from_shape_fn((draws, samples.len(), size), |(d, i, k)| {
                    of_samples[i][d][k] as u32
                });
                let evaluation = evaluation.metric(entry.build_with_draws(&settings).unwrap());
                if name == "mu-fidelity" {
                    return evaluation.with(PrecomputedSubsets(given));
                }
                // What is added to presence: −1 removes a feature.
                let mut noise = Array3::zeros((draws, samples.len(), n_features[samples[0]]));
                for ((draw, sample, _), &feature) in given.indexed_iter() {
                    noise[[draw, sample, feature as usize]] = -1.0;
                }
                evaluation.with(PrecomputedNeighbors(noise.into_dyn()))
            });
        let (id, expected) = (&case["id"], &case["expected"]);
        let values = values.unwrap_or_else(|error| panic!("{id} {name}: {error}"));
        let expected = expected["per_sample"]
            .as_array()
            .unwrap()
            .iter()
            .map(Json::as_f64);
        for (ours, expected) in values.metrics[0].per_sample[0].iter().zip(expected) {
            let tolerance = number(&case["tolerance"]) * expected.unwrap_or(1.0).abs().max(1.0);
            let is_same = match (ours, expected) {
                (Some(ours), Some(expected)) => (ours - expected).abs() <= tolerance,
                (ours, expected) => *ours == expected,
            };
            assert!(
                is_same,
                "{id} {name}: {:?}, not {:?}",
                values.metrics[0].per_sample, case["expected"]
            );
        }
    }
}

/// The cases of a metric: the model, the map and further inputs of each sample, and what is expected.
fn samples_of<'j>(
    golden: &'j Json,
    metric: &str,
) -> Vec<(Golden<'j>, usize, Vec<f64>, &'j Json, f64)> {
    let case = golden["cases"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["metric"] == metric)
        .unwrap();
    let (inputs, expected) = (&case["inputs"], &case["expected"]["per_sample"]);
    let drawn = inputs.get("orders").or(inputs.get("subsets")).unwrap();
    let maps = inputs["maps"].as_array().unwrap().iter().enumerate();
    maps.map(|(sample, map)| {
        let model = Golden {
            model: &golden["models"][inputs["model"].as_str().unwrap()],
            is_log: false,
        };
        (
            model,
            sample,
            numbers(map),
            &drawn[sample],
            number(&expected[sample]),
        )
    })
    .collect()
}

/// The value of one sample alone, with features that are drawn elsewhere: `(draws, size)`.
fn alone(
    model: &Golden<'_>,
    sample: usize,
    map: &[f64],
    drawn: &Json,
    metric: &dyn Fn() -> Box<dyn Measure<f64>>,
) -> Option<f64> {
    let one = |samples: &[usize], kept: ArrayView2<'_, bool>| {
        model.outputs(&vec![sample; samples.len()], kept)
    };
    let rows: Vec<Vec<f64>> = drawn.as_array().unwrap().iter().map(numbers).collect();
    let subsets = Array3::from_shape_fn((rows.len(), 1, rows[0].len()), |(draw, _, k)| {
        rows[draw][k] as u32
    });
    let order = subsets.index_axis(ndarray::Axis(0), 0).to_owned();
    let values = MaskedBenchmark::new(&one, &[map.len()])
        .maps("map", [map])
        .values(|evaluation, _| {
            let evaluation = evaluation.metric(metric());
            match rows.len() {
                1 => evaluation.with(PrecomputedOrders(order.clone())),
                _ => evaluation.with(PrecomputedSubsets(subsets.clone())),
            }
        });
    values.unwrap().metrics[0].per_sample[0][0]
}

#[test]
fn sensitivity_n_is_the_mean_of_the_correlations_of_given_subsets_of_each_size() {
    let golden: Json = serde_json::from_str(include_str!("../golden/masked.json")).unwrap();
    let settings = [("correlation".to_owned(), "pearson".into())];
    let fidelity = registry::find("mu-fidelity").unwrap();
    let of_size = || fidelity.build_with_draws::<f64>(&settings).unwrap();
    for (model, sample, map, sizes, expected) in samples_of(&golden, "sensitivity-n") {
        let sizes = sizes.as_array().unwrap().iter();
        let values: Vec<f64> = sizes
            .filter_map(|drawn| alone(&model, sample, &map, drawn, &of_size))
            .collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!(
            (mean - expected).abs() < 1e-9,
            "{sample}: {mean}, not {expected}"
        );
    }
}

#[test]
fn the_random_order_reference_is_the_share_of_given_orders_with_a_larger_area() {
    let golden: Json = serde_json::from_str(include_str!("../golden/masked.json")).unwrap();
    let deletion = registry::find("deletion").unwrap();
    let own = || deletion.build::<f64>(&[]).unwrap();
    let given = || deletion.build_with_draws::<f64>(&[]).unwrap();
    for (model, sample, map, orders, expected) in samples_of(&golden, "random-order-reference") {
        let area = |order: &Json, metric: &dyn Fn() -> Box<dyn Measure<f64>>| {
            alone(
                &model,
                sample,
                &map,
                &Json::from(vec![order.clone()]),
                metric,
            )
            .unwrap()
        };
        let orders = orders.as_array().unwrap();
        let of_map = area(&orders[0], &own);
        let beaten = orders
            .iter()
            .map(|order| match area(order, &given) - of_map {
                gain if gain.abs() <= 1e-12 => 0.5,
                gain => f64::from(u8::from(gain > 0.0)),
            });
        let share = beaten.sum::<f64>() / orders.len() as f64;
        assert!(
            (share - expected).abs() < 1e-12,
            "{sample}: {share}, not {expected}"
        );
    }
}

/// Texts of 3, 5, 3 and 1 tokens: the score is the sum of products of neighbours that are kept, and of the weights.
const WEIGHTS: [&[f64]; 4] = [
    &[4.0, -0.5, 1.0],
    &[0.25, 2.0, -1.0, 0.5, 3.0],
    &[1.0, 1.5, -2.0],
    &[2.0],
];

fn text(samples: &[usize], kept: ArrayView2<'_, bool>) -> Result<Array2<f64>, std::fmt::Error> {
    let score = |row: usize| {
        let weights = WEIGHTS[samples[row]].iter().zip(kept.row(row));
        let present: Vec<f64> = weights
            .map(|(w, kept)| if *kept { *w } else { 0.0 })
            .collect();
        let pairs: f64 = present.windows(2).map(|pair| pair[0] * pair[1]).sum();
        pairs + present.iter().sum::<f64>() + 0.5
    };
    Ok(Array2::from_shape_fn((samples.len(), 1), |(row, _)| {
        score(row)
    }))
}

fn n_features() -> Vec<usize> {
    WEIGHTS.iter().map(|weights| weights.len()).collect()
}

/// The metrics that a masked model answers, with absence as their baseline.
fn outputs_by_mask() -> impl Iterator<Item = (&'static Entry, Vec<(String, Value)>)> {
    let needs = [
        input::MODEL,
        input::INPUTS,
        input::TARGETS,
        input::EXPLANATIONS,
    ];
    let entries = registry::metrics().iter().filter(move |entry| {
        let info = entry.info;
        entry.is_built()
            && !entry.is_whole()
            && entry.takes(InputLayout::Tabular)
            && info.needs.contains(&input::MODEL)
            && info.needs.iter().all(|need| needs.contains(need))
    });
    entries.map(|entry| {
        let baseline = entry
            .has_param("baseline")
            .then(|| ("baseline".to_owned(), 0.0.into()));
        (entry, baseline.into_iter().collect())
    })
}

#[test]
fn metrics_of_masks_have_the_bits_of_a_model_of_inputs_that_are_blanked() {
    let inputs = array![
        [4.0, -0.5, 1.0, 2.0],
        [0.25, 2.0, -1.0, 0.5],
        [1.0, 3.0, 0.5, -0.75]
    ];
    let maps = array![
        [2.0, 0.5, 1.0, -1.0],
        [1.0, 1.0, -0.5, 0.25],
        [0.0, 2.0, 0.5, 3.0]
    ];
    let blanked = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        let rows = batch
            .outer_iter()
            .map(|x| 1.5 + x.sum() + x[[0]] * x[[3]] - x[[1]] * x[[2]]);
        Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
    };
    let masked = |samples: &[usize], kept: ArrayView2<'_, bool>| {
        let rows = Array2::from_shape_fn(kept.dim(), |(row, feature)| match kept[[row, feature]] {
            true => inputs[[samples[row], feature]],
            false => 0.0,
        });
        blanked(rows.view().into_dyn())
    };
    let rows: Vec<Vec<f64>> = maps.outer_iter().map(|map| map.to_vec()).collect();
    let (mut same, mut refused) = (Vec::new(), Vec::new());
    for (entry, settings) in outputs_by_mask() {
        let build = || entry.build::<f64>(&settings).unwrap();
        let of_masks = MaskedBenchmark::new(&masked, &[4; 3]).maps("map", &rows);
        match of_masks.values(|evaluation, _| evaluation.metric(build())) {
            Err(error) => {
                assert_eq!(
                    error.error().input(),
                    input::MODEL,
                    "{}: {error}",
                    entry.info.name
                );
                let is_parameter =
                    matches!(error.error().kind(), ErrorKind::InvalidParameter { .. });
                assert!(is_parameter, "{error}");
                refused.push(entry.info.name);
            }
            Ok(values) => {
                let evaluation =
                    Benchmark::new(&blanked, inputs.view(), &[0; 3]).maps("map", maps.view());
                let of_inputs = evaluation.metric(build()).values().unwrap();
                let bits = |values: &[Option<f64>]| {
                    values
                        .iter()
                        .map(|v| v.map(f64::to_bits))
                        .collect::<Vec<_>>()
                };
                assert_eq!(
                    bits(&values.metrics[0].per_sample[0]),
                    bits(&of_inputs.metrics[0].per_sample[0]),
                    "{}",
                    entry.info.name
                );
                same.push(entry.info.name);
            }
        }
    }
    // What scales inputs, or sets them to values of other inputs or of noise.
    let changing = [
        "average-drop",
        "average-increase",
        "average-gain",
        "monotonicity-correlation",
        "prediction-gap-important",
        "prediction-gap-unimportant",
    ];
    assert_eq!(refused, changing);
    assert_eq!(same.len(), 25, "{same:?}");
}

#[test]
fn a_value_does_not_depend_on_the_samples_beside_it() {
    for (entry, settings) in outputs_by_mask() {
        let build = || entry.build::<f64>(&settings).unwrap();
        let values = |model: &dyn MaskedModel, maps: &[&[f64]]| {
            let n_features: Vec<usize> = maps.iter().map(|map| map.len()).collect();
            let of_masks =
                MaskedBenchmark::new(model, &n_features).maps("map", maps.iter().copied());
            of_masks.values(|evaluation, _| evaluation.metric(build()))
        };
        let Ok(whole) = values(&text, &WEIGHTS) else {
            continue;
        };
        // Sample 1 at its place, beside samples of other numbers of features.
        let beside = |samples: &[usize], kept: ArrayView2<'_, bool>| {
            let is_own = samples.iter().all(|&i| i == 1);
            if is_own {
                text(samples, kept)
            } else {
                Ok(Array2::ones((samples.len(), 1)))
            }
        };
        if let Ok(alone) = values(&beside, &[&[1.0, 2.0], WEIGHTS[1]]) {
            assert_eq!(
                alone.metrics[0].per_sample[0][1], whole.metrics[0].per_sample[0][1],
                "{}",
                entry.info.name
            );
        }
    }
}

#[test]
fn random_choices_do_not_depend_on_the_samples_of_the_same_length() {
    let (long, short) = ([3.0, 1.0, -2.0, 0.5, 4.0, 2.5, -1.5, 0.25], [1.0, 2.0]);
    let model = |_: &[usize], kept: ArrayView2<'_, bool>| {
        let weights = |row: usize| if kept.ncols() == 2 { &short[..] } else { &long[..] }[row];
        let score = |row: usize| {
            let kept = kept.row(row);
            let sum: f64 = (0..kept.len()).filter(|&i| kept[i]).map(weights).sum();
            sum + sum * sum / 8.0
        };
        Ok::<_, std::fmt::Error>(Array2::from_shape_fn((kept.nrows(), 1), |(row, _)| {
            score(row)
        }))
    };
    for (entry, settings) in outputs_by_mask() {
        let value = |first: &[f64]| {
            let maps = [first, &short, &long];
            let n_features = maps.map(<[f64]>::len);
            let evaluation = MaskedBenchmark::new(&model, &n_features).maps("map", maps);
            let values = evaluation
                .values(|evaluation, _| evaluation.metric(entry.build::<f64>(&settings).unwrap()));
            values.ok().map(|values| values.metrics[0].per_sample[0][2])
        };
        assert_eq!(value(&long), value(&short), "{}", entry.info.name);
    }
}

#[test]
fn remembered_models_are_never_called_twice_for_a_mask() {
    let evaluate = |model: &dyn MaskedModel| {
        MaskedBenchmark::new(model, &n_features())
            .maps("map", WEIGHTS)
            .maps(
                "other",
                [
                    &[1.0, 2.0, 3.0][..],
                    &[1.0, 2.0, 3.0, 4.0, 5.0],
                    &[0.5, 0.0, 1.0],
                    &[1.0],
                ],
            )
            .values(|evaluation, _| {
                evaluation
                    .metric(Deletion::new())
                    .metric(Insertion::new())
                    .metric(MuFidelity::new())
            })
    };
    let asked = AtomicU64::new(0);
    let counting = |samples: &[usize], kept: ArrayView2<'_, bool>| {
        asked.fetch_add(samples.len() as u64, Ordering::Relaxed);
        text(samples, kept)
    };
    let expected = evaluate(&text).unwrap();
    let remembered = CachedModel::new(&counting);
    assert_eq!(evaluate(&remembered).unwrap().metrics, expected.metrics);
    let questions = remembered.n_calls();
    assert_eq!(asked.load(Ordering::Relaxed), questions);
    assert!(questions < expected.model_calls.rows);
    let answers = remembered.into_answers();
    assert_eq!(answers.len() as u64, questions);
    let later = CachedModel::new(&counting)
        .with_answers(answers)
        .max_calls(0);
    assert_eq!(evaluate(&later).unwrap().metrics, expected.metrics);
}

#[test]
fn an_answer_that_is_no_number_is_not_remembered() {
    let nan = |samples: &[usize], _: ArrayView2<'_, bool>| -> Result<Array2<f64>, &str> {
        Ok(Array2::from_elem((samples.len(), 1), f64::NAN))
    };
    let remembered = CachedModel::new(&nan);
    let kept = ndarray::array![[true, false]];
    let told = remembered.outputs(&[0], kept.view()).unwrap_err();
    assert!(told.to_string().contains("not a finite number"), "{told}");
    assert!(remembered.into_answers().is_empty());
}

#[test]
fn masked_models_are_not_called_for_invalid_input() {
    let never =
        |_: &[usize], _: ArrayView2<'_, bool>| -> Result<Array2<f64>, &str> { Err("it was asked") };
    let evaluation = || MaskedBenchmark::new(&never, &n_features());
    let told = |evaluation: MaskedBenchmark<'_>, baseline: Baseline| {
        let values = evaluation.values(|e, _| e.metric(Deletion::new().baseline(baseline.clone())));
        values.unwrap_err().error().problem().to_string()
    };
    let zero = Baseline::default;
    let nan: [&[f64]; 4] = [WEIGHTS[0], WEIGHTS[1], &[1.0, f64::NAN, 0.0], WEIGHTS[3]];
    assert!(
        told(evaluation().maps("m", nan), zero()).contains("explanations of m[2, 1]"),
        "{}",
        told(evaluation().maps("m", nan), zero())
    );
    let short: [&[f64]; 4] = [WEIGHTS[0], &[1.0], WEIGHTS[2], WEIGHTS[3]];
    assert!(told(evaluation().maps("m", short), zero()).contains("explanations of m[1]"));
    assert!(told(evaluation().maps("m", WEIGHTS), Baseline::DatasetMean).contains("baseline"));
    assert!(told(evaluation(), zero()).contains("explainers"));
    let limited = told(evaluation().maps("m", WEIGHTS).max_calls(16), zero());
    // Of d features the curve has d + 1 points, for 3, 5, 3 and 1 features; and one row is asked alone.
    assert!(
        limited.contains("max_calls = 16: expected at least 17: the 16 that the metrics ask"),
        "{limited}"
    );
    assert!(told(evaluation().maps("m", WEIGHTS).max_calls(17), zero()).contains("it was asked"));
    assert!(
        told(
            MaskedBenchmark::new(&never, &[2, 0]).maps("m", [&[1.0, 2.0][..], &[]]),
            zero()
        )
        .contains("features[1]")
    );
}

#[test]
fn metrics_that_relate_samples_are_refused_for_several_numbers_of_features() {
    let never =
        |_: &[usize], _: ArrayView2<'_, bool>| -> Result<Array2<f64>, &str> { Err("it was asked") };
    let values = MaskedBenchmark::new(&never, &n_features())
        .maps("m", WEIGHTS)
        .values(|e, _| e.metric(Sufficiency::new()));
    assert_eq!(values.unwrap_err().error().input(), input::METRICS);
}

#[test]
fn errors_of_masked_models_use_the_sample_numbers_of_the_caller() {
    let broken =
        |samples: &[usize], kept: ArrayView2<'_, bool>| -> Result<Array2<f64>, std::fmt::Error> {
            let score = |(row, _)| {
                if samples[row] == 2 {
                    f64::NAN
                } else {
                    kept.row(row).len() as f64
                }
            };
            Ok(Array2::from_shape_fn((samples.len(), 1), score))
        };
    let of_masks = MaskedBenchmark::new(&broken, &n_features()).maps("m", WEIGHTS);
    let error = of_masks
        .values(|e, _| e.metric(Deletion::new()))
        .unwrap_err();
    assert_eq!(error.error().input(), input::OUTPUTS);
    assert!(error.to_string().contains("sample 2"), "{error}");
}

/// No metric, alone or with others, asks one question more than it may: also where its questions cannot be planned,
/// and with the row that is asked alone.
#[test]
fn masked_models_are_not_called_beyond_the_limit() {
    // Twenty features: more than NAOPC shows all subsets of.
    let weights = [
        Vec::from_iter((0..20).map(|i| f64::from(i * 7 % 11))),
        vec![1.0, -2.0, 4.0],
    ];
    let n_features: Vec<usize> = weights.iter().map(Vec::len).collect();
    let mut n_limited = 0;
    for (entry, settings) in outputs_by_mask() {
        let name = entry.info.name;
        for allowed in [false, true] {
            let asked = AtomicU64::new(0);
            let counting = |samples: &[usize],
                            kept: ArrayView2<'_, bool>|
             -> Result<Array2<f64>, std::fmt::Error> {
                asked.fetch_add(samples.len() as u64, Ordering::Relaxed);
                let score = |(row, _): (usize, usize)| {
                    let features = weights[samples[row]].iter().zip(kept.row(row));
                    features
                        .map(|(weight, kept)| if *kept { weight.abs() + 0.1 } else { 0.0 })
                        .sum()
                };
                Ok(Array2::from_shape_fn((samples.len(), 1), score))
            };
            let run = |most: u64| {
                asked.store(0, Ordering::Relaxed);
                let evaluation = MaskedBenchmark::new(&counting, &n_features).maps("m", &weights);
                let values = evaluation.max_calls(most).values(|evaluation, _| {
                    let metric = entry.build::<f64>(&settings).unwrap();
                    evaluation.metric(metric).allow_batch_dependence(allowed)
                });
                (values.is_ok(), asked.load(Ordering::Relaxed))
            };
            let (is_possible, needed) = run(u64::MAX);
            if !is_possible {
                // The metric gives features other values.
                continue;
            }
            n_limited += 1;
            // One more, should the plan expect a call of different rows where there is none.
            assert_eq!(run(needed + 1), (true, needed), "{name}");
            for most in [0, 1, needed / 2, needed - 1] {
                let (is_ok, asked) = run(most);
                assert!(!is_ok && asked <= most, "{name}: {asked} of {most}");
            }
        }
    }
    assert!(n_limited >= 30, "{n_limited}");
}

/// Texts of three and two tokens with these weights. The score is the sum of those that are kept.
#[test]
fn models_of_one_thread_and_of_several_have_the_same_values() {
    let weights: [&[f64]; 2] = [&[4.0, 0.0, 1.0], &[1.0, 2.0]];
    let sums = |samples: &[usize], kept: ArrayView2<'_, bool>| -> Result<_, BoxError> {
        let score = |(row, _)| {
            let tokens = std::iter::zip(weights[samples[row]], kept.row(row));
            tokens.map(|(w, kept)| if *kept { *w } else { 0.0 }).sum()
        };
        Ok(Array2::<f64>::from_shape_fn((samples.len(), 1), score))
    };
    let deletion = |model: &dyn MaskedModel| {
        let benchmark = MaskedBenchmark::new(model, &[3, 2]).maps("weights", &weights);
        let values = benchmark.values(|e, _| e.metric(Deletion::new()).batch_size(1));
        values.unwrap().metrics[0].per_sample[0].clone()
    };
    // 5, 1, 0, 0 and 3, 1, 0.
    let expected = [Some(3.5 / 3.0), Some(2.5 / 2.0)];
    assert_eq!(deletion(&masked_model_fn(sums)), expected);
    assert_eq!(deletion(&Concurrent(&sums)), expected);
    assert_eq!(deletion(&CachedModel::new(&Concurrent(&sums))), expected);

    let n_rows = Cell::new(0); // not `Sync`
    let counting = |samples: &[usize], kept: ArrayView2<'_, bool>| {
        n_rows.set(n_rows.get() + samples.len());
        sums(samples, kept)
    };
    assert_eq!(deletion(&counting), expected);
    let n_plain = n_rows.replace(0);
    assert_eq!(deletion(&CachedModel::new(&counting)), expected);
    assert_eq!(n_rows.get(), 7); // the points of both curves, each once

    let mut n_rows = 0;
    let mutable = masked_model_fn_mut(|samples, kept| {
        n_rows += samples.len();
        sums(samples, kept)
    });
    assert_eq!(deletion(&mutable), expected);
    assert_eq!(n_rows, n_plain);
}
