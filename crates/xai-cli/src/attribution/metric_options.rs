//! Options of metrics, as the registry lists them.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use xai_metrics::attribution::metric::{Entry, OptionInfo, SEED_OPTION};

use crate::context::Context;
#[cfg(feature = "onnx")]
use crate::failure::Failure;

/// The options of some metrics, by name and text.
#[derive(Debug, Clone, Default)]
pub(super) struct MetricOptions(Vec<(&'static str, String)>);

/// The options of metrics, each once. The seed is an option of every command.
fn options<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<OptionInfo> {
    let mut options: Vec<OptionInfo> = Vec::new();
    for option in entries.into_iter().flat_map(Entry::options) {
        let met = options.iter().any(|other| other.name == option.name);
        if !met && option.name != SEED_OPTION.name {
            options.push(option);
        }
    }
    options
}

impl MetricOptions {
    /// Adds the options of metrics to a command that computes all of them.
    pub(super) fn augment<'a>(
        command: Command,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> Command {
        Self::augment_with(command, entries, true)
    }

    /// Adds the options of metrics to a command that computes some of them: none is required, see
    /// [`check`](Self::check).
    #[cfg(feature = "onnx")]
    pub(super) fn augment_for_any<'a>(
        command: Command,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> Command {
        Self::augment_with(command, entries, false)
    }

    fn augment_with<'a>(
        command: Command,
        entries: impl IntoIterator<Item = &'a Entry>,
        are_all_asked: bool,
    ) -> Command {
        let arguments = options(entries).into_iter().map(|option| {
            let argument = Arg::new(option.name)
                .long(option.name)
                .help(option.help)
                .allow_hyphen_values(true);
            let argument = match option.default {
                "" => argument.required(are_all_asked),
                default => argument.default_value(default),
            };
            // The name of a value that is a word lists the words.
            match option.value_name.contains('|') {
                true => argument
                    .value_parser(PossibleValuesParser::new(option.value_name.split('|')))
                    .value_name(option.name.replace('-', "_").to_uppercase()),
                false => argument.value_name(option.value_name),
            }
        });
        command.args(arguments)
    }

    /// What was given, or is the default.
    pub(super) fn read<'a>(
        matches: &ArgMatches,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> Self {
        let given = options(entries).into_iter().filter_map(|option| {
            let text = matches.get_one::<String>(option.name)?;
            Some((option.name, text.clone()))
        });
        Self(given.collect())
    }

    /// The options without a default, which a metric needs.
    pub(super) fn needed(entry: &Entry) -> impl Iterator<Item = &'static str> {
        let needed = entry.options().into_iter().filter(|o| o.default.is_empty());
        needed.map(|option| option.name)
    }

    /// An option without a default that a metric needs and that was not given.
    #[cfg(feature = "onnx")]
    pub(super) fn missing(&self, entry: &Entry) -> Option<&'static str> {
        Self::needed(entry).find(|name| self.text(name).is_none())
    }

    /// Refuses a metric whose option without a default was not given.
    #[cfg(feature = "onnx")]
    pub(super) fn check(&self, entry: &Entry) -> Result<(), Failure> {
        match self.missing(entry) {
            None => Ok(()),
            Some(option) => {
                let name = entry.info.name;
                Err(Failure::usage(format!("--{option}: needed by {name}")))
            }
        }
    }

    /// The text of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut options = self.0.iter();
        options.find_map(|(option, text)| (*option == name).then_some(text.as_str()))
    }

    /// The names of the options.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// Those of a metric's options, and the seed if it is one.
    pub(super) fn of<'a>(&'a self, entry: &Entry, seed: &'a str) -> Vec<(&'a str, &'a str)> {
        let options = entry.options().into_iter().filter_map(|option| {
            let text = match option.name == SEED_OPTION.name {
                true => Some(seed),
                false => self.text(option.name),
            };
            Some((option.name, text?))
        });
        options.collect()
    }

    /// The seed of a command as text.
    pub(super) fn seed(context: &Context) -> String {
        context.seed().to_string()
    }
}
