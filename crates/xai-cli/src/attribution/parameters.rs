//! Parameters of metrics: options of a metric's own command, settings where several are computed.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};
use xai_metrics::attribution::metric::{Entry, Param, Value};
use xai_metrics::core::describe::{Kind, Word};

use crate::context::Context;

/// The parameter that the option `--seed`, which every command has, sets.
const SEED: &str = "seed";

/// The name of the option of a parameter, without dashes.
pub(super) fn option_name(param: &str) -> String {
    param.replace('_', "-")
}

/// The option of a parameter.
fn argument(param: &Param) -> Arg {
    let name = option_name(param.name);
    let argument = Arg::new(param.name)
        .long(name)
        .help(help_of(param))
        .allow_hyphen_values(true);
    let argument = match &param.value {
        Value::Given => argument,
        default => argument.default_value(default.to_string()),
    };
    let is_plain = |words: &[Word]| words.iter().all(|word| word.value.is_none());
    match param.kind {
        Kind::Flag => argument
            .allow_hyphen_values(false)
            .num_args(0..=1)
            .default_missing_value("true")
            .value_parser(PossibleValuesParser::new(["true", "false"]))
            .value_name("true|false"),
        Kind::Words(words) if is_plain(words) => argument
            .value_parser(PossibleValuesParser::new(words.iter().map(|word| {
                PossibleValue::new(word.name)
                    .help(word.doc)
                    .alias(word.name.replace('-', "_"))
            })))
            .value_name(param.name.to_uppercase()),
        kind => argument.value_name(kind.placeholder()),
    }
}

/// What a parameter is, and what its words mean.
fn help_of(param: &Param) -> String {
    let mut help = param.doc.trim_end_matches('.').to_owned();
    if matches!(param.kind, Kind::Words(_)) && !param.kind.words().any(|w| w.value.is_some()) {
        return help; // clap lists the words
    }
    for word in param.kind.words() {
        help += &format!("\n- {word}: {}", word.doc.trim_end_matches('.'));
    }
    help
}

/// The parameters of a metric that were given on its command line.
#[derive(Debug, Clone, Default)]
pub(super) struct Given(Vec<(&'static str, Value)>);

impl Given {
    /// Adds the parameters of a metric to its command.
    pub(super) fn augment(command: Command, entry: &Entry) -> Command {
        let params = entry.params().into_iter().filter(|p| p.name != SEED);
        command.args(params.map(|param| argument(&param)))
    }

    /// What was given, or is the default.
    pub(super) fn read(matches: &ArgMatches, entry: &Entry) -> Self {
        let given = entry.params().into_iter().filter_map(|param| {
            let known = matches.try_get_one::<String>(param.name).ok().flatten()?;
            Some((param.name, Value::Text(known.clone())))
        });
        Self(given.collect())
    }

    /// The names of the parameters.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The value of a parameter.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        let mut given = self.0.iter();
        given.find_map(|(given, value)| (*given == name).then_some(value))
    }

    /// What was given for a metric, and the seed of the command.
    pub(super) fn settings(&self, entry: &Entry, context: &Context) -> Vec<(String, Value)> {
        let given = self
            .0
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        with_seed(entry, &given.collect::<Vec<_>>(), context)
    }
}

/// Settings of a metric, and the seed of the command where the metric has one and they do not.
pub(super) fn with_seed(
    entry: &Entry,
    settings: &[(String, Value)],
    context: &Context,
) -> Vec<(String, Value)> {
    let mut all = settings.to_vec();
    if entry.has_param(SEED) && settings.iter().all(|(name, _)| name != SEED) {
        all.push((SEED.to_owned(), Value::from(context.seed())));
    }
    all
}

#[cfg(test)]
mod tests {
    use xai_metrics::core::Input;

    use super::*;
    use crate::attribution::metric::arguments;
    use crate::attribution::options::parameters;

    /// A parameter has one name: in its description, as an option, in the errors about it, in settings.
    #[test]
    fn every_parameter_is_an_option_of_its_name_in_help_and_errors() {
        for entry in arguments::entries().filter(|entry| entry.is_built()) {
            let command = arguments::command(entry);
            for param in entry.params() {
                let name = format!("{} of {}", param.name, entry.info.name);
                if param.name == SEED {
                    continue; // an option of every command
                }
                let option = option_name(param.name);
                let argument = command
                    .get_arguments()
                    .find(|a| a.get_long() == Some(&option));
                let help = argument.and_then(Arg::get_help).map(ToString::to_string);
                assert!(
                    help.unwrap().starts_with(param.doc.trim_end_matches('.')),
                    "{name}"
                );
                let wrong = vec![(param.name.to_owned(), Value::from("no such value"))];
                let error = entry.build::<f64>(&wrong).err().expect(&name);
                assert_eq!(error.input(), Input::new(param.name), "{name}");
                let files = parameters().named([param.name]);
                assert_eq!(
                    files.failure(&error).option(),
                    Some(option.as_str()),
                    "{name}"
                );
                let setting = format!("{}({}=no such value)", entry.key(), param.name);
                let setting: xai_metrics::core::describe::Setting = setting.parse().unwrap();
                assert_eq!(setting.params[0].0, param.name);
            }
        }
    }
}
