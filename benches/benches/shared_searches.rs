//! Checks that all metrics of nearest training rows together take at most 1.5 times as long as the searches that they need, and
//! hold at most four times the memory of the data.
//!
//! `cargo bench -p xai-benches --bench shared_searches [-- TRAIN QUERIES]` prints both for that many training rows and queries of
//! 20 columns with four counterfactuals each (default: 10,000 and 1,000). The searches and the metrics run in turns, and times are
//! the best of all rounds. The exit code is 1 if a limit is exceeded. Memory is what is held at most by the data of the caller, by
//! the library's copies of them, engines and neighbours, without the values that are returned.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use peak_alloc::PeakAlloc;
use xai_benches::rows::{clusters, normals};
use xai_core::describe::Setting;
use xai_counterfactual::{
    CounterfactualData, CounterfactualValues, Reference, Schema, input, registry,
};
use xai_neighbors::{Distance, Engine, NeighborSearch};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const COLUMNS: usize = 20;
const COUNTERFACTUALS: usize = 4;

/// Numbers of neighbours that the metrics below read: of counterfactuals and training rows for the local outlier factor, and of
/// queries for the discriminative power.
const K: usize = 20;
const K_OF_QUERIES: usize = 5;

const METRICS: [&str; 8] = [
    "nearest-distance",
    "ynn",
    "local-outlier-factor",
    "connectedness",
    "relative-distance",
    "neighbor-ratio",
    "trust-score",
    "discriminative-power",
];

/// Allowed time relative to the searches, and allowed memory relative to the data.
const ALLOWED: (f64, f64) = (1.5, 4.0);

/// Time of all rounds.
const ROUNDS: Duration = Duration::from_secs(10);

/// Rows that are searched at a time, so that the answers need little memory.
const BLOCK: usize = 4096;

struct Study {
    train: Array2<f64>,
    labels: Vec<i64>,
    queries: Array2<f64>,
    rows: Array2<f64>,
    query: Vec<usize>,
}

impl Study {
    /// Rows in clusters, whose class is that of the cluster's side.
    fn new(n_train: usize, n_queries: usize) -> Self {
        let train = clusters(n_train, COLUMNS, 100, 0);
        let side = |row: ndarray::ArrayView1<'_, f64>| i64::from(row.sum() > 0.0);
        let labels = train.rows().into_iter().map(side).collect();
        let queries = clusters(n_queries, COLUMNS, 100, 1);
        let n = n_queries * COUNTERFACTUALS;
        let query: Vec<usize> = (0..n).map(|row| row / COUNTERFACTUALS).collect();
        // Any change does: only the searches are timed.
        let rows = queries.select(Axis(0), &query) + 0.5 * normals(n, COLUMNS, 2);
        Self {
            train,
            labels,
            queries,
            rows,
            query,
        }
    }

    fn bytes(&self) -> usize {
        8 * (self.train.len() + self.queries.len() + self.rows.len())
    }

    /// Time of all metrics, and the most memory that they held without their values.
    fn metrics(&self) -> (f64, usize) {
        let held = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let start = Instant::now();
        let values = self.values().expect("finite rows");
        let seconds = start.elapsed().as_secs_f64();
        let results = |values: &CounterfactualValues| {
            let of_rows = values.per_counterfactual.as_ref().map_or(0, Vec::len);
            size_of::<Option<f64>>() * (values.per_query.len() + of_rows)
        };
        let results: usize = values.iter().map(results).sum();
        let peak = ALLOCATOR.peak_usage() - held + self.bytes();
        (seconds, peak - results)
    }

    fn values(&self) -> xai_core::Result<Vec<CounterfactualValues>> {
        let reference = Reference::new(
            Schema::numeric(COLUMNS),
            self.train.view(),
            Some(&self.labels),
        )?;
        let (n, m) = (self.queries.nrows(), self.rows.nrows());
        let data = CounterfactualData::new(
            reference.schema(),
            self.queries.view(),
            self.rows.view(),
            &self.query,
        )?
        .reference(&reference)?
        .classes(input::CLASS, &vec![0; n])?
        .classes(input::PREDICTED, &vec![1; m])?;
        registry::evaluate_all(&METRICS.map(Setting::new), &data, |_| {})
    }

    /// Time of the searches that the metrics need: of counterfactuals, queries and training rows among each class.
    fn searches(&self) -> f64 {
        // Gower's distance of numbers is the Manhattan distance of columns divided by their range.
        let ends = |column: ndarray::ArrayView1<'_, f64>| {
            let fold = |pick: fn(f64, f64) -> f64, start| column.iter().copied().fold(start, pick);
            1.0 / (COLUMNS as f64 * (fold(f64::max, f64::MIN) - fold(f64::min, f64::MAX)))
        };
        let factors: Vec<f64> = self.train.columns().into_iter().map(ends).collect();
        let factors = ndarray::Array1::from(factors);
        let (queries, rows) = (&self.queries * &factors, &self.rows * &factors);
        let by_class: Vec<Array2<f64>> = (0..2)
            .map(|class| {
                let own: Vec<usize> = (0..self.labels.len())
                    .filter(|&row| self.labels[row] == class)
                    .collect();
                self.train.select(Axis(0), &own) * &factors
            })
            .collect();
        let all =
            concatenate(Axis(0), &[by_class[0].view(), by_class[1].view()]).expect("one width");
        let mut total = 0.0;
        for class in &by_class {
            let search = Engine::Auto
                .build_for(class.view(), Distance::Manhattan, K_OF_QUERIES)
                .expect("finite rows");
            for (queries, k) in [(&rows, K), (&queries, K_OF_QUERIES), (&all, K + 1)] {
                let start = Instant::now();
                in_blocks(&*search, queries.view(), k);
                total += start.elapsed().as_secs_f64();
            }
        }
        total
    }
}

fn in_blocks(search: &dyn NeighborSearch, queries: ArrayView2<'_, f64>, k: usize) {
    for block in queries.axis_chunks_iter(Axis(0), BLOCK) {
        std::hint::black_box(search.nearest_batch(block, k)).expect("finite distances");
    }
}

fn main() -> ExitCode {
    let numbers: Vec<usize> = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let (n_train, n_queries) = match numbers[..] {
        [n_train, n_queries] => (n_train, n_queries),
        _ => (10_000, 1_000),
    };
    let study = Study::new(n_train, n_queries);
    let (mut searches, mut metrics, mut peak) = (f64::INFINITY, f64::INFINITY, 0);
    let start = Instant::now();
    while start.elapsed() < ROUNDS {
        searches = searches.min(study.searches());
        let (seconds, bytes) = study.metrics();
        metrics = metrics.min(seconds);
        peak = peak.max(bytes);
    }
    let ratio = metrics / searches;
    let memory = peak as f64 / study.bytes() as f64;
    println!("| training rows | counterfactuals | searches | metrics | ratio | memory / data |");
    println!("|---:|---:|---:|---:|---:|---:|");
    println!(
        "| {n_train} × {COLUMNS} | {n_queries} × {COUNTERFACTUALS} | {searches:.3} s | {metrics:.3} s | {ratio:.2} | {memory:.2} |"
    );
    if ratio <= ALLOWED.0 && memory <= ALLOWED.1 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
