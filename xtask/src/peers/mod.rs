//! `cargo xtask peers`: the Python peers and ours, in turns, on the same data, in one run.
//!
//! A peer's process makes a workload's data (seeded) and writes them for ours to read. Both stay
//! alive with the data in memory and are timed in turns, so that other load on the machine slows
//! both; before each round a pause lets the threads of the previous process stop spinning. A time is
//! the best run of all rounds, and the table says beside it whether the two answers agree.
//! `--python` compares the package for Python instead, conversion included ([`from_python`]).

mod comparison;
mod conversation;
pub(crate) mod environment;
mod from_python;
mod table;

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace::{self, FAMILIES};
use comparison::{COMPARISONS, Comparison};
use conversation::Conversation;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use table::{Outcome, Row};

const SETTLE: Duration = Duration::from_millis(300);

pub(crate) fn run(arguments: &[String]) -> Result {
    let (options, names): (Vec<&str>, Vec<&str>) = arguments
        .iter()
        .map(String::as_str)
        .partition(|a| a.starts_with("--"));
    let known = ["--quick", "--python"];
    if let Some(unknown) = options.iter().find(|o| !known.contains(o)) {
        return Err(format!("unknown option {unknown}; there are {}", known.join(", ")).into());
    }
    let rounds = if options.contains(&"--quick") { 2 } else { 5 };
    if options.contains(&"--python") {
        if let Some(unknown) = names.iter().find(|name| !FAMILIES.contains(name)) {
            let known = FAMILIES.join(", ");
            return Err(format!("no family {unknown}; families: {known}").into());
        }
        return from_python::run(&names, rounds);
    }
    let chosen = |c: &Comparison| {
        names.is_empty() || names.iter().any(|n| [c.family, c.ours, c.data].contains(n))
    };
    for name in &names {
        if !COMPARISONS
            .iter()
            .any(|c| [c.family, c.ours, c.data].contains(name))
        {
            let works: Vec<&str> = COMPARISONS.iter().map(|c| c.ours).collect();
            return Err(format!(
                "no family or workload {name}; families: {}; workloads: {}",
                FAMILIES.join(", "),
                works.join(", ")
            )
            .into());
        }
    }

    let mut differ = Vec::new();
    for family in FAMILIES {
        let comparisons: Vec<&Comparison> = COMPARISONS
            .iter()
            .filter(|c| c.family == family && chosen(c))
            .collect();
        if comparisons.is_empty() {
            continue;
        }
        let (rows, versions) = compare(family, &comparisons, rounds)?;
        let markdown = table::markdown(family, &rows, rounds, &versions);
        println!("\n{markdown}");
        let complete =
            comparisons.len() == COMPARISONS.iter().filter(|c| c.family == family).count();
        let name = if complete {
            family.to_owned()
        } else {
            format!("{family}-part")
        };
        let path = workspace::target().join(format!("peers/table-{name}.md"));
        std::fs::write(&path, markdown)?;
        eprintln!("written to {}", path.display());
        differ.extend(rows.iter().filter(|r| r.differs()).map(|r| r.name()));
    }
    if differ.is_empty() {
        Ok(())
    } else {
        Err(format!("answers differ: {}", differ.join(", ")).into())
    }
}

/// Runs one family's comparisons; also gives the versions of what they ran against.
fn compare(family: &str, comparisons: &[&Comparison], rounds: usize) -> Result<(Vec<Row>, String)> {
    let root = workspace::target().join("peers/data");
    std::fs::create_dir_all(&root)?;
    let build = [
        "build",
        "--release",
        "--package",
        "xai-benches",
        "--no-default-features",
    ];
    Step::cargo("ours", &[&build[..], &["--features", family]].concat()).run()?;
    let binary = workspace::target()
        .join("release")
        .join(format!("peers-ours{}", std::env::consts::EXE_SUFFIX));
    let mut ours = Conversation::start("ours", Command::new(binary).arg("serve").arg(&root))?;

    let mut rows = Vec::new();
    let mut versions = Vec::new();
    for group in comparisons.chunk_by(|a, b| a.script == b.script) {
        let mut peers = python(group[0], &root)?;
        versions.push(peers.ask("versions")?);
        for group in group.chunk_by(|a, b| a.data == b.data) {
            eprintln!("── {}: data", group[0].data);
            let prepared = peers.ask(&format!("prepare {}", group[0].data));
            for comparison in group {
                match &prepared {
                    Ok(_) => rows.extend(take_turns(comparison, &mut peers, &mut ours, rounds)),
                    Err(e) => rows.extend(
                        comparison
                            .peers
                            .iter()
                            .map(|p| Row::failed(comparison, p, e.to_string())),
                    ),
                }
            }
            ours.ask("release")?;
        }
    }
    Ok((rows, versions.join("; ")))
}

fn python(comparison: &Comparison, root: &Path) -> Result<Conversation> {
    let python = comparison.environment.python()?;
    Conversation::start(
        "peers",
        Command::new(python)
            .arg(environment::scripts().join("serve.py"))
            .arg(comparison.script)
            .arg(root)
            .env("PYTHONDONTWRITEBYTECODE", "1"),
    )
}

/// Times each peer, then ours, once per round.
fn take_turns(
    comparison: &Comparison,
    peers: &mut Conversation,
    ours: &mut Conversation,
    rounds: usize,
) -> Vec<Row> {
    eprintln!("── {}: {rounds} rounds", comparison.ours);
    let prepared = ours.ask(&format!("prepare {}", comparison.ours));
    let mut own = Outcome::from_preparation(prepared);
    let mut theirs: Vec<Outcome> = comparison
        .peers
        .iter()
        .map(|p| Outcome::from_preparation(peers.ask(&format!("warm {}", p.name))))
        .collect();
    for _ in 0..rounds {
        for (peer, outcome) in comparison.peers.iter().zip(&mut theirs) {
            outcome.round(|| {
                std::thread::sleep(SETTLE);
                peers.time(&format!("time {}", peer.name))
            });
        }
        own.round(|| {
            std::thread::sleep(SETTLE);
            ours.time("time")
        });
    }
    comparison
        .peers
        .iter()
        .zip(theirs)
        .map(|(peer, outcome)| {
            let verdict = match (&own, &outcome) {
                (Outcome::Seconds(_), Outcome::Seconds(_)) => {
                    peers.ask(&format!("compare {} {}", comparison.ours, peer.name))
                }
                _ => Ok("not compared".to_owned()),
            };
            Row::new(comparison, peer, outcome, own.clone(), verdict)
        })
        .collect()
}
