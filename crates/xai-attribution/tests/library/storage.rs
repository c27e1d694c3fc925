//! Results travel: what comes back from storage is what went there, to the last bit.
use ndarray::{Array2, ArrayD, ArrayViewD};
use xai_attribution::metric::{
    AverageDrop, BaseScorePolicy, Deletion, MetricValue, MuFidelity, Sparseness,
};
use xai_attribution::table::{EvaluationTable, EvaluationValues, Statistics};
use xai_attribution::{Benchmark, Evaluate, input};

fn stored<S: serde::Serialize + serde::de::DeserializeOwned>(state: &S) -> S {
    let text = serde_json::to_string(state).expect("serialises");
    serde_json::from_str(&text).expect("comes back")
}

fn model(batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let rows = batch
        .outer_iter()
        .map(|x| x.iter().sum::<f64>() / 7.0 - 0.1);
    Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
}

#[test]
fn parts_of_an_evaluation_join_after_storage() {
    let x = ArrayD::from_shape_fn(vec![9, 5], |i| ((i[0] * 5 + i[1] * 3) % 7) as f64 / 7.0);
    let mut maps = x.mapv(|v| v * v);
    maps.index_axis_mut(ndarray::Axis(0), 4).fill(0.0); // no Gini index, no correlation
    let scores = Benchmark::new(&model, x.view(), &[0u8; 9])
        .maps("squares", &maps)
        .maps("inputs", x.view())
        .metric(AverageDrop::new().base_score_policy(BaseScorePolicy::Skip))
        .metric(MuFidelity::new().n_subsets(9))
        .metric(Sparseness)
        .values()
        .unwrap();
    let back: EvaluationValues = stored(&scores);
    // What a metric says of itself is not stored.
    let mut expected = scores.clone();
    for metric in &mut expected.metrics {
        let info = metric.info.take().unwrap();
        assert_eq!(info.name.replace('-', "_"), metric.metric);
    }
    assert_eq!(back, expected);
    let mut joined = back;
    joined.merge(scores.clone()).unwrap();
    assert_eq!(joined.n_samples, 18);
    assert_eq!(joined.model_calls.rows, 2 * scores.model_calls.rows);
    let statistics = Statistics {
        replicates: 30,
        ..Statistics::default()
    };
    let table = joined.table(&statistics).unwrap();
    let back: EvaluationTable = stored(&table);
    assert_eq!(back, table);
    let sparseness = back.result("squares", "sparseness").unwrap();
    assert_eq!(
        (sparseness.n_undefined, sparseness.interval.is_some()),
        (2, true)
    );
    let mut other = scores.clone();
    other.explainers.swap(0, 1);
    assert_eq!(joined.merge(other).unwrap_err().input(), input::EXPLAINERS);
    assert_eq!(joined.n_samples, 18);
}

#[test]
fn curves_come_back() {
    let x = ArrayD::from_shape_fn(vec![3, 4], |i| (i[0] + i[1]) as f64 / 3.0);
    let curve = Deletion::new().evaluate(&model, &x, &[0; 3], &x).unwrap();
    let back: MetricValue = stored(&curve);
    assert_eq!(back, curve);
}
