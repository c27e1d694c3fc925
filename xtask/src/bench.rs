//! `cargo xtask bench [CRATE] [-- ARGS]`: the criterion benches.

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace;

pub(crate) fn run(arguments: &[String]) -> Result {
    let split = arguments.iter().position(|a| a == "--");
    let (names, criterion) = arguments.split_at(split.unwrap_or(arguments.len()));
    let mut command = vec!["bench", "--package", "xai-benches"];
    match names {
        [] => command.push("--benches"),
        [name] => {
            let family = name.strip_prefix("xai-").unwrap_or(name);
            let file = workspace::root().join(format!("benches/benches/{family}.rs"));
            if !file.is_file() {
                return Err(format!("no benches for {name}: {} is missing", file.display()).into());
            }
            // Only that family's crate is built; xai-core always is.
            command.push("--no-default-features");
            if workspace::FAMILIES.contains(&family) {
                command.extend(["--features", family]);
            }
            command.extend(["--bench", family]);
        }
        _ => return Err("one crate, or none for all: cargo xtask bench [CRATE] [-- ARGS]".into()),
    }
    command.extend(criterion.iter().map(String::as_str));
    Step::cargo("bench", &command).run().map(|_| ())
}
