//! `xai`: how good are explanations of machine-learning predictions?
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    xai_cli::main()
}
