//! The share of a limit that a workload reaches.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::limits::meter::Meter;
use crate::limits::work::{Limit, Work};

/// The variable that names the file which collects the shares of a run.
pub const FILE: &str = "XAI_SHARES";

/// The fastest runs of a workload and of its limit.
pub struct Share {
    name: String,
    work: Work,
    /// Seconds.
    fastest: f64,
    /// Per second.
    most: f64,
    /// Made when the workload is run, which a filter may leave out.
    meter: Option<Meter>,
}

impl Share {
    /// Of a workload that has not been run yet.
    #[must_use]
    pub fn new(name: String, work: Work) -> Self {
        Self {
            meter: None,
            fastest: f64::INFINITY,
            most: 0.0,
            name,
            work,
        }
    }

    /// Runs the workload so often, then what limits it.
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
        self.most = self.most.max(meter.measure());
        total
    }
}

/// Bytes below which an array stays in the cores' own caches, where calls and threads take most of the time.
const SMALL: f64 = 8e6;

impl Drop for Share {
    /// Prints the line of a workload that was run, and adds it to the file of the run.
    fn drop(&mut self) {
        let is_small = self.work.limit == Limit::Read && self.work.amount < SMALL;
        if self.fastest.is_infinite() || is_small {
            return;
        }
        let row = row(&self.name, self.work, self.fastest, self.most);
        println!("{row}");
        if let Some(file) = std::env::var_os(FILE) {
            let file = std::fs::OpenOptions::new()
                .create(true)
                .append(true)
                .open(file);
            let written = file
                .and_then(|mut file| std::io::Write::write_all(&mut file, (row + "\n").as_bytes()));
            written.expect("the file of the shares can be written");
        }
    }
}

/// A row of the table.
fn row(name: &str, work: Work, seconds: f64, most: f64) -> String {
    let (rate, cores) = (work.amount / seconds, work.threads);
    let (unit, share) = (work.limit.unit(), 100.0 * rate / most);
    format!(
        "| {name} | {cores} | {:.1} of {:.1} {unit} | {share:.0} % |",
        rate / 1e9,
        most / 1e9
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_rate_its_limit_and_the_share() {
        let on = |limit, amount| Work::new(limit, amount).on_one_core();
        assert_eq!(
            row("a", on(Limit::Read, 3_000_000_000), 0.5, 8e9),
            "| a | 1 | 6.0 of 8.0 GB/s | 75 % |"
        );
        // A multiply-add is two operations, a word one.
        assert_eq!(
            row("b", on(Limit::Float32, 30_000_000_000), 0.5, 160e9),
            "| b | 1 | 120.0 of 160.0 GFLOP/s | 75 % |"
        );
        assert_eq!(
            row("c", on(Limit::SharedBits, 4_000_000_000), 2.0, 4e9),
            "| c | 1 | 2.0 of 4.0 G words/s | 50 % |"
        );
    }

    #[test]
    fn the_fastest_run_counts() {
        let mut share = Share::new("a".to_owned(), Work::new(Limit::Count, 1).on_one_core());
        let mut pauses = [20, 3, 20].map(Duration::from_millis).into_iter();
        let total = share.time(3, || pauses.next().map(std::thread::sleep));
        assert!(share.fastest >= 0.003 && 3.0 * share.fastest < total.as_secs_f64());
        assert!(share.most > 0.0);
        share.fastest = f64::INFINITY; // nothing is printed
    }
}
