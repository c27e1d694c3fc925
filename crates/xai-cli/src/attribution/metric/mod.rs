//! `xai attribution NAME`: any metric of the registry, on files.

#[cfg(feature = "onnx")]
mod of_model;

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use ndarray::IxDyn;
use xai_metrics::attribution::batch::{Data, Masks, Segments};
use xai_metrics::attribution::metric::{
    BaseScorePolicy, Direction, Entry, MetricInfo, MetricValue, registry::METRICS,
};
use xai_metrics::attribution::run::MaskedScores;
use xai_metrics::attribution::{Evaluate, Real, input};
use xai_metrics::core::Input;

use crate::attribution::metric_options::MetricOptions;
use crate::attribution::options::{self, LayoutOptions, ScoringOptions};
use crate::attribution::stored_scores::{self, OfScores};
use crate::attribution::{result, side_inputs};
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::arrays;
use crate::output::{rows, text};

/// An input of metrics, and the option for its file.
struct FileOption {
    input: Input,
    name: &'static str,
    value_name: &'static str,
    help: &'static str,
}

const FILES: &[FileOption] = &[
    FileOption {
        input: input::MODEL,
        name: "model",
        value_name: "M.onnx",
        help: "The model",
    },
    FileOption {
        input: input::INPUTS,
        name: "inputs",
        value_name: "X.npy",
        help: "Its inputs: (n, features), (n, time, features) or images",
    },
    FileOption {
        input: input::EXPLANATIONS,
        name: "explanations",
        value_name: "E.npy",
        help: "The attribution maps, shaped like the inputs or without channels",
    },
    FileOption {
        input: input::TARGETS,
        name: "targets",
        value_name: "T.npy",
        help: "Class indices (n,) or rows of weights (n, outputs)",
    },
    FileOption {
        input: input::MASKS,
        name: "masks",
        value_name: "M.npy",
        help: "Where the object is: booleans (n, height, width)",
    },
    FileOption {
        input: input::SEGMENTS,
        name: "segments",
        value_name: "S.npy",
        help: "The segment of each position: integers (n, height, width) or (height, width)",
    },
];

/// The metrics that files are enough for.
pub(super) fn entries() -> impl Iterator<Item = &'static Entry> {
    METRICS
        .iter()
        .filter(|entry| reads_files(entry) || stored_scores::of_scores(entry).is_some())
}

/// Whether all that a metric needs is in files that this build can read.
fn reads_files(entry: &Entry) -> bool {
    let has_file = |need: &Input| FILES.iter().any(|file| file.input == *need);
    let needs_model = entry.info.needs.contains(&input::MODEL);
    let needs_inputs = entry.info.needs.contains(&input::INPUTS);
    entry.is_built()
        && entry.info.needs.iter().all(has_file)
        && (!needs_model || cfg!(feature = "onnx"))
        && (!needs_inputs || needs_model)
}

/// The options of the files that a metric needs.
fn files_of(info: &MetricInfo) -> impl Iterator<Item = &'static FileOption> {
    let needs = info.needs;
    FILES.iter().filter(move |file| needs.contains(&file.input))
}

/// A metric, and where what it needs is.
#[derive(Debug)]
pub(crate) struct MetricCommand {
    entry: &'static Entry,
    files: Vec<(Input, String)>,
    /// Scores of whole and of masked inputs, instead of files.
    scores: Option<(String, String)>,
    how: How,
    options: MetricOptions,
    out: Option<PathBuf>,
}

/// How the files are read.
#[derive(Debug)]
enum How {
    #[cfg_attr(not(feature = "onnx"), allow(dead_code))]
    Scored(ScoringOptions),
    MapsAlone(LayoutOptions),
    StoredScores,
}

impl MetricCommand {
    /// The command of a metric, with the arguments that it needs.
    pub(super) fn command(entry: &'static Entry) -> Command {
        let of_scores = stored_scores::of_scores(entry).is_some();
        let better = match entry.info.direction {
            Direction::Lower => " (lower is better)",
            Direction::Higher => " (higher is better)",
            Direction::None => "",
        };
        let mut command = Command::new(entry.info.name);
        if reads_files(entry) {
            let arguments = files_of(entry.info).map(|file| {
                let argument = Arg::new(file.name)
                    .long(file.name)
                    .value_name(file.value_name)
                    .help(file.help);
                match of_scores {
                    true => argument.required_unless_present("base"),
                    false => argument.required(true),
                }
            });
            command = command.args(arguments);
            command = match entry.info.needs.contains(&input::MODEL) {
                true => ScoringOptions::augment_args(command),
                false => LayoutOptions::augment_args(command),
            };
        }
        command = MetricOptions::augment(command, [entry]);
        if of_scores {
            let base = Arg::new("base")
                .long("base")
                .value_name("B.npy")
                .help("Scores of the whole inputs (n,), instead of a model")
                .requires("masked");
            let masked = Arg::new("masked")
                .long("masked")
                .value_name("A.npy")
                .help("Scores of the masked inputs (n,), instead of a model")
                .requires("base");
            let base = match reads_files(entry) {
                true => base.conflicts_with_all(files_of(entry.info).map(|file| file.name)),
                false => base.required(true),
            };
            command = command.args([base, masked]);
        }
        let out = Arg::new("out")
            .long("out")
            .value_name("FILE.csv")
            .help(match of_scores {
                true => "Write a row per sample: sample, base, masked, score",
                false => {
                    "Write a row per sample: sample, score; of a curve per point: n_flipped, score"
                }
            })
            .value_parser(value_parser!(PathBuf));
        // Last: arguments of a struct bring the description of the struct with them.
        let about = entry.info.question.to_owned() + better;
        command.arg(out).about(about).long_about(None)
    }

    /// The command that was given.
    pub(super) fn from_arg_matches(
        entry: &'static Entry,
        matches: &ArgMatches,
    ) -> Result<Self, clap::Error> {
        let text = |name| matches.get_one::<String>(name).cloned();
        let scores = match stored_scores::of_scores(entry) {
            Some(_) => text("base").zip(text("masked")),
            None => None,
        };
        let how = match (&scores, entry.info.needs.contains(&input::MODEL)) {
            (Some(_), _) => How::StoredScores,
            (None, true) => How::Scored(ScoringOptions::from_arg_matches(matches)?),
            (None, false) => How::MapsAlone(LayoutOptions::from_arg_matches(matches)?),
        };
        let files = match how {
            How::StoredScores => Vec::new(),
            _ => files_of(entry.info)
                .filter_map(|file| Some((file.input, text(file.name)?)))
                .collect(),
        };
        Ok(Self {
            entry,
            files,
            scores,
            how,
            options: MetricOptions::read(matches, [entry]),
            out: matches.get_one("out").cloned(),
        })
    }

    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let value = match (
            &self.how,
            &self.scores,
            stored_scores::of_scores(self.entry),
        ) {
            (_, Some((base, masked)), Some(of_scores)) => {
                let scores = stored_scores::read(base, masked)?;
                let files = Files::mainly(base)
                    .file(&[input::MASKED], masked)
                    .and(self.parameters());
                self.of_scores(of_scores, &scores, &files)?
            }
            #[cfg(feature = "onnx")]
            (How::Scored(scoring), _, Some(of_scores)) => {
                let scores = self.model_scores(scoring, context)?;
                self.of_scores(of_scores, &scores, &self.places()?)?
            }
            #[cfg(feature = "onnx")]
            (How::Scored(scoring), _, None) => self.of_model(scoring, context)?,
            (How::MapsAlone(layout), ..) => self.of_maps(layout, context)?,
            _ => return Err(Failure::usage("this build cannot run ONNX models")),
        };
        result::present(self.entry, value, context)
    }

    /// The metric of scores that exist.
    fn of_scores(
        &self,
        of_scores: OfScores,
        scores: &MaskedScores,
        files: &Files<'_>,
    ) -> Result<MetricValue, Failure> {
        let policy = self.options.text("base-score-policy").map(str::parse);
        let policy: BaseScorePolicy = policy.transpose().in_files(files)?.unwrap_or_default();
        let value = of_scores(policy, scores).in_files(files)?;
        let samples = value.per_sample.iter().enumerate().map(|(i, value)| {
            [
                i.to_string(),
                scores.base[i].to_string(),
                scores.masked[i].to_string(),
                text::cell(*value),
            ]
        });
        let header = ["sample", "base", "masked", "score"];
        rows::write(self.out.as_deref(), header, samples)?;
        Ok(value)
    }

    /// The metric of maps alone.
    fn of_maps(&self, layout: &LayoutOptions, context: &Context) -> Result<MetricValue, Failure> {
        let maps = arrays::read_f64::<IxDyn>(self.file(input::EXPLANATIONS)?)?;
        let data = Data::of_maps(maps.view()).scoring(layout.scoring());
        let value = self.evaluate(self.with_sides(data, maps.shape())?, context)?;
        self.write_rows(&value)?;
        Ok(value)
    }

    fn evaluate<T: xai_metrics::attribution::metric::Precision>(
        &self,
        data: Data<'_, T>,
        context: &Context,
    ) -> Result<MetricValue, Failure> {
        let files = self.places()?;
        let seed = MetricOptions::seed(context);
        let options = self.options.of(self.entry, &seed);
        let metric = self.entry.build::<T>(&options).in_files(&files)?;
        metric
            .evaluate_on(data)
            .map_err(|stopped| stopped.into_error())
            .in_files(&files)
    }

    /// Adds the further inputs that the metric needs.
    fn with_sides<'a, T: Real>(
        &self,
        mut data: Data<'a, T>,
        shape: &[usize],
    ) -> Result<Data<'a, T>, Failure> {
        for (input, file) in &self.files {
            if *input == input::MASKS {
                data = data.with(Masks(side_inputs::masks(file)?));
            } else if *input == input::SEGMENTS {
                let n = shape.first().copied().unwrap_or_default();
                data = data.with(Segments(side_inputs::segments(file, n)?));
            }
        }
        Ok(data)
    }

    /// The file of an input.
    fn file(&self, input: Input) -> Result<&String, Failure> {
        let mut files = self.files.iter();
        let file = files.find_map(|(of, file)| (*of == input).then_some(file));
        file.ok_or_else(|| Failure::usage(format!("no file of {input}")))
    }

    /// What errors are about: without a model, mainly the maps.
    fn places(&self) -> Result<Files<'_>, Failure> {
        let main = self.file(input::MODEL);
        let mut files = Files::mainly(main.or_else(|_| self.file(input::EXPLANATIONS))?);
        for (input, file) in &self.files {
            files = files.file(&[*input], file);
        }
        if let Ok(targets) = self.file(input::TARGETS) {
            files = files.file(&[input::LABELS], targets);
        }
        Ok(files.and(self.parameters()))
    }

    fn parameters(&self) -> Files<'static> {
        options::parameters().named(self.options.names())
    }

    fn write_rows(&self, value: &MetricValue) -> Result<(), Failure> {
        if let Some(curve) = &value.curve {
            let points = curve.iter();
            let points = points.map(|p| [p.n_flipped.to_string(), p.score.to_string()]);
            return rows::write(self.out.as_deref(), ["n_flipped", "score"], points);
        }
        let samples = value.per_sample.iter().enumerate();
        let samples = samples.map(|(i, value)| [i.to_string(), text::cell(*value)]);
        rows::write(self.out.as_deref(), ["sample", "score"], samples)
    }
}
