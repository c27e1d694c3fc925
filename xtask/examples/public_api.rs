//! `public_api FILE.json LISTING [--write]`: the public interface of a crate, a line for each item, from the JSON of rustdoc.
//!
//! Without `--write` it is held against the listing in the file. Either way the crates that its types come from must be known.

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::fs;
use std::process::ExitCode;

use public_api::{Builder, PublicItem};

/// Whose types may be in an interface: those of Rust, arrays and serialization.
const EVERYWHERE: [&str; 5] = ["core", "alloc", "std", "ndarray", "serde_core"];
/// What else is, with its reason in `docs/api-review.md`.
const REASONED: [&str; 3] = ["num_traits", "rand_xoshiro", "serde_json"];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [json, listing, rest @ ..] = arguments.as_slice() else {
        return Err("public_api FILE.json LISTING [--write]".into());
    };
    // What every type has, and what `derive` writes, is three quarters of all lines.
    let interface = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    // What a trait has is said by the trait.
    let is_of_trait = |line: &str| line.starts_with("impl") && line.contains(" for ");
    let items: Vec<_> = interface
        .items()
        .map(|item| (item, item.to_string()))
        .collect();
    let of_traits = items.iter().filter(|(_, line)| is_of_trait(line));
    let of_traits: HashSet<_> = of_traits.map(|(item, _)| item.id()).collect();
    let is_said = |item: &PublicItem| item.parent_id().is_some_and(|id| of_traits.contains(&id));
    let lines = items.iter().filter(|(item, _)| !is_said(item));
    let mut lines: Vec<String> = lines.map(|(_, line)| format!("{line}\n")).collect();
    lines.dedup();
    let lines = lines.concat();
    let unknown: BTreeSet<&str> = crates(&lines).filter(|name| !is_known(name)).collect();
    if !unknown.is_empty() {
        return Err(format!("{json}: types of other crates in the interface: {unknown:?}").into());
    }
    if rest == ["--write"] {
        fs::write(listing, lines)?;
        return Ok(());
    }
    let listed = fs::read_to_string(listing)?;
    let (listed, found) = (
        Vec::from_iter(listed.lines()),
        Vec::from_iter(lines.lines()),
    );
    let gone = listed
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("- {line}\n"));
    let new = found
        .iter()
        .filter(|line| !listed.contains(line))
        .map(|line| format!("+ {line}\n"));
    let changes: String = gone.chain(new).collect();
    match changes.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{listing} is not the interface:\n{changes}`cargo xtask api --write` writes it"
        )
        .into()),
    }
}

/// The crates of all paths: `core` of `core::fmt::Result`. Those of types, as in `T::Item`, begin with a capital.
fn crates(lines: &str) -> impl Iterator<Item = &str> {
    let is_apart = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
    let paths = lines
        .split(is_apart)
        .filter_map(|word| word.split_once("::"));
    paths
        .map(|(name, _)| name)
        .filter(|name| name.starts_with(|c: char| c.is_lowercase()))
}

fn is_known(name: &str) -> bool {
    name.starts_with("xai_") || EVERYWHERE.contains(&name) || REASONED.contains(&name)
}
