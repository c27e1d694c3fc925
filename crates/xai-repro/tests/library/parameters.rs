//! What the crate says of its parameters.

use xai_core::describe::{Parameter, Parameters, Scores, Value, with};
use xai_repro::across_runs::AgreementWeights;
use xai_repro::registry::{self, PAIR_METRICS, REGRESSION_METRICS};
use xai_repro::simulate::{ClassSimulator, RunErrors};
use xai_repro::study::{MeanMetrics, StudySettings};
use xai_repro::{
    Agreement, EmptyUnion, GroupComparison, PairMetric, PairStatistic, Pairwise, RegressionMetric,
    RunInterval,
};

fn every_parameter_is_refused_by_its_name<P: Parameters + Default>() {
    for param in P::default().params() {
        let wrong = [(param.name, Value::from("no such value"))];
        let error = with(P::default(), wrong).err().expect(param.name);
        assert_eq!(error.input().name(), param.name);
        let same = [(param.name, param.value.clone())];
        assert!(with(P::default(), same).is_ok(), "{}", param.name);
    }
}

#[test]
fn errors_are_about_the_parameter() {
    every_parameter_is_refused_by_its_name::<Pairwise>();
    every_parameter_is_refused_by_its_name::<GroupComparison>();
    every_parameter_is_refused_by_its_name::<RunInterval>();
    every_parameter_is_refused_by_its_name::<ClassSimulator>();
    every_parameter_is_refused_by_its_name::<RunErrors>();
    every_parameter_is_refused_by_its_name::<StudySettings>();
}

/// A metric is its file and a line of the list: its name is a word, a column of the study and a row of the table.
#[test]
fn the_list_of_metrics_is_all_that_names_them() {
    let infos: Vec<&str> = registry::metrics().map(|info| info.name).collect();
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
