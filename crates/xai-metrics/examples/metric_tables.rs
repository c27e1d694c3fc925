//! Writes the tables of metrics that the documentation of the crates includes: with `--write` to
//! `crates/*/METRICS.md`, else to standard output. A test compares them with what is stored.
//!
//! ```sh
//! cargo run -p xai-metrics --example metric_tables -- --write
//! ```

use std::path::{Path, PathBuf};

use xai_metrics::core::{MetricInfo, describe::markdown, reliability};
use xai_metrics::{attribution, casebased, graph, repro};

/// What the metrics of each crate say of themselves.
fn metrics() -> [(&'static str, Vec<&'static MetricInfo>); 5] {
    let of_maps = attribution::metric::registry::metrics().iter();
    [
        ("xai-core", reliability::metrics().collect()),
        ("xai-casebased", casebased::registry::metrics().collect()),
        ("xai-attribution", of_maps.map(|entry| entry.info).collect()),
        ("xai-graph", graph::registry::metrics().collect()),
        ("xai-repro", repro::registry::metrics().collect()),
    ]
}

/// Where the table of a crate is.
fn file(of: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    crates.join(of).join("METRICS.md")
}

fn main() -> std::io::Result<()> {
    let write = std::env::args().any(|argument| argument == "--write");
    for (of, metrics) in metrics() {
        let table = markdown(metrics);
        if write {
            std::fs::write(file(of), table)?;
        } else {
            println!("# {of}\n\n{table}");
        }
    }
    Ok(())
}

#[test]
fn tables_are_as_stored_and_no_two_metrics_of_a_crate_have_one_name() {
    for (of, metrics) in metrics() {
        let mut names: Vec<&str> = metrics.iter().map(|info| info.name).collect();
        names.sort_unstable();
        assert!(
            names.windows(2).all(|two| two[0] != two[1]),
            "{of}: {names:?}"
        );
        let stored = std::fs::read_to_string(file(of)).expect(of);
        assert!(stored == markdown(metrics), "{of}: cargo xtask metrics");
    }
}
