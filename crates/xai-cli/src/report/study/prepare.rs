//! Conversion of the keys of a section to the arguments of its commands.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use clap::{Args, FromArgMatches};
use xai_files::Failure;
use xai_report::{Origin, Report};

use crate::Context;
use crate::report::study::arguments::{CommandLine, NamedFile, WrongValue};
use crate::report::study::document::{Document, Key, Section, Table, Value};
use crate::report::study::keys::{KeyInfo, SectionCommand, canonical};
use crate::report::study::usage::{WrongUsage, in_keys};
use crate::report::study::{keys, settings};
use crate::usage::nearest;

/// The tables of explainers in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Explainers {
    /// The section has no explainers.
    None,
    /// Each explainer has a name and at least one of some files, given as `(key, option)`. The option of the section's
    /// command takes `NAME=FILE`.
    Files(&'static [(&'static str, &'static str)]),
    /// Each explainer may have the keys of the section, which override those of the section, except some.
    Keys {
        /// Keys that all explainers of a section share.
        shared: &'static [&'static str],
    },
}

/// Keys of every section.
#[derive(Debug, clap::Args)]
struct CommonKeys {
    /// Seed of the random numbers.
    #[arg(long)]
    seed: Option<u64>,
}

/// Function that computes a section and adds it to a report.
pub(crate) type Evaluate = Box<dyn Fn(Origin, &Context, &mut Report) -> Result<(), Failure>>;

/// Converts a function that computes a section to one that adds it to `sections` of the report.
pub(crate) fn into_report<S: 'static>(
    evaluate: impl Fn(Origin, &Context) -> Result<S, Failure> + 'static,
    sections: fn(&mut Report) -> &mut Vec<S>,
) -> Evaluate {
    Box::new(move |origin, context, report| {
        sections(report).push(evaluate(origin, context)?);
        Ok(())
    })
}

/// A section that is ready to be computed.
pub(crate) struct Prepared {
    pub(crate) evaluate: Evaluate,
    /// Parts that `xai report check` checks one by one; if empty, it checks the whole section.
    pub(crate) parts: Vec<Evaluate>,
    /// Commands that compute the same figures.
    pub(crate) commands: Vec<String>,
    /// Files that it reads.
    pub(crate) files: Vec<NamedFile>,
    /// Settings on which its figures depend besides files and seeds.
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) seed: Option<u64>,
}

/// The keys of a section and the commands whose options they are.
pub(crate) struct SectionKeys<'a> {
    document: &'a Document,
    pub(crate) section: &'a Section,
    commands: Vec<SectionCommand>,
    explainers: Explainers,
    keys: Vec<KeyInfo>,
    folder: &'a Path,
    seed: Option<u64>,
}

/// Adds the keys that every section has to the commands of a section.
pub(crate) fn with_common(commands: &[SectionCommand]) -> Vec<SectionCommand> {
    [commands, &[SectionCommand::study_keys::<CommonKeys>()]].concat()
}

impl<'a> SectionKeys<'a> {
    /// Creates the keys of a section whose paths are relative to a folder.
    pub(crate) fn new(
        (document, section): (&'a Document, &'a Section),
        folder: &'a Path,
        commands: &[SectionCommand],
        explainers: Explainers,
    ) -> Self {
        let commands = with_common(commands);
        Self {
            document,
            section,
            keys: keys::from_commands(&commands),
            commands,
            explainers,
            folder,
            seed: document.seed,
        }
    }

    /// Fails for unknown keys, and reads the seed. `seed` is that of the command line, which overrides the study.
    pub(crate) fn check(&mut self, seed: Option<u64>) -> Result<(), Failure> {
        let mut section_keys: Vec<&str> = self.keys.iter().map(|info| info.key.as_str()).collect();
        section_keys.push("name");
        let explainer_keys = match self.explainers {
            Explainers::None => Vec::new(),
            Explainers::Files(files) => files.iter().map(|(key, _)| *key).chain(["name"]).collect(),
            Explainers::Keys { shared } => {
                let is_own = |key: &&str| !shared.contains(key);
                section_keys.iter().copied().filter(is_own).collect()
            }
        };
        if self.explainers != Explainers::None {
            section_keys.push("explainers");
        } else if let Some(table) = self.section.explainers.first() {
            return Err(self.unknown("explainers", &table.at, "", &section_keys));
        }
        for key in self.section.explainers.iter().flat_map(|table| &table.keys) {
            self.check_key(key, ".explainers", &explainer_keys)?;
        }
        for key in &self.section.keys {
            self.check_key(key, "", &section_keys)?;
        }
        let (_, CommonKeys { seed: own }) = self.command(self.commands.len() - 1)?;
        self.seed = seed.or(own).or(self.seed);
        Ok(())
    }

    /// Fails if a key is not one of `valid`.
    fn check_key(&self, key: &Key, table: &str, valid: &[&str]) -> Result<(), Failure> {
        if valid.contains(&canonical(&key.name).as_str()) {
            return Ok(());
        }
        Err(self.unknown(&key.name, &key.at, table, valid))
    }

    fn unknown(&self, key: &str, at: &Range<usize>, table: &str, valid: &[&str]) -> Failure {
        let section = self.section.kind.key;
        let what = format!("unknown key `{key}` of [[{section}{table}]]");
        self.failure(at, what).help(nearest(key, valid))
    }

    /// Returns a failure at a position of the study.
    pub(crate) fn failure(&self, at: &Range<usize>, what: impl std::fmt::Display) -> Failure {
        self.document.text.failure(at.clone(), what)
    }

    /// Returns the value of a key that must be text.
    pub(crate) fn text<'k>(&self, key: &'k Key) -> Result<&'k str, Failure> {
        match &key.value {
            Value::Word(word) if !word.is_empty() => Ok(word),
            _ => Err(self.failure(&key.value_at, format!("`{}`: expected text", key.name))),
        }
    }

    /// Returns the command with an index, with the options of the keys of the section.
    pub(crate) fn command<A: Args + FromArgMatches>(
        &self,
        index: usize,
    ) -> Result<(CommandLine, A), Failure> {
        self.command_from(index, &self.section.keys, &self.section.at)
    }

    /// Returns the command with an index, with the options of some keys. Errors that are not about a key get the
    /// position `at`.
    pub(crate) fn command_from<'k, A: Args + FromArgMatches>(
        &self,
        index: usize,
        keys: impl IntoIterator<Item = &'k Key>,
        at: &Range<usize>,
    ) -> Result<(CommandLine, A), Failure> {
        let line = self.line(index, keys)?;
        let arguments = self.parse(&line, at)?;
        Ok((line, arguments))
    }

    fn line<'k>(
        &self,
        index: usize,
        keys: impl IntoIterator<Item = &'k Key>,
    ) -> Result<CommandLine, Failure> {
        let mut line = CommandLine::new(self.commands[index]);
        for key in keys {
            let added = line.add(key, &self.keys, index, self.folder);
            added.map_err(|WrongValue { at, what }| self.failure(&at, what))?;
        }
        Ok(line)
    }

    fn parse<A: Args + FromArgMatches>(
        &self,
        line: &CommandLine,
        at: &Range<usize>,
    ) -> Result<A, Failure> {
        line.parse().map_err(|error| {
            let wrong = WrongUsage::new(&error);
            let position = |option: &String| line.positions.iter().find(|(name, _)| name == option);
            let found = wrong.options.iter().find_map(position);
            let failure = self.failure(found.map_or(at, |(_, at)| at), &wrong.what);
            match wrong.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    }

    /// Returns the first command, with an option for each file of each explainer. `help` is the syntax of explainers.
    pub(crate) fn compared<A: Args + FromArgMatches>(
        &self,
        help: &str,
    ) -> Result<(CommandLine, A), Failure> {
        let mut line = self.line(0, &self.section.keys)?;
        for table in &self.section.explainers {
            self.add_explainer(table, &mut line)?;
        }
        if self.section.explainers.is_empty() {
            let failure = self.failure(&self.section.at, "the section has no explainers");
            return Err(failure.help(format_args!("add {help}")));
        }
        let arguments = self.parse(&line, &self.section.at)?;
        Ok((line, arguments))
    }

    /// Adds the files of an explainer, at least one.
    fn add_explainer(&self, table: &Table, line: &mut CommandLine) -> Result<(), Failure> {
        let text = |name: &str| {
            let key = table.key(name);
            key.map(|key| self.text(key)).transpose()
        };
        let wrong = |what: &str| self.failure(&table.at, what);
        let name = text("name")?.ok_or_else(|| wrong("the explainer needs `name`"))?;
        if name.contains('=') {
            return Err(wrong("`name`: expected a name without `=`"));
        }
        let Explainers::Files(file_keys) = self.explainers else {
            return Ok(());
        };
        let mut has_file = false;
        for (key, option) in file_keys {
            if let Some(file) = text(key)? {
                line.push_named_file(option, name, file, self.folder);
                has_file = true;
            }
        }
        if has_file {
            return Ok(());
        }
        let names: Vec<String> = file_keys
            .iter()
            .map(|(key, _)| format!("`{key}`"))
            .collect();
        Err(wrong(&format!(
            "the explainer needs {}",
            names.join(" or ")
        )))
    }

    /// Prepares a section that is computed by one command.
    pub(crate) fn single<A: Args + FromArgMatches + 'static, S: 'static>(
        &self,
        evaluate: fn(&A, Origin, &Context) -> Result<S, Failure>,
        sections: fn(&mut Report) -> &mut Vec<S>,
    ) -> Result<Prepared, Failure> {
        let (line, arguments) = self.command(0)?;
        let evaluate = move |origin, context: &Context| evaluate(&arguments, origin, context);
        Ok(self.prepared(into_report(evaluate, sections), &[line]))
    }

    /// Returns a section that is computed by `evaluate`, with the files and commands of `lines`.
    pub(crate) fn prepared(&self, evaluate: Evaluate, lines: &[CommandLine]) -> Prepared {
        let mut files: Vec<NamedFile> = Vec::new();
        for file in lines.iter().flat_map(|line| &line.files) {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        let commands = lines.iter().filter_map(|line| line.shown(self.seed));
        Prepared {
            evaluate,
            parts: Vec::new(),
            commands: commands.collect(),
            files,
            settings: settings::collect(self.section, &self.keys),
            seed: self.seed,
        }
    }

    /// Rewrites a failure of the section's commands for the study: it names keys instead of options, and gets the
    /// position of the key in the study.
    pub(crate) fn in_study(&self, failure: Failure) -> Failure {
        let key_info = |name: &str| {
            let mut keys = self.keys.iter();
            keys.find(|info| info.options.iter().any(|option| option.name() == name))
        };
        let is_explainer_option = |name: &str| match self.explainers {
            Explainers::Files(files) => files
                .iter()
                .any(|(_, option)| option.trim_start_matches('-') == name),
            _ => false,
        };
        let option = failure.option().map(str::to_owned);
        let is_option = |name: &str| key_info(name).is_some() || is_explainer_option(name);
        let in_terms_of_keys = failure.map_text(|text| in_keys(text, is_option));
        let Some(option) = option else {
            return in_terms_of_keys;
        };
        let key_name = key_info(&option).map(|info| &info.key);
        let explainer_keys = self.section.explainers.iter().flat_map(|table| &table.keys);
        let mut all_keys = self.section.keys.iter().chain(explainer_keys);
        let key = all_keys.find(|key| Some(&canonical(&key.name)) == key_name);
        let at = key.map_or(&self.section.at, |key| &key.at);
        in_terms_of_keys.move_to(|what| self.failure(at, what))
    }
}
