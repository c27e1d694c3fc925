//! Options that are made of a description: the parameters of a struct.

use std::marker::PhantomData;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::core::describe::{Kind, Param, Parameter, Parameters, Value, Word, with};

use crate::Context;

/// The parameter that the option `--seed`, which every command has, sets.
const SEED: &str = "seed";

/// The parameters of `P` as options. What a parameter is, its words and its default come from its description.
///
/// A command holds it as `#[command(flatten)]`.
#[derive(Debug, Clone)]
pub(crate) struct Described<P> {
    given: Vec<(&'static str, Value)>,
    of: PhantomData<P>,
}

impl<P: Parameters + Default> Described<P> {
    /// The defaults with what was given.
    pub(crate) fn read(&self) -> Result<P, Failure> {
        with(P::default(), self.given.clone()).in_files(&Self::options())
    }

    /// The defaults with what was given, and with the seed of the command.
    pub(crate) fn read_seeded(&self, context: &Context) -> Result<P, Failure> {
        let seed = (SEED, Value::from(context.seed()));
        with(P::default(), self.given.iter().cloned().chain([seed])).in_files(&Self::options())
    }

    /// Whether one of the options was given.
    pub(crate) fn any_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// The options of the parameters, to name them in errors.
    pub(crate) fn options() -> Files<'static> {
        Files::new().named_options(Self::params().iter().map(|param| param.name))
    }

    /// The parameters that are options of their own.
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
        let (given, of) = (Vec::new(), PhantomData);
        Self { given, of }
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
                self.given.push((param.name, Value::Text(text.clone())));
            }
        }
        Ok(())
    }
}

/// Parses the words of an enum, which `--help` lists with what they mean.
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

/// The name of the option of a parameter, without dashes.
pub(crate) fn option_name(param: &str) -> String {
    param.replace('_', "-")
}

/// The option of a parameter.
pub(crate) fn argument(param: &Param) -> Arg {
    let name = option_name(param.name);
    let argument = match (name.chars().next(), name.len()) {
        (Some(letter), 1) => Arg::new(param.name).short(letter),
        _ => Arg::new(param.name),
    };
    let argument = argument
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
            .value_parser(PossibleValuesParser::new(words.iter().map(possible_value)))
            .value_name(param.name.to_uppercase()),
        kind => argument
            .value_name(kind.placeholder())
            .value_parser(move |text: &str| {
                let value = Value::from(text);
                match kind.admits(&value) {
                    true => Ok(text.to_owned()),
                    false => Err(format!("expected {}", kind.expected(&value))),
                }
            }),
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
