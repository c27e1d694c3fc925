//! What every command knows: the options that stand everywhere.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::visible::visible;
use crate::output::{stderr, stdout};

/// Threads that a core can serve.
const THREADS_PER_CORE: usize = 4;
/// As many threads start at once on any machine.
const FEW_THREADS: usize = 64;

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Context {
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Threads to use, at most 4 per core and never fewer than 64 if asked for; the results do not
    /// depend on it. Default: all cores.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Seed of everything random; same seed, same numbers. Default: 1; in `report`, what the study
    /// says.
    #[arg(long, global = true, value_name = "N")]
    seed: Option<u64>,
    /// No progress bars and no remarks on standard error.
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
}

impl Context {
    /// The seed: the one given, else 1.
    pub(crate) fn seed(&self) -> u64 {
        self.seed_or(1)
    }

    /// The seed: the one given, else that of a study.
    pub(crate) fn seed_or(&self, of_study: u64) -> u64 {
        self.seed.unwrap_or(of_study)
    }

    /// Prints a result: as JSON if asked, else the text for people.
    pub(crate) fn present(
        &self,
        result: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            stdout::print_json(result)
        } else {
            stdout::print_text(&text())
        }
    }

    /// A remark for the person at the terminal, on standard error.
    pub(crate) fn remark(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            stderr::print_line(visible(&text.to_string()));
        }
    }

    /// A progress bar over `n` items on standard error, shown only on a terminal and only for work
    /// of more than a second.
    pub(crate) fn progress(&self, n: u64, what: &'static str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::hidden());
        let style = "{msg} [{bar:40}] {pos}/{len} {per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message(what);
        if !self.quiet {
            let patient = bar.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(1));
                if !patient.is_finished() {
                    patient.set_draw_target(ProgressDrawTarget::stderr());
                }
            });
        }
        bar
    }

    /// As [`progress`](Self::progress), over items whose number is not known before.
    #[cfg(feature = "onnx")]
    pub(crate) fn counter(&self, what: &'static str) -> ProgressBar {
        let bar = self.progress(0, what);
        bar.unset_length();
        if let Ok(style) = ProgressStyle::with_template("{msg} {pos} {per_sec}") {
            bar.set_style(style);
        }
        bar
    }

    /// As [`progress`](Self::progress), over the bytes of a file.
    pub(crate) fn progress_bytes(&self, file: &Path, what: &'static str) -> ProgressBar {
        let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let bar = self.progress(bytes, what);
        let style = "{msg} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar
    }

    /// The number of threads, if one was chosen. More than the cores can serve take minutes to start
    /// and change no result.
    fn n_threads(&self) -> Option<usize> {
        let chosen = usize::from(self.threads?);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (THREADS_PER_CORE * cores).max(FEW_THREADS);
        if chosen > most {
            self.remark(format_args!("--threads {chosen}: {most} are used"));
        }
        Some(chosen.min(most))
    }

    /// Runs work on the chosen number of threads.
    #[cfg(feature = "onnx")]
    pub(crate) fn install<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        // The engine has a pool of its own kind; everything runs on it.
        let threads = self.n_threads().unwrap_or(0);
        crate::input::onnx::threads::install(threads, work)
            .unwrap_or_else(|| Err(Failure::new("the system does not give that many threads")))
    }

    /// Runs work on the chosen number of threads.
    #[cfg(not(feature = "onnx"))]
    pub(crate) fn install<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        match self.n_threads() {
            None => work(),
            Some(threads) => rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .map_err(Failure::new)?
                .install(work),
        }
    }
}
