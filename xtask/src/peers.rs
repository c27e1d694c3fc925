//! `cargo xtask peers`: makes the environments of the Python peers and starts `benches/peers/compare.py` in them.

use crate::command::{Result, cargo, command, target};
use crate::python::{base, differential, environment, install, install_alone, install_and_test};

/// Three environments, because the peers need different versions of the same packages; those whose own bounds exclude
/// what else is needed are installed alone.
const ENVIRONMENTS: [(&str, &[&str]); 3] = [
    ("peers", &["--requirement benches/peers/peers.txt"]),
    (
        "xplique",
        &[
            "--requirement benches/peers/xplique.txt",
            "--no-deps xplique==2.0.2",
        ],
    ),
    (
        "quantus",
        &[
            "--requirement benches/peers/quantus.txt",
            // Of the last three only what the metrics need: `benches/peers/absent.py` stands for the rest.
            "--no-deps quantus==0.6.0 captum==0.9.0 quanda==0.5.0 ferret-xai==0.4.2 metaquantus==0.0.5",
        ],
    ),
];

const SCRIPT: &str = "benches/peers/compare.py";

pub(crate) fn run(arguments: &[&str]) -> Result {
    if let ["--differential", rest @ ..] = arguments {
        let python = environment("package", &[])?;
        install(&python, "dist", "test")?;
        differential(&python, rest)?;
        // Those with interfaces that this package has, too.
        for (name, requirements) in ENVIRONMENTS {
            if name != "xplique" {
                let python = environment(name, requirements)?;
                install_alone(&python, "dist")?;
                differential(&python, &[&["--interfaces"], rest].concat())?;
            }
        }
        return Ok(());
    }
    // It knows the workloads, and says which environments they need.
    let needed = command(base()).args([SCRIPT, "--environments"]);
    let needed = needed.args(arguments).output()?;
    let from_python = arguments.contains(&"--python");
    if !from_python {
        cargo("build --release --package xai-benches --bin peers-ours").run()?;
    }
    let binary = format!("release/peers-ours{}", std::env::consts::EXE_SUFFIX);
    let mut failed = Vec::new();
    for (name, requirements) in ENVIRONMENTS {
        if !needed.lines().any(|line| line == name) {
            continue;
        }
        let python = environment(name, requirements)?;
        if from_python {
            install_and_test(&python, "dist")?;
            // Its tests have brought releases of their own.
            environment(name, requirements)?;
        }
        let compare = command(python)
            .args(["-B", SCRIPT, "--in", name])
            .args(arguments)
            .args(["--ours".into(), target().join(&binary)])
            .args(["--data".into(), target().join("peers/data")]);
        // The tables of the other environments are made all the same.
        failed.extend(compare.run().err());
    }
    match failed.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
