//! From the keys of a section to the arguments of its commands, and how a person writes them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use clap::{Args, FromArgMatches};
use xai_files::Failure;
use xai_report::{Origin, Report};

use crate::Context;
use crate::report::study::arguments::{CommandLine, NamedFile, WrongValue};
use crate::report::study::document::{Document, Key, Section, Table, Value};
use crate::report::study::keys::{CommandOfSection, KeyInfo, canonical};
use crate::report::study::usage::{WrongUsage, in_keys};
use crate::report::study::{keys, settings};
use crate::usage::nearest;

/// The tables of explainers in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Explainers {
    /// There are none.
    None,
    /// Each has a name and at least one of some files: the key, and the option of the section's command that takes `NAME=FILE`.
    Files(&'static [(&'static str, &'static str)]),
    /// Each has the keys of the section, which decide over those of the section.
    Keys,
}

/// Keys of every section.
#[derive(Debug, clap::Args)]
struct CommonKeys {
    /// Seed of random choices.
    #[arg(long)]
    seed: Option<u64>,
}

/// Computes a section into a report.
pub(crate) type Evaluate = Box<dyn Fn(Origin, &Context, &mut Report) -> Result<(), Failure>>;

/// Computes a section, which is one of some sections of the report.
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
    /// What a check tries one by one, where that is not the whole.
    pub(crate) parts: Vec<Evaluate>,
    /// The commands that give its numbers.
    pub(crate) commands: Vec<String>,
    /// The files that it reads.
    pub(crate) files: Vec<NamedFile>,
    /// What its numbers depend on besides files and seeds.
    pub(crate) settings: BTreeMap<String, String>,
    pub(crate) seed: Option<u64>,
}

/// The keys of a section, checked to be such.
pub(crate) struct SectionKeys<'a> {
    document: &'a Document,
    pub(crate) section: &'a Section,
    commands: Vec<CommandOfSection>,
    explainers: Explainers,
    keys: Vec<KeyInfo>,
    folder: &'a Path,
    seed: Option<u64>,
}

/// The commands of a section with the keys that every section has.
pub(crate) fn with_common(commands: &[CommandOfSection]) -> Vec<CommandOfSection> {
    [commands, &[CommandOfSection::keys_alone::<CommonKeys>()]].concat()
}

impl<'a> SectionKeys<'a> {
    /// The keys of a section whose paths begin in a folder.
    pub(crate) fn new(
        (document, section): (&'a Document, &'a Section),
        folder: &'a Path,
        commands: &[CommandOfSection],
        explainers: Explainers,
    ) -> Self {
        let commands = with_common(commands);
        Self {
            document,
            section,
            keys: keys::of(&commands),
            commands,
            explainers,
            folder,
            seed: document.seed,
        }
    }

    /// Refuses keys that there are not, and reads the seed; `seed` is that of the command line.
    pub(crate) fn check(&mut self, seed: Option<u64>) -> Result<(), Failure> {
        let mut of_section: Vec<&str> = self.keys.iter().map(|info| info.key.as_str()).collect();
        of_section.push("name");
        let of_explainer = match self.explainers {
            Explainers::None => Vec::new(),
            Explainers::Files(files) => files.iter().map(|(key, _)| *key).chain(["name"]).collect(),
            Explainers::Keys => of_section.clone(),
        };
        if self.explainers != Explainers::None {
            of_section.push("explainers");
        } else if let Some(table) = self.section.explainers.first() {
            return Err(self.unknown("explainers", &table.at, "", &of_section));
        }
        for key in self.section.explainers.iter().flat_map(|table| &table.keys) {
            self.check_key(key, ".explainers", &of_explainer)?;
        }
        for key in &self.section.keys {
            self.check_key(key, "", &of_section)?;
        }
        let (_, CommonKeys { seed: own }) = self.command(self.commands.len() - 1)?;
        self.seed = seed.or(own).or(self.seed);
        Ok(())
    }

    /// Refuses a key that a section, or a table of it, does not have.
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

    /// A failure at a place of the study.
    pub(crate) fn failure(&self, at: &Range<usize>, what: impl std::fmt::Display) -> Failure {
        self.document.text.failure(at.clone(), what)
    }

    /// The text of a key.
    pub(crate) fn text<'k>(&self, key: &'k Key) -> Result<&'k str, Failure> {
        match &key.value {
            Value::Word(word) if !word.is_empty() => Ok(word),
            _ => Err(self.failure(&key.value_at, format!("`{}`: expected text", key.name))),
        }
    }

    /// The `place`-th command, with the options that the keys of the section are.
    pub(crate) fn command<A: Args + FromArgMatches>(
        &self,
        place: usize,
    ) -> Result<(CommandLine, A), Failure> {
        self.command_of(place, &self.section.keys, &self.section.at)
    }

    /// The `place`-th command, with the options that some keys are. Errors without a key of their own are about `at`.
    pub(crate) fn command_of<'k, A: Args + FromArgMatches>(
        &self,
        place: usize,
        keys: impl IntoIterator<Item = &'k Key>,
        at: &Range<usize>,
    ) -> Result<(CommandLine, A), Failure> {
        let line = self.line(place, keys)?;
        let arguments = self.parse(&line, at)?;
        Ok((line, arguments))
    }

    fn line<'k>(
        &self,
        place: usize,
        keys: impl IntoIterator<Item = &'k Key>,
    ) -> Result<CommandLine, Failure> {
        let mut line = CommandLine::new(self.commands[place]);
        for key in keys {
            let added = line.add(key, &self.keys, place, self.folder);
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
            let place = |option: &String| line.places.iter().find(|(of, _)| of == option);
            let found = wrong.options.iter().find_map(place);
            let failure = self.failure(found.map_or(at, |(_, at)| at), &wrong.what);
            match wrong.help {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    }

    /// The first command, with an option for each file of each explainer. `help` says how explainers are written.
    pub(crate) fn compared<A: Args + FromArgMatches>(
        &self,
        help: &str,
    ) -> Result<(CommandLine, A), Failure> {
        let mut line = self.line(0, &self.section.keys)?;
        for table in &self.section.explainers {
            self.add_explainer(table, &mut line)?;
        }
        if self.section.explainers.is_empty() {
            let failure = self.failure(&self.section.at, "no explainers");
            return Err(failure.help(format_args!("add {help}")));
        }
        let arguments = self.parse(&line, &self.section.at)?;
        Ok((line, arguments))
    }

    /// The files of an explainer, of which it needs one.
    fn add_explainer(&self, table: &Table, line: &mut CommandLine) -> Result<(), Failure> {
        let text = |name: &str| {
            let key = table.key(name);
            key.map(|key| self.text(key)).transpose()
        };
        let wrong = |what: &str| self.failure(&table.at, what);
        let name = text("name")?.ok_or_else(|| wrong("needs `name`"))?;
        if name.contains('=') {
            return Err(wrong("`name`: expected a name without `=`"));
        }
        let Explainers::Files(keys) = self.explainers else {
            return Ok(());
        };
        let mut is_given = false;
        for (key, option) in keys {
            if let Some(file) = text(key)? {
                line.push_named_file(option, name, file, self.folder);
                is_given = true;
            }
        }
        if is_given {
            return Ok(());
        }
        let keys: Vec<String> = keys.iter().map(|(key, _)| format!("`{key}`")).collect();
        Err(wrong(&format!("needs {}", keys.join(", or "))))
    }

    /// A section that is one command.
    pub(crate) fn single<A: Args + FromArgMatches + 'static, S: 'static>(
        &self,
        evaluate: fn(&A, Origin, &Context) -> Result<S, Failure>,
        sections: fn(&mut Report) -> &mut Vec<S>,
    ) -> Result<Prepared, Failure> {
        let (line, arguments) = self.command(0)?;
        let evaluate = move |origin, context: &Context| evaluate(&arguments, origin, context);
        Ok(self.prepared(into_report(evaluate, sections), &[line]))
    }

    /// A section that is computed by some commands.
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
            settings: settings::of(self.section, &self.keys),
            seed: self.seed,
        }
    }

    /// A failure of the commands of the section, in terms of the study: an option is the key that it stands for.
    pub(crate) fn in_study(&self, failure: Failure) -> Failure {
        let of_option = |name: &str| {
            let mut keys = self.keys.iter();
            keys.find(|info| info.options.iter().any(|option| option.name() == name))
        };
        let of_explainers = |name: &str| match self.explainers {
            Explainers::Files(files) => files
                .iter()
                .any(|(_, of)| of.trim_start_matches('-') == name),
            _ => false,
        };
        let option = failure.option().map(str::to_owned);
        let is_option = |name: &str| of_option(name).is_some() || of_explainers(name);
        let failure = failure.map_text(|text| in_keys(text, is_option));
        let Some(option) = option else {
            return failure;
        };
        let key = of_option(&option).map(|info| &info.key);
        let of_explainers = self.section.explainers.iter().flat_map(|table| &table.keys);
        let mut all = self.section.keys.iter().chain(of_explainers);
        let at = all.find(|other| Some(&canonical(&other.name)) == key);
        let at = at.map_or(&self.section.at, |key| &key.at);
        failure.moved_to(|what| self.failure(at, what))
    }
}
