//! Parameters of metrics: options of a metric's own command, settings where several are computed.

use clap::{ArgMatches, Command};
use xai_metrics::attribution::metric::{Entry, Value};

use crate::Context;
use crate::described::argument;

/// The word of `--metrics` for the metrics of `registry::STANDARD`.
pub(crate) const STANDARD_WORD: &str = "standard";
/// The word of `--metrics` for all metrics that the files are enough for.
pub(crate) const ALL_WORD: &str = "all";

/// The parameter that the option `--seed`, which every command has, sets.
const SEED: &str = "seed";

/// The parameters of a metric with their values from its command line: given there, or the default.
#[derive(Debug, Clone, Default)]
pub(super) struct Given(Vec<(&'static str, Value)>);

impl Given {
    /// Adds the parameters of a metric to its command.
    pub(super) fn augment(command: Command, entry: &Entry) -> Command {
        let params = entry.params().into_iter().filter(|p| p.name != SEED);
        command.args(params.map(|param| argument(&param)))
    }

    /// Reads all parameters but the seed; one that has no value in words is left out where it is not given.
    pub(super) fn read(matches: &ArgMatches, entry: &Entry) -> Self {
        let given = entry.params().into_iter().filter_map(|param| {
            // The seed is an option of every command and no `String`: its look-up fails.
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

    /// The values as settings of the metric, with the seed of the command if the metric has one.
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
    use clap::Arg;
    use xai_metrics::core::Input;

    use super::*;
    use crate::attribution::metric::arguments;
    use crate::attribution::options::names;
    use crate::described::option_name;

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
                let files = names().named_options([param.name]);
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
