//! The share of a limit that a workload reaches.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::limits::meter::Meter;
use crate::limits::work::{Limit, Work};

/// Environment variable with the name of the file that collects the shares of a run.
pub const FILE: &str = "XAI_SHARES";

/// The best results of a workload and of its limit.
pub struct Share {
    name: String,
    work: Work,
    /// Time of the fastest run in seconds.
    fastest: f64,
    /// Highest measured rate of the limit per second.
    highest_rate: f64,
    /// Created at the first run, which a filter of criterion may leave out.
    meter: Option<Meter>,
}

impl Share {
    /// Creates the share of a workload that has not run yet.
    #[must_use]
    pub fn new(name: String, work: Work) -> Self {
        Self {
            meter: None,
            fastest: f64::INFINITY,
            highest_rate: 0.0,
            name,
            work,
        }
    }

    /// Runs the workload `iterations` times, then measures its limit. Returns the total time of the workload.
    pub fn time<T>(&mut self, iterations: u64, mut run: impl FnMut() -> T) -> Duration {
        let mut total = Duration::ZERO;
        for _ in 0..iterations {
            let start = Instant::now();
            let answer = black_box(run());
            let took = start.elapsed();
            drop(answer);
            self.fastest = self.fastest.min(took.as_secs_f64());
            total += took;
        }
        let Work {
            limit,
            amount,
            threads,
        } = self.work;
        let meter = self
            .meter
            .get_or_insert_with(|| Meter::new(limit, amount, threads));
        self.highest_rate = self.highest_rate.max(meter.measure());
        total
    }
}

/// Size in bytes below which no share is printed: smaller arrays stay in the cores' own caches, and calls and threads
/// take most of the time.
const SMALL: f64 = 8e6;

impl Drop for Share {
    /// Prints the row of a workload that was run, and appends it to the file of shares.
    fn drop(&mut self) {
        let is_small = self.work.limit == Limit::Read && self.work.amount < SMALL;
        if self.fastest.is_infinite() || is_small {
            return;
        }
        let row = row(&self.name, self.work, self.fastest, self.highest_rate);
        println!("{row}");
        if let Some(path) = std::env::var_os(FILE) {
            std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .and_then(|mut file| std::io::Write::write_all(&mut file, (row + "\n").as_bytes()))
                .expect("the file of the shares can be written");
        }
    }
}

/// Formats a row of the table. `limit_rate` is the rate of the limit per second.
fn row(name: &str, work: Work, seconds: f64, limit_rate: f64) -> String {
    let (rate, cores) = (work.amount / seconds, work.threads);
    let (unit, share) = (work.limit.unit(), 100.0 * rate / limit_rate);
    format!(
        "| {name} | {cores} | {:.1} of {:.1} {unit} | {share:.0} % |",
        rate / 1e9,
        limit_rate / 1e9
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_rate_its_limit_and_the_share() {
        let work = |limit, amount| Work::new(limit, amount).on_one_core();
        assert_eq!(
            row("a", work(Limit::Read, 3_000_000_000), 0.5, 8e9),
            "| a | 1 | 6.0 of 8.0 GB/s | 75 % |"
        );
        // A multiply-add is two operations, and a word is one.
        assert_eq!(
            row("b", work(Limit::Float32, 30_000_000_000), 0.5, 160e9),
            "| b | 1 | 120.0 of 160.0 GFLOP/s | 75 % |"
        );
        assert_eq!(
            row("c", work(Limit::SharedBits, 4_000_000_000), 2.0, 4e9),
            "| c | 1 | 2.0 of 4.0 G words/s | 50 % |"
        );
    }

    #[test]
    fn the_fastest_run_counts() {
        let mut share = Share::new("a".to_owned(), Work::new(Limit::Count, 1).on_one_core());
        let mut pauses = [20, 3, 20].map(Duration::from_millis).into_iter();
        let total = share.time(3, || pauses.next().map(std::thread::sleep));
        assert!(share.fastest >= 0.003 && 3.0 * share.fastest < total.as_secs_f64());
        assert!(share.highest_rate > 0.0);
        share.fastest = f64::INFINITY; // nothing is printed
    }
}
