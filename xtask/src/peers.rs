//! `cargo xtask peers`: creates the environments of the Python peers and runs `benches/peers/compare.py` in them.

use crate::command::{Result, cargo, command, target};
use crate::python::{base, differential, environment, install, install_alone, install_and_test};

/// Environments and their groups of requirements. There are three, because the peers need different versions of the
/// same packages. Peers whose version bounds exclude other requirements are installed without dependencies.
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
            // The metrics need few dependencies of the last three; `benches/peers/absent.py` replaces the others.
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
        // The peers whose interfaces the package imitates.
        for (name, requirements) in ENVIRONMENTS {
            if name != "xplique" {
                let python = environment(name, requirements)?;
                install_alone(&python, "dist")?;
                differential(&python, &[&["--interfaces"], rest].concat())?;
            }
        }
        return Ok(());
    }
    // The script prints which environments the workloads need.
    let needed = command(base())
        .args([SCRIPT, "--environments"])
        .args(arguments)
        .output()?;
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
            // The requirements of the package's tests may have replaced versions of packages.
            environment(name, requirements)?;
        }
        let compare = command(python)
            .args(["-B", SCRIPT, "--in", name])
            .args(arguments)
            .args(["--ours".into(), target().join(&binary)])
            .args(["--data".into(), target().join("peers/data")]);
        // If one environment fails, the tables of the others are still printed.
        failed.extend(compare.run().err());
    }
    match failed.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(()),
    }
}
