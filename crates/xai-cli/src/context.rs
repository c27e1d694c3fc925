//! Options that all commands share, and output that depends on them.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::Path;

use clap::Args;
use serde::Serialize;
use xai_files::left_out::LeftOut;
use xai_files::visible::visible;
use xai_files::{Failure, left_out};
use xai_metrics::common::stop::{StopFlag, check_stopped, stoppable};

use crate::output::progress::{Progress, ProgressKind};
use crate::output::{stderr, stdout};

/// Most threads per core.
const THREADS_PER_CORE: usize = 4;
/// Number of threads that is allowed on any machine, because so few start without delay.
const FEW_THREADS: usize = 64;

/// Heading in help texts, which separates these options from those of the command.
const HEADING: &str = "Options of every command";

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Context {
    /// Print the result as one JSON object on standard output.
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) json: bool,
    /// Number of threads. At most 64, or 4 per core if that is more, are used. Results do not depend on it. Default:
    /// one per core.
    #[arg(long, global = true, help_heading = HEADING, value_name = "N", value_parser = crate::whole_number::in_range(1..=u32::MAX))]
    pub(crate) threads: Option<u32>,
    /// Seed of the random numbers: the same seed gives the same results. Default: 1; in `report`, the seed of the
    /// study.
    #[arg(long, global = true, help_heading = HEADING, value_name = "N")]
    seed: Option<u64>,
    /// Do not print progress bars and remarks on standard error.
    #[arg(long, global = true, help_heading = HEADING)]
    pub(crate) quiet: bool,
    /// Is `true` if `--out -` writes rows to standard output. Tables for people go to standard error then.
    #[arg(skip)]
    pub(crate) rows_on_stdout: bool,
    /// Flag that stops a [check](Self::check); `None` if the command computes its result.
    #[arg(skip)]
    checks: Option<StopFlag>,
}

impl Context {
    /// Returns the seed of the option `--seed`, or 1.
    pub(crate) fn seed(&self) -> u64 {
        self.seed_or(1)
    }

    /// Returns the value of the option `--seed`.
    pub(crate) fn seed_option(&self) -> Option<u64> {
        self.seed
    }

    /// Returns the same options with another seed if `seed` is given.
    pub(crate) fn with_seed(&self, seed: Option<u64>) -> Self {
        Self {
            seed: seed.or(self.seed),
            ..self.clone()
        }
    }

    /// Returns the seed of the option `--seed`, or that of a study.
    pub(crate) fn seed_or(&self, study_seed: u64) -> u64 {
        self.seed.unwrap_or(study_seed)
    }

    /// Runs `work` until it calls [`end_check`](Self::end_check), which finds errors in options and files without
    /// computing anything.
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

    /// Returns `true` within [`check`](Self::check).
    pub(crate) fn is_check(&self) -> bool {
        self.checks.is_some()
    }

    /// Ends a [check](Self::check). Commands call it before they compute or run a model.
    pub(crate) fn end_check(&self) {
        if let Some(flag) = &self.checks {
            flag.raise();
            check_stopped();
        }
    }

    /// Prints a result: as JSON with `--json`, otherwise as the text for people. The text goes to standard error if
    /// standard output has the rows of `--out -`, and is not printed then with `--quiet`.
    pub(crate) fn present(
        &self,
        result: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if self.json {
            return stdout::print_json(result);
        }
        if !self.rows_on_stdout {
            return stdout::print_text(&text());
        }
        if !self.quiet {
            stderr::print_text(&text());
        }
        Ok(())
    }

    /// Prints a remark on standard error, unless `--quiet` is given.
    pub(crate) fn remark(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            stderr::print_line(visible(&text.to_string()));
        }
    }

    /// Prints which columns of tables are not used, except those that the user left out.
    pub(crate) fn remark_left_out(&self, left_out: &[LeftOut]) {
        for remark in left_out::remarks(left_out) {
            self.remark(remark);
        }
    }

    /// Creates a progress bar over `n` items on standard error. It is shown only on a terminal and only after a second.
    pub(crate) fn progress(&self, n: u64, what: &'static str) -> Progress {
        self.bar(ProgressKind::Items(n), what)
    }

    /// Like [`progress`](Self::progress), for an unknown number of items.
    pub(crate) fn counter(&self, what: &'static str) -> Progress {
        self.bar(ProgressKind::Counter, what)
    }

    /// Like [`progress`](Self::progress), over the bytes of a file.
    pub(crate) fn progress_bytes(&self, file: &Path, what: &'static str) -> Progress {
        let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        self.bar(ProgressKind::Bytes(bytes), what)
    }

    /// Like [`progress`](Self::progress), for work without steps. The spinner is removed when the result is dropped.
    #[must_use]
    pub(crate) fn working(&self, what: impl Into<Cow<'static, str>>) -> Progress {
        self.bar(ProgressKind::Spinner, what)
    }

    fn bar(&self, kind: ProgressKind, what: impl Into<Cow<'static, str>>) -> Progress {
        // A bar would be drawn between rows that scroll over the same terminal.
        let rows_on_terminal = self.rows_on_stdout && std::io::stdout().is_terminal();
        Progress::new(kind, what, !self.quiet && !rows_on_terminal)
    }

    /// Returns the number of threads, if the user chose one, limited to what the machine can run. Very large numbers of
    /// threads take minutes to start and do not change the result.
    fn n_threads(&self) -> Option<usize> {
        let chosen = self.threads? as usize;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (THREADS_PER_CORE * cores).max(FEW_THREADS);
        if chosen > most {
            self.remark(format_args!(
                "--threads {chosen}: using {most}, the most for {cores} cores"
            ));
        }
        Some(chosen.min(most))
    }

    /// Runs `work` on the chosen number of threads.
    pub(crate) fn install<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        // The ONNX engine has its own type of thread pool. Running everything on it avoids a second pool.
        let threads = self.n_threads().unwrap_or(0);
        xai_files::onnx::threads::install(threads, work).unwrap_or_else(|| {
            Err(Failure::new("the system cannot start that many threads")
                .help("choose fewer with --threads N"))
        })
    }
}
