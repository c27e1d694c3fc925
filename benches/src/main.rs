//! `peers-ours`: this project's side of the comparison with the peers.
//!
//! ```text
//! peers-ours list                    prints the workloads of this build
//! peers-ours serve ROOT              takes commands of `peers/compare.py` on standard input
//! peers-ours time ROOT [NAME…]       times workloads alone, on the data of an earlier comparison in ROOT
//! ```
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use xai_benches::{Answers, Data, Result, serve, workloads};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => {
            for workload in workloads() {
                println!("{}", workload.name);
            }
            Ok(())
        }
        ["serve", root] => serve(
            &PathBuf::from(root),
            std::io::stdin().lock(),
            std::io::stdout().lock(),
        ),
        ["time", root, ref names @ ..] => time(Path::new(root), names),
        _ => Err("usage: peers-ours list | serve ROOT | time ROOT [NAME…]".into()),
    }
}

/// Prints the best of five rounds of each workload, as a JSON object per line.
fn time(root: &Path, names: &[&str]) -> Result<()> {
    for workload in workloads() {
        if !names.is_empty() && !names.contains(&workload.name) {
            continue;
        }
        let folder = root.join(workload.data);
        let mut prepared = (workload.prepare)(&Data::new(&folder))?;
        prepared.answer(&Answers::new(&folder.join("ours").join(workload.name)))?;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(prepared.time()?);
        }
        println!(
            "{{\"work\":\"{}\",\"peer\":\"ours\",\"seconds\":{best:e}}}",
            workload.name
        );
    }
    Ok(())
}
