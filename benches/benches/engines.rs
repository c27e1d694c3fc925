//! Checks that `Engine::Auto` takes at most 1.3 times as long as the better of the engines from which it chooses. The
//! engines run in turns. Criterion would run one after the other, and changes in the machine's speed would affect only
//! one of them.
//!
//! `cargo bench -p xai-benches --bench engines [-- ROW...]` prints a table. Its last column is the time of the engine
//! that `Auto` chose divided by that of the better engine. The exit code is 1 if it is more than 1.3 in any row. Times
//! are the best of all rounds; building is timed once. On a busy machine a scan gains on a tree, because a tree depends
//! on caches.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ndarray::{Array2, ArrayView2, s};
use xai_benches::rows::{clusters, digits, normals, uniforms};
use xai_casebased::{Distance, Engine, NeighborSearch};

/// Function that creates rows of a distribution, from their number and 0 for training rows or 1 for queries.
type Rows = fn(usize, u64) -> Array2<f64>;

/// A search, which is a row of the table.
struct Row {
    name: &'static str,
    rows: Rows,
    n: usize,
    queries: usize,
    distance: Distance,
    k: usize,
}

const fn row(
    name: &'static str,
    rows: Rows,
    n: usize,
    queries: usize,
    distance: Distance,
    k: usize,
) -> Row {
    Row {
        name,
        rows,
        n,
        queries,
        distance,
        k,
    }
}

/// The sizes of the comparison with the peers, and others around the point at which both engines take the same time,
/// which is near 10 independent normal features.
const ROWS: &[Row] = {
    use Distance::{Chebyshev, Euclidean, Manhattan};
    let normal_5: Rows = |n, item| normals(n, 5, item);
    let normal_8: Rows = |n, item| normals(n, 8, item);
    let normal_12: Rows = |n, item| normals(n, 12, item);
    let normal_10: Rows = |n, item| normals(n, 10, item);
    let normal_30: Rows = |n, item| normals(n, 30, item);
    let normal_784: Rows = |n, item| normals(n, 784, item);
    let uniform_3: Rows = |n, item| uniforms(n, 3, item);
    let uniform_20: Rows = |n, item| uniforms(n, 20, item);
    let clusters_12: Rows = |n, item| clusters(n, 12, 100, item);
    let digits_64: Rows = |n, item| digits(n, 0.8, item);
    &[
        row("knn_5d", normal_5, 56_959, 2_000, Euclidean, 5),
        row("normal_8d", normal_8, 100_000, 1_000, Euclidean, 5),
        row("normal_12d", normal_12, 100_000, 1_000, Euclidean, 5),
        row("normal_10d", normal_10, 10_000, 1_000, Chebyshev, 5),
        row("knn_30d", normal_30, 284_807, 512, Euclidean, 5),
        row("clusters_12d", clusters_12, 200_000, 1_000, Chebyshev, 5),
        row("clusters_12d", clusters_12, 200_000, 1_000, Euclidean, 5),
        row("digits_64d", digits_64, 60_000, 1_000, Euclidean, 5),
        row("digits_64d", digits_64, 60_000, 512, Manhattan, 5),
        row("uniform_20d", uniform_20, 100_000, 512, Euclidean, 50),
        row("uniform_3d", uniform_3, 1_000_000, 2_000, Euclidean, 1),
        row("knn_784d", normal_784, 60_000, 256, Euclidean, 5),
    ]
};

/// Largest allowed time of `Auto` relative to that of the better engine.
const ALLOWED: f64 = 1.3;

/// Total time of the rounds of a row, and their least number.
const ROUNDS: (Duration, usize) = (Duration::from_secs(8), 4);

/// Longest time of an engine's round. A round has all queries, or as many as fit into this time.
const ROUND: Duration = Duration::from_millis(500);

/// An engine and its times.
struct Contestant {
    search: Box<dyn NeighborSearch>,
    build: Duration,
    queries: usize,
    /// Seconds per query of the best round.
    best: f64,
}

impl Contestant {
    fn new(engine: Engine, train: ArrayView2<'_, f64>, row: &Row) -> Self {
        let start = Instant::now();
        let search = engine.build_for(train, row.distance.clone(), row.k);
        Self {
            search: search.expect("finite rows"),
            build: start.elapsed(),
            queries: 0,
            best: f64::INFINITY,
        }
    }

    fn round(&mut self, queries: ArrayView2<'_, f64>, k: usize) {
        const FIRST: usize = 32;
        if self.queries == 0 {
            let start = Instant::now();
            black_box(self.search.nearest_batch(queries.slice(s![..FIRST, ..]), k))
                .expect("finite distances");
            let fit = ROUND.as_secs_f64() / start.elapsed().as_secs_f64() * FIRST as f64;
            self.queries = (fit as usize).clamp(FIRST, queries.nrows());
        }
        let round_queries = queries.slice(s![..self.queries, ..]);
        let start = Instant::now();
        black_box(self.search.nearest_batch(round_queries, k)).expect("finite distances");
        self.best = self
            .best
            .min(start.elapsed().as_secs_f64() / self.queries as f64);
    }
}

/// Prints a row, and returns the time of the engine that `Auto` chose divided by that of the better engine.
fn compare(row: &Row) -> f64 {
    let train = (row.rows)(row.n, 0);
    let queries = (row.rows)(row.queries, 1);
    let engines = [Engine::Auto, Engine::KdTree, Engine::BruteForce];
    let mut contestants = engines.map(|engine| Contestant::new(engine, train.view(), row));
    let (start, mut rounds) = (Instant::now(), 0);
    while rounds < ROUNDS.1 || start.elapsed() < ROUNDS.0 {
        for contestant in &mut contestants {
            contestant.round(queries.view(), row.k);
        }
        rounds += 1;
    }
    let [auto, tree, scan] = &contestants;
    // `Auto` is one of the other two engines, which is therefore timed twice as often.
    let same = match auto.search.engine() {
        Engine::KdTree => tree,
        _ => scan,
    };
    let ratio = auto.best.min(same.best) / tree.best.min(scan.best);
    print!(
        "| {} {} × {} | {}, {} ",
        row.name,
        row.n,
        train.ncols(),
        row.distance,
        row.k
    );
    print!("| {} ", auto.search.engine());
    for contestant in [auto, tree, scan] {
        print!("| {:.2} ", 1e6 * contestant.best);
    }
    for contestant in [auto, tree, scan] {
        print!("| {} ", contestant.build.as_millis());
    }
    println!("| {ratio:.2} |");
    ratio
}

fn main() -> ExitCode {
    // Cargo passes options such as `--bench`.
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    println!("µs per query and ms to build, for `Auto`, tree and scan:\n");
    println!(
        "| rows | distance, k | `Auto` is | `Auto` | tree | scan | built | tree | scan | ratio |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    let chosen = |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name));
    let ratios: Vec<f64> = ROWS.iter().filter(chosen).map(compare).collect();
    if ratios.iter().all(|ratio| *ratio <= ALLOWED) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
