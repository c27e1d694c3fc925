//! `xai repro simulate study`

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::common::describe::Scores;
use xai_metrics::repro::study::{
    AccuracyProfile, MetricBehavior, StudyDraw, StudySettings, StudySummary, read_draws,
    write_draws, write_header,
};
use xai_metrics::repro::{SimulationStudy, help, input};

use crate::output::{text, whole_file};
use crate::{Context, Described, examples};

/// Number of draws between two writes and between two steps of the progress bar.
const DRAWS_PER_STEP: u64 = 1000;

/// Default number of draws.
const ITERATIONS: u64 = 25_000;

/// Number of accuracy bins in a profile.
const BINS: usize = 10;

/// Most predictions of one draw. Every thread keeps those of a draw in memory.
const MAX_PREDICTIONS: usize = 100_000_000;

/// `xai repro simulate study`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai repro simulate study --iterations 1000",
    "xai repro simulate study --seed 1 --out study.csv",
]))]
pub(crate) struct StudyCommand {
    /// Number of draws. Default: 25000.
    #[arg(long, value_name = "N", value_parser = crate::whole_number::in_range(1..=u64::MAX))]
    iterations: Option<u64>,
    #[command(flatten)]
    settings: Described<StudySettings>,
    /// Write a row per draw. While the study runs, the rows are in FILE.csv.partial. After an interruption, the same
    /// command continues from there.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// Summary of a study, and the profile of each metric over the accuracy of the runs.
#[derive(Serialize)]
pub(crate) struct StudyResult {
    pub(crate) summary: StudySummary,
    pub(crate) profiles: Vec<AccuracyProfile>,
}

impl StudyResult {
    /// Summarizes draws. Errors name the files or options in `files`.
    pub(crate) fn new(draws: &[StudyDraw], files: &Files<'_>) -> Result<Self, Failure> {
        Ok(Self {
            summary: StudySummary::new(draws).in_files(files)?,
            profiles: AccuracyProfile::per_metric(draws, BINS).in_files(files)?,
        })
    }
}

impl StudyCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let study = self.study(context)?;
        let mut rows = match &self.out {
            None => StudyRows::default(),
            Some(out) => StudyRows::resume(out, &study, self.n_draws())?,
        };
        if !rows.draws.is_empty() {
            context.remark(format_args!("continuing after {} draws", rows.draws.len()));
        }
        self.simulate(&study, &mut rows, context)?;
        let result = StudyResult::new(&rows.draws, &Self::options())?;
        if let Some(out) = &self.out {
            rows.finish(out)?;
        }
        context.present(&result, || table(&result.summary))
    }

    /// Simulates all draws without writing them.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<StudyResult, Failure> {
        let (study, mut rows) = (self.study(context)?, StudyRows::default());
        self.simulate(&study, &mut rows, context)?;
        StudyResult::new(&rows.draws, &Self::options())
    }

    /// Returns the value of the option `--iterations`.
    pub(crate) fn iterations(&self) -> Option<u64> {
        self.iterations
    }

    fn n_draws(&self) -> u64 {
        self.iterations.unwrap_or(ITERATIONS)
    }

    /// Simulates the draws that are not in `rows` yet.
    fn simulate(
        &self,
        study: &SimulationStudy,
        rows: &mut StudyRows,
        context: &Context,
    ) -> Result<(), Failure> {
        let n_draws = self.n_draws();
        let bar = context.progress(n_draws, "draws");
        bar.set_position(rows.draws.len() as u64);
        while (rows.draws.len() as u64) < n_draws {
            context.end_check();
            let start = rows.draws.len() as u64;
            let end = (start + DRAWS_PER_STEP).min(n_draws);
            rows.append(study.simulate(start..end).in_files(&Self::options())?)?;
            bar.set_position(end);
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn study(&self, context: &Context) -> Result<SimulationStudy, Failure> {
        if let Some(out) = &self.out
            && out.extension().is_some_and(|it| it == "parquet")
        {
            return Err(
                Failure::for_option("--out", "rows are written as CSV, not as Parquet")
                    .with_value(out.display())
                    .help("name a .csv file"),
            );
        }
        let settings = self.settings.read_seeded(context)?;
        let StudySettings {
            n_samples, n_runs, ..
        } = settings;
        if n_samples.saturating_mul(n_runs) > MAX_PREDICTIONS {
            return Err(Failure::usage(format!(
                "--n-samples {n_samples} with --n-runs {n_runs}: these are more than {MAX_PREDICTIONS} predictions per draw"
            ))
            .about_option("--n-samples")
            .help("choose fewer samples or runs"));
        }
        SimulationStudy::new(settings).in_files(&Self::options())
    }

    /// Returns the options of the study's parameters, which errors name.
    fn options() -> Files<'static> {
        Described::<StudySettings>::options().options(&[(input::DRAWS, "--iterations")])
    }
}

/// The draws so far, and the file to which they are appended.
#[derive(Default)]
struct StudyRows {
    draws: Vec<StudyDraw>,
    file: Option<(File, PathBuf)>,
    /// Standard output, to which the rows are written as they are drawn.
    stream: Option<Box<dyn Write>>,
}

impl StudyRows {
    /// Reads the rows that an interrupted study left, or starts without rows. Pipes and devices get their rows at the
    /// end.
    fn resume(out: &Path, study: &SimulationStudy, iterations: u64) -> Result<Self, Failure> {
        if whole_file::is_standard_output(out) {
            let mut rows = Self {
                stream: Some(Box::new(whole_file::standard_output())),
                ..Self::default()
            };
            rows.write(|stream| write_header(stream))?;
            return Ok(rows);
        }
        if !whole_file::is_file(out)? {
            return Ok(Self::default());
        }
        let mut partial = out.as_os_str().to_owned();
        partial.push(".partial");
        let path = PathBuf::from(partial);
        let failed = |e: std::io::Error| Failure::cannot_be_written(e).in_file(&path);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        let files = Files::with_main_file(&path).hints(&[(
            help::START_ANEW,
            "remove the file to start again, or choose another --out",
        )]);
        let (draws, bytes) = read_draws(BufReader::new(&file))
            .in_files(&files)
            .map_err(|failure| failure.help("remove the file to start again"))?;
        study.check_continues(&draws, iterations).in_files(&files)?;
        // Cut off the incomplete line that an interrupted write may have left.
        file.set_len(bytes).map_err(failed)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).map_err(failed)?;
        let mut rows = Self {
            draws,
            file: Some((file, path)),
            stream: None,
        };
        if bytes == 0 {
            rows.write(|file| write_header(file))?;
        }
        Ok(rows)
    }

    fn append(&mut self, draws: Vec<StudyDraw>) -> Result<(), Failure> {
        self.write(|file| write_draws(&draws, file))?;
        self.draws.extend(draws);
        Ok(())
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> xai_metrics::Result<()>,
    ) -> Result<(), Failure> {
        match (&mut self.file, &mut self.stream) {
            (None, None) => Ok(()),
            (Some((file, path)), _) => write(file).in_files(&Files::with_main_file(path)),
            (None, Some(stream)) => {
                write(stream).in_files(&Files::with_main_file("standard output"))
            }
        }
    }

    /// Writes all rows to `out` and removes the partial file.
    fn finish(self, out: &Path) -> Result<(), Failure> {
        if self.stream.is_some() {
            return Ok(());
        }
        whole_file::write(out, |file| {
            let written = write_header(&mut *file).and_then(|()| write_draws(&self.draws, file));
            written.in_files(&Files::with_main_file(out))
        })?;
        match self.file {
            None => Ok(()),
            Some((_, path)) => std::fs::remove_file(&path)
                .map_err(|error| Failure::new(format_args!("cannot be removed: {error}")))
                .in_file(path),
        }
    }
}

fn table(summary: &StudySummary) -> String {
    let two = |value: Option<f64>| text::or_dash(value.map(|x| format!("{x:.2}")));
    let rows = summary.metrics.iter().map(|metric| {
        let values = metric.values().map(|(_, value)| two(value));
        std::iter::once(metric.metric.clone()).chain(values)
    });
    let titles = MetricBehavior::infos().map(|info| info.title);
    let header: Vec<&str> = std::iter::once("metric").chain(titles).collect();
    format!(
        "{} draws; mean accuracy {:.2}\n\n{}\n\n\
         r, ρ: correlation with the runs' accuracy and the number of classes (Pearson, Spearman)\n\
         η²: share of the variance between distributions of labels and of errors\n\
         AUROC: how well the metric separates dependent from independent errors; 0.5 = not at all",
        summary.n_draws,
        summary.accuracy.mean.unwrap_or_default(),
        text::table(&header, rows)
    )
}
