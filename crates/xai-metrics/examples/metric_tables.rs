//! Writes the tables of metrics that the documentation of the crates includes: with `--write` to
//! `crates/*/METRICS.md`, else to standard output. A test compares them with what is stored.
//!
//! ```sh
//! cargo run -p xai-metrics --example metric_tables -- --write
//! ```

use std::path::{Path, PathBuf};

use xai_metrics::common::describe::{Family, markdown};
use xai_metrics::families;

/// The file with the table of a family.
fn file(family: &Family) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    crates.join(family.package).join("METRICS.md")
}

fn main() -> std::io::Result<()> {
    let write = std::env::args().any(|argument| argument == "--write");
    for family in families() {
        let table = markdown(family.infos());
        if write {
            std::fs::write(file(family), table)?;
        } else {
            println!("# {}\n\n{table}", family.package);
        }
    }
    Ok(())
}

#[test]
fn tables_are_as_stored_and_no_two_metrics_of_a_family_have_one_name() {
    for family in families() {
        let mut names: Vec<&str> = family.infos().map(|info| info.name).collect();
        names.sort_unstable();
        assert!(
            names.windows(2).all(|two| two[0] != two[1]),
            "{}: {names:?}",
            family.name
        );
        let stored = std::fs::read_to_string(file(family)).expect(family.package);
        let table = markdown(family.infos());
        assert!(stored == table, "{}: cargo xtask metrics", family.name);
    }
}
