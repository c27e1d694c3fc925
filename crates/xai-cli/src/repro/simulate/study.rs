//! `xai repro simulate study`

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use xai_files::{Failure, Files, InFile, InFiles};
use xai_metrics::core::describe::Scores;
use xai_metrics::repro::study::{
    AccuracyProfile, MetricBehavior, StudyDraw, StudySettings, StudySummary, read_draws,
    write_draws, write_header,
};
use xai_metrics::repro::{SimulationStudy, help, input};

use crate::output::{text, whole_file};
use crate::{Context, Described, examples};

/// Draws between two writes, and two steps of the progress bar.
const DRAWS_PER_STEP: u64 = 1000;

/// Draws unless the command says how many.
const ITERATIONS: u64 = 25_000;

/// Bins of accuracy in a profile.
const BINS: usize = 10;

/// Predictions of one draw, which are in memory on every thread.
const MOST_PREDICTIONS: usize = 100_000_000;

/// `xai repro simulate study`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai repro simulate study --iterations 1000",
    "xai repro simulate study --seed 1 --out study.csv",
]))]
pub(crate) struct StudyCommand {
    /// The number of draws. Default: 25000.
    #[arg(long, value_name = "N", value_parser = crate::whole_number::in_range(1..=u64::MAX))]
    iterations: Option<u64>,
    #[command(flatten)]
    settings: Described<StudySettings>,
    /// Write a row per draw. While the study runs the rows are in FILE.csv.partial, from which the same
    /// command goes on after an interruption.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// What the study says, and each metric over accuracy.
#[derive(Serialize)]
pub(crate) struct StudyResult {
    pub(crate) summary: StudySummary,
    pub(crate) profiles: Vec<AccuracyProfile>,
}

impl StudyResult {
    /// Of draws that the files are about.
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
            context.remark(format_args!("going on after {} draws", rows.draws.len()));
        }
        self.simulate(&study, &mut rows, context)?;
        let result = StudyResult::new(&rows.draws, &Self::options())?;
        if let Some(out) = &self.out {
            rows.finish(out)?;
        }
        context.present(&result, || table(&result.summary))
    }

    /// Simulates all draws, and writes none.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<StudyResult, Failure> {
        let (study, mut rows) = (self.study(context)?, StudyRows::default());
        self.simulate(&study, &mut rows, context)?;
        StudyResult::new(&rows.draws, &Self::options())
    }

    /// How many draws are asked for, where that is said.
    pub(crate) fn iterations(&self) -> Option<u64> {
        self.iterations
    }

    fn n_draws(&self) -> u64 {
        self.iterations.unwrap_or(ITERATIONS)
    }

    /// Simulates the draws that the rows lack.
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
            context.computes();
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
            return Err(Failure::of_option("--out", "rows are written as CSV")
                .with_value(out.display())
                .help("name a .csv file"));
        }
        let settings = self.settings.read_seeded(context)?;
        let StudySettings {
            n_samples, n_runs, ..
        } = settings;
        if n_samples.saturating_mul(n_runs) > MOST_PREDICTIONS {
            return Err(Failure::usage(format!(
                "--n-samples {n_samples} of --n-runs {n_runs}: more than {MOST_PREDICTIONS} predictions in a draw"
            ))
            .about_option("--n-samples"));
        }
        SimulationStudy::new(settings).in_files(&Self::options())
    }

    /// The options of the study's parameters.
    fn options() -> Files<'static> {
        Described::<StudySettings>::options().options(&[(input::DRAWS, "--iterations")])
    }
}

/// The draws so far, and the file they are appended to.
#[derive(Default)]
struct StudyRows {
    draws: Vec<StudyDraw>,
    file: Option<(File, PathBuf)>,
    /// Standard output, where the rows go as they are drawn.
    stream: Option<Box<dyn Write>>,
}

impl StudyRows {
    /// Goes on with the rows that an interrupted study left, or starts. What is no file gets its rows
    /// at the end.
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
        let files = Files::mainly(&path).ways_out(&[(
            help::START_ANEW,
            "remove the file to start anew, or choose another --out",
        )]);
        let (draws, bytes) = read_draws(BufReader::new(&file))
            .in_files(&files)
            .map_err(|failure| failure.help("remove the file to start anew"))?;
        study.check_continues(&draws, iterations).in_files(&files)?;
        // What is beyond is half a line of an interrupted write.
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
            (Some((file, path)), _) => write(file).in_files(&Files::mainly(path)),
            (None, Some(stream)) => write(stream).in_files(&Files::mainly("standard output")),
        }
    }

    /// Writes all rows where they were asked for.
    fn finish(self, out: &Path) -> Result<(), Failure> {
        if self.stream.is_some() {
            return Ok(());
        }
        whole_file::write(out, |file| {
            let written = write_header(&mut *file).and_then(|()| write_draws(&self.draws, file));
            written.in_files(&Files::mainly(out))
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
         r, ρ: correlation with the runs' accuracy and the number of classes, by values and by ranks\n\
         η²: share of the variance between laws of labels and of errors\n\
         AUROC: how well the metric tells dependent from independent errors; 0.5 = not at all",
        summary.n_draws,
        summary.accuracy.mean.unwrap_or_default(),
        text::table(&header, rows)
    )
}
