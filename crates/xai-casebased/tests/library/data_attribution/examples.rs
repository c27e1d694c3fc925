//! The examples that the documentation shows of every metric have the values that the metrics say. The package for
//! Python runs the same examples.

use ndarray::Array2;
use xai_casebased::data_attribution::{AttributionData, METRICS, Outcome, Subsets, evaluate_all};
use xai_casebased::input;
use xai_core::describe::ends::{ends, outside};
use xai_core::describe::{Setting, Value};
use xai_core::parallel::with_work_size;

/// What is made of the data of the examples; turned by 0, or other data of the same shapes.
fn of_data<R>(turn: usize, made: impl FnOnce(&AttributionData<'_>) -> R) -> R {
    let array = |n: usize, d: usize, value: &dyn Fn(usize, usize) -> f64| {
        Array2::from_shape_fn((n, d), |(row, column)| value(row, column))
    };
    let tau = array(4, 12, &|t, i| {
        ((7 * i + 5 * t + i * t + turn * i * i) % 11) as f64 - 4.0
    });
    let random = array(4, 12, &|t, i| ((3 * i + 2 * t) % 7) as f64);
    let train_labels: Vec<usize> = (0..12).map(|i| (i + turn * i / 5) % 3).collect();
    let test_classes: Vec<usize> = (0..4).map(|t| t % 3).collect();
    let flags: Vec<bool> = (0..12).map(|i| (i + turn).is_multiple_of(4)).collect();
    let mask = Array2::from_shape_fn((6, 12), |(j, i)| (i * i + j + turn * (i + j)) % 5 < 2);
    let subsets = Subsets::from_mask(mask.view());
    let outputs = array(6, 4, &|j, t| {
        ((j + 2 * t + j * t + turn * j) % 7) as f64 / 8.0
    });
    let drops = array(5, 4, &|j, t| (((3 * j + t) % 5) as f64 - 1.0) / 8.0);
    let relevant = Array2::from_shape_fn((4, 12), |(t, i)| (i + t) % 5 <= turn % 7);
    let scores: Vec<f64> = (0..12).map(|i| f64::from(5 * i % 7)).collect();
    let before: Vec<f64> = [0.5f64, 0.25, 0.125, 0.5].map(f64::ln).to_vec();
    let after =
        ndarray::array![[0.75f64, 0.5], [0.25, 0.5], [0.25, 0.125], [0.5, 0.25]].mapv(f64::ln);
    let predictions = ndarray::array![[1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [2, 2, 1, 1]];
    let data = AttributionData::new(tau.view())
        .random_attributions(random.view())
        .with(input::TRAIN_LABELS, &train_labels)
        .with(input::TEST_CLASSES, &test_classes)
        .with(input::FLAGS, &flags)
        .with(input::SUBSETS, &subsets)
        .with(input::OUTPUTS, outputs.view())
        .with(input::REMOVED, &[0, 3, 5, 8, 10])
        .with(input::DROPS, drops.view())
        .with(input::RELEVANT, relevant.view())
        .with(input::SCORES, &scores)
        .with(input::LOG_PROB, &before)
        .with(input::LOG_PROB_AFTER, after.view())
        .with(input::KS, &[0, 10, 20, 40])
        .with(input::PREDICTIONS, predictions.view());
    made(&data)
}

/// The outcomes of all metrics.
fn outcomes(turn: usize) -> Vec<Outcome> {
    let all = METRICS.iter().map(|entry| Setting::new(entry.info.name));
    let all: Vec<Setting> = all.collect();
    of_data(turn, |data| evaluate_all(data, &all).unwrap())
}

/// Every parameter takes both ends of its kind and each of its words, and refuses by its name what lies outside.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let mut n_values = 0;
    for entry in METRICS {
        for param in entry.params() {
            let of = |value: Value| (param.name.to_owned(), value);
            for value in outside(&param.kind) {
                let set = [of(value)];
                let error = entry
                    .params_with(&set)
                    .err()
                    .unwrap_or_else(|| panic!("{set:?}"));
                assert_eq!(error.input().name(), param.name, "{set:?}: {error}");
            }
            for value in ends(&param.kind) {
                let mut setting = Setting::new(entry.info.name);
                setting.params.push(of(value));
                let outcome = of_data(0, |data| evaluate_all(data, std::slice::from_ref(&setting)));
                match outcome {
                    Ok(outcomes) => {
                        let value = outcomes[0].value();
                        let within = |value: f64| entry.info.range.contains(value);
                        assert!(value.is_none_or(within), "{setting}: {value:?}");
                        n_values += 1;
                    }
                    Err(error) => {
                        assert_eq!(error.input().name(), param.name, "{setting}: {error}")
                    }
                }
            }
        }
    }
    assert!(n_values > 12, "{n_values}");
}

#[test]
fn every_metric_has_the_value_of_its_example() {
    for (entry, outcome) in METRICS.iter().zip(outcomes(0)) {
        let value = outcome.value().map(|value| (value * 1e4).round() / 1e4);
        assert_eq!(value, entry.info.example, "{}", entry.info.name);
    }
}

#[test]
fn every_value_is_in_its_range_and_has_the_bits_of_one_thread() {
    for turn in 0..60 {
        let all = outcomes(turn);
        assert_eq!(with_work_size(1, || outcomes(turn)), all);
        for (entry, outcome) in METRICS.iter().zip(all) {
            let within = |value: f64| value.is_finite() && entry.info.range.contains(value);
            let value = outcome.value();
            assert!(
                value.is_none_or(within),
                "{}, {turn}: {value:?}",
                entry.info.name
            );
        }
    }
}
