//! All error metrics of 1000 runs of a million samples, summaries only: time and memory.
//!
//! ```text
//! cargo run --release -p xai-repro --example thousand_runs [RUNS [SAMPLES]]
//! ```
//!
//! Runs are made and packed one at a time, as from a file: only their errors are kept, one bit each.

use std::time::Instant;

use xai_core::random::{random_stream, uniform};
use xai_repro::metrics::error_metrics;
use xai_repro::{PackedRunsBuilder, Pairwise, Result};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| {
        arguments
            .next()
            .and_then(|x| x.parse().ok())
            .unwrap_or(default)
    };
    let (n_runs, n_samples): (usize, usize) = (number(1000), number(1_000_000));
    let labels = vec![0u8; n_samples];
    // A sixteenth of the samples is hard: there runs err half of the time.
    let mut run = vec![0u8; n_samples];
    let mut builder = PackedRunsBuilder::new(&error_metrics(), &labels)?;
    let (mut making, mut packed_in) = (0.0, 0.0);
    for item in 0..n_runs as u64 {
        let start = Instant::now();
        let mut stream = random_stream(1, item);
        for hard in run.iter_mut().step_by(16) {
            *hard = u8::from(uniform(&mut stream) < 0.5);
        }
        making += start.elapsed().as_secs_f64();
        let start = Instant::now();
        builder.push(&run)?;
        packed_in += start.elapsed().as_secs_f64();
    }
    let packed = builder.build()?;
    let start = Instant::now();
    let pairwise = Pairwise::new().metrics(&error_metrics());
    let summaries = pairwise.summarize(&packed)?;
    let counted_in = start.elapsed().as_secs_f64();
    for metric in summaries.metrics() {
        let summary = summaries.summary(metric).unwrap_or_default();
        let interval = summaries.interval(metric, 0.95)?;
        println!("{metric:12} {summary:?} {interval:?}");
    }
    let pairs = n_runs * (n_runs - 1) / 2;
    println!("{n_runs} runs, {n_samples} samples, {pairs} pairs");
    println!("made in {making:.2} s, packed in {packed_in:.2} s, counted in {counted_in:.2} s");
    if let Some(peak) = peak_memory() {
        println!("peak memory {peak}");
    }
    Ok(())
}

/// The most memory the process has held, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}
