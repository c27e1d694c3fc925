//! What reads files, states and settings, as functions of bytes: whatever the bytes are, a function ends without a panic, in
//! time, and holds little more memory than the bytes are.
//!
//! `cargo xtask fuzz` calls them with inputs that libFuzzer makes, led by coverage. `tests/inputs.rs` calls them every day with
//! the files of the workspace, whole, cut and changed, and with every input that once failed (`inputs/TARGET`).
#![forbid(unsafe_code)]

mod files;
mod limits;
/// A report with all sections.
#[path = "../../crates/xai-report/tests/fixture/realistic.rs"]
#[allow(dead_code)] // another test of xai-report uses the rest
mod realistic;
mod seeds;
mod settings;
mod states;

pub use limits::judged;

/// A reader that is given any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, and that of the folder of its inputs.
    pub name: &'static str,
    /// What it reads.
    pub reads: &'static str,
    run: fn(&[u8]),
    /// Files of the workspace that it reads: folders, and how names end.
    seeds: &'static [(&'static str, &'static str)],
    /// Other inputs: what the libraries themselves write.
    written: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "npy",
        reads: "arrays, whole and by parts",
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
        reads: "JSON documents in any encoding, with numbers that are none",
        run: files::json,
        seeds: &[("crates/xai-cli/sample", ".json")],
        written: files::documents,
    },
    Target {
        name: "onnx",
        reads: "models of samples and of graphs, and what they answer",
        run: files::onnx,
        seeds: &[
            ("crates/xai-cli/sample", ".onnx"),
            ("crates/xai-cli/tests/data", ".onnx"),
        ],
        written: Vec::new,
    },
    Target {
        name: "study",
        reads: "study files, and in them the options of all commands",
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
        reads: "reports, and the pages that are made of them",
        run: settings::report,
        seeds: &[],
        written: settings::reports,
    },
    Target {
        name: "explainer",
        reads: "stored explainers, as they lie in a file and with their checksum made right",
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
    /// The target of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// Gives it an input.
    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}
