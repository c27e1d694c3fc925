//! Explanations by nearest cases, from table to table.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Builder, Int64Array, ListBuilder, RecordBatch,
};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::CaseExplainer;
use xai_core::{Distance, Kernel};
use xai_datafusion::{ExplainCases, ExplainedCases};

use crate::tables::{Cuts, any_cuts, table};

const N_FEATURES: usize = 3;

type Rows = Vec<(Option<[f64; N_FEATURES]>, i64)>;

fn any_rows(most: usize) -> impl Strategy<Value = Rows> {
    let features = prop::array::uniform3(prop_oneof![-3.0..3.0f64, Just(1.0)]);
    prop::collection::vec((prop::option::weighted(0.95, features), 0..3i64), 1..most)
}

fn columns(rows: &Rows) -> Vec<(&'static str, ArrayRef)> {
    let mut features = ListBuilder::new(Float64Builder::new());
    for (row, _) in rows {
        features.values().append_slice(&row.unwrap_or_default());
        features.append(row.is_some());
    }
    vec![
        (
            "id",
            Arc::new(Int64Array::from_iter_values(0..rows.len() as i64)),
        ),
        (
            "class",
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.1))),
        ),
        ("features", Arc::new(features.finish())),
    ]
}

fn whole(rows: &Rows) -> (Vec<usize>, Array2<f64>, Vec<i64>) {
    let whole: Vec<usize> = (0..rows.len())
        .filter(|&row| rows[row].0.is_some())
        .collect();
    let features = Array2::from_shape_fn((whole.len(), N_FEATURES), |(i, j)| {
        rows[whole[i]].0.unwrap_or_default()[j]
    });
    let classes = whole.iter().map(|&row| rows[row].1).collect();
    (whole, features, classes)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap()
        .block_on(future)
}

async fn explained(
    options: &ExplainCases,
    training: &SessionContext,
    samples: &SessionContext,
) -> datafusion::error::Result<(RecordBatch, ExplainedCases)> {
    let (training, samples) = (training.table("t").await?, samples.table("t").await?);
    let mut batches = Vec::new();
    let counts = options
        .explain(&training, &samples, |batch| {
            batches.push(batch);
            Ok(())
        })
        .await?;
    Ok((concat_batches(&batches[0].schema(), &batches)?, counts))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn explanations_have_the_bits_of_the_explainer(
        training in any_rows(120), samples in any_rows(12), k in 1usize..7, scale in any::<bool>(), cuts in any_cuts()
    ) {
        let (ids, train, labels) = whole(&training);
        let (explained_samples, queries, predicted) = whole(&samples);
        prop_assume!(!ids.is_empty() && !explained_samples.is_empty());
        // A class that no training row has is refused.
        prop_assume!(predicted.iter().all(|class| labels.contains(class)));
        let options = ExplainCases { k, scale, distance: Distance::Manhattan, weighting: Kernel::Uniform };
        let one = Cuts { n_partitions: 1, batch_size: cuts.batch_size, pieces: vec![(0, 5)], is_passed_on: false };
        let (found, counts) = run(explained(
            &options,
            &table(columns(&training), &cuts),
            &table(columns(&samples), &one),
        )).unwrap();
        prop_assert_eq!(counts.n_samples, samples.len() as u64);
        prop_assert_eq!(counts.n_null_samples, (samples.len() - explained_samples.len()) as u64);
        prop_assert_eq!(counts.n_null_training, (training.len() - ids.len()) as u64);
        let local = CaseExplainer::builder().k(k).scale(scale).distance(Distance::Manhattan).weighting(Kernel::Uniform)
            .fit(train.view(), &labels).unwrap()
            .explain_batch(queries.view(), &predicted).unwrap();
        let found_ids = found.column(0).as_primitive::<Int64Type>().values().to_vec();
        let scores = found.column(2).as_primitive::<Float64Type>();
        let levels = found.column(3).as_string::<i32>();
        let nearest = found.column(4).as_struct();
        for (local, &sample) in local.iter().zip(&explained_samples) {
            let row = found_ids.iter().position(|&id| id == sample as i64).unwrap();
            let score = scores.is_valid(row).then(|| scores.value(row).to_bits());
            prop_assert_eq!(score, local.correspondence.score.map(f64::to_bits));
            prop_assert_eq!(levels.value(row), local.correspondence.level.to_string());
            let list = |name: &str| nearest.column_by_name(name).unwrap().as_list::<i32>().value(row);
            let cases = list("ids").as_primitive::<Int64Type>().values().to_vec();
            let distances: Vec<u64> = list("distances").as_primitive::<Float64Type>().values().iter().map(|d| d.to_bits()).collect();
            prop_assert_eq!(cases, local.cases.iter().map(|case| ids[case.index] as i64).collect::<Vec<_>>());
            prop_assert_eq!(distances, local.cases.iter().map(|case| case.distance.to_bits()).collect::<Vec<_>>());
        }
        for row in 0..samples.len() {
            prop_assert_eq!(nearest.is_null(row), samples[found_ids[row] as usize].0.is_none());
        }
    }
}

#[test]
fn from_parquet_to_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    run(async {
        let session = SessionContext::new();
        session.sql(&format!(
            "COPY (SELECT id, id % 2 AS label, make_array(id, 1.0) AS features FROM generate_series(1, 100) AS t(id)) TO '{}' \
             STORED AS PARQUET", path("training.parquet")
        )).await.unwrap().collect().await.unwrap();
        session.sql(&format!(
            "COPY (SELECT 7 AS id, 1 AS predicted, make_array(3.1, 1.0) AS features) TO '{}' STORED AS PARQUET",
            path("samples.parquet")
        )).await.unwrap().collect().await.unwrap();
        let read = |name: &str| session.read_parquet(path(name), ParquetReadOptions::default());
        let (training, samples) = (
            read("training.parquet").await.unwrap(),
            read("samples.parquet").await.unwrap(),
        );
        let options = ExplainCases {
            k: 2,
            weighting: Kernel::Uniform,
            ..ExplainCases::default()
        };
        let to = folder.path().join("explanations.parquet");
        let counts = options
            .explain_to_parquet(&training, &samples, &to)
            .await
            .unwrap();
        assert_eq!(counts.n_samples, 1);
        let rows = read("explanations.parquet")
            .await
            .unwrap()
            .collect()
            .await
            .unwrap();
        assert_eq!(
            rows[0].column(2).as_primitive::<Float64Type>().value(0),
            0.5
        );
        let ids = rows[0]
            .column(4)
            .as_struct()
            .column_by_name("ids")
            .unwrap()
            .as_list::<i32>()
            .value(0);
        assert_eq!(ids.as_primitive::<Int64Type>().values().to_vec(), [3, 4]);
    });
}

#[test]
fn invalid_input_is_named() {
    let frame = |sql: &str| run(async { SessionContext::new().sql(sql).await.unwrap() });
    let good = frame("SELECT 1 AS id, 1 AS class, make_array(1.0, 2.0) AS features");
    let error = |training, samples, k| {
        let options = ExplainCases {
            k,
            ..ExplainCases::default()
        };
        run(options.explain(training, samples, |_| Ok(())))
            .unwrap_err()
            .to_string()
    };
    let unknown = frame(
        "SELECT * FROM (VALUES (4, 1, make_array(1.0, 2.0)), (5, 9, make_array(1.0, 2.0))) AS t(id, class, features)",
    );
    let text = frame("SELECT 1 AS a, 'a' AS b, make_array(1.0) AS c");
    let short = frame("SELECT 1 AS a, 1 AS b, make_array(1.0) AS c");
    let two = frame("SELECT 1 AS a, 1 AS b");
    let cases = [
        (
            error(&text, &good, 1),
            "the argument `label` must be a class",
        ),
        (
            error(&good, &text, 1),
            "the argument `predicted` must be a class",
        ),
        (
            error(&two, &good, 1),
            "training: expected the columns id, label and features, got 2",
        ),
        (error(&good, &good, 0), "k = 0"),
        (
            error(&good, &unknown, 1),
            "predicted of the sample (id 5) = 9: expected a class of the training rows, for example 1; \
             no training row has the predicted class 9",
        ),
        (error(&good, &short, 1), "expected shape (1, 2), got (1, 1)"),
    ];
    for (error, expected) in cases {
        assert!(error.contains(expected), "{error}");
    }
}
