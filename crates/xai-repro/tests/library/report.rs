//! The report is what its parts say.

use ndarray::array;
use xai_repro::interval::IntervalMethod;
use xai_repro::metrics::{PAIR_METRICS, error_metrics};
use xai_repro::{
    Agreement, PackedRuns, PairMetric, PairStatistic, Pairwise, RunInterval, SampleConsistency,
    input,
};

#[test]
fn reports_equal_their_parts() {
    let predictions = array![
        [0, 1, 0, 1, 2, 0],
        [0, 0, 0, 0, 2, 1],
        [0, 1, 1, 1, 2, 2],
        [1, 1, 1, 0, 2, 0]
    ];
    let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0, 2, 0]).unwrap();
    let metrics = [PairMetric::PA_NMI, PairMetric::EC_LOCAL];
    let pairwise = Pairwise::new().metrics(&metrics);
    let runs = pairwise.evaluate_packed(&packed).unwrap();
    let bca = RunInterval::bca().n_replicates(99);
    for interval in [RunInterval::jackknife(), bca].map(|interval| interval.level(0.9)) {
        let report = pairwise.report(&packed, interval).unwrap();
        for (&metric, (name, of_metric)) in metrics.iter().zip(&report.metrics) {
            assert_eq!(*name, metric.name());
            assert_eq!(of_metric.pairs, runs.pairs(metric));
            let summary = runs.summary(metric);
            assert_eq!(
                (of_metric.mean, of_metric.median),
                (summary.mean, summary.median)
            );
            let around = match interval.method() {
                IntervalMethod::Jackknife => runs.interval(metric, 0.9),
                _ => runs.interval_of(metric, PairStatistic::Mean, interval),
            };
            let ends = around
                .unwrap()
                .map(|interval| [interval.low, interval.high]);
            assert_eq!(of_metric.interval, ends);
        }
        assert_eq!(
            report.agreement,
            Agreement::new(predictions.view()).unwrap()
        );
        assert_eq!(report.accuracy, runs.errors().accuracy());
        assert_eq!(
            report.always_wrong,
            runs.errors().always_wrong().len() as u64
        );
        assert_eq!(report.ever_wrong, runs.errors().ever_wrong().len() as u64);
    }
    let whole = pairwise
        .report(&packed, RunInterval::jackknife().level(0.9))
        .unwrap();
    let mut without_pairs = whole.clone();
    for (_, of_metric) in &mut without_pairs.metrics {
        of_metric.median = None;
        of_metric.pairs.clear();
    }
    assert_eq!(
        pairwise.report_summaries(&packed, 0.9).unwrap(),
        without_pairs
    );
    let samples = SampleConsistency::new(predictions.view()).unwrap();
    let with_samples = whole.with_samples(&samples, 2).samples.unwrap();
    assert_eq!(with_samples.ever_changing, 5);
    assert_eq!(with_samples.most_inconsistent.len(), 2);
    assert_eq!(with_samples.most_inconsistent[0].sample, 5);
}

#[test]
fn a_report_needs_runs_packed_for_agreement() {
    let predictions = array![[0u8, 1], [1, 1]];
    let metrics = error_metrics();
    let packed = PackedRuns::new(&metrics, predictions.view(), &[0, 1]).unwrap();
    let report = Pairwise::new()
        .metrics(&metrics)
        .report_summaries(&packed, 0.9);
    assert_eq!(report.unwrap_err().input(), input::PACKED_RUNS);
}

#[cfg(feature = "serde")]
#[test]
fn a_report_is_stored_with_these_keys() {
    let predictions = array![[0u8, 1, 1], [1, 1, 0]];
    let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1]).unwrap();
    let pairwise = Pairwise::new().metrics(&[PairMetric::EC_LOCAL]);
    let report = pairwise.report(&packed, RunInterval::jackknife()).unwrap();
    assert_eq!(
        serde_json::to_string(&report).unwrap(),
        "{\"n_runs\":2,\"n_samples\":3,\"metrics\":{\"ec_local\":{\"mean\":0.0,\"std\":null,\"min\":0.0,\
         \"median\":0.0,\"max\":0.0,\"n_defined\":1,\"interval\":null,\"pairs\":[0.0]}},\
         \"accuracy\":[1.0,0.3333333333333333],\"accuracy_interval\":[[0.4385029682449545,1.0],\
         [0.06149194472039625,0.7923403991979523]],\"always_wrong\":0,\"ever_wrong\":2,\"loo_ec\":[1.0,null],\
         \"fleiss_kappa\":-0.5,\"krippendorff_alpha\":-0.25,\"gwet_ac1\":-0.20000000000000007}"
    );
}
