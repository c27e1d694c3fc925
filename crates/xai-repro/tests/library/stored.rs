//! Stored runs and results are read as they were written, or refused.

use ndarray::{Array2, array};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use xai_repro::metrics::{PAIR_METRICS, error_metrics};
use xai_repro::pairwise::StreamedReproducibility;
use xai_repro::{
    Accumulator, ErrorSets, PackedRuns, PackedRunsBuilder, PairMetric, Pairwise,
    PairwiseAccumulator, PairwiseReproducibility, PairwiseSummaries, input,
};

fn predictions() -> Array2<i64> {
    Array2::from_shape_fn((4, 600), |(run, sample)| match (run + sample) % 7 {
        0 => -3,
        1 if run == 3 => 90_000,
        other => (other % 3) as i64,
    })
}

fn labels() -> Vec<i64> {
    (0..600).map(|sample| (sample % 3) as i64).collect()
}

fn copied<T: serde::Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// Replaces the value at a pointer and returns the error of reading it.
#[track_caller]
fn damaged<T: DeserializeOwned>(whole: &Value, pointer: &str, value: Value) -> String {
    let mut damaged = whole.clone();
    *damaged.pointer_mut(pointer).expect(pointer) = value;
    let read = serde_json::from_value::<T>(damaged);
    read.err().expect(pointer).to_string()
}

#[test]
fn packed_runs_are_read_as_they_were_written() {
    let (predictions, labels) = (predictions(), labels());
    for metrics in [
        PAIR_METRICS.to_vec(),
        error_metrics(),
        vec![PairMetric::PA_ACC],
    ] {
        let packed = PackedRuns::new(&metrics, predictions.view(), &labels).unwrap();
        assert_eq!(copied(&packed), packed);
        let mut builder = PackedRunsBuilder::new(&metrics, &labels).unwrap();
        for run in predictions.rows() {
            builder = copied(&builder);
            builder.push(&run.to_vec()).unwrap();
        }
        let read = copied(&builder);
        assert_eq!(read.build().unwrap(), builder.build().unwrap());
    }
    // A single class has no bit planes.
    let constant = PackedRuns::new(PAIR_METRICS, array![[1, 1], [1, 1]].view(), &[0, 1]).unwrap();
    assert_eq!(copied(&constant), constant);
    let empty = PackedRunsBuilder::new(PAIR_METRICS, &[0; 0]).unwrap();
    assert!(copied(&empty).build().is_err());
}

#[test]
fn damaged_runs_are_refused() {
    let runs = array![[0, 5, 7], [5, 5, 7]];
    let packed = PackedRuns::new(PAIR_METRICS, runs.view(), &[0, 5, 5]).unwrap();
    let whole = serde_json::to_value(&packed).unwrap();
    for (pointer, value) in [
        ("/n_samples", json!(0)),
        ("/n_samples", json!(2)),
        ("/n_samples", json!(513)),
        ("/n_samples", json!(u64::MAX)),
        ("/needs/errors", json!("many")),
        (
            "/needs",
            json!({"errors": false, "equal": false, "tables": false}),
        ),
        (
            "/needs",
            json!({"errors": true, "equal": false, "tables": false}),
        ),
        ("/classes", json!([0, 5])),
        ("/classes", json!([0, 5, 5])),
        ("/classes", json!([0, 5, 7, 8])),
        ("/runs", json!([])),
        ("/runs/0/wrong", json!([])),
        ("/runs/0/wrong/0/0", json!(8)),
        ("/runs/0/wrong/0/7", json!(1)),
        ("/runs/1/planes/1/0", json!(8)),
        ("/runs/1/planes/1/0", json!(7)),
    ] {
        damaged::<PackedRuns>(&whole, pointer, value);
    }
    let mut builder = PackedRunsBuilder::new(PAIR_METRICS, &[0, 5, 5]).unwrap();
    builder.push(&[0, 5, 7]).unwrap();
    let whole = serde_json::to_value(&builder).unwrap();
    for labels in [json!([0, 5]), json!([0, 5, 5, 5])] {
        let error = damaged::<PackedRunsBuilder>(&whole, "/labels", labels);
        assert!(error.contains(input::PACKED_RUNS.name()), "{error}");
    }
}

#[test]
fn results_are_read_as_they_were_written() {
    let (predictions, labels) = (predictions(), labels());
    let metrics = [PairMetric::PA_ACC, PairMetric::EC_LOCAL];
    for pairwise in [Pairwise::new(), Pairwise::new().metrics(&metrics)] {
        let results = pairwise.evaluate(predictions.view(), &labels).unwrap();
        assert_eq!(copied(results.errors()), *results.errors());
        let read: PairwiseReproducibility = copied(&results);
        for metric in PAIR_METRICS.iter().copied() {
            let (read, expected) = (read.pairs(metric), results.pairs(metric));
            assert_eq!(read.len(), expected.len());
            // The reader of JSON rounds some numbers by one unit in the last place.
            for (read, expected) in read.iter().zip(expected) {
                assert!((read.unwrap() - expected.unwrap()).abs() <= f64::EPSILON);
            }
        }
        let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &labels).unwrap();
        let summaries = pairwise.summarize(&packed).unwrap();
        let read = copied(&summaries);
        for metric in summaries.metrics() {
            let interval = |summaries: &PairwiseSummaries| summaries.interval(metric, 0.9).unwrap();
            assert_eq!(interval(&read), interval(&summaries));
        }
    }
}

#[test]
fn damaged_results_are_refused() {
    let (predictions, labels) = (array![[0, 1, 1], [1, 1, 1], [0, 0, 1]], [0, 1, 0]);
    let pairwise = Pairwise::new().metrics(&[PairMetric::EC_LOCAL]);
    let packed = PackedRuns::new(&[PairMetric::EC_LOCAL], predictions.view(), &labels).unwrap();
    let sets = serde_json::to_value(ErrorSets::new(&packed)).unwrap();
    for (pointer, value) in [
        ("/n_samples", json!(0)),
        ("/n_samples", json!(513)),
        ("/sets/0", json!([])),
        ("/sets/2/0/0", json!(8)),
        ("/sets", json!([])),
    ] {
        let error = damaged::<ErrorSets>(&sets, pointer, value);
        assert!(error.contains(input::ERRORS.name()), "{error}");
    }
    let results = pairwise.evaluate_packed(&packed).unwrap();
    let results = serde_json::to_value(&results).unwrap();
    for (pointer, value) in [
        ("/pairs/n_runs", json!(2)),
        ("/pairs/values/0/1", json!([1.0])),
        ("/errors/sets", json!([sets["sets"][0], sets["sets"][1]])),
    ] {
        damaged::<PairwiseReproducibility>(&results, pointer, value);
    }
    damaged::<PairwiseReproducibility>(&results, "/pairs/values/0/0", json!("ec_of_others"));
    let mut state = PairwiseAccumulator::new(&pairwise).unwrap();
    state.update_labels(predictions.view(), &labels).unwrap();
    let streamed = serde_json::to_value(state.finish().unwrap()).unwrap();
    assert!(serde_json::from_value::<StreamedReproducibility>(streamed.clone()).is_ok());
    for pointer in [
        "/accuracy",
        "/leave_one_out_consistency",
        "/pairs/values/0/1",
    ] {
        let error = damaged::<StreamedReproducibility>(&streamed, pointer, json!([1.0]));
        assert!(error.contains(input::PAIRWISE_RESULTS.name()), "{error}");
    }
    let summaries = serde_json::to_value(pairwise.summarize(&packed).unwrap()).unwrap();
    for (pointer, value) in [
        ("/moments_by_metric/0/1/n_undefined", json!(4)),
        ("/moments_by_metric/0/1/by_run", json!([])),
        ("/moments_by_metric/0/1/by_run/0/1", json!(3)),
        ("/moments_by_metric/0/1/all_pairs/count", json!(1)),
    ] {
        let error = damaged::<PairwiseSummaries>(&summaries, pointer, value);
        assert!(error.contains(input::PAIRWISE_RESULTS.name()), "{error}");
    }
}
