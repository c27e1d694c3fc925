//! Parsing and checks of the command of a metric.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use xai_files::Failure;

use crate::described::option_name;
use crate::metric_commands::{
    Family, InputFiles, MetricCommand, RegisteredMetric, arguments, commands,
};

impl<F: Family> MetricCommand<F> {
    /// Refuses files that its settings need and that were not given, and those that they do not use.
    pub(crate) fn check_files(&self) -> Result<(), Failure> {
        let value = |name: &str| self.value(name);
        let has_file = |input| self.files.has(input);
        arguments::check_inputs::<F>(
            self.entry,
            value,
            // clap has checked the options that the metric needs whatever its settings are.
            |input| has_file(input) || self.entry.needs(input),
            |param, value| format!("--{} {value}", option_name(param)),
            arguments::option_of,
        )?;
        arguments::check_used::<F>(self.entry, value, has_file)
    }
}

impl<F: Family> Subcommand for MetricCommand<F> {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(commands::<F>().map(arguments::command::<F>))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        commands::<F>().any(|entry| entry.info().name == name)
    }
}

impl<F: Family> FromArgMatches for MetricCommand<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let metric = matches.subcommand().and_then(|(name, matches)| {
            let entry = commands::<F>().find(|entry| entry.info().name == name);
            Some((entry?, matches))
        });
        let (entry, matches) = metric.ok_or(clap::Error::new(ErrorKind::MissingSubcommand))?;
        let out = matches.try_get_one::<PathBuf>("out").ok().flatten();
        Ok(Self {
            entry,
            files: InputFiles::from_matches(matches, arguments::inputs::<F>(entry)),
            params: arguments::param_values(matches, entry),
            options: F::options(entry, matches)?,
            out: out.cloned(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
