//! The examples of the attribution metrics in the documentation, on the command line: the first example in the help of
//! each metric, in a folder with files of these names.

use std::path::PathBuf;

use xai_metrics::attribution::InputLayout;
use xai_metrics::attribution::metric::{Entry, registry};

use crate::harness::Files;

/// Metrics whose example needs data that cannot be in files.
const IN_THE_LIBRARIES_ALONE: [&str; 1] = ["relative-representation-stability"];

/// Returns a folder with the files of `tests/data/examples`.
fn files(kind: &str) -> Files {
    let files = Files::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/examples")
        .join(kind);
    for file in folder.read_dir().expect("a folder") {
        let file = file.expect("a file");
        let name = file.file_name().into_string().expect("text");
        files.bytes(&name, &std::fs::read(file.path()).expect("read"));
    }
    files
}

/// Returns the first example in the help of a metric, if it has a command.
fn example(files: &Files, entry: &Entry) -> Option<String> {
    let name = entry.info.name;
    let help = files.run(&format!("attribution {name} --help"));
    let help = String::from_utf8(help.stdout).expect("text");
    let mut lines = help.lines().map(str::trim);
    let example = lines.find_map(|line| line.strip_prefix("xai attribution "))?;
    let classes = match entry.has_param("n_classes") {
        true => " --n-classes 2", // classes do not say how many there are
        false => "",
    };
    let channels = match entry.takes(InputLayout::Tabular) {
        true => "",
        false => " --channels last",
    };
    Some(format!("attribution {example}{classes}{channels}"))
}

#[test]
fn the_example_of_every_metric_has_its_value_on_the_command_line() {
    let (tabular, images) = (files("tabular"), files("images"));
    let mut left_out = Vec::new();
    for entry in registry::metrics() {
        let Some(expected) = entry.info.example else {
            continue;
        };
        let files = match entry.takes(InputLayout::Tabular) {
            true => &tabular,
            false => &images,
        };
        let Some(command) = example(files, entry) else {
            left_out.push(entry.info.name);
            continue;
        };
        let value = files.json(&command)["value"].as_f64().expect("a number");
        // Half of the last documented digit, plus the error of a model in single precision. It is largest for the
        // relative output stability, which divides by differences of outputs: 30 units in the last place.
        let tolerance = 0.5e-4 + 64.0 * f64::from(f32::EPSILON) * expected.abs().max(1.0);
        assert!(
            (value - expected).abs() <= tolerance,
            "{command}: {value}, not {expected}"
        );
    }
    assert_eq!(left_out, IN_THE_LIBRARIES_ALONE);
}
