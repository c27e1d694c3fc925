//! Prints the limits of this machine, and the shares of them that the benches of the same `cargo xtask bench` reached,
//! as tables in Markdown.

use xai_benches::limits::{FILE, machine};

fn main() {
    println!("{}", machine());
    let file = std::env::var_os(FILE);
    if let Some(rows) = file.and_then(|file| std::fs::read_to_string(file).ok()) {
        println!("| workload | threads | of the limit | share |\n|---|---:|---:|---:|\n{rows}");
    }
}
