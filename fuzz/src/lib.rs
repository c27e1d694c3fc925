//! Readers of files, states and settings as functions of arbitrary bytes. They must return without a panic, in time,
//! and with little more memory than the size of the input.
//!
//! `cargo xtask fuzz` calls them with inputs from libFuzzer. `tests/inputs.rs`, a part of the everyday tests, calls
//! them with the files of the workspace, complete, truncated and changed, and with inputs that failed once
//! (`inputs/TARGET`).
#![forbid(unsafe_code)]

mod files;
mod limits;
/// Creates a report with all sections.
#[path = "../../crates/xai-report/tests/fixture/realistic.rs"]
#[allow(dead_code)] // The tests of xai-report use the rest of this file. `expect` would fail there.
mod realistic;
mod seeds;
mod settings;
mod states;

pub use limits::run_within_limits;

/// A function under test, which reads arbitrary bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the target, and of the folder with its inputs.
    pub name: &'static str,
    /// Description of the data that it reads.
    pub reads: &'static str,
    run: fn(&[u8]),
    /// Folders of the workspace with inputs, and the ends of their file names.
    seeds: &'static [(&'static str, &'static str)],
    /// Returns further inputs, most of them written by the libraries.
    written: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "npy",
        reads: "arrays, as a whole and in parts",
        run: files::npy,
        seeds: &[
            ("crates/xai-cli/sample", ".npy"),
            ("crates/xai-cli/tests/data", ".npy"),
        ],
        written: Vec::new,
    },
    Target {
        name: "npz",
        reads: "archives of arrays",
        run: files::npz,
        seeds: &[],
        written: Vec::new,
    },
    Target {
        name: "csv",
        reads: "tables, as numbers and as text",
        run: files::csv,
        seeds: &[
            ("crates/xai-cli/sample", ".csv"),
            ("crates/xai-cli/tests/data", ".csv"),
        ],
        written: files::tables,
    },
    Target {
        name: "json",
        reads: "JSON documents in any encoding, with NaN and Infinity",
        run: files::json,
        seeds: &[("crates/xai-cli/sample", ".json")],
        written: files::documents,
    },
    Target {
        name: "onnx",
        reads: "models of samples and of graphs, and their outputs",
        run: files::onnx,
        seeds: &[
            ("crates/xai-cli/sample", ".onnx"),
            ("crates/xai-cli/tests/data", ".onnx"),
        ],
        written: Vec::new,
    },
    Target {
        name: "study",
        reads: "study files, with the options of all commands",
        run: settings::study,
        seeds: &[("crates/xai-cli", "study.toml"), ("docs", ".toml")],
        written: Vec::new,
    },
    Target {
        name: "settings",
        reads: "metrics with settings of their parameters",
        run: settings::settings,
        seeds: &[],
        written: settings::examples,
    },
    Target {
        name: "report",
        reads: "reports, and their pages",
        run: settings::report,
        seeds: &[],
        written: settings::reports,
    },
    Target {
        name: "explainer",
        reads: "stored explainers, with the checksum of the input or a corrected one",
        run: states::explainer,
        seeds: &[],
        written: states::explainers,
    },
    Target {
        name: "state",
        reads: "accumulators, from postcard and from JSON",
        run: states::state,
        seeds: &[],
        written: states::stored,
    },
    Target {
        name: "draws",
        reads: "draws of a simulation study",
        run: states::draws,
        seeds: &[],
        written: states::stored_draws,
    },
];

impl Target {
    /// Returns the target with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Reads an input.
    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}
