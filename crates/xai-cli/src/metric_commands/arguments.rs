//! Options that are made of descriptions: of the inputs of a metric, and of its parameters.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use xai_files::Failure;
use xai_metrics::common::describe::{Element, InputSpec, Param, Value};
use xai_metrics::common::{Direction, Input};

use crate::described::{SEED, argument, option_name};
use crate::examples;
use crate::metric_commands::{Family, RegisteredMetric};
use crate::usage::named_file::NamedFile;

/// The inputs of which a metric can have files: those that it needs, or uses if they are given.
pub(crate) fn inputs<F: Family>(
    entry: &F::Entry,
) -> impl Iterator<Item = &'static InputSpec> + use<'_, F> {
    let takes = |spec: &&InputSpec| {
        let input = spec.input;
        entry.needs(input) || F::may_take(entry, input) || params_with_word(entry, spec).count() > 0
    };
    let stored = F::INPUTS.iter().filter(|spec| spec.has_file());
    stored.filter(takes)
}

/// The command of a metric.
pub(crate) fn command<F: Family>(entry: &'static F::Entry) -> Command {
    let info = entry.info();
    let better = match info.direction {
        Direction::Lower => " (lower is better)",
        Direction::Higher => " (higher is better)",
        Direction::None => "",
    };
    let with_files =
        Command::new(info.name).args(inputs::<F>(entry).map(|spec| file_option::<F>(entry, spec)));
    let params = entry.params();
    // `about` is set last, because `add_options` sets it to the doc comment of the struct of options.
    F::add_options(entry, with_files)
        .args(own_params(&params).map(argument))
        .args(F::out_help(entry).map(out_option))
        .about(info.summary.to_owned() + better)
        .long_about(None)
        .after_help(examples::section(&metric_examples::<F>(entry)))
}

/// The parameters that are options of a metric: all but the seed, which is an option of every command.
fn own_params(params: &[Param]) -> impl Iterator<Item = &Param> {
    params.iter().filter(|param| param.name != SEED)
}

/// The values of a metric's parameters from its command line: given there, or the default. A parameter whose default
/// cannot be written down is left out unless it is given.
pub(super) fn param_values(
    matches: &ArgMatches,
    entry: &impl RegisteredMetric,
) -> Vec<(String, Value)> {
    let params = entry.params();
    let values = own_params(&params).filter_map(|param| {
        let text = matches.get_one::<String>(param.name)?;
        Some((param.name.to_owned(), Value::from(text.as_str())))
    });
    values.collect()
}

/// The option of an input, without dashes.
pub(crate) fn option_of(spec: &InputSpec) -> String {
    option_name(&spec.option_key())
}

/// The placeholder of an input's file.
fn placeholder(spec: &InputSpec) -> &'static str {
    if spec.element == Element::Model {
        "FILE.onnx"
    } else {
        "FILE.npy"
    }
}

/// The option of a file of an input that may be missing.
pub(super) fn optional(spec: &InputSpec) -> Arg {
    let option = Arg::new(spec.option_key())
        .long(option_of(spec))
        .value_name(placeholder(spec))
        .help(spec.to_string())
        .value_parser(value_parser!(PathBuf));
    match spec.requires {
        Some(other) => option.requires(other.name()),
        None => option,
    }
}

/// The option of an input with a file for each explainer.
pub(super) fn named(spec: &InputSpec, option: String) -> Arg {
    Arg::new(option.clone())
        .long(option)
        .value_name(format!("NAME={}", placeholder(spec)))
        .action(ArgAction::Append)
        .num_args(1..)
        .help(format!("{spec}, of each explainer"))
        .value_parser(NamedFile::parser())
}

/// The option of a file of a metric.
fn file_option<F: Family>(entry: &F::Entry, spec: &InputSpec) -> Arg {
    let option = optional(spec);
    if !entry.needs(spec.input) {
        let words = option_values(entry, spec);
        return if words.is_empty() {
            option
        } else {
            option.help(format!("{spec}, for {words}"))
        };
    }
    let substitute = inputs::<F>(entry).find(|other| other.instead_of == Some(spec.input));
    match (substitute, F::alternatives(entry, spec)) {
        (Some(other), _) => option
            .required_unless_present(other.option_key())
            .conflicts_with(other.option_key()),
        (None, others) if others.is_empty() => option.required(true),
        (None, others) => option.required_unless_present_any(others),
    }
}

fn out_option(help: &'static str) -> Arg {
    Arg::new("out")
        .long("out")
        .value_name("FILE.csv")
        .help(help)
        .value_parser(value_parser!(PathBuf))
}

/// Commands to start from, with the files that a metric needs.
fn metric_examples<F: Family>(entry: &F::Entry) -> Vec<String> {
    let needed = inputs::<F>(entry).filter(|spec| entry.needs(spec.input));
    let options = needed.map(|spec| {
        let ending = placeholder(spec).trim_start_matches("FILE");
        let name = option_of(spec);
        format!(" --{name} {name}{ending}")
    });
    let options: String = options.collect();
    let mut all = Vec::new();
    if !options.is_empty() {
        let with_files = format!("xai {} {}{options}", F::COMMAND, entry.info().name);
        let out = F::out_help(entry).map(|_| format!("{with_files} --out scores.csv"));
        all.extend([with_files].into_iter().chain(out));
    }
    all.extend(F::other_examples(entry));
    all
}

/// The parameters of a metric that may be the word that requires an input.
fn params_with_word(
    entry: &impl RegisteredMetric,
    spec: &InputSpec,
) -> impl Iterator<Item = Param> {
    let required_when = spec.required_when;
    let params = entry.params().into_iter();
    params.filter(move |param| {
        let mut words = param.kind.words();
        required_when.is_some_and(|required| words.any(|word| word.name == required))
    })
}

/// The options with the word that requires an input: `--features segments`.
fn option_values(entry: &impl RegisteredMetric, spec: &InputSpec) -> String {
    let word = spec.required_when.unwrap_or_default();
    let params = params_with_word(entry, spec);
    let options = params.map(|param| format!("--{} {word}", option_name(param.name)));
    options.collect::<Vec<_>>().join(" or ")
}

/// The parameter whose value requires an input, with this value.
fn requiring_param(
    entry: &impl RegisteredMetric,
    spec: &InputSpec,
    value: impl Fn(&str) -> Option<Value>,
) -> Option<(&'static str, String)> {
    params_with_word(entry, spec).find_map(|param| {
        let value = value(param.name).unwrap_or(param.value).to_string();
        let is_required = value.split(':').next() == spec.required_when;
        is_required.then_some((param.name, value))
    })
}

/// Whether a metric with some settings reads an input.
pub(crate) fn reads<F: Family>(
    entry: &F::Entry,
    spec: &InputSpec,
    value: impl Fn(&str) -> Option<Value>,
) -> bool {
    entry.needs(spec.input) || requiring_param(entry, spec, value).is_some()
}

/// Refuses an input that a metric could use, and does not use with its settings.
pub(crate) fn check_used<F: Family>(
    entry: &F::Entry,
    value: impl Fn(&str) -> Option<Value>,
    is_given: impl Fn(Input) -> bool,
) -> Result<(), Failure> {
    for spec in F::INPUTS.iter().filter(|spec| spec.required_when.is_some()) {
        if is_given(spec.input) && !reads::<F>(entry, spec, &value) {
            let option = format!("--{}", option_of(spec));
            let words = option_values(entry, spec);
            let failure = Failure::for_option(&option, format_args!("used by {words} alone"));
            return Err(failure.help(format_args!("add {words}, or leave {option} out")));
        }
    }
    Ok(())
}

/// Refuses a metric whose inputs were not given: wrong usage, before anything is read. `written` is a setting as the
/// command line has it, `option` the name of an input's option.
pub(crate) fn check_inputs<F: Family>(
    entry: &F::Entry,
    value: impl Fn(&str) -> Option<Value>,
    is_given: impl Fn(Input) -> bool,
    written: impl Fn(&str, &str) -> String,
    option: impl Fn(&InputSpec) -> String,
) -> Result<(), Failure> {
    for spec in F::INPUTS.iter().filter(|spec| spec.has_file()) {
        let setting = requiring_param(entry, spec, &value);
        let reason = match setting {
            Some((name, value)) => written(name, &value),
            None if entry.needs(spec.input) => entry.info().name.to_owned(),
            None => continue,
        };
        if !is_given(spec.input) {
            let failure = Failure::for_option(
                &format!("--{}", option(spec)),
                format_args!("needed by {reason}"),
            );
            return Err(failure.with_value(placeholder(spec)));
        }
    }
    Ok(())
}
