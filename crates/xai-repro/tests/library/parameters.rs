//! What the crate says of its parameters.

use ndarray::{array, s};
use xai_core::Interval;
use xai_core::describe::ends::at_ends;
use xai_core::describe::{Parameter, Scores, Value};
use xai_repro::FAMILY;
use xai_repro::across_runs::AgreementWeights;
use xai_repro::metrics::{PAIR_METRICS, REGRESSION_METRICS};
use xai_repro::simulate::{ClassSimulator, PredictionSimulator, RunErrors};
use xai_repro::study::{MeanMetrics, StudySettings};
use xai_repro::{
    Agreement, EmptyUnion, GroupComparison, PairMetric, PairStatistic, Pairwise, RegressionMetric,
    RunInterval, SimulationStudy,
};

/// Every parameter takes both ends of its kind and each of its words, and refuses by its name what lies outside.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let labels = [0, 1, 1, 0, 2];
    let predictions = array![
        [0, 1, 1, 0, 2],
        [0, 1, 1, 0, 2],
        [0, 0, 1, 1, 2],
        [1, 1, 0, 0, 0]
    ];
    let evaluate = |options: &Pairwise| options.evaluate(predictions.view(), &labels);
    for (set, options) in at_ends(&Pairwise::new()) {
        match evaluate(&options) {
            Ok(runs) => {
                for &metric in PAIR_METRICS {
                    let mut values = runs.pairs(metric).iter().flatten();
                    let range = &metric.info().range;
                    assert!(
                        values.all(|&value| range.contains(value)),
                        "{set}: {}",
                        metric.name()
                    );
                }
            }
            // Two runs without an error: the parameter asks for an error.
            Err(_) => assert_eq!(set, "empty_union = error"),
        }
    }
    let runs = evaluate(&Pairwise::new()).unwrap();
    for (set, interval) in at_ends(&RunInterval::default())
        .into_iter()
        .chain(at_ends(&RunInterval::bca()))
    {
        let interval = runs.interval_of(PairMetric::PA_ACC, PairStatistic::Mean, interval);
        let Interval { low, high, .. } = interval.unwrap().unwrap();
        assert!(
            low <= high && low.is_finite() && high.is_finite(),
            "{set}: {low} {high}"
        );
    }
    let groups = [
        predictions.slice(s![..2, ..]),
        predictions.slice(s![2.., ..]),
    ];
    for (set, comparison) in at_ends(&GroupComparison::default()) {
        match comparison.compare(groups[0], groups[1], &labels) {
            Ok(differences) => {
                let mut p_values = differences
                    .iter()
                    .filter_map(|difference| difference.p_value);
                assert!(p_values.all(|p| p > 0.0 && p <= 1.0), "{set}");
            }
            Err(_) => assert_eq!(set, "empty_union = error"),
        }
    }
    for (set, simulator) in at_ends(&ClassSimulator::default()) {
        let probabilities = simulator.draw(0).unwrap();
        assert!(
            (probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{set}"
        );
    }
    for (set, errors) in at_ends(&RunErrors::default()) {
        let simulator = PredictionSimulator::new(&[0.0, 1.0], errors).unwrap();
        let drawn = simulator.simulate(&[0; 20], 3, 1, 0).unwrap();
        let most = (errors.max_error_share * 20.0).ceil() as usize;
        for run in drawn.rows() {
            assert_eq!(
                run.iter().filter(|&&label| label == 1).count(),
                most,
                "{set}"
            );
        }
    }
    for (set, settings) in at_ends(&StudySettings::default()) {
        let draws = SimulationStudy::new(settings)
            .unwrap()
            .simulate(0..4)
            .unwrap();
        assert_eq!(draws.len(), 4, "{set}");
    }
}

/// A metric is its file and a line of the list: its name is a word, a column of the study and a row of the table.
#[test]
fn the_list_of_metrics_is_all_that_names_them() {
    let infos: Vec<&str> = FAMILY.infos().map(|info| info.name).collect();
    let study: Vec<&str> = MeanMetrics::names().collect();
    let words: Vec<&str> = PairMetric::KIND.words().map(|word| word.name).collect();
    assert_eq!(words.len(), PAIR_METRICS.len());
    for (metric, word) in PAIR_METRICS.iter().zip(&words) {
        assert_eq!(metric.name(), *word);
        assert_eq!(word.parse::<PairMetric>().unwrap(), *metric);
        assert!(infos.contains(word) && study.contains(word), "{word}");
    }
    let scores: Vec<&str> = Agreement::infos().map(|info| info.name).collect();
    assert_eq!(study, [words, scores].concat());
    for metric in REGRESSION_METRICS {
        assert_eq!(metric.name().parse::<RegressionMetric>().unwrap(), *metric);
        assert!(infos.contains(&metric.name()));
    }
}

#[test]
fn words_and_numbers_are_read() {
    let union = |value: Value| EmptyUnion::from_value(&value);
    for zero in [Value::from("zero"), "0".into(), Value::Integer(0)] {
        assert_eq!(union(zero), Some(EmptyUnion::Zero));
    }
    assert_eq!(union("drop".into()), Some(EmptyUnion::Drop));
    let statistic = |value: Value| PairStatistic::from_value(&value);
    assert_eq!(statistic(0.25.into()), Some(PairStatistic::Quantile(0.25)));
    assert_eq!(statistic("median".into()), Some(PairStatistic::Median));
    assert_eq!(statistic(1.5.into()), None);
    let weights = AgreementWeights::from_value(&"ordinal".into());
    assert_eq!(weights, Some(AgreementWeights::Ordinal));
}
