//! How many rows a second `average_drop` takes in 1 000 groups, beside DataFusion's own `avg`, in memory
//! and from Parquet.
//!
//! ```text
//! cargo run --release -p xai-datafusion --example throughput -- [MILLIONS OF ROWS] [PARTITIONS]
//! ```

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::array::{Float64Array, Int32Array, RecordBatch};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};

const N_GROUPS: u64 = 1000;
const BATCH: u64 = 8192;
/// Every query runs so often; the fastest counts.
const TIMES: usize = 5;

const QUERIES: [(&str, &str); 6] = [
    ("avg(base)", "SELECT g, avg(base) FROM t GROUP BY g"),
    (
        "avg of both columns",
        "SELECT g, avg(base), avg(masked) FROM t GROUP BY g",
    ),
    (
        "average_drop",
        "SELECT g, average_drop(base, masked) FROM t GROUP BY g",
    ),
    (
        "average_drop, text keys",
        "SELECT k, average_drop(base, masked) FROM (SELECT concat('explainer ', g) AS k, base, masked FROM t) GROUP BY k",
    ),
    ("avg, no groups", "SELECT avg(base) FROM t"),
    (
        "average_drop, no groups",
        "SELECT average_drop(base, masked) FROM t",
    ),
];

/// A number in (0, 1), and a group, of each row.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn batch(number: u64) -> RecordBatch {
    let rows = number * BATCH..(number + 1) * BATCH;
    let unit = |x: u64| ((mixed(x) >> 12) + 1) as f64 / (1u64 << 52) as f64;
    let groups = rows
        .clone()
        .map(|row| (mixed(row ^ 0x5555) % N_GROUPS) as i32);
    let base = rows.clone().map(|row| unit(2 * row));
    let masked = rows.map(|row| unit(2 * row + 1));
    RecordBatch::try_from_iter([
        ("g", Arc::new(Int32Array::from_iter_values(groups)) as _),
        ("base", Arc::new(Float64Array::from_iter_values(base)) as _),
        (
            "masked",
            Arc::new(Float64Array::from_iter_values(masked)) as _,
        ),
    ])
    .expect("columns of one length")
}

async fn measure(session: &SessionContext, n_rows: u64) -> Result<()> {
    let mut usual = None;
    for (name, sql) in QUERIES {
        let mut fastest = Duration::MAX;
        for _ in 0..TIMES {
            let start = Instant::now();
            session.sql(sql).await?.collect().await?;
            fastest = fastest.min(start.elapsed());
        }
        let usual = *usual.get_or_insert(fastest);
        println!(
            "  {name:<26} {:>7.1} ms  {:>6.1} M rows/s  {:.2} × avg",
            fastest.as_secs_f64() * 1e3,
            n_rows as f64 / fastest.as_secs_f64() / 1e6,
            fastest.as_secs_f64() / usual.as_secs_f64()
        );
    }
    Ok(())
}

fn session(n_partitions: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(n_partitions);
    let session = SessionContext::new_with_config(config);
    xai_datafusion::register(&session);
    session
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .map_while(|argument| argument.parse().ok());
    let millions: u64 = arguments.next().unwrap_or(16);
    let n_partitions = arguments.next().unwrap_or(2) as usize;
    let n_batches = (millions * 1_000_000).div_ceil(BATCH);
    let n_rows = n_batches * BATCH;
    println!("{n_rows} rows, {N_GROUPS} groups, {n_partitions} partitions, the fastest of {TIMES}");

    let mut partitions = vec![Vec::new(); n_partitions];
    for number in 0..n_batches {
        partitions[number as usize % n_partitions].push(batch(number));
    }
    let memory = session(n_partitions);
    memory.register_table(
        "t",
        Arc::new(MemTable::try_new(batch(0).schema(), partitions)?),
    )?;
    println!("in memory");
    measure(&memory, n_rows).await?;
    drop(memory);

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("scores.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path)?, batch(0).schema(), None)?;
    for number in 0..n_batches {
        writer.write(&batch(number))?;
    }
    writer.close()?;
    let parquet = session(n_partitions);
    let path = path.to_string_lossy();
    parquet
        .register_parquet("t", path.as_ref(), ParquetReadOptions::default())
        .await?;
    println!(
        "from Parquet, {:.0} MB",
        std::fs::metadata(path.as_ref())?.len() as f64 / 1e6
    );
    measure(&parquet, n_rows).await
}
