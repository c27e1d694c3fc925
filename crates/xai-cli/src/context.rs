//! What every command knows: the options that stand everywhere.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::Path;

use clap::Args;
use serde::Serialize;
use xai_files::left_out::LeftOut;
use xai_files::visible::visible;
use xai_files::{Failure, left_out};
use xai_metrics::core::parallel::{StopFlag, check_stopped, stoppable};

use crate::output::progress::{Kind, Progress};
use crate::output::{stderr, stdout};

/// Threads that a core can serve.
const THREADS_PER_CORE: usize = 4;
/// As many threads start at once on any machine.
const FEW_THREADS: usize = 64;

/// Where they stand in a help: beside the command's own, not between them.
const HEADING: &str = "Options of every command";

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Context {
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) json: bool,
    /// Threads to use, at most 4 per core and never fewer than 64 if asked for; the results do not
    /// depend on it. Default: all cores.
    #[arg(long, global = true, help_heading = HEADING, value_name = "N", value_parser = crate::whole_number::in_range(1..=u32::MAX))]
    pub(crate) threads: Option<u32>,
    /// Seed of everything random; same seed, same numbers. Default: 1; in `report`, what the study
    /// says.
    #[arg(long, global = true, help_heading = HEADING, value_name = "N")]
    seed: Option<u64>,
    /// No progress bars and no remarks on standard error.
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) quiet: bool,
    /// Whether standard output is for rows, so that people read on standard error.
    #[arg(skip)]
    pub(crate) rows_on_stdout: bool,
    /// Where the work is only [checked](Self::check), what ends it.
    #[arg(skip)]
    checks: Option<StopFlag>,
}

impl Context {
    /// The seed: the one given, else 1.
    pub(crate) fn seed(&self) -> u64 {
        self.seed_or(1)
    }

    /// The seed that was given, if one was.
    pub(crate) fn given_seed(&self) -> Option<u64> {
        self.seed
    }

    /// The same options with another seed, where there is one.
    pub(crate) fn with_seed(&self, seed: Option<u64>) -> Self {
        Self {
            seed: seed.or(self.seed),
            ..self.clone()
        }
    }

    /// The seed: the one given, else that of a study.
    pub(crate) fn seed_or(&self, of_study: u64) -> u64 {
        self.seed.unwrap_or(of_study)
    }

    /// Does some work up to where it [computes](Self::computes): whether it can be done.
    pub(crate) fn check(
        &self,
        work: impl FnOnce(&Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let flag = StopFlag::new();
        let context = Self {
            checks: Some(flag.clone()),
            ..self.clone()
        };
        stoppable(&flag, || work(&context)).unwrap_or(Ok(()))
    }

    /// Whether the work is only checked.
    pub(crate) fn is_check(&self) -> bool {
        self.checks.is_some()
    }

    /// Says that what comes is computed, or asks a model: a check ends here.
    pub(crate) fn computes(&self) {
        if let Some(flag) = &self.checks {
            flag.raise();
            check_stopped();
        }
    }

    /// Prints a result: as JSON if asked, else the text for people; where standard output is for rows,
    /// on standard error.
    pub(crate) fn present(
        &self,
        result: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            return stdout::print_json(result);
        }
        match (self.rows_on_stdout, self.quiet) {
            (false, _) => stdout::print_text(&text()),
            (true, false) => {
                stderr::print_text(&text());
                Ok(())
            }
            (true, true) => Ok(()),
        }
    }

    /// A remark for the person at the terminal, on standard error.
    pub(crate) fn remark(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            stderr::print_line(visible(&text.to_string()));
        }
    }

    /// Which columns of tables are not used although nobody asked for that, on standard error.
    pub(crate) fn remark_left_out(&self, left_out: &[LeftOut]) {
        for remark in left_out::remarks(left_out) {
            self.remark(remark);
        }
    }

    /// A progress bar over `n` items on standard error, shown only on a terminal and only for work
    /// of more than a second.
    pub(crate) fn progress(&self, n: u64, what: &'static str) -> Progress {
        self.bar(Kind::Items(n), what)
    }

    /// As [`progress`](Self::progress), over items whose number is not known before.
    pub(crate) fn counter(&self, what: &'static str) -> Progress {
        self.bar(Kind::Counter, what)
    }

    /// As [`progress`](Self::progress), over the bytes of a file.
    pub(crate) fn progress_bytes(&self, file: &Path, what: &'static str) -> Progress {
        let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        self.bar(Kind::Bytes(bytes), what)
    }

    /// As [`progress`](Self::progress), for work that is done in one piece, while the result lives.
    #[must_use]
    pub(crate) fn working(&self, what: impl Into<Cow<'static, str>>) -> Progress {
        self.bar(Kind::Spinner, what)
    }

    /// Rows that run over a terminal leave no place for a bar.
    fn bar(&self, kind: Kind, what: impl Into<Cow<'static, str>>) -> Progress {
        let rows_on_terminal = self.rows_on_stdout && std::io::stdout().is_terminal();
        Progress::new(kind, what, !self.quiet && !rows_on_terminal)
    }

    /// The number of threads, if one was chosen. More than the cores can serve take minutes to start
    /// and change no result.
    fn n_threads(&self) -> Option<usize> {
        let chosen = self.threads? as usize;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (THREADS_PER_CORE * cores).max(FEW_THREADS);
        if chosen > most {
            self.remark(format_args!("--threads {chosen}: {most} are used"));
        }
        Some(chosen.min(most))
    }

    /// Runs work on the chosen number of threads.
    pub(crate) fn install<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        // The engine has a pool of its own kind; everything runs on it.
        let threads = self.n_threads().unwrap_or(0);
        xai_files::onnx::threads::install(threads, work)
            .unwrap_or_else(|| Err(Failure::new("the system does not give that many threads")))
    }
}
