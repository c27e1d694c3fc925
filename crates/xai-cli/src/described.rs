//! Options that derive from the parameters of a struct.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::common::describe::{Kind, Param, Parameter, Parameters, Value, Word, with};

use crate::Context;

/// The parameter that the option `--seed`, which every command has, sets.
pub(crate) const SEED: &str = "seed";

/// The parameters of `P` as options. Their help, words and defaults come from the descriptions of the parameters.
///
/// A command has it as a field with `#[command(flatten)]`.
#[derive(Debug, Clone)]
pub(crate) struct Described<P> {
    values: Vec<(&'static str, Value)>,
    params: PhantomData<P>,
}

impl<P: Parameters + Default> Described<P> {
    /// The defaults with the given values.
    pub(crate) fn read(&self) -> Result<P, Failure> {
        with(P::default(), self.values.clone()).in_files(&Self::options())
    }

    /// The defaults with the given values and the seed of the command.
    pub(crate) fn read_seeded(&self, context: &Context) -> Result<P, Failure> {
        let seed = (SEED, Value::from(context.seed()));
        with(P::default(), self.values.iter().cloned().chain([seed])).in_files(&Self::options())
    }

    /// Whether any of the options is given.
    pub(crate) fn any_given(&self) -> bool {
        !self.values.is_empty()
    }

    /// The options by the parameters that errors are about.
    pub(crate) fn options() -> Files<'static> {
        Files::new().named_options(Self::params().iter().map(|param| param.name))
    }

    /// The parameters without the seed, which is an option of every command.
    fn params() -> Vec<Param> {
        let mut params = P::default().params();
        params.retain(|param| param.name != SEED);
        params
    }

    fn augment(command: Command) -> Command {
        command.args(Self::params().iter().map(argument))
    }
}

impl<P> Default for Described<P> {
    fn default() -> Self {
        let (values, params) = (Vec::new(), PhantomData);
        Self { values, params }
    }
}

impl<P: Parameters + Default> Args for Described<P> {
    fn augment_args(command: Command) -> Command {
        Self::augment(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment(command)
    }
}

impl<P: Parameters + Default> FromArgMatches for Described<P> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut described = Self::default();
        described.update_from_arg_matches(matches)?;
        Ok(described)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for param in Self::params() {
            if matches.value_source(param.name) == Some(ValueSource::CommandLine)
                && let Some(text) = matches.get_one::<String>(param.name)
            {
                self.values.push((param.name, Value::from(text.as_str())));
            }
        }
        Ok(())
    }
}

/// Parses the words of an enum; `--help` lists them with their meaning.
pub(crate) fn word<P>() -> impl TypedValueParser<Value = P>
where
    P: Parameter + Clone + Send + Sync + 'static,
{
    let word = |text: String| P::from_value(&Value::Text(text)).ok_or("expected another word");
    PossibleValuesParser::new(P::KIND.words().map(possible_value)).try_map(word)
}

pub(crate) fn possible_value(word: &Word) -> PossibleValue {
    let value = PossibleValue::new(word.name).help(word.doc.trim_end_matches('.'));
    let underscored = word.name.replace('-', "_");
    let others = [word.alias.to_owned(), underscored];
    value.aliases(
        others
            .into_iter()
            .filter(|other| !other.is_empty() && other != word.name),
    )
}

/// The name of the option of a parameter or input, without leading dashes.
pub(crate) fn option_name(param: &str) -> String {
    param.replace('_', "-")
}

/// The option of a parameter.
pub(crate) fn argument(param: &Param) -> Arg {
    let name = option_name(param.name);
    let with_short = match (name.chars().next(), name.len()) {
        (Some(letter), 1) => Arg::new(param.name).short(letter),
        _ => Arg::new(param.name),
    };
    let documented = with_short
        .long(name)
        .help(param_help(param))
        .allow_hyphen_values(true);
    let argument = match &param.value {
        Value::Given => documented,
        default => documented.default_value(default.to_string()),
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
            .value_parser(PossibleValuesParser::new(words.iter().map(possible_value)))
            .value_name(param.name.to_uppercase()),
        kind => argument
            .value_name(kind.placeholder())
            .value_parser(move |text: &str| {
                let value = Value::from(text);
                if kind.admits(&value) {
                    Ok(text.to_owned())
                } else {
                    Err(format!("expected {}", kind.expected(&value)))
                }
            }),
    }
}

/// The documentation of a parameter and of its words.
fn param_help(param: &Param) -> String {
    let mut help = param.doc.trim_end_matches('.').to_owned();
    if matches!(param.kind, Kind::Words(_)) && !param.kind.words().any(|w| w.value.is_some()) {
        return help; // clap lists the words
    }
    for word in param.kind.words() {
        help += &format!("\n- {word}: {}", word.doc.trim_end_matches('.'));
    }
    help
}
