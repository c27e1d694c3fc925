//! The binary `xai`, which measures how good explanations of machine-learning predictions are.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    xai_cli::main()
}
