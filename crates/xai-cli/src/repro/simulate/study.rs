//! `xai repro simulate study`

use std::fs::{File, OpenOptions};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use xai_metrics::repro::study::{
    StudyDraw, StudySettings, StudySummary, read_draws, write_draws, write_header,
};
use xai_metrics::repro::{SimulationStudy, help, input};

use crate::context::Context;
use crate::failure::{Failure, Files, InFile, InFiles};
use crate::output::{text, whole_file};

/// Draws between two writes, and two steps of the progress bar.
const DRAWS_PER_STEP: u64 = 1000;

/// Predictions of one draw, which are in memory on every thread.
const MOST_PREDICTIONS: u64 = 100_000_000;

/// `xai repro simulate study`
#[derive(Debug, Args)]
pub(crate) struct StudyCommand {
    /// The number of draws.
    #[arg(long, value_name = "N", default_value_t = 25_000, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: u64,
    /// Samples per draw.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    n_samples: u32,
    /// Runs per draw.
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Write a row per draw. While the study runs the rows are in FILE.csv.partial, from which the same
    /// command goes on after an interruption.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct StudyResult {
    summary: StudySummary,
}

impl StudyCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let study = self.study(context.seed())?;
        let mut rows = match &self.out {
            None => StudyRows::default(),
            Some(out) => StudyRows::resume(out, &study, self.iterations)?,
        };
        if !rows.draws.is_empty() {
            context.remark(format_args!("going on after {} draws", rows.draws.len()));
        }
        let bar = context.progress(self.iterations, "draws");
        bar.set_position(rows.draws.len() as u64);
        while (rows.draws.len() as u64) < self.iterations {
            let start = rows.draws.len() as u64;
            let end = (start + DRAWS_PER_STEP).min(self.iterations);
            rows.append(study.simulate(start..end).in_files(&options())?)?;
            bar.set_position(end);
        }
        bar.finish_and_clear();
        let result = StudyResult {
            summary: StudySummary::new(&rows.draws).in_files(&options())?,
        };
        if let Some(out) = &self.out {
            rows.finish(out)?;
        }
        context.present(&result, || table(&result.summary))
    }
}

impl StudyCommand {
    fn study(&self, seed: u64) -> Result<SimulationStudy, Failure> {
        if let Some(out) = &self.out
            && out.extension().is_some_and(|it| it == "parquet")
        {
            return Err(Failure::usage(format!(
                "--out {}: rows are written as CSV",
                out.display()
            ))
            .help("name a .csv file"));
        }
        if u64::from(self.n_samples) * u64::from(self.runs) > MOST_PREDICTIONS {
            return Err(Failure::usage(format!(
                "--n-samples {} of --runs {}: more than {MOST_PREDICTIONS} predictions in a draw",
                self.n_samples, self.runs
            )));
        }
        let settings = StudySettings {
            seed,
            n_samples: self.n_samples as usize,
            n_runs: self.runs as usize,
            ..StudySettings::default()
        };
        SimulationStudy::new(settings).in_files(&options())
    }
}

/// The options of the study's parameters.
fn options() -> Files<'static> {
    Files::new().options(&[
        (input::N_SAMPLES, "--n-samples"),
        (input::N_RUNS, "--runs"),
        (input::DRAWS, "--iterations"),
    ])
}

/// The draws so far, and the file they are appended to.
#[derive(Default)]
struct StudyRows {
    draws: Vec<StudyDraw>,
    file: Option<(File, PathBuf)>,
}

impl StudyRows {
    /// Goes on with the rows that an interrupted study left, or starts. What is no file gets its rows
    /// at the end.
    fn resume(out: &Path, study: &SimulationStudy, iterations: u64) -> Result<Self, Failure> {
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
        write: impl FnOnce(&mut File) -> xai_metrics::Result<()>,
    ) -> Result<(), Failure> {
        match &mut self.file {
            None => Ok(()),
            Some((file, path)) => write(file).in_files(&Files::mainly(path)),
        }
    }

    /// Writes all rows where they were asked for.
    fn finish(self, out: &Path) -> Result<(), Failure> {
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
        [
            metric.metric.clone(),
            two(metric.values.mean),
            two(metric.values.std),
            two(metric.pearson_with_accuracy),
            two(metric.spearman_with_accuracy),
            two(metric.spearman_with_n_classes),
            two(metric.variance_by_label_distribution),
            two(metric.variance_by_error_distribution),
            two(metric.auroc_of_dependence),
        ]
    });
    let header = [
        "metric",
        "mean",
        "std",
        "accuracy (r)",
        "accuracy (ρ)",
        "classes (ρ)",
        "label law (η²)",
        "error law (η²)",
        "dependence (AUROC)",
    ];
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
