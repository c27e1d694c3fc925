//! A cluster on one machine: a scheduler and two executors as processes of their own, and a query.
//!
//! ```sh
//! cargo build -p xai-scale && cargo run -p xai-scale --example two_executors
//! ```

use std::io::{BufRead, BufReader, Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const QUERY: &str = "SELECT explainer, average_drop(base, masked) AS drop, count(*) AS n FROM 'TABLE' GROUP BY explainer ORDER BY explainer";

/// A process that ends with us.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<()> {
    let program = program()?;
    let folder = tempfile::tempdir()?;
    let scores = folder.path().join("scores");
    run(
        &program,
        &["generate", "--rows", "1000000", "--groups", "4"],
        &scores,
    )?;

    let (_scheduler, line) = server(&program, &["scheduler", "--port", "0"])?;
    let address = line.trim_start_matches("scheduler at ");
    let arguments = [
        "executor",
        "--scheduler",
        address,
        "--concurrent-tasks",
        "1",
    ];
    let (_first, line) = server(&program, &arguments)?;
    println!("{line}");
    let (_second, line) = server(&program, &arguments)?;
    println!("{line}");

    let query = QUERY.replace("TABLE", &scores.to_string_lossy());
    let asked = Command::new(&program)
        .args(["sql", &query, "--scheduler", address, "--timeout", "120"])
        .status()?;
    asked
        .success()
        .then_some(())
        .ok_or(Error::other("the query failed"))
}

/// `xai-scale`, which cargo builds one folder above its examples.
fn program() -> Result<PathBuf> {
    let example = std::env::current_exe()?;
    let folder = example.parent().and_then(Path::parent);
    let name = format!("xai-scale{}", std::env::consts::EXE_SUFFIX);
    let program = folder.map(|folder| folder.join(name));
    let built = program.filter(|program| program.is_file());
    built.ok_or(Error::other("build it first: cargo build -p xai-scale"))
}

fn run(program: &Path, arguments: &[&str], out: &Path) -> Result<()> {
    let status = Command::new(program)
        .args(arguments)
        .arg("--out")
        .arg(out)
        .status()?;
    status
        .success()
        .then_some(())
        .ok_or(Error::other("no scores"))
}

/// Starts a server and reads the line by which it says where it is.
fn server(program: &Path, arguments: &[&str]) -> Result<(Server, String)> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().ok_or(Error::other("no output"))?;
    let server = Server(child);
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    Ok((server, line.trim().to_owned()))
}
