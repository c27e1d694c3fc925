//! The keys of a section: the options of its commands.

use clap::{Arg, ArgAction, Args, Command, ValueHint};

/// A key that a section may have.
#[derive(Debug, Clone)]
pub(crate) struct KeyInfo {
    pub(crate) key: String,
    /// The options that it stands for, at least one.
    pub(crate) options: Vec<OptionOfKey>,
}

/// An option of one of the commands of a section.
#[derive(Debug, Clone)]
pub(crate) struct OptionOfKey {
    /// Which of the commands.
    pub(crate) command: usize,
    /// Whether the command is one that is typed, not keys that only studies have.
    pub(crate) is_typed: bool,
    pub(crate) argument: Arg,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing: the key is true or false.
    Nothing,
    One,
    /// A list too; the option is repeated for each.
    Many,
}

/// What the value of an option is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    Word,
    File,
    /// A file if it has an extension, else a column.
    FileOrColumn,
}

/// Keys under another name: those of studies that were written before keys were options, and plurals of
/// options that may be repeated.
pub(crate) const ALIASES: &[(&str, &str)] =
    &[("drop_columns", "drop_column"), ("kept_fraction", "levels")];

/// The name that a key has here: options are written with underscores, but dashes are taken too.
pub(crate) fn canonical(key: &str) -> String {
    let key = key.replace('-', "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key);
    alias.map_or(key.clone(), |(_, name)| (*name).to_owned())
}

/// The keys that the options of some commands are.
pub(crate) fn of(commands: &[CommandOfSection]) -> Vec<KeyInfo> {
    let mut keys: Vec<KeyInfo> = Vec::new();
    for (place, command) in commands.iter().enumerate() {
        for (key, argument) in command.keys() {
            let option = OptionOfKey {
                command: place,
                is_typed: !command.path.is_empty(),
                argument,
            };
            match keys.iter_mut().find(|other| other.key == key) {
                Some(other) => other.options.push(option),
                None => keys.push(KeyInfo {
                    key,
                    options: vec![option],
                }),
            }
        }
    }
    keys
}

impl OptionOfKey {
    /// Its name, without dashes.
    pub(crate) fn name(&self) -> &str {
        self.argument.get_long().unwrap_or_default()
    }

    pub(crate) fn takes(&self) -> Takes {
        match self.argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Takes::Nothing,
            ArgAction::Append => Takes::Many,
            _ => Takes::One,
        }
    }

    pub(crate) fn is(&self) -> Is {
        let names = self.argument.get_value_names().unwrap_or_default();
        match self.argument.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => {
                if names.iter().any(|name| name.contains("COLUMN")) {
                    Is::FileOrColumn
                } else {
                    Is::File
                }
            }
            _ => Is::Word,
        }
    }

    /// The values that it has where it is not given.
    pub(crate) fn defaults(&self) -> Vec<String> {
        let values = self.argument.get_default_values().iter();
        values
            .map(|value| value.to_string_lossy().into_owned())
            .collect()
    }
}

/// A command whose options are keys of a section.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandOfSection {
    /// `["graph", "sweep"]`; empty for keys that only studies have.
    pub(crate) path: &'static [&'static str],
    /// Its options.
    pub(crate) command: fn() -> Command,
    /// Options that are no keys: the report writes no rows, and lists what it lists.
    pub(crate) left_out: &'static [&'static str],
    /// Options whose key has another name: `(option, key)`.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
}

impl CommandOfSection {
    /// A command; every option but those that are left out is a key of its name.
    pub(crate) const fn new<A: Args>(
        path: &'static [&'static str],
        left_out: &'static [&'static str],
    ) -> Self {
        Self {
            path,
            command: || {
                A::augment_args(
                    Command::new("xai")
                        .no_binary_name(true)
                        .disable_help_flag(true)
                        .disable_version_flag(true),
                )
            },
            left_out,
            renamed: &[],
        }
    }

    /// Keys that only studies have.
    pub(crate) const fn keys_alone<A: Args>() -> Self {
        Self::new::<A>(&[], &[])
    }

    /// Its keys with the options that they are.
    fn keys(&self) -> Vec<(String, Arg)> {
        let command = (self.command)();
        let arguments = command.get_arguments().filter_map(|argument| {
            let option = argument.get_long()?;
            let mut renamed = self.renamed.iter();
            let key = match renamed.find(|(of, _)| *of == option) {
                Some((_, key)) => (*key).to_owned(),
                None => option.replace('-', "_"),
            };
            (!self.left_out.contains(&option)).then(|| (key, argument.clone()))
        });
        arguments.collect()
    }
}
