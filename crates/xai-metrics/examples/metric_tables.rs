//! Writes the tables of metrics that the documentation of the crates includes: with `--write` to
//! `crates/*/METRICS.md` below the folder it is started in, else to standard output.
//!
//! ```sh
//! cargo run -p xai-metrics --example metric_tables -- --write
//! ```

use std::path::Path;

fn main() -> std::io::Result<()> {
    let tables = [
        ("xai-core", xai_metrics::core::reliability::markdown()),
        (
            "xai-casebased",
            xai_metrics::casebased::registry::markdown(),
        ),
        (
            "xai-attribution",
            xai_metrics::attribution::metric::registry::markdown(),
        ),
        ("xai-graph", xai_metrics::graph::registry::markdown()),
        ("xai-repro", xai_metrics::repro::registry::markdown()),
    ];
    let write = std::env::args().any(|argument| argument == "--write");
    for (of, table) in tables {
        if write {
            std::fs::write(Path::new("crates").join(of).join("METRICS.md"), table)?;
        } else {
            println!("# {of}\n\n{table}");
        }
    }
    Ok(())
}
