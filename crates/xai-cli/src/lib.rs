//! `xai`: how good are explanations of machine-learning predictions?
//!
//! Each command group has a module, which reads files into arrays, calls the library and passes the result to
//! `Context::present`. All metrics are computed by the library.
#![forbid(unsafe_code)]

mod all_metrics;
mod attribution;
mod casebased;
mod context;
mod counterfactual;
mod described;
mod graph;
mod metric_commands;
mod named;
mod output;
mod report;
mod repro;
mod usage;
mod whole_number;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use xai_files::failure::{Failure, as_option};
use xai_metrics::attribution::metric::registry;

use all_metrics::metric_command;
use context::Context;
use described::Described;
use metric_commands::help::group_metrics;
use metric_commands::selection::other_way;
use usage::manual::{Completions, Manual};
use usage::{allow_negative_numbers, examples, refusal_reason};

/// Measures how good explanations of machine-learning predictions are.
///
/// Without a command, makes a report on the built-in sample study.
#[derive(Debug, Parser)]
#[command(name = "xai", version, infer_subcommands = true)]
#[command(after_help = examples::section(&[
    "xai report",
    "xai casebased explain --train train.csv --test test.csv --label class -k 5",
    "xai repro pairwise --predictions runs.npy --labels y.npy --json",
]))]
struct Xai {
    #[command(flatten)]
    context: Context,
    #[command(subcommand)]
    group: Option<Group>,
}

#[derive(Debug, Subcommand)]
enum Group {
    /// Explanations by training cases: does a prediction agree with its nearest training cases?
    #[command(subcommand, after_help = examples::section(&[
        "xai casebased explain --train train.csv --test test.csv --label class -k 5",
        "xai casebased audit --train train.csv --test test.csv --label class",
    ]))]
    Casebased(Box<casebased::Command>),
    /// Attribution maps: metrics of faithfulness, localization, robustness, complexity and more.
    #[command(subcommand, after_help = examples::section(&[
        "xai attribution list",
        "xai attribution complexity --explanations maps.npy",
    ]))]
    Attribution(attribution::Command),
    /// Counterfactual explanations: are they valid, near, plausible and possible?
    #[command(subcommand, after_help = examples::section(&[
        "xai counterfactual list",
        "xai counterfactual compare --queries q.csv --counterfactuals dice=d.csv --train t.csv --schema s.toml",
    ]))]
    Counterfactual(counterfactual::Command),
    /// Explanations of graph models: is an explanatory subgraph sufficient and necessary?
    #[command(subcommand, after_help = examples::section(&[
        "xai graph fidelity --full full.npy --kept kept.npy --complement complement.npy",
        "xai graph groundtruth --predicted mask.npy --target truth.npy",
    ]))]
    Graph(graph::Command),
    /// Reproducibility: do repeated trainings make the same predictions, and the same errors?
    #[command(subcommand, after_help = examples::section(&[
        "xai repro pairwise --predictions runs.npy --labels y.npy",
        "xai repro simulate classes --kind step --n-classes 5",
    ]))]
    Repro(repro::Command),
    /// Lists the metrics of all families, and the commands that compute them.
    List(all_metrics::List),
    /// Makes a report (HTML and JSON) on a study: all sections of a TOML file.
    Report(report::Arguments),
    /// Tests this program on this processor: computes the figures of the sample study and compares them with the
    /// built-in expected values.
    #[command(after_help = examples::section(&["xai self-check", "xai self-check --json"]))]
    SelfCheck,
    /// Prints a script with which a shell completes commands and options.
    Completions(Completions),
    /// Prints or writes manual pages.
    Man(Manual),
}

/// The command line of the program.
fn command() -> clap::Command {
    let command = allow_negative_numbers(Xai::command());
    let command_with_maps = group_metrics::<attribution::MapMetrics>(command);
    let command_with_cases =
        group_metrics::<casebased::attribution::DataAttributionMetrics>(command_with_maps);
    group_metrics::<counterfactual::CounterfactualMetrics>(command_with_cases)
}

/// Runs the program `xai` with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let parsed = command().try_get_matches().and_then(|matches| {
        let xai =
            Xai::from_arg_matches(&matches).map_err(|error| error.format(&mut Xai::command()))?;
        Ok((xai, output::overwriting::check(&matches)))
    });
    let (Xai { mut context, group }, checked) = match parsed {
        Ok(parsed) => parsed,
        Err(message) => return print_message(&message),
    };
    match checked {
        Ok(rows_on_stdout) => context.rows_on_stdout = rows_on_stdout,
        Err(failure) => return report_failure(&failure),
    }
    let outcome = context.install(|| match &group {
        Some(Group::Casebased(command)) => casebased::run(command, &context),
        Some(Group::Attribution(command)) => attribution::run(command, &context),
        Some(Group::Counterfactual(command)) => counterfactual::run(command, &context),
        Some(Group::Graph(command)) => graph::run(command, &context),
        Some(Group::Repro(command)) => repro::run(command, &context),
        Some(Group::List(command)) => command.run(&context),
        Some(Group::Report(arguments)) => report::run(arguments, &context),
        Some(Group::SelfCheck) => report::self_check::run(&context),
        Some(Group::Completions(command)) => command.run(Xai::command(), &context),
        Some(Group::Man(command)) => command.run(Xai::command(), &context),
        None => {
            context.remark("no command was given: running `xai report` on the built-in sample study (`xai --help` lists the commands)");
            if cfg!(debug_assertions) {
                context.remark("this program was built without optimisation: for large files install the release build with `cargo install --path crates/xai-cli`");
            }
            report::run(&report::Arguments::default(), &context)
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report_failure(&failure),
    }
}

/// Parses a study and the options of its sections, without opening the files that it names. Used by the fuzz targets.
///
/// # Errors
/// Invalid TOML, unknown keys, and wrong or missing values, as in `xai report check`. A study without sections is no
/// error here.
#[doc(hidden)]
pub fn check_study(text: &[u8]) -> Result<(), Failure> {
    use std::path::Path;
    let study = report::study::document::Document::parse(Path::new("study.toml"), text)?;
    study.sections.iter().try_for_each(|section| {
        let (kind, keys) = report::sections::open((&study, section), Path::new(""), None)?;
        kind.prepare(&keys).map(drop)
    })
}

/// Prints the failure to standard error and returns its exit code.
fn report_failure(failure: &Failure) -> ExitCode {
    output::stderr::print_failure(&failure.to_string());
    ExitCode::from(failure.exit_code())
}

/// Prints a message of `clap` (help, version, or an error in the arguments) and returns its exit code. Help that cannot
/// be printed is a failure, except if the reader closed the pipe. If standard error cannot be written, an error is
/// reported by the exit code only.
fn print_message(message: &clap::Error) -> ExitCode {
    use std::io::ErrorKind::BrokenPipe;
    if let Some(failure) = refused_value(message).or_else(|| metric_without_command(message)) {
        return report_failure(&failure);
    }
    match message.print() {
        Err(error) if !message.use_stderr() && error.kind() != BrokenPipe => {
            report_failure(&Failure::standard_output(error))
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2)),
    }
}

/// Returns the failure for an unknown command that is the name of a metric. It says where the metric is computed,
/// which helps more than the similar command names that `clap` suggests.
fn metric_without_command(error: &clap::Error) -> Option<Failure> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let ErrorKind::InvalidSubcommand = error.kind() else {
        return None;
    };
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let metric = xai_metrics::find(name).ok()?;
    let own_name = metric.entry.info.name;
    let help = match metric_command(&metric) {
        Some(command) => format!("`{command}` computes {own_name}"),
        None => other_way::<attribution::MapMetrics>(registry::find(own_name).ok()?),
    };
    Some(Failure::usage(format_args!("{name}: not a command")).help(help))
}

/// Rewrites an error about an option's value in the format of the libraries' errors.
fn refused_value(error: &clap::Error) -> Option<Failure> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    // The option with its placeholder, `--threshold <NUMBER>`.
    let option = text(ContextKind::InvalidArg)?.split(' ').next()?;
    let name = option.trim_start_matches('-');
    let why = refusal_reason(error)?;
    let failure = Failure::for_option(&as_option(name, None), why);
    Some(failure.with_value(text(ContextKind::InvalidValue)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xai_metrics::common::describe::metrics_of_families;

    /// Returns a command and all its subcommands, without the `help` commands.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        let subcommands = command
            .get_subcommands()
            .filter(|subcommand| subcommand.get_name() != "help");
        std::iter::once(command)
            .chain(subcommands.flat_map(all))
            .collect()
    }

    /// Returns the path of the command that has the options of an operation.
    fn path(operation: &str) -> &'static [&'static str] {
        match operation {
            "casebased.explainer" => &["casebased", "explain"],
            "casebased.correspondence" => &["casebased", "correspondence"],
            "casebased.audit" => &["casebased", "audit"],
            "graph.characterization" => &["graph", "characterization"],
            "graph.ground_truth" => &["graph", "groundtruth"],
            "graph.mask_properties" => &["graph", "mask"],
            "graph.robust_fidelity" => &["graph", "robust-fidelity"],
            "graph.unfaithfulness" => &["graph", "unfaithfulness"],
            "repro.pairwise" | "repro.interval" => &["repro", "pairwise"],
            "repro.compare_groups" => &["repro", "compare"],
            "repro.class_distribution" => &["repro", "simulate", "classes"],
            "repro.study" => &["repro", "simulate", "study"],
            other => panic!("{other} has no command"),
        }
    }

    /// A parameter has the same name as an option (whose help begins with its documentation and whose default is its
    /// value), in errors about wrong values, and as a key of studies.
    #[test]
    fn every_parameter_is_an_option_of_its_name_in_help_errors_and_studies() {
        use report::{sections::SECTIONS, study::keys};
        // Simulated predictions have no command of their own; `repro simulate study` uses them.
        let operations =
            xai_metrics::operations().filter(|it| it.name != "repro.simulate_predictions");
        let mut command = Xai::command();
        command.build();
        let (mut n_options, mut n_keys) = (0, 0);
        for operation in operations {
            let path = path(operation.name);
            let subcommand = path
                .iter()
                .try_fold(&command, |command, name| command.find_subcommand(name));
            let arguments: Vec<_> = subcommand.expect(operation.name).get_arguments().collect();
            for param in (operation.params)() {
                let name = format!("{} of {}", param.name, operation.name);
                // The metrics are a list, and the seed is an option of every command.
                if ["seed", "metrics"].contains(&param.name) {
                    continue;
                }
                let option = described::option_name(param.name);
                let argument = arguments.iter().find(|a| a.get_long() == Some(&option));
                let argument = argument.expect(&name);
                let help = argument.get_help().unwrap().to_string();
                assert!(
                    help.starts_with(param.doc.trim_end_matches('.')),
                    "{name}: {help}"
                );
                let defaults = argument.get_default_values();
                let default = defaults.first().map(|value| value.to_string_lossy());
                assert_eq!(
                    default.as_deref(),
                    Some(&*param.value.to_string()),
                    "{name}"
                );
                let wrong = format!("--{option}=no such value");
                let words = ["xai"].iter().chain(path).copied().chain([wrong.as_str()]);
                let error = Xai::command().try_get_matches_from(words).unwrap_err();
                let message = error.to_string();
                assert!(
                    message.contains(&format!("--{option}")) && message.contains("no such value"),
                    "{message}"
                );
                n_options += 1;
                for section in SECTIONS {
                    let commands = section.commands();
                    let is_key = commands.iter().any(|command| {
                        command.path == path && !command.left_out.contains(&option.as_str())
                    });
                    if is_key {
                        let keys = keys::from_commands(&section.commands());
                        assert!(keys.iter().any(|key| key.key == param.name), "{name}");
                        n_keys += 1;
                    }
                }
            }
        }
        assert!(n_options > 30 && n_keys > 10, "{n_options} {n_keys}");
    }

    /// Some attribution metrics have no command, because only the libraries compute them.
    #[test]
    fn every_metric_of_the_other_families_has_a_command() {
        let mut command = Xai::command();
        command.build();
        let metrics = metrics_of_families(xai_metrics::families());
        let others = metrics
            .iter()
            .filter(|metric| metric.family.name != "attribution");
        for metric in others {
            let name = metric.entry.info.name;
            // They compare values of other metrics, or pairs of texts and graphs, which no file holds.
            if ["group-gap", "edit-distance", "edit_size"].contains(&name) {
                assert_eq!(metric_command(metric), None);
                continue;
            }
            let path = metric_command(metric).expect(name);
            let mut words = path.split(' ').skip(1);
            let found = words.try_fold(&command, |at, name| at.find_subcommand(name));
            assert!(found.is_some(), "{path}");
        }
    }

    #[test]
    fn errors_do_not_show_ranges_in_rust_syntax() {
        let mut command = Xai::command();
        command.build();
        let mut n_refused = 0;
        for subcommand in all(&command) {
            for name in subcommand.get_arguments().filter_map(clap::Arg::get_long) {
                let wrong = format!("--{name}=-1");
                let parsed = subcommand
                    .clone()
                    .try_get_matches_from(["xai", wrong.as_str()]);
                let Err(error) = parsed else {
                    continue;
                };
                assert!(!error.to_string().contains("..="), "{error}");
                n_refused += usize::from(refused_value(&error).is_some());
            }
        }
        assert!(n_refused > 30, "{n_refused}");
    }

    #[test]
    fn every_help_ends_with_valid_examples_of_its_command() {
        let mut command = allow_negative_numbers(Xai::command());
        command.build();
        for subcommand in all(&command) {
            let name = subcommand.get_bin_name().unwrap_or_default();
            let examples = examples::commands_in(subcommand);
            assert!((1..=3).contains(&examples.len()), "{name}: {examples:?}");
            for example in examples {
                assert!(example.starts_with(name), "{name}: {example}");
                let without_redirection = example.split(" > ").next().unwrap_or_default();
                // A shell removes the quotes around a word.
                let words = without_redirection
                    .split_whitespace()
                    .map(|word| word.trim_matches('\''));
                let parsed = allow_negative_numbers(Xai::command())
                    .try_get_matches_from(words)
                    .and_then(|matches| Xai::from_arg_matches(&matches));
                assert!(parsed.is_ok(), "{example}\n{}", parsed.unwrap_err());
            }
        }
    }
}
