//! How many rows a second the functions take in 1 000 groups, beside DataFusion's own `avg`.
//!
//! ```text
//! cargo run --release -p xai-datafusion --example throughput -- [MILLIONS OF ROWS] [PARTITIONS]
//! ```
//!
//! Rows lie in memory, so that the functions and not the files are measured: outputs have 4 classes, the predictions are
//! those of 5 runs. The rate of a core is that of all rows over the time and the partitions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float64Array, Int32Array, Int64Array, RecordBatch,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

const N_GROUPS: u64 = 1000;
const BATCH: u64 = 8192;
const N_CLASSES: usize = 4;
const N_RUNS: usize = 5;
/// Every query runs so often; the fastest counts.
const TIMES: usize = 5;

const CALLS: &[&str] = &[
    "avg(base)",
    "avg(base), avg(masked)",
    "average_drop(base, masked)",
    "average_increase(base, masked)",
    "average_gain(base, masked)",
    "average_drop(base, masked) FILTER (WHERE label = 1)",
    "pos_fidelity(label, other)",
    "neg_fidelity(label, other, truth)",
    "pos_fidelity(outputs, kept)",
    "unfaithfulness(outputs, kept, 'probs')",
    "groundtruth_accuracy(masked, truth)",
    "groundtruth_f1(masked, truth)",
    "groundtruth_auroc(masked, truth)",
    "groundtruth_auroc_binned(masked, truth)",
    "pairwise_reproducibility(label, predictions)",
    "exact_sum(base)",
    "exact_avg(base)",
    "n_null(base, masked)",
    "nearest_cases(id, label, masked, 5)",
    "exact_sum(correspondence(outputs, classes, label))",
    "exact_sum(feature_distance(outputs, kept))",
];

/// A number that depends on every bit of another.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number in (0, 1).
fn unit(x: u64) -> f64 {
    ((mixed(x) >> 12) + 1) as f64 / (1u64 << 52) as f64
}

fn lists(values: ArrayRef, length: usize) -> ArrayRef {
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    let lists = FixedSizeListArray::try_new(Arc::clone(&field), length as i32, values, None)
        .expect("lists of one length");
    cast(&lists, &DataType::List(field)).expect("the same lists")
}

fn batch(number: u64) -> RecordBatch {
    let rows = number * BATCH..(number + 1) * BATCH;
    let column = |of: u64| rows.clone().map(move |row| mixed(row ^ of << 48));
    let scores = |of: u64| -> ArrayRef {
        let scores = rows.clone().map(|row| unit(row ^ of << 48));
        Arc::new(Float64Array::from_iter_values(scores))
    };
    let classes = |of: u64| -> ArrayRef {
        let classes = column(of).map(|x| (x % N_CLASSES as u64) as i64);
        Arc::new(Int64Array::from_iter_values(classes))
    };
    let outputs = |of: u64| -> ArrayRef {
        let outputs = rows.clone().flat_map(|row| {
            let raw = [0, 1, 2, 3].map(|class| unit(row ^ (of + class) << 48));
            let sum: f64 = raw.iter().sum();
            raw.map(|x| x / sum)
        });
        lists(Arc::new(Float64Array::from_iter_values(outputs)), N_CLASSES)
    };
    let lists_of_classes = |of: u64, n: usize| -> ArrayRef {
        // One of eight predictions is wrong.
        let classes = column(of).flat_map(|x| {
            let draws = (0..n).map(move |run| mixed(x ^ (run as u64) << 40));
            draws.map(move |draw| (x + u64::from(draw % 8 == 0)) as i64 % N_CLASSES as i64)
        });
        lists(Arc::new(Int64Array::from_iter_values(classes)), n)
    };
    let groups = column(1).map(|x| (x % N_GROUPS) as i32);
    let truth = column(5).map(|x| Some(x % 3 == 0));
    RecordBatch::try_from_iter([
        (
            "g",
            Arc::new(Int32Array::from_iter_values(groups)) as ArrayRef,
        ),
        ("base", scores(2)),
        ("masked", scores(3)),
        ("label", classes(4)),
        ("other", classes(6)),
        ("truth", Arc::new(truth.collect::<BooleanArray>())),
        (
            "id",
            Arc::new(Int64Array::from_iter_values(rows.clone().map(|r| r as i64))),
        ),
        ("outputs", outputs(10)),
        ("kept", outputs(20)),
        ("classes", lists_of_classes(4, N_CLASSES)),
        ("predictions", lists_of_classes(4, N_RUNS)),
    ])
    .expect("columns of one length")
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .map_while(|argument| argument.parse().ok());
    let millions: u64 = arguments.next().unwrap_or(8);
    let n_partitions = arguments.next().unwrap_or(2) as usize;
    let n_batches = (millions * 1_000_000).div_ceil(BATCH);
    let n_rows = n_batches * BATCH;
    println!("{n_rows} rows, {N_GROUPS} groups, {n_partitions} partitions, the fastest of {TIMES}");

    let mut partitions = vec![Vec::new(); n_partitions];
    for number in 0..n_batches {
        partitions[number as usize % n_partitions].push(batch(number));
    }
    let config = SessionConfig::new().with_target_partitions(n_partitions);
    let session = SessionContext::new_with_config(config);
    xai_datafusion::register(&session);
    session.register_table(
        "t",
        Arc::new(MemTable::try_new(batch(0).schema(), partitions)?),
    )?;
    let mut usual = None;
    for call in CALLS {
        let sql = format!("SELECT g, {call} FROM t GROUP BY g");
        let mut fastest = Duration::MAX;
        for _ in 0..TIMES {
            let start = Instant::now();
            session.sql(&sql).await?.collect().await?;
            fastest = fastest.min(start.elapsed());
        }
        let usual = *usual.get_or_insert(fastest);
        println!(
            "  {call:<52} {:>7.1} M rows/s of a core  {:>6.2} × avg",
            n_rows as f64 / fastest.as_secs_f64() / 1e6 / n_partitions as f64,
            fastest.as_secs_f64() / usual.as_secs_f64()
        );
    }
    Ok(())
}
