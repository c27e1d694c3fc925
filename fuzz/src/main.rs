//! Runs libFuzzer on the target in the variable `XAI_FUZZ_TARGET` (`cargo xtask fuzz`).
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use peak_alloc::PeakAlloc;
use xai_fuzz::{Target, run_within_limits};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The target. It comes from a variable, because libFuzzer parses the arguments.
static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("XAI_FUZZ_TARGET").unwrap_or_default();
    Target::find(&name).unwrap_or_else(|| panic!("XAI_FUZZ_TARGET={name} is no target"))
});

/// Writes the first inputs into the folder that libFuzzer reads.
fn write_inputs() {
    if let Some(folder) = std::env::var_os("XAI_FUZZ_FOUND") {
        for (number, input) in TARGET.inputs().into_iter().enumerate() {
            let file = std::path::Path::new(&folder).join(format!("given-{number}"));
            std::fs::write(file, input).expect("the folder takes a file");
        }
    }
}

fuzz_target!(init: write_inputs(), |input: &[u8]| {
    run_within_limits(&TARGET, input);
});
