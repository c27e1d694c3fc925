//! Queries in two stages.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch,
};
use datafusion::arrow::datatypes::{Field, Int64Type, Schema, SchemaRef};
use datafusion::datasource::MemTable;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::memory::MemoryStream;
use datafusion::prelude::SessionContext;
use proptest::prelude::*;
use xai_datafusion::TwoStages;

use crate::tables::{bits, rows, session};

/// Every kind of state: counts, exact sums, sorted scores, bins, pairs of runs, nearest cases, and the engine's own.
const GROUPED: &str = "SELECT g, average_drop(x, y) AS a, exact_avg(y)['high'] AS b, \
    groundtruth_auroc(y, t) FILTER (WHERE x > 0.25) AS c, groundtruth_auroc_binned(y, t)['auroc'] AS d, \
    pos_fidelity(c, g) AS e, unfaithfulness(make_array(x, y), make_array(y, x)) AS f, \
    nearest_cases(i, c, x, 3)['distances'][3] AS h, \
    pairwise_reproducibility(c, make_array(g, c, 1))['pa_kappa']['mean'] AS p, avg(x) AS q \
    FROM rows WHERE i % 5 > 0 GROUP BY g HAVING count(*) > 1";

fn table(values: &[(i64, f64, f64)]) -> RecordBatch {
    let integers = |of: fn(usize, &(i64, f64, f64)) -> i64| -> ArrayRef {
        let column = values.iter().enumerate().map(|(i, row)| of(i, row));
        Arc::new(Int64Array::from_iter_values(column))
    };
    let numbers = |of: fn(&(i64, f64, f64)) -> f64| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(values.iter().map(of)))
    };
    let truth = values.iter().map(|row| Some(row.1 + row.2 > 1.0));
    RecordBatch::try_from_iter([
        ("i", integers(|i, _| i as i64)),
        ("g", integers(|_, row| row.0)),
        ("c", integers(|i, row| (i as i64 + row.0) % 3)),
        ("x", numbers(|row| row.1)),
        ("y", numbers(|row| row.2)),
        ("t", Arc::new(BooleanArray::from_iter(truth))),
    ])
    .unwrap()
}

fn of_all(sql: &str, all: &RecordBatch) -> RecordBatch {
    let session = session(1, 8192);
    let table = MemTable::try_new(all.schema(), vec![vec![all.clone()]]).unwrap();
    session.register_table("rows", Arc::new(table)).unwrap();
    rows(&session, sql).unwrap()
}

fn rows_of(schema: &SchemaRef, batches: Vec<RecordBatch>) -> SendableRecordBatchStream {
    Box::pin(MemoryStream::try_new(batches, Arc::clone(schema), None).unwrap())
}

async fn plan(sql: &str, schema: &SchemaRef) -> datafusion::error::Result<TwoStages> {
    let session = SessionContext::new();
    let names =
        RecordBatch::try_from_iter([("g", Arc::new(Int64Array::from(vec![0, 1, 1])) as ArrayRef)])?;
    session.register_batch("names", names)?;
    TwoStages::plan(&session, sql, "rows", schema).await
}

/// The parts of rows, by places, as other engines do it; each stage anew, as in another process.
async fn in_stages(sql: &str, parts: &[RecordBatch], n_places: usize) -> Vec<RecordBatch> {
    let schema = parts[0].schema();
    let mut places = BTreeMap::<usize, Vec<RecordBatch>>::new();
    for part in parts {
        let stages = plan(sql, &schema).await.unwrap();
        let states = stages
            .partial(rows_of(&schema, vec![part.clone()]))
            .unwrap();
        for states in collect(states).await.unwrap() {
            for (place, states) in stages.divide(states, n_places).unwrap() {
                places.entry(place).or_default().push(states);
            }
        }
    }
    let stages = plan(sql, &schema).await.unwrap();
    let mut result = Vec::new();
    for states in places.into_values() {
        let of_place = stages
            .finish(rows_of(&stages.state_schema(), states))
            .unwrap();
        result.extend(collect(of_place).await.unwrap());
    }
    result
}

/// The bits of all columns of numbers by the group in the first.
fn by_group(batches: &[RecordBatch]) -> BTreeMap<i64, Vec<Option<u64>>> {
    let mut groups = BTreeMap::new();
    for batch in batches {
        let columns: Vec<_> = batch.columns()[1..].iter().map(bits).collect();
        for (row, &group) in batch
            .column(0)
            .as_primitive::<Int64Type>()
            .values()
            .iter()
            .enumerate()
        {
            let values = columns.iter().map(|column| column[row]).collect();
            assert!(groups.insert(group, values).is_none(), "{group} twice");
        }
    }
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn stages_anywhere_have_the_bits_of_one_process(
        values in prop::collection::vec((0..6i64, 0.01..1.0f64, 0.0..1.0f64), 1..300),
        size in 1usize..120,
        n_places in 1usize..5,
    ) {
        let all = table(&values);
        let starts = (0..all.num_rows()).step_by(size);
        let mut parts: Vec<_> = starts.map(|at| all.slice(at, size.min(all.num_rows() - at))).collect();
        parts.push(all.slice(0, 0));
        parts.reverse();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let found = runtime.block_on(in_stages(GROUPED, &parts, n_places));
        // But the mean of the engine, which is not exact. The groups are in the first column.
        let but_last: Vec<usize> = (0..9).collect();
        let exact = |batches: &[RecordBatch]| -> Vec<RecordBatch> {
            let batches = batches.iter().filter(|batch| batch.num_rows() > 0);
            batches.map(|batch| batch.project(&but_last).unwrap()).collect()
        };
        let expected = of_all(GROUPED, &all);
        prop_assert_eq!(by_group(&exact(&found)), by_group(&exact(&[expected])));

        let whole = "SELECT average_drop(x, y), exact_sum(y), groundtruth_f1(y, t) FROM rows";
        let found = runtime.block_on(in_stages(whole, &parts, n_places));
        prop_assert_eq!(found.len(), 1);
        let expected = of_all(whole, &all);
        for (found, expected) in found[0].columns().iter().zip(expected.columns()) {
            prop_assert_eq!(bits(found), bits(expected));
        }
    }
}

#[tokio::test]
async fn rows_are_joined_with_small_tables_and_joins_keep_nothing_of_a_former_part() {
    let parts = [
        table(&[(0, 0.5, 0.25), (1, 0.5, 0.5)]),
        table(&[(1, 0.5, 0.125), (2, 1.0, 0.0)]),
    ];
    let sql = "SELECT rows.g, exact_sum(x), count(*)::double FROM rows JOIN names ON rows.g = names.g GROUP BY rows.g";
    let expected = BTreeMap::from([
        (0, vec![Some(0.5f64.to_bits()), Some(1.0f64.to_bits())]),
        (1, vec![Some(2.0f64.to_bits()), Some(4.0f64.to_bits())]),
    ]);
    assert_eq!(by_group(&in_stages(sql, &parts, 2).await), expected);
    // One plan for all parts, as a worker has it.
    let schema = parts[0].schema();
    let stages = plan(sql, &schema).await.unwrap();
    assert_eq!(stages.columns(), ["g", "x"]);
    let mut states = Vec::new();
    for part in &parts {
        let part = stages
            .partial(rows_of(&schema, vec![part.clone()]))
            .unwrap();
        states.extend(collect(part).await.unwrap());
    }
    let result = stages
        .finish(rows_of(&stages.state_schema(), states))
        .unwrap();
    assert_eq!(by_group(&collect(result).await.unwrap()), expected);
}

#[tokio::test]
async fn a_query_of_rows_has_one_stage() {
    let all = table(&[(0, 0.5, 0.25), (1, 0.5, 0.5)]);
    let stages = plan("SELECT g, x - y AS d FROM rows WHERE x > y", &all.schema())
        .await
        .unwrap();
    assert!(!stages.has_states());
    let rows = stages
        .partial(rows_of(&all.schema(), vec![all.clone()]))
        .unwrap();
    let rows = collect(rows).await.unwrap();
    assert_eq!(
        by_group(&rows),
        BTreeMap::from([(0, vec![Some(0.25f64.to_bits())])])
    );
    assert!(stages.finish(rows_of(&all.schema(), vec![])).is_err());
}

#[tokio::test]
async fn names_are_those_of_sql_and_no_column_need_be_read() {
    let all = table(&[(0, 0.5, 0.25), (1, 0.5, 0.5)]);
    let schema = all.schema();
    // One session for both, which keeps no table.
    let session = SessionContext::new();
    for sql in [
        "SELECT count(*) FROM Scores",
        "SELECT count(*) FROM scores AS s",
    ] {
        let stages = TwoStages::plan(&session, sql, "Scores", &schema)
            .await
            .unwrap();
        assert!(stages.columns().is_empty());
        let states = stages
            .partial(rows_of(&schema, vec![all.clone(), all.clone()]))
            .unwrap();
        let states = collect(states).await.unwrap();
        let result = stages
            .finish(rows_of(&stages.state_schema(), states))
            .unwrap();
        let result = collect(result).await.unwrap();
        assert_eq!(result[0].column(0).as_primitive::<Int64Type>().value(0), 4);
    }
}

#[tokio::test]
async fn queries_that_cannot_be_split_are_refused() {
    let schema = table(&[(0, 0.5, 0.25)]).schema();
    for (sql, expected) in [
        (
            "SELECT g, avg(x) FROM rows GROUP BY g ORDER BY g",
            "ORDER BY or LIMIT is not possible",
        ),
        ("SELECT x FROM rows LIMIT 3", "ORDER BY or LIMIT"),
        (
            "SELECT max(a) FROM (SELECT avg(x) AS a FROM rows GROUP BY g)",
            "an aggregation of an aggregation",
        ),
        (
            "SELECT count(DISTINCT g) FROM rows",
            "an aggregation of an aggregation",
        ),
        (
            "SELECT row_number() OVER (ORDER BY x) FROM rows",
            "a window function",
        ),
        (
            "SELECT avg(a.x) FROM rows a JOIN rows b ON a.i = b.i",
            "a join of the table with itself",
        ),
        (
            "SELECT count(x) FROM names LEFT JOIN rows ON rows.g = names.g",
            "a join that keeps rows of the other table",
        ),
        (
            "SELECT g FROM rows UNION ALL SELECT g FROM names",
            "Union is not possible",
        ),
        (
            "SELECT g FROM names WHERE g > (SELECT max(g) FROM rows)",
            "not possible where the rows of rows lie in parts",
        ),
        ("SELECT g FROM names", "does not read the table rows"),
        (
            "SELECT average_drop(x) FROM rows",
            "expected 2 to 3 arguments, got 1",
        ),
        ("CREATE TABLE a AS SELECT * FROM rows", "DDL not supported"),
    ] {
        let error = plan(sql, &schema)
            .await
            .map(|_| sql)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{sql}: {error}");
    }
}

#[tokio::test]
async fn rows_and_states_of_other_columns_and_versions_are_refused() {
    let all = table(&[(0, 0.5, 0.25), (1, 0.5, 0.5)]);
    let schema = all.schema();
    let sql = "SELECT g, average_drop(x, y) FROM rows GROUP BY g";
    let stages = plan(sql, &schema).await.unwrap();
    let fewer = all.project(&[0, 1]).unwrap();
    let of_fewer = stages.partial(rows_of(&fewer.schema(), vec![fewer.clone()]));
    let error = of_fewer.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("the rows have other columns than the query was planned for"),
        "{error}"
    );

    let states = stages.partial(rows_of(&schema, vec![all.clone()])).unwrap();
    let states = collect(states).await.unwrap();
    let other = plan(
        "SELECT g, groundtruth_f1(y, t) FROM rows GROUP BY g",
        &schema,
    )
    .await
    .unwrap();
    let refused = |stages: &TwoStages, schema: SchemaRef| {
        let states = states.iter().map(|of| {
            let columns = of.columns().to_vec();
            RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()
        });
        let result = stages.finish(rows_of(&schema, states.collect()));
        result.map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&other, stages.state_schema()).contains("states of another query"));
    let fields: Vec<Field> = states[0]
        .schema()
        .fields()
        .iter()
        .map(|of| Field::clone(of))
        .collect();
    let bare = Arc::new(Schema::new(fields));
    assert!(refused(&stages, bare).contains("states of version unknown, this is"));
}
